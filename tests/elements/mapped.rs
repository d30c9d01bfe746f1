//! Operators over what a function makes of each element: every kind of kernel and arrangement, against the function and the operator one
//! after the other.

use crate::common::*;
use treefold::ops::{
    ArgMax, Count, CountNonzero, FastSum, Filtered, Histogram, LogSumExp, Max, Mean, MinMax, Product, Stats, Sum,
    Variance, WithoutNan, Xor,
};
use treefold::{Cpu, Element, Engine, Error, Input, Map, Mapped, Op, Partial, Reducer, StreamOptions, Widened, check};

/// Maps without rounding, of each width: `O` over other elements.
fn negated<O>(op: O) -> impl Op<f32, Output = O::Output>
where
    O: Op<f32, Output: treefold::Answer>,
{
    // Devices may lose the bits of a NaN that they negate.
    let text = "return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);";
    Mapped::new(text, |x: f32| f32::from_bits(x.to_bits() ^ 0x8000_0000), op)
}

fn mixed<O: Op<u32, Output: treefold::Answer>>(op: O) -> impl Op<u32, Output = O::Output> {
    Mapped::new("return (x * 2654435761u) ^ (x >> 7u);", |x: u32| x.wrapping_mul(2_654_435_761) ^ (x >> 7), op)
}

fn both<O: Op<u32, Output: treefold::Answer>>(op: O) -> impl Op<[f32; 2], Output = O::Output> {
    let text = "let both = bitcast<vec2<u32>>(x);\nreturn both.x ^ (both.y * 3u);";
    Mapped::new(text, |[a, b]: [f32; 2]| a.to_bits() ^ b.to_bits().wrapping_mul(3), op)
}

fn four<O: Op<i32, Output: treefold::Answer>>(op: O) -> impl Op<[f32; 4], Output = O::Output> {
    let text = "let all = bitcast<vec4<i32>>(x);\nreturn (all.x ^ all.y) - (all.z ^ all.w);";
    let host = |x: [f32; 4]| {
        let [a, b, c, d] = x.map(|x| x.to_bits() as i32);
        (a ^ b).wrapping_sub(c ^ d)
    };
    Mapped::new(text, host, op)
}

/// The element and its place.
#[derive(Clone)]
struct Placed;

impl<T: Element> Map<T> for Placed {
    type To = u32;
    fn wgsl(&self) -> std::borrow::Cow<'static, str> {
        "return bitcast<u32>(x) ^ (i * 40503u);".into()
    }
    fn map(&self, x: T, index: u64) -> u32 {
        x.pattern() as u32 ^ (index as u32).wrapping_mul(40_503)
    }
    fn reads_place(&self) -> bool {
        true
    }
}

#[test]
fn every_length_from_any_place() {
    for (turn, shape) in shapes().into_iter().enumerate() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let lengths = lengths(&shape);
        let mut compare = Compare::part(&gpu, &lengths, turn, 2);
        compare.all::<f32, _>(&negated(TextHash));
        compare.all::<u32, _>(&mixed(WeightedSum));
        compare.all::<[f32; 2], _>(&both(TextHash));
        compare.all::<[f32; 4], _>(&four(TextHash));
        compare.all::<i32, _>(&Mapped::by(Placed, TextHash));
        none(compare.failures, &gpu);
    }
}

