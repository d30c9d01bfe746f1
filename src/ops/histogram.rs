//! Histogram: counts of bins, equal ones over a range, of whole numbers, or between edges that are given.

use crate::element::{Dtype, Scalar, Word};
use crate::op::{Device, Keep, Text, WordType};
use crate::{Accumulator, BinAxis, DeviceAnswer, Error, Fold, Op, Result, Wgsl};
use super::binned::{BESIDE_MAX, BinCounts, Binned, Counts, OTHERS, counters, kept};
use super::edges::{BINS, BinCount, Given, Integers, Interval};
use std::sync::{Arc, OnceLock};

/// Counts of elements in each of so many bins: equal ones over a range ([`Histogram::new`]), one for each whole number
/// ([`Histogram::integers`]), or between edges that are given ([`Histogram::of_edges`]).
///
/// - **Bins**: bin k holds edge k <= x < edge k + 1, the last one its upper edge too. The edges are f64, of equal bins those of
///   NumPy's `histogram_bin_edges` of (low, high), and an element is compared as its f64 value (of integers of 64 bits the nearest one): the
///   counts are exact and the same on every engine. What is below, above, or NaN is counted apart, never dropped.
/// - **Order**: commutative. **Empty**: all 0. Counts are u64 on the host.
/// - **On the device**: a word for each bin, then below, above, NaN; up to 2^32 - 1 elements in a record. 4 bytes of workgroup
///   memory a bin; where that is too little, bins are counted in slices, for each of which the elements are read once, mostly from the
///   cache. Where slices would be more than [`Tuning::slices_max`](crate::Tuning::slices_max), or bins must be searched (edges that are
///   given, more than 2^19 bins, a range that is narrow beside its place), and of numbers of 64 bits where there would be slices, 4 bytes a bin
///   of the device's memory for each workgroup, which costs time, and not beside other folds, of which a filter is one: there up to 44 slices,
///   whatever the launch policy says, else [`Error::BinsBeside`](crate::Error::BinsBeside).
///
/// ```
/// use treefold::{Cpu, ops::Histogram};
/// let counts = Cpu::new().reduce(Histogram::new(2, 0.0, 1.0)?, &[0.0f32, 0.25, 0.5, 1.0, 7.0, f32::NAN])?;
/// assert_eq!(counts.bins, [2, 2]);
/// assert_eq!((counts.below, counts.above, counts.nan), (0, 1, 1));
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// Source: privatised counters in workgroup memory, as in CUB's `DeviceHistogram`.
#[derive(Clone, Debug)]
pub struct Histogram {
    pub(crate) bins: BinCount,
    pub(crate) range: Interval,
    /// In place of bins and range.
    pub(crate) integers: Integers,
    /// In place of equal bins.
    pub(crate) edges: Given,
    pub(super) found: Arc<FoundEdges>,
}

/// Edges as they are searched, found once.
#[derive(Debug, Default)]
pub(super) struct FoundEdges {
    /// As keys of f32, i32 and u32.
    keys: [OnceLock<Vec<u32>>; 3],
    /// As they are, and as keys of f64, i64 and u64, for numbers of 64 bits.
    pub(super) edges: OnceLock<Vec<f64>>,
    pub(super) wide_keys: [OnceLock<Vec<u64>>; 3],
}

impl Default for Histogram {
    /// 256 bins over 0..=1.
    fn default() -> Self {
        let (integers, edges, found) = (Integers::default(), Given::default(), Arc::default());
        Histogram { bins: BinCount(256), range: Interval { low: 0.0, high: 1.0 }, integers, edges, found }
    }
}

impl Histogram {
    /// So many bins over low..=high.
    ///
    /// # Errors
    /// [`Error::BadRange`] where there is no bin, low < high does not hold, or high - low is no finite f64.
    pub fn new(bins: u32, low: f64, high: f64) -> Result<Histogram> {
        if !BINS.contains(&bins) || low >= high || !(high - low).is_finite() {
            return Err(Error::BadRange { bins, low, high });
        }
        Ok(Histogram { bins: BinCount(bins), range: Interval { low, high }, ..Histogram::default() })
    }

    /// So many bins over 0..=1.
    pub(super) fn of_bins(bins: u32) -> Histogram {
        Histogram { bins: BinCount(bins), ..Histogram::default() }
    }

