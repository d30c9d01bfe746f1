//! Expressions: what the CPU computes of them, beside Rust and beside devices, and what is said of those that are wrong.

#![expect(clippy::manual_clamp, reason = "what becomes of NaN is not what f32::clamp makes of it")]

use crate::common::*;
use treefold::ops::{ArgMax, CountNonzero, FastSum, Max, MinMax, Stats, Sum};
use treefold::{Combining, Cpu, Dtype, Element, Engine, Error, Expression, Gpu, Input, Mapped, Op, Reducer, check};

/// The values that an expression makes of some elements, on the CPU: an answer for each row of one.
fn made<T: Element, U: Element>(text: &str, elements: &[T]) -> Vec<U> {
    let expression = Expression::of_element(text, T::DTYPE).unwrap_or_else(|error| panic!("{error}"));
    let op = expression.map::<T, U, _>(Keep).expect("these types");
    let each = Cpu::with_threads(1).reduce_each(op, elements, 1).expect("answers");
    each.into_iter().map(|bits| U::from_pattern(bits)).collect()
}

/// The bits of the last element.
#[derive(Clone, Copy, Debug)]
struct Keep;

impl<T: Element> treefold::Fold<T> for Keep {
    type Acc = u64;
    const COMMUTATIVE: bool = false;
    const HOST_ONLY: Option<&'static str> = Some("a test of the host's");
    fn identity(&self) -> u64 {
        0
    }
    fn lift(&self, x: T, _: u64) -> u64 {
        x.pattern()
    }
    fn combine(&self, _: u64, b: u64) -> u64 {
        b
    }
    fn wgsl(&self) -> treefold::Wgsl {
        treefold::Wgsl::new("", "", "")
    }
}

impl<T: Element> Op<T> for Keep {
    type Fold = Keep;
    type Output = u64;
    const NAME: &'static str = "keep";
    fn fold(&self) -> Keep {
        Keep
    }
    fn finish(&self, acc: u64, _: u64) -> treefold::Result<u64> {
        Ok(acc)
    }
}

/// Every element's bits as a function of Rust makes them.
#[track_caller]
fn like<T: Element, U: Element>(text: &str, elements: &[T], rust: impl Fn(T) -> U) {
    let made: Vec<U> = made(text, elements);
    assert_eq!(made.len(), elements.len());
    for (&x, made) in elements.iter().zip(made) {
        let want = rust(x);
        let nan = |x: U| x.partial_cmp(&x).is_none();
        assert!(made.pattern() == want.pattern() || nan(made) && nan(want), "{text} of {x:?}: {made:?}, not {want:?}");
    }
}

const FLOATS: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    3.7,
    -3.7,
    1e-40,
    -1e-40,
    1e10,
    -1e10,
    3e38,
    -3e38,
    7.25,
    100.0,
    4294967040.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];
const INTEGERS: [i32; 12] = [0, 1, -1, 2, -7, 31, 100, -1000, 65_537, 1 << 30, i32::MAX, i32::MIN];

