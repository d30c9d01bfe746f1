//! Two operators that tell every order and every index apart, over elements of every size, and an answer of one's own.

use treefold::ops::FastMean;
use treefold::{Acc, DeviceAnswer, Element, Fold, Op, Result, Wgsl, WordType, accumulator};

/// The bits of an element in one word: all words of a long one count, each in its own way.
fn word<T: Element>(x: T) -> u32 {
    if size_of::<T>() < 4 {
        // Those of narrow types as they are read.
        return x.pattern() as u32;
    }
    let own = [1, 0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35u32];
    let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
    let words = bytemuck::bytes_of(&x).chunks(4).map(bits);
    words.zip(own).fold(0, |all, (word, own)| all.wrapping_add(word.wrapping_mul(own)))
}

/// The same in WGSL.
fn word_wgsl<T: Element>() -> &'static str {
    match T::DTYPE.bytes() {
        8 => "fn word(bits: Bits) -> u32 { return bits.x + bits.y * 0x9e3779b1u; }",
        12 => "fn word(bits: Bits) -> u32 { return bits.x + bits.y * 0x9e3779b1u + bits.z * 0x85ebca6bu; }",
        16 => {
            "fn word(bits: Bits) -> u32 {
    let own = bits * vec4<u32>(1u, 0x9e3779b1u, 0x85ebca6bu, 0xc2b2ae35u);
    return (own.x + own.y) + (own.z + own.w);
}"
        }
        _ => "fn word(bits: Bits) -> u32 { return bits; }",
    }
}

accumulator! {
    /// A polynomial hash and the power that shifts it: concatenation of texts.
    pub struct Text { hash: u32, power: u32 }
}

/// The hash of the elements in their order: not commutative, exact modulo 2^32, different for every other order,
/// for a lost element and for one read twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextHash;

const BASE: u32 = 0x0100_0193;

impl<T: Element> Fold<T> for TextHash {
    type Acc = Text;
    const COMMUTATIVE: bool = false;

    fn identity(&self) -> Text {
        Text { hash: 0, power: 1 }
    }
    fn lift(&self, x: T, _: u64) -> Text {
        Text { hash: word(x) ^ 0x5bd1_e995, power: BASE }
    }
    fn combine(&self, a: Text, b: Text) -> Text {
        Text { hash: a.hash.wrapping_mul(b.power).wrapping_add(b.hash), power: a.power.wrapping_mul(b.power) }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0u, 1u);",
            "return Acc(word(bits) ^ 0x5bd1e995u, 0x01000193u);",
            "return Acc(a.hash * b.power + b.hash, a.power * b.power);",
        )
        .helpers(word_wgsl::<T>())
    }
}

impl<T: Element> Op<T> for TextHash {
    type Fold = TextHash;
    type Output = (u32, u32);
    const NAME: &'static str = "text_hash";
    const EXACT: bool = true;

    fn fold(&self) -> TextHash {
        TextHash
    }
    fn finish(&self, acc: Text, _: u64) -> Result<(u32, u32)> {
        Ok((acc.hash, acc.power))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = ["hash", "power"].map(|name| (name, WordType::U32));
        Some(DeviceAnswer::new(words, "return array<u32, 2>(acc.hash, acc.power);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<(u32, u32)> {
        Ok((words[0], words[1]))
    }
}

accumulator! {
    /// Number of elements, their sum, and their sum weighted by index, modulo 2^32.
    pub struct Weights { count: u32, sum: u32, weighted: u32 }
}

/// Commutative, exact modulo 2^32; tells every index apart, in the whole input.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedSum;

impl<T: Element> Fold<T> for WeightedSum {
    type Acc = Weights;

    fn identity(&self) -> Weights {
        Weights { count: 0, sum: 0, weighted: 0 }
    }
    fn lift(&self, x: T, index: u64) -> Weights {
        Weights { count: 1, sum: word(x), weighted: word(x).wrapping_mul(index as u32) }
    }
    fn combine(&self, a: Weights, b: Weights) -> Weights {
        Weights {
            count: a.count.wrapping_add(b.count),
            sum: a.sum.wrapping_add(b.sum),
            weighted: a.weighted.wrapping_add(b.weighted),
        }
    }
    fn offset(&self, acc: Weights, by: u64) -> Weights {
        Weights { weighted: acc.weighted.wrapping_add((by as u32).wrapping_mul(acc.sum)), ..acc }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0u, 0u, 0u);",
            "return Acc(1u, word(bits), word(bits) * index);",
            "return Acc(a.count + b.count, a.sum + b.sum, a.weighted + b.weighted);",
        )
        .offset("return Acc(acc.count, acc.sum, acc.weighted + by.x * acc.sum);")
        .helpers(word_wgsl::<T>())
    }
}

