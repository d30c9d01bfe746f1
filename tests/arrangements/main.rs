//! Views, axes, rows, segments, groups, runs of keys, lengths that the device knows, textures: each answer against its elements alone.

#[path = "../kernels/contract/colours.rs"]
mod colours;
#[path = "../common/mod.rs"]
mod common;

mod axes;
mod columns;
mod counts;
mod groups;
mod keys;
mod read_at;
mod rows;
mod segments;
mod textures;
