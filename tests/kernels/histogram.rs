//! Histograms against NumPy's edges and an obvious loop in f64, on the host and on the adapter.

use crate::common::histograms::{beside, given, histogram, integers, slots};
use crate::common::*;
use treefold::ops::{ArgMax, Countable, Counts, Filtered, Histogram, Max, Sum};
use treefold::{Cpu, Element, Error, Gpu, Input, Op, Output, Partial, Reducer, Tuning, Word};

const BINS: [u32; 6] = [1, 2, 7, 256, 1000, 4000];

/// Ordinary, negative, tiny, huge, beyond f32, not of f32, and far narrower than its distance from 0.
const FLOATS: [(f64, f64); 12] = [
    (0.0, 1.0),
    (-1.0, 1.0),
    (-3.7, -0.1),
    (0.1, 0.3),
    (1e-42, 3e-41),
    (-2e-38, 1e-38),
    (1e-30, 7e-30),
    (-3.4e38, 3.4e38),
    (-1e300, 1e301),
    (1.0, 1.000_001),
    (16_777_215.0, 16_777_300.0),
    (-0.0, 5e-324),
];

/// Those of integers, and the ends of both types.
const INTEGERS: [(f64, f64); 9] = [
    (0.0, 100.0),
    (-5.5, 5.5),
    (0.2, 0.8),
    (-1e6, 3e9),
    (0.0, 4_294_967_295.0),
    (-2_147_483_648.0, 2_147_483_647.0),
    (-1e10, 1e10),
    (5e9, 6e9),
    (2_147_483_600.0, 2_147_483_700.0),
];

