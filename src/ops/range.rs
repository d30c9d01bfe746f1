//! The distance between the ends of the order, and the largest size: answers over the fold of the minimum and the maximum.

use super::MinMax;
use super::extreme::{element_of, words_of};
use crate::element::{OrderKey, Scalar};
use crate::{Acc, DeviceAnswer, Op, Result};

/// The largest element less the smallest, NumPy's `ptp`: of floats rounded once, of integers exact, in the unsigned type of their width.
///
/// - **Order**: commutative. **Empty**: `None`. **NaN**: any NaN gives NaN, as do infinities of one sign alone.
/// - **On the device**: integers 1 word, or 2 (low, high) of 64 bits; 0 where there are no elements. Of floats the host subtracts,
///   because a device may lose subnormals: no words.
///
/// ```
/// use treefold::{Cpu, ops::Range};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Range, &[3.5f32, -7.0, 5.0])?, Some(12.0));
/// assert_eq!(cpu.reduce(Range, &[i32::MIN, i32::MAX])?, Some(u32::MAX));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Range;

/// The largest size of an element, the norm of index ∞: of integers in the unsigned type of their width.
///
/// - **Order**: commutative. **Empty**: 0. **NaN**: any NaN gives NaN.
/// - **On the device**: 1 word, or 2 (low, high) of 64 bits.
///
/// ```
/// use treefold::{Cpu, ops::NormInf};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(NormInf, &[3.5f32, -7.0, 5.0])?, 7.0);
/// assert_eq!(cpu.reduce(NormInf, &[i32::MIN, i32::MAX])?, 1 << 31);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NormInf;

/// An answer of type `S` on the device over elements of type `T`; `number` makes it of the bits `low` and `high` of both ends. 0 where
/// there are no elements.
fn answer<T: Scalar, S: Scalar>(name: &'static str, number: &str) -> DeviceAnswer {
    let finish = match T::Key::WORDS {
        1 => format!(
            "let low = low_unrank(acc.low);
let high = high_unrank(acc.high);
{number}
return array<u32, 1>(select(number, 0u, (count.x | count.y) == 0u));"
        ),
        _ => format!(
            "let low = low_unrank(vec2<u32>(acc.low, acc.low_high));
let high = high_unrank(vec2<u32>(acc.high, acc.high_high));
{number}
let found = select(number, vec2<u32>(), (count.x | count.y) == 0u);
return array<u32, 2>(found.x, found.y);"
        ),
    };
    DeviceAnswer::checked(words_of::<S>(name), finish)
}

/// The same, but for a NaN that of all answers: the sign of what a processor makes of two infinities is its own.
fn plain<T: Scalar>(x: T) -> T {
    T::NAN.filter(|_| x.is_nan()).unwrap_or(x)
}

const LESS: &str = "let number = high - low;";
const LESS_64: &str = "let number = add64(add64(high, ~low), vec2<u32>(1u, 0u));";

/// Both answers over one element type: the type of sizes, the difference of the ends and its text, the size of an element and the text of the
/// larger one.
macro_rules! of_ends {
    ($($type:ty => $size:ty; $low:ident, $high:ident => $less:expr, $less_wgsl:expr; $x:ident => $size_of:expr, $larger_wgsl:literal;)+) => {$(
        impl Op<$type> for Range {
            type Fold = MinMax;
            type Output = Option<$size>;
            const NAME: &'static str = "range";
            const ABOUT: &'static str = "Largest element less the smallest";
            const EXACT: bool = true;

            fn fold(&self) -> MinMax {
                MinMax
            }
            fn finish(&self, acc: Acc<$type, Self>, count: u64) -> Result<Option<$size>> {
                let ($low, $high): ($type, $type) = acc.elements();
                Ok((count > 0).then(|| $less))
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                let number: Option<&str> = $less_wgsl;
                number.map(|number| answer::<$type, $size>("range", number))
            }
            fn read(&self, words: &[u32], count: u64) -> Result<Option<$size>> {
                Ok((count > 0).then(|| element_of(words)))
            }
        }

        impl Op<$type> for NormInf {
            type Fold = MinMax;
            type Output = $size;
            const NAME: &'static str = "norminf";
            const ABOUT: &'static str = "Largest size of an element";
            const EXACT: bool = true;

            fn fold(&self) -> MinMax {
                MinMax
            }
            fn finish(&self, acc: Acc<$type, Self>, count: u64) -> Result<$size> {
                let (low, high): ($type, $type) = acc.elements();
                let size = |$x: $type| -> $size { $size_of };
                // Where one is NaN, both are.
                let larger = if size(low) > size(high) { size(low) } else { size(high) };
                Ok(if count > 0 { larger } else { <$size>::default() })
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(answer::<$type, $size>("norminf", $larger_wgsl))
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$size> {
                Ok(element_of(words))
            }
        }
    )+};
}

of_ends! {
    f32 => f32; low, high => plain(high - low), None;
        x => x.abs(), "let number = max(low & 0x7fffffffu, high & 0x7fffffffu);";
    i32 => u32; low, high => high.wrapping_sub(low) as u32, Some(LESS);
        x => x.unsigned_abs(), "let number = max(bitcast<u32>(abs(bitcast<i32>(low))), bitcast<u32>(abs(bitcast<i32>(high))));";
    u32 => u32; low, high => high - low, Some(LESS);
        x => x, "let number = high;";
    f64 => f64; low, high => plain(high - low), None;
        x => x.abs(), "let a = low & vec2<u32>(0xffffffffu, 0x7fffffffu);
let b = high & vec2<u32>(0xffffffffu, 0x7fffffffu);
let number = select(a, b, less64(a, b));";
    i64 => u64; low, high => high.wrapping_sub(low) as u64, Some(LESS_64);
        x => x.unsigned_abs(), "let a = select(low, add64(~low, vec2<u32>(1u, 0u)), low.y >> 31u == 1u);
let b = select(high, add64(~high, vec2<u32>(1u, 0u)), high.y >> 31u == 1u);
let number = select(a, b, less64(a, b));";
    u64 => u64; low, high => high - low, Some(LESS_64);
        x => x, "let number = high;";
}
