//! One row of the table: what a stage computes, and the choices that plan, text and host code follow.

use super::Operator;
use super::stages::stages;

/// One kernel of a tutorial.
#[derive(Debug)]
pub struct Stage {
    /// Its name: `v0`, `mask`, `dot-vec4`.
    pub id: &'static str,
    /// The tutorial, with its author.
    pub source: &'static str,
    /// Its one new idea.
    pub idea: &'static str,
    /// The tutorial's own conclusion, in our words.
    pub says: &'static str,
    /// The type that it computes in: `"i32"`, `"f32"`, `"f64"`, `"u32"`.
    pub element: &'static str,
    /// The answer.
    pub computes: Quantity,
    /// File names under `shaders/` and their WGSL, before completion.
    pub shaders: &'static [(&'static str, &'static str)],
    pub(super) input: InputKind,
    pub(super) group_size: GroupSize,
    pub(super) schedule: Schedule,
    pub(super) finish: HostFinish,
    pub(super) memory: WorkgroupMemory,
    pub(super) needs: Requirement,
}

/// The answer of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// The sum.
    Sum,
    /// The sum or the smallest element, by the caller's [`Operator`].
    SumOrMin,
    /// The smallest element.
    Min,
    /// The largest element.
    Max,
    /// The smallest element and the sum.
    MinAndSum,
    /// Sum, smallest and largest element.
    SumMinMax,
    /// The arithmetic mean.
    Mean,
    /// The sum of the elements at even indices.
    EvenSum,
    /// The dot product of two arrays.
    Dot,
}

impl Quantity {
    /// In print: `"sum"`, `"sum|min"` if the choice is the caller's, `"dot"`, …
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::Sum => "sum",
            Quantity::SumOrMin => "sum|min",
            Quantity::Min => "min",
            Quantity::Max => "max",
            Quantity::MinAndSum => "min+sum",
            Quantity::SumMinMax => "sum+min+max",
            Quantity::Mean => "mean",
            Quantity::EvenSum => "sum of even places",
            Quantity::Dot => "dot",
        }
    }

    /// The same with the caller's choice made.
    pub const fn chosen(self, operator: Operator) -> Quantity {
        match (self, operator) {
            (Quantity::SumOrMin, Operator::Sum) => Quantity::Sum,
            (Quantity::SumOrMin, Operator::Min) => Quantity::Min,
            (only, _) => only,
        }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Elements that a stage reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InputKind {
    Ints,
    Floats,
    /// Two arrays of floats.
    FloatPairs,
    /// None: the integers below the length.
    Candidates,
}

/// Invocations of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GroupSize {
    /// The kernel's own.
    Fixed(u32),
    /// Any power of two; this one by default.
    PowerOfTwo(u32),
    /// The same in a tutorial that compares sizes.
    Varied(u32),
    /// Any number; this one by default.
    Any(u32),
}

/// Dispatches that cover the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Schedule {
    /// Two elements to one, a dispatch for every halving, until 64 are left.
    Halve,
    /// Whole blocks of elements, one partial each, repeated until at most `until` are left.
    Blocks { block: u32, until: u32 },
    /// One dispatch over whole workgroups, one partial each.
    Once { per_invocation: u32 },
    /// Workgroups with bounds tests, for any length; `repeat`: until one partial is left.
    Guarded { per_invocation: u32, partial_words: u32, repeat: bool },
    /// All elements into a few words with these initial values; `share`: many elements to an invocation.
    Atomic { initial: &'static [u32], share: bool },
    /// Every second element.
    EvenIndices,
    /// A fixed number of invocations, a contiguous range for each.
    DotNaive,
    /// The remainder first, then strides of all invocations; `local`: one partial for each workgroup.
    Dot { lanes: u32, local: bool },
    /// Strides of as many invocations as a GPU holds.
    GridStride { lanes: u32 },
    /// The library's own kernels, by its own plan.
    Production,
    /// Candidates below the length, once by tree and once by atomics.
    Primes,
}

/// The host's part: from partials to the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum HostFinish {
    /// i32, by the operator, modulo 2^32.
    Fold,
    /// f32, one after another.
    Sequential,
    /// f32, pairwise.
    Pairwise,
    /// f32 partials, added in f64.
    InDouble,
    /// Means of blocks.
    Mean,
    /// Smallest or largest f32.
    Extreme,
    /// Pairs of minimum and sum.
    MinSum,
    /// Sum, minimum and maximum, each in a word.
    Atomics,
    /// One f32.
    OneFloat,
    /// One f64, or two words in units of 2^-24.
    OneDouble,
    /// Partials of the tree, and one word.
    Primes,
}

/// Workgroup memory in 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WorkgroupMemory {
    None,
    Words(u32),
    WordsPerInvocation(u32),
}

impl WorkgroupMemory {
    /// Bytes for workgroups of this size.
    pub const fn bytes(self, group_size: u32) -> u64 {
        match self {
            WorkgroupMemory::None => 0,
            WorkgroupMemory::Words(words) => words as u64 * 4,
            WorkgroupMemory::WordsPerInvocation(words) => words as u64 * group_size as u64 * 4,
        }
    }
}

/// Adapter features without which a stage cannot run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Requirement {
    Nothing,
    Subgroups,
    FloatAtomics,
    /// f64 and 64-bit atomics; a second kernel does without.
    DoubleAtomics,
}

impl Stage {
    /// The stage of this name.
    pub fn named(id: &str) -> Option<&'static Stage> {
        stages().iter().find(|stage| stage.id == id)
    }

    /// Whether the stage computes this answer.
    pub fn takes(&self, operator: Operator) -> bool {
        operator == Operator::Sum || matches!(self.computes, Quantity::SumOrMin | Quantity::Min)
    }

    /// Invocations of a workgroup by default; 0 if the library chooses.
    pub fn workgroup_size(&self) -> u32 {
        match self.group_size {
            GroupSize::Fixed(size) | GroupSize::PowerOfTwo(size) | GroupSize::Varied(size) | GroupSize::Any(size) => {
                size
            }
        }
    }

    /// Whether the stage can run with workgroups of this size.
    pub fn takes_workgroup_size(&self, size: u32) -> bool {
        match self.group_size {
            GroupSize::Fixed(own) => size == own,
            GroupSize::PowerOfTwo(_) | GroupSize::Varied(_) => size.is_power_of_two() && (2..=1024).contains(&size),
            GroupSize::Any(_) => (2..=1024).contains(&size),
        }
    }

    /// Whether its tutorial compares workgroup sizes.
    pub fn varies_workgroup_size(&self) -> bool {
        matches!(self.group_size, GroupSize::Varied(_))
    }

    /// Whether it reads elements from memory, so that it has a bandwidth.
    pub fn reads_elements(&self) -> bool {
        self.input != InputKind::Candidates
    }

    /// Whether the library's own kernels run in it.
    pub fn is_production(&self) -> bool {
        self.schedule == Schedule::Production
    }
}
