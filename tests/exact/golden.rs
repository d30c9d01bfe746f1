//! Exact answers kept in a file, so that no version, machine or change of the tests themselves can move a bit unseen.
//!
//! Inputs come from the seeded generators of `common/sets.rs`; answers were found by the oracle, not by the library:
//! `cargo test --test exact golden::write -- --ignored` makes the file anew.

use crate::common::oracle::Exactly;
use crate::common::{gpu, sets, upload};
use treefold::half::f16;
use treefold::ops::*;
use treefold::{Cpu, Element, Gpu};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/exact.tsv");
const HEAD: &str = "operator\tdtype\tkind\telements\tseed\tbits";

/// Kinds of input and their lengths, of which every operator takes its share.
const INPUTS: [(&str, usize); 10] = [
    ("uniform", 100_003),
    ("any bits", 4_099),
    ("cancel", 2_001),
    ("nearly cancel", 10_000),
    ("subnormal", 1_023),
    ("ramp", 777),
    ("equal", 65_537),
    ("minus zero", 3),
    ("near one", 3_333),
    ("about underflow", 5_000),
];

macro_rules! every_operator {
    ($visit:ident($($arg:expr),*)) => {{
        $visit::<f32, Sum>($($arg),*);
        $visit::<f16, Sum>($($arg),*);
        $visit::<f64, Sum>($($arg),*);
        $visit::<f32, Mean>($($arg),*);
        $visit::<f16, Mean>($($arg),*);
        $visit::<f64, Mean>($($arg),*);
        $visit::<f32, SumOfSquares>($($arg),*);
        $visit::<f32, Norm2>($($arg),*);
        $visit::<[f32; 2], Dot>($($arg),*);
        $visit::<i64, Sum>($($arg),*);
        $visit::<u64, Sum>($($arg),*);
    }};
}

fn write_rows<T: Element, O: Exactly<T>>(rows: &mut Vec<String>) {
    for (seed, (kind, n)) in INPUTS.into_iter().enumerate() {
        let bits = O::want(&sets::make::<T>(kind, n, seed as u64)).expect("an answer");
        rows.push(format!("{}\t{}\t{kind}\t{n}\t{seed}\t{bits:#x}", O::NAME, T::DTYPE));
    }
}

fn all_rows() -> String {
    let mut rows = vec![HEAD.to_string()];
    every_operator!(write_rows(&mut rows));
    rows.join("\n") + "\n"
}

#[test]
#[ignore = "writes tests/golden/exact.tsv"]
fn write() {
    std::fs::write(FILE, all_rows()).expect("a file");
}

/// One answer of the file.
struct Row<'a> {
    text: &'a str,
    kind: &'a str,
    elements: usize,
    seed: u64,
    bits: u128,
}

fn rows(file: &str) -> Vec<([&str; 2], Row<'_>)> {
    let row = |text| {
        let columns: Vec<&str> = str::split(text, '\t').collect();
        let [operator, dtype, kind, elements, seed, bits] = columns[..] else { panic!("{text:?} has other columns") };
        let bits = u128::from_str_radix(bits.trim_start_matches("0x"), 16).expect("bits");
        let row = Row {
            text,
            kind,
            elements: elements.parse().expect("a length"),
            seed: seed.parse().expect("a seed"),
            bits,
        };
        ([operator, dtype], row)
    };
    assert_eq!(file.lines().next(), Some(HEAD));
    file.lines().skip(1).map(row).collect()
}

fn check<T: Element, O: Exactly<T>>(gpu: &Gpu, rows: &[([&str; 2], Row)], seen: &mut usize) {
    let reducer = gpu.reducer::<T, O>(O::default()).expect("a reducer");
    for (_, row) in rows.iter().filter(|(of, _)| *of == [O::NAME, T::DTYPE.name()]) {
        let elements = sets::make::<T>(row.kind, row.elements, row.seed);
        let host = Cpu::with_threads(2).reduce(O::default(), &elements).expect("an answer");
        assert_eq!(O::told(&host), Some(row.bits), "on the host: {}", row.text);
        let buffer = upload(gpu, &elements);
        let device = reducer.reduce(treefold::Input::range(&buffer, 0..row.elements as u64)).expect("an answer");
        assert_eq!(O::told(&device), Some(row.bits), "on the device: {}", row.text);
        *seen += 1;
    }
}

#[test]
fn answers_are_those_of_the_file() {
    let file = std::fs::read_to_string(FILE).expect("tests/golden/exact.tsv");
    let rows = rows(&file);
    assert!(rows.len() >= 60, "{} rows", rows.len());
    // Bins compile fast everywhere.
    let gpu = gpu().with_tuning(gpu().tuning().with(|tuning| tuning.own_bins_max = 0)).expect("a launch shape");
    let mut seen = 0;
    every_operator!(check(&gpu, &rows, &mut seen));
    assert_eq!(seen, rows.len());
}

/// The oracle and the generators stand where they stood when the file was written.
#[test]
fn the_oracle_still_says_the_same() {
    assert_eq!(std::fs::read_to_string(FILE).expect("tests/golden/exact.tsv"), all_rows());
}
