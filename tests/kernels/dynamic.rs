//! A `DynOp` answers as the operator does that it was made of: on every engine, in every arrangement, in tuples and partials; and a `DynTuple` as the
//! tuple of its members.

use crate::common::*;
use std::fmt::Debug;
use treefold::ops::{ArgMax, Histogram, Mean, Min, MinMax, Sum, Top, Variance};
use treefold::{Answer, Axes, Cpu, DynOp, DynTuple, Engine, Error, Fold, Input, Op, Partial, StreamOptions};

fn shown<R: Debug>(outcome: treefold::Result<R>) -> String {
    format!("{:?}", outcome.expect("an answer"))
}

/// The answers of an operator in each arrangement, in words.
fn all<O: Op<f32>>(op: &O) -> Vec<String> {
    let elements: Vec<f32> = Random(7).elements(1200);
    let keys: Vec<u32> = (0..1200).map(|i| i * i % 7).collect();
    let offsets = [0, 3, 3, 700, 1200];
    let axes = [&[0], &[2], &[1]].map(|axes| Axes::of(&[20, 6, 10], axes).expect("axes"));
    let (cpu, gpu) = (Cpu::with_threads(2), gpu().with_tuning(small()).expect("a launch shape"));
    let mut found = vec![
        shown(cpu.reduce(op.clone(), &elements)),
        shown(cpu.reduce_each(op.clone(), &elements, 24)),
        shown(cpu.reduce_segments(op.clone(), &elements, &offsets)),
        shown(cpu.reduce_groups(op.clone(), &keys, &elements, 5)),
        shown(cpu.reduce_by_key(op.clone(), &keys, &elements)),
    ];
    found.extend(axes.iter().map(|axes| shown(cpu.reduce_axes(op.clone(), &elements, axes))));
    let (reducer, buffer) = (gpu.reducer::<f32, O>(op.clone()).expect("a reducer"), upload(&gpu, &elements));
    let input = || Input::<f32>::range(&buffer, 0..1200);
    found.push(shown(reducer.reduce(input())));
    found.extend(axes.iter().map(|axes| shown(reducer.reduce_each(input().over(axes.clone())))));
    for engine in [Engine::Cpu(cpu), Engine::Gpu(gpu)] {
        let mut stream = engine.stream(op.clone(), &StreamOptions::default()).expect("a stream");
        elements.chunks(500).for_each(|part| stream.push(part).expect("room"));
        found.push(shown(stream.finish().map(|finished| finished.output)));
        let mut stream = engine.stream_each(op.clone(), &axes[0], &StreamOptions::default()).expect("a stream");
        elements.chunks(500).for_each(|part| stream.push(part).expect("room"));
        found.push(shown(stream.finish()));
        let mut stream = engine.stream_groups(op.clone(), 5, &StreamOptions::default()).expect("a stream");
        stream.push(&keys, &elements).expect("room");
        found.push(shown(stream.finish()));
    }
    found
}

#[test]
fn as_the_operator_does() {
    fn same<O: Op<f32, Output: Answer>>(op: O) {
        let dynamic = DynOp::of(op.clone());
        assert_eq!((dynamic.name(), dynamic.is_exact(), dynamic.signature()), (O::NAME, O::EXACT, op.signature()));
        assert!(dynamic.downcast_ref::<O>().is_some());
        assert_eq!(all(&dynamic), all(&op), "{}", O::NAME);
    }
    same(Min);
    same(ArgMax);
    same(Sum);
    same(Variance { ddof: 1 });
}

/// Whose counts of bins are no words that a type tells.
#[test]
fn in_bins() {
    let histogram = Histogram::new(5, -1.0, 1.0).expect("bins");
    let elements: Vec<f32> = Random(8).elements(900);
    let (cpu, gpu) = (Cpu::new(), gpu());
    let (reducer, buffer) = (gpu.reducer(DynOp::of(histogram.clone())).expect("a reducer"), upload(&gpu, &elements));
    let want = shown(cpu.reduce(histogram.clone(), &elements));
    assert_eq!(shown(cpu.reduce(DynOp::of(histogram), &elements)), want);
    assert_eq!(shown(reducer.reduce(Input::<f32>::range(&buffer, 0..900))), want);
}

/// Members of one type that are of several kinds keep apart; those that answer over one fold share it.
#[test]
fn in_tuples() {
    let elements: Vec<f32> = Random(9).elements(3000);
    let (cpu, gpu) = (Cpu::new(), gpu());
    let op = (DynOp::of(Sum), DynOp::of(MinMax), DynOp::of(Mean), DynOp::of(ArgMax));
    let want = shown(cpu.reduce((Sum, MinMax, Mean, ArgMax), &elements));
    assert_eq!(shown(cpu.reduce(op.clone(), &elements)), want);
    let (reducer, buffer) = (gpu.reducer(op.clone()).expect("a reducer"), upload(&gpu, &elements));
    assert_eq!(shown(reducer.reduce(Input::<f32>::range(&buffer, 0..3000))), want);
    assert!(!op.fold().needs_position() && op.is_exact());
}

