//! Reduce files of numbers on whatever adapter is there.

use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;
use treefold::Team;
use treefold_cli::args::{ADAPTERS, Args, Asked, BENCH, EXPLAIN, LADDER, MERGE, TUNE};
use treefold_cli::streams::print;
use treefold_cli::{adapters, bench, columns, error, explain, ladder, partial, run, streams, tune};

fn main() -> ExitCode {
    keep_memory();
    hush_mesa();
    hear_of_size_limits();
    let done = work().map_err(|error| error::say_error(&error));
    // What opens no device beside other work, `ladder` say, is done by now.
    if Team::is_opening() {
        leave(done.as_ref().err().copied().unwrap_or(0));
    }
    done.unwrap_or_else(ExitCode::from)
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
        // SAFETY: the program calls this first; there is no other thread that could read the environment.
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
    log_as_told(args.verbose);
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

/// Messages of the library and of wgpu: with --verbose at level info, or as RUST_LOG says; else none.
fn log_as_told(verbose: bool) {
    if verbose || std::env::var_os("RUST_LOG").is_some() {
        // wgpu warns of what results are read through where the kernel left them.
        let told = env_logger::Env::default().default_filter_or("info,wgpu_core::instance=error");
        env_logger::Builder::from_env(told).init();
    }
}
