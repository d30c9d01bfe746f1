//! Partials: reductions that stop before their last step, in files that merge to the answer over everything.

use crate::args::Args;
use crate::edges::one_way;
use crate::error::{unreadable, usage};
use crate::format::Number;
use crate::list;
use crate::npz;
use crate::operators::{self, Boxed, Chosen, Told};
use crate::output::{Output, Written};
use crate::parts::Parts;
use crate::report::{Answered, Computed, LeftOut, Many, Over, Report, Seconds, arrays};
use crate::streams::{STDIN, shown, shown_path};
use anyhow::{Context, Result, anyhow, ensure};
use std::any::Any;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::time::Instant;
use treefold::internals::title;
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, DynOp, Element, Expression, Fold, Header, Op, Partials};
use zip::ZipArchive;

/// The option that names the place of a partial.
const OPTION: &str = "--partial";

/// The place of what the command line wants written: a partial, on standard output for `-`, or an array.
fn target(args: &Args) -> Result<Option<Output>> {
    Ok(match (&args.partial, &args.output) {
        (Some(path), _) if path.as_os_str() == "-" => Some(Output::standard(OPTION)?),
        (Some(path), _) => Some(Output::file(OPTION, path, args.force)?),
        (None, Some(path)) => Some(Output::file("--output", path, args.force)?),
        (None, None) => None,
    })
}

/// The same, and that of a picture.
pub fn targets(args: &Args) -> Result<(Option<Output>, Option<Output>)> {
    let target = target(args)?;
    let picture = args.plot.as_deref().map(|path| Output::file("--plot", path, args.force)).transpose()?;
    if let (Some(array), Some(picture)) = (&target, &picture) {
        array.ensure_apart(picture)?;
    }
    Ok((target, picture))
}

/// Writes what the command line wants written: the partials of what is found, or the arrays of answers.
pub fn written(
    args: &Args,
    target: Output,
    partials: Vec<Vec<u8>>,
    found: &[Answered],
    names: &str,
) -> Result<Written> {
    let bytes = match &args.output {
        Some(path) => arrays(path, found).with_context(|| names.to_string())?,
        None => together(partials, found)?,
    };
    target.write(&bytes)
}

/// The bytes of a partial, or of a file that holds one for each of several operators, by its name.
fn together(mut partials: Vec<Vec<u8>>, found: &[Answered]) -> Result<Vec<u8>> {
    if partials.len() == 1 {
        return Ok(partials.remove(0));
    }
    let named = found.iter().zip(partials).map(|(found, partial)| (format!("{}.part", found.operator), partial));
    npz::file(&named.collect::<Vec<_>>())
}

/// Whether partials of this operator merge to the same bits, however the input was cut.
pub fn ensure_mergeable<T: Element>(op: &DynOp<T>, chosen: &Chosen) -> Result<()> {
    let (name, dtype) = (chosen.typed(), chosen.dtype);
    if let Some(map) = chosen.map.as_ref().filter(|map| map.reads_place()) {
        return Err(anyhow!(
            "{map} goes by the places of numbers, which parts do not know; name all files in one call"
        ));
    }
    let rounds = chosen.map.as_ref().filter(|map| map.rounds());
    if let Some(map) = rounds {
        return Err(anyhow!(
            "{map} rounds, on some adapters in another way, so parts do not merge to the bits of the whole; name all files in one call"
        ));
    }
    let (fast, repair) = match chosen.method {
        Some(_) => (" --fast", "without --fast it is one"),
        None => ("", "name all files in one call"),
    };
    ensure!(
        op.is_exact(),
        "{name}{fast} over {dtype} rounds on the way, so its parts do not merge to the bits of the whole; partials are for \
         operators that do; {repair}"
    );
    Ok(())
}

