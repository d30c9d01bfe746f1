//! Larger than memory: elements come in parts, memory stays bounded.
//!
//! On an adapter a ring of slots is in use: while the device reads one, the host fills the next.

use super::cpu::{BLOCK, Cpu, WIDE_WORDS};
use super::crew::copiers;
use super::engine::Engine;
use super::failure::Failure;
use super::ring::Ring;
use super::shares::{Make, SHARED_MIN, Shares};
use super::team::{Noted, Team};
use crate::device::Context;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{ReadAt, ToFold, earlier};
use crate::op::{Acc, Fold, Op, Partial, Span};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use web_time::Instant;

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
    /// The part that the CPU engine has begun: the blocks of it, and what they are folded to.
    begun: Option<(usize, Acc<T, O>)>,
    /// Elements taken.
    count: u64,
    /// The last of them, out of small parts: the engine gets them together.
    gathered: Vec<T>,
    first: Option<u64>,
    memory_bytes: u64,
    failure: Failure,
    /// The engine of a team that does all of it alone.
    called: Option<Noted>,
}

/// Bytes of small parts that wait for more.
const GATHERED_BYTES: usize = 64 << 10;
/// Bytes of a part for the CPU engine and for a team: enough that its threads are started seldom (8 GiB from the page cache by 32 threads in parts of
/// 32 MiB: 0.69 to 0.77 s, of 128 MiB: 0.26 to 0.34; docs/performance.md).
const CPU_PART_BYTES: usize = 128 << 20;
/// Bytes of a piece of it that is made first: few enough that its memory, which is used for the next one, costs little when it is touched. By
/// `head -c 20G /dev/zero | treefold sum --dtype f32 --adapter cpu`, the program takes 28 MiB of memory; in parts, 139.
const CPU_PIECE_BYTES: usize = 16 << 20;
/// Parts that an engine reads before what they are folded to is combined.
const ROUND_PARTS: usize = 8;
/// Elements of the same for a team, which cuts them in pieces itself.
const TEAM_ELEMENTS: usize = 1 << 30;
/// Bytes of staging and device memory of one device of a team, at most: as it waits for the last part of each push, many large slots gain
/// nothing.
const TEAM_RING_BYTES: u64 = 96 << 20;
/// Bytes that are worth handing to one thread of the CPU engine.
const THREAD_BYTES: usize = 1 << 20;

/// Elements of so many bytes: whole blocks.
fn in_blocks<T>(bytes: usize) -> usize {
    bytes / size_of::<T>() / BLOCK * BLOCK
}

/// Elements of a part for the CPU engine.
fn cpu_part<T>() -> usize {
    in_blocks::<T>(CPU_PART_BYTES)
}

#[derive(Debug)]
enum Way {
    Alone(On),
    Team(Box<Shares<On>>),
}

/// The engine that folds parts.
#[derive(Debug)]
enum On {
    Cpu(Cpu, Duration),
    Gpu(Box<Ring>),
}

impl<T: Element, O: Op<T>> Stream<T, O> {
    pub(crate) fn on_cpu(cpu: Cpu, op: O, options: &StreamOptions) -> Self {
        Self::by(op, Way::Alone(On::Cpu(cpu, Duration::ZERO)), options)
    }

    pub(crate) fn on_gpu(context: Arc<Context>, op: O, options: &StreamOptions) -> Result<Self> {
        let ring = Ring::of::<T, O>(context, &op, options)?;
        Ok(Self::by(op, Way::Alone(On::Gpu(Box::new(ring))), options))
    }

    pub(super) fn on_team(team: &Team, op: O, options: &StreamOptions) -> Result<Self> {
        let mut of_device = options.clone();
        // Slots that leave something for the others.
        let members = team.gpus().len() as u64 + u64::from(team.cpu_takes_part());
        of_device.elements_hint = options.elements_hint.map(|all| (all / (2 * members.max(1))).max(SHARED_MIN as u64));
        // Beside other work, then.
        let grows = team.wanted().is_some();
        let made_of = op.clone();
        let make: Make<On> = Arc::new(move |engine, devices| {
            Ok(match engine {
                Engine::Gpu(gpu) => {
                    let memory_bytes = (of_device.memory_bytes / (2 * devices)).min(TEAM_RING_BYTES);
                    let of_device = StreamOptions { memory_bytes, ..of_device.clone() };
                    let mut ring = Ring::of::<T, O>(gpu.context().clone(), &made_of, &of_device)?;
                    if grows {
                        ring.warm()?;
                    }
                    let grain = ring.slot_elements();
                    (On::Gpu(Box::new(ring)), grain)
                }
                others => {
                    let cpu = others.cpu();
                    let grain = cpu.threads() * THREAD_BYTES / size_of::<T>();
                    (On::Cpu(cpu, Duration::ZERO), grain)
                }
            })
        });
        Ok(Self::by(op, Way::Team(Box::new(Shares::of(team, make, options.elements_hint)?)), options))
    }

