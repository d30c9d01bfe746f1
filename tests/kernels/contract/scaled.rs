//! Operators with parameters: of the fold, of the answer, of both.

use treefold::{DeviceAnswer, Fold, Op, Result, Wgsl, WordType};

/// The sum of elements, each times a parameter, modulo 2^32; the answer adds another parameter.
#[derive(Clone, Copy, Debug)]
pub struct Scaled {
    pub by: u32,
    pub plus: u32,
}

impl Fold<u32> for Scaled {
    type Acc = u32;
    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: u32, _: u64) -> u32 {
        x.wrapping_mul(self.by)
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn params(&self) -> Vec<u32> {
        vec![self.by]
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return 0u;", "return bits * param(0u);", "return a + b;")
    }
}

impl Op<u32> for Scaled {
    type Fold = Scaled;
    type Output = u32;
    const NAME: &'static str = "scaled";

    fn fold(&self) -> Scaled {
        *self
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc.wrapping_add(self.plus))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let answer = DeviceAnswer::new([("sum", WordType::U32)], "return array<u32, 1>(acc + param(0u));");
        Some(answer.params([self.plus]))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u32> {
        Ok(words[0])
    }
}

/// The same, modulo the parameter.
#[derive(Clone, Copy, Debug)]
pub struct Unscaled(pub Scaled);

impl Op<u32> for Unscaled {
    type Fold = Scaled;
    type Output = u32;
    const NAME: &'static str = "unscaled";

    fn fold(&self) -> Scaled {
        self.0
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc % self.0.by)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("rest", WordType::U32)], "return array<u32, 1>(acc % param(0u));"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u32> {
        Ok(words[0])
    }
}
