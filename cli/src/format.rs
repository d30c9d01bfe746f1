//! What files hold: the types of their numbers, how each becomes an element type of treefold, and headers of .npy files,
//! which are read with care, because a damaged one can claim anything.

use crate::error::STDIN;
use anyhow::{Context, Result, anyhow, bail, ensure};
use bytemuck::try_cast_slice;
use half::f16;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr};
use std::io::Read;
use treefold::{Dtype, Element};

/// What one number is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    U8,
    I8,
    U16,
    I16,
    Native(Dtype),
}

/// The type of the numbers in a file, with their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    kind: Kind,
    big_endian: bool,
}

/// What raw files may hold besides element types.
const NARROW: [(&str, Kind); 4] = [("u8", Kind::U8), ("i8", Kind::I8), ("u16", Kind::U16), ("i16", Kind::I16)];

impl Stored {
    /// Raw files hold little-endian numbers of a type of this name.
    pub fn raw(name: &str) -> Option<Stored> {
        let narrow = NARROW.into_iter().find_map(|(narrow, kind)| (narrow == name).then_some(kind));
        let kind = narrow.or_else(|| Dtype::parse(name).map(Kind::Native))?;
        Some(Stored { kind, big_endian: false })
    }

    /// The names that `raw` knows.
    pub fn names() -> Vec<&'static str> {
        Dtype::ALL.map(Dtype::name).into_iter().chain(NARROW.map(|(name, _)| name)).collect()
    }

    /// The name that `raw` knows it by.
    pub fn name(self) -> &'static str {
        NARROW.into_iter().find(|&(_, kind)| kind == self.kind).map_or(self.dtype().name(), |(name, _)| name)
    }

    /// Whether a .npy file of this type may be called one of the type that `--dtype` named.
    pub fn may_be_called(self, raw: Stored) -> bool {
        match raw.kind {
            Kind::Native(dtype) => becomes(self.dtype(), dtype),
            narrow => self.kind == narrow,
        }
    }

    /// The type of a .npy header.
    ///
    /// # Errors
    /// What that type is, and what to do about it.
    pub fn of(dtype: &DType) -> Result<Stored, Unsupported> {
        let text = match dtype {
            DType::Plain(text) => text,
            DType::Record(fields) => {
                let field = fields.first().map_or("", |field| &field.name);
                return Err(Unsupported::new(
                    "structured",
                    dtype.descr(),
                    format!("[\"{field}\"].astype(\"float32\")"),
                ));
            }
            DType::Array(..) => {
                return Err(Unsupported::new("an array type", dtype.descr(), ".astype(\"float32\")".into()));
            }
        };
        use TypeChar::{Bool, Float, Int, Uint};
        let kind = match (text.type_char(), text.size_field()) {
            (Bool, _) => Kind::Bool,
            (Uint, 1) => Kind::U8,
            (Uint, 2) => Kind::U16,
            (Uint, 4) => Kind::Native(Dtype::U32),
            (Uint, 8) => Kind::Native(Dtype::U64),
            (Int, 1) => Kind::I8,
            (Int, 2) => Kind::I16,
            (Int, 4) => Kind::Native(Dtype::I32),
            (Int, 8) => Kind::Native(Dtype::I64),
            (Float, 2) => Kind::Native(Dtype::F16),
            (Float, 4) => Kind::Native(Dtype::F32),
            (Float, 8) => Kind::Native(Dtype::F64),
            _ => return Err(Unsupported::plain(text)),
        };
        Ok(Stored { kind, big_endian: text.endianness() == Endianness::Big })
    }

    /// The element type that the numbers become, every one of them exactly; f16 may become f32 just as well.
    pub fn dtype(self) -> Dtype {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::U16 => Dtype::U32,
            Kind::I8 | Kind::I16 => Dtype::I32,
            Kind::Native(dtype) => dtype,
        }
    }

    /// Bytes of one number in the file.
    pub fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 => 2,
            Kind::Native(dtype) => dtype.bytes() as usize,
        }
    }

    /// The numbers in `bytes` as elements of `dtype()`, or as f32 where that is f16: in place where the host stores them
    /// alike, else converted into `space`.
    pub fn elements<'a, T: Element>(self, bytes: &'a [u8], space: &'a mut Vec<T>) -> &'a [T] {
        let native = self.kind == Kind::Native(T::DTYPE) && self.big_endian == cfg!(target_endian = "big");
        if let (true, Ok(elements)) = (native, try_cast_slice(bytes)) {
            return elements;
        }
        space.clear();
        let big = self.big_endian;
        match (self.kind, self.size()) {
            (Kind::Bool, _) => convert(bytes, space, big, |[x]| u64::from(x != 0)),
            (Kind::I8, _) => convert(bytes, space, big, |x| i8::from_le_bytes(x) as u64),
            (Kind::I16, _) => convert(bytes, space, big, |x| i16::from_le_bytes(x) as u64),
            (Kind::Native(Dtype::F16), _) if T::DTYPE == Dtype::F32 => {
                convert(bytes, space, big, |x| f16::from_le_bytes(x).to_f32().to_bits().into());
            }
            (_, 1) => convert(bytes, space, big, |[x]| u64::from(x)),
            (_, 2) => convert(bytes, space, big, |x| u16::from_le_bytes(x).into()),
            (_, 4) => convert(bytes, space, big, |x| u32::from_le_bytes(x).into()),
            _ => convert(bytes, space, big, u64::from_le_bytes),
        }
        space
    }
}

