//! Exact operators against rational arithmetic, through every door, with wrong kernels, and the answers that are kept.

#[path = "../common/mod.rs"]
mod common;

/// A patch, and whether what it replaces stood in any text that ran.
macro_rules! patch {
    ($from:expr => $to:expr) => {{
        static MATCHED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        let patch: crate::common::Patch = |text| {
            MATCHED.fetch_or(text.contains($from), std::sync::atomic::Ordering::Relaxed);
            text.replace($from, $to)
        };
        (patch, &MATCHED)
    }};
}

mod alone;
mod doors;
mod exact;
mod exact_wrong;
mod float64;
mod float64_pairs;
mod golden;
mod moments;
mod numbers;
mod partials;
mod quotients;
mod relations;
mod roots;