    /// A bin between each two neighbours of these edges.
    ///
    /// ```
    /// use treefold::{Cpu, ops::Histogram};
    /// let counts = Cpu::new().reduce(Histogram::of_edges(&[0.0, 1.0, 10.0])?, &[0, 1, 9, 10, 11])?;
    /// assert_eq!((counts.bins, counts.above), (vec![1, 3], 1));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::EdgeCount`] where there are fewer than 2 or more than 2^24 + 1; [`Error::BadEdge`] names the first that is not
    /// finite or not above the one before.
    pub fn of_edges(edges: &[f64]) -> Result<Histogram> {
        Ok(Histogram { edges: Given::new(edges)?, ..Histogram::default() })
    }

    /// A bin for each whole number from low to high, both included: that of k has the edges k - 0.5 and k + 0.5, so it counts the
    /// integers k, and of floats those that are k once rounded to whole numbers, halves up (high + 0.5 itself belongs to high).
    ///
    /// ```
    /// use treefold::{Cpu, ops::Histogram};
    /// let counts = Cpu::new().reduce(Histogram::integers(-1, 2)?, &[-1, 2, 2, 0, 3, -9])?;
    /// assert_eq!((counts.bins, counts.below, counts.above), (vec![1, 1, 0, 2], 1, 1));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadIntegers`] where low > high, there are more than 2^24 of them, or one is beyond 2^51.
    pub fn integers(low: i64, high: i64) -> Result<Histogram> {
        Ok(Histogram { integers: Integers::new(low, high)?, ..Histogram::default() })
    }

    /// So many bins over the range of the data, whose lowest and highest element [`MinMax`](crate::ops::MinMax) has found. As for
    /// NumPy, 0..=1 where there are no elements, and half a unit to either side where all are equal.
    ///
    /// ```
    /// use treefold::{Engine, ops::{Histogram, MinMax}};
    /// let (engine, data) = (Engine::named("cpu")?, [2.0f32, 3.0, 4.5, 6.0]);
    /// let over = Histogram::over(4, engine.reduce(MinMax, &data)?)?;
    /// assert_eq!(over.edges(), [2.0, 3.0, 4.0, 5.0, 6.0]);
    /// assert_eq!(engine.reduce(over, &data)?.bins, [1, 1, 1, 1]);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoRange`] where an end is NaN or infinite; those of [`Histogram::new`].
    pub fn over<T: Into<f64>>(bins: u32, ends: Option<(T, T)>) -> Result<Histogram> {
        let (low, high) = ends.map_or((0.0, 1.0), |(low, high)| (low.into(), high.into()));
        if !low.is_finite() || !high.is_finite() {
            return Err(Error::NoRange { low, high });
        }
        // Of equal ends -0 and 0 are two.
        let half = if low == high { 0.5 } else { 0.0 };
        Histogram::new(bins, low - half, high + half)
    }

    /// The edges, one more than there are bins.
    pub fn edges(&self) -> Vec<f64> {
        if let Some(edges) = self.edges.edges() {
            return edges.to_vec();
        }
        let (bins, Interval { low, high }) = self.equal();
        let step = (high - low) / f64::from(bins);
        (0..bins).map(|k| f64::from(k) * step + low).chain([high]).collect()
    }

    /// The edges, and the whole numbers that they surround.
    pub fn axis(&self) -> BinAxis {
        let integers = self.integers.ends().filter(|_| self.edges.edges().is_none());
        BinAxis { edges: self.edges(), lowest: integers.map(|(low, _)| low) }
    }

