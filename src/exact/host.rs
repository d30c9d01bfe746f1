//! Sums of slices on the host.

use super::accumulator::{LongAccumulator, flag};
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

/// The sum of f32, in units of 2^-150: a counter for every sign and exponent takes the fractions and counts them.
#[inline(always)]
pub(crate) fn sum_f32(elements: &[f32]) -> LongAccumulator<11> {
    const REPLICAS: usize = 4;
    const ONE: u64 = 1 << 41;
    let mut all = LongAccumulator::ZERO;
    // Fractions have 23 bits, so that 2^18 of them stay below the count.
    for block in elements.chunks(1 << 16) {
        let mut counters = [[0u64; 512]; REPLICAS];
        let mut add = |c: usize, x: f32| {
            let bits = x.to_bits();
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
