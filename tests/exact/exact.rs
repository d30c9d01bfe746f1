//! Exact operators against an oracle of big integers: every kernel, many launch shapes, every way in.

use crate::common::exactly::{Failures, by_reducer, inputs};
use crate::common::oracle::{self, Exactly};
use crate::common::sets::{self, Set, shuffle};
use crate::common::*;
use treefold::half::f16;
use treefold::internals::Keep;
use treefold::ops::*;
use treefold::{Cpu, Element, Error, Fold, Gpu, Input, Op, Order, Partial, Reducer, StreamOptions, Tuning, wgpu};

/// The operators over numbers of 64 bits besides their sums.
macro_rules! for_every_operator_of_64_bits {
    ($call:ident($($arg:expr),*)) => {
        $call::<f64, Norm2>($($arg),*);
        $call::<f64, Std>($($arg),*);
        $call::<i64, Mean>($($arg),*);
        $call::<u64, Mean>($($arg),*);
        $call::<i64, Norm2>($($arg),*);
        $call::<u64, Norm2>($($arg),*);
        $call::<i64, Variance>($($arg),*);
        $call::<u64, Std>($($arg),*);
        $call::<f64, Sem>($($arg),*);
        $call::<i64, Sem>($($arg),*);
    };
}

/// Runs a generic function for every exact operator and its types, with `longest` for its inputs.
macro_rules! for_every_operator {
    ($call:ident($($arg:expr),*)) => {
        $call::<f32, Sum>($($arg),*);
        $call::<f16, Sum>($($arg),*);
        $call::<f64, Sum>($($arg),*);
        $call::<f32, Mean>($($arg),*);
        $call::<f16, Mean>($($arg),*);
        $call::<f64, Mean>($($arg),*);
        $call::<f32, SumOfSquares>($($arg),*);
        $call::<f32, Norm2>($($arg),*);
        $call::<[f32; 2], Dot>($($arg),*);
        $call::<[f64; 2], Dot>($($arg),*);
        $call::<i64, Sum>($($arg),*);
        $call::<u64, Sum>($($arg),*);
        for_every_operator_of_64_bits!($call($($arg),*));
    };
}

/// The oracle itself, against arithmetic that IEEE 754 defines: one addition, one product, one quotient, one root.
#[test]
fn one_operation_is_rounded_as_the_processor_rounds_it() {
    let mut random = Random(3);
    for round in 0..20_000u64 {
        // Exponents near each other, at the bottom, at the top, and anywhere.
        let near = |bits: u64| match round % 4 {
            0 => bits & 0x87ff_ffff | 0x3800_0000,
            1 => bits & 0x80ff_ffff,
            2 => bits & 0x80ff_ffff | 0x7e80_0000,
            _ => bits,
        };
        let [a, b] = [0; 2].map(|_: u32| f32::from_bits(near(random.next()) as u32));
        let same = |got: Option<u128>, want: f32, what: &str| {
            let got = f32::from_bits(got.expect("an answer") as u32);
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "{a:e} {what} {b:e}: {got:e}, {want:e}"
            );
        };
        same(<Sum as Exactly<f32>>::want(&[a, b]), a + b, "+");
        same(Dot::want(&[[a, b]]), a * b, "*");
        same(Norm2::want(&[a]), a.abs(), "norm");
        // The root of a double is rounded twice at most where the sum of squares is not one: one term only.
        same(<Mean as Exactly<f32>>::want(&[a, -0.0, -0.0]), (f64::from(a) / 3.0) as f32, "/ 3");
        let [x, y] = [0; 2].map(|_: u32| f64::from_bits(random.next()));
        let sum = <Sum as Exactly<f64>>::want(&[x, y]).expect("an answer") as u64;
        assert!(sum == (x + y).to_bits() || f64::from_bits(sum).is_nan() && (x + y).is_nan(), "{x:e} + {y:e}");
    }
    for (a, b, c) in [(3.0f32, 4.0, 5.0f32), (3e-45, 4e-45, 6e-45), (3e38, 3e38, f32::INFINITY)] {
        assert_eq!(Norm2::want(&[a, b]), Some(c.to_bits().into()), "{a:e} {b:e}");
    }
    for n in 2..4000u32 {
        let x = n as f32;
        // 24 digits of a root and what decides about the next, from a root of 53.
        let want = (f64::from(n)).sqrt() as f32;
        assert_eq!(Norm2::want(&vec![1.0f32; n as usize]), Some(want.to_bits().into()), "root of {x}");
    }
}

