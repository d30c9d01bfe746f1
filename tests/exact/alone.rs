//! Exact sums of f64 in many parts, each found by one invocation: of rows, of columns and of segments. What stays in a window of
//! registers ends there; what leaves it, in words of the invocation. Bits are the host's, whatever the data.

use crate::common::*;
use std::sync::atomic::{AtomicBool, Ordering};
use treefold::internals::Keep;
use treefold::ops::{Mean, Norm1, Sum};
use treefold::{Axes, Cpu, Each, Gpu, Input, Op, Output, Reducer, Tuning, wgpu};

const ALONE: &str = "// Many answers a workgroup, each found by one invocation";

/// Without subgroups, over which a software driver sits for seconds: no kernel of many answers has them, those of a whole input do.
fn tuning() -> Tuning {
    small().with(|tuning| (tuning.own_rows_max, tuning.subgroups) = (64, false))
}

/// With them.
fn lanes() -> Tuning {
    tuning().with(|tuning| tuning.subgroups = true)
}

/// So many elements of each kind: near ones, of all sizes, at the ends of a limb, ties, what cancels, zeros, the least and the largest.
fn row(kind: usize, length: usize, random: &mut Random) -> Vec<f64> {
    let with_exponent = |random: &mut Random, exponent: u64| {
        f64::from_bits(random.next() & 0x800f_ffff_ffff_ffff | exponent.clamp(0, 2046) << 52)
    };
    let first = 100 + random.below(1800);
    (0..length)
        .map(|i| match kind {
            0 => {
                let exponent = 1010 + random.below(13);
                with_exponent(random, exponent)
            }
            1 => {
                let exponent = random.below(2047);
                with_exponent(random, exponent)
            }
            // One way through limbs, and the other.
            2 => with_exponent(random, first + 7 * i as u64),
            3 => with_exponent(random, first.saturating_sub(7 * i as u64)),
            4 => -with_exponent(random, first).abs(),
            5 => [1.0, 2f64.powi(-53), 2f64.powi(-106), -(2f64.powi(-160))][i % 4],
            6 => [1e300, 1.0, -1e300, 3e-300][i % 4],
            7 => -0.0,
            8 => [0.0, -0.0][i % 2],
            9 => f64::from_bits(random.below(9) | (i as u64) << 63),
            10 => with_exponent(random, i as u64 % 3),
            11 => [f64::MAX, f64::MAX, -f64::MAX][i % 3],
            12 => f64::MAX,
            13 => [1.0, f64::INFINITY][usize::from(i == length / 2)],
            14 => [1.0, f64::NEG_INFINITY][usize::from(i == length - 1)],
            15 => [f64::INFINITY, f64::NEG_INFINITY][i % 2],
            16 => [1e-300, f64::NAN][usize::from(i == length / 3)],
            // All carries of a counter's lower word.
            17 => f64::from_bits(0x3fff_ffff_ffff_ffff),
            18 => -f64::from_bits(0x3fff_ffff_ffff_ffff),
            // A sum that is 0, behind a window that was left.
            19 => [1e200, -1e200, 1e-200, -1e-200][i % 4],
            20 => with_exponent(random, [1000, 1031, 1032, 1063][i % 4]),
            22 => [1.0, 5e-324, -1.0][i % 3],
            // What is left lies below the window.
            23 => [1.0, f64::EPSILON / 2.0 - 1.0][i % 2],
            _ => random.below(1000) as f64 - 500.0,
        })
        .collect()
}

const KINDS: usize = 24;

/// Rows of a length, of all kinds in turn.
fn rows_of(length: usize, rows: usize) -> Vec<f64> {
    let mut random = Random(length as u64);
    (0..rows).flat_map(|at| row(at % KINDS, length, &mut random)).collect()
}

