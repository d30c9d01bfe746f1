//! The k best elements on the adapter: every type, ends of every kind, every launch, against the CPU engine.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::{Bottom, Ranked, Ranking, Sum, Top};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Cpu, Engine, Error, Gpu, Input, Op, Output, Ranker, Scalar, StreamOptions, Value};

const LENGTHS: [usize; 12] = [0, 1, 2, 3, 15, 16, 17, 255, 1024, 4097, 16_385, 70_001];

fn every<T: Scalar + Into<Value>>(gpu: &Gpu, ks: &[u32], lengths: &[usize]) {
    none(lists::<T>(gpu, ks, lengths), gpu);
}

/// Through the inputs of all lengths, or through every other one: the longest or the one before it, by turns.
fn at_all_lengths<T: Scalar + Into<Value>>(gpu: &Gpu, ks: &[u32], first: usize) {
    for (turn, &k) in ks.iter().enumerate() {
        every::<T>(gpu, &[k], &every_other(first + turn, &LENGTHS));
    }
}

#[test]
fn words() {
    let gpu = gpu();
    at_all_lengths::<f32>(&gpu, &[1, 2, 10, 100, 1024], 1);
    at_all_lengths::<i32>(&gpu, &[3, 1024], 0);
    at_all_lengths::<u32>(&gpu, &[1, 33], 0);
}

#[test]
fn halves_and_double_words() {
    let gpu = gpu();
    at_all_lengths::<f16>(&gpu, &[1, 10, 1024], 1);
    at_all_lengths::<f64>(&gpu, &[2, 1024], 0);
    at_all_lengths::<i64>(&gpu, &[10], 0);
    at_all_lengths::<u64>(&gpu, &[10], 1);
}

/// Tiles that several invocations share, and those of a whole workgroup.
#[test]
fn long_inputs() {
    every::<f32>(&gpu(), &[10, 1024], &[300_001]);
    every::<f64>(&gpu(), &[10], &[600_001]);
    every::<u32>(&small_gpu(1 << 16), &[10], &[2_100_003]);
}

/// Windows of short bindings, small workgroups and little of their memory.
#[test]
fn small_limits() {
    for binding in [1 << 15, 1 << 18] {
        let gpu = small_gpu(binding);
        every::<f32>(&gpu, &[1, 20, 100], &[0, 1, 5000, 40_000]);
        every::<u64>(&gpu, &[7, 60], &[300, 20_001]);
        every::<f16>(&gpu, &[7], &[300, 40_001]);
    }
    // More than one small workgroup finds among its candidates.
    let tiny = wgpu::Limits {
        max_compute_invocations_per_workgroup: 16,
        max_compute_workgroup_size_x: 16,
        ..wgpu::Limits::downlevel_defaults()
    };
    let descriptor = wgpu::DeviceDescriptor { required_limits: tiny, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter().request_device(&descriptor)).expect("a device");
    let told = Ranker::<f32>::new(&device, &queue, Top::new(1024).expect("a k"));
    let Err(Error::LimitTooSmall { limit, value, needs }) = told else { panic!("{told:?}") };
    assert_eq!((limit, value, needs), ("max_compute_invocations_per_workgroup", 16, 32));
    let gpu = Gpu::from_device(&device, &queue).expect("a device");
    every::<i32>(&gpu, &[1, 100, 512], &[3000, 30_000]);
}

/// Parts of several buffers, some of them empty, are one input.
#[test]
fn parts_of_buffers() {
    let gpu = gpu();
    none(short_parts(&gpu), &gpu);
    none(digits_of_both_words(&gpu), &gpu);
    let elements: Vec<f32> = Random(11).elements(100_000);
    let (first, second) = (upload(&gpu, &elements[..40_000]), upload(&gpu, &elements[40_000..]));
    let cuts = [0u64, 1, 1, 17_003, 40_000];
    let mut parts: Vec<Input<f32>> = cuts.windows(2).map(|cut| Input::range(&first, cut[0]..cut[1])).collect();
    parts.extend([Input::range(&second, 0..3), Input::range(&second, 3..60_000)]);
    for k in [1, 10, 1000] {
        let op = Top::new(k).expect("a k");
        let ranker = gpu.ranker::<f32, true>(op).expect("a ranker");
        let found = ranker.reduce(Input::concat(parts.clone())).expect("a list");
        let want = Cpu::new().reduce(op, &elements).expect("a list");
        assert_eq!(list_bits(&found), list_bits(&want), "k = {k}");
        // Again and again, from one that is ready, of what the buffers hold by then.
        let output = answers(&gpu, ranker.output_words() + 1);
        let prepared = ranker.prepare(Input::concat(parts.clone()), &output).expect("a list that is ready");
        gpu.queue().write_buffer(&first, 4 * 12_345, &f32::MAX.to_le_bytes());
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        prepared.record(&mut encoder).expect("a record");
        prepared.record(&mut encoder).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let words = download(&gpu, &output);
        assert_eq!((words[0], words[k as usize]), (f32::MAX.to_bits(), 12_345), "k = {k}");
        gpu.queue().write_buffer(&first, 4 * 12_345, &elements[12_345].to_le_bytes());
    }
}