/// Every number's bytes, low byte first, through `pattern`; the low bits of what it gives are the element's.
fn convert<const N: usize, T: Element>(
    bytes: &[u8],
    space: &mut Vec<T>,
    big_endian: bool,
    pattern: impl Fn([u8; N]) -> u64,
) {
    let numbers = bytes.chunks_exact(N).map(|number| {
        let mut exact = [0; N];
        exact.copy_from_slice(number);
        if big_endian {
            exact.reverse();
        }
        T::from_pattern(pattern(exact))
    });
    space.extend(numbers);
}

/// A type of numbers that treefold does not read.
#[derive(Debug)]
pub struct Unsupported {
    /// What it is, for people.
    pub what: String,
    /// The numpy expression behind `np.load(...)` that gives numbers which treefold reads.
    pub repair: String,
}

impl Unsupported {
    fn new(what: &str, descr: String, repair: String) -> Unsupported {
        Unsupported { what: format!("{what}, {descr}"), repair }
    }

    fn plain(text: &TypeStr) -> Unsupported {
        let bits = text.size_field().saturating_mul(8);
        let (what, repair) = match text.type_char() {
            TypeChar::Float => (format!("float{bits}"), ".astype(\"float64\")"),
            TypeChar::Int => (format!("int{bits}"), ".astype(\"int64\")"),
            TypeChar::Uint => (format!("uint{bits}"), ".astype(\"uint64\")"),
            TypeChar::Complex => (format!("complex{bits}"), ".real.astype(\"float32\")"),
            TypeChar::TimeDelta => ("timedelta64".into(), ".astype(\"int64\")"),
            TypeChar::DateTime => ("datetime64".into(), ".astype(\"int64\")"),
            TypeChar::ByteStr => ("byte strings".into(), ".astype(\"float32\")"),
            TypeChar::UnicodeStr => ("strings".into(), ".astype(\"float32\")"),
            TypeChar::Object => ("Python objects".into(), ".astype(\"float32\")"),
            _ => ("raw data".into(), ".view(\"uint32\")"),
        };
        Unsupported::new(&what, format!("'{text}'"), repair.into())
    }
}

/// Whether numbers of one type are read as those of another.
pub fn becomes(found: Dtype, dtype: Dtype) -> bool {
    found == dtype || (found, dtype) == (Dtype::F16, Dtype::F32)
}

/// What every .npy file begins with.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// numpy itself writes headers of this order for arrays of numbers, and distrusts longer ones.
const TEXT_MAX: usize = 64 << 10;
const NESTING_MAX: usize = 32;

