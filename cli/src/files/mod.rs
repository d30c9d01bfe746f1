//! The formats of files: what each says of its numbers, and how those are read. The rest of the program knows none of them.

pub mod abreast;
#[cfg(feature = "arrow")]
mod arrow;
mod choice;
#[cfg(feature = "csv")]
mod csv;
mod features;
pub mod missing;
mod names;
pub mod npy;
#[cfg(feature = "npz")]
mod npz;
mod packing;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "safetensors")]
mod safetensors;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod section;

pub use choice::{ListedColumn, NamedColumns};
pub use missing::FoundMissing;
pub use names::{ensure_read_again, is_read_once, named, named_once};

use crate::error::{ToldError, unreadable, usage};
use crate::format::{Stored, whole_numbers};
use crate::options::MissingPolicy;
use crate::source::{fill, warn_trailing};
use anyhow::{Context, Result, anyhow, bail, ensure};
use features::{several, table};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Bytes, from their begin to their end.
pub type Reader = Box<dyn Read + Send>;

/// Memory of what is read ahead of a file beside the elements.
const BESIDE_MEMORY: u64 = 8 << 20;

/// The missing values of some inputs, of which nothing is recorded where none can lack any and nobody asks.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    policy: MissingPolicy,
    record: Arc<OnceLock<missing::Record>>,
}

impl Missing {
    /// The same for another reading of the inputs.
    pub fn again(&self) -> Missing {
        let again = self.record.get().map(missing::Record::again);
        Missing { policy: self.policy, record: Arc::new(again.map_or_else(OnceLock::new, OnceLock::from)) }
    }

    /// An input of so many elements is read to its end.
    pub fn passed(&self, elements: u64) {
        if let Some(record) = self.record.get() {
            record.passed(elements);
        }
    }

    /// Number of missing values, and whether they were left out; `None` where no input can lack values.
    pub fn found(&self) -> Option<FoundMissing> {
        self.record.get()?.found()
    }
}

impl Deref for Missing {
    type Target = missing::Record;

    fn deref(&self) -> &missing::Record {
        self.record.get_or_init(|| missing::Record::new(self.policy))
    }
}

/// The request to all inputs of a kind.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The type of raw numbers, and of those in text.
    pub raw: Option<Stored>,
    /// The name of the column, member or tensor.
    pub column: Option<String>,
    /// Treatment of missing values.
    pub missing: Missing,
    /// Bytes that may be held of what is read ahead.
    pub memory: u64,
    /// Whether two inputs become pairs.
    pub pairs: bool,
    /// The column of each of the two, in place of one for all inputs.
    pub columns: Option<[String; 2]>,
    /// The option that names the file, where that stands beside the elements.
    option: Option<&'static str>,
}

impl Ask {
    /// For the elements themselves.
    pub fn new(raw: Option<Stored>, column: Option<String>, policy: MissingPolicy, memory: u64) -> Ask {
        Ask { raw, column, missing: Missing { policy, ..Missing::default() }, memory, ..Ask::default() }
    }

    /// For the numbers of a file that this option names, which go with elements.
    pub fn beside(option: &'static str) -> Ask {
        let ask = Ask { option: Some(option), memory: BESIDE_MEMORY, ..Ask::default() };
        ask.missing.refuse_beside();
        ask
    }

    /// The same, with these missing values.
    pub fn with(&self, missing: Missing) -> Ask {
        Ask { missing, ..self.clone() }
    }

    /// The request to the input of this number.
    pub fn of(&self, number: usize) -> Ask {
        let own = self.columns.as_ref().and_then(|columns| columns.get(number).cloned());
        Ask { column: own.or_else(|| self.column.clone()), ..self.clone() }
    }

    /// That one of several columns, which are `listed`, has to be named.
    fn unnamed(&self, name: &str, listed: &str) -> anyhow::Error {
        usage(match self.option {
            Some(option) => format!("{name}: holds {listed}; {option} reads a file of one"),
            None if self.pairs => format!("{name}: holds {listed}; pass --columns with two of them, x and y"),
            None => format!("{name}: holds {listed}; pass --column with one of them, or --columns with several"),
        })
    }

