//! Groups by the key of each element, unsorted: with how many elements each has, by every engine.

use super::cpu::{BLOCK, Cpu, TOGETHER, accumulate_all, on_threads};
use super::crew::copiers;
use super::engine::Engine;
use super::failure::Failure;
use super::finish::finished;
use super::reduce::Counted;
use super::reducer::Reducer;
use super::segments::shares_many;
use super::shares::{Make, Shares};
use super::stream::StreamOptions;
use super::stream_each::{SHARED_ANSWERS, has_positions};
use super::team::Noted;
use crate::device::{Gpu, may_block};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Input, room};
use crate::op::{Acc, Fold, Op, Partials, Span};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The answers of groups, and how many elements they stand on.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped<A> {
    /// The answer of each group, by its key.
    pub answers: Vec<A>,
    /// Elements of each.
    pub counts: Vec<u64>,
    /// Elements whose key is no group's.
    pub outside: u64,
}

impl<A> Grouped<A> {
    /// Of accumulators with their numbers, of so many elements in all.
    fn of<T: Element, O: Op<T, Output = A>>(
        op: &O,
        accs: Vec<(Acc<T, O>, u64)>,
        elements: u64,
        threads: usize,
    ) -> Result<Self>
    where
        A: Send,
    {
        let counts: Vec<u64> = accs.iter().map(|&(_, count)| count).collect();
        let outside = elements - counts.iter().sum::<u64>().min(elements);
        let answers = finished(accs, threads, |_, (acc, count)| op.finish(acc, count))?;
        Ok(Grouped { answers, counts, outside })
    }
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// The answer of each group below `groups`, and how many elements it has; see [`Input::groups`].
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`].
    pub fn reduce_groups<'i>(
        &self,
        values: impl Into<Input<'i, T>>,
        keys: impl Into<Input<'i, u32>>,
        groups: u64,
    ) -> Result<Grouped<O::Output>> {
        may_block("Reducer::reduce_groups", "Reducer::reduce_each_async")?;
        let values = values.into();
        let elements = values.elements();
        let accs = self.accumulate_each(&values.groups(keys, groups), 0)?;
        Grouped::of::<T, O>(self.op(), accs, elements, copiers())
    }
}

impl Cpu {
    /// The answer of each group below `groups`, and how many elements it has: element i belongs to the group that key i says.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Mean};
    /// let stations = [0u32, 2, 0, 9, 2];
    /// let found = Cpu::new().reduce_groups(Mean, &stations, &[10.0f32, 1.0, 20.0, 7.0, 2.0], 3)?;
    /// assert_eq!(found.answers, [Some(15.0), None, Some(1.5)]);
    /// assert_eq!((&found.counts[..], found.outside), (&[2, 0, 2][..], 1)); // nobody's: key 9
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unequal`] where there are not as many keys as elements; [`Error::OrderOfGroups`];
    /// [`Error::TooManyAnswers`]; what [`Op::finish`] says.
    pub fn reduce_groups<T: Element, O: Op<T>>(
        &self,
        op: O,
        keys: &[u32],
        elements: &[T],
        groups: u64,
    ) -> Result<Grouped<O::Output>> {
        let accs = self.accumulate_groups(&op.fold(), keys, elements, groups, 0)?;
        Grouped::of::<T, O>(&op, accs, elements.len() as u64, self.threads())
    }

    /// The accumulators of groups, to be merged with those of other elements and finished elsewhere.
    ///
    /// ```
    /// use treefold::{Cpu, ops::{ArgMax, Found}};
    /// let cpu = Cpu::new();
    /// let front = cpu.partials_groups(ArgMax, &[0u32, 1, 0], &[3i32, 8, 5], 2)?;
    /// let both = front.merge(cpu.partials_groups(ArgMax, &[1u32, 9], &[9i32, 7], 2)?)?; // on another machine, say
    /// let found = |value, index| Some(Found { value, index });
    /// assert_eq!(both.finish()?, [found(5, 2), found(9, 3)]);
    /// assert_eq!((both.counts(), both.length()), (Some(&[2, 2][..]), 5)); // nobody's: key 9
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Cpu::reduce_groups`] but for [`Op::finish`]'s.
    pub fn partials_groups<T: Element, O: Op<T>>(
        &self,
        op: O,
        keys: &[u32],
        elements: &[T],
        groups: u64,
    ) -> Result<Partials<T, O>> {
        let accs = self.accumulate_groups(&op.fold(), keys, elements, groups, 0)?;
        Ok(Partials::of_groups(op, accs, Span { count: elements.len() as u64, first: None }))
    }

    /// The accumulator of each group and how many elements it has; the first element has this position.
    fn accumulate_groups<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        keys: &[u32],
        elements: &[T],
        groups: u64,
        position: u64,
    ) -> Result<Vec<(F::Acc, u64)>> {
        let (left, right) = (keys.len() as u64, elements.len() as u64);
        if left != right {
            return Err(Error::Unequal { left, right });
        }
        if !fold.is_commutative() {
            return Err(Error::OrderOfGroups);
        }
        let nothing = || -> Result<Vec<(F::Acc, u64)>> {
            let mut accs = room(groups)?;
            accs.resize(groups as usize, (fold.identity(), 0));
            Ok(accs)
        };
        let mut all = nothing()?;
        // Parts that are long beside their accumulators.
        let least = (SORTED as u64).max(4 * groups);
        let parts = (right / least).clamp(1, self.threads() as u64) as usize;
        let each = elements.len().div_ceil(parts).max(1);
        let found: Vec<_> = (0..parts).map(|_| Mutex::new(nothing())).collect();
        on_threads(parts, &|part| {
            let cut = part * each..((part + 1) * each).min(elements.len());
            let mut accs = found[part].lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(accs) = &mut *accs {
                let start = position.wrapping_add(cut.start as u64);
                grouped(fold, &keys[cut.clone()], &elements[cut], start, accs);
            }
        });
        for part in found {
            let part = part.into_inner().unwrap_or_else(PoisonError::into_inner)?;
            for (place, (acc, count)) in all.iter_mut().zip(part) {
                fold.merge(&mut place.0, acc);
                place.1 += count;
            }
        }
        Ok(all)
    }
}

/// Elements that are sorted by key at a time, at least, and at most where there are many groups; and how many a group is to have of
/// them.
const SORTED: usize = 1 << 16;
const SORTED_MAX: usize = 1 << 22;
const EACH: usize = 8;

/// Adds elements to the accumulators of their groups, on one thread.
fn grouped<T: Element, F: Fold<T>>(fold: &F, keys: &[u32], elements: &[T], start: u64, accs: &mut [(F::Acc, u64)]) {
    let together = EACH.saturating_mul(accs.len()).clamp(SORTED, SORTED_MAX);
    // Places cannot be told from elements that were sorted; and few of a group are not worth it.
    if has_positions::<T, _>(fold) || accs.len() > SORTED_MAX / EACH {
        for ((&key, &x), index) in keys.iter().zip(elements).zip(0u64..) {
            if let Some((acc, count)) = accs.get_mut(key as usize) {
                fold.add(acc, x, start.wrapping_add(index));
                *count += 1;
            }
        }
        return;
    }
    let mut ends = vec![0usize; accs.len() + 1];
    let mut sorted = vec![T::ZERO; together.min(elements.len())];
    let mut found = Vec::new();
    for (keys, elements) in keys.chunks(together).zip(elements.chunks(together)) {
        // A counting sort: where each group begins, which becomes where it ends.
        ends.fill(0);
        for &key in keys {
            if let Some(count) = (key as usize).checked_add(1).and_then(|at| ends.get_mut(at)) {
                *count += 1;
            }
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        for (&key, &x) in keys.iter().zip(elements) {
            if let Some(at) = ends.get_mut(key as usize).filter(|_| (key as usize) < accs.len()) {
                sorted[*at] = x;
                *at += 1;
            }
        }
        // Each group begins where the one before it ends.
        let begins = || [0].iter().chain(&ends);
        let slices = begins().zip(&ends).take(accs.len()).map(|(&begin, &end)| &sorted[begin..end]);
        let mut there = accs.iter_mut().zip(slices).filter(|(_, slice)| !slice.is_empty());
        loop {
            let some: Vec<_> = there.by_ref().take(TOGETHER).collect();
            if some.is_empty() {
                break;
            }
            accumulate_all(fold, some.iter().map(|&(_, slice)| (slice, 0)), &mut found);
            for (((acc, count), slice), more) in some.into_iter().zip(found.drain(..)) {
                fold.merge(acc, more);
                *count += slice.len() as u64;
            }
        }
    }
}

/// A reduction by groups whose elements and keys come in parts; see [`Engine::stream_groups`].
pub struct StreamGroups<T: Element, O: Op<T>> {
    way: GroupsWay<T, O>,
    op: O,
    accs: Vec<(Acc<T, O>, u64)>,
    taken: u64,
    failure: Failure,
}

/// One engine, or several.
enum GroupsWay<T: Element, O: Op<T>> {
    Alone(GroupsOn<T, O>, Option<Noted>),
    Team(Shares<GroupsOn<T, O>>),
}

enum GroupsOn<T: Element, O: Op<T>> {
    Cpu(Cpu),
    /// With room for elements and for keys.
    Gpu {
        gpu: Gpu,
        reducer: Box<Reducer<T, O>>,
        buffers: [wgpu::Buffer; 2],
    },
}

/// Elements of a part on a device, at most.
const PART_ELEMENTS: u64 = 8 << 20;

impl<T: Element, O: Op<T>> std::fmt::Debug for StreamGroups<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamGroups")
            .field("groups", &self.accs.len())
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Begins the reduction of groups below `groups`. Of the options the memory counts, of which a device gets a quarter.
    ///
    /// ```
    /// use treefold::{Engine, StreamOptions, ops::Max};
    /// let mut stream = Engine::named("cpu")?.stream_groups(Max, 2, &StreamOptions::default())?;
    /// stream.push(&[0, 1, 1], &[5i32, 6, 7])?;
    /// stream.push(&[0, 7], &[8, 9])?;
    /// assert_eq!(stream.finish()?.answers, [Some(8), Some(7)]);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OrderOfGroups`]; [`Error::TooManyAnswers`]; what the device says.
    pub fn stream_groups<T: Element, O: Op<T>>(
        &self,
        op: O,
        groups: u64,
        options: &StreamOptions,
    ) -> Result<StreamGroups<T, O>> {
        if !op.fold().is_commutative() {
            return Err(Error::OrderOfGroups);
        }
        let mut accs = room(groups)?;
        accs.resize(groups as usize, (op.fold().identity(), 0));
        let way = match self {
            Engine::Team(team)
                if team.shares::<T, O>(&op, options.elements_hint)
                    && groups <= SHARED_ANSWERS
                    && shares_many::<T, O>(&op) =>
            {
                let (op, options, hint) = (op.clone(), options.clone(), options.elements_hint);
                let make: Make<GroupsOn<T, O>> = Arc::new(move |engine, devices| {
                    let memory_bytes = options.memory_bytes / devices;
                    GroupsOn::of(engine, &op, &StreamOptions { memory_bytes, ..options.clone() })
                });
                GroupsWay::Team(Shares::of(team, make, hint)?)
            }
            Engine::Team(team) => {
                let (engine, called) = team.alone::<T, O>(&op, options.elements_hint);
                GroupsWay::Alone(GroupsOn::of(&engine, &op, options)?.0, Some(called))
            }
            alone => GroupsWay::Alone(GroupsOn::of(alone, &op, options)?.0, None),
        };
        Ok(StreamGroups { way, op, accs, taken: 0, failure: Failure::default() })
    }
}