fn bits(value: impl Into<Option<f64>>) -> u64 {
    let value = value.into().expect("some elements");
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Rows of a length, on the device along an axis, and the host's answers.
struct Case<R> {
    length: usize,
    rows: usize,
    buffer: wgpu::Buffer,
    axes: Axes,
    want: Vec<R>,
}

impl<R: Into<Option<f64>> + Copy> Case<R> {
    fn new<O: Op<f64, Output = R>>(gpu: &Gpu, op: O, length: usize, along: bool) -> Case<R> {
        let rows = 520.max(8 * length);
        let numbers = rows_of(length, rows);
        let (shape, axis, stored) = match along {
            true => ([rows as u64, length as u64], 1, numbers.clone()),
            false => {
                let stored = (0..rows * length).map(|at| numbers[at % rows * length + at / rows]).collect();
                ([length as u64, rows as u64], 0, stored)
            }
        };
        let want = Cpu::new().reduce_each(op, &numbers, length).expect("answers");
        Case { length, rows, buffer: upload(gpu, &stored), axes: Axes::of(&shape, &[axis]).expect("axes"), want }
    }

    fn each(&self) -> Each<'_, f64> {
        Input::from(&self.buffer).over(self.axes.clone())
    }

    /// Rows of which words of an answer, and so many behind them, say something else.
    fn differing(&self, words: &[u32], behind: usize) -> Vec<String> {
        let of = |words: &[u32]| bits(f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0])));
        let answers = words.chunks(2 + behind).zip(&self.want).enumerate();
        let wrong = answers.filter(|(_, (words, want))| {
            of(words) != bits(**want) || words[2..].iter().any(|&count| count as usize != self.length)
        });
        wrong.map(|(at, _)| format!("{at} of {}, kind {}", self.length, at % KINDS)).collect()
    }

    /// The same of what a record leaves.
    fn recorded<O: Op<f64, Output = R>>(&self, gpu: &Gpu, reducer: &Reducer<f64, O>, counted: bool) -> Vec<String> {
        let behind = usize::from(counted);
        let place = answers(gpu, (2 + behind) * self.rows);
        let output = if counted { Output::from(&place) } else { Output::bare(&place) };
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        reducer.record_each(&mut encoder, self.each(), output).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        self.differing(&download(gpu, &place), behind)
    }
}

/// Rows and columns whose answers, through every door, are not the host's.
fn differing<R: Into<Option<f64>> + Copy, O: Op<f64, Output = R> + Clone>(gpu: &Gpu, op: &O) -> Vec<String> {
    let reducer = gpu.reducer::<f64, _>(op.clone()).expect("a reducer");
    let mut all = Vec::new();
    for (length, along) in [(1, true), (2, false), (5, true), (12, false), (41, true), (64, false)] {
        let case = Case::new(gpu, op.clone(), length, along);
        all.extend(case.recorded(gpu, &reducer, true));
        all.extend(case.recorded(gpu, &reducer, false));
        let host = reducer.reduce_each(case.each()).expect("answers");
        let words: Vec<u32> =
            host.iter().flat_map(|&answer| [bits(answer) as u32, (bits(answer) >> 32) as u32]).collect();
        all.extend(case.differing(&words, 0));
    }
    all
}

#[test]
fn rows_and_columns_have_the_hosts_bits() {
    static SEEN: AtomicBool = AtomicBool::new(false);
    fn noted(text: String) -> String {
        SEEN.fetch_or(text.contains(ALONE) && text.contains("narrow_store"), Ordering::Relaxed);
        text
    }
    let gpu = patched_gpu(tuning(), noted);
    let failures = [differing(&gpu, &Sum), differing(&gpu, &Mean), differing(&gpu, &Norm1)];
    assert!(failures.iter().all(Vec::is_empty), "{failures:?}");
    assert!(SEEN.load(Ordering::Relaxed), "other kernels");
}

