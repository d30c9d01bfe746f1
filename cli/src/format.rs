//! Numbers in files: their types, and how each becomes an element type of treefold.

use anyhow::{Result, ensure};
use bytemuck::{try_cast_slice, try_pod_read_unaligned};
use half::f16;
use std::str::FromStr;
use treefold::internals::{nearest_bf16, nearest_f16};
use treefold::{Dtype, Element, Value};

/// The type of one number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    U8,
    I8,
    U16,
    I16,
    Bf16,
    Native(Dtype),
}

/// The type of numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Bool,
    Of(Dtype),
}

impl Number {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Number::Bool => "bool",
            Number::Of(dtype) => dtype.name(),
        }
    }

    /// The type of numbers like this one.
    pub fn like(value: Value) -> Number {
        match value {
            Value::Bool(_) => Number::Bool,
            Value::F32(_) => Number::Of(Dtype::F32),
            Value::F64(_) | Value::None => Number::Of(Dtype::F64),
            Value::C64(_) => Number::Of(Dtype::C64),
            Value::C128(_) => Number::Of(Dtype::C128),
            Value::I64(_) | Value::I128(_) => Number::Of(Dtype::I64),
            Value::U64(_) | Value::U128(_) => Number::Of(Dtype::U64),
        }
    }
}

/// The type of the numbers in a file, with their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    kind: Kind,
    big_endian: bool,
}

/// Types that raw files may hold besides element types.
const NARROW: [(&str, Kind); 5] =
    [("u8", Kind::U8), ("i8", Kind::I8), ("u16", Kind::U16), ("i16", Kind::I16), ("bf16", Kind::Bf16)];

/// Complex numbers, which few operators take.
pub const COMPLEX: [Dtype; 2] = [Dtype::C64, Dtype::C128];

impl Stored {
    /// Bytes, each true but for 0.
    pub const BOOL: Stored = Stored { kind: Kind::Bool, big_endian: false };

    /// Raw files hold little-endian numbers of a type of this name.
    pub fn raw(name: &str) -> Option<Stored> {
        let narrow = NARROW.into_iter().find_map(|(narrow, kind)| (narrow == name).then_some(kind));
        let complex = COMPLEX.into_iter().find(|complex| complex.name() == name);
        let kind = narrow.or_else(|| Dtype::parse(name).or(complex).map(Kind::Native))?;
        Some(Stored { kind, big_endian: false })
    }