    /// The slot of each element, as `np.digitize` finds bins: its bin, counted from 0, and behind the bins below, above, NaN. Keys for
    /// groups, so that any operator may be reduced by bin, exact sums of weights among them.
    ///
    /// ```
    /// use treefold::{Cpu, ops::{Binned, Histogram, Sum}};
    /// let (over, hours, rain) = (Histogram::new(2, 0.0, 24.0)?, [3.5f32, 11.0, 12.0, 25.0], [0.5f32, 0.25, 2.0, 9.0]);
    /// let slots = over.bins_of(&hours);
    /// assert_eq!(slots, [0, 0, 1, 3]); // 25 is above: bins are 0 and 1, then come below, above, NaN
    /// let sums = Cpu::new().reduce_groups(Sum, &slots, &rain, over.slots())?;
    /// let sums = Binned::of_slots(sums.answers).expect("a sum for each slot");
    /// assert_eq!((sums.bins, sums.above), (vec![0.75, 2.0], 9.0));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn bins_of<T: Countable>(&self, elements: &[T]) -> Vec<u32> {
        let slot = T::slots(self);
        elements.iter().map(|&x| slot(x) as u32).collect()
    }

    /// Number of slots: the bins, and three more.
    pub fn slots(&self) -> u64 {
        u64::from(self.bins_inside()) + OTHERS as u64
    }

    /// The options that say where the bins lie, as signatures write them; their names end so.
    pub(super) fn told(&self, end: &str) -> String {
        match (self.edges.text(), self.integers.ends()) {
            (Some(edges), _) => format!("edges{end}={edges}"),
            (None, Some((low, high))) => format!("integers{end}={low}:{high}"),
            (None, None) => {
                let Interval { low, high } = self.range;
                format!("bins{end}={},range{end}={low}:{high}", self.bins.0)
            }
        }
    }

    /// The number of equal bins and the range that they are over, unless edges are given.
    fn equal(&self) -> (u32, Interval) {
        self.integers.bins().unwrap_or((self.bins.0, self.range))
    }

    /// Number of bins.
    pub(super) fn bins_inside(&self) -> u32 {
        self.edges.edges().map_or(self.equal().0, |edges| edges.len() as u32 - 1)
    }

    /// The key of the lowest element of each bin, and one above the highest element in range; where there is none, the
    /// highest key of all. The slot of the element that has this key stands behind them.
    pub(super) fn edge_keys<T: Word>(&self) -> &[u32] {
        let number = match T::DTYPE {
            Dtype::F32 => 0,
            Dtype::I32 => 1,
            _ => 2,
        };
        self.found.keys[number].get_or_init(|| self.find_keys::<T>())
    }

    fn find_keys<T: Word>(&self) -> Vec<u32> {
        let ends = match T::DTYPE {
            Dtype::F32 => (T::from_bits(0xff80_0000).key(), T::from_bits(0x7f80_0000).key()),
            _ => (0, u32::MAX),
        };
        // One more than all where there is none.
        let first = |beyond: &dyn Fn(f64) -> bool| {
            let first = first_of(u64::from(ends.0), u64::from(ends.1) + 1, |key| beyond(T::unkey(key as u32).to_f64()));
            first.min(u64::from(u32::MAX)) as u32
        };
        let edges = self.edges();
        let (lower, high) = (&edges[..edges.len() - 1], edges[edges.len() - 1]);
        let inner = lower.iter().map(|&edge| first(&|x| x >= edge));
        inner.chain([first(&|x| x > high), self.slot_of(T::unkey(u32::MAX).to_f64(), &edges) as u32]).collect()
    }

    /// The slot of a value among its edges: as for `np.histogram` over f64.
    #[inline(always)]
    pub(super) fn slot_of(&self, x: f64, edges: &[f64]) -> usize {
        slot_of(x, edges, self.equal_range())
    }

    /// A device's guess of a place in f32, and the most by which it may be off.
    fn guess<T: Word>(&self) -> Guess {
        let bins = f64::from(self.bins_inside());
        let fraction = 23 - self.bins_inside().next_power_of_two().trailing_zeros().min(22);
        // Where the guess is not safe, every element counts as near.
        let all_near = 1 << fraction;
        if self.edges.edges().is_some() {
            return Guess { origin: 0.0, scale: 0.0, fraction, near: all_near, safe: false, floored: None };
        }
        let (_, Interval { low, high }) = self.equal();
        let exact_scale = bins / (high - low);
        let base = 2f64.powi(23 - fraction as i32);
        let (origin, scale) = ((base - low * exact_scale) as f32, exact_scale as f32);
        let most = low.abs().max(high.abs());
        // One unit of a conversion or product of at most this, whichever way a device rounds. What lies beyond is no lower once
        // rounded, so the edge's own bound holds for it.
        let unit_of = |most: f64| 2f64.powi((most.log2().ceil() as i32).saturating_sub(24));
        // A flushed subnormal, or an integer's conversion.
        let element = match T::DTYPE {
            Dtype::F32 => 2f64.powi(-126),
            _ if most <= 2f64.powi(24) => 0.0,
            _ => unit_of(most),
        };
        let scale_error = (f64::from(scale) - exact_scale).abs() * most;
        let origin_error = (f64::from(origin) - (base - low * exact_scale)).abs();
        let by_two = scale.to_bits() & 0x7f_ffff == 0;
        let product_error = if by_two { 0.0 } else { unit_of(f64::from(scale) * most) };
        // Edges are what they seem to be, and places round once, by less than a unit: only the unit that an edge begins is doubtful. (What
        // is flushed to 0 has the place of 0, which is exact.) Whole, in these units, the lowest edge loses nothing here in f64.
        let lowest = low * exact_scale * 2f64.powi(24);
        let whole = lowest == lowest.trunc() && lowest.abs() < 2f64.powi(52);
        let exact_edges = by_two && whole && scale_error + origin_error == 0.0 && low + bins / exact_scale == high;
        let exact = exact_edges && (T::DTYPE == Dtype::F32 || element == 0.0);
        let error = exact_scale * element + scale_error + product_error + origin_error;
        // Less than one unit more is the error of the sum whose mantissa is the place; the factor covers the f64 here.
        let near = (error * 2f64.powi(fraction as i32) * 1.000_001 + 1.0).floor();
        let near = if exact { 0.0 } else { near };
        let range = most < 1e37 && exact_scale < 1e30 && exact_scale > 1e-30;
        let safe = range && 4.0 * near.max(1.0) + 4.0 < 2f64.powi(fraction as i32);
        let near = if safe { near as u32 } else { all_near };
        // Where the lowest edge is whole in bins, too, the largest whole number that is no larger is the place itself. (An integer below -2^24 may
        // become that once converted, which no bin must begin with then. What becomes the upper end is asked about.)
        let below_zero = -low * exact_scale;
        let apart = T::DTYPE == Dtype::F32 || low > -2f64.powi(24);
        if exact && apart && safe && below_zero == below_zero.trunc() && below_zero.abs() + bins < 2f64.powi(22) {
            let (origin, zero) = ((2f64.powi(23) + below_zero) as f32, below_zero as i32);
            return Guess { origin, scale, fraction: 0, near: 0, safe, floored: Some(zero) };
        }
        Guess { origin, scale, fraction, near, safe, floored: None }
    }

    /// The text that finds the slots of elements on a device, its parameters and its table.
    #[doc(hidden)]
    pub fn finding<T: Word>(&self) -> (String, [u32; 4], Vec<u32>) {
        let BinPlaces { constants, params, .. } = T::places(self);
        let params = std::array::from_fn(|at| params.get(at).copied().unwrap_or(0));
        (format!("{}\n{constants}\n{PLACES}\n{EDGES}", T::DTYPE.wgsl()), params, T::table(self))
    }

    /// Loop trips of finding the bins of an element, or of four: for slices the steps of the search and no more, because dispatches
    /// that end early leave many large partials.
    pub(super) fn trips(&self, keep: Keep) -> u64 {
        match keep {
            // Or those of the elements of a vector that are asked about.
            Keep::Slices { .. } => (u64::from(self.bins_inside().ilog2()) + 1).max(4),
            _ => TRIPS,
        }
    }

    /// The counts of these elements.
    fn counts<T: Countable>(&self, elements: &[T]) -> BinCounts {
        let (slot, mut counts) = (T::slots(self), BinCounts::zeros(self.slots() as usize));
        for &x in elements {
            counts.0[slot(x)] += 1;
        }
        counts
    }

    /// The range of equal bins.
    pub(super) fn equal_range(&self) -> Option<Interval> {
        self.edges.edges().is_none().then(|| self.equal().1)
    }
}

