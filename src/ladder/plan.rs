//! From a stage and a length to dispatches: pure arithmetic, plain data.

use super::Operator;
use super::bandwidth::GRID_INVOCATIONS;
use super::stage::{InputKind, Schedule, Stage};
use super::text::identity_bits;
use crate::limits::TRIPS_MAX;

/// A buffer of a stage's run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StageBuffer {
    /// Not used.
    Nothing,
    /// The input.
    Input,
    /// The second array of a product.
    Second,
    /// One of two buffers for partials, used in turn.
    Scratch(usize),
    /// The few words that atomics work on.
    Cells,
}

/// Words copied into a buffer before a dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fill {
    pub buffer: StageBuffer,
    /// First word.
    pub at: u64,
    pub words: Vec<u32>,
}

/// One timed dispatch.
#[derive(Clone, Debug)]
pub(super) struct StagePass {
    pub label: &'static str,
    /// Index into the stage's shaders.
    pub shader: usize,
    pub groups: u64,
    /// `P.size`, `P.middle`, `P.extra`.
    pub params: [u32; 3],
    /// Bindings 0, 1 and 4.
    pub reads: [StageBuffer; 3],
    pub writes: StageBuffer,
    /// Copied before every run of the pass.
    pub fills: Vec<Fill>,
}

/// All dispatches of a stage for one length.
#[derive(Clone, Debug)]
pub(super) struct StagePlan {
    /// Identities from the input's end up to a whole block, written once.
    pub padding: Vec<Fill>,
    pub passes: Vec<StagePass>,
    /// Buffers that the host reads back, and their words.
    pub results: Vec<(StageBuffer, u64)>,
    /// Words of the two scratch buffers.
    pub scratch: [u64; 2],
    /// Elements with padding.
    pub padded: u64,
    /// Bytes of elements that are read and used.
    pub bytes: u64,
    /// Additions, one after another, on the longest way from an element to the answer.
    pub depth: u64,
}

/// Words of an input buffer are a multiple of this: room for the padding of every stage.
pub(super) const INPUT_UNIT: u64 = 2048;
/// Compare-and-swap operations at most: they queue for one word.
const SWAPS_MAX: u64 = 1 << 16;
/// Candidates for the largest prime below the length: no gap between primes below 2^32 is nearly as long.
const CANDIDATES: u64 = 1 << 14;

/// Bindings 0, 1 and 4 of the kernels that read one array, and of those that read two.
const READS_ONE: [StageBuffer; 3] = [StageBuffer::Input, StageBuffer::Nothing, StageBuffer::Nothing];
const READS_TWO: [StageBuffer; 3] = [StageBuffer::Input, StageBuffer::Second, StageBuffer::Nothing];

fn log2_ceil(n: u64) -> u64 {
    u64::from(n.max(1).next_power_of_two().trailing_zeros())
}

impl StagePlan {
    /// The plan for so many elements; `second_kernel` for adapters that cannot run the first.
    pub fn new(stage: &Stage, count: u64, wg: u32, operator: Operator, second_kernel: bool) -> StagePlan {
        let mut plan = StagePlan {
            padding: Vec::new(),
            passes: Vec::new(),
            results: Vec::new(),
            scratch: [0, 0],
            padded: count,
            bytes: count * if stage.input == InputKind::FloatPairs { 8 } else { 4 },
            depth: 0,
        };
        let wg = u64::from(wg);
        let identity = identity_bits(stage, operator);
        match stage.schedule {
            // The library plans for itself.
            Schedule::Production => plan.depth = count,
            Schedule::Atomic { initial, share } => plan.atomic(count, wg, initial, share, second_kernel),
            Schedule::DotNaive => plan.dot_naive(count, wg),
            Schedule::Dot { lanes, local } => plan.dot(count, wg, lanes.into(), local),
            Schedule::GridStride { lanes } => plan.grid_stride(count, wg, lanes.into(), identity),
            Schedule::Primes => plan.primes(count, wg),
            Schedule::Halve
            | Schedule::Blocks { .. }
            | Schedule::Once { .. }
            | Schedule::Guarded { .. }
            | Schedule::EvenIndices => {
                if let Some(tree) = BlockTree::of(stage.schedule, wg) {
                    plan.tree(&tree, count, stage.input == InputKind::FloatPairs, identity);
                }
                if stage.schedule == Schedule::EvenIndices {
                    plan.bytes = count.div_ceil(2) * 4;
                }
            }
        }
        plan
    }

