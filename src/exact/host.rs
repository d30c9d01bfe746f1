//! Sums of slices on the host.

use super::accumulator::{LongAccumulator, flag};
use super::levels::{Extent, products_in_levels, sum_in_levels};
use super::unpack::Unpacked;

/// Signed 64-bit counters, one for each limb: elements are added without carrying, up to 2^30 of them.
pub(crate) struct LimbSums<const L: usize> {
    counters: [i64; L],
    flags: u32,
}

impl<const L: usize> LimbSums<L> {
    pub const ZERO: Self = LimbSums { counters: [0; L], flags: 0 };

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
    pub fn sum(&self) -> LongAccumulator<L> {
        let mut limbs = [0; L];
        let mut carry = 0i128;
        for (limb, &counter) in limbs.iter_mut().zip(&self.counters) {
            carry += i128::from(counter);
            *limb = carry as u32;
            carry >>= 32;
        }
        LongAccumulator { flags: self.flags, limbs }
    }
}

/// Elements from which on counters for all exponents, 16 KiB that are cleared and gone through, are worth it. `treefold sum --axis 1
/// --adapter cpu` over 3,200,000 f32, two cores: rows of 128 by counters 187 ms, one by one 52; rows of 511 one by one 47, of 512 by
/// counters 53.
const COUNTERS_MIN: usize = 512;

/// The sum of what `term` makes of each element, in units of 2^-150; few elements are added as they are.
#[inline(always)]
pub(crate) fn sum_f32<T: Copy + Default>(elements: &[T], term: impl Fn(T) -> f32) -> LongAccumulator<11> {
    let as_integers = |xs: &[T]| match xs.len() < COUNTERS_MIN {
        true => sum_unpacked(xs, |x| Unpacked::f32(term(x))),
        false => sum_counted(xs, &term),
    };
    sum_in_levels(elements, -150, |chunk| Extent::of_f32(chunk, &term), |x| f64::from(term(x)), as_integers)
}

/// The same: a counter for every sign and exponent takes the fractions and counts them.
#[inline(always)]
fn sum_counted<T: Copy>(elements: &[T], term: impl Fn(T) -> f32) -> LongAccumulator<11> {
    const REPLICAS: usize = 4;
    const ONE: u64 = 1 << 41;
    let mut all = LongAccumulator::ZERO;
    // Fractions have 23 bits, so that 2^18 of them stay below the count.
    for block in elements.chunks(1 << 16) {
        let mut counters = [[0u64; 512]; REPLICAS];
        let mut add = |c: usize, x: T| {
            let bits = term(x).to_bits();
            counters[c][(bits >> 23) as usize] += ONE + u64::from(bits & 0x7f_ffff);
        };
        let rows = block.chunks_exact(REPLICAS);
        rows.remainder().iter().for_each(|&x| add(0, x));
        for row in rows {
            for (c, &x) in row.iter().enumerate() {
                add(c, x);
            }
        }
        let mut limb_sums = LimbSums::ZERO;
        for at in 0..512usize {
            let total = counters.iter().map(|copy| copy[at]).sum::<u64>();
            if total != 0 {
                add_exponent(&mut limb_sums, at, total / ONE, total % ONE);
            }
        }
        all = all.plus(limb_sums.sum());
    }
    all
}

/// Adds `count` f32 of one sign and exponent (`at`: the upper nine bits) whose fractions sum to `fractions`.
fn add_exponent(limb_sums: &mut LimbSums<11>, at: usize, count: u64, fractions: u64) {
    let (exponent, negative) = (at as u32 & 255, at >= 256);
    match exponent {
        255 if fractions > 0 => limb_sums.see(flag::NAN | flag::OTHER),
        255 => limb_sums.see(flag::OTHER | if negative { flag::MINUS } else { flag::PLUS }),
        0 => {
            limb_sums.see(if negative && fractions == 0 { 0 } else { flag::OTHER });
            limb_sums.add(fractions, 1, negative);
        }
        _ => {
            limb_sums.see(flag::OTHER);
            limb_sums.add((count << 23) + fractions, exponent, negative);
        }
    }
}

/// The sum of what elements unpack to.
#[inline(always)]
pub(crate) fn sum_unpacked<T: Copy, const L: usize>(
    elements: &[T],
    unpack: impl Fn(T) -> Unpacked,
) -> LongAccumulator<L> {
    let mut all = LongAccumulator::ZERO;
    for block in elements.chunks(1 << 30) {
        let mut limb_sums = LimbSums::ZERO;
        for &x in block {
            unpack(x).add_to(&mut limb_sums);
        }
        all = all.plus(limb_sums.sum());
    }
    all
}

/// The sum of f64, in units of 2^-1075.
#[inline(always)]
pub(crate) fn sum_f64(elements: &[f64], term: impl Fn(f64) -> f64) -> LongAccumulator<68> {
    let as_integers = |xs: &[f64]| sum_unpacked(xs, |x| Unpacked::f64(term(x)));
    sum_in_levels(elements, -1075, Extent::of_f64, &term, as_integers)
}

