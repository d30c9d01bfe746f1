//! Histogram in two dimensions: counts of pairs by the bins of both numbers.

use super::binned::{BinCounts, counters, kept};
use super::histogram::{Countable, Histogram, BinPlaces};
use crate::op::{Device, Keep, Text, WordType, prefixed};
use crate::{Answer, BinAxis, DeviceAnswer, Element, Error, Fold, Op, Part, Result, Value, Wgsl};

/// Number of pairs in each bin of x and bin of y: a [`Histogram`] for either number says where its bins lie.
///
/// Two buffers of f32 become pairs by [`Input::zip`](crate::Input::zip).
///
/// - **Bins**: nx · ny of them, in C order: bin i of x and bin j of y is number i · ny + j, as in `np.histogram2d`. Counts are those
///   of NumPy over the data as f64, exactly, on every engine. Pairs with a number outside of its range, and pairs with a NaN, are
///   counted apart, never dropped; a pair with both is one with a NaN.
/// - **Order**: commutative. **Empty**: all 0. Counts are u64 on the host.
/// - **On the device**: a word for each bin, then outside, NaN; up to 2^32 - 1 pairs in a record. Memory as for [`Histogram`].
///
/// ```
/// use treefold::{Cpu, ops::{Histogram, Histogram2d}};
/// let over = Histogram2d::new(Histogram::new(2, 0.0, 1.0)?, Histogram::integers(0, 2)?)?;
/// let counts = Cpu::new().reduce(over, &[[0.1f32, 0.0], [0.9, 2.0], [1.0, 2.0], [0.3, 7.0], [f32::NAN, 1.0]])?;
/// assert_eq!((counts.shape, counts.bins), ([2, 3], vec![1, 0, 0, 0, 0, 2]));
/// assert_eq!((counts.outside, counts.nan), (1, 1));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Histogram2d {
    pub(crate) x: Histogram,
    pub(crate) y: Histogram,
}

/// Counters beside the bins: outside, NaN.
const OTHERS: u64 = 2;
/// Bins of both together.
const BINS_MAX: u64 = 1 << 24;

impl Default for Histogram2d {
    /// 10 by 10 bins over 0..=1.
    fn default() -> Self {
        Histogram2d { x: Histogram::of_bins(10), y: Histogram::of_bins(10) }
    }
}

impl Histogram2d {
    /// Bins of x by bins of y.
    ///
    /// # Errors
    /// [`Error::TooManyBins`] where there are more than 2^24 of them.
    pub fn new(x: Histogram, y: Histogram) -> Result<Histogram2d> {
        let both = Histogram2d { x, y };
        both.settled()?;
        Ok(both)
    }

    /// # Errors
    /// [`Error::TooManyBins`].
    pub(super) fn settled(&self) -> Result<()> {
        let [x, y] = self.shape();
        if x * y > BINS_MAX { Err(Error::TooManyBins { x, y }) } else { Ok(()) }
    }

    /// Bins of x and of y.
    pub fn shape(&self) -> [u64; 2] {
        [&self.x, &self.y].map(|axis| axis.bins_inside().into())
    }

    /// Number of slots: the bins, and two more.
    pub fn slots(&self) -> u64 {
        let [x, y] = self.shape();
        x * y + OTHERS
    }

    /// The slot of each pair: its bin, counted in C order from 0, and behind the bins outside, NaN. Keys for groups, so that any operator
    /// may be reduced by bin, exact sums of weights among them.
    ///
    /// ```
    /// use treefold::{Cpu, ops::{Binned2d, Histogram, Histogram2d, Sum}};
    /// let over = Histogram2d::new(Histogram::new(2, 0.0, 1.0)?, Histogram::integers(0, 2)?)?;
    /// let slots = over.bins_of(&[[0.1f32, 0.0], [0.9, 2.0], [1.0, 2.0], [0.3, 7.0]]);
    /// assert_eq!(slots, [0, 5, 5, 6]); // bins are 0 to 5, then come outside, NaN
    /// let sums = Cpu::new().reduce_groups(Sum, &slots, &[0.5f32, 2.0, 0.25, 9.0], over.slots())?;
    /// let sums = Binned2d::of_slots(over.shape(), sums.answers).expect("a sum for each slot");
    /// assert_eq!((sums.bins, sums.outside), (vec![0.5, 0.0, 0.0, 0.0, 0.0, 2.25], 9.0));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn bins_of<N: Countable>(&self, pairs: &[[N; 2]]) -> Vec<u32> {
        let slot = self.finder();
        pairs.iter().map(|&pair| slot(pair) as u32).collect()
    }

    /// The counts of these pairs.
    fn counts<N: Countable>(&self, pairs: &[[N; 2]]) -> BinCounts {
        let (slot, mut counts) = (self.finder(), BinCounts::zeros(self.slots() as usize));
        for &pair in pairs {
            counts.0[slot(pair)] += 1;
        }
        counts
    }

    /// The finder of pairs' slots on the host.
    fn finder<N: Countable>(&self) -> impl Fn([N; 2]) -> usize {
        let (of_x, of_y) = (N::slots(&self.x), N::slots(&self.y));
        let [nx, ny] = self.shape().map(|bins| bins as usize);
        move |[x, y]| {
            let (i, j) = (of_x(x), of_y(y));
            match (i < nx && j < ny, x.is_nan() || y.is_nan()) {
                (true, _) => i * ny + j,
                (false, nan) => nx * ny + usize::from(nan),
            }
        }
    }
}

