//! Operators of one's own: what the library promises to those who write them, and what it notices.

mod faulty;
mod looping;
mod max_abs;
mod scaled;
mod shares;

use crate::common::*;
use faulty::Faulty;
use looping::{Silent, Steps};
use max_abs::MaxAbs;
use scaled::{Scaled, Unscaled};
use shares::Shares;
use treefold::internals::{DeviceOp, Keep};
use treefold::ops::*;
use treefold::{Acc, Axes, Cpu, Element, Error, Fold, Input, Op, Output, Partial, Result, StreamOptions, Wgsl, check};

fn gpu() -> treefold::Gpu {
    crate::common::gpu().with_tuning(small()).expect("a launch shape")
}

#[test]
fn a_maximum_of_absolute_values_is_short_and_right() {
    let lines = include_str!("contract/max_abs.rs").lines().filter(|line| !line.starts_with("//!")).count();
    assert!(lines <= 45, "{lines} lines");
    check::<f32, _>(&gpu(), &MaxAbs).expect("equal halves");
    assert_eq!(gpu().reduce(MaxAbs, &[1.0, -7.5, 3.0]).expect("an answer"), 7.5);
}

#[test]
fn the_tests_own_operators_have_equal_halves() {
    check::<u32, _>(&gpu(), &TextHash).expect("equal halves");
    check::<u64, _>(&gpu(), &WeightedSum).expect("equal halves");
    check::<i32, _>(&gpu(), &Alternating).expect("equal halves");
    check::<u32, _>(&gpu(), &Faulty::<{ faulty::NONE }>).expect("equal halves");
    check::<f32, _>(&gpu(), &(Sum, ArgMin, MaxAbs)).expect("equal halves");
}

/// Alone, in tuples with answers over one fold and over the same folds, and beside bins.
#[test]
fn answers_may_take_the_accumulators_of_several_folds() {
    check::<u32, _>(&gpu(), &Shares { scale: 3 }).expect("equal halves");
    check::<u32, _>(&gpu(), &(Max, Shares { scale: 3 }, Sum, Shares { scale: 5 })).expect("equal halves");
    check::<u32, _>(&gpu(), &(Histogram::new(9, 0.0, 1e9).expect("a range"), Shares { scale: 1 }))
        .expect("equal halves");
    check::<f32, _>(&gpu(), &(Std { ddof: 1 }, Sum, Variance { ddof: 2 })).expect("equal halves");
    let elements = [0, 5, 7];
    let buffer = upload(&gpu(), &elements);
    let reducer = gpu().reducer::<u32, _>(Shares { scale: 2 }).expect("a reducer");
    assert_eq!(reducer.reduce(&buffer).expect("an answer"), (24, 2, 3));
}

#[test]
fn check_finds_halves_that_differ() {
    fn found<const FAULT: u8>(places: &[&str]) {
        match check::<u32, _>(&gpu(), &Faulty::<FAULT>) {
            Err(Error::Disagrees { what, .. }) => assert!(places.contains(&what), "fault {FAULT}: {what}"),
            other => panic!("fault {FAULT}: {other:?}"),
        }
    }
    found::<{ faulty::OTHER_END }>(&["a whole input"]);
    found::<{ faulty::DEVICE_IDENTITY }>(&["a whole input"]);
    found::<{ faulty::HOST_IDENTITY }>(&["its identity on the left"]);
    found::<{ faulty::DEVICE_OFFSET }>(&["a whole input"]);
    found::<{ faulty::HOST_OFFSET }>(&["the index offset"]);
    found::<{ faulty::ORDER }>(&["its order, which is declared free (COMMUTATIVE)"]);
}

#[test]
fn loops_that_are_not_declared_are_refused() {
    let silent = |silent| match gpu().reducer::<u32, _>(Steps::<5> { silent }) {
        Err(Error::UndeclaredLoop { operator, function }) => {
            assert_eq!(operator, "steps");
            Some(function)
        }
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    };
    assert_eq!(silent(Silent::Nothing), None);
    assert_eq!(silent(Silent::Lift), Some("lift"));
    assert_eq!(silent(Silent::Combine), Some("combine"));
    assert_eq!(silent(Silent::Finish), Some("finish"));
    assert_eq!(silent(Silent::Offset), Some("the index offset"));
    // Behind the names that a tuple gives its members, too.
    let tuple = gpu().reducer::<u32, _>((Sum, Steps::<5> { silent: Silent::Lift }));
    assert!(matches!(tuple, Err(Error::UndeclaredLoop { function: "lift", .. })), "{tuple:?}");
    // Without a reducer, too: elements of the host, streams, rows.
    let refused = |error: Error| matches!(error, Error::UndeclaredLoop { function: "lift", .. });
    let (op, elements) = (Steps::<5> { silent: Silent::Lift }, [1u32; 1000]);
    assert!(gpu().reduce(op, &elements).is_err_and(refused));
    let mut stream = gpu().stream(op, &StreamOptions::default()).expect("a stream");
    assert!(stream.push(&elements).and_then(|()| stream.finish()).is_err_and(refused));
    let rows = Axes::of(&[10, 100], &[1]).expect("axes");
    let mut stream = treefold::Engine::Gpu(gpu().clone()).stream_each(op, &rows, &StreamOptions::default());
    let pushed = stream.as_mut().map(|stream| stream.push(&elements));
    let ended = match pushed {
        Ok(Ok(())) => stream.and_then(|stream| stream.finish()).map(drop),
        Ok(Err(error)) => Err(error),
        Err(_) => stream.map(drop),
    };
    assert!(ended.is_err_and(refused));
    // Of a kind that has other texts.
    let mut reducer = gpu().reducer::<u32, _>(Steps::<5> { silent: Silent::Nothing }).expect("a reducer");
    assert!(reducer.set_op(op).is_err_and(refused));
    assert_eq!(reducer.op().silent, Silent::Nothing);
}