/// Cuts elements into random pieces, some of them empty.
fn pieces(n: usize, most: usize, random: &mut Random) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let mut pieces = Vec::new();
    while at < n {
        let end = (at + random.below(most as u64 + 1) as usize).min(n);
        pieces.push(at..end);
        at = end;
    }
    pieces
}

/// Merges partials two by two, whichever come first.
fn merged<T: Element, O: Op<T>>(mut partials: Vec<Partial<T, O>>, random: &mut Random) -> Partial<T, O> {
    while partials.len() > 1 {
        let mut take = |partials: &mut Vec<_>| partials.swap_remove(random.below(partials.len() as u64) as usize);
        let (a, b): (Partial<T, O>, Partial<T, O>) = (take(&mut partials), take(&mut partials));
        partials.push(a.merge(b).expect("a merge"));
    }
    partials.pop().expect("a partial")
}

pub(super) fn on_the_host<T: Element, O: Exactly<T>>(longest: usize, failures: &mut Failures) {
    let mut random = Random(11);
    for set in inputs::<T>(longest) {
        let elements = &set.elements;
        for threads in 1..=3 {
            let got = Cpu::with_threads(threads).reduce(O::default(), elements).expect("an answer");
            failures.judge::<T, O>(&format!("{threads} threads"), &set, O::told(&got));
        }
        let cpu = Cpu::with_threads(1);
        let whole = cpu.partial(O::default(), elements);
        let mut parts: Vec<_> = pieces(elements.len(), elements.len() / 5 + 2, &mut random)
            .into_iter()
            .map(|r| cpu.partial(O::default(), &elements[r]))
            .collect();
        parts.push(Partial::empty(O::default()));
        let parts = parts
            .iter()
            .map(|part| Partial::from_bytes(O::default(), &part.to_bytes().expect("bytes")).expect("a partial"));
        let all = merged(parts.collect(), &mut random);
        failures.judge::<T, O>("merged", &set, O::told(&all.finish().expect("an answer")));
        assert_eq!(
            all.to_bytes().expect("bytes"),
            whole.to_bytes().expect("bytes"),
            "{}: equal sums, other bytes",
            set.name
        );
    }
}

#[test]
fn the_host_engine() {
    let mut failures = Failures::default();
    for_every_operator!(on_the_host(3000, &mut failures));
    // Beyond one block of the engine and its threads' shares.
    on_the_host_long(&mut failures);
    failures.none();
}

fn on_the_host_long(failures: &mut Failures) {
    for kind in ["cancel", "any bits", "equal", "one exponent"] {
        let set = Set::new(format!("{kind}, long"), sets::make::<f32>(kind, 300_001, 5));
        for threads in [1, 3] {
            let got = Cpu::with_threads(threads).reduce(Sum, &set.elements).expect("an answer");
            failures.judge::<f32, Sum>("long", &set, <Sum as Exactly<f32>>::told(&got));
        }
    }
}

/// Every place at which an input can be cut in two.
#[test]
fn split_anywhere_and_merged() {
    let mut failures = Failures::default();
    let cpu = Cpu::with_threads(1);
    let set = Set::new("cancel", sets::make::<f32>("cancel", 301, 9));
    for at in 0..=set.elements.len() {
        let (front, back) = set.elements.split_at(at);
        for (a, b) in [(front, back), (back, front)] {
            let all = cpu.partial(Sum, a).merge(cpu.partial(Sum, b)).expect("a merge");
            failures.judge::<f32, Sum>(
                &format!("cut at {at}"),
                &set,
                Some(all.finish().expect("a sum").to_bits().into()),
            );
        }
    }
    failures.none();
}