fn none(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// On a GPU's launch shape and on a CPU's.
fn devices() -> [Gpu; 2] {
    let own = *gpu().tuning();
    [small().loads(1), own].map(|tuning| gpu().with_tuning(tuning).expect("a launch shape"))
}

/// Every number of bins over each range, or over every other one.
fn by_bins<T: Word>(gpu: &Gpu, ranges: &[(f64, f64)], first: usize) -> Vec<String> {
    let over = |(turn, bins): (usize, u32)| {
        every_other(first + turn, ranges).into_iter().flat_map(move |range| histogram::<T>(gpu, bins, range))
    };
    BINS.into_iter().enumerate().flat_map(over).collect()
}

#[test]
fn floats() {
    let [small, own] = devices();
    none(by_bins::<f32>(&small, &FLOATS, 0));
    none(FLOATS.into_iter().flat_map(|range| histogram::<f32>(&own, 7, range)).collect());
    // Places are rounded down: bins below 1, far from 0 on either side, and so many that the mantissa would lack bits beside one more place.
    let ranges = [(256, (-0.25, 0.75)), (64, (1024.0, 1280.0)), (1000, (-4000.0, -2000.0)), (4096, (-512.0, 3584.0))];
    none(ranges.into_iter().flat_map(|(bins, range)| histogram::<f32>(&own, bins, range)).collect());
}

/// Numbers of 64 bits, on the host and on devices: edges, their neighbours, numbers between and beyond, NaN, each looked for edge by edge.
#[test]
fn numbers_of_64_bits() {
    fn slot(x: f64, edges: &[f64]) -> usize {
        let bins = edges.len() - 1;
        match x {
            _ if x.is_nan() => bins + 2,
            _ if x < edges[0] => bins,
            _ if x > edges[bins] => bins + 1,
            _ => (0..bins).rev().find(|&k| edges[k] <= x).expect("a bin"),
        }
    }
    fn check<T: Countable>(gpus: &[Gpu], over: &Histogram, elements: &[T], of: impl Fn(T) -> f64) {
        let edges = over.edges();
        let want: Vec<u32> = elements.iter().map(|&x| slot(of(x), &edges) as u32).collect();
        assert_eq!(over.bins_of(elements), want, "{}", Op::<T>::signature(over));
        let counts = Cpu::with_threads(2).reduce(over.clone(), elements).expect("counts");
        let slot = |k: usize| want.iter().filter(|&&slot| slot as usize == k).count() as u64;
        let bins: Vec<u64> = (0..edges.len() - 1).map(slot).collect();
        let n = bins.len();
        let want = Counts { bins, below: slot(n), above: slot(n + 1), nan: slot(n + 2) };
        assert_eq!(counts, want);
        for gpu in gpus {
            let (reducer, buffer) = (gpu.reducer::<T, _>(over.clone()).expect("a reducer"), upload(gpu, elements));
            let input = || Input::<T>::range(&buffer, 0..elements.len() as u64);
            assert_eq!(reducer.reduce(input()).expect("counts"), want, "{} {}", Op::<T>::signature(over), T::DTYPE);
            let answer = recorded(gpu, &reducer, [input()]).pop().expect("words");
            let words = &answer[..reducer.answer_words()];
            assert_eq!(Op::<T>::read(over, words, elements.len() as u64).expect("counts"), want);
        }
    }
    let mut random = Random(17);
    // Seconds and nanoseconds of a day among them.
    let far = 2f64.powi(51);
    let days =
        [(1.7e9, 1.7e9 + 86_400.0), (1.7e18, 1.7e18 + 8.64e13), (far, far + 100.0), (far / 16.0, far / 16.0 + 90.0)];
    let equal = FLOATS.into_iter().chain(INTEGERS).chain(days).flat_map(|range| [1, 7, 100].map(|bins| (bins, range)));
    let overs = equal.map(|(bins, (low, high))| Histogram::new(bins, low, high).expect("a histogram"));
    let given = Histogram::of_edges(&[-1e300, -2.5, -0.0, 5e-324, 1.0, 1.0 + f64::EPSILON, 7e18]).expect("a histogram");
    let whole = [(-3, 40), (i64::from(u32::MAX) - 7, i64::from(u32::MAX) + 30)];
    let whole = whole.map(|(low, high)| Histogram::integers(low, high).expect("a histogram"));
    let devices = devices();
    for (turn, over) in overs.chain([given]).chain(whole).enumerate() {
        let gpus = if all() { &devices[..] } else { std::slice::from_ref(&devices[turn % 2]) };
        let edges = over.edges();
        let (low, high) = (edges[0], edges[edges.len() - 1]);
        let near = edges.iter().flat_map(|&edge| [edge.next_down(), edge, edge.next_up()]);
        let between = (0..300).map(|_| low + (high - low) * (random.below(1 << 20) as f64 / 2f64.powi(20)));
        let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 5e-324, -5e-324];
        let doubles: Vec<f64> = near.chain(between).chain(special).collect();
        check(gpus, &over, &doubles, |x| x);
        let ends = [0, 1, -1, i64::MIN, i64::MAX, (1 << 53) + 1, -(1 << 53) - 1];
        let signed: Vec<i64> = doubles.iter().map(|&x| x as i64).chain(ends).collect();
        check(gpus, &over, &signed, |x| x as f64);
        check(gpus, &over, &signed.iter().map(|&x| x as u64).collect::<Vec<_>>(), |x| x as f64);
        // What an f32 holds counts as it does as f32.
        let singles: Vec<f32> = doubles.iter().map(|&x| x as f32).collect();
        assert_eq!(over.bins_of(&singles), over.bins_of(&singles.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()));
    }
}

#[test]
fn signed_integers() {
    let [small, own] = devices();
    none(by_bins::<i32>(&small, &INTEGERS, 0));
    // One less than the lowest of these becomes that once it is an f32.
    none(histogram::<i32>(&small, 256, (-16_777_216.0, 16_777_216.0)));
    none(INTEGERS.into_iter().flat_map(|range| histogram::<i32>(&own, 7, range)).collect());
}

#[test]
fn unsigned_integers() {
    let [small, own] = devices();
    none(by_bins::<u32>(&small, &INTEGERS, 1));
    none(INTEGERS.into_iter().flat_map(|range| histogram::<u32>(&own, 7, range)).collect());
}

/// Four bins each, which share pipelines: uneven, beyond the type, between neighbours of the type, beside its ends.
const GIVEN: [[f64; 5]; 8] = [
    [0.0, 0.5, 1.0, 1.5, 1e30],
    [-0.0, 5e-324, 1e-45, 1.5e-45, 1e-38],
    [-1e300, -4e38, -1.0, -1e-42, 1.0 / 3.0],
    [-1.0 / 3.0, 0.0, 1.0, 3.402_823_466_385_288_6e38, 1e39],
    [1.0, 1.0 + 1e-12, 1.0 + 2e-12, 1.0 + 1e-7, 2.0],
    [-2_147_483_648.0, -0.5, 0.5, 100.0, 2_147_483_647.0],
    [2_147_483_646.5, 4_294_967_294.0, 4_294_967_295.0, 4_294_967_295.5, 5e9],
    [1e10, 2e10, 2.5e10, 3e10, 1e11],
];

