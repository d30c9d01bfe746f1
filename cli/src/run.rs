//! One reduction: from opened inputs to a report.

use crate::args::Args;
use crate::each::{self, Wanted};
use crate::error::{say, shown, told, usage};
use crate::input::Inputs;
use crate::operators::{self, Chosen};
use crate::output::Output;
use crate::pairs;
use crate::partial::{ensure_mergeable, target};
use crate::plot::{Histogram, histogram_svg};
use crate::range;
use crate::reading::{Progress, feed};
use crate::report::{Many, Report, Seconds};
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use std::time::Instant;
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, Element, Engine, Error, Finished, Fold, Op, StreamOptions};

/// Reduces what the command line names.
pub fn run(args: &Args) -> Result<Report> {
    let target = target(args)?;
    let picture = args.plot.as_deref().map(|path| Output::file("--plot", path, args.force)).transpose()?;
    if let (Some(array), Some(picture)) = (&target, &picture) {
        array.ensure_apart(picture)?;
    }
    let inputs = Inputs::open(&args.files, args.raw())?;
    let name = &args.operator;
    let chosen = operators::choose(name, inputs.dtype, args.fast).ok_or_else(|| not_taken(name, &inputs))?;
    let engine = engine(args)?;
    let start = Instant::now();
    let told = range::with_range(args, &inputs, chosen.dtype, &engine)?;
    let mut report = chosen.visit(&told, Run { args, inputs, chosen, target, engine: &engine, start })??;
    if let Some(picture) = picture {
        report.plotted = Some(picture.write(drawn(&report)?.as_bytes())?);
    }
    Ok(report)
}

/// The bins of a report as a picture, in SVG.
fn drawn(report: &Report) -> Result<String> {
    let notes = [report.amount(), report.beside()];
    let title = format!("{} of {}", report.operator, shown(&report.names));
    histogram_svg(&Histogram { title: &title, notes: &notes, edges: &report.edges, counts: &report.counts() })
}

/// What the command line wants to compute on.
fn engine(args: &Args) -> Result<Engine> {
    if let Some(name) = &args.adapter {
        return Ok(Engine::named(name)?);
    }
    let (engine, why) = Engine::best_and_why()?;
    match why {
        // Nothing was there.
        None | Some(Error::NoAdapter) => (),
        Some(_) if args.quiet => (),
        Some(error) => say(&format!("{}; computing on the CPU engine", told(&error.into()).0)),
    }
    Ok(engine)
}

/// What to say where the operator does not take what an input holds.
fn not_taken(name: &str, inputs: &Inputs) -> anyhow::Error {
    let takes = operators::takes(name);
    let (last, others) = takes.split_last().map_or((String::new(), vec![]), |(last, others)| {
        (last.name().to_string(), others.iter().map(|dtype| dtype.name()).collect())
    });
    let list = if others.is_empty() { last } else { format!("{} and {last}", others.join(", ")) };
    let others: Vec<&str> =
        operators::names().into_iter().filter(|name| operators::takes(name).contains(&inputs.dtype)).collect();
    let (dtype, others) = (inputs.dtype, others.join(", "));
    anyhow!(
        "{}: holds {dtype}, but the operator \"{name}\" takes {list} only; what takes {dtype}: {others}",
        inputs.shown_by
    )
}

struct Run<'a> {
    args: &'a Args,
    inputs: Inputs,
    chosen: Chosen,
    target: Option<Output>,
    engine: &'a Engine,
    start: Instant,
}

impl Visitor for Run<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Result<Report> {
        let indexed = operators::indexed(&op)?;
        if self.args.output.is_some() {
            Many::ensure_array(&operators::sample(&op)?, &self.args.operator)?;
        }
        if self.args.partial.is_some() {
            ensure_mergeable::<T, O>(&self.chosen)?;
        }
        ensure!(
            self.args.plot.is_none() || !op.edges().is_empty(),
            usage(format!("--plot draws the bins of a histogram, and {} has none; leave it out", self.args.operator))
        );
        let ordered = !O::Fold::COMMUTATIVE || O::Fold::READS_POSITION || indexed.contains(&true);
        // Rows of arrays of several axes are of their elements in C order.
        let in_c_order = ordered || self.args.rows.is_some() || self.args.segments.is_some();
        if let Some(path) = &self.args.segments {
            let offsets = each::offsets(path, &self.inputs, self.args.memory)?;
            let shape = vec![offsets.len() as u64 - 1];
            return self.each(&op, Wanted::Segments(offsets), shape, in_c_order, indexed);
        }
        if self.args.axis.is_some() || self.args.rows.is_some() {
            let (axes, shape) = each::axes(self.args, &self.inputs, in_c_order)?;
            return self.each(&op, Wanted::Axes(axes), shape, in_c_order, indexed);
        }
        let Run { args, inputs, chosen, target, engine, start } = self;
        let mut options = StreamOptions::default();
        options.memory_bytes = args.memory;
        let pairs = T::DTYPE == Dtype::F32x2;
        options.elements_hint = if pairs { inputs.count().map(|both| both / 2) } else { inputs.count() };
        let mut stream = engine.stream(op.clone(), &options)?;
        let sizes = Sizes::within(stream.part_elements(), T::DTYPE.bytes() as usize, args.memory);
        if args.verbose {
            stream.explain().iter().for_each(|line| say(line));
            let Sizes { part_elements, window_bytes, .. } = sizes;
            say(&format!("reading parts of {part_elements} elements, files in windows of {window_bytes} bytes"));
        }

