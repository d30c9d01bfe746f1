//! What a reduction reads and where it leaves its answer: buffer ranges, and all of their validation.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::plan::Piece;
use std::marker::PhantomData;
use std::ops::Range;
use wgpu::BufferUsages;

/// Elements on the device: ranges of one or more buffers, read one after another as one array.
///
/// ```no_run
/// # fn f(positions: &wgpu::Buffer, more: &wgpu::Buffer) {
/// use treefold::Input;
/// let whole: Input<f32> = positions.into();
/// let part: Input<f32> = Input::range(positions, 100..200); // elements, not bytes
/// let both: Input<f32> = Input::concat([whole, more.into()]);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Input<'a, T> {
    ranges: Vec<(&'a wgpu::Buffer, Range<u64>)>,
    element: PhantomData<T>,
}

impl<'a, T: Element> Input<'a, T> {
    /// Elements `range` of a buffer, counted from its start.
    pub fn range(buffer: &'a wgpu::Buffer, range: Range<u64>) -> Self {
        Self::bytes(buffer, range.start.saturating_mul(4)..range.end.saturating_mul(4))
    }

    /// Several inputs as one, in their order. Its indices count through them all.
    pub fn concat(parts: impl IntoIterator<Item = Self>) -> Self {
        Input { ranges: parts.into_iter().flat_map(|part| part.ranges).collect(), element: PhantomData }
    }

    fn bytes(buffer: &'a wgpu::Buffer, bytes: Range<u64>) -> Self {
        Input { ranges: vec![(buffer, bytes)], element: PhantomData }
    }

    /// Elements in all.
    pub fn elements(&self) -> u64 {
        self.ranges.iter().map(|(_, bytes)| bytes.end.saturating_sub(bytes.start) / 4).sum()
    }

    /// Checks every range and names it for a plan.
    pub(crate) fn pieces(&self) -> Result<(Vec<Piece>, Vec<&'a wgpu::Buffer>)> {
        for (buffer, bytes) in &self.ranges {
            check(buffer, bytes, "the input")?;
        }
        let pieces = self.ranges.iter().enumerate().map(|(at, (_, bytes))| Piece {
            buffer: at,
            first: bytes.start / 4,
            elements: (bytes.end - bytes.start) / 4,
        });
        Ok((pieces.collect(), self.ranges.iter().map(|(buffer, _)| *buffer).collect()))
    }

    /// Whether a buffer is among those that are read; an error where a range of it is.
    pub(crate) fn reads(&self, output: &wgpu::Buffer, output_bytes: &Range<u64>) -> Result<bool> {
        let mut reads = false;
        for (_, bytes) in self.ranges.iter().filter(|(buffer, _)| *buffer == output) {
            reads = true;
            if bytes.start < output_bytes.end && output_bytes.start < bytes.end {
                return Err(Error::Overlap {
                    output_begin: output_bytes.start,
                    output_end: output_bytes.end,
                    input_begin: bytes.start,
                    input_end: bytes.end,
                });
            }
        }
        Ok(reads)
    }
}

impl<'a, T: Element> From<&'a wgpu::Buffer> for Input<'a, T> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Self::bytes(buffer, 0..buffer.size())
    }
}

impl<'a, T: Element> From<wgpu::BufferSlice<'a>> for Input<'a, T> {
    fn from(slice: wgpu::BufferSlice<'a>) -> Self {
        Self::bytes(slice.buffer(), slice.offset()..slice.offset() + slice.size())
    }
}

impl<'a, T: Element> From<&Input<'a, T>> for Input<'a, T> {
    fn from(input: &Input<'a, T>) -> Self {
        input.clone()
    }
}

/// Where an answer goes on the device: from a byte of a buffer on.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) bytes: Range<u64>,
}

impl<'a> From<&'a wgpu::Buffer> for Output<'a> {
    fn from(buffer: &'a wgpu::Buffer) -> Self {
        Output { buffer, bytes: 0..buffer.size() }
    }
}

impl<'a> From<wgpu::BufferSlice<'a>> for Output<'a> {
    fn from(slice: wgpu::BufferSlice<'a>) -> Self {
        Output { buffer: slice.buffer(), bytes: slice.offset()..slice.offset() + slice.size() }
    }
}

impl Output<'_> {
    /// The bytes that an answer of so many words takes, its count word included.
    pub(crate) fn claim(&self, operator: &'static str, words: usize) -> Result<Range<u64>> {
        let needs = (words as u64 + 1) * 4;
        let bytes = self.bytes.end.saturating_sub(self.bytes.start);
        if bytes < needs {
            return Err(Error::OutputTooSmall { operator, bytes, needs, words });
        }
        let claimed = self.bytes.start..self.bytes.start + needs;
        check(self.buffer, &claimed, "the output")?;
        Ok(claimed)
    }
}

fn check(buffer: &wgpu::Buffer, bytes: &Range<u64>, what: &'static str) -> Result<()> {
    if !buffer.usage().contains(BufferUsages::STORAGE) {
        let has = buffer.usage().iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ");
        return Err(Error::MissingUsage { what, missing: "STORAGE", has });
    }
    if bytes.end > buffer.size() || bytes.start > bytes.end {
        return Err(Error::OutOfRange { what, begin: bytes.start, end: bytes.end, size_bytes: buffer.size() });
    }
    let ragged = [bytes.start, bytes.end].into_iter().find(|byte| byte % 4 != 0);
    match ragged {
        Some(offset_bytes) => Err(Error::Misaligned { what, offset_bytes, multiple: 4 }),
        None => Ok(()),
    }
}