#[test]
fn given_edges() {
    let [small, own] = devices();
    for edges in GIVEN {
        none([given::<f32>(&small, &edges), given::<i32>(&small, &edges), given::<u32>(&small, &edges)].concat());
        none(given::<f32>(&own, &edges));
    }
}

#[test]
fn one_given_bin_and_many() {
    let many: Vec<f64> = (0..=1000).map(|k| (f64::from(k) - 500.0).powi(3) / 7.0).collect();
    let [_, own] = devices();
    for edges in [&[0.0, 1.0][..], &[0.0, 1.0, 1.5], &many] {
        none(given::<f32>(&own, edges));
        none(given::<i32>(&own, edges));
    }
}

/// The ends of both types among them, and what no element is.
const WHOLE: [(i64, i64); 8] = [
    (0, 0),
    (-5, 5),
    (-3, 250),
    (-2_147_483_648, -2_147_483_600),
    (2_147_483_600, 2_147_483_700),
    (4_294_967_200, 4_294_967_300),
    (16_777_200, 16_777_230),
    (1 << 51, 1 << 51),
];

#[test]
fn whole_numbers() {
    let [small, own] = devices();
    for (turn, (low, high)) in WHOLE.into_iter().enumerate() {
        for check in every_other(turn + 1, &[integers::<f32>, integers::<u32>]) {
            none(check(&small, low, high));
        }
        none(integers::<i32>(&own, low, high));
    }
    none(integers::<i32>(&own, -10_000, 60_000));
}

#[test]
fn whole_numbers_that_make_no_bins_are_errors() {
    for (low, high) in [(1, 0), (0, 1 << 24), (i64::MIN, i64::MAX), (0, i64::MAX), (-(1 << 52), -(1 << 52))] {
        let error = Histogram::integers(low, high).map(drop).expect_err("no bins");
        assert!(matches!(error, Error::BadIntegers { .. }), "{error}");
        assert!(error.to_string().contains(&format!("from {low} to {high}")), "{error}");
    }
    assert_eq!(Histogram::integers(1, 1 << 24).expect("2^24 of them").axis().edges.len(), (1 << 24) + 1);
    let bytes = |op: Histogram| Cpu::new().partial(op, &[1i32, 2]).to_bytes().expect("bytes");
    let read = |op, bytes: &[u8]| Partial::<i32, Histogram>::from_bytes(op, bytes);
    let own = Histogram::integers(-1, 2).expect("whole numbers");
    let equal = Histogram::new(4, -1.5, 2.5).expect("the same edges");
    assert_eq!(read(own.clone(), &bytes(own.clone())).expect("a partial").finish().expect("counts").bins, [0, 0, 1, 1]);
    let error = read(equal, &bytes(own)).map(drop).expect_err("another signature").to_string();
    assert!(error.contains("histogram(integers=-1:2)"), "{error}");
}

/// The same without slices, and with as many as there may be.
fn sliced(most: u32) -> [Gpu; 2] {
    devices().map(|gpu| gpu.with_tuning(gpu.tuning().with(|tuning| tuning.slices_max = most)).expect("a launch shape"))
}

/// Slices that the kernel of large inputs has; `None`: none, and counters in workgroup memory or in the device's.
fn slices_of<T: Element, O: Op<T>>(reducer: &Reducer<T, O>) -> Option<u32> {
    let text = &reducer.explain(1 << 20).expect("a plan").passes[0].wgsl;
    let line = text.lines().find_map(|line| line.strip_prefix("const SLICES = "));
    line.map(|number| number.trim_end_matches("u;").parse().expect("a number"))
}

