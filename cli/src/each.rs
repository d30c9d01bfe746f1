//! Many answers: which elements belong to which, and whether there is room for them.

use crate::args::Args;
use crate::error::usage;
use crate::input::Inputs;
use crate::keys::{self, Keyed, OFFSET_BYTES, Runs};
use crate::options::Division;
use crate::reading::{Ended, Reduction};
use crate::report::{Many, Over};
use crate::together::{ToAnswer, parts_of_each};
use anyhow::{Context, Result, ensure};
use std::time::Duration;
use treefold::{Axes, DynOp, Element, Engine, Error, Fold, Grouped, Op, StreamEach, StreamGroups, StreamOptions};

/// The axes that are reduced, and the shape of the answers.
fn axes(division: &Division, inputs: &Inputs, ordered: bool) -> Result<(Axes, Vec<u64>)> {
    if let Some(length) = division.rows {
        let count = inputs.count().ok_or_else(|| {
            usage(format!(
                "{}: --rows wants to know how many rows there are, which pipes and text do not tell; name a file of numbers, such as .npy",
                inputs.names()
            ))
        })?;
        if !count.is_multiple_of(length) {
            return Err(anyhow::Error::from(Error::RaggedRows { elements: count, length }).context(inputs.names()));
        }
        let axes = Axes::of(&[count / length, length], &[1])?;
        return Ok((axes, vec![count / length]));
    }
    let wanted = division.axis.as_deref().unwrap_or_default();
    let opened =
        inputs.only().ok_or_else(|| usage("--axis is for one array, whose file says its shape; there are several"))?;
    let Some(array) = &opened.array else {
        let repair = match opened.count {
            Some(_) => "for rows of other numbers pass --rows",
            None => "save the numbers as one",
        };
        let name = &opened.name;
        return Err(usage(format!("{name}: --axis is for arrays whose files say their shape, such as .npy; {repair}")));
    };
    let shape = &array.axes;
    let made = match array.fortran_order && !ordered {
        true => {
            let strides: Vec<i64> = (0..shape.len()).map(|d| shape[..d].iter().product::<u64>() as i64).collect();
            Axes::strided(0, shape, &strides, wanted)
        }
        false => Axes::of(shape, wanted),
    };
    let axes = made.with_context(|| opened.name.clone())?;
    let shape = axes.shape(division.keepdims);
    Ok((axes, shape))
}

/// Many answers: over which elements each is, the shape of all, and whether there is room for them.
#[derive(Debug)]
pub struct Divided {
    by: By,
    shape: Vec<u64>,
    /// Memory that answers may take.
    memory: u64,
    /// The share of it that the answers of all operators take, and the keys of elements.
    taken: u64,
    /// Bytes of a part of an answer until it is told.
    part_bytes: u64,
}

/// The rule by which elements belong to answers.
#[derive(Clone, Debug)]
enum By {
    /// Axes that are reduced, those of rows too.
    Axes(Axes),
    /// The offsets of segments.
    Offsets(Vec<u64>),
    /// Runs of equal keys.
    Runs(Runs),
    /// The group that the key of each element says, of so many.
    Groups(u64),
}

impl By {
    fn answers(&self) -> u64 {
        match self {
            By::Axes(axes) => axes.answers(),
            By::Offsets(offsets) => offsets.len() as u64 - 1,
            By::Runs(runs) => runs.keys.values.len() as u64,
            By::Groups(groups) => *groups,
        }
    }

    /// Bytes of the offsets that a reduction holds.
    fn offset_bytes(&self) -> u64 {
        match self {
            By::Offsets(offsets) | By::Runs(Runs { offsets, .. }) => offsets.len() as u64 * OFFSET_BYTES,
            By::Axes(_) | By::Groups(_) => 0,
        }
    }
}

/// A reduction to many answers of each of some operators.
pub struct Each<T: Element> {
    members: Vec<ToAnswer<T>>,
    shape: Vec<u64>,
    stream: Elements<T>,
    part_elements: usize,
}

/// The elements under way.
enum Elements<T: Element> {
    /// Those of an answer lie together, or in a pattern.
    Placed(StreamEach<T, DynOp<T>>, Over),
    /// Each belongs to the group that its key says.
    Keyed(StreamGroups<T, DynOp<T>>),
}

/// Elements that are read and folded at a time, and elements of each answer at least, where memory has room for them: what a part leaves is merged with
/// the accumulator of each answer, which takes longer than to add a few elements.
const PART_ELEMENTS: usize = 4 << 20;
const OF_EACH: u64 = 64;

impl<T: Element> Reduction<T> for Each<T> {
    fn push(&mut self, elements: &[T], keys: &[u32]) -> treefold::Result<()> {
        match &mut self.stream {
            Elements::Placed(stream, _) => stream.push(elements),
            Elements::Keyed(stream) => stream.push(keys, elements),
        }
    }

    fn part_elements(&self) -> usize {
        self.part_elements
    }

