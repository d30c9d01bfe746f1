//! Devices, tunings, operators and inputs to plan for.

use std::borrow::Cow;
use treefold::internals::{
    Arrangement, Beside, Cost, Grid, GroupCost, Limits, Piece, Plan, Planner, Request, Store, Strided, Texel, Unit,
};
use treefold::{Order, Result, Tuning};

/// All that a plan is made from.
#[derive(Clone, Debug)]
pub struct Case {
    pub limits: Limits,
    pub tuning: Tuning,
    pub cost: Cost,
    pub pieces: Vec<Piece>,
    /// Elements of a row, of which the input is made.
    pub row: Option<u64>,
    /// A view of the input.
    pub view: Option<Strided>,
    pub start: u64,
    pub direct: bool,
    pub store: Store,
    pub output: u32,
}

impl Case {
    /// Nothing, as one input.
    pub fn new(limits: Limits, tuning: Tuning, cost: Cost) -> Case {
        let (store, pieces) = (Store::Sealed, Vec::new());
        Case { limits, tuning, cost, pieces, row: None, view: None, start: 0, direct: true, store, output: 0 }
    }

    pub fn planner(&self) -> Planner {
        Planner::new(self.limits, self.tuning, self.cost.clone()).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn plan(&self, planner: &Planner) -> Result<Plan> {
        let Case { start, direct, store, output, .. } = *self;
        let strided = self.strided();
        let each = strided.as_deref().map_or(Arrangement::Whole, Arrangement::Strided);
        planner.plan(&Request { pieces: &self.pieces, each, start, direct, store, output })
    }

    /// The division of elements among answers, where there are many.
    pub fn strided(&self) -> Option<Cow<'_, Strided>> {
        let rows = self.row.map(|length| Cow::Owned(Strided::rows(self.elements() / length, length)));
        rows.or(self.view.as_ref().map(Cow::Borrowed))
    }

    /// The second input, where there are two.
    pub fn beside(&self) -> Option<Beside> {
        self.pieces.first().and_then(|piece| piece.other)
    }

    /// Bytes that the first input has for an element, and bits that the second has.
    pub fn bytes_and_bits(&self) -> (u64, u64) {
        self.beside().map_or((self.cost.element_bytes, 0), |other| (other.bytes, other.unit.bits()))
    }

    pub fn elements(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.elements).sum()
    }
}

pub const BYTES_MAX: u64 = (1 << 31) - 256;

pub fn limits(
    binding_bytes_max: u64,
    storage_alignment: u64,
    lanes: Option<(u32, u32)>,
    workgroup_bytes_max: u64,
) -> Limits {
    Limits {
        binding_bytes_max,
        storage_alignment,
        uniform_alignment: 256,
        invocations_max: 1024,
        workgroups_max: 65535,
        workgroup_bytes_max,
        storage_buffers_max: 8,
        lanes,
        words64: lanes.is_some(),
    }
}

pub fn some_limits() -> Vec<Limits> {
    vec![
        limits(512, 16, None, 16384),
        limits(512, 256, Some((32, 32)), 1024),
        limits(4096, 32, Some((8, 32)), 16384),
        limits(4096, 256, None, 1024),
        Limits { workgroups_max: 2, invocations_max: 16, ..limits(1024, 32, Some((4, 4)), 1024) },
        limits(BYTES_MAX, 256, Some((8, 8)), 16384),
        limits(BYTES_MAX, 16, Some((4, 128)), 16384),
        limits(BYTES_MAX, 32, Some((32, 32)), 16384),
    ]
}

/// Limits that have room for bins and a few of their partials, and a workgroup for each column of 103 bins.
pub fn roomy(limits: Limits) -> Limits {
    Limits {
        workgroup_bytes_max: limits.workgroup_bytes_max.max(16384),
        binding_bytes_max: limits.binding_bytes_max.max(1 << 13),
        workgroups_max: limits.workgroups_max.max(26),
        ..limits
    }
}

/// The second input for elements of so many bytes, of each kind in turn: `None` where there are none.
pub fn beside(turn: u64, buffer: usize, first: u64, element_bytes: u64) -> Option<Beside> {
    let unit = Unit::ALL[(turn % 3) as usize];
    let bytes = match (element_bytes, unit) {
        (8, _) => 4,
        (16, Unit::Byte | Unit::Bit) => 8,
        (4, Unit::Byte) => 2,
        (4, Unit::Bit) => 1,
        _ => return None,
    };
    Some(Beside { buffer, first, unit, bytes })
}

