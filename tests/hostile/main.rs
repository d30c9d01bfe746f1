//! Mistakes that a program may make with devices: each call ends in a right answer or a typed error, without a panic, in time.
//!
//! `scripts/test --test hostile` takes a part of the table; `scripts/test --all --test hostile` more of it.

#[path = "../common/mod.rs"]
mod common;
use common::noop;

mod destroyed;
mod foreign;
mod limits;
mod misuse;
