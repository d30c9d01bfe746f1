//! The verdict of wgpu's validation on recorded reductions, and every error of `record`: on the noop device, with limits and
//! features as a test wants them.

mod common;
use common::noop::{self, buffer};
use common::{OwnAnswer, small};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use treefold::ops::{
    And, ArgMax, FastMean, FastStats, FastSum, FastVariance, Histogram, Max, MinMax, Product, Stats, Sum,
};
use treefold::wgpu::{self, BufferUsages, Features, Limits};
use treefold::{DeviceAnswer, Element, Error, Gpu, Input, Op, Order, Output, Reducer, StreamOptions, Tuning, WordType};

/// A noop device with exactly these limits and features.
fn open(limits: Limits, lanes: Option<(u32, u32)>) -> (wgpu::Device, wgpu::Queue) {
    let features = if lanes.is_some() { Features::SUBGROUP } else { Features::empty() };
    let options = wgpu::NoopBackendOptions {
        limits: Some(limits.clone()),
        features: Some(features),
        subgroup_min_size: lanes.map(|lanes| lanes.0),
        subgroup_max_size: lanes.map(|lanes| lanes.1),
        ..wgpu::NoopBackendOptions::enabled()
    };
    noop::open(&noop::instance_of(options), features, limits)
}

fn plain() -> (wgpu::Device, wgpu::Queue) {
    open(Limits::downlevel_defaults(), None)
}

fn small_limits(binding: u64) -> Limits {
    Limits {
        max_storage_buffer_binding_size: binding,
        max_compute_invocations_per_workgroup: 64,
        max_compute_workgroup_size_x: 64,
        max_compute_workgroup_storage_size: 1024,
        max_compute_workgroups_per_dimension: 7,
        ..Limits::downlevel_defaults()
    }
}

/// Everything that wgpu reports while `calls` run.
fn reported(device: &wgpu::Device, calls: impl FnOnce()) -> Vec<String> {
    let filters = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
    let mut scopes = filters.map(|filter| Some(device.push_error_scope(filter)));
    calls();
    let errors = scopes.iter_mut().rev().filter_map(|scope| pollster::block_on(scope.take()?.pop()));
    errors.map(|error| error.to_string()).collect()
}

/// Records and submits; what wgpu reports then is a failure.
fn runs<'i, T: Element, O: Op<T>>(
    (device, queue): &(wgpu::Device, wgpu::Queue),
    reducer: &Reducer<T, O>,
    input: impl Into<Input<'i, T>>,
    output: impl Into<Output<'i>>,
    case: &dyn std::fmt::Debug,
) {
    let errors = reported(device, || {
        let mut encoder = device.create_command_encoder(&Default::default());
        reducer.record(&mut encoder, input, output).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        queue.submit([encoder.finish()]);
    });
    assert!(errors.is_empty(), "{case:?}: {errors:?}");
}

/// The error of a record, which must leave the encoder as it was.
fn refused<'i, T: Element, O: Op<T>>(
    (device, queue): &(wgpu::Device, wgpu::Queue),
    reducer: &Reducer<T, O>,
    input: impl Into<Input<'i, T>>,
    output: impl Into<Output<'i>>,
) -> Error {
    let mut refused = None;
    let errors = reported(device, || {
        let mut encoder = device.create_command_encoder(&Default::default());
        refused = reducer.record(&mut encoder, input, output).err();
        queue.submit([encoder.finish()]);
    });
    assert!(errors.is_empty(), "{errors:?}");
    refused.expect("an error")
}

/// The message must hold each of these.
fn says(error: &Error, words: &[&str]) {
    let message = error.to_string();
    for word in words {
        assert!(message.contains(word), "{message:?} does not say {word:?}");
    }
}

/// The GPU's, the CPU's, one of small workgroups, and one of blocks and short dispatches.
fn tunings() -> [Tuning; 4] {
    let blocks = Tuning::GPU.each(|launch| launch.single_elements_max = 64).with(|tuning| {
        tuning.order = Order::Blocked;
        tuning.dispatch_bytes_max = 2048;
    });
    [Tuning::GPU, Tuning::CPU, small(), blocks]
}

