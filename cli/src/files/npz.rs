//! Members of .npz files: a zip of .npy files, stored or deflated.

use super::choice::Several;
use super::{Ask, Numbers, Reader, Shown, npy, told};
use crate::error::unreadable;
use anyhow::{Context, Result, anyhow, bail, ensure};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

/// Place, lengths and checksum of a member.
#[derive(Clone)]
struct Member {
    begin: u64,
    packed_bytes: u64,
    deflated: bool,
    bytes: u64,
    crc: u32,
}

/// The members of a file, in the order in which they lie there.
pub struct Npz {
    file: File,
    archive: ZipArchive<BufReader<File>>,
    /// Their places in the archive.
    places: Vec<usize>,
    names: Vec<String>,
}

impl Npz {
    pub fn open(name: &str, file: File) -> Result<Npz> {
        let again = file.try_clone().map_err(|error| unreadable(name, &error))?;
        let archive = ZipArchive::new(BufReader::new(again)).map_err(|error| damaged(name, &error))?;
        let member = |at| Some((at, archive.name_for_index(at)?.strip_suffix(".npy")?.to_string()));
        let (places, names) = (0..archive.len()).filter_map(member).unzip();
        Ok(Npz { file, archive, places, names })
    }
}

fn damaged(name: &str, error: &ZipError) -> anyhow::Error {
    anyhow!("{name}: is damaged as a zip file: {error}; copy or save it again")
}

/// The name of a packing that is not unpacked here.
fn named(packing: CompressionMethod) -> String {
    let known = [
        (CompressionMethod::DEFLATE64, "Deflate64"),
        (CompressionMethod::BZIP2, "bzip2"),
        (CompressionMethod::LZMA, "LZMA"),
        (CompressionMethod::ZSTD, "zstd"),
        (CompressionMethod::XZ, "xz"),
        (CompressionMethod::PPMD, "PPMd"),
    ];
    let found = known.into_iter().find(|(known, _)| *known == packing);
    found.map_or_else(|| packing.to_string(), |(_, name)| name.into())
}

impl Several for Npz {
    fn what(&self) -> &'static str {
        "members"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn look(&mut self, name: &str, at: usize, _: &Ask) -> Result<Shown> {
        let (&place, title) = self.places.get(at).zip(self.names.get(at)).context("a member vanished")?;
        let found = self.archive.by_index_raw(place).map_err(|error| damaged(name, &error))?;
        ensure!(!found.encrypted(), "{name}: its member {title} is encrypted; unpack it first");
        let deflated = match found.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                let packing = named(other);
                bail!("{name}: its member {title} is packed by {packing}; save it with numpy.savez or savez_compressed")
            }
        };
        let begin = found.data_start().with_context(|| format!("{name}: its member {title} begins nowhere"))?;
        let (packed_bytes, bytes, crc) = (found.compressed_size(), found.size(), found.crc32());
        drop(found);
        let member = Member { begin, packed_bytes, deflated, bytes, crc };
        let mut reader = member.open(self.file.try_clone()?)?;
        let array = npy::read(name, &mut reader).with_context(|| format!("member {title}"))?;
        let needs = array.data_at + array.data_bytes();
        ensure!(bytes >= needs, array.truncated(&format!("{name}: member {title}"), bytes));
        let header = array.data_at;
        let make = move |file: File, _: &_| {
            let mut reader = member.open(file)?;
            std::io::copy(&mut reader.by_ref().take(header), &mut std::io::sink())?;
            Ok(reader)
        };
        Ok(Shown {
            stored: array.stored,
            count: Some(array.count),
            array: Some(array),
            numbers: Numbers::Made(Arc::new(make)),
        })
    }
}

impl Member {
    /// Its bytes, which are checked at their end.
    fn open(&self, mut file: File) -> Result<Reader> {
        file.seek(SeekFrom::Start(self.begin))?;
        let packed = BufReader::with_capacity(1 << 16, file).take(self.packed_bytes);
        let bytes: Reader = if self.deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
        Ok(Box::new(Checked { bytes, crc: Crc::new(), member: self.clone(), left: self.bytes }))
    }
}

/// Bytes of a member, which must add up to what the file says.
struct Checked {
    bytes: Reader,
    crc: Crc,
    member: Member,
    left: u64,
}

impl Read for Checked {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        let damaged = |what: &str| told(format!("a member of it is damaged: {what}; copy or save the file again"));
        let got = self.bytes.read(space).map_err(|error| match error.raw_os_error() {
            None => damaged(&error.to_string()),
            Some(_) => error,
        })?;
        let read = &space[..got];
        self.crc.update(read);
        self.left = self.left.checked_sub(got as u64).ok_or_else(|| damaged("it is longer than it claims"))?;
        if got == 0 && !space.is_empty() {
            if self.left > 0 {
                return Err(damaged(&format!("{} bytes are missing at its end", self.left)));
            }
            if self.crc.sum() != self.member.crc {
                return Err(damaged("its checksum is wrong"));
            }
        }
        Ok(got)
    }
}
