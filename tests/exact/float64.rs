//! Exact sums that stay in one or two f64 of each invocation as long as these hold them: the host's bits, whatever the data.

use crate::common::*;
use treefold::half::{bf16, f16};
use treefold::internals::Keep;
use treefold::ops::{CountNonzero, Filtered, Norm1, Std, Sum, SumOfSquares};
use treefold::{Cpu, Element, Gpu, Input, Mapped, Op, Tuning, Widened};

/// Patterns of f32 of all sizes and of few, of one sign, beside others that no window holds with them, and not finite.
fn sets() -> Vec<Vec<u32>> {
    let mut random = Random(64);
    let mut any: Vec<u32> = (0..70_000).map(|_| random.next() as u32).collect();
    any.retain(|&bits| f32::from_bits(bits).is_finite());
    let negative = any.iter().map(|bits| bits | 0x8000_0000).collect();
    let mut infinite = any.clone();
    infinite[777] = 0x7f80_0000;
    // Sixteen neighbouring exponents.
    let near: Vec<u32> = (0..100_001).map(|_| random.next() as u32 & 0x87ff_ffff | 0x3800_0000).collect();
    // Behind ones, which choose the window, the largest of it, which cancel, and where they are most sixteen of the least, or of less.
    let digits = |largest: u32, least: u32| {
        let digit = |i: u32| match i {
            0..4096 => 0x3f80_0000 | i << 31,
            4096..100_000 => largest << 23 | 0x7f_ffff,
            100_000..100_016 => least << 23 | 0x7f_ffff,
            _ => 0x8000_0000 | largest << 23 | 0x7f_ffff,
        };
        (0..195_920).map(digit).collect()
    };
    let beside = |other: f32, step: usize| {
        let mut beside = near.clone();
        beside.iter_mut().step_by(step).for_each(|bits| *bits = other.to_bits());
        beside
    };
    // Large ones that cancel, in every place of a vector.
    let mut cancelling = near.clone();
    cancelling.iter_mut().step_by(9).enumerate().for_each(|(i, bits)| *bits = 0x7149_f2ca | (i as u32 / 4) << 31);
    cancelling.truncate(90_000);
    let mut minus = beside(1e30, 9);
    minus[100] = 0xff80_0000;
    let special = near.iter().copied().chain([0x7fc0_0000, 0xff80_0000]).collect();
    let nothing = near.iter().flat_map(|&bits| [bits, bits ^ 0x8000_0000]).collect();
    let zeros = (0..5000).map(|i| if i < 4000 { 0x8000_0000 } else { 0 }).collect();
    let sparse =
        near.iter().enumerate().map(|(i, &bits)| if i % 10 == 0 { bits } else { bits & 0x8000_0000 }).collect();
    let least = vec![0x8000_0000; 5000];
    // In either half of a load of eight.
    let [one, behind] =
        [4000, 4004].map(|n| [vec![0x8000_0000; n], vec![0x8000_0000, 0x3f80_0000, 0x8000_0000, 0xbf80_0000]].concat());
    let larger =
        (0..100_000).map(|i: u32| (0x3f00_0000 + ((i / 4000) << 23)) | random.next() as u32 & 0x807f_ffff).collect();
    let others = [-0.0, 1e-40, -3e-45, -1e-9, 1e30, -3e38, f32::NAN];
    [
        any.clone(),
        any[..7].to_vec(),
        negative,
        infinite,
        near.clone(),
        special,
        nothing,
        zeros,
        sparse,
        least,
        one,
        behind,
        larger,
        cancelling,
        minus,
    ]
    .into_iter()
    .chain([16, 17, 19].map(|below| digits(127 + 5, 127 - below)))
    .chain([28, 29, 34].map(|below| digits(127 + 9, 127 - below)))
    .chain(others.map(|other| beside(other, 997)))
    .chain([beside(1e-30, 7), beside(1e30, 9)])
    .collect()
}

/// The bits of an f64 beside its exponent.
pub(super) const SIGN: u64 = 1 << 63;
pub(super) const MANTISSA: u64 = (1 << 52) - 1;

