//! Many answers over elements that come in parts: axes of an array larger than memory.

use super::cpu::Cpu;
use super::crew::copiers;
use super::engine::Engine;
use super::failure::Failure;
use super::finish::finished;
use super::rank::Contest;
use super::reducer::Reducer;
use super::segments::shares_many;
use super::shares::{Make, Shares};
use super::stream::StreamOptions;
use super::team::Noted;
use crate::device::Gpu;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Axes, Dim, Input, Offsets, Strided, offset, room};
use crate::op::{Acc, Fold, Keep, Leaf, Op, Partials, Span};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of elements that a device gets at a time.
const PART_BYTES: u64 = 64 << 20;

/// The answers over axes of an array whose elements come in parts of any size, one behind another: each is read once, and what is
/// held is the accumulators.
///
/// ```
/// use treefold::{Axes, Engine, StreamOptions, ops::Max};
/// let columns = Axes::of(&[4, 3], &[0])?;
/// let mut stream = Engine::named("cpu")?.stream_each(Max, &columns, &StreamOptions::default())?;
/// stream.push(&[1u32, 9, 2, 4, 5])?; // rows may end anywhere
/// stream.push(&[6, 7, 8, 3, 0, 1, 2])?;
/// assert_eq!(stream.finish()?, [Some(7), Some(9), Some(6)]);
/// # Ok::<(), treefold::Error>(())
/// ```
pub struct StreamEach<T: Element, O: Op<T>> {
    way: EachWay<T, O>,
    op: O,
    division: StreamDivision,
    accs: Vec<Acc<T, O>>,
    /// Elements in all, where that is known.
    elements: Option<u64>,
    taken: u64,
    failure: Failure,
}

/// The division of elements among the answers.
#[derive(Debug)]
enum StreamDivision {
    /// All dimensions as they lie, the outermost first; the shape of the answers, and the elements of each.
    Axes { dims: Vec<Along>, shape: Vec<u64>, length: u64 },
    /// Segments by offsets.
    Segments(Vec<u64>),
}

impl<T: Element, O: Op<T>> std::fmt::Debug for StreamEach<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamEach")
            .field("division", &self.division)
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

/// One engine, or several.
enum EachWay<T: Element, O: Op<T>> {
    Alone(EachOn<T, O>, Option<Noted>),
    Team(Shares<EachOn<T, O>>),
}

/// The engine on which parts are folded.
enum EachOn<T: Element, O: Op<T>> {
    Cpu(Cpu),
    Gpu { gpu: Gpu, work: EachWork<T, O>, buffer: wgpu::Buffer },
}

/// The work of a device.
enum EachWork<T: Element, O: Op<T>> {
    /// Folds elements to accumulators.
    Fold(Box<Reducer<T, O>>),
    /// Finds the best of them.
    Rank(Box<Contest>),
}

/// A dimension: its length, and how far an index along it goes in the elements, among the answers, and in what is reduced.
#[derive(Clone, Copy, Debug)]
struct Along {
    length: u64,
    place: u64,
    answer: u64,
    position: u64,
    kept: bool,
}

impl Engine {
    /// Begins the reduction of axes of a dense array whose elements come in parts, in the order in which they lie: for
    /// [`Axes::of`] in C order, for Fortran's strides in Fortran order. Operators whose order shows, or places, want C order. Of the
    /// options the memory counts, of which a device gets a quarter; accumulators come on top.
    ///
    /// # Errors
    /// [`Error::SparseView`] where the view is no dense array; [`Error::OrderShows`]; [`Error::TooManyAnswers`]; what the device says.
    pub fn stream_each<T: Element, O: Op<T>>(
        &self,
        op: O,
        axes: &Axes,
        options: &StreamOptions,
    ) -> Result<StreamEach<T, O>> {
        let dims = dense(axes)?;
        let fold = op.fold();
        let ordered = !fold.is_commutative() || has_positions::<T, _>(&fold);
        // Positions grow with places.
        let mut reduced = dims.iter().filter(|dim| !dim.kept).map(|dim| dim.position);
        if ordered && !reduced.by_ref().is_sorted_by(|a, b| a >= b) {
            return Err(Error::OrderShows { operator: op.name() });
        }
        let elements = axes.answers() * axes.length();
        let division = StreamDivision::Axes { dims, shape: axes.shape(false), length: axes.length() };
        StreamEach::begin(self, op, division, axes.answers(), Some(elements), options)
    }

