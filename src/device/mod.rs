//! A device: opening it, pipelines, recording, readback, clocks.

mod clock;
mod context;
mod gpu;
mod readback;
mod record;
mod selftest;

pub(crate) use clock::{Clock, Stamps};
pub(crate) use context::{Context, fill};
pub(crate) use gpu::name_asked;
pub use gpu::{Gpu, Listed};
pub(crate) use readback::{Pending, Readback};
pub(crate) use record::{Destination, Recorder, compute_pass};
pub(crate) use selftest::choose;
