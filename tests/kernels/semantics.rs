//! The answers of every operator about empty input, NaN, ties, zeros and overflow: by hand, on the adapter and on the CPU.

use crate::common::gpu;
use treefold::ops::*;
use treefold::{Cpu, Element, Engine, Error, Op, Result};

/// The answers of the adapter and of the CPU engine.
fn both<T: Element, O: Op<T>>(op: O, elements: &[T]) -> [Result<O::Output>; 2] {
    [Engine::Gpu(gpu()).reduce(op.clone(), elements), Cpu::with_threads(3).reduce(op, elements)]
}

macro_rules! same {
    ($op:expr, $elements:expr, $want:expr) => {
        for got in both($op, $elements) {
            assert_eq!(got.expect("an answer"), $want, "{:?} of {:?}", $op, $elements);
        }
    };
}

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

#[test]
fn empty() {
    let none: &[f32] = &[];
    same!(Sum, none, 0.0);
    same!(Sum, &[] as &[f64], 0.0);
    same!(FastSum, none, 0.0);
    same!(Sum, &[] as &[i32], 0i64);
    same!(Product, none, 1.0);
    same!(Product, &[] as &[u32], 1u64);
    same!(CountNonzero, none, 0);
    same!(CountNan, none, 0);
    same!(Any, none, false);
    same!(All, none, true);
    same!(Min, none, None);
    same!(Max, none, None);
    same!(MinMax, none, None);
    same!(ArgMin, none, None);
    same!(ArgMax, none, None);
    same!(Mean, none, None);
    same!(FastMean, none, None);
    same!(FastVariance::default(), none, None);
    same!(Variance::default(), &[] as &[i32], None);
    same!(Norm2, none, 0.0);
    same!(LogSumExp::default(), none, None);
    same!(And, &[] as &[u32], u32::MAX);
    same!(Or, &[] as &[i32], 0);
    same!(Xor, &[] as &[i32], 0);
    for summary in both(Stats::default(), none) {
        let summary = summary.expect("a summary");
        assert_eq!((summary.count, summary.sum, summary.mean, summary.std), (0, 0.0, None, None));
        assert_eq!((summary.min, summary.max), (None, None));
    }
    for summary in both(FastStats::default(), none) {
        let summary = summary.expect("a summary");
        assert_eq!((summary.count, summary.sum, summary.mean, summary.std), (0, 0.0, None, None));
    }
}

#[test]
fn integers_are_exact_in_64_bits() {
    same!(Sum, &[u32::MAX; 1000], u64::from(u32::MAX) * 1000);
    same!(Sum, &[i32::MIN; 999], i64::from(i32::MIN) * 999);
    same!(Sum, &[i32::MIN, i32::MAX, -1, 1], -1);
    same!(Mean, &[i32::MAX, i32::MAX - 1], Some(2_147_483_646.5));
    same!(Variance::default(), &[2_000_000_000i32, 2_000_000_001], Some(0.25));
    same!(Variance { ddof: 1 }, &[0u32, u32::MAX], Some(f64::from(u32::MAX).powi(2) / 2.0));
}

#[test]
fn products_are_checked() {
    same!(Product, &[-2i32, 3, -5, 7], 210);
    same!(Product, &[i32::MIN, i32::MIN, -2], i64::MIN);
    same!(Product, &[u32::MAX, u32::MAX], u64::from(u32::MAX).pow(2));
    same!(Product, &[u32::MAX, u32::MAX, u32::MAX, 0], 0);
    for got in both(Product, &[i32::MIN, i32::MIN, 2]) {
        assert!(matches!(got, Err(Error::Overflow { operator: "product", bits: 64 })), "{got:?}");
    }
    for got in both(Product, &[u32::MAX; 9]) {
        assert!(matches!(got, Err(Error::Overflow { .. })), "{got:?}");
    }
    // Neither 2^200 nor 2^-200 is an f32.
    let (huge, tiny) = (2f32.powi(100), 2f32.powi(-100));
    same!(Product, &[huge, huge, tiny, tiny], 1.0);
    same!(Product, &[-2.0f32, f32::from_bits(3)], -f32::from_bits(6));
    for got in both(Product, &[0.0f32, INF]) {
        assert!(got.expect("an answer").is_nan());
    }
}

