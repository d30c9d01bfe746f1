//! Segments on the device: recorded, or with their answers on the host.

use super::reducer::{Reducer, claimed, prepared_plan};
use crate::device::{Context, Prepared, Recorder, Waiting, choose, is_right};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{
    By, Divided, Division, Each, Ends, Groups, Offsets, OffsetsIn, Origin, Output, Piece, Ranges, Segments, SegmentsBy,
    Strided, Taken,
};
use crate::op::{DeviceOp, Fold, Keep, Leaf, Op};
use crate::plan::{Arrangement, Request, Store};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use wgpu::BufferUsages;

/// Answers, at least, of which each is found by one invocation, and so many times the elements of one: its neighbours are what hides that it reads
/// alone. An H200, `treefold bench sum --dtype f64
/// --shape …`, in µs with `--launch own_rows_max=0 --launch float64=false` and without, axis 1: 2048x64 114, 15; 4096x128 221, 28; 8192x256 434, 50; 16384x512 864, 101;
/// 65536x2048 3527, 642; axis 0: 128x1024 58, 53; 128x16384 828, 57; 1024x32768 1907, 431; 4096x32768 3636, 1681. An H100, where fewer were enough: axis 0 of 128x512 32,
/// 37; 512x1536 89, 223.
const OWN_MIN: u64 = 512;
const OWN_TIMES: u64 = 8;
/// Elements of rows in several buffers, at most; offsets of rows that the host makes, and buffers, each of which takes a dispatch.
const OWN_SEGMENTS_MAX: u64 = 1 << 10;
const OFFSETS_MADE_MAX: u64 = 1 << 25;
const OWN_BUFFERS_MAX: u64 = 8;
/// Words of an accumulator, at most, where rows are taken as segments: those of a sum of f64. (Of squares they are twice as many.)
const OWN_WORDS_MAX: usize = 80;

/// Segments that one plan reduces, and the elements that they count in.
pub(super) struct SegmentBatch<'b> {
    pub pieces: Vec<Piece>,
    buffers: Vec<Cow<'b, wgpu::Buffer>>,
    pub ends: Ends,
}

impl SegmentBatch<'_> {
    pub fn origins(&self) -> Vec<Origin<'_>> {
        self.buffers.iter().map(|buffer| Origin::Buffer(buffer)).collect()
    }
}

