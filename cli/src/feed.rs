//! From bytes to elements: through windows of a mapped file, or by reads from a pipe, in bounded memory.

use crate::gather::Fortran;
use crate::npy::Npy;
use crate::stored::Stored;
use anyhow::{Context, Result, anyhow, bail, ensure};
use bytemuck::cast_slice_mut;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use treefold::Element;

/// How much is read at a time.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Elements of a part.
    pub part_elements: usize,
    /// Elements that are put in order at a time.
    pub tile_elements: usize,
    /// Bytes of a file that are mapped at a time.
    pub window_bytes: usize,
}

/// What takes the elements, part by part.
pub type Take<'a, T> = &'a mut dyn FnMut(&[T]) -> Result<()>;

/// Where the bytes come from.
pub enum Body {
    /// A file that can be mapped; opened when its turn comes.
    File(PathBuf),
    /// Anything else: what is left behind the header.
    Pipe(Box<dyn Read + Send>),
}

/// One input whose header is read.
pub struct Opened {
    /// The file's name.
    pub name: String,
    /// The type of its numbers.
    pub stored: Stored,
    /// Its header, where it is a .npy file.
    pub npy: Option<Npy>,
    /// How many numbers there are, where that is known.
    pub count: Option<u64>,
    /// The numbers.
    pub body: Body,
}

impl Opened {
    /// The axes of an array that is in Fortran order; `None` where that is no other than C order.
    pub fn fortran(&self) -> Option<&[u64]> {
        self.npy.as_ref()?.fortran.as_deref()
    }

    /// Hands all elements to `take`; in C order if `ordered`, else as they are stored.
    pub fn feed<T: Element>(self, ordered: bool, sizes: Sizes, take: Take<T>) -> Result<()> {
        let fortran = self.fortran().filter(|_| ordered).map(<[u64]>::to_vec);
        match (self.body, fortran) {
            (Body::File(path), fortran) => {
                let (name, stored) = (&self.name, self.stored);
                let file = File::open(&path).map_err(|error| unreadable(name, &error))?;
                let data_at = self.npy.as_ref().map_or(0, |npy| npy.data_at);
                match fortran {
                    Some(axes) => Fortran { name, file: &file, data_at, stored, axes: &axes }.feed(sizes, take),
                    None => {
                        let bytes = self.count.unwrap_or(0) * stored.size() as u64;
                        feed_windows(name, &file, data_at..data_at + bytes, stored, sizes, take)
                    }
                }
            }
            (Body::Pipe(_), Some(_)) => bail!(
                "{}: is in Fortran order, and an index counts in C order, which a pipe cannot give in bounded memory; \
                 name a file instead",
                self.name
            ),
            (Body::Pipe(mut pipe), None) => {
                feed_pipe(&self.name, &mut *pipe, self.stored, self.npy.as_ref(), sizes, take)
            }
        }
    }
}

/// One line for an input that cannot be opened or read.
pub fn unreadable(name: &str, error: &std::io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::NotFound => anyhow!("{name}: no such file; check the name"),
        ErrorKind::PermissionDenied => anyhow!("{name}: cannot be read: permission denied; check its mode and owner"),
        _ => anyhow!("{name}: cannot be read: {error}"),
    }
}

/// How the bytes of a map will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// From the first to the last.
    InOrder,
    /// Here and there, so that the whole is best fetched at once.
    All,
}

/// Maps a range of a file, after a look whether the file still reaches so far.
pub fn map(name: &str, file: &File, begin: u64, bytes: u64, touch: Touch) -> Result<Mmap> {
    let length = file.metadata().map_err(|error| unreadable(name, &error))?.len();
    ensure!(begin + bytes <= length, "{name}: became shorter while it was read ({length} bytes now); read it again");
    let length = usize::try_from(bytes).with_context(|| format!("{name}: window of {bytes} bytes"))?;
    let mut options = MmapOptions::new();
    options.offset(begin).len(length);
    if touch == Touch::All {
        options.populate();
    }
    // SAFETY: the map is only read, as plain numbers. Whoever cuts or rewrites the file meanwhile changes the answer
    // or ends the program, as with every reader of mapped files.
    let map = unsafe { options.map(file) }.map_err(|error| unreadable(name, &error))?;
    #[cfg(unix)]
    if touch == Touch::InOrder {
        map.advise(memmap2::Advice::Sequential).unwrap_or_else(|error| log::debug!("{name}: madvise: {error}"));
    }
    Ok(map)
}

fn feed_windows<T: Element>(
    name: &str,
    file: &File,
    range: std::ops::Range<u64>,
    stored: Stored,
    sizes: Sizes,
    take: Take<T>,
) -> Result<()> {
    let mut space = vec![];
    for begin in range.clone().step_by(sizes.window_bytes) {
        let bytes = (range.end - begin).min(sizes.window_bytes as u64);
        let window = map(name, file, begin, bytes, Touch::InOrder)?;
        for part in window.chunks(sizes.part_elements * stored.size()) {
            take(stored.elements(part, &mut space))?;
        }
    }
    Ok(())
}

fn feed_pipe<T: Element>(
    name: &str,
    pipe: &mut dyn Read,
    stored: Stored,
    npy: Option<&Npy>,
    sizes: Sizes,
    take: Take<T>,
) -> Result<()> {
    let size = stored.size();
    let mut left = npy.map_or(u64::MAX, Npy::data_bytes);
    let mut total = 0;
    // Words of 64 bits, so that whatever arrives is aligned.
    let words = (sizes.part_elements * size).div_ceil(8) as u64;
    let mut part = vec![0u64; words.min(left.div_ceil(8)) as usize];
    let mut space = vec![];
    loop {
        let part = cast_slice_mut::<u64, u8>(&mut part);
        let wanted = left.min((part.len() / size * size) as u64) as usize;
        let got = fill(pipe, &mut part[..wanted]).map_err(|error| unreadable(name, &error))?;
        total += got as u64;
        left -= got as u64;
        let whole = got / size * size;
        if whole > 0 {
            take(stored.elements(&part[..whole], &mut space))?;
        }
        if got < wanted || left == 0 {
            break;
        }
    }
    match npy {
        None => whole_numbers(name, total, stored),
        Some(npy) if left > 0 => Err(truncated(name, npy, npy.data_at + total)),
        Some(_) => {
            if fill(pipe, &mut [0]).map_err(|error| unreadable(name, &error))? > 0 {
                warn_trailing(name, "bytes");
            }
            Ok(())
        }
    }
}

/// Reads until the space is full or the input ends.
pub fn fill(reader: &mut dyn Read, space: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < space.len() {
        match reader.read(&mut space[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Checks that a raw input ends with a whole number.
pub fn whole_numbers(name: &str, bytes: u64, stored: Stored) -> Result<()> {
    let (size, dtype) = (stored.size() as u64, stored.name());
    let more = bytes % size;
    ensure!(
        more == 0,
        "{name}: has {bytes} bytes, which is no multiple of {size} (--dtype {dtype}): {more} too many; it is cut short or \
         of another type"
    );
    Ok(())
}

/// The error of a .npy file that ends too early.
pub fn truncated(name: &str, npy: &Npy, has: u64) -> anyhow::Error {
    let (shape, needs) = (&npy.shape, npy.data_at + npy.data_bytes());
    anyhow!("{name}: truncated: has {has} bytes, but its shape {shape} needs {needs}; copy or save it again")
}

/// Says that more follows behind the array.
pub fn warn_trailing(name: &str, what: &str) {
    eprintln!("treefold: warning: {name}: ignored {what} behind the end of its array");
}
