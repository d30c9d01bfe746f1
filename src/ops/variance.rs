//! Variance in one pass: pairwise merging for floats, exact integers for integers.

use crate::{Accumulator, Op, Result};

/// The variance, Σ(x - mean)² / (n - ddof).
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n, 1 by n - 1.
/// - **f32**: (count, mean, Σ(x - mean)²) merged pairwise, as Chan, Golub and LeVeque (1979) have it; never Σx² - (Σx)².
///   The host accumulates in f64, a device in f32. **Integers**: Σx and Σx² exactly, one division in f64.
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **NaN and infinities**: NaN. **Range**: infinity where
///   Σ(x - mean)² or four times an element leaves that of f32 (3.4e38) on a device.
/// - **On the device**: f32: 1 word (NaN where there is no answer); integers: no device answer.
///
/// ```
/// use treefold::{Cpu, ops::Variance};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Variance::default(), &[1i32, 2, 3, 4])?, Some(1.25));
/// assert_eq!(cpu.reduce(Variance { ddof: 1 }, &[1.0f32, 3.0])?, Some(2.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Variance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

const ABOUT: &str = "Variance, divided by n - ddof";

/// (count, mean, Σ(x - mean)²) of floats; f32 on the device, f64 on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
    finite: bool,
}

impl Moments {
    const NONE: Moments = Moments { count: 0.0, mean: 0.0, squares: 0.0, finite: true };

    #[inline(always)]
    fn merge(self, other: Moments) -> Moments {
        let count = self.count + other.count;
        let share = other.count / count.max(1.0);
        let apart = other.mean - self.mean;
        let weight = self.count * share;
        // An empty side has no weight, however far its mean of 0 is from the other.
        let between = if weight == 0.0 { 0.0 } else { apart * apart * weight };
        Moments {
            count,
            mean: self.mean + apart * share,
            squares: self.squares + other.squares + between,
            finite: self.finite && other.finite,
        }
    }

    /// Two passes over a block that stays in the cache: its mean, then the squares about it.
    #[inline(always)]
    fn of(block: &[f32]) -> Moments {
        let count = block.len() as f64;
        let mean = sum_in_lanes(block, f64::from) / count.max(1.0);
        let squares = sum_in_lanes(block, |x| (f64::from(x) - mean) * (f64::from(x) - mean));
        Moments { count, mean, squares, finite: mean.is_finite() }
    }
}

