//! Wrong kernels, which the comparisons must notice: one line of a text that runs is patched at a time.

use crate::common::*;
use std::sync::atomic::{AtomicBool, Ordering};
use treefold::half::{bf16, f16};
use treefold::ops::{self, *};
use treefold::{Cpu, Dtype, Element, Error, Expression, Gpu, Mapped, Op, Tuning, Widened};

/// A comparison of a kernel: failures over these lengths.
type Check = fn(&Gpu, &[usize]) -> Vec<String>;

/// Whether a check notices a patch in any launch shape; the patch must have matched.
fn notices(patch: Patch, matched: &AtomicBool, check: Check) -> bool {
    // The last one has workgroups enough for several on each column.
    // The first one has no slices of bins.
    let slices =
        |(number, shape): (usize, Tuning)| shape.with(|tuning| tuning.slices_max = if number == 0 { 1 } else { 24 });
    let shapes = shapes().into_iter().enumerate().map(slices);
    let noticed = shapes.chain([many_workgroups()]).any(|shape| {
        let gpu = patched_gpu(shape, patch);
        !check(&gpu, &lengths(&shape)).is_empty()
    });
    assert!(matched.load(Ordering::Relaxed), "nothing to patch");
    noticed
}

/// The launch shape that has several workgroups on each column, and on each slice of bins.
fn many_workgroups() -> Tuning {
    small().groups(16, 64, 16)
}

/// Views by that shape alone.
fn by_split_views(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    if *gpu.tuning() == many_workgroups() { by_views(gpu, lengths) } else { Vec::new() }
}

/// Bins in slices by that shape alone.
fn by_split_slices(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    if *gpu.tuning() == many_workgroups() { by_slices(gpu, lengths) } else { Vec::new() }
}

/// The failures of the first of these that finds some.
fn first(checks: &[&dyn Fn() -> Vec<String>]) -> Vec<String> {
    checks.iter().map(|check| check()).find(|failures| !failures.is_empty()).unwrap_or_default()
}

fn operator(name: &str, gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    ops::visit(name, Dtype::F32, &mut compare);
    compare.failures
}

fn spreads(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    compare.all::<f32, _>(&Variance::default());
    compare.all::<f32, _>(&Std { ddof: 1 });
    compare.failures
}

fn by_index(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    coverage::<u32>(gpu, lengths)
}

fn by_rows(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    const LENGTHS: [usize; 6] = [3, 8, 100, 301, 1030, 2500];
    first(&[&|| rows::<u32, _>(gpu, &TextHash, &LENGTHS), &|| rows::<f32, _>(gpu, &ArgMin, &LENGTHS)])
}

/// Columns in vectors and not, a middle axis, rows by strides, short rows; in order, and with places.
fn by_views(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let some = [
        View::of(&[301, 16], &[0]),
        View::of(&[45, 64], &[1]),
        View::of(&[9, 70, 8], &[1]),
        View::of(&[67, 33], &[0]),
        View::strided(0, &[40, 50], &[1, 40], &[1]),
        View::strided(5, &[7, 900], &[2000, 2], &[1]),
    ];
    first(&[&|| views::<u32, _>(gpu, &TextHash, &some), &|| views::<f32, _>(gpu, &ArgMin, &some)])
}

/// Views in several buffers: what is behind the first begins at another position.
fn by_parts(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    views::<u32, _>(gpu, &WeightedSum, &[View::of(&[301, 16], &[0]), View::strided(1, &[900], &[3], &[0])])
}

/// Segments by subgroups: short ones, such that few lanes take, empty ones, and one over all shares.
fn by_segments(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let all = [
        (5000, (0..=1600).map(|s| s * 3).collect()),
        (9000, (0..=219).map(|s| s * 41).collect()),
        (9000, vec![5, 5, 5, 70, 71, 71, 8000, 8000, 8999]),
        (6000, vec![0, 1, 1, 3, 6000]),
    ];
    first(&[&|| segments::<u32, _>(gpu, &SetHash, &all), &|| segments::<f32, _>(gpu, &ArgMin, &all)])
}

/// Segments of which all lanes of a subgroup take one after another.
fn by_long_segments(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    segments::<u32, _>(gpu, &SetHash, &[(60_000, (0..=60).map(|s| s * 1000).collect())])
}

/// Segments such that few lanes take, of which a share has more than a subgroup has lanes.
fn by_rounds(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    segments::<u32, _>(gpu, &SetHash, &[(120_000, (0..=2900).map(|s| s * 41).collect())])
}

/// Short segments, and some that are much longer.
fn by_mixed_segments(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let group = |s: u32| (0..20).map(move |k| s * 120 + k).chain([s * 120 + 20]);
    segments::<u32, _>(gpu, &SetHash, &[(60_000, (0..500).flat_map(group).chain([60_000]).collect())])
}

/// Fewer rows and elements than there is room for.
fn by_counts(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    counts::<f32, _>(gpu, &FastSum, &[(70, 33, 41), (5, 900, 4)])
}

/// Runs of equal keys, of which some cross tiles.
fn by_runs(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let zeros = |n: usize| (0..n).map(|i| if i % 3 == 0 { -0.0f32 } else { 0.0 });
    let nan = |n: u32| (0..n).map(|i| f32::from_bits(0x7f80_0001 + i));
    let sevens = (0..9000).map(|i| (i / 7) as f32);
    let ones = (0..20_000).map(|i| i as f32);
    let keys: Vec<f32> = zeros(9000).chain(nan(70)).chain(sevens).chain(ones).collect();
    runs::<f32, u32, _>(gpu, &TextHash, &[keys])
}

/// Groups of which some have no elements, in several blocks.
fn by_groups(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let all = [(5000, 40, 3), (700, 3, 2)];
    first(&[&|| groups::<u32, _>(gpu, &SetHash, &all), &|| groups::<f32, _>(gpu, &FastSum, &all[..1])])
}

/// The same of accumulators that a workgroup shares.
fn by_cells(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let all = [(5000, 40, 3), (3000, 3, 2)];
    first(&[&|| groups::<i32, _>(gpu, &(Sum, Max), &all), &|| special_groups(gpu)])
}

/// Segments by single invocations, in their order.
fn in_order(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    segments::<u32, _>(
        gpu,
        &TextHash,
        &[(700, (0..=230).map(|s| s * 3).collect()), (9000, vec![5, 5, 71, 71, 8000, 8999])],
    )
}

