//! One read of the inputs, for one operator or several: from opened inputs to a report.

use crate::args::Args;
use crate::cache::CacheFile;
use crate::each::Divided;
use crate::error::usage;
use crate::format::Number;
use crate::input::Inputs;
use crate::operators::{self, Chosen, RANGE, Told, takers, told_to};
use crate::options::{Division, Sifting};
use crate::output::Output;
use crate::pairs;
use crate::partial::{ensure_mergeable, targets, written};
use crate::parts::Parts;
use crate::plot::{Histogram, histogram_svg};
use crate::range;
use crate::reading::{Ended, OfOne, Progress, Reduction, feed, give};
use crate::report::{Computed, Report, Seconds};
use crate::sieve::Sieve;
use crate::source::Sizes;
use crate::streams::{say, shown};
use crate::together::{ToAnswer, Whole, may_share, of_numbers, sharing};
use crate::weights::Weighted;
use crate::wider::taking;
use anyhow::{Context, Result, anyhow, ensure};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use treefold::ops::{Numbers, Visitor};
use treefold::{Cpu, Dtype, DynOp, Element, Engine, Expression, Fold, Gpu, Op, StreamOptions};

/// Reduces what the command line names.
pub fn run(args: &Args) -> Result<Report> {
    let (target, picture) = if args.writes() { targets(args)? } else { (None, None) };
    let inputs = Inputs::open(&args.files, args.ask())?;
    let engines = Engines::default();
    let mut report = reduce(args, inputs, target, &engines)?;
    engines.keep_cache();
    if let Some(picture) = picture {
        report.plotted = Some(picture.write(drawn(&report)?.as_bytes())?);
    }
    Ok(report)
}

/// A report, and the bytes of each operator's partial where those are wanted in place of answers.
pub struct Reduced {
    pub report: Report,
    pub partials: Vec<Vec<u8>>,
}

/// Reduces these inputs, and writes what goes to the target.
pub fn reduce(args: &Args, inputs: Inputs, target: Option<Output>, engines: &Engines) -> Result<Report> {
    let Reduced { mut report, partials } = reduced(args, inputs, engines)?;
    if let Some(target) = target {
        let begun = Instant::now();
        report.written = Some(written(args, target, partials, &report.found, &report.names)?);
        report.seconds.total += begun.elapsed();
    }
    Ok(report)
}

/// Reduces these inputs.
pub fn reduced(args: &Args, inputs: Inputs, engines: &Engines) -> Result<Reduced> {
    let chosen = match &args.making {
        Some(making) => making.choose(&args.operators, inputs.dtype, &inputs.shown_by, args.fast)?,
        None => operators::choose_all(&args.operators, inputs.dtype, args.fast, || inputs.shown_by.clone())?,
    };
    let engine = engines.engine(args, &chosen)?;
    let start = Instant::now();
    let asked = chosen.iter().map(|chosen| {
        let told = match takers(RANGE).contains(&chosen.typed()) {
            true => range::with_range(args, chosen, &inputs, &engine)?,
            false => told_to(chosen.typed(), &args.told),
        };
        Ok((chosen.clone(), operators::compared_as(told, chosen, inputs.compared)))
    });
    let asked = asked.collect::<Result<Vec<(Chosen, Told)>>>()?;
    let first_asked @ (first, told) = asked.first().context("no operator")?;
    let reduced = match &args.weights {
        Some(path) => {
            let report = Weighted { args, chosen: first, told, path, engine: &engine, start }.report(inputs)?;
            Ok(Reduced { report, partials: vec![] })
        }
        None => {
            // Of some that take f16 as it is and others over f32 the first of those.
            let (first, told) = asked.iter().find(|(chosen, _)| chosen.dtype == inputs.dtype).unwrap_or(first_asked);
            first.visit(told, Run { args, inputs, asked: &asked, engine: &engine, start })?
        }
    };
    if reduced.is_ok() {
        tell_failures(&engine);
    }
    reduced
}

/// The text that goes to standard output; notes that it has no room for are said.
pub fn shown_as_asked(args: &Args, report: &Report) -> Result<String> {
    let notes = report.outside().into_iter().chain(report.missing()).chain(report.left_out());
    for note in notes.filter(|_| args.quiet || args.csv) {
        say(&format!("treefold: note: {note}"));
    }
    Ok(match (args.json, args.quiet) {
        // The partial itself stands there.
        _ if args.pipes_partial() => String::new(),
        _ if args.csv => report.csv()?,
        (true, _) => report.json().line()?,
        // The array has gone to its file.
        (false, true) if report.is_array => String::new(),
        (false, true) => report.bare(),
        (false, false) => report.text(),
    })
}