#[test]
fn nan_propagates() {
    let with_nan = [1.0f32, NAN, -3.0, NAN];
    for got in both(Min, &with_nan).into_iter().chain(both(Max, &with_nan)) {
        assert!(got.expect("an answer").is_some_and(f32::is_nan));
    }
    for got in both(ArgMin, &with_nan).into_iter().chain(both(ArgMax, &with_nan)) {
        let found = got.expect("an answer").expect("not empty");
        assert!(found.value.is_nan() && found.index == 1, "{found:?}");
    }
    for got in both(ArgMinLast, &with_nan).into_iter().chain(both(ArgMaxLast, &with_nan)) {
        let found = got.expect("an answer").expect("not empty");
        assert!(found.value.is_nan() && found.index == 3, "{found:?}");
    }
    for got in both(Sum, &with_nan).into_iter().chain(both(FastSum, &with_nan)) {
        assert!(got.expect("an answer").is_nan());
    }
    for got in both(Mean, &with_nan).into_iter().chain(both(FastMean, &with_nan)) {
        assert!(got.expect("an answer").is_some_and(f32::is_nan));
    }
    same!(CountNan, &with_nan, 2);
    same!(CountNonzero, &[NAN, 0.0, -0.0, 1.0], 2);
    same!(Any, &[NAN], true);
    // A NaN of the other sign and a signalling one.
    for bits in [0xffc0_0000, 0x7f80_0001, 0xff80_0001] {
        for got in both(Max, &[2.0, f32::from_bits(bits)]) {
            assert!(got.expect("an answer").is_some_and(f32::is_nan), "{bits:x}");
        }
        let elements = [2.0, f32::from_bits(bits)];
        for got in both(Sum, &elements).into_iter().chain(both(FastSum, &elements)) {
            assert!(got.expect("an answer").is_nan(), "{bits:x}");
        }
    }
}

#[test]
fn infinities() {
    same!(Sum, &[1.0f32, INF, 2.0], INF);
    same!(Sum, &[1.0f32, -INF, 2.0], -INF);
    same!(FastSum, &[1.0, INF, 2.0], INF);
    same!(FastSum, &[1.0, -INF, 2.0], -INF);
    for got in both(Sum, &[INF, 1.0, -INF]).into_iter().chain(both(FastSum, &[INF, 1.0, -INF])) {
        assert!(got.expect("an answer").is_nan());
    }
    same!(Mean, &[1.0f32, -INF], Some(-INF));
    same!(FastMean, &[1.0, -INF], Some(-INF));
    same!(Min, &[INF, INF], Some(INF));
    same!(MinMax, &[-INF, 0.0, INF], Some((-INF, INF)));
    for got in both(FastVariance::default(), &[1.0, INF]) {
        assert!(got.expect("an answer").is_some_and(f64::is_nan));
    }
}

#[test]
fn zeros() {
    let negative = |x: f32| x == 0.0 && x.is_sign_negative();
    for got in both(Sum, &[-0.0f32; 77]).into_iter().chain(both(FastSum, &[-0.0f32; 77])) {
        assert!(negative(got.expect("an answer")));
    }
    for got in [[-0.0f32, 0.0], [1.0, -1.0]].iter().flat_map(|x| both(Sum, x).into_iter().chain(both(FastSum, x))) {
        let got = got.expect("an answer");
        assert!(got == 0.0 && !negative(got));
    }
    // Equal for min, max and arg: the lowest index wins.
    same!(ArgMin, &[1.0, 0.0, -0.0], Some(Found { value: 0.0, index: 1 }));
    same!(ArgMax, &[-1.0, -0.0, 0.0], Some(Found { value: 0.0, index: 1 }));
    same!(Min, &[0.0, -0.0], Some(0.0));
    same!(CountNonzero, &[-0.0f32], 0);
}