/// Texels in order and with places, and sums of their channels.
fn by_texels(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    const SOME: [(u32, u32); 4] = [(1, 9), (3, 5), (129, 37), (2, 613)];
    first(&[
        &|| textures::textures::<u32, _>(gpu, &TextHash, &SOME),
        &|| textures::textures::<f32, _>(gpu, &ArgMin, &SOME),
        &|| textures::weighted(gpu, &SOME[2..3]),
    ])
}

/// Elements of four numbers, of buffers, in rows and of textures.
fn by_quads(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    first(&[
        &|| coverage::<[f32; 4]>(gpu, lengths),
        &|| views::<[f32; 4], _>(gpu, &SetHash, &[View::of(&[300, 16], &[0]), View::of(&[500, 9], &[1])]),
        &|| textures::whole(gpu, &TextHash, &[(1, 9), (129, 37)]),
    ])
}

/// Elements of 64 bits: their order, their places, their sizes and squares.
fn by_words(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    compare.all::<f64, _>(&MinMax);
    compare.all::<f64, _>(&ArgMin);
    compare.all::<i64, _>(&MinMax);
    compare.all::<i64, _>(&Mean);
    compare.all::<i64, _>(&SumOfSquares);
    compare.all::<u64, _>(&SumOfSquares);
    compare.failures
}

/// Failures of counts by a comparison, and of answers over the folds of others.
fn by_answers(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    let count = |relation| CountIf { compare: Comparison::whole(relation, 1) };
    compare.all::<i32, _>(&count(Relation::AtMost));
    compare.all::<i64, _>(&count(Relation::AtMost));
    compare.all::<i32, _>(&count(Relation::Unequal));
    compare.all::<i32, _>(&NormInf);
    compare.all::<i64, _>(&treefold::ops::Range);
    compare.all::<i32, _>(&Sem::default());
    compare.all::<f32, _>(&NoneOf);
    compare.failures
}

/// Failures of a map, of words and of pairs, with places; into cells too.
fn by_map(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    let place = Expression::of_element("x ^ i", Dtype::U32).and_then(|map| map.map::<u32, u32, _>(TextHash));
    compare.all::<u32, _>(&place.expect("an expression"));
    let text = "return bitcast<u32>(x.x) - bitcast<u32>(x.y);";
    let host = |[a, b]: [f32; 2]| a.to_bits().wrapping_sub(b.to_bits());
    compare.all::<[f32; 2], _>(&Mapped::new(text, host, TextHash));
    let sum = Mapped::new("return x & 255u;", |x: u32| x & 255, Sum);
    first(&[&|| compare.failures.clone(), &|| groups::<u32, _>(gpu, &sum, &[(3000, 5, 1)])])
}

/// Failures of a test of elements, of words and of pairs, in states and in cells.
fn by_test(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::new(gpu, lengths);
    compare.all::<f32, _>(&Filtered::not_nan(Mean));
    let text = "return bitcast<u32>(x) % 3u != 0u;";
    compare.all::<f32, _>(&Filtered::new(text, |x: f32| !x.to_bits().is_multiple_of(3), TextHash));
    let large = Filtered::comparing("> 1".parse().expect("a comparison"), Sum);
    compare.failures.extend(groups::<u32, _>(gpu, &large, &[(3000, 5, 1)]));
    compare.failures
}

/// Narrow elements.
fn by_narrow(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    first(&[&|| coverage::<u8>(gpu, lengths), &|| coverage::<i16>(gpu, lengths), &|| coverage::<bf16>(gpu, lengths)])
}

/// Each f16 as an f32.
fn by_wide_halves(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let found = gpu.reduce(Widened(ops::Hash), &all).expect("a hash");
    let expected = Cpu::new().reduce(Widened(ops::Hash), &all).expect("a hash");
    if found == expected { vec![] } else { vec![format!("{found}, not {expected}")] }
}

/// Exact sums of f16.
fn by_halves(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    compare.all::<f16, _>(&Sum);
    compare.all::<f16, _>(&Norm1);
    compare.failures
}

/// Functions of elements, and what is found, counted or fingerprinted in their order.
fn by_functions(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    let compared = Comparison::whole(Relation::Greater, 1);
    compare.all::<f32, _>(&(LogMean, LogProduct));
    compare.all::<f32, _>(&HarmonicMean);
    compare.all::<f32, _>(&Norm { p: Index::new(3.0).expect("an index") });
    compare.all::<f32, _>(&Norm1);
    compare.all::<i32, _>(&(FindFirst { compare: compared }, FindLast { compare: compared }));
    compare.all::<u64, _>(&FindLast { compare: compared });
    compare.all::<i64, _>(&Hash);
    compare.all::<i64, _>(&Parity);
    compare.all::<i64, _>(&WrappingProduct);
    compare.all::<i64, _>(&Product);
    compare.failures
}

/// The best elements, by several rounds.
fn by_lists(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    first(&[
        &|| lists::<f32>(gpu, &[3, 300], &[255, 40_001]),
        &|| lists::<i64>(gpu, &[20], &[33_000]),
        // Tiles that several invocations share, and tiles that have no elements among those that have.
        &|| lists::<f32>(gpu, &[5], &[300_001]),
        &|| short_parts(gpu),
        &|| digits_of_both_words(gpu),
    ])
}

fn by_tuple(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    compare.all::<f32, _>(&(Sum, MinMax, Histogram::new(9, -1.0, 1.0).expect("a histogram"), Norm2));
    compare.failures
}

fn by_position(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut compare = Compare::until_one(gpu, lengths);
    compare.all::<i32, _>(&Alternating);
    compare.failures
}

fn by_edges(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    first(&[
        &|| histograms::histogram::<f32>(gpu, 7, (-1.0, 1.0)),
        &|| histograms::histogram::<i32>(gpu, 40, (-20.0, 20.0)),
        // Odd numbers that f32 rounds to a neighbour: guesses are off by one bin, and by ten.
        &|| histograms::histogram::<i32>(gpu, 100, (16_777_216.0, 16_777_316.0)),
        &|| histograms::histogram::<i32>(gpu, 1000, (16_777_216.0, 16_777_316.0)),
        // Edges above all elements share the highest key.
        &|| histograms::histogram::<u32>(gpu, 6, (4_294_967_290.0, 4_294_967_302.0)),
        &|| by_given(gpu, &[]),
        &|| histograms::histogram::<f32>(gpu, 8, (-1.0, 1.0)),
    ])
}