impl<T: Element, O: Op<T>> GroupsOn<T, O> {
    /// On an engine that is one; and how many elements are worth handing to it.
    fn of(engine: &Engine, op: &O, options: &StreamOptions) -> Result<(Self, usize)> {
        let Engine::Gpu(gpu) = engine else { return Ok((GroupsOn::Cpu(engine.cpu()), GRAIN)) };
        let reducer = Box::new(gpu.reducer::<T, O>(op.clone())?);
        let bytes = T::DTYPE.bytes();
        let most = (options.memory_bytes.max(1 << 20) / 4).min(gpu.device().limits().max_buffer_size);
        let elements = PART_ELEMENTS.min(most / (bytes + 4)).max(BLOCK as u64) / 4 * 4;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = |what, bytes| gpu.context().buffer(what, bytes * elements, usage);
        let buffers = [buffer("parts", bytes)?, buffer("keys of parts", 4)?];
        Ok((GroupsOn::Gpu { gpu: gpu.clone(), reducer, buffers }, GRAIN.min(elements as usize)))
    }

    /// Folds elements by their keys, the first at this position; `put` gets what each of so many groups gains, part by part.
    fn fold(
        &self,
        fold: &O::Fold,
        (keys, elements): (&[u32], &[T]),
        groups: u64,
        position: u64,
        put: &mut dyn FnMut(Counted<T, O>),
    ) -> Result<()> {
        let most = match self {
            GroupsOn::Cpu(_) => usize::MAX,
            GroupsOn::Gpu { buffers, .. } => (buffers[1].size() / 4) as usize,
        };
        let mut position = position;
        for (keys, elements) in keys.chunks(most).zip(elements.chunks(most)) {
            put(match self {
                GroupsOn::Cpu(cpu) => cpu.accumulate_groups(fold, keys, elements, groups, position)?,
                GroupsOn::Gpu { gpu, reducer, buffers: [parts, of_keys] } => {
                    gpu.write(parts, bytemuck::cast_slice(elements));
                    gpu.write(of_keys, bytemuck::cast_slice(keys));
                    let n = elements.len() as u64;
                    let each = Input::<T>::range(parts, 0..n).groups(Input::range(of_keys, 0..n), groups);
                    reducer.accumulate_each(&each, position)?
                }
            });
            position += elements.len() as u64;
        }
        Ok(())
    }
}

