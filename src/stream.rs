//! Larger than memory: elements come in parts, memory stays bounded.
//!
//! On an adapter a ring of slots is in use: while the device reads one, the host fills the next.

use crate::context::{Context, fill};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::host::Cpu;
use crate::op::{Accumulator, Op};
use crate::partial::Partial;
use crate::plan::Piece;
use crate::readback::{Pending, Readback};
use crate::record::{Recorder, compute_pass};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, Features};

/// What a stream may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Bytes of staging and device memory together, about; at least 1 MiB is taken.
    pub memory_bytes: u64,
    /// How many elements will come, where that is known: small inputs then take small buffers.
    pub elements_hint: Option<u64>,
}

impl Default for StreamOptions {
    /// 512 MiB, length unknown.
    fn default() -> Self {
        StreamOptions { memory_bytes: 512 << 20, elements_hint: None }
    }
}

/// What a finished stream tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finished<R> {
    /// The answer.
    pub output: R,
    /// How many elements went into it.
    pub count: u64,
    /// Time spent copying into staging memory, on the host.
    pub copy_time: Duration,
    /// Time of the copies to the device, by its clock; `None` where the device does not tell.
    pub upload_time: Option<Duration>,
    /// Time of the kernels, by the device's clock (the host's for the CPU engine); `None` where the device does not tell.
    pub kernel_time: Option<Duration>,
}

/// A reduction whose elements come in parts, in order; any number of them, in bounded memory.
///
/// ```
/// use treefold::{Engine, StreamOptions, ops::ArgMax};
/// let mut stream = Engine::named("cpu")?.stream(ArgMax, &StreamOptions::default())?;
/// stream.push(&[1.0f32, 5.0])?;
/// stream.push(&[7.0, 2.0])?;
/// assert_eq!(stream.finish()?.output.map(|found| found.index), Some(2));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream<T: Element, O: Op<T>> {
    op: O,
    engine: Engine,
    acc: O::Acc,
    count: u64,
    element: PhantomData<T>,
}

#[derive(Debug)]
enum Engine {
    Cpu(Cpu, Duration),
    Gpu(Box<Ring>),
}

impl<T: Element, O: Op<T>> Stream<T, O> {
    pub(crate) fn on_cpu(cpu: Cpu, op: O) -> Self {
        Stream { acc: op.identity(), op, engine: Engine::Cpu(cpu, Duration::ZERO), count: 0, element: PhantomData }
    }

    pub(crate) fn on_gpu(context: Arc<Context>, op: O, options: &StreamOptions) -> Result<Self> {
        let ring = Ring::new::<T, O>(Recorder::new::<T, O>(context, &op)?, options);
        Ok(Stream { acc: op.identity(), op, engine: Engine::Gpu(Box::new(ring)), count: 0, element: PhantomData })
    }

    /// Takes the next elements. Large parts (megabytes) are faster than small ones.
    ///
    /// # Errors
    /// What the device says; the stream is of no use afterwards.
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        match &mut self.engine {
            Engine::Cpu(cpu, time) => {
                let start = Instant::now();
                self.acc = self.op.combine(self.acc, cpu.fold(&self.op, elements, self.count));
                *time += start.elapsed();
            }
            Engine::Gpu(ring) => {
                let (op, acc) = (&self.op, &mut self.acc);
                ring.push(bytemuck::cast_slice(elements), |words| *acc = op.combine(*acc, O::Acc::read(words)))?;
            }
        }
        self.count += elements.len() as u64;
        Ok(())
    }

    /// Elements taken so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many elements a part should have, so that none is cut.
    pub fn part_elements(&self) -> usize {
        match &self.engine {
            Engine::Cpu(..) => 8 << 20,
            Engine::Gpu(ring) => (ring.slot_bytes / ring.element_bytes) as usize,
        }
    }

    /// How this stream works, in lines for people: passes, workgroups, bindings, bytes.
    pub fn explain(&self) -> Vec<String> {
        match &self.engine {
            Engine::Cpu(cpu, _) => vec![format!("CPU engine: {} threads", cpu.threads())],
            Engine::Gpu(ring) => ring.explain(),
        }
    }

    /// Waits for what is under way and gives the answer.
    ///
    /// # Errors
    /// What the device says, or [`Op::finish`].
    pub fn finish(self) -> Result<Finished<O::Output>> {
        let Finished { output, count, copy_time, upload_time, kernel_time } = self.partial()?;
        Ok(Finished { output: output.finish()?, count, copy_time, upload_time, kernel_time })
    }

    /// Waits for what is under way and gives the accumulator, to be merged and finished elsewhere. What it holds of places
    /// counts from this stream's first element.
    ///
    /// # Errors
    /// What the device says.
    pub fn partial(self) -> Result<Finished<Partial<T, O>>> {
        let Stream { op, engine, mut acc, count, .. } = self;
        let (copy_time, upload_time, kernel_time) = match engine {
            Engine::Cpu(_, time) => (Duration::ZERO, None, Some(time)),
            Engine::Gpu(mut ring) => {
                ring.drain(|words| acc = op.combine(acc, O::Acc::read(words)))?;
                (ring.copy_time, ring.clock.upload(), ring.clock.kernel())
            }
        };
        Ok(Finished { output: Partial::of(op, acc, count), count, copy_time, upload_time, kernel_time })
    }
}

