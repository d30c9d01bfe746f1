//! Exact sums of many terms in vectors of f64 that never round. How large and how small the elements of a chunk are is looked up first; then
//! each term is split at places that leave room for all of them. The splitting is that of Rump, Ogita and Oishi's accurate summation (2008),
//! common places are Demmel and Nguyen's, of reproducible sums (2013).

use super::accumulator::{LongAccumulator, flag};
use super::four::{Four, fuses, in_vectors};
use super::host::LimbSums;
use std::hint::black_box;

/// Elements that are looked at, then added: they stay in the innermost cache.
const CHUNK: usize = 1 << 12;

/// Elements of which so few are sooner added as integers.
const FEW: usize = 64;

/// Chunks that are added as integers with one whose terms lie too far apart: they do so throughout.
const TOGETHER: usize = 16;

/// Bits of an f64's significand.
const DIGITS: i32 = 53;

/// Between which powers of two the elements of a chunk lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    /// All are zeros.
    Zero,
    /// None above 2^`top`, all of them whole multiples of 2^`low`.
    Within { top: i32, low: i32 },
    /// Not all of them are finite.
    Beyond,
}

impl Extent {
    /// Of what `factor` makes of elements.
    #[inline(always)]
    pub fn of_f32<T: Copy>(chunk: &[T], factor: impl Fn(T) -> f32) -> Extent {
        let size = |x: T| factor(x).to_bits() & 0x7fff_ffff;
        let (most, least) = in_vectors(|| {
            let (mut most, mut least) = (0u32, u32::MAX);
            for &x in chunk {
                // Of what is left after 1 is taken away, zeros are the largest.
                (most, least) = (most.max(size(x)), least.min(size(x).wrapping_sub(1)));
            }
            (most, least)
        });
        Extent::of_sizes_f32(most, least)
    }

    /// Between the largest of the bits of elements without their signs, and the least one less than those of an element that is not 0.
    pub fn of_sizes_f32(most: u32, least: u32) -> Extent {
        let exponent = |bits: u32| (bits >> 23).max(1) as i32 - 127;
        match most {
            0 => Extent::Zero,
            0x7f80_0000.. => Extent::Beyond,
            _ => Extent::Within { top: exponent(most) + 1, low: exponent(least + 1) - 23 },
        }
    }

    /// Between the largest size and the least that is not 0, neither of a NaN.
    pub fn of_sizes_f64(most: f64, least: f64) -> Extent {
        let exponent = |x: f64| (x.to_bits() >> 52).max(1) as i32 - 1023;
        match most {
            0.0 => Extent::Zero,
            most if most.is_finite() => Extent::Within { top: exponent(most) + 1, low: exponent(least) - 52 },
            _ => Extent::Beyond,
        }
    }

    #[inline(always)]
    pub fn of_f64(chunk: &[f64]) -> Extent {
        const SIDE: usize = 16;
        let (most, least) = in_vectors(|| {
            let (mut most, mut least) = ([0f64; SIDE], [f64::INFINITY; SIDE]);
            let rows = chunk.chunks_exact(SIDE);
            let mut last = [0f64; SIDE];
            last.iter_mut().zip(rows.remainder()).for_each(|(to, &x)| *to = x);
            for row in rows.chain([&last[..]]) {
                for l in 0..SIDE {
                    let size = row[l].abs();
                    let but_zero = if size == 0.0 { f64::INFINITY } else { size };
                    most[l] = if size > most[l] { size } else { most[l] };
                    least[l] = if but_zero < least[l] { but_zero } else { least[l] };
                }
            }
            (most.into_iter().fold(0.0, f64::max), least.into_iter().fold(f64::INFINITY, f64::min))
        });
        // A NaN beside numbers shows in their sum.
        match Extent::of_sizes_f64(most, least) {
            Extent::Zero if chunk.iter().any(|x| x.is_nan()) => Extent::Beyond,
            extent => extent,
        }
    }

    /// Of what `number` makes of elements, a chunk of them at most.
    #[inline(always)]
    pub fn of_numbers<T: Copy>(chunk: &[T], number: impl Fn(T) -> f64) -> Extent {
        let mut numbers = [0.0; CHUNK];
        numbers.iter_mut().zip(chunk).for_each(|(to, &x)| *to = number(x));
        Extent::of_f64(&numbers[..chunk.len().min(CHUNK)])
    }

