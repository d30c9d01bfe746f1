//! Operators over those elements only that pass a condition: on the host against the operator over the others alone, on devices against the
//! host, in every kind of kernel and arrangement.

use crate::common::*;
use treefold::half::{bf16, f16};
use treefold::ops::{
    self, ArgMax, Count, Filtered, FindFirst, Histogram, Kept, Max, Mean, MinMax, Numbers, Product, Stats, Sum, TABLE,
    Variance, Visitor, WithoutNan,
};
use treefold::{
    Answer, Cpu, Dtype, DynOp, Element, Engine, Error, Fold, Mapped, Op, Part, Partial, Scalar, StreamOptions, Test,
    Widened, check,
};

fn not_nan() -> Numbers {
    Numbers { not_nan: true, compare: None }
}

fn comparing(text: &str) -> Numbers {
    Numbers { not_nan: false, compare: Some(text.parse().expect("a comparison")) }
}

/// An operator of any kind over the numbers that pass.
fn only<T: Element, O: Op<T, Output: Answer>>(numbers: Numbers, op: O) -> DynOp<T> {
    numbers.filter(DynOp::of(op)).expect("an operator over numbers")
}

/// Small whole numbers, of which no sum rounds, and NaN where there is one: a third of all, or whole stretches.
fn elements<T: Scalar>(random: &mut Random, n: usize) -> Vec<T> {
    let (one, nan): (T, T) = (crate::common::one(), T::NAN.unwrap_or(T::ZERO));
    let mut stretch = 0u64;
    let mut lasting = 0;
    (0..n)
        .map(|_| {
            if lasting == 0 {
                (stretch, lasting) = (random.below(4), 1 + random.below(70));
            }
            lasting -= 1;
            match (stretch, random.below(6)) {
                (0, _) | (1, 0..2) => nan,
                (2, _) => one,
                (_, 0) => T::ZERO,
                (_, 1) => from_bits(0x4040_0000),
                (_, _) => one,
            }
        })
        .collect()
}

/// Whether parts are those of the operator over what passes, whose places were these; sums in another order may round otherwise.
fn are(got: &[Part], want: &[Part], places: &[u64]) -> bool {
    let equal = |(got, want): (&Part, &Part)| {
        let index = want.index.map(|index| places.get(index as usize).copied().unwrap_or(u64::MAX));
        let near = match (got.value.to_f64(), want.value.to_f64()) {
            (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 + 1e-4 * b.abs(),
            _ => got.value == want.value,
        };
        got.name == want.name && got.index == index && near
    };
    got.len() == want.len() && got.iter().zip(want).all(equal)
}

/// Every operator on the host against itself over what passes alone, in inputs of these lengths.
struct Alone<'a> {
    numbers: Numbers,
    lengths: &'a [usize],
}

impl Visitor for Alone<'_> {
    type Out = Vec<String>;

    fn visit<T: Element>(self, op: DynOp<T>) -> Vec<String> {
        match T::DTYPE {
            Dtype::F32 => self.of::<T, f32>(op),
            Dtype::F16 => self.of::<T, f16>(op),
            Dtype::F64 => self.of::<T, f64>(op),
            Dtype::I32 => self.of::<T, i32>(op),
            Dtype::U64 => self.of::<T, u64>(op),
            _ => vec![],
        }
    }
}

