//! Big natural numbers, and their quotients and roots as floats that are rounded once.

/// A float format that a sum can be rounded to.
pub(crate) trait Float: Copy {
    /// Quotient of a significand, with the leading one.
    const DIGITS: u32;
    /// The exponent of the last place of the smallest numbers.
    const EXPONENT_MIN: i32;
    /// The bits of infinity.
    const INFINITE: u64;
    /// The value of a size's bits and a sign.
    fn from_size(bits: u64, negative: bool) -> Self;
    /// The value of a device's words.
    fn from_words(words: &[u32]) -> Self;
}

impl Float for f32 {
    const DIGITS: u32 = 24;
    const EXPONENT_MIN: i32 = -149;
    const INFINITE: u64 = 0x7f80_0000;
    fn from_size(bits: u64, negative: bool) -> f32 {
        f32::from_bits(bits.min(0x7fc0_0000) as u32 | u32::from(negative) << 31)
    }
    fn from_words(words: &[u32]) -> f32 {
        f32::from_bits(words[0])
    }
}

impl Float for f64 {
    const DIGITS: u32 = 53;
    const EXPONENT_MIN: i32 = -1074;
    const INFINITE: u64 = 0x7ff0_0000_0000_0000;
    fn from_size(bits: u64, negative: bool) -> f64 {
        f64::from_bits(bits | u64::from(negative) << 63)
    }
    fn from_words(words: &[u32]) -> f64 {
        f64::from_bits(u64::from(words[0]) | u64::from(words[1]) << 32)
    }
}

/// A natural number, low limb first.
#[derive(Clone, Debug)]
pub(crate) struct BigNat(Vec<u32>);

/// The leading digits of a number, and what rounding asks of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quotient {
    pub digits: u64,
    /// The place of the last digit.
    exponent: i32,
    /// The digit behind the last.
    round_bit: bool,
    /// Whether anything that is not 0 follows.
    pub sticky: bool,
}

impl Quotient {
    /// The bits of the float whose smallest numbers end at place `last`, rounded to nearest even; infinity at most.
    pub fn round(self, last: i32, digits: u32) -> u64 {
        let most = (1u64 << (if digits == 24 { 8 } else { 11 })) - 1;
        let up = self.round_bit && (self.sticky || self.digits & 1 == 1);
        let exponent = u64::from(self.exponent.abs_diff(last)).min(most);
        ((exponent << (digits - 1)) + self.digits + u64::from(up)).min(most << (digits - 1))
    }
}

impl BigNat {
    /// Of limbs, low limb first.
    pub fn from_limbs(limbs: Vec<u32>) -> BigNat {
        BigNat(limbs)
    }

    /// The place of the highest bit that is set; -1 of zero.
    pub fn highest(&self) -> i32 {
        let top = self.0.iter().rposition(|&limb| limb != 0);
        top.map_or(-1, |i| 32 * i as i32 + self.0[i].ilog2() as i32)
    }

    fn bit(&self, at: i32) -> u32 {
        let limb = usize::try_from(at).ok().and_then(|at| self.0.get(at / 32));
        limb.map_or(0, |limb| limb >> (at % 32) & 1)
    }

    fn any_below(&self, at: i32) -> bool {
        let at = usize::try_from(at).unwrap_or(0);
        let whole = (at / 32).min(self.0.len());
        let part = self.0.get(at / 32).is_some_and(|limb| limb & ((1 << (at % 32)) - 1) != 0);
        part || self.0[..whole].iter().any(|&limb| limb != 0)
    }

    pub fn of(value: u128) -> BigNat {
        BigNat((0..4).map(|limb| (value >> (32 * limb)) as u32).collect())
    }

    pub fn times(&self, other: &BigNat) -> BigNat {
        let mut limbs = vec![0u32; self.0.len() + other.0.len()];
        for (i, &mine) in self.0.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &theirs) in other.0.iter().chain(&[0]).enumerate() {
                if let Some(limb) = limbs.get_mut(i + j) {
                    carry += u64::from(mine) * u64::from(theirs) + u64::from(*limb);
                    *limb = carry as u32;
                    carry >>= 32;
                }
            }
        }
        BigNat(limbs)
    }

    /// The difference with a smaller number.
    pub fn minus(&self, other: &BigNat) -> BigNat {
        let mut borrow = false;
        let length = self.0.len().max(other.0.len());
        let limb = |limbs: &[u32], i: usize| limbs.get(i).copied().unwrap_or(0);
        let difference = (0..length).map(|i| {
            let (low, first) = limb(&self.0, i).overflowing_sub(limb(&other.0, i));
            let (low, second) = low.overflowing_sub(u32::from(borrow));
            borrow = first || second;
            low
        });
        BigNat(difference.collect())
    }

    /// Times 2^(32·`limbs`).
    pub fn limbs_up(&self, limbs: u32) -> BigNat {
        BigNat([&vec![0; limbs as usize][..], &self.0].concat())
    }

    /// The quotient and what remains.
    pub fn divided(&self, divisor: u64) -> (BigNat, u64) {
        let mut remainder = 0u128;
        let mut limbs = self.0.clone();
        for limb in limbs.iter_mut().rev() {
            remainder = remainder << 32 | u128::from(*limb);
            *limb = (remainder / u128::from(divisor)) as u32;
            remainder %= u128::from(divisor);
        }
        (BigNat(limbs), remainder as u64)
    }

    /// Long division, digit by digit, until `digits` stand there or place `last` is reached.
    pub fn quotient(&self, divisor: u64, last: i32, digits: u32) -> Quotient {
        let divisor = u128::from(divisor);
        let mut at = self.highest().max(last) + 1;
        let (mut found, mut remainder) = (0u64, 0u128);
        let next = |remainder: &mut u128, at: i32| {
            *remainder = *remainder << 1 | u128::from(self.bit(at));
            let fits = *remainder >= divisor;
            *remainder -= if fits { divisor } else { 0 };
            fits
        };
        while found >> (digits - 1) == 0 && at > last {
            at -= 1;
            found = found << 1 | u64::from(next(&mut remainder, at));
        }
        let round_bit = next(&mut remainder, at - 1);
        Quotient { digits: found, exponent: at, round_bit, sticky: remainder != 0 || self.any_below(at - 1) }
    }

    /// The square root, two bits of the number for each digit.
    pub fn root(&self, last: i32, digits: u32) -> Quotient {
        let mut at = (self.highest().max(0) / 2).max(last) + 1;
        let (mut found, mut remainder) = (0u64, 0u128);
        let next = |found: u64, remainder: &mut u128, at: i32| {
            *remainder = *remainder << 2 | u128::from(self.bit(2 * at + 1)) << 1 | u128::from(self.bit(2 * at));
            let trial = u128::from(found) << 2 | 1;
            let fits = *remainder >= trial;
            *remainder -= if fits { trial } else { 0 };
            fits
        };
        while found >> (digits - 1) == 0 && at > last {
            at -= 1;
            found = found << 1 | u64::from(next(found, &mut remainder, at));
        }
        let round_bit = next(found, &mut remainder, at - 1);
        Quotient { digits: found, exponent: at, round_bit, sticky: remainder != 0 || self.any_below(2 * at - 2) }
    }
}
