//! Many answers: which elements belong to which, and whether there is room for them.

use crate::args::Args;
use crate::error::usage;
use crate::input::Inputs;
use crate::operators::Chosen;
use crate::reading::{Ended, Reduction, numbers};
use crate::report::{Answered, Many};
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use std::path::Path;
use std::time::Duration;
use treefold::{Answer, Axes, Dtype, Element, Engine, Error, Fold, Offsets, Op, StreamEach, StreamOptions};

/// The answers that a command line asks for, and their shape; `None` where that is one for all elements. `ordered`: elements will
/// come in C order, else as they are stored.
pub fn wanted(args: &Args, inputs: &Inputs, ordered: bool) -> Result<Option<(Wanted, Vec<u64>)>> {
    if let Some(path) = &args.segments {
        let offsets = offsets(path, inputs, args.memory)?;
        let shape = vec![offsets.len() as u64 - 1];
        return Ok(Some((Wanted::Segments(offsets), shape)));
    }
    if args.axis.is_none() && args.rows.is_none() {
        return Ok(None);
    }
    let (axes, shape) = axes(args, inputs, ordered)?;
    Ok(Some((Wanted::Axes(axes), shape)))
}

/// The axes that are reduced, and the shape of the answers.
fn axes(args: &Args, inputs: &Inputs, ordered: bool) -> Result<(Axes, Vec<u64>)> {
    if let Some(length) = args.rows {
        let count = inputs.count().ok_or_else(|| {
            usage(format!(
                "{}: --rows wants to know how many rows there are, and a pipe does not tell; name a file",
                inputs.names()
            ))
        })?;
        if !count.is_multiple_of(length) {
            return Err(anyhow::Error::from(Error::RaggedRows { elements: count, length }).context(inputs.names()));
        }
        let axes = Axes::of(&[count / length, length], &[1])?;
        return Ok((axes, vec![count / length]));
    }
    let wanted = args.axis.as_deref().unwrap_or_default();
    let opened = inputs
        .only()
        .ok_or_else(|| usage("--axis is for one .npy file, whose header says its shape; there are several"))?;
    let Some(npy) = &opened.npy else {
        return Err(usage(format!(
            "{}: --axis is for .npy files, which say their shape; for rows of raw numbers pass --rows",
            opened.name
        )));
    };
    let shape = &npy.axes;
    let made = match npy.fortran_order && !ordered {
        true => {
            let strides: Vec<i64> = (0..shape.len()).map(|d| shape[..d].iter().product::<u64>() as i64).collect();
            Axes::strided(0, shape, &strides, wanted)
        }
        false => Axes::of(shape, wanted),
    };
    let axes = made.with_context(|| opened.name.clone())?;
    let shape = axes.shape(args.keepdims);
    Ok((axes, shape))
}

/// Which answers are wanted.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Along axes, or of rows.
    Axes(Axes),
    /// Of segments, by their offsets.
    Segments(Vec<u64>),
}

impl Wanted {
    fn answers(&self) -> u64 {
        match self {
            Wanted::Axes(axes) => axes.answers(),
            Wanted::Segments(offsets) => offsets.len() as u64 - 1,
        }
    }

    /// Elements of an answer, where all have as many.
    fn length(&self) -> Option<u64> {
        match self {
            Wanted::Axes(axes) => Some(axes.length()),
            Wanted::Segments(_) => None,
        }
    }
}