    /// Begins the reduction of segments of an array whose elements come in parts, in their order: segment s has elements `offsets[s]` to
    /// `offsets[s + 1]`. Of the options the memory counts, as for [`Engine::stream_each`].
    ///
    /// ```
    /// use treefold::{Engine, StreamOptions, ops::Sum};
    /// let mut stream = Engine::named("cpu")?.stream_segments(Sum, vec![0, 2, 2, 5], &StreamOptions::default())?;
    /// stream.push(&[1u32, 2, 3])?; // segments may be cut anywhere
    /// stream.push(&[4, 5, 6])?; // 6 belongs to none
    /// assert_eq!(stream.finish()?, [3, 0, 12]);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoOffsets`], [`Error::OffsetsFall`]; [`Error::TooManyAnswers`]; what the device says. [`Error::NotBySegments`] comes with the first
    /// elements.
    pub fn stream_segments<T: Element, O: Op<T>>(
        &self,
        op: O,
        offsets: Vec<u64>,
        options: &StreamOptions,
    ) -> Result<StreamEach<T, O>> {
        Offsets::check(&offsets, u64::MAX)?;
        let answers = offsets.len() as u64 - 1;
        StreamEach::begin(self, op, StreamDivision::Segments(offsets), answers, None, options)
    }
}

impl<T: Element, O: Op<T>> StreamEach<T, O> {
    fn begin(
        engine: &Engine,
        op: O,
        division: StreamDivision,
        answers: u64,
        elements: Option<u64>,
        options: &StreamOptions,
    ) -> Result<Self> {
        let mut accs = room(answers)?;
        accs.resize(answers as usize, op.fold().identity());
        let known = elements.or(options.elements_hint).or(match &division {
            StreamDivision::Segments(offsets) => offsets.last().copied(),
            StreamDivision::Axes { .. } => None,
        });
        let way = match engine {
            Engine::Team(team)
                if team.shares::<T, O>(&op, known)
                    && answers <= SHARED_ANSWERS
                    && (matches!(division, StreamDivision::Axes { .. }) || shares_many::<T, O>(&op)) =>
            {
                let (op, options) = (op.clone(), options.clone());
                let make: Make<EachOn<T, O>> = Arc::new(move |engine, devices| {
                    let memory_bytes = options.memory_bytes / devices;
                    EachOn::of(engine, &op, elements, &StreamOptions { memory_bytes, ..options.clone() })
                });
                EachWay::Team(Shares::of(team, make, known)?)
            }
            Engine::Team(team) => {
                let (engine, called) = team.alone::<T, O>(&op, known);
                EachWay::Alone(EachOn::of(&engine, &op, elements, options)?.0, Some(called))
            }
            alone => EachWay::Alone(EachOn::of(alone, &op, elements, options)?.0, None),
        };
        Ok(StreamEach { way, op, division, accs, elements, taken: 0, failure: Failure::default() })
    }

    /// Takes the next elements.
    ///
    /// # Errors
    /// [`Error::PushedTooMany`] where they are more than the array has, and none is taken; [`Error::NotBySegments`]; what the device says: of
    /// these the stream is of no use afterwards, and whatever is called next gives the same error.
    pub fn push(&mut self, elements: &[T]) -> Result<()> {
        let StreamEach { way, op, division, accs, elements: all, taken, failure } = self;
        failure.check()?;
        let end = *taken + elements.len() as u64;
        if let Some(elements) = all.filter(|&elements| end > elements) {
            return Err(Error::PushedTooMany { pushed: end, elements });
        }
        let (fold, begin) = (op.fold(), std::mem::replace(taken, end));
        failure.keep(match way {
            EachWay::Alone(on, called) => on
                .fold(&fold, division, elements, begin, &mut |at, acc| fold.merge(&mut accs[at], acc))
                .inspect(|()| called.iter().for_each(|called| called.note(elements.len() as u64))),
            EachWay::Team(shares) => shared(shares, &fold, division, elements, begin, accs),
        })
    }

