//! Ctrl-C: a run that is cut short leaves no half line on the terminal and no half file on the disk. Where there is nothing to leave the signal
//! ends the program by itself.

use indicatif::ProgressBar;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The exit status of a run that Ctrl-C ended.
const STATUS: i32 = 130;

/// Things that must not stay behind.
struct Left {
    files: Vec<PathBuf>,
    bar: Option<ProgressBar>,
}

static LEFT: Mutex<Left> = Mutex::new(Left { files: Vec::new(), bar: None });

/// A file that is removed on Ctrl-C.
pub fn remove(file: PathBuf) {
    left().files.push(file);
    heed();
}

/// A bar that is cleared on Ctrl-C, in place of the one before.
pub fn clear(bar: ProgressBar) {
    left().bar = Some(bar);
    heed();
}

fn left() -> MutexGuard<'static, Left> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program cleanly on Ctrl-C from now on.
fn heed() {
    static HEEDED: Once = Once::new();
    // Where the signal is ignored (a job in a script's background), it stays so: that is the error here.
    HEEDED.call_once(|| drop(ctrlc::try_set_handler(end).inspect_err(|error| log::debug!("Ctrl-C: {error}"))));
}

fn end() {
    let left = left();
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