/// Sets by `Stream::push` in random parts, and by partials of device and host together.
fn by_parts<T: Element, O: Exactly<T>>(gpu: &Gpu, reducer: &Reducer<T, O>, sets: &[Set<T>], failures: &mut Failures) {
    let mut random = Random(sets.len() as u64);
    let cpu = Cpu::with_threads(1);
    for set in sets {
        let elements = &set.elements;
        // A hint that is too low makes slots of 1 KiB, so that a stream of few elements goes around its ring.
        let mut options = StreamOptions::default();
        options.memory_bytes = 1 << 20;
        options.elements_hint = Some(random.below(300));
        let mut stream = gpu.stream(O::default(), &options).expect("a stream");
        for part in pieces(elements.len(), 1 + random.below(700) as usize, &mut random) {
            stream.push(&elements[part]).expect("a push");
        }
        let got = stream.finish().expect("an answer");
        assert_eq!(got.count, elements.len() as u64);
        failures.judge::<T, O>("stream", set, O::told(&got.output));

        let got = gpu.reduce(O::default(), elements).expect("an answer");
        failures.judge::<T, O>("Gpu::reduce", set, O::told(&got));

        let buffer = upload(gpu, elements);
        let ranges = pieces(elements.len(), elements.len() / 3 + 1, &mut random);
        let parts = ranges.into_iter().map(|range| match random.below(2) {
            0 => cpu.partial(O::default(), &elements[range]),
            _ => reducer.partial(Input::range(&buffer, range.start as u64..range.end as u64)).expect("a partial"),
        });
        let mut parts: Vec<_> = parts.collect();
        parts.push(Partial::empty(O::default()));
        let all = merged(parts, &mut random);
        failures.judge::<T, O>("partials", set, O::told(&all.finish().expect("an answer")));
        assert_eq!(
            all.to_bytes().expect("bytes"),
            cpu.partial(O::default(), elements).to_bytes().expect("bytes"),
            "{}: equal sums, other bytes",
            set.name
        );
    }
}

/// Compares the kernel with what the tuning and the device's features promise of it.
fn kernel<T: Element, O: Op<T>>(gpu: &Gpu, reducer: &Reducer<T, O>) {
    if !<O::Fold as Fold<T>>::TESTED {
        return assert_eq!(reducer.kernel(), None);
    }
    let has64 = gpu.device().features().contains(wgpu::Features::SHADER_INT64);
    let in_bins = gpu.tuning().own_bins_max == 0;
    let right = match reducer.kernel() {
        Some(Keep::Bins { .. }) => in_bins,
        Some(Keep::Registers64) => !in_bins && has64,
        Some(Keep::Registers) => !in_bins && !has64,
        Some(Keep::Values { .. } | Keep::Slices { .. } | Keep::Memory | Keep::Cells) | None => false,
    };
    assert!(right, "{:?} with bins: {in_bins}, 64-bit integers: {has64}", reducer.kernel());
}

/// With every `step`th of the inputs, the longest of which has so many elements.
pub(super) fn on_a_device<T: Element, O: Exactly<T>>(gpu: &Gpu, longest: usize, step: usize, failures: &mut Failures) {
    let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
    kernel(gpu, &reducer);
    let sets: Vec<Set<T>> = inputs(longest).into_iter().step_by(step).collect();
    by_reducer(gpu, &reducer, &sets, failures);
    let some: Vec<Set<T>> = sets.into_iter().step_by(11).collect();
    by_parts(gpu, &reducer, &some, failures);
}

#[test]
fn bins_in_workgroup_memory() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let mut failures = Failures::default();
    for_every_operator!(on_a_device(&gpu, 2500, if all() { 1 } else { 3 }, &mut failures));
    failures.none();
}

/// Only f32 has a window of 64 bits of its own; the others read as they do on the device below.
#[test]
fn windows_of_64_bits() {
    let tuning = registers(small().loads(1)).with(|tuning| tuning.order = Order::Blocked);
    let gpu = gpu().with_tuning(tuning).expect("a launch shape");
    let mut failures = Failures::default();
    on_a_device::<f32, Sum>(&gpu, 2500, 1, &mut failures);
    on_a_device::<f32, Mean>(&gpu, 1500, 3, &mut failures);
    failures.none();
}

/// A device without 64-bit integers and without subgroups, with short bindings and little workgroup memory. The mean of f64
/// is left out: its kernel is that of the sum, and its last step is tested with the bins.
#[test]
fn windows_of_32_bits() {
    let gpu = small_gpu(1 << 14).with_tuning(registers(small().loads(1))).expect("a launch shape");
    let mut failures = Failures::default();
    let few = if all() { 3 } else { 7 };
    on_a_device::<f32, Sum>(&gpu, 2500, 1, &mut failures);
    on_a_device::<f32, Mean>(&gpu, 1500, few, &mut failures);
    on_a_device::<f16, Sum>(&gpu, 1500, few, &mut failures);
    on_a_device::<f16, Mean>(&gpu, 1500, few, &mut failures);
    on_a_device::<f32, SumOfSquares>(&gpu, 1500, few, &mut failures);
    on_a_device::<f32, Norm2>(&gpu, 1500, few, &mut failures);
    on_a_device::<[f32; 2], Dot>(&gpu, 1500, few, &mut failures);
    on_a_device::<i64, Sum>(&gpu, 1500, few, &mut failures);
    on_a_device::<u64, Sum>(&gpu, 1500, few, &mut failures);
    on_a_device::<f64, Sum>(&gpu, 1500, few, &mut failures);
    failures.none();
}

