//! Inputs through a reducer, and what differs from the oracle.

use super::oracle::Exactly;
use super::sets::{self, Set};
use super::{recorded, some, upload};
use treefold::wgpu;
use treefold::{Dtype, Element, Gpu, Input, Reducer};

/// All inputs for a type; the longest has so many elements.
pub fn inputs<T: Element>(longest: usize) -> Vec<Set<T>> {
    let mut sets = sets::every_kind(longest);
    if matches!(T::DTYPE.pair_of().unwrap_or(T::DTYPE), Dtype::F16 | Dtype::F32 | Dtype::F64) {
        sets.extend(sets::by_hand());
        sets.extend(sets::special_everywhere());
    }
    sets
}

/// The differences of every way from the oracle.
#[derive(Default)]
pub struct Failures(pub Vec<String>);

impl Failures {
    pub fn judge<T: Element, O: Exactly<T>>(&mut self, way: &str, set: &Set<T>, got: Option<u128>) {
        let want = O::want(&set.elements);
        if got != want {
            let (name, hex) = (O::NAME, |bits: Option<u128>| bits.map(|bits| format!("{bits:#x}")));
            let first: Vec<String> = set.elements.iter().take(8).map(|x| format!("{:#x}", x.pattern())).collect();
            self.0.push(format!(
                "{way}: {name} {} of {} ({}): got {:?}, want {:?}",
                T::DTYPE,
                set.name,
                first.join(" "),
                hex(got),
                hex(want)
            ));
        }
    }
    pub fn none(&self) {
        assert!(self.0.is_empty(), "{}", some(&self.0));
    }
}

/// All sets in one buffer, one after another, and where each lies.
pub fn together<T: Element>(gpu: &Gpu, sets: &[Set<T>]) -> (wgpu::Buffer, Vec<std::ops::Range<u64>>) {
    let mut all: Vec<T> = vec![T::ZERO];
    let mut ranges = Vec::new();
    for set in sets {
        let at = all.len() as u64;
        ranges.push(at..at + set.elements.len() as u64);
        all.extend(&set.elements);
    }
    (upload(gpu, &all), ranges)
}

/// All sets by `reduce_batch`, and by `record`, which rounds on the device.
pub fn by_reducer<T: Element, O: Exactly<T>>(
    gpu: &Gpu,
    reducer: &Reducer<T, O>,
    sets: &[Set<T>],
    failures: &mut Failures,
) {
    let (buffer, ranges) = together(gpu, sets);
    let input = |range: &std::ops::Range<u64>| Input::<T>::range(&buffer, range.clone());
    let kernel = format!("{:?}", reducer.kernel());
    for (sets, ranges) in sets.chunks(200).zip(ranges.chunks(200)) {
        let got = reducer.reduce_batch(ranges.iter().map(input)).expect("answers");
        for (set, got) in sets.iter().zip(&got) {
            failures.judge::<T, O>(&kernel, set, O::told(got));
        }
    }
    let words = reducer.answer_words();
    if words == 0 {
        // The host rounds.
        return assert!(O::default().answer().is_none());
    }
    for (set, answer) in sets.iter().zip(recorded(gpu, reducer, ranges.iter().map(input))) {
        assert_eq!(answer[words] as usize, set.elements.len(), "count word of {}", set.name);
        let bits = answer[..words].iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
        // Whether there is an answer, the count word says.
        let read = O::default().read(&answer[..words], answer[words].into()).expect("an answer");
        failures.judge::<T, O>(&format!("{kernel}, on the device"), set, O::told(&read).map(|_| bits));
    }
}
