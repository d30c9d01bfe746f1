//! Vectors: elements of several numbers of one type, packed or with room for a fourth.

use super::{Dtype, Element, OwnType};
use bytemuck::{Pod, Zeroable};
use half::f16;
use std::cmp::Ordering;

/// An element of `K` numbers, which lie one behind another from its first byte on.
///
/// | in Rust | in buffers | functions in WGSL take |
/// |---|---|---|
/// | `[f32; 2]`, `[i32; 2]`, `[u32; 2]` | 8 bytes | `vec2<f32>`, `vec2<i32>`, `vec2<u32>` |
/// | `[f32; 3]`, `[i32; 3]`, `[u32; 3]` | 12 bytes, packed | `vec3<…>` |
/// | [`Padded<f32>`](Padded), `Padded<i32>`, `Padded<u32>` | 16 bytes, as WGSL's `array<vec3<f32>>` | `vec3<…>` |
/// | `[f32; 4]`, `[i32; 4]`, `[u32; 4]` | 16 bytes | `vec4<…>` |
/// | `[f16; 2]`, `Padded<f16>`, `[f16; 4]` | 4, 8 and 8 bytes | `vec2<f32>`, `vec3<f32>`, `vec4<f32>` |
/// | [`Complex<f32>`](Complex), `Complex<f64>` | 8 and 16 bytes | of `f32`: `vec2<f32>` |
/// | `[f64; 2]`, `[i64; 2]`, `[u64; 2]` | 16 bytes | none |
///
/// [`Components`](crate::Components) is an operator over each of the numbers; an operator of one's own over whole vectors has their words as `bits`
/// and a function of them, [`Mapped`](crate::Mapped), has the vector.
pub trait Vector<const K: usize>: Element {
    /// The type of its numbers.
    type Number: Element;
    /// Them.
    fn numbers(self) -> [Self::Number; K];
}

/// Three numbers with room for a fourth, as WGSL has `array<vec3<f32>>`: what stands in that room is of no interest.
///
/// ```
/// use treefold::{Components, Cpu, Padded, ops::Mean};
/// let positions = [[0.0f32, 2.0, 4.0], [1.0, 3.0, 8.0]].map(Padded::from);
/// assert_eq!(Cpu::new().reduce(Components(Mean), &positions)?, [Some(0.5), Some(2.5), Some(6.0)]);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Padded<T> {
    /// The three.
    pub numbers: [T; 3],
    room: T,
}

/// A complex number, its real part first: NumPy's `complex64` is one of `f32`, `complex128` of `f64`.
///
/// ```
/// use treefold::{Complex, Cpu, ops::{Mean, Norm2, Product, Sum}};
/// let z = [[1.0f32, 2.0], [3.0, -1.0]].map(Complex::from);
/// let (sum, mean, norm, product) = Cpu::new().reduce((Sum, Mean, Norm2, Product), &z)?;
/// assert_eq!((sum, mean), (Complex { re: 4.0, im: 1.0 }, Some(Complex { re: 2.0, im: 0.5 })));
/// assert_eq!((norm, product), (15f32.sqrt(), Complex { re: 5.0, im: 5.0 }));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

impl<T: Default> From<[T; 3]> for Padded<T> {
    fn from(numbers: [T; 3]) -> Self {
        Padded { numbers, room: T::default() }
    }
}

impl<T: PartialEq> PartialEq for Padded<T> {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

impl<T: PartialOrd> PartialOrd for Padded<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.numbers.partial_cmp(&other.numbers)
    }
}

impl<T> From<[T; 2]> for Complex<T> {
    fn from([re, im]: [T; 2]) -> Self {
        Complex { re, im }
    }
}

impl<T> From<Complex<T>> for [T; 2] {
    fn from(Complex { re, im }: Complex<T>) -> Self {
        [re, im]
    }
}

// SAFETY: of T alone, which all bits and all zeros are one of; nothing lies between one of the same size and the next.
unsafe impl<T: Zeroable> Zeroable for Padded<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Pod for Padded<T> {}
// SAFETY: as above.
unsafe impl<T: Zeroable> Zeroable for Complex<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Pod for Complex<T> {}

