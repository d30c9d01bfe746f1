//! An answer for each key: hourly weather by station and by hour of the day, from files as NumPy writes them.
//!
//! `cargo run --release --example 08_weather`

use std::path::Path;
use treefold::ops::{ArgMax, Mean};
use treefold::{Cpu, Grouped};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The bytes of an array in a .npy file of version 1, behind its header.
fn array(name: &str) -> Outcome<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/data/nyc-weather-2013-{name}.npy"));
    let bytes = std::fs::read(path)?;
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    Ok(bytes[10 + header..].to_vec())
}

fn keys(name: &str) -> Outcome<Vec<u32>> {
    Ok(array(name)?.into_iter().map(u32::from).collect())
}

pub fn main() -> Outcome<()> {
    let visibility: Vec<f32> = bytemuck::pod_collect_to_vec(&array("visibility")?);
    let cpu = Cpu::new();

    // A tuple of operators is an operator; places count through the whole file.
    let found = cpu.reduce_groups((Mean, ArgMax), &keys("station")?, &visibility, 3)?;
    for ((name, (mean, most)), count) in ["EWR", "JFK", "LGA"].iter().zip(&found.answers).zip(&found.counts) {
        println!("{name}: {count} hours, {mean:?} miles, first clear at {:?}", most.map(|most| most.index));
    }
    // The means are exact sums, rounded once.
    let means: Vec<_> = found.answers.iter().map(|(mean, _)| *mean).collect();
    assert_eq!(means, [Some(9.277015), Some(9.177578), Some(9.311531)]);
    assert_eq!(found.outside, 0);

    let by_hour: Grouped<Option<f32>> = cpu.reduce_groups(Mean, &keys("hour")?, &visibility, 24)?;
    let foggiest = (0..24).min_by(|&a, &b| by_hour.answers[a].partial_cmp(&by_hour.answers[b]).expect("no NaN"));
    println!("least visibility at {foggiest:?} o'clock");
    assert_eq!(foggiest, Some(7));
    Ok(())
}