/// Slots under way at once: one that the device reads, one that the host fills, one to even out their speeds.
const SLOTS: usize = 3;
/// Elements beyond this make a slot no faster.
const SLOT_BYTES_MAX: u64 = 64 << 20;

/// The slots of a stream on a device.
#[derive(Debug)]
struct Ring {
    recorder: Recorder,
    acc_words: usize,
    element_bytes: u64,
    slot_bytes: u64,
    /// Whether kernels read the staging buffers themselves, where host and device share memory.
    in_place: bool,
    filling: Option<(Slot, u64)>,
    flying: VecDeque<(Slot, Pending)>,
    /// Elements in the slots that were launched.
    launched: u64,
    copy_time: Duration,
    clock: Clock,
}

#[derive(Debug)]
struct Slot {
    staging: wgpu::Buffer,
    device: Option<wgpu::Buffer>,
    stamps: Option<Stamps>,
}

impl Ring {
    fn new<T: Element, O: Op<T>>(recorder: Recorder, options: &StreamOptions) -> Ring {
        let (acc_words, element_bytes, elements_max) = (O::Acc::WORDS, T::DTYPE.bytes(), O::ELEMENTS_MAX);
        let context = &recorder.context;
        let features = context.device.features();
        let in_place = features.contains(Features::MAPPABLE_PRIMARY_BUFFERS);
        let copies = if in_place { 1 } else { 2 };
        let limits = [
            Some(options.memory_bytes.max(1 << 20) / (SLOTS as u64 * copies)),
            Some(SLOT_BYTES_MAX),
            Some(context.facts.binding_bytes_max),
            Some(context.device.limits().max_buffer_size),
            Some(elements_max.saturating_mul(element_bytes)),
            options.elements_hint.map(|elements| elements.saturating_mul(element_bytes)),
        ];
        let slot_bytes = limits.into_iter().flatten().min().unwrap_or(0).max(1024) / 16 * 16;
        let clock = Clock::new(context, !in_place);
        Ring {
            recorder,
            acc_words,
            element_bytes,
            slot_bytes,
            in_place,
            filling: None,
            flying: VecDeque::new(),
            launched: 0,
            copy_time: Duration::ZERO,
            clock,
        }
    }

    fn push(&mut self, mut bytes: &[u8], mut merge: impl FnMut(&[u32])) -> Result<()> {
        while !bytes.is_empty() {
            let (slot, filled) = match self.filling.take() {
                Some(filling) => filling,
                None => (self.take_slot(&mut merge)?, 0),
            };
            let (now, later) = bytes.split_at(bytes.len().min((self.slot_bytes - filled) as usize));
            let start = Instant::now();
            copy_in(&slot.staging, filled, now)?;
            self.copy_time += start.elapsed();
            let filled = filled + now.len() as u64;
            if filled == self.slot_bytes {
                self.launch(slot, filled)?;
            } else {
                self.filling = Some((slot, filled));
            }
            bytes = later;
        }
        Ok(())
    }

