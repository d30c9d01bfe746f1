//! Sums of weights by bin: the bins of the elements are the keys of groups, and the weights of each group are summed.

use crate::args::Args;
use crate::input::Inputs;
use crate::operators::{self, Boxed, Chosen, Told};
use crate::pairs::{self, together};
use crate::parts::Parts;
use crate::reading::{Progress, feed};
use crate::report::{Answered, Computed, LeftOut, Report, Seconds};
use crate::source::{Sizes, Take};
use anyhow::{Context, Result, bail, ensure};
use half::f16;
use std::path::Path;
use std::time::{Duration, Instant};
use treefold::ops::{Binned, Binned2d, Countable, FastSum, Histogram, Histogram2d, Sum};
use treefold::{Answer, Dtype, DynOp, Element, Engine, Grouped, Op, Part, StreamOptions, Value};

/// Elements that are read and summed at a time.
const PART_ELEMENTS: usize = 4 << 20;

/// A histogram of weights: what the command line says of it.
pub struct Weighted<'a> {
    pub args: &'a Args,
    pub chosen: &'a Chosen,
    pub told: &'a Told,
    pub path: &'a Path,
    pub engine: &'a Engine,
    pub start: Instant,
}

impl Weighted<'_> {
    /// Sums the weights by the bins of the inputs' elements.
    pub fn report(self, inputs: Inputs) -> Result<Report> {
        match self.chosen.dtype {
            Dtype::I32 => self.over::<i32, Histogram>(inputs),
            Dtype::U32 => self.over::<u32, Histogram>(inputs),
            Dtype::F64 => self.over::<f64, Histogram>(inputs),
            Dtype::I64 => self.over::<i64, Histogram>(inputs),
            Dtype::U64 => self.over::<u64, Histogram>(inputs),
            Dtype::F32x2 => self.over::<[f32; 2], Histogram2d>(inputs),
            Dtype::F64x2 => self.over::<[f64; 2], Histogram2d>(inputs),
            Dtype::I64x2 => self.over::<[i64; 2], Histogram2d>(inputs),
            Dtype::U64x2 => self.over::<[u64; 2], Histogram2d>(inputs),
            _ => self.over::<f32, Histogram>(inputs),
        }
    }

    fn over<T: Element, B: Bins<T>>(self, inputs: Inputs) -> Result<Report> {
        let op = self.chosen.visit(self.told, Boxed)?;
        let op = op.downcast_ref::<DynOp<T>>().and_then(DynOp::downcast_ref::<B>);
        let op = op.context("another operator")?;
        let weights = Inputs::open_beside(self.path, "--weights")?;
        inputs.missing().refuse("weights go by the places of values");
        let missing = inputs.missing().clone();
        let name = weights.shown_by.clone();
        let summed = <Sum as Op<f32>>::NAME;
        let chosen = operators::choose(summed, weights.dtype, self.args.fast)
            .with_context(|| format!("{name}: holds {}, which has no sums", weights.dtype))?;
        let (names, dtype, stored) = (inputs.names(), T::DTYPE, inputs.stored_as(T::DTYPE));
        let of = |elements: &[T]| op.bins_of(elements);
        let (args, engine) = (self.args, self.engine);
        let sums = Sums { args, engine, slots: op.slots(), of: &of, inputs, weights };
        let Summed { values, count, bytes, read } = match (chosen.name == <FastSum as Op<f32>>::NAME, chosen.dtype) {
            (true, _) => sums.by(FastSum),
            (false, Dtype::F32) => sums.by::<f32, _>(Sum),
            (false, Dtype::F16) => sums.by::<f16, _>(Sum),
            (false, Dtype::F64) => sums.by::<f64, _>(Sum),
            (false, Dtype::I32) => sums.by::<i32, _>(Sum),
            (false, Dtype::U32) => sums.by::<u32, _>(Sum),
            (false, Dtype::I64) => sums.by::<i64, _>(Sum),
            (false, Dtype::U64) => sums.by::<u64, _>(Sum),
            (false, dtype) => bail!("{name}: holds {dtype}, which has no sums"),
        }?;
        let parts = op.parts(values).context("too few sums")?;
        let found = Answered {
            exact: chosen.method.is_none_or(|method| method == operators::Method::Exact),
            method: chosen.method,
            weights: Some(name.clone()),
            ..Answered::of::<T, _>(op, self.chosen, Parts::like(&parts), parts, None)
        };
        let found = vec![found];
        Ok(Report {
            found,
            names: format!("{names}, weighted by {name}"),
            dtype,
            stored,
            count,
            missing: missing.found(),
            left_out: LeftOut::default(),
            bytes,
            written: None,
            is_array: args.output.is_some(),
            plotted: None,
            computed: Computed::by(engine),
            seconds: Seconds { read, upload: None, kernel: None, total: self.start.elapsed() },
        })
    }
}

