//! The contents of a histogram's bins and of the slots beside them, and the counts that its accumulator is.

use crate::op::{Bins, Device, Keep, Member, Text};
use crate::{Accumulator, Answer, Part, Value};

/// Slots beside the bins: below, above, NaN.
pub(super) const OTHERS: usize = 3;

/// Something for each bin of a [`Histogram`](super::Histogram), and for what lies in none: counts ([`Counts`]), or answers by
/// [`Histogram::bins_of`](super::Histogram::bins_of).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binned<A> {
    /// That of each bin.
    pub bins: Vec<A>,
    /// That of what is below the range.
    pub below: A,
    /// That of what is above the range.
    pub above: A,
    /// That of what is NaN.
    pub nan: A,
}

/// Elements in each bin of a [`Histogram`](super::Histogram), and in none.
pub type Counts = Binned<u64>;

impl<A> Binned<A> {
    /// From slots in their order: bins, then below, above, NaN; `None` where there are fewer than three.
    ///
    /// ```
    /// use treefold::ops::Binned;
    /// let found = Binned::of_slots(vec!["first", "second", "below", "above", "NaN"]);
    /// assert_eq!(found.map(|found| (found.bins, found.below)), Some((vec!["first", "second"], "below")));
    /// ```
    pub fn of_slots(mut slots: Vec<A>) -> Option<Binned<A>> {
        let (nan, above, below) = (slots.pop()?, slots.pop()?, slots.pop()?);
        Some(Binned { bins: slots, below, above, nan })
    }
}

impl<A: Into<Value> + Copy> Answer for Binned<A> {
    fn parts(&self) -> Vec<Part> {
        let bins = self.bins.iter().map(|&value| Part::new("bin", value));
        let others = [("below", self.below), ("above", self.above), ("nan", self.nan)];
        bins.chain(others.map(|(name, value)| Part::new(name, value))).collect()
    }
}

/// The accumulator of a histogram: a count for each bin, then for what lies in none. 64 bits each on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinCounts(pub(super) Vec<u64>);

impl BinCounts {
    /// Of nothing, in so many slots.
    pub(super) fn zeros(slots: usize) -> BinCounts {
        BinCounts(vec![0; slots])
    }

    /// Those of both.
    pub(super) fn plus(mut self, other: BinCounts) -> BinCounts {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
        self
    }
}

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

/// Counters of a workgroup, at most, that an H200 runs beside another: 17 KiB. It gives 33 KiB to one only.
pub(super) const BESIDE_MAX: u64 = 33 * 128;

/// The kernel that counts in so many slots; `read` says which of them each element is counted in, with so many loop trips.
pub(super) fn counters(keep: Keep, slots: u64, constants: String, read: Vec<Text>, trips: u64) -> Device {
    // As many replicas as there is room for: so that an H200 runs two workgroups beside each other (256 bins: 16 replicas 253.1 µs,
    // 32 266.4).
    let (most, counters) = match keep {
        Keep::Bins { replicas: 32, .. } => (32, BESIDE_MAX),
        Keep::Bins { replicas, .. } => (replicas, 4096),
        Keep::Registers | Keep::Registers64 | Keep::Values { .. } | Keep::Cells | Keep::Slices { .. } => (1, 4096),
        Keep::Memory => (0, 4096),
    };
    let room = (counters / slots.max(1)).max(1).ilog2();
    let columns = slots.div_ceil(4);
    let (slices, bins) = match keep {
        Keep::Slices { bytes } => slices(columns, (bytes / 16).into()),
        _ => (0, slots),
    };
    // Whether every workgroup has all counters in its memory.
    let shared = most > 0 && slices == 0;
    Device::Bins(Bins {
        constants: format!("const SLOTS = {slots}u;\nconst COLUMNS = {columns}u;\n{constants}"),
        helpers: Vec::new(),
        settle: None,
        read: shared
            .then_some(include_str!("../../shaders/histogram/columns.wgsl").into())
            .into_iter()
            .chain(read)
            .collect(),
        settle_bins: include_str!("../../shaders/histogram/settle_bins.wgsl"),
        settle_columns: None,
        narrow: false,
        bins,
        replicas: most.min(1 << room),
        slices,
        wide: false,
        words: 1,
        signed: false,
        columns,
        carries: false,
        vector_trips: if slices > 0 { trips } else { 0 },
        trips: (trips, if shared { slots.div_ceil(32) + 8 } else { 8 }, 0),
        // Bindings have fewer elements.
        elements_max: u64::MAX,
        more_loads: false,
        float64: None,
        pairs: false,
        many_by_value: false,
    })
}

/// Counters where they are asked for, but several slices only where places tell the bins (`safe`): what is searched would be searched once for
/// each (a million bins of 2^28 f32, among which a device must search, take an H200 74.5 ms in its memory and 1669 in 82 slices).
pub(super) fn kept(keep: Keep, slots: u64, safe: bool) -> Keep {
    match keep {
        Keep::Slices { bytes } if !safe && slices(slots.div_ceil(4), (bytes / 16).into()).0 > 1 => Keep::Memory,
        keep => keep,
    }
}

/// The slices of so many columns, as few as there may be with at most `most` columns in each, and the counters of one, alike in all but
/// the last.
fn slices(columns: u64, most: u64) -> (u32, u64) {
    let each = columns.div_ceil(columns.div_ceil(most.max(1)).max(1)).max(1);
    (columns.div_ceil(each).max(1) as u32, 4 * each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_few_and_alike() {
        for (columns, most, want) in [
            (16_385, 3072, (6, 4 * 2731)),
            (16_385, 2048, (9, 4 * 1821)),
            (16_385, 1024, (17, 4 * 964)),
            (7, 3, (3, 12)),
            (5, 100, (1, 20)),
            (3, 0, (3, 4)),
        ] {
            assert_eq!(slices(columns, most), want, "{columns} columns, {most} at most");
        }
        for (columns, most) in (1..200).flat_map(|columns| (1..40).map(move |most| (columns, most))) {
            let (slices, counters) = slices(columns, most);
            let (slices, each) = (u64::from(slices), counters / 4);
            assert!(each <= most && slices * each >= columns && (slices - 1) * each < columns);
        }
    }
}
