//! The cost of an operator: what a plan must know of it.

use crate::op::{Cell, DeviceOp, FoldGroup, Leaf, Member, Trips};

/// The cost of an operator that a plan must know: bytes and loop trips.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Bytes of one element: 2, 4 or 8.
    pub element_bytes: u64,
    /// Whether its order is free.
    pub commutative: bool,
    /// Its groups of partials.
    pub groups: Vec<GroupCost>,
    /// Words of a result for the host, seals included.
    pub sealed_words: u64,
    /// Words of an answer, without a count word.
    pub answer_words: u64,
    /// Whether a table is bound.
    pub table: bool,
    /// Whether one load in flight suffices.
    pub one_load: bool,
    /// Whether twice as many loads in flight are better, where the order is striped.
    pub more_loads: bool,
    /// Whether sums stay in float64. A multiprocessor has registers for one workgroup of them, where bins take what they leave.
    pub float64: bool,
    /// Whether places in the input show in an answer.
    pub positions: bool,
    /// Whether elements are lifted by their positions.
    pub reads_position: bool,
    /// Whether accumulators are shuffled by an operator's own text.
    pub own_shuffle: bool,
    /// Whether a fold keeps more than its accumulator while it reads.
    pub own_state: bool,
    /// Words of the values that are not in f64 meanwhile.
    pub beside_words: u64,
    /// Whether it keeps that in memory of the invocation, so that an invocation holds one state.
    pub own_memory: bool,
    /// Whether accumulators are too long for segments and groups.
    pub too_long_by_value: bool,
    /// Loop trips of taking one element.
    pub element_trips: u64,
    /// Loop trips of taking a vector by its own form; `None`: element by element.
    pub vector_trips: Option<u64>,
    /// Loop trips of one combine of all values.
    pub combine_trips: u64,
    /// Loop trips of one shuffle of all values.
    pub shuffle_trips: u64,
    /// Loop trips of what an invocation does once: index offsets, own bins, writing, finishing.
    pub once_trips: u64,
    /// Loop trips of the pass that finishes all answers, and words of counts that it copies, where an answer takes several
    /// accumulators.
    pub finish_pass: Option<(u64, u64)>,
    /// Words of a cell, and loop trips of adding to one and of reading it, where invocations can share accumulators.
    pub cell: Option<(u64, u64, u64)>,
    /// The function that loops most, for errors.
    pub longest: (&'static str, u64),
}

/// One group of partials.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupCost {
    /// Accumulators of so many words, combined by value.
    Values {
        /// Words of one.
        words: u64,
    },
    /// Bins in workgroup memory.
    Bins {
        /// Columns of 16 bytes that a partial has.
        columns: u64,
        /// Counters of one replica; of a slice, where there are slices.
        counters: u64,
        /// Sums that the replicas are folded to.
        sums: u64,
        /// Replicas; 0: counters lie in the device's memory.
        replicas: u32,
        /// Slices of the bins, each counted by workgroups of its own; 0: every workgroup counts in all bins.
        slices: u32,
        /// Bytes of workgroup memory.
        workgroup_bytes: u64,
        /// Bytes of workgroup memory of settling.
        settle_bytes: u64,
        /// Whether one workgroup must settle all columns.
        carries: bool,
        /// Loop trips of settling, and of one column.
        settle_trips: (u64, u64),
        /// Elements that one replica of a counter takes.
        elements_max: u64,
        /// Whether parts of a sum have no room in the counters that have been read.
        linked: bool,
    },
}

impl GroupCost {
    /// Bytes of one partial.
    pub fn partial_bytes(&self) -> u64 {
        match *self {
            GroupCost::Values { words } => 4 * words,
            GroupCost::Bins { columns, .. } => 16 * columns,
        }
    }
}

impl Cost {
    /// An operator over 32-bit elements without loops of its own.
    pub fn plain(acc_words: u64, commutative: bool) -> Cost {
        Cost {
            element_bytes: 4,
            commutative,
            groups: vec![GroupCost::Values { words: acc_words }],
            sealed_words: acc_words + 1,
            answer_words: 1,
            table: false,
            one_load: false,
            more_loads: false,
            float64: false,
            positions: false,
            reads_position: false,
            own_shuffle: false,
            beside_words: 0,
            own_state: false,
            own_memory: false,
            too_long_by_value: false,
            element_trips: 0,
            vector_trips: None,
            combine_trips: 0,
            shuffle_trips: 0,
            once_trips: 0,
            finish_pass: None,
            cell: None,
            longest: ("lift", 0),
        }
    }

