//! Wrong kernels of exact operators: the self-test puts them aside, or the comparison with the oracle notices.

use crate::common::exactly::{Failures, by_reducer, inputs};
use crate::common::oracle::Exactly;
use crate::common::sets::Set;
use crate::common::*;
use std::sync::atomic::{AtomicBool, Ordering};
use treefold::half::f16;
use treefold::internals::Keep;
use treefold::ops::*;
use treefold::{Axes, Cpu, Element, Error, Input, Op, Output, Tuning, wgpu};

/// Sets on which every step of the f32 kernels shows.
fn telling() -> Vec<Set<f32>> {
    inputs::<f32>(1200)
}

/// The kernel that a device takes whose shaders are patched, and what the answers are then; `None` where it takes none.
fn patched(tuning: Tuning, (patch, matched): (Patch, &AtomicBool)) -> Option<(Keep, Vec<String>)> {
    let gpu = patched_gpu(tuning, patch);
    let reducer = gpu.reducer::<f32, _>(Sum);
    assert!(matched.load(Ordering::Relaxed), "nothing to patch");
    let reducer = match reducer {
        Ok(reducer) => reducer,
        Err(Error::NoExactKernel { operator: "sum" }) => return None,
        Err(error) => panic!("{error}"),
    };
    let mut failures = Failures::default();
    by_reducer(&gpu, &reducer, &telling(), &mut failures);
    Some((reducer.kernel().expect("a kernel"), failures.0))
}

/// Bins whose replicas are folded in workgroup memory.
fn bins() -> Tuning {
    small().with(|tuning| tuning.subgroups = false)
}

/// Bins whose replicas are folded by subgroups.
fn lanes() -> Tuning {
    small()
}

/// Each invocation's own words.
fn registers() -> Tuning {
    bins().with(|tuning| tuning.own_bins_max = u64::MAX)
}

/// Whether this adapter has integers of 64 bits.
fn words64() -> bool {
    gpu().device().features().contains(wgpu::Features::SHADER_INT64)
}

/// Without them, and with them where it has them.
fn ways() -> impl Iterator<Item = bool> {
    [false, true].into_iter().filter(|&wide| !wide || words64())
}

macro_rules! quarantined {
    ($($test:ident: $tuning:ident, $right:pat => $from:literal => $to:literal;)*) => {
        /// A kernel that the patch makes wrong: the self-test puts it aside, and another one answers right.
        mod wrong_kernel_is_put_aside {
            use super::*;
            $(#[test]
            fn $test() {
                let (keep, failures) = patched($tuning(), patch!($from => $to)).expect("a kernel that is right");
                assert!(matches!(keep, $right), "{keep:?}");
                assert!(failures.is_empty(), "{}", some(&failures));
            })*
        }
    };
}

quarantined! {
    carry_dropped: bins, Keep::Registers | Keep::Registers64 => "if before + amount < before { atomicAdd(&bins_high[at], 1u); }" => "";
    shift_mask_short: bins, Keep::Registers | Keep::Registers64 => "(bits >> 23u) & 7u" => "(bits >> 23u) & 3u";
    subnormals_a_place_lower: bins, Keep::Registers | Keep::Registers64 => "bits << 1u, (bits" => "bits & 0x7fffffu, (bits";
    signs_swapped: bins, Keep::Registers | Keep::Registers64 => "bin_get(s, replica), bin_get(SUMS + s, replica)" => "bin_get(SUMS + s, replica), bin_get(s, replica)";
    replicas_left_out: bins, Keep::Registers | Keep::Registers64 => "turn < REPLICAS; turn" => "turn + LANES_PER_SUM < REPLICAS; turn";
    half_of_the_seats_left_out: bins, Keep::Bins { replicas: 1, .. } | Keep::Registers | Keep::Registers64 => "half = LANES_PER_SUM / 2u" => "half = LANES_PER_SUM / 4u";
    butterfly_one_step_short: lanes, Keep::Registers | Keep::Registers64 => "if (1u << 1u) < LANES_PER_SUM" => "if false";
    column_without_its_end: lanes, Keep::Registers | Keep::Registers64 => "vec3<u32>(0u, bin_sum(2u * j + 1u))" => "vec3<u32>()";
    last_partial_lost: bins, Keep::Registers | Keep::Registers64 => "min(p, end - 1u))], p < end" => "min(p, end - 1u))], p + 1u < end";
    first_partial_lost: bins, Keep::Registers | Keep::Registers64 => "var p = first + id.local % LANES_PER_SUM" => "var p = first + 1u + id.local % LANES_PER_SUM";
    last_column_lost: bins, Keep::Registers | Keep::Registers64 => "j < COLUMNS; j += WORKGROUP_SIZE" => "j + 1u < COLUMNS; j += WORKGROUP_SIZE";
    bins_not_cleared: bins, Keep::Registers | Keep::Registers64 => "atomicStore(&bins_low[c], 0u);" => "atomicStore(&bins_low[c], c);";
    own_bins_without_carry: registers, Keep::Bins { .. } => "bins_high[bin] = total.y;" => "";
    combine_without_carry: registers, Keep::Bins { .. } => "b.limbs[5u], next.y" => "b.limbs[5u], 0u";
}