/// A number that histograms count: [`f32`], [`i32`], [`u32`], [`f64`], [`i64`] or [`u64`].
pub trait Countable: Scalar {
    /// The function that finds the slots of elements on the host.
    #[doc(hidden)]
    fn slots(bins: &Histogram) -> impl Fn(Self) -> usize + '_;
    /// How a device finds them.
    #[doc(hidden)]
    fn places(bins: &Histogram) -> BinPlaces;
    /// The keys of edges that it asks.
    #[doc(hidden)]
    fn table(bins: &Histogram) -> Vec<u32>;
}

/// How a device finds the bins of elements.
#[derive(Clone, Debug)]
pub struct BinPlaces {
    pub(super) params: Vec<u32>,
    pub(super) constants: String,
    /// All that its texts depend on.
    pub(super) kind: String,
    /// Whether places tell the bins, so that nothing is searched.
    pub(super) safe: bool,
    /// Words of the table that it asks.
    pub(super) table_words: usize,
    /// Searches for the elements of a vector, of which one may find several.
    pub(super) searches: u64,
    /// Whether a workgroup that runs alone may have more loads under way.
    pub(super) more_loads: bool,
    /// The texts that find bins, and as far as a slice of them asks.
    pub(super) texts: [[&'static str; 2]; 2],
    /// The texts that count them, of elements and of pairs.
    pub(super) counting: [&'static [&'static str]; 2],
}

impl<T: Word> Countable for T {
    #[inline(always)]
    fn slots(bins: &Histogram) -> impl Fn(T) -> usize + '_ {
        let finder = Finder { keys: bins.edge_keys::<T>(), bins: bins.bins_inside() as usize, equal: bins.equal_range() };
        move |x| finder.slot(x)
    }
    fn places(bins: &Histogram) -> BinPlaces {
        let (count, guess) = (bins.bins_inside(), bins.guess::<T>());
        let (base, search) = (guess.base(), 1u32 << count.ilog2());
        let (fraction, safe, floored) = (guess.fraction, guess.safe, guess.floored.is_some());
        let last = guess.floored.map_or(2 * guess.near, |zero| zero as u32);
        BinPlaces {
            params: vec![guess.origin.to_bits(), guess.scale.to_bits(), base - guess.near, last],
            constants: format!(
                "const INSIDE = {count}u;\nconst BASE = {base}u;\nconst FRACTION = {fraction}u;\nconst SAFE = {safe};\n\
                 const FLOORED = {floored};\nconst SEARCH = {search}u;\n"
            ),
            kind: format!("bins={count}, safe={safe}, floored={floored}"),
            safe,
            table_words: count as usize + 2,
            searches: 1,
            // Where no registers are needed for what is asked of edges.
            more_loads: floored,
            texts: [[PLACES, EDGES], [SLICE_PLACES, EDGES]],
            counting: [
                &[include_str!("../../shaders/histogram/bins.wgsl")],
                &[COUNT_PAIR, include_str!("../../shaders/histogram/pairs.wgsl")],
            ],
        }
    }
    fn table(bins: &Histogram) -> Vec<u32> {
        bins.edge_keys::<T>().to_vec()
    }
}