    fn explain(&self) -> Vec<String> {
        vec![]
    }

    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended> {
        let Each { members, shape, stream, .. } = *self;
        let each = if partial {
            let (partials, over) = match stream {
                Elements::Placed(stream, over) => (stream.partials()?.with_shape(&shape)?, over),
                Elements::Keyed(stream) => {
                    let partials = stream.partials()?;
                    let over = Over::of(&partials);
                    (partials, over)
                }
            };
            let many = || Some(Many::none(shape.clone(), over.clone()));
            let each = members.into_iter().zip(partials.each());
            let each = each.map(|(member, partials)| Ok(member.unfinished(partials.to_bytes()?, many())));
            each.collect::<treefold::Result<_>>()?
        } else {
            let (answers, over) = match stream {
                Elements::Placed(stream, over) => (stream.finish()?, over),
                Elements::Keyed(stream) => {
                    let Grouped { answers, counts, outside } = stream.finish()?;
                    (answers, Over::Groups { counts, outside })
                }
            };
            let each = parts_of_each(answers, members.len());
            let many = |answers| Many::new(shape.clone(), over.clone(), answers);
            members.into_iter().zip(each).map(|(member, answers)| member.answered_each(many(answers))).collect()
        };
        Ok(Ended { each, copying: Duration::ZERO, upload: None, kernel: None })
    }
}

/// Elements of an answer that are many.
const LONG: u64 = 4096;

/// Bytes of a part of an answer, with its share of what holds it, while answers become arrays or lines.
const PART_BYTES: u64 = 96;
/// The same while they become JSON.
const PART_JSON_BYTES: u64 = 320;

impl Divided {
    /// The answers that a command line asks for, `None` where that is one for all elements; and the keys of elements, where a file has
    /// them. `ordered`: elements will come in C order, else as they are stored.
    pub fn of(
        args: &Args,
        division: &Division,
        inputs: &Inputs,
        ordered: bool,
    ) -> Result<(Option<Divided>, Option<Keyed>)> {
        let (memory, shown) = (args.memory, args.shows_progress());
        let mut axes_shape = None;
        let (by, keyed) = match division {
            Division { segments: Some(path), .. } => {
                (By::Offsets(keys::offsets(path, inputs.count(), memory, shown)?), None)
            }
            Division { by: Some(path), .. } => {
                let (runs, keyed) = keys::runs(path, memory, shown)?;
                (By::Runs(runs), Some(keyed))
            }
            Division { group_by: Some(path), groups: Some(groups), .. } => {
                (By::Groups(*groups), Some(keys::groups(path, memory, inputs)?))
            }
            Division { axis: None, rows: None, .. } => return Ok((None, None)),
            _ => {
                let (axes, shape) = axes(division, inputs, ordered)?;
                axes_shape = Some(shape);
                (By::Axes(axes), None)
            }
        };
        if let (Some(keyed), Some(count)) = (&keyed, inputs.count()) {
            keyed.ensure_as_many(count, &inputs.names())?;
        }
        let shape = axes_shape.unwrap_or_else(|| vec![by.answers()]);
        let part_bytes = if args.json { PART_JSON_BYTES } else { PART_BYTES };
        let taken = keyed.as_ref().map_or(0, |keyed| keyed.held);
        Ok((Some(Divided { by, shape, memory, taken, part_bytes }), keyed))
    }

    /// Counts what the answers of an operator take, in so many parts, until they are told.
    pub fn hold<T: Element>(&mut self, streamed: &DynOp<T>, parts: usize) {
        let each = streamed.fold().acc_bytes() as u64 + parts as u64 * self.part_bytes;
        let all = self.by.answers().saturating_mul(each).saturating_add(self.by.offset_bytes());
        self.taken = self.taken.saturating_add(all);
    }

    /// Refuses what takes more memory than there may be, the answers of all operators together.
    pub fn ensure_room(&self) -> Result<()> {
        ensure!(
            self.taken <= self.memory,
            "{} answers take about {} bytes while they are computed and told, more than --memory of {}; raise it, or reduce a part \
             of the array in each call",
            self.by.answers(),
            self.taken,
            self.memory
        );
        Ok(())
    }

    /// Whether operators go through the elements together: where there are many for each answer. Four operators over rows of 4096 f32 take 0.7 of
    /// their time so, over rows of 256 1.4 of it (the CPU engine, 2 cores), for each answer is a list then. A device may refuse many in segments, with
    /// the first elements.
    pub fn takes_several(&self) -> bool {
        matches!(&self.by, By::Axes(axes) if axes.length() >= LONG)
    }

    /// Begins a reduction.
    pub fn begin<T: Element>(
        &self,
        engine: &Engine,
        members: Vec<ToAnswer<T>>,
        options: &StreamOptions,
    ) -> treefold::Result<Each<T>> {
        let (by, shape, streamed) = (self.by.clone(), self.shape.clone(), ToAnswer::all(&members));
        let stream = match by {
            By::Axes(axes) => {
                let of_columns = matches!(axes.shape(true)[..], [1, columns] if columns > 1);
                let over = if of_columns { Over::Column } else { Over::Length }(axes.length());
                Elements::Placed(engine.stream_each(streamed, &axes, options)?, over)
            }
            By::Offsets(offsets) => {
                Elements::Placed(engine.stream_segments(streamed, offsets, options)?, Over::Segment)
            }
            By::Runs(Runs { offsets, keys }) => {
                Elements::Placed(engine.stream_segments(streamed, offsets, options)?, Over::Run(keys))
            }
            By::Groups(groups) => Elements::Keyed(engine.stream_groups(streamed, groups, options)?),
        };
        let room = (self.memory - self.taken.min(self.memory)) / (4 * T::DTYPE.bytes());
        let part_elements = self.by.answers().saturating_mul(OF_EACH).min(room);
        let part_elements = usize::try_from(part_elements).unwrap_or(PART_ELEMENTS).max(PART_ELEMENTS);
        Ok(Each { members, shape, stream, part_elements })
    }
}
