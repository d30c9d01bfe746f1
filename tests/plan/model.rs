//! Memory between dispatches: which elements each partial and each result is made of, as the kernels read and write them.

use crate::budget;
use crate::cases::Case;
use crate::kernels::{
    columns_row, combine_columns, combine_counts, combine_row, place, reduce_long_row, reduce_row, texel_places, word,
};
use treefold::Order;
use treefold::internals::{
    GroupCost, Kernel, Neighbours, Params, Pass, Plan, Planner, Resource, Rows, Store, Strided, TRIPS_MAX, Texel,
    offset,
};

/// Neighbouring elements: their place in the input or the row, and where they lie in memory.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    position: u64,
    elements: u64,
    /// Buffer and byte.
    at: (usize, u64),
    /// Buffer and bit.
    partner: Option<(usize, u64)>,
}

type Runs = Vec<Run>;

/// Appends a run, in one with the last where it continues it.
fn append(runs: &mut Runs, run: Run, (bytes, bits): (u64, u64)) {
    if let Some(last) = runs.last_mut() {
        let by = last.elements;
        let follows = |a: (usize, u64), b: (usize, u64), each: u64| a.0 == b.0 && a.1 + by * each == b.1;
        let partners = match (last.partner, run.partner) {
            (Some(a), Some(b)) => follows(a, b, bits),
            (a, b) => a == b,
        };
        if last.position.wrapping_add(by) == run.position && follows(last.at, run.at, bytes) && partners {
            last.elements += run.elements;
            return;
        }
    }
    runs.push(run);
}

/// A place, so many elements further on.
fn moved((buffer, first): (usize, u64), elements: u64, each: u64) -> (usize, u64) {
    (buffer, first + elements * each)
}

fn wide(words: [u32; 2]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// The range of an input binding: buffer, first byte, bytes.
fn input(pass: &Pass, slot: u32) -> Option<(usize, u64, u64)> {
    let binding = pass.bindings.iter().find(|binding| binding.slot == slot).expect("a binding");
    match &binding.resource {
        Resource::Input { buffer, bytes } => Some((*buffer, bytes.start, bytes.end - bytes.start)),
        Resource::Placeholder => None,
        other => panic!("{other:?} as an input"),
    }
}

/// Memory between dispatches.
struct Machine<'a> {
    case: &'a Case,
    plan: &'a Plan,
    length: u64,
    /// By group and row.
    results: Vec<Vec<Option<Runs>>>,
    /// Of results that a pass will finish, by group.
    accumulators: Vec<Vec<Runs>>,
    partials: Vec<Option<Runs>>,
    /// The pass that wrote the partials, and the number of groups that have been combined since.
    writer: Option<&'a Pass>,
    combined: usize,
    exact: bool,
}

/// Follows a plan, and compares what it computes with what was asked for.
pub fn check(case: &Case, planner: &Planner, plan: &Plan) {
    let view = case.strided();
    let (length, rows) = view.as_ref().map_or((case.elements(), 1), |view| (view.length(), view.answers()));
    assert_eq!((plan.elements, plan.rows), (length * rows, rows));
    assert!(plan.scratch_bytes.max(plan.accumulators_bytes) <= case.limits.binding_bytes_max);
    let groups = case.cost.groups.len();
    let results = vec![vec![None; rows as usize]; groups];
    let exact = plan.elements <= 1 << 21;
    let (partials, combined) = (Vec::new(), groups);
    let accumulators = vec![Vec::new(); groups];
    let mut machine = Machine { case, plan, length, results, accumulators, partials, writer: None, combined, exact };
    for pass in &plan.passes {
        machine.shape(pass, planner);
        match pass.variant.kernel {
            Kernel::Reduce | Kernel::Columns { .. } => machine.reduce(pass),
            Kernel::Combine { group } => machine.combine(pass, group),
            Kernel::Finish => machine.finish(pass),
            Kernel::Segments { .. } | Kernel::Carry | Kernel::Groups { .. } | Kernel::Clear => {
                panic!("segments and groups have models of their own: {pass:?}")
            }
        }
    }
    assert!(machine.accumulators.iter().all(Vec::is_empty), "accumulators that no pass finishes");
    assert_eq!(machine.combined, groups, "partials that no pass combines");
    let ordered = planner.tuning().order == Order::Blocked;
    assert!(ordered || case.cost.commutative);
    match &case.view {
        // Where no order shows, elements are read as they lie.
        Some(view) if case.cost.commutative && !case.cost.positions => {
            machine.compare_view(&view.clone().by_place(), ordered)
        }
        Some(view) => machine.compare_view(view, ordered),
        None => machine.compare(ordered),
    }
}

