//! Exact sums: integers so wide that no addition rounds, and one rounding at the end.
//!
//! A finite f32 is m·2^(e - 150) with a 24-bit m, so 352 bits in units of 2^-150 hold the sum of 2^64 of them. Integer
//! addition commutes and associates, so order, geometry, chunks and device leave no trace in the result.

use crate::Accumulator;

/// What a sum has seen that no integer can tell.
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
pub struct Fixed<const L: usize> {
    flags: u32,
    limbs: [u32; L],
}

impl<const L: usize> Fixed<L> {
    pub(crate) const ZERO: Self = Fixed { flags: 0, limbs: [0; L] };

    /// An integer of 128 bits, in the unit.
    #[inline(always)]
    pub(crate) fn integer(value: i128, flags: u32) -> Self {
        let above = if value < 0 { u32::MAX } else { 0 };
        let mut limbs = [above; L];
        for (limb, at) in limbs.iter_mut().zip([0, 32, 64, 96]) {
            *limb = (value >> at) as u32;
        }
        Fixed { flags, limbs }
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

    pub(crate) fn is_negative(&self) -> bool {
        self.limbs[L - 1] >> 31 == 1
    }

    /// The low 128 bits.
    pub(crate) fn low(&self) -> u128 {
        self.limbs.iter().take(4).rev().fold(0, |low, &limb| low << 32 | u128::from(limb))
    }

    /// The sum without its sign.
    pub(crate) fn size(&self) -> Natural {
        let mut limbs = self.limbs.to_vec();
        if self.is_negative() {
            let mut carry = true;
            for limb in &mut limbs {
                (*limb, carry) = (!*limb).overflowing_add(u32::from(carry));
            }
        }
        Natural(limbs)
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
        let bits = self.size().quotient(divisor.max(1), F::LAST - unit, F::DIGITS).round(F::LAST - unit, F::DIGITS);
        self.settled(bits, self.is_negative() || (self.flags & flag::OTHER == 0 && count > 0))
    }

    /// The square root of the sum in units of 2^`unit`, rounded once.
    pub(crate) fn root<F: Float>(&self, unit: i32) -> F {
        let last = F::LAST - unit / 2;
        self.settled(self.size().root(last, F::DIGITS).round(last, F::DIGITS), false)
    }

    /// The standard deviation √((n·Q - S²) / (n·(n - ddof))) of n elements whose sum in units of 2^`unit` is this one, S, and the
    /// sum of whose squares in units of 2^(2·`unit`) is Q; rounded once. NaN where not all of them are finite.
    pub(crate) fn deviation<F: Float, const M: usize>(&self, squares: &Fixed<M>, unit: i32, n: u64, ddof: u64) -> F {
        if self.canonical().flags & (flag::NAN | flag::PLUS | flag::MINUS) != 0 {
            return F::from_size(F::INFINITE + (1 << (F::DIGITS - 2)), false);
        }
        let size = self.size();
        let spread = squares.size().times(&Natural::of(n)).minus(&size.times(&size));
        // Room for more digits than any format has: the divisors take 128 bits at most.
        const ROOM: u32 = 8;
        let (by_n, rest) = spread.limbs_up(2 * ROOM).divided(n.max(1));
        let (quotient, more) = by_n.divided(n.saturating_sub(ddof).max(1));
        let last = F::LAST - unit + 32 * ROOM as i32;
        let mut digits = quotient.root(last, F::DIGITS);
        digits.rest |= rest != 0 || more != 0;
        F::from_size(digits.round(last, F::DIGITS), false)
    }

    /// What was seen decides over what was summed.
    fn settled<F: Float>(&self, bits: u64, negative: bool) -> F {
        match self.canonical().flags & (flag::NAN | flag::PLUS | flag::MINUS) {
            0 => F::from_size(bits, negative),
            flag::PLUS => F::from_size(F::INFINITE, false),
            flag::MINUS => F::from_size(F::INFINITE, true),
            _ => F::from_size(F::INFINITE + (1 << (F::DIGITS - 2)), false),
        }
    }
}

macro_rules! fixed_words {
    ($($limbs:literal),*) => {$(
        impl Accumulator for Fixed<$limbs> {
            const WORDS: usize = $limbs + 1;
            const WGSL: &'static str = concat!("struct Acc { flags: u32, limbs: array<u32, ", $limbs, ">, }\nconst LIMBS = ", $limbs, "u;");
            const MEMBERS: &'static [&'static str] = &[];
            fn write(&self, words: &mut [u32]) {
                words[0] = self.flags;
                words[1..].copy_from_slice(&self.limbs);
            }
            fn read(words: &[u32]) -> Self {
                let mut limbs = [0; $limbs];
                limbs.copy_from_slice(&words[1..]);
                Fixed { flags: words[0], limbs }
            }
        }
    )*};
}

fixed_words!(4, 11, 20, 68);

