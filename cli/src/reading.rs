//! The reading of inputs: their elements, and how far it is.

use crate::input::Inputs;
use crate::report::Answered;
use crate::source::Sizes;
use crate::streams;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressFinish};
use std::time::{Duration, Instant};
use treefold::{DynOp, Element, ReadAt, Stream};

/// A reduction under way, whatever its operator.
pub trait Reduction<T: Element> {
    /// Takes the next elements, and the group of each where they are divided by groups.
    fn push(&mut self, elements: &[T], keys: &[u32]) -> treefold::Result<()>;

    /// The stream of all elements to one answer, where it is one: it reads what it can from the places where they lie.
    fn whole(&mut self) -> Option<&mut Stream<T, DynOp<T>>> {
        None
    }

    /// Number of elements that a part should have.
    fn part_elements(&self) -> usize;

    /// The way it works, in lines for people.
    fn explain(&self) -> Vec<String>;

    /// Waits for what is under way; gives partials in place of answers if that is wanted.
    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended>;
}

/// The result of an operator.
#[derive(Debug)]
pub struct OfOne {
    /// The answer, or many.
    pub found: Answered,
    /// The bytes of its partial, in place of answers.
    pub partial: Option<Vec<u8>>,
}

/// The result of a reduction.
#[derive(Debug)]
pub struct Ended {
    /// Of each of its operators, in their order.
    pub each: Vec<OfOne>,
    /// Copying into staging memory, and the device's times.
    pub copying: Duration,
    pub upload: Option<Duration>,
    pub kernel: Option<Duration>,
}

/// Progress of the reading of inputs, as a bar and in numbers.
pub struct Progress {
    bar: ProgressBar,
    begun: Instant,
    pushing: Duration,
    bytes: u64,
}

impl Progress {
    /// Of so many bytes, where that is known; the bar is only shown where it is wanted.
    pub fn new(wanted: bool, bytes: Option<u64>) -> Progress {
        let bar = bar(wanted, bytes);
        Progress { bar, begun: Instant::now(), pushing: Duration::ZERO, bytes: 0 }
    }

    /// Has bytes of an input read by whom they are for, who tells how many it has read; they are so many.
    pub fn read(&mut self, bytes: u64, read: impl FnOnce(&(dyn Fn(u64) + Sync)) -> Result<()>) -> Result<()> {
        let start = Instant::now();
        read(&|bytes| self.bar.inc(bytes))?;
        self.pushing += start.elapsed();
        self.bytes += bytes;
        self.bar.set_position(self.bytes);
        Ok(())
    }

    /// Hands so many bytes of an input on.
    pub fn push(&mut self, name: &str, bytes: usize, push: impl FnOnce() -> treefold::Result<()>) -> Result<()> {
        let start = Instant::now();
        push().with_context(|| name.to_string())?;
        self.pushing += start.elapsed();
        self.bytes += bytes as u64;
        self.bar.set_position(self.bytes);
        Ok(())
    }

    /// The time since the beginning that was not spent on handing on.
    pub fn reading(&self) -> Duration {
        self.begun.elapsed().saturating_sub(self.pushing)
    }

    /// Clears the bar; the bytes.
    pub fn done(self) -> u64 {
        self.bar.finish_and_clear();
        self.bytes
    }
}

/// Function that takes the elements of an input: its name, and the bytes of a number in its file.
pub type TakeNamed<'a, T> = &'a mut dyn FnMut(&str, usize, &[T]) -> Result<()>;

/// Hands all elements to `take`; in C order if `ordered`, else as they are stored.
pub fn feed<T: Element>(inputs: Inputs, ordered: bool, sizes: Sizes, take: TakeNamed<T>) -> Result<()> {
    for opened in inputs.each() {
        let opened = opened?;
        let (name, size) = (opened.name.clone(), opened.stored.size());
        opened.feed(ordered, sizes, &mut |elements| take(&name, size, elements))?;
    }
    Ok(())
}

/// Has a stream read what lies in files in its order, and hands it all else; their number.
pub fn give<T: Element>(
    inputs: Inputs,
    ordered: bool,
    sizes: Sizes,
    stream: &mut Stream<T, DynOp<T>>,
    progress: &mut Progress,
) -> Result<u64> {
    let sizes = Sizes { part_elements: sizes.part_elements.min(stream.piece_elements()), ..sizes };
    for opened in inputs.each() {
        let opened = opened?;
        let (name, size) = (opened.name.clone(), opened.stored.size());
        if opened.is_in_place(ordered) {
            let bytes = opened.count.unwrap_or(0) * size as u64;
            let mut take = |from: &dyn ReadAt<T>, elements| stream.push_from(from, 0..elements);
            progress.read(bytes, |seen| opened.read(seen, &mut take))?;
        } else {
            let mut take = |part: &[T]| progress.push(&name, size * part.len(), || stream.push(part));
            opened.feed(ordered, sizes, &mut take)?;
        }
    }
    Ok(stream.count())
}

/// All numbers of inputs, in C order, as `of` makes them of each and its place.
pub fn numbers<T: Element, N>(inputs: Inputs, sizes: Sizes, of: impl Fn(usize, T) -> Result<N>) -> Result<Vec<N>> {
    let mut found = vec![];
    feed(inputs, true, sizes, &mut |_, _, elements: &[T]| {
        found.reserve(elements.len());
        elements.iter().try_for_each(|&x| {
            found.push(of(found.len(), x)?);
            Ok(())
        })
    })?;
    Ok(found)
}

/// A bar for so many bytes, a spinner where that is not known.
fn bar(wanted: bool, bytes: Option<u64>) -> ProgressBar {
    let template = match bytes {
        Some(_) => {
            "{bar:32.cyan/dim} {percent:>3}%  {binary_bytes} of {binary_total_bytes}  {binary_bytes_per_sec}  {eta} left"
        }
        None => "{spinner} {binary_bytes}  {binary_bytes_per_sec}  {elapsed}",
    };
    let bar = streams::bar(wanted, bytes, template).with_finish(ProgressFinish::AndClear);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}
