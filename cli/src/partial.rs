//! Partials: reductions that stop before their last step, in files that merge to the answer over everything.

use crate::args::Args;
use crate::edges::one_way;
use crate::error::{STDIN, shown_path, unreadable, usage};
use crate::operators::{self, Chosen, Told};
use crate::output::Output;
use crate::report::{MERGED, Report, Seconds};
use anyhow::{Context, Result, anyhow, ensure};
use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use treefold::internals::title;
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, Element, Fold, Header, Op, Partial};

/// Longer files are no partials.
const BYTES_MAX: u64 = 128 << 20;

/// The option that names the place of a partial.
const OPTION: &str = "--partial";

/// The place of a partial: standard output for `-`, else a file.
pub fn target(path: &Path, force: bool) -> Result<Output> {
    match path.as_os_str() == "-" {
        true => Output::standard(OPTION),
        false => Output::file(OPTION, path, force),
    }
}

/// Whether partials of this operator merge to the same bits, however the input was cut.
pub fn ensure_mergeable<T: Element, O: Op<T>>(chosen: &Chosen) -> Result<()> {
    let (name, dtype) = (chosen.typed(), chosen.dtype);
    let integers = matches!(dtype, Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64);
    let (fast, repair) = match chosen.method {
        Some(_) => (" --fast", "without --fast it is one"),
        None => ("", "name all files in one call"),
    };
    ensure!(
        O::EXACT || integers,
        "{name}{fast} over {dtype} rounds on the way, so its parts do not merge to the bits of the whole; partials are for \
         operators that do; {repair}"
    );
    Ok(())
}

/// Merges the partials that the command line names, in their order.
pub fn merge(args: &Args) -> Result<Report> {
    let start = Instant::now();
    let target = args.partial.as_deref().map(|path| target(path, args.force)).transpose()?;
    let files = args.files.iter().map(|path| Found::read(path)).collect::<Result<Vec<Found>>>()?;
    let first = files.first().context("no partials")?;
    for found in &files {
        ensure!(
            first.what() == found.what(),
            "{} is a partial {}, but {} is a partial {}; merge like with like",
            first.name,
            first.what(),
            found.name,
            found.what()
        );
    }
    let unknown = || anyhow!("{}: is a partial {}, which this treefold does not have", first.name, first.what());
    let dtype = operators::dtype_named(&first.header.dtype).ok_or_else(unknown)?;
    let chosen = Chosen::named(first.header.name(), dtype).ok_or_else(unknown)?;
    let mut told = first.told();
    let plain = chosen.visit(&told, Boxed).map_err(|_| unknown())?;
    operators::check(chosen.typed(), &args.told)
        .with_context(|| format!("{} is a partial {}", first.name, first.what()))?;
    told.extend(args.told.iter().cloned());
    one_way(&told).with_context(|| format!("{} is a partial {}", first.name, first.what()))?;
    chosen.visit(&told, Merge { files: &files, chosen, plain, target, start })?
}

/// A partial's file.
struct Found {
    name: String,
    bytes: Vec<u8>,
    header: Header,
}

impl Found {
    fn read(path: &Path) -> Result<Found> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { STDIN.into() } else { shown_path(path) };
        let mut bytes = vec![];
        let opened: std::io::Result<Box<dyn Read>> =
            if stdin { Ok(Box::new(std::io::stdin())) } else { File::open(path).map(|file| Box::new(file) as _) };
        let read = opened.and_then(|from| from.take(BYTES_MAX).read_to_end(&mut bytes));
        read.map_err(|error| unreadable(&name, &error))?;
        let header = Header::read(&bytes).with_context(|| name.clone())?;
        Ok(Found { name, bytes, header })
    }

    /// What it says it is.
    fn what(&self) -> String {
        format!("{} of {}", self.header.title(), self.header.dtype)
    }

    /// The parameters of its operator.
    fn told(&self) -> Told {
        let inner = self.header.operator.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let words = inner.unwrap_or_default().split(',').filter_map(|word| word.split_once('='));
        words.map(|(name, value)| (name.into(), value.into())).collect()
    }
}

/// Keeps an operator for later.
struct Boxed;

impl Visitor for Boxed {
    type Out = Box<dyn Any>;
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Box<dyn Any> {
        Box::new(op)
    }
}

/// The merge; visited with the operator as the command line wants it.
struct Merge<'a> {
    files: &'a [Found],
    chosen: Chosen,
    /// The operator as the partials have it.
    plain: Box<dyn Any>,
    target: Option<Output>,
    start: Instant,
}

impl Visitor for Merge<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, wanted: O) -> Result<Report> {
        let Merge { files, chosen, plain, target, start } = self;
        let op: &O = plain.downcast_ref().context("another operator")?;
        let what = |op: &O| title(&op.signature());
        if !same_fold(&op.fold(), &wanted.fold()) {
            return Err(usage(format!(
                "{}: is a partial {}, of which {} cannot be made; reduce the input anew",
                files[0].name,
                what(op),
                what(&wanted)
            )));
        }
        let names = match files {
            [only] => only.name.clone(),
            all => format!("{} partials ({} ...)", all.len(), all[0].name),
        };
        ensure_mergeable::<T, O>(&chosen).with_context(|| names.clone())?;
        let mut all = Partial::empty(op.clone());
        for found in files {
            let partial = Partial::from_bytes(op.clone(), &found.bytes);
            all = partial.and_then(|partial| all.merge(partial)).with_context(|| found.name.clone())?;
        }
        let read = start.elapsed();
        let count = all.count();
        let found = match target {
            None => all.finish_as(&wanted).map(|answer| (answer.parts(), None)).map_err(anyhow::Error::from),
            Some(target) => {
                if op.signature() != wanted.signature() {
                    return Err(usage(format!(
                        "a merged partial stays a {}; give its options with the answer",
                        what(op)
                    )));
                }
                all.to_bytes().map_err(anyhow::Error::from).and_then(|bytes| Ok((vec![], Some(target.write(&bytes)?))))
            }
        };
        let (parts, written) = found.with_context(|| names.clone())?;
        Ok(Report {
            operator: chosen.typed().into(),
            edges: wanted.edges(),
            names,
            dtype: T::DTYPE,
            count,
            bytes: 0,
            indexed: operators::indexed(&wanted)?,
            parts,
            many: None,
            written,
            is_array: false,
            plotted: None,
            exact: O::EXACT,
            method: chosen.method,
            adapter: MERGED.into(),
            backend: "cpu",
            seconds: Seconds { read, upload: None, kernel: None, total: start.elapsed() },
        })
    }
}

/// Whether two folds carry the same, so that an accumulator of the one is one of the other.
fn same_fold<T: Element, F: Fold<T>>(a: &F, b: &F) -> bool {
    let told = |fold: &F| (fold.kind(), fold.params(), fold.table(), fold.acc_words());
    told(a) == told(b)
}