/// Records over lengths, offsets, outputs and pieces.
fn sweep<T: Element, O: Op<T>>(on: &(wgpu::Device, wgpu::Queue), op: O, tuning: Tuning) {
    let reducer = Reducer::<T, O>::with_tuning(&on.0, &on.1, op.clone(), tuning).expect("a reducer");
    let data = buffer(&on.0, 20_000);
    let place = buffer(&on.0, 2048);
    let (bytes, answer) = (20_000, reducer.answer_bytes());
    let mut turn = 0;
    for n in
        [0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 100, 101, 127, 128, 129, 256, 1000, 1024, 1025, 2048, 3333, 4096, 4991]
    {
        for first in [0, 1, 3, 4, 9] {
            turn += 1;
            let case = (op.name(), T::DTYPE, tuning, n, first);
            let at = [0, 4, 60, 256, 260, 1024][turn % 6];
            runs(on, &reducer, Input::range(&data, first..first + n), place.slice(at..at + answer), &case);
        }
        // In one buffer: behind the input, before it, and at the buffer's very end.
        let end = n * 4;
        if end + answer <= bytes {
            runs(on, &reducer, Input::range(&data, 0..n), data.slice(end..), &("behind", n));
            let first = answer / 4;
            runs(on, &reducer, Input::range(&data, first..first + n.min(4000)), data.slice(..answer), &("before", n));
            runs(on, &reducer, Input::range(&data, 0..n), data.slice(bytes - answer..), &("end", n));
        }
        let parts = [0..n, 7..7, 3..n / 2 + 3, 0..0, 1..2].map(|range| Input::range(&data, range));
        runs(on, &reducer, Input::concat(parts), &place, &("parts", n));
        // Without a count word.
        runs(on, &reducer, Input::range(&data, 1..n + 1), Output::bare(place.slice(..answer - 4)), &("bare", n));
    }
    // Rows of one length, dense, with counts and without.
    for (length, rows) in [(1, 200), (3, 100), (16, 64), (100, 40), (999, 5), (2400, 2), (7, 0)] {
        let each = reducer.answer_bytes();
        let place = buffer(&on.0, each * rows.max(1) + 4);
        for (first, bare) in [(0, false), (0, true), (1, false), (3, true)] {
            let output = Output::from(place.slice(4..));
            let output = if bare { Output::bare(output) } else { output };
            let input = Input::<T>::range(&data, first..first + length * rows).rows(length);
            let errors = reported(&on.0, || {
                let mut encoder = on.0.create_command_encoder(&Default::default());
                reducer.record_each(&mut encoder, input, output).expect("a record");
                on.1.submit([encoder.finish()]);
            });
            assert!(errors.is_empty(), "{length} x {rows} from {first}: {errors:?}");
        }
    }
    runs(on, &reducer, Input::concat([]), &place, &"nothing at all");
    runs(on, &reducer, data.slice(4..8), &place, &"a slice");
    runs(on, &reducer, &data, place.slice(2048 - answer..), &"whole buffers");
}

#[test]
fn default_limits_suffice() {
    let on = plain();
    for tuning in tunings() {
        sweep::<f32, _>(&on, FastSum, tuning);
        sweep::<u32, _>(&on, (ArgMax, And), tuning);
    }
    // Those of browsers, and wgpu's own.
    sweep::<f32, _>(&open(Limits::default(), None), MinMax, Tuning::GPU);
}

#[test]
fn small_limits_suffice() {
    for (binding, tunings) in [(4096, &tunings()[1..]), (8192, &tunings()[..1]), (65536, &tunings()[2..])] {
        let on = open(small_limits(binding), None);
        for &tuning in tunings {
            sweep::<i32, _>(&on, Max, tuning);
        }
    }
    sweep::<f32, _>(&open(small_limits(4096), None), ArgMax, tunings()[2]);
    // Short alignments allow short bindings.
    let limits = Limits {
        min_storage_buffer_offset_alignment: 32,
        min_uniform_buffer_offset_alignment: 32,
        max_compute_invocations_per_workgroup: 1,
        max_compute_workgroup_size_x: 1,
        max_compute_workgroup_storage_size: 256,
        ..small_limits(4096)
    };
    sweep::<f32, _>(&open(limits, None), Product, tunings()[2]);
}