    /// Of the squares of elements.
    pub fn squared(self) -> Extent {
        self.times(self)
    }

    /// Of products of elements of both.
    pub fn times(self, other: Extent) -> Extent {
        match (self, other) {
            (Extent::Beyond, _) | (_, Extent::Beyond) => Extent::Beyond,
            (Extent::Zero, _) | (_, Extent::Zero) => Extent::Zero,
            (Extent::Within { top: a, low: c }, Extent::Within { top: b, low: d }) => {
                Extent::Within { top: a + b, low: c + d }
            }
        }
    }
}

/// The sum of what `term` makes of elements, in units of 2^`unit`, of which every term is a whole number: f64 holds it exactly. `sizes` are
/// those of the terms of a chunk; `slow` adds elements in the other way. Fewer than 2^39 elements: a chunk adds less than 2^34 to a counter of a
/// limb, so far those have room.
#[inline(always)]
pub(crate) fn sum_in_levels<T: Copy + Default, const L: usize>(
    elements: &[T],
    unit: i32,
    sizes: impl Fn(&[T]) -> Extent,
    term: impl Fn(T) -> f64,
    slow: impl Fn(&[T]) -> LongAccumulator<L>,
) -> LongAccumulator<L> {
    let add = |chunk: &[T], top: i32, low: i32, limb_sums: &mut LimbSums<L>| {
        let count = chunk.len();
        None.or_else(|| Levels::<1, 4>::new(top, low, count, false)?.take(chunk, PutTerms(&term), unit, limb_sums))
            .or_else(|| Levels::<2, 4>::new(top, low, count, false)?.take(chunk, PutTerms(&term), unit, limb_sums))
            .or_else(|| Levels::<3, 2>::new(top, low, count, false)?.take(chunk, PutTerms(&term), unit, limb_sums))
            .or_else(|| Levels::<6, 1>::new(top, low, count, false)?.take(chunk, PutTerms(&term), unit, limb_sums))
    };
    in_chunks(elements, sizes, add, |x| term(x).to_bits() == 1 << 63, slow)
}

/// The sum of the products of two f64 each, in units of 2^`unit`; `sizes` are those of the products of a chunk.
#[inline(always)]
pub(crate) fn products_in_levels<T: Copy + Default, const L: usize>(
    elements: &[T],
    unit: i32,
    sizes: impl Fn(&[T]) -> Extent,
    factors: impl Fn(T) -> [f64; 2],
    slow: impl Fn(&[T]) -> LongAccumulator<L>,
) -> LongAccumulator<L> {
    if !fuses() {
        return slow(elements);
    }
    let add = |chunk: &[T], top: i32, low: i32, limb_sums: &mut LimbSums<L>| {
        fn fit<const K: usize>(top: i32, low: i32, count: usize, middle: usize) -> Option<Levels<K, 1>> {
            // The last digit of a product, rounded.
            Levels::new(top, low, count, true).filter(|levels| levels.units[middle] < low + DIGITS)
        }
        let count = chunk.len();
        None.or_else(|| fit::<4>(top, low, count, 2)?.take(chunk, PutProducts::<2, _>(&factors), unit, limb_sums))
            .or_else(|| fit::<6>(top, low, count, 4)?.take(chunk, PutProducts::<4, _>(&factors), unit, limb_sums))
    };
    // Where a product of chunks that have levels is 0, a factor is.
    let minus_zero = |element: T| {
        let [x, y] = factors(element);
        (x * y).to_bits() == 1 << 63
    };
    in_chunks(elements, sizes, add, minus_zero, slow)
}