/// Members that answer over one fold share it, those of one kind with other parameters do not.
#[test]
fn in_tuples_that_only_runs_tell() {
    let spread = |ddof| Variance { ddof };
    let tuple = (Sum, ArgMax, Mean, spread(0), MinMax, spread(1));
    let asked = DynTuple::of([
        DynOp::of(Sum),
        DynOp::of(ArgMax),
        DynOp::of(Mean),
        DynOp::of(spread(0)),
        DynOp::of(MinMax),
        DynOp::of(spread(1)),
    ]);
    // Answers of the one stand in parentheses, of the other in brackets.
    let alike =
        |lines: Vec<String>| lines.iter().map(|line| line.replace('[', "(").replace(']', ")")).collect::<Vec<_>>();
    assert_eq!(alike(all(&asked)), alike(all(&tuple)));
    let words = |of: &DynOp<f32>| of.fold().acc_words();
    let once = [DynOp::of(Sum), DynOp::of(ArgMax), DynOp::of(spread(0)), DynOp::of(MinMax)];
    assert_eq!(asked.fold().acc_words(), once.iter().map(words).sum());
    assert_eq!((asked.signature(), asked.is_exact()), (Op::<f32>::signature(&tuple), true));
    // As one of many kinds.
    assert_eq!(alike(all(&DynOp::of(asked))), alike(all(&tuple)));
}

/// Answers that are finished on the device are read back in their order.
#[test]
fn in_tuples_of_device_answers() {
    let (elements, gpu) = (Random(11).elements::<f32>(3000), gpu());
    let buffer = upload(&gpu, &elements);
    let asked = DynTuple::of([DynOp::of(Mean), DynOp::of(Min), DynOp::of(Sum)]);
    let reducer = gpu.reducer(asked.clone()).expect("a reducer");
    let words = recorded(&gpu, &reducer, [Input::<f32>::range(&buffer, 0..3000)]).remove(0);
    assert_eq!(words.len(), 3 + 1, "a word each, and one that is free");
    assert_eq!(shown(asked.read(&words, 3000)), shown(Cpu::new().reduce(asked, &elements)));
}

/// What no device computes in one read is an error; so is a tuple of nothing there, which the host answers.
#[test]
fn tuples_without_kernels() {
    let refused = |asked: DynTuple<f32>| match gpu().reducer::<f32, _>(asked) {
        Err(Error::HostOnly { why, .. }) => why,
        others => panic!("{others:?}"),
    };
    let top = Top::new(3).expect("three");
    assert!(!refused(DynTuple::of([DynOp::of(Sum), DynOp::of(top)])).is_empty());
    assert!(refused(DynTuple::of([])).contains("no operators"));
    assert_eq!(shown(Cpu::new().reduce(DynTuple::of([]), &[1.0f32])), "[]");
}

/// The partial of each member is that of the operator alone.
#[test]
fn in_partials_of_tuples() {
    let elements: Vec<f32> = Random(12).elements(1000);
    let cpu = Cpu::new();
    let members = [DynOp::of(Sum), DynOp::of(Variance { ddof: 1 }), DynOp::of(Mean), DynOp::of(ArgMax)];
    let asked = DynTuple::of(members.clone());
    let front = cpu.partial(asked.clone(), &elements[..300]);
    let whole = front.merge(cpu.partial(asked.clone(), &elements[300..])).expect("two of a kind");
    let bytes = |partial: &Partial<f32, DynOp<f32>>| partial.to_bytes().expect("bytes");
    let want: Vec<_> = members.iter().map(|member| bytes(&cpu.partial(member.clone(), &elements))).collect();
    assert_eq!(whole.each().iter().map(bytes).collect::<Vec<_>>(), want);
    let dynamic = cpu.partial(DynOp::of(asked.clone()), &elements);
    assert_eq!(dynamic.each().iter().map(bytes).collect::<Vec<_>>(), want);
    // Of all together, as bytes that are read back.
    let read = Partial::<f32, _>::from_bytes(asked.clone(), &whole.to_bytes().expect("bytes")).expect("one");
    assert_eq!(shown(read.finish()), shown(cpu.reduce(asked, &elements)));
}

/// A reducer takes other parameters, and no other kernel.
#[test]
fn in_a_reducer_that_is_there() {
    let (elements, gpu) = ([1.0f32, 2.0, 6.0], gpu());
    let buffer = upload(&gpu, &elements);
    let input = || Input::<f32>::range(&buffer, 0..3);
    let mut reducer = gpu.reducer(DynOp::of(Variance { ddof: 0 })).expect("a reducer");
    assert_eq!(shown(reducer.reduce(input())), "Some(4.666666666666667)");
    reducer.set_op(DynOp::of(Variance { ddof: 1 })).expect("the same kind");
    assert_eq!(shown(reducer.reduce(input())), "Some(7.0)");
    let refused = reducer.set_op(DynOp::of(Min)).expect_err("another kind").to_string();
    assert!(refused.contains("the reducer is of variance, and min has other kernels"), "{refused}");
    assert_eq!(shown(reducer.reduce(input())), "Some(7.0)");
}

#[test]
fn in_partials() {
    let elements: Vec<f32> = Random(10).elements(1000);
    let cpu = Cpu::new();
    let bytes = |part: &[f32]| cpu.partial(DynOp::of(Variance { ddof: 1 }), part).to_bytes().expect("bytes");
    assert_eq!(bytes(&elements), cpu.partial(Variance { ddof: 1 }, &elements).to_bytes().expect("bytes"));
    let read =
        |part: &[f32]| Partial::<f32, _>::from_bytes(DynOp::of(Variance { ddof: 1 }), &bytes(part)).expect("one");
    let merged = read(&elements[..300]).merge(read(&elements[300..])).expect("two of a kind");
    assert_eq!(shown(merged.finish()), shown(cpu.reduce(Variance { ddof: 1 }, &elements)));
    let other = cpu.partial(DynOp::of(Min), &elements);
    assert!(read(&elements).merge(other).is_err(), "another operator");
}