    /// Of an operator.
    pub fn of(op: &DeviceOp) -> Cost {
        let arrays = |fold: &Leaf| fold.members.iter().map(Member::loop_trips).sum::<u64>();
        let groups = op.groups();
        let group = |group: &FoldGroup| match group {
            FoldGroup::Values(_) => GroupCost::Values { words: op.group_words(group) as u64 },
            FoldGroup::Bins(fold) => match op.folds[*fold].bins() {
                Some(bins) => GroupCost::Bins {
                    columns: bins.columns,
                    counters: bins.bins,
                    sums: bins.sums(),
                    replicas: bins.replicas,
                    slices: bins.slices,
                    workgroup_bytes: bins.workgroup_bytes(),
                    carries: bins.carries,
                    settle_bytes: bins.settle_bytes(),
                    settle_trips: (bins.trips.1, bins.trips.2),
                    elements_max: bins.elements_max,
                    linked: bins.words > 1,
                },
                None => GroupCost::Values { words: op.folds[*fold].words as u64 },
            },
        };
        let trips: Vec<Trips> = op.folds.iter().map(|fold| bounded(fold.trips())).collect();
        let sum = |of: &dyn Fn(&Trips) -> u64| trips.iter().map(of).sum::<u64>();
        let values = op.folds.iter().filter(|fold| fold.value().is_some());
        let (element, combine) = (sum(&|trips| trips.lift), sum(&|trips| trips.combine));
        // An accumulator of its own takes elements without `combine`.
        let combined: u64 = values
            .clone()
            .filter(|fold| fold.value().is_some_and(|wgsl| !wgsl.state))
            .map(|fold| bounded(fold.trips()).combine)
            .sum();
        let own_vectors = trips.iter().any(|trips| trips.vector > 0);
        let finish: u64 = op.answers.iter().map(|(_, answer)| answer.trips.min(STATED_MAX)).sum();
        let fixed: u64 = values.clone().filter_map(|fold| Some(fold.value()?.fixed_trips)).sum();
        let written: u64 = op.folds.iter().map(arrays).sum::<u64>() + op.answer_words().min(256) as u64;
        let finish_pass = op.joined().then(|| {
            let read: u64 = op.folds.iter().filter(|fold| !fold.counts()).map(arrays).sum();
            let words = |counts: bool| {
                let answers = op.answers.iter().filter(|(folds, _)| op.folds[folds[0]].counts() == counts);
                answers.map(|(_, answer)| answer.words.len() as u64).sum::<u64>()
            };
            (finish + read + words(false), words(true))
        });
        let here = if finish_pass.is_some() && !matches!(groups[..], [FoldGroup::Values(_)]) { 0 } else { finish };
        let own_memory = op.has_own_memory();
        let longest = trips.iter().flat_map(|trips| {
            [
                ("lift", trips.lift),
                ("combine", trips.combine),
                ("the vector form", trips.vector),
                ("the index offset", trips.offset),
                ("shuffle", trips.shuffle),
            ]
        });
        let longest = longest.chain([("finish", finish)]).max_by_key(|&(_, trips)| trips).unwrap_or(("lift", 0));
        Cost {
            element_bytes: op.dtype.bytes(),
            commutative: op.commutative(),
            groups: groups.iter().map(group).collect(),
            sealed_words: op.sealed_words() as u64,
            answer_words: op.answer_words() as u64,
            table: !op.table().is_empty(),
            one_load: own_memory && !op.has_cells(),
            more_loads: !op.folds.is_empty()
                && op.folds.iter().all(|fold| fold.bins().is_some_and(|bins| bins.more_loads)),
            float64: op.has_float64(),
            positions: op.folds.iter().any(Leaf::has_positions),
            reads_position: op.folds.iter().any(Leaf::places),
            own_shuffle: op.folds.iter().any(|fold| fold.value().is_some_and(|wgsl| wgsl.shuffle.is_some())),
            own_memory,
            too_long_by_value: op.too_long_by_value(),
            beside_words: op
                .folds
                .iter()
                .filter(|fold| fold.value().is_some_and(|wgsl| !wgsl.float64))
                .map(|fold| fold.words as u64)
                .sum(),
            own_state: op.folds.iter().any(|fold| fold.value().is_some_and(|wgsl| wgsl.state)),
            element_trips: element + combined,
            vector_trips: own_vectors.then(|| {
                // A form takes four of the neighbours of narrow types.
                let (parts, neighbours) = (u64::from(op.dtype.parts().unwrap_or(1)), (16 / op.dtype.bytes()).max(8));
                let form = |trips: &Trips| match trips.vector {
                    0 => neighbours * (trips.lift + trips.combine),
                    vector => vector * parts,
                };
                trips.iter().map(form).sum()
            }),
            combine_trips: combine,
            shuffle_trips: sum(&|trips| trips.shuffle) + values.map(arrays).sum::<u64>(),
            once_trips: sum(&|trips| trips.offset) + fixed + here + written,
            finish_pass,
            cell: op.has_cells().then(|| {
                let cells = op.folds.iter().filter_map(Leaf::cell);
                let sums = |(words, add, read), cell: &Cell| {
                    (words + cell.words as u64, add + cell.trips.0, read + cell.trips.1)
                };
                let (words, add, read) = cells.fold((0, 0, 0), sums);
                // Its accumulator takes its place.
                (words, add, read + 2 * op.folds.iter().map(arrays).sum::<u64>())
            }),
            longest,
        }
    }