/// Something for each bin of a [`Histogram2d`], and for what lies in none: counts ([`Counts2d`]), or answers by
/// [`Histogram2d::bins_of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binned2d<A> {
    /// Bins of x and of y.
    pub shape: [u64; 2],
    /// That of each bin, in C order: those of the first bin of x first.
    pub bins: Vec<A>,
    /// That of pairs with a number outside of its range, and no NaN.
    pub outside: A,
    /// That of pairs with a NaN.
    pub nan: A,
}

/// Pairs in each bin of a [`Histogram2d`], and in none.
pub type Counts2d = Binned2d<u64>;

impl<A> Binned2d<A> {
    /// From slots in their order: bins, then outside, NaN; `None` where they are not two more than the shape has bins.
    pub fn of_slots(shape: [u64; 2], mut slots: Vec<A>) -> Option<Binned2d<A>> {
        let (nan, outside) = (slots.pop()?, slots.pop()?);
        let fits = shape[0].checked_mul(shape[1]) == Some(slots.len() as u64);
        fits.then_some(Binned2d { shape, bins: slots, outside, nan })
    }
}

impl<A: Into<Value> + Copy> Answer for Binned2d<A> {
    fn parts(&self) -> Vec<Part> {
        let bins = self.bins.iter().map(|&value| Part::new("bin", value));
        bins.chain([("outside", self.outside), ("nan", self.nan)].map(|(name, value)| Part::new(name, value))).collect()
    }
}

impl<N: Countable> Fold<[N; 2]> for Histogram2d
where
    [N; 2]: Element,
{
    type Acc = BinCounts;
    const ELEMENTS_MAX: u64 = (1 << 32) - 1;

    fn identity(&self) -> BinCounts {
        BinCounts::zeros(self.slots() as usize)
    }
    fn lift(&self, pair: [N; 2], index: u64) -> BinCounts {
        self.accumulate(&[pair], index)
    }
    fn combine(&self, a: BinCounts, b: BinCounts) -> BinCounts {
        a.plus(b)
    }
    fn accumulate(&self, pairs: &[[N; 2]], _: u64) -> BinCounts {
        self.counts(pairs)
    }
    fn params(&self) -> Vec<u32> {
        [N::places(&self.x).params, N::places(&self.y).params].concat()
    }
    /// The keys of both axes, one behind the other.
    fn table(&self) -> Vec<u32> {
        [N::table(&self.x), N::table(&self.y)].concat()
    }
    fn kind(&self) -> String {
        format!("{}; {}", N::places(&self.x).kind, N::places(&self.y).kind)
    }
    fn acc_words(&self) -> usize {
        self.slots() as usize
    }
    /// It has bins only.
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("", "", "")
    }
    fn device(&self, keep: Keep) -> Device {
        let (x, y) = (N::places(&self.x), N::places(&self.y));
        let keep = kept(keep, self.slots(), x.safe && y.safe);
        let of_y = [x.params.len(), x.table_words];
        let texts = [N::DTYPE.wgsl().into(), axis("x_", &x, [0, 0]).into(), axis("y_", &y, of_y).into()];
        let texts = texts.into_iter().chain(x.counting[1].iter().map(|&text| Text::from(text)));
        let trips = self.x.trips(keep) + self.y.trips(keep);
        counters(keep, self.slots(), String::new(), texts.collect(), trips)
    }
}

/// The text that finds the bins of one axis, each of its names behind a prefix; its parameters and its keys begin there.
fn axis(prefix: &str, places: &BinPlaces, [params, keys]: [usize; 2]) -> String {
    let text = [&[places.constants.as_str()][..], &places.texts[0]].concat().join("\n");
    let text = prefixed(&text, prefix, &[("param", true), ("entry", true)], prefix);
    format!(
        "fn {prefix}param(i: u32) -> u32 {{ return param({params}u + i); }}\n\
         fn {prefix}entry(i: u32) -> u32 {{ return entry({keys}u + i); }}\n{text}"
    )
}

impl<N: Countable> Op<[N; 2]> for Histogram2d
where
    [N; 2]: Element,
{
    type Fold = Histogram2d;
    type Output = Counts2d;
    const NAME: &'static str = "histogram2d";
    const ABOUT: &'static str = "Counts of pairs by the bins of both inputs; pairs outside and with NaN apart";
    const EXACT: bool = true;

    fn signature(&self) -> String {
        format!("histogram2d({},{})", self.x.told(""), self.y.told("_y"))
    }
    fn fold(&self) -> Histogram2d {
        self.clone()
    }
    fn axes(&self) -> Vec<BinAxis> {
        vec![self.x.axis(), self.y.axis()]
    }
    fn finish(&self, acc: BinCounts, _: u64) -> Result<Counts2d> {
        let slots = acc.0.len();
        Binned2d::of_slots(self.shape(), acc.0).ok_or(Error::TooFewSlots { slots })
    }
    /// The counts as they are.
    fn answer(&self) -> Option<DeviceAnswer> {
        let bins = (2..self.slots()).map(|_| "bin");
        Some(DeviceAnswer::checked(bins.chain(["outside", "nan"]).map(|name| (name, WordType::U32)), ""))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Counts2d> {
        Op::<[N; 2]>::finish(self, crate::Accumulator::read(words), count)
    }
}
