//! Operators of a program's own.

use treefold::{DeviceAnswer, Fold, Op, Result, Wgsl, WordType, accumulator};

accumulator! {
    /// A hash of some elements, and the power that shifts it.
    pub struct Hash { hash: u32, power: u32 }
}

const BASE: u32 = 16_777_619;

/// A polynomial hash of the elements' bits in their order: a lost, doubled or moved element shows.
#[derive(Clone, Copy, Debug)]
pub struct Checksum {
    /// Whether the device half is another one than the host half.
    pub wrong: bool,
}

impl Fold<f32> for Checksum {
    type Acc = Hash;
    const COMMUTATIVE: bool = false;

    fn identity(&self) -> Hash {
        Hash { hash: 0, power: 1 }
    }
    fn lift(&self, x: f32, _: u64) -> Hash {
        Hash { hash: x.to_bits(), power: BASE }
    }
    fn combine(&self, a: Hash, b: Hash) -> Hash {
        Hash { hash: a.hash.wrapping_mul(b.power).wrapping_add(b.hash), power: a.power.wrapping_mul(b.power) }
    }
    fn kind(&self) -> String {
        self.wrong.to_string()
    }
    fn wgsl(&self) -> Wgsl {
        let lift = if self.wrong { "return Acc(bits ^ 1u, 16777619u);" } else { "return Acc(bits, 16777619u);" };
        Wgsl::new("return Acc(0u, 1u);", lift, "return Acc(a.hash * b.power + b.hash, a.power * b.power);")
    }
}

impl Op<f32> for Checksum {
    type Fold = Checksum;
    type Output = u32;
    const NAME: &'static str = "checksum";
    const EXACT: bool = true;

    fn fold(&self) -> Checksum {
        *self
    }
    fn finish(&self, acc: Hash, _: u64) -> Result<u32> {
        Ok(acc.hash)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("checksum", WordType::U32)], "return array<u32, 1>(acc.hash);"))
    }
}

/// An operator whose text no compiler takes.
#[derive(Clone, Copy, Debug)]
pub struct Broken;

impl Fold<f32> for Broken {
    type Acc = Hash;

    fn identity(&self) -> Hash {
        Hash { hash: 0, power: 0 }
    }
    fn lift(&self, x: f32, _: u64) -> Hash {
        Hash { hash: x.to_bits(), power: 0 }
    }
    fn combine(&self, a: Hash, b: Hash) -> Hash {
        Hash { hash: a.hash | b.hash, power: 0 }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return Acc(0u, 0u);", "return Acc(bits, 0u);", "return Acc(a.hash | nothing, 0u);")
    }
}

impl Op<f32> for Broken {
    type Fold = Broken;
    type Output = u32;
    const NAME: &'static str = "broken";

    fn fold(&self) -> Broken {
        *self
    }
    fn finish(&self, acc: Hash, _: u64) -> Result<u32> {
        Ok(acc.hash)
    }
}