/// The bins of a report as a picture, in SVG.
pub fn drawn(report: &Report) -> Result<String> {
    let binned = report.found.iter().find_map(|found| Some((found, found.axes.first()?)));
    let (found, axis) = binned.context("no bins")?;
    let notes = [report.amount(), found.beside()];
    let title = format!("{} of {}", found.operator, shown(&report.names));
    let heights: Vec<f64> = found.in_bins().into_iter().map(|value| value.to_f64().unwrap_or(0.0)).collect();
    let what = found.in_each_bin();
    histogram_svg(&Histogram { title: &title, notes: &notes, edges: &axis.edges, heights: &heights, what })
}

/// The engine that the command line wants, opened once, and the caches of the devices that it has opened.
#[derive(Default)]
pub struct Engines {
    cpu: Cpu,
    opened: Mutex<Option<Engine>>,
    caches: Caches,
}

/// The files of the caches of devices, as they are opened.
type Caches = Arc<Mutex<Vec<CacheFile>>>;

impl Engines {
    /// With a CPU engine of so many threads.
    pub fn with_threads(threads: usize) -> Engines {
        Engines { cpu: Cpu::with_threads(threads), ..Engines::default() }
    }

    /// The engine. Where the command line leaves it open, the CPU's if an operator is computed on that alone.
    fn engine(&self, args: &Args, chosen: &[Chosen]) -> Result<Engine> {
        let alone = chosen.iter().find_map(|chosen| Some((chosen, chosen.host_only()?)));
        if let Some((alone, why)) = alone.filter(|_| Engine::asked(args.adapter.as_deref()).is_none()) {
            if args.verbose {
                say(&format!("{} over {} is computed on the CPU alone: {why}", alone.typed(), alone.dtype));
            }
            return Ok(Engine::Cpu(self.cpu.clone()));
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = opened.take().map_or_else(|| self.open(args), Ok)?;
        Ok(opened.insert(engine).anew())
    }

    fn open(&self, args: &Args) -> Result<Engine> {
        let (caches, verbose, no_cache) = (self.caches.clone(), args.verbose, args.no_cache);
        let load = move |gpu: &Gpu| {
            let file = if no_cache { None } else { CacheFile::load(gpu, verbose) };
            caches.lock().unwrap_or_else(PoisonError::into_inner).extend(file);
        };
        let engine = Engine::chosen(args.adapter.as_deref(), self.cpu.clone(), Some(Arc::new(load.clone())))?;
        engine.gpus().iter().for_each(load);
        Ok(engine)
    }

    /// Keeps what was learned of devices for the next call.
    pub fn keep_cache(&self) {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|file| {
            // With --verbose it tells itself.
            file.keep();
        });
    }
}

/// Says which devices have failed, and that nothing is lost.
fn tell_failures(engine: &Engine) {
    for failure in engine.failures() {
        say(&format!("treefold: note: {failure}; the CPU engine has done what was left undone"));
    }
}

/// Places that an expression can tell apart.
const PLACES: u64 = 1 << 32;

/// Operators over elements of one type, and what each is told.
struct Run<'a> {
    args: &'a Args,
    inputs: Inputs,
    asked: &'a [(Chosen, Told)],
    engine: &'a Engine,
    start: Instant,
}

/// The operator says of which type the elements are.
impl Visitor for Run<'_> {
    type Out = Result<Reduced>;

    fn visit<T: Element>(self, _: DynOp<T>) -> Result<Reduced> {
        self.over::<T>()
    }
}