/// The WGSL that finds the bins of elements.
const PLACES: &str =
    concat!(include_str!("../../shaders/histogram/places.wgsl"), include_str!("../../shaders/histogram/of_all.wgsl"));
/// The same as far as a slice of the bins asks.
const SLICE_PLACES: &str =
    concat!(include_str!("../../shaders/histogram/places.wgsl"), include_str!("../../shaders/histogram/of_slice.wgsl"));
const EDGES: &str = include_str!("../../shaders/histogram/edges.wgsl");
/// The counter of the bins of both numbers of a pair.
pub(super) const COUNT_PAIR: &str = include_str!("../../shaders/histogram/count_pair.wgsl");
/// Loop trips of that: the search for one of 2^24 edges, or four elements that are asked about.
pub(crate) const TRIPS: u64 = 26;

/// The first number from `low` on, and below `end`, from which on this holds, by halves; `end` where it does not.
pub(super) fn first_of(low: u64, end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut end) = (low, end);
    while low < end {
        let middle = low + (end - low) / 2;
        if holds(middle) { end = middle } else { low = middle + 1 }
    }
    low
}

/// The bin of a value in equal bins over a range, unless it is a neighbour's.
#[inline(always)]
fn guessed(x: f64, Interval { low, high }: Interval, bins: usize) -> usize {
    let place = (x - low) / (high - low) * bins as f64;
    (place.max(0.0) as usize).min(bins - 1)
}

/// A finder of bins: the keys of their edges, their number, and the range of equal ones.
struct Finder<'a> {
    keys: &'a [u32],
    bins: usize,
    equal: Option<Interval>,
}

impl Finder<'_> {
    /// The slot of an element: of equal bins by a guess and its neighbours, as on the device.
    #[inline(always)]
    fn slot<T: Word>(&self, x: T) -> usize {
        let Finder { keys, bins, equal } = *self;
        if x.is_nan() {
            return bins + 2;
        }
        let key = x.key();
        if key == u32::MAX {
            return keys[bins + 1] as usize;
        }
        if key < keys[0] {
            return bins;
        }
        if key >= keys[bins] {
            return bins + 1;
        }
        if let Some(range) = equal {
            let guess = guessed(x.to_f64(), range, bins);
            if keys[guess] <= key && key < keys[guess + 1] {
                return guess;
            }
        }
        keys[..=bins].partition_point(|&edge| edge <= key) - 1
    }
}