/// A float format that a sum can be rounded to.
pub(crate) trait Float: Copy {
    /// Digits of a significand, with the leading one.
    const DIGITS: u32;
    /// The exponent of the last place of the smallest numbers.
    const LAST: i32;
    /// The bits of infinity.
    const INFINITE: u64;
    /// The value of a size's bits and a sign.
    fn from_size(bits: u64, negative: bool) -> Self;
}

impl Float for f32 {
    const DIGITS: u32 = 24;
    const LAST: i32 = -149;
    const INFINITE: u64 = 0x7f80_0000;
    fn from_size(bits: u64, negative: bool) -> f32 {
        f32::from_bits(bits.min(0x7fc0_0000) as u32 | u32::from(negative) << 31)
    }
}

impl Float for f64 {
    const DIGITS: u32 = 53;
    const LAST: i32 = -1074;
    const INFINITE: u64 = 0x7ff0_0000_0000_0000;
    fn from_size(bits: u64, negative: bool) -> f64 {
        f64::from_bits(bits | u64::from(negative) << 63)
    }
}

/// A natural number, low limb first.
#[derive(Clone, Debug)]
pub(crate) struct Natural(Vec<u32>);

/// The leading digits of a number, and what rounding asks of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    digits: u64,
    /// The place of the last digit.
    at: i32,
    /// The digit behind.
    half: bool,
    /// Whether anything that is not 0 follows.
    rest: bool,
}

impl Digits {
    /// The bits of the float whose smallest numbers end at place `last`, rounded to nearest even; infinity at most.
    fn round(self, last: i32, digits: u32) -> u64 {
        let most = (1u64 << (if digits == 24 { 8 } else { 11 })) - 1;
        let up = self.half && (self.rest || self.digits & 1 == 1);
        let exponent = u64::from(self.at.abs_diff(last)).min(most);
        ((exponent << (digits - 1)) + self.digits + u64::from(up)).min(most << (digits - 1))
    }
}

impl Natural {
    /// The place of the highest bit that is set; -1 of zero.
    fn highest(&self) -> i32 {
        let top = self.0.iter().rposition(|&limb| limb != 0);
        top.map_or(-1, |i| 32 * i as i32 + self.0[i].ilog2() as i32)
    }

    fn bit(&self, at: i32) -> u32 {
        let limb = usize::try_from(at).ok().and_then(|at| self.0.get(at / 32));
        limb.map_or(0, |limb| limb >> (at % 32) & 1)
    }

    fn any_below(&self, at: i32) -> bool {
        (0..at).any(|place| self.bit(place) == 1)
    }

    fn of(value: u64) -> Natural {
        Natural(vec![value as u32, (value >> 32) as u32])
    }

    fn times(&self, other: &Natural) -> Natural {
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
        Natural(limbs)
    }

    /// The difference with a smaller number.
    fn minus(&self, other: &Natural) -> Natural {
        let mut borrow = false;
        let length = self.0.len().max(other.0.len());
        let limb = |limbs: &[u32], i: usize| limbs.get(i).copied().unwrap_or(0);
        let difference = (0..length).map(|i| {
            let (low, first) = limb(&self.0, i).overflowing_sub(limb(&other.0, i));
            let (low, second) = low.overflowing_sub(u32::from(borrow));
            borrow = first || second;
            low
        });
        Natural(difference.collect())
    }

    /// Times 2^(32·`limbs`).
    fn limbs_up(&self, limbs: u32) -> Natural {
        Natural([&vec![0; limbs as usize][..], &self.0].concat())
    }

    /// The quotient and what remains.
    fn divided(&self, divisor: u64) -> (Natural, u64) {
        let mut remainder = 0u128;
        let mut limbs = self.0.clone();
        for limb in limbs.iter_mut().rev() {
            remainder = remainder << 32 | u128::from(*limb);
            *limb = (remainder / u128::from(divisor)) as u32;
            remainder %= u128::from(divisor);
        }
        (Natural(limbs), remainder as u64)
    }

    /// Long division, digit by digit, until `digits` stand there or place `last` is reached.
    fn quotient(&self, divisor: u64, last: i32, digits: u32) -> Digits {
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
        let half = next(&mut remainder, at - 1);
        Digits { digits: found, at, half, rest: remainder != 0 || self.any_below(at - 1) }
    }

    /// The square root, two bits of the number for each digit.
    fn root(&self, last: i32, digits: u32) -> Digits {
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
        let half = next(found, &mut remainder, at - 1);
        Digits { digits: found, at, half, rest: remainder != 0 || self.any_below(2 * at - 2) }
    }
}

/// Signed 64-bit counters, one for each limb: elements are added without carrying, up to 2^30 of them.
pub(crate) struct Columns<const L: usize> {
    counters: [i64; L],
    flags: u32,
}

impl<const L: usize> Columns<L> {
    pub const ZERO: Self = Columns { counters: [0; L], flags: 0 };

