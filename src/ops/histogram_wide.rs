//! Bins of numbers of 64 bits, which are compared as f64: integers beyond 2^53 as the nearest ones.

use super::histogram::{BinPlaces, COUNT_PAIR, Countable, Histogram, first_of};
use crate::Scalar;

/// A number of 64 bits that has a place among bins.
trait Wide: Scalar<Key = u64> {
    /// The keys of the lowest number and of the highest that is not NaN.
    fn keys() -> [u64; 2];
    /// The nearest f64.
    fn nearest(self) -> f64;
    /// The text of a place, and its parameters.
    const PLACE: &'static str;
    fn params(equal: Equal) -> [u32; 5];
}

/// Equal bins: so many from one number to another.
#[derive(Clone, Copy)]
struct Equal {
    bins: f64,
    low: f64,
    high: f64,
}

impl Equal {
    /// Bins a unit.
    fn scale(self) -> f64 {
        self.bins / (self.high - self.low)
    }

    /// By how much a place that is found in f32 may be wrong, where no distance is off by more than `beside` and some 2^-21 of itself; 1 where that, or what is computed on the way, is too much for a guess.
    fn off(self, beside: f64) -> f32 {
        let scale = self.scale();
        let off = self.bins * 2f64.powi(-20) + scale * beside;
        let told = (1e-30..1e30).contains(&scale) && self.low.abs().max(self.high.abs()) < 1e37;
        if told && off < 0.25 { off as f32 } else { 1.0 }
    }
}

impl Wide for f64 {
    const PLACE: &'static str = include_str!("../../shaders/histogram/place_f64.wgsl");
    fn keys() -> [u64; 2] {
        [f64::NEG_INFINITY.key(), f64::INFINITY.key()]
    }
    fn nearest(self) -> f64 {
        self
    }
    fn params(equal: Equal) -> [u32; 5] {
        let low = equal.low;
        // 24 digits: toward 0, so that f32 hold what is left.
        let upper = f64::from_bits(low.to_bits() & !((1 << 29) - 1));
        // What two f32 lack of a number and of the lowest edge, and what a device takes for 0.
        let beside = 2f64.powi(-43) * low.abs().max(equal.high.abs()) + 2f64.powi(-122);
        let told = [upper as f32, (low - upper) as f32, equal.scale() as f32, equal.off(beside), 0.0];
        told.map(f32::to_bits)
    }
}

macro_rules! whole {
    ($($type:ty),+) => {$(
        impl Wide for $type {
            const PLACE: &'static str = include_str!("../../shaders/histogram/place_whole.wgsl");
            fn keys() -> [u64; 2] {
                [<$type>::MIN.key(), <$type>::MAX.key()]
            }
            fn nearest(self) -> f64 {
                self as f64
            }
            fn params(equal: Equal) -> [u32; 5] {
                // Not above the lowest edge, unless nothing is: it saturates.
                let first = equal.low.floor() as $type;
                let before = equal.low - first as f64;
                // Numbers beyond 2^53 are compared as the nearest f64, up to 2^10 away.
                let most = equal.low.abs().max(equal.high.abs());
                let far = if most >= 2f64.powi(52) { 2f64.powi(11) } else { 0.0 };
                // And edges are rounded.
                let beside = 2f64.powi(-21) * before.abs() + far + 2f64.powi(-50) * most;
                let told = [(equal.scale() as f32), (before * equal.scale()) as f32, equal.off(beside)];
                let [scale, place, off] = told.map(f32::to_bits);
                [first.key() as u32, (first.key() >> 32) as u32, scale, place, off]
            }
        }
    )+};
}

whole!(i64, u64);

/// The keys of the lowest number of each bin, and of the lowest above the range; the highest of all where there is none. The slot of the
/// number that has that key stands behind them.
fn find_keys<T: Wide>(bins: &Histogram) -> Vec<u64> {
    let [least, most] = T::keys();
    let first = |beyond: &dyn Fn(f64) -> bool| {
        let holds = |key| beyond(T::unkey(key).nearest());
        if holds(most) { first_of(least, most, holds) } else { most.saturating_add(1) }
    };
    let edges = bins.edges();
    let (lower, high) = (&edges[..edges.len() - 1], edges[edges.len() - 1]);
    let inner = lower.iter().map(|&edge| first(&|x| x >= edge));
    inner.chain([first(&|x| x > high), bins.slot_of(T::unkey(u64::MAX).nearest(), &edges) as u64]).collect()
}

macro_rules! countable {
    ($($type:ty: $number:literal),+) => {$(
        impl Countable for $type {
            #[inline(always)]
            fn slots(bins: &Histogram) -> impl Fn($type) -> usize + '_ {
                let edges = bins.found.edges.get_or_init(|| bins.edges());
                move |x| bins.slot_of(x.nearest(), edges)
            }
            fn places(bins: &Histogram) -> BinPlaces {
                const WIDE: &str = include_str!("../../shaders/histogram/wide.wgsl");
                const TEXTS: [&str; 2] = [<$type as Wide>::PLACE, WIDE];
                let (count, equal) = (bins.bins_inside(), bins.equal_range());
                let params = equal.map(|range| {
                    <$type>::params(Equal { bins: f64::from(count), low: range.low, high: range.high })
                });
                BinPlaces {
                    params: params.unwrap_or_default().to_vec(),
                    constants: format!(
                        "const INSIDE = {count}u;\nconst EQUAL = {};\nconst SEARCH = {}u;\n",
                        equal.is_some(),
                        1u32 << count.ilog2()
                    ),
                    kind: format!("bins={count}, equal={}", equal.is_some()),
                    safe: false,
                    table_words: 2 * (count as usize + 2),
                    searches: 2,
                    more_loads: false,
                    texts: [TEXTS; 2],
                    counting: [
                        &[include_str!("../../shaders/histogram/one.wgsl"), include_str!("../../shaders/vector/pairs.wgsl")],
                        &[
                            COUNT_PAIR,
                            include_str!("../../shaders/histogram/pairs_wide.wgsl"),
                            include_str!("../../shaders/vector/quads.wgsl"),
                        ],
                    ],
                }
            }
            fn table(bins: &Histogram) -> Vec<u32> {
                let keys = bins.found.wide_keys[$number].get_or_init(|| find_keys::<$type>(bins));
                keys.iter().flat_map(|&key| [key as u32, (key >> 32) as u32]).collect()
            }
        }
    )+};
}

countable!(f64: 0, i64: 1, u64: 2);