    /// The names that `raw` knows.
    pub fn names() -> Vec<&'static str> {
        let wide = Dtype::ALL.into_iter().map(Dtype::name);
        wide.chain(NARROW.map(|(name, _)| name)).chain(COMPLEX.map(Dtype::name)).collect()
    }

    /// The name that `raw` knows it by.
    pub fn name(self) -> &'static str {
        NARROW.into_iter().find(|&(_, kind)| kind == self.kind).map_or(self.dtype().name(), |(name, _)| name)
    }

    /// Whether a file of this type may be called one of the type that `--dtype` named.
    pub fn may_be_called(self, raw: Stored) -> bool {
        match raw.kind {
            Kind::Native(dtype) => becomes(self.dtype(), dtype),
            narrow => self.kind == narrow,
        }
    }

    /// A type of numpy's; `None` where treefold does not read it.
    pub fn of(descr: &Descr) -> Option<Stored> {
        let kind = match (descr.kind, descr.bytes) {
            ('b', 1) => Kind::Bool,
            ('u', 1) => Kind::U8,
            ('u', 2) => Kind::U16,
            ('u', 4) => Kind::Native(Dtype::U32),
            ('u', 8) => Kind::Native(Dtype::U64),
            ('i', 1) => Kind::I8,
            ('i', 2) => Kind::I16,
            ('i', 4) => Kind::Native(Dtype::I32),
            ('i', 8) => Kind::Native(Dtype::I64),
            ('f', 2) => Kind::Native(Dtype::F16),
            ('f', 4) => Kind::Native(Dtype::F32),
            ('f', 8) => Kind::Native(Dtype::F64),
            ('c', 8) => Kind::Native(Dtype::C64),
            ('c', 16) => Kind::Native(Dtype::C128),
            _ => return None,
        };
        Some(Stored { kind, big_endian: descr.big_endian })
    }

    /// The element type that the numbers become, every one of them exactly; f16 may become f32 just as well.
    pub fn dtype(self) -> Dtype {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::U16 => Dtype::U32,
            Kind::I8 | Kind::I16 => Dtype::I32,
            Kind::Bf16 => Dtype::F32,
            Kind::Native(dtype) => dtype,
        }
    }

    /// Their own type, which may be narrower.
    pub fn number(self) -> Number {
        Number::Of(match self.kind {
            Kind::Bool => return Number::Bool,
            Kind::U8 => Dtype::U8,
            Kind::U16 => Dtype::U16,
            Kind::I8 => Dtype::I8,
            Kind::I16 => Dtype::I16,
            Kind::Bf16 => Dtype::BF16,
            Kind::Native(dtype) => dtype,
        })
    }

    /// The type that a number is rounded to with which they compare: their own.
    pub fn compared(self) -> Dtype {
        if self.kind == Kind::Bf16 { Dtype::BF16 } else { self.dtype() }
    }

    /// Bytes of one number in the file.
    pub fn size(self) -> usize {
        match self.kind {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 | Kind::Bf16 => 2,
            Kind::Native(dtype) => dtype.bytes() as usize,
        }
    }

    /// Appends the number that a text says, as raw files of this type have it; whether it says one.
    pub fn parse(self, text: &str, bytes: &mut Vec<u8>) -> bool {
        fn put<N: FromStr, const B: usize>(text: &str, bytes: &mut Vec<u8>, of: impl Fn(N) -> [u8; B]) -> bool {
            text.parse().is_ok_and(|number| {
                bytes.extend(of(number));
                true
            })
        }
        match self.kind {
            Kind::U8 => put(text, bytes, u8::to_le_bytes),
            Kind::I8 => put(text, bytes, i8::to_le_bytes),
            Kind::U16 => put(text, bytes, u16::to_le_bytes),
            Kind::I16 => put(text, bytes, i16::to_le_bytes),
            Kind::Bf16 => put(text, bytes, |x| nearest_bf16(x).to_le_bytes()),
            Kind::Native(Dtype::U32) => put(text, bytes, u32::to_le_bytes),
            Kind::Native(Dtype::I32) => put(text, bytes, i32::to_le_bytes),
            Kind::Native(Dtype::U64) => put(text, bytes, u64::to_le_bytes),
            Kind::Native(Dtype::I64) => put(text, bytes, i64::to_le_bytes),
            Kind::Native(Dtype::F16) => put(text, bytes, |x| nearest_f16(x).to_le_bytes()),
            Kind::Native(Dtype::F32) => put(text, bytes, f32::to_le_bytes),
            Kind::Native(Dtype::F64) => put(text, bytes, f64::to_le_bytes),
            _ => false,
        }
    }

    /// Whether the host stores these elements alike.
    pub fn is_native<T: Element>(self) -> bool {
        self.kind == Kind::Native(T::DTYPE) && self.big_endian == cfg!(target_endian = "big")
    }

    /// The numbers in `bytes` as elements of `dtype()`, or of a type that `common` finds for that and another one: in place where the host
    /// stores them alike, else converted into `space`.
    pub fn elements<'a, T: Element>(self, bytes: &'a [u8], space: &'a mut Vec<T>) -> &'a [T] {
        if let (true, Ok(elements)) = (self.is_native::<T>(), try_cast_slice(bytes)) {
            return elements;
        }
        space.clear();
        match (T::DTYPE, self.dtype()) {
            (Dtype::F64, Dtype::F16 | Dtype::F32) => return self.doubles::<f32, T>(bytes, space),
            (Dtype::F64, Dtype::I32) => return self.doubles::<i32, T>(bytes, space),
            (Dtype::F64, Dtype::U32) => return self.doubles::<u32, T>(bytes, space),
            _ => {}
        }
        let big = self.big_endian;
        match (self.kind, self.size()) {
            (Kind::Bool, _) => convert(bytes, space, big, |[x]| u64::from(x != 0)),
            (Kind::I8, _) => convert(bytes, space, big, |x| i8::from_le_bytes(x) as u64),
            (Kind::Bf16, _) => convert(bytes, space, big, |x| u64::from(u16::from_le_bytes(x)) << 16),
            (Kind::I16, _) => convert(bytes, space, big, |x| i16::from_le_bytes(x) as u64),
            (Kind::Native(Dtype::I32), _) => convert(bytes, space, big, |x| i32::from_le_bytes(x) as u64),
            (Kind::Native(Dtype::F16), _) if T::DTYPE == Dtype::F32 => {
                convert(bytes, space, big, |x| f16::from_le_bytes(x).to_f32().to_bits().into());
            }
            (Kind::Native(Dtype::C64 | Dtype::C128), size) => {
                space.extend(bytes.chunks_exact(size).filter_map(|z| of_parts::<T>(z, big)));
            }
            (_, 1) => convert(bytes, space, big, |[x]| u64::from(x)),
            (_, 2) => convert(bytes, space, big, |x| u16::from_le_bytes(x).into()),
            (_, 4) => convert(bytes, space, big, |x| u32::from_le_bytes(x).into()),
            _ => convert(bytes, space, big, u64::from_le_bytes),
        }
        space
    }

    /// The numbers in `bytes`, which become `N`, as f64.
    fn doubles<'a, N: Element + Into<f64>, T: Element>(self, bytes: &[u8], space: &'a mut Vec<T>) -> &'a [T] {
        let mut own = vec![];
        space.extend(self.elements::<N>(bytes, &mut own).iter().map(|&x| T::from_pattern(x.into().to_bits())));
        space
    }
}