/// More counters than workgroup memory holds: in the device's memory, through one workgroup and many, and none at all.
#[test]
fn more_bins_than_workgroup_memory_holds() {
    let [small, own] = sliced(1);
    none(histogram::<f32>(&own, 65_536, (0.0, 1.0)));
    none(histogram::<i32>(&small, 65_537, (-70_000.0, 1e6)));
    let cubes: Vec<f64> = (0..=20_000).map(|k| (f64::from(k) - 1e4).powi(3) / 7.0).collect();
    none(given::<i32>(&own, &cubes));
    let op = Histogram::new(70_000, 0.0, 1.0).expect("a histogram");
    let counts = own.reduce(op.clone(), &[0.0f32; 0]).expect("counts of nothing");
    assert_eq!((counts.bins.len(), counts.bins.iter().sum::<u64>(), counts.nan), (70_000, 0, 0));
    // Partials of two parts, and what a batch leaves in the same memory.
    let elements: Vec<f32> = (0..300_000u32).map(|i| (i * 7919 % 70_000) as f32 / 70_000.0).collect();
    let want = Cpu::new().reduce(op.clone(), &elements).expect("counts");
    assert_eq!(own.reduce(op.clone(), &elements).expect("counts"), want);
    let buffer = upload(&own, &elements);
    let reducer = own.reducer::<f32, _>(op.clone()).expect("a reducer");
    let (front, back) = (Input::range(&buffer, 0..100_001), Input::range(&buffer, 100_001..300_000));
    let front = reducer.partial(front).expect("a partial");
    assert_eq!(front.merge(reducer.partial(back).expect("a partial")).expect("both").finish().expect("counts"), want);
    // Counters in both memories do not share a kernel, and what is searched has no slices; the error names what is lacking.
    let searched = Histogram::of_edges(&cubes).expect("edges");
    let error = own.reducer::<f32, _>((Max, searched.clone())).map(drop).expect_err("no room in a tuple");
    assert!(matches!(error, Error::BinsBeside { value, needs, .. } if needs > value && needs > 80_012), "{error}");
    let error = own.reducer::<f32, _>(Filtered::not_nan(searched)).map(drop).expect_err("no room beside a filter");
    assert!(matches!(error, Error::BinsBeside { value, needs, .. } if needs > value && needs > 80_012), "{error}");
    // Few and large workgroups: their partials stay within a binding.
    let long: Vec<f32> = elements.iter().copied().cycle().take(1 << 23).collect();
    assert!(own.reduce(op.clone(), &long).expect("counts") == Cpu::new().reduce(op.clone(), &long).expect("counts"));
    let many = Histogram::new(1 << 20, 0.0, 1.0).expect("a histogram");
    let want_many = Cpu::new().reduce(many.clone(), &elements).expect("counts");
    assert!(own.reduce(many, &elements).expect("counts") == want_many, "2^20 bins");
    let rows = reducer.reduce_each(Input::from(&buffer).rows(100_000)).expect("rows");
    for (row, elements) in rows.iter().zip(elements.chunks(100_000)) {
        assert_eq!(*row, Cpu::new().reduce(op.clone(), elements).expect("counts"));
    }
    assert_eq!(slices_of(&reducer), None);
}

