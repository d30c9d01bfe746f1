//! Segments on the device: recorded, or with their answers on the host.

use super::reducer::{Reducer, claimed, prepared_plan};
use crate::device::{Prepared, Recorder, Waiting, choose, fill};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Division, Each, Offsets, Origin, Output, Piece, Place, Ranges, Taken};
use crate::op::{DeviceOp, Keep, Op};
use crate::plan::{Arrangement, Request, Store};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use wgpu::BufferUsages;

/// Segments that one plan reduces: their offsets on the device, and the elements that they count in.
pub(super) struct Group<'b> {
    /// The first segment.
    pub first: u64,
    /// Their number.
    pub segments: u64,
    pub pieces: Vec<Piece>,
    buffers: Vec<Cow<'b, wgpu::Buffer>>,
    /// Their offsets, in the last buffer.
    pub offsets: Piece,
}

impl Group<'_> {
    /// So many of its segments from its n-th on.
    pub fn part(&self, from: u64, segments: u64) -> Piece {
        self.offsets.part(from, segments + 1)
    }

    pub fn origins(&self) -> Vec<Origin<'_>> {
        self.buffers.iter().map(|buffer| Origin::Buffer(buffer)).collect()
    }
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// The recorder for segments: bins have no room for each segment, so that exact sums are kept in registers.
    pub(super) fn by_segments(&self) -> Result<&Recorder> {
        if self.recorder.op.folds.iter().all(|fold| fold.value().is_some()) {
            return Ok(&self.recorder);
        }
        if let Some(recorder) = self.segments.get() {
            return Ok(recorder);
        }
        let context = self.recorder.context.clone();
        // Borrows the operator only: what a browser's device holds cannot be shared between threads.
        let plain = &self.op;
        let with = |_| DeviceOp::new::<T, O>(plain, Keep::Registers);
        let op = with(Keep::Registers)?;
        if op.folds.iter().any(|fold| fold.value().is_none()) {
            return Err(Error::NotBySegments { operator: O::NAME });
        }
        // Browsers cannot wait for a self-test here.
        let op = match cfg!(target_arch = "wasm32") {
            true => op,
            false => pollster::block_on(choose(&context, O::NAME, &with, Waiting::Blocking))?,
        };
        let recorder = Recorder::new(context, op)?;
        Ok(self.segments.get_or_init(|| recorder))
    }

    /// The recorder that answers these.
    pub(super) fn recorder_of(&self, each: &Each<'_, T>) -> Result<&Recorder> {
        match &each.division {
            Division::Segments(_) => self.by_segments(),
            Division::Rows(_) | Division::Axes(_) | Division::Strided(_) => Ok(&self.recorder),
        }
    }

    /// Makes the answers of segments ready to be recorded.
    pub(super) fn prepare_segments(
        &self,
        input: &Ranges<'_>,
        (offsets, count): (&Offsets<'_>, u64),
        output: &Output<'_>,
    ) -> Result<Prepared> {
        let recorder = self.by_segments()?;
        let claimed = claimed(&recorder.op, output, count)?;
        let there = if let Place::Device(there) = &offsets.0 { Some(there) } else { None };
        for read in [Some(input), there].into_iter().flatten() {
            if read.reads(output.buffer, &claimed)? {
                return Err(Error::SegmentsInPlace);
            }
        }
        let each = 4 * (recorder.op.answer_words() as u64 + u64::from(output.counted));
        let mut all = Prepared::nothing(recorder.context.clone());
        for group in self.groups(input, offsets)? {
            let claimed = claimed.start + group.first * each..claimed.start + (group.first + group.segments) * each;
            let each = Arrangement::Segments(group.offsets);
            let store = Store::Answer { counted: output.counted };
            let request = Request { pieces: &group.pieces, each, start: 0, direct: true, store, output: 0 };
            all = all.and(&prepared_plan(recorder, &request, &group.origins(), output.buffer, &claimed)?);
        }
        Ok(all)
    }

    /// Segments in groups that one plan takes each, their offsets on the device.
    pub(super) fn groups<'b>(&self, input: &Ranges<'b>, offsets: &'b Offsets<'_>) -> Result<Vec<Group<'b>>> {
        let elements = match &offsets.0 {
            Place::Device(_) => input.elements(),
            Place::Host(offsets) => offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0),
        };
        if elements > Self::ELEMENTS_MAX {
            return Err(Error::TooLongToRecord { operator: O::NAME, elements, most: Self::ELEMENTS_MAX });
        }
        groups(self.by_segments()?, input, offsets)
    }
}

/// Segments in groups that one plan takes each, their offsets on the device.
fn groups<'b>(recorder: &Recorder, input: &Ranges<'b>, offsets: &'b Offsets<'_>) -> Result<Vec<Group<'b>>> {
    let (pieces, buffers) = input.pieces()?;
    let mut buffers: Vec<Cow<wgpu::Buffer>> = buffers.into_iter().map(Cow::Borrowed).collect();
    let number = buffers.len();
    match &offsets.0 {
        Place::Device(there) => {
            let (found, at) = there.pieces()?;
            let [piece] = found[..] else { return Err(Error::OffsetsApart { ranges: found.len() as u64 }) };
            buffers.push(Cow::Owned(at[0].clone()));
            let segments = piece.elements.saturating_sub(1);
            let offsets = Piece { buffer: number, ..piece };
            Ok(if segments == 0 { vec![] } else { vec![Group { first: 0, segments, pieces, buffers, offsets }] })
        }
        Place::Host(offsets) => {
            let mut all = Vec::new();
            for segments in together(offsets, recorder.planner.segments_together()?) {
                let here = &offsets[segments.start..=segments.end];
                let (begin, end) = (here[0], here[here.len() - 1]);
                let mut taken = Taken::default();
                taken.skip(&pieces, begin);
                let words: Vec<u32> = here.iter().map(|&offset| (offset - begin) as u32).collect();
                let context = &recorder.context;
                let bytes: &[u8] = bytemuck::cast_slice(&words);
                let buffer = context.mapped_buffer("offsets", bytes.len() as u64, BufferUsages::STORAGE)?;
                fill(&buffer, 0, bytes)?;
                buffer.unmap();
                let mut buffers = buffers.clone();
                buffers.push(Cow::Owned(buffer));
                all.push(Group {
                    first: segments.start as u64,
                    segments: segments.len() as u64,
                    pieces: taken.take(&pieces, end - begin),
                    buffers,
                    offsets: Piece::of(number, 0, words.len() as u64),
                });
            }
            Ok(all)
        }
    }
}

/// Neighbouring segments of at most so many elements together, or one that is longer.
fn together(offsets: &[u64], most: u64) -> Vec<Range<usize>> {
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

/// A recorder that is made when segments are first asked for.
pub(super) type Segmented = OnceLock<Recorder>;