/// Small shapes, so that short inputs reach every branch.
pub fn small() -> Tuning {
    Tuning::GPU.with(|t| {
        (t.fold.workgroup_size, t.fold.workgroups_max, t.fold.loads_in_flight) = (8, 3, 2);
        (t.bins.workgroup_size, t.bins.workgroups_max, t.bins.loads_in_flight) = (16, 3, 1);
        (t.fold.single_elements_max, t.bins.single_elements_max) = (100, 60);
        t.counts = t.bins;
        t.single_workgroup_size = 16;
        // Rows go to workgroups; tests of views say otherwise.
        (t.fold.short_rows_max, t.bins.short_rows_max) = (0, 0);
    })
}

pub fn some_tunings() -> Vec<Tuning> {
    vec![
        small(),
        small().with(|t| (t.order, t.subgroups) = (Order::Blocked, false)),
        small().with(|t| {
            (t.fold.workgroup_size, t.fold.loads_in_flight, t.single_workgroup_size) = (4, 4, 8);
            t.order = Order::Blocked;
        }),
        small().with(|t| {
            (t.fold.workgroup_size, t.bins.workgroup_size, t.single_workgroup_size) = (1, 1, 1);
            (t.fold.workgroups_max, t.fold.loads_in_flight, t.fold.single_elements_max) = (5, 1, 0);
            t.counts = t.bins;
        }),
        small().with(|t| (t.dispatch_bytes_max, t.fold.single_elements_max) = (1024, u64::MAX)),
        small().with(|t| {
            (t.fold.workgroup_size, t.fold.workgroups_max, t.fold.loads_in_flight) = (64, 2, 16);
            (t.bins.workgroup_size, t.single_workgroup_size, t.dispatch_bytes_max) = (64, 64, 4100);
            t.counts = t.bins;
        }),
    ]
}

/// Operators without loops, over elements of 4 bytes, and of 16.
pub fn plain() -> Vec<Cost> {
    let words =
        [(1, true), (3, false), (6, true), (14, true)].map(|(words, commutative)| Cost::plain(words, commutative));
    words.into_iter().chain([Cost { element_bytes: 16, ..Cost::plain(4, true) }]).collect()
}

/// A value of so many limbs over elements of so many bytes; f32's window is flushed in a loop.
pub fn long(element_bytes: u64, limbs: u64) -> Cost {
    let flushes = limbs == 11;
    Cost {
        element_bytes,
        element_trips: if flushes { 3 } else { 0 },
        vector_trips: flushes.then_some(12),
        longest: ("combine", limbs),
        combine_trips: limbs,
        shuffle_trips: limbs,
        once_trips: 8 * limbs + 168,
        one_load: element_bytes > 2,
        own_state: true,
        own_memory: element_bytes > 2,
        ..Cost::plain(limbs + 1, true)
    }
}

/// A value of so many words without loops that an invocation has the state of.
pub fn stated(words: u64) -> Cost {
    Cost { own_state: true, vector_trips: Some(4), ..Cost::plain(words, true) }
}

/// An exact sum's bins: f32's are bytes of limbs, the others' are limbs.
pub fn exact_bins(limbs: u64, replicas: u32) -> GroupCost {
    let (counters, columns) = if limbs == 11 { (64, 8) } else { (2 * limbs, limbs) };
    GroupCost::Bins {
        columns,
        counters,
        sums: counters / 2,
        replicas,
        slices: 0,
        workgroup_bytes: counters * u64::from(replicas) * 8 + 8 + 16 * columns,
        settle_bytes: 16 * columns,
        carries: true,
        settle_trips: (limbs, 4),
        elements_max: u64::MAX,
        linked: false,
    }
}

/// An exact sum's bins of f16, whose counters are of 32 bits.
pub fn narrow_bins(replicas: u32) -> GroupCost {
    GroupCost::Bins {
        columns: 2,
        counters: 64,
        sums: 32,
        replicas,
        slices: 0,
        workgroup_bytes: 64 * u64::from(replicas) * 4 + 32 * 8 + 8 + 16 * 2,
        settle_bytes: 16 * 2,
        carries: true,
        settle_trips: (4, 32),
        elements_max: 1 << 21,
        linked: false,
    }
}

