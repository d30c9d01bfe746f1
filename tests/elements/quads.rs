//! Elements of four numbers, of buffers: every arrangement against the same elements one by one, the halves of operators over them,
//! and what no buffer of them is.

use crate::colours::{LargestNumber, MeanColour};
use crate::common::*;
use treefold::{Axes, Cpu, Dtype, Element, Engine, Error, Fold, Input, Op, Result, StreamOptions, Wgsl, check};

type Quad = [f32; 4];

/// [`LargestNumber`], whose text forgets blue.
#[derive(Clone, Copy, Debug)]
pub struct Wrong;

impl Fold<Quad> for Wrong {
    type Acc = u32;
    fn identity(&self) -> u32 {
        LargestNumber.identity()
    }
    fn lift(&self, x: Quad, index: u64) -> u32 {
        LargestNumber.lift(x, index)
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        LargestNumber.combine(a, b)
    }
    fn wgsl(&self) -> Wgsl {
        let lift = "let x = bits & vec4<u32>(0x7fffffffu);\nreturn max(max(x.x, x.y), x.w);";
        Wgsl::new("return 0u;", lift, "return max(a, b);")
    }
}

impl Op<Quad> for Wrong {
    type Fold = Wrong;
    type Output = u32;
    const NAME: &'static str = "forgets_blue";
    const EXACT: bool = true;

    fn fold(&self) -> Wrong {
        Wrong
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc)
    }
}

#[test]
fn every_length_from_any_place() {
    for shape in shapes() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        none(coverage::<Quad>(&gpu, &lengths(&shape)), &gpu);
    }
    none(coverage::<Quad>(&gpu(), &lengths(&small())), &gpu());
}

#[test]
fn bits_and_numbers() {
    for shape in [small(), small().with(|tuning| tuning.subgroups = false)] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let mut compare = Compare::new(&gpu, &[0, 1, 2, 63, 64, 65, 300, 1537]);
        compare.all::<Quad, _>(&(SetHash, LargestNumber, WeightedSum));
        none(compare.failures, &gpu);
    }
}

#[test]
fn operators_have_equal_halves() {
    let gpu = gpu();
    check::<Quad, _>(&gpu, &LargestNumber).expect("equal halves");
    check::<Quad, _>(&gpu, &TextHash).expect("equal halves");
    check::<Quad, _>(&gpu, &(WeightedSum, LargestNumber)).expect("equal halves");
    let wrong = check::<Quad, _>(&gpu, &Wrong).expect_err("halves that differ");
    assert!(matches!(wrong, Error::Disagrees { .. }), "{wrong}");
}

#[test]
fn rows_and_views() {
    by_odd_shapes(&[1, 2, 3, 31, 33, 64, 100, 257, 1000], |gpu, some| {
        [rows::<Quad, _>(gpu, &TextHash, some), rows::<Quad, _>(gpu, &WeightedSum, some)].concat()
    });
    let some = [
        View::of(&[300, 16], &[0]),
        View::of(&[67, 33], &[-1]),
        View::of(&[2000, 3], &[0]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[4, 6, 5, 7, 3], &[0, 2, -1]),
        View::strided(5, &[20, 30], &[300, 2], &[1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
        View::strided(0, &[40, 50], &[1, 40], &[0]),
    ];
    by_odd_shapes(&some, |gpu, some| {
        [views::<Quad, _>(gpu, &SetHash, some), views::<Quad, _>(gpu, &TextHash, some)].concat()
    });
}

#[test]
fn segments_and_counts() {
    let all: [Lengths; 5] = [
        (0, vec![0]),
        (900, vec![3, 3, 4, 71, 71, 500, 899]),
        (700, (0..=230).map(|s| s * 3).collect()),
        (9000, vec![0, 1, 8999, 9000]),
        (3000, (0..=3000).collect()),
    ];
    let rooms: [Room; 5] = [(1, 1, 0), (70, 33, 69), (900, 5, 333), (4, 3000, 3), (17, 512, u32::MAX)];
    by_odd_shapes(&all, |gpu, some| {
        [segments::<Quad, _>(gpu, &SetHash, some), segments::<Quad, _>(gpu, &TextHash, some)].concat()
    });
    by_odd_shapes(&rooms, |gpu, some| counts::<Quad, _>(gpu, &SetHash, some));
}

#[test]
fn keys() {
    let runs_of = [vec![7u32; 300], (0..900).map(|at| at / 4).collect(), (0..70).collect()];
    let spreads: [Spread; 4] = [(0, 3, 0), (3000, 1, 1), (5000, 33, 5), (257, 8, 8)];
    by_odd_shapes(&runs_of, |gpu, some| runs::<u32, Quad, _>(gpu, &TextHash, some));
    by_odd_shapes(&spreads, |gpu, some| groups::<Quad, _>(gpu, &SetHash, some));
}

/// Slices, streams and partials, through both engines.
#[test]
fn from_the_host() {
    let elements: Vec<Quad> = Random(3).elements(70_001);
    let want = plain_fold(&TextHash, &elements).expect("a fold");
    for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(2))] {
        assert_eq!(engine.reduce(TextHash, &elements).expect("a hash"), want);
        let mut options = StreamOptions::default();
        options.memory_bytes = 1 << 20;
        let mut stream = engine.stream(TextHash, &options).expect("a stream");
        elements.chunks(777).try_for_each(|part| stream.push(part)).expect("elements");
        assert_eq!(stream.finish().expect("a hash").output, want);
        let none: &[Quad] = &[];
        assert_eq!(engine.reduce(TextHash, none).expect("a hash"), (0, 1));
    }
    let axes = Axes::of(&[7, 10_000], &[0]).expect("axes");
    let columns = Cpu::new().reduce_axes(SetHash, &elements[..70_000], &axes).expect("hashes");
    let of = |column: usize| elements[..70_000].iter().skip(column).step_by(10_000).copied().collect::<Vec<_>>();
    assert_eq!(columns[77], plain_fold(&SetHash, &of(77)).expect("a fold"));
    let mean = gpu().reduce(MeanColour, &[[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 1.0, 0.0]]).expect("a mean");
    assert_eq!(mean, Some([2.0; 4]));
}

#[test]
fn what_is_no_buffer_of_them() {
    assert_eq!((Dtype::F32x4.name(), Dtype::F32x4.bytes(), Dtype::parse("f32x4")), ("f32x4", 16, None));
    assert_eq!(Quad::from_pattern([1.5, -0.0, 0.0, 0.0].pattern()), [1.5, -0.0, 0.0, 0.0]);
    let gpu = gpu();
    let hash = gpu.reducer::<Quad, _>(SetHash).expect("a reducer");
    let buffer = upload(&gpu, &[0.0f32; 10]);
    let error = hash.reduce(&buffer).expect_err("no whole elements");
    assert!(matches!(error, Error::Misaligned { offset_bytes: 40, multiple: 16, .. }), "{error}");
    let error = hash.reduce(buffer.slice(8..40)).expect_err("between two");
    assert!(matches!(error, Error::Misaligned { offset_bytes: 8, multiple: 16, .. }), "{error}");
    let error = hash.reduce(Input::range(&buffer, 1..3)).expect_err("beyond");
    assert!(matches!(error, Error::OutOfRange { .. }), "{error}");
    assert_eq!(hash.reduce(Input::range(&buffer, 1..2)).expect("a hash").0, 1);
}
