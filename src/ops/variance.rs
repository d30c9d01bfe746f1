//! Variance of integers: from exact sums of powers.

use super::fast_sum::near;
use crate::op::Member;
use crate::{Accumulator, Fold, Op, Result, Wgsl};

/// The variance of integers, Σ(x - mean)² / (n - ddof). Floats have [`FastVariance`](super::FastVariance).
///
/// - **ddof**: delta degrees of freedom; 0 (the default) divides by n, 1 by n - 1.
/// - **Rounding**: Σx and Σx² exactly, one division in f64.
/// - **Order**: commutative. **Empty** or n <= ddof: `None`. **On the device**: no device answer.
///
/// ```
/// use treefold::{Cpu, ops::Variance};
/// assert_eq!(Cpu::new().reduce(Variance::default(), &[1i32, 2, 3, 4])?, Some(1.25));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Variance {
    /// Delta degrees of freedom: what is subtracted from n in the divisor.
    pub ddof: u32,
}

/// The fold of [`Variance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegerPowers;

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
    const MEMBERS: &'static [Member] = &[
        Member { name: "s0", of: "u32", words: 1 },
        Member { name: "s1", of: "u32", words: 1 },
        Member { name: "q0", of: "u32", words: 1 },
        Member { name: "q1", of: "u32", words: 1 },
        Member { name: "q2", of: "u32", words: 1 },
        Member { name: "sign", of: "u32", words: 1 },
    ];
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
        impl Fold<$type> for IntegerPowers {
            type Acc = Powers;
            const ELEMENTS_MAX: u64 = 1 << 32;

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
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Powers {
                let blocks = elements.chunks(1 << 16).map(|block| Powers {
                    sum: block.iter().map(|&x| i64::from(x)).sum::<i64>().into(),
                    squares: block.iter().map(|&x| u128::from(i64::from(x).unsigned_abs().pow(2))).sum::<u128>() as i128,
                });
                blocks.fold(Powers::ZERO, |a, b| Fold::<$type>::combine(self, a, b))
            }
            fn wgsl(&self) -> Wgsl {
                Wgsl::new(
                    concat!("return Acc(0u, 0u, 0u, 0u, 0u, ", $signed, ");"),
                    concat!(
                        "let magnitude = ", $magnitude, ";\n",
                        "let square = multiply32(magnitude, magnitude);\n",
                        "return Acc(bits, ", $high, ", square.x, square.y, 0u, ", $signed, ");"
                    ),
                    concat!(
                        "let sum = add64(vec2<u32>(a.s0, a.s1), vec2<u32>(b.s0, b.s1));
let low = add64(vec2<u32>(a.q0, a.q1), vec2<u32>(b.q0, b.q1));
let carry = (low.y < a.q1) | ((low.y == a.q1) & (low.x < a.q0));
return Acc(sum.x, sum.y, low.x, low.y, a.q2 + b.q2 + select(0u, 1u, carry), ", $signed, ");"
                    ),
                )
                .checked()
            }
        }

        impl Op<$type> for Variance {
            type Fold = IntegerPowers;
            type Output = Option<f64>;
            const ABOUT: &'static str = "Variance, divided by n - ddof";

            fn name(&self) -> &'static str {
                "variance"
            }
            fn signature(&self) -> String {
                format!("variance(ddof={})", self.ddof)
            }
            fn fold(&self) -> IntegerPowers {
                IntegerPowers
            }
            fn finish(&self, acc: Powers, count: u64) -> Result<Option<f64>> {
                let divisor = count.saturating_sub(self.ddof.into());
                Ok((divisor > 0).then(|| acc.about_mean(count) / divisor as f64))
            }
            fn close(&self, device: &Option<f64>, host: &Option<f64>, _: &[$type], _: bool) -> bool {
                let (Some(device), Some(host)) = (device, host) else { return device.is_none() && host.is_none() };
                near(*device, *host, 1e-15 * host.abs())
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
            let powers = Fold::<i32>::accumulate(&IntegerPowers, xs, 0);
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
