//! Scalar types and their WGSL names: the only type table.

use half::f16;
use std::fmt;

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
    /// A pair of [`Dtype::F32`], for operators over two inputs.
    F32x2,
}

impl Dtype {
    /// Every scalar type, in the order in which help texts list them.
    pub const ALL: [Dtype; 7] = [Dtype::F32, Dtype::I32, Dtype::U32, Dtype::F16, Dtype::F64, Dtype::I64, Dtype::U64];

    /// The name in Rust, in WGSL and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::I32 => "i32",
            Dtype::U32 => "u32",
            Dtype::F16 => "f16",
            Dtype::F64 => "f64",
            Dtype::I64 => "i64",
            Dtype::U64 => "u64",
            Dtype::F32x2 => "f32x2",
        }
    }

    /// The inverse of [`Dtype::name`] for scalar types; `None` for any other text.
    pub fn parse(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            Dtype::F16 => 2,
            Dtype::F32 | Dtype::I32 | Dtype::U32 => 4,
            Dtype::F64 | Dtype::I64 | Dtype::U64 | Dtype::F32x2 => 8,
        }
    }

    /// WGSL functions on the bits of one 32-bit element: `value`, `is_nan`, `is_zero`, `key`, `unkey`, `tie`.
    pub(crate) fn wgsl(self) -> &'static str {
        match self {
            Dtype::F32 => include_str!("../shaders/element/f32.wgsl"),
            Dtype::I32 => include_str!("../shaders/element/i32.wgsl"),
            Dtype::U32 => include_str!("../shaders/element/u32.wgsl"),
            Dtype::F16 | Dtype::F64 | Dtype::I64 | Dtype::U64 | Dtype::F32x2 => "",
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a reduction reads: [`f32`], [`i32`], [`u32`], [`half::f16`], [`f64`], [`i64`], [`u64`], or a pair of `f32`.
///
/// Kernels see the bits and never a float load, because a device may flush a subnormal or lose a NaN on the way.
pub trait Element: bytemuck::Pod + PartialOrd + fmt::Debug + Send + Sync {
    /// The entry of this type in the type table.
    const DTYPE: Dtype;
    /// The zero of the type.
    const ZERO: Self;
    /// The bits of the value, in the low end of 64.
    fn pattern(self) -> u64;
    /// The value of the low bits.
    fn from_pattern(pattern: u64) -> Self;
}

/// An element of 32 bits: [`f32`], [`i32`] or [`u32`].
///
/// *Keys* are `u32` that order as the values do (a NaN has no place in that order; its
/// operator decides): `key(-1.0) < key(0.0) < key(1.0)`.
pub trait Word: Element + fmt::Display {
    /// The 32 bits of the value.
    fn bits(self) -> u32;
    /// The value of 32 bits.
    fn from_bits(bits: u32) -> Self;
    /// Whether the value is not a number; never for integers.
    fn is_nan(self) -> bool;
    /// A number that orders as the values do; -0 lies just below +0.
    fn key(self) -> u32;
    /// The value of a key.
    fn unkey(key: u32) -> Self;
    /// A key with the two zeros made one, for comparisons in which they are equal.
    fn tie(key: u32) -> u32;
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
element!(
    [f32; 2],
    F32x2,
    [0.0; 2],
    x => u64::from(x[0].to_bits()) | u64::from(x[1].to_bits()) << 32,
    bits => [f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32)]
);

impl Word for f32 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        (self.to_bits() & 0x7fff_ffff) > 0x7f80_0000
    }
    #[inline(always)]
    fn key(self) -> u32 {
        let bits = self.to_bits();
        bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000)
    }
    #[inline(always)]
    fn unkey(key: u32) -> f32 {
        f32::from_bits(key ^ (((!key as i32 >> 31) as u32) | 0x8000_0000))
    }
    #[inline(always)]
    fn tie(key: u32) -> u32 {
        key + u32::from(key == 0x7fff_ffff)
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

macro_rules! integer_word {
    ($type:ty, $flip:literal) => {
        impl Word for $type {
            #[inline(always)]
            fn bits(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> $type {
                bits as $type
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn key(self) -> u32 {
                self as u32 ^ $flip
            }
            #[inline(always)]
            fn unkey(key: u32) -> $type {
                (key ^ $flip) as $type
            }
            #[inline(always)]
            fn tie(key: u32) -> u32 {
                key
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    };
}

integer_word!(i32, 0x8000_0000);
integer_word!(u32, 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_values_do() {
        let values = [f32::NEG_INFINITY, f32::MIN, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::MAX, f32::INFINITY];
        for pair in values.windows(2) {
            assert!(pair[0].key() < pair[1].key(), "{} {}", pair[0], pair[1]);
        }
        for x in values {
            assert_eq!(f32::unkey(x.key()).to_bits(), x.to_bits());
        }
        assert_eq!(f32::tie((-0.0f32).key()), f32::tie(0.0f32.key()));
        assert!(i32::MIN.key() < (-1).key() && (-1).key() < 0.key() && 0.key() < i32::MAX.key());
        assert_eq!(i32::unkey((-7).key()), -7);
        assert_eq!(u32::unkey(7u32.key()), 7);
    }
}