    /// Launches what is left and merges every result.
    fn drain(&mut self, mut merge: impl FnMut(&[u32])) -> Result<()> {
        if let Some((slot, filled)) = self.filling.take() {
            self.launch(slot, filled)?;
        }
        while !self.flying.is_empty() {
            self.land(&mut merge)?;
        }
        Ok(())
    }

    /// A mapped slot: a new one, or the oldest under way once it is done.
    fn take_slot(&mut self, merge: &mut impl FnMut(&[u32])) -> Result<Slot> {
        // Whoever asks is filling none, so the slots under way are all there are.
        if self.flying.len() < SLOTS {
            return self.make_slot();
        }
        let slot = self.land(merge)?;
        let context = &self.recorder.context;
        let (sender, receiver) = std::sync::mpsc::channel();
        slot.staging.map_async(wgpu::MapMode::Write, .., move |result| {
            // Nobody listens any more only where the stream has failed before.
            let _ = sender.send(result);
        });
        let what = "mapping a staging buffer";
        let start = Instant::now();
        loop {
            context.poll_once(what)?;
            match receiver.try_recv() {
                Ok(Ok(())) => return Ok(slot),
                Ok(Err(error)) => return Err(Error::DeviceLost { what, message: error.to_string() }),
                Err(_) if start.elapsed() > context.timeout() => {
                    return Err(Error::Timeout { what, waited: context.timeout() });
                }
                Err(_) => std::thread::yield_now(),
            }
        }
    }

    fn make_slot(&self) -> Result<Slot> {
        let context = &self.recorder.context;
        let read = if self.in_place { BufferUsages::STORAGE } else { BufferUsages::COPY_SRC };
        let staging = context.mapped_buffer("a staging buffer", self.slot_bytes, BufferUsages::MAP_WRITE | read)?;
        let device = if self.in_place {
            None
        } else {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
            Some(context.buffer("a slot of the input", self.slot_bytes, usage)?)
        };
        Ok(Slot { staging, device, stamps: self.clock.stamps(context)? })
    }

    /// Sends a filled slot to the device.
    fn launch(&mut self, slot: Slot, bytes: u64) -> Result<()> {
        let context = &self.recorder.context;
        let elements = bytes / self.element_bytes;
        let piece = Piece::of(0, 0, elements);
        let plan = self.recorder.planner.plan(&[piece], self.launched, true);
        let readback = Readback::new(context, 1, self.acc_words)?;
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold: stream") });
        slot.staging.unmap();
        let stamp = |encoder: &mut wgpu::CommandEncoder, at: u32| {
            if let Some(stamps) = &slot.stamps {
                encoder.write_timestamp(&stamps.queries, at);
            }
        };
        stamp(&mut encoder, 0);
        if let Some(device) = &slot.device {
            encoder.copy_buffer_to_buffer(&slot.staging, 0, device, 0, bytes.next_multiple_of(4));
        }
        stamp(&mut encoder, 1);
        let input = slot.device.as_ref().unwrap_or(&slot.staging);
        self.recorder.record(&mut compute_pass(&mut encoder), &plan, &[input], &readback.place(0))?;
        stamp(&mut encoder, 2);
        let pending = context.guarded("a submission", 0, || {
            if let Some(stamps) = &slot.stamps {
                stamps.resolve(&mut encoder);
            }
            readback.copy(&mut encoder);
            let submission = context.queue.submit([encoder.finish()]);
            if let Some(stamps) = &slot.stamps {
                stamps.request();
            }
            readback.request(submission)
        })?;
        self.launched += elements;
        self.flying.push_back((slot, pending));
        Ok(())
    }

    /// Waits for the oldest slot under way and merges its result. Its staging buffer is not mapped yet.
    fn land(&mut self, merge: &mut impl FnMut(&[u32])) -> Result<Slot> {
        let (slot, pending) = self.flying.pop_front().ok_or(Error::ResultMissing)?;
        for words in pending.wait(&self.recorder.context)? {
            merge(&words);
        }
        self.clock.read(slot.stamps.as_ref());
        Ok(slot)
    }

