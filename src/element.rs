//! Scalar types and their WGSL names: the only type table.

mod columns;
mod flagged;
mod own;
mod vectors;

pub use columns::Columns;
pub use flagged::{Flaggable, Flagged};
pub use own::OwnType;
pub use vectors::{Complex, Padded, Vector};

use half::{bf16, f16};
use std::fmt;
use std::ops::Not;

/// The element types that a reduction reads.
///
/// ```
/// use treefold::Dtype;
/// assert_eq!(Dtype::parse("f32"), Some(Dtype::F32));
/// assert_eq!(Dtype::I32.name(), "i32");
/// assert_eq!(Dtype::F64.bytes(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dtype {
    /// IEEE 754 binary32.
    F32,
    /// Two's complement, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary64. Kernels read it as two words, so an adapter need not have it.
    F64,
    /// Two's complement, 64 bits, as two words.
    I64,
    /// Unsigned, 64 bits, as two words.
    U64,
    /// The upper half of an IEEE 754 binary32. Like all narrow types it is packed in buffers, and read as the wide one:
    /// [`Widened`](crate::Widened).
    BF16,
    /// Two's complement, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Two's complement, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// [`Dtype::F16`] where kernels read it as f32: no element has this type, [`Widened`](crate::Widened) asks for it.
    #[doc(hidden)]
    WideF16,
    /// A pair of [`Dtype::F32`], for operators over two inputs.
    F32x2,
    /// A pair of [`Dtype::F64`].
    F64x2,
    /// A pair of [`Dtype::I64`].
    I64x2,
    /// A pair of [`Dtype::U64`].
    U64x2,
    /// Four of [`Dtype::F32`]: a texel, or a `vec4<f32>` of a buffer.
    F32x4,
    /// A complex number of two [`Dtype::F32`], the real part first: [`Complex`].
    C64,
    /// A complex number of two [`Dtype::F64`].
    C128,
    /// A [vector](Vector) of another kind, or a type of a program's own.
    Own(&'static OwnType),
}

impl Dtype {
    /// Every type that operators are over, in the order in which help texts list them.
    pub const ALL: [Dtype; 7] = [Dtype::F32, Dtype::I32, Dtype::U32, Dtype::F16, Dtype::F64, Dtype::I64, Dtype::U64];

    /// Every type of pairs.
    pub const PAIRS: [Dtype; 4] = [Dtype::F32x2, Dtype::F64x2, Dtype::I64x2, Dtype::U64x2];

    /// Those that operators are over, and pairs.
    pub const WITH_PAIRS: [Dtype; 11] = {
        let (mut all, mut at) = ([Dtype::F32x2; 11], 0);
        while at < all.len() {
            let numbers = Dtype::ALL.len();
            all[at] = if at < numbers { Dtype::ALL[at] } else { Dtype::PAIRS[at - numbers] };
            at += 1;
        }
        all
    };

    /// Every type that is read as a wider one.
    pub const NARROW: [Dtype; 5] = [Dtype::BF16, Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16];

