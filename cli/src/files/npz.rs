//! Members of .npz files: a zip of .npy files, stored or deflated.

use super::choice::choose;
use super::{Ask, Numbers, Reader, Shown, npy, told};
use anyhow::{Context, Result, anyhow, bail, ensure};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use zip::{CompressionMethod, ZipArchive};

/// Where a member lies, and what its bytes add up to.
#[derive(Clone)]
struct Member {
    begin: u64,
    packed_bytes: u64,
    deflated: bool,
    bytes: u64,
    crc: u32,
}

/// The member that is asked for.
pub fn look(name: &str, file: File, ask: &Ask) -> Result<Shown> {
    let damaged = |error| anyhow!("{name}: is damaged as a zip file: {error}; copy or save it again");
    let mut members = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    // In the order in which they lie there.
    let all: Vec<(usize, String)> = (0..members.len())
        .filter_map(|at| Some((at, members.name_for_index(at)?.strip_suffix(".npy")?.to_string())))
        .collect();
    let names: Vec<String> = all.iter().map(|(_, name)| name.clone()).collect();
    let at = choose(name, "members", &names, ask)?;
    let (at, title) = all.get(at).context("a member vanished")?;
    let found = members.by_index_raw(*at).map_err(damaged)?;
    ensure!(!found.encrypted(), "{name}: its member {title} is encrypted; unpack it first");
    let deflated = match found.compression() {
        CompressionMethod::Stored => false,
        CompressionMethod::Deflated => true,
        other => bail!("{name}: its member {title} is packed by {other}; save it with numpy.savez or savez_compressed"),
    };
    let begin = found.data_start().with_context(|| format!("{name}: its member {title} begins nowhere"))?;
    let (packed_bytes, bytes, crc) = (found.compressed_size(), found.size(), found.crc32());
    drop(found);
    let member = Member { begin, packed_bytes, deflated, bytes, crc };
    let mut reader = member.open(members.into_inner().into_inner())?;
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
