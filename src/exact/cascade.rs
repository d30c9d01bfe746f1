//! Exact sums of many terms in vectors of f64: each addition's rounding error is added up too, and where that sum rounds as well, it is
//! noticed, and the terms are added as integers. Knuth's TwoSum, twice in a row, as in the cascaded sums of Ogita, Rump and Oishi (2005).

use super::accumulator::{LongAccumulator, flag};
use super::host::LimbSums;
use super::unpack::Unpacked;
use std::hint::black_box;

/// Terms that are added side by side.
const LANES: usize = 8;

/// Terms whose sums go into the limbs together.
const CHUNK: usize = 1 << 13;

/// Terms between two looks at whether anything was lost, so that what is given up costs little.
const PART: usize = 1 << 10;

/// Elements of which so few are sooner added as integers.
const FEW: usize = 128;

/// Chunks that are added as integers with one that has lost something: numbers that are spread so widely are so throughout.
const TOGETHER: usize = 8;

/// The sum of what `term` makes of elements, in units of 2^`unit`, of which every term is a whole number: f64 holds it exactly. `slow` adds
/// elements in the other way. Fewer than 2^39 elements: so far the counters of limbs have room.
#[inline(always)]
pub(crate) fn sum_cascaded<T: Copy, const L: usize>(
    elements: &[T],
    unit: i32,
    term: impl Fn(T) -> f64,
    slow: impl Fn(&[T]) -> LongAccumulator<L>,
) -> LongAccumulator<L> {
    if elements.len() < FEW || !adds_as_ieee() {
        return slow(elements);
    }
    let (mut all, mut limb_sums) = (LongAccumulator::ZERO, LimbSums::ZERO);
    let mut rest = elements;
    while !rest.is_empty() {
        let chunk = &rest[..rest.len().min(CHUNK)];
        let mut done = chunk.len();
        match cascaded(chunk, &term) {
            // The sum is 0: only the elements tell whether all of them are -0.
            Some(lanes) if lanes.iter().all(|&x| x == 0.0) => {
                if chunk.iter().any(|&x| term(x).to_bits() != 1 << 63) {
                    limb_sums.see(flag::OTHER);
                }
            }
            Some(lanes) => {
                limb_sums.see(flag::OTHER);
                lanes.iter().for_each(|&x| add(&mut limb_sums, x, unit));
            }
            None => {
                done = rest.len().min(TOGETHER * CHUNK);
                all = all.plus(slow(&rest[..done]));
            }
        }
        rest = &rest[done..];
    }
    all.plus(limb_sums.sum())
}

/// Whether additions round to the nearest f64, and subnormal numbers are numbers: not where a host has told this thread's processor
/// otherwise, nor where sums stay in the longer registers of an x87.
#[inline(always)]
fn adds_as_ieee() -> bool {
    if cfg!(all(target_arch = "x86", not(target_feature = "sse2"))) {
        return false;
    }
    let unit = black_box(f64::EPSILON);
    let (up, down) = (black_box(1.0) + unit / 4.0, black_box(-1.0) - unit / 4.0);
    let (whole, half) = (black_box(1.0) + unit * 0.75, black_box(f64::MIN_POSITIVE) * 0.5);
    black_box(up) == 1.0
        && black_box(down) == -1.0
        && black_box(whole) > 1.0
        && black_box(half) != 0.0
        && f64::from(black_box(f32::from_bits(1))) != 0.0
}

/// Numbers whose sum is that of the terms, in real numbers; `None` where an error was lost, or a term is not finite.
#[inline(always)]
fn cascaded<T: Copy>(elements: &[T], term: &impl Fn(T) -> f64) -> Option<[f64; 2 * LANES]> {
    let (rows, rest) = elements.split_at(elements.len() / LANES * LANES);
    // Zeros behind the last ones.
    let mut last = [0f64; LANES];
    last.iter_mut().zip(rest).for_each(|(to, &x)| *to = term(x));
    let mut all = Sums::ZERO;
    for part in rows.chunks(PART) {
        all.add(part, term);
        if all.have_lost() {
            return None;
        }
    }
    all.add(&last, &|x| x);
    if all.have_lost() {
        return None;
    }
    let mut lanes = [0f64; 2 * LANES];
    lanes[..LANES].copy_from_slice(&all.sums);
    lanes[LANES..].copy_from_slice(&all.errors);
    Some(lanes)
}