#[test]
fn subgroups_of_every_size_pass() {
    let roomy = Limits {
        max_compute_invocations_per_workgroup: 1024,
        max_compute_workgroup_size_x: 1024,
        min_storage_buffer_offset_alignment: 32,
        ..Limits::downlevel_defaults()
    };
    for (lanes, used) in [((4, 128), 4), ((8, 8), 8), ((8, 32), 8), ((32, 32), 32), ((64, 64), 64)] {
        let on = open(roomy.clone(), Some(lanes));
        let reducer = Reducer::<f32, _>::with_tuning(&on.0, &on.1, FastMean, Tuning::NVIDIA).expect("a reducer");
        let data = buffer(&on.0, 1 << 20);
        let shown: Vec<_> =
            reducer.plan(&data).expect("a plan").passes.iter().map(|pass| pass.variant.lanes_min).collect();
        assert_eq!(shown, [Some(used); 2], "{lanes:?}");
        sweep::<u32, _>(&on, ArgMax, if used == 8 { tunings()[2] } else { Tuning::NVIDIA });
    }
    // Fewer than 4 lanes, or more lanes than invocations: workgroup memory.
    for (lanes, tuning) in [((1, 32), Tuning::NVIDIA), ((2, 2), Tuning::GPU), ((64, 128), tunings()[2])] {
        let on = open(roomy.clone(), Some(lanes));
        let reducer = Reducer::<f32, _>::with_tuning(&on.0, &on.1, FastMean, tuning).expect("a reducer");
        let data = buffer(&on.0, 1 << 20);
        let shown: Vec<_> =
            reducer.plan(&data).expect("a plan").passes.iter().map(|pass| pass.variant.lanes_min).collect();
        assert_eq!(shown, [None; 2], "{lanes:?}");
    }
}

#[test]
fn large_accumulators_fit_little_workgroup_memory() {
    let limits = Limits { max_compute_workgroup_storage_size: 256, ..Limits::downlevel_defaults() };
    for on in [open(limits.clone(), None), open(limits, Some((4, 32)))] {
        Reducer::<f32, _>::new(&on.0, &on.1, FastStats::default()).expect("a reducer of stats");
        Reducer::<i32, _>::new(&on.0, &on.1, Stats::default()).expect("a reducer of stats");
        sweep::<f32, _>(&on, (FastMean, ArgMax, FastVariance::default()), Tuning::GPU);
        let one = |ddof| (FastStats { ddof }, Histogram::new(10, 0.0, 1.0 + f64::from(ddof)).expect("a range"));
        let error = Reducer::<f32, _>::new(&on.0, &on.1, (one(0), one(1), one(2), one(3), one(4), one(5)))
            .expect_err("too large for 256 bytes");
        assert!(matches!(error, Error::BinsBeside { value: 256, needs: 257.., .. }), "{error}");
    }
}

#[test]
fn many_records_in_one_pass_and_one_encoder() {
    let on = plain();
    let (device, queue) = &on;
    let reducer = Reducer::<f32, _>::new(device, queue, MinMax).expect("a reducer");
    let sum = Reducer::<u32, _>::new(device, queue, Sum).expect("a reducer");
    let (data, place) = (buffer(device, 1 << 18), buffer(device, 4096));
    let errors = reported(device, || {
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for k in 0..40 {
                // Growing, so that the partials outgrow their buffer on the way.
                let input = Input::range(&data, k..k + 1600 * k);
                reducer.record_in_pass(&mut pass, input, place.slice(k * 64..k * 64 + 12)).expect("a record");
                sum.record_in_pass(&mut pass, &data, place.slice(k * 64 + 12..)).expect("a record");
            }
        }
        for k in 0..5 {
            reducer.record(&mut encoder, &data, place.slice(k * 4..)).expect("a record");
            // An answer is an input too.
            reducer.record(&mut encoder, place.slice(k * 4..k * 4 + 8), place.slice(2048..)).expect("a record");
        }
        queue.submit([encoder.finish()]);
    });
    assert!(errors.is_empty(), "{errors:?}");
    // Two encoders side by side, submitted in the other order.
    let errors = reported(device, || {
        let mut encoders = [0, 1].map(|_| device.create_command_encoder(&Default::default()));
        for _ in 0..3 {
            for encoder in &mut encoders {
                reducer.record(encoder, &data, &place).expect("a record");
            }
        }
        let [first, second] = encoders.map(wgpu::CommandEncoder::finish);
        queue.submit([second, first]);
    });
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn missing_usages() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let good = buffer(&on.0, 256);
    let usage = BufferUsages::COPY_DST | BufferUsages::VERTEX;
    let bad = on.0.create_buffer(&wgpu::BufferDescriptor { label: None, size: 256, usage, mapped_at_creation: false });
    let error = refused(&on, &reducer, &bad, &good);
    assert!(matches!(error, Error::MissingUsage { what: "the input", missing: "STORAGE", .. }));
    says(&error, &["the input lacks STORAGE", "COPY_DST", "VERTEX", "BufferUsages::STORAGE"]);
    let error = refused(&on, &reducer, &good, &bad);
    assert!(matches!(error, Error::MissingUsage { what: "the output", missing: "STORAGE", .. }));
    says(&error, &["the output lacks STORAGE", "COPY_DST"]);
    let parts = [Input::from(&good), Input::range(&bad, 3..3)];
    assert!(matches!(refused(&on, &reducer, Input::concat(parts), good.slice(..8)), Error::MissingUsage { .. }));
    assert!(matches!(reducer.reduce(&bad), Err(Error::MissingUsage { .. })));
}