#[test]
fn floats_are_computed_as_rust_does() {
    like("x", &FLOATS, |x: f32| x);
    like("abs(x) * 2", &FLOATS, |x: f32| x.abs() * 2.0);
    like("-x + 1.5 - x / 3", &FLOATS, |x: f32| -x + 1.5 - x / 3.0);
    like("x % 3.0", &FLOATS, |x: f32| x - 3.0 * (x / 3.0).trunc());
    like("floor(x) + ceil(x) * 2 + trunc(x) * 4", &FLOATS, |x: f32| x.floor() + x.ceil() * 2.0 + x.trunc() * 4.0);
    like("round(x)", &FLOATS, f32::round_ties_even);
    like("fract(x)", &FLOATS, |x: f32| x - x.floor());
    like("sign(x)", &FLOATS, |x: f32| {
        if x > 0.0 {
            1.0f32
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }
    });
    like("sqrt(abs(x)) + exp(-abs(x)) + log(abs(x) + 1)", &FLOATS, |x: f32| {
        x.abs().sqrt() + (-x.abs()).exp() + (x.abs() + 1.0).ln()
    });
    like("log2(exp2(x))", &FLOATS, |x: f32| x.exp2().log2());
    like("pow(abs(x), 0.25)", &FLOATS, |x: f32| x.abs().powf(0.25));
    like("atan2(x, 2.0)", &FLOATS, |x: f32| x.atan2(2.0));
    like("clamp(x, -1.0, 2)", &FLOATS, |x: f32| x.max(-1.0).min(2.0));
    like("saturate(x)", &FLOATS, |x: f32| x.max(0.0).min(1.0));
    like("fma(x, 3.0, 0.1)", &FLOATS, |x: f32| x.mul_add(3.0, 0.1));
    like("mix(x, 2.0, 0.25)", &FLOATS, |x: f32| x * (1.0 - 0.25) + 2.0 * 0.25);
    like("step(1.0, x)", &FLOATS, |x: f32| if x >= 1.0 { 1.0f32 } else { 0.0 });
    like("smoothstep(0.0, 4.0, x)", &FLOATS, |x: f32| {
        let t = (x / 4.0).max(0.0).min(1.0);
        t * t * (3.0 - 2.0 * t)
    });
    like("inverseSqrt(x)", &FLOATS, |x: f32| 1.0 / x.sqrt());
    like("degrees(radians(x))", &FLOATS, |x: f32| x.to_radians().to_degrees());
    like("quantizeToF16(x)", &FLOATS, |x: f32| treefold::half::f16::from_f32(x).to_f32());
    like("ldexp(x, 5)", &FLOATS, |x: f32| x * 32.0);
    like("select(x, -1.0, x < 0.0)", &FLOATS, |x: f32| if x < 0.0 { -1.0 } else { x });
    like("bitcast<u32>(x) & 0x7fffffffu", &FLOATS, |x: f32| x.to_bits() & 0x7fff_ffff);
    like("i32(x)", &FLOATS, |x: f32| x.min(2_147_483_520.0) as i32);
    like("u32(x)", &FLOATS, |x: f32| x.min(4_294_967_040.0) as u32);
    like("x > 1.0 && x < 8 || x == -1.0", &FLOATS, |x: f32| u32::from(x > 1.0 && x < 8.0 || x == -1.0));
    like("!(x != 0.0) || (x >= 3.0 && (x <= 8.0 || !(x < 1e9)))", &FLOATS, |x: f32| {
        u32::from(x == 0.0 || x >= 3.0 && (x <= 8.0 || x >= 1e9))
    });
    let wide = FLOATS.map(f64::from);
    like("sin(x) * cos(x) + tanh(x)", &wide, |x: f64| x.sin() * x.cos() + x.tanh());
    like("f32(x)", &wide, |x: f64| x as f32);
    like("exp(x * 0.5)", &wide, |x: f64| (x * 0.5).exp());
    like("i64(x)", &wide, |x: f64| x.min(9_223_372_036_854_774_784.0) as i64);
    like("f64(x) * 0.1lf", &FLOATS, |x: f32| f64::from(x) * 0.1);
}

#[test]
fn integers_are_computed_as_the_language_has_it() {
    like("x * x + 1 - x", &INTEGERS, |x: i32| x.wrapping_mul(x).wrapping_add(1).wrapping_sub(x));
    like("x / (x - 1)", &INTEGERS, |x: i32| x.checked_div(x.wrapping_sub(1)).unwrap_or(x));
    like("x % (x - 1)", &INTEGERS, |x: i32| x.checked_rem(x.wrapping_sub(1)).unwrap_or(0));
    like("(x & 255) | (x ^ -1) << 8u", &INTEGERS, |x: i32| (x & 255) | (!x).wrapping_shl(8));
    like("x >> 3", &INTEGERS, |x: i32| x >> 3);
    like("abs(x) + sign(x)", &INTEGERS, |x: i32| x.wrapping_abs().wrapping_add(x.signum()));
    like("countOneBits(x) + countLeadingZeros(x) * 100", &INTEGERS, |x: i32| {
        (x.count_ones() + x.leading_zeros() * 100) as i32
    });
    like("min(max(x, -3), 40)", &INTEGERS, |x: i32| x.clamp(-3, 40));
    like("f32(x) * 0.5", &INTEGERS, |x: i32| x as f32 * 0.5);
    like("reverseBits(~x)", &INTEGERS, |x: i32| (!x).reverse_bits());
    like("extractBits(x, 4, 8)", &INTEGERS, |x: i32| x << 20 >> 24);
    like("insertBits(x, -1, 4, 8)", &INTEGERS, |x: i32| x | 0xff0);
    like("firstLeadingBit(x)", &INTEGERS.map(|x| x as u32), |x: u32| x.checked_ilog2().unwrap_or(u32::MAX));
    like("u32(x < 0) + u32(bool(x))", &INTEGERS, |x: i32| u32::from(x < 0) + u32::from(x != 0));
    let wide = INTEGERS.map(|x| i64::from(x) << 20);
    like("x * 3 + 7", &wide, |x: i64| x.wrapping_mul(3).wrapping_add(7));
    like("(x >> 21u) ^ x", &wide, |x: i64| (x >> 21) ^ x);
    like("u64(x) / 10", &wide, |x: i64| x as u64 / 10);
    like("f64(x)", &wide, |x: i64| x as f64);
}

