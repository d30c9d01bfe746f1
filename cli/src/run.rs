//! One reduction: from opened inputs to a report.

use crate::args::Args;
use crate::feed::Sizes;
use crate::input::Inputs;
use crate::report::{Report, Seconds};
use crate::{operators, progress};
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};
use treefold::ops::Visitor;
use treefold::{Answer, Element, Engine, Op, StreamOptions};

/// Reduces what the command line names.
pub fn run(args: &Args) -> Result<Report> {
    let inputs = Inputs::open(&args.files, args.raw())?;
    let (name, dtype) = (&args.operator, inputs.dtype);
    let takes = operators::takes(name);
    ensure!(
        takes.contains(&dtype),
        "{}: holds {dtype}, but the operator \"{name}\" takes {} only; convert it (numpy: .astype) or choose another",
        inputs.shown_by,
        takes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(" and ")
    );
    let engine = args.adapter.as_deref().map_or_else(Engine::best, Engine::named)?;
    let run = Run { args, inputs, engine: &engine };
    operators::visit(name, dtype, args.ddof.unwrap_or(0), run).context("no such operator")?
}

struct Run<'a> {
    args: &'a Args,
    inputs: Inputs,
    engine: &'a Engine,
}

impl Visitor for Run<'_> {
    type Out = Result<Report>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Result<Report> {
        let Run { args, inputs, engine } = self;
        let start = Instant::now();
        // What an answer looks like: which parts it has, and which of them have an index.
        let sample = op.finish(op.lift(T::ZERO, 0), 1)?.parts();
        let ordered = !O::COMMUTATIVE || sample.iter().any(|part| part.index.is_some());

        let mut options = StreamOptions::default();
        options.memory_bytes = args.memory;
        options.elements_hint = inputs.count();
        let mut stream = engine.stream(op, &options)?;
        let sizes = sizes(stream.part_elements(), args.memory);
        if args.verbose {
            stream.explain().iter().for_each(|line| eprintln!("{line}"));
            let Sizes { part_elements, window_bytes, .. } = sizes;
            eprintln!("reading parts of {part_elements} elements, files in windows of {window_bytes} bytes");
        }

        let names = inputs.names();
        let bar = progress::bar(!args.quiet && !args.json, inputs.bytes());
        let reading = Instant::now();
        let mut pushing = Duration::ZERO;
        let mut bytes = 0;
        for opened in inputs.each() {
            let opened = opened?;
            let name = opened.name.clone();
            let size = opened.stored.size() as u64;
            let mut take = |elements: &[T]| {
                let start = Instant::now();
                stream.push(elements).with_context(|| name.clone())?;
                pushing += start.elapsed();
                bytes += elements.len() as u64 * size;
                bar.set_position(bytes);
                Ok(())
            };
            opened.feed(ordered, sizes, &mut take)?;
        }
        let reading = reading.elapsed().saturating_sub(pushing);
        let finished = stream.finish().with_context(|| names.clone());
        bar.finish_and_clear();
        let finished = finished?;

        Ok(Report {
            operator: args.operator.clone(),
            names,
            dtype: T::DTYPE,
            count: finished.count,
            bytes,
            parts: finished.output.parts(),
            indexed: sample.iter().map(|part| part.index.is_some()).collect(),
            exact: O::EXACT,
            adapter: engine.name(),
            backend: engine.backend(),
            seconds: Seconds {
                read: reading + finished.copy_time,
                upload: finished.upload_time,
                kernel: finished.kernel_time,
                total: start.elapsed(),
            },
        })
    }
}

/// Parts that the stream does not cut, windows of whole parts, tiles of half a share; all within a share of the memory.
fn sizes(part_elements: usize, memory_bytes: u64) -> Sizes {
    const WINDOW: usize = 64 << 20;
    let share = usize::try_from(memory_bytes / 4).unwrap_or(WINDOW);
    let part_elements = part_elements.min(share / 4).max(1);
    let part_bytes = part_elements * 4;
    let tile_elements = (share / 8).clamp(1, 16 << 20);
    Sizes { part_elements, tile_elements, window_bytes: part_bytes * (share.min(WINDOW) / part_bytes).max(1) }
}
