//! The program as its users call it, on the CPU engine, or on the adapter that TREEFOLD_TEST_ADAPTER names.

mod common;

mod answers;
mod arrays;
#[cfg(feature = "arrow")]
mod arrow;
mod bench;
mod bins;
mod bins2d;
mod cache;
#[cfg(all(feature = "csv", feature = "npz", feature = "parquet", feature = "safetensors"))]
mod columns;
mod complex;
mod csv;
mod dependencies;
mod each;
mod each_partials;
mod errors;
mod exact;
mod explain;
mod files;
#[cfg(all(
    feature = "gzip",
    feature = "zstd",
    feature = "npz",
    feature = "csv",
    feature = "parquet",
    feature = "safetensors"
))]
mod formats;
mod headers;
mod hostile;
mod inputs;
mod keys;
mod ladder;
mod lists;
mod making;
mod memory;
mod options;
mod outputs;
#[cfg(feature = "csv")]
mod pairs;
mod partials;
mod readme;
mod rooms;
#[cfg(all(feature = "arrow", feature = "csv", feature = "parquet", feature = "safetensors"))]
mod same;
mod segments;
mod sieve;
mod team;
