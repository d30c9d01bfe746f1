//! From lengths and limits to dispatches: pure arithmetic, plain data, tested without a GPU.
//!
//! ```text
//! pieces of the input ──► reduce passes ──► partials ──► a combine pass for each group ──► results
//! small input ──────────► one workgroup ────────────────────────────────────────────────► results
//! ```
//!
//! Where an answer takes the accumulators of several folds, these results are accumulators, and a pass behind them finishes; but of short rows
//! and of many segments, the invocation that has them all.
//!
//! A reduction is rows × splits: the whole input is one row, read by as many workgroups (splits) as there are; many rows of
//! one length are read by a few workgroups each.

mod axes;
mod budget;
mod columns;
mod cost;
mod digits;
mod edge;
mod groups;
mod lists;
mod planner;
mod results;
mod rows;
mod runs;
mod segments;
mod slots;
mod teams;
mod tournament;
mod tuning;
mod windows;

pub use cost::{Cost, GroupCost};
pub use digits::DigitRules;
pub use lists::{Cut, Lies, ListPass, ListRules};
pub(crate) use lists::{DIMS_MAX, is_adjacent};
pub use planner::{Arrangement, Planner, Request};
pub(crate) use results::COUNT_WORDS;
pub use runs::Runs;
pub use segments::Walk;
pub use slots::Slots;
pub use teams::{TEAMS, kind_of, larger};
pub use tournament::{Entrants, Round, Rules, Tournament};
pub use tuning::{Launch, Order, Tuning};

use crate::input::{Texel, Unit};
use std::ops::Range;

/// Partials that an invocation of the `combine.wgsl` of `bins` and of `histogram` loads at a time.
pub const ROWS_AT_ONCE: u32 = 9;

/// A kernel: elements into partials or results, or partials into results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `reduce.wgsl`.
    Reduce,
    /// `columns.wgsl`: many answers a workgroup, by value; `columns/alone.wgsl`, each by one invocation, where they lie in its memory.
    Columns {
        /// Answers of a group, which are neighbours in memory: those of a vector, or one.
        own: u32,
        /// The elements that neighbouring invocations read.
        neighbours: Neighbours,
    },
    /// `combine.wgsl`; of a group of bins `bins/combine.wgsl`, of counts `histogram/combine.wgsl`.
    Combine {
        /// The group, by its number in [`Cost::groups`].
        group: usize,
    },
    /// `segments/serial.wgsl` or `segments/subgroup.wgsl`: shares of elements and of ends of segments.
    Segments {
        /// Who has a share, and how it is walked.
        walk: Walk,
    },
    /// `segments/carry.wgsl`: what shares leave open.
    Carry,
    /// `groups/groups.wgsl`: elements by the key of each; `groups/cells.wgsl` where accumulators are shared.
    Groups {
        /// Groups whose accumulators an invocation holds, or a workgroup.
        own: u32,
        /// Cells of each group that a workgroup shares; 0: an invocation holds accumulators of its own.
        replicas: u32,
    },
    /// `groups/clear.wgsl`: zeros for what others add to.
    Clear,
    /// `finish.wgsl`.
    Finish,
}

impl Kernel {
    /// Whether invocations share accumulators.
    pub fn has_cells(self) -> bool {
        matches!(self, Kernel::Groups { replicas: 1.., .. })
    }

    /// Whether it reads elements.
    pub fn reads(self) -> bool {
        matches!(self, Kernel::Reduce | Kernel::Columns { .. } | Kernel::Segments { .. } | Kernel::Groups { .. })
    }
}

/// The elements that neighbouring invocations of `columns.wgsl` read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// Elements of neighbouring answers.
    Answers,
    /// Neighbouring elements of one answer.
    Elements,
    /// Neighbouring vectors of one answer.
    Vectors,
}

