//! The bytes of partials. All numbers are little-endian:
//!
//! ```text
//! "treefold", version, lengths of the operator's and the type's name, words of an accumulator   8 bytes, 4 u32
//! elements of an answer, place of the first of them or 2^64 - 1                                 2 u64
//! versions 3 and 4, of many answers: number of axes, their lengths                              u32, u64 each
//! both names, the accumulators in C order                                                       bytes, u32 each
//! version 4, of groups: elements of each                                                        u64 each
//! CRC-32 of all before it                                                                       u32
//! ```

use crate::error::{Error, Result};
use std::ops::Range;

/// The description of a partial that its bytes carry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The operator's signature: its name with its parameters.
    pub operator: String,
    /// The element type's name.
    pub dtype: String,
    /// Number of elements that went in; of many answers, into each; of groups, into all together, with those whose key is no group's.
    pub count: u64,
    /// Place of the first in the whole input, where it is known.
    pub first: Option<u64>,
    /// The shape of the answers; of no axes where there is one answer.
    pub shape: Vec<u64>,
    /// Whether the answers are groups, each over elements of its own number.
    pub grouped: bool,
}

/// Of one answer.
const VERSION: u32 = 2;
/// Of many: with a shape.
const VERSION_MANY: u32 = 3;
/// Of groups: with the elements of each.
const VERSION_GROUPS: u32 = 4;
/// Magic, version, lengths of both names, number of words, count, place of the first element.
const FIXED_BYTES: usize = 8 + 4 + 3 * 4 + 8 + 8;
/// The place of a first element that is not known.
const NOWHERE: u64 = u64::MAX;

impl Header {
    /// The first bytes of every partial.
    pub const MAGIC: &'static [u8; 8] = b"treefold";

    /// The operator's signature, shortened where it is long.
    pub fn title(&self) -> String {
        title(&self.operator)
    }

    /// The operator's name, without parameters.
    pub fn name(&self) -> &str {
        self.operator.split('(').next().unwrap_or_default()
    }

    /// The description that the bytes of a partial carry, after all checks that need no operator.
    ///
    /// # Errors
    /// [`Error::BadPartial`].
    pub fn read(bytes: &[u8]) -> Result<Header> {
        Ok(read(bytes)?.header)
    }
}

/// Letters of a signature that is shown as it is.
const TITLE_MAX: usize = 160;

/// A signature for people: of a long one, many edges for example, both ends and a checksum that tells it from others.
#[doc(hidden)]
pub fn title(signature: &str) -> String {
    let letters = signature.chars().count();
    if letters <= TITLE_MAX {
        return signature.into();
    }
    let front: String = signature.chars().take(TITLE_MAX / 2).collect();
    let back: String = signature.chars().skip(letters - TITLE_MAX / 4).collect();
    format!("{front}…{back} (CRC-32 {:08x})", crc32fast::hash(signature.as_bytes()))
}

/// Number of answers of a shape; `None`: more than 64 bits count.
pub(super) fn answers(shape: &[u64]) -> Option<u64> {
    match shape.contains(&0) {
        true => Some(0),
        false => shape.iter().try_fold(1u64, |all, &length| all.checked_mul(length)),
    }
}

pub(super) fn bad(reason: &str) -> Error {
    Error::BadPartial { reason: reason.into() }
}