#[inline(always)]
fn sum_in_lanes(block: &[f32], term: impl Fn(f32) -> f64) -> f64 {
    let mut lanes = [0.0; 16];
    let rows = block.chunks_exact(lanes.len());
    let rest: f64 = rows.remainder().iter().map(|&x| term(x)).sum();
    for row in rows {
        for (lane, &x) in lanes.iter_mut().zip(row) {
            *lane += term(x);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

impl Accumulator for Moments {
    const WORDS: usize = 4;
    const WGSL: &'static str = "struct Acc { count: f32, mean: f32, squares: f32, strange: u32, }";
    const MEMBERS: &'static [&'static str] = &["count", "mean", "squares", "strange"];
    fn write(&self, words: &mut [u32]) {
        for (word, x) in words.iter_mut().zip([self.count, self.mean, self.squares]) {
            *word = (x as f32).to_bits();
        }
        words[3] = u32::from(!self.finite);
    }
    fn read(words: &[u32]) -> Self {
        let float = |w: usize| f64::from(f32::from_bits(words[w]));
        Moments { count: float(0), mean: float(1), squares: float(2), finite: words[3] == 0 }
    }
}

impl Op<f32> for Variance {
    type Acc = Moments;
    type Output = Option<f64>;
    const ANSWER_WORDS: usize = 1;
    const ABOUT: &'static str = ABOUT;

    fn name(&self) -> &'static str {
        "variance"
    }
    fn identity(&self) -> Moments {
        Moments::NONE
    }
    fn lift(&self, x: f32, _: u64) -> Moments {
        Moments { count: 1.0, mean: f64::from(x), squares: 0.0, finite: x.is_finite() }
    }
    fn combine(&self, a: Moments, b: Moments) -> Moments {
        a.merge(b)
    }
    fn finish(&self, acc: Moments, count: u64) -> Result<Option<f64>> {
        let divisor = count.saturating_sub(self.ddof.into());
        Ok((divisor > 0).then(|| match acc {
            Moments { finite: false, .. } => f64::NAN,
            // Finite elements, and no number: the squares left the device's range.
            Moments { squares, .. } if squares.is_nan() => f64::INFINITY,
            Moments { squares, .. } => squares / divisor as f64,
        }))
    }
    fn wgsl(&self) -> String {
        format!(
            "
fn identity() -> Acc {{ return Acc(0.0, 0.0, 0.0, 0u); }}
fn strange(bits: u32) -> u32 {{ return select(0u, 1u, (bits & 0x7f800000u) == 0x7f800000u); }}
fn lift(bits: u32, index: u32) -> Acc {{ return Acc(1.0, bitcast<f32>(bits), 0.0, strange(bits)); }}
fn combine(a: Acc, b: Acc) -> Acc {{
    let count = a.count + b.count;
    let share = b.count / max(count, 1.0);
    let apart = b.mean - a.mean;
    let weight = a.count * share;
    // An empty side has no weight, however far its mean of 0 is from the other.
    let between = select(apart * apart * weight, 0.0, weight == 0.0);
    return Acc(count, a.mean + apart * share, a.squares + b.squares + between, a.strange | b.strange);
}}
// Four neighbours at once: their own mean first, then one merge, so one division for four elements.
fn fold(acc: Acc, quad: vec4<u32>, index: u32) -> Acc {{
    let x = bitcast<vec4<f32>>(quad);
    let mean = dot(x, vec4<f32>(0.25));
    let apart = x - mean;
    return combine(acc, Acc(4.0, mean, dot(apart, apart), strange(quad.x) | strange(quad.y) | strange(quad.z) | strange(quad.w)));
}}
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> {{
    let divisor = float64(count) - {}.0;
    if acc.strange != 0u || divisor <= 0.0 {{ return array<u32, 1>(0x7fc00000u); }}
    let squares = bitcast<u32>(acc.squares);
    if (squares & 0x7f800000u) == 0x7f800000u {{ return array<u32, 1>(0x7f800000u); }}
    return array<u32, 1>(bitcast<u32>(acc.squares / divisor));
}}",
            self.ddof
        )
    }
    #[inline(always)]
    fn fold(&self, elements: &[f32], _: u64) -> Moments {
        elements.chunks(4096).map(Moments::of).fold(Moments::NONE, Moments::merge)
    }
}

/// Σx and Σx² of integers: 64 and 96 bits on the device, which 2^32 elements cannot overflow, 128 bits on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Powers {
    sum: i128,
    squares: i128,
}

impl Powers {
    const ZERO: Powers = Powers { sum: 0, squares: 0 };

    /// Σ(x - mean)², from exact integers: n·Σx² - (Σx)² over n, where that fits 128 bits.
    fn about_mean(self, count: u64) -> f64 {
        let n = i128::from(count);
        let (quotient, rest) = (self.sum.div_euclid(n), self.sum.rem_euclid(n));
        let about_quotient = self.squares - self.sum * quotient - quotient * rest;
        match about_quotient.checked_mul(n) {
            Some(scaled) => (scaled - rest * rest) as f64 / n as f64,
            None => about_quotient as f64 - (rest as f64) * (rest as f64) / n as f64,
        }
    }
}

impl Accumulator for Powers {
    const WORDS: usize = 6;
    const WGSL: &'static str = "struct Acc { s0: u32, s1: u32, q0: u32, q1: u32, q2: u32, sign: u32, }";
    const MEMBERS: &'static [&'static str] = &["s0", "s1", "q0", "q1", "q2", "sign"];
    fn write(&self, words: &mut [u32]) {
        let all = [self.sum, self.sum >> 32, self.squares, self.squares >> 32, self.squares >> 64, self.sum >> 127 & 1];
        for (word, part) in words.iter_mut().zip(all) {
            *word = part as u32;
        }
    }
    fn read(words: &[u32]) -> Self {
        let wide = |w: usize| i128::from(words[w]);
        let sum = wide(0) | wide(1) << 32;
        let negative = words[5] != 0 && words[1] >> 31 == 1;
        Powers {
            sum: if negative { sum - (1 << 64) } else { sum },
            squares: wide(2) | wide(3) << 32 | wide(4) << 64,
        }
    }
}