        let names = inputs.names();
        let mut progress = Progress::new(!args.quiet && !args.json, inputs.bytes());
        let mut take = |name: &str, size: usize, elements: &[T]| {
            progress.push(name, size * elements.len(), || stream.push(elements))
        };
        if pairs {
            let size = inputs.pair_bytes();
            pairs::feed(inputs, sizes, &mut |elements| take(&names, size, elements))?;
        } else {
            feed(inputs, ordered, sizes, &mut take)?;
        }
        let reading = progress.reading();
        let finished = stream.partial().with_context(|| names.clone());
        let bytes = progress.done();
        let Finished { output, count, copy_time, upload_time, kernel_time, .. } = finished?;
        let found = match target {
            None => output.finish().map(|answer| (answer.parts(), None)).map_err(anyhow::Error::from),
            Some(target) if args.output.is_some() => {
                let answer = output.finish()?;
                let parts = answer.parts();
                let many = Many::new(vec![], Some(count), vec![answer]);
                Ok((parts, Some(target.write(&many.npy(&args.operator, &indexed)?)?)))
            }
            Some(target) => output
                .to_bytes()
                .map_err(anyhow::Error::from)
                .and_then(|bytes| Ok((vec![], Some(target.write(&bytes)?)))),
        };
        let (parts, written) = found.with_context(|| names.clone())?;

        Ok(Report {
            operator: args.operator.clone(),
            edges: op.edges(),
            names,
            dtype: T::DTYPE,
            count,
            bytes,
            parts,
            many: None,
            indexed,
            written,
            is_array: args.output.is_some(),
            plotted: None,
            exact: O::EXACT,
            method: chosen.method,
            adapter: engine.name(),
            backend: engine.backend(),
            seconds: Seconds {
                read: reading + copy_time,
                upload: upload_time,
                kernel: kernel_time,
                total: start.elapsed(),
            },
        })
    }
}

impl Run<'_> {
    /// Many answers: along axes, of rows, or of segments.
    fn each<T: Element, O: Op<T, Output: Answer>>(
        self,
        op: &O,
        wanted: Wanted,
        shape: Vec<u64>,
        ordered: bool,
        indexed: Vec<bool>,
    ) -> Result<Report> {
        let Run { args, inputs, chosen, target, engine, start } = self;
        let length = wanted.length();
        let mut stream = each::begin::<T, O>(engine, op, wanted, args)?;
        let sizes = Sizes::within(PART_ELEMENTS, T::DTYPE.bytes() as usize, args.memory);
        let names = inputs.names();
        let mut progress = Progress::new(!args.quiet && !args.json, inputs.bytes());
        let mut count = 0;
        feed(inputs, ordered, sizes, &mut |name: &str, size: usize, elements: &[T]| {
            count += elements.len() as u64;
            progress.push(name, size * elements.len(), || stream.push(elements))
        })?;
        let reading = progress.reading();
        let found = if args.partial.is_some() {
            let bytes = stream.partials().and_then(|partials| partials.with_shape(&shape)?.to_bytes());
            bytes.map(|bytes| (Many::none(shape, length), Some(bytes)))
        } else {
            stream.finish().map(|answers| (Many::new(shape, length, answers), None))
        };
        let read = progress.done();
        let (many, partial) = found.with_context(|| names.clone())?;
        let written = match (target, partial) {
            (None, _) => None,
            (Some(target), Some(bytes)) => Some(target.write(&bytes)?),
            (Some(target), None) => {
                Some(target.write(&many.npy(&args.operator, &indexed).with_context(|| names.clone())?)?)
            }
        };
        Ok(Report {
            operator: args.operator.clone(),
            edges: op.edges(),
            names,
            dtype: T::DTYPE,
            count,
            bytes: read,
            parts: vec![],
            many: Some(many),
            indexed,
            is_array: args.output.is_some(),
            plotted: None,
            written,
            exact: O::EXACT,
            method: chosen.method,
            adapter: engine.name(),
            backend: engine.backend(),
            seconds: Seconds { read: reading, upload: None, kernel: None, total: start.elapsed() },
        })
    }
}

/// Elements that are read and folded at a time, for many answers.
const PART_ELEMENTS: usize = 4 << 20;