    /// Refuses a type that `--dtype` does not name.
    fn agree(&self, name: &str, what: &str, stored: Stored) -> Result<()> {
        if let Some(raw) = self.raw.filter(|&raw| !stored.may_be_called(raw)) {
            bail!("{name}: is {what} of {}, but --dtype says {}; leave it out", stored.name(), raw.name());
        }
        Ok(())
    }
}

/// An array as its file describes it.
#[derive(Clone, Debug)]
pub struct Array {
    /// The type of its numbers.
    pub stored: Stored,
    /// Numbers in the array; they end within 63 bits of bytes.
    pub count: u64,
    /// The first bytes of the file, which tell whether it is another one.
    pub header: Vec<u8>,
    /// Bytes before the first number.
    pub data_at: u64,
    /// The lengths of the axes longer than 1 where they are stored in Fortran order and there is more than one.
    pub fortran: Option<Vec<u64>>,
    /// The lengths of all axes.
    pub axes: Vec<u64>,
    /// Whether they are stored in Fortran order.
    pub fortran_order: bool,
    /// The shape as Python writes it, in short.
    pub shape: String,
}

impl Array {
    /// Bytes of the array.
    pub fn data_bytes(&self) -> u64 {
        self.count * self.stored.size() as u64
    }

    /// The error of a file that ends too early.
    pub fn truncated(&self, name: &str, has: u64) -> anyhow::Error {
        let (shape, needs) = (&self.shape, self.data_at + self.data_bytes());
        anyhow!("{name}: truncated: has {has} bytes, but its shape {shape} needs {needs}; copy or save it again")
    }
}

/// The numbers of an input, as far as it shows them.
pub struct Shown {
    /// Their type.
    pub stored: Stored,
    /// Their array, where there is one.
    pub array: Option<Array>,
    /// Count of the numbers, missing ones too, where it is known.
    pub count: Option<u64>,
    /// The way to read them.
    pub numbers: Numbers,
}

/// The numbers of a file.
#[derive(Clone)]
pub enum Numbers {
    /// A range of it, from this byte on.
    Range(u64),
    /// Numbers that this makes of it.
    Made(Make),
}

/// Makes little-endian numbers of a file.
pub type Make = Arc<dyn Fn(File, &Missing) -> Result<Reader> + Send + Sync>;

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// By its name, or by its beginning.
    Npy,
    /// Numbers without a header, as far as a name tells.
    Raw,
    /// Text, with this between fields.
    Table(u8),
    Arrow,
    Npz,
    Parquet,
    Safetensors,
}

impl Format {
    /// By the ending of a name, else by what the file begins with, which raw numbers may begin with too.
    fn of(path: Option<&Path>, head: &[u8], ask: &Ask) -> Format {
        let ending = path.map(unpacked_name).and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
        match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("npy") => return Format::Npy,
            Some("npz") => return Format::Npz,
            Some("csv") => return Format::Table(b','),
            Some("tsv") => return Format::Table(b'\t'),
            Some("arrow" | "arrows" | "feather" | "ipc") => return Format::Arrow,
            Some("parquet") => return Format::Parquet,
            Some("safetensors") => return Format::Safetensors,
            _ => (),
        }
        match head {
            _ if head.starts_with(npy::MAGIC) => Format::Npy,
            _ if head.starts_with(b"PK\x03\x04") && ask.raw.is_none() => Format::Npz,
            _ if head.starts_with(b"ARROW1") && ask.raw.is_none() => Format::Arrow,
            _ if head.starts_with(b"PAR1") && ask.raw.is_none() => Format::Parquet,
            // A header's length of a few bytes, and its first letter.
            [_, _, _, _, 0, 0, 0, 0, b'{', ..] if ask.raw.is_none() => Format::Safetensors,
            // A message of a stream, whose length is a multiple of 8. Raw numbers of a file may begin so: -1, and a small one.
            [0xff, 0xff, 0xff, 0xff, low, _, _, 0..=0x0f, ..]
                if low % 8 == 0 && path.is_none() && ask.raw.is_none() =>
            {
                Format::Arrow
            }
            // An input without a name may be a table where a column of it is asked for.
            _ if path.is_none() && ask.column.is_some() => Format::Table(b','),
            _ => Format::Raw,
        }
    }
}