#[test]
fn out_of_range() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let (data, place) = (buffer(&on.0, 400), buffer(&on.0, 64));
    let error = refused(&on, &reducer, Input::range(&data, 90..101), &place);
    assert!(matches!(error, Error::OutOfRange { what: "the input", begin: 360, end: 404, size_bytes: 400 }));
    says(&error, &["the input", "360..404", "400", "at most 40 bytes"]);
    for range in [101..101, 0..u64::MAX, u64::MAX..u64::MAX, 1 << 62..(1 << 62) + 1] {
        assert!(matches!(refused(&on, &reducer, Input::range(&data, range), &place), Error::OutOfRange { .. }));
    }
    let backwards = std::ops::Range { start: 9, end: 8 };
    assert!(matches!(refused(&on, &reducer, Input::range(&data, backwards), &place), Error::Backwards { .. }));
    runs(&on, &reducer, Input::range(&data, 100..100), &place, &"empty, at the end");
}

#[test]
fn misaligned() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let (data, place) = (buffer(&on.0, 400), buffer(&on.0, 64));
    let error = refused(&on, &reducer, data.slice(6..18), &place);
    assert!(matches!(error, Error::Misaligned { what: "the input", offset_bytes: 6, multiple: 4 }));
    says(&error, &["the input", "byte 6", "multiple of 4", "byte 8"]);
    let error = refused(&on, &reducer, &data, place.slice(2..));
    assert!(matches!(error, Error::Misaligned { what: "the output", offset_bytes: 2, multiple: 4 }));
    // Only the answer's own bytes count of an output.
    runs(&on, &reducer, &data, place.slice(4..13), &"an output with an odd end");
    assert!(matches!(refused(&on, &reducer, data.slice(4..9), &place), Error::Misaligned { .. }));
}

#[test]
fn misaligned_ends_are_called_ends() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let (data, place) = (buffer(&on.0, 400), buffer(&on.0, 64));
    let error = refused(&on, &reducer, data.slice(4..9), &place);
    assert!(!error.to_string().contains("begins at byte 9"), "{error}");
    says(&error, &["ends at byte 9"]);
}

#[test]
fn overlaps() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let data = buffer(&on.0, 4096);
    let error = refused(&on, &reducer, &data, data.slice(100..));
    assert!(matches!(error, Error::Overlap { output_begin: 100, output_end: 108, input_begin: 0, input_end: 4096 }));
    says(&error, &["100..108", "0..4096", "a place of its own"]);
    // One word on either side.
    for (first, end, overlap) in [(1, 26, true), (1, 25, false), (26, 100, true), (27, 100, false), (25, 26, true)] {
        let (input, output) = (Input::range(&data, first..end), data.slice(100..));
        match overlap {
            true => assert!(matches!(refused(&on, &reducer, input, output), Error::Overlap { .. }), "{first}..{end}"),
            false => runs(&on, &reducer, input, output, &(first, end)),
        }
    }
    // The second of several parts, behind another buffer.
    let other = buffer(&on.0, 64);
    let parts = || [Input::from(&other), Input::range(&data, 0..26)];
    assert!(matches!(refused(&on, &reducer, Input::concat(parts()), data.slice(100..)), Error::Overlap { .. }));
    runs(&on, &reducer, Input::concat(parts()), data.slice(104..), &"several parts");
}

