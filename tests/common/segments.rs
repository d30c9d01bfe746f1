//! Segments, each against that segment alone.

use super::rows::{Wanted, each_way};
use super::{Random, upload};
use treefold::{Answer, Cpu, DynOp, Element, Gpu, Input, Offsets, Op};

/// Offsets: how many elements there are, and where segments begin and end.
pub type Lengths = (usize, Vec<u32>);

/// Each segment's answer by offsets in a buffer and in a slice, of one buffer and of two, recorded and reduced, and by the CPU
/// engine; says where one differs from the segment folded alone.
pub fn segments<T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, all: &[Lengths]) -> Vec<String> {
    segments_of(gpu, &DynOp::of(op.clone()), all)
}

fn segments_of<T: Element>(gpu: &Gpu, op: &DynOp<T>, all: &[Lengths]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, (n, offsets)) in all.iter().enumerate() {
        let (n, start) = (*n, turn % 5);
        let elements: Vec<T> = Random(n as u64 + 7).elements(start + n);
        let here = &elements[start..];
        let buffer = upload(gpu, &elements);
        let cut = n / 3 + usize::from(n > 2);
        let other = upload(gpu, &here[cut..]);
        let whole = Input::<T>::range(&buffer, start as u64..(start + n) as u64);
        let front = Input::range(&buffer, start as u64..(start + cut) as u64);
        let parts = Input::concat([front, Input::range(&other, 0..(n - cut) as u64)]);
        let slices: Vec<&[T]> = offsets.windows(2).map(|pair| &here[pair[0] as usize..pair[1] as usize]).collect();
        let wanted = Wanted::new(op, slices);
        let there = upload(gpu, &[&[9, 9], &offsets[..], &[0]].concat());
        let on_device = || Offsets::from(Input::<u32>::range(&there, 2..2 + offsets.len() as u64));
        let place = |way: &str| format!("{} {} {n} in {} segments, {way}", op.name(), T::DTYPE, offsets.len() - 1);
        let counts = [true, false];
        let each = || whole.clone().segments(on_device());
        each_way(gpu, &reducer, &place("offsets in a buffer"), each, &wanted, &counts, &mut failures);
        let each = || parts.clone().segments(on_device());
        each_way(gpu, &reducer, &place("two buffers"), each, &wanted, &counts[..1], &mut failures);
        let each = || whole.clone().segments(&offsets[..]);
        each_way(gpu, &reducer, &place("offsets in a slice"), each, &wanted, &counts[1..], &mut failures);
        let wide: Vec<u64> = offsets.iter().map(|&offset| offset.into()).collect();
        let got = Cpu::with_threads(3).reduce_segments(op.clone(), here, &wide);
        let got = got.map(|answers| answers.into_iter().map(Ok).collect());
        wanted.judge(op, &place("CPU engine"), got, false, &mut failures);
    }
    failures
}