/// Whether a device that shares segments or groups with others has room for them.
pub(super) fn shares_many<T: Element, O: Op<T>>(op: &O) -> bool {
    DeviceOp::new::<T, O>(op, Keep::Registers).is_ok_and(|op| !op.too_long_by_value())
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// The recorder for segments: bins have no room for each segment, so that exact sums are values, or are kept in registers.
    pub(super) fn by_segments(&self) -> Result<&Recorder> {
        if self.recorder.op.too_long_by_value() {
            return Err(Error::NotBySegments { operator: self.op.name() });
        }
        if let Some(recorder) = self.by_values()? {
            return Ok(recorder);
        }
        if self.recorder.op.folds.iter().all(|fold| fold.value().is_some()) {
            return Ok(&self.recorder);
        }
        if let Some(recorder) = self.others.segments.get() {
            return Ok(recorder);
        }
        let context = self.recorder.context.clone();
        // Borrows the operator only: what a browser's device holds cannot be shared between threads.
        let plain = &self.op;
        let with = |_| DeviceOp::new::<T, O>(plain, Keep::Registers);
        let op = with(Keep::Registers)?;
        if op.folds.iter().any(|fold| fold.value().is_none()) {
            return Err(Error::NotBySegments { operator: plain.name() });
        }
        // Browsers cannot wait for a self-test here.
        let op = match cfg!(target_arch = "wasm32") {
            true => op,
            false => pollster::block_on(choose(&context, plain.name(), &with, &|_| Ok(Vec::new()), Waiting::Blocking))?,
        };
        let recorder = Recorder::new(context, op)?;
        Ok(self.others.segments.get_or_init(|| recorder))
    }

    /// The recorder of values of which an invocation holds several, where all folds have them and this device gets them right.
    fn by_values(&self) -> Result<Option<&Recorder>> {
        if self.recorder.op.holds_many() {
            return Ok(Some(&self.recorder));
        }
        if let Some(found) = self.others.values.get() {
            return Ok(found.as_ref());
        }
        let context = &self.recorder.context;
        let mut found = None;
        for &words64 in context.limits.ways64() {
            let op = DeviceOp::new::<T, O>(&self.op, Keep::Values { words64 })?;
            // Browsers cannot wait for a self-test here.
            if !op.holds_many() || (cfg!(target_arch = "wasm32") && op.folds.iter().any(|fold| fold.tested)) {
                break;
            }
            match pollster::block_on(is_right(context, &op, Waiting::Blocking)) {
                Ok(true) => {
                    found = Some(Recorder::new(context.clone(), op)?);
                    break;
                }
                Ok(false) => {}
                Err(error @ (Error::Refused { .. } | Error::LimitTooSmall { .. } | Error::TooManyTrips { .. })) => {
                    log::warn!("{}: {:?} does not run on this device: {error}", op.name, op.keep);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.others.values.get_or_init(|| found).as_ref())
    }

    /// The recorder for rows and axes: where bins are no quicker than values, those, which need no workgroup for each answer.
    pub(super) fn by_rows(&self, input: &Ranges<'_>, strided: &Strided) -> Result<&Recorder> {
        let folds = &self.recorder.op.folds;
        let quick = folds.iter().all(|fold| fold.bins().is_none_or(|bins| bins.many_by_value));
        let exact = folds.iter().all(|fold| fold.bins().is_none_or(|bins| bins.carries));
        if (quick && folds.iter().any(|fold| fold.bins().is_some() || fold.keeps_float64()))
            || (self.are_short(strided) && self.in_one(input, strided) && self.has_own_words()?)
        {
            return self.by_segments();
        }
        let values = if exact && self.recorder.planner.by_columns(strided) { self.by_values()? } else { None };
        Ok(values.unwrap_or(&self.recorder))
    }

    /// How many answers are found: many short rows in several buffers, of an exact sum that has no form by value, as segments, since bins would take
    /// a workgroup for each row.
    pub(super) fn divided<'d, 'a>(&self, each: &'d Each<'a, T>, answers: u64) -> Result<Divided<'d, 'a>> {
        let divided = each.divided(answers)?;
        let Divided::Strided(strided) = &divided else { return Ok(divided) };
        let few = answers < OFFSETS_MADE_MAX
            && each.input.ranges.count() <= OWN_BUFFERS_MAX
            && self.recorder.context.takes_segments();
        let short = self.are_short(strided);
        match strided.row_length() {
            Some(length)
                if few
                    && short
                    && length <= OWN_SEGMENTS_MAX
                    && !self.in_one(&each.input.ranges, strided)
                    && self.has_own_words()? =>
            {
                Ok(Divided::rows(length, answers))
            }
            _ => Ok(divided),
        }
    }

    /// Whether answers are many, and their elements few.
    fn are_short(&self, strided: &Strided) -> bool {
        let (length, most) = (strided.length(), self.recorder.context.tuning().own_rows_max);
        (1..=most).contains(&length) && strided.answers() >= OWN_MIN.max(length.saturating_mul(OWN_TIMES))
    }

    /// Whether an answer lies in one binding, where an invocation may take it from beginning to end: rows of a buffer do, and columns of one that a
    /// binding holds.
    fn in_one(&self, input: &Ranges<'_>, strided: &Strided) -> bool {
        let (low, high) = strided.span();
        let bytes = (high - low + 1) * i128::from(T::DTYPE.bytes());
        let bound = bytes <= self.recorder.context.limits.binding_bytes_max.into();
        input.count() == 1 && (bound || strided.row_length().is_some())
    }

    /// Whether rows take bins of a workgroup, and segments words of an invocation, few enough of them, which this device gets right.
    fn has_own_words(&self) -> Result<bool> {
        if let Some(&right) = self.others.own_words.get() {
            return Ok(right);
        }
        let folds = &self.recorder.op.folds;
        let bins = |fold: &Leaf| fold.bins().is_some_and(|bins| bins.carries && !bins.many_by_value) && !fold.places();
        let words: usize = folds.iter().map(|fold| fold.words).sum();
        let fit = words <= OWN_WORDS_MAX && folds.iter().all(bins);
        // Browsers cannot wait for a self-test here.
        if !fit || cfg!(target_arch = "wasm32") || self.by_values()?.is_some() {
            return Ok(false);
        }
        let right = match self.by_segments() {
            Ok(_) => true,
            // Once refused, bins are taken henceforth, whose bits are the same.
            Err(
                Error::NotBySegments { .. }
                | Error::NoExactKernel { .. }
                | Error::Refused { .. }
                | Error::LimitTooSmall { .. }
                | Error::TooManyTrips { .. },
            ) => false,
            Err(error) => return Err(error),
        };
        Ok(*self.others.own_words.get_or_init(|| right))
    }

    /// The recorder for groups: where all folds have forms that invocations share, and the device gets these right, those.
    pub(super) fn by_groups(&self) -> Result<&Recorder> {
        if let Some(recorder) = self.others.groups.get() {
            return Ok(recorder);
        }
        let op = DeviceOp::new::<T, O>(&self.op, Keep::Cells)?;
        // Browsers cannot wait for a self-test here.
        if !op.has_cells() || (cfg!(target_arch = "wasm32") && op.folds.iter().any(|fold| fold.tested)) {
            return self.by_segments();
        }
        let context = self.recorder.context.clone();
        match pollster::block_on(is_right(&context, &op, Waiting::Blocking))? {
            true => {
                let recorder = Recorder::new(context, op)?;
                Ok(self.others.groups.get_or_init(|| recorder))
            }
            false => self.by_segments(),
        }
    }

    /// The recorder that answers these.
    pub(super) fn recorder_of(&self, each: &Each<'_, T>) -> Result<&Recorder> {
        match (&each.division, &each.count) {
            (Division::Groups(..), _) => self.by_groups(),
            (Division::Segments(_), _) | (_, Some(_)) => self.by_segments(),
            _ => match self.divided(each, each.count()?)? {
                Divided::Strided(strided) => self.by_rows(&each.input.ranges, &strided),
                _ => self.by_segments(),
            },
        }
    }

    /// Makes the answers of segments ready to be recorded.
    pub(super) fn prepare_segments(
        &self,
        input: &Ranges<'_>,
        segments: &Segments<'_, '_>,
        output: &Output<'_>,
    ) -> Result<Prepared> {
        let recorder = self.by_segments()?;
        let claimed = claimed(&recorder.op, output, segments.answers)?;
        ensure_apart(std::iter::once(input).chain(segments.reads()), output.buffer, &claimed)?;
        let each = 4 * (recorder.op.answer_words() as u64 + u64::from(output.counted));
        let mut all = Prepared::nothing(recorder.context.clone());
        for group in self.groups(input, segments)? {
            let Ends { first, segments, .. } = group.ends;
            let claimed = claimed.start + first * each..claimed.start + (first + segments) * each;
            let each = Arrangement::Segments(group.ends);
            let store = Store::Answer { counted: output.counted };
            let request = Request { pieces: &group.pieces, each, start: 0, direct: true, store, output: 0 };
            all = all.and(&prepared_plan(recorder, &request, &group.origins(), output.buffer, &claimed)?);
        }
        Ok(all)
    }

    /// Makes the answers of groups by key ready to be recorded.
    pub(super) fn prepare_groups(
        &self,
        input: &Ranges<'_>,
        (keys, groups): (&Ranges<'_>, u64),
        output: &Output<'_>,
    ) -> Result<Prepared> {
        let recorder = self.by_groups()?;
        let claimed = claimed(&recorder.op, output, groups)?;
        ensure_apart([input, keys], output.buffer, &claimed)?;
        if groups == 0 {
            return Ok(Prepared::nothing(recorder.context.clone()));
        }
        let keyed = Keyed::new(&self.op, input, keys)?;
        let groups = Groups { keys: &keyed.keys, first: 0, groups };
        let each = Arrangement::Groups(groups);
        let store = Store::Answer { counted: output.counted };
        let request = Request { pieces: &keyed.pieces, each, start: 0, direct: true, store, output: 0 };
        prepared_plan(recorder, &request, &keyed.origins, output.buffer, &claimed)
    }

    /// Segments in groups that one plan takes each, what says where they end on the device.
    pub(super) fn groups<'b>(&self, input: &Ranges<'b>, segments: &Segments<'_, 'b>) -> Result<Vec<SegmentBatch<'b>>> {
        let elements = match segments.by {
            SegmentsBy::Offsets(Offsets(OffsetsIn::Host(offsets))) => {
                offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
            }
            SegmentsBy::Counted(By::Rows(length)) | SegmentsBy::Rows(length) => length,
            SegmentsBy::Offsets(_) | SegmentsBy::Counted(_) => input.elements(),
        };
        if elements > self.elements_max() {
            return Err(Error::TooLongToRecord { operator: self.op.name(), elements, most: self.elements_max() });
        }
        groups(self.by_segments()?, input, segments)
    }
}

/// Refuses an output in a buffer that the same dispatch reads.
pub(super) fn ensure_apart<'r, 'b: 'r>(
    reads: impl IntoIterator<Item = &'r Ranges<'b>>,
    output: &wgpu::Buffer,
    claimed: &Range<u64>,
) -> Result<()> {
    for read in reads {
        if read.reads(output, claimed)? {
            return Err(Error::SegmentsInPlace);
        }
    }
    Ok(())
}

