//! A fingerprint of data: a polynomial in the bits of the elements, which changes with each of them and with their order.

use crate::element::OrderKey;
use crate::op::{WordType, join};
use crate::{DeviceAnswer, Fold, Op, Result, Scalar, Wgsl, accumulator};

/// A polynomial hash of the elements' bits, in order: equal data have equal hashes on every engine, whatever the launch shape, the parts and the
/// version; other data or another order have others, but for one in 2^62 by chance.
///
/// Each element's bits are cut into digits of 16 bits, the low one first, one more than which are digits of a number to a base, taken modulo
/// 2^31 - 1: two such numbers make 62 bits. It guards against mistakes, not against forgers.
///
/// - **Order**: left to right. **Empty**: 0. **NaN and zeros**: by their bits: -0 is not +0.
/// - **On the device**: 2 words (low, high).
///
/// ```
/// use treefold::{Cpu, ops::Hash};
/// let cpu = Cpu::new();
/// assert_ne!(cpu.reduce(Hash, &[1u32, 2])?, cpu.reduce(Hash, &[2u32, 1])?);
/// assert_ne!(cpu.reduce(Hash, &[0u32])?, cpu.reduce(Hash, &[0u32, 0])?);
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: Karp and Rabin, Efficient randomized pattern-matching algorithms (1987).
#[derive(Clone, Copy, Debug, Default)]
pub struct Hash;

accumulator! {
    /// Two numbers modulo 2^31 - 1, and what the numbers of elements before them are multiplied with.
    pub struct Fingerprint {
        /// To the first base.
        first: u32,
        /// To the second.
        second: u32,
        /// The first base to the power of the digits.
        first_scale: u32,
        /// The second base to that.
        second_scale: u32,
    }
}

const PRIME: u32 = 0x7fff_ffff;
const BASES: [u32; 2] = [793_234_511, 1_430_287_019];

/// a·b modulo 2^31 - 1, of numbers below it; of others, as a partial of nobody's may hold, anything.
#[inline(always)]
fn times(a: u32, b: u32) -> u32 {
    let product = u64::from(a) * u64::from(b);
    reduced((product as u32 & PRIME).wrapping_add((product >> 31) as u32))
}

#[inline(always)]
fn reduced(sum: u32) -> u32 {
    if sum >= PRIME { sum - PRIME } else { sum }
}

impl<T: Scalar> Fold<T> for Hash {
    type Acc = Fingerprint;
    const COMMUTATIVE: bool = false;

    #[inline(always)]
    fn identity(&self) -> Fingerprint {
        Fingerprint { first: 0, second: 0, first_scale: 1, second_scale: 1 }
    }
    #[inline(always)]
    fn lift(&self, x: T, _: u64) -> Fingerprint {
        let bits = x.pattern();
        let [(first, first_scale), (second, second_scale)] = BASES.map(|base| {
            (0..2 * T::Key::WORDS).fold((0, 1), |(hash, scale), digit| {
                let digit = (bits >> (16 * digit)) as u32 & 0xffff;
                (reduced(times(hash, base).wrapping_add(digit + 1)), times(scale, base))
            })
        });
        Fingerprint { first, second, first_scale, second_scale }
    }
    #[inline(always)]
    fn combine(&self, a: Fingerprint, b: Fingerprint) -> Fingerprint {
        Fingerprint {
            first: reduced(times(a.first, b.first_scale).wrapping_add(b.first)),
            second: reduced(times(a.second, b.second_scale).wrapping_add(b.second)),
            first_scale: times(a.first_scale, b.first_scale),
            second_scale: times(a.second_scale, b.second_scale),
        }
    }
    fn wgsl(&self) -> Wgsl {
        let lift = match T::Key::WORDS {
            1 => "return Acc(two_digits(0u, bits, BASE_1), two_digits(0u, bits, BASE_2), SCALE_1, SCALE_2);",
            _ => {
                "let first = two_digits(two_digits(0u, bits.x, BASE_1), bits.y, BASE_1);
let second = two_digits(two_digits(0u, bits.x, BASE_2), bits.y, BASE_2);
return Acc(first, second, times(SCALE_1, SCALE_1), times(SCALE_2, SCALE_2));"
            }
        };
        let [first, second] = BASES;
        let squares = BASES.map(|base| times(base, base));
        Wgsl::new(
            "return Acc(0u, 0u, 1u, 1u);",
            lift,
            "return Acc(reduced(times(a.first, b.first_scale) + b.first), reduced(times(a.second, b.second_scale) + b.second),
    times(a.first_scale, b.first_scale), times(a.second_scale, b.second_scale));",
        )
        .helpers(format!(
            "const BASE_1 = {first}u;
const BASE_2 = {second}u;
const SCALE_1 = {}u;  // the squares of the bases
const SCALE_2 = {}u;

// Modulo 2^31 - 1.
fn reduced(sum: u32) -> u32 {{ return select(sum, sum - 0x7fffffffu, sum >= 0x7fffffffu); }}

fn times(a: u32, b: u32) -> u32 {{
    let product = multiply32(a, b);
    return reduced((product.x & 0x7fffffffu) + ((product.y << 1u) | (product.x >> 31u)));
}}

// The number with two digits more.
fn two_digits(hash: u32, bits: u32, base: u32) -> u32 {{
    let low = reduced(times(hash, base) + (bits & 0xffffu) + 1u);
    return reduced(times(low, base) + (bits >> 16u) + 1u);
}}
",
            squares[0], squares[1]
        ))
        .checked()
    }
}

impl<T: Scalar> Op<T> for Hash {
    type Fold = Hash;
    type Output = u64;
    const NAME: &'static str = "hash";
    const ABOUT: &'static str = "Fingerprint of the elements' bits, in order";
    const EXACT: bool = true;

    fn fold(&self) -> Hash {
        Hash
    }
    fn finish(&self, acc: Fingerprint, _: u64) -> Result<u64> {
        Ok(u64::from(acc.first) << 31 | u64::from(acc.second))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::checked(
            [("low", WordType::Part), ("high", WordType::Part)],
            "return array<u32, 2>((acc.first << 31u) | acc.second, acc.first >> 1u);",
        ))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u64> {
        Ok(join(words))
    }
}
