//! The results of a row's last passes, and their places: results at once, or partials and what becomes of them.

use super::planner::{Draft, Planner, Request};
use super::{Arrangement, Binding, GroupCost, Kernel, Params, Pass, Resource, Rows, Store};

/// Invocations of a workgroup that finishes answers: few, since each has long numbers. An H200, `treefold bench variance --size 2^26
/// --segments 256`, by 32, 64 and 256: 591, 592 and 594 µs.
const FINISH_SIZE: u32 = 32;
/// Words of accumulators from which the invocation that has them finishes short rows, and elements of a longer one. The finishing takes
/// registers from the reading. An H200, `treefold bench variance`, finished apart and so: `--shape 8388608x32,4194304x64,2097152x128
/// --axis 1` (33 words) 5248, 2834, 1741 µs; 4135, 2468, 1799. `--shape 16x4194304,128x524288 --axis 0` 2731, 723; 1292, 593. `--dtype i64
/// --shape 4194304x8,262144x128 --axis 1` (12 words) 526, 183; 747, 298. Segments: `--size 2^26 --segments 32,48,64` 1675, 1028, 915; 1083,
/// 901, 897, of which those of 32 were finished in two groups. `--dtype i64 --size 2^25 --segments 8,16` 937, 463; 583, 502, those of 8 in two.
const LONG_WORDS: u64 = 24;
const SHORT_ROW: u64 = 128;
/// Words of an answer that is finished so: of several ones, AMD's GCN has no registers left (43 are spilled of a tuple with segments).
const ONE_ANSWER: u64 = 2;
/// Words behind the accumulators of a segment: its elements, and a seal.
pub(crate) const COUNT_WORDS: u64 = 2;

impl Planner {
    /// Whether a pass of its own finishes answers, from accumulators that the others leave: not those over one fold, nor one answer where
    /// an invocation has all accumulators of a row and writing them takes longer than reading its elements.
    pub(super) fn finishes_apart(&self, request: &Request) -> bool {
        let here = match (&self.cost.groups[..], request.each) {
            // Segments of several groups are looked for by several passes over all elements.
            ([GroupCost::Values { .. }], Arrangement::Segments(ends)) => ends.segments >= self.finished_together(),
            ([GroupCost::Values { words }], Arrangement::Strided(strided)) => {
                *words >= LONG_WORDS && strided.length() < SHORT_ROW
            }
            _ => false,
        };
        let here = here && self.cost.answer_words <= ONE_ANSWER;
        self.cost.finish_pass.is_some() && matches!(request.store, Store::Answer { .. }) && !here
    }

    /// The destination of the last pass that folds, for so many rows from the n-th on: store, place, and the word where it begins.
    pub(super) fn destination(
        &self,
        draft: &mut Draft,
        request: &Request,
        rows: u32,
        row: u64,
    ) -> (Store, Resource, u32) {
        if !self.finishes_apart(request) {
            return (request.store, Resource::Output, self.output(request, row));
        }
        let bytes = self.accumulators_bytes(request, rows);
        draft.accumulators_bytes = draft.accumulators_bytes.max(bytes);
        (Store::Sealed, Resource::Accumulators { bytes: 0..bytes }, 0)
    }

    /// The workgroup that finishes answers, and how many of its invocations share a row.
    pub(super) fn finish_shape(&self) -> (u32, u32) {
        let size = self.single_size().min(FINISH_SIZE);
        let copies = self.cost.finish_pass.is_some_and(|(_, counts)| counts > 0);
        (size, if copies { size } else { 1 })
    }

    /// The pass that finishes the answers of so many rows from the n-th on, where they take several accumulators.
    pub(super) fn finish(&self, draft: &mut Draft, request: &Request, rows: u32, elements: u64, row: u64, of: Rows) {
        let Some((trips, counts)) = self.cost.finish_pass.filter(|_| self.finishes_apart(request)) else { return };
        let variant = self.variant(Kernel::Finish, request.store, self.finish_shape().0, None, of);
        let lanes = variant.lanes_per_sum;
        let bytes = self.accumulators_bytes(request, rows);
        draft.passes.push(Pass {
            variant,
            workgroups: rows.div_ceil(variant.workgroup_size / lanes),
            bindings: vec![
                Binding { slot: 0, resource: Resource::Accumulators { bytes: 0..bytes } },
                Binding { slot: 3, resource: Resource::Output },
            ],
            params: Params {
                count: rows,
                output: self.output(request, row),
                total: words(elements),
                ..Params::default()
            },
            regions: Vec::new(),
            dims: Vec::new(),
            trips: trips + counts.div_ceil(lanes.into()),
        });
    }