#[test]
fn the_place_is_that_of_the_element() {
    let alternating = Expression::of_element("select(x, -x, i % 2 == 1)", Dtype::F32).expect("an expression");
    let elements: Vec<f32> = (0..100_001u32).map(|i| (i % 1000) as f32).collect();
    let op = alternating.map::<f32, f32, _>((Sum, ArgMax)).expect("of f32");
    let want = Cpu::with_threads(1).reduce(op.clone(), &elements).expect("answers");
    assert_eq!(want.0, -50_000.0);
    for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
        assert_eq!(engine.reduce(op.clone(), &elements).expect("answers"), want, "{}", engine.name());
    }
}

/// Rows of one element, on a device and on the CPU.
fn both_alike<T: Element, U: Element>(gpu: &Gpu, texts: &[&str], elements: &[T])
where
    TextHash: Op<U, Output = (u32, u32)>,
{
    let buffer = upload(gpu, elements);
    let mut failures = Vec::new();
    for text in texts {
        let expression = Expression::of_element(text, T::DTYPE).unwrap_or_else(|error| panic!("{error}"));
        let op = expression.map::<T, U, _>(TextHash).expect("these types");
        let host = Cpu::with_threads(1).reduce_each(op.clone(), elements, 1).expect("answers");
        let reducer: Reducer<T, _> = gpu.reducer(op).expect("a reducer");
        let all = Input::range(&buffer, 0..elements.len() as u64);
        let device = reducer.reduce_each(all.rows(1)).expect("answers");
        for ((x, host), device) in elements.iter().zip(host).zip(device) {
            if host != device {
                failures.push(format!("{text} of {x:?} differs"));
            }
        }
    }
    none(failures, gpu);
}

/// Expressions that do not round have the same bits everywhere.
#[test]
fn devices_compute_the_same() {
    let gpu = gpu();
    let mut integers: Vec<i32> = Random(5).elements(500);
    integers.extend(INTEGERS);
    let texts = [
        "x * x + 1 - x",
        "x / (x - 1)",
        "x % (x - 1)",
        "(x & 255) | (x ^ -1) << 8u",
        "x >> 3",
        "abs(x) + sign(x)",
        "countOneBits(x) + countLeadingZeros(x) * 100 + countTrailingZeros(x)",
        "clamp(x, -3, 40)",
        "reverseBits(~x)",
        "extractBits(x, 4, 8)",
        "insertBits(x, -1, 4, 8)",
        "firstLeadingBit(x) + firstTrailingBit(x)",
        "select(x, -x, x < 0 && x > -100 || x == 31)",
        "x << (u32(x) & 31)",
        "i32(i) - x",
    ];
    both_alike::<i32, i32>(&gpu, &texts, &integers);
    let words: Vec<u32> = integers.iter().map(|&x| x as u32).collect();
    both_alike::<u32, u32>(
        &gpu,
        &["x / (x - 1)", "x % (x - 1)", "x > 7 || x < 3", "firstLeadingBit(x)", "bitcast<u32>(i32(x) >> 5)"],
        &words,
    );
    let mut floats: Vec<f32> = Random(6).elements(500);
    // Devices may lose subnormals, and do not promise what becomes of NaN.
    floats.extend(FLOATS.iter().filter(|x| x.is_finite() && (x.abs() > 1e-30 || **x == 0.0)));
    let texts = [
        "abs(x) * 2",
        "x + 1.5",
        "floor(x) + ceil(x) * 2",
        "trunc(x)",
        "round(x)",
        "select(x, -1.0, x < 0.0)",
        "min(x, 0.25)",
        "clamp(x, -0.5, 0.5)",
        "step(0.5, x)",
    ];
    both_alike::<f32, f32>(&gpu, &texts, &floats);
    both_alike::<f32, u32>(
        &gpu,
        &["x > 0.25 && x < 8 || x == -1.0", "bitcast<u32>(x) & 0x7fffffffu", "u32(clamp(x, 0, 4e9))"],
        &floats,
    );
}