/// The same of f64, whose windows have 39 exponents.
pub(super) fn sets_f64() -> Vec<Vec<u64>> {
    let mut random = Random(65);
    let mut next = || random.next() << 32 ^ random.next();
    let any: Vec<u64> = (0..50_000).map(|_| next()).filter(|&bits| f64::from_bits(bits).is_finite()).collect();
    // Sixteen neighbouring exponents.
    let near: Vec<u64> = (0..70_001).map(|_| next() & !(0x7f0 << 52) | 0x3f0 << 52).collect();
    // Behind ones, which choose the window, the largest of it, which cancel, and among them others of the least, or of less.
    let digits = |least: u64| {
        let digit = |i: u64| match i {
            0..4096 => 0x3ff << 52 | i << 63,
            4096..50_600 if i % 122 == 120 => least << 52 | MANTISSA,
            // What the first sum's last place leaves of them adds up, too.
            4096..50_600 => (0x3ff + 9) << 52 | (MANTISSA - 256),
            _ => SIGN | (0x3ff + 9) << 52 | (MANTISSA - 256),
        };
        (0..97_105).map(digit).collect()
    };
    let beside = |other: f64, step: usize| {
        let mut beside = near.clone();
        beside.iter_mut().step_by(step).for_each(|bits| *bits = other.to_bits());
        beside
    };
    let negative = near.iter().map(|bits| bits | SIGN).collect();
    let special = near.iter().copied().chain([0x7ff8 << 48, 0xfff0 << 48]).collect();
    let nothing = near.iter().flat_map(|&bits| [bits, bits ^ SIGN]).collect();
    let zeros = (0..5000).map(|i| if i < 4000 { SIGN } else { 0 }).collect();
    let sparse = near.iter().enumerate().map(|(i, &bits)| if i % 10 == 0 { bits } else { bits & SIGN }).collect();
    // The ends of what windows may lie in, the second word of a subnormal number alone.
    let at = |exponent: u64| near.iter().map(|bits| bits & (SIGN | MANTISSA) | exponent << 52).collect();
    let tiny = (0..9000).map(|i: u64| if i % 5 == 3 { i } else { (i % 2) << 63 }).collect();
    let front = [vec![SIGN; 4000], vec![0x3ff << 52, SIGN, 0xbff << 52, SIGN]].concat();
    let back = [vec![SIGN; 4001], vec![0x3ff << 52, SIGN, 0xbff << 52]].concat();
    let last = near[1..].iter().copied().chain([0x7ff << 52]).collect();
    let larger = (0..70_000).map(|i: u64| ((0x3f0 + i / 2000) << 52) | next() & (SIGN | MANTISSA)).collect();
    let others = [-0.0, 5e-324, -1e-310, -1e-12, 1e30, -1.7e308, f64::NEG_INFINITY, f64::NAN];
    [any.clone(), any[..5].to_vec(), near.clone(), negative, special, nothing, zeros, vec![SIGN; 5000], sparse]
        .into_iter()
        .chain([tiny, front, back, last, larger, beside(1e-30, 7), beside(1e30, 9)])
        .chain([38, 39, 40, 41, 60].map(|below| digits(0x3ff + 9 - below)))
        .chain([1, 53, 54, 82, 83, 91, 92, 2027, 2028, 2029, 2046].map(at))
        .chain(others.map(|other| beside(other, 997)))
        .collect()
}

/// The same, and those whose squares windows of 20 exponents have, or not.
fn square_sets_f64() -> Vec<Vec<u64>> {
    let mut random = Random(67);
    let mut mantissa = || (random.next() << 32 ^ random.next()) & MANTISSA;
    // Behind ones, which choose the window, the largest of it; among them others of the least, or of less.
    let sets = [19, 20, 21, 22, 30].map(|below| {
        let digit = |i: u64| match i {
            0..4096 => 0x3ff << 52,
            _ if i % 122 == 120 => (0x3ff + 5 - below) << 52 | mantissa() | 1,
            // What the first sums' last places leave of its square adds up, too.
            _ => (0x3ff + 5) << 52 | 0xfffffd8342fa7,
        };
        (0..60_000).map(digit).collect()
    });
    let any = [545, 593, 594, 599, 1485, 1494, 1495, 1530].map(|exponent: u64| {
        let digit = |i: u64| u64::from(i.is_multiple_of(3)) << 63 | (exponent + i % 9) << 52 | mantissa();
        (0..9001).map(digit).collect()
    });
    sets_f64().into_iter().chain(sets).chain(any).collect()
}

