//! The way of elements to a device, part by part: while the device reads one slot, the host fills the next.

use super::crew::{Crew, copiers, with_crew};
use super::explain::explain;
use super::rank::Contest;
use super::stream::StreamOptions;
use crate::device::{Clock, Context, Pending, Readback, Recorder, Stamps, Waiting, choose, compute_pass};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Origin, Piece, ToFold};
use crate::op::{DeviceOp, Fold, Op};
use crate::plan::{Arrangement, Request, Store};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;
use wgpu::BufferUsages;

/// Slots under way at once: one that the device reads, one that the host fills, one to even out their speeds.
const SLOTS: usize = 3;
/// Elements beyond this make a slot no faster.
const SLOT_BYTES_MAX: u64 = 64 << 20;
/// The greatest age of the knowledge that the device is there. Asking takes a microsecond, longer than a small part.
const LOOK_AGAIN: Duration = Duration::from_micros(20);

/// The slots of a stream on a device.
#[derive(Debug)]
pub(super) struct Ring {
    work: SlotWork,
    element_bytes: u64,
    slot_bytes: u64,
    /// Whether kernels read the staging buffers themselves, where host and device share memory.
    in_place: bool,
    filling: Option<Filling>,
    flying: VecDeque<Flying>,
    /// Slots whose results are there, not mapped yet.
    landed: Vec<Slot>,
    /// Threads that copy or read at once, at most.
    pub copiers: usize,
    /// Time spent copying into slots.
    pub copy_time: Duration,
    /// Times of the device.
    pub clock: Clock,
    /// The time at which the device was last seen to be there.
    seen: Option<Instant>,
}

/// What a device does with a slot.
#[derive(Debug)]
enum SlotWork {
    /// Folds its elements to an accumulator.
    Fold(Box<Recorder>),
    /// Finds the best of them.
    Rank(Box<Contest>),
}

impl SlotWork {
    fn context(&self) -> &Arc<Context> {
        match self {
            SlotWork::Fold(recorder) => &recorder.context,
            SlotWork::Rank(contest) => &contest.context,
        }
    }

    fn element_bytes(&self) -> u64 {
        match self {
            SlotWork::Fold(recorder) => recorder.op.dtype.bytes(),
            SlotWork::Rank(contest) => contest.dtype.bytes(),
        }
    }

    /// Room for what it leaves.
    fn readback(&self) -> Result<Readback> {
        match self {
            SlotWork::Fold(recorder) => {
                let op = &recorder.op;
                Readback::new(&recorder.context, 1, op.groups().iter().map(|group| op.group_words(group)).collect())
            }
            SlotWork::Rank(contest) => contest.readback(),
        }
    }

    /// Records it over so many elements of a buffer, the first of which has this place in the whole input.
    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (input, elements, start): (&wgpu::Buffer, u64, u64),
        readback: &Readback,
    ) -> Result<()> {
        let (destination, output) = readback.destination(0);
        let pieces = [Piece::of(0, 0, elements)];
        match self {
            SlotWork::Fold(recorder) => {
                let plan = recorder.planner.plan(&of_slot(&pieces, start, output))?;
                recorder.record(&mut compute_pass(encoder), &plan, &[Origin::Buffer(input)], destination)
            }
            SlotWork::Rank(contest) => contest.prepared(&pieces, &[input], &destination)?.record(encoder),
        }
    }

    /// The words of an accumulator from those that it has left.
    fn accumulator(&self, words: &[u32], start: u64) -> Vec<u32> {
        match self {
            SlotWork::Fold(recorder) => recorder.op.expand(words),
            SlotWork::Rank(contest) => {
                let ranks = &contest.ranks;
                (ranks.accumulator)(ranks.wanted, words, start)
            }
        }
    }

    /// The same of so many elements, in lines for people.
    fn explain(&self, elements: u64) -> Vec<String> {
        let pieces = [Piece::of(0, 0, elements)];
        let lines = match self {
            SlotWork::Fold(recorder) => {
                recorder.planner.plan(&of_slot(&pieces, 0, 0)).map(|plan| explain(recorder, &plan))
            }
            SlotWork::Rank(contest) => contest.plan(&pieces).map(|plan| {
                let each = "its tiles are ranked, the best chosen among them";
                plan.rounds.iter().map(|round| format!("{} candidates: {each}", round.candidates)).collect()
            }),
        };
        lines.unwrap_or_else(|error| vec![error.to_string()])
    }
}

