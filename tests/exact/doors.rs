//! Hard inputs through every door of the library, against rational arithmetic that shares no code with it: sums, means, norms, dot
//! products and variances of condition 1e4 to 1e60, half-way cases at every exponent, the boundaries of overflow, special values
//! in every position.

use crate::common::exactly::{Failures, inputs};
use crate::common::oracle::Exactly;
use crate::common::sets::{Set, shuffle};
use crate::common::{Random, all, gpu, recorded, small, upload};
use treefold::ops::{Dot, Mean, Norm2, Sem, Std, Sum, SumOfSquares, Variance};
use treefold::{Axes, Cpu, Dtype, Element, Engine, Gpu, Input, Op, Partial, Reducer, StreamOptions};

/// A door by its name: the answer of these elements, `None` where the operator has none there.
type Door<T, O> = fn(&Gpu, &Reducer<T, O>, &[T]) -> Option<<O as Op<T>>::Output>;

/// Whether `record` leaves the exact answer: means of integers are an f32 there.
fn recordable<T: Element, O: Op<T>>() -> bool {
    !matches!((O::NAME, T::DTYPE), ("mean", Dtype::I32 | Dtype::U32))
}

/// Every door. Every operator has it, but `record`.
fn doors<T: Element, O: Exactly<T>>() -> [(&'static str, Door<T, O>); 13] {
    [
        ("Cpu::reduce", |_, _, x| Cpu::with_threads(2).reduce(O::default(), x).ok()),
        ("Cpu::reduce_each", |_, _, x| Cpu::with_threads(1).reduce_each(O::default(), x, x.len().max(1)).ok()?.pop()),
        ("Engine::reduce, of a slice", |gpu, _, x| Engine::Gpu(gpu.clone()).reduce(O::default(), x).ok()),
        ("reduce", |gpu, reducer, x| reducer.reduce(Input::range(&upload(gpu, x), 0..x.len() as u64)).ok()),
        ("reduce_async", |gpu, reducer, x| {
            let buffer = upload(gpu, x);
            pollster::block_on(reducer.reduce_async(Input::range(&buffer, 0..x.len() as u64))).ok()
        }),
        ("reduce_batch", |gpu, reducer, x| {
            let buffer = upload(gpu, x);
            let whole = || Input::range(&buffer, 0..x.len() as u64);
            reducer.reduce_batch([whole(), Input::range(&buffer, 0..0), whole()]).ok()?.pop()
        }),
        ("several buffers", |gpu, reducer, x| {
            let (front, back) = x.split_at(x.len() / 3);
            let (front, back) = (upload(gpu, front), upload(gpu, back));
            let cut = (x.len() / 3) as u64;
            let parts = [Input::range(&front, 0..cut), Input::range(&back, 0..x.len() as u64 - cut)];
            reducer.reduce(Input::concat(parts)).ok()
        }),
        ("rows", |gpu, reducer, x| {
            let buffer = upload(gpu, &[x, x].concat());
            let rows = Input::range(&buffer, 0..2 * x.len() as u64).rows(x.len().max(1) as u64);
            reducer.reduce_each(rows).ok()?.pop()
        }),
        ("columns", |gpu, reducer, x| {
            let buffer = upload(gpu, &x.iter().flat_map(|&x| [x; 4]).collect::<Vec<T>>());
            let axes = Axes::of(&[x.len() as u64, 4], &[0]).ok()?;
            reducer.reduce_each(Input::range(&buffer, 0..4 * x.len() as u64).over(axes)).ok()?.pop()
        }),
        ("segments", |gpu, reducer, x| {
            let buffer = upload(gpu, &[x, x].concat());
            let offsets = [0, x.len() as u32, x.len() as u32, 2 * x.len() as u32];
            let answers = reducer.reduce_each(Input::range(&buffer, 0..2 * x.len() as u64).segments(&offsets[..]));
            answers.ok()?.pop()
        }),
        ("record", |gpu, reducer, x| {
            let buffer = upload(gpu, x);
            let answer = recorded(gpu, reducer, [Input::range(&buffer, 0..x.len() as u64)]).pop()?;
            let (words, _) = answer.split_at(answer.len() - 1);
            O::default().read(words, x.len() as u64).ok()
        }),
        ("stream", |gpu, _, x| {
            let mut stream = gpu.stream(O::default(), &StreamOptions::default()).ok()?;
            x.chunks(7).try_for_each(|part| stream.push(part)).ok()?;
            Some(stream.finish().ok()?.output)
        }),
        ("partials", |gpu, reducer, x| {
            let (front, back) = x.split_at(x.len() / 2);
            let buffer = upload(gpu, back);
            let back = reducer.partial(Input::range(&buffer, 0..back.len() as u64)).ok()?;
            let bytes = back.merge(Cpu::with_threads(1).partial(O::default(), front)).ok()?.to_bytes().ok()?;
            Partial::from_bytes(O::default(), &bytes).ok()?.finish().ok()
        }),
    ]
}

/// Every `step`th of these inputs through every door; f64 by segments only where every combination is wanted, since a
/// software driver compiles these kernels for a minute.
pub(super) fn through<T: Element, O: Exactly<T>>(sets: &[Set<T>], step: usize, failures: &mut Failures) {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
    let records = recordable::<T, O>() && O::default().answer().is_some();
    assert_eq!(reducer.answer_words() > 0, O::default().answer().is_some(), "{} says otherwise in its page", O::NAME);
    // Devices have no segments of three long sums and more.
    let long = [("skewness", Dtype::F32), ("kurtosis", Dtype::F32)];
    let long_pairs = ["covariance", "correlation", "cosine"].map(|name| (name, Dtype::F64x2));
    let has_segments = !long.iter().chain(&long_pairs).any(|&of| of == (O::NAME, T::DTYPE));
    let segments = has_segments && (all() || !matches!(T::DTYPE, Dtype::F64 | Dtype::F64x2));
    let skipped = |name: &str| name == "record" && !records || name == "segments" && !segments;
    for (name, door) in doors::<T, O>().into_iter().filter(|(name, _)| !skipped(name)) {
        for set in sets.iter().step_by(step) {
            // Rows have elements.
            if matches!(name, "Cpu::reduce_each" | "rows") && set.elements.is_empty() {
                continue;
            }
            match door(&gpu, &reducer, &set.elements) {
                Some(output) => failures.judge::<T, O>(name, set, O::told(&output)),
                None => failures.0.push(format!("{name}: {} of {}: no answer", O::NAME, set.name)),
            }
        }
    }
}

/// Elements that cancel down to a small rest: the condition, Σ|x| / |Σx|, is about 10^`digits`.
fn conditioned(digits: i32, seed: u64) -> Set<f32> {
    let mut random = Random(seed);
    let mut at = |from: i32, to: i32| {
        let exponent = from + random.below((to - from) as u64) as i32;
        2f32.powi(exponent) * (1.0 + random.below(1 << 23) as f32 / (1 << 23) as f32)
    };
    let bits = (f64::from(digits) * std::f64::consts::LOG2_10) as i32;
    let low = -bits / 2;
    let mut elements: Vec<f32> = (0..60).map(|_| at(low + 1, low + bits)).flat_map(|x| [x, -x]).collect();
    elements.extend((0..9).map(|_| at(low - 3, low)));
    shuffle(&mut elements, seed);
    Set::new(format!("condition 1e{digits}"), elements)
}

/// A float and half a unit of its last place, with a little more, a little less, and neither; at every exponent that has it.
fn half_way() -> Vec<Set<f32>> {
    let mut sets = Vec::new();
    for exponent in -125..=127 {
        let x = f32::from_bits(((exponent + 127) as u32) << 23 | (exponent as u32 & 3));
        let half = if exponent - 24 >= -126 { 2f32.powi(exponent - 24) } else { f32::from_bits(1 << (exponent + 125)) };
        let little = [0.0, f32::from_bits(1), -f32::from_bits(1)][exponent.rem_euclid(3) as usize];
        let sign = if exponent % 2 == 0 { 1.0 } else { -1.0 };
        sets.push(Set::new(format!("half-way at 2^{exponent}"), vec![sign * x, sign * half, little]));
    }
    sets
}

fn hard() -> Vec<Set<f32>> {
    let conditions = [4, 8, 15, 22, 30, 38, 45, 52, 60];
    let mut sets: Vec<_> = conditions.iter().map(|&digits| conditioned(digits, digits as u64)).collect();
    sets.extend(half_way());
    sets
}

#[test]
fn sums_and_means() {
    let mut failures = Failures::default();
    through::<f32, Sum>(&hard(), 7, &mut failures);
    through::<f32, Sum>(&inputs(500), 19, &mut failures);
    through::<f32, Mean>(&hard(), 17, &mut failures);
    through::<f64, Sum>(&inputs(300), 37, &mut failures);
    through::<i32, Mean>(&integers(), 1, &mut failures);
    through::<u32, Mean>(&integers(), 1, &mut failures);
    failures.none();
}

#[test]
fn products() {
    let mut failures = Failures::default();
    through::<f32, SumOfSquares>(&inputs(500), 29, &mut failures);
    through::<f32, Norm2>(&hard(), 17, &mut failures);
    // x·y and -x·y with other factors, so that products cancel.
    let pairs = |set: &Set<f32>| {
        let pairs = set.elements.iter().map(|&x| if x.to_bits() % 2 == 0 { [x / 8.0, 8.0] } else { [0.5, x * 2.0] });
        Set::new(set.name.clone(), pairs.collect())
    };
    let pairs: Vec<_> = hard().iter().map(pairs).collect();
    through::<[f32; 2], Dot>(&pairs, 13, &mut failures);
    failures.none();
}

#[test]
fn spreads() {
    let mut failures = Failures::default();
    through::<f32, Variance>(&hard(), 17, &mut failures);
    through::<f32, Std>(&inputs(400), 31, &mut failures);
    through::<i32, Variance>(&integers(), 1, &mut failures);
    through::<u32, Std>(&integers(), 1, &mut failures);
    through::<i32, Std>(&integers(), 1, &mut failures);
    through::<f32, Sem>(&inputs(400), 31, &mut failures);
    through::<u32, Sem>(&integers(), 1, &mut failures);
    failures.none();
}

/// Every door over everything: minutes.
#[test]
#[ignore = "minutes: cargo test --test exact doors:: -- --include-ignored"]
fn everything() {
    let mut failures = Failures::default();
    let sets: Vec<_> = hard().into_iter().chain(inputs(700)).collect();
    through::<f32, Sum>(&sets, 1, &mut failures);
    through::<f32, Mean>(&sets, 1, &mut failures);
    through::<f32, SumOfSquares>(&sets, 1, &mut failures);
    through::<f32, Norm2>(&sets, 1, &mut failures);
    through::<f32, Variance>(&sets, 1, &mut failures);
    through::<f32, Std>(&sets, 1, &mut failures);
    failures.none();
}

/// Extremes, neighbours far from 0, and numbers whose sums have more digits than an f64.
fn integers<T: Element>() -> Vec<Set<T>> {
    let word = |bits: u32| T::from_pattern(bits.into());
    let mut random = Random(5);
    let lists = [
        vec![],
        vec![0],
        vec![u32::MAX],
        vec![0x8000_0000, 0x8000_0000, 0x7fff_ffff],
        vec![0x7fff_ffff; 1000],
        vec![2_000_000_000, 2_000_000_001],
        (0..777).map(|_| random.below(1 << 32) as u32).collect(),
        (0..99).map(|i| 0x7fff_ff00 + i).collect(),
    ];
    let set = |(at, list): (usize, Vec<u32>)| Set::new(format!("integers {at}"), list.into_iter().map(word).collect());
    lists.into_iter().enumerate().map(set).collect()
}
