//! Every one of the 2^32 values of f32, on the host and on the adapter. By name, in release:
//! `cargo test --release --test exact_all -- --ignored --nocapture`.
//!
//! Summing each value alone would take hours, so the finite ones are summed in sets of 2^16, of one sign and exponent each:
//! once as runs of neighbours, once as combs of every 128th. To each set its own sum is added with the other sign, in as many
//! floats as that takes, found in integers. What is left must be +0, so no rounding hides an error. Every value is in one run
//! and in one comb, which share 512 values at most: a value that counts wrongly goes unnoticed only if others of its run make
//! up for it exactly, and others of its comb do so too.
//!
//! Every NaN, both infinities and, as a sample, one finite value in 257 are also summed alone, on the host.

mod common;
use common::{gpu, upload};
use std::time::Instant;
use treefold::ops::Sum;
use treefold::{Cpu, Input};

/// Fractions of one sign and exponent.
const FRACTIONS: u32 = 1 << 23;
/// Sets of one sign and exponent, and values of each.
const SETS: u32 = 128;
const VALUES: u32 = FRACTIONS / SETS;

/// The values of a set: neighbours, or teeth of a comb.
fn values(class: u32, set: u32, comb: bool) -> impl Iterator<Item = u32> {
    let (first, step) = if comb { (set, SETS) } else { (set * VALUES, 1) };
    (0..VALUES).map(move |k| class << 23 | (first + k * step))
}

/// Floats that take the sum of a set away.
fn opposite(class: u32, set: u32, comb: bool) -> Vec<f32> {
    let exponent = class & 255;
    let (sign, implied) = (!(class >> 8) & 1, if exponent == 0 { 0 } else { u64::from(FRACTIONS) });
    // In units of the last place, which is that of exponent 1 for subnormals.
    let mut units: u64 = values(class, set, comb).map(|bits| implied + u64::from(bits % FRACTIONS)).sum();
    let last = exponent.max(1);
    let mut floats = Vec::new();
    while units > 0 {
        // The leading 24 digits, as high as f32 reaches.
        let up = (64 - units.leading_zeros()).saturating_sub(24).min(254 - last);
        let digits = (units >> up).min(u64::from(2 * FRACTIONS - 1));
        let bits = match digits < u64::from(FRACTIONS) {
            // Only the last few units have fewer digits: they stand below, one bit at a time, or are subnormal.
            true if last == 1 => digits as u32,
            true => {
                let high = 63 - digits.leading_zeros();
                units -= 1 << high;
                floats.push(power(sign, last as i32 + high as i32 - 23));
                continue;
            }
            false => (last + up) << 23 | (digits as u32 - FRACTIONS),
        };
        units -= digits << up;
        floats.push(f32::from_bits(sign << 31 | bits));
    }
    floats
}

/// ±2^(exponent - 127), subnormal where the biased exponent is below 1.
fn power(sign: u32, exponent: i32) -> f32 {
    let bits = if exponent >= 1 { (exponent as u32) << 23 } else { FRACTIONS >> (1 - exponent) };
    f32::from_bits(sign << 31 | bits)
}

/// Every set of a class with its opposite behind it, and where each ends.
fn class(class: u32, comb: bool) -> (Vec<f32>, Vec<usize>) {
    let mut elements = Vec::with_capacity(FRACTIONS as usize * 2);
    let mut ends = Vec::new();
    for set in 0..SETS {
        elements.extend(values(class, set, comb).map(f32::from_bits));
        elements.extend(opposite(class, set, comb));
        ends.push(elements.len());
    }
    (elements, ends)
}

fn alone(bits: u32) {
    let got = Cpu::with_threads(1).reduce(Sum, &[f32::from_bits(bits)]).expect("a sum").to_bits();
    let nan = bits & 0x7fff_ffff > 0x7f80_0000;
    assert_eq!(got, if nan { 0x7fc0_0000 } else { bits }, "{bits:#x} alone");
}

#[test]
#[ignore = "minutes, in release"]
fn all_f32_values() {
    let gpu = gpu();
    let reducer = gpu.reducer::<f32, _>(Sum).expect("a reducer");
    let cpu = Cpu::new();
    let start = Instant::now();
    let (mut host, mut device) = (0u64, 0u64);
    let mut summed = 0u64;
    for (number, comb) in [false, true].into_iter().enumerate() {
        for at in (0..512).filter(|at| at & 255 != 255) {
            let (elements, ends) = class(at, comb);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let sets: Vec<_> = starts.zip(&ends).map(|(start, &end)| start..end).collect();
            let clock = Instant::now();
            for set in &sets {
                let got = cpu.reduce(Sum, &elements[set.clone()]).expect("a sum");
                assert_eq!(got.to_bits(), 0, "host, class {at:#x}, comb {comb}, {set:?}: {got:e}");
            }
            host += clock.elapsed().as_millis() as u64;
            let clock = Instant::now();
            let buffer = upload(&gpu, &elements);
            let inputs = sets.iter().map(|set| Input::range(&buffer, set.start as u64..set.end as u64));
            for (set, got) in sets.iter().zip(reducer.reduce_batch(inputs).expect("sums")) {
                assert_eq!(got.to_bits(), 0, "device, class {at:#x}, comb {comb}, {set:?}: {got:e}");
            }
            device += clock.elapsed().as_millis() as u64;
            summed += u64::from(FRACTIONS);
        }
        println!("pass {number}: {summed} values; host {host} ms, device {device} ms, all {:?}", start.elapsed());
    }
    assert_eq!(summed, 2 * ((1 << 32) - (1 << 24)));
    let threads: Vec<_> = (0..2u32)
        .map(|sign| {
            std::thread::spawn(move || {
                (0x7f80_0000..=0x7fff_ffff).for_each(|bits| alone(sign << 31 | bits));
                (0..0x7f80_0000).step_by(257).for_each(|bits| alone(sign << 31 | bits));
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("values alone"));
    println!("{:?} on {} by {:?}", start.elapsed(), gpu.info().name, reducer.kernel());
}

/// The check itself notices one value that is off by its last place, and sets and opposites are what they say.
#[test]
fn sets_and_their_opposites_cancel() {
    let cpu = Cpu::with_threads(1);
    for at in [0, 1, 2, 23, 24, 127, 237, 238, 254, 256, 257, 300, 510] {
        for (set, comb) in [(0, false), (127, false), (0, true), (77, true)] {
            let mut elements: Vec<f32> = values(at, set, comb).map(f32::from_bits).collect();
            let opposite = opposite(at, set, comb);
            assert!(opposite.len() <= 20 || at & 255 > 237, "{} floats for class {at}", opposite.len());
            elements.extend(opposite);
            assert_eq!(cpu.reduce(Sum, &elements).expect("a sum").to_bits(), 0, "class {at}, {set}, {comb}");
            elements[4321] = f32::from_bits(elements[4321].to_bits() ^ 1);
            assert_ne!(cpu.reduce(Sum, &elements).expect("a sum"), 0.0, "class {at}, {set}, {comb}");
        }
    }
    for comb in [false, true] {
        let mut seen = vec![false; FRACTIONS as usize];
        for bits in (0..SETS).flat_map(|set| values(3, set, comb)) {
            assert!(
                !std::mem::replace(&mut seen[(bits - 3 * FRACTIONS) as usize], true),
                "{bits:#x} twice, comb {comb}"
            );
        }
        assert!(seen.iter().all(|&seen| seen), "not all values, comb {comb}");
    }
}