impl<'a> Machine<'a> {
    /// Checks what every dispatch asks of the device.
    fn shape(&self, pass: &Pass, planner: &Planner) {
        let (limits, v, cost) = (&self.case.limits, &pass.variant, &self.case.cost);
        let size = v.workgroup_size;
        assert!((1..=limits.workgroups_max.min(65535)).contains(&pass.workgroups), "{pass:?}");
        assert!(size.is_power_of_two() && size <= limits.invocations_max, "{pass:?}");
        assert!(size <= planner.launch().workgroup_size.max(planner.tuning().single_workgroup_size), "{pass:?}");
        assert_eq!(
            (v.order, v.loads_in_flight),
            (planner.tuning().order, planner.launch().loads_in_flight),
            "{pass:?}"
        );
        assert!(pass.trips <= TRIPS_MAX, "{} trips: {pass:?}", pass.trips);
        assert_eq!(wide(pass.params.total), self.length, "{pass:?}");
        let strided = matches!(v.rows, Rows::Strided { .. });
        let weights = if v.load.texel() == Some(Texel::Weighted) { 4 } else { 0 };
        let (rows, partials) = (pass.params.rows, pass.params.row_partials);
        assert!(strided || (rows, partials, pass.dims.len()) == (0, 0, weights), "{pass:?}");
        if let Some(least) = v.lanes_min {
            let (fewest, most) = limits.lanes.expect("subgroups");
            assert_eq!(least, fewest, "{pass:?}");
            assert_eq!(1 << v.butterfly, most, "a butterfly of other lanes: {pass:?}");
            assert!(size.is_multiple_of(most), "subgroups of {most} are not full: {pass:?}");
            assert!(self.case.tuning.subgroups && cost.commutative, "{pass:?}");
        }
        let held = |words: u64| u64::from(v.lanes_min.map_or(size, |least| size.div_ceil(least))) * 4 * words;
        let memory = match v.kernel {
            Kernel::Reduce => held(cost.value_words()) + cost.bins_bytes(),
            Kernel::Columns { .. } if v.lanes_min.is_some() => {
                assert!(pass.params.stride <= v.lanes_min.unwrap_or(0), "lanes of several subgroups: {pass:?}");
                0
            }
            Kernel::Columns { .. } => u64::from(size) * 4 * cost.value_words(),
            Kernel::Finish | Kernel::Segments { .. } | Kernel::Carry | Kernel::Groups { .. } | Kernel::Clear => 0,
            Kernel::Combine { group } => match cost.groups[group] {
                GroupCost::Values { words } => held(words),
                // histogram/combine.wgsl: a column's part in each lane of it, and no lane without an invocation.
                GroupCost::Bins { carries: false, .. } => {
                    assert!(v.columns_here * v.lanes_per_sum <= size && v.lanes_min.is_none(), "{pass:?}");
                    16 * u64::from(v.columns_here * v.lanes_per_sum)
                }
                // bins/sums.wgsl with two sums a column; what settles.
                GroupCost::Bins { columns, settle_bytes, .. } => {
                    let replicas = if v.lanes_min.is_some() { 1 } else { u64::from(v.lanes_per_sum) };
                    16 * columns * replicas + 4 + settle_bytes
                }
            },
        };
        assert!(memory <= limits.workgroup_bytes_max, "{memory} bytes of workgroup memory: {pass:?}");
        if cost.has_bins() {
            // Without shuffles, the lanes of a sum lie in its replicas.
            let replicas = cost.groups.iter().filter_map(|group| match group {
                // Linked ones hold no parts of wide sums.
                GroupCost::Bins { linked: true, .. } if v.kernel == Kernel::Reduce => Some(1),
                GroupCost::Bins { replicas, .. } if v.kernel == Kernel::Reduce => Some((*replicas).max(1)),
                _ => None,
            });
            let most = if v.kernel == Kernel::Finish { size } else { v.lanes_min.or(replicas.min()).unwrap_or(size) };
            assert!(v.lanes_per_sum.is_power_of_two() && v.lanes_per_sum <= most.min(size), "lanes of a sum: {pass:?}");
        }
        for binding in &pass.bindings {
            if let Resource::Input { bytes, .. } | Resource::Scratch { bytes } | Resource::Accumulators { bytes } =
                &binding.resource
            {
                assert!(
                    bytes.start.is_multiple_of(limits.storage_alignment) && bytes.end.is_multiple_of(4),
                    "{pass:?}"
                );
                assert!(bytes.start < bytes.end && bytes.end - bytes.start <= limits.binding_bytes_max, "{pass:?}");
            }
        }
        let reads = |binding: &&treefold::internals::Binding| {
            matches!(binding.resource, Resource::Input { .. } | Resource::Texture { .. })
        };
        let writes = pass.bindings.iter().any(|binding| binding.resource == Resource::Output);
        assert!(
            self.case.direct || !writes || pass.bindings.iter().find(reads).is_none(),
            "reads and writes: {pass:?}"
        );
        let mut slots: Vec<u32> = pass.bindings.iter().map(|binding| binding.slot).collect();
        slots.sort_unstable();
        match v.kernel {
            Kernel::Reduce if v.load.texel().is_some() && cost.table => assert_eq!(slots, [0, 3, 4], "{pass:?}"),
            Kernel::Reduce if v.load.texel().is_some() => assert_eq!(slots, [0, 3], "{pass:?}"),
            Kernel::Reduce | Kernel::Columns { .. } if cost.table => assert_eq!(slots, [0, 1, 3, 4], "{pass:?}"),
            Kernel::Reduce | Kernel::Columns { .. } => assert_eq!(slots, [0, 1, 3], "{pass:?}"),
            _ => assert_eq!(slots, [0, 3], "{pass:?}"),
        }
        assert_eq!(pass.bindings.iter().any(|binding| binding.resource == Resource::Table), slots.contains(&4));
    }