/// Numbers of 64 bits: on the edges and beside them, beyond both ends, not a number; the counts of the host.
fn by_wide_edges(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let equal = Histogram::new(7, -1.0, 1.0).expect("a histogram");
    let given = Histogram::of_edges(&[-7.0, -1.0, 1.0 / 3.0, 30.0, 1e300]).expect("a histogram");
    let edges = [equal.edges(), given.edges()].concat();
    let near = edges.iter().flat_map(|edge| [edge.next_down(), *edge, edge.next_up()]);
    let elements: Vec<f64> = near.chain([f64::NAN, -f64::NAN, f64::INFINITY, f64::MIN, 0.0, -0.0]).collect();
    let pairs: Vec<[f64; 2]> = elements.iter().zip(elements.iter().rev()).map(|(&x, &y)| [x, y]).collect();
    let both = Histogram2d::new(equal.clone(), given.clone()).expect("a histogram");
    // Above all of these there is no number.
    let most = Histogram::of_edges(&[0.0, 2f64.powi(63), 2f64.powi(64), 1e30]).expect("a histogram");
    let whole = [0, 1, 1 << 63, u64::MAX, u64::MAX - 5000, (1 << 63) - 1];
    fn same<T: Element, O: Op<T, Output: PartialEq>>(gpu: &Gpu, op: &O, elements: &[T]) -> Vec<String> {
        let want = Cpu::with_threads(1).reduce(op.clone(), elements).expect("counts");
        let differs = gpu.reduce(op.clone(), elements).expect("counts") != want;
        differs.then(|| op.signature()).into_iter().collect()
    }
    first(&[&|| same(gpu, &equal, &elements), &|| same(gpu, &given, &elements), &|| same(gpu, &most, &whole), &|| {
        same(gpu, &both, &pairs)
    }])
}

fn by_pairs(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    let new =
        |bins, low, high| (Histogram::new(bins, low, high).expect("a histogram"), histograms::edges(bins, low, high));
    let [(x, x_edges), (y, y_edges)] = [new(5, -1.0, 1.0), new(7, 0.0, 3.0)];
    histograms::pairs(gpu, [(x, &x_edges), (y, &y_edges)])
}

fn by_slots(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    histograms::slots::<f32>(gpu, &Histogram::new(7, -1.0, 1.0).expect("a histogram"))
}

fn by_memory(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    histograms::histogram::<u32>(gpu, 9000, (0.0, 9000.0))
}

/// Counters in slices; beside a value, which all slices read and one leaves.
fn by_slices(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    if gpu.tuning().slices_max == 1 {
        return Vec::new();
    }
    // An eighth more than workgroup memory holds.
    let bins = gpu.device().limits().max_compute_workgroup_storage_size / 32 * 9;
    let range = (0.0, bins.into());
    first(&[
        &|| histograms::histogram::<u32>(gpu, bins, range),
        &|| histograms::histogram::<f32>(gpu, bins, (-3.0, 7.0)),
        // The place of the lowest edge itself is less than 0.
        &|| histograms::histogram::<f32>(gpu, 20_000, (377.4205017089844, 383.9297180175781)),
        &|| histograms::beside(gpu, bins, range),
    ])
}

fn by_given(gpu: &Gpu, _: &[usize]) -> Vec<String> {
    histograms::given::<f32>(gpu, &[-7.0, 1.0, 2.0, 30.0, 1e6])
}

macro_rules! wrong {
    ($($test:ident: $from:literal => $to:literal, $check:expr;)*) => {
        mod wrong_kernel_is_noticed {
            use super::*;
            $(#[test]
            fn $test() {
                static MATCHED: AtomicBool = AtomicBool::new(false);
                let patch = |text: String| {
                    MATCHED.fetch_or(text.contains($from), Ordering::Relaxed);
                    text.replace($from, $to)
                };
                assert!(notices(patch, &MATCHED, $check));
            })*
        }
    };
}