    /// Adds amount·2^at, in the unit; the amount has at most 64 bits.
    #[inline(always)]
    pub fn add(&mut self, amount: u64, at: u32, negative: bool) {
        let wide = u128::from(amount) << (at % 32);
        let sign = -i64::from(negative);
        for (counter, piece) in self.counters[(at / 32) as usize..].iter_mut().zip([0, 32, 64]) {
            *counter += (i64::from((wide >> piece) as u32) ^ sign) - sign;
        }
    }

    #[inline(always)]
    pub fn see(&mut self, flags: u32) {
        self.flags |= flags;
    }

    /// Carries.
    pub fn sum(&self) -> Fixed<L> {
        let mut limbs = [0; L];
        let mut carry = 0i128;
        for (limb, &counter) in limbs.iter_mut().zip(&self.counters) {
            carry += i128::from(counter);
            *limb = carry as u32;
            carry >>= 32;
        }
        Fixed { flags: self.flags, limbs }
    }
}

/// The sum of f32, in units of 2^-150: a counter for every sign and exponent takes the fractions and counts them.
#[inline(always)]
pub(crate) fn sum_f32(elements: &[f32]) -> Fixed<11> {
    const COPIES: usize = 4;
    const ONE: u64 = 1 << 41;
    let mut all = Fixed::ZERO;
    // Fractions have 23 bits, so that 2^18 of them stay below the count.
    for block in elements.chunks(1 << 16) {
        let mut counters = [[0u64; 512]; COPIES];
        let mut add = |c: usize, x: f32| {
            let bits = x.to_bits();
            counters[c][(bits >> 23) as usize] += ONE + u64::from(bits & 0x7f_ffff);
        };
        let rows = block.chunks_exact(COPIES);
        rows.remainder().iter().for_each(|&x| add(0, x));
        for row in rows {
            for (c, &x) in row.iter().enumerate() {
                add(c, x);
            }
        }
        let mut columns = Columns::ZERO;
        for at in 0..512usize {
            let total = counters.iter().map(|copy| copy[at]).sum::<u64>();
            if total != 0 {
                add_exponent(&mut columns, at, total / ONE, total % ONE);
            }
        }
        all = all.plus(columns.sum());
    }
    all
}

/// Adds `count` f32 of one sign and exponent (`at`: the upper nine bits) whose fractions sum to `fractions`.
fn add_exponent(columns: &mut Columns<11>, at: usize, count: u64, fractions: u64) {
    let (exponent, negative) = (at as u32 & 255, at >= 256);
    match exponent {
        255 if fractions > 0 => columns.see(flag::NAN | flag::OTHER),
        255 => columns.see(flag::OTHER | if negative { flag::MINUS } else { flag::PLUS }),
        0 => {
            columns.see(if negative && fractions == 0 { 0 } else { flag::OTHER });
            columns.add(fractions, 1, negative);
        }
        _ => {
            columns.see(flag::OTHER);
            columns.add((count << 23) + fractions, exponent, negative);
        }
    }
}

/// A float's sign, significand and exponent as integers, and whether it is finite.
#[derive(Clone, Copy)]
pub(crate) struct Pieces {
    pub negative: bool,
    pub significand: u64,
    /// At least 1, that of subnormals too.
    pub exponent: u32,
    pub finite: bool,
    pub nan: bool,
}

impl Pieces {
    /// Of a float with so many bits of exponent and of fraction.
    #[inline(always)]
    pub fn of(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Pieces {
        let most = (1u64 << exponent_bits) - 1;
        let exponent = bits >> fraction_bits & most;
        let fraction = bits & ((1 << fraction_bits) - 1);
        Pieces {
            negative: bits >> (exponent_bits + fraction_bits) & 1 == 1,
            significand: fraction | u64::from(exponent > 0) << fraction_bits,
            exponent: exponent.max(1) as u32,
            finite: exponent < most,
            nan: exponent == most && fraction != 0,
        }
    }
    #[inline(always)]
    pub fn f32(x: f32) -> Pieces {
        Pieces::of(x.to_bits().into(), 8, 23)
    }
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.significand == 0
    }
    /// The flags of a sum of this alone.
    #[inline(always)]
    pub fn flags(&self) -> u32 {
        match (self.finite, self.nan) {
            (true, _) if self.zero() && self.negative => 0,
            (true, _) => flag::OTHER,
            (false, true) => flag::OTHER | flag::NAN,
            (false, false) => flag::OTHER | if self.negative { flag::MINUS } else { flag::PLUS },
        }
    }
    /// The product with another, exactly.
    #[inline(always)]
    pub fn times(&self, other: &Pieces) -> Pieces {
        let finite = self.finite && other.finite;
        let nan = self.nan || other.nan || (!finite && (self.zero() || other.zero()));
        Pieces {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
            finite,
            nan,
        }
    }
    /// Adds it to columns whose unit is that of exponent 0.
    #[inline(always)]
    pub fn add_to<const L: usize>(&self, columns: &mut Columns<L>) {
        columns.see(self.flags());
        if self.finite {
            columns.add(self.significand, self.exponent, self.negative);
        }
    }
}
