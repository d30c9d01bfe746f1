//! Exact sums of neighbouring columns: two f64 for each column, of which the second one has what rounding takes from the first (Knuth's two-sum),
//! while the sizes of a column's elements leave room for that.

use super::accumulator::{LongAccumulator, flag};
#[cfg(target_arch = "x86_64")]
use super::four::fuses;
use super::host::LimbSums;
use super::levels::{Extent, adds_as_ieee};
use crate::element::Columns;

/// Columns that are added side by side: their sums stay in the innermost cache.
const SIDE: usize = 1024;

/// Elements whose sizes are known to lie between a largest and a least one, zeros apart.
pub(crate) trait HasSize: Copy {
    type Size: Copy;
    /// Whether an f64 has many digits more than they.
    const NARROW: bool;
    /// Of none.
    const NONE: (Self::Size, Self::Size);
    /// Beside the size of another one.
    fn beside(self, most: &mut Self::Size, least: &mut Self::Size);
    fn extent(most: Self::Size, least: Self::Size) -> Extent;
}

/// By its bits: of what is left after 1 is taken away, zeros are the largest.
impl HasSize for f32 {
    type Size = u32;
    const NARROW: bool = true;
    const NONE: (u32, u32) = (0, u32::MAX);
    #[inline(always)]
    fn beside(self, most: &mut u32, least: &mut u32) {
        let size = self.to_bits() & 0x7fff_ffff;
        *most = size.max(*most);
        *least = size.wrapping_sub(1).min(*least);
    }
    fn extent(most: u32, least: u32) -> Extent {
        Extent::of_sizes_f32(most, least)
    }
}

impl HasSize for f64 {
    type Size = f64;
    const NARROW: bool = false;
    const NONE: (f64, f64) = (0.0, f64::INFINITY);
    #[inline(always)]
    fn beside(self, most: &mut f64, least: &mut f64) {
        let size = self.abs();
        let but_zero = if size == 0.0 { f64::INFINITY } else { size };
        *most = if size > *most { size } else { *most };
        *least = if but_zero < *least { but_zero } else { *least };
    }
    fn extent(most: f64, least: f64) -> Extent {
        Extent::of_sizes_f64(most, least)
    }
}

/// The sums of what `term` makes of the elements of columns, in units of 2^`unit`, of which every term is a whole number, behind those that there
/// are; `slow` adds elements in another way. No more than 2^16 rows.
#[inline(always)]
pub(crate) fn sums_of_columns<T: HasSize, const L: usize>(
    columns: &Columns<'_, T>,
    unit: i32,
    term: impl Fn(T) -> f64,
    slow: impl Fn(&[T]) -> LongAccumulator<L>,
    found: &mut Vec<LongAccumulator<L>>,
) {
    if !adds_as_ieee() {
        return found.extend((0..columns.count()).map(|column| slow(&columns.column(column).collect::<Vec<T>>())));
    }
    let mut rests = !T::NARROW;
    for first in (0..columns.count()).step_by(SIDE) {
        let here = columns.part(0..columns.height(), first..columns.count().min(first + SIDE));
        let mut strip = Strip::<T>::of(&here, &term, rests);
        // Numbers of many sizes.
        if !rests && strip.beyond() > here.count() / 16 {
            rests = true;
            strip = Strip::of(&here, &term, rests);
        }
        for column in 0..here.count() {
            let mut limb_sums = LimbSums::ZERO;
            limb_sums.see(flag::OTHER);
            found.push(match strip.extent(column) {
                _ if strip.holds(column) => {
                    add_float(&mut limb_sums, strip.sums[column], unit);
                    add_float(&mut limb_sums, strip.rests[column], unit);
                    limb_sums.sum()
                }
                // Of zeros only they tell whether all are -0; the first one does, mostly. Beside a NaN that has no size they are none.
                Extent::Zero if strip.is_finite(column) && here.column(column).any(|x| term(x).to_bits() == 0) => {
                    limb_sums.sum()
                }
                _ => slow(&here.column(column).collect::<Vec<T>>()),
            });
        }
    }
}

