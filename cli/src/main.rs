//! Reduce files of numbers on whatever adapter is there.

use anyhow::Result;
use std::process::ExitCode;
use treefold_cli::args::{ADAPTERS, Args, Asked, EXPLAIN, LADDER, MERGE};
use treefold_cli::output::print;
use treefold_cli::{adapters, columns, error, explain, interrupt, ladder, partial, run};

fn main() -> ExitCode {
    interrupt::ready();
    match work() {
        Ok(status) => status,
        Err(error) => error::say_error(&error).into(),
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