/// A workgroup's way to find the row that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rows {
    /// There is one.
    One,
    /// Rows of one length, at one distance.
    Many,
    /// By strides, in so many dimensions.
    Strided {
        /// From row to row.
        kept: u8,
        /// Within a row.
        reduced: u8,
    },
    /// From one end to the next.
    Segments(Bounds),
    /// By keys.
    Groups,
}

impl Rows {
    /// Whether the device alone knows how many elements each has.
    pub fn counted(self) -> bool {
        matches!(self, Rows::Segments(_) | Rows::Groups)
    }
}

/// The source of the ends of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// Offsets.
    Offsets,
    /// Offsets, and a word that says how many segments there are.
    CountedOffsets,
    /// A word that says how many rows of one length there are.
    CountedRows,
    /// A word that says how many elements there are, of one segment.
    CountedElements,
}

impl Bounds {
    /// Each of them.
    pub const ALL: [Bounds; 4] =
        [Bounds::Offsets, Bounds::CountedOffsets, Bounds::CountedRows, Bounds::CountedElements];

    /// Whether offsets are bound.
    pub fn offsets(self) -> bool {
        matches!(self, Bounds::Offsets | Bounds::CountedOffsets)
    }

    /// Whether a count is bound.
    pub fn counted(self) -> bool {
        self != Bounds::Offsets
    }

    /// Whether the count is that of segments.
    pub fn counts_segments(self) -> bool {
        matches!(self, Bounds::CountedOffsets | Bounds::CountedRows)
    }
}

/// The results that a kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// Partials, for the next pass.
    Partial,
    /// Accumulators, each group's with a seal, for the host.
    Sealed,
    /// Finished answers.
    Answer {
        /// Whether a count word follows each.
        counted: bool,
    },
}

/// The elements of one load, and their source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Load {
    /// 16 bytes of neighbours.
    Vector,
    /// 16 bytes of elements from two inputs: the halves of pairs, or values and their flags.
    Zipped(Unit),
    /// One element, where the operator's loops leave no trips for more.
    One,
    /// The same of two inputs.
    OneZipped(Unit),
    /// Four texels of a texture, neighbours in its rows' order.
    Texels(Texel),
    /// One texel.
    OneTexel(Texel),
}

impl Load {
    /// Whether an element is loaded at a time.
    pub fn one(self) -> bool {
        matches!(self, Load::One | Load::OneZipped(_) | Load::OneTexel(_))
    }

    /// What the second input has for an element, where there are two.
    pub fn beside(self) -> Option<Unit> {
        match self {
            Load::Zipped(unit) | Load::OneZipped(unit) => Some(unit),
            Load::Vector | Load::One | Load::Texels(_) | Load::OneTexel(_) => None,
        }
    }

    /// The element that is made of a texel, where there are texels.
    pub fn texel(self) -> Option<Texel> {
        match self {
            Load::Texels(texel) | Load::OneTexel(texel) => Some(texel),
            Load::Vector | Load::Zipped(_) | Load::One | Load::OneZipped(_) => None,
        }
    }

    /// The same of texels.
    fn of(self, texel: Texel) -> Load {
        if self.one() { Load::OneTexel(texel) } else { Load::Texels(texel) }
    }
}

/// All that decides the text of a shader, next to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The kernel.
    pub kernel: Kernel,
    /// The results that it writes.
    pub store: Store,
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Fewest lanes of a subgroup, where workgroups reduce by shuffles.
    pub lanes_min: Option<u32>,
    /// Steps of a butterfly over the most lanes that a subgroup may have, where workgroups reduce by shuffles.
    pub butterfly: u32,
    /// Vectors that an invocation loads before it uses the first.
    pub loads_in_flight: u32,
    /// The order in which invocations read.
    pub order: Order,
    /// The elements of one load.
    pub load: Load,
    /// Whether the 16 bytes of a load are two words of 64 bits.
    pub words64: bool,
    /// A workgroup's way to find its row.
    pub rows: Rows,
    /// Columns that a workgroup of a combine pass of bins adds.
    pub columns_here: u32,
    /// Invocations that share a sum of replicas or columns, or a row that is finished.
    pub lanes_per_sum: u32,
}

