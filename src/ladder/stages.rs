//! The table of stages: one row for every kernel of the tutorials, in the order in which they teach.

/// The tutorials.
const MARCUS: &str = "Guillermo Marcus, OpenCL Tutorial 2.1: Reduction";
const POMORSKI: &str = "Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA";
const BAILEY: &str = "Mike Bailey, Performing Reductions in OpenCL (and CUDA)";
const KHRONOS: &str = "Khronos OpenCL SDK, sample Reduce";
const CMSOFT: &str = "CMSoft, Optimization Strategies";
const BEYOND: &str = "treefold, where the tutorials stop";

/// One kernel of a tutorial.
#[derive(Debug)]
pub struct Stage {
    /// Its name: `v0`, `mask`, `dot-vec4`.
    pub id: &'static str,
    /// The tutorial, with its author.
    pub source: &'static str,
    /// What is new in it.
    pub idea: &'static str,
    /// What the tutorial says about it, in our words.
    pub says: &'static str,
    /// What it computes in: `"i32"`, `"f32"`, `"f64"`, `"u32"`.
    pub element: &'static str,
    /// What it computes: `"sum|min"` where the choice is the caller's, else `"sum"`, `"dot"`, …
    pub operator: &'static str,
    /// File names under `shaders/` and their WGSL, as it stands there.
    pub shaders: &'static [(&'static str, &'static str)],
    pub(super) data: Data,
    pub(super) width: Width,
    pub(super) walk: Walk,
    pub(super) finish: Finish,
    pub(super) memory: Memory,
    pub(super) needs: Needs,
}

/// What a stage reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Data {
    Ints,
    Floats,
    /// Two arrays of floats.
    Pairs,
    /// Nothing: numbers below the length.
    Candidates,
}

/// Invocations of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Width {
    /// The kernel's own.
    Fixed(u32),
    /// A power of two; this one unless told otherwise.
    Any(u32),
    /// Any number; this one unless told otherwise.
    Free(u32),
}

/// How dispatches cover the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Walk {
    /// Element i and its partner into element i, until 64 are left.
    Halve,
    /// Blocks of `take` elements to one each, whole blocks only, until no more than `until` are left.
    Tree { take: u32, until: u32 },
    /// One dispatch over whole workgroups, a partial of each for the host.
    Once { per_invocation: u32 },
    /// The same for any length; `repeat`: until one is left.
    Guarded { per_invocation: u32, repeat: bool },
    /// Everything into a few words; `share`: an invocation takes many elements.
    Atomic { share: bool },
    /// Every second element.
    Even,
    /// A run of neighbours for each of W invocations.
    DotNaive,
    /// The remainder first, then steps of W.
    Dot { lanes: u32, local: bool },
    /// Steps of as many invocations as a GPU holds.
    Grid { lanes: u32 },
    /// The production kernels.
    Treefold,
    /// Candidates below the length, twice.
    Primes,
}

/// What the host does with what comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Finish {
    /// i32, by the operator, modulo 2^32.
    Fold,
    /// f32, one after another.
    Loop,
    /// f32, pairwise.
    Pairwise,
    /// f32 partials, added in f64.
    Double,
    /// Means of blocks.
    Mean,
    /// Smallest or largest f32.
    Extreme,
    /// Pairs of minimum and sum.
    MinSum,
    /// Sum, minimum and maximum.
    Atomics,
    /// One f32.
    Cell,
    /// One f64, or two words of 2^-24.
    Wide,
    /// Partials of the tree, and one word.
    Primes,
}

/// Workgroup memory in 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Memory {
    None,
    Words(u32),
    WordsPerInvocation(u32),
}

/// What an adapter must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Needs {
    Nothing,
    Subgroups,
    FloatAtomics,
    /// f64 and 64-bit atomics; there is a second kernel for adapters without.
    Wide,
}

impl Stage {
    /// The stage of this name.
    pub fn named(id: &str) -> Option<&'static Stage> {
        STAGES.iter().find(|stage| stage.id == id)
    }

    /// Invocations of a workgroup unless told otherwise; 0 where the library chooses.
    pub fn workgroup_size(&self) -> u32 {
        match self.width {
            Width::Fixed(size) | Width::Any(size) | Width::Free(size) => size,
        }
    }

    /// Whether other workgroup sizes can be asked for.
    pub fn takes_workgroup_size(&self, size: u32) -> bool {
        match self.width {
            Width::Fixed(own) => size == own,
            Width::Any(_) => size.is_power_of_two() && (2..=1024).contains(&size),
            Width::Free(_) => (2..=1024).contains(&size),
        }
    }
}

