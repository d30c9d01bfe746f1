//! What one device learns and the next one takes: verdicts of self-tests, and pipelines of the driver.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use treefold::ops::{FastSum, Mean, Sum};
use treefold::wgpu::Features;
use treefold::{Error, Gpu, Input, Reducer, Tuning};

/// Self-tests that have run, and verdicts that were taken in their place, as the library's log tells.
struct Told {
    run: AtomicUsize,
    taken: AtomicUsize,
}

static TOLD: Told = Told { run: AtomicUsize::new(0), taken: AtomicUsize::new(0) };

impl log::Log for Told {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let text = record.args().to_string();
        let count = |of: &AtomicUsize, says: bool| of.fetch_add(says.into(), Ordering::SeqCst);
        count(&self.run, text.contains("has run its self-test"));
        count(&self.taken, text.contains("whose verdict is kept"));
    }

    fn flush(&self) {}
}

/// Counts are of one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The numbers of self-tests that these calls run, and of verdicts that they take.
fn counted<R>(calls: impl FnOnce() -> R) -> (R, (usize, usize)) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let _ = log::set_logger(&TOLD);
    log::set_max_level(log::LevelFilter::Debug);
    let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
    let before = (count(&TOLD.run), count(&TOLD.taken));
    let made = calls();
    (made, (count(&TOLD.run) - before.0, count(&TOLD.taken) - before.1))
}

/// A device of its own, as another process would open it; `None` where the adapter has no caches.
fn device() -> Option<Gpu> {
    let gpu = Gpu::new().expect("a GPU or lavapipe");
    if !gpu.device().features().contains(Features::PIPELINE_CACHE) {
        common::tell("skipped: the adapter has no pipeline caches");
        return None;
    }
    Some(gpu)
}

fn load(gpu: &Gpu, bytes: &[u8]) -> treefold::Result<()> {
    // SAFETY: they are what `Gpu::cache` gave in this process, or damaged, which their checksum tells.
    unsafe { gpu.load_cache(bytes) }
}

const ALL: usize = usize::MAX;

fn elements() -> Vec<f32> {
    (0..100_000).map(|i| (i as f32 * 0.37).sin() * 2f32.powi(i % 60 - 30)).collect()
}

/// Answers of exact operators, to the bit: over all, over rows, over groups.
fn answers(gpu: &Gpu) -> Vec<u64> {
    let elements = elements();
    let sum = gpu.reduce(Sum, &elements).unwrap();
    let mean = gpu.reduce(Mean, &elements).unwrap();
    let buffer = common::upload(gpu, &elements);
    let keys: Vec<u32> = (0..elements.len() as u32).map(|i| i * 7 % 5).collect();
    let keys = common::upload(gpu, &keys);
    let reducer = Reducer::on(gpu, Sum).unwrap();
    let input = Input::from(&buffer);
    let groups = reducer.reduce_each(&input.groups(&keys, 5)).unwrap();
    [f64::from(sum), f64::from(mean)].into_iter().chain(groups.into_iter().map(f64::from)).map(f64::to_bits).collect()
}