/// The same of f16, of which 2048 at a time are an integer's last places.
fn sets_f16() -> Vec<Vec<u16>> {
    let mut random = Random(66);
    let any: Vec<u16> = (0..30_003).map(|_| random.next() as u16).filter(|bits| bits & 0x7c00 != 0x7c00).collect();
    let with = |at: usize, special: u16| {
        let mut with = any.clone();
        with[at] = special;
        with
    };
    let zeros = |one: u16| (0..4000).map(|i| if i == 3001 { one } else { 0x8000 }).collect();
    // As large as they are, and many enough that an invocation begins anew; among them the least.
    let most = |sign: u16| (0..700_000).map(|i| if i % 5003 == 0 { sign ^ 0x8001 } else { sign | 0x7bff }).collect();
    let last_of_zeros = [vec![0x8000; 3199], vec![1]].concat();
    let specials = [0x7c00, 0xfc00, 0x7e00, 0xfdff, 0x7c01].into_iter().zip([20_000, 20_003, 20_005, 20_006, 20_007]);
    let last = any[..9000].iter().copied().chain([0x7c00]).collect();
    let mut both = with(17, 0x7c00);
    both[18] = 0xfc00;
    [
        any.clone(),
        any[..3].to_vec(),
        zeros(0x8000),
        zeros(0),
        zeros(1),
        last_of_zeros,
        most(0),
        most(0x8000),
        both,
        last,
        vec![0x8001; 9001],
    ]
    .into_iter()
    .chain(specials.map(|(special, at)| with(at, special)))
    .collect()
}

/// An operator, sets of elements, and the bytes of their partials, as the host finds them.
pub(super) struct Cases<T, O> {
    op: O,
    sets: Vec<(Vec<T>, Vec<u8>)>,
    /// Those of the first set from [`HEAD`] on.
    behind_head: Vec<u8>,
}

/// Elements before a range, which begins within a vector and a word.
const HEAD: usize = 5;

impl<T: Element, O: Op<T>> Cases<T, O> {
    pub(super) fn new(op: O, sets: impl IntoIterator<Item = Vec<T>>) -> Self {
        let with_partial = |set: Vec<T>| {
            let partial = Cpu::new().partial(op.clone(), &set).to_bytes().expect("bytes");
            (set, partial)
        };
        let sets: Vec<_> = sets.into_iter().map(with_partial).collect();
        let behind_head = Cpu::new().partial(op.clone(), &sets[0].0[HEAD..]).to_bytes().expect("bytes");
        Cases { sets, behind_head, op }
    }

    /// Whether the kernel passes its self-test, where it runs at all.
    pub(super) fn passes(&self, gpu: &Gpu) -> bool {
        gpu.sums_right::<T, O>(&self.op, Keep::Bins { replicas: 8, words64: true, float64: true }).expect("a verdict")
    }

    /// The kernel of a device, and the number of the first set whose partial is not the host's.
    pub(super) fn wrong(&self, gpu: &Gpu) -> (Option<Keep>, Option<usize>) {
        let reducer = gpu.reducer::<T, O>(self.op.clone()).expect("a reducer");
        let is_wrong = |set: &[T], begin: usize, want: &[u8]| {
            let buffer = upload(gpu, set);
            let partial = reducer.partial(Input::range(&buffer, begin as u64..set.len() as u64)).expect("sums");
            partial.to_bytes().expect("bytes") != want
        };
        let first = is_wrong(&self.sets[0].0, HEAD, &self.behind_head).then_some(0);
        (reducer.kernel(), first.or_else(|| self.sets.iter().position(|(set, want)| is_wrong(set, 0, want))))
    }
}

/// Sets of patterns as numbers.
pub(super) fn all<T, B: Copy>(sets: Vec<Vec<B>>, of: fn(B) -> T) -> Vec<Vec<T>> {
    sets.iter().map(|set| set.iter().map(|&bits| of(bits)).collect()).collect()
}

fn of_upper(bits: u32) -> bf16 {
    bf16::from_bits((bits >> 16) as u16)
}

/// A launch shape whose bins workgroups share, with an f64 before them.
pub(super) fn with_float64(shape: Tuning) -> Tuning {
    shape.with(|tuning| (tuning.own_bins_max, tuning.float64) = (0, true))
}

pub(super) fn is_float64(keep: Option<Keep>) -> bool {
    matches!(keep, Some(Keep::Bins { float64: true, .. }))
}

/// Whether the adapter has f64 in shaders; says so where it has not.
pub(super) fn has_float64() -> bool {
    let has = gpu().device().features().contains(treefold::wgpu::Features::SHADER_F64);
    if !has {
        tell("skipped: this adapter has no f64 in shaders");
    }
    has
}