/// Merges the partials that the command line names, in their order, one behind the other.
pub fn merge(args: &Args) -> Result<Report> {
    let start = Instant::now();
    let target = target(args)?;
    let (path, others) = args.files.split_first().context("no partials")?;
    let first = FoundPartial::all(path, args.memory)?;
    let whose = whose(&first);
    let names = match others {
        [] => first.first().map_or(String::new(), |found| found.name.clone()),
        others => format!("{} partials ({} ...)", 1 + others.len(), shown_path(path)),
    };
    let typed = first.iter().map(|found| Ok(found.chosen()?.typed())).collect::<Result<Vec<_>>>()?;
    operators::check_names(&typed, &args.told).with_context(|| whose.clone())?;
    list::ensure_arrays(&typed, args.output.as_deref())?;
    let several = first.len();
    let begun = first.into_iter().map(|found| begin(args, found, None, &names));
    let mut all = begun.collect::<Result<Vec<Box<dyn Merging>>>>()?;
    for path in others {
        let found = FoundPartial::all(path, args.memory)?;
        ensure!(found.len() == several, "{whose}, but {}; merge like with like", self::whose(&found));
        all.iter_mut().zip(found).try_for_each(|(merging, found)| merging.add(found))?;
    }
    let read = start.elapsed();
    let merged = all.into_iter().map(|merging| merging.end(args, &names)).collect::<Result<Vec<_>>>()?;
    let (dtype, count) = merged.first().map(|merged| (merged.dtype, merged.count)).context("no partials")?;
    let (found, partials): (Vec<_>, Vec<_>) =
        merged.into_iter().map(|Merged { found, partial, .. }| (found, partial)).unzip();
    let partials = partials.into_iter().flatten().collect();
    let written = target.map(|target| written(args, target, partials, &found, &names)).transpose()?;
    Ok(Report {
        found,
        names,
        dtype,
        stored: Number::Of(dtype),
        count,
        missing: None,
        left_out: LeftOut::default(),
        bytes: 0,
        written,
        is_array: args.output.is_some(),
        plotted: None,
        computed: Computed::merged(),
        seconds: Seconds { read, upload: None, kernel: None, total: start.elapsed() },
    })
}

/// The sentence that tells the partials of a file.
fn whose(found: &[FoundPartial]) -> String {
    let name = found.first().map_or("", |found| &found.name);
    let whats = found.iter().map(FoundPartial::what).collect::<Vec<_>>().join(" and ");
    format!("{name} is a partial {whats}")
}

/// A partial of a file.
struct FoundPartial {
    /// The file's name.
    name: String,
    bytes: Vec<u8>,
    header: Header,
}

/// The first bytes of a file of several partials.
const SEVERAL: &[u8] = b"PK\x03\x04";

impl FoundPartial {
    /// Reads all partials of a file of at most so many bytes; of a file that holds none, the first few.
    fn all(path: &Path, most: u64) -> Result<Vec<FoundPartial>> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { STDIN.into() } else { shown_path(path) };
        let mut bytes = vec![];
        let opened: std::io::Result<Box<dyn Read>> =
            if stdin { Ok(Box::new(std::io::stdin())) } else { File::open(path).map(|file| Box::new(file) as _) };
        let read = opened.and_then(|mut from| {
            from.by_ref().take(Header::MAGIC.len() as u64).read_to_end(&mut bytes)?;
            if bytes == Header::MAGIC || bytes.starts_with(SEVERAL) {
                from.take(most).read_to_end(&mut bytes)?;
            }
            Ok(())
        });
        read.map_err(|error| unreadable(&name, &error))?;
        let large = || {
            format!(
                "{name}: is a partial of more than the {most} bytes of --memory; raise it, or reduce a part of the array in each call"
            )
        };
        ensure!(bytes.len() as u64 <= most, large());
        if !bytes.starts_with(SEVERAL) {
            return Ok(vec![FoundPartial::of(name.clone(), bytes).context(name)?]);
        }
        let damaged = |error| anyhow!("{name}: holds several partials and is damaged: {error}; write it anew");
        let mut members = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        let (mut all, mut left): (Vec<FoundPartial>, u64) = (vec![], most);
        for at in 0..members.len() {
            let mut member = members.by_index(at).map_err(damaged)?;
            let mut bytes = vec![];
            member
                .by_ref()
                .take(left.saturating_add(1))
                .read_to_end(&mut bytes)
                .map_err(|error| damaged(error.into()))?;
            left = left.checked_sub(bytes.len() as u64).with_context(large)?;
            let found =
                FoundPartial::of(name.clone(), bytes).with_context(|| format!("{name}: {}", shown(member.name())))?;
            ensure!(all.iter().all(|other| other.what() != found.what()), "{name}: holds {} twice", found.what());
            all.push(found);
        }
        ensure!(!all.is_empty(), "{name}: holds no partials; write it anew");
        Ok(all)
    }

    fn of(name: String, bytes: Vec<u8>) -> treefold::Result<FoundPartial> {
        let header = Header::read(&bytes)?;
        Ok(FoundPartial { name, bytes, header })
    }

    /// Its operator and its type, by its header.
    fn what(&self) -> String {
        format!("{} of {}", self.header.title(), self.header.dtype)
    }

    /// Its operator.
    fn chosen(&self) -> Result<Chosen> {
        let dtype = operators::dtype_named(&self.header.dtype).ok_or_else(|| self.unknown())?;
        let (operator, map) = self.mapped();
        let map = map.map(|map| Expression::of_element(map, dtype)).transpose().map_err(|_| self.unknown())?;
        let over = map.as_ref().map_or(dtype, Expression::makes);
        let name = operator.split('(').next().unwrap_or_default();
        let chosen = Chosen::named(name, over).ok_or_else(|| self.unknown())?;
        Ok(Chosen { dtype, map, ..chosen })
    }

    /// Its operator, and what elements became first.
    fn mapped(&self) -> (&str, Option<&str>) {
        let operator = self.header.operator.as_str();
        let mapped = operator.split_once(" of ").filter(|(_, map)| map.trim() == *map);
        mapped.map_or((operator, None), |(operator, map)| (operator, Some(map)))
    }

    fn unknown(&self) -> anyhow::Error {
        anyhow!("{}: is a partial {}, which this treefold does not have", self.name, self.what())
    }

    /// The parameters of its operator.
    fn told(&self) -> Told {
        let inner = self.mapped().0.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let words = inner.unwrap_or_default().split(',').filter_map(|word| word.split_once('='));
        words.map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Its accumulators.
    fn partials<T: Element>(&self, op: &DynOp<T>) -> Result<Partials<T, DynOp<T>>> {
        Partials::from_bytes(op.clone(), &self.bytes).with_context(|| self.name.clone())
    }
}

