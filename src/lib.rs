//! **Parallel reductions for wgpu: any operator, any adapter, any size.**
//!
//! A reduction folds many elements into one answer: a sum, a maximum and where it is, a mean and a variance. This crate
//! does it on whatever adapter wgpu finds, from within another program or on its own, and on the CPU where there is none.
//!
//! ```
//! use treefold::{Engine, ops::{MinMax, Sum}};
//! let engine = Engine::best()?; // a GPU, a software adapter, or the CPU
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
//! | a wgpu program with data on the device | [`Reducer`]: [`record`](Reducer::record) into your encoder, or [`reduce_async`](Reducer::reduce_async) |
//! | many small inputs on the device | [`Reducer::reduce_batch`] |
//! | an operator of your own | [`Op`]: four functions, in WGSL and in Rust |
//! | a wish to see why it is fast | `ladder`, behind a feature of that name: the tutorials' kernels, one idea each, timed here |
//!
//! # Flow: one direction
//!
//! ```text
//! what   (Op)    ─┐
//! where  (Input) ─┼─► plan ─► shader text ─► pipeline ─► dispatches in an encoder ─► readback ─► answer
//! device facts   ─┘
//! ```
//!
//! The [`plan`] is plain data: which dispatch reads what, with how many workgroups. [`shader`] puts a kernel together from
//! the fragments in `shaders/`; the one that reads your elements is `shaders/reduce.wgsl`. The answer comes by way of the
//! operator's own `finish`, on the device for [`Reducer::record`] and on the host for everything else.
//!
//! # What is promised
//!
//! Every operator's page says what it answers about empty input, NaN, ties, zeros and overflow, and the same holds on every
//! adapter. Integer sums and products are exact in 64 bits or an [`Error`]; float sums are accumulated in f32 in a fixed
//! tree, the same bits each time on one adapter and version. Nothing panics, every wait ends, and what a driver drops is
//! an error.

mod answer;
mod context;
mod element;
mod engine;
mod error;
mod exact;
mod gpu;
mod host;
mod input;
#[cfg(feature = "ladder")]
pub mod ladder;
mod op;
pub mod ops;
mod partial;
pub mod plan;
mod readback;
mod record;
mod reducer;
mod selftest;
pub mod shader;
mod stream;
mod tuning;

pub use answer::{Answer, Part, Value};
pub use element::{Dtype, Element, Word};
pub use engine::Engine;
pub use error::{Error, Result};
pub use exact::Fixed;
pub use gpu::{Gpu, Listed};
pub use half;
pub use host::Cpu;
pub use input::{Input, Output};
pub use op::{Accumulator, Op};
pub use partial::{Header, Partial};
pub use reducer::Reducer;
#[doc(hidden)]
pub use selftest::Trial;
pub use stream::{Finished, Stream, StreamOptions};
pub use tuning::{Layout, Tuning};
pub use wgpu;

/// The README's programs, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
