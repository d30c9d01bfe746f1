//! An operator of one's own, in Rust and in WGSL, line for line: the longest run of equal elements.
//!
//! A fold says what is carried from element to element; an operator, what is answered at the end. This fold is not commutative, so it is combined strictly from left to right: each accumulator knows the run that it begins
//! with, the run that it ends with, and the longest inside.
//!
//! `cargo run --release --example 03_own_operator`

use treefold::{Cpu, DeviceAnswer, Fold, Gpu, Op, Result, Wgsl, WordType, accumulator};

/// The length of the longest run of equal elements.
#[derive(Clone, Copy, Debug)]
pub struct LongestRun;

accumulator! {
    /// A stretch of elements.
    pub struct Runs {
        /// Elements in it.
        length: u32,
        /// The bits of the first and of the last.
        first: u32, last: u32,
        /// Lengths of the run at its start, of the run at its end, and of the longest.
        prefix: u32, suffix: u32, best: u32,
    }
}

impl Fold<i32> for LongestRun {
    type Acc = Runs;
    const COMMUTATIVE: bool = false;

    fn identity(&self) -> Runs {
        Runs { length: 0, first: 0, last: 0, prefix: 0, suffix: 0, best: 0 }
    }
    fn lift(&self, x: i32, _index: u64) -> Runs {
        Runs { length: 1, first: x as u32, last: x as u32, prefix: 1, suffix: 1, best: 1 }
    }
    fn combine(&self, a: Runs, b: Runs) -> Runs {
        if a.length == 0 {
            return b;
        }
        if b.length == 0 {
            return a;
        }
        let joined = if a.last == b.first { a.suffix + b.prefix } else { 0 };
        Runs {
            length: a.length + b.length,
            first: a.first,
            last: b.last,
            prefix: if a.prefix == a.length && joined > 0 { joined } else { a.prefix },
            suffix: if b.suffix == b.length && joined > 0 { joined } else { b.suffix },
            best: a.best.max(b.best).max(joined),
        }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(0u, 0u, 0u, 0u, 0u, 0u);",
            "return Acc(1u, bits, bits, 1u, 1u, 1u);",
            "if a.length == 0u { return b; }
if b.length == 0u { return a; }
let joined = select(0u, a.suffix + b.prefix, a.last == b.first);
return Acc(
    a.length + b.length, a.first, b.last,
    select(a.prefix, joined, a.prefix == a.length && joined > 0u),
    select(b.suffix, joined, b.suffix == b.length && joined > 0u),
    max(max(a.best, b.best), joined));",
        )
    }
}

impl Op<i32> for LongestRun {
    type Fold = LongestRun;
    type Output = u32;
    const NAME: &'static str = "longest_run";

    fn fold(&self) -> LongestRun {
        LongestRun
    }
    fn finish(&self, acc: Runs, _count: u64) -> Result<u32> {
        Ok(acc.best)
    }
    /// For `record`, which leaves the answer on the device: one word.
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("longest", WordType::U32)], "return array<u32, 1>(acc.best);"))
    }
    fn read(&self, words: &[u32], _count: u64) -> Result<u32> {
        Ok(words[0])
    }
}

pub fn main() -> Result<()> {
    let mut data: Vec<i32> = (0..300_000).map(|i| i / 3).collect();
    data[123_456..123_456 + 777].fill(-1);
    let gpu = Gpu::new()?;
    let longest = gpu.reduce(LongestRun, &data)?;
    println!("on {}: the longest run has {longest} elements", gpu.info().name);
    assert_eq!(longest, 777);
    // The Rust half is the reference for the WGSL half.
    assert_eq!(Cpu::new().reduce(LongestRun, &data)?, longest);
    Ok(())
}