/// Begins a merge with its first partial, of elements that are `stored` so, where that is known; `names` are those of all.
fn begin(args: &Args, first: FoundPartial, stored: Option<Number>, names: &str) -> Result<Box<dyn Merging>> {
    let chosen = first.chosen()?;
    let mut told = first.told();
    let plain = chosen.visit(&told, Boxed).map_err(|_| first.unknown())?;
    let of_it = operators::told_to(chosen.typed(), &args.told);
    let whose = || format!("{} is a partial {}", first.name, first.what());
    operators::check(chosen.typed(), &of_it).with_context(whose)?;
    told.extend(of_it);
    one_way(&told).with_context(whose)?;
    chosen.visit(&told, MergeStart { args, first: &first, chosen: chosen.clone(), plain, stored, names })?
}

/// The begin of a merge; visited with the operator as the command line wants it.
struct MergeStart<'a> {
    args: &'a Args,
    first: &'a FoundPartial,
    chosen: Chosen,
    /// The operator as the partials have it.
    plain: Box<dyn Any>,
    /// The type of the numbers that its elements are stored as, where that is known.
    stored: Option<Number>,
    names: &'a str,
}

impl Visitor for MergeStart<'_> {
    type Out = Result<Box<dyn Merging>>;

    fn visit<T: Element>(self, wanted: DynOp<T>) -> Self::Out {
        let MergeStart { args, first, chosen, plain, stored, names } = self;
        let op: &DynOp<T> = plain.downcast_ref().context("another operator")?;
        let what = |op: &DynOp<T>| title(&op.signature());
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
        let parts = Parts::of(&wanted, chosen.over, stored.filter(|_| chosen.map.is_none()))?;
        if let Some(path) = &args.output {
            parts.ensure_array(chosen.typed(), path)?;
        }
        ensure_mergeable(&wanted, &chosen).with_context(|| names.to_string())?;
        let all = Some(first.partials(op)?);
        let (name, what) = (first.name.clone(), first.what());
        Ok(Box::new(Under { op: op.clone(), wanted, chosen, parts, name, what, all }))
    }
}

/// A merge under way, whatever its operator.
trait Merging {
    /// Takes the next partial.
    fn add(&mut self, found: FoundPartial) -> Result<()>;
    /// The answer, or the partial of all.
    fn end(self: Box<Self>, args: &Args, names: &str) -> Result<Merged>;
}

