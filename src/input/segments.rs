//! Segments of an input by offsets, in a buffer of the device or in host memory.

use super::{Input, Piece, Ranges};
use crate::error::{Error, Result};
use std::borrow::Cow;

/// The bounds of segments: one offset more than there are segments, and segment s has elements `offsets[s]` to
/// `offsets[s + 1]` of the input, as in a CSR matrix. Elements before the first offset and behind the last belong to none.
///
/// From a buffer on the device (u32 words; the length is that of the range), or from a slice: of u32, or of u64 where an input has 2^32
/// elements or more. Those of a slice are checked; those of a buffer are seen by the device alone: one past the input counts as its
/// end, and where they fall the answers mean nothing or are missing ([`Error::ResultMissing`]), but nothing is read or written out of bounds.
///
/// ```no_run
/// # fn f(values: &wgpu::Buffer, row_offsets: &wgpu::Buffer, sum: &treefold::Reducer<f32, treefold::ops::FastSum>) -> treefold::Result<()> {
/// use treefold::Input;
/// let rows_of_a_matrix = sum.reduce_each(Input::from(values).segments(row_offsets))?;
/// let three = sum.reduce_each(Input::from(values).segments(&[0u32, 10, 10, 99][..]))?; // the second one is empty
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Offsets<'a>(pub(crate) OffsetsIn<'a>);

/// Offsets on the device, or in host memory.
#[derive(Clone, Debug)]
pub(crate) enum OffsetsIn<'a> {
    Device(Ranges<'a>),
    Host(Cow<'a, [u64]>),
}

/// The bounds of segments, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// By what they are found.
    pub by: By,
    /// The first of these segments, among all that are counted.
    pub first: u64,
    /// Segments, at most.
    pub segments: u64,
    /// The word that says how many there are in all, or how many elements; known on the device only.
    pub count: Option<Piece>,
}

/// By what the ends of segments are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Offsets, u32, one more than there are segments.
    Offsets(Piece),
    /// Rows of so many elements, as many as the count says.
    Rows(u64),
    /// The first elements, as many as the count says, are one segment.
    Elements,
}

impl Ends {
    /// All segments of these offsets.
    pub fn of(offsets: Piece) -> Ends {
        Ends { by: By::Offsets(offsets), first: 0, segments: offsets.elements.saturating_sub(1), count: None }
    }

    /// So many of them from the n-th on.
    pub fn part(&self, from: u64, segments: u64) -> Ends {
        let by = match self.by {
            By::Offsets(offsets) => By::Offsets(offsets.part(from, segments + 1)),
            by => by,
        };
        Ends { by, first: self.first + from, segments, count: self.count }
    }

    /// Whether the device alone knows how many segments there are.
    pub fn counted(&self) -> bool {
        self.count.is_some() && self.by != By::Elements
    }
}

impl<'a> From<Input<'a, u32>> for Offsets<'a> {
    fn from(offsets: Input<'a, u32>) -> Self {
        Offsets(OffsetsIn::Device(offsets.ranges))
    }
}

impl<'a> From<&'a wgpu::Buffer> for Offsets<'a> {
    fn from(offsets: &'a wgpu::Buffer) -> Self {
        Input::from(offsets).into()
    }
}

impl<'a> From<wgpu::BufferSlice<'a>> for Offsets<'a> {
    fn from(offsets: wgpu::BufferSlice<'a>) -> Self {
        Input::from(offsets).into()
    }
}

impl<'a> From<&'a [u64]> for Offsets<'a> {
    fn from(offsets: &'a [u64]) -> Self {
        Offsets(OffsetsIn::Host(offsets.into()))
    }
}

impl From<&[u32]> for Offsets<'_> {
    fn from(offsets: &[u32]) -> Self {
        Offsets(OffsetsIn::Host(offsets.iter().map(|&offset| offset.into()).collect()))
    }
}

impl<'a> Offsets<'a> {
    /// Whether a slice has offsets, which rise and stay within so many elements.
    ///
    /// # Errors
    /// [`Error::NoOffsets`], [`Error::OffsetsFall`], [`Error::OffsetsOutside`].
    pub fn check(offsets: &[u64], elements: u64) -> Result<()> {
        let Some(&last) = offsets.last() else { return Err(Error::NoOffsets) };
        if let Some(place) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Error::OffsetsFall { place: place + 1, before: offsets[place], offset: offsets[place + 1] });
        }
        if last > elements {
            return Err(Error::OffsetsOutside { place: offsets.len() - 1, offset: last, elements });
        }
        Ok(())
    }

    /// The ranges that hold the offsets, on the device; `None` of a slice.
    pub(crate) fn there(&self) -> Option<&Ranges<'a>> {
        if let OffsetsIn::Device(there) = &self.0 { Some(there) } else { None }
    }

    /// Number of segments.
    pub(crate) fn segments(&self, elements: u64) -> Result<u64> {
        let offsets = match &self.0 {
            OffsetsIn::Device(ranges) if ranges.count() != 1 => {
                return Err(Error::OffsetsApart { ranges: ranges.count() });
            }
            OffsetsIn::Device(ranges) => ranges.elements(),
            OffsetsIn::Host(offsets) => {
                Offsets::check(offsets, elements)?;
                offsets.len() as u64
            }
        };
        offsets.checked_sub(1).ok_or(Error::NoOffsets)
    }
}
