//! An operator with one fault of choice in it.

use treefold::{Fold, Op, Result, Wgsl, accumulator};

pub const NONE: u8 = 0;
pub const OTHER_END: u8 = 1;
pub const DEVICE_IDENTITY: u8 = 2;
pub const HOST_IDENTITY: u8 = 3;
pub const DEVICE_OFFSET: u8 = 4;
pub const HOST_OFFSET: u8 = 5;
pub const ORDER: u8 = 6;
pub const HELPER_NAME: u8 = 7;
pub const SYNTAX: u8 = 8;
pub const TYPES: u8 = 9;
pub const UNENDED: u8 = 10;
pub const EMPTY: u8 = 11;
pub const OPEN_COMMENT: u8 = 12;

accumulator! {
    /// The least element, and the sum of places, each times its element.
    pub struct Both { least: u32, sum: u32, weighted: u32 }
}

#[derive(Clone, Copy, Debug)]
pub struct Faulty<const FAULT: u8>;

impl<const FAULT: u8> Fold<u32> for Faulty<FAULT> {
    type Acc = Both;

    fn identity(&self) -> Both {
        Both { least: if FAULT == HOST_IDENTITY { 0 } else { u32::MAX }, sum: 0, weighted: 0 }
    }
    fn lift(&self, x: u32, index: u64) -> Both {
        Both { least: x, sum: x, weighted: x.wrapping_mul(index as u32) }
    }
    fn combine(&self, a: Both, b: Both) -> Both {
        let first = if a.least == u32::MAX { b.least } else { a.least };
        Both {
            least: if FAULT == ORDER { first } else { a.least.min(b.least) },
            sum: a.sum.wrapping_add(b.sum),
            weighted: a.weighted.wrapping_add(b.weighted),
        }
    }
    fn offset(&self, acc: Both, by: u64) -> Both {
        let by = if FAULT == HOST_OFFSET { 0 } else { by as u32 };
        Both { weighted: acc.weighted.wrapping_add(by.wrapping_mul(acc.sum)), ..acc }
    }
    fn wgsl(&self) -> Wgsl {
        let pick = |fault: u8, wrong: &'static str, right: &'static str| if FAULT == fault { wrong } else { right };
        let least = match FAULT {
            OTHER_END => "max(a.least, b.least)",
            ORDER => "select(a.least, b.least, a.least == 0xffffffffu)",
            SYNTAX => "min(a.least b.least)",
            TYPES => "min(a.least, nothing_of_that_name)",
            // A comment within a comment is one; what ends it does not end the other.
            OPEN_COMMENT => "min(a.least, b.least) /* the /* least */ of both",
            _ => "min(a.least, b.least)",
        };
        let identity = match FAULT {
            DEVICE_IDENTITY => "return Acc(7u, 0u, 0u);",
            EMPTY => "",
            _ => "return Acc(0xffffffffu, 0u, 0u);",
        };
        Wgsl::new(
            identity,
            pick(UNENDED, "let all = bits * index;\nreturn Acc(bits, bits, all)", "return Acc(bits, bits, bits * index);"),
            format!("let weighted = a.weighted + b.weighted;\nlet least = {least};\nreturn Acc(least, a.sum + b.sum, weighted);"),
        )
        .offset(pick(
            DEVICE_OFFSET,
            "return acc;",
            "return Acc(acc.least, acc.sum, acc.weighted + by.x * acc.sum);",
        ))
        .helpers(pick(HELPER_NAME, "const vectors_of = 3u;", "const mine = 3u;"))
    }
}

impl<const FAULT: u8> Op<u32> for Faulty<FAULT> {
    type Fold = Self;
    type Output = (u32, u32);
    const NAME: &'static str = "faulty";
    const EXACT: bool = true;

    fn fold(&self) -> Self {
        *self
    }
    fn finish(&self, acc: Both, _: u64) -> Result<(u32, u32)> {
        Ok((acc.least, acc.weighted))
    }
}