/// Elements and their keys, in buffers.
pub(super) struct Keyed<'b> {
    pub pieces: Vec<Piece>,
    pub keys: Vec<Piece>,
    pub origins: Vec<Origin<'b>>,
}

impl<'b> Keyed<'b> {
    pub fn new<T: Element, O: Op<T>>(op: &O, input: &Ranges<'b>, keys: &Ranges<'b>) -> Result<Keyed<'b>> {
        let (elements, most) = (input.elements(), op.fold().most_elements());
        if elements > most {
            return Err(Error::TooLongToRecord { operator: op.name(), elements, most });
        }
        let (pieces, mut buffers) = input.pieces()?;
        let (mut keys, others) = keys.pieces()?;
        keys.iter_mut().for_each(|key| key.buffer += buffers.len());
        buffers.extend(others);
        Ok(Keyed { pieces, keys, origins: buffers.into_iter().map(Origin::Buffer).collect() })
    }
}

/// Segments in groups that one plan takes each, what says where they end on the device.
fn groups<'b>(recorder: &Recorder, input: &Ranges<'b>, segments: &Segments<'_, 'b>) -> Result<Vec<SegmentBatch<'b>>> {
    let (pieces, buffers) = input.pieces()?;
    let mut buffers: Vec<Cow<wgpu::Buffer>> = buffers.into_iter().map(Cow::Borrowed).collect();
    let mut count = None;
    if let Some(of) = segments.count {
        let (piece, at) = of.piece(buffers.len())?;
        buffers.push(Cow::Borrowed(at));
        count = Some(piece);
    }
    let number = buffers.len();
    let (by, all) = match segments.by {
        SegmentsBy::Offsets(Offsets(OffsetsIn::Device(there))) => {
            let (found, at) = there.pieces()?;
            let [piece] = found[..] else { return Err(Error::OffsetsApart { ranges: found.len() as u64 }) };
            buffers.push(Cow::Borrowed(at[0]));
            (By::Offsets(Piece { buffer: number, ..piece }), segments.answers)
        }
        SegmentsBy::Counted(by) => (by, segments.answers),
        SegmentsBy::Offsets(Offsets(OffsetsIn::Host(offsets))) => {
            return batches(recorder, &pieces, &buffers, offsets, count);
        }
        SegmentsBy::Rows(length) => {
            let offsets: Vec<u64> = (0..=segments.answers).map(|row| row * length).collect();
            return batches(recorder, &pieces, &buffers, &offsets, count);
        }
    };
    let ends = Ends { by, first: 0, segments: all, count };
    Ok(if all == 0 { vec![] } else { vec![SegmentBatch { pieces, buffers, ends }] })
}