/// What a .npy header says.
#[derive(Clone, Debug)]
pub struct Npy {
    /// The type of its numbers.
    pub stored: Stored,
    /// Numbers in the array.
    pub count: u64,
    /// Bytes before the first of them.
    pub data_at: u64,
    /// The lengths of the axes longer than 1 where they are stored in Fortran order and there is more than one.
    pub fortran: Option<Vec<u64>>,
    /// The shape as Python writes it.
    pub shape: String,
}

impl Npy {
    /// Reads a header; `name` is the file's, for errors.
    pub fn read(name: &str, reader: &mut dyn Read) -> Result<Npy> {
        let mut bytes = vec![];
        take(name, reader, &mut bytes, MAGIC.len() + 2)?;
        let length_bytes = if bytes[MAGIC.len()] == 1 { 2 } else { 4 };
        take(name, reader, &mut bytes, length_bytes)?;
        let length = bytes[MAGIC.len() + 2..].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
        ensure!(
            length <= TEXT_MAX,
            "{name}: its .npy header claims {length} bytes, more than {TEXT_MAX}; the file is damaged, save it again"
        );
        let text_at = bytes.len();
        take(name, reader, &mut bytes, length)?;
        let shape = plausible(&bytes[text_at..])
            .with_context(|| format!("{name}: its .npy header is damaged; save the array again with numpy.save"))?;
        let header = NpyHeader::from_reader(&bytes[..]).map_err(|error| {
            anyhow!("{name}: its .npy header cannot be read ({error}); save the array again with numpy.save")
        })?;
        let stored = Stored::of(&header.dtype()).map_err(|unsupported| {
            let (what, repair) = (unsupported.what, unsupported.repair);
            let pickle = if header.uses_pickled_array() { ", allow_pickle=True" } else { "" };
            let file = if name == STDIN { "data.npy" } else { name };
            anyhow!(
                "{name}: its dtype is {what}, but treefold reads integers and floats of up to 64 bits; convert it: python3 -c 'import \
                 numpy as np; np.save(\"converted.npy\", np.load(\"{file}\"{pickle}){repair})'"
            )
        })?;
        let long: Vec<u64> = header.shape().iter().copied().filter(|&length| length != 1).collect();
        let fortran = (header.order() == Order::Fortran && long.len() > 1 && header.len() > 0).then_some(long);
        Ok(Npy { stored, count: header.len(), data_at: bytes.len() as u64, fortran, shape })
    }

    /// Bytes of the array.
    pub fn data_bytes(&self) -> u64 {
        self.count * self.stored.size() as u64
    }
}

/// Reads exactly so many more bytes.
fn take(name: &str, reader: &mut dyn Read, bytes: &mut Vec<u8>, more: usize) -> Result<()> {
    let needs = bytes.len() + more;
    reader.take(more as u64).read_to_end(bytes).with_context(|| name.to_string())?;
    let has = bytes.len();
    ensure!(
        has == needs,
        "{name}: truncated: its .npy header needs at least {needs} bytes, but the file has {has}; copy or save it again"
    );
    Ok(())
}