/// The result of a merge.
struct Merged {
    found: Answered,
    partial: Option<Vec<u8>>,
    dtype: Dtype,
    /// Elements.
    count: u64,
}

/// A merge under way.
struct Under<T: Element> {
    /// The operator as the partials have it, and as the command line wants it.
    op: DynOp<T>,
    wanted: DynOp<T>,
    chosen: Chosen,
    parts: Parts,
    /// The first file, and what it is a partial of.
    name: String,
    what: String,
    all: Option<Partials<T, DynOp<T>>>,
}

impl<T: Element> Merging for Under<T> {
    fn add(&mut self, found: FoundPartial) -> Result<()> {
        let Under { op, name, what, all, .. } = self;
        ensure!(
            *what == found.what(),
            "{name} is a partial {what}, but {} is a partial {}; merge like with like",
            found.name,
            found.what()
        );
        let partials = found.partials(op)?;
        *all = match all.take() {
            Some(all) => Some(all.merge(partials).with_context(|| found.name.clone())?),
            None => Some(partials),
        };
        Ok(())
    }

    fn end(self: Box<Self>, args: &Args, names: &str) -> Result<Merged> {
        let Under { wanted, chosen, parts, all, .. } = *self;
        let all = all.context("no partials")?;
        let (shape, length) = (all.shape().to_vec(), all.length());
        let divided = args.division.as_ref().is_some_and(|division| division.given().is_some());
        let count = if all.counts().is_some() { length } else { all.answers().saturating_mul(length) };
        let (single, over) = (shape.is_empty() && !divided, Over::of(&all));
        let (many, partial) = if args.partial.is_some() {
            let bytes = all.to_bytes().with_context(|| names.to_string())?;
            (Many::none(shape, over), Some(bytes))
        } else {
            let answers = all.finish_as(&wanted).with_context(|| names.to_string())?;
            (Many::new(shape, over, answers.iter().map(Answer::parts).collect()), None)
        };
        let (answer, many) = match single {
            true => (many.answers.into_iter().next().unwrap_or_default(), None),
            false => (vec![], Some(many)),
        };
        let mut found = Answered::of(&wanted, &chosen, parts, answer, many);
        found.tell_truths();
        Ok(Merged { found, partial, dtype: T::DTYPE, count })
    }
}

/// The answers of partials in memory, one of each operator, whose elements are `stored` so; what they are told stands in them.
pub fn finished(args: &Args, partials: Vec<Vec<u8>>, stored: Number, names: &str) -> Result<Vec<Answered>> {
    let mut args = args.clone();
    (args.partial, args.told) = (None, vec![]);
    let one =
        |bytes| Ok(begin(&args, FoundPartial::of(names.into(), bytes)?, Some(stored), names)?.end(&args, names)?.found);
    partials.into_iter().map(one).collect()
}

/// The order in which partials in memory become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// In each answer, the elements of the one behind those of the other.
    Merged,
    /// The answers of the one behind those of the other, along the first axis.
    Stacked,
}

/// Joins two partials, whatever their operator.
pub type Joining = Box<dyn Fn(&[u8], &[u8], Join) -> treefold::Result<Vec<u8>> + Send + Sync>;

/// For partials of the operator that this one is of.
pub fn joining(partial: &[u8]) -> Result<Joining> {
    struct Of;
    impl Visitor for Of {
        type Out = Joining;

        fn visit<T: Element>(self, op: DynOp<T>) -> Joining {
            Box::new(move |left, right, how| {
                let read = |bytes| Partials::from_bytes(op.clone(), bytes);
                let (left, right) = (read(left)?, read(right)?);
                match how {
                    Join::Merged => left.merge(right)?,
                    Join::Stacked => left.stack(right)?,
                }
                .to_bytes()
            })
        }
    }
    let found = FoundPartial::of(String::new(), partial.to_vec())?;
    found.chosen()?.visit(&found.told(), Of)
}

/// Whether two folds carry the same, so that an accumulator of the one is one of the other.
fn same_fold<T: Element, F: Fold<T>>(a: &F, b: &F) -> bool {
    let told = |fold: &F| (fold.kind(), fold.params(), fold.table(), fold.acc_words());
    told(a) == told(b)
}
