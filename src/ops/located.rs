//! An element and its place, as operators carry it that answer both.

use crate::Accumulator;
use crate::element::OrderKey;
use crate::op::{Answer, Member, Part, Value, join, split};

/// An element that was found, and its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<T> {
    /// The element; a NaN is the canonical one, a zero keeps its sign.
    pub value: T,
    /// Its index in the whole input. Of equal elements an extreme is the one with the lowest, or with the highest where the operator says so.
    pub index: u64,
}

impl<T: Copy + Into<Value>> Answer for Option<Found<T>> {
    fn parts(&self) -> Vec<Part> {
        vec![found("value", *self)]
    }
}

/// A part with an index.
pub(super) fn found<T: Into<Value>>(name: &'static str, found: Option<Found<T>>) -> Part {
    let index = found.as_ref().map(|found| found.index);
    Part { name, value: found.map(|found| found.value).into(), index }
}

/// The key of an element, or its rank, and the element's index; of none: all ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located<K> {
    /// Word, or words, in the order of elements.
    pub(super) key: K,
    /// Index in the whole input.
    pub(super) index: u64,
}

impl<K: OrderKey> Located<K> {
    pub(crate) const NOWHERE: Located<K> = Located { key: K::MOST, index: u64::MAX };

    /// The same behind so many elements.
    pub(crate) fn moved(self, by: u64) -> Located<K> {
        if self == Self::NOWHERE { self } else { Located { index: self.index.wrapping_add(by), ..self } }
    }
}

impl<K: OrderKey> Accumulator for Located<K> {
    const WORDS: usize = K::WORDS + 2;
    const WGSL: &'static str = match K::WORDS {
        1 => "struct Acc { key: u32, low: u32, high: u32, }",
        _ => "struct Acc { key: u32, key_high: u32, low: u32, high: u32, }",
    };
    const MEMBERS: &'static [Member] = match K::WORDS {
        1 => &[Member::word("key"), Member::word("low"), Member::word("high")],
        _ => &[Member::word("key"), Member::word("key_high"), Member::word("low"), Member::word("high")],
    };
    fn write(&self, words: &mut [u32]) {
        let (key, index) = words.split_at_mut(K::WORDS);
        split(self.key.wide(), key);
        split(self.index, index);
    }
    fn read(words: &[u32]) -> Self {
        let (key, index) = words.split_at(K::WORDS);
        Located { key: K::narrow(join(key)), index: join(index) }
    }
}

/// The order of places among equals: the lowest index before others, or the highest; that of none behind all.
#[inline(always)]
pub(super) fn place_order(index: u64, last: bool) -> u64 {
    // No index is 0 behind the largest.
    if last { !index.wrapping_add(1) } else { index }
}

/// Whether the place of b is before that of a in that order, in WGSL.
pub(super) fn before_wgsl(last: bool) -> &'static str {
    match last {
        false => "less64(vec2<u32>(b.low, b.high), vec2<u32>(a.low, a.high))",
        true => {
            "less64(add64(vec2<u32>(a.low, a.high), vec2<u32>(1u, 0u)), add64(vec2<u32>(b.low, b.high), vec2<u32>(1u, 0u)))"
        }
    }
}

/// The body of `offset`, the device's half of [`Located::moved`].
pub(super) fn moved_wgsl<K: OrderKey>() -> String {
    let key = if K::WORDS == 1 { "acc.key" } else { "acc.key, acc.key_high" };
    format!(
        "let place = add64(vec2<u32>(acc.low, acc.high), by);
let nowhere = acc.high == 0xffffffffu;
return Acc({key}, select(place.x, acc.low, nowhere), select(place.y, acc.high, nowhere));"
    )
}