    /// The word at which the n-th row's answer begins.
    fn output(&self, request: &Request, row: u64) -> u32 {
        (u64::from(request.output) + row * self.result_words(request, request.store)) as u32
    }

    /// Words of the accumulators of a row, seals included; segments have their counts behind.
    pub(super) fn sealed_words(&self, request: &Request) -> u64 {
        let counted = matches!(request.each, Arrangement::Segments(_) | Arrangement::Groups(_));
        self.cost.sealed_words + if counted { COUNT_WORDS } else { 0 }
    }

    /// Bytes of the accumulators of so many rows; behind those that the device counts stands how many they are.
    fn accumulators_bytes(&self, request: &Request, rows: u32) -> u64 {
        let counted = matches!(request.each, Arrangement::Segments(ends) if ends.counted());
        4 * self.sealed_words(request) * (u64::from(rows) + u64::from(counted))
    }

    /// The passes from `begin` on write the results of so many rows.
    pub(super) fn direct(
        &self,
        draft: &mut Draft,
        begin: usize,
        request: &Request,
        rows: u32,
        elements: u64,
        row: u64,
    ) {
        let (store, resource, output) = self.destination(draft, request, rows, row);
        for pass in &mut draft.passes[begin..] {
            pass.variant.store = store;
            pass.params.partial = 0;
            pass.params.output = output;
            pass.params.total = words(elements);
            pass.bindings.extend(self.table());
            pass.bindings.push(Binding { slot: 3, resource: resource.clone() });
        }
        self.finish(draft, request, rows, elements, row, Rows::One);
    }

    /// The passes from `begin` on write so many partials, and a combine pass for each group makes the results of so many rows.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn through_partials(
        &self,
        draft: &mut Draft,
        begin: usize,
        request: &Request,
        partials: u32,
        rows: u32,
        splits: u32,
        elements: u64,
        row: u64,
    ) {
        let alignment = self.limits.storage_alignment;
        let mut at = 0;
        let mut regions = Vec::new();
        for group in &self.cost.groups {
            let bytes = u64::from(partials) * group.partial_bytes();
            regions.push(at..at + bytes);
            at = (at + bytes).next_multiple_of(alignment);
        }
        let end = regions.last().map_or(0, |region| region.end);
        draft.scratch_bytes = draft.scratch_bytes.max(end);
        let several = regions.len() > 1;
        for pass in &mut draft.passes[begin..] {
            pass.params.partials = partials;
            pass.params.total = words(elements);
            pass.bindings.extend(self.table());
            pass.bindings.push(Binding { slot: 3, resource: Resource::Scratch { bytes: 0..end } });
            pass.regions =
                if several { regions.iter().map(|region| (region.start / 4) as u32).collect() } else { vec![] };
        }
        let (store, resource, output) = self.destination(draft, request, rows, row);
        for (number, (group, region)) in self.cost.groups.iter().zip(&regions).enumerate() {
            let size = self.combine_size(group, rows, splits);
            let many = if rows > 1 { Rows::Many } else { Rows::One };
            let variant = self.variant(Kernel::Combine { group: number }, store, size, None, many);
            let columns = match *group {
                GroupCost::Bins { columns, .. } => columns.div_ceil(variant.columns_here.into()) as u32,
                GroupCost::Values { .. } => 1,
            };
            draft.passes.push(Pass {
                variant,
                workgroups: rows * columns,
                bindings: vec![
                    Binding { slot: 0, resource: Resource::Scratch { bytes: region.clone() } },
                    Binding { slot: 3, resource: resource.clone() },
                ],
                params: Params {
                    count: splits,
                    stride: splits,
                    splits: 1,
                    vectors: splits.div_ceil(size),
                    partials,
                    output,
                    total: words(elements),
                    ..Params::default()
                },
                regions: if several { vec![0; regions.len()] } else { vec![] },
                dims: Vec::new(),
                trips: self.combine_pass_trips(group, splits.into()),
            });
        }
        self.finish(draft, request, rows, elements, row, Rows::One);
    }

    /// The workgroup that combines so many partials of a row: where there are many rows, no larger than its partials.
    fn combine_size(&self, group: &GroupCost, rows: u32, splits: u32) -> u32 {
        let single = self.single_size();
        match group {
            GroupCost::Values { .. } if rows > 1 => {
                let subgroup = self.limits.lanes.map_or(1, |(_, most)| most);
                splits.next_power_of_two().max(subgroup).max(8).min(single)
            }
            _ => single,
        }
    }

    fn table(&self) -> Option<Binding> {
        self.cost.table.then_some(Binding { slot: 4, resource: Resource::Table })
    }
}

fn words(elements: u64) -> [u32; 2] {
    [elements as u32, (elements >> 32) as u32]
}
