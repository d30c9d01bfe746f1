//! treefold inside somebody else's program: its device, its encoder, its threads, its errors.

use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use treefold::ops::*;
use treefold::wgpu::{self, BufferUsages};
use treefold::{Cpu, Engine, Error, Gpu, Input, Output, Reducer, StreamOptions};

fn buffer(gpu: &Gpu, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

fn output(gpu: &Gpu, words: u64) -> wgpu::Buffer {
    buffer(gpu, words * 4, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST)
}

#[test]
fn records_of_different_length_in_one_encoder() {
    let gpu = gpu();
    let elements: Vec<u32> = (0..50_000).collect();
    let input = upload(&gpu, &elements);
    let sum = Reducer::<u32, _>::new(gpu.device(), gpu.queue(), Sum).expect("a reducer");
    let lengths = [10u64, 50_000, 0, 3, 40_001];
    let out = output(&gpu, 3 * lengths.len() as u64);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    for (at, &n) in lengths.iter().enumerate() {
        let place = out.slice(at as u64 * 12..at as u64 * 12 + 12);
        sum.record(&mut encoder, Input::range(&input, 0..n), place).expect("a record");
    }
    gpu.queue().submit([encoder.finish()]);
    let words = download(&gpu, &out);
    for (answer, n) in words.chunks(3).zip(lengths) {
        let total = (n * n.saturating_sub(1)) / 2;
        assert_eq!(answer, [total as u32, (total >> 32) as u32, n as u32], "{n}");
    }
}

#[test]
fn answers_on_the_device() {
    let gpu = gpu();
    let input = upload(&gpu, &[3.0f32, -1.0, f32::NAN, 2.0]);
    let out = output(&gpu, 16);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let finite = Input::range(&input, 0..2);
    gpu.reducer::<f32, _>(MinMax).and_then(|r| r.record(&mut encoder, &finite, out.slice(0..12))).expect("a record");
    gpu.reducer::<f32, _>(ArgMax).and_then(|r| r.record(&mut encoder, &input, out.slice(12..28))).expect("a record");
    gpu.reducer::<f32, _>(FastMean).and_then(|r| r.record(&mut encoder, &finite, out.slice(28..36))).expect("a record");
    gpu.reducer::<f32, _>((Sum, Max))
        .and_then(|r| r.record(&mut encoder, &finite, out.slice(36..48)))
        .expect("a record");
    let nothing = Input::range(&input, 2..2);
    gpu.reducer::<f32, _>(Min).and_then(|r| r.record(&mut encoder, &nothing, out.slice(48..56))).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let words = download(&gpu, &out);
    let f = |x: f32| x.to_bits();
    assert_eq!(words[..3], [f(-1.0), f(3.0), 2]);
    assert_eq!(words[3..7], [0x7fc0_0000, 2, 0, 4]);
    assert_eq!(words[7..9], [f(1.0), 2]);
    assert_eq!(words[9..12], [f(2.0), f(3.0), 2]);
    assert_eq!(words[13], 0, "nothing has no answer");
}

#[test]
fn poison_around_input_and_output_stays_out_and_untouched() {
    let gpu = gpu();
    for n in [1u64, 5, 64, 1000, 30_000] {
        let mut elements = vec![f32::NAN; n as usize + 14];
        elements[7..7 + n as usize].fill(0.5);
        let input = upload(&gpu, &elements);
        let out = output(&gpu, 9);
        gpu.queue().write_buffer(&out, 0, &[0xab; 36]);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        sum.record(&mut encoder, Input::range(&input, 7..7 + n), out.slice(16..24)).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let words = download(&gpu, &out);
        assert_eq!(f32::from_bits(words[4]), n as f32 * 0.5);
        assert_eq!(words[5], n as u32);
        assert!(words.iter().enumerate().all(|(at, &word)| at == 4 || at == 5 || word == 0xabab_abab), "{words:x?}");
    }
}

#[test]
fn one_buffer_for_input_and_output() {
    let gpu = gpu();
    let both = upload(&gpu, &[1u32, 2, 3, 4, 0, 0, 0]);
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    sum.record(&mut encoder, Input::range(&both, 0..4), both.slice(16..28)).expect("disjoint ranges");
    let overlap = sum.record(&mut encoder, Input::range(&both, 0..5), both.slice(16..28));
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    gpu.queue().submit([encoder.finish()]);
    assert_eq!(download(&gpu, &both)[4..], [10, 0, 4]);
}

#[test]
fn a_pass_of_the_program_holds_many_reductions() {
    let gpu = gpu();
    let input = upload(&gpu, &(0..9000u32).collect::<Vec<_>>());
    let out = output(&gpu, 200);
    let max = gpu.reducer::<u32, _>(Max).expect("a reducer");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    for at in 0..100u64 {
        max.record_in_pass(&mut pass, Input::range(&input, at..at * 90 + 1), out.slice(at * 8..at * 8 + 8))
            .expect("a record");
    }
    drop(pass);
    gpu.queue().submit([encoder.finish()]);
    for (at, answer) in download(&gpu, &out).chunks(2).enumerate() {
        assert_eq!(answer, [at as u32 * 90, at as u32 * 89 + 1]);
    }
}

/// A kernel of the program that leaves its mark in a place of its own.
fn marks(gpu: &Gpu, marks: &wgpu::Buffer) -> (wgpu::ComputePipeline, wgpu::BindGroup) {
    let text = "@group(0) @binding(0) var<storage, read_write> marks: array<u32>;
        @compute @workgroup_size(1) fn main() { marks[0] = marks[0] * 3u + 1u; }";
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let layout = pipeline.get_bind_group_layout(0);
    let entries = [wgpu::BindGroupEntry { binding: 0, resource: marks.as_entire_binding() }];
    let group =
        gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
    (pipeline, group)
}

#[test]
fn prepared_reductions_stand_in_the_programs_own_passes() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let (n, answers) = (5000u32, 40u64);
    let input = upload(&gpu, &vec![0u32; n as usize]);
    let (whole, rows, mark) = (output(&gpu, 3), output(&gpu, 2 * answers), output(&gpu, 1));
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    assert!(sum.plan(&input).expect("a plan").passes.len() > 1, "partials are what this is about");
    let whole_sum = sum.prepare(&input, &whole).expect("a prepared reduction");
    let max = gpu.reducer::<u32, _>(Max).expect("a reducer");
    let longest = max.prepare_each(Input::from(&input).rows(u64::from(n) / answers), &rows).expect("prepared rows");
    // Both outlive their reducers.
    drop((sum, max));
    let (pipeline, group) = marks(&gpu, &mark);
    let mut marked = 0u32;
    for frame in 0..50u32 {
        let elements: Vec<u32> = (0..n).map(|i| i.wrapping_mul(frame + 1) % 10_007).collect();
        gpu.queue().write_buffer(&input, 0, bytemuck::cast_slice(&elements));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for turn in 0..3 {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
            marked = marked.wrapping_mul(3).wrapping_add(1);
            match turn {
                0 => whole_sum.record_in_pass(&mut pass).expect("a record"),
                1 => longest.record_in_pass(&mut pass).expect("a record"),
                _ => (),
            }
        }
        drop(pass);
        // And once more behind it, on another thread, by another hold of it.
        let again = whole_sum.clone();
        std::thread::scope(|scope| scope.spawn(|| again.record(&mut encoder).expect("a record")).join())
            .expect("a thread");
        gpu.queue().submit([encoder.finish()]);
        let total: u64 = elements.iter().map(|&x| u64::from(x)).sum();
        assert_eq!(download(&gpu, &whole), [total as u32, (total >> 32) as u32, n], "frame {frame}");
        let want: Vec<u32> =
            elements.chunks(125).flat_map(|row| [row.iter().copied().max().unwrap_or(0), 125]).collect();
        assert_eq!(download(&gpu, &rows), want, "frame {frame}");
        assert_eq!(download(&gpu, &mark), [marked], "frame {frame}");
    }
}