    /// reduce.wgsl and columns.wgsl.
    fn reduce(&mut self, pass: &'a Pass) {
        let (case, v, p) = (self.case, &pass.variant, &pass.params);
        let strided = matches!(v.rows, Rows::Strided { .. });
        let own = if let Kernel::Columns { own, .. } = v.kernel { own } else { 1 };
        let vectors_of_rows = matches!(v.kernel, Kernel::Columns { neighbours: Neighbours::Vectors, .. });
        let scale = if vectors_of_rows { budget::unit(&case.cost, v) } else { 1 };
        let rows = match v.kernel {
            Kernel::Columns { .. } => {
                assert_eq!(pass.workgroups, p.rows.div_ceil(v.workgroup_size / p.stride) * p.splits, "{pass:?}");
                p.rows * own
            }
            _ => pass.workgroups / self.slices(pass) / p.splits.max(1),
        };
        if v.kernel == Kernel::Reduce {
            assert_eq!(p.grid_stride, p.splits * v.workgroup_size * v.loads_in_flight, "{pass:?}");
            assert_eq!(p.splits * rows * self.slices(pass), pass.workgroups, "{pass:?}");
            assert!(!strided || (p.rows == rows && v.load.one()), "{pass:?}");
        }
        assert!(v.rows != Rows::One || rows == 1, "{pass:?}");
        assert!(v.rows == Rows::One || case.strided().is_some(), "{pass:?}");
        let read_bytes = u64::from(p.count) * scale * u64::from(rows) * case.cost.element_bytes;
        // Each slice reads them.
        let (slices, most) = (u64::from(self.slices(pass)), case.tuning.dispatch_bytes_max);
        assert!(read_bytes * slices <= most.max(1024 * slices) || (v.rows != Rows::One && rows == 1), "{pass:?}");
        let unit = budget::unit(&case.cost, v);
        let texels = v.load.texel().map(|texel| self.texture(pass, texel));
        let (vectors, words) = if texels.is_some() { (None, None) } else { (input(pass, 0), input(pass, 1)) };
        // Of two inputs, the bytes of the first's elements; what the second has for each has bits.
        let beside = v.load.beside();
        assert!(beside == case.beside().map(|other| other.unit) || p.count == 0, "{pass:?}");
        let (bytes, bits) = case.bytes_and_bits();
        let (kept, reduced) = match v.rows {
            Rows::Strided { kept, reduced } => {
                assert_eq!(pass.dims.len(), 2 * (usize::from(kept) + usize::from(reduced)), "{pass:?}");
                pass.dims.split_at(2 * usize::from(kept))
            }
            _ => (&[][..], &[][..]),
        };
        // By row and split.
        let mut made: Vec<Runs> = vec![Vec::new(); (rows * p.splits) as usize];
        let (mut rounds, mut ends, mut trips) = (0, 0, 0);
        for row in 0..rows {
            let first = if strided { 0 } else { word(u64::from(p.first) + u64::from(row) * u64::from(p.stride)) };
            let row_first = p.first.wrapping_add(place(kept, row / own)).wrapping_add(row % own);
            let base = wide(p.base).wrapping_sub(if v.rows == Rows::Many { first } else { 0 });
            let visit = |split: u64, index: u64, n: u64, vector: bool| {
                let runs = &mut made[(u64::from(row) * u64::from(p.splits) + split) as usize];
                if let Some((number, width, height)) = texels {
                    let position = base.wrapping_add(index).wrapping_sub(case.start);
                    // The ends of long rows are enough.
                    let edges = if n > 1 << 21 { [(index, 9), (index + n - 9, 9)] } else { [(index, n), (index, 0)] };
                    for (mut e, n) in edges {
                        texel_places(p.partner, e, n, |x, y| {
                            assert!(x < width && y < height && u64::from(y) * u64::from(width) + u64::from(x) == e);
                            e += 1;
                        });
                    }
                    let at = (number, index * bytes);
                    return append(runs, Run { position, elements: n, at, partner: None }, (bytes, bits));
                }
                let (buffer, begin, size) = words.expect("an input");
                let strided_place =
                    || scale * u64::from(row_first.wrapping_add(place(reduced, (index / scale) as u32)));
                let lies = if strided { strided_place() } else { index };
                let end = ((lies + n) * bytes).next_multiple_of(4);
                assert!(end <= size, "element {lies} is beyond its binding: {pass:?}");
                let at = (buffer, begin + lies * bytes);
                let mut partner = None;
                if let Some(unit) = beside {
                    let (buffer, begin, size) = vectors.expect("partners");
                    let index = u64::from((lies as u32).wrapping_add(p.partner));
                    let end = ((index + n) * unit.bits()).div_ceil(32) * 4;
                    assert!(end <= size, "a partner is beyond its binding: {pass:?}");
                    partner = Some((buffer, begin * 8 + index * unit.bits()));
                } else if (vector && !v.load.one()) || own > 1 || scale > 1 {
                    let (other, start, size) = vectors.expect("vectors");
                    assert_eq!((other, start), (buffer, begin), "{pass:?}");
                    assert!((lies / unit + 1) * 16 <= size, "a vector is beyond its binding: {pass:?}");
                    assert!(own == 1 || lies % unit == u64::from(row % own), "a vector of other columns: {pass:?}");
                }
                let position = base.wrapping_add(index).wrapping_sub(case.start);
                append(runs, Run { position, elements: n, at, partner }, (bytes, bits));
            };
            match v.kernel {
                Kernel::Columns { .. } => {
                    let elements = columns_row(v, p, scale, visit);
                    trips = trips.max(budget::columns(&case.cost, v, p.stride, own.into(), elements));
                }
                _ => {
                    let run = match self.exact || strided {
                        true => reduce_row(v, p, unit, first, visit),
                        false => reduce_long_row(v, p, unit, first, visit),
                    };
                    (rounds, ends) = (rounds.max(run.0), ends.max(run.1));
                }
            }
        }
        if v.kernel == Kernel::Reduce {
            let values = if case.cost.value_words() > 0 { budget::workgroup(&case.cost, v) } else { 0 };
            let reads = budget::reads(&case.cost, v, rounds, ends);
            trips = reads + values + budget::bins(&case.cost, v) + case.cost.once_trips;
        }
        assert!(trips <= pass.trips, "{trips} trips: {pass:?}");
        if v.store == Store::Partial {
            self.store_partials(pass, made);
        } else {
            assert_eq!((p.splits, v.store), (1, self.store()), "one workgroup must read all of a row: {pass:?}");
            assert!(!case.cost.in_memory(), "counters without a partial to lie in: {pass:?}");
            assert_eq!(self.slices(pass), 1, "no workgroup has all counters: {pass:?}");
            for group in 0..case.cost.groups.len() {
                self.store_results(group, pass, made.clone());
            }
        }
    }