    /// A pass over blocks, repeated over its own partials.
    fn tree(&mut self, tree: &BlockTree, count: u64, pairs: bool, identity: u32) {
        self.pad(StageBuffer::Input, count, tree.pad, identity);
        if pairs {
            self.pad(StageBuffer::Second, count, tree.pad, identity);
        }
        let (mut left, mut reads) = (count, if pairs { READS_TWO } else { READS_ONE });
        loop {
            let whole = left.next_multiple_of(tree.pad);
            let groups = whole.div_ceil(tree.block);
            let at = self.passes.len();
            self.push("tree", 0, groups, [whole, whole / 2, 0], reads);
            if at > 0 && whole > left {
                let words = vec![identity; (whole - left) as usize];
                self.fill_last(Fill { buffer: reads[0], at: left, words });
            }
            if let StageBuffer::Scratch(of) = reads[0] {
                // Kernels without bounds tests read whole workgroups.
                self.scratch[of] = self.scratch[of].max(whole).max(groups * tree.block);
            }
            let target = StageBuffer::Scratch(at % 2);
            self.write_last(target);
            let partials = groups * (tree.block / tree.ratio).max(1) * tree.partial_words;
            self.scratch[at % 2] = self.scratch[at % 2].max(partials);
            self.depth += tree.depth;
            left = whole.div_ceil(tree.ratio);
            if left <= tree.until {
                self.result(target, left * tree.partial_words);
                return;
            }
            reads = [target, StageBuffer::Nothing, StageBuffer::Nothing];
        }
    }

    fn atomic(&mut self, count: u64, wg: u64, initial: &[u32], share: bool, second_kernel: bool) {
        let groups = count.div_ceil(wg).min(if share { SWAPS_MAX / wg } else { u64::MAX });
        let label = if second_kernel { "atomics on two words" } else { "atomics" };
        self.push(label, usize::from(second_kernel), groups, [count, 0, groups * wg], READS_ONE);
        self.write_last(StageBuffer::Cells);
        self.fill_last(Fill { buffer: StageBuffer::Cells, at: 0, words: initial.to_vec() });
        self.result(StageBuffer::Cells, initial.len() as u64);
        self.depth = if share { count.div_ceil(groups * wg) + groups * wg } else { count };
    }

    fn dot_naive(&mut self, count: u64, wg: u64) {
        // The kernel multiplies a remainder below W by an index up to W: within 32 bits.
        let items = work_items(count, wg, 1 << 16);
        self.push("dot", 0, items / wg, [count, 0, items], READS_TWO);
        self.result(StageBuffer::Scratch(0), items);
        self.depth = count.div_ceil(items) + 1;
    }

    fn dot(&mut self, count: u64, wg: u64, lanes: u64, local: bool) {
        let items = work_items(count, wg, 1 << 18);
        let (groups, stride) = (items / wg, items * lanes);
        let middle = count / stride * stride;
        self.push("remainder", 0, groups, [count, middle, items], READS_TWO);
        self.result(StageBuffer::Scratch(0), items);
        let carried = if local { StageBuffer::Scratch(0) } else { StageBuffer::Nothing };
        let reads = [StageBuffer::Input, StageBuffer::Second, carried];
        self.push("dot", 1, groups, [count, middle, items], reads);
        if local {
            self.write_last(StageBuffer::Scratch(1));
            self.result(StageBuffer::Scratch(1), groups);
        }
        self.depth = middle / stride + lanes + 2 + if local { log2_ceil(wg) } else { 0 };
    }

    fn grid_stride(&mut self, count: u64, wg: u64, lanes: u64, identity: u32) {
        self.pad(StageBuffer::Input, count, lanes, identity);
        let invocations = self.padded.div_ceil(lanes).min(GRID_INVOCATIONS);
        let groups = invocations.div_ceil(wg);
        self.push("grid", 0, groups, [self.padded, 0, groups * wg], READS_ONE);
        self.result(StageBuffer::Scratch(0), groups);
    }