/// What is asked of a slot.
fn of_slot(pieces: &[Piece], start: u64, output: u32) -> Request<'_> {
    Request { pieces, each: Arrangement::Whole, start, direct: true, store: Store::Sealed, output }
}

/// A slot that the device has, and the place of its first element in the whole input.
#[derive(Debug)]
struct Flying {
    slot: Slot,
    pending: Pending,
    start: u64,
}

/// A slot that takes elements: its bytes so far, and the place of the first element in the whole input.
#[derive(Debug)]
struct Filling {
    slot: Slot,
    bytes: u64,
    start: u64,
}

#[derive(Debug)]
struct Slot {
    staging: wgpu::Buffer,
    device: Option<wgpu::Buffer>,
    stamps: Option<Stamps>,
}

impl Ring {
    /// Of an operator on a device.
    pub fn of<T: Element, O: Op<T>>(context: Arc<Context>, op: &O, options: &StreamOptions) -> Result<Ring> {
        let work = match op.fold().ranks() {
            Some(ranks) => SlotWork::Rank(Box::new(Contest::on(context, T::DTYPE, ranks)?)),
            None => {
                let with = |keep| DeviceOp::new::<T, O>(op, keep);
                // A full slot, or all that will come.
                let most = SLOT_BYTES_MAX / T::DTYPE.bytes();
                let pieces = [Piece::of(0, 0, options.elements_hint.map_or(most, |hint| hint.clamp(1, most)))];
                let ahead = |recorder: &Recorder| Ok(vec![recorder.planner.plan(&of_slot(&pieces, 0, 0))?]);
                let device_op = pollster::block_on(choose(&context, op.name(), &with, &ahead, Waiting::Blocking))?;
                SlotWork::Fold(Box::new(Recorder::new(context, device_op)?))
            }
        };
        Ok(Ring::new(work, op.fold().most_elements(), options))
    }