/// Where every kernel that fits is wrong, another one that does not fit would be no help.
#[test]
fn what_is_wrong_is_told_before_what_does_not_fit() {
    let bins = gpu().device().limits().max_compute_workgroup_storage_size / 4 - 700;
    let op = (Histogram::new(bins, 0.0, 1.0).expect("a histogram"), Sum);
    let right = gpu().with_tuning(small()).expect("a launch shape").reducer::<f32, _>(op.clone()).expect("a reducer");
    assert_eq!(
        right.kernel(),
        Some(Keep::Bins { replicas: 1, words64: words64(), float64: false }),
        "no other bins fit"
    );
    let (patch, matched) = patch!("return vectors[v];" => "return vectors[v] ^ vec4<u32>(1u);");
    let wrong = patched_gpu(small(), patch).reducer::<f32, _>(op).map(drop).expect_err("no kernel is right");
    assert!(matched.load(Ordering::Relaxed), "nothing to patch");
    assert!(matches!(wrong, Error::NoExactKernel { .. }), "{wrong}");
}

/// The window of 64 bits gives way to that of 32.
#[test]
fn a_wrong_window_of_64_bits_is_put_aside() {
    if !words64() {
        return tell("skipped: this adapter has no 64-bit integers, so that kernel does not run here");
    }
    let patch = patch!("<< left;\n}" => "<< (left & 15u);\n}");
    let (keep, failures) = patched(registers(), patch).expect("a kernel that is right");
    assert_eq!(keep, Keep::Registers);
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// Cells that a workgroup shares give way to words of each invocation.
#[test]
fn wrong_cells_are_put_aside() {
    for (number, patch) in [
        patch!("if (left & 1u) != 0u { atomicAdd(&cells[" => "if false { atomicAdd(&cells["),
        patch!("cell_bin(s), cell_bin(32u + s)" => "cell_bin(32u + s), cell_bin(s)"),
    ]
    .into_iter()
    .enumerate()
    {
        let (patch, matched) = patch;
        let gpu = gpu().with_patched_shaders(patch).expect("a device");
        let failures = groups::<f32, _>(&gpu, &Sum, &[(3000, 5, 2)]);
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
        assert!(failures.is_empty(), "{number}: {}", some(&failures));
    }
}

/// Sums that are values give way to bins, or to words of each invocation in memory.
#[test]
fn wrong_values_are_put_aside() {
    let lengths = [(900, vec![0, 3, 3, 700, 900])];
    for (number, (patch, matched)) in [
        patch!("if all.held != 0u { all.left = sum_of(all); }" => ""),
        patch!("all.over += bitcast<i32>(words.y) >> 16u;" => ""),
        patch!("words.y & 0xffffu" => "words.y & 0xffu"),
        patch!("word_of_window(window, 5u - place), next.y)" => "word_of_window(window, 5u - place), 0u)"),
        patch!("select(high, low, place < 3u)" => "select(0u, low, place < 3u)"),
        patch!("all.most = max(all.most, most);" => ""),
        patch!("wide_sum(wide_of(bits.z, at.z)," => "wide_sum(Wide(),"),
    ]
    .into_iter()
    .enumerate()
    {
        let gpu = patched_gpu(small(), patch);
        // What is taken instead is the same for all.
        let instead: [&dyn Fn() -> Vec<String>; 3] =
            [&|| segments::<f32, _>(&gpu, &Sum, &lengths), &|| rows::<f32, _>(&gpu, &Sum, &[5, 70]), &|| {
                segments::<f32, _>(&gpu, &(Sum, Min), &lengths)
            }];
        let failures: Vec<String> =
            one_in(3, &instead[if all() { 0 } else { number % 3 }..]).iter().flat_map(|run| run()).collect();
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
        assert!(failures.is_empty(), "{number}: {}", some(&failures));
    }
}

/// Many short rows and columns without a form by value are each found by one invocation: from so many on, of so many elements at most, and with the bits that bins have.
#[test]
fn many_short_rows_are_each_found_by_one_invocation() {
    for (shape, axis, most, in_place, want) in [
        (&[512, 6][..], 1, 6, false, true),
        (&[1301, 100], 1, 100, false, true),
        (&[511, 6], 1, 6, false, false),
        (&[512, 7], 1, 6, false, false),
        (&[799, 100], 1, 100, false, false),
        (&[512, 6], 1, 6, true, true),
        (&[6, 512], 0, 6, false, true),
        (&[6, 512], 0, 6, true, true),
        (&[70, 1301], 0, 70, false, true),
        (&[11, 5, 410], 1, 6, false, true),
        (&[6, 511], 0, 6, false, false),
        (&[7, 512], 0, 6, false, false),
        (&[100, 799], 0, 100, false, false),
    ] {
        own_words(shape, axis, most, in_place, want);
    }
}

/// What lies along is found by one invocation as well, whichever order its axes are named in.
#[test]
fn what_lies_along_is_found_by_one_invocation() {
    static OWN: AtomicBool = AtomicBool::new(false);
    fn noted(text: String) -> String {
        OWN.fetch_or(text.contains(OF_ONE), Ordering::Relaxed);
        without_values(text)
    }
    let axes = Axes::strided(0, &[2, 600, 5], &[1, 2, 1200], &[0, 2]).expect("axes");
    let gpu = patched_gpu(small().with(|tuning| tuning.own_rows_max = 10), noted);
    let numbers: Vec<f32> = (0..6000).map(|i| 1.0 + (i * 7919 % 6007) as f32 / 3.0).collect();
    let want = Cpu::new().reduce_axes(Sum, &numbers, &axes).expect("sums");
    let buffer = upload(&gpu, &numbers);
    let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    assert!(reducer.reduce_each(Input::from(&buffer).over(axes)).expect("sums") == want);
    assert!(OWN.load(Ordering::Relaxed), "bins of a workgroup");
}

const OF_ONE: &str = "// BINS counters of 64 bits that belong to one invocation";

/// A text whose values the self-test puts aside.
fn without_values(text: String) -> String {
    text.replace("if all.held != 0u { all.left = sum_of(all); }", "")
}

const ALONE: &str = "// Many answers a workgroup, each found by one invocation";

/// Sums of f32 along an axis, whose values a patch has made wrong so that they are put aside: their bits, and whether a text of words of an
/// invocation says `want`.
fn own_words(shape: &[u64], axis: usize, most: u64, in_place: bool, want: bool) {
    static SEEN: AtomicBool = AtomicBool::new(false);
    fn noted(text: String) -> String {
        if text.contains(OF_ONE) {
            SEEN.fetch_or(text.contains(ALONE), Ordering::Relaxed);
        }
        without_values(text)
    }
    let (elements, length) = (shape.iter().product::<u64>() as usize, shape[axis] as usize);
    let (answers, inner) = (elements / length, shape[axis + 1..].iter().product::<u64>() as usize);
    let numbers: Vec<f32> = Random(elements as u64).elements(elements);
    let place = |answer: usize, k: usize| answer / inner * length * inner + k * inner + answer % inner;
    let rows: Vec<f32> = (0..elements).map(|at| numbers[place(at / length, at % length)]).collect();
    let sums = Cpu::new().reduce_each(Sum, &rows, length).expect("sums");
    let bits = |sum: f32| if sum.is_nan() { 0 } else { sum.to_bits() };
    let same = |got: &[f32]| got.len() == answers && got.iter().zip(&sums).all(|(&got, &want)| bits(got) == bits(want));
    // Behind the elements, from an offset that a binding may have, there is room for the answers.
    let (from, words) = (elements.next_multiple_of(64), answers * 2);
    for recorded in [true, false] {
        let what = format!("{shape:?} along {axis}, in place: {in_place}, recorded: {recorded}");
        SEEN.store(false, Ordering::Relaxed);
        let gpu = patched_gpu(small().with(|tuning| tuning.own_rows_max = most), noted);
        let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        let buffer = upload(&gpu, &[&numbers[..], &vec![0.0; from - elements + words]].concat());
        let axes = Axes::of(shape, &[axis as i64]).expect("axes");
        let each = Input::range(&buffer, 0..elements as u64).over(axes);
        let other = crate::common::answers(&gpu, words);
        let (to, first) = if in_place { (&buffer, from) } else { (&other, 0) };
        if recorded {
            let output: Output = to.slice(4 * first as u64..4 * (first + words) as u64).into();
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            reducer.record_each(&mut encoder, each, output).expect("a record");
            gpu.queue().submit([encoder.finish()]);
            let found = download(&gpu, to);
            let found: Vec<&[u32]> = found[first..first + words].chunks(2).collect();
            assert!(found.iter().all(|answer| answer[1] as usize == length), "{what}");
            assert!(same(&found.iter().map(|answer| f32::from_bits(answer[0])).collect::<Vec<_>>()), "{what}");
        } else if in_place {
            continue;
        } else {
            assert!(same(&reducer.reduce_each(each).expect("sums")), "{what}");
        }
        assert_eq!(SEEN.load(Ordering::Relaxed), want, "{what}");
    }
}

/// Sums of squares and of products that are values: the self-test sees what is wrong with their windows.
#[test]
fn wrong_windows_of_products_are_put_aside() {
    fn right<T: Element, O: Op<T> + Default>(patch: Patch, words64: bool) -> bool {
        patched_gpu(small(), patch).sums_right::<T, O>(&O::default(), Keep::Values { words64 }).expect("a verdict")
    }
    type Verdict = fn(Patch, bool) -> bool;
    let (squares, products): (Verdict, Verdict) = (right::<f32, SumOfSquares>, right::<[f32; 2], Dot>);
    for words64 in ways() {
        assert!(squares(|text| text, words64) && products(|text| text, words64));
    }
    for (number, (right, (patch, matched))) in [
        (squares, patch!("if all.held != 0u { all.left = sum_of(all); }" => "")),
        (products, patch!("if all.held != 0u { all.left = sum_of(all); }" => "")),
        (squares, patch!("word_of_window(window, shift, 5u - place), next.y)" => "word_of_window(window, shift, 5u - place), 0u)")),
        (products, patch!("select(sign, high, place == 4u)" => "select(0u, high, place == 4u)")),
        (squares, patch!("select(sign, high, place == 4u)" => "sign")),
        (products, patch!("(at - all.base) & 63u" => "(at - all.base) & 31u")),
        (products, patch!("select(0u, 0xffffffffu, (a ^ b) >> 31u == 1u)" => "0u")),
        (products, patch!("vec4<u32>(0u, words), up > 31u" => "vec4<u32>(words, 0u), up > 31u")),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(ways().all(|words64| !right(patch, words64)), "{number}");
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
    }
    for (number, (words64, (patch, matched))) in [
        (false, patch!("window.w + amount.w + z.y" => "window.w + amount.w")),
        (false, patch!("sign & 1u);" => "0u);")),
        (true, patch!("let z = window.z + (y >> 32u);" => "let z = window.z;")),
        (true, patch!("u64(sign & 1u)" => "0lu")),
    ]
    .into_iter()
    .enumerate()
    {
        if ways().any(|way| way == words64) {
            assert!(!products(patch, words64), "{number}");
            assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
        }
    }
}

/// Squares that are taken four at once, not finite ones too: what the self-test does not see, these tests see.
#[test]
fn wrong_squares_of_four_are_noticed() {
    // Rows in which another element, which lies in the window, stands in one place of a vector.
    let rows = [(1.5, 100.0), (1.5, 0.0), (1e38, f32::NAN), (1e38, f32::INFINITY)];
    let row = |at: usize, (x, other): (f32, f32)| (0..64).map(move |n| if n == 20 + at { other } else { x });
    let elements: Vec<f32> = (0..4).flat_map(|at| rows.map(|of| (at, of))).flat_map(|(at, of)| row(at, of)).collect();
    let want = Cpu::with_threads(1).reduce_each(SumOfSquares, &elements, 64).expect("answers");
    let agrees = |patch: Patch| {
        let gpu = patched_gpu(small(), patch);
        let buffer = upload(&gpu, &elements);
        let rows = Input::range(&buffer, 0..elements.len() as u64).rows(64);
        let got = gpu.reducer::<f32, _>(SumOfSquares).and_then(|reducer| reducer.reduce_each(rows)).expect("answers");
        got.iter().zip(&want).all(|(got, want)| got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()))
    };
    assert!(agrees(|text| text));
    for (number, (patch, matched)) in [
        patch!("select(0u, FLAG_NAN, most > 0x7f800000u)" => "0u"),
        patch!("max(max(sizes.x, sizes.y), max(sizes.z, sizes.w))" => "max(sizes.x, sizes.w)"),
        patch!("product_of(roots.y, roots.y)" => "vec2<u32>()"),
        patch!("at.z, 0u);" => "at.x, 0u);"),
        patch!("ups & vec4<u32>(63u)" => "ups & vec4<u32>(31u)"),
    ]
    .into_iter()
    .enumerate()
    {
        let gpu = patched_gpu(small(), patch);
        let right = gpu.sums_right::<f32, _>(&SumOfSquares, Keep::Values { words64: false }).expect("a verdict");
        assert!(!right || !agrees(patch), "{number}");
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
    }
}