#[test]
fn ties_go_to_the_lowest_index_or_the_highest() {
    let mut elements = vec![5i32; 70_000];
    elements[60_001] = -4;
    elements[60_002] = -4;
    elements[12_345] = 9;
    elements[54_321] = 9;
    same!(ArgMin, &elements, Some(Found { value: -4, index: 60_001 }));
    same!(ArgMax, &elements, Some(Found { value: 9, index: 12_345 }));
    same!(ArgMin, &[7u32; 5000], Some(Found { value: 7, index: 0 }));
    same!(ArgMinLast, &elements, Some(Found { value: -4, index: 60_002 }));
    same!(ArgMaxLast, &elements, Some(Found { value: 9, index: 54_321 }));
    // The rank of these is that of no element.
    same!(ArgMinLast, &[u32::MAX; 5000], Some(Found { value: u32::MAX, index: 4999 }));
    same!(ArgMaxLast, &[0u64; 9000], Some(Found { value: 0, index: 8999 }));
    same!(ArgMinLast, &[1.0, 0.0, -0.0, 1.0], Some(Found { value: -0.0, index: 2 }));
    same!(ArgMaxLast, &[] as &[i32], None);
    // Blocks, and vectors in them, are searched from behind.
    for (n, at) in [(4096, 4095), (4097, 4096), (4097, 0), (8200, 4103), (8200, 4104), (130, 1), (130, 66)] {
        let mut elements = vec![1.5f64; n];
        elements[at] = -2.0;
        elements[at / 2] = -2.0;
        same!(ArgMinLast, &elements, Some(Found { value: -2.0, index: at as u64 }));
    }
}

#[test]
fn several_operators_in_one_read() {
    let elements: Vec<f32> = (0..10_000).map(|i| (i % 100) as f32).collect();
    same!((Sum, MinMax, ArgMax), &elements, (495_000.0, Some((0.0, 99.0)), Some(Found { value: 99.0, index: 99 })));
    same!((CountNonzero, (Max, Min)), &elements, (9900, (Some(99.0), Some(0.0))));
    same!((FastSum, Sum, Mean), &elements, (495_000.0, 495_000.0, Some(49.5)));
}

#[test]
fn between_the_ends() {
    same!(Range, &[] as &[f32], None);
    same!(Range, &[2.5f32], Some(0.0));
    same!(Range, &[f32::MAX, f32::MIN], Some(f32::INFINITY));
    same!(Range, &[1e-45f32, 3e-45], Some(1e-45));
    same!(Range, &[f32::INFINITY, 1.0], Some(f32::INFINITY));
    for got in both(Range, &[f32::INFINITY, f32::INFINITY]).into_iter().chain(both(Range, &[1.0, f32::NAN])) {
        assert!(got.expect("an answer").is_some_and(f32::is_nan));
    }
    same!(Range, &[-1e308f64, 0.5e308], Some(1.5e308));
    same!(Range, &[i32::MIN, 0, i32::MAX], Some(u32::MAX));
    same!(Range, &[7u32, 9, 4], Some(5));
    same!(Range, &[i64::MIN, i64::MAX], Some(u64::MAX));
    same!(Range, &[1u64 << 32, 1], Some(0xffff_ffff));
    same!(NormInf, &[] as &[f32], 0.0);
    same!(NormInf, &[] as &[i64], 0);
    same!(NormInf, &[3.0f32, -4.0], 4.0);
    same!(NormInf, &[-0.0f32, -1e-45], 1e-45);
    same!(NormInf, &[f32::NEG_INFINITY, f32::MAX], f32::INFINITY);
    for got in both(NormInf, &[9.0f32, f32::NAN, -f32::INFINITY]) {
        assert!(got.expect("an answer").is_nan());
    }
    same!(NormInf, &[3.0f64, -4.0, f64::from_bits(4.0f64.to_bits() - 1)], 4.0);
    same!(NormInf, &[i32::MIN, i32::MAX], 1 << 31);
    same!(NormInf, &[-5i32, 3], 5);
    same!(NormInf, &[u32::MAX, 1], u32::MAX);
    same!(NormInf, &[i64::MIN, i64::MAX], 1 << 63);
    same!(NormInf, &[-(1i64 << 40), (1 << 40) - 1], 1 << 40);
    same!(NormInf, &[u64::MAX, 1], u64::MAX);
}