/// Parameters of one dispatch: `Params` in params.wgsl, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// Element of the binding (or partial) at which the first row begins.
    pub first: u32,
    /// Elements (or partials) of a row; rows that are finished.
    pub count: u32,
    /// Elements (or partials) from one row to the next. Columns: invocations of a group. Segments: word of the first offset, or
    /// elements of a row. Groups: word of the first element's key.
    pub stride: u32,
    /// Workgroups of a row.
    pub splits: u32,
    /// Blocked: vectors of an invocation at most. Striped: full grid strides. Combine: partials of an invocation. Columns: elements
    /// from one invocation's first to the next one's. Segments: items that an end counts as. Carry: shares of an invocation.
    pub vectors: u32,
    /// Vectors that all invocations of a row read in a round. Columns: elements from one of an invocation to its next. Segments: word of
    /// the count. Groups: the first key.
    pub grid_stride: u32,
    /// Partial of the first workgroup.
    pub partial: u32,
    /// Partials in all.
    pub partials: u32,
    /// Word of the output at which the first row's result begins.
    pub output: u32,
    /// Two inputs: from an element of the first to what the second has for it, modulo 2^32. Texels: those of a row.
    pub partner: u32,
    /// Position of the binding's element 0, modulo 2^64; of contiguous rows, that of each row's first element.
    pub base: [u32; 2],
    /// Elements of a whole row.
    pub total: [u32; 2],
    /// Rows of this dispatch, where they are strided; columns: groups of them; segments.
    pub rows: u32,
    /// Strided: partials of a row. Segments: those of the count that lie before the first.
    pub row_partials: u32,
    /// The word that follows a result for the host: the recorder writes it, and in plans it is 0.
    pub seal: u32,
    /// Nothing: blocks are of whole vectors.
    pub unused: [u32; 3],
}

/// The resource behind a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Bytes of an input buffer.
    Input {
        /// Number of the buffer.
        buffer: usize,
        /// The bytes that are bound; they begin aligned.
        bytes: Range<u64>,
    },
    /// A texture.
    Texture {
        /// Number of the texture, counted among the inputs.
        number: usize,
    },
    /// Bytes of the scratch buffer.
    Scratch {
        /// The bytes that are bound; they begin aligned.
        bytes: Range<u64>,
    },
    /// Bytes of the buffer of accumulators that a later pass finishes.
    Accumulators {
        /// The bytes that are bound.
        bytes: Range<u64>,
    },
    /// The output that the caller names.
    Output,
    /// The operator's table.
    Table,
    /// A few bytes that nobody reads: bindings may not be empty.
    Placeholder,
}

/// A resource at a binding of group 0. Binding 2 is the uniform block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The binding's number.
    pub slot: u32,
    /// The resource that is bound.
    pub resource: Resource,
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its shader.
    pub variant: Variant,
    /// Workgroups.
    pub workgroups: u32,
    /// The resources that are bound.
    pub bindings: Vec<Binding>,
    /// Its parameters.
    pub params: Params,
    /// Words of the scratch buffer at which the partials of each group begin, where there are several.
    pub regions: Vec<u32>,
    /// The length and the stride of each dimension that is kept, and of each that is reduced, where rows are strided. Of texels:
    /// the bits of their weights, where there are any.
    pub dims: Vec<u32>,
    /// Loop trips of its busiest invocation.
    pub trips: u64,
}

/// All dispatches of one reduction, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The dispatches.
    pub passes: Vec<Pass>,
    /// Bytes of the scratch buffer.
    pub scratch_bytes: u64,
    /// Bytes of the buffer of accumulators, where answers take several of them.
    pub accumulators_bytes: u64,
    /// Elements in all.
    pub elements: u64,
    /// Results.
    pub rows: u64,
}