    fn new(work: SlotWork, elements_max: u64, options: &StreamOptions) -> Ring {
        let (context, element_bytes) = (work.context(), work.element_bytes());
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
            work,
            element_bytes,
            slot_bytes,
            in_place,
            filling: None,
            flying: VecDeque::new(),
            landed: Vec::new(),
            copiers: copiers(),
            copy_time: Duration::ZERO,
            clock,
            seen: None,
        }
    }

    /// Makes all slots and has each one through the device once: whoever waits for nothing else need not wait for that later.
    pub fn warm(&mut self) -> Result<()> {
        for _ in 0..SLOTS {
            let slot = self.make_slot()?;
            self.launch(Filling { slot, bytes: self.slot_bytes, start: 0 })?;
        }
        self.drain(&mut Vec::new())?;
        self.clock = Clock::new(self.work.context(), !self.in_place);
        Ok(())
    }

    /// Number of elements of a slot.
    pub fn slot_elements(&self) -> usize {
        (self.slot_bytes / self.element_bytes) as usize
    }

    /// An error where the device is lost.
    pub fn look(&mut self) -> Result<()> {
        let now = Instant::now();
        if self.seen.is_none_or(|seen| now.duration_since(seen) > LOOK_AGAIN) {
            self.work.context().present("taking elements")?;
            self.seen = Some(now);
        }
        Ok(())
    }

    /// Takes elements, of which the first has this place in the whole input; accumulators that are done on the way go to `parts`.
    pub fn push<T: Element>(&mut self, elements: &ToFold<'_, T>, at: u64, parts: &mut Vec<Vec<u32>>) -> Result<()> {
        self.copy(elements, at, parts).map_err(|error| self.work.context().diagnosed(error))
    }

    fn copy<T: Element>(&mut self, elements: &ToFold<'_, T>, at: u64, parts: &mut Vec<Vec<u32>>) -> Result<()> {
        with_crew(self.copiers, elements, |crew| self.copy_by(crew, elements, at, parts))
    }

    fn copy_by<'a, T: Element>(
        &mut self,
        crew: &Crew<'a, T>,
        elements: &ToFold<'a, T>,
        at: u64,
        parts: &mut Vec<Vec<u32>>,
    ) -> Result<()> {
        let mut begin = 0;
        while begin < elements.len() {
            let at = at.wrapping_add(begin as u64);
            let mut filling = match self.filling.take() {
                Some(filling) if filling.start.wrapping_add(filling.bytes / self.element_bytes) == at => filling,
                others => {
                    others.map_or(Ok(()), |filling| self.launch(filling))?;
                    Filling { slot: self.take_slot(parts)?, bytes: 0, start: at }
                }
            };
            let room = ((self.slot_bytes - filling.bytes) / self.element_bytes) as usize;
            let now = elements.part(begin..elements.len().min(begin.saturating_add(room)));
            let start = Instant::now();
            crew.copy_in(&filling.slot.staging, filling.bytes, now)?;
            self.copy_time += start.elapsed();
            filling.bytes += now.len() as u64 * self.element_bytes;
            if now.len() == room {
                self.launch(filling)?;
            } else {
                self.filling = Some(filling);
            }
            begin += now.len();
        }
        Ok(())
    }

    /// Launches what is left and waits for every result.
    pub fn drain(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<()> {
        if let Some(filling) = self.filling.take() {
            self.launch(filling)?;
        }
        while !self.flying.is_empty() {
            let slot = self.land(parts)?;
            self.landed.push(slot);
        }
        Ok(())
    }

    /// A mapped slot: a new one, or the oldest under way once it is done.
    fn take_slot(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<Slot> {
        let slot = match self.landed.pop() {
            Some(slot) => slot,
            // Whoever asks is filling none, so the slots under way are all there are.
            None if self.flying.len() < SLOTS => return self.make_slot(),
            None => self.land(parts)?,
        };
        let context = self.work.context();
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
        let context = self.work.context();
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
    fn launch(&mut self, filling: Filling) -> Result<()> {
        let Filling { slot, bytes, start } = filling;
        let context = self.work.context();
        let readback = self.work.readback()?;
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold: stream") });
        context.guarded("a staging buffer", 0, || slot.staging.unmap())?;
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
        self.work.record(&mut encoder, (input, bytes / self.element_bytes, start), &readback)?;
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
        self.flying.push_back(Flying { slot, pending, start });
        Ok(())
    }

    /// Waits for the oldest slot under way and its result. Its staging buffer is not mapped yet.
    fn land(&mut self, parts: &mut Vec<Vec<u32>>) -> Result<Slot> {
        let Flying { slot, pending, start } = self.flying.pop_front().ok_or(Error::ResultMissing)?;
        let words = pending.wait(self.work.context())?;
        parts.extend(words.iter().map(|words| self.work.accumulator(words, start)));
        self.clock.read(slot.stamps.as_ref());
        Ok(slot)
    }

    /// The work of a full slot, in lines for people.
    pub fn explain(&self) -> Vec<String> {
        let how = if self.in_place { "read in place by the kernels" } else { "copied to the device" };
        let mut lines = vec![format!("up to {SLOTS} staging buffers of {} bytes, {how}; a full one:", self.slot_bytes)];
        lines.extend(self.work.explain(self.slot_bytes / self.element_bytes));
        lines
    }
}
