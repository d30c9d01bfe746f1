//! Scalar types and their WGSL names: the only type table.

use std::fmt;

/// The element types that a reduction reads.
///
/// ```
/// use treefold::Dtype;
/// assert_eq!(Dtype::parse("f32"), Some(Dtype::F32));
/// assert_eq!(Dtype::I32.name(), "i32");
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
}

impl Dtype {
    /// Every element type, in the order in which help texts list them.
    pub const ALL: [Dtype; 3] = [Dtype::F32, Dtype::I32, Dtype::U32];

    /// The name in Rust, in WGSL and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::I32 => "i32",
            Dtype::U32 => "u32",
        }
    }

    /// The inverse of [`Dtype::name`]; `None` for any other text.
    pub fn parse(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// WGSL functions on the bits of one element: `value`, `is_nan`, `is_zero`, `key`, `unkey`, `tie`.
    pub(crate) fn wgsl(self) -> &'static str {
        match self {
            Dtype::F32 => include_str!("../shaders/element_f32.wgsl"),
            Dtype::I32 => include_str!("../shaders/element_i32.wgsl"),
            Dtype::U32 => include_str!("../shaders/element_u32.wgsl"),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar that a reduction reads: [`f32`], [`i32`] or [`u32`].
///
/// Kernels see the bits and never a float load, because a device may flush a subnormal or lose a NaN
/// on the way. *Keys* are `u32` that order as the values do (a NaN has no place in that order; its
/// operator decides): `key(-1.0) < key(0.0) < key(1.0)`.
pub trait Element: bytemuck::Pod + PartialOrd + fmt::Debug + fmt::Display + Send + Sync {
    /// The entry of this type in the type table.
    const DTYPE: Dtype;
    /// The zero of the type.
    const ZERO: Self;
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

impl Element for f32 {
    const DTYPE: Dtype = Dtype::F32;
    const ZERO: f32 = 0.0;
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

macro_rules! integer_element {
    ($type:ty, $dtype:ident, $flip:literal) => {
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            const ZERO: $type = 0;
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

integer_element!(i32, I32, 0x8000_0000);
integer_element!(u32, U32, 0);

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
