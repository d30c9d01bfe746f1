//! Whole reductions: reducers, streams, engines, the comparison of an operator's halves.

mod check;
mod cpu;
mod cpu_each;
mod cpu_segments;
// Browsers have one thread.
#[cfg_attr(target_arch = "wasm32", expect(dead_code))]
mod crew;
mod engine;
mod explain;
mod failure;
mod finish;
mod futures;
mod groups;
mod jobs;
mod keys;
#[cfg(not(target_arch = "wasm32"))]
mod opener;
mod pace;
mod partials;
mod prepared_answer;
mod rank;
mod rank_each;
mod reduce;
mod reducer;
mod ring;
mod segments;
mod sharded;
#[cfg_attr(target_arch = "wasm32", expect(dead_code))]
mod shares;
mod slots;
mod stream;
mod stream_each;
mod stream_lists;
mod team;

pub use check::check;
pub use cpu::Cpu;
pub use engine::Engine;
pub use explain::{Explained, Explanation};
pub use futures::AnswerFuture;
pub use groups::{Grouped, StreamGroups};
pub use keys::{ByKey, Key};
pub use prepared_answer::PreparedAnswer;
pub use rank::Ranker;
pub use reducer::Reducer;
pub use sharded::Sharded;
pub use stream::{Finished, Stream, StreamOptions};
pub use stream_each::StreamEach;
pub use team::{AT_ONCE_BYTES, OnOpen, Share, Team, Wanted};
