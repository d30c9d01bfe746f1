//! An operator whose terms depend on their places.

use treefold::{DeviceAnswer, Fold, Op, Result, Wgsl, WordType};

/// The sum with signs by turns, modulo 2^32: plus for even places, and one more for each place of the upper half of 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alternating;

impl Fold<i32> for Alternating {
    type Acc = u32;
    const READS_POSITION: bool = true;

    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: i32, index: u64) -> u32 {
        let term = if index.is_multiple_of(2) { x as u32 } else { (x as u32).wrapping_neg() };
        term.wrapping_add((index >> 32) as u32)
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn wgsl(&self) -> Wgsl {
        let lift = "return select(bits, 0u - bits, index.x % 2u == 1u) + index.y;";
        Wgsl::new("return 0u;", lift, "return a + b;")
    }
}

impl Op<i32> for Alternating {
    type Fold = Alternating;
    type Output = u32;
    const NAME: &'static str = "alternating";
    const EXACT: bool = true;

    fn fold(&self) -> Alternating {
        Alternating
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("sum", WordType::U32)], "return array<u32, 1>(acc);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u32> {
        Ok(words[0])
    }
}
