//! Wrong kernels of exact operators: the self-test puts them aside, or the comparison with the oracle notices.

mod common;
use common::exactly::{Failures, by_reducer, inputs};
use common::sets::Set;
use common::*;
use treefold::ops::*;
use treefold::shader::Exact;
use treefold::{Error, Tuning, wgpu};

/// Sets on which every step of the f32 kernels shows.
fn telling() -> Vec<Set<f32>> {
    inputs::<f32>(1200)
}

type Patch = fn(String) -> String;

/// The kernel that a device takes whose shaders are patched, and what the answers are then; `None` where it takes none.
fn patched(tuning: Tuning, patch: Patch) -> Option<(Exact, Vec<String>)> {
    let gpu = gpu().with_tuning(tuning).and_then(|gpu| gpu.with_patched_shaders(patch)).expect("a launch shape");
    let reducer = match gpu.reducer::<f32, _>(ExactSum) {
        Ok(reducer) => reducer,
        Err(Error::NoExactKernel { operator: "exact_sum" }) => return None,
        Err(error) => panic!("{error}"),
    };
    let mut failures = Failures::default();
    by_reducer(&gpu, &reducer, &telling(), &mut failures);
    Some((reducer.exact(), failures.0))
}

/// Whether a part of a text is in what a reducer runs.
fn runs(tuning: Tuning, part: &str) -> bool {
    let gpu = gpu().with_tuning(tuning).expect("a launch shape");
    let reducer = gpu.reducer::<f32, _>(ExactSum).expect("a reducer");
    let buffer = upload(&gpu, &[0.0f32; 2000]);
    let plan = reducer.plan(&buffer).expect("a plan");
    reducer.shaders(&plan).iter().any(|text| text.contains(part))
}

const BINS: Tuning = Tuning { subgroups: false, ..SMALL };
const LANES: Tuning = Tuning { subgroups: true, ..SMALL };
const WINDOWS: Tuning = Tuning { bins: false, loads_in_flight: 1, ..BINS };

macro_rules! quarantined {
    ($($test:ident: $tuning:ident, $right:pat => $from:literal => $to:literal;)*) => {
        /// A kernel that the patch makes wrong: the self-test puts it aside, and another one answers right.
        mod wrong_kernel_is_put_aside {
            use super::*;
            $(#[test]
            fn $test() {
                assert!(runs($tuning, $from), "nothing to patch");
                let (exact, failures) = patched($tuning, |text| text.replace($from, $to)).expect("a kernel that is right");
                assert!(matches!(exact, $right), "{exact:?}");
                assert!(failures.is_empty(), "{}", some(&failures));
            })*
        }
    };
}

quarantined! {
    carry_dropped: BINS, Exact::Window | Exact::Window64 => "if before + amount < before { atomicAdd(&bins_high[at], 1u); }" => "";
    shift_mask_short: BINS, Exact::Window | Exact::Window64 => "(bits >> 23u) & 7u" => "(bits >> 23u) & 3u";
    subnormals_a_place_lower: BINS, Exact::Window | Exact::Window64 => "bits << 1u, (bits" => "bits & 0x7fffffu, (bits";
    signs_swapped: BINS, Exact::Window | Exact::Window64 => "held_in(p, copy), held_in(PAIRS + p, copy)" => "held_in(PAIRS + p, copy), held_in(p, copy)";
    copies_left_out: BINS, Exact::Window | Exact::Window64 => "turn < COPIES; turn" => "turn + SEATS < COPIES; turn";
    half_of_the_seats_left_out: BINS, Exact::Bins { copies: 1 } => "half = SEATS / 2u" => "half = SEATS / 4u";
    butterfly_one_step_short: LANES, Exact::Window | Exact::Window64 => "if (1u << 1u) < SEATS" => "if false";
    column_without_its_end: LANES, Exact::Window | Exact::Window64 => "vec3<u32>(0u, bins_met[2u * j + 1u])" => "vec3<u32>()";
    last_partial_lost: BINS, Exact::Window | Exact::Window64 => "p < end);" => "p + 1u < end);";
    bins_not_cleared: BINS, Exact::Window | Exact::Window64 => "atomicStore(&bins_low[c], 0u);" => "atomicStore(&bins_low[c], c);";
    own_bins_without_carry: WINDOWS, Exact::Bins { .. } => "bins_high[bin] = total.y;" => "";
    combine_without_carry: WINDOWS, Exact::Bins { .. } => "carry = select(0u, 1u, y < x) + select(0u, 1u, z < y);" => "carry = 0u;";
}

/// The window of 64 bits gives way to that of 32.
#[test]
fn a_wrong_window_of_64_bits_is_put_aside() {
    if !gpu().device().features().contains(wgpu::Features::SHADER_INT64) {
        return println!("this adapter has no 64-bit integers, so that kernel does not run here");
    }
    assert!(runs(WINDOWS, "select(amount, -amount, bits >> 31u == 1u)"));
    let patch = |text: String| text.replace("select(amount, -amount, bits >> 31u == 1u)", "amount");
    let (exact, failures) = patched(WINDOWS, patch).expect("a kernel that is right");
    assert_eq!(exact, Exact::Window);
    assert!(failures.is_empty(), "{}", some(&failures));
}

#[test]
fn no_kernel_is_better_than_a_wrong_one() {
    let patch: Patch = |text| text.replace("a.z + b.z + carry", "a.z + b.z");
    for tuning in [BINS, WINDOWS] {
        assert!(runs(tuning, "a.z + b.z + carry"));
        assert!(patched(tuning, patch).is_none());
    }
}

macro_rules! noticed {
    ($($test:ident: $op:ident, $from:literal => $to:literal;)*) => {
        /// What the self-test does not see, rounding and special values, these tests see.
        mod wrong_answer_is_noticed {
            use super::*;
            $(#[test]
            fn $test() {
                let gpu = gpu().with_tuning(BINS).expect("a launch shape");
                let wrong = gpu.with_patched_shaders(|text| text.replace($from, $to)).expect("a device");
                let reducer = wrong.reducer::<f32, $op>($op).expect("a reducer");
                assert!(matches!(reducer.exact(), Exact::Bins { .. }), "{:?}", reducer.exact());
                let mut failures = Failures::default();
                by_reducer(&wrong, &reducer, &telling(), &mut failures);
                assert!(!failures.0.is_empty());
            })*
        }
    };
}

noticed! {
    sticky_ignored: ExactSum, "bit_at(&size, at - 1i) == 1u, any_below(&size, at - 1i)" => "bit_at(&size, at - 1i) == 1u, false";
    ties_away_from_zero: ExactSum, "half & (rest | (digits & 1u) == 1u)" => "half";
    no_overflow: ExactSum, "exponent >= 254i" => "exponent >= 300i";
    minus_zero_lost: ExactSum, "(acc.flags & FLAG_OTHER) == 0u" => "false";
    infinities_cancel: ExactSum, "| (acc.flags & 6u) == 6u" => "";
    nan_is_infinite: ExactSum, "select(0u, FLAG_NAN, nan)" => "0u";
    minus_infinity_lost: ExactSum, "mine.low == 0xff800000u" => "false";
    remainder_ignored: ExactMean, "let rest = (remainder.x | remainder.y) != 0u | any_below" => "let rest = any_below";
    root_rounded_down: ExactNormL2, "pack(digits, at, half, rest)" => "pack(digits, at, false, rest)";
}
