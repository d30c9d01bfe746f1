//! Sum: exact in 64 bits for integers, a fixed tree of f32 additions for floats.

use super::wide::Sum64;
use crate::exact::Fixed;
use crate::shader::{self, Dialect, Module};
use crate::{Error, Op, Result, Word, accumulator};

/// The sum of all elements.
///
/// - **i32, u32**: the exact sum as `i64` or `u64`; [`Error::Overflow`] where it does not fit, never a silent wrap.
/// - **i64, u64**: the exact sum as `i128` or `u128`, on every adapter: kernels read two words, no 64-bit type needed.
/// - **f32**: accumulated in f32 in a fixed tree, so deterministic on one adapter and version. With u = 2^-24 and no
///   overflow on the way the error is at most (n - 1)·u·Σ|x|.
/// - **Order**: commutative; any order. **Empty**: 0.
/// - **NaN and infinities**: NaN if there is a NaN, or both infinities; else the infinity; decided on the bits.
/// - **Zero**: a sum of only -0 is -0, every other zero sum is +0.
/// - **On the device**: f32: 1 word; i32, u32: 2 words (low, high), exact up to 2^32 elements; i64, u64:
///   4 words, low word first.
///
/// ```
/// use treefold::{Cpu, ops::Sum};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Sum, &[8.0f32, 6., 7., 5., 3., 0., 9.])?, 38.0);
/// assert_eq!(cpu.reduce(Sum, &[u32::MAX, u32::MAX])?, 8_589_934_590u64);
/// assert!(cpu.reduce(Sum, &[f32::INFINITY, f32::NEG_INFINITY])?.is_nan());
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: the tutorials' sum; the two-level scheme is that of CUB's `DeviceReduce::Sum`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

const ABOUT: &str = "Sum; exact for integers";

accumulator! {
    /// A float sum with the extremes of the bit patterns, which tell of NaN, of infinities and of -0.
    pub struct SumF32 {
        /// The sum in f32.
        sum: f32,
        /// The largest pattern as i32: above 0x7f80_0000 for a NaN, equal for +inf, i32::MIN for nothing but -0.
        top: i32,
        /// The largest pattern as u32: above 0xff80_0000 for a NaN, equal for -inf.
        low: u32,
    }
}

impl SumF32 {
    /// The sum of a slice: blocks of vector lanes, so that the error grows with the lanes' lengths and not with the slice's.
    #[inline(always)]
    pub(crate) fn of(elements: &[f32]) -> SumF32 {
        const LANES: usize = 32;
        let mut all = SumF32 { sum: 0.0, top: i32::MIN, low: 0 };
        for block in elements.chunks(4096) {
            let (mut sums, mut tops, mut lows) = ([0.0f32; LANES], [i32::MIN; LANES], [0u32; LANES]);
            for row in block.chunks(LANES) {
                for (l, &x) in row.iter().enumerate() {
                    sums[l] += x;
                    tops[l] = tops[l].max(x.to_bits() as i32);
                    lows[l] = lows[l].max(x.to_bits());
                }
            }
            for l in 0..LANES {
                all = SumF32 { sum: all.sum, top: all.top.max(tops[l]), low: all.low.max(lows[l]) };
            }
            all.sum += sums.iter().sum::<f32>();
        }
        all
    }

    /// The sum as IEEE 754 has it.
    pub(crate) fn value(self) -> f32 {
        let (plus, minus) = (self.top == 0x7f80_0000, self.low == 0xff80_0000);
        if self.top > 0x7f80_0000 || self.low > 0xff80_0000 || (plus && minus) {
            f32::NAN
        } else if plus {
            f32::INFINITY
        } else if minus {
            f32::NEG_INFINITY
        } else if self.sum == 0.0 {
            if self.top == i32::MIN && self.low != 0 { -0.0 } else { 0.0 }
        } else {
            self.sum
        }
    }
}

/// `sum_bits`: the bits of [`SumF32::value`].
pub(crate) const SUM_F32_WGSL: &str = "
fn identity() -> Acc { return Acc(0.0, -2147483647i - 1i, 0u); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(bitcast<f32>(bits), bitcast<i32>(bits), bits); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, max(a.top, b.top), max(a.low, b.low)); }
fn sum_bits(acc: Acc) -> u32 {
    let plus = acc.top == 0x7f800000i;
    let minus = acc.low == 0xff800000u;
    if acc.top > 0x7f800000i || acc.low > 0xff800000u || (plus && minus) { return 0x7fc00000u; }
    if plus { return 0x7f800000u; }
    if minus { return 0xff800000u; }
    let bits = bitcast<u32>(acc.sum);
    if (bits & 0x7fffffffu) == 0u { return select(0u, 0x80000000u, bitcast<u32>(acc.top) == 0x80000000u && acc.low != 0u); }
    return bits;
}
";

impl Op<f32> for Sum {
    type Acc = SumF32;
    type Output = f32;
    const ANSWER_WORDS: usize = 1;
    const ABOUT: &'static str = ABOUT;

