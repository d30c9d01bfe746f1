//! The memory that a large batch holds at once: a test with a process of its own, whose memory it reads.
#![cfg(target_os = "linux")]

mod common;

use common::{gpu, upload};
use treefold::Input;
use treefold::ops::Sum;

/// A number of `/proc/self/status`, in bytes.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("a line");
    let number = line.split_whitespace().nth(1).expect("a number");
    number.parse::<u64>().expect("a number") << 10
}

#[test]
fn a_batch_holds_little_at_once() {
    const INPUTS: u64 = 30_000;
    let gpu = gpu();
    let data = upload(&gpu, &(0..1000u32).collect::<Vec<_>>());
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let inputs = |n: u64| (0..n).map(|n| Input::range(&data, n % 900..n % 900 + 3));
    sum.reduce_batch(inputs(10)).expect("answers");
    let before = status("VmRSS");
    let answers = sum.reduce_batch(inputs(INPUTS)).expect("answers");
    let grown = status("VmHWM").saturating_sub(before);
    let right: Vec<_> = (0..INPUTS).map(|n| 3 * (n % 900 + 1)).collect();
    assert!(answers == right, "{} answers", answers.len());
    // All at once, 30,000 inputs took about 150 MiB.
    assert!(grown <= 64 << 20, "{} MiB", grown >> 20);
}
