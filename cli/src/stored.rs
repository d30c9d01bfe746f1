//! Number types as files store them, and how each becomes an element type of treefold.

use bytemuck::try_cast_slice;
use half::f16;
use npyz::{DType, Endianness, TypeChar, TypeStr};
use treefold::{Dtype, Element};

/// What one number is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    U8,
    I8,
    U16,
    I16,
    F16,
    Word(Dtype),
}

/// The type of the numbers in a file, with their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    kind: Kind,
    big_endian: bool,
}

impl Stored {
    /// Raw files hold little-endian words.
    pub fn raw(dtype: Dtype) -> Stored {
        Stored { kind: Kind::Word(dtype), big_endian: false }
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
            (Uint, 4) => Kind::Word(Dtype::U32),
            (Int, 1) => Kind::I8,
            (Int, 2) => Kind::I16,
            (Int, 4) => Kind::Word(Dtype::I32),
            (Float, 2) => Kind::F16,
            (Float, 4) => Kind::Word(Dtype::F32),
            _ => return Err(Unsupported::plain(text)),
        };
        Ok(Stored { kind, big_endian: text.endianness() == Endianness::Big })
    }

    /// The element type that the numbers become; every one of them exactly.
    pub fn dtype(self) -> Dtype {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::U16 => Dtype::U32,
            Kind::I8 | Kind::I16 => Dtype::I32,
            Kind::F16 => Dtype::F32,
            Kind::Word(dtype) => dtype,
        }
    }

    /// Bytes of one number in the file.
    pub fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 | Kind::F16 => 2,
            Kind::Word(_) => 4,
        }
    }

    /// The numbers in `bytes` as elements: in place where the host stores them alike, else converted into `space`.
    pub fn elements<'a, T: Element>(self, bytes: &'a [u8], space: &'a mut Vec<T>) -> &'a [T] {
        let native = matches!(self.kind, Kind::Word(_)) && self.big_endian == cfg!(target_endian = "big");
        if let (true, Ok(elements)) = (native, try_cast_slice(bytes)) {
            return elements;
        }
        space.clear();
        match (self.kind, self.big_endian) {
            (Kind::Bool, _) => convert(bytes, space, |[x]| u32::from(x != 0)),
            (Kind::U8, _) => convert(bytes, space, |[x]| u32::from(x)),
            (Kind::I8, _) => convert(bytes, space, |x| i32::from(i8::from_le_bytes(x)) as u32),
            (Kind::U16, false) => convert(bytes, space, |x| u32::from(u16::from_le_bytes(x))),
            (Kind::U16, true) => convert(bytes, space, |x| u32::from(u16::from_be_bytes(x))),
            (Kind::I16, false) => convert(bytes, space, |x| i32::from(i16::from_le_bytes(x)) as u32),
            (Kind::I16, true) => convert(bytes, space, |x| i32::from(i16::from_be_bytes(x)) as u32),
            (Kind::F16, false) => convert(bytes, space, |x| f16::from_le_bytes(x).to_f32().to_bits()),
            (Kind::F16, true) => convert(bytes, space, |x| f16::from_be_bytes(x).to_f32().to_bits()),
            (Kind::Word(_), false) => convert(bytes, space, u32::from_le_bytes),
            (Kind::Word(_), true) => convert(bytes, space, u32::from_be_bytes),
        }
        space
    }
}

fn convert<const N: usize, T: Element>(bytes: &[u8], space: &mut Vec<T>, bits: impl Fn([u8; N]) -> u32) {
    let numbers = bytes.chunks_exact(N).map(|number| {
        let mut exact = [0; N];
        exact.copy_from_slice(number);
        T::from_bits(bits(exact))
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
            TypeChar::Float => (format!("float{bits}"), ".astype(\"float32\")"),
            TypeChar::Int => (format!("int{bits}"), ".astype(\"int32\")"),
            TypeChar::Uint => (format!("uint{bits}"), ".astype(\"uint32\")"),
            TypeChar::Complex => (format!("complex{bits}"), ".real.astype(\"float32\")"),
            TypeChar::TimeDelta => ("timedelta64".into(), ".astype(\"int64\").astype(\"float32\")"),
            TypeChar::DateTime => ("datetime64".into(), ".astype(\"int64\").astype(\"float32\")"),
            TypeChar::ByteStr => ("byte strings".into(), ".astype(\"float32\")"),
            TypeChar::UnicodeStr => ("strings".into(), ".astype(\"float32\")"),
            TypeChar::Object => ("Python objects".into(), ".astype(\"float32\")"),
            _ => ("raw data".into(), ".view(\"uint32\")"),
        };
        Unsupported::new(&what, format!("'{text}'"), repair.into())
    }
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
        for (text, word) in
            [("<f8", "float64"), ("<i8", "int64"), ("|O", "objects"), ("<U5", "strings"), ("<c8", "complex64")]
        {
            let unsupported = Stored::of(&DType::Plain(text.parse().unwrap())).unwrap_err();
            assert!(unsupported.what.contains(word) && unsupported.what.contains(text), "{unsupported:?}");
        }
    }
}
