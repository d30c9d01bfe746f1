//! Masks: which elements count, in a buffer or a slice beside them.

use super::{Input, ReadAt, Second, Unit};
use crate::element::{Flaggable, Flagged};
use crate::error::{Error, Result};
use std::io;
use std::ops::Range;

/// The flags of elements in a buffer, a byte or a bit of each: see [`Input::masked`].
///
/// The buffer has a multiple of 4 bytes, for kernels read whole words; flags beyond the last element may say anything.
#[derive(Clone, Debug)]
pub struct Mask<'a> {
    buffer: &'a wgpu::Buffer,
    unit: Unit,
    flags: Range<u64>,
}

impl<'a> Mask<'a> {
    /// A byte of each element, 0 where it does not count.
    pub fn bytes(buffer: &'a wgpu::Buffer) -> Self {
        Mask { buffer, unit: Unit::Byte, flags: 0..buffer.size() }
    }

    /// A bit of each element, 1 where it counts, the lowest of a byte first: `np.packbits` with `bitorder="little"` packs such ones.
    pub fn bits(buffer: &'a wgpu::Buffer) -> Self {
        Mask { buffer, unit: Unit::Bit, flags: 0..buffer.size().saturating_mul(8) }
    }

    /// Those of this range alone, counted from the start of the buffer.
    #[must_use]
    pub fn range(self, flags: Range<u64>) -> Self {
        Mask { flags, ..self }
    }
}

impl<'a, T: Flaggable> Input<'a, Flagged<T>> {
    /// Numbers of which those count whose flags in the mask are set: what [`Filtered::masked`](crate::ops::Filtered::masked) takes. Nothing is
    /// copied; kernels read both.
    ///
    /// The first flag is that of the first number, and so on; flags beyond the last are not read. Rows, axes, segments and groups of it are
    /// those of the numbers.
    ///
    /// ```no_run
    /// # fn f(levels: &wgpu::Buffer, valid: &wgpu::Buffer, gpu: &treefold::Gpu) -> treefold::Result<()> {
    /// use treefold::{Flagged, Input, Mask, ops::{Filtered, Mean}};
    /// let mean = gpu.reducer::<Flagged<f32>, _>(Filtered::masked(Mean))?;
    /// let of_all = mean.reduce(Input::masked(levels, Mask::bytes(valid))?)?;
    /// let of_each_row = mean.reduce_each(Input::masked(levels, Mask::bytes(valid))?.rows(512))?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::MaskTooShort`] where it has fewer flags than there are numbers; [`Error::MissingUsage`], [`Error::OutOfRange`],
    /// [`Error::Misaligned`]; [`Error::TextureInParts`] of a texture.
    pub fn masked(values: impl Into<Input<'a, T>>, mask: Mask<'a>) -> Result<Self> {
        let ranges = values.into().ranges;
        let (elements, flags) = (ranges.elements(), mask.flags.end.saturating_sub(mask.flags.start));
        if flags < elements {
            return Err(Error::MaskTooShort { elements, flags });
        }
        let mut first = mask.flags.start;
        let mut others = Vec::with_capacity(ranges.ranges.len());
        for (_, bytes) in &ranges.ranges {
            others.push(Second { buffer: mask.buffer, first, unit: mask.unit });
            first += ranges.elements_of(bytes);
        }
        let masked = Self::of(ranges.ranges, others, T::DTYPE.bytes());
        masked.ranges.pieces()?;
        Ok(masked)
    }
}

/// Numbers in a slice and their flags in another, to be read as [`Flagged`] elements: by [`Engine::reduce_from`](crate::Engine::reduce_from) and
/// [`Stream::push_from`](crate::Stream::push_from).
#[derive(Clone, Copy, Debug)]
pub struct MaskedSlice<'a, T> {
    values: &'a [T],
    mask: &'a [u8],
    unit: Unit,
}

impl<'a, T: Flaggable> MaskedSlice<'a, T> {
    /// With a byte for each number, 0 where it does not count; of a slice of `bool` [`bytemuck::cast_slice`] makes such ones.
    ///
    /// # Errors
    /// [`Error::MaskTooShort`] where there are fewer flags than numbers.
    pub fn bytes(values: &'a [T], mask: &'a [u8]) -> Result<Self> {
        Self::of(values, mask, Unit::Byte)
    }

    /// With a bit for each number, 1 where it counts, the lowest of a byte first.
    ///
    /// ```
    /// use treefold::{Engine, MaskedSlice, ops::{Filtered, Sum}};
    /// let values = MaskedSlice::bits(&[1i64, 10, 100, 1000], &[0b1010])?;
    /// assert_eq!(Engine::named("cpu")?.reduce_from(Filtered::masked(Sum), &values, 0..4)?.answer, 1010);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MaskTooShort`] where there are fewer flags than numbers.
    pub fn bits(values: &'a [T], mask: &'a [u8]) -> Result<Self> {
        Self::of(values, mask, Unit::Bit)
    }

    fn of(values: &'a [T], mask: &'a [u8], unit: Unit) -> Result<Self> {
        let (elements, flags) = (values.len() as u64, 8 * mask.len() as u64 / unit.bits());
        if flags < elements {
            return Err(Error::MaskTooShort { elements, flags });
        }
        Ok(MaskedSlice { values, mask, unit })
    }
}

impl<T: Flaggable> ReadAt<Flagged<T>> for MaskedSlice<'_, T> {
    fn read_elements(&self, at: u64, space: &mut [Flagged<T>]) -> io::Result<()> {
        let at = usize::try_from(at).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let values = self.values.get(at..).and_then(|rest| rest.get(..space.len()));
        let values = values.ok_or(io::ErrorKind::UnexpectedEof)?;
        let each = space.iter_mut().zip(values);
        match self.unit {
            Unit::Bit => {
                for ((to, &value), flag) in each.zip(at..) {
                    *to = Flagged::new(value, self.mask[flag / 8] >> (flag % 8) & 1 != 0);
                }
            }
            Unit::Byte | Unit::Word => {
                for ((to, &value), &flag) in each.zip(&self.mask[at..]) {
                    *to = Flagged::new(value, flag != 0);
                }
            }
        }
        Ok(())
    }
}