/// Operators with each kind of kernel.
#[test]
fn operators_answer_as_over_what_is_made() {
    for (turn, shape) in [small(), small().with(|tuning| tuning.subgroups = false)].into_iter().enumerate() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let mut compare = Compare::part(&gpu, &[0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 300, 1537], turn, 2);
        compare.all::<f32, _>(&negated((Sum, Max, ArgMax)));
        compare.all::<f32, _>(&negated(FastSum));
        compare.all::<f32, _>(&negated((Mean, Variance::default())));
        compare.all::<f32, _>(&negated(Histogram::new(9, -1.0, 1.0).expect("a histogram")));
        compare.all::<f32, _>(&negated(LogSumExp::default()));
        compare.all::<u32, _>(&mixed((Xor, Product, MinMax)));
        compare.all::<u32, _>(&mixed((Sum, Variance { ddof: 1 })));
        compare.all::<[f32; 2], _>(&both((Sum, ArgMax)));
        compare.all::<[f32; 4], _>(&four((Sum, MinMax)));
        compare.all::<u8, _>(&Widened(mixed(Sum)));
        let signs = Mapped::new("return u32(x > 0);", |x: i32| u32::from(x > 0), CountNonzero);
        compare.all::<i16, _>(&Widened((signs, Mapped::new("return u32(x & 7);", |x: i32| x as u32 & 7, Sum))));
        compare.all::<u32, _>(&Mapped::by(Placed, (Sum, ArgMax)));
        compare.all::<f32, _>(&Mapped::by(Placed, Xor));
        none(compare.failures, &gpu);
    }
}

#[test]
fn rows_and_views() {
    by_few_shapes(&[1, 2, 3, 31, 33, 64, 100, 257, 1000], |gpu, some| {
        let placed = rows::<u32, _>(gpu, &Mapped::by(Placed, WeightedSum), some);
        [rows::<f32, _>(gpu, &negated(Sum), some), rows::<[f32; 2], _>(gpu, &both(TextHash), some), placed].concat()
    });
    let some = [
        View::of(&[300, 16], &[0]),
        View::of(&[67, 33], &[-1]),
        View::of(&[2000, 3], &[0]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[4, 6, 5, 7, 3], &[0, 2, -1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
    ];
    by_few_shapes(&some, |gpu, some| {
        let placed = views::<i32, _>(gpu, &Mapped::by(Placed, WeightedSum), some);
        [views::<u32, _>(gpu, &mixed(TextHash), some), views::<f32, _>(gpu, &negated(Sum), some), placed].concat()
    });
}

#[test]
fn segments_and_groups() {
    let all: [Lengths; 4] = [
        (0, vec![0]),
        (900, vec![3, 3, 4, 71, 71, 500, 899]),
        (9000, vec![0, 1, 8999, 9000]),
        (3000, (0..=3000).collect()),
    ];
    by_few_shapes(&all, |gpu, some| {
        let placed = segments::<u32, _>(gpu, &Mapped::by(Placed, WeightedSum), some);
        [segments::<f32, _>(gpu, &negated((Sum, Max)), some), segments::<u32, _>(gpu, &mixed(TextHash), some), placed]
            .concat()
    });
    let spreads: [Spread; 4] = [(0, 3, 0), (3000, 1, 1), (5000, 33, 5), (257, 8, 8)];
    by_few_shapes(&spreads, |gpu, some| {
        [groups::<f32, _>(gpu, &negated(Sum), some), groups::<u32, _>(gpu, &mixed((Sum, Max)), some)].concat()
    });
}

/// Slices, streams and partials, through both engines; over types that devices have no functions for, on the CPU.
#[test]
fn from_the_host() {
    let op = || (negated(Sum), negated(ArgMax));
    for n in [0usize, 1, 3, 70_001] {
        let elements: Vec<f32> = Random(3).elements(n);
        let made: Vec<f32> = elements.iter().map(|x| -x).collect();
        let want = Cpu::new().reduce((Sum, ArgMax), &made).expect("answers");
        for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(2))] {
            assert_eq!(engine.reduce(op(), &elements).expect("answers"), want);
            let mut stream = engine.stream(op(), &StreamOptions::default()).expect("a stream");
            elements.chunks(777).try_for_each(|part| stream.push(part)).expect("elements");
            assert_eq!(stream.finish().expect("answers").output, want);
        }
    }
    let half = Mapped::new("", |x: f64| x / 2.0, (Sum, Max));
    let want = (3.0, Some(2.0));
    assert_eq!(Cpu::new().reduce(half.clone(), &[2.0f64, 4.0]).expect("answers"), want);
    let error = gpu().reduce(half, &[2.0f64, 4.0]).expect_err("of 64 bits");
    assert!(matches!(error, Error::HostOnly { .. }), "{error}");
}