    /// SLICES of rows/sliced.wgsl: the most that a fold has.
    fn slices(&self, pass: &Pass) -> u32 {
        let slices = self.case.cost.groups.iter().map(|group| match *group {
            GroupCost::Bins { slices, .. } if pass.variant.kernel == Kernel::Reduce => slices,
            _ => 0,
        });
        slices.max().unwrap_or(0).max(1)
    }

    /// bins/sliced.wgsl: whether the slices of every partial leave each column of it once.
    fn leave_slices(&self, pass: &Pass, partials: usize) {
        for group in &self.case.cost.groups {
            let GroupCost::Bins { columns, counters, slices: 1.., .. } = *group else { continue };
            assert!(counters.is_multiple_of(4), "columns of two slices: {pass:?}");
            let mut left = vec![0u8; partials * columns as usize];
            for workgroup in 0..u64::from(pass.workgroups) {
                let (slice, shared) =
                    (workgroup % u64::from(self.slices(pass)), workgroup / u64::from(self.slices(pass)));
                let first = slice * (counters / 4);
                for local in 0..u64::from(pass.variant.workgroup_size).min(counters / 4) {
                    let own = (local..counters / 4).step_by(pass.variant.workgroup_size as usize);
                    own.filter(|j| first + j < columns)
                        .for_each(|j| left[(shared * columns + first + j) as usize] += 1);
                }
            }
            assert!(left.iter().all(|&times| times == 1), "a column of a partial is not left once: {pass:?}");
        }
    }