/// Bytes that tell what an input is.
const HEAD: usize = 10;

/// The packing of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing of a file that begins so; `None` for one that is not packed.
    fn of(head: &[u8]) -> Option<Packing> {
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
}

/// The name without the ending of a packed file.
fn unpacked_name(path: &Path) -> &Path {
    let packed = |ending: &OsStr| ["gz", "zst"].into_iter().any(|known| ending.eq_ignore_ascii_case(known));
    match (path.extension(), path.file_stem()) {
        (Some(ending), Some(stem)) if packed(ending) => Path::new(stem),
        _ => path,
    }
}

/// The first bytes of a file, with the packing and the format that it has.
struct Recognized {
    head: Vec<u8>,
    packing: Option<Packing>,
    format: Format,
}

impl Recognized {
    /// Of a file, which is read from its begin again.
    fn of(name: &str, path: &Path, file: &mut File, ask: &Ask) -> Result<Recognized> {
        let head = first_bytes(name, file)?;
        file.rewind().map_err(|error| unreadable(name, &error))?;
        let (packing, format) = (Packing::of(&head), Format::of(Some(path), &head, ask));
        Ok(Recognized { head, packing, format })
    }
}

/// The first bytes, as many as are looked at.
fn first_bytes(name: &str, from: &mut dyn Read) -> Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let got = fill(from, &mut head).map_err(|error| unreadable(name, &error))?;
    head.truncate(got);
    Ok(head)
}

/// The numbers that a file of so many bytes shows.
pub fn look(name: &str, path: &Path, mut file: File, length: u64, ask: &Ask) -> Result<Shown> {
    let Recognized { head, packing, format } = Recognized::of(name, path, &mut file, ask)?;
    match (packing, format) {
        (None, Format::Npy | Format::Raw) => {
            let (array, stored) = header(name, &head, format, ask, &mut file)?;
            let count = match &array {
                Some(array) => array_fits(name, array, length)?,
                None => {
                    whole_numbers(name, length, stored)?;
                    length / stored.size() as u64
                }
            };
            let numbers = Numbers::Range(array.as_ref().map_or(0, |array| array.data_at));
            Ok(Shown { stored, array, count: Some(count), numbers })
        }
        (_, Format::Npy | Format::Raw | Format::Table(_)) => {
            let Streamed { stored, array, .. } = stream(name, Some(path), Box::new(file), ask)?;
            let count = array.as_ref().map(|array| array.count);
            let (name, path, ask) = (name.to_string(), path.to_path_buf(), ask.clone());
            let make = move |file: File, missing: &Missing| {
                let ask = ask.with(missing.clone());
                // Bytes that were added since are not read.
                let bytes: Reader = Box::new(file.take(length));
                Ok(stream(&name, Some(&path), bytes, &ask)?.numbers)
            };
            Ok(Shown { stored, array, count, numbers: Numbers::Made(Arc::new(make)) })
        }
        (Some(packing), _) => Err(packing.to_be_unpacked(name)),
        _ if head.is_empty() => Err(empty(name)),
        (None, _) => {
            let (what, mut several) = several(name, format, file, length)?;
            let shown = choice::asked(&mut *several, name, ask)?;
            ask.agree(name, what, shown.stored)?;
            Ok(shown)
        }
    }
}

/// The numbers of a stream, with their type and their array.
pub struct Streamed {
    pub stored: Stored,
    pub array: Option<Array>,
    pub numbers: Reader,
}

/// The numbers of bytes that are read once, packed or not; `path` is their name, where they have one.
pub fn stream(name: &str, path: Option<&Path>, bytes: Reader, ask: &Ask) -> Result<Streamed> {
    let (head, mut bytes, packed) = unpacked(name, bytes)?;
    let format = Format::of(path, &head, ask);
    match format {
        Format::Npy | Format::Raw => {
            let (array, stored) = header(name, &head, format, ask, &mut bytes)?;
            let numbers = match &array {
                Some(array) if packed => packing::to_its_end(bytes, array.data_bytes()),
                _ => bytes,
            };
            Ok(Streamed { stored, array, numbers })
        }
        Format::Table(delimiter) => {
            let stored = text_type(ask)?;
            let numbers = table(name, delimiter, bytes, stored, ask)?;
            Ok(Streamed { stored, array: None, numbers })
        }
        _ if head.is_empty() => Err(empty(name)),
        Format::Arrow | Format::Npz | Format::Parquet | Format::Safetensors => Err(not_streamed(name)),
    }
}

