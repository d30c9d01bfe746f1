//! gzip and Zstandard around a file: found by what it begins with, unpacked as it is read.

use super::{Reader, told};
use crate::error::usage;
use anyhow::Result;
use std::ffi::OsStr;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

/// Bytes that tell what an input is.
pub const HEAD: usize = 10;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing of a file that begins so; `None` for one that is not packed.
    pub fn of(head: &[u8]) -> Option<Packing> {
        match head {
            // Raw numbers may begin so too: what else a header of gzip has is looked at.
            [0x1f, 0x8b, 8, flags, _, _, _, _, extra, system, ..]
                if *flags < 32 && matches!(extra, 0 | 2 | 4) && matches!(system, 0..=13 | 255) =>
            {
                Some(Packing::Gzip)
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "Zstandard",
        }
    }

    /// The error of a file that is read from several places.
    pub fn to_be_unpacked(self, name: &str) -> anyhow::Error {
        let command = match self {
            Packing::Gzip => "gunzip",
            Packing::Zstd => "unzstd",
        };
        usage(format!(
            "{name}: is packed, and what is in it is read from several places; unpack it first ({command} {name})"
        ))
    }

    /// What is packed.
    pub fn unpack(self, packed: Reader) -> Result<Reader> {
        let packed = BufReader::with_capacity(1 << 16, packed);
        let bytes = match self {
            Packing::Gzip => gunzip(packed)?,
            Packing::Zstd => unzstd(packed)?,
        };
        Ok(Box::new(Unpacked { bytes, packing: self }))
    }
}

/// The name without the ending of a packed file.
pub fn inner(path: &Path) -> &Path {
    let packed = |ending: &OsStr| ["gz", "zst"].into_iter().any(|known| ending.eq_ignore_ascii_case(known));
    match (path.extension(), path.file_stem()) {
        (Some(ending), Some(stem)) if packed(ending) => Path::new(stem),
        _ => path,
    }
}

#[cfg(feature = "gzip")]
fn gunzip(packed: BufReader<Reader>) -> Result<Reader> {
    Ok(Box::new(flate2::bufread::MultiGzDecoder::new(packed)))
}

#[cfg(not(feature = "gzip"))]
fn gunzip(_: BufReader<Reader>) -> Result<Reader> {
    super::features::left_out("gzip")
}

#[cfg(feature = "zstd")]
fn unzstd(packed: BufReader<Reader>) -> Result<Reader> {
    Ok(Box::new(zstd::stream::read::Decoder::with_buffer(packed)?))
}

#[cfg(not(feature = "zstd"))]
fn unzstd(_: BufReader<Reader>) -> Result<Reader> {
    super::features::left_out("zstd")
}

/// A stream whose errors say what is wrong with the file.
struct Unpacked {
    bytes: Reader,
    packing: Packing,
}

impl Read for Unpacked {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        self.bytes.read(space).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            // Of the disk.
            _ if error.raw_os_error().is_some() => error,
            ErrorKind::UnexpectedEof => {
                told(format!("its {} stream ends too early; copy the file again", self.packing.name()))
            }
            _ => told(format!("its {} stream is damaged ({error}); copy the file again", self.packing.name())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_are_told_from_numbers() {
        let gzip = [0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 3];
        assert_eq!(Packing::of(&gzip), Some(Packing::Gzip));
        assert_eq!(Packing::of(&gzip[..9]), None);
        // An i32 that looks alike, and another behind it.
        assert_eq!(Packing::of(&[0x1f, 0x8b, 8, 0, 1, 0, 0, 0, 7, 0]), None);
        assert_eq!(Packing::of(&[0x28, 0xb5, 0x2f, 0xfd]), Some(Packing::Zstd));
        assert_eq!(inner(Path::new("a/x.csv.GZ")), Path::new("x.csv"));
        assert_eq!(inner(Path::new("x.npy")), Path::new("x.npy"));
    }
}