/// Long loops over many elements: no invocation may run out of the trips that a software adapter allows.
#[test]
fn declared_loops_run_to_their_end() {
    fn same<const TRIPS: u64>(gpu: &treefold::Gpu, n: usize) {
        let elements: Vec<u32> = Random(TRIPS).elements(n);
        let op = Steps::<TRIPS> { silent: Silent::Nothing };
        let want = Cpu::new().reduce(op, &elements).expect("a sum");
        assert_eq!(gpu.reduce(op, &elements).expect("a sum"), want, "{TRIPS} trips, {n} elements");
        let reducer = gpu.reducer::<u32, _>(op).expect("a reducer");
        let words = recorded(gpu, &reducer, [Input::from(&upload(gpu, &elements))]);
        assert_eq!(words[0], [want, n as u32], "{TRIPS} trips, {n} elements, recorded");
    }
    for gpu in [crate::common::gpu(), gpu()] {
        same::<400>(&gpu, 1 << 18);
        same::<8000>(&gpu, 3001);
        same::<8000>(&gpu, 7);
        same::<3000>(&gpu, 4099);
    }
}

#[test]
fn loops_that_no_invocation_can_take_are_refused() {
    let gpu = crate::common::gpu();
    let refused =
        treefold::Reducer::<u32, _>::new(gpu.device(), gpu.queue(), Steps::<16_385> { silent: Silent::Nothing });
    let Err(error) = refused else { panic!("16,385 trips of one call were taken") };
    assert!(matches!(error, Error::TooManyTrips { function: "lift", trips: 16_385, .. }), "{error}");
    assert!(error.to_string().contains("16385"), "{error}");
}

/// Terms that depend on their places, from the middle of a buffer, over several buffers, and in a stream.
#[test]
fn positions_are_those_of_the_whole_input() {
    let elements: Vec<i32> = Random(4).elements(5000);
    let buffer = upload(&gpu(), &elements);
    let want = |elements: &[i32]| plain_fold(&Alternating, elements).expect("a sum");
    for shape in shapes().into_iter().chain([*crate::common::gpu().tuning()]) {
        let gpu = crate::common::gpu().with_tuning(shape).expect("a launch shape");
        let reducer = gpu.reducer::<i32, _>(Alternating).expect("a reducer");
        let range = |range| Input::range(&buffer, range);
        assert_eq!(reducer.reduce(range(1..1000)).expect("a sum"), want(&elements[1..1000]));
        let parts = || Input::concat([range(3..1000), range(0..1), range(2000..4999)]);
        let whole = [&elements[3..1000], &elements[..1], &elements[2000..4999]].concat();
        assert_eq!(reducer.reduce(parts()).expect("a sum"), want(&whole));
        assert_eq!(recorded(&gpu, &reducer, [parts()])[0], [want(&whole), whole.len() as u32]);
        let mut options = StreamOptions::default();
        (options.memory_bytes, options.elements_hint) = (1 << 20, Some(100));
        let mut stream = gpu.stream(Alternating, &options).expect("a stream");
        elements.chunks(333).for_each(|part| stream.push(part).expect("a push"));
        assert_eq!(stream.finish().expect("a sum").output, want(&elements));
        let failures = rows::<i32, _>(&gpu, &Alternating, &[1, 2, 3, 7, 100, 1001]);
        assert!(failures.is_empty(), "{}", some(&failures));
    }
    // Beyond 2^32 elements, the upper half counts.
    let far = 3u64 << 32;
    let reducer = gpu().reducer::<i32, _>(Alternating).expect("a reducer");
    let device = reducer.partial_at(Input::range(&buffer, 5..905), far).expect("a partial");
    let host = Cpu::with_threads(1).partial_at(Alternating, &elements[5..905], far);
    assert_eq!(device.finish().expect("a sum"), host.finish().expect("a sum"));
}

