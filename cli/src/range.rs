//! The range of the input's own, for a histogram that is told none.

use crate::args::Args;
use crate::error::usage;
use crate::input::Inputs;
use crate::operators::{Chosen, EDGES, RANGE, Told, takers, told_to, value};
use crate::reading::{Progress, feed};
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use treefold::ops::{self, Histogram, MinMax, Visitor};
use treefold::{Answer, Element, Engine, Error, Op, StreamOptions, Value};

/// What an operator is told, with the range of the inputs' own where it takes one and is told none: the inputs are read
/// for their ends.
pub fn with_range(args: &Args, chosen: &Chosen, inputs: &Inputs, engine: &Engine) -> Result<Told> {
    let operator = chosen.typed();
    let mut told = told_to(operator, &args.told);
    if !takers(RANGE).contains(&operator) || [RANGE, EDGES].iter().any(|name| value(&told, name).is_some()) {
        return Ok(told);
    }
    ensure!(
        args.partial.is_none(),
        usage(format!(
            "--partial of {operator} wants --range or --edges: parts over ranges of their own would not merge"
        ))
    );
    let names = inputs.names();
    let inputs = inputs.again().ok_or_else(|| {
        usage(format!(
            "{names}: without --range or --edges {operator} reads its input twice, for its ends first, and a pipe can be read only once; \
             pass --range LOW:HIGH, or name a file"
        ))
    })?;
    let dtype = chosen.dtype;
    let ends = ops::visit(<MinMax as Op<f32>>::NAME, dtype, Ends { args, inputs, engine });
    let ends = ends.with_context(|| format!("{dtype} has no ends"))??;
    let edges = Histogram::over(1, ends).map(|over| over.edges()).map_err(|error| match error {
        Error::NoRange { low, high } => {
            anyhow!("{names}: its numbers reach from {low} to {high}, over which no bins can lie; pass --range LOW:HIGH, or --edges")
        }
        error => anyhow!("{names}: {error}"),
    })?;
    told.push((RANGE.into(), format!("{}:{}", edges[0], edges[1])));
    Ok(told)
}

/// The lowest and the highest number of all inputs.
struct Ends<'a> {
    args: &'a Args,
    inputs: Inputs,
    engine: &'a Engine,
}

impl Visitor for Ends<'_> {
    type Out = Result<Option<(f64, f64)>>;

    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Self::Out {
        let Ends { args, inputs, engine } = self;
        let names = inputs.names();
        let mut options = StreamOptions::default();
        (options.memory_bytes, options.elements_hint) = (args.memory, inputs.count());
        let mut stream = engine.stream(op, &options)?;
        let sizes = Sizes::within(stream.part_elements(), T::DTYPE.bytes() as usize, args.memory);
        let mut progress = Progress::new(!args.quiet && !args.json, inputs.bytes());
        feed(inputs, false, sizes, &mut |name: &str, size, elements: &[T]| {
            progress.push(name, size * elements.len(), || stream.push(elements))
        })?;
        let finished = stream.finish().with_context(|| names);
        progress.done();
        let ends: Vec<Option<f64>> = finished?.output.parts().into_iter().map(|part| number(part.value)).collect();
        Ok(match ends[..] {
            [Some(low), Some(high)] => Some((low, high)),
            _ => None,
        })
    }
}

/// A number of at most 32 bits.
fn number(value: Value) -> Option<f64> {
    match value {
        Value::F32(x) => Some(x.into()),
        Value::F64(x) => Some(x),
        Value::I64(x) => Some(x as f64),
        Value::U64(x) => Some(x as f64),
        _ => None,
    }
}
