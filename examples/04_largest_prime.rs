//! The exercise of the CUDA lecture: the largest prime below N, once by a tree and once by an atomic maximum.
//!
//! The tree is an operator of one's own: an element counts as itself if it is prime and as 0 if it is not, and the larger of
//! two stays. The atomic maximum is the stage `largest-prime` of the ladder, which runs both ways again and checks them.
//!
//! `cargo run --release --example 04_largest_prime`

use treefold::ladder::{Ladder, Operator, Stage, Status};
use treefold::{Cpu, Gpu, Op, Result};

/// The largest prime among the elements; 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub struct LargestPrime;

impl Op<u32> for LargestPrime {
    type Acc = u32;
    type Output = u32;
    const ANSWER_WORDS: usize = 1;

    fn name(&self) -> &'static str {
        "largest_prime"
    }
    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: u32, _index: u64) -> u32 {
        if x < 2 || (x > 2 && x.is_multiple_of(2)) {
            return 0;
        }
        let mut d = 3;
        while d <= x / d {
            if x.is_multiple_of(d) {
                return 0;
            }
            d += 2;
        }
        x
    }
    fn combine(&self, a: u32, b: u32) -> u32 {
        a.max(b)
    }
    fn finish(&self, acc: u32, _count: u64) -> Result<u32> {
        Ok(acc)
    }
    fn wgsl(&self) -> String {
        "
fn identity() -> Acc { return 0u; }
fn lift(bits: u32, index: u32) -> Acc {
    let x = bits;
    if x < 2u || (x > 2u && x % 2u == 0u) { return 0u; }
    for (var d = 3u; d <= x / d; d += 2u) {
        if x % d == 0u { return 0u; }
    }
    return x;
}
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 1> { return array<u32, 1>(acc); }"
            .into()
    }
}

pub fn main() -> Result<()> {
    const BELOW: u32 = 1_000_000;
    // No gap between primes of 32 bits is nearly as long as this.
    let candidates: Vec<u32> = (BELOW - (1 << 16)..BELOW).collect();
    let gpu = Gpu::new()?;
    let by_tree = gpu.reduce(LargestPrime, &candidates)?;
    println!("on {}: the largest prime below {BELOW} is {by_tree}", gpu.info().name);
    assert_eq!(Cpu::new().reduce(LargestPrime, &candidates)?, by_tree);

    let ladder = Ladder::new(&gpu, BELOW.into(), Operator::Sum)?;
    if let Some(stage) = Stage::named("largest-prime") {
        let outcome = ladder.run(stage, None)?;
        println!("{}", outcome.value);
        assert_eq!(outcome.status, Status::Passed);
        assert!(outcome.value.contains(&format!("by atomic max {by_tree}")));
    }
    Ok(())
}
