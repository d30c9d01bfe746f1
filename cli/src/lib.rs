//! The program's parts, for its own binary and for `treefold-mpi`: no promise of any kind.

#![doc(hidden)]
// Formats that are left out leave pieces without a use.
#![cfg_attr(
    not(all(
        feature = "arrow",
        feature = "csv",
        feature = "gzip",
        feature = "npz",
        feature = "parquet",
        feature = "safetensors",
        feature = "zstd"
    )),
    allow(dead_code)
)]

pub mod adapters;
pub mod args;
pub mod bench;
mod beside;
mod cache;
pub mod columns;
mod division;
mod each;
mod edges;
pub mod error;
pub mod explain;
pub mod files;
mod format;
mod gather;
mod guard;
pub mod input;
pub mod interrupt;
mod json;
mod keys;
pub mod ladder;
mod list;
mod making;
mod npz;
mod operators;
mod options;
pub mod output;
mod pairs;
pub mod partial;
mod parts;
pub mod plot;
mod range;
mod reading;
pub mod report;
pub mod run;
mod sieve;
mod source;
mod stored;
pub mod streams;
mod together;
pub mod tune;
mod weights;
mod wider;
