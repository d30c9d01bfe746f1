//! Many answers: which elements belong to which, and whether there is room for them.

use crate::args::Args;
use crate::division::Division;
use crate::error::usage;
use crate::input::Inputs;
use crate::keys::{self, Keyed, Runs};
use crate::operators::Chosen;
use crate::reading::{Ended, Reduction};
use crate::report::{Answered, Many, Over};
use anyhow::{Context, Result, anyhow, ensure};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use treefold::{
    Answer, Axes, Element, Engine, Error, Fold, Grouped, Offsets, Op, StreamEach, StreamGroups, StreamOptions,
};

/// The answers that a command line asks for; `None` where that is one for all elements. `ordered`: elements will come in C order, else
/// as they are stored.
pub fn wanted(args: &Args, inputs: &Inputs, ordered: bool) -> Result<Option<Wanted>> {
    let (by, keyed) = match &args.division {
        Division { segments: Some(path), .. } => (By::Offsets(offsets(path, inputs, args.memory)?), None),
        Division { by: Some(path), .. } => {
            let (runs, keyed) = keys::runs(path, args.memory)?;
            (By::Runs(runs), Some(keyed))
        }
        Division { group_by: Some(path), groups: Some(groups), .. } => {
            let (keys, keyed) = keys::groups(path, args.memory)?;
            (By::Groups(keys, *groups), Some(keyed))
        }
        Division { axis: None, rows: None, .. } => return Ok(None),
        _ => {
            let (axes, shape) = axes(args, inputs, ordered)?;
            return Ok(Some(Wanted { by: By::Axes(axes), shape, keyed: None }));
        }
    };
    if let (Some(keyed), Some(count)) = (&keyed, inputs.count()) {
        keyed.ensure_as_many(count, &inputs.names())?;
    }
    let shape = vec![by.answers()];
    Ok(Some(Wanted { by, shape, keyed }))
}

/// The axes that are reduced, and the shape of the answers.
fn axes(args: &Args, inputs: &Inputs, ordered: bool) -> Result<(Axes, Vec<u64>)> {
    if let Some(length) = args.division.rows {
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
    let wanted = args.division.axis.as_deref().unwrap_or_default();
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
    let shape = axes.shape(args.division.keepdims);
    Ok((axes, shape))
}

/// Many answers: over which elements each is, the shape of all, and the file of keys where one says so.
#[derive(Clone, Debug)]
pub struct Wanted {
    by: By,
    shape: Vec<u64>,
    pub keyed: Option<Keyed>,
}

/// What says which elements belong to which answer.
#[derive(Clone, Debug)]
enum By {
    /// Axes that are reduced, those of rows too.
    Axes(Axes),
    /// The offsets of segments.
    Offsets(Vec<u64>),
    /// Runs of equal keys.
    Runs(Runs),
    /// The group of each element, of so many.
    Groups(Rc<Vec<u32>>, u64),
}

impl By {
    fn answers(&self) -> u64 {
        match self {
            By::Axes(axes) => axes.answers(),
            By::Offsets(offsets) => offsets.len() as u64 - 1,
            By::Runs(runs) => runs.keys.len() as u64,
            By::Groups(_, groups) => *groups,
        }
    }
}

/// The offsets that a file holds, checked against what is known of the inputs.
fn offsets(path: &Path, inputs: &Inputs, memory: u64) -> Result<Vec<u64>> {
    let file = keys::open(path, "--segments")?;
    let name = file.names();
    keys::ensure_room(&file, "offsets", 8, memory)?;
    let offset = |at: usize, offset: i128| {
        u64::try_from(offset)
            .map_err(|_| anyhow!("{name}: offset {at} is {offset}; offsets count elements from 0, so none is negative"))
    };
    let offsets = keys::whole_numbers(file, "--segments", "save the offsets as int64", memory, offset)?;
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
    stream: Elements<T, O>,
}

/// The elements under way.
enum Elements<T: Element, O: Op<T>> {
    /// Those of an answer lie together, or in a pattern.
    Placed(StreamEach<T, O>, Over),
    /// Each belongs to the group that its key says.
    Keyed { stream: StreamGroups<T, O>, keys: Rc<Vec<u32>>, taken: usize },
}

/// Elements that are read and folded at a time.
const PART_ELEMENTS: usize = 4 << 20;

impl<T: Element, O: Op<T, Output: Answer>> Reduction<T> for Each<T, O> {
    fn push(&mut self, elements: &[T]) -> treefold::Result<()> {
        match &mut self.stream {
            Elements::Placed(stream, _) => stream.push(elements),
            Elements::Keyed { stream, keys, taken } => {
                // Where there are more elements than keys, the end says how many.
                let keys = &keys[*taken..];
                let most = elements.len().min(keys.len());
                *taken += most;
                stream.push(&keys[..most], &elements[..most])
            }
        }
    }

    fn part_elements(&self) -> usize {
        PART_ELEMENTS
    }

    fn explain(&self) -> Vec<String> {
        vec![]
    }

    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended> {
        let Each { op, chosen, indexed, shape, stream } = *self;
        let (many, partial) = match stream {
            Elements::Placed(stream, over) if partial => {
                let bytes = stream.partials()?.with_shape(&shape)?.to_bytes()?;
                (Many::none(shape, over), Some(bytes))
            }
            Elements::Placed(stream, over) => (Many::new(shape, over, stream.finish()?), None),
            Elements::Keyed { stream, .. } => {
                let Grouped { answers, counts, outside } = stream.finish()?;
                (Many::new(shape, Over::Groups { counts, outside }, answers), None)
            }
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
    wanted: Wanted,
    room: &mut Room,
    options: &StreamOptions,
) -> Result<Box<dyn Reduction<T>>> {
    let Wanted { by, shape, .. } = wanted;
    let answers = by.answers();
    let each = (4 * op.fold().acc_words()).max(size_of::<treefold::Acc<T, O>>()) as u64 + 64;
    room.taken = room.taken.saturating_add(answers.saturating_mul(each));
    ensure!(
        room.taken <= room.memory,
        "{answers} answers take about {} bytes while they are computed, more than --memory of {}; raise it, or reduce a part \
         of the array in each call",
        room.taken,
        room.memory
    );
    let told = op.clone();
    let stream = match by {
        By::Axes(axes) => Elements::Placed(engine.stream_each(told, &axes, options)?, Over::Length(axes.length())),
        By::Offsets(offsets) => Elements::Placed(engine.stream_segments(told, offsets, options)?, Over::Segment),
        By::Runs(Runs { offsets, keys }) => {
            Elements::Placed(engine.stream_segments(told, offsets, options)?, Over::Run(keys))
        }
        By::Groups(keys, groups) => {
            Elements::Keyed { stream: engine.stream_groups(told, groups, options)?, keys, taken: 0 }
        }
    };
    Ok(Box::new(Each { op, chosen, indexed, shape, stream }))
}
