//! A reduction that is not finished: an accumulator as a value that crosses chunks, devices, processes and machines.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::{Acc, Accumulator, Fold, Keep, Leaf, Op};
use std::marker::PhantomData;

/// The accumulator of some elements, how many they are, and where the first of them stands in the whole input, if known.
///
/// `merge(a, b)` is a's elements followed by b's. Partials of most operators merge in any order, those of exact operators
/// from any mix of adapters and with the same bits as one reduction over everything. Where an operator holds positions
/// (`argmin`, `stats`), parts are merged in their order, and the positions of the right one move behind the left one; where
/// it reads positions, the right one must begin where the left one ends. [`Reducer::partial`](crate::Reducer::partial),
/// [`Cpu::partial`](crate::Cpu::partial) and [`Stream::partial`](crate::Stream::partial) make them.
///
/// ```
/// use treefold::{Cpu, Partial, ops::Sum};
/// let cpu = Cpu::new();
/// let front = cpu.partial(Sum, &[1e10f32, 1.0]).to_bytes()?;
/// let back = cpu.partial(Sum, &[-1e10f32]).to_bytes()?; // on another machine, say
/// let all = Partial::<f32, Sum>::from_bytes(Sum, &back)?.merge(Partial::from_bytes(Sum, &front)?)?;
/// assert_eq!((all.count(), all.finish()?), (3, 1.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone)]
pub struct Partial<T: Element, O: Op<T>> {
    op: O,
    acc: Acc<T, O>,
    count: u64,
    /// Place of the first element in the whole input; `None`: a part of its own, whose positions count from its start.
    first: Option<u64>,
    element: PhantomData<T>,
}

impl<T: Element, O: Op<T>> std::fmt::Debug for Partial<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (operator, count) = (self.op.signature(), self.count);
        f.debug_struct("Partial")
            .field("operator", &operator)
            .field("count", &count)
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

/// What a partial's bytes say of themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The operator's signature: its name with its parameters.
    pub operator: String,
    /// The element type's name.
    pub dtype: String,
    /// How many elements went in.
    pub count: u64,
    /// Place of the first in the whole input, where it is known.
    pub first: Option<u64>,
}

impl Header {
    /// The operator's signature, shortened where it is long.
    pub fn title(&self) -> String {
        title(&self.operator)
    }

