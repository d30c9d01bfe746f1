//! Numbers that only the device knows.

use super::{Input, Piece, Ranges};
use crate::error::{Error, Result};

/// A number that only the device knows, the first u32 of a range of a buffer: how many elements, rows or segments there are when the
/// commands run. One beyond what the buffers have room for counts as that room; 0 is an empty input. See [`Input::counted`] and
/// [`Each::counted`](crate::Each::counted).
///
/// ```no_run
/// # fn f(buffer: &wgpu::Buffer) {
/// use treefold::{DeviceCount, Input};
/// let first_word: DeviceCount = buffer.into();
/// let word_of_indirect_arguments: DeviceCount = Input::range(buffer, 4..5).into(); // the fifth word, say of a draw's arguments
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DeviceCount<'a>(pub(crate) Ranges<'a>);

impl<'a, I: Into<Input<'a, u32>>> From<I> for DeviceCount<'a> {
    fn from(range: I) -> Self {
        DeviceCount(range.into().ranges)
    }
}

impl<'a> DeviceCount<'a> {
    /// The word, and its buffer, which is to be the n-th.
    pub(crate) fn piece(&self, buffer: usize) -> Result<(Piece, &'a wgpu::Buffer)> {
        let (pieces, buffers) = self.0.pieces()?;
        let found = pieces.iter().zip(buffers).find(|(piece, _)| piece.elements > 0);
        let (piece, at) = found.ok_or(Error::NoCount)?;
        Ok((Piece { buffer, ..piece.part(0, 1) }, at))
    }
}
