//! Histogram: counts of bins, equal ones over a range or between edges that are given.

use crate::element::{Dtype, Word};
use crate::op::{Bins, Device, Keep, Member, WordType};
use crate::{Accumulator, Answer, DeviceAnswer, Error, Fold, Op, Part, Result, Wgsl};
use super::edges::{BINS, BinCount, Given, Range};
use std::sync::{Arc, OnceLock};

/// How many elements lie in each of so many bins: equal ones over a range ([`Histogram::new`]), or between edges that are given
/// ([`Histogram::of_edges`]).
///
/// - **Bins**: bin k holds edge k <= x < edge k + 1, the last one its upper edge too. The edges are f64, of equal bins those of
///   NumPy's `histogram_bin_edges` of (low, high), and an element is compared as its f64 value: the counts are exact and the same
///   on every engine. What is below, above, or NaN is counted apart, never dropped.
/// - **Order**: commutative. **Empty**: all 0. Counts are u64 on the host.
/// - **On the device**: a word for each bin, then below, above, NaN; up to 2^32 - 1 elements in a record. 4 bytes of workgroup
///   memory a bin; where that is too little, 4 bytes a bin of the device's memory for each workgroup, which costs time, and not in
///   tuples of several folds.
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
    pub(crate) range: Range,
    /// In place of equal bins over the range.
    pub(crate) edges: Given,
    /// Edges as keys of f32, i32 and u32, found once.
    keys: Arc<[OnceLock<Vec<u32>>; 3]>,
}

impl Default for Histogram {
    /// 256 bins over 0..=1.
    fn default() -> Self {
        let (edges, keys) = (Given::default(), Arc::default());
        Histogram { bins: BinCount(256), range: Range { low: 0.0, high: 1.0 }, edges, keys }
    }
}

/// Beside the bins: below, above, NaN.
const OTHERS: usize = 3;

impl Histogram {
    /// So many bins over low..=high.
    ///
    /// # Errors
    /// [`Error::BadRange`] where there is no bin, low < high does not hold, or high - low is no finite f64.
    pub fn new(bins: u32, low: f64, high: f64) -> Result<Histogram> {
        if !BINS.contains(&bins) || low >= high || !(high - low).is_finite() {
            return Err(Error::BadRange { bins, low, high });
        }
        Ok(Histogram { bins: BinCount(bins), range: Range { low, high }, ..Histogram::default() })
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
        let Range { low, high } = self.range;
        let step = (high - low) / f64::from(self.bins.0);
        (0..self.bins.0).map(|k| f64::from(k) * step + low).chain([high]).collect()
    }

    /// How many bins there are.
    fn count(&self) -> u32 {
        self.edges.edges().map_or(self.bins.0, |edges| edges.len() as u32 - 1)
    }

    /// The key of the lowest element of each bin, and one above the highest element in range; where there is none, the
    /// highest key of all. The slot of the element that has this key stands behind them.
    fn edge_keys<T: Word>(&self) -> &[u32] {
        let number = match T::DTYPE {
            Dtype::F32 => 0,
            Dtype::I32 => 1,
            _ => 2,
        };
        self.keys[number].get_or_init(|| self.find_keys::<T>())
    }

    fn find_keys<T: Word>(&self) -> Vec<u32> {
        let (least, most) = match T::DTYPE {
            Dtype::F32 => (T::from_bits(0xff80_0000).key(), T::from_bits(0x7f80_0000).key()),
            _ => (0, u32::MAX),
        };
        // The lowest key whose element is not below an edge (or is above it), by halves; one more than all where there is none.
        let first = |beyond: &dyn Fn(f64) -> bool| {
            let (mut low, mut high) = (u64::from(least), u64::from(most) + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if beyond(T::unkey(middle as u32).to_f64()) { high = middle } else { low = middle + 1 }
            }
            low.min(u64::from(u32::MAX)) as u32
        };
        let edges = self.edges();
        let (lower, low, high) = (&edges[..edges.len() - 1], edges[0], edges[edges.len() - 1]);
        let inner = lower.iter().map(|&edge| first(&|x| x >= edge));
        let top = T::unkey(u32::MAX);
        let (x, bins) = (top.to_f64(), self.count());
        let slot = if top.is_nan() {
            bins + 2
        } else if x < low {
            bins
        } else if x > high {
            bins + 1
        } else {
            lower.partition_point(|&edge| edge <= x) as u32 - 1
        };
        inner.chain([first(&|x| x > high), slot]).collect()
    }