/// What columns add up to, and between which sizes their elements lie.
struct Strip<T: HasSize> {
    sums: [f64; SIDE],
    /// What rounding has taken from the sums, where that is looked for.
    rests: [f64; SIDE],
    most: [T::Size; SIDE],
    least: [T::Size; SIDE],
    columns: usize,
    /// Bits between the largest element and the last digit of the least one that the sums have room for.
    room: i32,
}

impl<T: HasSize> Strip<T> {
    fn of(columns: &Columns<'_, T>, term: &impl Fn(T) -> f64, rests: bool) -> Self {
        // Sums have so many bits more than terms, and what rounding takes from all of them as many again.
        let bits = columns.height().next_power_of_two().ilog2() as i32;
        let room = if rests { 2 * (53 - bits) } else { 53 - bits };
        let (sums, most, least) = ([0.0; SIDE], [T::NONE.0; SIDE], [T::NONE.1; SIDE]);
        let mut strip = Strip { sums, rests: [0.0; SIDE], most, least, columns: columns.count(), room };
        match rests {
            false => strip.add::<false>(columns, term),
            true => strip.add::<true>(columns, term),
        }
        strip
    }

    fn extent(&self, column: usize) -> Extent {
        T::extent(self.most[column], self.least[column])
    }

    /// Whether it has the exact sum of a column.
    fn holds(&self, column: usize) -> bool {
        matches!(self.extent(column), Extent::Within { top, low } if top <= 900 && low >= -1000 && top - low <= self.room)
            && self.is_finite(column)
    }

    /// Whether nothing has come in between that is not finite: a NaN shows in the sum.
    fn is_finite(&self, column: usize) -> bool {
        (self.sums[column] + self.rests[column]).is_finite()
    }

    /// Number of columns whose numbers lie too far apart for it.
    fn beyond(&self) -> usize {
        let apart = |&column: &usize| matches!(self.extent(column), Extent::Within { .. }) && !self.holds(column);
        (0..self.columns).filter(apart).count()
    }

    /// Adds all rows; `RESTS`: and what rounding takes from their sums.
    fn add<const RESTS: bool>(&mut self, columns: &Columns<'_, T>, term: &impl Fn(T) -> f64) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn add_avx2<T: HasSize, const RESTS: bool>(
                strip: &mut Strip<T>,
                columns: &Columns<'_, T>,
                term: &impl Fn(T) -> f64,
            ) {
                strip.add_all::<RESTS>(columns, term);
            }
            if fuses() {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { add_avx2::<T, RESTS>(self, columns, term) };
            }
        }
        self.add_all::<RESTS>(columns, term);
    }

    #[inline(always)]
    fn add_all<const RESTS: bool>(&mut self, columns: &Columns<'_, T>, term: &impl Fn(T) -> f64) {
        let Strip { sums, rests, most, least, .. } = self;
        let sums = &mut sums[..columns.count()];
        let whole = columns.height() / ROWS * ROWS;
        for at in (0..whole).step_by(ROWS) {
            add_rows::<T, ROWS, RESTS>(columns.some_rows(at), term, sums, rests, most, least);
        }
        for at in whole..columns.height() {
            add_rows::<T, 1, RESTS>(columns.some_rows(at), term, sums, rests, most, least);
        }
    }
}

/// Rows that are added at once, while sums are in registers.
const ROWS: usize = 8;

/// Adds so many rows, column by column: a loop that becomes vectors.
#[inline(always)]
fn add_rows<T: HasSize, const K: usize, const RESTS: bool>(
    rows: [&[T]; K],
    term: &impl Fn(T) -> f64,
    sums: &mut [f64],
    rests: &mut [f64],
    most: &mut [T::Size],
    least: &mut [T::Size],
) {
    let width = sums.len();
    let (rests, most, least) = (&mut rests[..width], &mut most[..width], &mut least[..width]);
    let rows = rows.map(|row| &row[..width]);
    for column in 0..width {
        let (mut sum, mut rest) = (sums[column], rests[column]);
        let (mut high, mut low) = (most[column], least[column]);
        for row in rows {
            let number = term(row[column]);
            let all = sum + number;
            if RESTS {
                let back = all - sum;
                rest += (sum - (all - back)) + (number - back);
            }
            sum = all;
            row[column].beside(&mut high, &mut low);
        }
        sums[column] = sum;
        if RESTS {
            rests[column] = rest;
        }
        (most[column], least[column]) = (high, low);
    }
}