#[test]
fn errors_in_a_text_are_told_by_its_own_lines() {
    let bad = gpu().reducer::<u32, _>(Faulty::<{ faulty::SYNTAX }>).map(drop).expect_err("a syntax error");
    let Error::BadWgsl { operator, piece, line, quoted, .. } = &bad else { panic!("{bad}") };
    assert_eq!((operator.as_str(), piece.as_str(), *line), ("faulty", "`combine`", 2));
    assert_eq!(quoted, "let least = min(a.least b.least);");
    let bad = gpu().reducer::<u32, _>(Faulty::<{ faulty::TYPES }>).map(drop).expect_err("an unknown name");
    assert!(matches!(&bad, Error::BadWgsl { line: 2, quoted, .. } if quoted.contains("nothing_of_that_name")), "{bad}");
    // What is missing at the end of a piece, and all of it.
    let unended = gpu().reducer::<u32, _>(Faulty::<{ faulty::UNENDED }>).map(drop).expect_err("no semicolon");
    let Error::BadWgsl { piece, line, quoted, .. } = &unended else { panic!("{unended}") };
    assert_eq!((piece.as_str(), *line, quoted.as_str()), ("`lift`", 2, "return Acc(bits, bits, all)"));
    let empty = gpu().reducer::<u32, _>(Faulty::<{ faulty::EMPTY }>).map(drop).expect_err("nothing");
    assert!(matches!(&empty, Error::BadWgsl { piece, line: 1, .. } if piece == "`identity`"), "{empty}");
    let open = gpu().reducer::<u32, _>(Faulty::<{ faulty::OPEN_COMMENT }>).map(drop).expect_err("a comment");
    let Error::BadWgsl { piece, line, message, .. } = &open else { panic!("{open}") };
    assert!((piece.as_str(), *line) == ("`combine`", 2) && message.contains("close it with */"), "{open}");
    let text = bad.to_string();
    assert!(["`combine`", "faulty", "line 2", "nothing_of_that_name"].iter().all(|part| text.contains(part)), "{text}");
    let tuple = gpu().reducer::<u32, _>((Sum, Faulty::<{ faulty::SYNTAX }>)).map(drop).expect_err("a syntax error");
    assert!(matches!(&tuple, Error::BadWgsl { piece, line: 2, .. } if piece == "`combine`"), "{tuple}");
    let reduced = gpu().reduce(Faulty::<{ faulty::SYNTAX }>, &[1u32]).map(drop).expect_err("a syntax error");
    assert!(matches!(&reduced, Error::BadWgsl { piece, line: 2, .. } if piece == "`combine`"), "{reduced}");
}

#[test]
fn names_that_the_kernels_use_are_refused() {
    let error = gpu().reducer::<u32, _>(Faulty::<{ faulty::HELPER_NAME }>).map(drop).expect_err("a reserved name");
    assert!(matches!(&error, Error::ReservedName { name, .. } if name == "vectors_of"), "{error}");
    assert!(Wgsl::RESERVED.contains(&"vectors_of"));
}

#[test]
fn other_parameters_change_only_what_is_recorded_afterwards() {
    let gpu = gpu();
    let elements: Vec<u32> = Random(2).elements(1000);
    let buffer = upload(&gpu, &elements);
    let ops = [Scaled { by: 3, plus: 10 }, Scaled { by: 5, plus: 20 }, Scaled { by: 3, plus: 30 }];
    let mut reducer = gpu.reducer::<u32, _>(ops[0]).expect("a reducer");
    let place = answers(&gpu, 3);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    for (at, op) in (0u64..).zip(ops) {
        reducer.set_op(op).expect("other parameters");
        reducer.record(&mut encoder, &buffer, Output::bare(place.slice(at * 4..at * 4 + 4))).expect("a record");
    }
    gpu.queue().submit([encoder.finish()]);
    let want = ops.map(|op| plain_fold(&op, &elements).expect("a sum"));
    assert_eq!(download(&gpu, &place), want);
    assert_eq!(reducer.reduce(&buffer).expect("a sum"), want[2]);
    check::<u32, _>(&gpu, &ops[1]).expect("equal halves");
    // An answer without parameters of its own may read those of the fold, alone and in a tuple.
    check::<u32, _>(&gpu, &Unscaled(ops[0])).expect("equal halves");
    check::<u32, _>(&gpu, &(ops[1], Unscaled(ops[0]))).expect("equal halves");
    // Two of one type in a tuple keep their own parameters.
    let tuple = gpu.reduce((ops[0], ops[1]), &elements).expect("sums");
    assert_eq!(tuple, (want[0], want[1]));
    check::<u32, _>(&gpu, &(ops[0], ops[1], Sum)).expect("equal halves");
}

