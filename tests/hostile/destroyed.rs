//! Devices that are gone: `Error::DeviceLost` from every call, from the first one on, in time.

use super::common::{adapter, gpu, upload};
use super::noop::{buffer, heard, instance, nothing_heard, plain};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use treefold::ops::{FastSum, Max, Sum, Top};
use treefold::{Error, Gpu, Input, Op, Reducer, StreamOptions};

fn lost<R: std::fmt::Debug>(outcome: Result<R, Error>, call: &str, reason: &str) {
    let Err(Error::DeviceLost { message, .. }) = &outcome else { panic!("{call}: {outcome:?}") };
    assert!(message.contains(reason), "{call}: {message}");
}

/// Every call of a reducer, a stream and a `Gpu`, each with a device of its own, so that each is the first after the loss.
fn every_call(open: impl Fn() -> Gpu, reason: &str) {
    let start = Instant::now();
    type Call = fn(&Gpu, &mut Reducer<u32, Sum>, &treefold::wgpu::Buffer) -> Result<(), Error>;
    let calls: [(&str, Call); 13] = [
        ("reduce", |_, sum, data| sum.reduce(data).map(drop)),
        ("reduce_async", |_, sum, data| pollster::block_on(sum.reduce_async(data)).map(drop)),
        ("reduce_batch", |_, sum, data| sum.reduce_batch([data]).map(drop)),
        ("reduce_each", |_, sum, data| sum.reduce_each(Input::from(data).rows(10)).map(drop)),
        ("reduce_by_key", |_, sum, data| sum.reduce_by_key(Input::<u32>::from(data), data).map(drop)),
        ("partial", |_, sum, data| sum.partial(data).map(drop)),
        ("record", |gpu, sum, data| {
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            sum.record(&mut encoder, Input::range(data, 0..50), data.slice(320..332))
        }),
        ("prepare", |_, sum, data| sum.prepare(Input::range(data, 0..50), data.slice(320..332)).map(drop)),
        ("set_op", |_, sum, _| sum.set_op(Sum)),
        ("reducer", |gpu, _, _| gpu.reducer::<f32, _>(Max).map(drop)),
        ("stream", |gpu, _, _| gpu.stream::<u32, _>(Sum, &StreamOptions::default()).map(drop)),
        ("Gpu::reduce", |gpu, _, _| gpu.reduce(Sum, &[1u32, 2]).map(drop)),
        ("with_tuning", |gpu, _, _| gpu.with_tuning(*gpu.tuning()).map(drop)),
    ];
    for (name, call) in calls {
        let gpu = open();
        let data = upload(&gpu, &[1u32; 100]);
        let mut sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
        gpu.device().destroy();
        let outcome = call(&gpu, &mut sum, &data);
        // A program's own device is not asked for each record; the next call that waits tells.
        if outcome.is_ok() && ["record", "prepare"].contains(&name) && reason == "reason unknown" {
            lost(sum.reduce(&data), &format!("reduce after {name}"), reason);
            continue;
        }
        lost(outcome, name, reason);
        lost(call(&gpu, &mut sum, &data), &format!("{name} again"), reason);
    }
    for (parts, finishes) in [(0usize, false), (1, false), (1, true), (200, false), (200, true)] {
        let gpu = open();
        let mut stream = gpu.stream::<u32, _>(Sum, &StreamOptions::default()).expect("a stream");
        for _ in 0..parts {
            stream.push(&[7; 1000]).expect("a push");
        }
        gpu.device().destroy();
        let call = format!("a stream after {parts} parts");
        if finishes {
            lost(stream.finish().map(|finished| finished.output), &call, reason);
        } else {
            std::thread::sleep(Duration::from_millis(1));
            lost(stream.push(&[1, 2, 3]), &call, reason);
            lost(stream.finish().map(|finished| finished.output), &call, reason);
        }
    }
    let gpu = open();
    let data = upload(&gpu, &[1u32; 100]);
    let best = gpu.ranker::<u32, true>(Top::new(3).expect("a k")).expect("a ranker");
    gpu.device().destroy();
    for call in ["the best", "the best again"] {
        lost(best.reduce(&data), call, reason);
    }
    // A slot that is half full is not sent any more.
    let gpu = open();
    let mut stream = gpu.stream::<f32, _>(FastSum, &StreamOptions::default()).expect("a stream");
    stream.push(&[1.0; 100_000]).expect("a push");
    gpu.device().destroy();
    for call in ["a long part", "another"] {
        lost(stream.push(&[1.0; 100_000]), call, reason);
    }
    lost(stream.finish().map(|finished| finished.output), "the end behind long parts", reason);
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn a_gpu_tells_why_and_opens_again() {
    every_call(|| Gpu::named(&gpu().info().name).expect("the adapter under test"), "destroyed");
    let again = Gpu::named(&gpu().info().name).expect("the adapter, again");
    assert_eq!(again.reduce(Sum, &[1u32, 2]).expect("a sum"), 3);
}

/// A prepared reduction asks nothing: it tells what wgpu has told.
#[test]
fn a_prepared_reduction_tells() {
    let gpu = Gpu::named(&gpu().info().name).expect("the adapter under test");
    let data = upload(&gpu, &[1u32; 100]);
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let prepared = sum.prepare(Input::range(&data, 0..50), data.slice(320..332)).expect("a prepared reduction");
    let record = || prepared.record(&mut gpu.device().create_command_encoder(&Default::default()));
    record().expect("a record");
    gpu.device().destroy();
    let _ = gpu.device().poll(treefold::wgpu::PollType::Poll);
    lost(record(), "record", "destroyed");
    lost(record(), "record again", "destroyed");
}

/// The callback stays the program's, and hears.
#[test]
fn a_programs_own_device() {
    let adapter = adapter();
    every_call(
        || {
            let (device, queue) = pollster::block_on(adapter.request_device(&Default::default())).expect("a device");
            Gpu::from_device(&device, &queue).expect("default limits are enough")
        },
        "reason unknown",
    );
    let on = plain(&instance());
    let told = Arc::new(AtomicBool::new(false));
    let theirs = told.clone();
    on.0.set_device_lost_callback(move |_, _| theirs.store(true, Ordering::SeqCst));
    let handler = heard(&on.0);
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, FastSum).expect("a reducer");
    let data = buffer(&on.0, 64);
    on.0.destroy();
    lost(reducer.reduce(&data), "reduce", "reason unknown");
    lost(Reducer::<f32, _>::new(&on.0, &on.1, FastSum), "new", "reason unknown");
    lost(Gpu::from_device(&on.0, &on.1), "from_device", "reason unknown");
    let _ = on.0.poll(treefold::wgpu::PollType::Poll);
    assert!(told.load(Ordering::SeqCst), "the program's callback");
    nothing_heard(&handler, &"a lost device");
}

/// Work under way when the device goes: an answer or the loss, in time.
#[test]
fn destroyed_with_work_under_way() {
    let start = Instant::now();
    for _ in 0..5 {
        let gpu = Gpu::named(&gpu().info().name).expect("the adapter under test");
        let data = upload(&gpu, &vec![1u32; 4 << 20]);
        let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
        let futures: Vec<_> = (0..4).map(|_| sum.reduce_async(&data)).collect();
        gpu.device().destroy();
        lost(sum.reduce(&data), "reduce", "destroyed");
        for future in futures {
            let answer = pollster::block_on(future);
            assert!(matches!(answer, Ok(0x40_0000) | Err(Error::DeviceLost { .. })), "{answer:?}");
        }
    }
    let name = <Sum as Op<u32>>::NAME;
    assert!(start.elapsed() < Duration::from_secs(60), "{name}: {:?}", start.elapsed());
}