#[test]
fn sums_have_the_bits_of_the_hosts() {
    if !has_float64() {
        return;
    }
    let (upper, both) =
        (Cases::new(Widened(Sum), all(sets(), of_upper)), Cases::new(Std { ddof: 0 }, all(sets(), f32::from_bits)));
    let (double, half) =
        (Cases::new(Sum, all(sets_f64(), f64::from_bits)), Cases::new(Sum, all(sets_f16(), f16::from_bits)));
    let sizes = Cases::new(Norm1, all(sets_f64(), f64::from_bits));
    let text = "return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);";
    let made = Mapped::new(text, |x: f32| f32::from_bits(x.to_bits() ^ 0x8000_0000), Std { ddof: 0 });
    let made = Cases::new((made, CountNonzero), all(sets(), f32::from_bits));
    let double_squares = Cases::new(SumOfSquares, all(square_sets_f64(), f64::from_bits));
    let half_sizes = Cases::new(Norm1, all(sets_f16(), f16::from_bits));
    let shapes = [small().loads(2), Tuning::GPU, small().with(|tuning| tuning.subgroups = false)];
    for (turn, shape) in shapes.into_iter().enumerate() {
        let gpu = gpu().with_tuning(with_float64(shape)).expect("a launch shape");
        type Found<'a> = &'a dyn Fn(&Gpu) -> (Option<Keep>, Option<usize>);
        let cases: [(&str, Found); 8] = [
            ("bf16", &|gpu| upper.wrong(gpu)),
            ("sums and squares", &|gpu| both.wrong(gpu)),
            ("what a map makes, beside others", &|gpu| made.wrong(gpu)),
            ("f64", &|gpu| double.wrong(gpu)),
            ("sizes of f64", &|gpu| sizes.wrong(gpu)),
            ("squares of f64", &|gpu| double_squares.wrong(gpu)),
            ("f16", &|gpu| half.wrong(gpu)),
            ("sizes of f16", &|gpu| half_sizes.wrong(gpu)),
        ];
        let some = if turn == 0 { cases.to_vec() } else { every_other(turn, &cases) };
        for (what, found) in some {
            let (kernel, wrong) = found(&gpu);
            assert!(is_float64(kernel), "{what}: {kernel:?}");
            assert_eq!(wrong, None, "{what}: a set");
        }
    }
}

/// Many answers, and what passes a test, are found without: by smaller values, or in bins.
#[test]
fn many_sums_of_f16_are_those_of_the_host() {
    if !has_float64() {
        return;
    }
    let gpu = gpu().with_tuning(with_float64(small())).expect("a launch shape");
    let set = all(sets_f16(), f16::from_bits).swap_remove(0);
    let (rows, length) = (set.len() / 37, 37);
    let buffer = upload(&gpu, &set);
    let reducer = gpu.reducer::<f16, _>(Sum).expect("a reducer");
    assert!(is_float64(reducer.kernel()), "{:?}", reducer.kernel());
    let found = reducer.reduce_each(Input::range(&buffer, 0..(rows * length) as u64).rows(length as u64));
    let want = Cpu::new().reduce_each(Sum, &set[..rows * length], length).expect("sums");
    let bits = |sums: Vec<f32>| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(found.expect("sums")), bits(want));
    let filtered = gpu.reducer::<f16, _>(Filtered::not_nan(Sum)).expect("a reducer");
    assert!(!is_float64(filtered.kernel()), "{:?}", filtered.kernel());
}

/// Sums of f32, and their squares, are as fast in bins by themselves; others stay there where no launch policy asks for more.
#[test]
fn others_keep_to_bins() {
    let to_bins = |kernel| assert!(matches!(kernel, Some(Keep::Bins { float64: false, .. })), "{kernel:?}");
    let gpu = gpu().with_tuning(small().with(|tuning| tuning.own_bins_max = 0)).expect("a launch shape");
    to_bins(gpu.reducer::<f32, _>(Std { ddof: 0 }).expect("a reducer").kernel());
    let gpu = gpu.with_tuning(with_float64(small())).expect("a launch shape");
    to_bins(gpu.reducer::<f32, _>(SumOfSquares).expect("a reducer").kernel());
    to_bins(gpu.reducer::<f32, _>(Sum).expect("a reducer").kernel());
    to_bins(gpu.reducer::<f32, _>((Sum, Norm1)).expect("a reducer").kernel());
}

