//! The shortest program: numbers in, one number out, on whatever is there.
//!
//! `cargo run --release --example 01_sum`

use treefold::{
    Engine,
    ops::{ArgMax, Mean, Sum},
};

pub fn main() -> treefold::Result<()> {
    let data: Vec<f32> = (0..1_000_000).map(|i| (i % 1000) as f32).collect();
    let engine = Engine::auto()?;
    let (sum, mean, largest) = engine.reduce((Sum, Mean, ArgMax), &data)?;
    println!("on {}: sum {sum}, mean {mean:?}, largest {largest:?}", engine.name());
    assert_eq!(sum, 499_500_000.0);
    Ok(())
}
