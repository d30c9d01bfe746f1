//! Elements that are narrow, vectors, or made by functions and conditions: every arrangement of them.

#[path = "../kernels/contract/colours.rs"]
mod colours;
#[path = "../common/mod.rs"]
mod common;

mod filtered;
mod mapped;
mod masked;
mod matrix;
mod narrow;
mod quads;
mod reference;
mod vectors;