    fn name(&self) -> &'static str {
        "sum"
    }
    #[inline(always)]
    fn identity(&self) -> SumF32 {
        SumF32 { sum: 0.0, top: i32::MIN, low: 0 }
    }
    #[inline(always)]
    fn lift(&self, x: f32, _: u64) -> SumF32 {
        SumF32 { sum: x, top: x.to_bits() as i32, low: x.to_bits() }
    }
    #[inline(always)]
    fn combine(&self, a: SumF32, b: SumF32) -> SumF32 {
        SumF32 { sum: a.sum + b.sum, top: a.top.max(b.top), low: a.low.max(b.low) }
    }
    fn finish(&self, acc: SumF32, _: u64) -> Result<f32> {
        Ok(acc.value())
    }
    #[inline(always)]
    fn fold(&self, elements: &[f32], _: u64) -> SumF32 {
        SumF32::of(elements)
    }
    fn wgsl(&self) -> String {
        format!("{SUM_F32_WGSL}fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> {{ return array<u32, 1>(sum_bits(acc)); }}")
    }
}

macro_rules! wide_sum {
    ($type:ty, $wide:ty, $above:literal) => {
        impl Op<$type> for Sum {
            type Acc = Fixed<4>;
            type Output = $wide;
            const ANSWER_WORDS: usize = 4;
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = true;

            fn name(&self) -> &'static str {
                "sum"
            }
            fn identity(&self) -> Fixed<4> {
                Fixed::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Fixed<4> {
                Fixed::integer(i128::from(x), 0)
            }
            #[inline(always)]
            fn combine(&self, a: Fixed<4>, b: Fixed<4>) -> Fixed<4> {
                a.plus(b)
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], _: u64) -> Fixed<4> {
                // What wraps here is the sign of a sum of u64, which has none.
                Fixed::integer(elements.iter().fold(0i128, |sum, &x| sum.wrapping_add(i128::from(x))), 0)
            }
            fn finish(&self, acc: Fixed<4>, _: u64) -> Result<$wide> {
                Ok(acc.low() as $wide)
            }
            fn wgsl(&self) -> String {
                concat!(
                    include_str!("../../shaders/exact.wgsl"),
                    "fn lift(bits: vec2<u32>, index: u32) -> Acc {\n    let above = ", $above,
                    ";\n    return Acc(0u, array<u32, 4>(bits.x, bits.y, above, above));\n}\n",
                    "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 4> { return acc.limbs; }\n",
                ).into()
            }
            fn module(&self, dialect: Dialect) -> Module {
                let shuffle = if dialect.subgroups { include_str!("../../shaders/exact_shuffle.wgsl") } else { "" };
                let text = Op::<$type>::wgsl(self) + shuffle;
                let text = shader::complete::<Fixed<4>>(&text, <$type as crate::Element>::DTYPE, dialect);
                Module { text, counters: 0, gathered: None, heavy: false, ends: true, combine_trips: 4, trips: 64 }
            }
        }
    };
}

wide_sum!(i64, i128, "bitcast<u32>(bitcast<i32>(bits.y) >> 31u)");
wide_sum!(u64, u128, "0u");

/// The WGSL of an exact integer sum in two words; a signed element brings its sign along.
pub(crate) fn sum64_wgsl<T: Word>() -> String {
    let high = if T::DTYPE == crate::Dtype::I32 { "bitcast<u32>(bitcast<i32>(bits) >> 31u)" } else { "0u" };
    format!(
        "
fn identity() -> Acc {{ return Acc(0u, 0u); }}
fn lift(bits: u32, index: u32) -> Acc {{ return Acc(bits, {high}); }}
fn combine(a: Acc, b: Acc) -> Acc {{
    let sum = add64(vec2<u32>(a.low, a.high), vec2<u32>(b.low, b.high));
    return Acc(sum.x, sum.y);
}}
"
    )
}

macro_rules! integer_sum {
    ($type:ty, $wide:ty) => {
        impl Op<$type> for Sum {
            type Acc = Sum64<$wide>;
            type Output = $wide;
            const ANSWER_WORDS: usize = 2;
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = true;
            const ELEMENTS_MAX: u64 = 1 << 32;

            fn name(&self) -> &'static str {
                "sum"
            }
            #[inline(always)]
            fn identity(&self) -> Sum64<$wide> {
                Sum64::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Sum64<$wide> {
                Sum64::new(i128::from(x))
            }
            #[inline(always)]
            fn combine(&self, a: Sum64<$wide>, b: Sum64<$wide>) -> Sum64<$wide> {
                a + b
            }
            fn finish(&self, acc: Sum64<$wide>, _: u64) -> Result<$wide> {
                <$wide>::try_from(acc.total()).map_err(|_| Error::Overflow { operator: "sum", bits: 64 })
            }
            fn wgsl(&self) -> String {
                sum64_wgsl::<$type>()
                    + "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> { return array<u32, 2>(acc.low, acc.high); }"
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], _: u64) -> Sum64<$wide> {
                Sum64::of(elements)
            }
        }
    };
}

integer_sum!(i32, i64);
integer_sum!(u32, u64);
