//! Bytes, half words and bf16 as they are packed: every arrangement against the same elements one by one, and operators over them against
//! those over the widened numbers.

use crate::common::*;
use treefold::half::{bf16, f16};
use treefold::internals::Keep;
use treefold::ops::{
    Any, ArgMax, ArgMaxLast, ArgMin, ArgMinLast, CountIf, FastSum, Filtered, Hash, Histogram, LogSumExp, Max, Mean,
    Min, MinMax, Norm1, Norm2, Product, Range, Stats, Sum, SumOfSquares, Variance, Xor,
};
use treefold::{
    Answer, Components, Cpu, Dtype, DynOp, Element, Engine, Error, Gpu, Input, Mapped, Narrow, Op, Partial,
    StreamOptions, Team, Tuning, Value, Widened, check,
};

#[test]
fn every_length_from_any_place() {
    for shape in shapes() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        none(coverage::<u8>(&gpu, &lengths(&shape)), &gpu);
        none(coverage::<i16>(&gpu, &lengths(&shape)), &gpu);
    }
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    none(coverage::<i8>(&gpu, &lengths(&small())), &gpu);
    none(coverage::<u16>(&gpu, &lengths(&small())), &gpu);
    none(coverage::<bf16>(&gpu, &lengths(&small())), &gpu);
}

/// Operators with each kind of kernel, over integers.
fn integers<N: Narrow>(compare: &mut Compare<'_>)
where
    Value: From<N::Wide>,
    Sum: Op<N::Wide, Output: Answer>,
    Product: Op<N::Wide, Output: Answer>,
    Xor: Op<N::Wide, Output: Answer>,
    Variance: Op<N::Wide, Output: Answer>,
    SumOfSquares: Op<N::Wide, Output: Answer>,
    Histogram: Op<N::Wide, Output: Answer>,
    Any: Op<N::Wide, Output: Answer>,
{
    let histogram = Histogram::integers(-7, 120).expect("a histogram");
    compare.all::<N, _>(&Widened((Sum, MinMax, ArgMin)));
    compare.all::<N, _>(&Widened(Product));
    compare.all::<N, _>(&Widened((Xor, CountIf { compare: "> 3".parse().expect("a comparison") })));
    compare.all::<N, _>(&Widened(Variance { ddof: 1 }));
    compare.all::<N, _>(&Widened((SumOfSquares, Any)));
    compare.all::<N, _>(&Widened(histogram));
}

/// Every operator over one of the types at least, and over all of them where every combination is wanted.
#[test]
fn operators_answer_as_over_the_widened_numbers() {
    const LENGTHS: [usize; 12] = [0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 300, 1537];
    for (turn, shape) in [small(), small().with(|tuning| tuning.subgroups = false)].into_iter().enumerate() {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let part = |turn, of, run: &dyn Fn(&mut Compare<'_>)| {
            let mut compare = Compare::part(&gpu, &LENGTHS, turn, of);
            run(&mut compare);
            none(compare.failures, &gpu);
        };
        if turn == 0 || all() {
            part(0, 3, &integers::<u8>);
            part(1, 3, &integers::<i16>);
        }
        if turn == 1 || all() {
            part(2, 3, &integers::<i8>);
            part(0, 3, &integers::<u16>);
        }
        part(turn, 2, &|compare| {
            compare.all::<bf16, _>(&Widened((Sum, Max, ArgMax)));
            compare.all::<bf16, _>(&Widened((Mean, Variance::default())));
            compare.all::<bf16, _>(&Widened(FastSum));
            compare.all::<bf16, _>(&Widened(LogSumExp::default()));
            compare.all::<bf16, _>(&Widened(Histogram::new(9, -1.0, 1.0).expect("a histogram")));
        });
        part(turn, 2, &|compare| {
            compare.all::<f16, _>(&Widened((Stats::default(), ArgMaxLast)));
            compare.all::<f16, _>(&Widened((Norm2, Product)));
            compare.all::<f16, _>(&Widened((FastSum, Range)));
            compare.all::<f16, _>(&Widened((FastSum, Norm2, LogSumExp::default())));
            compare.all::<f16, _>(&Widened(Filtered::not_nan(LogSumExp::default())));
            compare.all::<f16, _>(&Widened(Mapped::new("return x * 0.5;", |x: f32| x * 0.5, Max)));
            compare.all::<f16, _>(&Widened(Histogram::new(9, -1.0, 1.0).expect("a histogram")));
        });
    }
}

/// Every bit pattern of bf16 and of f16, as f32.
#[test]
fn every_half() {
    fn of<N: Narrow<Wide = f32>>(all: impl Iterator<Item = N>) {
        let all: Vec<N> = all.filter(|x| x.widened().is_finite()).collect();
        let wide: Vec<f32> = all.iter().map(|x| x.widened()).collect();
        for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
            let narrow = engine.reduce(Widened((Sum, Max, SumOfSquares)), &all).expect("answers");
            assert_eq!(narrow, engine.reduce((Sum, Max, SumOfSquares), &wide).expect("answers"), "{}", engine.name());
        }
    }
    of((0..=u16::MAX).map(bf16::from_bits));
    of((0..=u16::MAX).map(f16::from_bits));
}

