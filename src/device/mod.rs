//! A device: opening it, pipelines, recording, readback, clocks.

mod clock;
mod context;
mod gpu;
mod instance;
mod prepared;
mod presence;
mod readback;
mod record;
mod runs;
mod selftest;
#[cfg(not(target_arch = "wasm32"))]
mod waiting;
#[cfg(target_arch = "wasm32")]
mod web;

pub(crate) use clock::{Clock, Stamps};
pub(crate) use context::{Context, fill};
pub(crate) use gpu::name_asked;
pub use gpu::{Gpu, Listed};
pub use prepared::Prepared;
pub(crate) use prepared::compute_pass;
pub(crate) use readback::{Pending, Readback, Waiting, download};
pub(crate) use record::{Destination, Recorder};
pub use runs::runs_texts;
pub(crate) use runs::{RunsTo, Words};
pub(crate) use selftest::choose;
#[cfg(not(target_arch = "wasm32"))]
use waiting::{Verdicts, landed};
#[cfg(target_arch = "wasm32")]
use web::{Verdicts, landed};
