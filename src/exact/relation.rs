//! What two inputs are to each other, from exact sums: quotients of wide integers and their roots, rounded once.

use super::accumulator::LongAccumulator;
use super::round::{BigNat, Float};
use super::spread::{Spread, bits};

/// A wide integer and its sign.
pub(crate) struct Signed {
    size: BigNat,
    negative: bool,
}

impl Signed {
    /// The value of a sum; `None` where not all that went in was finite.
    pub fn of<const L: usize>(sum: &LongAccumulator<L>) -> Option<Signed> {
        sum.is_finite().then(|| Signed { size: sum.size(), negative: sum.is_negative() })
    }

    /// A whole number.
    pub fn whole(n: u64) -> Signed {
        Signed { size: BigNat::of(n.into()), negative: false }
    }

    pub fn of_i128(value: i128) -> Signed {
        Signed { size: BigNat::of(value.unsigned_abs()), negative: value < 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.size.highest() < 0
    }

    pub fn times(&self, other: &Signed) -> Signed {
        Signed { size: self.size.times(&other.size), negative: self.negative != other.negative }
    }

    pub fn minus(&self, other: &Signed) -> Signed {
        match self.size.is_less_than(&other.size) {
            _ if self.negative != other.negative => Signed { size: self.size.plus(&other.size), ..*self },
            true => Signed { size: other.size.minus(&self.size), negative: !self.negative },
            false => Signed { size: self.size.minus(&other.size), ..*self },
        }
    }

    pub fn plus(&self, other: &Signed) -> Signed {
        self.minus(&Signed { size: other.size.clone(), negative: !other.negative })
    }

    /// It in units that are 2^`places` as large, of which it is a whole number.
    pub fn in_units(self, places: i32) -> Signed {
        Signed { size: self.size.down(places.max(0) as u32), ..self }
    }

    /// n·Σxy - Σx·Σy for the sum Σxy of n products: n times the sum of the products of distances from both means.
    pub fn apart(&self, n: u64, x: &Signed, y: &Signed) -> Signed {
        self.times(&Signed::whole(n)).minus(&x.times(y))
    }

    /// It, as [`Signed::apart`] of n pairs in units of 2^(2·`unit`), divided by n·(n - `ddof`); n > `ddof`.
    pub fn covariance<F: Float>(self, unit: i32, n: u64, ddof: u64) -> F {
        let negative = self.negative && !self.is_zero();
        F::from_size(Spread::of(self.size, unit, n).variance_bits::<F>(ddof), negative)
    }

    /// It divided by another one, times 2^`up`; `None` where one of both is 0, which may have a sign.
    pub fn quotient<F: Float>(&self, other: &Signed, up: i32) -> Option<F> {
        if self.is_zero() || other.is_zero() {
            return None;
        }
        let quotient = Long::of(&self.size, &other.size);
        let last = F::EXPONENT_MIN - up - quotient.up;
        let digits = BigNat::of(quotient.digits).quotient(1, last, F::DIGITS);
        Some(F::from_size(bits::<F>(digits, quotient.remains, last), self.negative != other.negative))
    }

    /// It divided by the root of the product of two that are not negative; `None` where one of them is 0.
    pub fn of_root<F: Float>(&self, one: &Signed, other: &Signed) -> Option<F> {
        if one.is_zero() || other.is_zero() {
            return None;
        }
        let quotient = Long::of(&self.size.times(&self.size), &one.size.times(&other.size));
        let last = F::EXPONENT_MIN - quotient.up / 2;
        let digits = BigNat::of(quotient.digits).root(last, F::DIGITS);
        Some(F::from_size(bits::<F>(digits, quotient.remains, last), self.negative && !self.is_zero()))
    }
}

/// The first binary digits of a quotient.
struct Long {
    /// At least 112 of them, unless it is 0: twice those of an f64, and more.
    digits: u128,
    /// The place of the last one, which is even.
    up: i32,
    /// Whether anything that is not 0 follows.
    remains: bool,
}

impl Long {
    /// Long division by a number that is not 0.
    fn of(number: &BigNat, divisor: &BigNat) -> Long {
        let ((number, number_up), (divisor, divisor_up)) = (number.odd_limbs(), divisor.odd_limbs());
        let more = 113 - (number.highest() - divisor.highest());
        let up = number_up - divisor_up - more;
        let more = more + (up & 1);
        let (number, divisor) = (number.up(more.max(0) as u32), divisor.up((-more).max(0) as u32));
        let (quotient, remains) = number.long_divided(&divisor);
        Long { digits: quotient.low(), up: number_up - divisor_up - more, remains }
    }
}