impl<T: Element> Op<T> for WeightedSum {
    type Fold = WeightedSum;
    type Output = (u32, u32, u32);
    const NAME: &'static str = "weighted_sum";
    const EXACT: bool = true;

    fn fold(&self) -> WeightedSum {
        WeightedSum
    }
    fn finish(&self, acc: Weights, _: u64) -> Result<(u32, u32, u32)> {
        Ok((acc.count, acc.sum, acc.weighted))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = ["count", "sum", "weighted"].map(|name| (name, WordType::U32));
        Some(DeviceAnswer::new(words, "return array<u32, 3>(acc.count, acc.sum, acc.weighted);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<(u32, u32, u32)> {
        Ok((words[0], words[1], words[2]))
    }
}

/// An answer of a program's own over a fold of the library's.
#[derive(Clone, Debug)]
pub struct OwnAnswer(pub DeviceAnswer);

impl Op<f32> for OwnAnswer {
    type Fold = <FastMean as Op<f32>>::Fold;
    type Output = f32;
    const NAME: &'static str = "own_answer";

    fn fold(&self) -> Self::Fold {
        FastMean.fold()
    }
    fn finish(&self, _: Acc<f32, Self>, _: u64) -> Result<f32> {
        Ok(0.0)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(self.0.clone())
    }
}

/// Number of elements, and the sum of their hashes: in any order, over elements of every size, exact modulo 2^32.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetHash;

accumulator! {
    /// Number of elements, and the sum of their hashes, modulo 2^32.
    pub struct Set { count: u32, sum: u32 }
}

impl<T: Element> Fold<T> for SetHash {
    type Acc = Set;

    fn identity(&self) -> Set {
        Set { count: 0, sum: 0 }
    }
    fn lift(&self, x: T, _: u64) -> Set {
        let word = word(x);
        Set { count: 1, sum: (word ^ (word >> 7)).wrapping_mul(BASE) }
    }
    fn combine(&self, a: Set, b: Set) -> Set {
        Set { count: a.count.wrapping_add(b.count), sum: a.sum.wrapping_add(b.sum) }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0u, 0u);",
            "let w = word(bits);\nreturn Acc(1u, (w ^ (w >> 7u)) * 0x01000193u);",
            "return Acc(a.count + b.count, a.sum + b.sum);",
        )
        .helpers(word_wgsl::<T>())
    }
}

impl<T: Element> Op<T> for SetHash {
    type Fold = SetHash;
    type Output = (u32, u32);
    const NAME: &'static str = "set_hash";
    const EXACT: bool = true;

    fn fold(&self) -> SetHash {
        SetHash
    }
    fn finish(&self, acc: Set, _: u64) -> Result<(u32, u32)> {
        Ok((acc.count, acc.sum))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = ["count", "sum"].map(|name| (name, WordType::U32));
        Some(DeviceAnswer::new(words, "return array<u32, 2>(acc.count, acc.sum);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<(u32, u32)> {
        Ok((words[0], words[1]))
    }
}