#[test]
fn bad_input_is_told() {
    let gpu = gpu();
    let ranker = gpu.ranker::<f32, false>(Bottom::new(4).expect("a k")).expect("a ranker");
    assert_eq!((ranker.k(), ranker.output_words()), (4, 12));
    let values = upload(&gpu, &[1.0f32; 64]);
    let output = answers(&gpu, 13);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut record = |input: Input<f32>, output: Output<'_>| ranker.record(&mut encoder, input, output);
    let whole = || Input::<f32>::from(&values);
    record(whole(), (&output).into()).expect("13 words");
    record(whole(), Output::bare(output.slice(..48))).expect("12 words");
    let small = record(whole(), output.slice(..48).into());
    assert!(matches!(small, Err(Error::OutputTooSmall { bytes: 48, needs: 52, .. })), "{small:?}");
    let overlap = record(whole(), values.slice(..52).into());
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    // Beside what is read in one buffer.
    record(Input::range(&values, 0..40), values.slice(160..212).into()).expect("apart");
    let outside = record(Input::range(&values, 0..65), (&output).into());
    assert!(matches!(outside, Err(Error::OutOfRange { .. })), "{outside:?}");
    let descriptor =
        wgpu::BufferDescriptor { label: None, size: 64, usage: BufferUsages::COPY_DST, mapped_at_creation: false };
    let unusable = gpu.device().create_buffer(&descriptor);
    assert!(matches!(record(whole(), (&unusable).into()), Err(Error::MissingUsage { .. })));
    assert!(matches!(record((&unusable).into(), (&output).into()), Err(Error::MissingUsage { .. })));
}

/// A stream's slots each have a tournament, whose best are merged: those of parts of any lengths, with their places, are the CPU's.
fn streamed<T: Scalar + Into<Value>, const HIGH: bool>(op: impl Op<T, Fold = Ranking<HIGH>, Output = Ranked<T>>) {
    let (mut random, special, engine) = (Random(12), extremes::<T>(), Engine::Gpu(gpu()));
    let mut elements: Vec<T> = random.elements(150_001);
    for (at, &x) in [0, 1, 2, 43_690, 43_691, 87_381, 149_998, 150_000].iter().zip(special.iter().cycle()) {
        elements[*at] = x;
    }
    // Equal ones among the best, in several slots.
    let numbers = || elements.iter().copied().filter(|x| !x.is_nan());
    let order = |x: &T| T::tie(x.key());
    let (lowest, highest) = (numbers().min_by_key(order), numbers().max_by_key(order));
    for begin in [20_000, 60_000, 99_000] {
        elements[begin..begin + 400].fill(highest.expect("numbers"));
        elements[begin + 400..begin + 800].fill(lowest.expect("numbers"));
    }
    let want = |elements: &[T]| Cpu::new().partial_at(op.clone(), elements, 7).to_bytes().expect("bytes");
    let mut options = StreamOptions::default();
    (options.memory_bytes, options.first) = (1 << 20, Some(7));
    for n in [0, 1, 9, 1025, 150_001] {
        let mut stream = engine.stream(op.clone(), &options).expect("a stream");
        let mut rest = &elements[..n];
        while !rest.is_empty() {
            let (now, later) = rest.split_at((random.below(60_000) as usize + 1).min(rest.len()));
            stream.push(now).expect("a part");
            rest = later;
        }
        let found = stream.partial().expect("a partial").output;
        assert!(found.to_bytes().expect("bytes") == want(&elements[..n]), "{} of {n} {}", op.signature(), T::DTYPE);
    }
    let whole = engine.reduce(op.clone(), &elements).expect("an answer");
    assert_eq!(bits(&whole), bits(&Cpu::new().reduce(op.clone(), &elements).expect("an answer")));
}

fn bits<T: Scalar>(ranked: &Ranked<T>) -> Vec<(u64, u64)> {
    ranked.values.iter().map(|x| x.pattern()).zip(ranked.indices.iter().copied()).collect()
}

#[test]
fn streams_have_lists() {
    fn both<T: Scalar + Into<Value>>(k: u32) {
        streamed::<T, true>(Top::new(k).expect("a k"));
        streamed::<T, false>(Bottom::new(k).expect("a k"));
    }
    both::<f32>(10);
    both::<f32>(1024);
    both::<f16>(3);
    both::<f64>(10);
    both::<i32>(1);
    both::<u32>(700);
    both::<i64>(1024);
    both::<u64>(5);
}

/// Its operators are no reducer's, which says so.
/// The rounds of a tournament, by the kernels that are shown.
#[test]
fn explained() {
    let gpu = gpu();
    let ranker = gpu.ranker::<f32, _>(Top::new(10).expect("k")).expect("a ranker");
    for (elements, rounds, told) in
        [(0, 0, "0 elements, 1 dispatch "), (1000, 1, "1000 elements, 3 "), (1 << 20, 2, "1048576 ")]
    {
        let explained = ranker.explain(elements).expect("a plan");
        let of = |kernel: &str| explained.lines.iter().filter(|line| line.starts_with(kernel)).count();
        assert!(explained.lines[0].starts_with(told), "{explained}");
        assert_eq!((of("top/choose.wgsl: "), of("top/order.wgsl: ")), (rounds, 1), "{explained}");
        assert!(of("top/tiles.wgsl: ") >= rounds, "{explained}");
        let kernels: Vec<&str> = explained.passes.iter().map(|pass| pass.kernel).collect();
        assert_eq!(kernels, ["top/tiles.wgsl", "top/choose.wgsl", "top/order.wgsl"]);
        assert!(explained.passes.iter().all(|pass| pass.wgsl.contains("fn main(")), "{explained}");
        let by_gpu = gpu.explain::<f32, _>(Top::new(10).expect("k"), elements).expect("a plan");
        assert_eq!(by_gpu.to_string(), explained.to_string());
    }
    let sums = gpu.reducer::<f32, _>(Sum).expect("a reducer").explain(1 << 20).expect("a plan");
    assert_eq!(gpu.explain::<f32, _>(Sum, 1 << 20).expect("a plan").to_string(), sums.to_string());
}

#[test]
fn reducers_have_no_lists() {
    let told = gpu().reducer::<f32, _>(Top::default()).expect_err("no reducer").to_string();
    assert!(told.contains("top") && told.contains("a list of elements is too long"), "{told}");
}