impl Run<'_> {
    /// One read of the inputs, for all operators.
    fn over<T: Element>(self) -> Result<Reduced> {
        let Run { args, inputs, asked, engine, start } = self;
        let stored = inputs.stored_as(T::DTYPE);
        let looked = asked.iter().map(|(chosen, told)| chosen.visit(told, Inquiry { args, chosen, stored })?);
        let looked = looked.collect::<Result<Vec<Looked>>>()?;
        ensure!(
            args.plot.is_none() || looked.iter().any(|looked| looked.bins),
            usage(format!(
                "--plot draws the bins of a histogram along one axis, and {}; leave it out",
                operators::have_none(&asked.iter().map(|(chosen, _)| chosen.typed()).collect::<Vec<_>>())
            ))
        );
        let ordered = looked.iter().any(|looked| looked.ordered);
        // Rows of arrays of several axes are of their elements in C order.
        let (division, sifting) = (args.division.as_ref(), args.sifting.as_ref());
        let ordered = ordered || division.is_some_and(Division::is_flat) || sifting.is_some_and(Sifting::is_ordered);
        let numbers = in_places(args, &looked, inputs.compared)?;
        let mut sieve = sifting.map(|sifting| Sieve::<T>::new(sifting, args.memory, &inputs)).transpose()?;
        match &mut sieve {
            Some(sieve) if numbers.is_some() => sieve.pass_all(),
            Some(sieve) if looked.iter().any(|looked| looked.parts.have_places()) => {
                sieve.keep_places(args.memory / 8);
            }
            _ => (),
        }
        let (mut divided, mut keyed) = match division {
            Some(division) => Divided::of(args, division, &inputs, ordered)?,
            None => (None, None),
        };
        let missing = inputs.missing().clone();
        let pairs = T::DTYPE.pair_of().is_some();
        // Missing values refused, or their places kept, where elements would stand at other places than in their files.
        if divided.is_some() || pairs || sieve.as_ref().is_some_and(Sieve::has_others) {
            missing.refuse("what belongs together goes by the places of values");
        } else if looked.iter().any(|looked| looked.at_places) || args.partial.is_some() && ordered {
            missing.refuse("what is computed goes by the places of values");
        } else if ordered {
            missing.keep_places(args.memory / 8);
        }
        let mut options = StreamOptions::default();
        options.memory_bytes = args.memory / asked.len() as u64;
        options.elements_hint = if pairs { inputs.count().map(|both| both / 2) } else { inputs.count() };
        let names = inputs.names();
        // Of a whole input i is the place in all of it.
        let mut maps = asked.iter().filter(|_| division.is_none()).filter_map(|(chosen, _)| chosen.map.as_ref());
        let by_place = maps.find(|map| map.reads_place());
        let ensure_places = |count: u64| match by_place.filter(|_| count > PLACES) {
            Some(map) => Err(anyhow!(
                "{names}: {count} numbers have more places than i of {map} can tell, a u32 ({PLACES}); reduce parts of them, each in a call of its own"
            )),
            None => Ok(()),
        };
        options.elements_hint.map_or(Ok(()), ensure_places)?;
        if let Some(divided) = &mut divided {
            for ((chosen, told), looked) in asked.iter().zip(&looked) {
                chosen.visit(told, Room { divided, numbers, parts: looked.parts.most() })??;
            }
            divided.ensure_room()?;
        }
        let together = match divided.as_ref().is_none_or(Divided::takes_several) {
            true => sharing(asked.iter().map(|(chosen, _)| chosen), T::DTYPE, |at| looked[at].may_share),
            false => vec![],
        };
        // Each with the places of its operators in the list.
        let mut running: Vec<(Vec<usize>, Box<dyn Reduction<T>>)> = vec![];
        // Bytes of an element under way, widened for some too.
        let mut element_bytes = T::DTYPE.bytes();
        for places in together {
            let member = |&at: &usize| ToAnswer::chosen(&asked[at].0, &asked[at].1, &looked[at].parts, numbers);
            let members = places.iter().map(member).collect::<Result<_>>()?;
            let mut options = options.clone();
            options.memory_bytes *= places.len() as u64;
            match begun(engine, members, divided.as_ref(), &options) {
                Ok(begun) => running.push((places, begun)),
                // Each by itself, then.
                Err(error) if args.verbose => say(&format!("{}: not in one reduction: {error}", typed(asked, &places))),
                Err(_) => (),
            }
        }
        for (at, ((chosen, told), Looked { parts, .. })) in asked.iter().zip(looked).enumerate() {
            if running.iter().any(|(places, _)| places.contains(&at)) {
                continue;
            }
            let (chosen_here, divided) = (chosen.clone(), divided.as_ref());
            let begin = RunStart { engine, chosen: chosen_here, parts, numbers, divided, options: &options };
            if chosen.dtype != T::DTYPE {
                element_bytes += chosen.dtype.bytes();
            }
            let begun = taking(chosen.visit(told, begin)??);
            let begun = begun.with_context(|| format!("{} is over elements of another type", chosen.name))?;
            running.push((vec![at], begun));
        }
        let part_elements = running.iter().map(|(_, reduction)| reduction.part_elements()).min().unwrap_or(1);
        let sizes = Sizes::within(part_elements, element_bytes as usize, args.memory);
        if args.verbose {
            for (places, reduction) in &running {
                let of = if asked.len() > 1 { format!("{}: ", typed(asked, places)) } else { String::new() };
                reduction.explain().iter().for_each(|line| say(&format!("{of}{line}")));
            }
        }

        let mut progress = Progress::new(args.shows_progress(), inputs.bytes());
        let as_they_are = sieve.is_none() && keyed.is_none() && !pairs;
        let alone = match &mut running[..] {
            [(_, only)] if as_they_are => only.whole(),
            _ => None,
        };
        if args.verbose {
            let Sizes { part_elements, window_bytes, .. } = sizes;
            let own = if alone.is_some() {
                "files are read by the threads that reduce them, all else in "
            } else {
                "reading "
            };
            say(&format!("{own}parts of {part_elements} elements, windows of {window_bytes} bytes"));
        }
        let count = match alone {
            Some(stream) => give(inputs, ordered, sizes, stream, &mut progress)?,
            None => {
                let mut count = 0;
                let mut take = |name: &str, size: usize, elements: &[T]| {
                    count += elements.len() as u64;
                    sieve.as_mut().map_or(Ok(()), |sieve| sieve.look(elements, name))?;
                    let mut at = 0;
                    let mut push = |elements: &[T], keys: &[u32]| {
                        let mut all = running.iter_mut();
                        let bytes = size * elements.len();
                        let (kept, kept_keys) = match &mut sieve {
                            Some(sieve) => sieve.pass(at, elements, keys),
                            None => (elements, keys),
                        };
                        at += elements.len();
                        progress
                            .push(name, bytes, || all.try_for_each(|(_, reduction)| reduction.push(kept, kept_keys)))
                    };
                    match &mut keyed {
                        Some(keyed) => keyed.zip(elements, &mut push),
                        None => push(elements, &[]),
                    }
                };
                if pairs {
                    let size = inputs.pair_bytes();
                    pairs::feed(inputs, ordered, sizes, &mut |elements| take(&names, size, elements))?;
                } else {
                    feed(inputs, ordered, sizes, &mut take)?;
                }
                count
            }
        };
        ensure_places(count)?;
        keyed.map_or(Ok(()), |keyed| keyed.end(count, &names))?;
        let (left_out, gaps) = sieve.map(|sieve| sieve.end(&names)).transpose()?.unwrap_or_default();
        let reading = progress.reading();
        let end = |(places, reduction): (Vec<usize>, Box<dyn Reduction<T>>)| {
            Ok((places, reduction.end(args.partial.is_some())?))
        };
        let ended = running.into_iter().map(end).collect::<treefold::Result<Vec<(Vec<usize>, Ended)>>>();
        let bytes = progress.done();
        let ended = ended.with_context(|| names.clone())?;
        let together = |time: fn(&Ended) -> Option<Duration>| {
            ended.iter().filter_map(|(_, ended)| time(ended)).reduce(|a, b| a + b)
        };
        let read = reading + together(|ended| Some(ended.copying)).unwrap_or_default();
        let (upload, kernel) = (together(|ended| ended.upload), together(|ended| ended.kernel));
        let each = ended.into_iter().flat_map(|(places, ended)| places.into_iter().zip(ended.each));
        // In the list's order.
        let each: BTreeMap<usize, OfOne> = each.collect();
        let (mut found, partials): (Vec<_>, Vec<_>) =
            each.into_values().map(|OfOne { found, partial }| (found, partial)).unzip();
        for found in &mut found {
            found.tell_truths();
            let many = found.many.iter_mut().flat_map(|many| many.answers.iter_mut().flatten());
            for part in found.parts.iter_mut().chain(many) {
                part.index = part.index.map(|index| missing.place(gaps.place(index)));
            }
        }
        let partials = partials.into_iter().flatten().collect();
        let report = Report {
            found,
            names,
            dtype: T::DTYPE,
            stored,
            count: count - left_out.all(),
            missing: missing.found(),
            left_out,
            bytes,
            written: None,
            is_array: args.output.is_some(),
            plotted: None,
            computed: Computed::by(engine),
            seconds: Seconds { read, upload, kernel, total: start.elapsed() },
        };
        Ok(Reduced { report, partials })
    }
}