    /// The answers, in C order, or in that of the segments.
    ///
    /// # Errors
    /// [`Error::ViewOutside`], [`Error::OffsetsOutside`] where elements are missing; what [`Op::finish`] says; the first one of
    /// [`StreamEach::push`].
    pub fn finish(self) -> Result<Vec<O::Output>> {
        self.whole()?;
        let StreamEach { op, division, accs, taken, way, .. } = self;
        let threads = match &way {
            EachWay::Alone(EachOn::Cpu(cpu), _) => cpu.threads(),
            EachWay::Alone(..) | EachWay::Team(_) => copiers(),
        };
        match division {
            StreamDivision::Axes { length, .. } => finished(accs, threads, |_, acc| op.finish(acc, length)),
            StreamDivision::Segments(offsets) => {
                Offsets::check(&offsets, taken)?;
                finished(accs, threads, |segment, acc| op.finish(acc, offsets[segment + 1] - offsets[segment]))
            }
        }
    }

    /// The accumulators, to be merged with those of other arrays and finished elsewhere.
    ///
    /// # Errors
    /// [`Error::ViewOutside`] where elements are missing; the first one of [`StreamEach::push`].
    pub fn partials(self) -> Result<Partials<T, O>> {
        self.whole()?;
        match self.division {
            StreamDivision::Axes { length, shape, .. } => {
                Ok(Partials::of(self.op, self.accs, shape, Span { count: length, first: None }))
            }
            StreamDivision::Segments(_) => Err(Error::NoPartialsOfSegments),
        }
    }

    fn whole(&self) -> Result<()> {
        self.failure.check()?;
        match self.elements.filter(|&elements| self.taken < elements) {
            Some(elements) => {
                let (low, high) = (0, i128::from(elements) - 1);
                Err(Error::ViewOutside { low, high, elements: self.taken })
            }
            None => Ok(()),
        }
    }
}

/// Folds elements on all members of a team; the first of them has this place.
fn shared<T: Element, O: Op<T>>(
    shares: &mut Shares<EachOn<T, O>>,
    fold: &O::Fold,
    division: &StreamDivision,
    elements: &[T],
    begin: u64,
    accs: &mut [Acc<T, O>],
) -> Result<()> {
    let all = Mutex::new(accs);
    // Of a range that fails nothing is kept.
    let whole = |on: &EachOn<T, O>, range: Range<usize>| {
        let mut found = Vec::new();
        let at = begin + range.start as u64;
        on.fold(fold, division, &elements[range], at, &mut |at, acc| found.push((at, acc)))?;
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().for_each(|(at, acc)| fold.merge(&mut all[at], acc));
        Ok(())
    };
    let rest = shares.divide(elements.len(), &|on, queue| {
        while let Some(range) = queue.next() {
            whole(on, range)?;
            queue.settle();
        }
        Ok(())
    });
    let cpu = EachOn::Cpu(shares.cpu().clone());
    rest.into_iter().try_for_each(|range| whole(&cpu, range))
}

/// Answers of which each member of a team may hold some of its own.
pub(super) const SHARED_ANSWERS: u64 = 1 << 18;
/// Elements that are worth handing to a member of a team.
const GRAIN: usize = 4 << 20;

impl<T: Element, O: Op<T>> EachOn<T, O> {
    /// On an engine that is one; and how many elements are worth handing to it.
    fn of(engine: &Engine, op: &O, elements: Option<u64>, options: &StreamOptions) -> Result<(Self, usize)> {
        let Engine::Gpu(gpu) = engine else { return Ok((EachOn::Cpu(engine.cpu()), GRAIN)) };
        let work = match op.fold().ranks() {
            Some(ranks) => EachWork::Rank(Box::new(Contest::on(gpu.context().clone(), T::DTYPE, ranks)?)),
            None => EachWork::Fold(Box::new(gpu.reducer::<T, O>(op.clone())?)),
        };
        let limits = gpu.device().limits();
        let most = PART_BYTES.min(options.memory_bytes.max(1 << 20) / 4).min(limits.max_buffer_size);
        let all = elements.map_or(most, |elements| elements.saturating_mul(T::DTYPE.bytes()));
        let size = all.clamp(16, most.max(16)) / 16 * 16;
        let buffer = gpu.context().guarded("the buffer of a stream", size, || {
            gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("treefold: parts"),
                size,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })?;
        let grain = (size / T::DTYPE.bytes()) as usize;
        Ok((EachOn::Gpu { gpu: gpu.clone(), work, buffer }, grain.min(GRAIN)))
    }