/// The sum of chunks that `add` adds, where it can, and says whether their sum is not 0; `minus_zero`: whether an element's term is -0.
#[inline(always)]
fn in_chunks<T: Copy, const L: usize>(
    elements: &[T],
    sizes: impl Fn(&[T]) -> Extent,
    add: impl Fn(&[T], i32, i32, &mut LimbSums<L>) -> Option<bool>,
    minus_zero: impl Fn(T) -> bool,
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
        let some = match sizes(chunk) {
            Extent::Beyond => None,
            Extent::Zero => Some(false),
            Extent::Within { top, low } => add(chunk, top, low, &mut limb_sums),
        };
        match some {
            // Of a sum of 0 only the terms tell whether all of them are -0.
            Some(some) if some || chunk.iter().any(|&x| !minus_zero(x)) => limb_sums.see(flag::OTHER),
            Some(_) => {}
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
pub(super) fn adds_as_ieee() -> bool {
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

/// 2^`exponent`, of a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Sums of the parts of terms: `K` levels, `M` vectors of terms side by side.
struct Levels<const K: usize, const M: usize> {
    /// What is added and taken away again leaves a whole multiple of its last place.
    places: [f64; K],
    /// The units of the levels, as powers of two.
    units: [i32; K],
    sums: [[[f64; 4]; M]; K],
}

/// Sums of levels while terms are added.
#[derive(Clone, Copy)]
struct Open<V, const K: usize, const M: usize> {
    places: [V; K],
    sums: [[V; M]; K],
}

impl<V: Four, const K: usize, const M: usize> Open<V, K, M> {
    /// Adds terms to the levels from `from` on, and what they leave to level `last`.
    #[inline(always)]
    fn put(&mut self, m: usize, terms: V, from: usize, last: usize) {
        let mut rest = terms;
        for k in 0..K {
            if from <= k && k < last {
                let part = rest.plus(self.places[k]).minus(self.places[k]);
                self.sums[k][m] = self.sums[k][m].plus(part);
                rest = rest.minus(part);
            } else if k == last {
                self.sums[k][m] = self.sums[k][m].plus(rest);
            }
        }
    }
}

/// What becomes of four elements.
trait Put<T, const K: usize, const M: usize> {
    fn put<V: Four>(&self, open: &mut Open<V, K, M>, m: usize, elements: [T; 4]);
}

/// A term of each, that goes to all levels.
struct PutTerms<'f, F>(&'f F);

impl<T, F: Fn(T) -> f64, const K: usize, const M: usize> Put<T, K, M> for PutTerms<'_, F> {
    #[inline(always)]
    fn put<V: Four>(&self, open: &mut Open<V, K, M>, m: usize, elements: [T; 4]) {
        let [a, b, c, d] = elements;
        // Not `map`, which is left a call.
        open.put(m, V::new([(self.0)(a), (self.0)(b), (self.0)(c), (self.0)(d)]), 0, K - 1);
    }
}

/// Products: what is rounded goes down to level `MIDDLE`, what rounding took from the second to the last.
struct PutProducts<'f, const MIDDLE: usize, F>(&'f F);

impl<T, F: Fn(T) -> [f64; 2], const MIDDLE: usize, const K: usize, const M: usize> Put<T, K, M>
    for PutProducts<'_, MIDDLE, F>
{
    #[inline(always)]
    fn put<V: Four>(&self, open: &mut Open<V, K, M>, m: usize, elements: [T; 4]) {
        let [a, b, c, d] = elements;
        let (a, b, c, d) = ((self.0)(a), (self.0)(b), (self.0)(c), (self.0)(d));
        let (x, y) = (V::new([a[0], b[0], c[0], d[0]]), V::new([a[1], b[1], c[1], d[1]]));
        let product = x.times(y);
        open.put(m, product, 0, MIDDLE);
        // Exactly what rounding took: less than the product's last place.
        open.put(m, x.times_minus(y, product), 1, K - 1);
    }
}

impl<const K: usize, const M: usize> Levels<K, M> {
    /// Terms side by side.
    const ROW: usize = 4 * M;