/// The same by offsets that the host knows, of which each group has some in a buffer of its own.
fn batches<'b>(
    recorder: &Recorder,
    pieces: &[Piece],
    buffers: &[Cow<'b, wgpu::Buffer>],
    offsets: &[u64],
    count: Option<Piece>,
) -> Result<Vec<SegmentBatch<'b>>> {
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return Ok(vec![]) };
    let most = recorder.planner.segments_together(pieces, last - first, offsets.len() as u64 - 1)?;
    // One offset more than there are segments, in one buffer.
    let most = most.min((recorder.context.device.limits().max_buffer_size / 4).saturating_sub(1));
    let batch = |segments: Range<usize>| {
        let (pieces, buffer) = cut(&recorder.context, pieces, &offsets[segments.start..=segments.end])?;
        let by = Ends::of(Piece::of(buffers.len(), 0, segments.len() as u64 + 1));
        let buffers = [buffers, &[Cow::Owned(buffer)]].concat();
        let ends = Ends { first: segments.start as u64, count, ..by };
        Ok(SegmentBatch { pieces, buffers, ends })
    };
    together(offsets, most).into_iter().map(batch).collect()
}

/// The elements from the first of these offsets to the last, and the offsets in them, in a buffer.
pub(super) fn cut(context: &Context, pieces: &[Piece], offsets: &[u64]) -> Result<(Vec<Piece>, wgpu::Buffer)> {
    let (begin, end) = (offsets[0], offsets[offsets.len() - 1]);
    let mut taken = Taken::default();
    taken.skip(pieces, begin);
    let words: Vec<u32> = offsets.iter().map(|&offset| (offset - begin) as u32).collect();
    let buffer = context.filled("offsets", bytemuck::cast_slice(&words), BufferUsages::STORAGE)?;
    Ok((taken.take(pieces, end - begin), buffer))
}

/// Neighbouring segments of at most so many elements together, or one that is longer.
pub(super) fn together(offsets: &[u64], most: u64) -> Vec<Range<usize>> {
    let segments = offsets.len().saturating_sub(1);
    let mut all = Vec::new();
    let mut first = 0;
    while first < segments {
        let from = offsets[first] + first as u64;
        let more = offsets[first + 1..].iter().zip(first as u64 + 1..).take_while(|&(&end, s)| end + s - from <= most);
        let end = first + more.count().max(1);
        all.push(first..end);
        first = end;
    }
    all
}

/// The recorders of an operator's other kernels, made when they are first asked for.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// For segments, where they take another kernel.
    segments: OnceLock<Recorder>,
    /// Of values, for many answers; or that there is none.
    values: OnceLock<Option<Recorder>>,
    /// Of cells, for groups.
    groups: OnceLock<Recorder>,
    /// Whether many short rows and columns take words of an invocation each.
    own_words: OnceLock<bool>,
}