/// The same in slices, which neighbouring workgroups count.
#[test]
fn bins_in_slices() {
    let [small, own] = sliced(65_535);
    none(histogram::<f32>(&own, 65_536, (0.0, 1.0)));
    none(histogram::<f32>(&own, 65_536, (-1.0, 1.0)));
    none(histogram::<i32>(&small, 65_537, (-70_000.0, 1e6)));
    none(integers::<u32>(&small, 5, 30_000));
    // Two slices that fill 32 KiB each.
    none(histogram::<u32>(&own, 16_381, (-1.0, 4e9)));
    let cubes: Vec<f64> = (0..=20_000).map(|k| (f64::from(k) - 1e4).powi(3) / 7.0).collect();
    none([given::<i32>(&own, &cubes), given::<f32>(&small, &cubes)].concat());
    // The places of elements on the lowest edge are less than 0, with fma as one rounding, as two, and of whole numbers.
    none(histogram::<f32>(&own, 20_000, (12.29332447052002, 12.550237655639648)));
    none(histogram::<f32>(&own, 16_384, (-2.382880926132202, -2.062035083770752)));
    none(histogram::<f32>(&small, 65_536, (1207.703369140625, 1271.947021484375)));
    none(histogram::<f32>(&small, 20_000, (377.4205017089844, 383.9297180175781)));
    none(histogram::<i32>(&own, 25_915, (-1_665_070.0, -1_486_583.0)));
    none(histogram::<i32>(&own, 57_191, (-1_207_681.0, -944_097.0)));
    // A search would be made for each slice: its counters lie in the device's memory.
    let searched = own.reducer::<f32, _>(Histogram::of_edges(&cubes).expect("edges")).expect("a reducer");
    assert_eq!(slices_of(&searched), None);
    let op = Histogram::new(70_000, 0.0, 1.0).expect("a histogram");
    let elements: Vec<f32> = (0..300_000u32).map(|i| (i * 7919 % 70_000) as f32 / 70_000.0).collect();
    let want = Cpu::new().reduce(op.clone(), &elements).expect("counts");
    // 16 KiB, the least that WebGPU has, and all that the adapter has.
    for (gpu, least) in [(limited_gpu(1 << 27, 16_384), 18), (small, 2), (own, 2)] {
        let gpu = gpu.with_tuning(gpu.tuning().with(|tuning| tuning.slices_max = 65_535)).expect("a launch shape");
        let reducer = gpu.reducer::<f32, _>(op.clone()).expect("a reducer");
        let room = gpu.device().limits().max_compute_workgroup_storage_size / 16;
        assert_eq!(slices_of(&reducer), Some(70_003u32.div_ceil(4).div_ceil(room)).filter(|&slices| slices >= least));
        let buffer = upload(&gpu, &elements);
        assert_eq!(reducer.reduce(&buffer).expect("counts"), want);
        let explained = reducer.explain(1 << 20).expect("a plan").lines.join("\n");
        let slices = 70_003u32.div_ceil(4).div_ceil(room);
        for said in [
            format!(" once for each of {slices} slices of the bins"),
            format!("70003 counters, more than workgroup memory holds, in {slices} slices: "),
        ] {
            assert!(explained.contains(&said), "{said}: {explained}");
        }
        let few = reducer.explain(7).expect("a plan").lines.join("\n");
        assert!(few.contains("a second pass, for no workgroup of the first has all counters"), "{few}");
        let nothing = reducer.reduce(Input::range(&buffer, 0..0)).expect("counts of nothing");
        assert_eq!((nothing.bins.len(), nothing.bins.iter().sum::<u64>(), nothing.nan), (70_000, 0, 0));
        let (front, back) = (Input::range(&buffer, 0..100_001), Input::range(&buffer, 100_001..300_000));
        let front = reducer.partial(front).expect("a partial");
        let both = front.merge(reducer.partial(back).expect("a partial")).expect("both");
        assert_eq!(both.finish().expect("counts"), want);
        let each = reducer.reduce_each(Input::from(&buffer).rows(100_000)).expect("rows");
        for (row, elements) in each.iter().zip(elements.chunks(100_000)) {
            assert_eq!(*row, Cpu::new().reduce(op.clone(), elements).expect("counts"));
        }
        // Rows, short and long, and rows by strides.
        let wide = Histogram::new(13_000, -2_147_483_648.0, 2_147_483_647.0).expect("a histogram");
        none(rows::<i32, _>(&gpu, &wide, &[700, 2500]));
        none(views::<i32, _>(&gpu, &wide, &[View::of(&[301, 6], &[0]), View::strided(1, &[5, 90], &[200, 2], &[1])]));
    }
}

/// Other folds beside one in slices: values, sums that are exact, what counts those that pass, and histograms of other slices.
#[test]
fn bins_in_slices_beside_others() {
    for gpu in sliced(65_535) {
        let op = Histogram::new(40_000, 0.0, 1.0).expect("a histogram");
        let few = Histogram::new(100, 0.0, 0.5).expect("a histogram");
        let many = Histogram::new(9_000, 0.25, 0.5).expect("a histogram");
        let elements: Vec<f32> =
            (0..50_000u32).map(|i| (i * 7919 % 50_000) as f32 / 45_000.0).chain([f32::NAN]).collect();
        let host = Cpu::with_threads(1);
        // Three bins that are searched have a slice beside others.
        let given = Histogram::of_edges(&[0.0, 0.125, 0.5, 2.0]).expect("edges");
        let beside = ((op.clone(), given), few, (ArgMax, many), Sum);
        let sums = gpu.reducer::<f32, _>(beside.clone()).expect("a reducer");
        assert!(slices_of(&sums).is_some());
        let buffer = upload(&gpu, &elements);
        for range in [0..50_000u64, 3..49_999, 5..8, 0..0] {
            let (got, here) =
                (Input::range(&buffer, range.clone()), &elements[range.start as usize..range.end as usize]);
            assert_eq!(
                sums.reduce(got).expect("answers"),
                host.reduce(beside.clone(), here).expect("answers"),
                "{range:?}"
            );
        }
        let finite = Filtered::not_nan(op);
        let got = gpu.reducer::<f32, _>(finite.clone()).expect("a reducer");
        assert!(slices_of(&got).is_some());
        assert_eq!(got.reduce(&buffer).expect("counts"), host.reduce(finite, &elements).expect("counts"));
    }
}