    /// The texture that a pass reads: its number, width and height.
    fn texture(&self, pass: &Pass, texel: Texel) -> (usize, u32, u32) {
        let bound = pass.bindings.iter().find(|binding| binding.slot == 0).map(|binding| &binding.resource);
        let Some(&Resource::Texture { number }) = bound else { panic!("no texture: {pass:?}") };
        let piece = self.case.pieces.iter().find(|piece| piece.buffer == number).expect("a piece");
        let grid = piece.grid.expect("a texture");
        assert_eq!((grid.width, grid.texel), (pass.params.partner, texel), "{pass:?}");
        assert!(texel != Texel::Weighted || pass.dims == grid.weights, "{pass:?}");
        (number, grid.width, (piece.elements / u64::from(grid.width)) as u32)
    }

    /// store_partial(), bins/flush.wgsl and bins/sliced.wgsl, whose slices all read what the first does: partials by row and split.
    fn store_partials(&mut self, pass: &'a Pass, made: Vec<Runs>) {
        let (p, groups) = (&pass.params, &self.case.cost.groups);
        if self.combined == groups.len() {
            (self.combined, self.writer) = (0, Some(pass));
            self.partials = vec![None; p.partials as usize];
        }
        let writer = self.writer.expect("a writer");
        let scratch = |pass: &Pass| pass.bindings.iter().find(|binding| binding.slot == 3).map(|b| b.resource.clone());
        assert_eq!(
            (self.combined, p.partials, &pass.regions),
            (0, writer.params.partials, &writer.regions),
            "{pass:?}"
        );
        assert_eq!(scratch(pass), scratch(writer), "{pass:?}");
        let Some(Resource::Scratch { bytes }) = scratch(pass) else { panic!("no scratch: {pass:?}") };
        assert_eq!((bytes.start, pass.regions.len()), (0, if groups.len() > 1 { groups.len() } else { 0 }), "{pass:?}");
        let mut free = 0;
        for (number, group) in groups.iter().enumerate() {
            let begin = 4 * u64::from(pass.regions.get(number).copied().unwrap_or(0));
            assert!(begin >= free, "regions overlap: {pass:?}");
            free = begin + u64::from(p.partials) * group.partial_bytes();
        }
        assert!(free <= bytes.end && bytes.end <= self.plan.scratch_bytes, "{pass:?}");
        let strided = matches!(pass.variant.rows, Rows::Strided { .. });
        self.leave_slices(pass, made.len());
        for (number, runs) in made.into_iter().enumerate() {
            let (row, split) = (number as u32 / p.splits, number as u32 % p.splits);
            let place = if strided { row * p.row_partials + split } else { number as u32 };
            let place = &mut self.partials[(p.partial + place) as usize];
            assert!(place.is_none(), "a partial is written twice: {pass:?}");
            *place = Some(runs);
        }
    }