/// Sums side by side, the sums of their errors, and the bits of what those have lost.
#[derive(Clone, Copy)]
struct Sums {
    sums: [f64; LANES],
    errors: [f64; LANES],
    lost: [u64; LANES],
}

impl Sums {
    const ZERO: Sums = Sums { sums: [0.0; LANES], errors: [0.0; LANES], lost: [0; LANES] };

    /// Whether any bits are left beside a sign: of an error, or of a NaN, which infinities leave here too.
    fn have_lost(&self) -> bool {
        self.lost.iter().any(|bits| bits << 1 != 0)
    }

    /// Adds whole rows, with vector instructions where this processor has them.
    fn add<T: Copy>(&mut self, rows: &[T], term: &impl Fn(T) -> f64) {
        #[cfg(target_arch = "x86_64")]
        {
            /// A function of its own: within others the compiler makes no whole vectors of it.
            #[target_feature(enable = "avx2")]
            #[inline(never)]
            fn add_avx2<T: Copy>(sums: &mut Sums, rows: &[T], term: &impl Fn(T) -> f64) {
                sums.add_plain(rows, term);
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { add_avx2(self, rows, term) };
            }
        }
        self.add_plain(rows, term);
    }

    /// Arrays of its own, and no index but that of a lane, keep all of them in registers.
    #[inline(always)]
    fn add_plain<T: Copy>(&mut self, rows: &[T], term: &impl Fn(T) -> f64) {
        let Sums { mut sums, mut errors, mut lost } = *self;
        for row in rows.chunks_exact(LANES) {
            for l in 0..LANES {
                let (sum, error) = two_sum(sums[l], term(row[l]));
                let (all, rest) = two_sum(errors[l], error);
                (sums[l], errors[l]) = (sum, all);
                lost[l] |= rest.to_bits();
            }
        }
        *self = Sums { sums, errors, lost };
    }
}