/// What counts in the device's memory has nothing beside it: beside others, bins that one workgroup has no room for are in slices under a
/// launch policy that has none too, and so are those that just fit, for which the others leave no room.
#[test]
fn many_bins_beside_others_under_every_policy() {
    for policy in [Tuning::CPU, Tuning::GPU, small()] {
        let gpu = gpu().with_tuning(policy).expect("a launch shape");
        let all = gpu.device().limits().max_compute_workgroup_storage_size / 4;
        for (bins, least) in [(all - 3, 1), (all + all / 8, 2)] {
            let alone = Histogram::new(bins, 0.0, bins.into()).expect("a histogram");
            let slices = slices_of(&gpu.reducer::<u32, _>((alone, Max)).expect("a reducer"));
            assert!(slices.is_some_and(|slices| slices >= least), "{bins} bins: {slices:?}");
            none(beside(&gpu, bins, (0.0, bins.into())));
        }
    }
}

/// Results of which a binding holds one, and bins that no workgroup clears.
#[test]
fn small_limits_are_kept_or_told() {
    let gpu = limited_gpu(1 << 16, 16_384);
    let op = (Histogram::new(3000, 0.0, 1.0).expect("a histogram"), Sum);
    let elements: Vec<f32> = (0..5000u32).map(|i| (i * 7919 % 5000) as f32 / 4800.0).collect();
    let buffer = upload(&gpu, &elements);
    let reducer = gpu.reducer::<f32, _>(op.clone()).expect("a reducer");
    let found = reducer.reduce_each(Input::from(&buffer).rows(250)).expect("answers");
    assert!(found == Cpu::with_threads(1).reduce_each(op, &elements, 250).expect("answers"));
    let many = Histogram::new(1 << 23, 0.0, 1.0).expect("a histogram");
    let error = limited_gpu(1 << 27, 16_384).reducer::<f32, _>(many).map(drop).expect_err("too many to clear");
    let limit = "max_compute_invocations_per_workgroup";
    assert!(matches!(error, Error::LimitTooSmall { limit: told, value: 64, needs: 65.. } if told == limit), "{error}");
}

#[test]
fn edges_that_make_no_bins_are_errors() {
    for (edges, at, said) in [
        (&[0.0, 1.0, 1.0][..], 2, "edge 2 of a histogram is 1, after 1;"),
        (&[0.0, -1.0, f64::NAN], 1, "edge 1 of a histogram is -1, after 0;"),
        (&[0.0, f64::NAN, 2.0], 1, "is NaN, after 0;"),
        (&[f64::NEG_INFINITY, 0.0], 0, "edge 0 of a histogram is -inf; give finite edges"),
        (&[0.0, f64::INFINITY], 1, "is inf, after 0;"),
    ] {
        let error = Histogram::of_edges(edges).map(drop).expect_err("no edges");
        assert!(matches!(error, Error::BadEdge { place, .. } if place == at), "{error:?}");
        assert!(error.to_string().contains(said), "{error}");
    }
    for edges in [&[][..], &[1.0]] {
        let error = Histogram::of_edges(edges).map(drop).expect_err("no bins");
        assert!(matches!(error, Error::EdgeCount { edges: count } if count == edges.len()), "{error}");
    }
    assert!(matches!(Histogram::of_edges(&vec![0.0; (1 << 24) + 2]), Err(Error::EdgeCount { .. })));
}