/// Adds an f64 that is a whole number of units of 2^`unit`.
fn add_float<const L: usize>(limb_sums: &mut LimbSums<L>, x: f64, unit: i32) {
    let (bits, field) = (x.to_bits(), (x.to_bits() >> 52) as i32 & 0x7ff);
    let significand = bits & ((1 << 52) - 1) | u64::from(field > 0) << 52;
    let at = field.max(1) - 1075 - unit;
    // Digits below the unit are zeros.
    let (amount, at) =
        if at < 0 { (significand.checked_shr(at.unsigned_abs()).unwrap_or(0), 0) } else { (significand, at) };
    limb_sums.add(amount, at as u32, x < 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{sum_f32, sum_f64};

    const COLUMNS: usize = 24;

    /// Numbers whose exponents differ by up to so many places, every digit of which may be set.
    fn rows<T>(height: usize, apart: u64, number: impl Fn(u64, i32) -> T) -> Vec<T> {
        let mut state = height as u64 + 1000 * apart;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 8
        };
        (0..height * COLUMNS).map(|_| number(next(), -((next() % (apart + 1)) as i32))).collect()
    }

    fn are_exact<T: HasSize, const L: usize>(
        unit: i32,
        number: impl Fn(u64, i32) -> T + Copy,
        term: impl Fn(T) -> f64,
        alone: impl Fn(&[T]) -> LongAccumulator<L>,
    ) {
        for height in [1, 5, 8, 100, 1024] {
            for apart in (0..130).step_by(3) {
                let elements = rows(height, apart, number);
                let places: Vec<usize> = (0..height).map(|row| row * COLUMNS).collect();
                let columns = Columns::of(&elements, &places, COLUMNS);
                let mut found = vec![];
                sums_of_columns(&columns, unit, &term, &alone, &mut found);
                for (column, found) in found.iter().enumerate() {
                    let own: Vec<T> = columns.column(column).collect();
                    assert_eq!(*found, alone(&own), "column {column} of {height} rows, {apart} places apart");
                }
            }
        }
    }

    /// Whether an f64 has room for all digits, or two have, or none.
    #[test]
    fn sums_are_those_of_each_column() {
        let float =
            |bits: u64, exponent: i32| f32::from_bits(((exponent + 130) as u32) << 23 | bits as u32 & 0x807f_ffff);
        are_exact(-150, float, f64::from, |own: &[f32]| sum_f32(own, |x| x));
        are_exact(-150, float, |x| f64::from(x.abs()), |own: &[f32]| sum_f32(own, f32::abs));
        let double = |bits: u64, exponent: i32| {
            f64::from_bits(((exponent + 1023) as u64) << 52 | (bits << 11) & 0x800f_ffff_ffff_ffff | bits & 0xfff)
        };
        are_exact(-1075, double, |x| x, |own: &[f64]| sum_f64(own, |x| x));
    }

    /// Where subnormal numbers are zeros to the processor, what is not looked at as numbers is summed all the same.
    #[test]
    #[cfg(target_arch = "x86_64")]
    #[allow(deprecated)] // Of all that there is, this alone is stable.
    fn subnormals_that_a_host_flushes_are_summed() {
        use std::arch::x86_64::{_mm_getcsr, _mm_setcsr};
        let (elements, places) = ([[0.0; COLUMNS], [f64::from_bits(1); COLUMNS]].concat(), [0, COLUMNS]);
        let columns = Columns::of(&elements, &places, COLUMNS);
        for bits in [0, 0x40, 0x8000, 0x8040, 0x2000] {
            // SAFETY: the register is put back below, before anything else is computed.
            let before = unsafe { _mm_getcsr() };
            unsafe { _mm_setcsr(before | bits) };
            let mut found = vec![];
            sums_of_columns(&columns, -1075, |x| x, |own| sum_f64(own, |x| x), &mut found);
            unsafe { _mm_setcsr(before) };
            let want = sum_f64(&[0.0, f64::from_bits(1)], |x| x);
            assert!(found.iter().all(|sum| *sum == want), "mode {bits:#x}: {:?}", found[0]);
        }
    }
}
