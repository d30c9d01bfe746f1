//! The long accumulator: a two's complement integer, and its rounding.

use super::round::{BigNat, Float};
use super::spread::Spread;

/// Flags for inputs that an integer cannot represent.
pub(crate) mod flag {
    /// A NaN.
    pub const NAN: u32 = 1;
    /// Positive infinity.
    pub const PLUS: u32 = 2;
    /// Negative infinity.
    pub const MINUS: u32 = 4;
    /// Anything but -0.
    pub const OTHER: u32 = 8;
}

/// The accumulator of an exact sum: a two's complement integer of `L` 32-bit limbs, low limb first, and flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongAccumulator<const L: usize> {
    pub(crate) flags: u32,
    pub(crate) limbs: [u32; L],
}

impl<const L: usize> LongAccumulator<L> {
    pub(crate) const ZERO: Self = LongAccumulator { flags: 0, limbs: [0; L] };

    /// An integer of 128 bits, in the unit.
    #[inline(always)]
    pub(crate) fn integer(value: i128, flags: u32) -> Self {
        let above = if value < 0 { u32::MAX } else { 0 };
        let mut limbs = [above; L];
        for (limb, at) in limbs.iter_mut().zip([0, 32, 64, 96]) {
            *limb = (value >> at) as u32;
        }
        LongAccumulator { flags, limbs }
    }

    /// A natural number of 192 bits, `above` its upper 64, in the unit; what does not fit is lost.
    #[inline(always)]
    pub(crate) fn natural(low: u128, above: u64, flags: u32) -> Self {
        let mut limbs = [0; L];
        for (limb, at) in limbs.iter_mut().zip([0, 32, 64, 96, 128, 160]) {
            *limb = if at < 128 { (low >> at) as u32 } else { (above >> (at - 128)) as u32 };
        }
        LongAccumulator { flags, limbs }
    }

    /// Times 2^64; what overflows is lost.
    pub(crate) fn up_by_64(mut self) -> Self {
        self.limbs.rotate_right(2);
        self.limbs[..2].fill(0);
        self
    }

    /// The sum of both; what overflows is lost, and nothing overflows before 2^64 elements.
    #[inline(always)]
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.flags |= other.flags;
        let mut carry = 0u64;
        for (mine, theirs) in self.limbs.iter_mut().zip(other.limbs) {
            carry += u64::from(*mine) + u64::from(theirs);
            *mine = carry as u32;
            carry >>= 32;
        }
        self
    }

    /// Whether all that went in was.
    pub(crate) fn is_finite(&self) -> bool {
        self.flags & (flag::NAN | flag::PLUS | flag::MINUS) == 0
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.limbs[L - 1] >> 31 == 1
    }

    /// The low 128 bits, where nothing is above them.
    pub(crate) fn natural_128(&self) -> Option<u128> {
        self.limbs.iter().skip(4).all(|&limb| limb == 0).then(|| self.low())
    }

    /// The low 128 bits with their sign, where nothing but that is above them.
    pub(crate) fn integer_128(&self) -> Option<i128> {
        let low = self.low() as i128;
        let above = if low < 0 { u32::MAX } else { 0 };
        self.limbs.iter().skip(4).all(|&limb| limb == above).then_some(low)
    }

    /// The low 128 bits.
    pub(crate) fn low(&self) -> u128 {
        self.limbs.iter().take(4).rev().fold(0, |low, &limb| low << 32 | u128::from(limb))
    }

    /// The sum without its sign.
    pub(crate) fn size(&self) -> BigNat {
        let mut limbs = self.limbs.to_vec();
        if self.is_negative() {
            let mut carry = true;
            for limb in &mut limbs {
                (*limb, carry) = (!*limb).overflowing_add(u32::from(carry));
            }
        }
        BigNat::from_limbs(limbs)
    }

    /// The same with what a NaN or an infinity makes meaningless set to zero, so that equal sums have equal words.
    pub(crate) fn canonical(mut self) -> Self {
        let infinities = flag::PLUS | flag::MINUS;
        if self.flags & flag::NAN != 0 || self.flags & infinities == infinities {
            self.flags = flag::NAN | flag::OTHER;
        }
        if self.flags & (flag::NAN | infinities) != 0 {
            self.limbs = [0; L];
        }
        self
    }

    /// The sum in units of 2^`unit`, divided by `divisor`, as a float rounded once to nearest even.
    /// `count` says whether there are elements: nothing but -0 sums to -0, nothing at all to +0.
    pub(crate) fn quotient<F: Float>(&self, unit: i32, divisor: u64, count: u64) -> F {
        let bits = self
            .size()
            .quotient(divisor.max(1), F::EXPONENT_MIN - unit, F::DIGITS)
            .round(F::EXPONENT_MIN - unit, F::DIGITS);
        self.with_specials(bits, self.is_negative() || (self.flags & flag::OTHER == 0 && count > 0))
    }

    /// The sum in units of 2^`unit` as a float rounded once, times a power of two: what is finite and not 0 is from 1 to 2.
    pub(crate) fn scaled(&self, unit: i32, count: u64) -> (f64, i32) {
        let highest = self.size().highest().max(0);
        (self.quotient(-highest, 1, count), unit + highest)
    }

    /// The square root of the sum in units of 2^`unit`, rounded once.
    pub(crate) fn root<F: Float>(&self, unit: i32) -> F {
        let last = F::EXPONENT_MIN - unit / 2;
        self.with_specials(self.size().root(last, F::DIGITS).round(last, F::DIGITS), false)
    }

    /// The spread of elements about their mean, where they sum to this and their squares to that, in units of 2^`unit` and
    /// 2^(2·`unit`); `None` where not all of them are finite.
    pub(crate) fn spread<const M: usize>(&self, squares: &LongAccumulator<M>, unit: i32, n: u64) -> Option<Spread> {
        self.is_finite().then(|| Spread::new(&self.size(), &squares.size(), unit, n))
    }

    /// Flags take precedence over the integer.
    fn with_specials<F: Float>(&self, bits: u64, negative: bool) -> F {
        match self.canonical().flags & (flag::NAN | flag::PLUS | flag::MINUS) {
            0 => F::from_size(bits, negative),
            flag::PLUS => F::from_size(F::INFINITE, false),
            flag::MINUS => F::from_size(F::INFINITE, true),
            _ => F::from_size(F::INFINITE + (1 << (F::DIGITS - 2)), false),
        }
    }
}