/// Members of a tuple share an accumulator only where they are of one function.
#[test]
fn members_of_a_tuple_keep_their_functions() {
    let of = |text: &str| treefold::Expression::of_element(text, treefold::Dtype::F32).expect("an expression");
    let sum = |text: &str| of(text).map::<f32, f32, _>(Sum).expect("of f32");
    let times = |by: f32| Mapped::new("return x;", move |x: f32| x * by, Sum);
    let elements: Vec<f32> = (0..3000u16).map(|i| f32::from(i % 10)).collect();
    for engine in [Engine::Cpu(Cpu::with_threads(1)), Engine::Gpu(gpu())] {
        let found = engine.reduce((sum("x * x"), sum("x + 1"), sum("x * x")), &elements).expect("answers");
        assert_eq!(found, (85_500.0, 16_500.0, 85_500.0), "{}", engine.name());
    }
    assert_eq!(Cpu::new().reduce((times(2.0), times(3.0)), &elements).expect("answers"), (27_000.0, 40_500.0));
    let mut reducer: Reducer<f32, _> = gpu().reducer(sum("x * x")).expect("a reducer");
    let error = reducer.set_op(sum("x + 1")).expect_err("another function");
    assert!(matches!(error, Error::OtherOperator { .. }), "{error}");
}

/// Functions of one type and one text are told apart, however deep they stand: nothing takes over the accumulator of another.
#[test]
fn functions_of_one_text_keep_apart() {
    let (cpu, xs) = (Cpu::new(), [1.0f32, 2.0, 3.0, 10.0]);
    let times = |k: f32| Mapped::new("return x;", move |x: f32| x * k, Sum);
    let twice = |a: f32, b: f32| {
        Mapped::new("return x;", move |x: f32| x * b, Mapped::new("return x;", move |x: f32| x * a, Sum))
    };
    let above = |k: f32| Filtered::new("return x > 0.0;", move |x: f32| x > k, Count);
    // As numbers of functions grow, so that no two happen to agree.
    for _ in 0..40 {
        assert_eq!(cpu.reduce((WithoutNan(times(1.0)), WithoutNan(times(2.0))), &xs).expect("sums"), (16.0, 32.0));
        let both = cpu.reduce(((times(1.0), Max), (times(2.0), Max)), &xs).expect("answers");
        assert_eq!((both.0.0, both.1.0), (16.0, 32.0));
        let (all, few) = cpu.reduce((above(0.0), above(5.0)), &xs).expect("counts");
        assert_eq!((all.answer, few.answer), (4, 1));
        let products = cpu.reduce((twice(1.0, 1.0), twice(2.0, 2.0), twice(3.0, 3.0)), &xs).expect("sums");
        assert_eq!(products, (16.0, 64.0, 144.0));
        let one = times(3.0);
        assert_eq!(cpu.reduce((WithoutNan(one.clone()), (one, Max)), &xs).expect("sums").0, 48.0);
    }
}

#[test]
fn partials_are_of_one_function() {
    let sum = |text: &'static str| Mapped::new(text, |x: f32| x.abs(), Sum);
    let part = |text| Cpu::new().partial(sum(text), &[-1.5f32]).to_bytes().expect("a partial");
    let (a, b) = (part("return abs(x);"), part("return x;"));
    let read = Partial::from_bytes(sum("return abs(x);"), &a).expect("of this function");
    assert_eq!(read.finish().expect("a sum"), 1.5);
    let error = Partial::from_bytes(sum("return abs(x);"), &b).map(drop).expect_err("of another");
    assert!(["sum of abs(x)", "sum of x"].iter().all(|name| error.to_string().contains(name)), "{error}");
}