/// Operators of expressions, through every engine.
#[test]
fn accumulators_are_combined_in_order() {
    let combine = |text, dtype| Expression::of_accumulators(text, dtype).expect("an expression");
    let elements: Vec<u32> = Random(9).elements(70_001);
    let first_set = Combining::new(0, combine("select(b, a, a != 0)", Dtype::U32)).expect("of u32");
    let least = Combining::new(u32::MAX, combine("min(a, b)", Dtype::U32)).expect("of u32").commutative();
    let exclusive = Combining::new(0, combine("a ^ b", Dtype::U32)).expect("of u32");
    let sparse: Vec<u32> = elements.iter().map(|x| if x % 977 == 3 { *x } else { 0 }).collect();
    let want = sparse.iter().copied().find(|&x| x != 0).expect("one");
    for engine in [Engine::Cpu(Cpu::with_threads(1)), Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
        for n in [0, 1, 2, 511, 512, 513, 1024, 5000, 70_001] {
            let some = &elements[..n];
            let found = engine.reduce((least.clone(), exclusive.clone()), some).expect("answers");
            assert_eq!(found, (some.iter().copied().min().unwrap_or(u32::MAX), some.iter().fold(0, |a, b| a ^ b)));
            let last = Combining::new(0, combine("select(b, a, b == 0)", Dtype::U32)).expect("of u32");
            let found = engine.reduce(last, some).expect("an answer");
            assert_eq!(found, some.iter().rev().copied().find(|&x| x != 0).unwrap_or(0));
        }
        assert_eq!(engine.reduce(first_set.clone(), &sparse).expect("an answer"), want, "{}", engine.name());
    }
    check::<u32, _>(&gpu(), &first_set).expect("equal halves");
    check::<i32, _>(&gpu(), &Combining::new(0, combine("a + b", Dtype::I32)).expect("of i32")).expect("equal halves");
    let wide = Combining::new(1.0, combine("a * b", Dtype::F64)).expect("of f64");
    assert_eq!(Cpu::new().reduce(wide.clone(), &[1.5, 4.0]).expect("a product"), 6.0);
    let error = gpu().reduce(wide, &[1.5]).expect_err("of 64 bits");
    assert!(matches!(error, Error::HostOnly { .. }), "{error}");
    let error = Combining::new(f32::NAN, combine("a * b", Dtype::F32)).expect_err("no identity");
    assert!(error.to_string().contains("NaN"), "{error}");
    let long = "a".to_string() + &"+b".repeat(300);
    let long = Combining::new(0u32, combine(&long, Dtype::U32)).expect("of u32");
    assert!(matches!(gpu().reduce(long, &[1]), Err(Error::HostOnly { .. })));
    let error = Combining::new(1.0f32, combine("a * b", Dtype::F64)).expect_err("another type");
    assert!(matches!(error, Error::OtherType { .. }), "{error}");
}