/// An exact sum of squares' bins, words of longer numbers.
pub fn linked_bins(replicas: u32) -> GroupCost {
    GroupCost::Bins {
        columns: 18,
        counters: 192,
        sums: 192,
        replicas,
        slices: 0,
        workgroup_bytes: 192 * u64::from(replicas) * 4 + 192 * 8 + 8 + 16 * 18,
        settle_bytes: 16 * 18,
        carries: true,
        settle_trips: (20, 16),
        elements_max: u64::MAX,
        linked: true,
    }
}

/// A histogram's bins.
pub fn histogram_bins(slots: u64, replicas: u32) -> GroupCost {
    GroupCost::Bins {
        columns: slots.div_ceil(4),
        counters: slots,
        sums: slots,
        replicas,
        slices: 0,
        workgroup_bytes: slots * u64::from(replicas) * 4 + 8,
        settle_bytes: 0,
        carries: false,
        settle_trips: (slots.div_ceil(32) + 8, 0),
        elements_max: u64::MAX,
        linked: false,
    }
}

/// A histogram's bins in slices of so many.
pub fn sliced_bins(slots: u64, counters: u64) -> GroupCost {
    GroupCost::Bins {
        columns: slots.div_ceil(4),
        counters,
        sums: counters,
        replicas: 1,
        slices: slots.div_ceil(counters) as u32,
        workgroup_bytes: 4 * counters,
        settle_bytes: 0,
        carries: false,
        settle_trips: (8, 0),
        elements_max: u64::MAX,
        linked: false,
    }
}

/// An operator of these groups; its values are of three words.
pub fn grouped(element_bytes: u64, groups: Vec<GroupCost>) -> Cost {
    let table = groups.iter().any(|group| matches!(group, GroupCost::Bins { carries: false, .. }));
    let sealed_words = groups.len() as u64 + 5;
    Cost { element_bytes, groups, table, sealed_words, answer_words: 2, once_trips: 100, ..Cost::plain(3, true) }
}

/// The same operator with an answer that takes several accumulators.
pub fn joined(cost: Cost) -> Cost {
    let counts = if cost.table { 20 } else { 0 };
    Cost { finish_pass: Some((700, counts)), ..cost }
}

/// Elements of 2, 4 and 8 bytes, with bins and without, and several groups.
pub fn with_bins() -> Vec<Cost> {
    let values = || GroupCost::Values { words: 3 };
    vec![
        long(2, 4),
        long(4, 11),
        stated(12),
        long(8, 68),
        grouped(4, vec![exact_bins(11, 8)]),
        grouped(4, vec![exact_bins(20, 16)]),
        grouped(8, vec![exact_bins(20, 1)]),
        grouped(8, vec![exact_bins(68, 8)]),
        grouped(2, vec![narrow_bins(8)]),
        grouped(4, vec![linked_bins(8)]),
        grouped(4, vec![exact_bins(11, 8), linked_bins(4)]),
        grouped(2, vec![narrow_bins(1), values()]),
        Cost { element_trips: 26, ..grouped(4, vec![histogram_bins(23, 32)]) },
        grouped(4, vec![values(), histogram_bins(5, 2)]),
        grouped(4, vec![values(), exact_bins(11, 8), histogram_bins(103, 1)]),
        grouped(2, vec![histogram_bins(7, 1), histogram_bins(9, 16)]),
        joined(grouped(4, vec![exact_bins(11, 8), linked_bins(1)])),
        joined(Cost::plain(34, true)),
        joined(grouped(4, vec![values(), exact_bins(20, 8), histogram_bins(103, 1)])),
        // In the device's memory.
        grouped(4, vec![histogram_bins(103, 0)]),
        // In slices, the last of which is shorter; of two histograms one has fewer slices.
        Cost { element_trips: 2, ..grouped(4, vec![sliced_bins(103, 16)]) },
        grouped(8, vec![sliced_bins(30, 12)]),
        joined(grouped(4, vec![values(), sliced_bins(103, 28), sliced_bins(41, 20)])),
    ]
}

/// Texels of a texture.
pub fn texels(number: usize, (width, height): (u32, u64), texel: Texel) -> Vec<Piece> {
    let weights = if texel == Texel::Weighted { [1, 2, 3, 4] } else { [0; 4] };
    let grid = Some(Grid { width, texel, weights });
    vec![Piece { grid, ..Piece::of(number, 0, u64::from(width) * height) }]
}

pub fn one(buffer: usize, first: u64, elements: u64) -> Vec<Piece> {
    vec![Piece::of(buffer, first, elements)]
}