/// A histogram whose slots are the keys of groups.
trait Bins<T: Element>: Op<T> {
    fn slots(&self) -> u64;
    fn bins_of(&self, elements: &[T]) -> Vec<u32>;
    /// The parts of an answer that has a value for each slot.
    fn parts(&self, values: Vec<Value>) -> Option<Vec<Part>>;
}

impl<T: Countable> Bins<T> for Histogram
where
    Histogram: Op<T>,
{
    fn slots(&self) -> u64 {
        self.slots()
    }
    fn bins_of(&self, elements: &[T]) -> Vec<u32> {
        self.bins_of(elements)
    }
    fn parts(&self, values: Vec<Value>) -> Option<Vec<Part>> {
        Binned::of_slots(values).map(|sums| sums.parts())
    }
}

impl<N: Countable> Bins<[N; 2]> for Histogram2d
where
    [N; 2]: Element,
    Histogram2d: Op<[N; 2]>,
{
    fn slots(&self) -> u64 {
        self.slots()
    }
    fn bins_of(&self, pairs: &[[N; 2]]) -> Vec<u32> {
        self.bins_of(pairs)
    }
    fn parts(&self, values: Vec<Value>) -> Option<Vec<Part>> {
        Binned2d::of_slots(self.shape(), values).map(|sums| sums.parts())
    }
}

/// Sums of weights, one for each slot, with the count and the bytes of the elements.
struct Summed {
    values: Vec<Value>,
    count: u64,
    bytes: u64,
    read: Duration,
}

/// Sums of weights of one type, by the slots of elements of another.
struct Sums<'a, T> {
    args: &'a Args,
    engine: &'a Engine,
    slots: u64,
    of: &'a dyn Fn(&[T]) -> Vec<u32>,
    inputs: Inputs,
    weights: Inputs,
}

impl<T: Element> Sums<'_, T> {
    fn by<W: Element, O: Op<W, Output: Answer>>(self, op: O) -> Result<Summed> {
        let Sums { args, engine, slots, of, inputs, weights } = self;
        let pairs = T::DTYPE.pair_of().is_some();
        let (names, weighed) = (inputs.names(), weights.names());
        let count = inputs.count().map(|all| if pairs { all / 2 } else { all });
        let each = size_of::<treefold::Acc<W, O>>() as u64 + 64;
        let needs = slots.saturating_mul(each);
        ensure!(
            needs <= args.memory,
            "{slots} sums take about {needs} bytes while they are computed, more than --memory of {}; raise it, or ask for fewer bins",
            args.memory
        );
        let mut options = StreamOptions::default();
        (options.memory_bytes, options.elements_hint) = (args.memory, inputs.count());
        let mut stream = engine.stream_groups(op, slots, &options)?;
        let sizes = Sizes::within(PART_ELEMENTS, size_of::<T>().max(size_of::<W>()), args.memory);
        let bytes = inputs.bytes().zip(weights.bytes()).map(|(inputs, weights)| inputs + weights);
        let mut progress = Progress::new(args.shows_progress(), bytes);
        let second = weights.one()?;
        let (ordered, weight) = (!inputs.ordered_as(&second), second.stored.size());
        let (mut taken, mut element) = (0, if pairs { inputs.pair_bytes() } else { 0 });
        let feed = |take: Take<'_, T>| {
            if pairs {
                return pairs::feed(inputs, ordered, sizes, take);
            }
            feed(inputs, ordered, sizes, &mut |_, size, elements: &[T]| {
                element = size;
                take(elements)
            })
        };
        let mut take = |elements: &[T], weights: &[W]| {
            taken += elements.len() as u64;
            progress.push(&weighed, weight * weights.len(), || stream.push(&of(elements), weights))
        };
        together((&names, count), Box::new(feed), second, ordered, sizes, &mut take)?;
        let read = progress.reading();
        let bytes = progress.done() + taken * element as u64;
        let Grouped { answers, .. } = stream.finish().context(weighed)?;
        let values = answers.iter().flat_map(Answer::parts).map(|part| part.value).collect();
        Ok(Summed { values, count: taken, bytes, read })
    }
}