#[test]
fn operators_over_expressions_answer_on_devices() {
    let gpu = gpu();
    let elements: Vec<f32> = (0..30_000).map(|i| (i % 256) as f32 - 100.0).collect();
    let of = |text: &str| Expression::of_element(text, Dtype::F32).expect("an expression");
    let squares = of("x * x").map::<f32, f32, _>((Sum, MinMax, Stats::default())).expect("of f32");
    let (host, device) = (Cpu::new().reduce(squares.clone(), &elements), gpu.reduce(squares, &elements));
    assert_eq!(format!("{host:?}"), format!("{device:?}"));
    let above = of("x > 30").map::<f32, u32, _>((CountNonzero, Max)).expect("of truth values");
    let want = elements.iter().filter(|&&x| x > 30.0).count() as u64;
    assert_eq!(gpu.reduce(above, &elements).expect("answers"), (want, Some(1)));
    let error = of("x").map::<f32, u32, _>(Sum).map(drop).expect_err("f32");
    assert!(matches!(error, Error::OtherType { has: "f32", wanted: "u32", .. }), "{error}");
    check::<f32, _>(&gpu, &of("exp(-x * x)").map::<f32, f32, _>(FastSum).expect("of f32").within(1e-5, 1e-4))
        .expect("halves that are near");
    let loop_free = Mapped::new("return x;", |x: f32| x, Sum);
    assert_eq!(gpu.reduce(loop_free, &elements).expect("a sum"), elements.iter().sum::<f32>());
}

#[test]
fn what_rounds_is_not_exact() {
    for (text, dtype, rounds) in [
        ("abs(x)", Dtype::F32, false),
        ("x > 0.5 && x < 2", Dtype::F32, false),
        ("select(floor(x), -x, x < 0)", Dtype::F32, false),
        ("x * x % 7", Dtype::I64, false),
        ("f64(x)", Dtype::F32, false),
        ("f64(x)", Dtype::I32, false),
        ("i32(x)", Dtype::F32, true),
        ("bitcast<i32>(x) * 2", Dtype::F32, false),
        ("x + 1", Dtype::F32, true),
        ("f32(x)", Dtype::I32, true),
        ("f32(x)", Dtype::F64, true),
        ("f64(x)", Dtype::I64, true),
        ("sqrt(x)", Dtype::F64, true),
    ] {
        let expression = Expression::of_element(text, dtype).expect("an expression");
        assert_eq!(expression.rounds(), rounds, "{text} over {dtype}");
    }
    let exact = |text| {
        let op = Expression::of_element(text, Dtype::F32).expect("an expression").map::<f32, f32, _>(Sum);
        Op::<f32>::is_exact(&op.expect("of f32"))
    };
    assert!(exact("abs(x)") && !exact("x * 0.1"));
}

