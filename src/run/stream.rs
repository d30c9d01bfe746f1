//! Larger than memory: elements come in parts, memory stays bounded.
//!
//! On an adapter a ring of slots is in use: while the device reads one, the host fills the next.

use super::cpu::Cpu;
use super::explain::explain;
use crate::device::{Clock, Context, Pending, Readback, Recorder, Stamps, Waiting, choose, compute_pass, fill};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Origin, Piece};
use crate::op::{Acc, DeviceOp, Fold, Op, Partial, Span};
use crate::plan::{Arrangement, Request, Store};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;
use wgpu::BufferUsages;

/// The options of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Bytes of staging and device memory together, about; at least 1 MiB is taken.
    pub memory_bytes: u64,
    /// Number of elements that will come, where that is known: small inputs then take small buffers.
    pub elements_hint: Option<u64>,
    /// Position of the first element in the whole input; `None`: positions count from this stream's first element, and its
    /// partial moves behind the one that it is merged to.
    pub first: Option<u64>,
}

impl Default for StreamOptions {
    /// 512 MiB, length unknown.
    fn default() -> Self {
        StreamOptions { memory_bytes: 512 << 20, elements_hint: None, first: None }
    }
}

/// The answer of a finished stream, with its count and its times.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finished<R> {
    /// The answer.
    pub output: R,
    /// Number of elements that went into it.
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
pub struct Stream<T: Element, O: Op<T>> {
    op: O,
    engine: Way,
    fold: O::Fold,
    acc: Acc<T, O>,
    /// Elements taken.
    count: u64,
    /// The last of them, out of small parts: the engine gets them together.
    gathered: Vec<T>,
    first: Option<u64>,
}

/// Bytes of small parts that wait for more.
const GATHERED_BYTES: usize = 64 << 10;
/// The greatest age of the knowledge that the device is there. Asking takes a microsecond, longer than a small part.
const LOOK_AGAIN: Duration = Duration::from_micros(20);

#[derive(Debug)]
enum Way {
    Cpu(Cpu, Duration),
    Gpu(Box<Ring>),
}

impl<T: Element, O: Op<T>> Stream<T, O> {
    pub(crate) fn on_cpu(cpu: Cpu, op: O, options: &StreamOptions) -> Self {
        Self::by(op, Way::Cpu(cpu, Duration::ZERO), options)
    }

    pub(crate) fn on_gpu(context: Arc<Context>, op: O, options: &StreamOptions) -> Result<Self> {
        let with = |keep| DeviceOp::new::<T, O>(&op, keep);
        let device_op = pollster::block_on(choose(&context, op.name(), &with, Waiting::Blocking))?;
        let recorder = Recorder::new(context, device_op)?;
        let ring = Ring::new(recorder, op.fold().most_elements(), options);
        Ok(Self::by(op, Way::Gpu(Box::new(ring)), options))
    }

    fn by(op: O, engine: Way, options: &StreamOptions) -> Self {
        let fold = op.fold();
        let (acc, first) = (fold.identity(), options.first);
        Stream { op, engine, fold, acc, count: 0, gathered: Vec::new(), first }
    }

    /// Adds what a part was folded to.
    fn merge(&mut self, part: Acc<T, O>) {
        self.fold.merge(&mut self.acc, part);
    }

    /// Adds what the device has folded, as words.
    fn merge_all(&mut self, parts: &[Vec<u32>]) {
        for words in parts {
            let part = self.fold.read_acc(words);
            self.merge(part);
        }
    }

