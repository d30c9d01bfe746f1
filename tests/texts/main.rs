//! Every text of a kernel that the library builds, without an adapter: what compilers and browsers make of it.

#[path = "../common/alternating.rs"]
mod alternating;
#[path = "../browser/mod.rs"]
mod browser;
mod every;
mod reserved;
mod shaders;
mod spelling;
mod web;
mod wgsl_lint;