/// The bits of the f32 that a device makes of each f16, NaN and infinities among them.
#[test]
fn every_f16_has_the_bits_of_its_f32() {
    let gpu = gpu();
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let reducer = gpu.reducer::<f16, _>(Widened(Hash)).expect("a reducer");
    let buffer = upload(&gpu, &all);
    for at in (0..all.len()).step_by(64) {
        let some = at..at + 64;
        let wide: Vec<f32> = all[some.clone()].iter().map(|x| x.to_f32()).collect();
        let found = reducer.reduce(Input::range(&buffer, some.start as u64..some.end as u64)).expect("a hash");
        assert_eq!(found, Cpu::new().reduce(Hash, &wide).expect("a hash"), "{some:?}");
    }
}

/// The f32 that a device's own conversion makes of each f16, alone in a row; where it loses subnormals it is found wrong, and not used.
#[test]
fn every_f16_by_the_devices_own_conversion() {
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let op = Widened((FastSum, LogSumExp::default()));
    let want = Cpu::new().reduce_each(op, &all, 1).expect("answers");
    let alone = |gpu: &Gpu| {
        let (reducer, buffer) = (gpu.reducer::<f16, _>(op).expect("a reducer"), upload(gpu, &all));
        let rows = Input::range(&buffer, 0..all.len() as u64).rows(1);
        let found = reducer.reduce_each(rows).expect("answers");
        let bits = |&(sum, soft): &(f32, Option<f32>)| {
            [Some(sum), soft].map(|x| x.map(|x| if x.is_nan() { 1 } else { x.to_bits() }))
        };
        found.iter().map(bits).eq(want.iter().map(bits))
    };
    assert!(alone(&gpu()));
    let lost = ("unpack2x16float(bits).x", "unpack2x16float(select(bits, 0u, (bits & 0x7c00u) == 0u)).x");
    assert!(!notices(Tuning::GPU, lost, |gpu| !alone(gpu)));
    // Nor would that stay unseen.
    assert!(notices_within(|text| text.contains("fn wide_bits"), Tuning::GPU, lost, |gpu| !alone(gpu)));
}

/// Operators over f16 itself and over what it is widened to stand in one read only where all of them are widened; partials tell them apart.
#[test]
fn halves_are_read_in_one_way() {
    let (gpu, halves) = (gpu(), [f16::ONE; 5]);
    let told = |error: Error| {
        assert!(error.to_string().contains("Widened((Sum, Filtered::not_nan(Variance)))"), "{error}");
    };
    told(gpu.reduce((Sum, Widened(Norm2)), &halves).expect_err("two ways"));
    told(gpu.reduce(Filtered::not_nan(Widened(Norm2)), &halves).map(|found| found.answer).expect_err("two ways"));
    told(gpu.reduce(Components(Widened(Norm2)), &[[f16::ONE; 2]]).expect_err("two ways"));
    assert_eq!(Cpu::new().reduce((Sum, Widened(SumOfSquares)), &halves).expect("answers"), (5.0, 5.0));
    let both = gpu.reduce((Widened(SumOfSquares), Widened((Sum, Max))), &halves).expect("answers");
    assert_eq!(both, (5.0, (5.0, Some(1.0))));
    // A team has the CPU engine for what its devices do not read.
    let team = Engine::Team(Team::of(vec![gpu.clone()], Some(Cpu::with_threads(2))));
    let many = vec![f16::ONE; 3_000_000];
    let mixed = team.reduce((Max, Widened(LogSumExp::default())), &many).expect("answers");
    assert_eq!((mixed.0, team.failures()), (Some(f16::ONE), vec![]));
    // Kernels of the one are not the other's.
    let mut reducer = gpu.reducer::<f16, _>(DynOp::of(ArgMax)).expect("a reducer");
    let error = reducer.set_op(DynOp::of(Widened(ArgMax))).expect_err("another operator");
    assert!(matches!(error, Error::OtherOperator { .. }), "{error}");
    let partial = Cpu::new().partial(Widened(Sum), &halves).to_bytes().expect("bytes");
    let error = Partial::<f16, _>::from_bytes(Sum, &partial).expect_err("another operator").to_string();
    assert!(error.contains("sum of f32(x)"), "{error}");
}

