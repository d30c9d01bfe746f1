//! Many answers on the CPU: rows and axes, in tiles of neighbouring answers.

use super::cpu::{BLOCK, Cpu, TOGETHER, accumulate_all, on_threads};
use super::finish::finished;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Axes, Dim, Strided, offset, room};
use crate::op::{Fold, Op, accumulate_block};
use std::sync::{Mutex, PoisonError};

/// Neighbouring answers that are gathered together: a line of the cache holds as many floats.
const TILE: u64 = 16;
/// Elements of each that are gathered at a time.
const GATHERED: u64 = 1 << 10;
/// Elements of an answer that one thread takes; a multiple of both blocks, so that threads do not show in what is rounded.
const CHUNK: u64 = (BLOCK << 4) as u64;

impl Cpu {
    /// The answer of each row of `length` elements.
    ///
    /// # Errors
    /// [`Error::RaggedRows`] where the elements are no whole rows; what [`Op::finish`] says.
    pub fn reduce_each<T: Element, O: Op<T>>(&self, op: O, elements: &[T], length: usize) -> Result<Vec<O::Output>> {
        if length == 0 || !elements.len().is_multiple_of(length) {
            return Err(Error::RaggedRows { elements: elements.len() as u64, length: length as u64 });
        }
        let rows = Strided::rows((elements.len() / length) as u64, length as u64);
        let accs = self.accumulate_each(&op.fold(), elements, &rows, 0)?;
        finished(accs, self.threads(), |_, acc| op.finish(acc, length as u64))
    }

    /// The answers over axes of a view of `elements`, in C order.
    ///
    /// ```
    /// use treefold::{Axes, Cpu, ops::{ArgMax, Found, Sum}};
    /// let m = [1.0f32, 7., 3., 4., 5., 6.]; // 2 rows of 3
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.reduce_axes(Sum, &m, &Axes::of(&[2, 3], &[0])?)?, [5., 12., 9.]);
    /// let found = cpu.reduce_axes(ArgMax, &m, &Axes::of(&[2, 3], &[1])?)?;
    /// assert_eq!(found, [Some(Found { value: 7., index: 1 }), Some(Found { value: 6., index: 2 })]);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ViewOutside`], [`Error::TooManyAnswers`]; what [`Op::finish`] says.
    pub fn reduce_axes<T: Element, O: Op<T>>(&self, op: O, elements: &[T], axes: &Axes) -> Result<Vec<O::Output>> {
        axes.check(elements.len() as u64)?;
        let accs = self.accumulate_each(&op.fold(), elements, &axes.strided, 0)?;
        finished(accs, self.threads(), |_, acc| op.finish(acc, axes.length()))
    }

    /// The accumulator of each answer; the first element of every one has this position. The view lies within the elements.
    pub(crate) fn accumulate_each<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        elements: &[T],
        strided: &Strided,
        position: u64,
    ) -> Result<Vec<F::Acc>> {
        let mut all = room(strided.answers())?;
        let length = strided.length();
        let chunks = length.div_ceil(CHUNK).max(1);
        // Short rows that follow one another are handed over together.
        let rows = (BLOCK as u64 / length.max(1)).clamp(1, TOGETHER as u64);
        let tile = if strided.contiguous().is_some() { rows } else { TILE };
        let tiles = Tiles::of(strided, tile);
        let items = tiles.count.saturating_mul(chunks);
        // Short rows are not worth a thread each.
        let least = ((BLOCK as u64) / (length.min(CHUNK) * tile).max(1)).max(1);
        let share = items.div_ceil(self.threads() as u64).max(least).max(1);
        let parts: Vec<Mutex<Vec<F::Acc>>> = (0..items.div_ceil(share)).map(|_| Mutex::default()).collect();
        on_threads(parts.len(), &|part| {
            let mut accs = Vec::new();
            let mut gather = Gather::new(fold, elements, strided);
            for item in part as u64 * share..((part as u64 + 1) * share).min(items) {
                let (from, count) = tiles.answers(item / chunks);
                let begin = item % chunks * CHUNK;
                gather.accumulate(from, count, begin..(begin + CHUNK).min(length), position, &mut accs);
            }
            *parts[part].lock().unwrap_or_else(PoisonError::into_inner) = accs;
        });
        let mut found = parts.into_iter().flat_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        // A tile's answers follow one another in each chunk of it.
        for tile in 0..tiles.count {
            let (_, count) = tiles.answers(tile);
            let mut accs: Vec<F::Acc> = found.by_ref().take(count as usize).collect();
            for _ in 1..chunks {
                accs = accs.into_iter().zip(found.by_ref()).map(|(a, b)| fold.combine(a, b)).collect();
            }
            all.extend(accs);
        }
        Ok(all)
    }
}

