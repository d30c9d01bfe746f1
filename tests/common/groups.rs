//! Groups by key, each against its elements alone.

use super::rows::{Wanted, each_way};
use super::{Random, upload};
use treefold::ops::Sum;
use treefold::{Answer, Cpu, DynOp, Element, Gpu, Input, Op};

/// Elements, groups, and how many keys there are besides those of groups.
pub type Spread = (usize, u64, u64);

/// Each group's answer by keys in one buffer and in two, recorded and reduced, and by the CPU engine; says where one differs from
/// the group's elements folded alone. Of operators whose answers are places: those of the whole input, by `placed`.
pub fn groups<T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, all: &[Spread]) -> Vec<String> {
    groups_of(gpu, &DynOp::of(op.clone()), all)
}

fn groups_of<T: Element>(gpu: &Gpu, op: &DynOp<T>, all: &[Spread]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, &(n, groups, besides)) in all.iter().enumerate() {
        let start = turn % 4;
        let mut random = Random(n as u64 + groups);
        let elements: Vec<T> = random.elements(start + n);
        let here = &elements[start..];
        // Some groups have many elements, some have none.
        let mut key = |_| {
            let below = groups + besides;
            let key = if turn % 2 == 0 { random.next() % below } else { (random.next() % below) * (random.next() % 2) };
            // And some keys lie far away.
            if key >= groups { (key as u32).wrapping_mul(0x0100_0193) | 0x8000_0000 } else { key as u32 }
        };
        let keys: Vec<u32> = (0..n).map(&mut key).collect();
        let of = |group: u64| -> Vec<T> {
            keys.iter().zip(here).filter(|&(&key, _)| u64::from(key) == group).map(|(_, &x)| x).collect()
        };
        let alone: Vec<Vec<T>> = (0..groups).map(of).collect();
        let wanted = Wanted::new(op, alone.iter().map(Vec::as_slice).collect());
        let place = |way: &str| format!("{} {} {n} in {groups} groups, {way}", op.name(), T::DTYPE);
        let (buffer, stored) = (upload(gpu, &elements), upload(gpu, &[&[9][..], &keys].concat()));
        let whole = Input::<T>::range(&buffer, start as u64..(start + n) as u64);
        let of_keys = Input::<u32>::range(&stored, 1..1 + n as u64);
        let each = || whole.clone().groups(of_keys.clone(), groups);
        each_way(gpu, &reducer, &place("one buffer"), each, &wanted, &[true, false], &mut failures);
        let (cut, key_cut) = (n / 3, n / 2);
        let (others, other_keys) = (upload(gpu, &here[cut..]), upload(gpu, &keys[key_cut..]));
        let front = Input::range(&buffer, start as u64..(start + cut) as u64);
        let parts = Input::concat([front, Input::range(&others, 0..(n - cut) as u64)]);
        let front = Input::range(&stored, 1..1 + key_cut as u64);
        let key_parts = Input::concat([front, Input::range(&other_keys, 0..(n - key_cut) as u64)]);
        let each = || parts.clone().groups(key_parts.clone(), groups);
        each_way(gpu, &reducer, &place("two buffers"), each, &wanted, &[true], &mut failures);
        let outside = keys.iter().filter(|&&key| u64::from(key) >= groups).count() as u64;
        for (way, got) in [
            ("CPU engine", Cpu::with_threads(3).reduce_groups(op.clone(), &keys, here, groups)),
            ("the device", reducer.reduce_groups(whole.clone(), of_keys.clone(), groups)),
        ] {
            let counts: Vec<u64> = alone.iter().map(|alone| alone.len() as u64).collect();
            if let Some(got) = got.as_ref().ok().filter(|got| (&got.counts, got.outside) != (&counts, outside)) {
                failures.push(format!(
                    "{}: {:?} and {} outside, want {counts:?} and {outside}",
                    place(way),
                    got.counts,
                    got.outside
                ));
            }
            let got = got.map(|got| got.answers.into_iter().map(Ok).collect());
            wanted.judge(op, &place(way), got, false, &mut failures);
        }
    }
    failures
}

/// Exact sums of groups, each of special values or of zeros alone; says where one differs from the CPU engine's of its elements.
pub fn special_groups(gpu: &Gpu) -> Vec<String> {
    let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let sets: [&[f32]; 12] = [
        &[-0.0],
        &[-0.0, -0.0],
        &[0.0],
        &[0.0, -0.0],
        &[inf, 1.0],
        &[-inf, -0.0],
        &[inf, -inf],
        &[nan, -inf],
        &[-nan],
        &[f32::MAX, f32::MAX, -f32::MAX],
        &[f32::from_bits(1), f32::from_bits(0x8000_0001), -0.0],
        &[1.0, -1.0],
    ];
    let pairs = || (0u32..).zip(sets).flat_map(|(key, set)| set.iter().map(move |&x| (key, x)));
    let (keys, values): (Vec<u32>, Vec<f32>) = pairs().unzip();
    let (of_values, of_keys) = (upload(gpu, &values), upload(gpu, &keys));
    let found = sum.reduce_groups(&of_values, &of_keys, sets.len() as u64).expect("answers").answers;
    let mut failures = Vec::new();
    for (set, found) in sets.iter().zip(found) {
        let want = Cpu::new().reduce(Sum, set).expect("a sum");
        if found.to_bits() != want.to_bits() {
            failures.push(format!("the sum of {set:?}: {found}, want {want}"));
        }
    }
    failures
}