    /// Whether a pass behind those that fold finishes the answers: not those of short rows that have one long accumulator.
    fn apart(&self) -> bool {
        let short = self.case.strided().is_some_and(|strided| strided.length() < 128);
        let here = short && matches!(self.case.cost.groups[..], [GroupCost::Values { words: 24.. }]);
        self.case.cost.finish_pass.is_some() && matches!(self.case.store, Store::Answer { .. }) && !here
    }

    /// The kind of the results of passes that fold.
    fn store(&self) -> Store {
        if self.apart() { Store::Sealed } else { self.case.store }
    }

    /// The destination of so many results of those passes.
    fn output(&self, rows: usize) -> Resource {
        match self.apart() {
            true => Resource::Accumulators { bytes: 0..4 * self.case.cost.sealed_words * rows as u64 },
            false => Resource::Output,
        }
    }

    /// store() and store_count(), at params.output + row * words.
    fn store_results(&mut self, group: usize, pass: &Pass, made: Vec<Runs>) {
        let place = pass.bindings.iter().find(|binding| binding.slot == 3).map(|binding| binding.resource.clone());
        assert_eq!(place, Some(self.output(made.len())), "{pass:?}");
        if self.apart() {
            assert_eq!((pass.params.output, self.accumulators[group].len()), (0, 0), "{pass:?}");
            self.accumulators[group] = made;
        } else {
            self.store_answers(group, &pass.params, made);
        }
    }