/// Counters of 32 bits, of which a dispatch may give none more than 2^17 of the largest amounts.
#[test]
fn exact_sums_of_bf16_in_bins() {
    let mut random = Random(16);
    let mut any: Vec<bf16> = (0..70_000).map(|_| bf16::from_bits(random.next() as u16)).collect();
    any.retain(|x| x.is_finite());
    let largest = vec![bf16::from_bits(0x3fff); 13_000_000];
    let negative: Vec<bf16> = any.iter().map(|x| -bf16::from_f32(x.to_f32().abs())).collect();
    let mut infinite = any.clone();
    infinite[777] = bf16::INFINITY;
    let wide = |narrow: &[bf16]| narrow.iter().map(|x| x.to_f32()).collect::<Vec<f32>>();
    for shape in [small(), small().with(|tuning| tuning.subgroups = false), Tuning::GPU] {
        let gpu = gpu().with_tuning(shape.with(|tuning| tuning.own_bins_max = 0)).expect("a launch shape");
        let reducer = gpu.reducer::<bf16, _>(Widened((Sum, Norm1))).expect("a reducer");
        assert!(matches!(reducer.kernel(), Some(Keep::Bins { .. })), "{:?}", reducer.kernel());
        for narrow in
            [&any[..], &any[..7], &negative, &infinite, &largest[..if shape == small() { 13_000_000 } else { 9 }]]
        {
            let want = Cpu::new().reduce((Sum, Norm1), &wide(narrow)).expect("sums");
            let buffer = upload(&gpu, narrow);
            let input = Input::range(&buffer, 0..narrow.len() as u64);
            assert_eq!(reducer.reduce(input).expect("sums"), want, "{} elements", narrow.len());
        }
    }
}

/// Whether ranges of these values, of any length from any place, have the answers of these operators one by one.
fn of_ranges<T: Element, A: Op<T>, B: Op<T>>(gpu: &Gpu, least: &A, most: &B, values: &[T]) -> bool {
    let mut random = Random(9);
    let all: Vec<T> = (0..6000)
        .map(|i| values[random.below(if i % 3000 < 1500 { 2 } else { values.len() as u64 }) as usize])
        .collect();
    let buffer = upload(gpu, &all);
    let (low, high) = (gpu.reducer::<T, _>(least.clone()), gpu.reducer::<T, _>(most.clone()));
    let (low, high) = (low.expect("a reducer"), high.expect("a reducer"));
    let ranges = (0..160).map(|at| (at * 37, at * 37 + 1 + at % 49)).chain([(0, 1500), (3, 6000), (1500, 6000)]);
    let ranges: Vec<_> = ranges.collect();
    let input = |&(from, to): &(usize, usize)| Input::range(&buffer, from as u64..to as u64);
    let lows = low.reduce_batch(ranges.iter().map(input)).expect("answers");
    let highs = high.reduce_batch(ranges.iter().map(input)).expect("answers");
    ranges.iter().zip(lows).zip(highs).all(|((&(from, to), low), high)| {
        let want = (plain_fold(least, &all[from..to]), plain_fold(most, &all[from..to]));
        let want = (want.0.expect("an answer"), want.1.expect("an answer"));
        format!("{:?}", (low, high)) == format!("{want:?}")
    })
}

