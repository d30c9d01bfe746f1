//! The process among others: the streams that people read, standard output and standard error, on which nothing steers a terminal but bars, and
//! what a program is made ready for.

use crate::interrupt;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The names of the streams in messages.
pub const STDIN: &str = "standard input";
pub const STDOUT: &str = "standard output";

/// Prints all at once; a reader that has gone is no error.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// The same of bytes.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    printed(std::io::stdout().lock().write_all(bytes))
}

/// The end of printing.
pub fn printed(done: std::io::Result<()>) -> Result<()> {
    match done.and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context(STDOUT),
        _ => Ok(()),
    }
}

/// A text in which nothing steers a terminal: control characters are written out.
pub fn shown(text: &str) -> String {
    let letter = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(letter).collect()
}

/// A file's name for people.
pub fn shown_path(path: &Path) -> String {
    shown(&path.display().to_string())
}

/// Says something on standard error, on one line. Where that is closed or full there is nobody to tell.
pub fn say(line: &str) {
    drop(writeln!(std::io::stderr(), "{}", shown(line)));
}

/// Notes what is said once, however often it is met.
pub fn note_once(note: String) {
    static NOTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let line = format!("treefold: note: {note}");
    if NOTED.lock().unwrap_or_else(PoisonError::into_inner).insert(note) {
        say(&line);
    }
}

/// Says what the answer may suffer from.
pub fn warn(line: &str) {
    say(&format!("treefold: warning: {line}"));
}

/// A bar of so many steps, a spinner where that is not known, which is cleared on Ctrl-C: where it is wanted, and only on a terminal.
pub fn bar(wanted: bool, steps: Option<u64>, template: &str) -> ProgressBar {
    if !wanted || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = steps.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸─"));
    interrupt::clear(bar.clone());
    bar
}

/// A bar for steps, with what is at work.
pub fn steps(wanted: bool, steps: usize) -> ProgressBar {
    bar(wanted, Some(steps as u64), "{bar:32.cyan/dim} {pos}/{len} {msg}")
}

/// Makes the process ready for what may befall it: the first statement of a program.
pub fn ready() {
    keep_memory();
    hush_mesa();
    hear_of_size_limits();
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