    /// Folds elements, of which the first has this place; `put` gets what each answer gains.
    fn fold(
        &self,
        fold: &O::Fold,
        division: &StreamDivision,
        elements: &[T],
        begin: u64,
        put: &mut dyn FnMut(usize, Acc<T, O>),
    ) -> Result<()> {
        let most = match self {
            EachOn::Cpu(_) => usize::MAX,
            EachOn::Gpu { buffer, .. } => (buffer.size() / T::DTYPE.bytes()).max(1) as usize,
        };
        for (part, number) in elements.chunks(most).zip(0u64..) {
            self.part(fold, division, part, begin + number.wrapping_mul(most as u64), put)?;
        }
        Ok(())
    }

    fn part(
        &self,
        fold: &O::Fold,
        division: &StreamDivision,
        elements: &[T],
        begin: u64,
        put: &mut dyn FnMut(usize, Acc<T, O>),
    ) -> Result<()> {
        if let EachOn::Gpu { gpu, buffer, .. } = self {
            gpu.write(buffer, bytemuck::cast_slice(elements));
        }
        let mut all = Vec::new();
        match division {
            StreamDivision::Axes { dims, .. } => {
                cut(dims, begin..begin + elements.len() as u64, PartView::default(), &mut all);
            }
            StreamDivision::Segments(offsets) => {
                let (first, accs) = self.segments(fold, offsets, elements, begin)?;
                (first..).zip(accs).for_each(|(at, acc)| put(at, acc));
            }
        }
        for found in all {
            let strided = found.strided(begin);
            let accs = match self {
                EachOn::Cpu(cpu) => cpu.accumulate_each(fold, elements, &strided, found.position)?,
                EachOn::Gpu { work, buffer, .. } => {
                    let input = Input::<T>::range(buffer, 0..elements.len() as u64);
                    match work {
                        EachWork::Fold(reducer) => {
                            let each = input.strided(strided);
                            reducer.accumulate_each(&each, found.position)?.into_iter().map(|(acc, _)| acc).collect()
                        }
                        EachWork::Rank(contest) => {
                            let mut put = |answer, words: Vec<u32>| put(answer as usize, fold.read_acc(&words));
                            contest.of_box(&input, begin, &found, &mut put)?;
                            continue;
                        }
                    }
                }
            };
            for (answer, acc) in (0u64..).zip(accs) {
                put((found.answer as i64 + offset(&found.answers, answer)) as usize, acc);
            }
        }
        Ok(())
    }

    /// The first segment of which elements lie in a part, and the accumulators of those; the part's first element has this place. The
    /// device has the part already.
    fn segments(&self, fold: &O::Fold, offsets: &[u64], elements: &[T], begin: u64) -> Result<(usize, Vec<Acc<T, O>>)> {
        let end = begin + elements.len() as u64;
        // Those that end behind the part's first element, and begin before its end.
        let first = offsets[1..].partition_point(|&offset| offset <= begin);
        let behind = offsets[..offsets.len() - 1].partition_point(|&offset| offset < end);
        if behind <= first {
            return Ok((behind, Vec::new()));
        }
        let here: Vec<u64> = offsets[first..=behind].iter().map(|offset| offset.clamp(&begin, &end) - begin).collect();
        // Of the first segment so many elements came before.
        let position = begin.saturating_sub(offsets[first]);
        match self {
            EachOn::Cpu(cpu) => Ok((first, cpu.accumulate_segments(fold, elements, &here, position)?)),
            EachOn::Gpu { work: EachWork::Rank(contest), buffer, .. } => {
                let input = Input::<T>::range(buffer, 0..elements.len() as u64);
                let all = contest.of_segments(&input, &here, position)?;
                Ok((first, all.iter().map(|words| fold.read_acc(words)).collect()))
            }
            EachOn::Gpu { work: EachWork::Fold(reducer), buffer, .. } => {
                let mut accs = Vec::new();
                let mut rest = &here[..];
                // Segments count places from their first element, which the first one has elsewhere.
                if let Some((&[from, until], _)) = here.split_first_chunk::<2>().filter(|_| position > 0) {
                    let input = Input::<T>::range(buffer, from..until);
                    accs.extend(reducer.accumulate(&[input], position)?.into_iter().map(|(acc, _)| acc));
                    rest = &here[1..];
                }
                let each = Input::<T>::range(buffer, 0..elements.len() as u64).segments(rest);
                accs.extend(reducer.accumulate_each(&each, 0)?.into_iter().map(|(acc, _)| acc));
                Ok((first, accs))
            }
        }
    }
}