/// Partials grow into a larger buffer; what was prepared before keeps the one that it has, and both are right side by
/// side.
#[test]
fn prepared_reductions_keep_their_scratch() {
    let gpu =
        gpu().with_tuning(small().loads(2).with(|tuning| tuning.fold.workgroups_max = 4096)).expect("a launch shape");
    let elements: Vec<u32> = Random(8).elements(1_500_000);
    let input = upload(&gpu, &elements);
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let lengths = [3000u64, 400_000, 1_500_000];
    let scratch = lengths.map(|n| sum.scratch_bytes(n));
    assert!(0 < scratch[0] && 4096 < scratch[1] && 2 * scratch[1] < scratch[2], "{scratch:?}");
    let outputs = lengths.map(|_| output(&gpu, 3));
    let mut prepared = Vec::new();
    for (count, (&n, place)) in lengths.iter().zip(&outputs).enumerate() {
        prepared.push(sum.prepare(Input::range(&input, 0..n), place).expect("a prepared reduction"));
        // Each beside all before it, in one pass, several times over.
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for at in (0..=count).chain((0..=count).rev()).chain(0..=count) {
            prepared[at].record_in_pass(&mut pass).expect("a record");
        }
        drop(pass);
        gpu.queue().submit([encoder.finish()]);
        for (&n, place) in lengths.iter().zip(&outputs).take(count + 1) {
            let total: u64 = elements[..n as usize].iter().map(|&x| u64::from(x)).sum();
            assert_eq!(download(&gpu, place), [total as u32, (total >> 32) as u32, n as u32], "{n} of {count}");
        }
    }
}