/// The names of those at these places, as they are typed.
fn typed(asked: &[(Chosen, Told)], places: &[usize]) -> String {
    places.iter().map(|&at| asked[at].0.typed()).collect::<Vec<_>>().join(",")
}

/// The condition by which operators leave elements out, where all must keep their places; else others are left out before they are reduced.
fn in_places(args: &Args, looked: &[Looked], compared: Dtype) -> Result<Option<Numbers>> {
    let Some(sifting) = args.sifting.as_ref().filter(|sifting| sifting.leaves_out()) else { return Ok(None) };
    let division = args.division.as_ref();
    let grouped = division.is_some_and(|division| division.group_by.is_some());
    let at_places = looked.iter().any(|looked| looked.at_places);
    let placed = at_places || looked.iter().any(|looked| looked.parts.have_places());
    let many = division.and_then(Division::given).is_some() && !grouped;
    // A partial's operator has a name, and no condition.
    ensure!(
        args.partial.is_none() || !placed && !many,
        usage(
            "a partial of what goes by the places of numbers has all of them; leave out --nan ignore, --mask and --where"
        )
    );
    ensure!(
        !grouped || !at_places,
        usage(
            "what is computed goes by the places of numbers in their group; leave out --nan ignore, --mask and --where"
        )
    );
    if many || at_places { sifting.numbers(compared).map(Some) } else { Ok(None) }
}

