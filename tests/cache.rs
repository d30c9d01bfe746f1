//! What one device learns and the next one takes: verdicts of self-tests, and pipelines of the driver.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use treefold::ops::{Mean, Sum};
use treefold::wgpu::Features;
use treefold::{Error, Gpu, Input};

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

/// One test at a time, which counts what it does.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The numbers of self-tests that these calls run, and of verdicts that they take.
fn counted<R>(calls: impl FnOnce() -> R) -> (R, (usize, usize)) {
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
    let groups = gpu.reducer::<f32, _>(Sum).unwrap().reduce_each(Input::from(&buffer).groups(&keys, 5)).unwrap();
    [f64::from(sum), f64::from(mean.unwrap())]
        .into_iter()
        .chain(groups.into_iter().map(f64::from))
        .map(f64::to_bits)
        .collect()
}

/// What a device has learned from all of `answers`, and these.
fn learned(gpu: &Gpu) -> (Vec<u8>, Vec<u64>) {
    load(gpu, b"").unwrap();
    let answers = answers(gpu);
    (gpu.cache(ALL).expect("something new"), answers)
}

#[test]
fn what_one_device_learns_another_takes() {
    let _alone = alone();
    let (Some(one), Some(other)) = (device(), device()) else { return };
    let ((bytes, want), (run, taken)) = counted(|| learned(&one));
    assert!(run > 1 && taken == 0, "{run} self-tests, {taken} verdicts taken");
    load(&other, &bytes).unwrap();
    let (found, told) = counted(|| answers(&other));
    assert_eq!(told, (0, run));
    assert_eq!(found, want);
    assert_eq!(one.cache_name(), other.cache_name());
    // All of it was known, and what is known is not written again.
    let again = other.cache(ALL).map(|bytes| bytes.len());
    assert_eq!(again, None, "{} bytes were taken", bytes.len());
    // Another launch shape has other dispatches, of which nothing is known.
    let mut tuning = *other.tuning();
    tuning.fold.workgroup_size /= 2;
    tuning.bins.workgroup_size /= 2;
    tuning.single_workgroup_size /= 2;
    let shaped = other.with_tuning(tuning).unwrap();
    let (found, (run, _)) = counted(|| answers(&shaped));
    assert!(run > 0, "verdicts of other dispatches were taken");
    assert_eq!(found, want);
    assert!(other.cache(ALL).is_some_and(|more| more.len() > bytes.len()), "one cache is of all launch shapes");
}

#[test]
fn what_nobody_asks_for_is_not_kept() {
    let _alone = alone();
    let Some(gpu) = device() else { return };
    answers(&gpu);
    assert_eq!(gpu.cache(ALL), None);
    load(&gpu, b"").unwrap();
    // Empty, but a cache.
    let empty = gpu.cache(ALL).unwrap();
    load(&gpu, &empty).unwrap();
    assert_eq!(gpu.cache(ALL), None);
}

/// Damage at any place leaves a device that knows nothing, and works.
#[test]
fn damaged_bytes_are_not_taken() {
    let _alone = alone();
    let (Some(one), Some(other)) = (device(), device()) else { return };
    let (bytes, want) = learned(&one);
    let few = one.cache(bytes.len() - 1).unwrap_or_else(|| bytes.clone());
    let refused = |bytes: &[u8], what: &str| match load(&other, bytes) {
        Err(Error::CacheRefused { bytes: told, why }) => {
            assert!(told == bytes.len() && !why.is_empty(), "{what}: {why}")
        }
        outcome => panic!("{what}: {outcome:?}"),
    };
    for (whole, step) in [(&few, 1), (&bytes, bytes.len() / 500 + 1)] {
        for at in (0..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            refused(&damaged, &format!("byte {at} of {}", whole.len()));
        }
        for length in (1..whole.len()).step_by(step) {
            refused(&whole[..length], &format!("{length} of {} bytes", whole.len()));
        }
    }
    refused(&[&bytes[..], b"!"].concat(), "a byte more");
    refused(b"not a cache at all", "a text");
    let (found, (run, taken)) = counted(|| answers(&other));
    assert!(run > 1 && taken == 0, "{run} self-tests, {taken} verdicts taken");
    assert_eq!(found, want);
    assert_eq!(other.cache(ALL).map(|bytes| bytes.len()), Some(bytes.len()));
}