impl Alone<'_> {
    fn of<T: Element, S: Scalar>(self, op: DynOp<T>) -> Vec<String> {
        let Some(filtered) = self.numbers.filter(op.clone()) else { return vec!["no operator".into()] };
        // An operator that depends on places other than by finding them has no counterpart without them.
        if op.fold().needs_position() {
            return vec![];
        }
        let test = treefold::Condition::<S>::test(&self.numbers);
        let (cpu, mut failures, mut random) = (Cpu::with_threads(2), vec![], Random(5));
        let engine = Engine::Cpu(cpu.clone());
        for &n in self.lengths {
            let given: Vec<S> = elements(&mut random, n);
            let all: &[T] = bytemuck::cast_slice(&given);
            let want_of = |given: &[S]| {
                let kept: Vec<S> = given.iter().copied().filter(|&x| test.passes(x)).collect();
                let places: Vec<u64> =
                    given.iter().zip(0u64..).filter(|&(&x, _)| test.passes(x)).map(|(_, at)| at).collect();
                let acc = op.fold().accumulate(bytemuck::cast_slice(&kept), 0);
                let parts = op.finish(acc, kept.len() as u64).map(|answer| answer.parts());
                (parts, places, (given.len() - kept.len()) as u64)
            };
            let mut judge = |way: &str, got: treefold::Result<treefold::DynAnswer>, given: &[S]| {
                let (want, places, left_out) = want_of(given);
                let right = match (&got, &want) {
                    (Ok(got), Ok(want)) => {
                        let mut parts = got.parts();
                        let last = parts.pop();
                        last == Some(Part::new("left_out", left_out)) && are(&parts, want, &places)
                    }
                    (Err(got), Err(want)) => got.to_string() == want.to_string(),
                    _ => false,
                };
                if !right {
                    failures.push(format!("{} over {} of {n}, {way}: got {got:?}, want {want:?}", op.name(), T::DTYPE));
                }
            };
            judge("reduced", cpu.reduce(filtered.clone(), all), &given);
            judge("one by one", plain_fold(&filtered, all), &given);
            let mut stream = engine.stream(filtered.clone(), &StreamOptions::default()).expect("a stream");
            all.chunks(100).try_for_each(|part| stream.push(part)).expect("elements");
            judge("streamed", stream.finish().map(|done| done.output), &given);
            let (a, b) = all.split_at(n / 3);
            let partial = cpu.partial_at(filtered.clone(), a, 0);
            let bytes = cpu.partial_at(filtered.clone(), b, a.len() as u64).to_bytes().expect("bytes");
            let other = Partial::from_bytes(filtered.clone(), &bytes).expect("the same");
            judge("in parts", partial.merge(other).and_then(|all| all.finish()), &given);
            for length in [1, 5, 64].into_iter().filter(|length| n > 0 && n % length == 0) {
                // A sum that overflows in a row is an error of all.
                if let Ok(rows) = cpu.reduce_each(filtered.clone(), all, length) {
                    rows.into_iter()
                        .zip(given.chunks(length))
                        .for_each(|(row, given)| judge("in rows", Ok(row), given));
                }
            }
        }
        failures
    }
}

/// Each operator by one of the conditions in turn, or by all; some of them through inputs of several thousand elements.
#[test]
fn the_host_answers_as_over_what_passes_alone() {
    const LENGTHS: [usize; 12] = [0, 1, 2, 7, 8, 9, 33, 64, 65, 320, 4097, 8300];
    let mut failures = vec![];
    let conditions = [not_nan(), comparing("!= 3"), Numbers { not_nan: true, ..comparing("!= 1") }];
    for (turn, entry) in TABLE.iter().filter(|entry| entry.needs.is_none()).enumerate() {
        for (number, &condition) in conditions.iter().enumerate() {
            if all() || number == turn % conditions.len() {
                // The number of lengths: one operator of five meets all of them, two none beyond 320.
                let most = [12, 10, 11, 10, 11][if all() { 0 } else { turn % 5 }];
                let alone = Alone { numbers: condition, lengths: &LENGTHS[..most] };
                failures.extend(ops::visit(entry.name, entry.dtype, alone).into_iter().flatten());
            }
        }
    }
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// An operator of the table on the device, over what passes.
struct OnDevice<'a, 'b>(&'b mut Compare<'a>, Numbers);

impl Visitor for OnDevice<'_, '_> {
    type Out = ();

    fn visit<T: Element>(self, op: DynOp<T>) {
        let OnDevice(compare, numbers) = self;
        if let Some(op) = numbers.filter(op).filter(|op| op.fold().host_only().is_none()) {
            compare.all(&op);
        }
    }
}

/// Special values, NaN among them, in every position; every operator of f32, and of other types those of each kind of kernel. Where not every
/// combination is wanted, answers on the device by subgroups and on the host without, half of those of f32 and of pairs in either way.
#[test]
fn devices_answer_as_the_host() {
    for shape in [small(), small().with(|tuning| tuning.subgroups = false)] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        const LENGTHS: [usize; 10] = [0, 1, 2, 3, 15, 16, 17, 65, 300, 1537];
        let mut compare = Compare::one_way(&gpu, &LENGTHS, shape.subgroups);
        let entries = TABLE.iter().filter(|entry| entry.host_only.is_none() && entry.needs.is_none());
        for (number, entry) in entries.enumerate() {
            let some = ["sum", "max", "argmin", "mean"].contains(&entry.name);
            let alone = !some && entry.dtype == Dtype::F32;
            // One of those whose kernels take a compiler seconds.
            if !all() && entry.name != "covariance" && is_long(entry.name, entry.dtype) {
                continue;
            }
            let numbers = match entry.dtype {
                Dtype::F32 if alone && !all() && (number % 2 == 0) != shape.subgroups => continue,
                Dtype::F32 if alone && !all() => not_nan(),
                Dtype::F32 if shape.subgroups => not_nan(),
                Dtype::F32 if some => Numbers { not_nan: true, ..comparing("!= 1") },
                Dtype::F16 | Dtype::F64 if some && shape.subgroups => not_nan(),
                Dtype::I32 | Dtype::U64 if some && shape.subgroups => comparing("> 1"),
                Dtype::F16 | Dtype::F64 | Dtype::I64 if entry.name == "argmin" => comparing("<= 1"),
                Dtype::F32x2 if all() || (number % 2 == 0) == shape.subgroups => not_nan(),
                _ => continue,
            };
            ops::visit(entry.name, entry.dtype, OnDevice(&mut compare, numbers));
        }
        compare.all::<f32, _>(&only(not_nan(), TextHash));
        compare.all::<u32, _>(&only(comparing("> 7"), WeightedSum));
        compare.all::<f32, _>(&only(not_nan(), Histogram::new(9, -1.0, 1.0).expect("a histogram")));
        compare.all::<i32, _>(&Filtered::new("return (x & 3) != 0;", |x: i32| x & 3 != 0, (Sum, ArgMax)));
        compare.all::<bf16, _>(&Widened(only(not_nan(), Mean)));
        compare.all::<u8, _>(&Widened(only(comparing("> 100"), Sum)));
        compare.all::<f32, _>(&(Filtered::not_nan(Sum), Filtered::not_nan(Mean), Max));
        none(compare.failures, &gpu);
    }
}

