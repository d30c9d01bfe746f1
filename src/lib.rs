//! **Parallel reductions for wgpu: any operator, any adapter, any size.**
//!
//! A reduction folds many elements into one answer: a sum, a maximum and where it is, a mean and a variance. This crate
//! does it on whatever adapter wgpu finds, from within another program or on its own, and on the CPU where there is none.
//!
//! ```
//! use treefold::{Engine, ops::{MinMax, Sum}};
//! let engine = Engine::auto()?; // the CPU at once, and a GPU beside it where there is much to do
//! let data = [8.0f32, 6., 7., 5., 3., 0., 9.];
//! assert_eq!(engine.reduce(Sum, &data)?, 38.0);
//! assert_eq!(engine.reduce((Sum, MinMax), &data)?, (38.0, Some((0.0, 9.0)))); // one read of the data
//! # Ok::<(), treefold::Error>(())
//! ```
//!
//! # Where to begin
//!
//! | you have | take |
//! |---|---|
//! | elements in host memory | [`Engine::reduce`], [`Gpu::reduce`], [`Cpu::reduce`] |
//! | more elements than memory holds | [`Engine::stream`] |
//! | several devices, and elements in host memory | [`Engine::all`], [`Team`] |
//! | several devices, each with a part of the input | [`Sharded`] |
//! | a wgpu program with data on the device | [`Reducer`]: [`record`](Reducer::record) into your encoder, or [`reduce_async`](Reducer::reduce_async) |
//! | a web page | [`Gpu::new_async`], [`Reducer::new_async`], [`Reducer::reduce_async`]; calls that wait are an error there |
//! | a texture, its one channel or luminance | [`Input::texture`] with all of [`Reducer`]'s calls for one answer |
//! | a texture, all numbers of a texel at once | [`Input::texels`] with the same, and an operator over `[f32; 4]` |
//! | many small inputs on the device | [`Reducer::reduce_batch`] |
//! | rows of one length, an answer each | [`Input::rows`] with [`Reducer::record_each`], [`Reducer::reduce_each`]; [`Cpu::reduce_each`] |
//! | axes of an n-dimensional array | [`Axes`] and [`Input::over`] with the same; [`Cpu::reduce_axes`] |
//! | segments of any lengths, by offsets | [`Input::segments`] with the same; [`Cpu::reduce_segments`] |
//! | elements to be grouped by bin | [`ops::Histogram::bins_of`] with [`Cpu::reduce_groups`]; [`Reducer::record_keys`] with [`Input::groups`] |
//! | elements of which some do not count, NaN say | [`ops::Filtered`] |
//! | a mask beside the elements, bytes or bits | [`Filtered::masked`](ops::Filtered::masked) of [`Input::masked`], or of a [`MaskedSlice`] on the host |
//! | an operator of your own | [`Fold`] and [`Op`]: a few functions, in WGSL and in Rust; [`check`] compares them |
//! | a wish to see why it is fast | `ladder`, behind a feature of that name: the tutorials' kernels, one idea each, timed here |
//!
//! # Flow: one direction
//!
//! ```text
//! what   (Op)     ─┐
//! where  (Input)  ─┼─► plan ─► shader text ─► pipeline ─► dispatches in an encoder ─► readback ─► answer
//! limits, tuning  ─┘
//! ```
//!
//! The plan is plain data: which dispatch reads what, with how many workgroups. A text is put together from the operator's pieces
//! and the fragments in `shaders/`; the one that reads your elements is `shaders/reduce.wgsl`. [`Reducer::explain`] shows both. The
//! answer comes by way of the operator's own `finish`, on the device for [`Reducer::record`] and on the host for everything else.
//! Kernels of exact operators must sum a test set right before a device uses them, and results for the host carry a canary, so that
//! work that a driver gave up is an error.
//!
//! # What is promised
//!
//! Every operator's page says what it answers about empty input, NaN, ties, zeros and overflow, and the same holds on every
//! adapter. [`ops::Sum`] and its like are exact: integers in 64 bits or an [`Error`], floats rounded once, the same bits everywhere; the
//! fast ones, [`ops::FastSum`] and its like, are accumulated in f32 in a fixed tree, the same bits each time on one adapter and version.
//! Nothing panics, every wait ends, and what a driver drops is an error.

mod device;
mod element;
mod error;
mod exact;
mod input;
#[cfg(feature = "ladder")]
pub mod ladder;
mod limits;
mod op;
pub mod ops;
mod plan;
mod run;
mod shader;

pub use bytemuck;
pub use device::{Gpu, Listed, Prepared};
pub use element::{Complex, Dtype, Element, Flaggable, Flagged, OrderKey, OwnType, Padded, Scalar, Vector, Word};
pub use error::{Error, Result};
pub use exact::LongAccumulator;
pub use half;
pub use input::{Axes, Channel, DeviceCount, Each, Input, Mask, MaskedSlice, Offsets, Output, ReadAt};
pub use op::{
    Acc, Accumulator, Answer, AnswerWord, BinAxis, ByFunction, Components, ComponentsFold, Condition, DeviceAnswer,
    DynAcc, DynAnswer, DynFold, DynOp, DynTuple, DynTupleAcc, DynTupleFold, Fold, Header, Map, Mapped, MappedFold,
    Member, Narrow, Op, Part, Partial, Partials, SiftedFold, Test, Trips, Value, Wgsl, Widened, WordType,
};
#[cfg(not(target_arch = "wasm32"))]
pub use op::{Combining, Expression, Formula};
pub use plan::{Launch, Order, Tuning};
pub use run::{
    AnswerFuture, ByKey, Cpu, Engine, Explained, Explanation, Finished, Grouped, Key, OnOpen, PreparedAnswer, Ranker,
    Reducer, Sharded, Share, Stream, StreamEach, StreamGroups, StreamOptions, Team, check,
};
pub use wgpu;

/// Internals that this crate's own tests and tools look at: no promise of any kind.
#[doc(hidden)]
pub mod internals {
    pub use crate::device::{halves_text, list_texts, runs_texts, slots_text, tournament_texts};
    pub use crate::element::{nearest_bf16, nearest_f16};
    pub use crate::input::{Beside, By, Dim, Ends, Grid, Groups, Piece, Strided, Texel, Unit, offset};
    pub use crate::limits::{Limits, TRIPS_MAX};
    pub use crate::op::{Bins, Device, DeviceOp, FoldGroup, FoldKey, Keep, Leaf, title};
    pub use crate::plan::{
        Arrangement, Binding, Bounds, Cost, Cut, Entrants, GroupCost, Kernel, Lies, ListPass, ListRules, Load,
        Neighbours, Params, Pass, Plan, Planner, ROWS_AT_ONCE, Request, Resource, Round, Rows, Rules, Runs, Slots,
        Store, Tournament, Variant, Walk,
    };
    pub use crate::run::{AT_ONCE_BYTES, Wanted};
    pub use crate::shader::{Source, assemble};
}

/// The README's programs, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
