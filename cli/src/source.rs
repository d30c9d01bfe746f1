//! Bytes of files: in mapped windows or read into buffers, with an eye on whether the file stays what it was.

use crate::error::unreadable;
use crate::format::Stored;
use crate::guard::Window;
use crate::streams::{say, warn};
use anyhow::{Context, Result, bail, ensure};
use bytemuck::cast_slice_mut;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use treefold::{Element, ReadAt};

/// Amounts that are read at a time.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Elements of a part.
    pub part_elements: usize,
    /// Elements that are put in order at a time.
    pub tile_elements: usize,
    /// Bytes of a file that are mapped at a time.
    pub window_bytes: usize,
}

impl Sizes {
    /// Parts that the stream does not cut, windows of whole parts, tiles of half a share; all within a share of the memory.
    pub fn within(part_elements: usize, element_bytes: usize, memory_bytes: u64) -> Sizes {
        const WINDOW: usize = 64 << 20;
        let share = usize::try_from(memory_bytes / 4).unwrap_or(WINDOW);
        let part_elements = part_elements.min(share / element_bytes).max(1);
        let part_bytes = part_elements * element_bytes;
        let tile_elements = (share / (2 * element_bytes)).clamp(1, 16 << 20);
        Sizes { part_elements, tile_elements, window_bytes: part_bytes * (share.min(WINDOW) / part_bytes).max(1) }
    }
}

/// Function that takes the elements, part by part.
pub type Take<'a, T> = &'a mut dyn FnMut(&[T]) -> Result<()>;

/// Bytes for which another thread that reads is worth its start.
const SHARE: usize = 1 << 20;
/// Numbers that are converted at a time.
const CONVERTED: usize = 1 << 14;
/// Threads that read at once; more do not copy faster from the page cache.
const READERS: usize = 8;
/// Longest files that are asked whether they are as long as they claim; a page of /sys at most.
const CLAIM_MAX: u64 = 64 << 10;

/// Identity, length and time of a file, which show that it is another one, or was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Device and number of the file, where the system tells.
    identity: (u64, u64),
    /// Its length in bytes.
    pub length: u64,
    modified: Option<SystemTime>,
}

impl Look {
    /// Those that the metadata say now.
    pub fn of(metadata: &Metadata) -> Look {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let identity = (0, 0);
        Look { identity, length: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Whether the file has as many bytes as its metadata claim; those in /proc and /sys, which claim none or a page, do not.
    pub fn holds(&self, file: &File) -> bool {
        match self.length {
            0 => matches!(read_at(file, &mut [0], 0), Ok(0)),
            CLAIM_MAX.. => true,
            length => matches!(read_at(file, &mut [0], length - 1), Ok(1)),
        }
    }
}

/// A file whose header is read, opened again for its numbers.
#[derive(Debug)]
pub struct Source<'a> {
    name: &'a str,
    file: File,
    /// Its look when its header was read.
    first: Look,
    /// Its header's bytes.
    header: &'a [u8],
}

impl<'a> Source<'a> {
    /// Opens the file, which must still be what it was.
    pub fn open(name: &'a str, path: &Path, first: Look, header: &'a [u8]) -> Result<Source<'a>> {
        let file = File::open(path).map_err(|error| unreadable(name, &error))?;
        let source = Source { name, file, first, header };
        source.unchanged("since it was opened first")?;
        Ok(source)
    }

    /// The file, to be read from its begin.
    pub fn file(&self) -> Result<File> {
        self.file.try_clone().map_err(|error| unreadable(self.name, &error))
    }