#[test]
fn prepared_reductions_keep_their_parameters_and_places() {
    let gpu = gpu();
    let input = upload(&gpu, &[0.0f32; 64]);
    let out = output(&gpu, 4);
    let mut lse = gpu.reducer::<f32, _>(LogSumExp { scale: 1.0 }).expect("a reducer");
    gpu.queue().write_buffer(&input, 0, bytemuck::cast_slice(&[2.0f32; 64]));
    let prepared = lse.prepare(&input, out.slice(0..8)).expect("a prepared reduction");
    lse.set_op(LogSumExp { scale: 10.0 }).expect("another scale");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    prepared.record(&mut encoder).expect("a record");
    lse.record(&mut encoder, &input, out.slice(8..16)).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let words = download(&gpu, &out);
    let [frozen, later] = [words[0], words[2]].map(f32::from_bits);
    let log = 64f32.ln();
    assert!((frozen - (2.0 + log)).abs() < 1e-3 && (later - (20.0 + log)).abs() < 1e-3, "{frozen} {later}");
    // Mistakes are told by the call that prepares; no rows are no dispatches.
    let overlap = lse.prepare(&input, &input);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    let ragged = lse.prepare_each(Input::from(&input).rows(10), &out);
    assert!(matches!(ragged, Err(Error::RaggedRows { .. })), "{ragged:?}");
    let nothing = lse.prepare_each(Input::range(&input, 0..0).rows(10), &out).expect("no rows");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    nothing.record(&mut encoder).expect("a record of nothing");
    gpu.queue().submit([encoder.finish()]);
    assert_eq!(download(&gpu, &out), words);
}

#[test]
fn several_buffers_are_one_input() {
    let gpu = gpu();
    let parts: Vec<Vec<u32>> = [700usize, 0, 1, 4097, 3].map(|n| Random(n as u64).elements(n)).into();
    let buffers: Vec<wgpu::Buffer> = parts.iter().map(|part| upload(&gpu, part)).collect();
    let ranges = parts.iter().zip(&buffers).map(|(part, buffer)| Input::range(buffer, 0..part.len() as u64));
    let input = Input::concat(ranges);
    let all = parts.concat();
    let hash = gpu.reducer::<u32, _>(TextHash).and_then(|reducer| reducer.reduce(&input)).expect("a hash");
    assert_eq!(hash, plain_fold(&TextHash, &all).expect("a fold"));
    let found = gpu.reducer::<u32, _>(ArgMax).and_then(|reducer| reducer.reduce(&input)).expect("an answer");
    assert_eq!(found, plain_fold(&ArgMax, &all).expect("a fold"));
}

#[test]
fn a_batch_answers_in_order() {
    let gpu = gpu();
    let input = upload(&gpu, &(0..5000u32).collect::<Vec<_>>());
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let answers = sum.reduce_batch((0..1000u64).map(|n| Input::range(&input, n..n * 5))).expect("answers");
    let want: Vec<u64> = (0..1000u64).map(|n| (n..n * 5).sum()).collect();
    assert_eq!(answers, want);
    assert_eq!(sum.reduce_batch(Vec::<Input<u32>>::new()).expect("nothing"), Vec::<u64>::new());
}