/// Whether places in the input show in what is folded.
pub(super) fn has_positions<T: Element, F: Fold<T>>(fold: &F) -> bool {
    let mut leaves = Vec::new();
    fold.leaves(Keep::Registers, &mut leaves);
    leaves.iter().any(Leaf::has_positions)
}

/// The dimensions of a dense array, in the order in which they lie.
fn dense(axes: &Axes) -> Result<Vec<Along>> {
    let sparse = || Error::SparseView { shape: axes.shape(true) };
    let Strided { first, kept, reduced } = &axes.strided;
    let along = |dims: &[Dim], kept: bool| -> Vec<Along> {
        let mut inner = 1;
        let mut found = Vec::new();
        for dim in dims.iter().rev() {
            let (answer, position) = if kept { (inner, 0) } else { (0, inner) };
            found.push(Along { length: dim.length, place: dim.stride.unsigned_abs(), answer, position, kept });
            inner *= dim.length;
        }
        found
    };
    let mut dims = [along(kept, true), along(reduced, false)].concat();
    if axes.strided.is_empty() {
        return Ok(Vec::new());
    }
    dims.sort_by_key(|dim| std::cmp::Reverse(dim.place));
    let mut next = 1;
    for dim in dims.iter().rev() {
        if dim.place != next {
            return Err(sparse());
        }
        next *= dim.length;
    }
    let forward = kept.iter().chain(reduced).all(|dim| dim.stride > 0);
    if *first == 0 && forward { Ok(dims) } else { Err(sparse()) }
}

/// Indices along the dimensions whose elements lie one behind another.
#[derive(Clone, Debug, Default)]
pub(super) struct PartView {
    /// Place, answer and position of its first element.
    pub place: u64,
    pub answer: u64,
    pub position: u64,
    pub kept: Vec<Dim>,
    pub reduced: Vec<Dim>,
    /// From answer to answer, by the dimensions that are kept.
    pub answers: Vec<Dim>,
    /// From the position of an answer's first element to that of the next, by the same; none: all have that of the first.
    pub positions: Vec<Dim>,
}

impl PartView {
    /// Its view of a part that begins at a place.
    pub fn strided(&self, begin: u64) -> Strided {
        Strided { first: self.place - begin, kept: self.kept.clone(), reduced: self.reduced.clone() }.collapsed()
    }

    /// The same at an index of one dimension more.
    fn at(&self, dim: &Along, index: u64) -> PartView {
        PartView {
            place: self.place + index * dim.place,
            answer: self.answer + index * dim.answer,
            position: self.position + index * dim.position,
            ..self.clone()
        }
    }

    /// So many indices along the outermost of these dimensions, and all along the others.
    fn whole(mut self, dims: &[Along], count: u64) -> PartView {
        for (number, dim) in dims.iter().enumerate() {
            let length = if number == 0 { count } else { dim.length };
            let along = Dim { length, stride: dim.place as i64 };
            if dim.kept {
                self.kept.push(along);
                self.answers.push(Dim { length, stride: dim.answer as i64 });
            } else {
                self.reduced.push(along);
            }
        }
        self
    }
}