    /// The operator's name, without parameters.
    pub fn name(&self) -> &str {
        self.operator.split('(').next().unwrap_or_default()
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

const MAGIC: &[u8; 8] = b"treefold";
const VERSION: u32 = 2;
/// Magic, version, lengths of both names, number of words, count, place of the first element.
const FIXED_BYTES: usize = 8 + 4 + 3 * 4 + 8 + 8;
/// The place of a first element that is not known.
const NOWHERE: u64 = u64::MAX;

impl<T: Element, O: Op<T>> Partial<T, O> {
    /// Of no elements.
    pub fn empty(op: O) -> Self {
        let acc = op.fold().identity();
        Self::of(op, acc, 0, None)
    }

    /// An accumulator whose positions count from `first`, or from its own start.
    pub(crate) fn of(op: O, acc: Acc<T, O>, count: u64, first: Option<u64>) -> Self {
        let acc = op.fold().canonical(acc);
        Partial { op, acc, count, first, element: PhantomData }
    }

    /// How many elements went in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Place of the first element in the whole input, where it is known.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// This one's elements followed by the other's.
    ///
    /// # Errors
    /// [`Error::BadPartial`] where the count would not fit 64 bits, and where the operator needs the order and the other one
    /// does not begin where this one ends.
    pub fn merge(self, other: Self) -> Result<Self> {
        let count = self.count.checked_add(other.count).ok_or_else(|| bad("more than 2^64 elements in all"))?;
        if self.count == 0 || other.count == 0 {
            return Ok(if self.count == 0 { other } else { self });
        }
        if self.first.is_none() && other.first.is_some() && positions::<T, O>(&self.op.fold()).1 {
            return Err(bad(&format!(
                "{} holds positions, and the right part knows its place in the whole while the left one does not; make both by partial_at, or both without",
                title(&self.op.signature())
            )));
        }
        let end = self.first.map(|first| first.wrapping_add(self.count));
        let follows = end.zip(other.first).map(|(end, first)| end == first);
        let fold = self.op.fold();
        let (ordered, moves) = positions::<T, O>(&fold);
        if follows == Some(false) && ordered {
            return Err(bad(&format!(
                "{} depends on the order, and the part after elements {}..{} begins at {}; merge parts in their order, without gaps",
                title(&self.op.signature()),
                self.first.unwrap_or(0),
                end.unwrap_or(0),
                other.first.unwrap_or(0)
            )));
        }
        if follows.is_none() && reads_position::<T, O>(&fold) {
            return Err(bad(&format!(
                "{} reads positions, and a part does not know where in the whole it begins; make parts with their first place (partial_at)",
                title(&self.op.signature())
            )));
        }
        // Positions that count from the part's own start move behind the left part's.
        let by = if other.first.is_none() { self.first.unwrap_or(0).wrapping_add(self.count) } else { 0 };
        let right = if moves && by > 0 { fold.offset(other.acc, by) } else { other.acc };
        let acc = fold.combine(self.acc, right);
        let first = if ordered { self.first } else { self.first.filter(|_| follows == Some(true)) };
        Ok(Self::of(self.op, acc, count, first))
    }

    /// The answer.
    ///
    /// # Errors
    /// What [`Op::finish`] says.
    pub fn finish(&self) -> Result<O::Output> {
        self.op.finish(self.acc.clone(), self.count)
    }

    /// The answer of the same fold with other parameters of the answer: another ddof, say.
    ///
    /// # Errors
    /// What [`Op::finish`] says.
    #[doc(hidden)]
    pub fn finish_as(&self, op: &O) -> Result<O::Output> {
        op.finish(self.acc.clone(), self.count)
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
                title(&self.op.signature())
            )));
        }
        let mut words = vec![0; self.op.fold().acc_words()];
        self.op.fold().write_acc(&self.acc, &mut words);
        let (operator, dtype) = (self.op.signature(), T::DTYPE.name());
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, operator.len() as u32, dtype.len() as u32, words.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.first.unwrap_or(NOWHERE).to_le_bytes());
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
        let (operator, dtype) = (op.signature(), T::DTYPE.name());
        if header.operator != operator || header.dtype != dtype {
            let (found, over, operator) = (header.title(), header.dtype, title(&operator));
            return Err(bad(&format!(
                "it holds {found} over {over}, not {operator} over {dtype}; merge like with like"
            )));
        }
        let wants = op.fold().acc_words();
        if words.len() != wants {
            return Err(bad(&format!(
                "{} words of accumulator where {} has {wants}; write it anew",
                words.len(),
                title(&operator)
            )));
        }
        let acc = op.fold().read_acc(&words);
        Ok(Self::of(op, acc, header.count, header.first))
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

/// Whether the order of parts shows in the answer, and whether positions in an accumulator move.
fn positions<T: Element, O: Op<T>>(fold: &O::Fold) -> (bool, bool) {
    let leaves = leaves::<T, O>(fold);
    let moves = leaves.iter().any(|leaf| leaf.value().is_some_and(|wgsl| wgsl.offset.is_some()));
    (moves || leaves.iter().any(|leaf| leaf.reads_position || !leaf.commutative), moves)
}

fn reads_position<T: Element, O: Op<T>>(fold: &O::Fold) -> bool {
    leaves::<T, O>(fold).iter().any(|leaf| leaf.reads_position)
}

fn leaves<T: Element, O: Op<T>>(fold: &O::Fold) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    fold.leaves(Keep::Registers, &mut leaves);
    leaves
}

fn bad(reason: &str) -> Error {
    Error::BadPartial { reason: reason.into() }
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<u32>)> {
    if !bytes.starts_with(MAGIC) {
        return Err(bad("it does not begin as one; Partial::to_bytes writes partials"));
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
            "version {version}, where this treefold reads version {VERSION}; write all parts anew with one treefold"
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
    let wide = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
    let (operator, dtype) = (text(&names[..operator]), text(&names[operator..]));
    let first = Some(wide(32)).filter(|&first| first != NOWHERE);
    let header = Header { operator, dtype, count: wide(24), first };
    Ok((header, rest.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()))
}
