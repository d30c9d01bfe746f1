//! One reduction: from opened inputs to a report.

use crate::args::Args;
use crate::each::{self, Wanted};
use crate::error::{say, told};
use crate::input::Inputs;
use crate::operators::{self, Chosen};
use crate::output::Output;
use crate::partial::{ensure_mergeable, target};
use crate::report::{Many, Report, Seconds};
use crate::source::Sizes;
use crate::{interrupt, pairs};
use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, Element, Engine, Error, Finished, Fold, Op, StreamOptions};

/// Reduces what the command line names.
pub fn run(args: &Args) -> Result<Report> {
    let target = target(args)?;
    let inputs = Inputs::open(&args.files, args.raw())?;
    let name = &args.operator;
    let chosen = operators::choose(name, inputs.dtype, args.fast).ok_or_else(|| not_taken(name, &inputs))?;
    let engine = engine(args)?;
    chosen.visit(&args.told, Run { args, inputs, chosen, target, engine: &engine })?
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
}

impl Visitor for Run<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Result<Report> {
        let start = Instant::now();
        let indexed = operators::indexed(&op)?;
        if self.args.output.is_some() {
            Many::ensure_array(&operators::sample(&op)?, &self.args.operator)?;
        }
        if self.args.partial.is_some() {
            ensure_mergeable::<T, O>(&self.chosen)?;
        }
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
        let Run { args, inputs, chosen, target, engine } = self;
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
        let bar = progress(!args.quiet && !args.json, inputs.bytes());
        let reading = Instant::now();
        let mut pushing = Duration::ZERO;
        let mut bytes = 0;
        let mut take = |name: &str, size: usize, elements: &[T]| {
            let start = Instant::now();
            stream.push(elements).with_context(|| name.to_string())?;
            pushing += start.elapsed();
            bytes += elements.len() as u64 * size as u64;
            bar.set_position(bytes);
            Ok(())
        };
        if pairs {
            let size = inputs.pair_bytes();
            pairs::feed(inputs, sizes, &mut |elements| take(&names, size, elements))?;
        } else {
            inputs.feed(ordered, sizes, &mut take)?;
        }
        let reading = reading.elapsed().saturating_sub(pushing);
        let finished = stream.partial().with_context(|| names.clone());
        bar.finish_and_clear();
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
            signature: op.signature(),
            names,
            dtype: T::DTYPE,
            count,
            bytes,
            parts,
            many: None,
            indexed,
            written,
            is_array: args.output.is_some(),
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
        let Run { args, inputs, chosen, target, engine } = self;
        let start = Instant::now();
        let length = wanted.length();
        let mut stream = each::begin::<T, O>(engine, op, wanted, args)?;
        let sizes = Sizes::within(PART_ELEMENTS, T::DTYPE.bytes() as usize, args.memory);
        let (names, bytes) = (inputs.names(), inputs.bytes());
        let bar = progress(!args.quiet && !args.json, bytes);
        let (reading, mut pushing, mut read, mut count) = (Instant::now(), Duration::ZERO, 0, 0);
        inputs.feed(ordered, sizes, &mut |name: &str, size: usize, elements: &[T]| {
            let start = Instant::now();
            stream.push(elements).with_context(|| name.to_string())?;
            pushing += start.elapsed();
            count += elements.len() as u64;
            read += elements.len() as u64 * size as u64;
            bar.set_position(read);
            Ok(())
        })?;
        let reading = reading.elapsed().saturating_sub(pushing);
        let found = if args.partial.is_some() {
            let bytes = stream.partials().and_then(|partials| partials.with_shape(&shape)?.to_bytes());
            bytes.map(|bytes| (Many::none(shape, length), Some(bytes)))
        } else {
            stream.finish().map(|answers| (Many::new(shape, length, answers), None))
        };
        bar.finish_and_clear();
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
            signature: op.signature(),
            names,
            dtype: T::DTYPE,
            count,
            bytes: read,
            parts: vec![],
            many: Some(many),
            indexed,
            is_array: args.output.is_some(),
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

/// A bar for so many bytes, a spinner where that is not known; nothing at all where standard error is no terminal.
fn progress(wanted: bool, bytes: Option<u64>) -> ProgressBar {
    if !wanted || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match bytes {
        Some(bytes) => (
            ProgressBar::new(bytes),
            "{bar:32.cyan/dim} {percent:>3}%  {binary_bytes} of {binary_total_bytes}  {binary_bytes_per_sec}  {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {binary_bytes}  {binary_bytes_per_sec}  {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = bar.with_finish(ProgressFinish::AndClear);
    bar.set_style(style.progress_chars("━╸─"));
    bar.enable_steady_tick(Duration::from_millis(100));
    interrupt::clear(&bar);
    bar
}