/// The first 64 bits of numbers that lie one behind another.
fn pattern_of<N: Element>(numbers: &[N]) -> u64 {
    let bits = 8 * size_of::<N>() as u32;
    let parts = numbers.iter().zip(0..).map(|(number, at)| number.pattern().checked_shl(bits * at).unwrap_or(0));
    parts.fold(0, |all, part| all | part)
}

/// Numbers of these bits; beyond 64 they are 0.
fn numbers_of<N: Element, const K: usize>(pattern: u64) -> [N; K] {
    let bits = 8 * size_of::<N>() as u32;
    std::array::from_fn(|at| N::from_pattern(pattern.checked_shr(bits * at as u32).unwrap_or(0)))
}

/// An element of `$k` numbers of type `$number`.
macro_rules! vector {
    ($type:ty, $k:literal of $number:ty, $dtype:expr; $x:ident => $numbers:expr, $of:ident => $made:expr) => {
        impl Element for $type {
            const DTYPE: Dtype = $dtype;
            const ZERO: $type = {
                let $of = [<$number as Element>::ZERO; $k];
                $made
            };
            #[inline(always)]
            fn pattern(self) -> u64 {
                pattern_of(&self.numbers())
            }
            #[inline(always)]
            fn from_pattern(pattern: u64) -> $type {
                let $of = numbers_of::<$number, $k>(pattern);
                $made
            }
        }

        impl Vector<$k> for $type {
            type Number = $number;
            #[inline(always)]
            fn numbers(self) -> [$number; $k] {
                let $x = self;
                $numbers
            }
        }
    };
}

/// The type of a vector of the library's: `$value` makes a `$vector` of bits.
macro_rules! own {
    ($type:ty, $number:ty, $name:expr, $npy:expr, $vector:expr, $text:expr) => {
        Dtype::Own(
            &OwnType::new($name, size_of::<$type>() as u64)
                .npy($npy)
                .value($vector, $text)
                .of(<$number as Element>::DTYPE)
                .built_in(),
        )
    };
}

/// The text of `value` for vectors of so many words.
macro_rules! bitcast {
    ($number:ident, $k:literal of $bits:literal, $taken:literal) => {
        concat!(
            "fn value(bits: vec",
            $bits,
            "<u32>) -> vec",
            $k,
            "<",
            stringify!($number),
            "> { return bitcast<vec",
            $k,
            "<",
            stringify!($number),
            ">>(",
            $taken,
            "); }\n"
        )
    };
}

/// Vectors of words: of two where there are none, of three packed and with room for a fourth, of four where there are none.
macro_rules! words {
    ($number:ident, $npy:literal) => {
        vector!([$number; 3], 3 of $number, own!([$number; 3], $number, concat!(stringify!($number), "x3"), concat!("(3,)", $npy),
            concat!("vec3<", stringify!($number), ">"), bitcast!($number, 3 of 3, "bits")); x => x, of => of);
        vector!(Padded<$number>, 3 of $number, own!(Padded<$number>, $number, concat!(stringify!($number), "x3 of 4"),
            concat!("(4,)", $npy), concat!("vec3<", stringify!($number), ">"), bitcast!($number, 3 of 4, "bits.xyz"));
            x => x.numbers, of => Padded { numbers: of, room: <$number as Element>::ZERO });
    };
    ($number:ident, $npy:literal, all) => {
        words!($number, $npy);
        vector!([$number; 2], 2 of $number, own!([$number; 2], $number, concat!(stringify!($number), "x2"), concat!("(2,)", $npy),
            concat!("vec2<", stringify!($number), ">"), bitcast!($number, 2 of 2, "bits")); x => x, of => of);
        vector!([$number; 4], 4 of $number, own!([$number; 4], $number, concat!(stringify!($number), "x4"), concat!("(4,)", $npy),
            concat!("vec4<", stringify!($number), ">"), bitcast!($number, 4 of 4, "bits")); x => x, of => of);
    };
}

words!(f32, "<f4");
words!(i32, "<i4", all);
words!(u32, "<u4", all);