#[test]
fn no_kernel_is_better_than_a_wrong_one() {
    assert!(patched(bins(), patch!("a.z + b.z + carry" => "a.z + b.z")).is_none());
    assert!(patched(registers(), patch!("a.z + b.z + carry" => "a.z + b.z")).is_none());
}

macro_rules! noticed {
    ($($test:ident: $op:ident, $from:literal => $to:literal;)*) => {
        /// Mistakes in rounding and special values, which the self-test does not see and these tests see.
        mod wrong_answer_is_noticed {
            use super::*;
            $(#[test]
            fn $test() {
                let (patch, matched) = patch!($from => $to);
                let wrong = patched_gpu(bins(), patch);
                let reducer = wrong.reducer::<f32, $op>($op).expect("a reducer");
                assert!(matched.load(Ordering::Relaxed), "nothing to patch");
                assert!(matches!(reducer.kernel(), Some(Keep::Bins { .. })), "{:?}", reducer.kernel());
                let mut failures = Failures::default();
                by_reducer(&wrong, &reducer, &telling(), &mut failures);
                assert!(!failures.0.is_empty());
            })*
        }
    };
}

noticed! {
    sticky_ignored: Sum, "cut | (rest != 0u)" => "cut";
    ties_away_from_zero: Sum, "half & (rest | ((digits & 1u) == 1u))" => "half";
    no_overflow: Sum, "exponent >= 254i" => "exponent >= 300i";
    minus_zero_lost: Sum, "(acc.flags & FLAG_OTHER) == 0u" => "false";
    infinities_cancel: Sum, "| ((acc.flags & 6u) == 6u)" => "";
    nan_is_infinite: Sum, "select(0u, FLAG_NAN, nan)" => "0u";
    minus_infinity_lost: Sum, "FLAG_MINUS, low == 0xff800000u" => "FLAG_MINUS, false";
    digits_of_a_mean_lost: Mean, "(upper.x << 16u) + lower.x" => "upper.x << 16u";
    root_rounded_down: Norm2, "nearest(root.digits, cut," => "nearest(root.digits & 0xffffff00u, 0u,";
}