    fn primes(&mut self, count: u64, wg: u64) {
        let candidates = count.min(CANDIDATES);
        let params = [candidates, 0, count - candidates];
        let groups = candidates.div_ceil(wg);
        self.push("tree", 0, groups, params, [StageBuffer::Nothing; 3]);
        self.result(StageBuffer::Scratch(0), groups);
        self.push("atomic", 1, groups, params, [StageBuffer::Nothing; 3]);
        self.write_last(StageBuffer::Cells);
        self.fill_last(Fill { buffer: StageBuffer::Cells, at: 0, words: vec![0] });
        self.results.push((StageBuffer::Cells, 1));
        self.bytes = 0;
    }

    fn push(&mut self, label: &'static str, shader: usize, groups: u64, params: [u64; 3], reads: [StageBuffer; 3]) {
        let params = params.map(|param| param as u32);
        let writes = StageBuffer::Scratch(0);
        self.passes.push(StagePass { label, shader, groups, params, reads, writes, fills: Vec::new() });
    }

    fn write_last(&mut self, buffer: StageBuffer) {
        if let Some(pass) = self.passes.last_mut() {
            pass.writes = buffer;
        }
    }

    fn fill_last(&mut self, fill: Fill) {
        if let Some(pass) = self.passes.last_mut() {
            pass.fills.push(fill);
        }
    }

    /// Words for the host, in place of those of earlier passes.
    fn result(&mut self, buffer: StageBuffer, words: u64) {
        if let StageBuffer::Scratch(of) = buffer {
            self.scratch[of] = self.scratch[of].max(words);
        }
        self.results = vec![(buffer, words)];
    }

    fn pad(&mut self, buffer: StageBuffer, count: u64, multiple: u64, identity: u32) {
        let padded = count.next_multiple_of(multiple);
        self.padded = padded;
        if padded > count {
            self.padding.push(Fill { buffer, at: count, words: vec![identity; (padded - count) as usize] });
        }
    }
}

/// The numbers of a pass over blocks.
struct BlockTree {
    /// Elements that a workgroup reads.
    block: u64,
    /// Elements that become one.
    ratio: u64,
    /// The kernel reads whole multiples of this.
    pad: u64,
    /// Partials at most, before the host takes over.
    until: u64,
    partial_words: u64,
    /// Additions of one pass on the longest way.
    depth: u64,
}

impl BlockTree {
    fn of(schedule: Schedule, wg: u64) -> Option<BlockTree> {
        let whole = |block: u64, until: u64| {
            let depth = log2_ceil(block);
            BlockTree { block, ratio: block, pad: block, until, partial_words: 1, depth }
        };
        Some(match schedule {
            Schedule::Halve => BlockTree { ratio: 2, pad: 2, depth: 1, ..whole(2 * wg, 64) },
            Schedule::Blocks { block, until } => whole(block.into(), until.into()),
            Schedule::Once { per_invocation } => whole(wg * u64::from(per_invocation), u64::MAX),
            Schedule::Guarded { per_invocation, partial_words, repeat } => {
                let until = if repeat { 1 } else { u64::MAX };
                let tree = whole(wg * u64::from(per_invocation), until);
                BlockTree { pad: 1, partial_words: partial_words.into(), ..tree }
            }
            Schedule::EvenIndices => BlockTree { depth: log2_ceil(wg), ..whole(2 * wg, u64::MAX) },
            _ => return None,
        })
    }
}

/// Work items of the dot products: a multiple of 1024, few enough for 32 elements each, enough to keep each within
/// [`TRIPS_MAX`], and at most `most`: 2^18 are about what today's largest GPUs hold.
fn work_items(count: u64, wg: u64, most: u64) -> u64 {
    let least = count.div_ceil(TRIPS_MAX).next_multiple_of(1024);
    (count / 32).next_multiple_of(1024).clamp(1024, most).max(least).next_multiple_of(wg)
}