/// The sum of products of two f32 each, in units of 2^-300.
#[inline(always)]
pub(crate) fn products_f32<T: Copy + Default>(
    elements: &[T],
    x: impl Fn(T) -> f32,
    y: impl Fn(T) -> f32,
) -> LongAccumulator<20> {
    products(elements, |chunk| Extent::of_f32(chunk, &x).times(Extent::of_f32(chunk, &y)), |both| [x(both), y(both)])
}

/// The sum of squares of f32, in units of 2^-300.
#[inline(always)]
pub(crate) fn squares_f32(elements: &[f32]) -> LongAccumulator<20> {
    products(elements, |chunk| Extent::of_f32(chunk, |x| x).squared(), |x| [x; 2])
}

#[inline(always)]
fn products<T: Copy + Default>(
    elements: &[T],
    sizes: impl Fn(&[T]) -> Extent,
    factors: impl Fn(T) -> [f32; 2],
) -> LongAccumulator<20> {
    let term = |element: T| {
        let [x, y] = factors(element).map(f64::from);
        x * y
    };
    let unpacked = |element: T| {
        let [x, y] = factors(element).map(Unpacked::f32);
        x.times(&y)
    };
    sum_in_levels(elements, -300, sizes, term, |xs| sum_unpacked(xs, unpacked))
}

/// The exponent of the unit of products of two f64.
pub(crate) const PRODUCTS_F64: i32 = -2150;

/// The sum of products of two f64 each.
#[inline(always)]
pub(crate) fn products_f64<T: Copy + Default>(
    elements: &[T],
    x: impl Fn(T) -> f64,
    y: impl Fn(T) -> f64,
) -> LongAccumulator<134> {
    let sizes = |chunk: &[T]| Extent::of_numbers(chunk, &x).times(Extent::of_numbers(chunk, &y));
    products_doubles(elements, sizes, |both| [x(both), y(both)])
}

/// The sum of the squares of f64, in the same units.
#[inline(always)]
pub(crate) fn squares_f64(elements: &[f64]) -> LongAccumulator<134> {
    products_doubles(elements, |chunk| Extent::of_f64(chunk).squared(), |x| [x; 2])
}

#[inline(always)]
fn products_doubles<T: Copy + Default>(
    elements: &[T],
    sizes: impl Fn(&[T]) -> Extent,
    factors: impl Fn(T) -> [f64; 2],
) -> LongAccumulator<134> {
    products_in_levels(elements, PRODUCTS_F64, sizes, &factors, |xs| products_unpacked(xs, &factors))
}

/// The same as integers: a product of 106 bits is four of words.
#[inline(always)]
fn products_unpacked<T: Copy>(elements: &[T], factors: impl Fn(T) -> [f64; 2]) -> LongAccumulator<134> {
    let mut all = LongAccumulator::ZERO;
    // A counter gets less than 2^34 of each.
    for block in elements.chunks(1 << 28) {
        let mut limb_sums = LimbSums::ZERO;
        for &element in block {
            let [x, y] = factors(element).map(Unpacked::f64);
            // The product but for its size, which words do not hold.
            let product = x.with_size(x.significand.min(1)).times(&y.with_size(y.significand.min(1)));
            limb_sums.see(product.flags());
            if product.finite {
                let words = |of: &Unpacked| (of.significand & 0xffff_ffff, of.significand >> 32);
                let ((x_low, x_high), (y_low, y_high)) = (words(&x), words(&y));
                limb_sums.add(x_low * y_low, product.exponent, product.negative);
                limb_sums.add(x_low * y_high + x_high * y_low, product.exponent + 32, product.negative);
                limb_sums.add(x_high * y_high, product.exponent + 64, product.negative);
            }
        }
        all = all.plus(limb_sums.sum());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few elements and many are added in two ways.
    #[test]
    fn sums_are_those_of_their_elements() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bits = state.rotate_left(11);
            // Some are zeros, subnormal, infinite or NaN.
            f32::from_bits(match bits % 16 {
                0 => bits & 0x807f_ffff,
                1 => bits & 0x8000_0000,
                2 => bits | 0x7f80_0000,
                _ => bits,
            })
        };
        for n in [0, 1, 2, COUNTERS_MIN - 1, COUNTERS_MIN, COUNTERS_MIN + 1, 1000] {
            for finite in [true, false] {
                let all: Vec<f32> =
                    std::iter::repeat_with(&mut next).filter(|x| !finite || x.is_finite()).take(n).collect();
                let one_by_one = all.iter().fold(LongAccumulator::ZERO, |sum, &x| sum.plus(sum_f32(&[x], |x| x)));
                assert_eq!(sum_f32(&all, |x| x), one_by_one, "{n} elements");
            }
        }
    }
}