/// The sum of two finite numbers, rounded, and what rounding took: exact, unless the sum overflows.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Adds a finite number that is a whole multiple of 2^`unit`.
#[inline(always)]
fn add<const L: usize>(limb_sums: &mut LimbSums<L>, x: f64, unit: i32) {
    let Unpacked { negative, significand, exponent, .. } = Unpacked::of(x.to_bits(), 11, 52);
    // Its last place, in units.
    let at = exponent as i32 - 1075 - unit;
    match u32::try_from(at) {
        Ok(at) => limb_sums.add(significand, at, negative),
        // Bits below the unit are 0.
        Err(_) => limb_sums.add(significand.checked_shr(at.unsigned_abs()).unwrap_or(0), 0, negative),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sum_unpacked;
    use super::*;

    fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.rotate_left(29) ^ state >> 11
        }
    }

    fn f32_both(elements: &[f32]) -> [LongAccumulator<11>; 2] {
        let slow = |xs: &[f32]| sum_unpacked(xs, Unpacked::f32);
        [sum_cascaded(elements, -150, f64::from, slow), slow(elements)]
    }

    #[test]
    fn sums_are_those_of_integers() {
        let mut next = random(3);
        let specials = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
        for n in [0, 1, FEW - 1, FEW, FEW + 1, FEW + LANES, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            for kind in 0..8 {
                let mut of = || match kind {
                    0 => (next() >> 40) as f32 / 16_777_216.0,
                    1 => ((next() >> 40) as f32 - 8_388_608.0) * 2f32.powi((next() % 61) as i32 - 30),
                    2 => loop {
                        let x = f32::from_bits(next() as u32);
                        if x.is_finite() {
                            break x;
                        }
                    },
                    3 => f32::from_bits(next() as u32),
                    4 => 0.0,
                    5 => -0.0,
                    6 => [1.0, -1.0][(next() % 2) as usize] * f32::from_bits(next() as u32 & 0x7f_ffff),
                    _ => specials[(next() % 9) as usize],
                };
                let elements: Vec<f32> = (0..n).map(|_| of()).collect();
                let [fast, slow] = f32_both(&elements);
                assert_eq!(fast, slow, "{n} of kind {kind}");
            }
        }
        // A special number in each place of a row, and of the rest.
        for &special in &specials {
            for at in (0..LANES).chain(CHUNK..CHUNK + 3) {
                let mut elements: Vec<f32> = (0..CHUNK + 3).map(|_| (next() >> 40) as f32).collect();
                elements[at] = special;
                let [fast, slow] = f32_both(&elements);
                assert_eq!(fast, slow, "{special} at {at}");
            }
        }
        let (ones, zeros) = ([1.0f32, -1.0].repeat(CHUNK), vec![0.0f32; 100]);
        let cancelled: Vec<f32> = ones.chunks(LANES).flat_map(|row| row.iter().rev().chain(row).copied()).collect();
        for elements in [ones, zeros, cancelled] {
            let [fast, slow] = f32_both(&elements);
            assert_eq!(fast, slow);
        }
    }

    #[test]
    fn doubles_and_squares_too() {
        let mut next = random(5);
        let slow = |xs: &[f64]| sum_unpacked::<f64, 68>(xs, |x| Unpacked::of(x.to_bits(), 11, 52));
        let squares = |xs: &[f32]| sum_unpacked::<f32, 20>(xs, |x| Unpacked::f32(x).times(&Unpacked::f32(x)));
        for kind in 0..4 {
            let mut of = || match kind {
                0 => (next() >> 11) as f64 / (1u64 << 53) as f64,
                1 => f64::from_bits(next()),
                2 => [f64::MAX, f64::MIN, 5e-324, -5e-324, f64::MIN_POSITIVE][(next() % 5) as usize],
                _ => ((next() >> 11) as f64 - (1u64 << 52) as f64) * 2f64.powi((next() % 200) as i32 - 100),
            };
            let elements: Vec<f64> = (0..2 * CHUNK + 11).map(|_| of()).collect();
            assert_eq!(sum_cascaded(&elements, -1075, |x| x, slow), slow(&elements), "kind {kind}");
            let narrow: Vec<f32> = elements.iter().map(|&x| x as f32).collect();
            let square = |x: f32| f64::from(x) * f64::from(x);
            assert_eq!(sum_cascaded(&narrow, -300, square, squares), squares(&narrow), "squares of kind {kind}");
        }
    }

    /// Where processors flush subnormal numbers or round otherwise, integers are added.
    #[cfg(target_arch = "x86_64")]
    #[test]
    #[allow(deprecated)]
    fn other_ways_to_round_are_noticed() {
        use std::arch::x86_64::{_mm_getcsr, _mm_setcsr};
        assert!(adds_as_ieee());
        // SAFETY: every x86-64 processor has the register, which is set back before anything else is computed.
        let was = unsafe { _mm_getcsr() };
        // Subnormal operands are 0; subnormal results are 0; down, up, towards 0.
        for bits in [0x40, 0x8000, 0x2000, 0x4000, 0x6000] {
            unsafe { _mm_setcsr(was | bits) };
            let noticed = !adds_as_ieee();
            unsafe { _mm_setcsr(was) };
            assert!(noticed, "{bits:x}");
        }
    }

    /// The exact way is the one that is taken, where it can be.
    #[test]
    fn ordinary_numbers_lose_nothing() {
        let mut next = random(7);
        let uniform: Vec<f32> = (0..CHUNK).map(|_| (next() >> 40) as f32 / 16_777_216.0).collect();
        assert!(cascaded(&uniform, &|x: f32| f64::from(x)).is_some());
        assert!(cascaded(&uniform, &|x: f32| f64::from(x) * f64::from(x)).is_some());
        let lost = [1e300f64, 1e-300, 1.0, 1e150];
        let lanes: Vec<f64> = lost.iter().flat_map(|&x| [x; LANES]).collect();
        assert!(cascaded(&lanes, &|x: f64| x).is_none());
        assert!(cascaded(&[f64::MAX; 2 * LANES], &|x: f64| x).is_none());
    }
}
