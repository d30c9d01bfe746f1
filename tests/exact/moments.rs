//! Skewness and kurtosis of numbers of 32 bits: exact sums of powers, one rounding; against rational arithmetic, and with wrong kernels.

use super::doors::through;
use super::exact::{on_a_device, on_the_host};
use super::float64::{has_float64, is_float64, with_float64};
use crate::common::exactly::{Failures, inputs};
use crate::common::{Random, all, assert_noticed, gpu, one_in, sets, small, upload};
use treefold::internals::Keep;
use treefold::ops::{Kurtosis, Skewness};
use treefold::{Cpu, Element, Gpu, Input, Op, Tuning};

#[test]
fn the_host_engine() {
    let mut failures = Failures::default();
    on_the_host::<f32, Skewness>(400, &mut failures);
    on_the_host::<f32, Kurtosis>(400, &mut failures);
    on_the_host::<i32, Skewness>(400, &mut failures);
    on_the_host::<i32, Kurtosis>(400, &mut failures);
    on_the_host::<u32, Skewness>(400, &mut failures);
    on_the_host::<u32, Kurtosis>(400, &mut failures);
    failures.none();
}

#[test]
fn on_devices() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let mut failures = Failures::default();
    let step = if all() { 1 } else { 9 };
    on_a_device::<f32, Kurtosis>(&gpu, 700, step, &mut failures);
    on_a_device::<i32, Kurtosis>(&gpu, 700, step, &mut failures);
    on_a_device::<u32, Skewness>(&gpu, 700, step, &mut failures);
    if all() {
        on_a_device::<f32, Skewness>(&gpu, 700, step, &mut failures);
        through::<f32, Skewness>(&inputs(300), 61, &mut failures);
    }
    through::<i32, Kurtosis>(&inputs(300), 17, &mut failures);
    failures.none();
}

/// Whether the partial of a device is the host's.
fn agrees<T: Element, O: Op<T>>(gpu: &Gpu, op: O, elements: &[T]) -> bool {
    let (buffer, reducer) = (upload(gpu, elements), gpu.reducer::<T, O>(op.clone()).expect("a reducer"));
    let found = reducer.partial(Input::range(&buffer, 0..elements.len() as u64)).expect("sums");
    let want = Cpu::with_threads(1).partial(op, elements);
    found.to_bytes().expect("bytes") == want.to_bytes().expect("bytes")
}

/// In levels, where a device has f64.
#[test]
fn powers_in_levels_have_the_bits_of_the_hosts() {
    if !has_float64() {
        return;
    }
    for shape in [small(), Tuning::GPU] {
        let gpu = gpu().with_tuning(with_float64(shape)).expect("a launch shape");
        assert!(is_float64(gpu.reducer::<f32, _>(Kurtosis).expect("a reducer").kernel()));
        for kind in ["near one", "uniform", "any bits", "subnormal", "extremes", "zeros", "ramp", "cancel"] {
            assert!(agrees(&gpu, Kurtosis, &sets::make::<f32>(kind, 20_003, 3)), "{kind}");
        }
    }
}

#[test]
fn wrong_kernels_are_noticed() {
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0];
    let mut floats = vec![sets::make::<f32>("any bits", 3001, 5), sets::make("subnormal", 500, 6), vec![0.0; 9]];
    floats.extend(special.map(|x| vec![1.0, x, -2.5]));
    let mut random = Random(7);
    let whole: Vec<i32> = (0..900).map(|_| random.next() as i32).chain([-1 << 22, -1, i32::MIN, i32::MAX]).collect();
    let bins = Keep::Bins { replicas: 8, words64: true, float64: false };
    let noticed = |gpu: &Gpu| {
        let wrong = |set: &Vec<f32>| !agrees(gpu, Skewness, set);
        // The others have no self-test.
        !agrees(gpu, Kurtosis, &whole)
            || !gpu.sums_right::<f32, _>(&Skewness, bins).expect("a verdict")
            || floats.iter().any(wrong)
    };
    assert!(!noticed(&gpu().with_tuning(small()).expect("a launch shape")));
    let changes = [
        ("exponent + 925u", "exponent + 924u"),
        ("2u * exponent + 775u", "2u * exponent + 776u"),
        ("countLeadingZeros(digits.x) + 21u", "countLeadingZeros(digits.x) + 20u"),
        ("countLeadingZeros(digits.y) - 11u", "countLeadingZeros(digits.y) - 12u"),
        ("select(near, vec2<u32>(0u, near.x), left > 31u)", "near"),
        ("((place - left) << 20u) | sign)", "((place - left) << 20u))"),
        ("(bits, bits & 0x80000000u); }", "(bits, 0u); }"),
        ("select(0x7ff00000u, 0x7ff80000u, (bits & 0x7fffffu) != 0u)", "0x7ff00000u"),
        ("if (digits.x | digits.y) == 0u { return vec2<u32>(0u, sign); }", ""),
        ("return vec4<u32>(square_of(bits), number_of(bits));", "return square_of(bits).xyxy;"),
        ("multiply32(square.y, size), vec2<u32>(low.y, 0u)", "multiply32(square.y, size), vec2<u32>()"),
        ("(high.y ^ sign) + carry", "(high.y ^ sign)"),
        (
            "array<u32, 6>(words.x, words.y, (high.y ^ sign) + carry, sign, sign, sign)",
            "array<u32, 6>(words.x, words.y, high.y, 0u, 0u, 0u)",
        ),
        (
            "array<u32, 6>(fourth.x, fourth.y, fourth.z, fourth.w, 0u, 0u)",
            "array<u32, 6>(fourth.x, fourth.y, fourth.z, 0u, 0u, 0u)",
        ),
    ];
    assert_noticed(small(), &one_in(5, &changes), noticed);
}