/// Each wrong expression with what is said of it, and where.
#[test]
fn wrong_expressions_say_what_is_wrong() {
    let table: &[(&str, Dtype, &str, &str)] = &[
        ("x * true", Dtype::F32, "* takes two numbers of one type, not f32 and bool", "^^^^^^^^"),
        ("bool * 2", Dtype::F32, "bool is no name here; there are x, i and the functions of WGSL", "^^^^"),
        ("x + y", Dtype::F32, "y is no name here", "    ^"),
        ("x *", Dtype::F32, "something is missing", "   ^"),
        ("(x", Dtype::F32, "a ( is not closed", "  ^"),
        ("x)", Dtype::F32, "this ) closes nothing", " ^"),
        (
            "4294967297",
            Dtype::F32,
            "a whole number beyond 32 bits; with a point it is rounded to f32: 4294967296.0",
            "^^^^^^^^^^",
        ),
        ("(4294967295 + 2)", Dtype::I32, "a whole number beyond 32 bits", "^^^^^^^^^^^^^^^^"),
        ("x) + (x", Dtype::F32, "this ) closes nothing", " ^"),
        ("bitcast<u64>(x)", Dtype::F32, "bitcast makes a number of as many bits, and f32 has 32", "^^^^^^^^^^^^"),
        ("bitcast<bool>(x)", Dtype::F32, "bitcast makes a number of as many bits", "^^^^^^^^^^^^^"),
        ("bitcast<u32>(x > 0)", Dtype::F32, "bitcast makes a number of as many bits, and bool", "^^^^^^^^^^^^"),
        ("sign(x)", Dtype::U32, "this function makes no single number of u32", "^^^^"),
        ("expression(x, i)", Dtype::F32, "expression is no name here", "^"),
        ("x 2", Dtype::F32, "an operator is missing before this", "  ^"),
        ("", Dtype::F32, "there is nothing", "^"),
        ("x; discard", Dtype::F32, "an expression alone", " ^"),
        ("x // half", Dtype::F32, "no comments", "  ^^"),
        ("x + i", Dtype::F32, "+ takes two numbers of one type, not f32 and u32", "^^^^^"),
        ("x + 0.5", Dtype::I32, "+ takes two numbers of one type, not i32 and f32", "^^^^^^^"),
        ("x ^ 2", Dtype::F32, "powers are pow(x, 2.0)", "^^^^^"),
        ("x ** 2", Dtype::F32, "powers are pow(x, 2.0)", "   ^^^"),
        ("x << x", Dtype::I32, "i32 stands where u32 is wanted; u32(…) makes one", "^^^^^^"),
        ("x / 0", Dtype::I32, "this divides by 0", "^^^^^"),
        ("x << 32", Dtype::I32, "this shifts all 32 bits out", "^^^^^^^"),
        ("-x", Dtype::U32, "- takes a number with a sign, not u32", "^^"),
        ("!x", Dtype::U32, "! takes a comparison, not u32", "^^"),
        ("x > 1 && x", Dtype::F32, "&& and || take two comparisons, not f32", "^^^^^^^^^^"),
        ("x || x > 1", Dtype::F32, "&& and || take two comparisons", "^^^^^^^^^^"),
        ("select(1, 2.0, x)", Dtype::F32, "select takes two values of one type and a comparison", "^^^^^^"),
        ("sin(x)", Dtype::I32, "wrong type passed as argument #1 to `sin`", "^^^"),
        ("vec2(x, x).x", Dtype::F32, "not computed of single numbers", "^^^^^^^^^^"),
        ("f16(x)", Dtype::F32, "no numbers of 16 bits", "^^^"),
        ("x + 99999999999", Dtype::I32, "99999999999 does not fit i32", "    ^^^^^^^^^^^"),
        ("storageBarrier()", Dtype::F32, "function does not return any value", "^^^^^^^^^^^^^^^^"),
        ("frexp(x).fract", Dtype::F32, "this function makes no single number of f32", "^^^^^"),
    ];
    for &(text, dtype, message, marks) in table {
        match Expression::of_element(text, dtype) {
            Err(Error::BadExpression { expression, marks: found, message: said }) => {
                assert_eq!((expression.as_str(), found.as_str()), (text, marks), "{said}");
                assert!(said.contains(message), "{text}: {said}");
                assert!(
                    !["naga", "Handle", "[0]", "abstract"].iter().any(|word| said.contains(word)),
                    "{text}: {said}"
                );
            }
            other => panic!("{text} over {dtype}: {other:?}"),
        }
    }
    let error = Expression::of_accumulators("a > b", Dtype::F32).expect_err("a truth value");
    assert!(error.to_string().contains("f32(…) makes one"), "{error}");
    let error = Expression::of_element("x", Dtype::U8).expect_err("narrow");
    assert!(error.to_string().contains("32 or 64 bits"), "{error}");
}

/// Whatever is typed, nothing panics.
#[test]
fn no_text_panics() {
    let pieces = [
        "x", "i", "(", ")", "+", "*", "/", "%", "<", ">", "==", "&&", "||", "!", "-", "~", "1", "0.5", "2u", "1e39",
        "abs(", "select(", ",", "true", "f32(", "u32(", "pow(", "vec2(", ".x", "[0]", " ", "&", "|", "^", "<<", "é",
        "\n", "clamp(", "i32", "array(", "max(x,", "x)",
    ];
    let mut random = Random(77);
    let mut right = 0;
    for _ in 0..20_000 {
        let count = 1 + random.below(9);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        for dtype in [Dtype::F32, Dtype::I32, Dtype::U64] {
            if let Ok(expression) = Expression::of_element(&text, dtype) {
                right += 1;
                match dtype {
                    Dtype::F32 => drop(computed::<f32>(&expression)),
                    Dtype::I32 => drop(computed::<i32>(&expression)),
                    _ => drop(computed::<u64>(&expression)),
                }
            }
        }
    }
    assert!(right > 1000, "{right} of them are expressions");
}