    /// finish.wgsl.
    fn finish(&mut self, pass: &Pass) {
        let (v, p) = (&pass.variant, &pass.params);
        assert_eq!((self.apart(), v.store), (true, self.case.store), "{pass:?}");
        let (trips, counts) = self.case.cost.finish_pass.expect("a pass");
        let lanes = if counts > 0 { v.workgroup_size } else { 1 };
        assert_eq!((v.lanes_per_sum, pass.workgroups), (lanes, p.count.div_ceil(v.workgroup_size / lanes)), "{pass:?}");
        assert_eq!(pass.trips, trips + counts.div_ceil(lanes.into()), "{pass:?}");
        let bound = |slot: u32| pass.bindings.iter().find(|binding| binding.slot == slot).map(|b| &b.resource);
        let bytes = 0..4 * self.case.cost.sealed_words * u64::from(p.count);
        assert!(bytes.end <= self.plan.accumulators_bytes, "{pass:?}");
        assert_eq!(
            (bound(0), bound(3)),
            (Some(&Resource::Accumulators { bytes }), Some(&Resource::Output)),
            "{pass:?}"
        );
        for group in 0..self.accumulators.len() {
            let made = std::mem::take(&mut self.accumulators[group]);
            assert_eq!(made.len(), p.count as usize, "rows that are not finished: {pass:?}");
            self.store_answers(group, p, made);
        }
    }

    fn store_answers(&mut self, group: usize, p: &Params, made: Vec<Runs>) {
        let words = match self.case.store {
            Store::Sealed => self.case.cost.sealed_words,
            Store::Answer { counted } => self.case.cost.answer_words + u64::from(counted),
            Store::Partial => panic!("partials are no results"),
        };
        let word = p.output.checked_sub(self.case.output).expect("behind the first result");
        assert!(u64::from(word).is_multiple_of(words), "between two results: {p:?}");
        for (row, runs) in (u64::from(word) / words..).zip(made) {
            let place = &mut self.results[group][row as usize];
            assert!(place.is_none(), "result {row} is written twice: {p:?}");
            *place = Some(runs);
        }
    }

    /// combine.wgsl, bins/combine.wgsl and histogram/combine.wgsl.
    fn combine(&mut self, pass: &'a Pass, number: usize) {
        let (case, v, p) = (self.case, &pass.variant, &pass.params);
        let (group, writer) = (&case.cost.groups[number], self.writer.expect("partials"));
        assert_eq!((self.combined, v.store), (number, self.store()), "{pass:?}");
        self.combined += 1;
        let begin = 4 * u64::from(writer.regions.get(number).copied().unwrap_or(0));
        let bytes = begin..begin + u64::from(p.partials) * group.partial_bytes();
        assert_eq!(p.partials as usize, self.partials.len(), "{pass:?}");
        let bound = |slot: u32| pass.bindings.iter().find(|binding| binding.slot == slot).map(|b| &b.resource);
        assert_eq!(bound(0), Some(&Resource::Scratch { bytes }), "{pass:?}");
        let column_groups = match *group {
            GroupCost::Values { .. } => 1,
            GroupCost::Bins { columns, carries, .. } => {
                assert!(v.columns_here > 0 && (!carries || u64::from(v.columns_here) == columns), "{pass:?}");
                columns.div_ceil(v.columns_here.into()) as u32
            }
        };
        let rows = pass.workgroups / column_groups;
        assert_eq!(rows * column_groups, pass.workgroups, "{pass:?}");
        match *group {
            GroupCost::Bins { columns, carries: true, .. } => combine_columns(v, p, columns),
            GroupCost::Bins { columns, .. } => combine_counts(v, p, columns),
            GroupCost::Values { .. } => (),
        }
        let read = |row: u32| {
            let first = u64::from(p.first) + u64::from(row) * u64::from(p.stride);
            let order = match *group {
                GroupCost::Values { .. } => combine_row(v, p, first),
                GroupCost::Bins { .. } => (first..first + u64::from(p.count)).collect(),
            };
            let runs =
                order.into_iter().map(|at| self.partials[at as usize].as_ref().expect("a partial that was written"));
            runs.flatten().cloned().collect()
        };
        let made: Vec<Runs> = (0..rows).map(read).collect();
        let trips = match group {
            GroupCost::Values { .. } => budget::combine(&case.cost, v, p.vectors.min(p.count).into()),
            GroupCost::Bins { .. } => budget::combine_bins(&case.cost, group, v, p.count.into()),
        };
        assert!(trips <= pass.trips, "{trips} trips: {pass:?}");
        assert_eq!(u64::from(rows) * u64::from(p.count), u64::from(p.partials), "partials that no row reads: {pass:?}");
        self.store_results(number, pass, made);
    }