    /// The name in Rust, in WGSL and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::I32 => "i32",
            Dtype::U32 => "u32",
            Dtype::F16 | Dtype::WideF16 => "f16",
            Dtype::F64 => "f64",
            Dtype::I64 => "i64",
            Dtype::U64 => "u64",
            Dtype::BF16 => "bf16",
            Dtype::I8 => "i8",
            Dtype::U8 => "u8",
            Dtype::I16 => "i16",
            Dtype::U16 => "u16",
            Dtype::F32x2 => "f32x2",
            Dtype::F64x2 => "f64x2",
            Dtype::I64x2 => "i64x2",
            Dtype::U64x2 => "u64x2",
            Dtype::F32x4 => "f32x4",
            Dtype::C64 => "c64",
            Dtype::C128 => "c128",
            Dtype::Own(own) => own.name,
        }
    }

    /// The inverse of [`Dtype::name`] for the types in [`Dtype::ALL`]; `None` for any other text.
    pub fn parse(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Whether it is one of integers.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(
            self,
            Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64 | Dtype::I8 | Dtype::U8 | Dtype::I16 | Dtype::U16
        )
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            Dtype::I8 | Dtype::U8 => 1,
            Dtype::F16 | Dtype::WideF16 | Dtype::BF16 | Dtype::I16 | Dtype::U16 => 2,
            Dtype::F32 | Dtype::I32 | Dtype::U32 => 4,
            Dtype::F64 | Dtype::I64 | Dtype::U64 | Dtype::F32x2 | Dtype::C64 => 8,
            Dtype::F32x4 | Dtype::C128 | Dtype::F64x2 | Dtype::I64x2 | Dtype::U64x2 => 16,
            Dtype::Own(own) => own.bytes,
        }
    }

    /// The name in NumPy's notation, of numbers that lie as they do in memory here.
    ///
    /// ```
    /// use treefold::{Dtype, Element};
    /// assert_eq!((Dtype::F16.npy(), Dtype::C128.npy(), <[i32; 3]>::DTYPE.npy()), ("<f2", "<c16", "(3,)<i4"));
    /// ```
    pub const fn npy(self) -> &'static str {
        match self {
            Dtype::F32 => "<f4",
            Dtype::I32 => "<i4",
            Dtype::U32 => "<u4",
            Dtype::F16 | Dtype::WideF16 => "<f2",
            Dtype::F64 => "<f8",
            Dtype::I64 => "<i8",
            Dtype::U64 => "<u8",
            // NumPy has no such numbers.
            Dtype::BF16 => "|V2",
            Dtype::I8 => "|i1",
            Dtype::U8 => "|u1",
            Dtype::I16 => "<i2",
            Dtype::U16 => "<u2",
            Dtype::F32x2 => "(2,)<f4",
            Dtype::F64x2 => "(2,)<f8",
            Dtype::I64x2 => "(2,)<i8",
            Dtype::U64x2 => "(2,)<u8",
            Dtype::F32x4 => "(4,)<f4",
            Dtype::C64 => "<c8",
            Dtype::C128 => "<c16",
            Dtype::Own(own) => own.npy,
        }
    }

    /// The type of the numbers that an element is made of: itself, of one number.
    pub(crate) const fn numbers(self) -> Option<Dtype> {
        match self {
            Dtype::F32x2 | Dtype::F32x4 | Dtype::C64 => Some(Dtype::F32),
            Dtype::C128 | Dtype::F64x2 => Some(Dtype::F64),
            Dtype::I64x2 => Some(Dtype::I64),
            Dtype::U64x2 => Some(Dtype::U64),
            Dtype::Own(own) => own.numbers(),
            other => Some(other),
        }
    }

    /// The type of the two numbers of a pair; `None` of what is no pair.
    ///
    /// ```
    /// use treefold::Dtype;
    /// assert_eq!((Dtype::F64x2.pair_of(), Dtype::C128.pair_of()), (Some(Dtype::F64), None));
    /// ```
    pub fn pair_of(self) -> Option<Dtype> {
        self.numbers().filter(|_| Dtype::PAIRS.contains(&self))
    }

    /// The WGSL type of its bits.
    pub(crate) const fn bits(self) -> &'static str {
        match self.bytes() {
            1 | 2 | 4 => "u32",
            12 => "vec3<u32>",
            16 => "vec4<u32>",
            _ => "vec2<u32>",
        }
    }

    /// The type that a narrow one is read as; `None` of others.
    pub const fn wide(self) -> Option<Dtype> {
        match self {
            Dtype::BF16 | Dtype::WideF16 => Some(Dtype::F32),
            Dtype::I8 | Dtype::I16 => Some(Dtype::I32),
            Dtype::U8 | Dtype::U16 => Some(Dtype::U32),
            _ => None,
        }
    }

    /// Vectors of four words that the elements of one load become, where they are read as wider ones: the element's bits are those of that type.
    pub(crate) const fn parts(self) -> Option<u32> {
        match self {
            Dtype::I8 | Dtype::U8 => Some(4),
            Dtype::BF16 | Dtype::WideF16 | Dtype::I16 | Dtype::U16 => Some(2),
            _ => None,
        }
    }

    /// WGSL functions on the bits of one element: `value` where they are 32, `is_nan`, `is_zero`, `key`, `unkey`, `tie`; of four numbers, `value`.
    /// Narrow types have those of the wide one.
    pub(crate) const fn wgsl(self) -> &'static str {
        match if let Some(wide) = self.wide() { wide } else { self } {
            Dtype::F32 => include_str!("../shaders/element/f32.wgsl"),
            Dtype::I32 => include_str!("../shaders/element/i32.wgsl"),
            Dtype::U32 => include_str!("../shaders/element/u32.wgsl"),
            Dtype::F16 => include_str!("../shaders/element/f16.wgsl"),
            Dtype::F64 => include_str!("../shaders/element/f64.wgsl"),
            Dtype::I64 => include_str!("../shaders/element/i64.wgsl"),
            Dtype::U64 => include_str!("../shaders/element/u64.wgsl"),
            Dtype::F32x4 => include_str!("../shaders/element/f32x4.wgsl"),
            Dtype::Own(own) => own.wgsl(),
            _ => "",
        }
    }

    /// The text that a program brings along.
    pub(crate) fn brought(self) -> Option<&'static str> {
        match self {
            Dtype::Own(own) if !own.is_built_in() => Some(own.wgsl()),
            _ => None,
        }
    }

    /// The WGSL function `wide_bits` of a narrow type; empty of others.
    pub(crate) fn widening(self) -> &'static str {
        match self {
            Dtype::BF16 => include_str!("../shaders/element/bf16.wgsl"),
            Dtype::WideF16 => {
                concat!(include_str!("../shaders/element/half.wgsl"), include_str!("../shaders/element/f16_wide.wgsl"))
            }
            Dtype::I8 => include_str!("../shaders/element/i8.wgsl"),
            Dtype::U8 => include_str!("../shaders/element/u8.wgsl"),
            Dtype::I16 => include_str!("../shaders/element/i16.wgsl"),
            Dtype::U16 => include_str!("../shaders/element/u16.wgsl"),
            _ => "",
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type that a reduction reads: [`f32`], [`i32`], [`u32`], [`half::f16`], [`f64`], [`i64`], [`u64`]; [vectors](Vector) and
/// [complex numbers](Complex); by operators over wider types, [`half::bf16`], [`i8`], [`u8`], [`i16`], [`u16`]
/// ([`Widened`](crate::Widened)); and any other that a program implements it for: see [`OwnType`].
///
/// One of a program's own has a [`DTYPE`](Element::DTYPE) of its own, [`Dtype::Own`], because pipelines, partials and errors tell types apart
/// by it; that of a type which is there already would make it one with that.
///
/// Kernels see the bits and never a float load, because a device may flush a subnormal or lose a NaN on the way.
pub trait Element: bytemuck::Pod + PartialOrd + fmt::Debug + Send + Sync {
    /// The entry of this type in the type table.
    const DTYPE: Dtype;
    /// The zero of the type.
    const ZERO: Self;
    /// The bits of the value, in the low end of 64; of wider ones the first 64; of narrow ones those of the type that they are read as.
    fn pattern(self) -> u64;
    /// The value of the low bits; bits beyond 64 are 0.
    fn from_pattern(pattern: u64) -> Self;
}

/// A number: an element that has an order.
///
/// *Keys* are unsigned integers that order as the values do (a NaN has no place in that order; its
/// operator decides): `key(-1.0) < key(0.0) < key(1.0)`.
///
/// ```
/// use treefold::Scalar;
/// assert!((-1.5f64).key() < 0.5f64.key());
/// assert_eq!(i64::unkey((-7i64).key()), -7);
/// ```
pub trait Scalar: Element + fmt::Display {
    /// `u32` for elements of up to 32 bits, `u64` for those of 64.
    type Key: OrderKey;
    /// The NaN that answers have; `None` for integers.
    const NAN: Option<Self>;
    /// Whether the value is not a number; never for integers.
    fn is_nan(self) -> bool;
    /// A number that orders as the values do; -0 lies just below +0.
    fn key(self) -> Self::Key;
    /// The value of a key.
    fn unkey(key: Self::Key) -> Self;
    /// A key with the two zeros made one, for comparisons in which they are equal.
    fn tie(key: Self::Key) -> Self::Key;
    /// The keys of the least and of the greatest of these: of none, the highest and the lowest; `None` where one is NaN.
    #[inline(always)]
    fn ends(elements: &[Self]) -> Option<(Self::Key, Self::Key)> {
        let (mut least, mut greatest, mut nan) = (Self::Key::MOST, Self::Key::LEAST, false);
        for &x in elements {
            let key = x.key();
            (least, greatest) = (least.min(key), greatest.max(key));
            nan |= x.is_nan();
        }
        (!nan).then_some((least, greatest))
    }
}

/// An integer by which [`Scalar`]s are ordered: `u32` or `u64`.
pub trait OrderKey: Copy + Ord + Not<Output = Self> + fmt::Debug + Send + Sync + 'static + sealed::Sealed {
    /// Words of 32 bits.
    const WORDS: usize;
    /// The lowest.
    const LEAST: Self;
    /// The highest.
    const MOST: Self;
    /// Its bits in the low end of 64.
    fn wide(self) -> u64;
    /// The key of the low bits.
    fn narrow(bits: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! key {
    ($type:ty, $words:literal) => {
        impl sealed::Sealed for $type {}
        impl OrderKey for $type {
            const WORDS: usize = $words;
            const LEAST: $type = <$type>::MIN;
            const MOST: $type = <$type>::MAX;
            #[inline(always)]
            fn wide(self) -> u64 {
                self.into()
            }
            #[inline(always)]
            fn narrow(bits: u64) -> $type {
                bits as $type
            }
        }
    };
}

key!(u32, 1);
key!(u64, 2);

/// A number of 32 bits: [`f32`], [`i32`] or [`u32`].
pub trait Word: Scalar<Key = u32> {
    /// The 32 bits of the value.
    fn bits(self) -> u32;
    /// The value of 32 bits.
    fn from_bits(bits: u32) -> Self;
    /// The value as `f64`, exactly.
    fn to_f64(self) -> f64;
}

macro_rules! element {
    ($type:ty, $dtype:ident, $zero:expr, $x:ident => $pattern:expr, $bits:ident => $value:expr) => {
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            const ZERO: $type = $zero;
            #[inline(always)]
            fn pattern(self) -> u64 {
                let $x = self;
                $pattern
            }
            #[inline(always)]
            fn from_pattern($bits: u64) -> $type {
                $value
            }
        }
    };
}

element!(f32, F32, 0.0, x => x.to_bits().into(), bits => f32::from_bits(bits as u32));
element!(i32, I32, 0, x => u64::from(x as u32), bits => bits as i32);
element!(u32, U32, 0, x => u64::from(x), bits => bits as u32);
element!(f16, F16, f16::ZERO, x => x.to_bits().into(), bits => f16::from_bits(bits as u16));
element!(f64, F64, 0.0, x => x.to_bits(), bits => f64::from_bits(bits));
element!(i64, I64, 0, x => x as u64, bits => bits as i64);
element!(u64, U64, 0, x => x, bits => bits);
element!(bf16, BF16, bf16::ZERO, x => u64::from(x.to_bits()) << 16, bits => bf16::from_bits((bits >> 16) as u16));
element!(i8, I8, 0, x => u64::from(i32::from(x) as u32), bits => bits as i8);
element!(u8, U8, 0, x => u64::from(x), bits => bits as u8);
element!(i16, I16, 0, x => u64::from(i32::from(x) as u32), bits => bits as i16);
element!(u16, U16, 0, x => u64::from(x), bits => bits as u16);
/// The order of a float type: `$bits` and `$signed` have its size, `$key` is what it is ordered by.
macro_rules! float_scalar {
    ($type:ty, $bits:ty, $signed:ty, $key:ty, $nan:expr) => {
        impl Scalar for $type {
            type Key = $key;
            const NAN: Option<$type> = Some($nan);
            #[inline(always)]
            fn is_nan(self) -> bool {
                (self.to_bits() & (<$bits>::MAX >> 1)) > <$type>::INFINITY.to_bits()
            }
            #[inline(always)]
            fn key(self) -> $key {
                let bits = self.to_bits();
                (bits ^ (((bits as $signed >> (<$bits>::BITS - 1)) as $bits) | !(<$bits>::MAX >> 1))).into()
            }
            #[inline(always)]
            fn unkey(key: $key) -> $type {
                let key = key as $bits;
                <$type>::from_bits(key ^ (((!key as $signed >> (<$bits>::BITS - 1)) as $bits) | !(<$bits>::MAX >> 1)))
            }
            #[inline(always)]
            fn tie(key: $key) -> $key {
                key + <$key>::from(key as $bits == <$bits>::MAX >> 1)
            }
            // On patterns, as integers with and without sign, whose extremes vectors of processors have: floats above 0 order as they do,
            // those below the other way, and NaN stand beyond the infinities.
            #[inline(always)]
            fn ends(elements: &[$type]) -> Option<($key, $key)> {
                let (mut low, mut high) = (<$bits>::MAX, <$bits>::MIN);
                let (mut least, mut most) = (<$signed>::MAX, <$signed>::MIN);
                for x in elements {
                    let bits = x.to_bits();
                    (low, high) = (low.min(bits), high.max(bits));
                    (least, most) = (least.min(bits as $signed), most.max(bits as $signed));
                }
                if elements.is_empty() {
                    return Some((<$key>::MOST, <$key>::LEAST));
                }
                if most > <$type>::INFINITY.to_bits() as $signed || high > <$type>::NEG_INFINITY.to_bits() {
                    return None;
                }
                let least = if high > <$signed>::MAX as $bits { high } else { least as $bits };
                let greatest = if most < 0 { low } else { most as $bits };
                Some((<$type>::from_bits(least).key(), <$type>::from_bits(greatest).key()))
            }
        }
    };
}

float_scalar!(f32, u32, i32, u32, f32::from_bits(0x7fc0_0000));
float_scalar!(f64, u64, i64, u64, f64::from_bits(0x7ff8 << 48));
float_scalar!(f16, u16, i16, u32, f16::from_bits(0x7e00));

macro_rules! integer_scalar {
    ($type:ty, $key:ty, $flip:expr) => {
        impl Scalar for $type {
            type Key = $key;
            const NAN: Option<$type> = None;
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn key(self) -> $key {
                self as $key ^ $flip
            }
            #[inline(always)]
            fn unkey(key: $key) -> $type {
                (key ^ $flip) as $type
            }
            #[inline(always)]
            fn tie(key: $key) -> $key {
                key
            }
        }
    };
}

integer_scalar!(i32, u32, 1 << 31);
integer_scalar!(u32, u32, 0);
integer_scalar!(i64, u64, 1 << 63);
integer_scalar!(u64, u64, 0);

macro_rules! word {
    ($type:ty, $x:ident => $bits:expr, $of:ident => $value:expr) => {
        impl Word for $type {
            #[inline(always)]
            fn bits(self) -> u32 {
                let $x = self;
                $bits
            }
            #[inline(always)]
            fn from_bits($of: u32) -> $type {
                $value
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    };
}

/// The f16 nearest to a number, ties to even. (What `half` has rounds to f32 first where processors do, and so twice.)
pub fn nearest_f16(x: f64) -> f16 {
    f16::from_f32(to_odd(x))
}

/// The bf16 nearest to a number, ties to even. (What `half` has forgets the lower 32 bits.)
pub fn nearest_bf16(x: f64) -> bf16 {
    bf16::from_f32(to_odd(x))
}

/// One of the two f32 around a number that is none, the one whose last bit is set: rounded to fewer digits it is where the number would be
/// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    let (bits, size) = (near.to_bits(), f64::from(near).abs());
    match bits & 1 == 0 && size != x.abs() && !x.is_nan() {
        true if size < x.abs() => f32::from_bits(bits + 1),
        true => f32::from_bits(bits - 1),
        false => near,
    }
}

word!(f32, x => x.to_bits(), bits => f32::from_bits(bits));
word!(i32, x => x as u32, bits => bits as i32);
word!(u32, x => x, bits => bits);

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys rise with values that rise, and give them back.
    fn ordered<T: Scalar>(rising: &[T], zeros: [T; 2]) {
        for pair in rising.windows(2) {
            assert!(pair[0].key() < pair[1].key(), "{:?}", pair);
        }
        for &x in rising {
            assert_eq!(T::unkey(x.key()).pattern(), x.pattern());
            assert!(!x.is_nan() && x.key() > T::Key::LEAST || T::NAN.is_none());
        }
        assert_eq!(T::tie(zeros[0].key()), T::tie(zeros[1].key()));
        assert!(T::NAN.is_none_or(T::is_nan));
    }

    #[test]
    fn numbers_are_rounded_once_to_halves() {
        // Between two neighbours, and a little to either side of the middle.
        fn around(low: f64, high: f64, nearest: impl Fn(f64) -> f64, even: f64) {
            let middle = (low + high) / 2.0;
            for sign in [1.0, -1.0] {
                assert_eq!(nearest(sign * middle), sign * even, "{middle}");
                assert_eq!(nearest(sign * middle.next_down()), sign * low, "{middle}");
                assert_eq!(nearest(sign * middle.next_up()), sign * high, "{middle}");
                assert_eq!(nearest(sign * low), sign * low);
            }
        }
        for bits in 0..0x7bffu16 {
            let [low, high] = [bits, bits + 1].map(|bits| f64::from(f16::from_bits(bits)));
            around(low, high, |x| nearest_f16(x).into(), if bits % 2 == 0 { low } else { high });
        }
        for bits in 0..0x7f7fu16 {
            let [low, high] = [bits, bits + 1].map(|bits| f64::from(bf16::from_bits(bits)));
            around(low, high, |x| nearest_bf16(x).into(), if bits % 2 == 0 { low } else { high });
        }
        for x in [65520.0, 1e300, f64::INFINITY] {
            assert!(nearest_f16(x) == f16::INFINITY && nearest_f16(-x) == f16::NEG_INFINITY, "{x}");
        }
        assert_eq!(
            (nearest_f16(65519.999), nearest_f16(5e-324), nearest_f16(-0.0).to_bits()),
            (f16::MAX, f16::ZERO, 0x8000)
        );
        assert!(
            nearest_bf16(1e300) == bf16::INFINITY && nearest_f16(f64::NAN).is_nan() && nearest_bf16(f64::NAN).is_nan()
        );
    }

    #[test]
    fn keys_order_as_values_do() {
        let floats = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::MAX, f32::INFINITY];
        ordered(&floats, [-0.0, 0.0]);
        ordered(&[f64::NEG_INFINITY, f64::MIN, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, f64::INFINITY], [-0.0, 0.0]);
        let halves = [0xfc00, 0xfbff, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7bff, 0x7c00].map(f16::from_bits);
        ordered(&halves, [halves[4], halves[5]]);
        ordered(&[i32::MIN, -7, -1, 0, 1, i32::MAX], [0; 2]);
        ordered(&[i64::MIN, -7, -1, 0, 1 << 40, i64::MAX], [0; 2]);
        ordered(&[0, 1, u32::MAX], [0; 2]);
        ordered(&[0, 1, 1 << 40, u64::MAX], [0; 2]);
    }
}