wrong! {
    highest_key_left_out: "(k <= param(2u))" => "(k < param(2u))", by_answers;
    low_word_of_the_highest_key_lost: "vec2<u32>(param(2u), param(3u))" => "vec2<u32>(0u, param(3u))", by_answers;
    what_is_outside_not_counted: "(param(4u) != 0u)" => "false", by_answers;
    size_of_a_negative: "bitcast<u32>(abs(bitcast<i32>(low)))" => "low", by_answers;
    difference_one_less: "add64(add64(high, ~low), vec2<u32>(1u, 0u))" => "add64(high, ~low)", by_answers;
    deviation_for_an_error_of_the_mean: "times(divisor_of(count, ddof), count.x, count.y)" => "divisor_of(count, ddof)", by_answers;
    any_for_none: "return array<u32, 1>(1u - acc);" => "return array<u32, 1>(acc);", by_answers;
    map_of_a_neighbour: "map_bits(vector.z, index + 2u)" => "map_bits(vector.y, index + 2u)", by_map;
    map_at_another_place: "map_bits(vector.w, index + 3u)" => "map_bits(vector.w, index + 2u)", by_map;
    map_without_its_base: "position_base = base_of(row_of(id.workgroup.x));\n    return made_init_state(id);" => "return made_init_state(id);", by_map;
    map_left_out_of_cells: "made_add_to_cell(cell, map_bits(bits, 0u))" => "made_add_to_cell(cell, bits)", by_map;
    everything_passes: "if m0_keeps(bits) { return m0_kept_accumulate(" => "if true { return m0_kept_accumulate(", by_test;
    what_does_not_pass_is_zero: "m0_kept_accumulate(state, bits, index); }\n    return state;" => "m0_kept_accumulate(state, bits, index); }\n    return m0_kept_accumulate(state, 0u, index);", by_test;
    what_does_not_pass_is_counted: "if m1_keeps(bits) { return m1_kept_accumulate(" => "if true { return m1_kept_accumulate(", by_test;
    nan_passes: "if is_nan(bits) { return false; }" => "", by_test;
    everything_passes_to_cells: "if m0_keeps(bits) { return m0_kept_add_to_cell(" => "if true { return m0_kept_add_to_cell(", by_test;
    cells_count_what_does_not_pass: "if m1_keeps(bits) { return m1_kept_add_to_cell(" => "if true { return m1_kept_add_to_cell(", by_test;
    the_number_itself_passes: "(k >= 0x2u)" => "(k >= 0x1u)", by_test;
    map_of_the_first_of_a_pair: "bitcast<vec2<f32>>(bits)" => "bitcast<vec2<f32>>(bits).xx", by_map;
    byte_of_another_place: "wide_bits(word >> 16u)" => "wide_bits(word >> 8u)", by_narrow;
    byte_of_its_neighbour: "(e % 4u * 8u)" => "(e % 2u * 8u)", by_narrow;
    subnormal_halves_lost: "sign_quiet | select(wide, small, size < 0x0400u)" => "sign_quiet | wide", by_wide_halves;
    infinite_halves_finite: "select(0x38000000u, 0x70000000u, size >= 0x7c00u)" => "0x38000000u", by_wide_halves;
    signs_of_halves_lost: "((bits & 0x8000u) << 16u) |" => "", by_wide_halves;
    nan_of_halves_loud: "select(0u, 0x00400000u, size > 0x7c00u)" => "0u", by_wide_halves;
    half_vector_read_twice: "select(vector.xy, vector.zw, k == 1u)" => "vector.xy", by_narrow;
    places_of_parts_lost: "index + 4u * 1u" => "index", by_narrow;
    half_word_without_sign: "bitcast<u32>(bitcast<i32>(bits << 16u) >> 16u)" => "(bits & 0xffffu)", by_narrow;
    upper_half_in_the_lower: "fn wide_bits(bits: u32) -> u32 { return bits << 16u; }" => "fn wide_bits(bits: u32) -> u32 { return bits & 0xffffu; }", by_narrow;
    infinity_of_halves_unseen: "vec4<u32>(0x04000400u)" => "vec4<u32>(0x03ff03ffu)", by_halves;
    rest_of_a_sum_lost: "return Acc(sum.x, sum.y + a.rest + b.rest, a.flags | b.flags);" => "return Acc(sum.x, sum.y, a.flags);", by_functions;
    exponent_one_less: "- 127i - i32(shift);\n    let mantissa" => "- 128i - i32(shift);\n    let mantissa", by_functions;
    reciprocal_of_infinity: "return bits & 0x80000000u; }" => "return bits; }", by_functions;
    smaller_peak: "return a.sum * pow(a.peak / peak" => "return a.sum * pow(peak / a.peak", by_functions;
    other_end_found: "less64(add64(vec2<u32>(a.low, a.high), vec2<u32>(1u, 0u)), add64(vec2<u32>(b.low, b.high), vec2<u32>(1u, 0u)))" => "less64(vec2<u32>(b.low, b.high), vec2<u32>(a.low, a.high))", by_functions;
    place_without_its_row: "select(place.x, acc.low, nowhere)" => "acc.low", by_functions;
    digits_the_other_way: "return reduced(times(low, base) + (bits >> 16u) + 1u);" => "return reduced(times(low, base) + (bits >> 16u));", by_functions;
    parity_of_the_others: "(acc.low & 1u)" => "(acc.low >> 1u)", by_functions;
    cross_product_lost: "low.y + a.low * b.high + a.high * b.low" => "low.y + a.low * b.high", by_functions;
    size_of_a_negative_of_two_words: "select(bits, add64(~bits, vec2<u32>(1u, 0u)), sign != 0u)" => "bits", by_functions;
    low_words_not_compared: "return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));" => "return a.y < b.y;", by_words;
    low_word_of_a_negative_kept: "return bits ^ vec2<u32>(sign, sign | 0x80000000u);" => "return bits ^ vec2<u32>(0u, sign | 0x80000000u);", by_words;
    nan_of_the_low_word_lost: "((size == 0x7ff00000u) & (bits.x != 0u))" => "false", by_words;
    wide_zeros_differ: "(k.x == 0xffffffffu) & (k.y == 0x7fffffffu)" => "false", by_words;
    wide_integers_without_sign: "return bits ^ vec2<u32>(0u, 0x80000000u);" => "return bits;", by_words;
    rank_of_another_element: "select(a.key_high, b.key_high, other)" => "a.key_high", by_words;
    sums_of_negatives_cut: "array<u32, 4>(bits.x, bits.y, above, above)" => "array<u32, 4>(bits.x, bits.y, 0u, 0u)", by_words;
    sizes_of_negatives_one_less: "vec2<u32>(below(bits) & 1u, 0u)" => "vec2<u32>(0u, 0u)", by_words;
    carry_of_a_square_lost: "let carry = select(0u, 1u, second < low.y);" => "let carry = 0u;", by_words;
    bit_of_a_square_lost: "vec2<u32>((middle.y << 1u) | (middle.x >> 31u), middle.y >> 31u)" => "vec2<u32>(middle.y << 1u, middle.y >> 31u)", by_words;
    quad_of_another_place: "fn element(e: u32) -> Bits { return vectors[e]; }" => "fn element(e: u32) -> Bits { return vectors[e / 2u]; }", by_quads;
    quad_turned_over: "return accumulate(state, vector, index); }" => "return accumulate(state, vector.yxzw, index); }", by_quads;
    next_whole_texel: "textureLoad(texels, texel_place(v), 0)" => "textureLoad(texels, texel_place(v ^ 1u), 0)", by_quads;
    head_left_out: "max(min(low * PER_VECTOR, end), first) - first" => "0u", by_index;
    tail_one_late: "select(behind + i - heads" => "select(behind + i + 1u - heads", by_index;
    rest_of_a_round_lost: "if 1u < left" => "if 2u < left", by_index;
    round_read_twice: "next_vector(v);" => "v + STEP;", by_index;
    last_round_within_the_loop_lost: "const REST = 0u;" => "const REST = 1u;", by_index;
    round_that_is_part_taken_whole: "if 1u < left { state =" => "if true { state =", by_tuple;
    head_out_of_order: "for (; i < heads; i++)" => "for (; i < 0u; i++)", by_index;
    vectors_past_the_end: "min((high - last - 1u) / STEP + 1u, LOADS)" => "LOADS", by_index;
    other_workgroups_tile: "split * TILE" => "split * STEP", by_index;
    whole_rounds_left_out: "params.vectors * LOADS + select" => "0u + select", by_index;
    wide_guess_not_above_its_edge: "reaches(k, guess) & !reaches(k, guess + 1u)" => "!reaches(k, guess + 1u)", by_wide_edges;
    wide_guess_above_the_next_edge: "reaches(k, guess) & !reaches(k, guess + 1u)" => "reaches(k, guess)", by_wide_edges;
    wide_guess_beside_an_edge_taken: "(beyond > off()) & (beyond < 1.0 - off())" => "beyond >= 0.0", by_wide_edges;
    wide_nan_in_a_bin: "if is_nan(bits) { return INSIDE + 2u; }\n    // The highest" => "// The highest", by_wide_edges;
    highest_wide_key_above: "if (k.x & k.y) == 0xffffffffu" => "if false", by_wide_edges;
    what_lies_below_in_the_first: "if !reaches(k, 0u) { return INSIDE; }" => "", by_wide_edges;
    what_lies_above_in_the_last: "if reaches(k, INSIDE) { return INSIDE + 1u; }" => "", by_wide_edges;
    wide_search_the_other_way: "if reaches(k, next) { found = next; }" => "if !reaches(k, next) { found = next; }", by_wide_edges;
    low_words_of_edges_lost: "vec2<u32>(entry(2u * edge), " => "vec2<u32>(0u, ", by_wide_edges;
    wide_pair_of_one_number: "y_bin_of(bits.zw)" => "y_bin_of(bits.xy)", by_wide_edges;
    first_load_again: "var vector_1 = load(v + 1u" => "var vector_1 = load(v + 0u", by_index;
    coming_load_again: "let coming_1 = load(next + 1u" => "let coming_1 = load(next + 0u", by_index;
    loads_that_came_are_lost: "vector_1 = coming_1;" => "", by_index;
    blocks_overlap: "(split * WORKGROUP_SIZE + local) * params.vectors" => "(split * WORKGROUP_SIZE + local / 2u) * params.vectors", by_index;
    tree_one_step_short: "distance < WORKGROUP_SIZE; distance" => "distance * 2u < WORKGROUP_SIZE; distance", by_index;
    tree_sides_swapped: "combine(shared_acc[a], shared_acc[b])" => "combine(shared_acc[b], shared_acc[a])", by_index;
    butterfly_one_step_short: "if ((1u << 1u) < LANES_MIN) | ((1u << 1u) < lanes)" => "if false", by_index;
    first_subgroup_only: "shared_acc[id.subgroup] = reduced;" => "if id.subgroup == 0u { shared_acc[0] = reduced; }", by_index;
    last_partial_lost: "p < high; p++" => "p + 1u < high; p++", by_index;
    partials_on_one_another: "return params.partial + workgroup; }" => "return workgroup; }", by_index;
    index_not_rebased: ", base_of(row))" => ", vec2<u32>(0u, 0u))", by_index;
    position_base_lost: "position_base = base_of(" => "_ = base_of(", by_position;
    position_base_high: "vec2<u32>(first_of(row), select(0u, 1u, first_of(row) > params.base.x))" => "vec2<u32>(first_of(row), 0u)", by_rows;
    row_offset_lost: "fn first_of(row: u32) -> u32 { return params.first + row * params.stride; }" => "fn first_of(row: u32) -> u32 { return params.first; }", by_rows;
    row_of_partials_lost: "let low = min(first + id.local * params.vectors, end);" => "let low = min(id.local * params.vectors, end);", by_rows;
    row_of_a_workgroup: "return workgroup / params.splits;" => "return workgroup;", by_rows;
    lanes_do_not_meet: "{ shared_acc[at] = combine(shared_acc[at], shared_acc[at + distance * next]); }" => "{ }", by_views;
    lanes_meet_in_another_order: "combine(shared_acc[at], shared_acc[at + distance * next])" => "combine(shared_acc[at + distance * next], shared_acc[at])", by_views;
    lanes_meet_one_step_short: "distance < params.stride;" => "distance * 2u < params.stride;", by_views;
    column_of_a_vector: "return accumulate(state, loaded[k], index);" => "return accumulate(state, loaded[0], index);", by_views;
    answer_of_a_vector: "leave(acc_1, group * OWN + 1u" => "leave(acc_1, group * OWN", by_views;
    rest_of_a_column_lost: "for (; left > 0u; left--)" => "for (; left > 1u; left--)", by_views;
    round_of_a_column_again: "e += LOADS * step;" => "", by_views;
    groups_of_other_workgroups: "(id.workgroup.x / params.splits) * groups" => "id.workgroup.x * groups", by_split_views;
    splits_read_the_same: "(split * lanes + lane) * params.vectors" => "lane * params.vectors", by_split_views;
    indices_of_a_row: "return accumulate_vector(state, loaded, index * PER_VECTOR);" => "return accumulate_vector(state, loaded, index);", by_views;
    strides_of_a_row_lost: "row_first = params.first + place_of_row(row);" => "row_first = params.first;", by_views;
    partials_of_other_rows: "row * params.row_partials" => "row", by_views;
    base_of_a_part_lost: "fn base_of(row: u32) -> vec2<u32> { return params.base; }" => "fn base_of(row: u32) -> vec2<u32> { return vec2<u32>(0u, 0u); }", by_parts;
    count_of_elements_ignored: "return min(counted(), params.total.x);" => "return params.total.x;", by_counts;
    count_of_rows_ignored: "- params.row_partials, params.rows); }" => "- params.row_partials, params.rows) + params.rows; }", by_counts;
    zeros_are_two_keys: "if size == 0u { return vec2<u32>(); }" => "", by_runs;
    every_nan_is_a_key: "size > 0x7f800000u" => "false", by_runs;
    tile_of_a_neighbour: "start = from_tile.y + tile % params.parts" => "start = from_tile.y + (tile + 1u) % params.parts", by_lists;
    last_element_of_a_tile_lost: "params.lanes, count - 1u)" => "params.lanes, max(count, 2u) - 2u)", by_lists;
    lanes_of_a_tile_do_not_meet: "if own < d { lowest[local]" => "if own + 1u < d { lowest[local]", by_lists;
    index_of_a_window: "place = add64(vec2<u32>(params.low, params.high), vec2<u32>(start, 0u));" => "place = vec2<u32>(start / 2u, 0u);", by_lists;
    tiles_of_nothing_chosen: "any(starts[c] != vec2<u32>(0xffffffffu, 0xffffffffu))" => "true", by_lists;
    digits_end_too_early: "select(shift, 0u, lower + own == left)" => "select(shift, 0u, lower + own >= left)", by_lists;
    bits_of_the_first_candidate: "edge = without_low(edge, bits);" => "", by_lists;
    digit_without_the_high_word: "select(0u, a.y << (32u - shift % 32u), shift % 32u > 0u)" => "0u", by_lists;
    counters_of_another_sum: "sum += atomicLoad(&counts[s * EACH_SUM + (c + s) % EACH_SUM]);" => "sum += atomicLoad(&counts[s * EACH_SUM]);", by_lists;
    digits_of_other_candidates: "if bits_apart(own, edge) <= bits {" => "if true {", by_lists;
    high_word_not_compared: "select(bits.x, 32u + bits.y, bits.y > 0u)" => "bits.x", by_lists;
    last_of_the_best_lost: "(equal_before < left)" => "(equal_before + 1u < left)", by_lists;
    ties_the_other_way: "(same(other, own) & (j < i))" => "(same(other, own) & (j > i))", by_lists;
    zeros_of_a_list_differ: "let own = tie(best[i]);" => "let own = best[i];", by_lists;
    indices_among_elements: "let indices = at + room * WORDS;" => "let indices = at + params.chosen * WORDS;", by_lists;
    runs_end_with_their_tile: "(i == 0u) | any(before != key_0)" => "(i % TILE == 0u) | any(before != key_0)", by_runs;
    first_run_lost: "(i == 0u) | any(before != key_0)" => "any(before != key_0)", by_runs;
    run_of_a_neighbour: "select(0u, 4u, any(key_1 != key_2))" => "select(0u, 4u, any(key_2 != key_3))", by_runs;
    keys_behind_the_last_begin_runs: "same(key_at(min(i + 2u, last)))" => "same(key_at(i + 2u))", by_runs;
    runs_written_over_one_another: "var place = before - low;" => "var place = before;", by_runs;
    runs_behind_those_at_once_lost: "for (var low = 0u; low < number; low += ROOM)" => "for (var low = 0u; low < min(number, ROOM); low += ROOM)", by_runs;
    runs_of_tiles_before_miscounted: "sum += sums[local - distance];" => "sum += sums[local - 1u];", by_runs;
    end_of_the_last_run_lost: "if before <= params.room {" => "if false {", by_runs;
    key_of_a_neighbour: "let key = key_at(i);" => "let key = key_at(i + 9u);", by_runs;
    keys_of_other_groups_taken: "] - params.grid_stride;" => "];", by_groups;
    groups_not_cleared: "totals[i] = 0u;" => "totals[i] = 1u;", by_groups;
    partials_of_one_group: "group * params.row_partials" => "0u * params.row_partials", by_groups;
    totals_of_another_group: "totals[params.rows + row]" => "totals[params.rows]", by_groups;
    elements_of_a_group_uncounted: "all.count_0 += 1u;" => "all.count_0 = 1u;", by_groups;
    cells_of_one_group: "let cell = n * REPLICAS + replica;" => "let cell = replica;", by_cells;
    cells_of_a_group_left_out: "cell < (n + 1u) * REPLICAS" => "cell < n * REPLICAS + 1u", by_cells;
    cells_not_begun: "put_acc(identity(), cell);" => "", by_cells;
    elements_of_a_cell_uncounted: "atomicAdd(&cells[NUMBER + cell], 1u);" => "", by_cells;
    carry_of_a_cell_lost: "amount.high + select(0u, 1u, before + amount.low < before)" => "amount.high", by_cells;
    words_of_another_fold: "fn m1_word_of(cell: u32, w: u32) -> u32 { return (2u + w)" => "fn m1_word_of(cell: u32, w: u32) -> u32 { return (1u + w)", by_cells;
    nan_of_a_cell_lost: "flags |= FLAG_NAN;" => "", by_cells;
    ends_of_other_segments: "begin_of(t), share.start.position)" => "begin_of(t + 1u), share.start.position)", by_segments;
    segment_begun_taken_from_its_begin: "max(begin_of(t), share.start.position)" => "begin_of(t)", by_segments;
    lanes_of_a_cluster_do_not_meet: "if (1u << 1u) < width" => "if (1u << 1u) > width", by_segments;
    vectors_of_one_lane: "v + LOADS * width" => "v + width", by_segments;
    elements_around_of_one_lane: "let next = k + width;" => "let next = k + 1u;", by_segments;
    place_of_another_vector: "vector_1, at_1 * PER_VECTOR)" => "vector_1, at_0 * PER_VECTOR)", by_segments;
    cluster_of_a_neighbour: "let mine = rank * clusters + id.lane / width;" => "let mine = id.lane;", by_segments;
    kept_by_another_lane: "if rank == step { kept.acc = acc; }" => "if rank == 0u { kept.acc = acc; }", by_rounds;
    steps_of_a_round_lost: "(share.stop.segment - first) / clusters + 1u" => "(share.stop.segment - first) / clusters", by_segments;
    cluster_takes_another_segment: "let keeps = id.lane - rank + step;" => "let keeps = id.lane;", by_segments;
    longer_segments_lost: "var longer = part.count > most;" => "var longer = false;", by_mixed_segments;
    longer_segment_of_another_lane: "if lane == id.lane {\n            all.acc = acc;" => "if lane + 1u == id.lane { all.acc = acc; }\n        if lane == id.lane {", by_mixed_segments;
    segment_of_a_neighbour: "let t = first + id.lane;" => "let t = first + id.lane / 2u;", by_segments;
    elements_around_vectors_lost: "let before = min(begin * PER_VECTOR - first, count);" => "let before = 0u;", by_segments;
    elements_behind_vectors_again: "select(count - around, 0u, k < before)" => "select(count, 0u, k < before)", by_segments;
    vectors_of_another_lane: "load(min(at_1, end - 1u))" => "load(min(at_0, end - 1u))", by_long_segments;
    segments_of_the_next_round_lost: "coming = piece_of(share, first + id.lanes + mine);" => "coming = piece_of(share, first + mine);", by_rounds;
    open_behind_a_share_lost: "if t > share.stop.segment { return" => "if t >= share.stop.segment { return", by_segments;
    head_of_a_share_lost: "select(NONE, share.start.segment, begun & ended)" => "NONE", by_segments;
    head_of_a_share_stored: "if begun & (t == share.start.segment)" => "if false", by_segments;
    tail_carried_behind_an_end: "if left_by[t].ended == 0u {" => "if true {", by_segments;
    tail_of_a_subgroup_lost: "all.tail = combine(all.tail, left_by[t].tail);" => "all.tail = left_by[t].tail;", by_segments;
    end_within_a_workgroup_lost: "all.ended |= left_by[t].ended;" => "", by_segments;
    share_ends_where_another_does: "is_done(span, asked.y, done.y)" => "is_done(span, asked.y, done.x)", by_segments;
    ends_of_a_part_lost: "clamp(last + 1u, low," => "clamp(last + 2u, low,", by_segments;
    ends_of_a_part_cut: "max(begin, min(high, next))" => "max(begin, min(high, next) - 1u)", by_segments;
    places_of_other_segments: "add64(params.base, vec2<u32>(0u - begin," => "add64(params.base, vec2<u32>(0u,", by_segments;
    open_before_a_workgroup_lost: "join_behind(id.local - 1u, &head);" => "", in_order;
    carried_in_another_order: "store(combine(open, head), named)" => "store(combine(head, open), named)", in_order;
    scan_of_open_one_step_short: "(id.local >= distance) & (ended == 0u)" => "(id.local > distance) & (ended == 0u)", in_order;
    rows_of_texels_run_on: "at.x + 1u == params.partner" => "at.x == params.partner", by_texels;
    rows_of_texels_for_columns: "vec2<u32>(e % params.partner, e / params.partner)" => "vec2<u32>(e / params.partner, e % params.partner)", by_texels;
    texel_again: "texel_at(texel_behind(third))" => "texel_at(third)", by_texels;
    row_of_texels_below_lost: "vec2<u32>(0u, at.y + 1u)" => "vec2<u32>(0u, at.y)", by_texels;
    vectors_of_texels_overlap: "texel_place(4u * v)" => "texel_place(3u * v)", by_texels;
    weight_of_another_channel: "parameter(TEXEL_WEIGHTS + i)" => "parameter(TEXEL_WEIGHTS)", by_texels;
    weight_of_nothing_counts: "select(vec4<f32>(), texel * weights, weights != vec4<f32>())" => "texel * weights", by_texels;
    row_of_an_answer: "let at = params.output + row * " => "let at = params.output + 0u * ", by_rows;
    region_lost: "return parameter(1u); }" => "return parameter(0u); }", by_tuple;
    own_bins_of_the_other: "m0_bin_add(bits >> 26u" => "m3_bin_add(bits >> 26u", by_tuple;
    minimum_becomes_maximum: "return min(a, b);" => "return max(a, b);", |gpu, lengths| operator("min", gpu, lengths);
    nan_ignored: "select(key(bits), 0u, is_nan(bits))" => "key(bits)", |gpu, lengths| operator("min", gpu, lengths);
    quiet_nan_of_a_vector_not_counted: "<= 0x7f800000u { return acc; }" => "<= 0x7fc00000u { return acc; }", |gpu, lengths| operator("count_nan", gpu, lengths);
    nan_of_half_a_vector_counted: "Acc(front + back, 0u)" => "Acc(front, 0u)", |gpu, lengths| operator("count_nan", gpu, lengths);
    nonzero_of_half_a_vector_counted: "Acc(front + back, 0u)" => "Acc(back, 0u)", |gpu, lengths| operator("count_nonzero", gpu, lengths);
    last_index_wins: "(rb == ra) & earlier" => "(rb == ra) & !earlier", |gpu, lengths| operator("argmin", gpu, lengths);
    first_index_wins: "(1u, 0u)), add64(vec2<u32>(b.low" => "(1u, 0u)), add64(vec2<u32>(a.low", |gpu, lengths| operator("argmax_last", gpu, lengths);
    negative_zero_lost: "select(0u, 0x80000000u" => "select(0u, 0u", |gpu, lengths| operator("fast_sum", gpu, lengths);
    infinities_cancel: "|| (plus && minus)" => "", |gpu, lengths| operator("fast_sum", gpu, lengths);
    lower_edge_left_out: "if key(bits) >= entry(edge)" => "if key(bits) > entry(edge)", by_edges;
    edge_lost_in_the_search: "(found <= keys)" => "(found < keys)", by_edges;
    last_edge_never_asked: "(next == asked)" => "(next < asked)", by_edges;
    bins_of_x_next_to_each_other: "x * y_INSIDE + y," => "y * x_INSIDE + x,", by_pairs;
    keys_of_the_other_axis: "fn y_entry(i: u32) -> u32 { return entry(7u + i); }" => "fn y_entry(i: u32) -> u32 { return entry(i); }", by_pairs;
    places_of_the_other_axis: "fn y_param(i: u32) -> u32 { return param(4u + i); }" => "fn y_param(i: u32) -> u32 { return param(i); }", by_pairs;
    nan_of_y_lost: " | (y == y_INSIDE + 2u)" => "", by_pairs;
    outside_of_y_counted: " & (y < y_INSIDE)" => "", by_pairs;
    second_pair_lost: "count_pair(state, x.y, y.y);" => "", by_pairs;
    last_slot_lost: "if place < params.count { slots" => "if place + 1u < params.count { slots", by_slots;
    slots_on_one_another: "slots[params.output + place]" => "slots[place]", by_slots;
    elements_from_the_beginning: "let at = params.first + min(" => "let at = min(", by_slots;
    slots_of_neighbours: "store_slot(places.z, found.z);" => "store_slot(places.z, found.y);", by_slots;
    counters_in_memory_not_cleared: "atomicStore(&partials_out[counter_at(c, partial)], 0u);" => "", by_memory;
    counters_of_another_workgroup: "fn replica_of(id: Invocation) -> u32 { return partial_of(id.workgroup.x); }" => "fn replica_of(id: Invocation) -> u32 { return partial_of(id.workgroup.x) + 1u; }", by_memory;
    slice_begins_a_bin_late: "let own = bin - first_bin;" => "let own = bin - first_bin - min(slice, 1u);", by_slices;
    bins_of_other_slices_counted: "if own < BINS {" => "if (own < BINS) | (slice == 0u) {", by_slices;
    counters_of_a_slice_not_cleared: "atomicStore(&bins_low[c], 0u); }\n    workgroupBarrier();\n}\n\nfn replica_of(id: Invocation) -> u32 { return slice_of" => "atomicStore(&bins_low[c], c); }\n    workgroupBarrier();\n}\n\nfn replica_of(id: Invocation) -> u32 { return slice_of", by_slices;
    slice_in_columns_of_the_first: "let first = first_bin / 4u;" => "let first = 0u;", by_slices;
    columns_of_the_last_slice_lost: "& (first + j < COLUMNS); j +=" => "& (first + j + 1u < COLUMNS); j +=", by_slices;
    slices_read_other_splits: "return slice_split_of(workgroup / SLICES);" => "return slice_split_of(workgroup % params.splits);", by_split_slices;
    partials_of_slices_apart: "return slice_partial_of(workgroup / SLICES);" => "return slice_partial_of(workgroup % params.splits);", by_split_slices;
    edge_above_a_slice_not_asked: "<= vec4<u32>(BINS);" => "< vec4<u32>(BINS);", by_slices;
    lowest_bin_of_a_slice_not_asked: "(nearest - vec4<u32>(first_bin))" => "(nearest - vec4<u32>(first_bin + 1u))", by_slices;
    places_below_the_lowest_edge_not_asked: "(places + vec4<u32>(nearness()))" => "places", by_slices;
    beyond_the_range_not_asked: "(beyond & at_end)" => "(beyond & (at_end == vec4<bool>(first_bin == 0u)))", by_slices;
    beside_the_lowest_edge_not_asked: "(guesses == vec4<u32>()) | (guesses >= vec4<u32>(INSIDE))" => "guesses >= vec4<u32>(INSIDE)", by_slices;
    values_left_by_no_slice: "(id.local == 0u) & (slice_of(id.workgroup.x) == 0u)" => "(id.local == 0u) & (slice_of(id.workgroup.x) == SLICES)", by_slices;
    place_not_rounded_down: "floor(f32(value(bits)) * scale)" => "(f32(value(bits)) * scale)", by_edges;
    beyond_the_last_slice_not_asked: "beside | (outside & at_end)" => "beside", by_slices;
    nan_searched: "fn searched(bits: u32, edge: u32) -> u32 {\n    if is_nan(bits) { return INSIDE + 2u; }" => "fn searched(bits: u32, edge: u32) -> u32 {", by_given;
    guess_believed_at_edges: "<= vec4<u32>(nearness());" => "< vec4<u32>(0u);", by_edges;
    last_edge_open: "select(edge, INSIDE + 1u, edge == INSIDE)" => "select(edge, INSIDE + 1u, edge + 1u >= INSIDE)", by_edges;
    nan_counted_as_above: "{\n    if is_nan(bits) { return INSIDE + 2u; }\n    if place" => "{\n    if place", by_edges;
    below_counted_as_above: "select(edge - 1u, INSIDE, edge == 0u)" => "select(edge - 1u, INSIDE + 1u, edge == 0u)", by_edges;
    highest_key_taken_for_an_edge: "if key(bits) == 0xffffffffu" => "if false", by_edges;
    borrow_of_a_spread_lost: "(product.x < square[0]) | (less < borrow)" => "less < borrow", spreads;
    sign_of_a_sum_ignored: "let sign = select(0u, 0xffffffffu, acc.m0." => "let sign = select(0u, 0u, acc.m0.", spreads;
    half_of_a_variance_dropped: "(digits.x & 1u) == 1u, rest" => "false, rest", spreads;
    digits_of_a_root_halved: "(first.x << 16u) + second.x" => "first.x << 16u", spreads;
    rows_finished_alike: "finish_row(row * ROW_WORDS, row)" => "finish_row(0u, row)", |gpu, _| rows::<f32, _>(gpu, &Variance::default(), &[8, 128, 300]);
    counts_of_a_column_swapped: "parts[c / 4u][c % 4u]" => "parts[c / 4u].x", by_edges;
    counts_of_a_lane_lost: "if lane < half {" => "if lane + 1u < half {", by_edges;
    counts_past_the_end: "partials[column_place(j, min(p, end - 1u))], p < end" => "partials[column_place(j, min(p, end - 1u))], true", by_edges;
}

