//! The largest absolute value, as a program would write it.

use treefold::{DeviceAnswer, Fold, Op, Result, Wgsl, WordType};

#[derive(Clone, Copy, Debug)]
pub struct MaxAbs;

impl Fold<f32> for MaxAbs {
    type Acc = u32;
    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: f32, _: u64) -> u32 {
        x.to_bits() & 0x7fff_ffff
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.max(b)
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return 0u;", "return bits & 0x7fffffffu;", "return max(a, b);")
    }
}

impl Op<f32> for MaxAbs {
    type Fold = MaxAbs;
    type Output = f32;
    const NAME: &'static str = "max_abs";

    fn fold(&self) -> MaxAbs {
        MaxAbs
    }
    fn finish(&self, acc: u32, _: u64) -> Result<f32> {
        Ok(f32::from_bits(acc))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("max_abs", WordType::F32)], "return array<u32, 1>(acc);"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<f32> {
        Ok(f32::from_bits(words[0]))
    }
}
