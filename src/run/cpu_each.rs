//! Many answers on the CPU: rows and axes, in tiles of neighbouring answers, or as columns, row by row.

use super::cpu::{BLOCK, Cpu, TOGETHER, WIDE_WORDS, accumulate_all, on_threads};
use super::finish::finished;
use crate::element::{Columns, Element};
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
        self.each(&op.fold(), elements, &rows, 0, |acc| op.finish(acc, length as u64))
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
        self.each(&op.fold(), elements, &axes.strided, 0, |acc| op.finish(acc, axes.length()))
    }

    /// The accumulator of each answer; the first element of every one has this position. The view lies within the elements.
    pub(crate) fn accumulate_each<T: Element, F: Fold<T>>(
        &self,
        fold: &F,
        elements: &[T],
        strided: &Strided,
        position: u64,
    ) -> Result<Vec<F::Acc>> {
        self.each(fold, elements, strided, position, Ok)
    }

    /// What `then` makes of the accumulator of each answer.
    fn each<T: Element, F: Fold<T>, R: Send>(
        &self,
        fold: &F,
        elements: &[T],
        strided: &Strided,
        position: u64,
        then: impl Fn(F::Acc) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let mut all = room(strided.answers())?;
        let length = strided.length();
        // Wide ones would be many at once.
        let columns = are_columns(strided) && fold.acc_words() <= WIDE_WORDS;
        let (tiles, chunk) = match columns {
            true => {
                let tiles = Tiles::of(strided, STRIP);
                let rows = (ITEM / tiles.width()).clamp(HEIGHT, CHUNK) / HEIGHT * HEIGHT;
                (tiles, rows)
            }
            false => {
                // Short rows that follow one another are handed over together.
                let rows = (BLOCK as u64 / length.max(1)).clamp(1, TOGETHER as u64);
                (Tiles::of(strided, if strided.contiguous().is_some() { rows } else { TILE }), CHUNK)
            }
        };
        let chunks = length.div_ceil(chunk).max(1);
        let items = tiles.count.saturating_mul(chunks);
        // Short rows are not worth a thread each.
        let least = ((BLOCK as u64) / (length.min(chunk) * tiles.width()).max(1)).max(1);
        let share = items.div_ceil(self.threads() as u64).max(least).max(1);
        let shares = items.div_ceil(share) as usize;
        let items_of = |part: usize| part as u64 * share..((part as u64 + 1) * share).min(items);
        let read = |gather: &mut Gather<'_, T, F>, item: u64, accs: &mut Vec<F::Acc>| {
            let (from, count) = tiles.answers(item / chunks);
            let begin = item % chunks * chunk;
            gather.accumulate(from, count, begin..(begin + chunk).min(length), position, accs);
        };
        if chunks == 1 {
            // Of many answers at once memory would be all accumulators.
            let parts = in_parts(shares, |part| {
                let (mut accs, mut found) = (Vec::new(), Vec::new());
                let mut gather = Gather::new(fold, elements, strided, columns);
                for item in items_of(part) {
                    read(&mut gather, item, &mut accs);
                    accs.drain(..).try_for_each(|acc| {
                        found.push(then(acc)?);
                        Ok(())
                    })?;
                }
                Ok(found)
            });
            for part in parts {
                all.append(&mut part?);
            }
            return Ok(all);
        }
        let parts = in_parts(shares, |part| {
            let mut accs = Vec::new();
            let mut gather = Gather::new(fold, elements, strided, columns);
            items_of(part).for_each(|item| read(&mut gather, item, &mut accs));
            accs
        });
        let mut found = parts.into_iter().flatten();
        let mut whole: Vec<F::Acc> = room(strided.answers())?;
        // A tile's answers follow one another in each chunk of it.
        for tile in 0..tiles.count {
            let (begin, (_, count)) = (whole.len(), tiles.answers(tile));
            whole.extend(found.by_ref().take(count as usize));
            for _ in 1..chunks {
                whole[begin..].iter_mut().zip(found.by_ref()).for_each(|(acc, next)| fold.merge(acc, next));
            }
        }
        finished(whole, self.threads(), |_, acc| then(acc))
    }
}

/// What `work` makes of each of so many parts, which threads have one each.
fn in_parts<R: Send>(parts: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let found: Vec<Mutex<Option<R>>> = (0..parts).map(|_| Mutex::default()).collect();
    on_threads(parts, &|part| {
        let done = work(part);
        *found[part].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    });
    found.into_iter().filter_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Columns that are read together: a row has as many elements of them as some lines of the cache.
const STRIP: u64 = 1024;
/// Columns from which on rows of them are worth reading.
const COLUMNS_MIN: u64 = 16;
/// Rows that are folded at a time.
const HEIGHT: u64 = 1 << 10;
/// Elements of an item that a thread takes, about.
const ITEM: u64 = 1 << 20;

/// Whether answers are neighbours along the innermost dimension, and the elements of one are not.
fn are_columns(strided: &Strided) -> bool {
    let across = strided.kept.last().is_some_and(|dim| dim.stride == 1 && dim.length >= COLUMNS_MIN);
    across && strided.reduced.last().is_some_and(|dim| dim.stride != 1) && !strided.is_empty()
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

    /// Answers of a whole tile.
    fn width(&self) -> u64 {
        self.tile.min(self.inner).max(1)
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
    /// Whether answers are rows that follow one another, or columns.
    rows: bool,
    columns: bool,
    room: Vec<T>,
    /// Places of rows, of columns.
    places: Vec<usize>,
}

impl<'a, T: Element, F: Fold<T>> Gather<'a, T, F> {
    fn new(fold: &'a F, elements: &'a [T], strided: &'a Strided, columns: bool) -> Self {
        let rows = strided.contiguous().is_some();
        Gather { fold, elements, strided, rows, columns, room: Vec::new(), places: Vec::new() }
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
        if self.columns {
            return self.accumulate_columns(from, count, range, position, accs);
        }
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

    /// The same of columns.
    fn accumulate_columns(
        &mut self,
        from: u64,
        count: u64,
        range: std::ops::Range<u64>,
        position: u64,
        accs: &mut Vec<F::Acc>,
    ) {
        let Gather { fold, elements, strided, ref mut places, .. } = *self;
        let (first, begin) = (strided.place(from), accs.len());
        for at in range.clone().step_by(HEIGHT as usize) {
            let rows = at..range.end.min(at + HEIGHT);
            places.clear();
            places.extend(rows.map(|row| first.wrapping_add_signed(offset(&strided.reduced, row)) as usize));
            let (columns, behind) = (Columns::of(elements, places, count as usize), accs.len());
            fold.accumulate_columns(&columns, position.wrapping_add(at), accs);
            if at > range.start {
                let found = accs.split_off(behind);
                accs[begin..].iter_mut().zip(found).for_each(|(acc, found)| fold.merge(acc, found));
            }
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
