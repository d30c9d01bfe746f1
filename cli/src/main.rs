//! Reduce files of numbers on whatever adapter is there.

mod adapters;
mod args;
mod error;
mod explain;
mod format;
mod gather;
mod guard;
mod input;
mod json;
mod ladder;
mod npy;
mod operators;
mod pairs;
mod partial;
mod report;
mod run;
mod source;

use anyhow::{Context, Result};
use args::{ADAPTERS, Args, Asked, EXPLAIN, LADDER, MERGE};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    hush_mesa();
    match work() {
        Ok(status) => status,
        Err(error) => {
            let (line, status) = error::told(&error);
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{line}");
            status.into()
        }
    }
}

/// Without a desktop session Mesa's layer that asks the desktop for its GPU complains on standard error, although nothing
/// is wrong; it is told to stay out.
fn hush_mesa() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: this is the first statement of the program; there is no other thread that could read the environment.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

fn work() -> Result<ExitCode> {
    match std::env::args_os().nth(1) {
        Some(word) if word == LADDER => return ladder::run(),
        Some(word) if word == EXPLAIN => {
            return Ok(match explain::run()? {
                Some(text) => print(&text)?,
                None => ExitCode::SUCCESS,
            });
        }
        _ => (),
    }
    let args = match Args::read()? {
        Asked::Work(args) => args,
        Asked::Printed(status) => return Ok(status.into()),
    };
    log_as_told(args.verbose);
    let text = if args.operator == ADAPTERS {
        adapters::list(args.json)
    } else {
        let report = if args.operator == MERGE { partial::merge(&args)? } else { run::run(&args)? };
        match (args.json, args.quiet) {
            (true, _) => serde_json::to_string(&report.json()).context("JSON")? + "\n",
            (false, true) => report.bare(),
            (false, false) => report.text(),
        }
    };
    print(&text)
}

/// Messages of the library and of wgpu: with --verbose at level info, or as RUST_LOG says; else none.
fn log_as_told(verbose: bool) {
    if verbose || std::env::var_os("RUST_LOG").is_some() {
        env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    }
}

/// Prints all at once; a reader that has gone is no error.
fn print(text: &str) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(ExitCode::SUCCESS),
    }
}
