//! Elements that engines read themselves, each of their threads from the place that it is at: those of a file, say.

use crate::element::Element;
use crate::error::{Error, Result};
#[cfg(any(unix, windows))]
use std::fs::File;
use std::io;
use std::ops::Range;

/// Elements that can be read from any place, by several threads at once.
///
/// An engine reads them in pieces of some hundred thousand bytes into memory of its own: the CPU engine into a buffer of each thread that its cache
/// holds, a device's stream on the way to staging memory. Nothing is mapped, so that a file that shrinks or a disk that fails is an error.
pub trait ReadAt<T>: Sync {
    /// Fills the space with the elements from this place on.
    ///
    /// # Errors
    /// Those of the medium; [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) where there are fewer.
    fn read_elements(&self, at: u64, space: &mut [T]) -> io::Result<()>;
}

/// The elements of a file as this machine stores them, counted from the file's first byte.
///
/// ```
/// use std::io::Write;
/// use treefold::{Engine, StreamOptions, ops::Sum};
/// let mut file = tempfile::tempfile()?;
/// for x in 0..1000u32 {
///     file.write_all(&x.to_ne_bytes())?;
/// }
/// let mut stream = Engine::named("cpu")?.stream::<u32, _>(Sum, &StreamOptions::default())?;
/// stream.push_from(&file, 10..1000)?;
/// assert_eq!(stream.finish()?.output, 499_500 - 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(any(unix, windows))]
impl<T: Element> ReadAt<T> for File {
    fn read_elements(&self, at: u64, space: &mut [T]) -> io::Result<()> {
        let mut at = at.checked_mul(size_of::<T>() as u64).ok_or(io::ErrorKind::InvalidInput)?;
        let mut bytes: &mut [u8] = bytemuck::cast_slice_mut(space);
        while !bytes.is_empty() {
            match read_some(self, bytes, at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(many) => {
                    at += many as u64;
                    bytes = &mut bytes[many..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn read_some(file: &File, space: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, space, at)
}

#[cfg(windows)]
fn read_some(file: &File, space: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, space, at)
}

/// Of two errors of readers side by side, that of the earlier place; anything else comes before.
pub(crate) fn earlier(one: Error, other: Error) -> Error {
    let place = |error: &Error| if let Error::Unreadable { at, .. } = error { Some(*at) } else { None };
    if place(&other) < place(&one) { other } else { one }
}

/// The elements that an engine is given.
#[derive(Clone, Copy)]
pub(crate) enum ToFold<'a, T> {
    /// In memory.
    Here(&'a [T]),
    /// To be read: so many from this place on.
    There(&'a dyn ReadAt<T>, u64, usize),
}

impl<'a, T: Element> ToFold<'a, T> {
    /// Their number.
    pub fn len(&self) -> usize {
        match *self {
            ToFold::Here(slice) => slice.len(),
            ToFold::There(.., elements) => elements,
        }
    }

    /// Those of a range, which lies within them.
    pub fn part(&self, range: Range<usize>) -> ToFold<'a, T> {
        match *self {
            ToFold::Here(slice) => ToFold::Here(&slice[range]),
            ToFold::There(from, at, _) => ToFold::There(from, at + range.start as u64, range.len()),
        }
    }

    /// All of them in memory, in the space where they are not there yet.
    pub fn seen<'b>(&self, space: &'b mut Vec<T>) -> Result<&'b [T]>
    where
        'a: 'b,
    {
        match *self {
            ToFold::Here(slice) => Ok(slice),
            ToFold::There(from, at, elements) => {
                space.resize(elements, T::ZERO);
                read(from, at, space)?;
                Ok(space)
            }
        }
    }

    /// Hands their bytes to `take`, one behind another; those that are read, in pieces of so many elements.
    pub fn in_pieces(&self, piece: usize, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let piece = if matches!(self, ToFold::Here(_)) { usize::MAX } else { piece.max(1) };
        let (mut begin, mut space) = (0, Vec::new());
        while begin < self.len() {
            let end = self.len().min(begin.saturating_add(piece));
            take(bytemuck::cast_slice(self.part(begin..end).seen(&mut space)?))?;
            begin = end;
        }
        Ok(())
    }
}

fn read<T>(from: &dyn ReadAt<T>, at: u64, space: &mut [T]) -> Result<()> {
    from.read_elements(at, space).map_err(|error| Error::Unreadable { at, message: error.to_string() })
}