/// Rows in two buffers are segments of one length; a tuple shares one sum.
#[test]
fn rows_in_two_buffers_and_tuples_have_the_hosts_bits() {
    let gpu = gpu().with_tuning(tuning()).expect("a device");
    let (length, rows) = (9, 600);
    let numbers = rows_of(length, rows);
    let want = Cpu::new().reduce_each((Sum, Mean), &numbers, length).expect("answers");
    let (front, back) = numbers.split_at(1001);
    let (front, back, whole) = (upload(&gpu, front), upload(&gpu, back), upload(&gpu, &numbers));
    let reducer = gpu.reducer::<f64, _>((Sum, Mean)).expect("a reducer");
    let several = Input::concat([Input::from(&front), Input::from(&back)]);
    for (what, input) in [("two buffers", several), ("one", Input::from(&whole))] {
        let got = reducer.reduce_each(input.rows(length as u64)).expect("answers");
        let both = |&(sum, mean): &(f64, Option<f64>)| (bits(sum), bits(mean));
        assert!(got.iter().map(both).eq(want.iter().map(both)), "{what}");
    }
}

/// Those in several bindings of one buffer take a dispatch each, of the same kernel, however few are left for one.
#[test]
fn rows_in_several_bindings_have_the_hosts_bits() {
    static SEEN: AtomicBool = AtomicBool::new(false);
    fn noted(text: String) -> String {
        SEEN.fetch_or(text.contains(ALONE), Ordering::Relaxed);
        text
    }
    for (length, rows) in [(9, 600), (16, 600)] {
        let gpu =
            small_gpu(16384).with_tuning(tuning()).and_then(|gpu| gpu.with_patched_shaders(noted)).expect("a device");
        let numbers = rows_of(length, rows);
        let want = Cpu::new().reduce_each(Sum, &numbers, length).expect("answers");
        let buffer = upload(&gpu, &numbers);
        let reducer = gpu.reducer::<f64, _>(Sum).expect("a reducer");
        let got = reducer.reduce_each(Input::from(&buffer).rows(length as u64)).expect("answers");
        assert!(got.iter().map(|&sum| bits(sum)).eq(want.iter().map(|&sum| bits(sum))), "{length}");
        assert!(SEEN.swap(false, Ordering::Relaxed), "{length}: other kernels");
    }
}

/// Sums by offsets, of this length as a rule, which shares divide, recorded: whether they are the host's.
fn segments_are_right(gpu: &Gpu, length: usize, rows: usize) -> bool {
    let numbers = rows_of(length, rows);
    // Some rows are none, others two.
    let mut offsets: Vec<u64> = (0..=rows).map(|row| (row * length) as u64).collect();
    (5..rows).step_by(9).for_each(|row| offsets[row] = offsets[row - 1]);
    let want = Cpu::new().reduce_segments(Sum, &numbers, &offsets).expect("sums");
    let buffer = upload(gpu, &numbers);
    let reducer = gpu.reducer::<f64, _>(Sum).expect("a reducer");
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let bare = answers(gpu, 2 * rows);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let each = Input::from(&buffer).segments(&offsets[..]);
    reducer.record_each(&mut encoder, each, Output::bare(&bare)).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let words = download(gpu, &bare);
    let sums = words.chunks(2).take(rows).map(|two| f64::from_bits(u64::from(two[1]) << 32 | u64::from(two[0])));
    sums.map(bits).eq(want.into_iter().map(bits))
}

/// A share of thousands carries out of the last counter of its window, by elements that begin in its second limb and in its third.
#[test]
fn long_shares_have_the_hosts_bits() {
    let gpu = gpu().with_tuning(lanes()).expect("a device");
    let reducer = gpu.reducer::<f64, _>(Sum).expect("a reducer");
    for other in [0x41ff_ffff_ffff_ffff, 0xc1ff_ffff_ffff_ffff, 0x429f_ffff_ffff_ffff, 0xc29f_ffff_ffff_ffff] {
        let mut numbers = vec![f64::from_bits(other); 200_000];
        numbers[0] = 2.0;
        let offsets = [0u32, 200_000];
        let want = Cpu::new().reduce_segments(Sum, &numbers, &[0, 200_000]).expect("sums");
        let buffer = upload(&gpu, &numbers);
        let got = reducer.reduce_each(Input::from(&buffer).segments(&offsets[..])).expect("sums");
        assert_eq!(got, want);
    }
}

#[test]
fn segments_have_the_hosts_bits() {
    for (length, rows) in [(6, 700), (21, 300)] {
        assert!(segments_are_right(&gpu().with_tuning(tuning()).expect("a device"), length, rows), "{length}");
    }
}