/// Of f16, too.
#[test]
fn wrong_kernels_of_halves_are_put_aside() {
    let kernel = |norm: bool, patch: Patch| {
        let gpu = patched_gpu(bins(), patch);
        match norm {
            false => gpu.reducer::<f16, _>(Sum).expect("a reducer").kernel(),
            true => gpu.reducer::<f16, _>(Norm1).expect("a reducer").kernel(),
        }
    };
    assert!(matches!(kernel(false, |text| text), Some(Keep::Bins { .. })));
    for (norm, (patch, matched)) in [
        (false, patch!("min(bits & 0x7c00u, 0x400u)" => "0x400u")),
        (false, patch!("for (var e = 30u;" => "for (var e = 29u;")),
        (false, patch!("select(0u, FLAG_OTHER, state.others != 0u)" => "0u")),
        (true, patch!("return bits & vec4<u32>(0x7fff7fffu);" => "return bits;")),
    ] {
        let kernel = kernel(norm, patch);
        assert!(matched.load(Ordering::Relaxed), "nothing to patch");
        assert!(matches!(kernel, Some(Keep::Registers | Keep::Registers64)), "{kernel:?}");
    }
}

/// Of words of longer numbers, too: of squares and products of f32, and of f64. Only the self-test of these kernels is run: what is taken
/// in place of f64's compiles for minutes on a CPU.
#[test]
fn wrong_kernels_of_linked_words_are_put_aside() {
    fn right<T: Element, O: Op<T> + Default>(tuning: &Tuning, patch: Patch, words64: bool) -> bool {
        let gpu = patched_gpu(*tuning, patch);
        gpu.sums_right::<T, O>(&O::default(), Keep::Bins { replicas: 8, words64, float64: false }).expect("a verdict")
    }
    type Verdict = fn(&Tuning, Patch, bool) -> bool;
    let (squares, products, doubles): (Verdict, Verdict, Verdict) =
        (right::<f32, Norm2>, right::<[f32; 2], Dot>, right::<f64, Sum>);
    for (number, (right, (patch, matched))) in [
        (squares, patch!("high + select(0u, 1u, first < low)" => "high")),
        (products, patch!("high + select(0u, 1u, first < low)" => "high")),
        (doubles, patch!("middle + select(0u, 1u, first < low)" => "middle")),
        (doubles, patch!("(second < next) | (next < middle)" => "next < middle")),
        (doubles, patch!("(second < next) | (next < middle)" => "second < next")),
        (
            squares,
            patch!("significand_of(bits) << ((bits >> 23u) & 3u)" => "significand_of(bits) << ((bits >> 23u) & 1u)"),
        ),
        (squares, patch!("(bits >> 25u) & 63u" => "(bits >> 25u) & 31u")),
        (products, patch!("exponent & 7u" => "exponent & 3u")),
        (products, patch!("((a ^ b) >> 25u) & PLACES" => "0u")),
        (doubles, patch!("select((bits.y >> 20u) & 31u, 1u, tiny)" => "((bits.y >> 20u) & 31u)")),
        (doubles, patch!("select(0x100000u, 0u, tiny)" => "0x100000u")),
        (doubles, patch!("select(0u, FLAG_OTHER, state.others != 0u)" => "0u")),
        (squares, patch!("sum << vec3<u32>(APART)" => "sum << vec3<u32>(1u)")),
        (squares, patch!("limb < PLACES / PER_LIMB" => "limb + 1u < PLACES / PER_LIMB")),
        (doubles, patch!("w < WORDS; w++" => "w + 2u < WORDS; w++")),
        (doubles, patch!("bin_set(c / REPLICAS, c % REPLICAS, vec2<u32>())" => "bin_set(c / REPLICAS, c % REPLICAS, vec2<u32>(c))")),
    ]
    .into_iter()
    .enumerate()
    {
        for tuning in [bins(), lanes()] {
            assert!(!right(&tuning, patch, false), "{number}");
        }
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
    }
    for words64 in ways() {
        for (number, right) in [squares, products, doubles].into_iter().enumerate() {
            assert!(right(&bins(), |text| text, words64) && right(&lanes(), |text| text, words64), "{number}");
        }
    }
    // A wrong product of one kind gives way to the other kind.
    if words64() {
        let (patch, matched) = patch!("u64(a) * u64(b)" => "u64(a) * u64(b + 1u)");
        let gpu = patched_gpu(bins(), patch);
        let kernel = gpu.reducer::<f32, Norm2>(Norm2).expect("a reducer").kernel();
        assert!(matches!(kernel, Some(Keep::Bins { words64: false, .. })), "{kernel:?}");
        assert!(matched.load(Ordering::Relaxed), "nothing to patch");
    }
}

