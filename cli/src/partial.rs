//! Partials: reductions that stop before their last step, in files that merge to the answer over everything.

use crate::args::Args;
use crate::edges::one_way;
use crate::error::{STDIN, shown_path, unreadable, usage};
use crate::operators::{self, Chosen, Told};
use crate::output::{Output, Written};
use crate::report::{Answered, MERGED, Many, Over, Report, Seconds, arrays};
use anyhow::{Context, Result, anyhow, ensure};
use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;
use treefold::internals::title;
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, Element, Fold, Header, Op, Partials};

/// The option that names the place of a partial.
const OPTION: &str = "--partial";

/// The place of what the command line wants written: a partial, on standard output for `-`, or an array.
pub fn target(args: &Args) -> Result<Option<Output>> {
    Ok(match (&args.partial, &args.output) {
        (Some(path), _) if path.as_os_str() == "-" => Some(Output::standard(OPTION)?),
        (Some(path), _) => Some(Output::file(OPTION, path, args.force)?),
        (None, Some(path)) => Some(Output::file("--output", path, args.force)?),
        (None, None) => None,
    })
}

/// Writes what the command line wants written: the bytes of a partial, or the arrays of answers.
pub fn written(
    args: &Args,
    target: Option<Output>,
    partial: Option<Vec<u8>>,
    found: &[Answered],
    names: &str,
) -> Result<Option<Written>> {
    let Some(target) = target else { return Ok(None) };
    let bytes = match (partial, &args.output) {
        (Some(bytes), _) => bytes,
        (None, Some(path)) => arrays(path, found).with_context(|| names.to_string())?,
        (None, None) => return Ok(None),
    };
    target.write(&bytes).map(Some)
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

/// Merges the partials that the command line names, in their order, one behind the other.
pub fn merge(args: &Args) -> Result<Report> {
    let start = Instant::now();
    let target = target(args)?;
    let (first, others) = args.files.split_first().context("no partials")?;
    let first = Found::read(first, args.memory)?;
    let unknown = || anyhow!("{}: is a partial {}, which this treefold does not have", first.name, first.what());
    let dtype = operators::dtype_named(&first.header.dtype).ok_or_else(unknown)?;
    let chosen = Chosen::named(first.header.name(), dtype).ok_or_else(unknown)?;
    let mut told = first.told();
    let plain = chosen.visit(&told, Boxed).map_err(|_| unknown())?;
    operators::check(chosen.typed(), &args.told)
        .with_context(|| format!("{} is a partial {}", first.name, first.what()))?;
    told.extend(args.told.iter().cloned());
    one_way(&told).with_context(|| format!("{} is a partial {}", first.name, first.what()))?;
    chosen.visit(&told, Merge { args, first: &first, others, chosen, plain, target, start })?
}

/// A partial's file.
struct Found {
    name: String,
    bytes: Vec<u8>,
    header: Header,
}

impl Found {
    /// Reads at most so many bytes, of a file that is no partial the first few.
    fn read(path: &Path, most: u64) -> Result<Found> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { STDIN.into() } else { shown_path(path) };
        let mut bytes = vec![];
        let opened: std::io::Result<Box<dyn Read>> =
            if stdin { Ok(Box::new(std::io::stdin())) } else { File::open(path).map(|file| Box::new(file) as _) };
        let read = opened.and_then(|mut from| {
            from.by_ref().take(Header::MAGIC.len() as u64).read_to_end(&mut bytes)?;
            if bytes == Header::MAGIC {
                from.take(most).read_to_end(&mut bytes)?;
            }
            Ok(())
        });
        read.map_err(|error| unreadable(&name, &error))?;
        ensure!(
            bytes.len() as u64 <= most,
            "{name}: is a partial of more than the {most} bytes of --memory; raise it, or reduce a part of the array in each call"
        );
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

    /// Its accumulators, where it is of the same kind as the `first`.
    fn partials<T: Element, O: Op<T>>(&self, op: &O, first: &Found) -> Result<Partials<T, O>> {
        ensure!(
            first.what() == self.what(),
            "{} is a partial {}, but {} is a partial {}; merge like with like",
            first.name,
            first.what(),
            self.name,
            self.what()
        );
        Partials::from_bytes(op.clone(), &self.bytes).with_context(|| self.name.clone())
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
    args: &'a Args,
    first: &'a Found,
    others: &'a [PathBuf],
    chosen: Chosen,
    /// The operator as the partials have it.
    plain: Box<dyn Any>,
    target: Option<Output>,
    start: Instant,
}

impl Visitor for Merge<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, wanted: O) -> Result<Report> {
        let Merge { args, first, others, chosen, plain, target, start } = self;
        let op: &O = plain.downcast_ref().context("another operator")?;
        let what = |op: &O| title(&op.signature());
        if !same_fold(&op.fold(), &wanted.fold()) {
            return Err(usage(format!(
                "{}: is a partial {}, of which {} cannot be made; reduce the input anew",
                first.name,
                what(op),
                what(&wanted)
            )));
        }
        if args.partial.is_some() && what(op) != what(&wanted) {
            return Err(usage(format!("a merged partial stays a {}; give its options with the answer", what(op))));
        }
        if args.output.is_some() {
            Many::ensure_array(&operators::sample(&wanted)?, chosen.typed())?;
        }
        let names = match others {
            [] => first.name.clone(),
            others => format!("{} partials ({} ...)", 1 + others.len(), first.name),
        };
        ensure_mergeable::<T, O>(&chosen).with_context(|| names.clone())?;
        let mut all: Partials<T, O> = first.partials(op, first)?;
        for path in others {
            let found = Found::read(path, args.memory)?;
            let partials = found.partials(op, first)?;
            all = all.merge(partials).with_context(|| found.name.clone())?;
        }
        let read = start.elapsed();
        let (count, indexed) = (all.answers().saturating_mul(all.length()), operators::indexed(&wanted)?);
        let single = all.shape().is_empty();
        let (shape, length) = (all.shape().to_vec(), all.length());
        let (many, partial) = if args.partial.is_some() {
            let bytes = all.to_bytes().with_context(|| names.clone())?;
            (Many::none(shape, Over::Length(length)), Some(bytes))
        } else {
            let answers = all.finish_as(&wanted).with_context(|| names.clone())?;
            (Many::new(shape, Over::Length(length), answers), None)
        };
        let (parts, many) = match single {
            true => (many.answers.into_iter().next().unwrap_or_default(), None),
            false => (vec![], Some(many)),
        };
        let found = vec![Answered::of(&wanted, &chosen, indexed, parts, many)];
        let written = written(args, target, partial, &found, &names)?;
        Ok(Report {
            found,
            names,
            dtype: T::DTYPE,
            count,
            bytes: 0,
            written,
            is_array: args.output.is_some(),
            plotted: None,
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
