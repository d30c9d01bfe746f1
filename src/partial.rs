//! A reduction that is not finished: an accumulator as a value that crosses chunks, devices, processes and machines.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::{Accumulator, Op};
use std::marker::PhantomData;

/// The accumulator of some elements, and how many they are.
///
/// Partials of one operator merge; those of exact operators in any order and from any mix of adapters, with the same bits as
/// one reduction over everything. [`Reducer::partial`](crate::Reducer::partial), [`Cpu::partial`](crate::Cpu::partial) and
/// [`Stream::partial`](crate::Stream::partial) make them.
///
/// ```
/// use treefold::{Cpu, Partial, ops::ExactSum};
/// let cpu = Cpu::new();
/// let front = cpu.partial(ExactSum, &[1e10f32, 1.0]).to_bytes()?;
/// let back = cpu.partial(ExactSum, &[-1e10f32]).to_bytes()?; // on another machine, say
/// let all = Partial::<f32, ExactSum>::from_bytes(ExactSum, &back)?.merge(Partial::from_bytes(ExactSum, &front)?)?;
/// assert_eq!((all.count(), all.finish()?), (3, 1.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Partial<T: Element, O: Op<T>> {
    op: O,
    acc: O::Acc,
    count: u64,
    element: PhantomData<T>,
}

/// What a partial's bytes say of themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The operator's name.
    pub operator: String,
    /// The element type's name.
    pub dtype: String,
    /// How many elements went in.
    pub count: u64,
}

const MAGIC: &[u8; 8] = b"treefold";
const VERSION: u32 = 1;
/// Magic, version, lengths of both names, number of words, count.
const FIXED_BYTES: usize = 8 + 4 + 3 * 4 + 8;

impl<T: Element, O: Op<T>> Partial<T, O> {
    /// Of no elements.
    pub fn empty(op: O) -> Self {
        let acc = op.identity();
        Self::of(op, acc, 0)
    }

    pub(crate) fn of(op: O, acc: O::Acc, count: u64) -> Self {
        let acc = op.canonical(acc);
        Partial { op, acc, count, element: PhantomData }
    }

    /// How many elements went in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// This one's elements followed by the other's.
    ///
    /// # Errors
    /// [`Error::BadPartial`] where the count would not fit 64 bits, and for operators with places in their answer, which count
    /// from the start of each part.
    pub fn merge(self, other: Self) -> Result<Self> {
        if O::PLACES {
            let operator = self.op.name();
            return Err(bad(&format!(
                "{operator} holds places that count from each part's start; reduce all parts at once"
            )));
        }
        let count = self.count.checked_add(other.count).ok_or_else(|| bad("more than 2^64 elements in all"))?;
        let acc = self.op.combine(self.acc, other.acc);
        Ok(Self::of(self.op, acc, count))
    }

    /// The answer.
    ///
    /// # Errors
    /// What [`Op::finish`] says.
    pub fn finish(&self) -> Result<O::Output> {
        self.op.finish(self.acc, self.count)
    }

    /// The bytes of a file or a message: magic, version, operator, element type, count, accumulator, all little-endian, and a
    /// CRC-32 of everything before it. Equal partials of exact operators have equal bytes.
    ///
    /// # Errors
    /// [`Error::BadPartial`] where an integer sum has outgrown the 64 bits that are written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if !self.acc.fits() {
            return Err(bad(&format!(
                "the {} does not fit the bytes of a partial; write more and smaller parts",
                self.op.name()
            )));
        }
        let mut words = vec![0; O::Acc::WORDS];
        self.acc.write(&mut words);
        let (operator, dtype) = (self.op.name(), T::DTYPE.name());
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, operator.len() as u32, dtype.len() as u32, words.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(operator.bytes().chain(dtype.bytes()));
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads them back.
    ///
    /// # Errors
    /// [`Error::BadPartial`] where they are cut, damaged, of another version, or of another operator or element type.
    pub fn from_bytes(op: O, bytes: &[u8]) -> Result<Self> {
        let (header, words) = read(bytes)?;
        let (operator, dtype) = (op.name(), T::DTYPE.name());
        if header.operator != operator || header.dtype != dtype {
            let Header { operator: found, dtype: over, .. } = header;
            return Err(bad(&format!(
                "it holds {found} over {over}, not {operator} over {dtype}; merge like with like"
            )));
        }
        if words.len() != O::Acc::WORDS {
            let wants = O::Acc::WORDS;
            return Err(bad(&format!(
                "{} words of accumulator where {operator} has {wants}; write it anew",
                words.len()
            )));
        }
        Ok(Self::of(op, O::Acc::read(&words), header.count))
    }
}

impl Header {
    /// What the bytes of a partial say of themselves, after all checks that need no operator.
    ///
    /// # Errors
    /// [`Error::BadPartial`].
    pub fn read(bytes: &[u8]) -> Result<Header> {
        Ok(read(bytes)?.0)
    }
}

fn bad(reason: &str) -> Error {
    Error::BadPartial { reason: reason.into() }
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<u32>)> {
    if !bytes.starts_with(MAGIC) {
        return Err(bad("it does not begin as one; write it with --partial, or Partial::to_bytes"));
    }
    let cut = || bad("it is cut short; write it anew");
    if bytes.len() < FIXED_BYTES + 4 {
        return Err(cut());
    }
    let (checked, checksum) = bytes.split_at(bytes.len() - 4);
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let version = number(8);
    if version != VERSION {
        return Err(bad(&format!(
            "version {version}, where this treefold reads version {VERSION}; use one treefold for all parts"
        )));
    }
    let [operator, dtype, words] = [12, 16, 20].map(|at| number(at) as usize);
    let needs = words.checked_mul(4).and_then(|n| n.checked_add(operator)).and_then(|n| n.checked_add(dtype));
    let (Some(needs), room) = (needs, checked.len() - FIXED_BYTES) else { return Err(cut()) };
    if crc32fast::hash(checked).to_le_bytes() != checksum {
        let what = if needs > room { "it is cut short" } else { "its checksum is wrong, so it is damaged" };
        return Err(bad(&format!("{what}; write it anew")));
    }
    if needs != room {
        return Err(bad("its lengths contradict each other; write it anew"));
    }
    let (names, rest) = checked[FIXED_BYTES..].split_at(operator + dtype);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let count = u64::from(number(24)) | u64::from(number(28)) << 32;
    let header = Header { operator: text(&names[..operator]), dtype: text(&names[operator..]), count };
    Ok((header, rest.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()))
}