    /// Bytes of one partial of all groups.
    pub fn partial_bytes(&self) -> u64 {
        self.groups.iter().map(GroupCost::partial_bytes).sum()
    }

    /// Words of the values that a workgroup reduces; 0 without values.
    pub fn value_words(&self) -> u64 {
        let words = self.groups.iter().map(|group| match group {
            GroupCost::Values { words } => *words,
            GroupCost::Bins { .. } => 0,
        });
        words.sum()
    }

    /// Bytes of workgroup memory that bins take.
    pub fn bins_bytes(&self) -> u64 {
        let bytes = self.groups.iter().map(|group| match group {
            GroupCost::Bins { workgroup_bytes, .. } => *workgroup_bytes,
            GroupCost::Values { .. } => 0,
        });
        bytes.sum()
    }

    /// Whether there are bins.
    pub fn has_bins(&self) -> bool {
        self.bins_bytes() > 0
    }

    /// Whether counters lie in the device's memory, each workgroup's in its partial.
    pub fn in_memory(&self) -> bool {
        self.groups.iter().any(|group| matches!(group, GroupCost::Bins { replicas: 0, .. }))
    }

    /// Workgroups that read the same elements, each for a slice of the bins.
    pub fn slices(&self) -> u32 {
        let slices = self.groups.iter().map(|group| match group {
            GroupCost::Bins { slices, .. } => *slices,
            GroupCost::Values { .. } => 0,
        });
        slices.max().unwrap_or(0).max(1)
    }

    /// Whether bins are counted in slices.
    pub fn sliced(&self) -> bool {
        self.groups.iter().any(|group| matches!(group, GroupCost::Bins { slices: 1.., .. }))
    }

    /// Whether workgroups that read elements leave partials always: none of them has all counters to write results from.
    pub fn partials_only(&self) -> bool {
        self.in_memory() || self.sliced()
    }

    /// Whether a workgroup must settle all columns of some bins, as those of exact sums.
    pub fn carries(&self) -> bool {
        self.groups.iter().any(|group| matches!(group, GroupCost::Bins { carries: true, .. }))
    }
}

/// Trips that a function may state; more would fit no plan either, and sums of them would leave 64 bits.
const STATED_MAX: u64 = 1 << 32;

fn bounded(trips: Trips) -> Trips {
    let Trips { lift, combine, vector, offset, shuffle } = trips;
    let [lift, combine, vector, offset, shuffle] = [lift, combine, vector, offset, shuffle].map(|n| n.min(STATED_MAX));
    Trips { lift, combine, vector, offset, shuffle }
}