fn folds<T: Element, O: Op<T>>(op: &O) -> usize {
    DeviceOp::new::<T, O>(op, Keep::Registers).expect("an operator").folds.len()
}

#[test]
fn answers_over_one_fold_share_it() {
    assert_eq!(folds::<f32, _>(&(Sum, Mean)), 1);
    assert_eq!(folds::<f32, _>(&(SumOfSquares, (Norm2, Sum), Mean)), 2);
    assert_eq!(folds::<f32, _>(&(Min, Max, Min)), 2);
    assert_eq!(folds::<u32, _>(&(Scaled { by: 1, plus: 1 }, Scaled { by: 1, plus: 2 }, Scaled { by: 2, plus: 1 })), 2);
    fn lifted<O: Op<f32>>(op: O) -> Acc<f32, O> {
        op.fold().lift(1.5, 0)
    }
    assert_eq!(lifted(Sum), lifted(Mean));
}

fn refused<T: Element, O: Op<T>>(partial: Result<Partial<T, O>>) -> String {
    match partial {
        Err(Error::BadPartial { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn partials_are_of_one_operator_and_one_version() {
    let partial = Cpu::new().partial((Min, Max), &[1.0f32, 2.0]);
    let mut bytes = partial.to_bytes().expect("bytes");
    let back = Partial::<f32, _>::from_bytes((Min, Max), &bytes).expect("the same operator");
    assert_eq!(back.finish().expect("an answer"), (Some(1.0), Some(2.0)));
    let reason = refused(Partial::<f32, _>::from_bytes((Max, Min), &bytes));
    assert!(reason.contains("(min,max)") && reason.contains("(max,min)"), "{reason}");
    let reason = refused(Partial::<i32, _>::from_bytes((Min, Max), &bytes));
    assert!(reason.contains("f32") && reason.contains("i32"), "{reason}");
    bytes[8..12].copy_from_slice(&1u32.to_le_bytes());
    let reason = refused(Partial::<f32, _>::from_bytes((Min, Max), &bytes));
    assert!(reason.contains("version 1") && reason.contains("anew"), "{reason}");
}

#[test]
fn positions_in_partials_move_behind_the_parts_before() {
    let elements: Vec<i32> = Random(8).elements::<u32>(900).into_iter().map(|x| (x % 1000) as i32).collect();
    let gpu = gpu();
    let reducer = gpu.reducer::<i32, _>(ArgMin).expect("a reducer");
    let buffer = upload(&gpu, &elements);
    let want = Cpu::new().reduce(ArgMin, &elements).expect("an answer");
    for (a, b) in [(100, 500), (0, 899), (450, 450)] {
        let host = |range: std::ops::Range<usize>| Cpu::with_threads(1).partial(ArgMin, &elements[range]);
        let device = |range: std::ops::Range<usize>| {
            reducer.partial(Input::range(&buffer, range.start as u64..range.end as u64)).expect("a partial")
        };
        let at = |range: std::ops::Range<usize>| {
            Cpu::with_threads(1).partial_at(ArgMin, &elements[range.clone()], range.start as u64)
        };
        let merged = [
            host(0..a).merge(device(a..b)).and_then(|front| front.merge(host(b..900))),
            host(a..b).merge(device(b..900)).and_then(|back| device(0..a).merge(back)),
            at(0..a).merge(at(a..b)).and_then(|front| front.merge(at(b..900))),
        ];
        for merged in merged {
            assert_eq!(merged.expect("parts in their order").finish().expect("an answer"), want, "{a} {b}");
        }
    }
    // Out of their order, or with a gap.
    let at =
        |range: std::ops::Range<usize>| Cpu::new().partial_at(ArgMin, &elements[range.clone()], range.start as u64);
    assert!(refused(at(100..200).merge(at(0..100))).contains("order"));
    assert!(refused(at(0..100).merge(at(101..200))).contains("gaps"));
}

#[test]
fn partials_that_read_positions_know_their_place() {
    let elements: Vec<i32> = Random(8).elements(60);
    let cpu = Cpu::new();
    let at = |range: std::ops::Range<usize>| cpu.partial_at(Alternating, &elements[range.clone()], range.start as u64);
    let whole = at(0..20).merge(at(20..60)).expect("neighbours").finish().expect("a sum");
    assert_eq!(whole, plain_fold(&Alternating, &elements).expect("a sum"));
    assert!(refused(at(0..20).merge(at(21..60))).contains("gaps"));
    assert!(refused(at(20..60).merge(at(0..20))).contains("order"));
    for (left, right) in [
        (cpu.partial(Alternating, &elements[..20]), at(20..60)),
        (at(0..20), cpu.partial(Alternating, &elements[20..])),
    ] {
        refused(left.merge(right));
    }
}
