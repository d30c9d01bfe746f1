//! Operators with loops, declared or not.

use treefold::{DeviceAnswer, Fold, Op, Result, Trips, Wgsl, WordType};

/// The function that loops without saying so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silent {
    Nothing,
    Lift,
    Combine,
    Finish,
    Offset,
}

/// The sum, modulo 2^32, of what so many steps of a generator make of each element.
#[derive(Clone, Copy, Debug)]
pub struct Steps<const TRIPS: u64> {
    pub silent: Silent,
}

const LOOP: &str = "for (var i = 0u; i < 3u; i++) { if i == 5u { break; } }\n";

impl<const TRIPS: u64> Fold<u32> for Steps<TRIPS> {
    type Acc = u32;

    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: u32, _: u64) -> u32 {
        (0..TRIPS).fold(x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn kind(&self) -> String {
        format!("{:?}", self.silent)
    }
    fn wgsl(&self) -> Wgsl {
        let looping = |of: Silent| if self.silent == of { LOOP } else { "" };
        let wgsl = Wgsl::new("return 0u;", "return steps(bits);", format!("{}return a + b;", looping(Silent::Combine)))
            .helpers(format!(
                "fn steps(x: u32) -> u32 {{\n    var all = x;\n    for (var i = 0u; i < {TRIPS}u; i++) {{ all = all * 1664525u + 1013904223u; }}\n    return all;\n}}"
            ))
            .offset(format!("{}return acc;", looping(Silent::Offset)));
        let lift = if self.silent == Silent::Lift { 0 } else { TRIPS };
        wgsl.trips(Trips { lift, ..Trips::default() })
    }
}

impl<const TRIPS: u64> Op<u32> for Steps<TRIPS> {
    type Fold = Self;
    type Output = u32;
    const NAME: &'static str = "steps";
    const EXACT: bool = true;

    fn fold(&self) -> Self {
        *self
    }
    fn finish(&self, acc: u32, _: u64) -> Result<u32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let looping = if self.silent == Silent::Finish { LOOP } else { "" };
        Some(DeviceAnswer::new([("sum", WordType::U32)], format!("{looping}return array<u32, 1>(acc);")))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<u32> {
        Ok(words[0])
    }
}