    /// For up to `count` terms, none above 2^`top`, all of them whole multiples of 2^`low`, where they have room; `twice`: each comes with
    /// another one that begins at the second level.
    fn new(top: i32, low: i32, count: usize, twice: bool) -> Option<Self> {
        // So that every power below is a normal number.
        if low < -1000 || top > 900 {
            return None;
        }
        let mut levels = Levels { places: [0.0; K], units: [low; K], sums: [[[0.0; 4]; M]; K] };
        let bits_at =
            |k: usize| count.div_ceil(Self::ROW).next_power_of_two().ilog2() as i32 + i32::from(twice && k > 0);
        // What the levels before have left is not above 2^top.
        let mut top = top;
        for k in 0..K - 1 {
            // All parts together are at most 2^51 units, and a place 3·2^51.
            let unit = (top + bits_at(k) - DIGITS + 2).max(low);
            (levels.units[k], levels.places[k]) = (unit, 1.5 * power(unit + DIGITS - 1));
            top = unit;
        }
        (top + bits_at(K - 1) - low <= DIGITS).then_some(levels)
    }

    /// Adds what `put` makes of elements, and all of it to limbs.
    #[inline(always)]
    fn take<T: Copy + Default, P: Put<T, K, M>, const L: usize>(
        mut self,
        chunk: &[T],
        put: P,
        unit: i32,
        limb_sums: &mut LimbSums<L>,
    ) -> Option<bool> {
        self.add(chunk, &put);
        self.flush(unit, limb_sums)
    }

    fn add<T: Copy + Default, P: Put<T, K, M>>(&mut self, chunk: &[T], put: &P) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            #[inline(never)]
            fn add_avx2<T: Copy + Default, P: Put<T, K, M>, const K: usize, const M: usize>(
                levels: &mut Levels<K, M>,
                chunk: &[T],
                put: &P,
            ) {
                levels.add_fours::<std::arch::x86_64::__m256d, T, P>(chunk, put);
            }
            if fuses() {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { add_avx2(self, chunk, put) };
            }
        }
        self.add_fours::<[f64; 4], T, P>(chunk, put);
    }

    /// Four elements at a time; zeros stand behind the last ones.
    #[inline(always)]
    fn add_fours<V: Four, T: Copy + Default, P: Put<T, K, M>>(&mut self, chunk: &[T], put: &P) {
        let mut open = Open { places: [V::new([0.0; 4]); K], sums: [[V::new([0.0; 4]); M]; K] };
        for k in 0..K {
            open.places[k] = V::new([self.places[k]; 4]);
        }
        let (fours, rest) = chunk.as_chunks::<4>();
        let (rows, few) = fours.as_chunks::<M>();
        let mut last = [[T::default(); 4]; M];
        last.as_flattened_mut().iter_mut().zip(few.as_flattened().iter().chain(rest)).for_each(|(to, &x)| *to = x);
        for row in rows {
            for (m, &four) in row.iter().enumerate() {
                put.put(&mut open, m, four);
            }
        }
        for (m, &four) in last.iter().enumerate() {
            put.put(&mut open, m, four);
        }
        for (to, from) in self.sums.as_flattened_mut().iter_mut().zip(open.sums.as_flattened()) {
            *to = from.lanes();
        }
    }

    /// Adds the sums to limbs, in units of 2^`unit`: whether any is not 0; `None`, and nothing is added, where a NaN has come in between.
    fn flush<const L: usize>(&self, unit: i32, limb_sums: &mut LimbSums<L>) -> Option<bool> {
        if self.sums.as_flattened().as_flattened().iter().any(|sum| !sum.is_finite()) {
            return None;
        }
        let mut any = false;
        for (sums, of) in self.sums.iter().zip(self.units) {
            let scale = power(-of);
            let sum: i64 = sums.as_flattened().iter().map(|&sum| (sum * scale) as i64).sum();
            limb_sums.add(sum.unsigned_abs(), (of - unit) as u32, sum < 0);
            any |= sum != 0;
        }
        Some(any)
    }
}

#[cfg(test)]
mod tests {
    use super::super::host::sum_unpacked;
    use super::super::unpack::Unpacked;
    use super::super::{products_f32, products_f64, squares_f32, squares_f64, sum_f32, sum_f64};
    use super::*;

    fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.rotate_left(29) ^ state >> 11
        }
    }

    #[track_caller]
    fn same<const L: usize>(levels: LongAccumulator<L>, integers: LongAccumulator<L>, about: String) {
        assert_eq!(levels.canonical(), integers.canonical(), "{about}");
    }

    /// Sums, squares and products of f32 are what integers make of them.
    fn check_f32(elements: &[f32], about: &str) {
        let about = |of: &str| format!("{of} of {} {about}", elements.len());
        let one = |x: f32| Unpacked::f32(x);
        same(sum_f32(elements, |x| x), sum_unpacked(elements, one), about("sum"));
        let square = |x: f32| one(x).times(&one(x));
        same(squares_f32(elements), sum_unpacked(elements, square), about("squares"));
        let pairs: Vec<[f32; 2]> = elements.iter().zip(elements.iter().rev()).map(|(&x, &y)| [x, y]).collect();
        let product = |[x, y]: [f32; 2]| one(x).times(&one(y));
        same(products_f32(&pairs, |[x, _]| x, |[_, y]| y), sum_unpacked(&pairs, product), about("products"));
    }

    fn check_f64(elements: &[f64], about: &str) {
        let about = |of: &str| format!("{of} of {} {about}", elements.len());
        let one = |x: f64| Unpacked::of(x.to_bits(), 11, 52);
        same(sum_f64(elements, |x| x), sum_unpacked(elements, one), about("sum"));
        let one_by_one = elements.iter().fold(LongAccumulator::ZERO, |all, &x| all.plus(squares_f64(&[x])));
        same(squares_f64(elements), one_by_one, about("squares"));
        let pairs: Vec<[f64; 2]> = elements.iter().zip(elements.iter().rev()).map(|(&x, &y)| [x, y]).collect();
        let products = |pairs: &[[f64; 2]]| products_f64(pairs, |[x, _]| x, |[_, y]| y);
        let one_by_one = pairs.iter().fold(LongAccumulator::ZERO, |all, &pair| all.plus(products(&[pair])));
        same(products(&pairs), one_by_one, about("products"));
    }

    #[test]
    fn sums_are_those_of_integers() {
        let mut next = random(3);
        let specials = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
        for n in [0, 1, FEW - 1, FEW, FEW + 1, FEW + 16, 2 * FEW + 3, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            for kind in 0..10 {
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
                    7 => [0.0, -0.0, 3.0, -3.0][(next() % 4) as usize],
                    8 => [f32::MAX, f32::MIN][(next() % 2) as usize],
                    _ => specials[(next() % 9) as usize],
                };
                let elements: Vec<f32> = (0..n).map(|_| of()).collect();
                check_f32(&elements, &format!("of kind {kind}"));
            }
        }
        // A special number in each place of a row, and of the rest.
        for &special in &specials {
            for at in (0..17).chain(CHUNK..CHUNK + 3) {
                let mut elements: Vec<f32> = (0..CHUNK + 3).map(|_| (next() >> 40) as f32).collect();
                elements[at] = special;
                check_f32(&elements, &format!("with {special} at {at}"));
            }
        }
        // What cancels is not -0, and products that all are -0 are.
        check_f32(&[1.0f32, -1.0].repeat(CHUNK), "that cancel");
        let (x, y) = ([-1.0f32, 0.0].repeat(FEW), [0.0f32, -1.0].repeat(FEW));
        let pairs: Vec<[f32; 2]> = x.into_iter().zip(y).map(|(x, y)| [x, y]).collect();
        assert_eq!(products_f32(&pairs, |[x, _]| x, |[_, y]| y), LongAccumulator::ZERO);
    }

    #[test]
    fn doubles_too() {
        let mut next = random(5);
        for n in [FEW, CHUNK - 3, 2 * CHUNK + 11] {
            for kind in 0..8 {
                let mut of = || match kind {
                    0 => (next() >> 11) as f64 / (1u64 << 53) as f64,
                    1 => f64::from_bits(next()),
                    2 => [f64::MAX, f64::MIN, 5e-324, -5e-324, f64::MIN_POSITIVE][(next() % 5) as usize],
                    3 => ((next() >> 11) as f64 - (1u64 << 52) as f64) * 2f64.powi((next() % 200) as i32 - 100),
                    4 => [0.0, -0.0][(next() % 2) as usize],
                    5 => [f64::NAN, 0.0, -0.0][(next() % 3) as usize],
                    6 => [1.0, 3.0, f64::NAN, f64::INFINITY][(next() % 64 / 61) as usize],
                    _ => ((next() >> 11) as f64 - (1u64 << 52) as f64) * 2f64.powi((next() % 20) as i32 - 500),
                };
                let elements: Vec<f64> = (0..n).map(|_| of()).collect();
                check_f64(&elements, &format!("of kind {kind}"));
            }
        }
    }

    /// The fullest sums that are let in: all significands are ones, some elements so far below the others, everywhere in the range.
    #[test]
    fn levels_have_room() {
        for count in [FEW, 100, CHUNK] {
            for apart in (0..=250).step_by(if count == CHUNK { 1 } else { 7 }) {
                let big = f32::MAX * 2f32.powi(-1);
                let small = f32::MAX * 2f32.powi(-64) * 2f32.powi(-64) * 2f32.powi(127 - apart);
                let elements: Vec<f32> = (0..count).map(|at| if at % 3 == 1 { small } else { big }).collect();
                check_f32(&elements, &format!("2^{apart} apart"));
                let mixed: Vec<f32> =
                    elements.iter().enumerate().map(|(at, &x)| if at % 5 < 2 { -x } else { x }).collect();
                check_f32(&mixed, &format!("2^{apart} apart, of both signs"));
            }
            for apart in (0..=220).step_by(if count == CHUNK { 1 } else { 7 }) {
                let odd = 2.0 - f64::EPSILON;
                let elements: Vec<f64> =
                    (0..count).map(|at| if at % 3 == 1 { odd * 2f64.powi(-apart) } else { -odd }).collect();
                check_f64(&elements, &format!("2^{apart} apart"));
            }
        }
    }

    /// Vectors of arrays, where a processor has no others.
    #[test]
    fn all_vectors_add_alike() {
        fn both<const K: usize, const M: usize>(elements: &[f64], put: impl Put<f64, K, M>) {
            let levels = || Levels::<K, M>::new(1, -300, elements.len(), true);
            let [Some(mut here), Some(mut plain)] = [levels(), levels()] else { panic!("{K} levels have room") };
            here.add(elements, &put);
            plain.add_fours::<[f64; 4], _, _>(elements, &put);
            assert_eq!(here.sums, plain.sums, "{K} levels");
        }
        let mut next = random(11);
        let elements: Vec<f64> = (0..1003).map(|_| (next() >> 11) as f64 / (1u64 << 53) as f64).collect();
        let term = |x: f64| x;
        both::<8, 1>(&elements, PutTerms(&term));
        both::<8, 4>(&elements, PutTerms(&term));
        both::<8, 1>(&elements, PutProducts::<6, _>(&|x: f64| [x, 1.0 - x]));
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

    /// Vectors are what adds, where they can.
    #[test]
    fn ordinary_numbers_go_into_levels() {
        let mut next = random(7);
        let uniform: Vec<f32> = (0..CHUNK).map(|_| (next() >> 40) as f32 / 16_777_216.0).collect();
        let wide: Vec<f32> = uniform.iter().enumerate().map(|(at, &x)| x * 2f32.powi(at as i32 % 40)).collect();
        for elements in [uniform, wide] {
            let sizes = |chunk: &[f32]| Extent::of_f32(chunk, |x| x);
            let none = |_: &[f32]| -> LongAccumulator<20> { panic!("as integers") };
            sum_in_levels(&elements, -150, sizes, f64::from, none);
            sum_in_levels(&elements, -300, |xs| sizes(xs).squared(), |x| f64::from(x) * f64::from(x), none);
            let doubles: Vec<f64> = elements.iter().map(|&x| f64::from(x).sqrt()).collect();
            let none = |_: &[f64]| -> LongAccumulator<134> { panic!("as integers") };
            sum_in_levels(&doubles, -1075, Extent::of_f64, |x| x, none);
            if fuses() {
                let sizes = |xs: &[f64]| Extent::of_f64(xs).squared();
                products_in_levels(&doubles, -2150, sizes, |x| [x; 2], none);
            }
        }
        let never =
            [Levels::<6, 1>::new(0, -400, 4, false).is_some(), Levels::<6, 1>::new(901, 800, 4, false).is_some()];
        assert_eq!(never, [false; 2]);
    }
}