/// The self-test, which has a whole input in one kernel of values, sees what is wrong with a subgroup's steps in a loop.
#[test]
fn wrong_steps_of_a_subgroup_are_put_aside() {
    const STEPS: &str = "mask < lanes; mask <<= 1u";
    if !gpu().device().features().contains(wgpu::Features::SUBGROUP) {
        return tell("skipped: this adapter has no subgroup operations, so that kernel does not run here");
    }
    assert_noticed(lanes(), &[(STEPS, "mask < lanes / 2u; mask <<= 1u")], |gpu| {
        !gpu.sums_right::<f64, _>(&Sum, Keep::Values { words64: false }).expect("a verdict")
    });
}

/// What an invocation that goes on with another segment depends on.
const CLEARED: &str = "own[j] = vec2<u32>();";
/// What stands in the text of segments alone.
const SECOND: &str = "var second = load(min(first + 1u, last));";
const LAST: &str = "for (var v = first; v <= last; v++) {";
const SERIAL: &str = "// Segments in order: ";

/// Wrong texts of the kernel itself, which no self-test sees.
#[test]
fn wrong_kernels_are_noticed() {
    let mut unnoticed = Vec::new();
    let changes = [
        (CLEARED, ""),
        (SECOND, "var second = load(min(first + 2u, last));"),
        (LAST, "for (var v = first; v < last; v++) {"),
        (
            "for (var j = 0u; j < narrow_LIMBS; j++) {\n        carry",
            "for (var j = 0u; j + 1u < narrow_LIMBS; j++) {\n        carry",
        ),
        ("carry = carried(carry);\n        low", "carry = vec3<u32>();\n        low"),
        (
            "fn carried(sum: vec3<u32>) -> vec3<u32> { return widened(sum.yz); }",
            "fn carried(sum: vec3<u32>) -> vec3<u32> { return vec3<u32>(sum.yz, 0u); }",
        ),
        ("return !own_used;", "return true;"),
        ("own_add(state.base + 3u, state.low.w, state.high.w);", ""),
        ("own_add(state.base + 2u, state.low.z, state.high.z);", ""),
        ("const PLACE_MAX = 73u;", "const PLACE_MAX = 105u;"),
        ("lower, vec4<u32>(0u, 0u, last, middle), limb > 1u", "lower, lower, limb > 1u"),
        ("select(signs, vec4<u32>(0u, 0u, 0u, first), limb > 1u)", "signs"),
        ("    put_window(state);\n    let base", "    let base"),
        ("vec2<u32>(sign & 1u, 0u)", "vec2<u32>()"),
        ("select(vec4<u32>(0u, 0u, below, 0u), vec4<u32>(0u, 0u, 0u, below), limb == 1u)", "vec4<u32>()"),
        ("vec4<u32>(1u), all.low < amounts", "vec4<u32>(), all.low < amounts"),
        ("max(size >> 20u, 1u);  //", "size >> 20u;  //"),
        ("i32(32u * base)", "i32(31u * base)"),
        ("min(e + 2u * step, last)", "min(e + step, last)"),
        ("now = second;", "now = third;"),
        ("var e = split * params.vectors;", "var e = split * params.vectors + 1u;"),
        ("row >= params.rows", "row + 1u >= params.rows"),
        ("all.flags |= double_flags(bits);", "all.flags = double_flags(bits);"),
    ];
    for (from, to) in one_in(3, &changes) {
        // Not the self-test's, which would put the kernel aside.
        let within = |text: &str| text.contains(ALONE) || text.contains(SERIAL);
        let noticed = notices_within(within, tuning(), (from, to), |gpu| match from {
            CLEARED => !segments_are_right(gpu, 6, 700),
            SECOND | LAST => !segments_are_right(gpu, 21, 300),
            _ => {
                let reducer = gpu.reducer::<f64, _>(Sum).expect("a reducer");
                !Case::new(gpu, Sum, 12, true).recorded(gpu, &reducer, false).is_empty()
            }
        });
        if !noticed {
            unnoticed.push(from);
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}