    fn explain(&self) -> Vec<String> {
        let piece = Piece::of(0, 0, self.slot_bytes / self.element_bytes);
        let plan = self.recorder.planner.plan(&[piece], 0, true);
        let how = if self.in_place { "read in place by the kernels" } else { "copied to the device" };
        let mut lines = vec![format!("up to {SLOTS} staging buffers of {} bytes, {how}; a full one:", self.slot_bytes)];
        lines.extend(self.recorder.explain(&plan));
        lines
    }
}

/// Copies into a mapped buffer, on several threads where it pays; each maps its own share.
fn copy_in(staging: &wgpu::Buffer, at: u64, bytes: &[u8]) -> Result<()> {
    const SHARE_MIN: usize = 4 << 20;
    let threads =
        std::thread::available_parallelism().map_or(1, |n| n.get()).min(8).min(bytes.len() / SHARE_MIN).max(1);
    let share = bytes.len().div_ceil(threads).next_multiple_of(16).max(16);
    // Shares meet at multiples of 16 in the buffer, because what threads map must not overlap.
    let (mine, rest) = bytes.split_at(bytes.len().min(share - (at % 16) as usize));
    std::thread::scope(|scope| {
        let parts = rest.chunks(share).zip((at + mine.len() as u64..).step_by(share));
        let others: Vec<_> = parts.map(|(part, at)| scope.spawn(move || fill(staging, at, part))).collect();
        let copied = fill(staging, at, mine);
        let panicked = || Error::Refused { what: "staging memory", message: "a copying thread stopped".into() };
        others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked()))).fold(copied, Result::and)
    })
}

/// The device's clock: how long copies and kernels took.
#[derive(Debug)]
struct Clock {
    /// Nanoseconds of a tick; `None` where the device has no timestamps in encoders.
    period: Option<f32>,
    /// Ticks of copies, ticks of kernels.
    ticks: Option<[u64; 2]>,
    copies: bool,
}

/// Three timestamps: before the copy, between copy and kernels, behind the kernels.
#[derive(Debug)]
struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

const STAMPS: u32 = 3;

impl Clock {
    fn new(context: &Context, copies: bool) -> Clock {
        let features = context.device.features();
        let has = features.contains(Features::TIMESTAMP_QUERY | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
        let period = has.then(|| context.queue.get_timestamp_period());
        Clock { period, ticks: Some([0, 0]), copies }
    }

    fn stamps(&self, context: &Context) -> Result<Option<Stamps>> {
        if self.period.is_none() {
            return Ok(None);
        }
        let bytes = u64::from(STAMPS) * 8;
        let queries = context.guarded("timestamp queries", 0, || {
            context.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("treefold: timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: STAMPS,
            })
        })?;
        let resolved = context.buffer("timestamps", bytes, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?;
        let host = context.buffer("timestamp readback", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        Ok(Some(Stamps { queries, resolved, host }))
    }

    /// Adds a landed slot's times. Timestamps that did not come, or that stand still, make the time unknown.
    fn read(&mut self, stamps: Option<&Stamps>) {
        let ticks = stamps.and_then(Stamps::read).filter(|[before, _, after]| before < after);
        self.ticks = match (self.ticks, ticks) {
            (Some([copies, kernels]), Some([before, between, after])) => {
                Some([copies + between.saturating_sub(before), kernels + after.saturating_sub(between)])
            }
            _ => None,
        };
    }

    fn time(&self, ticks: impl Fn([u64; 2]) -> u64) -> Option<Duration> {
        let nanoseconds = self.ticks.map(ticks)? as f64 * f64::from(self.period?);
        Some(Duration::from_nanos(nanoseconds as u64))
    }

    fn upload(&self) -> Option<Duration> {
        if self.copies { self.time(|[copies, _]| copies) } else { Some(Duration::ZERO) }
    }

    fn kernel(&self) -> Option<Duration> {
        self.time(|[_, kernels]| kernels)
    }
}

impl Stamps {
    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..STAMPS, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, self.host.size());
    }

    /// Asks for the stamps of the submission just made; they are there when its result is.
    fn request(&self) {
        self.host.map_async(wgpu::MapMode::Read, .., |_| ());
    }

    fn read(&self) -> Option<[u64; 3]> {
        let view = self.host.get_mapped_range(..).ok()?;
        let stamps: Vec<u64> = view.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        drop(view);
        self.host.unmap();
        stamps.try_into().ok()
    }
}