/// Exact folds in each invocation's own words.
fn registers(tuning: Tuning) -> Tuning {
    tuning.with(|tuning| tuning.own_bins_max = u64::MAX)
}

/// Launch shapes of all sorts: one invocation, one workgroup, the largest, many dispatches, every order, every kernel.
fn geometries() -> Vec<Tuning> {
    let small = small();
    let alone = |tuning: Tuning| tuning.with(|tuning| tuning.subgroups = false);
    let blocked = |tuning: Tuning| registers(alone(tuning)).with(|tuning| tuning.order = Order::Blocked);
    let single = |tuning: Tuning, most| tuning.each(|launch| launch.single_elements_max = most);
    vec![
        single(small.groups(1, 5, 1).loads(1), 0),
        blocked(small.groups(1, 1, 1).loads(1)),
        small.groups(4, 7, 64).with(|tuning| tuning.dispatch_bytes_max = 1024),
        single(blocked(small.groups(64, 3, 8).loads(1)), 0),
        alone(small.groups(128, 2, 256).loads(4)),
        small.groups(1024, 1, 1024).loads(1),
        registers(small.groups(32, 16, 32)).with(|tuning| tuning.dispatch_bytes_max = 4100),
        single(small.groups(256, 300, 512), 1 << 20),
    ]
}

/// One buffer in random pieces, in any order.
fn in_pieces<'a>(buffer: &'a wgpu::Buffer, n: usize, random: &mut Random) -> Input<'a, f32> {
    let mut parts = pieces(n, n / 3, random);
    shuffle(&mut parts, random.next());
    Input::concat(parts.into_iter().map(|part| Input::range(buffer, part.start as u64..part.end as u64)))
}

/// A hundred orders, each in other pieces, in every launch shape: one answer, where the fast sum has many.
#[test]
fn a_hundred_permutations_in_every_launch_shape() {
    let set = Set::new("cancel", sets::make::<f32>("cancel", 1501, 77));
    let n = set.elements.len();
    let orders: Vec<Vec<f32>> = (0..100)
        .map(|seed| {
            let mut elements = sets::make::<f32>("cancel", n, 77);
            shuffle(&mut elements, seed);
            elements
        })
        .collect();
    // All finite numbers overflow an ordinary sum; so that it differs, those of it that stay small.
    let mild: Vec<f32> = set.elements.iter().map(|x| f32::from_bits(x.to_bits() & 0x8fff_ffff | 0x3000_0000)).collect();
    let fast = (0..100).map(|seed| {
        let mut elements = mild.clone();
        shuffle(&mut elements, seed);
        Cpu::with_threads(1).reduce(FastSum, &elements).expect("a sum").to_bits()
    });
    let different: std::collections::HashSet<u32> = fast.collect();
    assert!(different.len() > 10, "ordinary sums are all alike: {different:x?}");

    let flat: Vec<f32> = orders.concat();
    let mild: Vec<f32> = flat.iter().map(|x| f32::from_bits(x.to_bits() & 0x8fff_ffff | 0x3000_0000)).collect();
    let mut failures = Failures::default();
    for tuning in geometries() {
        let gpu = gpu().with_tuning(tuning).expect("a launch shape");
        let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        kernel(&gpu, &reducer);
        let mut random = Random(5);
        for all in [&flat, &mild] {
            let buffers: Vec<_> = all.chunks(n).map(|elements| upload(&gpu, elements)).collect();
            let inputs = buffers.iter().map(|buffer| in_pieces(buffer, n, &mut random));
            let got = reducer.reduce_batch(inputs).expect("answers");
            let set = Set::new(format!("permutations in {tuning:?}"), all[..n].to_vec());
            for got in got {
                failures.judge::<f32, Sum>("permuted", &set, Some(got.to_bits().into()));
            }
        }
        let some: Vec<Set<f32>> = inputs(900).into_iter().step_by(9).collect();
        by_reducer(&gpu, &reducer, &some, &mut failures);
    }
    failures.none();
}

