//! gzip and Zstandard around a file, unpacked as it is read.

use super::{Packing, Reader, told};
use crate::error::usage;
use anyhow::Result;
#[cfg(feature = "gzip")]
use std::io::BufRead;
use std::io::{BufReader, ErrorKind, Read};

impl Packing {
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

    /// A reader of the unpacked bytes.
    pub fn unpack(self, packed: Reader) -> Result<Reader> {
        let packed = BufReader::with_capacity(1 << 16, packed);
        let bytes = match self {
            Packing::Gzip => gunzip(packed)?,
            Packing::Zstd => unzstd(packed)?,
        };
        Ok(Box::new(Unpacked { bytes, packing: self }))
    }
}

#[cfg(feature = "gzip")]
fn gunzip(packed: BufReader<Reader>) -> Result<Reader> {
    Ok(Box::new(GzipMembers(Some(flate2::bufread::GzDecoder::new(packed)))))
}

/// The members of a gzip file, one behind the other. Zeros that fill a block of a tape or a disk may follow the last one, as for gunzip.
#[cfg(feature = "gzip")]
struct GzipMembers(Option<flate2::bufread::GzDecoder<BufReader<Reader>>>);

#[cfg(feature = "gzip")]
impl Read for GzipMembers {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let got = member.read(space)?;
            if got > 0 || space.is_empty() {
                return Ok(got);
            }
            let rest = self.0.take().map(flate2::bufread::GzDecoder::into_inner);
            self.0 = rest.map(another).transpose()?.flatten().map(flate2::bufread::GzDecoder::new);
        }
        Ok(0)
    }
}

/// What is behind a member, where it begins as one; `None` at the end of the file, zeros aside.
#[cfg(feature = "gzip")]
fn another(mut rest: BufReader<Reader>) -> std::io::Result<Option<BufReader<Reader>>> {
    if rest.fill_buf()?.first() == Some(&0x1f) {
        return Ok(Some(rest));
    }
    loop {
        let bytes = rest.fill_buf()?;
        let count = bytes.len();
        if bytes.iter().any(|byte| *byte != 0) {
            return Err(std::io::Error::other("bytes that are none follow it"));
        }
        if count == 0 {
            return Ok(None);
        }
        rest.consume(count);
    }
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

/// What a packed stream holds, of which so many bytes are wanted: whoever asks for more waits for its end, where a damaged one is noticed.
pub fn to_its_end(bytes: Reader, wanted: u64) -> Reader {
    Box::new(ToItsEnd { bytes, wanted })
}

struct ToItsEnd {
    bytes: Reader,
    wanted: u64,
}

impl Read for ToItsEnd {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        if self.wanted == 0 {
            let got = self.bytes.read(space)?;
            if got > 0 {
                std::io::copy(&mut self.bytes, &mut std::io::sink())?;
            }
            return Ok(got);
        }
        let most = usize::try_from(self.wanted).unwrap_or(usize::MAX).min(space.len());
        let got = self.bytes.read(&mut space[..most])?;
        self.wanted -= got as u64;
        Ok(got)
    }
}