#[test]
fn both_halves_are_compared() {
    let gpu = gpu();
    check::<f32, _>(&gpu, &negated((Sum, MinMax))).expect("equal halves");
    check::<u32, _>(&gpu, &Mapped::by(Placed, (Sum, ArgMax))).expect("equal halves");
    let logs = |host: fn(f32) -> f32| Mapped::new("return log2(abs(x) + 1.0);", host, Mean).within(1e-6, 1e-5);
    check::<f32, _>(&gpu, &logs(|x| (x.abs() + 1.0).log2())).expect("halves that are near");
    let error = check::<f32, _>(&gpu, &logs(|x| (x.abs() + 1.0).ln())).expect_err("another logarithm");
    assert!(matches!(error, Error::Disagrees { .. }), "{error}");
    let error =
        check::<i32, _>(&gpu, &Mapped::new("return x ^ 1;", |x: i32| x ^ 3, Max)).expect_err("another function");
    assert!(matches!(error, Error::Disagrees { .. }), "{error}");
}

/// Texts that are wrong point at the line; loops must be declared; what shares a text must make one type.
#[test]
fn wrong_texts_are_errors() {
    let gpu = gpu();
    let reducer = |text: &'static str| gpu.reducer::<f32, _>(Mapped::new(text, |x: f32| x, Max)).map(drop);
    let error = reducer("let y = x * 2.0;\nreturn y + z;").expect_err("an unknown name");
    assert!(
        ["`map_element`", "line 2", "return y + z;", "max"].iter().all(|word| error.to_string().contains(word)),
        "{error}"
    );
    let error = reducer("return 1u;").expect_err("another type");
    assert!(matches!(error, Error::BadWgsl { .. }), "{error}");
    let looping = "var y = x;\nfor (var k = 0; k < 3; k++) { y += 1.0; }\nreturn y;";
    let error = reducer(looping).expect_err("a loop");
    assert!(matches!(error, Error::UndeclaredLoop { function: "map_element", .. }), "{error}");
    let declared = Mapped::new(looping, |x: f32| x + 1.0 + 1.0 + 1.0, (Sum, Max)).trips(3);
    let elements: Vec<f32> = (0..5000u16).map(f32::from).collect();
    assert_eq!(gpu.reduce(declared, &elements).expect("a sum"), (12_512_500.0, Some(5002.0)));
    let endless = Mapped::new(looping, |x: f32| x, Max).trips(20_000);
    let error = gpu.reducer::<f32, _>(endless).map(drop).expect_err("too many trips");
    assert!(matches!(error, Error::TooManyTrips { .. }), "{error}");
    let two = (Mapped::new("return u32(x > 0.0);", |x: f32| u32::from(x > 0.0), Sum), Max);
    let error = gpu.reduce(two.clone(), &[1.0f32]).expect_err("two types");
    assert!(error.to_string().contains("different types"), "{error}");
    assert_eq!(Cpu::new().reduce(two, &[1.0f32]).expect("answers"), (1, Some(1.0)));
    let twice = negated(negated(Sum));
    let error = gpu.reduce(twice.clone(), &[1.0f32]).expect_err("a map of a map");
    assert!(error.to_string().contains("one function of both"), "{error}");
    assert_eq!(Cpu::new().reduce(twice, &[1.0f32]).expect("a sum"), 1.0);
}

/// The exact kernels are tested over what they add up: a function that rounds does not put them aside.
#[test]
fn exact_kernels_pass_their_test_behind_a_map() {
    let gpu = gpu();
    let op = Mapped::new("return exp2(x);", |x: f32| x.exp2(), Stats::default());
    let reducer: Reducer<f32, _> = gpu.reducer(op).expect("a reducer");
    let elements: Vec<f32> = (0..4096u16).map(|i| f32::from(i % 32)).collect();
    let buffer = upload(&gpu, &elements);
    let stats = reducer.reduce(Input::range(&buffer, 0..4096)).expect("statistics");
    assert!((stats.sum / (128.0 * (2f32.powi(32) - 1.0)) - 1.0).abs() < 1e-5, "{stats:?}");
}