fn empty(name: &str) -> anyhow::Error {
    anyhow!("{name}: is empty (0 bytes); copy or write it again")
}

fn not_streamed(name: &str) -> anyhow::Error {
    usage(format!(
        "{name}: is a file that is read from several places, which a stream has not; name the file, or write it to a file first"
    ))
}

/// The type of the numbers in a text.
pub fn text_type(ask: &Ask) -> Result<Stored> {
    ask.raw.or(Stored::raw("f64")).context("text has no f64")
}

/// The first bytes of a stream, and all of it, both unpacked; whether it was packed.
fn unpacked(name: &str, bytes: Reader) -> Result<(Vec<u8>, Reader, bool)> {
    let (head, bytes) = beginning(name, bytes)?;
    let packing = Packing::of(&head);
    let (head, bytes) = match packing {
        Some(packing) => beginning(name, packing.unpack(bytes)?)?,
        None => (head, bytes),
    };
    Ok((head, bytes, packing.is_some()))
}

/// The first bytes of a stream, and all of it.
fn beginning(name: &str, mut bytes: Reader) -> Result<(Vec<u8>, Reader)> {
    let head = first_bytes(name, &mut bytes)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(bytes))))
}

/// The header of an input that begins with `head`, none for a raw one, and the type of its numbers.
fn header(name: &str, head: &[u8], format: Format, ask: &Ask, from: &mut dyn Read) -> Result<(Option<Array>, Stored)> {
    let is_npy = format == Format::Npy;
    ensure!(ask.column.is_none(), no_columns(name));
    if let (true, false, Some(raw)) = (head.is_empty(), is_npy, ask.raw) {
        // No numbers, as an empty part of many has none.
        return Ok((None, raw));
    }
    ensure!(!head.is_empty(), "{name}: is empty (0 bytes); a .npy file has a header even where its array is empty");
    if head.starts_with(npy::MAGIC) {
        let array = npy::read(name, from)?;
        ask.agree(name, "a .npy file", array.stored)?;
        let stored = array.stored;
        return Ok((Some(array), stored));
    }
    ensure!(
        !is_npy,
        "{name}: is no .npy file, though named so: it does not begin with \\x93NUMPY; if it holds raw numbers, rename it \
         and pass --dtype"
    );
    match (ask.raw, ask.option) {
        (Some(raw), _) => Ok((None, raw)),
        (None, Some(option)) => {
            Err(usage(format!("{name}: is no .npy file; {option} reads one, which says its own type")))
        }
        (None, None) => {
            let names = Stored::names().join(", ");
            Err(usage(format!("{name}: is no .npy file; for raw little-endian numbers pass --dtype, one of {names}")))
        }
    }
}

fn no_columns(name: &str) -> anyhow::Error {
    usage(format!(
        "{name}: has no columns; --column and --columns are for .csv, .tsv, .npz, .parquet, .arrow and .safetensors files"
    ))
}

/// Checks that an array lies within a file of so many bytes; its numbers.
fn array_fits(name: &str, array: &Array, length: u64) -> Result<u64> {
    let needs = array.data_at + array.data_bytes();
    if length < needs {
        return Err(array.truncated(name, length));
    }
    if length > needs {
        warn_trailing(name, &format!("{} bytes", length - needs));
    }
    Ok(array.count)
}

/// An error of what a file holds.
fn told(what: String) -> std::io::Error {
    std::io::Error::other(ToldError(what))
}

/// Takes what is left of these numbers, so much of it as there is space.
pub fn take(made: &[u8], taken: &mut usize, space: &mut [u8]) -> usize {
    let left = made.get(*taken..).unwrap_or_default();
    let got = left.len().min(space.len());
    space[..got].copy_from_slice(&left[..got]);
    *taken += got;
    got
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
        assert_eq!(unpacked_name(Path::new("a/x.csv.GZ")), Path::new("x.csv"));
        assert_eq!(unpacked_name(Path::new("x.npy")), Path::new("x.npy"));
    }
}