vector!([f32; 2], 2 of f32, Dtype::F32x2; x => x, of => of);
vector!([f64; 2], 2 of f64, Dtype::F64x2; x => x, of => of);
vector!([i64; 2], 2 of i64, Dtype::I64x2; x => x, of => of);
vector!([u64; 2], 2 of u64, Dtype::U64x2; x => x, of => of);
vector!([f32; 4], 4 of f32, Dtype::F32x4; x => x, of => of);
vector!(Complex<f32>, 2 of f32, Dtype::C64; x => [x.re, x.im], of => Complex { re: of[0], im: of[1] });
vector!(Complex<f64>, 2 of f64, Dtype::C128; x => [x.re, x.im], of => Complex { re: of[0], im: of[1] });

/// The text of `value` for vectors of f16.
macro_rules! halves {
    ($bits:literal -> $vector:literal, $numbers:literal) => {
        concat!(
            include_str!("../../shaders/element/half.wgsl"),
            "fn half_value(bits: u32) -> f32 { return bitcast<f32>(half_bits(bits)); }\n",
            "fn value(bits: ",
            $bits,
            ") -> ",
            $vector,
            " { return ",
            $vector,
            "(",
            $numbers,
            "); }\n"
        )
    };
}

vector!([f16; 2], 2 of f16, own!([f16; 2], f16, "f16x2", "(2,)<f2", "vec2<f32>",
    halves!("u32" -> "vec2<f32>", "half_value(bits), half_value(bits >> 16u)")); x => x, of => of);
vector!(Padded<f16>, 3 of f16, own!(Padded<f16>, f16, "f16x3 of 4", "(4,)<f2", "vec3<f32>",
    halves!("vec2<u32>" -> "vec3<f32>", "half_value(bits.x), half_value(bits.x >> 16u), half_value(bits.y)"));
    x => x.numbers, of => Padded { numbers: of, room: f16::ZERO });
vector!([f16; 4], 4 of f16, own!([f16; 4], f16, "f16x4", "(4,)<f2", "vec4<f32>",
    halves!("vec2<u32>" -> "vec4<f32>",
        "half_value(bits.x), half_value(bits.x >> 16u), half_value(bits.y), half_value(bits.y >> 16u)"));
    x => x, of => of);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_of_the_first_64_bits() {
        assert_eq!([1u32, 2, 3].pattern(), 2 << 32 | 1);
        assert_eq!(<[u32; 3]>::from_pattern(2 << 32 | 1), [1, 2, 0]);
        assert_eq!([f16::ONE; 4].pattern(), 0x3c00_3c00_3c00_3c00);
        assert_eq!(<[f16; 2]>::from_pattern(0x3c00_0000).numbers(), [f16::ZERO, f16::ONE]);
        let z = Complex { re: -0.5f64, im: 7.0 };
        assert_eq!(Complex::from_pattern(z.pattern()), Complex { re: -0.5f64, im: 0.0 });
        let z = Complex { re: -0.5f32, im: 7.0 };
        assert_eq!(Complex::from_pattern(z.pattern()), z);
        assert_eq!(Padded::from([1.0f32, 2.0, 3.0]), Padded { numbers: [1.0, 2.0, 3.0], room: 9.0 });
    }

    #[test]
    fn types_are_as_large_as_they_say() {
        fn of<T: Element>(name: &str, bytes: u64) {
            assert_eq!((T::DTYPE.name(), T::DTYPE.bytes(), size_of::<T>() as u64), (name, bytes, bytes));
        }
        of::<[f32; 2]>("f32x2", 8);
        of::<[f32; 3]>("f32x3", 12);
        of::<Padded<u32>>("u32x3 of 4", 16);
        of::<[i32; 4]>("i32x4", 16);
        of::<[f16; 2]>("f16x2", 4);
        of::<Padded<f16>>("f16x3 of 4", 8);
        of::<Complex<f32>>("c64", 8);
        of::<Complex<f64>>("c128", 16);
        of::<[f64; 2]>("f64x2", 16);
        of::<[i64; 2]>("i64x2", 16);
        of::<[u64; 2]>("u64x2", 16);
    }
}