/// Refuses what the parser would not survive: deep nesting, and shapes of more elements than any file.
/// Gives the text of the shape.
fn plausible(text: &[u8]) -> Result<String> {
    let mut depth = 0usize;
    for &byte in text {
        depth = match byte {
            b'(' | b'[' | b'{' => depth + 1,
            b')' | b']' | b'}' => depth.saturating_sub(1),
            _ => depth,
        };
        ensure!(depth <= NESTING_MAX, "brackets nested more than {NESTING_MAX} deep");
    }
    let text = String::from_utf8_lossy(text);
    let shape = ["'shape':", "\"shape\":"].iter().find_map(|key| text.split_once(key)).map(|(_, rest)| rest);
    let shape = shape.and_then(|rest| rest.find([')', ']']).map(|end| rest[..=end].trim()));
    let Some(shape) = shape else { bail!("no shape") };
    // Room for the width of a number, and for many files in one sum.
    let mut product = 1u64 << 20;
    for length in shape.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        let length = length.parse::<u64>().ok();
        let longer = length.and_then(|length| product.checked_mul(length.max(1)));
        product = longer.with_context(|| format!("the shape {shape} has more elements than any file"))?;
    }
    Ok(shape.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> Stored {
        Stored::of(&DType::Plain(text.parse().unwrap())).unwrap()
    }

    fn read<T: Element>(text: &str, bytes: &[u8]) -> Vec<T> {
        stored(text).elements(bytes, &mut vec![]).to_vec()
    }

    #[test]
    fn narrow_numbers_widen_exactly() {
        assert_eq!(read::<i32>("|i1", &[255, 127]), [-1i32, 127]);
        assert_eq!(read::<u32>("|u1", &[255, 127]), [255u32, 127]);
        assert_eq!(read::<u32>("|b1", &[0, 1]), [0u32, 1]);
        assert_eq!(read::<i32>(">i2", &[0xff, 0xfe]), [-2i32]);
        assert_eq!(read::<u32>("<u2", &[0xfe, 0xff]), [0xfffeu32]);
        assert_eq!(read::<f32>("<f2", &[0x00, 0x3c, 0x01, 0x00]), [1.0f32, 2f32.powi(-24)]);
        assert_eq!(read::<f32>(">f2", &[0x3c, 0x00, 0x00, 0x01]), [1.0f32, 2f32.powi(-24)]);
    }

    #[test]
    fn wide_numbers_and_halves_stay_as_they_are() {
        let le = 0x0102_0304_0506_0708u64.to_le_bytes();
        let be = 0x0102_0304_0506_0708u64.to_be_bytes();
        assert_eq!(read::<u64>("<u8", &le), [0x0102_0304_0506_0708u64]);
        assert_eq!(read::<u64>(">u8", &be), [0x0102_0304_0506_0708u64]);
        assert_eq!(read::<i64>(">i8", &(-2i64).to_be_bytes()), [-2i64]);
        assert_eq!(read::<f64>("<f8", &0.1f64.to_le_bytes()), [0.1f64]);
        assert_eq!(read::<f64>(">f8", &0.1f64.to_be_bytes()), [0.1f64]);
        assert_eq!(read::<f16>("<f2", &[0x01, 0x7c]).iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x7c01]);
        assert_eq!(read::<f16>(">f2", &[0x7c, 0x01]).iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x7c01]);
    }

    #[test]
    fn byte_order_and_alignment_do_not_matter() {
        let bytes = [0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0];
        for begin in 0..4 {
            assert_eq!(read::<i32>("<i4", &bytes[begin..begin + 4]).len(), 1);
        }
        assert_eq!(read::<f32>("<f4", &bytes[2..6]), [1.0f32]);
        assert_eq!(read::<f32>(">f4", &[0x3f, 0x80, 0, 0]), [1.0f32]);
    }

    #[test]
    fn others_are_named() {
        for (text, word) in [
            ("<f16", "float128"),
            ("<M8[s]", "datetime64"),
            ("|O", "objects"),
            ("<U5", "strings"),
            ("<c8", "complex64"),
        ] {
            let unsupported = Stored::of(&DType::Plain(text.parse().unwrap())).unwrap_err();
            assert!(unsupported.what.contains(word) && unsupported.what.contains(text), "{unsupported:?}");
        }
    }

    #[test]
    fn shapes_are_checked_before_they_are_multiplied() {
        assert_eq!(plausible(b"{'descr': '<f4', 'shape': (3, 0), }").unwrap(), "(3, 0)");
        assert_eq!(plausible(b"{'shape': (), }").unwrap(), "()");
        for bad in ["{'shape': (4294967296, 4294967296)}", "{'shape': (99999999999999999999,)}", "{}"] {
            assert!(plausible(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(plausible("(".repeat(40).as_bytes()).is_err());
    }
}