    /// How a device guesses a place in f32, and how far off it may be.
    fn guess<T: Word>(&self) -> Guess {
        let bins = f64::from(self.count());
        let fraction = 23 - self.count().next_power_of_two().trailing_zeros().min(22);
        // Where the guess is not safe, every element counts as near.
        let all_near = 1 << fraction;
        if self.edges.edges().is_some() {
            return Guess { origin: 0.0, scale: 0.0, fraction, near: all_near, safe: false };
        }
        let Range { low, high } = self.range;
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
        let error = exact_scale * element + scale_error + unit_of(f64::from(scale) * most) + origin_error;
        // Less than one unit more is the error of the sum whose mantissa is the place; the factor covers the f64 here.
        let near = (error * 2f64.powi(fraction as i32) * 1.000_001 + 1.0).floor();
        let range = most < 1e37 && exact_scale < 1e30 && exact_scale > 1e-30;
        let safe = range && 4.0 * near + 4.0 < 2f64.powi(fraction as i32);
        let near = if safe { near as u32 } else { all_near };
        Guess { origin, scale, fraction, near, safe }
    }

    /// The element's bin, of so many: of equal bins by a guess and its neighbours, as on the device.
    #[inline(always)]
    fn bin<T: Word>(&self, x: T, keys: &[u32], bins: usize, equal: bool) -> usize {
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
        if equal {
            let Range { low, high } = self.range;
            let place = (x.to_f64() - low) / (high - low) * f64::from(self.bins.0);
            let guess = (place.max(0.0) as usize).min(bins - 1);
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
}

impl Guess {
    /// Bits of the place of the lowest edge.
    fn base(&self) -> u32 {
        (150 - self.fraction) << 23
    }
}

/// Counts of a [`Histogram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Elements in each bin.
    pub bins: Vec<u64>,
    /// Elements below the range.
    pub below: u64,
    /// Elements above the range.
    pub above: u64,
    /// NaN.
    pub nan: u64,
}

impl Answer for Counts {
    fn parts(&self) -> Vec<Part> {
        let bins = self.bins.iter().map(|&count| Part::new("bin", count));
        let others = [("below", self.below), ("above", self.above), ("nan", self.nan)];
        bins.chain(others.map(|(name, count)| Part::new(name, count))).collect()
    }
}

/// The accumulator of a [`Histogram`]: a count for each bin, then below, above, NaN. 64 bits each on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinCounts(Vec<u64>);

impl Accumulator for BinCounts {
    const WORDS: usize = 0;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        for (word, &count) in words.iter_mut().zip(&self.0) {
            *word = count as u32;
        }
    }
    fn read(words: &[u32]) -> Self {
        BinCounts(words.iter().map(|&word| word.into()).collect())
    }
    fn fits(&self) -> bool {
        self.0.iter().all(|&count| u32::try_from(count).is_ok())
    }
}

impl<T: Word> Fold<T> for Histogram {
    type Acc = BinCounts;
    const ELEMENTS_MAX: u64 = (1 << 32) - 1;