    /// Takes the next elements. Large parts (megabytes) are faster than small ones.
    ///
    /// # Errors
    /// Those of the device; the stream is of no use afterwards. [`Error::DeviceLost`] of small parts may come 20 µs late.
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        if let Way::Gpu(ring) = &mut self.engine {
            ring.look()?;
        }
        let most = GATHERED_BYTES / size_of::<T>();
        if elements.len() > most - self.gathered.len() {
            self.give_gathered()?;
        }
        if elements.len() <= most / 4 {
            self.gathered.extend_from_slice(elements);
        } else {
            self.give_gathered()?;
            self.give(elements)?;
        }
        self.count += elements.len() as u64;
        Ok(())
    }

    /// Gives the engine what small parts have left.
    fn give_gathered(&mut self) -> Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        self.count -= gathered.len() as u64;
        self.give(&gathered)?;
        self.count += gathered.len() as u64;
        gathered.clear();
        self.gathered = gathered;
        Ok(())
    }

    /// Gives the engine elements behind those that are counted.
    fn give(&mut self, elements: &[T]) -> Result<()> {
        match &mut self.engine {
            Way::Cpu(cpu, time) => {
                let start = Instant::now();
                let at = self.first.unwrap_or(0).wrapping_add(self.count);
                let part = cpu.accumulate(&self.fold, elements, at);
                *time += start.elapsed();
                self.merge(part);
            }
            Way::Gpu(ring) => {
                let mut parts = Vec::new();
                ring.push(bytemuck::cast_slice(elements), &mut parts)?;
                self.merge_all(&parts);
            }
        }
        Ok(())
    }

    /// Elements taken so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of elements that a part should have, so that none is cut.
    pub fn part_elements(&self) -> usize {
        match &self.engine {
            Way::Cpu(..) => 8 << 20,
            Way::Gpu(ring) => (ring.slot_bytes / ring.element_bytes) as usize,
        }
    }

    /// The work of this stream, in lines for people: passes, workgroups, bindings, bytes.
    pub fn explain(&self) -> Vec<String> {
        match &self.engine {
            Way::Cpu(cpu, _) => vec![format!("CPU engine: {} threads", cpu.threads())],
            Way::Gpu(ring) => ring.explain(),
        }
    }

    /// Waits for what is under way and gives the answer.
    ///
    /// # Errors
    /// Those of the device, or of [`Op::finish`].
    pub fn finish(self) -> Result<Finished<O::Output>> {
        self.ended(|op, acc, span| op.finish(op.fold().canonical(acc), span.count))
    }

    /// Waits for what is under way and gives the accumulator, to be merged and finished elsewhere. What it holds of places
    /// counts from this stream's first element.
    ///
    /// # Errors
    /// Those of the device.
    pub fn partial(self) -> Result<Finished<Partial<T, O>>> {
        self.ended(|op, acc, span| Ok(Partial::of(op, acc, span)))
    }

    /// Waits for what is under way; `make` is given the accumulator.
    fn ended<R>(mut self, make: impl FnOnce(O, Acc<T, O>, Span) -> Result<R>) -> Result<Finished<R>> {
        self.give_gathered()?;
        let mut parts = Vec::new();
        let (copy_time, upload_time, kernel_time) = match &mut self.engine {
            Way::Cpu(_, time) => (Duration::ZERO, None, Some(*time)),
            Way::Gpu(ring) => {
                ring.drain(&mut parts)?;
                (ring.copy_time, ring.clock.upload(), ring.clock.kernel())
            }
        };
        self.merge_all(&parts);
        let Stream { op, acc, count, first, .. } = self;
        let output = make(op, acc, Span { count, first })?;
        Ok(Finished { output, count, copy_time, upload_time, kernel_time })
    }
}

impl<T: Element, O: Op<T>> std::fmt::Debug for Stream<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("engine", &self.engine).field("count", &self.count).finish_non_exhaustive()
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
    element_bytes: u64,
    slot_bytes: u64,
    /// Whether kernels read the staging buffers themselves, where host and device share memory.
    in_place: bool,
    filling: Option<(Slot, u64)>,
    flying: VecDeque<(Slot, Pending)>,
    /// Elements in the slots that were launched.
    launched: u64,
    first: u64,
    copy_time: Duration,
    clock: Clock,
    /// The time at which the device was last seen to be there.
    seen: Option<Instant>,
}

#[derive(Debug)]
struct Slot {
    staging: wgpu::Buffer,
    device: Option<wgpu::Buffer>,
    stamps: Option<Stamps>,
}

impl Ring {
    fn new(recorder: Recorder, elements_max: u64, options: &StreamOptions) -> Ring {
        let element_bytes = recorder.op.dtype.bytes();
        let context = &recorder.context;
        let in_place = context.mapped_bytes_max == u64::MAX;
        let copies = if in_place { 1 } else { 2 };
        let limits = [
            Some(options.memory_bytes.max(1 << 20) / (SLOTS as u64 * copies)),
            Some(SLOT_BYTES_MAX),
            Some(context.limits.binding_bytes_max),
            Some(context.device.limits().max_buffer_size),
            Some(elements_max.saturating_mul(element_bytes)),
            options.elements_hint.map(|elements| elements.saturating_mul(element_bytes)),
        ];
        // Whole elements, and shares of threads that meet at 16 bytes.
        let unit = if element_bytes.is_multiple_of(3) { 48 } else { 16 };
        let slot_bytes = limits.into_iter().flatten().min().unwrap_or(0).max(1024) / unit * unit;
        let clock = Clock::new(context, !in_place);
        Ring {
            recorder,
            element_bytes,
            slot_bytes,
            in_place,
            filling: None,
            flying: VecDeque::new(),
            launched: 0,
            first: options.first.unwrap_or(0),
            copy_time: Duration::ZERO,
            clock,
            seen: None,
        }
    }