    fn by(op: O, engine: Way, options: &StreamOptions) -> Self {
        let fold = op.fold();
        let StreamOptions { memory_bytes, first, .. } = *options;
        let acc = fold.identity();
        Stream {
            op,
            engine,
            fold,
            acc,
            begun: None,
            count: 0,
            gathered: Vec::new(),
            first,
            memory_bytes,
            failure: Failure::default(),
            called: None,
        }
    }

    /// Noted in a team's record under this name.
    pub(super) fn called(self, called: Noted) -> Self {
        Stream { called: Some(called), ..self }
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
    /// Those of the device. The stream is of no use afterwards: whatever is called next gives the same error.
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) of small parts may come 20 µs late.
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        self.failure.check()?;
        let taken = self.take(elements);
        self.failure.keep(taken)
    }

    fn take(&mut self, elements: &[T]) -> Result<()> {
        self.look()?;
        let most = GATHERED_BYTES / size_of::<T>();
        if elements.len() > most - self.gathered.len() {
            self.give_gathered()?;
        }
        if elements.len() <= most / 4 {
            self.gathered.extend_from_slice(elements);
        } else {
            self.give_gathered()?;
            self.give(ToFold::Here(elements))?;
        }
        self.counted(elements.len() as u64);
        Ok(())
    }

    /// Takes the elements of a range of what the engine reads itself, on as many threads as it has, without a copy in memory: the fastest way
    /// from a file to an answer. The answer has the same bits as that of parts of [`Stream::part_elements`], but for what rounds in accumulators of more
    /// than 256 words (a [`FastSum`](crate::ops::FastSum) beside a thousand bins).
    ///
    /// # Errors
    /// [`Error::Unreadable`](crate::Error::Unreadable), and those of [`Stream::push`]; likewise the stream is of no use afterwards.
    pub fn push_from(&mut self, from: &dyn ReadAt<T>, range: Range<u64>) -> Result<()> {
        self.failure.check()?;
        let taken = self.take_from(from, range);
        self.failure.keep(taken)
    }

    fn take_from(&mut self, from: &dyn ReadAt<T>, range: Range<u64>) -> Result<()> {
        self.look()?;
        self.give_gathered()?;
        let round = self.round();
        let mut begin = range.start;
        while begin < range.end {
            let elements = (range.end - begin).min(round as u64);
            self.give(ToFold::There(from, begin, elements as usize))?;
            self.counted(elements);
            begin += elements;
        }
        Ok(())
    }

    /// Elements that the engine reads before what it has folded is merged: as many as a 32-bit machine counts.
    fn round(&self) -> usize {
        let part = cpu_part::<T>();
        match &self.engine {
            Way::Alone(On::Gpu(ring)) => ring.slot_elements() * ROUND_PARTS,
            Way::Alone(On::Cpu(..)) => part * ROUND_PARTS,
            Way::Team(_) => part * (TEAM_ELEMENTS / part).max(1),
        }
    }

    /// An error where the device is lost.
    fn look(&mut self) -> Result<()> {
        if let Way::Alone(On::Gpu(ring)) = &mut self.engine { ring.look() } else { Ok(()) }
    }

    /// Counts elements that are taken.
    fn counted(&mut self, elements: u64) {
        self.count += elements;
        if let Some(called) = &self.called {
            called.note(elements);
        }
    }

    /// Gives the engine what small parts have left.
    fn give_gathered(&mut self) -> Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let mut gathered = std::mem::take(&mut self.gathered);
        self.count -= gathered.len() as u64;
        self.give(ToFold::Here(&gathered))?;
        self.count += gathered.len() as u64;
        gathered.clear();
        self.gathered = gathered;
        Ok(())
    }

    /// Gives the engine elements behind those that are counted.
    fn give(&mut self, elements: ToFold<'_, T>) -> Result<()> {
        let at = self.first.unwrap_or(0).wrapping_add(self.count);
        match &mut self.engine {
            Way::Alone(On::Cpu(cpu, time)) => {
                let start = Instant::now();
                let accs = cpu.accumulate_blocks(&self.fold, &elements, at, self.memory_bytes)?;
                for block in accs {
                    let (blocks, part) = self.begun.take().unwrap_or_else(|| (0, self.fold.identity()));
                    let part = self.fold.combine(part, block);
                    if blocks + 1 < cpu_part::<T>() / BLOCK {
                        self.begun = Some((blocks + 1, part));
                    } else {
                        self.fold.merge(&mut self.acc, part);
                    }
                }
                *time += start.elapsed();
            }
            Way::Alone(On::Gpu(ring)) => {
                let mut parts = Vec::new();
                ring.push(&elements, at, &mut parts)?;
                self.merge_all(&parts);
            }
            Way::Team(shares) => {
                if let Some(part) = shared(shares, &self.fold, &elements, at, self.memory_bytes)? {
                    self.merge(part);
                }
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
            Way::Alone(On::Cpu(..)) | Way::Team(_) => cpu_part::<T>(),
            Way::Alone(On::Gpu(ring)) => ring.slot_elements(),
        }
    }

    /// Number of elements to push at a time where they have to be made or copied first: a part, or, where the CPU engine takes them, less, so that it
    /// is the same memory again and again. The answer has the same bits.
    pub fn piece_elements(&self) -> usize {
        let by_cpu = match &self.engine {
            Way::Alone(on) => matches!(on, On::Cpu(..)),
            Way::Team(shares) => shares.members().all(|on| matches!(on, On::Cpu(..))),
        };
        // Each push of wide accumulators has new ones.
        if by_cpu && self.fold.acc_words() <= WIDE_WORDS {
            in_blocks::<T>(CPU_PIECE_BYTES)
        } else {
            self.part_elements()
        }
    }

    /// The work of this stream, in lines for people: passes, workgroups, bindings, bytes.
    pub fn explain(&self) -> Vec<String> {
        match &self.engine {
            Way::Alone(on) => on.explain(),
            Way::Team(shares) => {
                let members = shares.members().flat_map(On::explain);
                let alone = shares.may_grow().then(|| "GPUs join where there is much to do".to_string());
                members.chain(alone).collect()
            }
        }
    }

    /// Waits for what is under way and gives the answer.
    ///
    /// # Errors
    /// Those of the device, or of [`Op::finish`]; the first one of [`Stream::push`].
    pub fn finish(self) -> Result<Finished<O::Output>> {
        self.ended(|op, acc, span| op.finish(op.fold().canonical(acc), span.count))
    }

    /// Waits for what is under way and gives the accumulator, to be merged and finished elsewhere. What it holds of places
    /// counts from this stream's first element.
    ///
    /// # Errors
    /// Those of the device; the first one of [`Stream::push`].
    pub fn partial(self) -> Result<Finished<Partial<T, O>>> {
        self.ended(|op, acc, span| Ok(Partial::of(op, acc, span)))
    }

    /// Waits for what is under way; `make` is given the accumulator.
    fn ended<R>(mut self, make: impl FnOnce(O, Acc<T, O>, Span) -> Result<R>) -> Result<Finished<R>> {
        self.failure.check()?;
        self.give_gathered()?;
        let mut parts = Vec::new();
        if let Way::Alone(On::Gpu(ring)) = &mut self.engine {
            ring.drain(&mut parts)?;
        }
        let (copy_time, upload_time, kernel_time) = match &self.engine {
            Way::Alone(on) => on.times(),
            // They overlap, and so tell nothing together but what is one's own.
            Way::Team(shares) => {
                let mut all = shares.members();
                match (all.next(), all.next()) {
                    (Some(only), None) => only.times(),
                    _ => (Duration::ZERO, None, None),
                }
            }
        };
        self.merge_all(&parts);
        if let Some((_, part)) = self.begun.take() {
            self.merge(part);
        }
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

impl On {
    fn explain(&self) -> Vec<String> {
        match self {
            On::Cpu(cpu, _) => vec![format!("CPU engine: {} threads", cpu.threads())],
            On::Gpu(ring) => ring.explain(),
        }
    }

    /// Copying into staging memory, copies to the device, kernels.
    fn times(&self) -> (Duration, Option<Duration>, Option<Duration>) {
        match self {
            On::Cpu(_, time) => (Duration::ZERO, None, Some(*time)),
            On::Gpu(ring) => (ring.copy_time, ring.clock.upload(), ring.clock.kernel()),
        }
    }
}

/// What the members of a team fold elements to, of which the first has this place; threads that read have so much memory.
fn shared<T: Element, F: Fold<T>>(
    shares: &mut Shares<On>,
    fold: &F,
    elements: &ToFold<'_, T>,
    at: u64,
    memory_bytes: u64,
) -> Result<Option<F::Acc>> {
    let all = Mutex::new(Ok(None));
    // The order is free. What cannot be read is nobody's failure, and nobody else can read it.
    let keep = |part: Result<F::Acc>| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        *all = match (std::mem::replace(&mut *all, Ok(None)), part) {
            (Ok(all), Ok(part)) => Ok(Some(joined(fold, all, part))),
            (Err(before), Err(error)) => Err(earlier(before, error)),
            (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
        };
    };
    let failed = || all.lock().unwrap_or_else(PoisonError::into_inner).is_err();
    let by_cpu = |cpu: &Cpu, next: &(dyn Fn() -> Option<Range<usize>> + Sync)| {
        if !failed() {
            keep(cpu.accumulate_ranges(fold, elements, at, memory_bytes, next));
        }
    };
    let (cores, most_copiers) = (shares.cpu().threads(), copiers());
    let rest = shares.divide(elements.len(), &|on, queue| {
        match on {
            On::Cpu(cpu, time) => {
                let (start, cpu) = (Instant::now(), Cpu::with_threads(queue.crowd.threads(cpu.threads())));
                let turn = turn_elements(elements.len(), cpu.threads());
                queue.with_threads(cpu.threads_over(elements, memory_bytes));
                let taking = Mutex::new(&mut *queue);
                by_cpu(&cpu, &|| taking.lock().unwrap_or_else(PoisonError::into_inner).turn(turn));
                *time += start.elapsed();
                queue.settle();
            }
            On::Gpu(ring) => {
                let (mut parts, mut own) = (Vec::new(), None);
                let take = |parts: &mut Vec<Vec<u32>>, own: Option<F::Acc>| {
                    parts.drain(..).fold(own, |own, words| Some(joined(fold, own, fold.read_acc(&words))))
                };
                ring.copiers = queue.crowd.copiers(cores).min(most_copiers);
                while !failed() {
                    let Some(range) = queue.next() else { break };
                    let start = at.wrapping_add(range.start as u64);
                    match ring.push(&elements.part(range), start, &mut parts) {
                        Err(error @ Error::Unreadable { .. }) => keep(Err(error)),
                        pushed => pushed?,
                    }
                    own = take(&mut parts, own);
                }
                ring.drain(&mut parts)?;
                // What a device has begun counts when all of it is there.
                take(&mut parts, own).into_iter().map(Ok).for_each(keep);
                queue.settle();
            }
        }
        Ok(())
    });
    if rest.is_empty() {
        return all.into_inner().unwrap_or_else(PoisonError::into_inner);
    }
    let rest = Mutex::new(rest);
    by_cpu(shares.cpu(), &|| {
        let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
        let range = rest.pop()?;
        let end = range.end.min(range.start + TURN);
        rest.extend(Some(end..range.end).filter(|range| !range.is_empty()));
        Some(range.start..end)
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Elements that a thread of the CPU engine takes at a time.
const TURN: usize = 4 * BLOCK;

/// The same, of so many in all.
fn turn_elements(many: usize, threads: usize) -> usize {
    (many / (8 * threads) / BLOCK * BLOCK).clamp(BLOCK, TURN)
}

fn joined<T: Element, F: Fold<T>>(fold: &F, all: Option<F::Acc>, part: F::Acc) -> F::Acc {
    match all {
        Some(all) => fold.combine(all, part),
        None => part,
    }
}