/// The last word of longer numbers counts what the word before it carries, which takes more equal elements than a self-test has.
#[test]
fn last_words_of_linked_ones_count() {
    fn agrees<T: Element, O: Op<T, Output: PartialEq> + Default>(element: T, patch: Patch) -> bool {
        let gpu = patched_gpu(bins(), patch);
        let equal = vec![element; 1 << 19];
        let answers = (gpu.reduce(O::default(), &equal), Cpu::new().reduce(O::default(), &equal));
        answers.0.expect("an answer") == answers.1.expect("an answer")
    }
    // All digits set, shifted as far as a place shifts.
    let pair = [f32::from_bits(0x3fff_ffff), f32::from_bits(0x407f_ffff)];
    let all = |patch| {
        [
            agrees::<f32, Norm2>(pair[0], patch),
            agrees::<[f32; 2], Dot>(pair, patch),
            agrees::<f64, Sum>(f64::from_bits(0x3fff_ffff_ffff_ffff), patch),
        ]
    };
    assert_eq!(all(|text| text), [true; 3]);
    let (patch, matched) = patch!("[WORDS - 1u][replica], 1u)" => "[WORDS - 1u][replica], 0u)");
    assert_eq!(all(patch), [false; 3]);
    assert!(matched.load(Ordering::Relaxed), "nothing to patch");
}