/// What is true of a device with other features need not be of this one.
#[test]
fn a_foreign_cache_is_named() {
    let _alone = alone();
    let (Some(one), Some(other)) = (device(), device()) else { return };
    let descriptor = treefold::wgpu::DeviceDescriptor {
        required_features: Features::PIPELINE_CACHE,
        required_limits: one.device().limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(common::adapter().request_device(&descriptor)).unwrap();
    let bare = Gpu::from_device(&device, &queue).unwrap();
    let (bytes, want) = learned(&bare);
    let error = load(&other, &bytes).unwrap_err();
    let says = error.to_string();
    assert!(matches!(error, Error::CacheRefused { .. }) && says.contains("Gpu::cache"), "{says}");
    let (found, (_, taken)) = counted(|| answers(&other));
    assert_eq!((found, taken), (want, 0));
}

#[test]
fn a_device_without_the_feature_has_none() {
    let _alone = alone();
    let gpu = common::small_gpu(1 << 20);
    let error = load(&gpu, b"").unwrap_err();
    assert!(matches!(error, Error::NoCache { .. }) && error.to_string().contains("PIPELINE_CACHE"), "{error}");
    assert_eq!(gpu.reduce(Sum, &[1.5f32, 2.0]).unwrap(), 3.5);
    assert_eq!(gpu.cache(ALL), None);
}

/// A wrong kernel teaches nothing.
#[test]
fn a_patched_device_has_none() {
    let _alone = alone();
    let Some(gpu) = device() else { return };
    load(&gpu, b"").unwrap();
    let patched = gpu.with_patched_shaders(|text| text).unwrap();
    assert!(matches!(load(&patched, b""), Err(Error::NoCache { .. })));
    let empty = gpu.cache(ALL).unwrap();
    answers(&patched);
    assert_eq!((patched.cache(ALL), gpu.cache(ALL)), (None, Some(empty)));
}

#[test]
fn its_size_is_bounded() {
    let _alone = alone();
    let (Some(one), Some(other)) = (device(), device()) else { return };
    let (bytes, want) = learned(&one);
    let few = one.cache(bytes.len() - 1).expect("verdicts without the driver's");
    assert!(few.len() < bytes.len());
    assert_eq!(one.cache(few.len() - 1), None);
    load(&other, &few).unwrap();
    let (found, (run, taken)) = counted(|| answers(&other));
    assert!(run == 0 && taken > 1, "{run} self-tests, {taken} verdicts taken");
    assert_eq!(found, want);
}

#[test]
fn launch_policies_that_are_kept_are_another_devices() {
    let _alone = alone();
    let (Some(one), Some(other), Some(third)) = (device(), device(), device()) else { return };
    let row = *one.tuning();
    let tuned = row.with(|tuning| (tuning.fold.workgroups_max, tuning.bins.loads_in_flight) = (7, 3));
    assert!(matches!(one.keep_tuning(Some(tuned)), Err(Error::NoCache { .. })), "nothing is kept before load_cache");
    load(&one, b"").unwrap();
    let bad = row.with(|tuning| tuning.fold.loads_in_flight = 0);
    assert!(matches!(one.keep_tuning(Some(bad)), Err(Error::BadTuning { value: 0, .. })));
    one.keep_tuning(Some(tuned)).unwrap();
    assert_eq!(*one.tuning(), row, "what is made goes on as it was planned");
    let want = answers(&one);
    load(&other, &one.cache(ALL).unwrap()).unwrap();
    assert_eq!((*other.tuning(), answers(&other)), (tuned, want));
    let given = other.with_tuning(row).unwrap();
    assert_eq!(*given.tuning(), row, "what a program gives comes first");
    let (fourth, bytes) = (device().unwrap().with_tuning(row).unwrap(), one.cache(ALL));
    load(&fourth, &bytes.unwrap_or_default()).unwrap();
    assert_eq!(*fourth.tuning(), row, "before and after");
    other.keep_tuning(None).unwrap();
    load(&third, &other.cache(ALL).unwrap()).unwrap();
    assert_eq!(*third.tuning(), row);
}
