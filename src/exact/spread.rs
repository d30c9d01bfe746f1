//! Σ(x - mean)² from exact sums of powers.

use super::round::{BigNat, Float, Quotient};

/// Limbs of room for more digits than any format has: the divisors take 192 bits at most.
const ROOM: u32 = 8;

/// The squared distances of n elements from their mean, exactly: n·Q - S², n times their sum, for the sum S of the elements in units
/// of 2^`unit` and the sum Q of their squares in units of 2^(2·`unit`).
pub(crate) struct Spread {
    scaled: BigNat,
    unit: i32,
    n: u64,
}

impl Spread {
    /// `sum`: the size of S; its sign does not matter.
    pub fn new(sum: &BigNat, squares: &BigNat, unit: i32, n: u64) -> Spread {
        Spread::of(squares.times(&BigNat::of(n.into())).minus(&sum.times(sum)), unit, n)
    }

    /// That of n·Q - S², or of the like of two inputs.
    pub fn of(scaled: BigNat, unit: i32, n: u64) -> Spread {
        Spread { scaled, unit, n }
    }

    /// The variance (n·Q - S²) / (n·(n - `ddof`)), rounded once; n > `ddof`.
    pub fn variance<F: Float>(&self, ddof: u64) -> F {
        F::from_size(self.variance_bits::<F>(ddof), false)
    }

    /// Its bits.
    pub fn variance_bits<F: Float>(&self, ddof: u64) -> u64 {
        let (by_n, rest) = self.scaled.limbs_up(ROOM).divided(self.n.max(1));
        let last = F::EXPONENT_MIN - 2 * self.unit + 32 * ROOM as i32;
        bits::<F>(by_n.quotient(self.n.saturating_sub(ddof).max(1), last, F::DIGITS), rest != 0, last)
    }

    /// The standard deviation, the root of the variance, rounded once; n > `ddof`.
    pub fn deviation<F: Float>(&self, ddof: u64) -> F {
        self.root([self.n, self.n.saturating_sub(ddof)])
    }

    /// The standard error of the mean, the root of the variance divided by n, rounded once; n > `ddof`.
    pub fn mean_error<F: Float>(&self, ddof: u64) -> F {
        self.root([self.n, self.n, self.n.saturating_sub(ddof)])
    }

    /// The root of n·Q - S² divided by some numbers, rounded once.
    fn root<F: Float, const N: usize>(&self, divisors: [u64; N]) -> F {
        let begin = (self.scaled.limbs_up(2 * ROOM), false);
        let (quotient, remains) = divisors.into_iter().fold(begin, |(quotient, remains), divisor| {
            let (quotient, rest) = quotient.divided(divisor.max(1));
            (quotient, remains || rest != 0)
        });
        let last = F::EXPONENT_MIN - self.unit + 32 * ROOM as i32;
        F::from_size(bits::<F>(quotient.root(last, F::DIGITS), remains, last), false)
    }
}

/// The bits of a float of digits behind which something remains.
pub(super) fn bits<F: Float>(mut digits: Quotient, remains: bool, last: i32) -> u64 {
    digits.sticky |= remains;
    digits.round(last, F::DIGITS)
}

/// A whole number divided by another, rounded once.
pub(crate) fn ratio<F: Float>(number: i128, divisor: u64) -> F {
    let digits = BigNat::of(number.unsigned_abs()).quotient(divisor.max(1), F::EXPONENT_MIN, F::DIGITS);
    F::from_size(digits.round(F::EXPONENT_MIN, F::DIGITS), number < 0)
}
