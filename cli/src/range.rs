//! The range of the input's own, for a histogram that is told none.

use crate::args::Args;
use crate::error::usage;
use crate::input::Inputs;
use crate::operators::{
    Chosen, EDGES, EDGES_Y, INTEGERS, INTEGERS_Y, RANGE, RANGE_Y, Told, flag, takers, told_to, value,
};
use crate::options::Sifting;
use crate::reading::{Progress, feed};
use crate::sieve::Sieve;
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, bail, ensure};
use treefold::ops::{Histogram, MinMax};
use treefold::{Answer, Dtype, Engine, Error, Scalar, StreamOptions};

/// Options that tell the places of each axis's bins; the first of them is the range.
const PLACES: [[&str; 3]; 2] = [[RANGE, EDGES, INTEGERS], [RANGE_Y, EDGES_Y, INTEGERS_Y]];

/// The axes of an operator whose range is that of the inputs' own, for which they are read before.
fn untold(operator: &str, args: &Args) -> Vec<usize> {
    let told = told_to(operator, &args.told);
    let untold = |places: &[&str; 3]| {
        takers(places[0]).contains(&operator) && places.iter().all(|name| value(&told, name).is_none())
    };
    (0..PLACES.len()).filter(|&axis| untold(&PLACES[axis])).collect()
}

/// Whether the inputs are read twice.
pub fn reads_twice(args: &Args) -> bool {
    args.operators.iter().any(|operator| !untold(operator, args).is_empty())
}

/// The options of an operator, with the range of the inputs' own where it takes one and is told none: the inputs are read
/// for their ends, of an operator over pairs either input for its own.
pub fn with_range(args: &Args, chosen: &Chosen, inputs: &Inputs, engine: &Engine) -> Result<Told> {
    let operator = chosen.typed();
    let (mut told, untold) = (told_to(operator, &args.told), untold(operator, args));
    if untold.is_empty() {
        return Ok(told);
    }
    ensure!(
        chosen.map.is_none(),
        usage(format!("{operator} of what --map makes wants --range or --edges, for the ends of that are not known"))
    );
    ensure!(
        args.partial.is_none(),
        usage(format!(
            "--partial of {operator} wants --range or --edges: parts over ranges of their own would not merge"
        ))
    );
    let names = inputs.names();
    let again = inputs.again().ok_or_else(|| {
        usage(format!(
            "{names}: without --range or --edges {operator} reads its input twice, for its ends first, and a pipe can be read only once; \
             pass --range LOW:HIGH, or name a file"
        ))
    })?;
    let pair_of = chosen.dtype.pair_of();
    let pairs = pair_of.is_some();
    ensure!(
        !pairs || !args.leaves_out(),
        usage(format!(
            "{operator} over a range of its own takes all pairs; pass --range, or leave out --nan ignore, --mask and --where"
        ))
    );
    let dtype = pair_of.unwrap_or(chosen.dtype);
    let of_axes = if pairs { again.alone() } else { vec![again] };
    for (axis, inputs) in of_axes.into_iter().enumerate().filter(|(axis, _)| untold.contains(axis)) {
        let names = inputs.names();
        let ends = match dtype {
            Dtype::F32 => ends_of::<f32>(args, inputs, engine),
            Dtype::I32 => ends_of::<i32>(args, inputs, engine),
            Dtype::U32 => ends_of::<u32>(args, inputs, engine),
            Dtype::F64 => ends_of::<f64>(args, inputs, engine),
            Dtype::I64 => ends_of::<i64>(args, inputs, engine),
            Dtype::U64 => ends_of::<u64>(args, inputs, engine),
            _ => bail!("{dtype} has no ends"),
        }?;
        let edges = Histogram::over(1, ends).map(|over| over.edges()).map_err(|error| match error {
            Error::NoRange { low, high } | Error::BadRange { low, high, .. } => {
                let [range, edges, _] = PLACES[axis].map(flag);
                let nan = if low.is_nan() { "--nan ignore to leave out NaN, " } else { "" };
                let [low, high] = [low, high].map(|end| if end.abs() < 1e16 { end.to_string() } else { format!("{end:e}") });
                anyhow!(
                    "{names}: its numbers reach from {low} to {high}, over which no bins can lie; pass {nan}{range} LOW:HIGH, or {edges}"
                )
            }
            error => anyhow!("{names}: {error}"),
        })?;
        told.push((PLACES[axis][0].into(), format!("{}:{}", edges[0], edges[1])));
    }
    Ok(told)
}

/// The lowest and the highest number of all inputs.
fn ends_of<T: Scalar>(args: &Args, inputs: Inputs, engine: &Engine) -> Result<Option<(f64, f64)>>
where
    Option<(T, T)>: Answer,
{
    let names = inputs.names();
    let mut options = StreamOptions::default();
    (options.memory_bytes, options.elements_hint) = (args.memory, inputs.count());
    let mut stream = engine.stream(MinMax, &options)?;
    let sizes = Sizes::within(stream.part_elements(), T::DTYPE.bytes() as usize, args.memory);
    let mut progress = Progress::new(args.shows_progress(), inputs.bytes());
    let mut sieve = args.sifting.as_ref().map(|sifting| Sieve::<T>::new(sifting, args.memory, &inputs)).transpose()?;
    let ordered = args.sifting.as_ref().is_some_and(Sifting::is_ordered);
    feed(inputs, ordered, sizes, &mut |name: &str, size, elements: &[T]| {
        let kept = match &mut sieve {
            Some(sieve) => {
                sieve.look(elements, name)?;
                sieve.pass(0, elements, &[]).0
            }
            None => elements,
        };
        progress.push(name, size * elements.len(), || stream.push(kept))
    })?;
    let finished = stream.finish().with_context(|| names);
    progress.done();
    let ends: Vec<Option<f64>> = finished?.output.parts().into_iter().map(|part| part.value.to_f64()).collect();
    Ok(match ends[..] {
        [Some(low), Some(high)] => Some((low, high)),
        _ => None,
    })
}
