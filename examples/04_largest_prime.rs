//! The exercise of the CUDA lecture: the largest prime below N, once by a tree and once by an atomic maximum.
//!
//! The tree is an operator of one's own: an element counts as itself if it is prime and as 0 if it is not, and the larger of
//! two stays. The atomic maximum is the stage `largest-prime` of the ladder, which runs both ways again and checks them.
//!
//! `cargo run --release --example 04_largest_prime`

use treefold::ladder::{Ladder, Operator, Stage, Status};
use treefold::{Cpu, DeviceAnswer, Fold, Gpu, Op, Result, Trips, Wgsl, WordType};

/// Numbers below this are looked at.
const BELOW: u32 = 1_000_000;
/// Odd divisors up to the root of the largest: 3, 5, …, 999.
const DIVISORS: u64 = 499;

/// The largest prime below a million among the elements; 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub struct LargestPrime;

impl Fold<u32> for LargestPrime {
    type Acc = u32;

    fn identity(&self) -> u32 {
        0
    }
    fn lift(&self, x: u32, _index: u64) -> u32 {
        if !(2..BELOW).contains(&x) || (x > 2 && x.is_multiple_of(2)) {
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
    fn wgsl(&self) -> Wgsl {
        let lift = "let x = bits;
if x < 2u || x >= BELOW || (x > 2u && x % 2u == 0u) { return 0u; }
for (var d = 3u; d <= x / d; d += 2u) {
    if x % d == 0u { return 0u; }
}
return x;";
        Wgsl::new("return 0u;", lift, "return max(a, b);")
            .helpers(format!("const BELOW = {BELOW}u;"))
            // Drivers on CPUs end long loops silently, so plans must know how long this one is.
            .trips(Trips { lift: DIVISORS, ..Trips::default() })
    }
}

impl Op<u32> for LargestPrime {
    type Fold = LargestPrime;
    type Output = u32;
    const NAME: &'static str = "largest_prime";

    fn fold(&self) -> LargestPrime {
        LargestPrime
    }
    fn finish(&self, acc: u32, _count: u64) -> Result<u32> {
        Ok(acc)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(DeviceAnswer::new([("prime", WordType::U32)], "return array<u32, 1>(acc);"))
    }
    fn read(&self, words: &[u32], _count: u64) -> Result<u32> {
        Ok(words[0])
    }
}

pub fn main() -> Result<()> {
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