/// Elements whose extremes, their places or sums have forms of their own for vectors or loads.
const FORMS: [&str; 16] = [
    "f32",
    "f32, alone",
    "f32, mapped",
    "i32",
    "u32, one value",
    "f64",
    "f16 as f32",
    "f16",
    "f16, numbers",
    "bf16",
    "bf16, numbers",
    "u8",
    "i8",
    "u16",
    "i16",
    "i16, mapped",
];

/// Whether those of one of [`FORMS`] have the answers of elements one by one.
fn has_its_ends(gpu: &Gpu, of: &str) -> bool {
    const LEAST: (ArgMin, ArgMinLast, Min) = (ArgMin, ArgMinLast, Min);
    const MOST: (ArgMax, ArgMaxLast, Max, MinMax) = (ArgMax, ArgMaxLast, Max, MinMax);
    let nan = [0x7f80_0001, 0x7fff_ffff, 0xff80_0001].map(f32::from_bits);
    let floats = [-0.0, 0.0, -1.0, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -6e-8];
    let numbers = [-0.0, 0.0, 1.0, -2.5, f32::INFINITY, -6e-8];
    let (least, most) = (Widened((ArgMin, ArgMinLast, Sum)), Widened((ArgMax, ArgMaxLast, MinMax)));
    match of {
        "f32" => of_ranges(gpu, &LEAST, &MOST, &[&floats[..], &nan].concat()),
        "f32, alone" => {
            let values = [&floats[..], &nan].concat();
            of_ranges(gpu, &ArgMin, &ArgMax, &values) && of_ranges(gpu, &ArgMinLast, &ArgMaxLast, &values)
        }
        "f32, mapped" => {
            let same = "return x;";
            of_ranges(gpu, &Mapped::new(same, |x: f32| x, LEAST), &Mapped::new(same, |x: f32| x, MOST), &floats)
        }
        "i32" => of_ranges(gpu, &LEAST, &MOST, &[i32::MIN, i32::MAX, 0, -1]),
        "u32, one value" => of_ranges(gpu, &LEAST, &MOST, &[u32::MAX; 2]) && of_ranges(gpu, &LEAST, &MOST, &[0u32; 2]),
        "f16 as f32" => of_ranges(gpu, &Widened(LEAST), &Widened(MOST), &floats.map(f16::from_f32)),
        "f64" => of_ranges(gpu, &LEAST, &MOST, &floats.map(f64::from)),
        "f16" => of_ranges(gpu, &LEAST, &MOST, &[&floats.map(f16::from_f32)[..], &[f16::from_bits(0xfe00)]].concat()),
        "f16, numbers" => of_ranges(gpu, &LEAST, &MOST, &numbers.map(f16::from_f32)),
        "bf16" => {
            let values = [&floats.map(bf16::from_f32)[..], &[bf16::from_bits(0xff81)]].concat();
            of_ranges(gpu, &Widened(LEAST), &Widened(MOST), &values)
        }
        "bf16, numbers" => of_ranges(gpu, &Widened(LEAST), &Widened(MOST), &numbers.map(bf16::from_f32)),
        "u8" => of_ranges(gpu, &least, &most, &[0, 255].into_iter().chain(1..255).collect::<Vec<u8>>()),
        "i8" => of_ranges(gpu, &least, &most, &[127, -128].into_iter().chain(-127..127).collect::<Vec<i8>>()),
        "u16" => of_ranges(gpu, &least, &most, &[0u16, 65_535, 1, 65_534]),
        "i16" => of_ranges(gpu, &least, &most, &[0i16, -32_768, 32_767, -1]),
        _ => {
            let same = "return x;";
            let least = Mapped::new(same, |x: i32| x, (ArgMin, ArgMinLast));
            let most = Mapped::new(same, |x: i32| x, (ArgMax, ArgMaxLast));
            of_ranges(gpu, &Widened(least), &Widened(most), &[0i16, -32_768, 32_767, -1])
        }
    }
}

