//! Memory stays bounded, however large the file is.
#![cfg(target_os = "linux")]

use crate::common::*;
use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

/// Sums a sparse file of zeros; gives the peak of the program's resident memory in bytes.
fn peak(file_bytes: u64, memory: &str, through_a_pipe: bool) -> u64 {
    peak_of(&["sum", "--dtype", "u32"], 1, file_bytes, memory, through_a_pipe)
}

/// The same with these arguments and so many times the file.
fn peak_of(args: &[&str], times: usize, file_bytes: u64, memory: &str, through_a_pipe: bool) -> u64 {
    let folder = Folder::new();
    let path = folder.path().join("zeros.bin");
    File::create(&path).unwrap().set_len(file_bytes).unwrap();
    let mut command = program();
    command.args(args).args(["-q", "--memory", memory, "--adapter", &adapter()]);
    let mut cat = None;
    if through_a_pipe {
        let mut child = std::process::Command::new("cat").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
        command.stdin(child.stdout.take().unwrap());
        cat = Some(child);
    } else {
        command.args(vec![&path; times]).stdin(Stdio::null());
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        // Until the process has become the program its memory is that of this test.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let text = if text.starts_with("Name:\ttreefold\n") { text } else { String::new() };
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout == b"0\n", "{output:?}");
    cat.map(|mut cat| cat.wait().unwrap());
    assert!(peak > 0);
    peak
}

/// A driver on the CPU has its compiler and its buffers in the same memory, about 120 MB of them where its shader cache is empty.
fn assert_below(peak: u64, on_cpu_engine: u64, on_adapter: u64) {
    let bound = if adapter() == "cpu" { on_cpu_engine } else { on_adapter };
    assert!(peak < bound, "{peak} bytes were resident, the bound is {bound} (--adapter {})", adapter());
}

#[test]
fn a_file_larger_than_its_memory() {
    assert_below(peak(1 << 30, "128MiB", false), 200_000_000, 600_000_000);
}

#[test]
fn pairs_larger_than_their_memory() {
    assert_below(peak_of(&["dot", "--dtype", "f32"], 2, 192 << 20, "32MiB", false), 150_000_000, 350_000_000);
}

#[test]
fn a_pipe_that_carries_more_than_its_memory() {
    assert_below(peak(512 << 20, "64MiB", true), 120_000_000, 400_000_000);
}

/// Keys are read beside the elements, never whole.
#[test]
fn keys_of_more_than_their_memory() {
    let folder = Folder::new();
    let count: usize = 48 << 20;
    let keys = text(folder.path().join("keys.npy"));
    std::fs::write(&keys, npy("'<i8'", false, &format!("({count},)"), b"")).unwrap();
    let file = File::options().write(true).open(&keys).unwrap();
    file.set_len(128 + 8 * count as u64).unwrap();
    let args = ["sum", "--dtype", "u32", "--group-by", &keys, "--groups", "1"];
    for through_a_pipe in [false, true] {
        assert_below(peak_of(&args, 1, 4 * count as u64, "32MiB", through_a_pipe), 120_000_000, 300_000_000);
    }
}

/// Over 10 seconds without optimization: `cargo test --release -- --ignored`.
#[test]
#[ignore]
fn three_gigabytes() {
    assert_below(peak(3 << 30, "512MiB", false), 700_000_000, 1_400_000_000);
}