/// Elements of 2 and of 8 bytes meet the ragged ends of other launch shapes.
#[test]
fn other_sizes_of_elements_in_other_launch_shapes() {
    let mut failures = Failures::default();
    for (at, tuning) in geometries().into_iter().enumerate() {
        let gpu = gpu().with_tuning(tuning.with(|tuning| tuning.own_bins_max = 0)).expect("a launch shape");
        fn run<T: Element, O: Exactly<T>>(gpu: &Gpu, failures: &mut Failures) {
            let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
            let sets = (0..60)
                .chain([255, 256, 257, 1023, 2049])
                .map(|n| Set::new(format!("{n}"), sets::make("any bits", n, n as u64)));
            by_reducer(gpu, &reducer, &sets.collect::<Vec<Set<T>>>(), failures);
        }
        run::<f16, Sum>(&gpu, &mut failures);
        run::<u64, Sum>(&gpu, &mut failures);
        match at {
            0 | 5 => run::<[f32; 2], Dot>(&gpu, &mut failures),
            2 => run::<f64, Sum>(&gpu, &mut failures),
            _ => {}
        }
    }
    failures.none();
}

/// So many equal values in one workgroup that bins of 32 bits overflow again and again, and windows fill.
#[test]
fn two_million_equal_values_in_one_workgroup() {
    let n = 1usize << 21;
    let elements = sets::make::<f32>("equal", n + 1, 0);
    let mut failures = Failures::default();
    let one = small().groups(64, 1, 64).loads(4);
    let blocked = registers(one).with(|tuning| (tuning.order, tuning.subgroups) = (Order::Blocked, false));
    for tuning in [one, blocked] {
        let gpu = gpu().with_tuning(tuning).expect("a launch shape");
        let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        kernel(&gpu, &reducer);
        let buffer = upload(&gpu, &elements);
        let plan = reducer.plan(&buffer).expect("a plan");
        assert!(plan.passes.iter().all(|pass| pass.workgroups == 1) && plan.passes.len() <= 2, "{plan:?}");
        let ranges = [n as u64 - 1, n as u64, n as u64 + 1].map(|n| Input::range(&buffer, 0..n));
        let got = reducer.reduce_batch(ranges).expect("answers");
        for (n, got) in [n - 1, n, n + 1].into_iter().zip(got) {
            let set = Set::new(format!("equal x {n}"), elements[..n].to_vec());
            failures.judge::<f32, Sum>(&format!("{:?}", reducer.kernel()), &set, Some(got.to_bits().into()));
        }
    }
    failures.none();
}

/// Every element leaves the window of the one before, in one invocation: no loop of a kernel may run out of the trips that
/// a software adapter allows.
#[test]
fn every_element_leaves_the_window() {
    let n = 60_000;
    let elements: Vec<f32> = (0..n).map(|at| f32::from_bits(((at as u32 % 3 + 1) * 0x2a00_0000) | at as u32)).collect();
    let set = Set::new("leaps", elements);
    let tuning = registers(small().groups(1, 1, 1).loads(1)).with(|tuning| tuning.subgroups = false);
    let mut failures = Failures::default();
    for gpu in [gpu(), small_gpu(1 << 20)] {
        let gpu = gpu.with_tuning(tuning).expect("a launch shape");
        let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        kernel(&gpu, &reducer);
        let buffer = upload(&gpu, &set.elements);
        let got = reducer.reduce(&buffer).expect("an answer");
        failures.judge::<f32, Sum>(&format!("{:?}", reducer.kernel()), &set, Some(got.to_bits().into()));
    }
    failures.none();
}

#[test]
fn tuples_with_exact_members() {
    let mut failures = Failures::default();
    let sets = || inputs::<f32>(900).into_iter().step_by(5).filter(|set| !set.elements.is_empty());
    for gpu in [gpu().with_tuning(small()).expect("a launch shape"), gpu()] {
        let reducer = gpu.reducer::<f32, _>((Sum, MinMax)).expect("a reducer");
        for set in sets() {
            let buffer = upload(&gpu, &set.elements);
            let (sum, ends) = reducer.reduce(&buffer).expect("answers");
            failures.judge::<f32, Sum>("tuple", &set, Some(sum.to_bits().into()));
            let want = Cpu::new().reduce(MinMax, &set.elements).expect("ends").expect("not empty");
            let bits = |(low, high): (f32, f32)| [low, high].map(f32::to_bits);
            assert_eq!(bits(ends.expect("not empty")), bits(want), "{}", set.name);
        }
    }
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let reducer = gpu.reducer::<f32, _>((Sum, (Mean, Norm2))).expect("a reducer");
    for set in sets() {
        let buffer = upload(&gpu, &set.elements);
        let answer = answers(&gpu, 4);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        reducer.record(&mut encoder, &buffer, &answer).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let words = download(&gpu, &answer);
        assert_eq!(words[3] as usize, set.elements.len());
        let word = |at: usize| Some(words[at].into());
        failures.judge::<f32, Sum>("tuple, on the device", &set, word(0));
        failures.judge::<f32, Mean>("tuple, on the device", &set, word(1));
        failures.judge::<f32, Norm2>("tuple, on the device", &set, word(2));
    }
    failures.none();
}

