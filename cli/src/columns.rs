//! Several columns in one call: each is reduced with its own type. Those of a text are read in one pass, side by side; others lie
//! apart, and each is read on its own.

mod abreast;

use crate::args::Args;
use crate::files::{ListedColumn, NamedColumns, abreast as several};
use crate::input::{FoundInput, Inputs, find};
use crate::range;
use crate::report::{Column, Columns};
use crate::run::{Engines, reduce};
use crate::streams::say;
use abreast::Text;
use anyhow::{Context, Result, ensure};
use std::time::Instant;

/// Columns of a text that are read in one pass, at most, where it can be read again.
const ABREAST: usize = 16;
/// Memory of each of them, at least.
const LEAST_MEMORY: u64 = 1 << 20;

/// Reduces the columns that the command line names.
pub fn run(args: &Args, named: &NamedColumns) -> Result<Columns> {
    let start = Instant::now();
    let engines = Engines::default();
    let (all, texts) = columns(args, named)?;
    let columns = match texts {
        Some(texts) => in_passes(args, all, texts, &engines)?,
        None => {
            let one = |name: String| {
                let args = alone(args, &name, 1);
                let report = || reduce(&args, Inputs::open(&args.files, args.ask())?, None, &engines);
                report().with_context(|| of(&name)).map(|report| Column { name, report })
            };
            all.into_iter().map(one).collect::<Result<_>>()?
        }
    };
    engines.keep_cache();
    Ok(Columns { columns, total: start.elapsed() })
}

/// Names of the columns that are asked for, and the inputs where they are texts that are read in passes.
fn columns(args: &Args, named: &NamedColumns) -> Result<(Vec<String>, Option<Vec<Text>>)> {
    let paths = args.inputs();
    let mut ask = args.ask();
    // An input without a name may be a table where columns of it are asked for.
    ask.column = Some(String::new());
    let mut found = paths.iter().map(|path| find(path)).collect::<Result<Vec<_>>>()?;
    let once = found.iter().any(|(_, found)| !matches!(found, FoundInput::File(..)));
    let mut texts = once || !range::reads_twice(args);
    for ((name, found), path) in found.iter_mut().zip(&paths) {
        if let FoundInput::File(file, _) = found {
            texts = texts && (once || several::is_text(name, path, file, &ask)?);
        }
    }
    let listed = match (named, texts, found.first_mut().zip(paths.first())) {
        (NamedColumns::These(names), ..) => return Ok((names.clone(), texts.then(|| Text::all(found, &paths)))),
        (NamedColumns::All, _, None) => vec![],
        (NamedColumns::All, true, Some(((name, found), path))) => Text::columns(name, found, path, &ask)?,
        (NamedColumns::All, false, Some(((name, found), path))) => match found {
            FoundInput::File(file, look) => several::columns(name, path, file.try_clone()?, look.length, &ask)?,
            FoundInput::Pipe(_) | FoundInput::Waiting => vec![],
        },
    };
    let names = of_numbers(listed);
    ensure!(!names.is_empty(), "{}: has no column of numbers", found.first().map_or("", |(name, _)| name));
    Ok((names, texts.then(|| Text::all(found, &paths))))
}

/// The columns of numbers; that others are left out is said.
fn of_numbers(listed: Vec<ListedColumn>) -> Vec<String> {
    let number = |ListedColumn { name, other }: ListedColumn| match other {
        None => Some(name),
        Some(other) => {
            say(&format!("treefold: note: {other}; it is left out"));
            None
        }
    };
    listed.into_iter().filter_map(number).collect()
}

/// Reduces columns of texts, as many of them at once as may be.
fn in_passes(args: &Args, names: Vec<String>, texts: Vec<Text>, engines: &Engines) -> Result<Vec<Column>> {
    let room = usize::try_from(args.memory / LEAST_MEMORY).unwrap_or(usize::MAX).max(1);
    if let Some(once) = texts.iter().find(|text| !text.is_file()) {
        let needs = names.len() as u64 * LEAST_MEMORY;
        ensure!(
            names.len() <= room,
            "{}: {} columns of an input that is read once need {needs} bytes, more than --memory of {}; raise it, or name a file",
            once.name,
            names.len(),
            args.memory
        );
        return abreast::reduce_all(args, &names, texts, engines);
    }
    let passes = names.chunks(room.min(ABREAST));
    let reduced = passes.map(|names| abreast::reduce_all(args, names, Text::again(&texts), engines));
    Ok(reduced.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The command line for one column of so many at once.
fn alone(args: &Args, name: &str, at_once: usize) -> Args {
    let mut one = args.clone();
    (one.column, one.columns, one.memory) = (Some(name.into()), None, args.memory / at_once as u64);
    one
}

/// Whose error it is.
fn of(name: &str) -> String {
    format!("column {name}")
}
