//! Roots of exact sums of squares: ties of 24 digits and what lies next to them, squares and their neighbours, any number of places.

use crate::common::*;
use std::sync::atomic::Ordering;
use treefold::ops::Norm2;
use treefold::{Cpu, Gpu, Input, Output};

/// Rows of four numbers whose norms are hard to round, each times a power of two.
fn rows() -> Vec<[f32; 4]> {
    let mut rows = Vec::new();
    let mut random = Random(5);
    let mut add = |row: [f32; 4], power: i32| rows.push(row.map(|x| x * 2f32.powi(power)));
    for (turn, k) in (2896..4096).step_by(7).chain([2897, 4094, 4095]).enumerate() {
        let (k, power) = (k as f32, turn as i32 % 9 - 30);
        // (k² + 1/2)² = k⁴ + k² + 1/4 lies between the squares of two f32; what is more or less does not.
        for half in [0.5, 0.5f32.next_up(), 0.5f32.next_down(), 0.0] {
            [0.0, 1e-12].into_iter().for_each(|more| add([k * k, k, half, more], power));
        }
        // A square, and a number next to one.
        let m = (1 << 23) as f32 + random.below(1 << 23) as f32;
        [0.0, 1.0, 1e-3].into_iter().for_each(|more| add([m, more, 0.0, 0.0], power));
        [m, (m / 2.0).floor()].into_iter().for_each(|other| add([m, other, random.below(4096) as f32, 0.5], power));
    }
    // (k² + 1/2)² and the 65th bit: k = 2902; k² + 1/4 + 2^-17 as the sum of three squares.
    add([2902.0 * 2902.0, 2901.0 + 511.0 / 512.0, 1.0 + 31.0 / 512.0, 3.0 + 120.0 / 512.0], 0);
    // Upper halves that are the square of a number of 16 digits, and one less.
    for u in (1u32 << 15..1 << 16).step_by(512).chain((40_001..65_536).step_by(509)) {
        let m = (256 * u) as f32;
        add([m, 0.5, 0.0, 0.0], 0);
        add([m - 1.0, ((512 * u - 1) as f32).sqrt().floor(), 0.0, 0.0], 0);
    }
    for x in [f32::from_bits(1), f32::from_bits(3), f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY, f32::NAN] {
        add([x, 0.0, -0.0, 0.0], 0);
        add([x, -x, 0.0, 0.0], 0);
        add([x, x, -x, x], 0);
    }
    rows
}

/// The norms that the device leaves, in bits.
fn norms(gpu: &Gpu, rows: &[[f32; 4]]) -> Vec<u32> {
    let buffer = upload(gpu, rows.as_flattened());
    let reducer = gpu.reducer::<f32, _>(Norm2).expect("a reducer");
    let place = answers(gpu, rows.len());
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    reducer.record_each(&mut encoder, Input::from(&buffer).rows(4), Output::bare(&place)).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    download(gpu, &place)
}

fn host(rows: &[[f32; 4]]) -> Vec<u32> {
    rows.iter().map(|row| Cpu::with_threads(1).reduce(Norm2, row).expect("a norm").to_bits()).collect()
}

#[test]
fn norms_are_rounded_once() {
    let rows = rows();
    let want = host(&rows);
    // The root that IEEE 754 defines, of squares that an f64 holds.
    let mut checked = 0;
    for (row, &want) in rows.iter().zip(&want) {
        let squares = row.map(|x| f64::from(x) * f64::from(x));
        let (sum, single) = (squares.iter().sum::<f64>(), squares.iter().filter(|&&square| square > 0.0).count() == 1);
        if single && row.iter().all(|x| x.is_finite()) {
            checked += 1;
            assert_eq!(want, (sum.sqrt() as f32).to_bits(), "{row:?}");
        }
    }
    assert!(checked > 100, "{checked}");
    for tuning in [small(), small().with(|tuning| tuning.subgroups = false)] {
        let found = norms(&gpu().with_tuning(tuning).expect("a launch shape"), &rows);
        let wrong: Vec<_> = (0..rows.len()).filter(|&at| found[at] != want[at]).collect();
        let some: Vec<_> =
            wrong.iter().take(4).map(|&at| (rows[at], [found[at], want[at]].map(f32::from_bits))).collect();
        assert!(wrong.is_empty(), "{} of {} rows: {some:?}", wrong.len(), rows.len());
    }
}

#[test]
fn wrong_roots_are_noticed() {
    let rows = rows();
    let want = host(&rows);
    for (number, (patch, matched)) in [
        patch!("- select(0u, 1u, too_large)" => ""),
        patch!("root.rest.x | root.rest.y" => "0u"),
        patch!("select(size.bits.y & 1u, 0u, odd)" => "0u"),
        patch!("(size.highest & 1i) == 1i" => "true"),
        patch!("digits -= select(0u, 1u, digits * digits > bits);" => ""),
        patch!("nearest(root.digits, cut," => "nearest(root.digits & 0xffffff00u, 0u,"),
    ]
    .into_iter()
    .enumerate()
    {
        let found = norms(&patched_gpu(small(), patch), &rows);
        assert!(matched.load(Ordering::Relaxed), "{number}: nothing to patch");
        assert!(found != want, "{number}");
    }
}

/// An adapter's own root may be off by some: what it gets is looked at.
#[test]
fn roots_of_adapters_need_not_be_right() {
    fn less(text: String) -> String {
        text.replace("sqrt(f32(bits))", "(sqrt(f32(bits)) - 0.9)")
    }
    fn more(text: String) -> String {
        text.replace("sqrt(f32(bits))", "(sqrt(f32(bits)) + 0.9)")
    }
    fn less_and_not_looked_at(text: String) -> String {
        less(text).replace("select(0u, 1u, bits - digits * digits > 2u * digits)", "0u")
    }
    let rows = rows();
    let found = [less, more, less_and_not_looked_at].map(|patch| norms(&patched_gpu(small(), patch), &rows));
    assert_eq!(found.map(|norms| norms == host(&rows)), [true, true, false]);
}