#[test]
fn outputs_too_small() {
    let on = plain();
    let (data, place) = (buffer(&on.0, 400), buffer(&on.0, 16));
    let one = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let error = refused(&on, &one, &data, place.slice(..4));
    assert!(matches!(error, Error::OutputTooSmall { operator: "max", bytes: 4, needs: 8, words: 2, answers: 1, .. }));
    says(&error, &["4 bytes", "max needs 8", "2 words", "count words"]);
    runs(&on, &one, &data, place.slice(8..), &"just enough");
    let many = Reducer::<u32, _>::new(&on.0, &on.1, (Sum, Sum, Max)).expect("a reducer");
    assert_eq!(many.answer_bytes(), 24);
    assert!(matches!(refused(&on, &many, &data, &place), Error::OutputTooSmall { bytes: 16, needs: 24, words: 6, .. }));
}

#[test]
fn no_answer_on_the_device() {
    let on = plain();
    let (data, place) = (buffer(&on.0, 400), buffer(&on.0, 64));
    let stats = Reducer::<f32, _>::new(&on.0, &on.1, FastStats::default()).expect("a reducer");
    let error = refused(&on, &stats, &data, &place);
    assert!(matches!(error, Error::NoDeviceAnswer { operator: "fast_stats" }));
    says(&error, &["fast_stats", "reduce()"]);
    let tuple = Reducer::<i32, _>::new(&on.0, &on.1, (Sum, Stats::default())).expect("a reducer");
    assert!(matches!(refused(&on, &tuple, &data, &place), Error::NoDeviceAnswer { .. }));
}

#[test]
fn too_long_to_record() {
    let on = plain();
    let tuning = Tuning::GPU.with(|tuning| tuning.dispatch_bytes_max = 1 << 30);
    let reducer = Reducer::<u32, _>::with_tuning(&on.0, &on.1, Sum, tuning).expect("a reducer");
    let (data, place) = (buffer(&on.0, 32 << 20), buffer(&on.0, 64));
    // 2^23 elements, over and over.
    let times = |n: usize| (0..n).map(|_| Input::from(&data));
    runs(&on, &reducer, Input::concat(times(512)), &place, &"2^32 elements");
    let one_more = Input::concat(times(512).chain([Input::range(&data, 0..1)]));
    let error = refused(&on, &reducer, &one_more, &place);
    assert!(matches!(error, Error::TooLongToRecord { operator: "sum", elements: 0x1_0000_0001, most: 0x1_0000_0000 }));
    says(&error, &["sum", "4294967297", "4294967296", "reduce()"]);
    // Others have no such end, and reduce() cuts.
    let max = Reducer::<u32, _>::with_tuning(&on.0, &on.1, Max, tuning).expect("a reducer");
    let plan = reducer.plan(&one_more).expect("a plan");
    assert_eq!(plan.elements, (1 << 32) + 1);
    let all = (0..plan.elements.div_ceil(1 << 23) as usize).map(|_| Input::range(&data, 0..1 << 23));
    runs(&on, &max, Input::concat(all), &place, &"2^32 and more");
    assert!(matches!(reducer.reduce(&one_more), Err(Error::ResultMissing)));
}

#[test]
fn limits_too_small() {
    let base = Limits::downlevel_defaults();
    let cases = [
        (
            Limits { max_storage_buffers_per_shader_stage: 2, ..base.clone() },
            "max_storage_buffers_per_shader_stage",
            2,
            3,
        ),
        (Limits { max_storage_buffer_binding_size: 508, ..base.clone() }, "max_storage_buffer_binding_size", 508, 512),
        (
            Limits { max_compute_workgroup_storage_size: 252, ..base.clone() },
            "max_compute_workgroup_storage_size",
            252,
            256,
        ),
        (Limits { max_compute_invocations_per_workgroup: 0, ..base }, "max_compute_invocations_per_workgroup", 0, 1),
    ];
    for (limits, name, has, least) in cases {
        let (device, queue) = open(limits, None);
        let error = Reducer::<f32, _>::new(&device, &queue, Max).expect_err(name);
        let Error::LimitTooSmall { limit, value, needs } = error else { panic!("{error:?}") };
        assert_eq!((limit, value, needs), (name, has, least));
        says(&error, &[name, &has.to_string(), &least.to_string(), "adapter.limits()"]);
        assert!(matches!(Gpu::from_device(&device, &queue), Err(Error::LimitTooSmall { .. })));
    }
}

