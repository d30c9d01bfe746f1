//! The process and its surroundings. After Ctrl-C a run that is cut short leaves no half line on the terminal and no half file on the disk.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The exit status of a run that Ctrl-C ended.
const STATUS: i32 = 130;

/// Things that must not stay behind.
struct Left {
    files: Vec<PathBuf>,
    bar: Option<ProgressBar>,
}

static LEFT: Mutex<Left> = Mutex::new(Left { files: Vec::new(), bar: None });

/// Makes the process ready for what may befall it: the first statement of a program.
pub fn ready() {
    keep_memory();
    hush_mesa();
    hear_of_size_limits();
    heed();
}

/// Keeps freed memory for what comes next: a fresh page costs more than what is read into it. By `/usr/bin/time -f "%S %R" treefold mean
/// zstd.parquet`, a file of benches/peers/tables.py, on two cores: 0.48 s of the system and 104,000 page faults, and so 0.16 and 8,000.
fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    // SAFETY: two numbers of the allocator; there is no other thread yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
    }
}

/// Without a desktop session Mesa's layer that asks the desktop for its GPU complains on standard error, although nothing
/// is wrong; it is told to stay out.
fn hush_mesa() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: programs call this first; there is no other thread that could read the environment.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// A file that would grow beyond `ulimit -f` is an error of the write, not the end of the program.
fn hear_of_size_limits() {
    #[cfg(unix)]
    // SAFETY: a signal is ignored; no code of ours runs on it.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Ends the program cleanly on Ctrl-C from now on.
fn heed() {
    // Where the signal is ignored (a job in a script's background), it stays so: that is the error here.
    if let Err(error) = ctrlc::try_set_handler(end) {
        log::debug!("Ctrl-C: {error}");
    }
}

/// A file that is removed on Ctrl-C.
pub fn remove(file: PathBuf) {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).files.push(file);
}

/// A bar of so many steps, a spinner where that is not known, which is cleared on Ctrl-C: where it is wanted, and only on a terminal.
pub fn bar(wanted: bool, steps: Option<u64>, template: &str) -> ProgressBar {
    if !wanted || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = steps.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸─"));
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).bar = Some(bar.clone());
    bar
}

/// A bar for steps, with what is at work.
pub fn steps(wanted: bool, steps: usize) -> ProgressBar {
    bar(wanted, Some(steps as u64), "{bar:32.cyan/dim} {pos}/{len} {msg}")
}

fn end() {
    let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    // One that has its own name by now is not there.
    left.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
    match left.bar.as_ref().filter(|bar| !bar.is_hidden() && !bar.is_finished()) {
        Some(bar) => bar.finish_and_clear(),
        // Behind the terminal's own ^C.
        None if std::io::stderr().is_terminal() => drop(writeln!(std::io::stderr())),
        None => (),
    }
    // Without what libraries do at an ordinary exit: their threads are at work.
    #[cfg(unix)]
    // SAFETY: it ends the process; nothing runs behind it.
    unsafe {
        libc::_exit(STATUS)
    }
    #[cfg(not(unix))]
    std::process::exit(STATUS)
}