macro_rules! integer_variance {
    ($type:ty, $magnitude:literal, $high:literal, $signed:literal) => {
        impl Op<$type> for Variance {
            type Acc = Powers;
            type Output = Option<f64>;
            const ANSWER_WORDS: usize = 0;
            const ABOUT: &'static str = ABOUT;
            const ELEMENTS_MAX: u64 = 1 << 32;

            fn name(&self) -> &'static str {
                "variance"
            }
            fn identity(&self) -> Powers {
                Powers::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Powers {
                Powers { sum: x.into(), squares: (i64::from(x) as i128) * (i64::from(x) as i128) }
            }
            #[inline(always)]
            fn combine(&self, a: Powers, b: Powers) -> Powers {
                Powers { sum: a.sum + b.sum, squares: a.squares + b.squares }
            }
            fn finish(&self, acc: Powers, count: u64) -> Result<Option<f64>> {
                let divisor = count.saturating_sub(self.ddof.into());
                Ok((divisor > 0).then(|| acc.about_mean(count) / divisor as f64))
            }
            fn wgsl(&self) -> String {
                concat!(
                    "
fn identity() -> Acc { return Acc(0u, 0u, 0u, 0u, 0u, ", $signed, "); }
fn lift(bits: u32, index: u32) -> Acc {
    let magnitude = ", $magnitude, ";
    let square = multiply32(magnitude, magnitude);
    return Acc(bits, ", $high, ", square.x, square.y, 0u, ", $signed, ");
}
fn combine(a: Acc, b: Acc) -> Acc {
    let sum = add64(vec2<u32>(a.s0, a.s1), vec2<u32>(b.s0, b.s1));
    let low = add64(vec2<u32>(a.q0, a.q1), vec2<u32>(b.q0, b.q1));
    let carry = low.y < a.q1 || (low.y == a.q1 && low.x < a.q0);
    return Acc(sum.x, sum.y, low.x, low.y, a.q2 + b.q2 + select(0u, 1u, carry), ", $signed, ");
}"
                )
                .into()
            }
            #[inline(always)]
            fn fold(&self, elements: &[$type], _: u64) -> Powers {
                let blocks = elements.chunks(1 << 16).map(|block| Powers {
                    sum: block.iter().map(|&x| i64::from(x)).sum::<i64>().into(),
                    squares: block.iter().map(|&x| u128::from(i64::from(x).unsigned_abs().pow(2))).sum::<u128>() as i128,
                });
                blocks.fold(Powers::ZERO, |a, b| Op::<$type>::combine(self, a, b))
            }
        }
    };
}

integer_variance!(i32, "select(bits, 0u - bits, bits >> 31u == 1u)", "bitcast<u32>(bitcast<i32>(bits) >> 31u)", "1u");
integer_variance!(u32, "bits", "0u", "0u");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_variance_is_exact() {
        let near = |xs: &[i32]| {
            let powers = Op::<i32>::fold(&Variance::default(), xs, 0);
            Op::<i32>::finish(&Variance::default(), powers, xs.len() as u64)
        };
        assert_eq!(near(&[2_000_000_000, 2_000_000_001]).ok().flatten(), Some(0.25));
        assert_eq!(near(&[-7; 9]).ok().flatten(), Some(0.0));
        assert_eq!(near(&[i32::MIN, i32::MAX]).ok().flatten(), Some((2147483647.5f64).powi(2)));
    }

    #[test]
    fn words_survive() {
        for powers in [Powers { sum: -5, squares: 25 }, Powers { sum: 1 << 40, squares: 1 << 90 }] {
            let mut words = [0; 6];
            powers.write(&mut words);
            words[5] = 1;
            assert_eq!(Powers::read(&words), powers);
        }
    }
}