/// The bytes of accumulators of so many words each; `counts`: the elements of each, of groups.
pub(super) fn write(header: &Header, each: usize, words: &[u32], counts: Option<&[u64]>) -> Vec<u8> {
    let Header { operator, dtype, count, first, shape, grouped } = header;
    let version = match &shape[..] {
        _ if *grouped => VERSION_GROUPS,
        [] => VERSION,
        _ => VERSION_MANY,
    };
    let mut bytes = Header::MAGIC.to_vec();
    for number in [version, operator.len() as u32, dtype.len() as u32, each as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(count.to_le_bytes());
    bytes.extend(first.unwrap_or(NOWHERE).to_le_bytes());
    if version != VERSION {
        bytes.extend((shape.len() as u32).to_le_bytes());
        bytes.extend(shape.iter().flat_map(|length| length.to_le_bytes()));
    }
    bytes.extend(operator.bytes().chain(dtype.bytes()));
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(counts.into_iter().flatten().flat_map(|count| count.to_le_bytes()));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// The places of the parts behind the fixed one, as the lengths give them.
struct Places {
    shape: Vec<u64>,
    operator: Range<usize>,
    dtype: Range<usize>,
    words: Range<usize>,
    counts: Range<usize>,
}

impl Places {
    /// `None` where they are more than there is.
    fn of(checked: &[u8]) -> Option<Places> {
        let length = |at: usize| usize::try_from(number(checked, at)?).ok();
        let [operator, dtype, each] = [length(12)?, length(16)?, length(20)?];
        let (mut shape, mut at) = (Vec::new(), FIXED_BYTES);
        let version = number(checked, 8)?;
        if version != VERSION {
            let begin = FIXED_BYTES + 4;
            let end = length(FIXED_BYTES)?.checked_mul(8)?.checked_add(begin)?;
            shape = checked.get(begin..end)?.chunks_exact(8).filter_map(|length| wide(length, 0)).collect();
            at = end;
        }
        let answers = usize::try_from(answers(&shape)?).ok()?;
        let words = answers.checked_mul(each)?.checked_mul(4)?;
        let counts = if version == VERSION_GROUPS { answers.checked_mul(8)? } else { 0 };
        let names = at.checked_add(operator)?;
        let behind = names.checked_add(dtype)?;
        let counted = behind.checked_add(words)?;
        let end = counted.checked_add(counts)?;
        let there = end <= checked.len();
        let (operator, dtype) = (at..names, names..behind);
        there.then_some(Places { shape, operator, dtype, words: behind..counted, counts: counted..end })
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn wide(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// What bytes hold.
pub(super) struct Read {
    pub header: Header,
    /// The words of all accumulators.
    pub words: Vec<u32>,
    /// The elements of each answer, of groups.
    pub counts: Option<Vec<u64>>,
}

/// Reads them, after all checks that need no operator.
pub(super) fn read(bytes: &[u8]) -> Result<Read> {
    if !bytes.starts_with(Header::MAGIC) {
        return Err(bad("it does not begin as one; Partial::to_bytes writes partials"));
    }
    let cut = || bad("it is cut short; write it anew");
    if bytes.len() < FIXED_BYTES + 4 {
        return Err(cut());
    }
    let (checked, checksum) = bytes.split_at(bytes.len() - 4);
    let version = number(checked, 8).ok_or_else(cut)?;
    if ![VERSION, VERSION_MANY, VERSION_GROUPS].contains(&version) {
        return Err(bad(&format!(
            "version {version}, where this treefold reads version {VERSION}, {VERSION_MANY} of many answers and {VERSION_GROUPS} of groups; \
             write all parts anew with one treefold"
        )));
    }
    let places = Places::of(checked);
    if crc32fast::hash(checked).to_le_bytes() != checksum {
        return Err(match places {
            None => cut(),
            Some(_) => bad("its checksum is wrong, so it is damaged; write it anew"),
        });
    }
    let whole = |places: &Places| places.counts.end == checked.len() && places.shape.is_empty() == (version == VERSION);
    let places = places.filter(whole).ok_or_else(|| bad("its lengths contradict each other; write it anew"))?;
    let text = |range: Range<usize>| String::from_utf8_lossy(&checked[range]).into_owned();
    let first = wide(checked, 32).filter(|&first| first != NOWHERE);
    let count = wide(checked, 24).ok_or_else(cut)?;
    let words = checked[places.words].chunks_exact(4).filter_map(|word| number(word, 0)).collect();
    let counts = checked[places.counts].chunks_exact(8).filter_map(|count| wide(count, 0)).collect::<Vec<u64>>();
    let outgrown = counts.iter().try_fold(count, |left, &count| left.checked_sub(count)).is_none();
    if outgrown {
        return Err(bad(&format!("its groups have more than the {count} elements that went in; write it anew")));
    }
    let grouped = version == VERSION_GROUPS;
    let (operator, dtype) = (text(places.operator), text(places.dtype));
    let header = Header { operator, dtype, count, first, shape: places.shape, grouped };
    Ok(Read { header, words, counts: grouped.then_some(counts) })
}