/// A signature, which partials carry, has every edge.
#[test]
fn partials_of_other_edges_do_not_merge() {
    let partial = |edges: &[f64]| Cpu::new().partial(Histogram::of_edges(edges).expect("edges"), &[1.0f32, 2.0]);
    let mut edges: Vec<f64> = (0..300).map(f64::from).collect();
    let bytes = partial(&edges).to_bytes().expect("bytes");
    let read = |edges: &[f64]| Partial::<f32, _>::from_bytes(Histogram::of_edges(edges).expect("edges"), &bytes);
    assert_eq!(read(&edges).expect("a partial").finish().expect("counts").bins[1..3], [1, 1]);
    edges[150] += 1e-9;
    let error = read(&edges).map(drop).expect_err("other edges").to_string();
    assert!(error.contains("edges=0:1:2:") && error.contains(":299) (CRC-32 "), "{error}");
    assert!(error.len() < 500, "{error}");
    let (found, wanted) = error.split_once(", not ").expect("both");
    assert!(!wanted.contains(&found[found.len() - 18..]), "both named alike: {error}");
}

#[test]
fn special_values_have_places_of_their_own() {
    let elements =
        [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 2.0, -1.0, f32::from_bits(0x7fff_ffff)];
    let op = Histogram::new(4, 0.0, 2.0).expect("a histogram");
    for counts in [gpu().reduce(op.clone(), &elements), Cpu::new().reduce(op.clone(), &elements)] {
        let counts = counts.expect("counts");
        assert_eq!(counts.bins, [2, 0, 0, 1]);
        assert_eq!((counts.below, counts.above, counts.nan), (2, 1, 3));
    }
    // The largest element of a type is one like any other.
    let op = Histogram::new(1, 0.0, 5e9).expect("a histogram");
    for counts in [gpu().reduce(op.clone(), &[u32::MAX]), Cpu::new().reduce(op, &[u32::MAX])] {
        assert_eq!(counts.expect("counts").bins, [1]);
    }
}

/// A device that takes subnormal numbers for 0 has negative ones below 0 still, since their signs are looked at.
#[test]
fn subnormal_numbers_that_are_flushed() {
    fn flushed(text: String) -> String {
        let zero = "select(f32(value(bits)), bitcast<f32>(bits & 0x80000000u), (bits & 0x7f800000u) == 0u)";
        text.replace("f32(value(bits))", zero)
    }
    fn without_signs(text: String) -> String {
        flushed(text).replace("& (vector >= vec4<u32>(0x80000000u))", "& vec4<bool>(false)")
    }
    let ranges = [(0.0, 1.0), (-1.0, 1.0), (-0.25, 0.75)];
    let failures = |patch: Patch| {
        let gpu = patched_gpu(small(), patch);
        ranges.map(|range| histogram::<f32>(&gpu, 4, range))
    };
    none(failures(flushed).concat());
    assert!(failures(without_signs).iter().all(|failures| !failures.is_empty()));
}

/// Other edges are other parameters; another number of bins is another pipeline.
#[test]
fn another_range_replaces_the_first() {
    let gpu = gpu();
    let buffer = upload(&gpu, &[0.0f32, 1.0, 2.0, 3.0]);
    let mut reducer = gpu.reducer::<f32, _>(Histogram::new(2, 0.0, 1.0).expect("a histogram")).expect("a reducer");
    assert_eq!(reducer.reduce(&buffer).expect("counts").bins, [1, 1]);
    reducer.set_op(Histogram::new(2, 1.5, 3.5).expect("a histogram")).expect("another range");
    assert_eq!(reducer.reduce(&buffer).expect("counts").bins, [1, 1]);
    reducer.set_op(Histogram::new(3, 0.0, 3.0).expect("a histogram")).expect("more bins");
    assert_eq!(reducer.reduce(&buffer).expect("counts").bins, [1, 1, 2]);
    reducer.set_op(Histogram::of_edges(&[0.0, 0.5, 2.5, 2.75]).expect("a histogram")).expect("given edges");
    assert_eq!(reducer.reduce(&buffer).expect("counts").bins, [1, 2, 0]);
    reducer.set_op(Histogram::of_edges(&[0.0, 1.5, 1.75, 3.0]).expect("a histogram")).expect("other edges");
    assert_eq!(reducer.reduce(&buffer).expect("counts").bins, [2, 0, 2]);
}

#[test]
fn impossible_ranges_are_errors() {
    let ranges = [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)];
    for (low, high) in ranges {
        let error = Histogram::new(10, low, high).map(drop).expect_err("no range");
        assert!(matches!(error, Error::BadRange { bins: 10, .. }), "{error}");
    }
    assert!(matches!(Histogram::new(0, 0.0, 1.0), Err(Error::BadRange { bins: 0, .. })));
}

