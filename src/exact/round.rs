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
    pub fn from_limbs(mut limbs: Vec<u32>) -> BigNat {
        // Without those of 0 above the highest.
        limbs.truncate(limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1));
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
        BigNat::from_limbs((0..4).map(|limb| (value >> (32 * limb)) as u32).collect())
    }

    pub fn times(&self, other: &BigNat) -> BigNat {
        let mut limbs = vec![0u32; self.0.len() + other.0.len()];
        let some = other.0.iter().position(|&limb| limb != 0).unwrap_or(other.0.len());
        for (i, &mine) in self.0.iter().enumerate().filter(|(_, limb)| **limb != 0) {
            let mut carry = 0u64;
            for (j, &theirs) in other.0.iter().chain(&[0]).enumerate().skip(some) {
                if let Some(limb) = limbs.get_mut(i + j) {
                    carry += u64::from(mine) * u64::from(theirs) + u64::from(*limb);
                    *limb = carry as u32;
                    carry >>= 32;
                }
            }
        }
        BigNat::from_limbs(limbs)
    }

    pub fn plus(&self, other: &BigNat) -> BigNat {
        let mut carry = 0u64;
        let limb = |limbs: &[u32], i: usize| u64::from(limbs.get(i).copied().unwrap_or(0));
        let sum = (0..=self.0.len().max(other.0.len())).map(|i| {
            carry += limb(&self.0, i) + limb(&other.0, i);
            let low = carry as u32;
            carry >>= 32;
            low
        });
        BigNat::from_limbs(sum.collect())
    }

    pub fn is_less_than(&self, other: &BigNat) -> bool {
        let limb = |limbs: &[u32], i: usize| limbs.get(i).copied().unwrap_or(0);
        let differs = |&i: &usize| limb(&self.0, i) != limb(&other.0, i);
        let first = (0..self.0.len().max(other.0.len())).rev().find(differs);
        first.is_some_and(|i| limb(&self.0, i) < limb(&other.0, i))
    }

    /// Times 2^`places`.
    pub fn up(&self, places: u32) -> BigNat {
        let (limbs, left) = (places / 32, places % 32);
        let mut carry = 0u64;
        let shifted = self.0.iter().chain(&[0]).map(|&limb| {
            carry |= u64::from(limb) << left;
            let low = carry as u32;
            carry >>= 32;
            low
        });
        let shifted: Vec<u32> = shifted.collect();
        BigNat(shifted).limbs_up(limbs)
    }

    /// Divided by 2^`places`, rounded down.
    pub fn down(&self, places: u32) -> BigNat {
        let (limbs, right) = ((places / 32) as usize, places % 32);
        let from = self.0.get(limbs..).unwrap_or_default();
        let above = from.iter().skip(1).chain(&[0]);
        BigNat(
            from.iter()
                .zip(above)
                .map(|(&low, &high)| ((u64::from(high) << 32 | u64::from(low)) >> right) as u32)
                .collect(),
        )
    }

    /// It without limbs of 0 at either end, and the power of two that is missing then.
    pub fn odd_limbs(&self) -> (BigNat, i32) {
        let first = self.0.iter().position(|&limb| limb != 0).unwrap_or(self.0.len());
        let end = self.0.iter().rposition(|&limb| limb != 0).map_or(first, |last| last + 1);
        (BigNat(self.0[first..end].to_vec()), 32 * first as i32)
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
        BigNat::from_limbs(difference.collect())
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

    /// The quotient, and whether something remains; by a number that is not 0. Source: Knuth, The Art of Computer Programming 2, 4.3.1,
    /// algorithm D.
    pub fn long_divided(&self, divisor: &BigNat) -> (BigNat, bool) {
        // With the divisor's highest bit set.
        let shift = 31 - (divisor.highest().max(0) % 32) as u32;
        let by = divisor.up(shift).0;
        let n = by.iter().rposition(|&limb| limb != 0).map_or(1, |last| last + 1);
        let (top, second) = (u64::from(by[n - 1]).max(1), if n > 1 { u64::from(by[n - 2]) } else { 0 });
        let mut rest = self.up(shift).0;
        rest.resize(rest.len().max(n) + 1, 0);
        let mut quotient = vec![0; rest.len() - n];
        for (at, digit) in quotient.iter_mut().enumerate().rev() {
            let rest = &mut rest[at..=at + n];
            let front = u64::from(rest[n]) << 32 | u64::from(rest[n - 1]);
            let third = if n > 1 { u64::from(rest[n - 2]) } else { 0 };
            // At most one too many behind this.
            let mut guess = (front / top).min(u64::from(u32::MAX));
            while guess > 0
                && u128::from(guess) * u128::from(second) > (u128::from(front - guess * top) << 32 | u128::from(third))
            {
                guess -= 1;
            }
            if !take(rest, &by[..n], guess) {
                guess -= 1;
                add_back(rest, &by[..n]);
            }
            *digit = guess as u32;
        }
        (BigNat(quotient), rest.iter().any(|&limb| limb != 0))
    }

    /// The low 128 bits.
    pub fn low(&self) -> u128 {
        self.0.iter().take(4).rev().fold(0, |all, &limb| all << 32 | u128::from(limb))
    }

    /// The leading digits of the quotient by a number that is not 0: so many, or those down to place `last`.
    pub fn quotient(&self, divisor: u64, last: i32, digits: u32) -> Quotient {
        let highest = self.highest();
        if highest < 0 {
            return Quotient { digits: 0, exponent: last, round_bit: false, sticky: false };
        }
        // The highest digit of the quotient stands here, or one place lower: two more digits are found than are wanted then, or one.
        let first = highest - divisor.ilog2() as i32;
        let from = (first - digits as i32 + 1).max(last) - 2;
        // Less than 2^(64 + 53 + 2).
        let window = self.digits_from(from);
        let (found, rest) = match divisor {
            1 => (window, 0),
            _ => (window / u128::from(divisor), window % u128::from(divisor)),
        };
        let exponent = (from + found.checked_ilog2().map_or(-1, |top| top as i32) - digits as i32 + 1).max(last);
        let more = (exponent - from) as u32;
        let below = found & ((1 << (more - 1)) - 1);
        Quotient {
            digits: (found >> more) as u64,
            exponent,
            round_bit: found >> (more - 1) & 1 == 1,
            sticky: below != 0 || rest != 0 || self.any_below(from),
        }
    }

    /// The digits from this place on, which may lie below the number's first; those of 128 bits.
    fn digits_from(&self, at: i32) -> u128 {
        let limb = |i: i32| usize::try_from(i).ok().and_then(|i| self.0.get(i)).copied().map_or(0, u128::from);
        let (whole, part) = (at.div_euclid(32), at.rem_euclid(32));
        let low = (0..4).fold(0, |all, i| all | limb(whole + i) << (32 * i));
        match part {
            0 => low,
            part => low >> part | limb(whole + 4) << (128 - part),
        }
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

/// Takes `times` as much as `by` is from a number of one limb more; whether there was so much, else it is short of 2^(32 limbs).
fn take(rest: &mut [u32], by: &[u32], times: u64) -> bool {
    let mut borrow = 0u64;
    for (limb, theirs) in rest.iter_mut().zip(by.iter().map(|&limb| u64::from(limb)).chain([0])) {
        // At most 2^64 - 1.
        let less = theirs * times + borrow;
        let (low, short) = limb.overflowing_sub(less as u32);
        (*limb, borrow) = (low, (less >> 32) + u64::from(short));
    }
    borrow == 0
}

/// Adds it again, what is carried out with that.
fn add_back(rest: &mut [u32], by: &[u32]) {
    let mut carry = 0u64;
    for (limb, theirs) in rest.iter_mut().zip(by.iter().map(|&limb| u64::from(limb)).chain([0])) {
        carry += u64::from(*limb) + theirs;
        *limb = carry as u32;
        carry >>= 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits of a quotient, found one by one.
    fn by_digits(number: &BigNat, divisor: u64, last: i32, digits: u32) -> (u64, i32, bool, bool) {
        let (mut at, mut found, mut rest) = (number.highest().max(last) + 1, 0u64, 0u128);
        let next = |rest: &mut u128, at: i32| {
            *rest = *rest << 1 | u128::from(number.bit(at));
            let fits = *rest >= u128::from(divisor);
            *rest -= if fits { u128::from(divisor) } else { 0 };
            fits
        };
        while found >> (digits - 1) == 0 && at > last {
            at -= 1;
            found = found << 1 | u64::from(next(&mut rest, at));
        }
        let round_bit = next(&mut rest, at - 1);
        (found, at, round_bit, rest != 0 || number.any_below(at - 1))
    }

    #[test]
    fn quotients_have_the_digits_of_long_division() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 16
        };
        for round in 0..40_000usize {
            let mut limb = || match next() % 8 {
                0 | 1 => 0,
                2 => u32::MAX,
                3 => 1,
                _ => next() as u32,
            };
            let number = BigNat::from_limbs((0..round % 6).map(|_| limb()).collect());
            let divisor = match round % 5 {
                0 => 1,
                1 => 1 << (next() % 64),
                2 => u64::MAX - next() % 3,
                3 => 1 + next() % 1000,
                _ => (next() << 16 | next()) >> (next() % 64) | 1,
            };
            let (digits, last) = ([24, 53][round % 2], (next() % 260) as i32 - 130);
            let Quotient { digits: found, exponent, round_bit, sticky } = number.quotient(divisor, last, digits);
            let want = by_digits(&number, divisor, last, digits);
            assert_eq!((found, exponent, round_bit, sticky), want, "{number:?} / {divisor}, {last}, {digits}");
        }
    }

    /// Quotients and what remains of them make the number again, limbs of all ones and of zeros among them.
    #[test]
    fn long_division_is_undone_by_multiplication() {
        let mut state = 1u64;
        let mut limb = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match state >> 61 {
                0 | 1 => 0,
                2 | 3 => u32::MAX,
                4 => 1 << 31,
                _ => (state >> 20) as u32,
            }
        };
        for round in 0..20_000usize {
            let mut some = |limbs: usize| BigNat((0..limbs).map(|_| limb()).collect());
            let (quotient, mut divisor) = (some(round % 5), some(1 + round % 4));
            divisor.0[0] |= 1;
            let remains = some(round % 3).long_divided(&divisor).0;
            let rest = if remains.is_less_than(&divisor) { remains } else { BigNat::of(0) };
            let number = quotient.times(&divisor).plus(&rest);
            let (found, more) = number.long_divided(&divisor);
            let same = !found.is_less_than(&quotient) && !quotient.is_less_than(&found);
            assert!(same && more == (rest.highest() >= 0), "{number:?} / {divisor:?}: {found:?}, {quotient:?}");
        }
    }
}