/// From either end, whose ranks are keys and their complements.
#[test]
fn zeros_of_halves_are_equal() {
    use treefold::half::f16;
    let zeros = [f16::NEG_ZERO, f16::ZERO, f16::NEG_ZERO];
    for (at, part) in [(0, &zeros[..2]), (0, &zeros[1..])] {
        for got in both((ArgMax, ArgMin), part) {
            let (high, low) = got.expect("answers");
            let places = [high, low].map(|found| found.map(|found| (found.index, found.value.to_bits())));
            assert_eq!(places, [Some((at, part[0].to_bits())); 2], "{part:?}");
        }
    }
}

/// On the host alone.
#[test]
fn lists_of_the_best() {
    let of = |elements: &[f32]| Cpu::new().reduce((Top::default(), Bottom::default()), elements).expect("answers");
    let (top, bottom) = of(&[]);
    assert_eq!((top.values.len(), top.indices.len(), bottom.values.len()), (0, 0, 0));
    // Zeros are equal, and NaN comes first from either end.
    let (top, bottom) = of(&[-0.0, NAN, 0.0, INF, -INF, NAN]);
    assert_eq!((top.indices, bottom.indices), (vec![1, 5, 3, 0, 2, 4], vec![1, 5, 4, 0, 2, 3]));
    assert!(top.values[0].is_nan() && top.values[3].is_sign_negative() && top.values[4].is_sign_positive());
    let two = Cpu::new().reduce((Top::new(2).expect("a k"), Bottom::new(2).expect("a k")), &[7i32, 7, 7]);
    let (top, bottom) = two.expect("answers");
    assert_eq!((top.values, top.indices, bottom.indices), (vec![7, 7], vec![0, 1], vec![0, 1]));
}

#[test]
fn sums_that_wrap() {
    same!(WrappingSum, &[] as &[i32], 0);
    same!(WrappingSum, &[i32::MAX, 1, 1], i32::MIN + 1);
    same!(WrappingSum, &[u32::MAX; 3], u32::MAX - 2);
    same!(WrappingSum, &[i64::MIN, i64::MIN, -1], -1);
    same!(WrappingSum, &[u64::MAX, 1 << 40], (1 << 40) - 1);
}

#[test]
fn none_of_them() {
    same!(NoneOf, &[] as &[f32], true);
    same!(NoneOf, &[0.0f32, -0.0], true);
    same!(NoneOf, &[0.0f32, f32::NAN], false);
    same!(NoneOf, &[0i64, 1 << 40], false);
}

#[test]
fn errors_of_means() {
    same!(Sem::default(), &[1.0f32], None);
    same!(Sem { ddof: 0 }, &[1.0f32], Some(0.0));
    same!(Sem::default(), &[1i32, 3, 5, 7, 9], Some(2f64.sqrt()));
    same!(Sem { ddof: 0 }, &[1.0f64, 3.0], Some(0.5f64.sqrt()));
    same!(Sem { ddof: 4 }, &[1u64, 1, 1, 1, 6], Some(2.0));
    for got in both(Sem::default(), &[1.0f32, f32::INFINITY]) {
        assert!(got.expect("an answer").is_some_and(f64::is_nan));
    }
}

