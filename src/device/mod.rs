//! A device: opening it, pipelines, recording, readback, clocks.

mod buffers;
mod cache;
mod clock;
mod context;
mod environment;
mod gpu;
mod halves;
mod instance;
mod knowledge;
mod lists;
mod pipelines;
mod prepared;
mod presence;
mod readback;
mod record;
mod runs;
mod selftest;
mod several;
mod slots;
mod tournament;
#[cfg(not(target_arch = "wasm32"))]
mod waiting;
#[cfg(target_arch = "wasm32")]
mod web;

pub(crate) use buffers::fill;
pub(crate) use clock::{Clock, Stamps};
pub(crate) use context::Context;
pub(crate) use environment::{check_environment, is_auto, may_block, name_asked};
pub use gpu::{Gpu, Listed};
pub use halves::halves_text;
pub(crate) use lists::ListTexts;
pub use lists::list_texts;
pub use prepared::Prepared;
pub(crate) use prepared::compute_pass;
pub(crate) use readback::{Pending, Readback, SEAL, Waiting, download};
pub(crate) use record::{Destination, Recorder};
pub use runs::runs_texts;
pub(crate) use runs::{RunsTo, Words};
pub(crate) use selftest::{choose, is_right};
pub(crate) use several::is_list;
pub(crate) use slots::SlotTexts;
pub use slots::slots_text;
pub use tournament::tournament_texts;
pub(crate) use tournament::{BestTo, TournamentTexts};
#[cfg(not(target_arch = "wasm32"))]
use waiting::{Verdicts, landed};
#[cfg(target_arch = "wasm32")]
use web::{Verdicts, landed};