#[test]
fn rows_answer_densely_and_bare_answers_have_no_counts() {
    let gpu = gpu();
    let input = upload(&gpu, &(0..6001u32).collect::<Vec<_>>());
    let max = gpu.reducer::<u32, _>(Max).expect("a reducer");
    let out = output(&gpu, 605);
    let rows = || Input::range(&input, 1..6001).rows(10);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    max.record_each(&mut encoder, rows(), Output::bare(out.slice(8..))).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let words = download(&gpu, &out);
    assert!(words[2..602].iter().zip(1..).all(|(&answer, row)| answer == row * 10), "{words:?}");
    assert_eq!((&words[..2], &words[602..]), (&[0, 0][..], &[0, 0, 0][..]), "what is around the answers");
    let answers = max.reduce_each(rows()).expect("answers");
    assert_eq!(answers, (1..=600).map(|row| Some(row * 10)).collect::<Vec<_>>());
    assert!(matches!(max.reduce_each(Input::from(&input).rows(10)), Err(Error::RaggedRows { .. })));
}

#[test]
fn a_future_needs_no_executor_and_no_polling() {
    let gpu = gpu();
    let input = upload(&gpu, &[1.5f32; 3000]);
    let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let futures: Vec<_> = (0..8u64).map(|n| sum.reduce_async(Input::range(&input, 0..n * 100))).collect();
    drop(input);
    for (n, future) in futures.into_iter().enumerate() {
        assert_eq!(pollster::block_on(future).expect("an answer"), n as f32 * 150.0);
    }
    let missing = buffer(&gpu, 16, BufferUsages::COPY_DST);
    let error = pollster::block_on(sum.reduce_async(&missing));
    assert!(matches!(error, Err(Error::MissingUsage { .. })), "{error:?}");
    // A future that nobody awaits harms nobody.
    drop(sum.reduce_async(&upload(&gpu, &[1.0f32])));
}

#[test]
fn eight_threads_at_once() {
    let gpu = gpu();
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let hash = gpu.reducer::<u32, _>(TextHash).expect("a reducer");
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (gpu, sum, hash) = (&gpu, &sum, &hash);
            scope.spawn(move || {
                for round in 0..6 {
                    let elements: Vec<u32> =
                        Random(thread * 100 + round).elements((thread * 7919 + round * 131) as usize);
                    let input = upload(gpu, &elements);
                    let input = Input::range(&input, 0..elements.len() as u64);
                    let want: u64 = elements.iter().map(|&x| u64::from(x)).sum();
                    assert_eq!(sum.reduce(&input).expect("a sum"), want);
                    assert_eq!(hash.reduce(&input).expect("a hash"), plain_fold(&TextHash, &elements).expect("a fold"));
                    assert_eq!(gpu.reduce(Sum, &elements).expect("a sum"), want);
                }
            });
        }
    });
}

#[test]
fn streams_of_any_parts() {
    let gpu = gpu();
    let elements: Vec<u32> = Random(5).elements(1_300_001);
    let want = plain_fold(&TextHash, &elements).expect("a fold");
    let mut options = StreamOptions::default();
    // Slots of a third of a MiB, or less: every ring position is used many times.
    options.memory_bytes = 1 << 20;
    for part in [1_300_001, 100_000, 4096, 87_381, 87_382] {
        let mut stream = gpu.stream(TextHash, &options).expect("a stream");
        for part in elements.chunks(part) {
            stream.push(part).expect("a push");
        }
        assert_eq!(stream.count(), 1_300_001);
        let finished = stream.finish().expect("an answer");
        assert_eq!((finished.output, finished.count), (want, 1_300_001), "{part}");
    }
    let mut stream = gpu.stream(ArgMax, &options).expect("a stream");
    for at in 0..40u32 {
        stream.push(&vec![at % 37; 50_000]).expect("a push");
    }
    assert_eq!(stream.finish().expect("an answer").output, Some(Found { value: 36, index: 36 * 50_000 }));
    let empty = gpu.stream::<f32, _>(Sum, &options).and_then(|stream| stream.finish()).expect("an answer");
    assert_eq!((empty.output, empty.count), (0.0, 0));
}