/// Tuples whose bins would together take more workgroup memory than the device has must run all the same.
#[test]
fn tuples_too_large_for_bins_find_room() {
    let gpu = limited_gpu(1 << 16, 1024).with_tuning(small().loads(1)).expect("a launch shape");
    let reducer = gpu.reducer::<f32, _>((Sum, Norm2)).expect("a reducer");
    assert_eq!(reducer.kernel(), Some(Keep::Registers));
    // Answers over one fold share its bins.
    let shared = gpu.reducer::<f32, _>((Sum, Mean)).expect("a reducer");
    assert!(matches!(shared.kernel(), Some(Keep::Bins { replicas: 1, .. })), "{:?}", shared.kernel());
    let set = Set::new("cancel", sets::make::<f32>("cancel", 700, 3));
    let buffer = upload(&gpu, &set.elements);
    let (sum, norm) = reducer.reduce(&buffer).expect("answers");
    let (again, mean) = shared.reduce(&buffer).expect("answers");
    let mut failures = Failures::default();
    failures.judge::<f32, Sum>("tuple", &set, Some(sum.to_bits().into()));
    failures.judge::<f32, Sum>("shared", &set, Some(again.to_bits().into()));
    failures.judge::<f32, Norm2>("tuple", &set, Some(norm.to_bits().into()));
    failures.judge::<f32, Mean>("shared", &set, mean.map(|mean| mean.to_bits().into()));
    failures.none();
}

/// Pairs of elements that lie apart: offsets of every kind, buffers cut at different places, and both in one buffer.
#[test]
fn zipped_inputs() {
    let mut failures = Failures::default();
    for gpu in [
        gpu().with_tuning(small()).expect("a launch shape"),
        small_gpu(1 << 14).with_tuning(small()).expect("a launch shape"),
    ] {
        let reducer = gpu.reducer::<[f32; 2], _>(Dot).expect("a reducer");
        let x: Vec<f32> = sets::make("any bits", 5400, 1);
        let y: Vec<f32> = sets::make("any bits", 5400, 2);
        let pairs = |a: usize, b: usize, n: usize| -> Set<[f32; 2]> {
            Set::new(format!("{a} and {b}"), x[a..a + n].iter().zip(&y[b..b + n]).map(|(&x, &y)| [x, y]).collect())
        };
        let (left, right) = (upload(&gpu, &x), upload(&gpu, &y));
        let both = upload(&gpu, &[x.clone(), y.clone()].concat());
        let mut inputs = Vec::new();
        let mut want = Vec::new();
        for a in 0..4usize {
            for b in 0..4usize {
                for n in [0, 1, 2, 3, 5, 64, 257, 5100] {
                    let (at, bt, n64) = (a as u64, b as u64, n as u64);
                    inputs.push(Input::zip(Input::range(&left, at..at + n64), Input::range(&right, bt..bt + n64)));
                    inputs.push(Input::zip(
                        Input::range(&both, at..at + n64),
                        Input::range(&both, 5400 + bt..5400 + bt + n64),
                    ));
                    want.extend([pairs(a, b, n), pairs(a, b, n)]);
                }
            }
        }
        // Far apart, and further than a binding reaches.
        for (a, b) in [(0, 299), (299, 0), (64, 128), (63, 257)] {
            let n = 5101;
            inputs.push(Input::zip(
                Input::range(&left, a as u64..a as u64 + n),
                Input::range(&right, b as u64..b as u64 + n),
            ));
            want.push(pairs(a, b, n as usize));
        }
        // Several pieces on both sides, which end at different places; some are empty.
        let side = |buffer, cuts: &[u64]| {
            Input::concat(cuts.windows(2).map(|cut| Input::<f32>::range(buffer, cut[0]..cut[1])))
        };
        for (a, b) in [
            (&[0u64, 5, 5, 600, 1200][..], &[3u64, 4, 900, 1203][..]),
            (&[1, 1201], &[2, 3, 4, 5, 6, 7, 1202]),
            (&[7, 300, 600, 900, 1207], &[1, 301, 601, 901, 901, 1201]),
        ] {
            inputs.push(Input::zip(side(&left, a), side(&right, b)));
            want.push(pairs(a[0] as usize, b[0] as usize, 1200));
        }
        let mut inputs: Vec<Input<[f32; 2]>> = inputs.into_iter().map(|input| input.expect("equal lengths")).collect();
        // Zipped inputs can be concatenated too.
        inputs.push(Input::concat([inputs[100].clone(), inputs[40].clone()]));
        want.push(Set::new("concat", [want[100].elements.clone(), want[40].elements.clone()].concat()));
        for (inputs, want) in inputs.chunks(100).zip(want.chunks(100)) {
            for (got, want) in reducer.reduce_batch(inputs.iter().cloned()).expect("answers").iter().zip(want) {
                failures.judge::<[f32; 2], Dot>("zipped", want, Some(got.to_bits().into()));
            }
        }
        let answer = answers(&gpu, 2 * inputs.len());
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        for (at, input) in inputs.iter().enumerate() {
            reducer.record(&mut encoder, input, answer.slice(at as u64 * 8..at as u64 * 8 + 8)).expect("a record");
        }
        gpu.queue().submit([encoder.finish()]);
        for (words, want) in download(&gpu, &answer).chunks(2).zip(&want) {
            assert_eq!(words[1] as usize, want.elements.len(), "{}", want.name);
            failures.judge::<[f32; 2], Dot>("zipped, on the device", want, Some(words[0].into()));
        }
    }
    failures.none();
}