#[test]
fn zeros_among_the_limits_are_errors() {
    let base = Limits::downlevel_defaults();
    for limits in [
        Limits { max_compute_workgroup_size_x: 0, ..base.clone() },
        Limits { max_compute_workgroups_per_dimension: 0, ..base },
    ] {
        let (device, queue) = open(limits, None);
        let error = Reducer::<f32, _>::new(&device, &queue, Max).expect_err("a limit of 0");
        assert!(matches!(error, Error::LimitTooSmall { value: 0, .. }), "{error:?}");
    }
}

/// More windows than one binding can hold partials of: an error that names the limit, not a refusal by wgpu.
#[test]
fn more_windows_than_partials() {
    let on = open(small_limits(512), None);
    let reducer = Reducer::<f32, _>::with_tuning(&on.0, &on.1, FastSum, tunings()[2]).expect("a reducer");
    let (data, place) = (buffer(&on.0, 512 * 60), buffer(&on.0, 64));
    runs(&on, &reducer, Input::range(&data, 0..5000), &place, &"fits: one partial of each window");
    let error = refused(&on, &reducer, &data, &place);
    assert!(
        matches!(error, Error::LimitTooSmall { limit: "max_storage_buffer_binding_size", value: 512, .. }),
        "{error:?}"
    );
}

/// The results of a batch lie in one binding too.
#[test]
fn batches_larger_than_a_binding() {
    for binding in [512, 4096] {
        let on = open(small_limits(binding), None);
        let reducer = Reducer::<f32, _>::new(&on.0, &on.1, FastSum).expect("a reducer");
        let tuple = Reducer::<u32, _>::new(&on.0, &on.1, (Sum, Max, ArgMax)).expect("a reducer");
        let data = buffer(&on.0, 256);
        let batch = reducer.reduce_batch((0..1000).map(|_| &data));
        assert!(matches!(batch, Err(Error::ResultMissing)), "{batch:?}");
        if binding > 512 {
            assert!(matches!(tuple.reduce_batch((0..300).map(|_| &data)), Err(Error::ResultMissing)));
        }
    }
}

/// A handler of the program's own stays, and hears what happens outside of the library.
#[test]
fn handlers_and_scopes_stay_as_they_were() {
    let on = open(small_limits(4096), None);
    let (device, queue) = &on;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let theirs = heard.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        theirs.lock().expect("a list").push(error.to_string());
    }));
    let hears = |after: &str| {
        assert_eq!(heard.lock().expect("a list").len(), 0, "{after}");
        // Twice a size that no limit allows: not caught by any scope that was left behind.
        buffer(device, u64::MAX / 2);
        let found = std::mem::take(&mut *heard.lock().expect("a list"));
        assert_eq!(found.len(), 1, "{after}: {found:?}");
    };
    hears("at first");
    let reducer = Reducer::<f32, _>::new(device, queue, Max).expect("a reducer");
    hears("after new");
    let (data, place) = (buffer(device, 40_000), buffer(device, 64));
    runs(&on, &reducer, &data, &place, &"a record");
    hears("after record");
    refused(&on, &reducer, &data, data.slice(..8));
    refused(&on, &reducer, &data, place.slice(..4));
    hears("after errors");
    assert!(matches!(reducer.reduce(&data), Err(Error::ResultMissing)));
    assert!(matches!(pollster::block_on(reducer.reduce_async(&data)), Err(Error::ResultMissing)));
    hears("after reduce");
    // wgpu refuses these inside of the library: an error of the call, not of the handler.
    let gone = buffer(device, 64);
    gone.destroy();
    let mut encoder = device.create_command_encoder(&Default::default());
    let destroyed = reducer.record(&mut encoder, &gone, &place);
    assert!(matches!(destroyed, Err(Error::Refused { .. })), "{destroyed:?}");
    drop(encoder);
    hears("after a destroyed buffer");
}

