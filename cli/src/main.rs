//! Reduce files of numbers on whatever adapter is there.

// Formats that are left out leave pieces without a use.
#![cfg_attr(
    not(all(
        feature = "arrow",
        feature = "csv",
        feature = "gzip",
        feature = "npz",
        feature = "parquet",
        feature = "safetensors",
        feature = "zstd"
    )),
    allow(dead_code)
)]

mod adapters;
mod args;
mod beside;
mod cache;
mod columns;
mod division;
mod each;
mod edges;
mod error;
mod explain;
mod files;
mod format;
mod gather;
mod guard;
mod input;
mod interrupt;
mod json;
mod keys;
mod ladder;
mod list;
mod making;
mod npz;
mod operators;
mod options;
mod output;
mod pairs;
mod partial;
mod parts;
mod plot;
mod range;
mod reading;
mod report;
mod run;
mod sieve;
mod source;
mod weights;

use anyhow::Result;
use args::{ADAPTERS, Args, Asked, EXPLAIN, LADDER, MERGE};
use output::print;
use std::io::Write;
use std::process::ExitCode;
use treefold::Team;

fn main() -> ExitCode {
    hush_mesa();
    hear_of_size_limits();
    interrupt::heed();
    let done = work().map_err(|error| error::say_error(&error));
    // What opens no device beside other work, `ladder` say, is done by now.
    if Team::is_opening() {
        leave(done.as_ref().err().copied().unwrap_or(0));
    }
    done.unwrap_or_else(ExitCode::from)
}

/// Leaves without the destructors of drivers: one of them is in the middle of opening a device, which the answer did not wait for.
fn leave(status: u8) {
    // What was printed is flushed line by line; a reader that is gone wants no more.
    drop(std::io::stdout().flush());
    #[cfg(unix)]
    // SAFETY: it ends the process; nothing runs behind it.
    unsafe {
        libc::_exit(status.into())
    }
    #[cfg(not(unix))]
    drop(status);
}

/// Without a desktop session Mesa's layer that asks the desktop for its GPU complains on standard error, although nothing
/// is wrong; it is told to stay out.
fn hush_mesa() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: this is the first statement of the program; there is no other thread that could read the environment.
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

fn work() -> Result<ExitCode> {
    match std::env::args_os().nth(1) {
        Some(word) if word == LADDER => return ladder::run(),
        Some(word) if word == EXPLAIN => {
            explain::run()?.map_or(Ok(()), |text| print(&text))?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => (),
    }
    let args = match Args::read()? {
        Asked::Work(args) => *args,
        Asked::Printed(status) => return Ok(status.into()),
    };
    log_as_told(args.verbose);
    let text = if args.is(ADAPTERS) {
        adapters::list(args.json)?
    } else if let Some(named) = &args.columns {
        let found = columns::run(&args, named)?;
        found
            .asides()
            .iter()
            .filter(|_| args.quiet || args.csv)
            .for_each(|aside| error::say(&format!("treefold: note: {aside}")));
        match (args.json, args.quiet) {
            _ if args.csv => found.csv()?,
            (true, _) => found.json()?,
            (false, true) => found.bare(),
            (false, false) => found.text(),
        }
    } else {
        let report = if args.is(MERGE) { partial::merge(&args)? } else { run::run(&args)? };
        for note in report
            .outside()
            .into_iter()
            .chain(report.missing())
            .chain(report.left_out())
            .filter(|_| args.quiet || args.csv)
        {
            error::say(&format!("treefold: note: {note}"));
        }
        match (args.json, args.quiet) {
            // The partial itself stands there.
            _ if args.pipes_partial() => String::new(),
            _ if args.csv => report.csv()?,
            (true, _) => report.json().line()?,
            // The array has gone to its file.
            (false, true) if report.is_array => String::new(),
            (false, true) => report.bare(),
            (false, false) => report.text(),
        }
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Messages of the library and of wgpu: with --verbose at level info, or as RUST_LOG says; else none.
fn log_as_told(verbose: bool) {
    if verbose || std::env::var_os("RUST_LOG").is_some() {
        // wgpu warns of what results are read through where the kernel left them.
        let told = env_logger::Env::default().default_filter_or("info,wgpu_core::instance=error");
        env_logger::Builder::from_env(told).init();
    }
}