#[test]
fn a_missing_seal_is_an_error() {
    static MATCHED: AtomicBool = AtomicBool::new(false);
    let patch = |text: String| {
        MATCHED.fetch_or(text.contains("] = params.seal;"), Ordering::Relaxed);
        text.replace("] = params.seal;", "] = 0u;")
    };
    let gpu = gpu().with_patched_shaders(patch).expect("a device");
    let answer = gpu.reduce(ops::FastSum, &[1.0f32, 2.0]);
    assert!(matches!(answer, Err(Error::ResultMissing)), "{answer:?}");
    assert!(MATCHED.load(Ordering::Relaxed), "nothing to patch");
}

/// Results land again where others did: one that was not written this time is no answer.
#[test]
fn a_seal_of_the_result_before_is_an_error() {
    let gpu =
        gpu().with_patched_shaders(|text| text.replace("] = params.seal;", "] = 0x7ee5f01du;")).expect("a device");
    let buffer = upload(&gpu, &[1.0f32, 2.0]);
    let sum = gpu.reducer::<f32, _>(ops::FastSum).expect("a reducer");
    // A fresh place, the same again, a fresh one.
    for right in [true, false, true, false] {
        let answer = sum.reduce(&buffer);
        assert_eq!(right, matches!(answer, Ok(3.0)), "{answer:?}");
        assert_eq!(right, !matches!(answer, Err(Error::ResultMissing)), "{answer:?}");
    }
    let mut prepared = sum.prepare_answer(&buffer).expect("a plan");
    assert_eq!(prepared.reduce().expect("a sum"), 3.0);
    for _ in 0..2 {
        assert!(matches!(prepared.reduce(), Err(Error::ResultMissing)));
    }
}