/// Answers in tiles of neighbours along the innermost dimension.
struct Tiles {
    /// Answers along it.
    inner: u64,
    /// Tiles along it.
    across: u64,
    tile: u64,
    count: u64,
}

impl Tiles {
    fn of(strided: &Strided, tile: u64) -> Tiles {
        let inner = strided.kept.last().map_or(1, |dim| dim.length);
        let across = inner.div_ceil(tile);
        let outer = strided.answers().checked_div(inner).unwrap_or(0);
        Tiles { inner, across, tile, count: outer * across }
    }

    /// The first answer of a tile, and their number.
    fn answers(&self, tile: u64) -> (u64, u64) {
        let within = tile % self.across * self.tile;
        (tile / self.across * self.inner + within, self.tile.min(self.inner - within))
    }
}

/// One thread's work: elements where they lie, or gathered so that each answer's are neighbours.
struct Gather<'a, T, F> {
    fold: &'a F,
    elements: &'a [T],
    strided: &'a Strided,
    /// Whether answers are rows that follow one another.
    rows: bool,
    room: Vec<T>,
}

impl<'a, T: Element, F: Fold<T>> Gather<'a, T, F> {
    fn new(fold: &'a F, elements: &'a [T], strided: &'a Strided) -> Self {
        Gather { fold, elements, strided, rows: strided.contiguous().is_some(), room: Vec::new() }
    }

    /// The accumulators of some neighbouring answers over positions `range` of each.
    fn accumulate(
        &mut self,
        from: u64,
        count: u64,
        range: std::ops::Range<u64>,
        position: u64,
        accs: &mut Vec<F::Acc>,
    ) {
        let Gather { fold, elements, strided, .. } = *self;
        let inner = strided.reduced.last().copied().unwrap_or(Dim { length: 1, stride: 1 });
        let in_place = inner.stride == 1 && (self.rows || count == 1 || inner.length >= GATHERED);
        let length = range.end - range.start;
        // Elements of an answer that lie in one run.
        if in_place && length <= (inner.length - range.start % inner.length.max(1)).min(BLOCK as u64) {
            let slices = (from..from + count).map(|answer| {
                let first = strided.place(answer).wrapping_add_signed(offset(&strided.reduced, range.start)) as usize;
                (&elements[first..first + length as usize], position.wrapping_add(range.start))
            });
            return accumulate_all(fold, slices, accs);
        }
        for answer in from..from + if in_place { count } else { 0 } {
            let first = strided.place(answer);
            let mut acc = fold.identity();
            let mut at = range.start;
            while at < range.end {
                let now = (inner.length - at % inner.length).min(range.end - at).min(BLOCK as u64);
                let place = first.wrapping_add_signed(offset(&strided.reduced, at)) as usize;
                let block = &elements[place..place + now as usize];
                fold.merge(&mut acc, accumulate_block(fold, block, position.wrapping_add(at)));
                at += now;
            }
            accs.push(acc);
        }
        if in_place {
            return;
        }
        if range.is_empty() {
            return accs.extend((0..count).map(|_| fold.identity()));
        }
        let here = accs.len();
        let mut at = range.start;
        while at < range.end {
            let now = GATHERED.min(range.end - at);
            self.gather(from, count, at, now);
            accumulate_all(fold, self.room.chunks(now as usize).map(|block| (block, position.wrapping_add(at))), accs);
            let found = accs.split_off(accs.len() - count as usize);
            match at == range.start {
                true => accs.extend(found),
                false => accs[here..].iter_mut().zip(found).for_each(|(acc, found)| fold.merge(acc, found)),
            }
            at += now;
        }
    }

    /// Elements `at..at + now` of each answer, one answer behind the other.
    fn gather(&mut self, from: u64, count: u64, at: u64, now: u64) {
        let Gather { elements, strided, ref mut room, .. } = *self;
        let now = now as usize;
        room.resize(count as usize * now, <T as bytemuck::Zeroable>::zeroed());
        let first = strided.place(from) as i64;
        let across = strided.kept.last().map_or(0, |dim| dim.stride);
        let inner = strided.reduced.last().copied().unwrap_or(Dim { length: 1, stride: 1 });
        let mut done = 0;
        while done < now {
            let e = at + done as u64;
            let run = ((inner.length - e % inner.length) as usize).min(now - done);
            let begin = first + offset(&strided.reduced, e);
            // One answer after the other: the lines that they share are few enough to stay in the cache.
            for (lane, lanes) in room.chunks_mut(now).enumerate() {
                let begin = begin + lane as i64 * across;
                for (i, place) in lanes[done..done + run].iter_mut().enumerate() {
                    *place = elements[(begin + i as i64 * inner.stride) as usize];
                }
            }
            done += run;
        }
    }
}