/// The element of two numbers, each in this byte order.
fn of_parts<T: Element>(z: &[u8], big_endian: bool) -> Option<T> {
    let mut parts = z.to_vec();
    if big_endian != cfg!(target_endian = "big") {
        parts.chunks_mut(z.len() / 2).for_each(<[u8]>::reverse);
    }
    try_pod_read_unaligned(&parts).ok()
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

/// A type as numpy's strings name it: `<f4`, `=f4`, `f4`, `<d`, `float32` and their like.
pub struct Descr {
    /// Numpy's letter: `f` for floats, say.
    pub kind: char,
    /// Of one number.
    pub bytes: u64,
    big_endian: bool,
}

impl Descr {
    /// The type that a string names; the text behind the size of times is of no interest.
    pub fn parse(text: &str) -> Option<Descr> {
        let native = cfg!(target_endian = "big");
        if let Some(code) = NAMES.iter().find_map(|&(name, code)| (name == text).then_some(code)) {
            let (kind, bytes) = code_of(code)?;
            return Some(Descr { kind, bytes, big_endian: native });
        }
        let mut letters = text.chars();
        let (big_endian, kind) = match letters.next()? {
            '<' => (false, letters.next()?),
            '>' => (true, letters.next()?),
            '=' | '|' => (native, letters.next()?),
            kind => (native, kind),
        };
        let rest = letters.as_str();
        let (kind, bytes) = match kind {
            'M' | 'm' => (kind, 8),
            _ if rest.is_empty() => code_of(kind)?,
            'b' | 'u' | 'i' | 'f' | 'c' | 'S' | 'a' | 'U' | 'V' | 'O'
                if rest.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                (if kind == 'a' { 'S' } else { kind }, rest.parse().ok()?)
            }
            _ => return None,
        };
        Some(Descr { kind, bytes, big_endian })
    }

    /// The type's name for people.
    pub fn what(&self) -> String {
        let bits = self.bytes.saturating_mul(8);
        match self.kind {
            'f' => format!("float{bits}"),
            'i' => format!("int{bits}"),
            'u' => format!("uint{bits}"),
            'b' => format!("a bool of {bits} bits"),
            'c' => format!("complex{bits}"),
            'm' => "timedelta64".into(),
            'M' => "datetime64".into(),
            'S' => "byte strings".into(),
            'U' => "strings".into(),
            'O' => "Python objects".into(),
            _ => "raw data".into(),
        }
    }
}

/// Types by name that numpy knows besides their strings; the letter is `code_of`'s.
const NAMES: [(&str, char); 18] = [
    ("bool", '?'),
    ("int8", 'b'),
    ("uint8", 'B'),
    ("int16", 'h'),
    ("uint16", 'H'),
    ("int32", 'i'),
    ("uint32", 'I'),
    ("int64", 'q'),
    ("uint64", 'Q'),
    ("float16", 'e'),
    ("float32", 'f'),
    ("float64", 'd'),
    ("complex64", 'F'),
    ("complex128", 'D'),
    ("half", 'e'),
    ("single", 'f'),
    ("double", 'd'),
    ("float", 'd'),
];