/// What is not finite, and -0, of words of longer numbers: the self-test does not see it and these tests see it.
#[test]
fn wrong_flags_of_linked_words_are_noticed() {
    fn failures<T: Element, O: Exactly<T>>(patch: Patch) -> usize {
        let gpu = patched_gpu(bins(), patch);
        let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
        assert!(matches!(reducer.kernel(), Some(Keep::Bins { .. })), "{:?}", reducer.kernel());
        let mut failures = Failures::default();
        // One failure is as good as many.
        for sets in inputs::<T>(300).chunks(40) {
            if failures.0.is_empty() {
                by_reducer(&gpu, &reducer, sets, &mut failures);
            }
        }
        failures.0.len()
    }
    type Count = fn(Patch) -> usize;
    let (squares, products, doubles): (Count, Count, Count) =
        (failures::<f32, Norm2>, failures::<[f32; 2], Dot>, failures::<f64, Sum>);
    for (number, (failures, (patch, matched))) in [
        (squares, patch!("most > 0xff000000u" => "false")),
        (products, patch!("max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)) >= 0x7f800000u" => "max(sizes.x, sizes.w) >= 0x7f800000u")),
        (products, patch!("(state.sizes == 0u) & (state.signs >> 31u == 1u)" => "false")),
        (products, patch!("(state.sizes == 0u) & (state.signs >> 31u == 1u)" => "state.sizes == 0u")),
        (doubles, patch!("max(front.y & 0x7fffffffu, back.y & 0x7fffffffu) >= 0x7ff00000u" => "(front.y & 0x7fffffffu) >= 0x7ff00000u")),
        (doubles, patch!("select(0u, FLAG_OTHER, state.others != 0u)" => "FLAG_OTHER")),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(failures(patch) > 0, "{number}");
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
    }
    assert_eq!(squares(|text| text), 0);
    assert_eq!(products(|text| text), 0);
    assert_eq!(doubles(|text| text), 0);
}

/// Sums of sizes, too.
#[test]
fn a_wrong_kernel_of_sizes_is_put_aside() {
    let (patch, matched) = patch!("return bits & vec4<u32>(0x7fffffffu);" => "return bits;");
    let gpu = patched_gpu(bins(), patch);
    let kernel = gpu.reducer::<f32, _>(Norm1).expect("a reducer").kernel();
    assert!(matched.load(Ordering::Relaxed), "nothing to patch");
    assert!(matches!(kernel, Some(Keep::Registers | Keep::Registers64)), "{kernel:?}");
}
