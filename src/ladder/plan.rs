//! From a stage and a length to dispatches: pure arithmetic, plain data.

use super::stages::{Data, Memory, Stage, Walk};
use super::text::identity_bits;
use super::{Operator, gauge::GRID};

/// Where a dispatch reads or writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// Not used.
    Nothing,
    /// The stage's input, and the second one of a product.
    Input,
    Second,
    /// One of two buffers that change places.
    Scratch(usize),
    /// The few words that atomics work on.
    Cells,
}

/// Words written into a place before a dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fill {
    pub place: Place,
    /// First word.
    pub at: u64,
    pub words: Vec<u32>,
}

/// One timed pass.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub label: &'static str,
    /// Which of the stage's shaders.
    pub shader: usize,
    pub groups: u64,
    /// `P.size`, `P.middle`, `P.extra`.
    pub params: [u32; 3],
    /// Bindings 0, 1 and 4.
    pub reads: [Place; 3],
    pub writes: Place,
    /// Copied before the pass, every time.
    pub fills: Vec<Fill>,
}

/// All that a stage does for one length.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Written once, behind the input's end: identities up to a whole block.
    pub padding: Vec<Fill>,
    pub steps: Vec<Step>,
    /// What the host reads back: places and words.
    pub results: Vec<(Place, u64)>,
    /// Words of the two scratch buffers.
    pub scratch: [u64; 2],
    /// Elements with padding.
    pub padded: u64,
    /// Bytes of elements that are read and used.
    pub bytes: u64,
    /// Additions, one after another, on the longest way from an element to the answer.
    pub depth: u64,
}

/// Words that every input buffer has room for beyond its last: a multiple of this.
pub(super) const INPUT_UNIT: u64 = 2048;
/// Loop trips of one invocation that software adapters surely do.
const TRIPS_MAX: u64 = 16_384;
/// Compare-and-swap operations at most: they queue for one word.
const SWAPS_MAX: u64 = 1 << 16;
/// Candidates for the largest prime below the length: no gap between primes below 2^32 is nearly as long.
const CANDIDATES: u64 = 1 << 14;

/// The plan of a stage for so many elements; `second_kernel` where the adapter cannot do the first.
pub(super) fn plan(stage: &Stage, count: u64, wg: u32, operator: Operator, second_kernel: bool) -> Plan {
    let mut plan = Plan {
        padding: Vec::new(),
        steps: Vec::new(),
        results: Vec::new(),
        scratch: [0, 0],
        padded: count,
        bytes: count * if stage.data == Data::Pairs { 8 } else { 4 },
        depth: 0,
    };
    let wg64 = u64::from(wg);
    let log2 = |n: u64| u64::from(n.max(1).next_power_of_two().trailing_zeros());
    match stage.walk {
        Walk::Halve => {
            let shape = Shape { take: 2 * wg64, ratio: 2, pad: 2, until: 64, outputs: 1, depth: 1 };
            tree(&mut plan, stage, count, operator, shape);
        }
        Walk::Tree { take, until } => {
            let take = u64::from(take);
            let shape = Shape { take, ratio: take, pad: take, until: until.into(), outputs: 1, depth: log2(take) };
            tree(&mut plan, stage, count, operator, shape);
        }
        Walk::Once { per_invocation } => {
            let take = wg64 * u64::from(per_invocation);
            let shape = Shape { take, ratio: take, pad: take, until: u64::MAX, outputs: 1, depth: log2(take) };
            tree(&mut plan, stage, count, operator, shape);
        }
        Walk::Guarded { per_invocation, repeat } => {
            let take = wg64 * u64::from(per_invocation);
            let until = if repeat { 1 } else { u64::MAX };
            let outputs = if stage.id == "min+sum" { 2 } else { 1 };
            let shape = Shape { take, ratio: take, pad: 1, until, outputs, depth: log2(take) };
            tree(&mut plan, stage, count, operator, shape);
        }
        Walk::Even => {
            let take = 2 * wg64;
            let shape = Shape { take, ratio: take, pad: take, until: u64::MAX, outputs: 1, depth: log2(wg64) };
            tree(&mut plan, stage, count, operator, shape);
            plan.bytes = count.div_ceil(2) * 4;
        }
        Walk::Atomic { share } => {
            let groups = count.div_ceil(wg64).min(if share { SWAPS_MAX / wg64 } else { u64::MAX });
            let start: &[u32] = match stage.id {
                "atomic-i32" => &[0, i32::MAX as u32, i32::MIN as u32],
                "cas-f64" => &[0, 0],
                _ => &[0],
            };
            let fills = vec![Fill { place: Place::Cells, at: 0, words: start.to_vec() }];
            plan.steps.push(Step {
                label: if second_kernel { "atomics on two words" } else { "atomics" },
                shader: usize::from(second_kernel),
                groups,
                params: [count as u32, 0, (groups * wg64) as u32],
                reads: [Place::Input, Place::Nothing, Place::Nothing],
                writes: Place::Cells,
                fills,
            });
            plan.results.push((Place::Cells, start.len() as u64));
            plan.depth = if share { count.div_ceil(groups * wg64) + groups * wg64 } else { count };
        }
        Walk::DotNaive => {
            // The kernel multiplies a remainder below W by an index up to W: within 32 bits.
            let items = items(count, wg64, 1 << 16);
            let groups = items / wg64;
            plan.push("dot", 0, groups, [count, 0, items], [Place::Input, Place::Second, Place::Nothing]);
            plan.result(Place::Scratch(0), items);
            plan.depth = count.div_ceil(items) + 1;
        }
        Walk::Dot { lanes, local } => {
            let items = items(count, wg64, 1 << 18);
            let (groups, each) = (items / wg64, items * u64::from(lanes));
            let middle = count / each * each;
            let reads = [Place::Input, Place::Second, Place::Nothing];
            plan.push("remainder", 0, groups, [count, middle, items], reads);
            plan.result(Place::Scratch(0), items);
            let reads = if local { [Place::Input, Place::Second, Place::Scratch(0)] } else { reads };
            plan.push("dot", 1, groups, [count, middle, items], reads);
            if local {
                plan.write_last(Place::Scratch(1));
                plan.result(Place::Scratch(1), groups);
            }
            plan.depth = middle / each + u64::from(lanes) + 2 + if local { log2(wg64) } else { 0 };
        }
        Walk::Grid { lanes } => {
            let lanes = u64::from(lanes);
            plan.pad(Place::Input, count, lanes, identity_bits(stage, operator));
            let invocations = plan.padded.div_ceil(lanes).min(GRID);
            let groups = invocations.div_ceil(wg64);
            let reads = [Place::Input, Place::Nothing, Place::Nothing];
            plan.push("grid", 0, groups, [plan.padded, 0, groups * wg64], reads);
            plan.result(Place::Scratch(0), groups);
        }
        // The library plans for itself.
        Walk::Treefold => plan.depth = count,
        Walk::Primes => {
            let candidates = count.min(CANDIDATES);
            let params = [candidates, 0, count - candidates];
            let groups = candidates.div_ceil(wg64);
            plan.push("tree", 0, groups, params, [Place::Nothing; 3]);
            plan.result(Place::Scratch(0), groups);
            plan.push("atomic", 1, groups, params, [Place::Nothing; 3]);
            plan.write_last(Place::Cells);
            plan.fill_last(Fill { place: Place::Cells, at: 0, words: vec![0] });
            plan.results.push((Place::Cells, 1));
            plan.bytes = 0;
        }
    }
    plan
}