/// All stages, in the order of the ladder.
pub fn stages() -> &'static [Stage] {
    STAGES
}

macro_rules! shader {
    ($name:literal) => {
        (concat!("ladder/", $name, ".wgsl"), include_str!(concat!("../../shaders/ladder/", $name, ".wgsl")))
    };
}

static STAGES: &[Stage] = &[
    Stage {
        id: "v0",
        source: MARCUS,
        idea: "interleaved in global memory: one dispatch for every halving",
        says: "the starting point: N - 1 additions in log2 N dispatches, buffers exchanged after each; never down to one, the host adds the last few",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v0")],
        data: Data::Ints,
        width: Width::Any(64),
        walk: Walk::Halve,
        finish: Finish::Fold,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "v1",
        source: MARCUS,
        idea: "sequential addressing: the partner lies half the length away",
        says: "a third less kernel time on its GPU, because neighbours now read neighbours; stop at 64 elements",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v1")],
        data: Data::Ints,
        width: Width::Any(64),
        walk: Walk::Halve,
        finish: Finish::Fold,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "v2",
        source: MARCUS,
        idea: "workgroup memory: 1024 elements by 64 invocations, ten steps in one dispatch",
        says: "slower in the kernel than v1 and still faster in all: 2 dispatches in place of 19",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v2")],
        data: Data::Ints,
        width: Width::Fixed(64),
        walk: Walk::Tree { take: 1024, until: 1023 },
        finish: Finish::Fold,
        memory: Memory::Words(1024),
        needs: Needs::Nothing,
    },
    Stage {
        id: "v3",
        source: MARCUS,
        idea: "first addition on load, no bounds test, last steps unrolled",
        says: "the largest step of all, 2.6 times; it also drops the barriers below 32, which WGSL does not allow",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v3")],
        data: Data::Ints,
        width: Width::Fixed(64),
        walk: Walk::Tree { take: 2048, until: 2047 },
        finish: Finish::Fold,
        memory: Memory::Words(1024),
        needs: Needs::Nothing,
    },
    Stage {
        id: "v4",
        source: MARCUS,
        idea: "fully unrolled",
        says: "small but worth having, a tenth; the profiler then shows 3 workgroups of 64 to a multiprocessor, 19 % of what it holds",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v4")],
        data: Data::Ints,
        width: Width::Fixed(64),
        walk: Walk::Tree { take: 2048, until: 2047 },
        finish: Finish::Fold,
        memory: Memory::Words(1024),
        needs: Needs::Nothing,
    },
    Stage {
        id: "v5",
        source: MARCUS,
        idea: "128 invocations for the same memory",
        says: "workgroup memory limits the workgroups, so more invocations for each cost nothing: occupancy doubles to 38 %",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v5")],
        data: Data::Ints,
        width: Width::Fixed(128),
        walk: Walk::Tree { take: 2048, until: 2047 },
        finish: Finish::Fold,
        memory: Memory::Words(1024),
        needs: Needs::Nothing,
    },
    Stage {
        id: "v6",
        source: MARCUS,
        idea: "blocks of 512: half the memory, twice the workgroups",
        says: "occupancy 75 %, and the end of the ladder: knowing when to stop, with code that can still be read, is an optimisation too",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("v6")],
        data: Data::Ints,
        width: Width::Fixed(128),
        walk: Walk::Tree { take: 1024, until: 1023 },
        finish: Finish::Fold,
        memory: Memory::Words(512),
        needs: Needs::Nothing,
    },
    Stage {
        id: "mask",
        source: BAILEY,
        idea: "piecewise product of two arrays, then an interleaved tree by offset and mask",
        says: "multiply and add up in one kernel, while the products are still in workgroup memory; one partial per workgroup, the host adds those",
        element: "f32",
        operator: "dot",
        shaders: &[shader!("mask")],
        data: Data::Pairs,
        width: Width::Any(32),
        walk: Walk::Once { per_invocation: 1 },
        finish: Finish::Loop,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "pairwise",
        source: POMORSKI,
        idea: "binary summation: halves of a workgroup, pairwise",
        says: "usually the more efficient way, the only one for double precision, and more accurate than atomics, because it adds pairwise",
        element: "f32",
        operator: "sum",
        shaders: &[shader!("pairwise")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Once { per_invocation: 1 },
        finish: Finish::Pairwise,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "pairwise-mean",
        source: POMORSKI,
        idea: "add and halve at every step",
        says: "the mean without a large intermediate sum; the length must be a power of two, so the last block is padded and the host scales",
        element: "f32",
        operator: "mean",
        shaders: &[shader!("pairwise_mean")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Once { per_invocation: 1 },
        finish: Finish::Mean,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "pairwise-min",
        source: POMORSKI,
        idea: "the smaller of two, by comparison",
        says: "the same tree serves any such operation",
        element: "f32",
        operator: "min",
        shaders: &[shader!("pairwise_extreme")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Once { per_invocation: 1 },
        finish: Finish::Extreme,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "pairwise-max",
        source: POMORSKI,
        idea: "the larger of two, by comparison",
        says: "the same tree serves any such operation",
        element: "f32",
        operator: "max",
        shaders: &[shader!("pairwise_extreme")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Once { per_invocation: 1 },
        finish: Finish::Extreme,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "min+sum",
        source: POMORSKI,
        idea: "two reductions in one kernel",
        says: "several reductions share one read, and workgroup memory limits how many",
        element: "f32",
        operator: "min+sum",
        shaders: &[shader!("min_sum")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Guarded { per_invocation: 1, repeat: false },
        finish: Finish::MinSum,
        memory: Memory::WordsPerInvocation(2),
        needs: Needs::Nothing,
    },
    Stage {
        id: "two-step",
        source: POMORSKI,
        idea: "the partials reduced by further dispatches of the kernel",
        says: "threads synchronise only within a block of at most 1024, so longer arrays need another kernel over the partials in device memory",
        element: "f32",
        operator: "sum",
        shaders: &[shader!("two_step")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Guarded { per_invocation: 1, repeat: true },
        finish: Finish::Pairwise,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "any-n",
        source: POMORSKI,
        idea: "a tree over any number of elements: 200 to a workgroup",
        says: "build the tree over the next power of two and skip the partners that do not exist",
        element: "f32",
        operator: "sum",
        shaders: &[shader!("any_n")],
        data: Data::Floats,
        width: Width::Free(200),
        walk: Walk::Guarded { per_invocation: 1, repeat: false },
        finish: Finish::Pairwise,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "atomic-i32",
        source: POMORSKI,
        idea: "one atomic add, min and max per element",
        says: "one line, any length, no intermediate kernels; but the operations are serialised, which usually means slower beyond 64 elements",
        element: "i32",
        operator: "sum+min+max",
        shaders: &[shader!("atomic_i32")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Atomic { share: false },
        finish: Finish::Atomics,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "atomic-f32",
        source: POMORSKI,
        idea: "one atomic float add per element, where the adapter has it",
        says: "sequential in effect, so its rounding error can become really bad with many thousands of elements: compare pairwise",
        element: "f32",
        operator: "sum",
        shaders: &[shader!("atomic_f32")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Atomic { share: false },
        finish: Finish::Cell,
        memory: Memory::None,
        needs: Needs::FloatAtomics,
    },
    Stage {
        id: "cas-f32",
        source: POMORSKI,
        idea: "an atomic float add made of compare-and-swap",
        says: "any atomic operation can be made of compare-and-swap, but it may be very slow; here an invocation swaps once for a share of the elements",
        element: "f32",
        operator: "sum",
        shaders: &[shader!("cas_f32")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Atomic { share: true },
        finish: Finish::Cell,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "cas-f64",
        source: POMORSKI,
        idea: "double precision by compare-and-swap of 64 bits, or an exact sum in two words",
        says: "the way to atomics in double precision; where an adapter has no 64-bit atomics, two 32-bit words and a carry do what it would",
        element: "f64",
        operator: "sum",
        shaders: &[shader!("cas_f64"), shader!("two_words")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Atomic { share: true },
        finish: Finish::Wide,
        memory: Memory::None,
        needs: Needs::Wide,
    },
    Stage {
        id: "tree-identity",
        source: KHRONOS,
        idea: "the textbook tree, identity past the end, passes between two buffers",
        says: "the fallback where a device has neither extension; each pass divides the length by twice the workgroup",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("tree_identity")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Guarded { per_invocation: 2, repeat: true },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(2),
        needs: Needs::Nothing,
    },
    Stage {
        id: "subgroup",
        source: KHRONOS,
        idea: "the built-in reduction of a subgroup, in a loop",
        says: "subgroups march together, so fewer barriers are needed: each step divides by twice the subgroup, not by two",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("subgroup")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Guarded { per_invocation: 2, repeat: true },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(2),
        needs: Needs::Subgroups,
    },
    Stage {
        id: "workgroup",
        source: KHRONOS,
        idea: "the built-in reduction of a workgroup, which WGSL lacks: subgroups and workgroup memory",
        says: "the simplest kernel of the three, and the one to prefer where the device has it",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("workgroup")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Guarded { per_invocation: 2, repeat: true },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Subgroups,
    },
    Stage {
        id: "stride2",
        source: CMSOFT,
        idea: "a read that does not coalesce: every second element",
        says: "half of what memory delivers is thrown away, so a kernel limited by memory takes twice as long per useful element",
        element: "f32",
        operator: "sum of even places",
        shaders: &[shader!("stride2")],
        data: Data::Floats,
        width: Width::Any(256),
        walk: Walk::Even,
        finish: Finish::Double,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "dot-naive",
        source: CMSOFT,
        idea: "each invocation takes a run of neighbours",
        says: "simple, but neighbouring invocations read far apart, and the lengths of the runs differ",
        element: "f32",
        operator: "dot",
        shaders: &[shader!("dot_naive")],
        data: Data::Pairs,
        width: Width::Any(256),
        walk: Walk::DotNaive,
        finish: Finish::Double,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "dot-coalesced",
        source: CMSOFT,
        idea: "neighbouring invocations read neighbours; the remainder is folded in first",
        says: "bring the length to a multiple of the invocations first, then read in steps of all of them",
        element: "f32",
        operator: "dot",
        shaders: &[shader!("dot_presum"), shader!("dot_coalesced")],
        data: Data::Pairs,
        width: Width::Any(256),
        walk: Walk::Dot { lanes: 1, local: false },
        finish: Finish::Double,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "dot-local",
        source: CMSOFT,
        idea: "changed: a workgroup adds up its sums in workgroup memory",
        says: "fewer answers for the host without another kernel launch, although half of the invocations idle after each step",
        element: "f32",
        operator: "dot",
        shaders: &[shader!("dot_presum"), shader!("dot_local")],
        data: Data::Pairs,
        width: Width::Any(256),
        walk: Walk::Dot { lanes: 1, local: true },
        finish: Finish::Double,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "dot-vec4",
        source: CMSOFT,
        idea: "changed: four elements to a load",
        says: "vectors suit some vendors' hardware; others can always do the four one after another",
        element: "f32",
        operator: "dot",
        shaders: &[shader!("dot_presum"), shader!("dot_vec4")],
        data: Data::Pairs,
        width: Width::Any(256),
        walk: Walk::Dot { lanes: 4, local: true },
        finish: Finish::Double,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "grid-stride",
        source: BEYOND,
        idea: "as many workgroups as the GPU holds, each invocation folding in a register",
        says: "not in the tutorials: their kernels launch a workgroup for every block",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("grid_stride")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Grid { lanes: 1 },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "vec4",
        source: BEYOND,
        idea: "16 bytes to a load",
        says: "not in the tutorials: a quarter of the load instructions for the same bytes",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("vec4")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Grid { lanes: 4 },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "loads-in-flight",
        source: BEYOND,
        idea: "four loads under way before the first is used",
        says: "not in the tutorials: latency is hidden by independent loads, not only by many workgroups",
        element: "i32",
        operator: "sum|min",
        shaders: &[shader!("loads_in_flight")],
        data: Data::Ints,
        width: Width::Any(256),
        walk: Walk::Grid { lanes: 4 },
        finish: Finish::Fold,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
    Stage {
        id: "treefold",
        source: BEYOND,
        idea: "the production kernel, by the public Reducer: exact 64-bit sums",
        says: "not in the tutorials: the same ideas for every operator, length and adapter",
        element: "i32",
        operator: "sum|min",
        shaders: &[("reduce.wgsl", include_str!("../../shaders/reduce.wgsl"))],
        data: Data::Ints,
        width: Width::Fixed(0),
        walk: Walk::Treefold,
        finish: Finish::Fold,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "treefold-f32",
        source: BEYOND,
        idea: "the production kernel over floats",
        says: "not in the tutorials: a fixed tree, so the same bits each time; compare its error with pairwise and atomic-f32",
        element: "f32",
        operator: "sum",
        shaders: &[("reduce.wgsl", include_str!("../../shaders/reduce.wgsl"))],
        data: Data::Floats,
        width: Width::Fixed(0),
        walk: Walk::Treefold,
        finish: Finish::Cell,
        memory: Memory::None,
        needs: Needs::Nothing,
    },
    Stage {
        id: "largest-prime",
        source: POMORSKI,
        idea: "the lecture's exercise, by tree and by atomic max",
        says: "the largest prime below N, by both approaches",
        element: "u32",
        operator: "max",
        shaders: &[shader!("largest_prime_tree"), shader!("largest_prime_atomic")],
        data: Data::Candidates,
        width: Width::Any(256),
        walk: Walk::Primes,
        finish: Finish::Primes,
        memory: Memory::WordsPerInvocation(1),
        needs: Needs::Nothing,
    },
];