/// Extremes among equal ones, zeros of both signs and NaN, in every place of a vector, and sums of the largest bytes.
#[test]
fn ends_of_packed_elements() {
    for shape in [small().with(|tuning| tuning.subgroups = false), Tuning::GPU] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        let wrong: Vec<_> = FORMS.into_iter().filter(|of| !has_its_ends(&gpu, of)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
    // Alone an operator has other texts than beside others.
    let gpu = gpu();
    assert!(of_ranges(&gpu, &Widened(ArgMin), &Widened(ArgMaxLast), &[0u8, 255, 1, 254]));
    assert!(of_ranges(&gpu, &Widened(Min), &Widened(Sum), &[0i8, -128, 127, -1]));
    assert!(of_ranges(&gpu, &Max, &ArgMinLast, &[-0.0, 0.0, f32::NAN].map(f16::from_f32)));
}

#[test]
fn wrong_ends_of_packed_elements_are_noticed() {
    // Names are others in tuples: the changes have none of them.
    let wrong = [
        ("(k + 1u);", "(k);", "u8"),
        ("(k + 2u)", "(k + 1u)", "i8"),
        ("min(odd, odd << 16u)", "odd", "u8"),
        ("((k + 1u) ^", "(k ^", "f16, numbers"),
        ("= 15u;", "= 0u;", "i16"),
        ("| (acc.key != 0u));", "& false);", "bf16"),
        ("(tie(acc.key) >", "(0u >", "f16, numbers"),
        (") & open", ") & false", "bf16, numbers"),
        ("16u), 0u,", "16u), 0x70000000u,", "bf16"),
        ("0u, nan), select", "0x7000u, nan), select", "f16"),
        ("min(word, word << 16u);", "word;", "f16, numbers"),
        ("max(rank, rank << 16u)", "rank", "bf16, numbers"),
        ("max(c, d)", "c", "u8"),
        ("min(c, d)", "c", "i8"),
        ("(rank << 16u) | select(0u, 0xffffu, rank < 0x8000u)", "rank << 16u", "bf16"),
        ("= 2048u;", "= 2047u;", "i8"),
        ("& 0x00ff00ffu) + (", "& 0x00ff00feu) + (", "u8"),
        ("tie(lifted) <= tie(acc.key)", "tie(lifted) < tie(acc.key)", "f32, mapped"),
        ("tie(lifted) < tie(acc.key)", "tie(lifted) <= tie(acc.key)", "f32, mapped"),
        ("0x7f800001u", "0x7f800000u", "f32"),
        ("max(best, NAN_RANK)", "best", "f32, alone"),
        ("turned - sign, sign - turned", "turned, 0u - turned", "f32, alone"),
        ("(index < state.at)", "(index > state.at)", "f32"),
        ("(index + 1u > state.at + 1u)", "(index < state.at)", "i32"),
        ("| (state.at == 0xffffffffu)", "", "u32, one value"),
        ("select(0u, 3u, LAST)", "select(0u, 2u, LAST)", "f32, alone"),
        ("k < 3u;", "k < 2u;", "f32"),
        ("at + 1u, at - 1u", "at + 1u, at - 2u", "i32"),
        ("k = 1u; }", "k = 2u; }", "f32, alone"),
        ("let before = select", "let before = !select", "f32, alone"),
        ("!less64(before, tie(lifted))", "less64(tie(lifted), before)", "f64"),
    ];
    let unnoticed: Vec<_> = wrong
        .into_iter()
        .filter(|&(from, to, of)| !notices(Tuning::GPU, (from, to), |gpu| !has_its_ends(gpu, of)))
        .collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn operators_have_equal_halves() {
    let gpu = gpu();
    check::<u8, _>(&gpu, &Widened((Sum, ArgMax))).expect("equal halves");
    check::<i16, _>(&gpu, &Widened((Max, MinMax))).expect("equal halves");
    check::<bf16, _>(&gpu, &Widened(Sum)).expect("equal halves");
    check::<bf16, _>(&gpu, &TextHash).expect("equal halves");
    check::<f16, _>(&gpu, &Widened((Sum, ArgMin))).expect("equal halves");
}

#[test]
fn rows_and_views() {
    by_few_shapes(&[1, 2, 3, 31, 33, 64, 100, 257, 1000], |gpu, some| {
        [rows::<u8, _>(gpu, &TextHash, some), rows::<i16, _>(gpu, &Widened(Sum), some)].concat()
    });
    let some = [
        View::of(&[300, 16], &[0]),
        View::of(&[64, 64], &[0]),
        View::of(&[67, 33], &[-1]),
        View::of(&[67, 48], &[-1]),
        View::of(&[2000, 3], &[0]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[4, 6, 5, 7, 3], &[0, 2, -1]),
        View::strided(5, &[20, 30], &[300, 2], &[1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
    ];
    by_few_shapes(&some, |gpu, some| {
        let halves = views::<f16, _>(gpu, &Widened(Variance::default()), some);
        [views::<i8, _>(gpu, &TextHash, some), views::<bf16, _>(gpu, &Widened(Max), some), halves].concat()
    });
}

#[test]
fn segments_and_groups() {
    let all: [Lengths; 5] = [
        (0, vec![0]),
        (900, vec![3, 3, 4, 71, 71, 500, 899]),
        (700, (0..=230).map(|s| s * 3).collect()),
        (9000, vec![0, 1, 8999, 9000]),
        (3000, (0..=3000).collect()),
    ];
    by_few_shapes(&all, |gpu, some| {
        let halves = segments::<f16, _>(gpu, &Widened((Sum, Norm1)), some);
        [segments::<u8, _>(gpu, &SetHash, some), segments::<i16, _>(gpu, &Widened((Sum, Max)), some), halves].concat()
    });
    let spreads: [Spread; 4] = [(0, 3, 0), (3000, 1, 1), (5000, 33, 5), (257, 8, 8)];
    by_few_shapes(&spreads, |gpu, some| {
        let halves = groups::<f16, _>(gpu, &Widened((Sum, Max)), some);
        [groups::<u8, _>(gpu, &SetHash, some), groups::<i16, _>(gpu, &Widened(Sum), some), halves].concat()
    });
}

/// Slices, streams and partials, through both engines.
#[test]
fn from_the_host() {
    for n in [0usize, 1, 3, 70_001] {
        let elements: Vec<u8> = Random(3).elements(n);
        let wide: Vec<u32> = elements.iter().map(|&x| x.into()).collect();
        let want = Cpu::new().reduce((Sum, ArgMin), &wide).expect("answers");
        for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(2))] {
            assert_eq!(engine.reduce(Widened((Sum, ArgMin)), &elements).expect("answers"), want);
            let mut options = StreamOptions::default();
            options.memory_bytes = 1 << 20;
            let mut stream = engine.stream(Widened((Sum, ArgMin)), &options).expect("a stream");
            elements.chunks(777).try_for_each(|part| stream.push(part)).expect("elements");
            assert_eq!(stream.finish().expect("answers").output, want);
        }
    }
}

#[test]
fn what_is_no_buffer_of_them() {
    assert_eq!(
        Dtype::NARROW.map(|dtype| (dtype.name(), dtype.bytes())),
        [("bf16", 2), ("i8", 1), ("u8", 1), ("i16", 2), ("u16", 2)]
    );
    fn read_as<N: Narrow>() -> (Option<Dtype>, Option<Dtype>) {
        (N::DTYPE.wide(), Some(N::Wide::DTYPE))
    }
    for (told, is) in [read_as::<bf16>(), read_as::<i8>(), read_as::<u8>(), read_as::<i16>(), read_as::<u16>()] {
        assert_eq!(told, is);
    }
    assert_eq!((Dtype::F16.wide(), <f16 as Narrow>::Wide::DTYPE), (None, Dtype::F32));
    assert_eq!(i8::from_pattern((-3i8).pattern()), -3);
    assert_eq!(bf16::from_pattern(bf16::from_f32(-1.5).pattern()), bf16::from_f32(-1.5));
    let gpu = gpu();
    let sum = gpu.reducer::<u16, _>(Widened(Sum)).expect("a reducer");
    let buffer = upload(&gpu, &[1u16, 2, 3, 4]);
    let error = sum.reduce(buffer.slice(1..5)).expect_err("between two");
    assert!(matches!(error, Error::Misaligned { .. }), "{error}");
    assert_eq!(sum.reduce(Input::range(&buffer, 1..3)).expect("a sum"), 5);
    let error = gpu.reduce(Widened(Stats::default()), &[1u8]).map(|stats| stats.sum);
    assert_eq!(error.expect("statistics"), 1);
}
