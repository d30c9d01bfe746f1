//! An answer over two folds of the library: how many of all elements are not 0, and their sum.

use treefold::ops::{CountNonzero, Sum};
use treefold::{Acc, DeviceAnswer, Fold, Op, Result, WordType};

#[derive(Clone, Copy, Debug, Default)]
pub struct Shares {
    /// A factor of the sum.
    pub scale: u32,
}

impl Op<u32> for Shares {
    type Fold = (Sum, CountNonzero);
    type Output = (u32, u32, u32);
    const NAME: &'static str = "shares";

    fn fold(&self) -> Self::Fold {
        (Sum, CountNonzero)
    }
    fn finish(&self, acc: Acc<u32, Self>, count: u64) -> Result<Self::Output> {
        let mut words = [0; 4];
        Fold::<u32>::write_acc(&(Sum, CountNonzero), &acc, &mut words);
        Ok(((words[0]).wrapping_mul(self.scale), words[2], count as u32))
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let words = [("sum", WordType::U32), ("nonzero", WordType::U32), ("of", WordType::U32)];
        let finish = "return array<u32, 3>(scaled(acc), acc.m1.low, count.x);";
        let answer = DeviceAnswer::new(words, finish).params([self.scale]);
        Some(answer.helpers("fn scaled(acc: Acc) -> u32 { return acc.m0.low * param(0u); }"))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<Self::Output> {
        Ok((words[0], words[1], words[2]))
    }
}