/// The self-test puts a wrong kernel aside, or a set notices it; each compiles.
#[test]
fn wrong_kernels_are_noticed() {
    if !has_float64() {
        return;
    }
    // Whether the self-test or a set tells.
    type Wrong<'a> = &'a dyn Fn(&Gpu) -> bool;
    let (of_upper, of_both) =
        (Cases::new(Widened(Sum), all(sets(), of_upper)), Cases::new(Std { ddof: 0 }, all(sets(), f32::from_bits)));
    let of_double = Cases::new(Sum, all(sets_f64(), f64::from_bits));
    let of_half = Cases::new(Sum, all(sets_f16(), f16::from_bits));
    let of_roots = Cases::new(SumOfSquares, all(square_sets_f64(), f64::from_bits));
    let roots: Wrong = &|gpu| !of_roots.passes(gpu) || of_roots.wrong(gpu).1.is_some();
    let (double, half): (Wrong, Wrong) = (&|gpu| !of_double.passes(gpu) || of_double.wrong(gpu).1.is_some(), &|gpu| {
        !of_half.passes(gpu) || of_half.wrong(gpu).1.is_some()
    });
    // The squares of a deviation are its second member, whose names say so.
    let (upper, squares): (Wrong, Wrong) = (&|gpu| !of_upper.passes(gpu) || of_upper.wrong(gpu).1.is_some(), &|gpu| {
        !of_both.passes(gpu) || of_both.wrong(gpu).1.is_some()
    });
    let mut unnoticed = Vec::new();
    let changes = [
        (upper, "all.sum += (f64", "all.sum -= (f64"),
        (upper, "const ROOM = 64u;", "const ROOM = 6400u;"),
        (upper, "FIRST, more)", "6400u, more)"),
        (upper, "part_of(vector, 1u), 2u, index)", "part_of(vector, 0u), 2u, index)"),
        (upper, "(sizes.x, sizes.y), max(sizes.z, sizes.w)", "(sizes.x, sizes.y), sizes.z"),
        (upper, "min(before.z, before.w)", "before.z"),
        (upper, "& (sizes.x >= window.top - (WINDOW << FIELD) - 1u)", ""),
        (upper, "(sizes.y < window.top) &", ""),
        (upper, "const WINDOW = 38u;", "const WINDOW = 45u;"),
        (upper, "all.most = max(all.most, max(max(", "all.most = max(0i, max(max("),
        (upper, "put_held(all);", ""),
        (upper, "    put_held(state);\n", ""),
        (upper, "put(bitcast<u32>(f32(second)), state.replica);", ""),
        (upper, "0xffffffffe0000000lu", "0xfffffffff0000000lu"),
        (upper, "all.sum = f64();", ""),
        (upper, "put(vector.w, all.replica);", ""),
        (upper, "all.low = max(all.low, max(", "all.low = max(0u, max("),
        (upper, "both_sizes(of_front, of_back)", "both_sizes(of_front, of_front)"),
        (upper, "return with_inside(with_inside(all, front), back);", "return with_inside(all, front);"),
        (upper, "all = with_noted(with_noted(all, front), back);", "all = with_noted(all, front);"),
        (double, "const WINDOW = 39u;", "const WINDOW = 40u;"),
        (double, "const ROOM = 64u;", "const ROOM = 65u;"),
        (double, "const MOST_TOP = 2037u;", "const MOST_TOP = 2047u;"),
        (double, "(state.window.top >> FIELD) + 8u", "(state.window.top >> FIELD) + 7u"),
        (double, "(state.window.top >> FIELD) + 8u", "(state.window.top >> FIELD) + 10u"),
        (double, "| min(bits.x, 1u)", ""),
        (double, "put(words_of(state.sum.high - start_of(state)), state.replica);", ""),
        (double, "put(words_of(state.sum.low), state.replica);", ""),
        (double, "put_held(all);", ""),
        (double, "    put_held(state);\n", ""),
        (double, "min(f64_size(vector.xy) - 1u, f64_size(vector.zw) - 1u)", "f64_size(vector.xy) - 1u"),
        (double, "min(f64_size(vector.xy) - 1u, f64_size(vector.zw) - 1u)", "f64_size(vector.zw) - 1u"),
        (double, "max(f64_size(vector.xy), f64_size(vector.zw))", "f64_size(vector.xy)"),
        (double, "all.others |= front.x | (front.y ^ 0x80000000u)", "all.others |= 0u"),
        (double, "| back.x | (back.y ^ 0x80000000u)", ""),
        (double, "if sizes.y >= 0x7ff00000u", "if false"),
        (double, "    put(front, all.replica);\n", ""),
        (double, "    put(back, all.replica);\n", ""),
        (double, "all.flags |= double_flags(bits);", ""),
        (half, "const VECTORS = 256u;", "const VECTORS = 257u;"),
        (half, "const BEGIN = 0x41b80000u;", "const BEGIN = 0x41b00000u;"),
        (half, "const BEGIN = 0x41b80000u;", "const BEGIN = 0x41c80000u;"),
        (half, "all.whole = whole_of(all);", ""),
        (half, "all.sum = begin();", ""),
        (half, "all.flags |= special(bits);", ""),
        (half, "all.flags |= specials(vector);", ""),
        (half, "all.others |= others(vector);", ""),
        (half, "all.others |= bits ^ 0x8000u;", ""),
        (half, "bitcast<u32>(bitcast<i32>(high) >> 31u)", "0u"),
        (half, "0x04000400u", "0x04000000u"),
        (half, "return both_special(vector.x) |", "return"),
        (half, " | both_special(vector.w)", ""),
        (half, " | carried.w", ""),
        (half, "return bits.x | bits.y | bits.z | bits.w;", "return bits.x | bits.y | bits.z;"),
        (half, "return bits.x | bits.y | bits.z | bits.w;", "return bits.y | bits.z | bits.w;"),
        (roots, "const WINDOW = 20u;", "const WINDOW = 21u;"),
        (roots, "const ROOM = 64u;", "const ROOM = 96u;"),
        (roots, "const MOST_TOP = 1500u;", "const MOST_TOP = 1600u;"),
        (roots, "const LEAST_TOP = 600u;", "const LEAST_TOP = 540u;"),
        (roots, "- 1016u", "- 1008u"),
        (roots, "- 1068u", "- 1060u"),
        (roots, "put_number(state.sum.high - start_of(state), state.replica);", ""),
        (roots, "put_number(state.sum.low, state.replica);", ""),
        (roots, "put_number(state.rest.high - start_of_rest(state), state.replica);", ""),
        (roots, "put_number(state.rest.low, state.replica);", ""),
        (roots, "(bits.y >> 31u) != 0u, replica)", "false, replica)"),
        (roots, "+ 1075u", "+ 1074u"),
        (roots, "+ (upper + upper) * lower)", "+ upper * lower)"),
        (roots, "+ lower * lower;", ";"),
        (roots, "bits.x + 0x4000000u", "bits.x"),
        (roots, "+ select(0u, 1u, low < bits.x)", ""),
        (roots, "all.flags |= FLAG_OTHER;", ""),
        (roots, "all.flags |= put(vector.xy, all.replica) |", "all.flags |="),
        (roots, "all.flags |= put(bits, all.replica);", ""),
        (squares, "const m1_WINDOW = 22u;", "const m1_WINDOW = 25u;"),
        (squares, "(y - (second - first))", "y"),
        (squares, "(x - (first - levels.high)) +", ""),
        (squares, "m1_put_held(all);", ""),
        (squares, "    m1_put_held(state);\n", ""),
        (squares, "m1_put_number(low + lent, state.replica);", ""),
        (squares, "+ 777u", "+ 800u"),
        (squares, "lent += place;", ""),
        (squares, "if low < f64()", "if false"),
        (squares, "+ 725u", "+ 700u"),
        (squares, "- 775u", "- 774u"),
        (squares, "all.flags = m1_FLAG_OTHER;", ""),
    ];
    for (of, from, to) in one_in(3, &changes) {
        if !notices(with_float64(small()), (from, to), of) {
            unnoticed.push(from);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
    // Of vectors in pairs, whose last one may be the first of its pair.
    let noticed = |gpu: &Gpu| squares(gpu);
    let changes = [
        ("if (left > 1u) & m1_has(", "if m1_has("),
        ("if left > 1u { all = m1_", "if true { all = m1_"),
        ("all = m0_with_vector(all, back, of_back);", ""),
        ("m1_both_sizes(of_front, of_back)", "m1_both_sizes(of_front, of_front)"),
        ("left - min(left, 2u * 0u)", "2u"),
        ("loads[2u * 0u + 1u]", "loads[2u * 0u]"),
    ];
    assert_noticed(with_float64(small().loads(2)), &one_in(2, &changes), noticed);
}