    /// Every result is of its own row: each element once, from where it lies.
    fn compare(&self, ordered: bool) {
        let pieces = &self.case.pieces;
        let ends: Vec<u64> = pieces
            .iter()
            .scan(0, |end, piece| {
                Some({
                    *end += piece.elements;
                    *end
                })
            })
            .collect();
        let (bytes, bits) = self.case.bytes_and_bits();
        for (group, rows) in self.results.iter().enumerate() {
            for (row, runs) in (0u64..).zip(rows) {
                let mut runs = runs.clone().unwrap_or_else(|| panic!("no result {row} of group {group}"));
                if !ordered {
                    runs.sort_by_key(|run| run.position);
                }
                let mut next = 0;
                for run in runs {
                    assert_eq!(run.position, next, "not once, or not in order: row {row}, group {group}");
                    let mut done = 0;
                    while done < run.elements {
                        let global = row * self.length + next + done;
                        assert!(next + done < self.length, "more than row {row}");
                        let number = ends.partition_point(|&end| end <= global);
                        let piece = &pieces[number];
                        let within = global + piece.elements - ends[number];
                        let at = (piece.buffer, (piece.first + within) * bytes);
                        assert_eq!(moved(run.at, done, bytes), at, "another element: {row}, {run:?}");
                        let partner = run.partner.map(|partner| moved(partner, done, bits));
                        let at = piece.other.map(|other| (other.buffer, (other.first + within) * bits));
                        assert_eq!(partner, at, "another partner: {row}, {run:?}");
                        done += (run.elements - done).min(ends[number] - global);
                    }
                    next += run.elements;
                }
                assert_eq!(next, self.length, "elements are missing: row {row}, group {group}");
            }
        }
    }

    /// The same of a view: each element of each answer once, from where the view has it.
    fn compare_view(&self, view: &Strided, ordered: bool) {
        let pieces = &self.case.pieces;
        let (bytes, bits) = self.case.bytes_and_bits();
        let lies = |row: u64, position: u64| {
            let mut at = (view.place(row) as i64 + offset(&view.reduced, position)) as u64;
            let piece = pieces.iter().find(|piece| {
                let here = at < piece.elements;
                at = if here { at } else { at - piece.elements };
                here
            });
            let piece = piece.expect("an element of the input");
            let partner = piece.other.map(|other| (other.buffer, (other.first + at) * bits));
            ((piece.buffer, (piece.first + at) * bytes), partner)
        };
        for rows in &self.results {
            for (row, runs) in (0u64..).zip(rows) {
                let mut runs = runs.clone().unwrap_or_else(|| panic!("no result {row}"));
                if !ordered {
                    runs.sort_by_key(|run| run.position);
                }
                let mut next = 0;
                for run in runs {
                    assert_eq!(run.position, next, "not once, or not in order: row {row}");
                    assert!(next + run.elements <= self.length, "more than row {row}");
                    for e in 0..run.elements {
                        let partner = run.partner.map(|partner| moved(partner, e, bits));
                        assert_eq!((moved(run.at, e, bytes), partner), lies(row, next + e), "row {row}, {run:?}");
                    }
                    next += run.elements;
                }
                assert_eq!(next, self.length, "elements are missing: row {row}");
            }
        }
    }
}