/// Cuts places into boxes, in their order: the rest of an index along the outermost dimension, whole ones, the begin of one.
fn cut(dims: &[Along], range: Range<u64>, here: PartView, all: &mut Vec<PartView>) {
    if range.is_empty() {
        return;
    }
    let Some((dim, inner)) = dims.split_first() else { return all.push(here) };
    let (first, last) = (range.start / dim.place, range.end / dim.place);
    let (head, tail) = (range.start % dim.place, range.end % dim.place);
    if first == last {
        return cut(inner, head..tail, here.at(dim, first), all);
    }
    let mut from = first;
    if head > 0 {
        cut(inner, head..dim.place, here.at(dim, first), all);
        from += 1;
    }
    if last > from {
        all.push(here.at(dim, from).whole(dims, last - from));
    }
    cut(inner, 0..tail, here.at(dim, last), all);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of any two parts read every place once, for its own answer and position.
    #[test]
    fn boxes_are_all_there_is() {
        for shape in [vec![3, 4, 5], vec![7], vec![2, 1, 3, 2], vec![5, 6]] {
            let n = shape.len();
            let elements: u64 = shape.iter().product();
            let fortran: Vec<i64> = (0..n).map(|d| shape[..d].iter().product::<u64>() as i64).collect();
            for set in 0..1u32 << n {
                let axes: Vec<i64> = (0..n as i64).filter(|d| set >> d & 1 == 1).collect();
                let in_c = Axes::of(&shape, &axes).expect("axes");
                let in_fortran = Axes::strided(0, &shape, &fortran, &axes).expect("axes");
                for view in [in_c, in_fortran] {
                    let dims = dense(&view).expect("a dense array");
                    let mut want = vec![(0, 0); elements as usize];
                    for answer in 0..view.answers() {
                        for position in 0..view.length() {
                            let place = view.strided.place(answer) as i64 + offset(&view.strided.reduced, position);
                            want[place as usize] = (answer, position);
                        }
                    }
                    for middle in 0..=elements {
                        let mut all = Vec::new();
                        cut(&dims, 0..middle, PartView::default(), &mut all);
                        cut(&dims, middle..elements, PartView::default(), &mut all);
                        let mut got = Vec::new();
                        for found in all {
                            let view = Strided {
                                first: found.place,
                                kept: found.kept.clone(),
                                reduced: found.reduced.clone(),
                            };
                            for a in 0..view.answers() {
                                for e in 0..view.length() {
                                    let place = view.place(a) as i64 + offset(&view.reduced, e);
                                    got.push((
                                        place,
                                        found.answer as i64 + offset(&found.answers, a),
                                        found.position + e,
                                    ));
                                }
                            }
                        }
                        got.sort_unstable();
                        let places: Vec<i64> = got.iter().map(|found| found.0).collect();
                        assert_eq!(places, (0..elements as i64).collect::<Vec<_>>(), "{view:?} {middle}");
                        let answers: Vec<u64> = got.iter().map(|found| found.1 as u64).collect();
                        assert_eq!(answers, want.iter().map(|want| want.0).collect::<Vec<_>>(), "{view:?} {middle}");
                        if view.strided.reduced.iter().map(|dim| dim.stride).is_sorted_by(|a, b| a >= b) {
                            let positions: Vec<u64> = got.iter().map(|found| found.2).collect();
                            assert_eq!(
                                positions,
                                want.iter().map(|want| want.1).collect::<Vec<_>>(),
                                "{view:?} {middle}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn answers_that_no_memory_holds_are_told() {
        let many = Axes::of(&[1 << 61], &[]).expect("axes");
        let engine = Engine::Cpu(Cpu::with_threads(2));
        let told = |error: Error| matches!(error, Error::TooManyAnswers { answers: 0x2000_0000_0000_0000, .. });
        let options = StreamOptions::default();
        assert!(engine.stream_each::<u32, _>(crate::ops::Sum, &many, &options).is_err_and(told));
        let repeated = Axes::strided(0, &[1 << 61], &[0], &[]).expect("axes");
        assert!(Cpu::with_threads(2).reduce_axes(crate::ops::Sum, &[1u32], &repeated).is_err_and(told));
    }

    #[test]
    fn what_is_no_array_in_order_is_told() {
        let options = StreamOptions::default();
        let engine = Engine::Cpu(Cpu::with_threads(2));
        let sparse = Axes::strided(0, &[4, 3], &[6, 2], &[0]).expect("axes");
        assert!(matches!(
            engine.stream_each::<u32, _>(crate::ops::Sum, &sparse, &options),
            Err(Error::SparseView { .. })
        ));
        let fortran = Axes::strided(0, &[4, 3, 2], &[1, 4, 12], &[0, 2]).expect("axes");
        assert!(matches!(
            engine.stream_each::<u32, _>(crate::ops::ArgMax, &fortran, &options),
            Err(Error::OrderShows { .. })
        ));
        let mut stream = engine.stream_each::<u32, _>(crate::ops::Sum, &fortran, &options).expect("a stream");
        stream.push(&[1; 20]).expect("room");
        assert!(matches!(stream.push(&[1; 5]), Err(Error::PushedTooMany { .. })));
        assert!(matches!(stream.finish(), Err(Error::ViewOutside { .. })));
    }
}