#[test]
fn inputs_that_cannot_be_read_are_errors() {
    let gpu = gpu();
    let buffer = upload(&gpu, &[1.0f32; 64]);
    let range = |range| Input::<f32>::range(&buffer, range);
    for (a, b) in [(0..3, 0..4), (0..1, 0..0), (5..64, 0..60)] {
        let (left, right) = (a.end - a.start, b.end - b.start);
        let error = Input::zip(range(a), range(b)).expect_err("unequal");
        assert!(matches!(error, Error::Unequal { left: l, right: r } if (l, r) == (left, right)), "{error}");
    }
    let reducer = gpu.reducer::<[f32; 2], _>(Dot).expect("a reducer");
    let slice = |bytes: std::ops::Range<u64>| Input::<f32>::from(buffer.slice(bytes));
    // The first, the second, both; a beginning, an end, an end that the other side lacks.
    for (a, b) in [(2..14, 0..12), (0..12, 2..14), (0..7, 0..7), (6..14, 6..14), (0..7, 0..4), (0..4, 0..7)] {
        let answer = Input::zip(slice(a.clone()), slice(b.clone())).and_then(|input| reducer.reduce(input));
        assert!(matches!(answer, Err(Error::Misaligned { multiple: 4, .. })), "{a:?} {b:?}: {answer:?}");
    }
    for (a, b) in [(60..70, 0..10), (0..10, 60..70)] {
        let answer = Input::zip(range(a.clone()), range(b.clone())).and_then(|input| reducer.reduce(input));
        assert!(matches!(answer, Err(Error::OutOfRange { .. })), "{a:?} {b:?}: {answer:?}");
    }
    let reversed = std::ops::Range { start: 10, end: 5 };
    let answer = Input::zip(range(reversed), range(0..0)).and_then(|input| reducer.reduce(input));
    assert!(matches!(answer, Err(Error::Backwards { .. })), "{answer:?}");
    fn odd<T: Element, O: Exactly<T>>(gpu: &Gpu, bytes: std::ops::Range<u64>) {
        let buffer = upload(gpu, &[T::ZERO; 16]);
        let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
        let answer = reducer.reduce(buffer.slice(bytes.clone())).map(|out| O::told(&out));
        assert!(matches!(answer, Err(Error::Misaligned { .. })), "{} {bytes:?}: {answer:?}", T::DTYPE);
    }
    odd::<f16, Sum>(&gpu, 1..5);
    odd::<f16, Sum>(&gpu, 2..5);
    odd::<u64, Sum>(&gpu, 4..12);
    odd::<u64, Sum>(&gpu, 8..20);
}