/// Work items of the dot products: a multiple of 1024, few enough to have 32 elements each, enough to keep within the trips
/// that software adapters do, and at most `most`: 2^18 are about what today's largest GPUs hold.
fn items(count: u64, wg: u64, most: u64) -> u64 {
    let least = count.div_ceil(TRIPS_MAX).next_multiple_of(1024);
    (count / 32).next_multiple_of(1024).clamp(1024, most).max(least).next_multiple_of(wg)
}

/// A pass that reduces blocks, and is repeated over what it leaves.
struct Shape {
    /// Elements that a workgroup reads.
    take: u64,
    /// Elements that become one.
    ratio: u64,
    /// The kernel reads whole multiples of this.
    pad: u64,
    until: u64,
    /// Words of each answer.
    outputs: u64,
    depth: u64,
}

fn tree(plan: &mut Plan, stage: &Stage, count: u64, operator: Operator, shape: Shape) {
    let identity = identity_bits(stage, operator);
    plan.pad(Place::Input, count, shape.pad, identity);
    let second = if stage.data == Data::Pairs { Place::Second } else { Place::Nothing };
    if second == Place::Second {
        plan.pad(Place::Second, count, shape.pad, identity);
    }
    let (mut left, mut reads) = (count, [Place::Input, second, Place::Nothing]);
    loop {
        let whole = left.next_multiple_of(shape.pad);
        let groups = whole.div_ceil(shape.take);
        let at = plan.steps.len();
        plan.push("tree", 0, groups, [whole, whole / 2, 0], reads);
        if at > 0 && whole > left {
            let words = vec![identity; (whole - left) as usize];
            plan.fill_last(Fill { place: reads[0], at: left, words });
        }
        if let Place::Scratch(of) = reads[0] {
            // Kernels without bounds tests read whole workgroups.
            plan.scratch[of] = plan.scratch[of].max(whole).max(groups * shape.take);
        }
        let target = Place::Scratch(at % 2);
        plan.write_last(target);
        plan.scratch[at % 2] = plan.scratch[at % 2].max(groups * (shape.take / shape.ratio).max(1) * shape.outputs);
        plan.depth += shape.depth;
        left = whole.div_ceil(shape.ratio);
        if left <= shape.until {
            plan.result(target, left * shape.outputs);
            return;
        }
        reads = [target, Place::Nothing, Place::Nothing];
    }
}

impl Plan {
    fn push(&mut self, label: &'static str, shader: usize, groups: u64, params: [u64; 3], reads: [Place; 3]) {
        let params = params.map(|param| param as u32);
        let writes = Place::Scratch(0);
        self.steps.push(Step { label, shader, groups, params, reads, writes, fills: Vec::new() });
    }

    fn write_last(&mut self, place: Place) {
        if let Some(step) = self.steps.last_mut() {
            step.writes = place;
        }
    }

    fn fill_last(&mut self, fill: Fill) {
        if let Some(step) = self.steps.last_mut() {
            step.fills.push(fill);
        }
    }

    /// The host reads these words, in place of what it would have read before.
    fn result(&mut self, place: Place, words: u64) {
        if let Place::Scratch(of) = place {
            self.scratch[of] = self.scratch[of].max(words);
        }
        self.results = vec![(place, words)];
    }

    fn pad(&mut self, place: Place, count: u64, multiple: u64, identity: u32) {
        let padded = count.next_multiple_of(multiple);
        self.padded = padded;
        if padded > count {
            self.padding.push(Fill { place, at: count, words: vec![identity; (padded - count) as usize] });
        }
    }
}

/// Bytes of workgroup memory.
pub(super) fn memory_bytes(stage: &Stage, wg: u32) -> u64 {
    match stage.memory {
        Memory::None => 0,
        Memory::Words(words) => u64::from(words) * 4,
        Memory::WordsPerInvocation(words) => u64::from(words) * u64::from(wg) * 4,
    }
}
