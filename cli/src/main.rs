//! Reduce files of numbers on whatever adapter is there.

use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;
use treefold::Team;
use treefold_cli::args::{ADAPTERS, Args, Asked, BENCH, EXPLAIN, LADDER, MERGE, TUNE};
use treefold_cli::streams::print;
use treefold_cli::{adapters, bench, columns, error, explain, ladder, partial, run, streams, tune};

fn main() -> ExitCode {
    streams::ready();
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

fn work() -> Result<ExitCode> {
    let asked = std::env::var_os("RUST_LOG").is_some();
    if asked {
        log();
    }
    match std::env::args_os().nth(1) {
        Some(word) if word == LADDER => return ladder::run(),
        Some(word) if word == BENCH => return bench::run(),
        Some(word) if word == TUNE => return tune::run().map(|()| ExitCode::SUCCESS),
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
    if args.verbose && !asked {
        log();
    }
    let text = if args.is(ADAPTERS) {
        adapters::list(args.json)?
    } else if let Some(named) = &args.columns {
        let found = columns::run(&args, named)?;
        found
            .asides()
            .iter()
            .filter(|_| args.quiet || args.csv)
            .for_each(|aside| streams::say(&format!("treefold: note: {aside}")));
        match (args.json, args.quiet) {
            _ if args.csv => found.csv()?,
            (true, _) => found.json()?,
            (false, true) => found.bare(),
            (false, false) => found.text(),
        }
    } else {
        let report = if args.is(MERGE) { partial::merge(&args)? } else { run::run(&args)? };
        run::shown_as_asked(&args, &report)?
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Messages of the library and of wgpu: at level info, or as RUST_LOG says.
fn log() {
    // wgpu warns of what results are read through where the kernel left them.
    let told = env_logger::Env::default().default_filter_or("info,wgpu_core::instance=error");
    env_logger::Builder::from_env(told).init();
}