#[test]
fn cpu_answers_do_not_depend_on_threads() {
    let elements: Vec<f32> = Random(3).elements(777_777);
    let sums: Vec<u32> =
        [1, 2, 3, 16].map(|n| Cpu::with_threads(n).reduce(FastSum, &elements).expect("a sum").to_bits()).into();
    assert!(sums.iter().all(|&sum| sum == sums[0]), "{sums:x?}");
}

#[test]
fn fast_sums_repeat_bit_for_bit() {
    let gpu = gpu();
    let elements: Vec<f32> = Random(4).elements(500_001);
    let input = upload(&gpu, &elements);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let first = sum.reduce(&input).expect("a sum");
    for _ in 0..5 {
        assert_eq!(sum.reduce(&input).expect("a sum").to_bits(), first.to_bits());
    }
}

#[test]
fn errors_name_values_and_repair() {
    let gpu = gpu();
    let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let good = upload(&gpu, &[1.0f32; 8]);
    let uniform = buffer(&gpu, 32, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
    let text = |outcome: treefold::Result<()>| outcome.expect_err("an error").to_string();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let told = text(sum.record(&mut encoder, &uniform, &good));
    assert!(told.contains("input lacks STORAGE (it has COPY_DST | UNIFORM)"), "{told}");
    let told = text(sum.record(&mut encoder, &good, &uniform));
    assert!(told.contains("output lacks STORAGE"), "{told}");
    let told = text(sum.record(&mut encoder, Input::range(&good, 4..9), &output(&gpu, 2)));
    assert!(told.contains("bytes 16..36") && told.contains("has 32"), "{told}");
    let told = text(sum.record(&mut encoder, good.slice(2..10), &output(&gpu, 2)));
    assert!(told.contains("byte 2") && told.contains("multiple of 4"), "{told}");
    let told = text(sum.record(&mut encoder, &good, &output(&gpu, 1)));
    assert!(told.contains("has 4 bytes") && told.contains("needs 8"), "{told}");
    let stats = gpu.reducer::<f32, _>(Stats::default()).expect("a reducer");
    let told = text(stats.record(&mut encoder, &good, &output(&gpu, 40)));
    assert!(told.contains("stats") && told.contains("reduce()"), "{told}");
    // Nothing of all that went into the encoder.
    gpu.queue().submit([encoder.finish()]);
}

#[test]
fn the_programs_own_handlers_and_scopes_are_left_alone() {
    let gpu = small_gpu(1 << 20);
    let (device, queue) = (gpu.device(), gpu.queue());
    let (caught, lost) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (on_error, on_lost) = (caught.clone(), lost.clone());
    device.on_uncaptured_error(Arc::new(move |_| on_error.store(true, Ordering::SeqCst)));
    device.set_device_lost_callback(move |_, _| on_lost.store(true, Ordering::SeqCst));
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let reducer = Reducer::<u32, _>::new(device, queue, Sum).expect("a reducer");
    assert_eq!(reducer.reduce(&upload(&gpu, &[1u32, 2])).expect("a sum"), 3);
    let invalid =
        wgpu::BufferDescriptor { label: None, size: 4, usage: BufferUsages::empty(), mapped_at_creation: false };
    let _ = device.create_buffer(&invalid);
    assert!(pollster::block_on(scope.pop()).is_some(), "the program's scope still catches the program's errors");
    assert!(!caught.load(Ordering::SeqCst));
    let _ = device.create_buffer(&invalid);
    assert!(caught.load(Ordering::SeqCst), "the program's handler still hears");
    device.destroy();
    let _ = device.poll(wgpu::PollType::Poll);
    assert!(lost.load(Ordering::SeqCst), "the program's callback still hears of a lost device");
}

#[test]
fn a_lost_device_is_an_error_and_no_hang() {
    let gpu = small_gpu(1 << 20);
    let input = upload(&gpu, &[1u32; 100]);
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let mut stream = gpu.stream::<u32, _>(Sum, &StreamOptions::default()).expect("a stream");
    gpu.device().destroy();
    let start = Instant::now();
    let answer = sum.reduce(&input);
    assert!(answer.is_err(), "{answer:?}");
    let answer = pollster::block_on(sum.reduce_async(&input));
    assert!(answer.is_err(), "{answer:?}");
    let answer = stream.push(&[1, 2, 3]).and_then(|()| stream.finish());
    assert!(answer.is_err(), "{answer:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn waits_end() {
    let gpu = small_gpu(64 << 20);
    let input = upload(&gpu, &vec![1u32; 16 << 20]);
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let usual = sum.timeout();
    sum.set_timeout(Duration::from_millis(1));
    let answer = sum.reduce(&input);
    match gpu.info().device_type {
        wgpu::DeviceType::Cpu => assert!(matches!(answer, Err(Error::Timeout { .. })), "{answer:?}"),
        // A GPU may well be done by then.
        _ => assert!(matches!(answer, Ok(16_777_216) | Err(Error::Timeout { .. })), "{answer:?}"),
    }
    sum.set_timeout(usual);
    assert_eq!(sum.reduce(&input).expect("a sum"), 16 << 20);
}

#[test]
fn adapters_are_listed_and_named() {
    let listed = Gpu::adapters().expect("a list");
    let name = gpu().info().name;
    let opened = listed.iter().find(|adapter| adapter.info.name == name).expect("the adapter under test");
    assert_eq!(Gpu::named(&opened.index.to_string()).expect("by number").info().name, name);
    let some_of_it = name[1..4].to_uppercase();
    assert!(Gpu::named(&some_of_it).is_ok(), "{some_of_it}");
    // Digits are a number, although every version in a name holds some; no name asks for nothing.
    for wanted in ["no such adapter", &listed.len().to_string(), "99999999999999999999", "", " "] {
        let told = Gpu::named(wanted).expect_err("an error").to_string();
        assert!(told.contains(&format!("\"{wanted}\"")) && told.contains(&name), "{told}");
        assert!(!told.contains(", cpu"), "{told}");
        assert_eq!(Engine::named(wanted).expect_err("an error").to_string(), format!("{told}, cpu"));
    }
}

/// The engine where none is named is hardware or the CPU engine, and the list says which.
#[test]
fn software_is_used_on_request() {
    let listed = Gpu::adapters().expect("a list");
    let default = listed.iter().find(|adapter| adapter.default);
    // What is not shared, is more than reading, and is not known to be little, is the hardware's, or else the CPU engine's.
    let taken = |engine: Engine| {
        let op = LogSumExp { scale: 1.0 };
        let mut stream = engine.stream::<f32, _>(op, &StreamOptions::default()).expect("a stream");
        stream.push(&[1.0; 100]).expect("room");
        let found = stream.finish().expect("an answer").output.expect("of some elements");
        assert!((found - (1.0 + 100f32.ln())).abs() < 1e-5, "{found}");
        match engine.shares().first() {
            Some(share) => (share.engine.clone(), share.backend),
            None => (engine.name(), engine.backend()),
        }
    };
    let best = taken(Engine::auto().expect("an engine"));
    assert_eq!(best.0, default.map_or(Engine::Cpu(Cpu::new()).name(), |listed| listed.info.name.clone()));
    let hardware =
        |info: &wgpu::AdapterInfo| info.device_type != wgpu::DeviceType::Cpu && info.backend != wgpu::Backend::Gl;
    let (name, backend) = taken(Engine::named("auto").expect("an engine"));
    match listed.iter().find(|listed| hardware(&listed.info)) {
        Some(listed) => assert_eq!((name, backend), (listed.info.name.clone(), listed.info.backend.to_str())),
        None => assert_eq!(backend, "cpu"),
    }
    // On request: the tests' own, and the first.
    assert!(matches!(Engine::named(&gpu().info().name), Ok(Engine::Gpu(_))));
    assert_eq!(Gpu::named(" Auto ").expect("an adapter").info().name, listed[0].info.name);
}

#[test]
fn a_tuning_that_no_plan_can_keep_is_an_error() {
    let gpu = gpu();
    let error =
        gpu.with_tuning(gpu.tuning().with(|tuning| tuning.fold.workgroup_size = 48)).expect_err("no power of two");
    assert!(error.to_string().contains("workgroup_size is 48"), "{error}");
}
