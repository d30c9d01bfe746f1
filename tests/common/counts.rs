//! Elements, rows and segments of which the device alone knows how many there are, each against those alone.

use super::rows::{Wanted, each_way};
use super::{Random, upload};
use treefold::{Answer, DeviceCount, DynOp, Element, Gpu, Input, Op};

/// Room for rows or segments of so many elements, and what the count says.
pub type Room = (u64, usize, u32);

/// The answers of the first elements, rows and segments by a count in a buffer, where it is below the room, the room itself or
/// beyond; says where one differs from those folded alone.
pub fn counts<T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, all: &[Room]) -> Vec<String> {
    counts_of(gpu, &DynOp::of(op.clone()), all)
}

fn counts_of<T: Element>(gpu: &Gpu, op: &DynOp<T>, all: &[Room]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, &(room, length, says)) in all.iter().enumerate() {
        let (n, start) = (room as usize * length, turn % 3);
        let elements: Vec<T> = Random(n as u64 + 3).elements(start + n);
        let here = &elements[start..];
        let buffer = upload(gpu, &elements);
        let whole = || Input::<T>::range(&buffer, start as u64..(start + n) as u64);
        let word = upload(gpu, &[7777, says, 9999]);
        let count = || DeviceCount::from(Input::<u32>::range(&word, 1..2));
        let place = |way: &str| format!("{} {} {says} of {room} of {length}, {way}", op.name(), T::DTYPE);
        let there = (says as usize).min(room as usize);

        let rows = Wanted::new(op, here.chunks(length).take(there).collect());
        let each = || whole().rows(length as u64).counted(count());
        each_way(gpu, &reducer, &place("rows"), each, &rows, &[true, false], &mut failures);

        // Segments of lengths around that of the rows, behind a few elements that belong to none.
        let ends = |s: usize| (2 + s * length + (s * 7) % 5 % length).min(n) as u32;
        let offsets: Vec<u32> = (0..=room as usize).map(ends).collect();
        let slices = offsets.windows(2).take(there).map(|pair| &here[pair[0] as usize..pair[1] as usize]);
        let segments = Wanted::new(op, slices.collect());
        let bound = upload(gpu, &offsets);
        let each = || whole().segments(&bound).counted(count());
        each_way(gpu, &reducer, &place("segments"), each, &segments, &[true, false], &mut failures);
        let each = || whole().segments(&offsets[..]).counted(count());
        each_way(gpu, &reducer, &place("offsets in a slice"), each, &segments, &[true], &mut failures);

        let first = Wanted::new(op, vec![&here[..(says as usize).min(n)]]);
        let each = || whole().counted(count());
        each_way(gpu, &reducer, &place("elements"), each, &first, &[true, false], &mut failures);
    }
    failures
}