/// Maps of those elements that pass, which are judged as they are read.
#[test]
fn maps_take_what_passes() {
    let gpu = gpu();
    let mut compare = Compare::new(&gpu, &[0, 1, 2, 17, 300]);
    let signs = || Mapped::new("return bitcast<u32>(x) >> 31u;", |x: f32| x.to_bits() >> 31, (Sum, ArgMax));
    compare.all::<f32, _>(&Filtered::not_nan(signs()));
    let first = Mapped::new("return bitcast<u32>(x.x);", |x: [f32; 2]| x[0].to_bits(), Sum);
    compare.all::<[f32; 2], _>(&Filtered::by(not_nan(), first));
    let both = Mapped::new("return bitcast<u32>(x) >> 31u;", |x: f32| x.to_bits() >> 31, (Sum, Max));
    let failures = [groups::<f32, _>(&gpu, &only(not_nan(), both), &[(3000, 5, 1)]), compare.failures].concat();
    none(failures, &gpu);
    let kept = Cpu::new().reduce(Filtered::not_nan(signs()), &[-1.0, f32::NAN, 1.0]).expect("answers");
    assert_eq!((kept.answer.0, kept.left_out), (1, 1));
    for twice in [
        only::<f32, _>(not_nan(), Filtered::comparing("> 1".parse().expect("a comparison"), Sum)),
        DynOp::of(Mapped::new("return abs(x);", |x: f32| x.abs(), Filtered::not_nan(Sum))),
    ] {
        let error = gpu.reduce(twice.clone(), &[1.0]).expect_err("a condition behind another");
        assert!(error.to_string().contains("has no WGSL; make"), "{error}");
        assert!(Cpu::new().reduce(twice, &[1.0, f32::NAN]).is_ok());
    }
}

