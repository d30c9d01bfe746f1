//! Reductions of arrays that lie on many machines, by [treefold]'s operators over MPI.
//!
//! Each rank reduces its own shard, on whatever adapter it has, to a [`Partial`](treefold::Partial) or
//! [`Partials`](treefold::Partials); [`Ranks`] brings these together in the order of the ranks. Partials of exact operators merge to the bits of one
//! reduction over everything, so the answer does not depend on the number of ranks.
//!
//! | you want | you call |
//! |---|---|
//! | the answer on every rank | [`Ranks::all_reduce`] |
//! | on one | [`Ranks::reduce_to`] |
//! | an answer for each column of rows that are dealt to ranks | either, with [`Partials`](treefold::Partials) over axis 0 |
//! | an answer for each row of those | [`Ranks::stack_to`] |
//! | an answer for each group by key | [`Ranks::all_reduce`] or [`Ranks::reduce_to`], with [`Partials`](treefold::Partials) of groups, of the keys of each shard |
//! | the answer over all elements before or up to a shard | [`Ranks::exclusive_scan`], [`Ranks::inclusive_scan`] |
//! | the place of a shard in the whole | [`Ranks::place_of`] |
//!
//! Partials travel as bytes, by an operation of MPI that keeps the order of ranks. Before anything is merged all ranks agree on operator,
//! parameters, type, shape and version. An error of one is the error of all.

mod bytes;
mod error;
mod ranks;
mod reduce;

pub use bytes::Merge;
pub use error::{Error, Result};
pub use mpi;
pub use ranks::Ranks;
pub use reduce::Unfinished;