    /// An error where the device is lost.
    fn look(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.seen.is_none_or(|seen| now.duration_since(seen) > LOOK_AGAIN) {
            self.recorder.context.present("taking elements")?;
            self.seen = Some(now);
        }
        Ok(())
    }

    /// Takes elements; accumulators that are done on the way go to `parts`.
    fn push(&mut self, bytes: &[u8], parts: &mut Vec<Vec<u32>>) -> Result<()> {
        self.copy(bytes, parts).map_err(|error| self.recorder.context.diagnosed(error))
    }

    fn copy(&mut self, mut bytes: &[u8], parts: &mut Vec<Vec<u32>>) -> Result<()> {
        while !bytes.is_empty() {
            let (slot, filled) = match self.filling.take() {
                Some(filling) => filling,
                None => (self.take_slot(parts)?, 0),
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

    /// Launches what is left and waits for every result.
    fn drain(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<()> {
        if let Some((slot, filled)) = self.filling.take() {
            self.launch(slot, filled)?;
        }
        while !self.flying.is_empty() {
            self.land(parts)?;
        }
        Ok(())
    }

    /// A mapped slot: a new one, or the oldest under way once it is done.
    fn take_slot(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<Slot> {
        // Whoever asks is filling none, so the slots under way are all there are.
        if self.flying.len() < SLOTS {
            return self.make_slot();
        }
        let slot = self.land(parts)?;
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
        let op = &self.recorder.op;
        let groups = op.groups().iter().map(|group| op.group_words(group)).collect();
        let readback = Readback::new(context, 1, groups)?;
        let (destination, output) = readback.destination(0);
        let start = self.first.wrapping_add(self.launched);
        let request =
            Request { pieces: &[piece], each: Arrangement::Whole, start, direct: true, store: Store::Sealed, output };
        let plan = self.recorder.planner.plan(&request)?;
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
        self.recorder.record(&mut compute_pass(&mut encoder), &plan, &[Origin::Buffer(input)], destination)?;
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

    /// Waits for the oldest slot under way and its result. Its staging buffer is not mapped yet.
    fn land(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<Slot> {
        let (slot, pending) = self.flying.pop_front().ok_or(Error::ResultMissing)?;
        let words = pending.wait(&self.recorder.context)?;
        parts.extend(words.iter().map(|words| self.recorder.op.expand(words)));
        self.clock.read(slot.stamps.as_ref());
        Ok(slot)
    }

    fn explain(&self) -> Vec<String> {
        let piece = Piece::of(0, 0, self.slot_bytes / self.element_bytes);
        let request = Request {
            pieces: &[piece],
            each: Arrangement::Whole,
            start: 0,
            direct: true,
            store: Store::Sealed,
            output: 0,
        };
        let how = if self.in_place { "read in place by the kernels" } else { "copied to the device" };
        let mut lines = vec![format!("up to {SLOTS} staging buffers of {} bytes, {how}; a full one:", self.slot_bytes)];
        match self.recorder.planner.plan(&request) {
            Ok(plan) => lines.extend(explain(&self.recorder, &plan)),
            Err(error) => lines.push(error.to_string()),
        }
        lines
    }
}

/// One thread, where there are no others.
#[cfg(target_arch = "wasm32")]
use fill as copy_in;

/// Copies into a mapped buffer, on several threads where it pays; each maps its own share.
#[cfg(not(target_arch = "wasm32"))]
fn copy_in(staging: &wgpu::Buffer, at: u64, bytes: &[u8]) -> Result<()> {
    const SHARE_MIN: usize = 4 << 20;
    let shares = (bytes.len() / SHARE_MIN).min(8);
    if shares <= 1 {
        return fill(staging, at, bytes);
    }
    // The system takes tens of microseconds to tell how many cores there are.
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(shares);
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