#[test]
fn rows_and_views() {
    by_few_shapes(&[1, 2, 3, 33, 64, 257, 1000], |gpu, some| {
        let found = rows::<f32, _>(gpu, &only(not_nan(), (ArgMax, Mean)), some);
        [rows::<u32, _>(gpu, &only(comparing("> 9"), WeightedSum), some), found].concat()
    });
    let some = [
        View::of(&[300, 16], &[0]),
        View::of(&[67, 33], &[-1]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[4, 6, 5, 7, 3], &[0, 2, -1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
    ];
    by_few_shapes(&some, |gpu, some| {
        let hashes = views::<u32, _>(gpu, &only(comparing("> 9"), TextHash), some);
        [
            hashes,
            views::<f16, _>(gpu, &only(not_nan(), MinMax), some),
            views::<f32, _>(gpu, &only(not_nan(), Sum), some),
        ]
        .concat()
    });
}

#[test]
fn segments_and_groups() {
    let all: [Lengths; 3] =
        [(900, vec![3, 3, 4, 71, 71, 500, 899]), (9000, vec![0, 1, 8999, 9000]), (3000, (0..=3000).collect())];
    by_few_shapes(&all, |gpu, some| {
        let sums = segments::<f32, _>(gpu, &only(not_nan(), (Sum, Max)), some);
        [segments::<u32, _>(gpu, &only(comparing("> 9"), WeightedSum), some), sums].concat()
    });
    let spreads: [Spread; 4] = [(0, 3, 0), (3000, 1, 1), (5000, 33, 5), (257, 8, 8)];
    by_few_shapes(&spreads, |gpu, some| {
        let sums = groups::<f32, _>(gpu, &only(not_nan(), Sum), some);
        [groups::<u32, _>(gpu, &only(comparing("> 9"), (Sum, Max)), some), sums].concat()
    });
}

/// Of nothing but NaN there is what the operator answers about nothing; and where it is found, it stands among all.
#[test]
fn both_engines_answer_in_numbers() {
    let nan = f32::NAN;
    let data = [nan, 4.0, nan, 8.0, nan, nan, nan, nan];
    let axes = treefold::Axes::of(&[2, 4], &[1]).expect("axes");
    for engine in [Engine::Cpu(Cpu::with_threads(1)), Engine::Gpu(gpu())] {
        let op = || Filtered::not_nan((ArgMax, Sum, Mean, Stats { ddof: 1 }, Variance::default()));
        let mut stream = engine.stream_each(op(), &axes, &StreamOptions::default()).expect("a stream");
        stream.push(&data).expect("elements");
        let rows = stream.finish().expect("answers");
        let (found, sum, mean, stats, variance) = rows[0].answer;
        assert_eq!((found.map(|found| found.index), sum, mean, variance), (Some(3), 12.0, Some(6.0), Some(4.0)));
        assert_eq!((stats.count, stats.nan_count, stats.std), (2, 0, Some(8f64.sqrt())));
        assert_eq!(rows[0].left_out, 2);
        let (found, sum, mean, stats, variance) = rows[1].answer;
        assert_eq!((found, sum, mean, stats.mean, variance, rows[1].left_out), (None, 0.0, None, None, None, 4));
        let whole = engine.reduce(Filtered::not_nan(Product), &data).expect("a product");
        assert_eq!(whole, Kept { answer: 32.0, left_out: 6 });
        let first = FindFirst { compare: "> 4".parse().expect("a comparison") };
        assert_eq!(
            engine.reduce(Filtered::not_nan(first), &data).expect("found").answer.map(|found| found.index),
            Some(3)
        );
        let below = engine.reduce(Filtered::comparing("< 5".parse().expect("a comparison"), Count), &data);
        assert_eq!(below.expect("a count"), Kept { answer: 1, left_out: 7 });
    }
}

#[test]
fn both_halves_are_compared() {
    let gpu = gpu();
    check::<f32, _>(&gpu, &only(not_nan(), Stats::default())).expect("equal halves");
    let odd = |host: fn(u32) -> bool| Filtered::new("return x % 2u == 1u;", host, (Sum, ArgMax));
    check::<u32, _>(&gpu, &odd(|x| x % 2 == 1)).expect("equal halves");
    let error = check::<u32, _>(&gpu, &odd(|x| x % 4 == 1)).expect_err("another condition");
    assert!(matches!(error, Error::Disagrees { .. }), "{error}");
}

#[test]
fn partials_are_of_one_condition() {
    let part = |numbers: Numbers| Cpu::new().partial(Filtered::by(numbers, Sum), &[1.5f32]).to_bytes().expect("bytes");
    let read = |bytes: &[u8]| Partial::<f32, _>::from_bytes(Filtered::not_nan(Sum), bytes);
    assert_eq!(read(&part(not_nan())).expect("the same").finish().expect("a sum"), Kept { answer: 1.5, left_out: 0 });
    let error = read(&part(comparing("> 1"))).map(drop).expect_err("another condition").to_string();
    assert!(["sum where not nan", "sum where > 1"].iter().all(|name| error.contains(name)), "{error}");
}

#[test]
fn wrong_texts_are_errors() {
    let gpu = gpu();
    let of = |text: &'static str| gpu.reducer::<f32, _>(Filtered::new(text, |_: f32| true, Max)).map(drop);
    let error = of("let y = x * 2.0;\nreturn y > z;").expect_err("an unknown name").to_string();
    assert!(["`keep_element`", "line 2", "return y > z;", "max"].iter().all(|word| error.contains(word)), "{error}");
    let looping = "var y = x;\nfor (var k = 0; k < 3; k++) { y += 1.0; }\nreturn y > 5.0;";
    let error = of(looping).expect_err("a loop");
    assert!(matches!(error, Error::UndeclaredLoop { function: "keep_element", .. }), "{error}");
    let declared = Filtered::new(looping, |x: f32| x + 3.0 > 5.0, Sum).trips(3);
    assert_eq!(gpu.reduce(declared, &[1.0f32, 3.0]).expect("a sum"), Kept { answer: 3.0, left_out: 1 });
    let wide = Filtered::new("", |x: f64| x > 1.0, Sum);
    let error = gpu.reduce(wide.clone(), &[1.0f64]).expect_err("of 64 bits").to_string();
    assert!(error.contains("conditions in WGSL take numbers of 32 bits"), "{error}");
    assert_eq!(Cpu::new().reduce(wide, &[1.0f64, 2.0]).expect("a sum"), Kept { answer: 2.0, left_out: 1 });
}

/// The first of several, wherever it stands, by every way to an answer.
#[test]
fn nan_is_an_error_with_its_place() {
    #[track_caller]
    fn refused<A: std::fmt::Debug>(got: treefold::Result<A>, operator: &str, index: u64) {
        match got {
            Err(Error::IsNan { operator: of, index: at }) => assert_eq!((of, at), (operator, index)),
            other => panic!("{operator}: {other:?}, where element {index} is NaN"),
        }
    }
    for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
        for n in [1usize, 2, 33, 1000, 70_001] {
            let whole: Vec<f32> = (0..n).map(|at| (at % 7) as f32).collect();
            let sum = engine.reduce(WithoutNan(Sum), &whole).expect("a sum");
            assert_eq!(sum, engine.reduce(Sum, &whole).expect("a sum"), "{n} elements");
            for at in [0, n / 3, n - 1] {
                let mut with = whole.clone();
                (with[at], with[n - 1]) = (f32::from_bits(0xff80_0001), f32::NAN);
                refused(engine.reduce(WithoutNan(Sum), &with), "sum", at as u64);
                refused(engine.reduce(WithoutNan((Max, Stats::default())), &with), "tuple", at as u64);
                let mut stream = engine.stream(WithoutNan(Mean), &StreamOptions::default()).expect("a stream");
                with.chunks(300).try_for_each(|part| stream.push(part)).expect("elements");
                refused(stream.finish(), "mean", at as u64);
            }
        }
        let rows = [1.0f64, 2.0, 3.0, f64::NAN, 5.0, 6.0];
        let by_rows = |rows: &[f64]| {
            let axes = treefold::Axes::of(&[rows.len() as u64 / 3, 3], &[1]).expect("axes");
            let mut stream = engine.stream_each(WithoutNan(Max), &axes, &StreamOptions::default()).expect("a stream");
            stream.push(rows).expect("elements");
            stream.finish()
        };
        assert_eq!(by_rows(&rows[..3]).expect("a row"), [Some(3.0)]);
        refused(by_rows(&rows), "max", 0);
        assert_eq!(engine.reduce(WithoutNan(Mean), &[] as &[f32]).expect("no mean"), None);
        assert_eq!(engine.reduce(WithoutNan(Sum), &[u32::MAX, 1]).expect("a sum"), 1 << 32);
    }
    // Merged from parts; whatever the operator itself makes of NaN.
    let cpu = Cpu::new();
    let part = |elements: &[f32], first: u64| cpu.partial_at(WithoutNan(Count), elements, first);
    let [a, b] = [part(&[1.0, 2.0], 0), part(&[3.0, f32::NAN], 2)];
    refused(a.merge(b).and_then(|both| both.finish()), "count", 3);
    let bytes = part(&[f32::NAN], 0).to_bytes().expect("bytes");
    let error = Partial::<f32, _>::from_bytes(Count, &bytes).map(drop).expect_err("another operator").to_string();
    assert!(error.contains("count without nan"), "{error}");
    check::<f32, _>(&gpu(), &WithoutNan(Mean)).expect("equal halves");
}