#[test]
fn numbers_of_64_bits() {
    const NONE: &[f64] = &[];
    same!(Min, NONE, None);
    same!(ArgMax, NONE, None);
    same!(Norm2, NONE, 0.0);
    same!(Std::default(), NONE, None);
    same!(SumOfSquares, &[] as &[i64], 0);
    same!(And, &[] as &[u64], u64::MAX);
    // Numbers that only the low word tells apart, and numbers that only the high one does.
    let near = [1.0, f64::from_bits(1.0f64.to_bits() + 1), 2.0, -2.0, f64::from_bits((-2.0f64).to_bits() + 1)];
    same!(Max, &near[..2], Some(near[1]));
    same!(ArgMin, &near, Some(Found { value: near[4], index: 4 }));
    same!(MinMax, &near, Some((near[4], 2.0)));
    same!(ArgMax, &[1i64 << 32, 1 << 33, (1 << 33) + 1, (1 << 33) + 1], Some(Found { value: (1 << 33) + 1, index: 2 }));
    same!(MinMax, &[i64::MIN, -1, i64::MAX], Some((i64::MIN, i64::MAX)));
    same!(MinMax, &[u64::MAX, 1 << 63, 5], Some((5, u64::MAX)));
    // Squares of which two are more than 128 bits are no answer of a summary.
    for got in both(Stats::default(), &[u64::MAX, u64::MAX - 1]) {
        let got = got.expect("a summary");
        assert_eq!((got.sum, got.std), (2 * u128::from(u64::MAX) - 1, Some(0.5)));
    }
    for got in both(Stats::default(), &[i64::MIN; 5]) {
        assert_eq!(got.expect("a summary").std, Some(0.0));
    }
    // Zeros are equal: the first counts, each end has its own sign.
    for got in both(ArgMin, &[1.0f64, 0.0, -0.0]) {
        assert!(got.expect("an answer").is_some_and(|found| found.index == 1 && found.value.is_sign_positive()));
    }
    for got in both(MinMax, &[0.0f64, -0.0, 0.0]) {
        let (low, high) = got.expect("an answer").expect("ends");
        assert!(low.is_sign_negative() && high.is_sign_positive());
    }
    // A NaN of any bits and sign comes first.
    let nans = [3.0, f64::from_bits(0xfff0_0000_0000_0001), f64::NAN, f64::INFINITY];
    for got in both(ArgMax, &nans) {
        assert!(got.expect("an answer").is_some_and(|found| found.index == 1 && found.value.to_bits() == 0x7ff8 << 48));
    }
    same!(CountNan, &nans, 2);
    for got in both(Norm2, &nans) {
        assert!(got.expect("an answer").is_nan());
    }
    same!(Norm2, &[f64::INFINITY, -f64::INFINITY], f64::INFINITY);
    same!(Norm2, &[3e300, -4e300], 5e300);
    same!(SumOfSquares, &[5e-324, 5e-324], 0.0);
    same!(SumOfSquares, &[1e200, 1.0], f64::INFINITY);
    same!(SumOfSquares, &[i64::MIN], 1 << 126);
    same!(SumOfSquares, &[u64::MAX], 0xffff_ffff_ffff_fffe_0000_0000_0000_0001);
    for got in both(SumOfSquares, &[u64::MAX, u64::MAX]) {
        assert!(matches!(got, Err(Error::Overflow { operator: "sumsq", bits: 128 })));
    }
    same!(Norm2, &[i64::MIN, i64::MIN, i64::MIN, i64::MIN], 2f64.powi(64));
    same!(Mean, &[0i64, 0], Some(0.0));
    same!(Mean, &[u64::MAX, u64::MAX], Some(2f64.powi(64)));
    same!(Mean, &[-1i64, -1, -1, -2], Some(-1.25));
    same!(Variance::default(), &[i64::MIN, i64::MAX], Some(2f64.powi(126)));
    same!(Std { ddof: 1 }, &[1u64 << 63, (1 << 63) + 2], Some(2f64.sqrt()));
    same!(Variance::default(), &[1e16, 1e16 + 2.0, 1e16 + 4.0], Some(8.0 / 3.0));
    same!(And, &[!0u64 << 40, u64::MAX], !0 << 40);
    same!(Or, &[1i64 << 40, 1], (1 << 40) + 1);
    same!(Xor, &[(1i64 << 40) + 1, 1], 1 << 40);
    same!(All, &[-0.0f64, 1.0], false);
    same!(Any, &[0u64, 1 << 32], true);
    for summary in both(Stats { ddof: 1 }, &[1e16f64, 1e16 + 2.0, 1e16 + 4.0]) {
        let summary = summary.expect("a summary");
        assert_eq!((summary.count, summary.nan_count, summary.sum), (3, 0, 3e16 + 6.0));
        assert_eq!((summary.mean, summary.std), (Some(1e16 + 2.0), Some(2.0)));
        assert_eq!(summary.max, Some(Found { value: 1e16 + 4.0, index: 2 }));
    }
    for summary in both(Stats::default(), &[i64::MIN, -1, i64::MAX]) {
        let summary = summary.expect("a summary");
        assert_eq!((summary.sum, summary.mean), (-2, Some(-2.0 / 3.0)));
        assert_eq!(summary.min, Some(Found { value: i64::MIN, index: 0 }));
    }
}