/// Kind and bytes behind a type's one letter; `l` and `p` are as wide as here.
fn code_of(code: char) -> Option<(char, u64)> {
    let long = size_of::<std::ffi::c_long>() as u64;
    let pointer = size_of::<usize>() as u64;
    Some(match code {
        '?' => ('b', 1),
        'b' => ('i', 1),
        'B' => ('u', 1),
        'h' => ('i', 2),
        'H' => ('u', 2),
        'i' => ('i', 4),
        'I' => ('u', 4),
        'l' => ('i', long),
        'L' => ('u', long),
        'q' => ('i', 8),
        'Q' => ('u', 8),
        'p' => ('i', pointer),
        'P' => ('u', pointer),
        'e' => ('f', 2),
        'f' => ('f', 4),
        'd' => ('f', 8),
        'g' => ('f', 16),
        'F' => ('c', 8),
        'D' => ('c', 16),
        'G' => ('c', 32),
        'S' | 'U' | 'V' | 'O' => (code, 0),
        _ => return None,
    })
}

/// Whether numbers of one type are read as those of another.
pub fn becomes(found: Dtype, dtype: Dtype) -> bool {
    found == dtype || (found, dtype) == (Dtype::F16, Dtype::F32)
}

/// The type that numbers of both types become, every one of them exactly: of pairs of two inputs.
pub fn common(one: Dtype, other: Dtype) -> Option<Dtype> {
    use Dtype::{F16, F32, F64, I32, I64, U32, U64};
    match (one, other) {
        _ if one == other => Some(one),
        (F16 | F32, F16 | F32) => Some(F32),
        (F16 | F32 | F64 | I32 | U32, F16 | F32 | F64) | (F16 | F32 | F64, I32 | U32) => Some(F64),
        (I32 | U32 | I64, I32 | U32 | I64) => Some(I64),
        (U32 | U64, U32 | U64) => Some(U64),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use treefold::Complex;

    fn stored(text: &str) -> Stored {
        Stored::of(&Descr::parse(text).unwrap()).unwrap()
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
        let raw = Stored::raw("bf16").unwrap();
        assert_eq!(raw.elements::<f32>(&[0x80, 0xbf, 0x00, 0x40], &mut vec![]), [-1.0f32, 2.0]);
        assert_eq!(read::<f32>("<f2", &[0x00, 0x3c, 0x01, 0x00]), [1.0f32, 2f32.powi(-24)]);
        assert_eq!(read::<f32>(">f2", &[0x3c, 0x00, 0x00, 0x01]), [1.0f32, 2f32.powi(-24)]);
    }

    #[test]
    fn numbers_become_wider_ones_exactly() {
        assert_eq!(read::<f64>("<f4", &1.1f32.to_le_bytes()), [f64::from(1.1f32)]);
        assert_eq!(read::<f64>(">f2", &[0x3c, 0x01]), [1.0 + 2f64.powi(-10)]);
        assert_eq!((read::<f64>("<i4", &[255; 4]), read::<f64>("<u4", &[255; 4])), (vec![-1.0], vec![4_294_967_295.0]));
        assert_eq!((read::<f64>("|i1", &[255, 1]), read::<f64>("|b1", &[2])), (vec![-1.0, 1.0], vec![1.0]));
        assert_eq!((read::<i64>(">i4", &[255; 4]), read::<i64>("<u4", &[255; 4])), (vec![-1], vec![4_294_967_295]));
        assert_eq!((read::<i64>("|i1", &[255]), read::<u64>("<u2", &[255, 1])), (vec![-1], vec![511]));
        let all = Dtype::ALL;
        for (one, other) in all.into_iter().flat_map(|one| all.map(|other| (one, other))) {
            assert_eq!(common(one, other), common(other, one));
            assert!(common(one, other).is_none_or(|all| all.bytes() >= one.bytes()), "{one} and {other}");
        }
        assert_eq!((common(Dtype::I64, Dtype::F32), common(Dtype::U64, Dtype::I32)), (None, None));
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
    fn complex_numbers_are_of_two_parts() {
        let bytes = |of: fn(f32) -> [u8; 4]| [1.5f32, -2.0].map(of).concat();
        let z = Complex { re: 1.5f32, im: -2.0 };
        assert_eq!(read::<Complex<f32>>("<c8", &bytes(f32::to_le_bytes)), [z]);
        assert_eq!(read::<Complex<f32>>(">c8", &bytes(f32::to_be_bytes)), [z]);
        let shifted = [&[0][..], &bytes(f32::to_le_bytes)].concat();
        assert_eq!(read::<Complex<f32>>("complex64", &shifted[1..]), [z]);
        let bytes = [1.5f64, -2.0].map(f64::to_be_bytes).concat();
        assert_eq!(read::<Complex<f64>>(">c16", &bytes), [Complex { re: 1.5f64, im: -2.0 }]);
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
}