/// Elements that are worth handing to a member of a team.
const GRAIN: usize = 4 << 20;

impl<T: Element, O: Op<T>> StreamGroups<T, O> {
    /// Takes the next elements, and the key of each.
    ///
    /// # Errors
    /// [`Error::Unequal`], and none is taken; what the device says: then the stream is of no use afterwards, and whatever is called next gives
    /// the same error.
    pub fn push(&mut self, keys: &[u32], elements: &[T]) -> Result<()> {
        self.failure.check()?;
        let (left, right) = (keys.len() as u64, elements.len() as u64);
        if left != right {
            return Err(Error::Unequal { left, right });
        }
        let taken = self.take(keys, elements);
        self.failure.keep(taken)
    }

    fn take(&mut self, keys: &[u32], elements: &[T]) -> Result<()> {
        let StreamGroups { way, op, accs, taken, .. } = self;
        let (fold, groups, begin) = (op.fold(), accs.len() as u64, *taken);
        let all = Mutex::new(accs);
        let add = |all: &mut [(Acc<T, O>, u64)], found: Counted<T, O>| {
            for (place, (acc, count)) in all.iter_mut().zip(found) {
                fold.merge(&mut place.0, acc);
                place.1 += count;
            }
        };
        let keep = |found: Counted<T, O>| add(&mut all.lock().unwrap_or_else(PoisonError::into_inner), found);
        // Of a range that fails nothing is kept.
        let whole = |on: &GroupsOn<T, O>, range: Range<usize>| {
            let (mut found, position) = (Counted::<T, O>::new(), begin + range.start as u64);
            on.fold(&fold, (&keys[range.clone()], &elements[range]), groups, position, &mut |more| {
                if found.is_empty() { found = more } else { add(&mut found, more) }
            })?;
            keep(found);
            Ok(())
        };
        match way {
            GroupsWay::Alone(on, called) => {
                on.fold(&fold, (keys, elements), groups, begin, &mut |more| keep(more))?;
                called.iter().for_each(|called| called.note(elements.len() as u64));
            }
            GroupsWay::Team(shares) => {
                let rest = shares.divide(elements.len(), &|on, queue| {
                    while let Some(range) = queue.next() {
                        whole(on, range)?;
                        queue.settle();
                    }
                    Ok(())
                });
                let cpu = GroupsOn::Cpu(shares.cpu().clone());
                rest.into_iter().try_for_each(|range| whole(&cpu, range))?;
            }
        }
        *taken += elements.len() as u64;
        Ok(())
    }

    /// The answers, by key.
    ///
    /// # Errors
    /// Those of [`Op::finish`]; the first one of [`StreamGroups::push`].
    pub fn finish(self) -> Result<Grouped<O::Output>> {
        self.failure.check()?;
        let threads = match &self.way {
            GroupsWay::Alone(GroupsOn::Cpu(cpu), _) => cpu.threads(),
            GroupsWay::Alone(..) | GroupsWay::Team(_) => copiers(),
        };
        Grouped::of::<T, O>(&self.op, self.accs, self.taken, threads)
    }

    /// The accumulators, to be merged with those of other elements and finished elsewhere.
    ///
    /// # Errors
    /// The first one of [`StreamGroups::push`].
    pub fn partials(self) -> Result<Partials<T, O>> {
        self.failure.check()?;
        Ok(Partials::of_groups(self.op, self.accs, Span { count: self.taken, first: None }))
    }
}