/// The summary of f32, whose mean and deviation are rounded once to f64.
#[test]
fn summaries() {
    let mut failures = Vec::new();
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let kinds = |longest| inputs::<f32>(longest).into_iter().step_by(3);
    let reducers = [0, 1, 3].map(|ddof| (ddof, gpu.reducer::<f32, _>(Stats { ddof }).expect("a reducer")));
    for (set, (ddof, reducer)) in kinds(900).zip(reducers.iter().cycle()) {
        let want = oracle::summary(&set.elements, (*ddof).into());
        let host = Cpu::new().reduce(Stats { ddof: *ddof }, &set.elements).expect("a summary");
        let device = reducer
            .reduce(Input::range(&upload(&gpu, &set.elements), 0..set.elements.len() as u64))
            .expect("a summary");
        for (way, got) in [("host", host), ("device", device)] {
            let bits = |x: Option<f64>| x.map(f64::to_bits);
            let got = (got.sum.to_bits(), bits(got.mean), bits(got.std));
            if got != want {
                failures.push(format!("{way}: {} ddof {ddof}: got {got:x?}, want {want:x?}", set.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", some(&failures));
}

mod any {
    use super::*;
    use proptest::prelude::*;

    fn same<T: Element, O: Exactly<T>>(elements: Vec<T>) {
        let mut failures = Failures::default();
        let got = Cpu::with_threads(1).reduce(O::default(), &elements).expect("an answer");
        failures.judge::<T, O>("host", &Set::new("any", elements), O::told(&got));
        failures.none();
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn floats(bits in prop::collection::vec(any::<u32>(), 0..40)) {
            let elements: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
            same::<f32, Sum>(elements.clone());
            same::<f32, Mean>(elements.clone());
            same::<f32, Norm2>(elements.clone());
            same::<[f32; 2], Dot>(elements.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect());
        }

        /// Products of f64 that lie near each other, and some that undo others: enough of them for vectors, too.
        #[test]
        fn products_of_neighbours(
            parts in prop::collection::vec((any::<u64>(), 0u64..40, any::<u64>(), 0u64..40), 1..40),
            undone in 0usize..40,
            times in 1usize..8,
        ) {
            let double = |bits: u64, exponent: u64| f64::from_bits(bits & !(0x7ff << 52) | (1003 + exponent) << 52);
            let pairs = parts.iter().map(|&(x, up, y, higher)| [double(x, up), double(y, higher)]);
            let minus = pairs.clone().take(undone).map(|[x, y]| [y, -x]);
            same::<[f64; 2], Dot>(pairs.chain(minus).collect::<Vec<_>>().repeat(times));
        }

        /// A few exponents apart, so that ties and cancellation are common.
        #[test]
        fn neighbours(parts in prop::collection::vec((any::<bool>(), 100u32..127, 0u32..4), 0..12)) {
            let element = |&(negative, exponent, top): &(bool, u32, u32)| {
                f32::from_bits(u32::from(negative) << 31 | exponent << 23 | top << 21)
            };
            let elements: Vec<f32> = parts.iter().map(element).collect();
            same::<f32, Sum>(elements.clone());
            same::<f32, Mean>(elements.clone());
            same::<f32, Norm2>(elements);
        }

        #[test]
        fn doubles(bits in prop::collection::vec(any::<u64>(), 0..20)) {
            let elements: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
            same::<f64, Sum>(elements.clone());
            same::<f64, Mean>(elements.clone());
            same::<f64, SumOfSquares>(elements.clone());
            same::<f64, Norm2>(elements.clone());
            same::<f64, Variance>(elements.clone());
            same::<f64, Std>(elements.clone());
            same::<[f64; 2], Dot>(elements.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect());
            same::<f16, Mean>(bits.iter().map(|&bits| f16::from_bits(bits as u16)).collect());
        }

        #[test]
        fn integers(numbers in prop::collection::vec(any::<u64>(), 0..20)) {
            same::<u64, Mean>(numbers.clone());
            same::<u64, Norm2>(numbers.clone());
            same::<u64, Variance>(numbers.clone());
            let signed: Vec<i64> = numbers.iter().map(|&x| x as i64).collect();
            same::<i64, Mean>(signed.clone());
            same::<i64, Norm2>(signed.clone());
            same::<i64, Std>(signed);
            // So that sums of products have at most 128 bits.
            let pairs = numbers.chunks_exact(2).map(|pair| [pair[0] >> 3, pair[1] >> 3]);
            same::<[u64; 2], Dot>(pairs.clone().collect());
            same::<[i64; 2], Dot>(pairs.map(|pair| pair.map(|x| (x << 3) as i64 >> 3)).collect());
            let words: Vec<i32> = numbers.iter().map(|&x| x as i32).collect();
            same::<i32, SumOfSquares>(words.clone());
            same::<i32, Norm2>(words);
            same::<u32, SumOfSquares>(numbers.iter().map(|&x| x as u32).collect());
        }
    }
}