/// The offsets that a file holds, checked against what is known of the inputs.
fn offsets(path: &Path, inputs: &Inputs, memory: u64) -> Result<Vec<u64>> {
    let file = Inputs::open(&[path.to_path_buf()], None)?;
    let name = file.names();
    ensure!(
        file.count().is_none_or(|count| count.saturating_mul(8) <= memory),
        "{name}: {} offsets take 8 bytes each, more than --memory of {memory}; raise it, or reduce a part in each call",
        file.count().unwrap_or(0)
    );
    let negative = |at: usize, offset: i64| {
        anyhow!("{name}: offset {at} is {offset}; offsets count elements from 0, so none is negative")
    };
    let sizes = Sizes::within(1 << 20, 8, memory);
    let offsets = match file.dtype {
        Dtype::U32 => numbers(file, sizes, |_, x: u32| Ok(u64::from(x)))?,
        Dtype::U64 => numbers(file, sizes, |_, x: u64| Ok(x))?,
        Dtype::I32 => numbers(file, sizes, |at, x: i32| u64::try_from(x).map_err(|_| negative(at, x.into())))?,
        Dtype::I64 => numbers(file, sizes, |at, x: i64| u64::try_from(x).map_err(|_| negative(at, x)))?,
        other => {
            return Err(usage(format!(
                "{name}: --segments is for whole numbers, but it holds {other}; save the offsets as int64"
            )));
        }
    };
    let most = inputs.count().unwrap_or(u64::MAX);
    Offsets::check(&offsets, most).map_err(|error| anyhow::Error::from(error).context(name))?;
    Ok(offsets)
}

/// A reduction to many answers.
struct Each<T: Element, O: Op<T>> {
    op: O,
    chosen: Chosen,
    indexed: Vec<bool>,
    shape: Vec<u64>,
    length: Option<u64>,
    stream: StreamEach<T, O>,
}

/// Elements that are read and folded at a time.
const PART_ELEMENTS: usize = 4 << 20;

impl<T: Element, O: Op<T, Output: Answer>> Reduction<T> for Each<T, O> {
    fn push(&mut self, elements: &[T]) -> treefold::Result<()> {
        self.stream.push(elements)
    }

    fn part_elements(&self) -> usize {
        PART_ELEMENTS
    }

    fn explain(&self) -> Vec<String> {
        vec![]
    }

    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended> {
        let Each { op, chosen, indexed, shape, length, stream } = *self;
        let (many, partial) = if partial {
            let bytes = stream.partials()?.with_shape(&shape)?.to_bytes()?;
            (Many::none(shape, length), Some(bytes))
        } else {
            (Many::new(shape, length, stream.finish()?), None)
        };
        let found = Answered::of(&op, &chosen, indexed, vec![], Some(many));
        Ok(Ended { found, partial, copying: Duration::ZERO, upload: None, kernel: None })
    }
}

/// Memory that accumulators may take, and what those of the operators before take of it.
pub struct Room {
    pub memory: u64,
    pub taken: u64,
}

/// Begins the reduction, where its accumulators fit the memory.
pub fn begin<T: Element, O: Op<T, Output: Answer>>(
    engine: &Engine,
    (op, chosen, indexed): (O, Chosen, Vec<bool>),
    (wanted, shape): (Wanted, Vec<u64>),
    room: &mut Room,
    options: &StreamOptions,
) -> Result<Box<dyn Reduction<T>>> {
    ensure!(
        T::DTYPE != Dtype::F32x2,
        usage(format!("{} takes pairs of two inputs as a whole; leave out --axis, --rows and --segments", O::NAME))
    );
    let (answers, length) = (wanted.answers(), wanted.length());
    let each = (4 * op.fold().acc_words()).max(size_of::<treefold::Acc<T, O>>()) as u64 + 64;
    room.taken = room.taken.saturating_add(answers.saturating_mul(each));
    ensure!(
        room.taken <= room.memory,
        "{answers} answers take about {} bytes while they are computed, more than --memory of {}; raise it, or reduce a part \
         of the array in each call",
        room.taken,
        room.memory
    );
    let stream = match wanted {
        Wanted::Axes(axes) => engine.stream_each(op.clone(), &axes, options)?,
        Wanted::Segments(offsets) => engine.stream_segments(op.clone(), offsets, options)?,
    };
    Ok(Box::new(Each { op, chosen, indexed, shape, length, stream }))
}