/// Ranges of which the place of the lowest edge is rounded down, below a power of two.
#[test]
fn the_lowest_elements_of_ranges_far_from_zero() {
    let floats = [
        (256, (995_714.25, 996_226.249_851_896_9)),
        (64, (3_920.699_707_031_25, 4_048.699_686_279_076)),
        (2, (15.883_199_691_772_461, 15.945_699_674_700_48)),
        (1, (1_572_172.230_868_242_4, 1_572_725.354_613_017_5)),
    ];
    let [_, own] = devices();
    none(floats.into_iter().flat_map(|(bins, range)| histogram::<f32>(&own, bins, range)).collect());
    none(histogram::<u32>(&own, 10, (64_286.0, 64_286.624_999_898_624)));
    none(histogram::<i32>(&own, 10, (2_106_961_309.0, 2_111_961_161.0)));
}

#[test]
fn histograms_of_a_tuple_keep_their_own_edges() {
    let new = |bins, low, high| Histogram::new(bins, low, high).expect("a range");
    let near = (new(2, 0.0, 1.0), new(2, 0.0, 0.999_999_999_9));
    let far = (new(256, 1e9, 1e9 + 1.0), new(256, 1e9 + 1.0, 1e9 + 2.0));
    let cpu = Cpu::with_threads(1);
    let engines = [treefold::Engine::Gpu(gpu()), treefold::Engine::Cpu(cpu)];
    for engine in engines {
        let (_, second) = engine.reduce(near.clone(), &[1.0f32]).expect("counts");
        assert_eq!((second.bins, second.above), (vec![0, 0], 1));
        let nested = ((near.0.clone(), Max), (near.1.clone(), Max));
        let (_, (second, _)) = engine.reduce(nested, &[1.0f32]).expect("counts");
        assert_eq!((second.bins, second.above), (vec![0, 0], 1));
        let (_, second) = engine.reduce(far.clone(), &[1_000_000_000i32, 1_000_000_002]).expect("counts");
        assert_eq!((second.below, second.above, second.bins[255]), (1, 0, 1));
    }
}

#[test]
fn slots_are_keys_on_the_device() {
    for gpu in devices() {
        for op in [
            Histogram::new(7, -1.0, 1.0),
            Histogram::new(1000, 0.1, 0.3),
            Histogram::of_edges(&[-1.0 / 3.0, 0.0, 1.0, 1e39]),
            Histogram::integers(-5, 20),
        ] {
            let op = op.expect("a histogram");
            none([slots::<f32>(&gpu, &op), slots::<i32>(&gpu, &op), slots::<u32>(&gpu, &op)].concat());
        }
    }
}

/// Sums by bin, of which the host sees nothing but the answers.
#[test]
fn groups_by_bin_on_the_device() {
    let gpu = gpu();
    let op = Histogram::new(5, 0.0, 1.0).expect("a histogram");
    let elements: Vec<f32> = (0..10_000u32).map(|i| (i * 7919 % 10_007) as f32 / 9000.0 - 0.05).collect();
    let weights: Vec<f32> = (0..10_000u32).map(|i| (i % 13) as f32 * 1e-3).collect();
    let [values, weighed, keys] = [upload(&gpu, &elements), upload(&gpu, &weights), upload(&gpu, &vec![0u32; 10_000])];
    let over = gpu.reducer::<f32, _>(op.clone()).expect("a reducer");
    let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    over.record_keys(&mut encoder, &values, &keys).expect("keys");
    gpu.queue().submit([encoder.finish()]);
    let found = sum.reduce_groups(&weighed, &keys, op.slots()).expect("sums");
    let want = Cpu::new().reduce_groups(Sum, &op.bins_of(&elements), &weights, op.slots()).expect("sums");
    assert_eq!(found, want);
    assert!(found.outside == 0 && found.counts[..7].iter().all(|&count| count > 0), "{:?}", found.counts);
    let record =
        |input, output| over.record_keys(&mut gpu.device().create_command_encoder(&Default::default()), input, output);
    let error = record(Input::from(&values), Output::from(keys.slice(..4 * 9_999))).expect_err("no room");
    assert!(matches!(error, Error::OutputTooSmall { needs: 40_000, .. }), "{error}");
    let error = record(Input::from(&values), Output::from(&values)).expect_err("in place");
    assert!(matches!(error, Error::Overlap { .. }), "{error}");
}