/// A place in f32: x·scale + origin, whose mantissa has so many bits of fraction, of which so many units may be wrong.
struct Guess {
    origin: f32,
    scale: f32,
    fraction: u32,
    near: u32,
    safe: bool,
    /// The place of 0, where x·scale is rounded down to the place before `origin` is added.
    floored: Option<i32>,
}

impl Guess {
    /// Bits of the place of the lowest edge.
    fn base(&self) -> u32 {
        (150 - self.fraction) << 23
    }
}

impl<T: Countable> Fold<T> for Histogram {
    type Acc = BinCounts;
    const ELEMENTS_MAX: u64 = (1 << 32) - 1;

    fn identity(&self) -> BinCounts {
        BinCounts::zeros(Fold::<T>::acc_words(self))
    }
    fn lift(&self, x: T, index: u64) -> BinCounts {
        self.accumulate(&[x], index)
    }
    fn combine(&self, a: BinCounts, b: BinCounts) -> BinCounts {
        a.plus(b)
    }
    fn accumulate(&self, elements: &[T], _: u64) -> BinCounts {
        self.counts(elements)
    }
    fn params(&self) -> Vec<u32> {
        T::places(self).params
    }
    fn table(&self) -> Vec<u32> {
        T::table(self)
    }
    fn kind(&self) -> String {
        T::places(self).kind
    }
    fn acc_words(&self) -> usize {
        self.slots() as usize
    }
    /// It has bins only.
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("", "", "")
    }
    fn device(&self, keep: Keep) -> Device {
        let places = T::places(self);
        let keep = kept(keep, self.slots(), places.safe);
        let texts = places.texts[usize::from(matches!(keep, Keep::Slices { .. }))];
        let texts = places.counting[0].iter().chain(&texts).map(|&text| Text::from(text));
        match counters(keep, self.slots(), places.constants, texts.collect(), places.searches * self.trips(keep)) {
            // A workgroup that runs alone has more loads under way. An H200, `treefold bench 'histogram(range=0:1,bins=8192),…' --size 2^28
            // --launch loads_in_flight=4,8`, without this: 8192 bins 267.9, 262.9 µs, 16,384 465.1, 435.6, 65,536 1361, 1278; but 5000 263.9,
            // 280.7.
            Device::Bins(mut bins) => {
                let alone = bins.bins > BESIDE_MAX && bins.replicas > 0;
                bins.more_loads = alone && places.more_loads;
                Device::Bins(bins)
            }
            device => device,
        }
    }
}

/// The slot of a value: as for `np.histogram` over f64.
#[inline(always)]
fn slot_of(x: f64, edges: &[f64], equal: Option<Interval>) -> usize {
    let bins = edges.len() - 1;
    match x {
        _ if x.is_nan() => return bins + 2,
        _ if x < edges[0] => return bins,
        _ if x > edges[bins] => return bins + 1,
        _ => {}
    }
    if let Some(range) = equal {
        let guess = guessed(x, range, bins);
        if edges[guess] <= x && x < edges[guess + 1] {
            return guess;
        }
    }
    // The upper end belongs to the last bin.
    edges[..bins].partition_point(|&edge| edge <= x) - 1
}

impl<T: Countable> Op<T> for Histogram {
    type Fold = Histogram;
    type Output = Counts;
    const NAME: &'static str = "histogram";
    const ABOUT: &'static str = "Counts of bins, equal, of whole numbers or given edges; below, above and NaN apart";
    const EXACT: bool = true;

    fn signature(&self) -> String {
        format!("histogram({})", self.told(""))
    }
    fn fold(&self) -> Histogram {
        self.clone()
    }
    fn axes(&self) -> Vec<BinAxis> {
        vec![self.axis()]
    }
    fn finish(&self, acc: BinCounts, _: u64) -> Result<Counts> {
        let slots = acc.0.len();
        Binned::of_slots(acc.0).ok_or(Error::TooFewSlots { slots })
    }
    /// The counts as they are.
    fn answer(&self) -> Option<DeviceAnswer> {
        let bins = (0..self.bins_inside()).map(|_| ("bin", WordType::U32));
        Some(DeviceAnswer::checked(bins.chain(["below", "above", "nan"].map(|name| (name, WordType::U32))), ""))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Counts> {
        Op::<T>::finish(self, BinCounts::read(words), count)
    }
}