/// A refusal by wgpu inside of a record leaves nothing behind in the caller's encoder.
#[test]
fn refusals_leave_the_encoder_usable() {
    let on = plain();
    let reducer = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    let (gone, place) = (buffer(&on.0, 64), buffer(&on.0, 64));
    gone.destroy();
    assert!(matches!(refused(&on, &reducer, &gone, &place), Error::Refused { .. }));
}

/// The noop device does no work and says that it is done: no value, no hang.
#[test]
fn missing_results_are_noticed() {
    let start = Instant::now();
    for on in [plain(), open(small_limits(4096), None), open(Limits::downlevel_defaults(), Some((8, 32)))] {
        let data = buffer(&on.0, 40_000);
        let reducer = Reducer::<f32, _>::new(&on.0, &on.1, FastSum).expect("a reducer");
        assert!(matches!(reducer.reduce(&data), Err(Error::ResultMissing)));
        assert!(matches!(reducer.reduce(Input::range(&data, 0..0)), Err(Error::ResultMissing)));
        assert!(matches!(reducer.reduce_batch([&data, &data]), Err(Error::ResultMissing)));
        assert!(reducer.reduce_batch(std::iter::empty::<Input<f32>>()).expect("no answers to nothing").is_empty());
        assert!(matches!(pollster::block_on(reducer.reduce_async(&data)), Err(Error::ResultMissing)));
        let error = reducer.reduce(&data).expect_err("no result");
        says(&error, &["no result", "watchdog", "dispatch_bytes_max"]);

        let gpu = Gpu::from_device(&on.0, &on.1).expect("a device");
        assert!(matches!(gpu.reduce(FastSum, &vec![1.0f32; 100_000]), Err(Error::ResultMissing)));
        let mut stream = gpu.stream::<i32, _>(Stats::default(), &StreamOptions::default()).expect("a stream");
        stream.push(&[1, 2, 3]).expect("room for three");
        assert!(matches!(stream.finish(), Err(Error::ResultMissing)));
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// A device that is gone is an error of every call.
#[test]
fn destroyed_devices_are_errors() {
    let (device, queue) = plain();
    let reducer = Reducer::<f32, _>::new(&device, &queue, FastSum).expect("a reducer");
    let (data, place) = (buffer(&device, 4000), buffer(&device, 64));
    device.destroy();
    let start = Instant::now();
    let mut encoder = device.create_command_encoder(&Default::default());
    let recorded = reducer.record(&mut encoder, &data, &place);
    assert!(matches!(recorded, Err(Error::DeviceLost { .. })), "{recorded:?}");
    drop(encoder);
    let reduced = reducer.reduce(&data);
    assert!(matches!(reduced, Err(Error::DeviceLost { .. })), "{reduced:?}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// Own answers are looked at, whatever they stand on.
#[test]
fn own_answers_over_library_folds_are_looked_at() {
    let (device, queue) = plain();
    let new = |answer| Reducer::<f32, _>::new(&device, &queue, OwnAnswer(answer));
    let answer = |finish| DeviceAnswer::new([("own", WordType::U32)], finish);
    let looping = "var x = count.x;\nloop { x += 1u; if x == 0u { break; } }\nreturn array<u32, 1>(x);";
    let error = new(answer(looping)).expect_err("a loop");
    assert!(
        matches!(error, Error::UndeclaredLoop { operator: ref name, function: "finish" } if name == "own_answer"),
        "{error}"
    );
    new(answer(looping).trips(100)).expect("a declared loop");
    // Another's declaration does not count.
    let both = (OwnAnswer(answer(looping).trips(100)), OwnAnswer(answer(looping)));
    let error = Reducer::<f32, _>::new(&device, &queue, both).expect_err("a loop");
    assert!(matches!(error, Error::UndeclaredLoop { function: "finish", .. }), "{error}");
    let error = new(answer("return array<u32, 1>(count.x);").helpers("fn lift() {}")).expect_err("a name");
    says(&error, &["own_answer", "lift"]);
    let error = new(answer("let y = 1u;\nreturn array<u32, 1>(x);")).expect_err("no x");
    assert!(matches!(error, Error::BadWgsl { line: 2, .. }), "{error}");
}