    /// A file of this name that is open already.
    #[cfg(test)]
    pub fn of(name: &'a str, file: File) -> Source<'a> {
        let first = Look::of(&file.metadata().unwrap());
        Source { name, file, first, header: &[] }
    }

    /// Checks, when all is read, that the file has not changed; that it has grown is told.
    pub fn close(self) -> Result<()> {
        let now = self.unchanged("while it was read")?;
        if now.length > self.first.length {
            let (name, was) = (self.name, self.first.length);
            say(&format!(
                "treefold: note: {name}: grew from {was} to {} bytes while it was read; the first {was} are taken",
                now.length
            ));
        }
        Ok(())
    }

    /// The file's look now: as it was, or longer behind the same header.
    fn unchanged(&self, when: &str) -> Result<Look> {
        let (name, first) = (self.name, self.first);
        let now = Look::of(&self.file.metadata().map_err(|error| unreadable(name, &error))?);
        ensure!(now.identity == first.identity, "{name}: was replaced by another file {when}; read it again");
        ensure!(now.length >= first.length, self.shorter(now.length));
        if now.length > first.length {
            let mut header = vec![0; self.header.len()];
            self.read(0, &mut header)?;
            ensure!(header == self.header, "{name}: its header was changed {when}; read it again");
        } else {
            ensure!(
                now.modified == first.modified,
                "{name}: was written to {when}: its time of modification has changed; read it again when it is complete"
            );
        }
        Ok(now)
    }

    fn shorter(&self, now: u64) -> String {
        let (name, was) = (self.name, self.first.length);
        format!(
            "{name}: became shorter while it was read: from {was} to {now} bytes; read it again when it is complete"
        )
    }

    /// Fills the space with the bytes from there on, by several threads where it is large.
    pub fn read(&self, begin: u64, space: &mut [u8]) -> Result<()> {
        let threads = if space.len() < 2 * SHARE { 1 } else { (space.len() / SHARE).min(readers()) };
        let share = space.len().div_ceil(threads).max(1);
        let mut shares = (begin..).step_by(share).zip(space.chunks_mut(share));
        std::thread::scope(|scope| {
            let mine = shares.next();
            let others: Vec<_> = shares.map(|(at, share)| scope.spawn(move || self.read_exactly(at, share))).collect();
            let read = mine.map_or(Ok(()), |(at, share)| self.read_exactly(at, share));
            others.into_iter().fold(read, |read, other| {
                let other = other.join().unwrap_or_else(|_| Err(Error::other("a reader stopped")));
                read.and(other)
            })
        })
        .or_else(|error| self.ended(&error))
    }

    fn read_exactly(&self, at: u64, space: &mut [u8]) -> std::io::Result<()> {
        self.file.read_elements(at, space)
    }

    /// Why a read failed.
    fn ended(&self, error: &Error) -> Result<()> {
        if error.kind() != ErrorKind::UnexpectedEof {
            return Err(unreadable(self.name, error));
        }
        let now = self.file.metadata().map_err(|error| unreadable(self.name, &error))?.len();
        ensure!(now >= self.first.length, self.shorter(now));
        bail!("{}: ends before the {now} bytes that its size claims; read it through a pipe instead", self.name)
    }

    /// The numbers from that byte on, for engines that read them themselves; `seen` is told of bytes that are read.
    pub fn numbers(&'a self, data_at: u64, stored: Stored, seen: &'a (dyn Fn(u64) + Sync)) -> InPlace<'a> {
        InPlace { source: self, data_at, stored, seen, failed: Mutex::default() }
    }

    /// Hands the elements of a range of the file to `take`.
    pub fn feed<T: Element>(&self, range: Range<u64>, stored: Stored, sizes: Sizes, take: Take<T>) -> Result<()> {
        let mut space = vec![];
        for begin in range.clone().step_by(sizes.window_bytes) {
            let length = (range.end - begin).min(sizes.window_bytes as u64) as usize;
            let window = Window::of(&self.file, begin, length).map_err(|error| unreadable(self.name, &error))?;
            for part in window.bytes().chunks(sizes.part_elements * stored.size()) {
                take(stored.elements(part, &mut space))?;
            }
            if window.is_torn() {
                self.unchanged("while it was read")?;
                bail!("{}: cannot be read at byte {begin} or later; its disk or network fails", self.name);
            }
        }
        Ok(())
    }
}

/// The numbers of a file at their places.
pub struct InPlace<'a> {
    source: &'a Source<'a>,
    data_at: u64,
    stored: Stored,
    seen: &'a (dyn Fn(u64) + Sync),
    /// Why they could not be read, where somebody has tried.
    failed: Mutex<Option<anyhow::Error>>,
}

impl InPlace<'_> {
    /// The end of the reading: that of the engine, or why a number could not be read.
    pub fn end(self, read: treefold::Result<()>) -> Result<()> {
        let failed = self.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or_else(|| read.with_context(|| self.source.name.to_string()), Err)
    }
}

impl<T: Element> ReadAt<T> for InPlace<'_> {
    fn read_elements(&self, at: u64, space: &mut [T]) -> std::io::Result<()> {
        let size = self.stored.size();
        let at = self.data_at + at * size as u64;
        let read = if self.stored.is_native::<T>() {
            self.source.read_exactly(at, cast_slice_mut(space))
        } else {
            let (mut words, mut converted) = (aligned(CONVERTED.min(space.len()) * size), vec![]);
            space.chunks_mut(CONVERTED).zip((at..).step_by(CONVERTED * size)).try_for_each(|(part, at)| {
                let bytes = &mut cast_slice_mut(&mut words)[..part.len() * size];
                self.source.read_exactly(at, bytes)?;
                part.copy_from_slice(self.stored.elements(bytes, &mut converted));
                Ok(())
            })
        };
        read.or_else(|error| self.source.ended(&error)).map_err(|error| {
            let told = Error::other(format!("{error:#}"));
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            told
        })?;
        (self.seen)((space.len() * size) as u64);
        Ok(())
    }
}

/// Room for so many bytes, in words, so that whatever is read is aligned.
pub fn aligned(bytes: usize) -> Vec<u64> {
    vec![0; bytes.div_ceil(8)]
}

fn readers() -> usize {
    static READERS_HERE: OnceLock<usize> = OnceLock::new();
    *READERS_HERE.get_or_init(|| std::thread::available_parallelism().map_or(1, |cores| cores.get().min(READERS)))
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

/// Says that more follows behind the array.
pub fn warn_trailing(name: &str, what: &str) {
    warn(&format!("{name}: ignored {what} behind the end of its array"));
}

/// Reads bytes from a place on, some or all of them.
#[cfg(unix)]
pub fn read_at(file: &File, space: &mut [u8], at: u64) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, space, at)
}

#[cfg(windows)]
pub fn read_at(file: &File, space: &mut [u8], at: u64) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, space, at)
}