/// Facts about an operator before anything is read, and a check that it can do what is wanted.
struct Inquiry<'a> {
    args: &'a Args,
    chosen: &'a Chosen,
    /// The type of the numbers that its elements are stored as.
    stored: Number,
}

struct Looked {
    /// The parts of an answer.
    parts: Parts,
    /// Whether the order of elements shows.
    ordered: bool,
    /// Whether what becomes of an element depends on its place, other than in the places that are found.
    at_places: bool,
    /// Whether it counts in bins.
    bins: bool,
    /// Whether others may have the elements with it.
    may_share: bool,
}

impl Visitor for Inquiry<'_> {
    type Out = Result<Looked>;

    fn visit<T: Element>(self, op: DynOp<T>) -> Result<Looked> {
        let Inquiry { args, chosen, stored } = self;
        let parts = Parts::of(&op, chosen.over, chosen.map.is_none().then_some(stored))?;
        if let Some(path) = &args.output {
            parts.ensure_array(chosen.typed(), path)?;
        }
        if args.partial.is_some() {
            ensure_mergeable(&op, chosen)?;
        }
        let indexed = parts.have_places();
        let ordered = !op.fold().is_commutative() || op.fold().needs_position() || indexed;
        let mapped = chosen.map.as_ref().is_some_and(Expression::reads_place);
        let at_places = mapped || op.fold().needs_position() && !indexed;
        Ok(Looked { parts, ordered, at_places, bins: op.axes().len() == 1, may_share: may_share(&op) })
    }
}

/// Counts what the answers of an operator take.
struct Room<'a> {
    divided: &'a mut Divided,
    numbers: Option<Numbers>,
    parts: usize,
}

impl Visitor for Room<'_> {
    type Out = Result<()>;

    fn visit<T: Element>(self, op: DynOp<T>) -> Result<()> {
        let parts = self.parts + usize::from(self.numbers.is_some());
        self.divided.hold(&of_numbers(&op, self.numbers)?, parts);
        Ok(())
    }
}

/// Begins the reduction of an operator.
struct RunStart<'a> {
    engine: &'a Engine,
    chosen: Chosen,
    parts: Parts,
    /// The condition of elements that count, where the operator leaves out the others.
    numbers: Option<Numbers>,
    divided: Option<&'a Divided>,
    options: &'a StreamOptions,
}

impl Visitor for RunStart<'_> {
    /// A `Box<dyn Reduction<T>>`, whose type only the caller knows.
    type Out = Result<Box<dyn Any>>;

    fn visit<T: Element>(self, op: DynOp<T>) -> Self::Out {
        let RunStart { engine, chosen, parts, numbers, divided, options } = self;
        Ok(Box::new(begun(engine, vec![ToAnswer::of(op, numbers, chosen, parts)?], divided, options)?))
    }
}

/// Begins a reduction of operators to one answer, or to many, of each.
fn begun<T: Element>(
    engine: &Engine,
    members: Vec<ToAnswer<T>>,
    divided: Option<&Divided>,
    options: &StreamOptions,
) -> treefold::Result<Box<dyn Reduction<T>>> {
    Ok(match divided {
        Some(divided) => Box::new(divided.begin(engine, members, options)?),
        None => Box::new(Whole::of(engine, members, options)?),
    })
}