/// Texts that nest as deeply as texts may, on a thread with a short stack.
#[test]
fn deep_texts_are_errors_or_answers() {
    let look = || {
        let deep = [
            "(".repeat(2000),
            "(".repeat(900) + "x" + &")".repeat(900),
            "-".repeat(1999) + "x",
            "!".repeat(1999) + "x",
            "~".repeat(1000),
            "abs(".repeat(400) + "x" + &")".repeat(399),
            "x".to_string() + &"+x".repeat(999),
            "x".to_string() + &"*x".repeat(999),
            "x<1".to_string() + &"&&x<1".repeat(390),
            "x<1".to_string() + &"||(x<1".repeat(300),
            "select(x,".repeat(222),
            "x[".repeat(900),
            "array<".repeat(300),
            "vec2<".repeat(300),
            "x".repeat(2001),
        ];
        for text in deep {
            for dtype in [Dtype::F32, Dtype::I64] {
                if let Ok(expression) = Expression::of_element(&text, dtype) {
                    match dtype {
                        Dtype::F32 => computed::<f32>(&expression),
                        _ => computed::<i64>(&expression),
                    };
                }
            }
        }
        let error = Expression::of_element(&"x".repeat(2001), Dtype::F32).expect_err("too long");
        assert!(error.to_string().contains("2001 bytes are more than the 2000"), "{error}");
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(look).expect("a thread").join().expect("no panic");
}

/// Some answer of the right type: each of three elements counts.
fn computed<T: Element>(expression: &Expression) -> usize {
    let elements = [T::ZERO, one(), T::from_pattern(u64::MAX)];
    let count = |found: treefold::Result<Vec<u64>>| found.expect("answers").len();
    let each = match expression.makes() {
        Dtype::F32 => {
            count(Cpu::with_threads(1).reduce_each(expression.map::<T, f32, _>(Keep).expect("f32"), &elements, 1))
        }
        Dtype::I32 => {
            count(Cpu::with_threads(1).reduce_each(expression.map::<T, i32, _>(Keep).expect("i32"), &elements, 1))
        }
        Dtype::F64 => {
            count(Cpu::with_threads(1).reduce_each(expression.map::<T, f64, _>(Keep).expect("f64"), &elements, 1))
        }
        Dtype::I64 => {
            count(Cpu::with_threads(1).reduce_each(expression.map::<T, i64, _>(Keep).expect("i64"), &elements, 1))
        }
        Dtype::U64 => {
            count(Cpu::with_threads(1).reduce_each(expression.map::<T, u64, _>(Keep).expect("u64"), &elements, 1))
        }
        _ => count(Cpu::with_threads(1).reduce_each(expression.map::<T, u32, _>(Keep).expect("u32"), &elements, 1)),
    };
    assert_eq!(each, 3, "{expression}");
    each
}

/// Comparisons with NaN are as the language has them, whatever translations make of theirs.
#[test]
fn nan_is_unequal_on_devices() {
    let elements = [f32::NAN, 1.0, -f32::NAN, 2.0, f32::INFINITY, 0.0, -0.0, 3.0];
    for (text, want) in [
        ("x != x", 2),
        ("!(x != x)", 6),
        ("x != 1", 7),
        ("1 != x && x != 2", 6),
        ("select(1u, 0u, abs(x) != abs(x))", 6),
        ("x == x", 6),
        ("i32(step(1, x))", 4),
        ("i32(step(x, 1.0))", 3),
        ("f32(x != 1) != f32(x != 2)", 2),
    ] {
        let expression = Expression::of_element(text, Dtype::F32).expect("an expression");
        let sum = |engine: &Engine| match expression.makes() {
            Dtype::U32 => engine.reduce(expression.map::<f32, u32, _>(Sum).expect("types"), &elements).map(i128::from),
            _ => engine.reduce(expression.map::<f32, i32, _>(Sum).expect("types"), &elements).map(i128::from),
        };
        for engine in [Engine::Cpu(Cpu::with_threads(1)), Engine::Gpu(gpu())] {
            assert_eq!(sum(&engine).expect("a sum"), want, "{text} on {engine:?}");
        }
    }
}