    fn identity(&self) -> BinCounts {
        BinCounts(vec![0; Fold::<T>::acc_words(self)])
    }
    fn lift(&self, x: T, index: u64) -> BinCounts {
        self.accumulate(&[x], index)
    }
    fn combine(&self, mut a: BinCounts, b: BinCounts) -> BinCounts {
        a.0.iter_mut().zip(b.0).for_each(|(a, b)| *a += b);
        a
    }
    fn accumulate(&self, elements: &[T], _: u64) -> BinCounts {
        let (keys, bins, equal) = (self.edge_keys::<T>(), self.count() as usize, self.edges.edges().is_none());
        let mut counts = Fold::<T>::identity(self);
        for &x in elements {
            counts.0[self.bin(x, keys, bins, equal)] += 1;
        }
        counts
    }
    fn params(&self) -> Vec<u32> {
        let guess = self.guess::<T>();
        vec![guess.origin.to_bits(), guess.scale.to_bits(), guess.base() - guess.near, 2 * guess.near]
    }
    fn table(&self) -> Vec<u32> {
        self.edge_keys::<T>().to_vec()
    }
    fn kind(&self) -> String {
        format!("bins={}, safe={}", self.count(), self.guess::<T>().safe)
    }
    fn acc_words(&self) -> usize {
        self.count() as usize + OTHERS
    }
    /// It has bins only.
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("", "", "")
    }
    fn device(&self, keep: Keep) -> Device {
        let slots = u64::from(self.count()) + OTHERS as u64;
        // As many replicas as there is room for: in 17 KiB, so that an H200 runs two workgroups beside each other; it gives
        // 33 KiB to one only (256 bins: 16 replicas 253.1 µs, 32 266.4).
        let (most, counters) = match keep {
            Keep::Bins { replicas: 32 } => (32, 33 * 128),
            Keep::Bins { replicas } => (replicas, 4096),
            Keep::Registers | Keep::Registers64 => (1, 4096),
            Keep::Memory => (0, 4096),
        };
        let in_memory = most == 0;
        let room = (counters / slots).max(1).ilog2();
        let guess = self.guess::<T>();
        let (base, Guess { fraction, safe, .. }) = (guess.base(), guess);
        Device::Bins(Bins {
            constants: format!(
                "const SLOTS = {slots}u;\nconst COLUMNS = {}u;\nconst BASE = {base}u;\nconst FRACTION = {fraction}u;\n\
                 const SAFE = {safe};\nconst SEARCH = {}u;\n",
                slots.div_ceil(4),
                1u32 << self.count().ilog2()
            ),
            helpers: Vec::new(),
            settle: include_str!("../../shaders/histogram/settle.wgsl"),
            read: [
                include_str!("../../shaders/histogram/bins.wgsl"),
                include_str!("../../shaders/histogram/edges.wgsl"),
            ]
            .into_iter()
            .chain((!in_memory).then_some(include_str!("../../shaders/histogram/columns.wgsl")))
            .collect(),
            settle_bins: include_str!("../../shaders/histogram/settle_bins.wgsl"),
            settle_columns: include_str!("../../shaders/histogram/settle_columns.wgsl"),
            bins: slots,
            replicas: most.min(1 << room),
            wide: false,
            signed: false,
            columns: slots.div_ceil(4),
            carries: false,
            trips: (26, if in_memory { 8 } else { slots.div_ceil(32) + 8 }, 0),
        })
    }
}

impl<T: Word> Op<T> for Histogram {
    type Fold = Histogram;
    type Output = Counts;
    const NAME: &'static str = "histogram";
    const ABOUT: &'static str = "Counts of bins, equal or of given edges; below, above and NaN apart";
    const EXACT: bool = true;

    fn signature(&self) -> String {
        match self.edges.text() {
            Some(edges) => format!("histogram(edges={edges})"),
            None => format!("histogram(bins={},range={}:{})", self.bins.0, self.range.low, self.range.high),
        }
    }
    fn fold(&self) -> Histogram {
        self.clone()
    }
    fn edges(&self) -> Vec<f64> {
        Histogram::edges(self)
    }
    fn finish(&self, acc: BinCounts, _: u64) -> Result<Counts> {
        let (bins, others) = acc.0.split_at(self.count() as usize);
        Ok(Counts { bins: bins.to_vec(), below: others[0], above: others[1], nan: others[2] })
    }
    /// The counts as they are.
    fn answer(&self) -> Option<DeviceAnswer> {
        let bins = (0..self.count()).map(|_| ("bin", WordType::U32));
        Some(DeviceAnswer::checked(bins.chain(["below", "above", "nan"].map(|name| (name, WordType::U32))), ""))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Counts> {
        Op::<T>::finish(self, BinCounts::read(words), count)
    }
}
