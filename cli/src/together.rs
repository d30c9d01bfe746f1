//! Operators that go through the elements together, and reductions to one answer of each.

use crate::operators::{Boxed, Chosen, Told};
use crate::parts::Parts;
use crate::reading::{Ended, OfOne, Reduction};
use crate::report::{Answered, Many};
use anyhow::{Context, Result};
use treefold::ops::{Numbers, Visitor};
use treefold::{
    Answer, Dtype, DynAnswer, DynOp, DynTuple, Element, Engine, Finished, Fold, Op, Part, Stream, StreamOptions,
};

/// Operators that go together, at most. Of any six WebGPU's least limits have room for the accumulators (`treefold explain LIST --web`).
const TOGETHER_MAX: usize = 6;

/// An operator, and what is told of its answers.
#[derive(Clone)]
pub struct ToAnswer<T: Element> {
    op: DynOp<T>,
    /// The operator itself, or, of elements of which it leaves some out, the one that says behind each answer how many.
    streamed: DynOp<T>,
    sifted: bool,
    chosen: Chosen,
    parts: Parts,
}

impl<T: Element> ToAnswer<T> {
    /// An operator over the numbers that pass, where a condition is given.
    pub fn of(op: DynOp<T>, numbers: Option<Numbers>, chosen: Chosen, parts: Parts) -> Result<ToAnswer<T>> {
        Ok(ToAnswer { streamed: of_numbers(&op, numbers)?, op, sifted: numbers.is_some(), chosen, parts })
    }

    /// The one that is chosen, over elements of type `T`.
    pub fn chosen(chosen: &Chosen, told: &Told, parts: &Parts, numbers: Option<Numbers>) -> Result<ToAnswer<T>> {
        ToAnswer::of(over(chosen, told)?, numbers, chosen.clone(), parts.clone())
    }

    /// All of them as one operator.
    pub fn all(members: &[ToAnswer<T>]) -> DynOp<T> {
        together(members.iter().map(|member| member.streamed.clone()).collect())
    }

    /// What is told of its answer, or of many, each in its parts.
    fn told(self, answer: Vec<Part>, many: Option<Many>, partial: Option<Vec<u8>>) -> OfOne {
        OfOne { found: Answered::of(&self.op, &self.chosen, self.parts, answer, many), partial }
    }

    /// The same of its one answer.
    fn answered(self, mut answer: Vec<Part>) -> OfOne {
        answer.truncate(answer.len() - usize::from(self.sifted));
        self.told(answer, None, None)
    }

    /// The same of many.
    pub fn answered_each(self, mut many: Many) -> OfOne {
        if self.sifted {
            many.take_left_out();
        }
        self.told(vec![], Some(many), None)
    }

    /// The same of what is not finished: one answer, or many of this shape.
    pub fn unfinished(self, partial: Vec<u8>, many: Option<Many>) -> OfOne {
        self.told(vec![], many, Some(partial))
    }
}

/// What of an operator's elements counts: all, or the numbers that pass.
pub fn of_numbers<T: Element>(op: &DynOp<T>, numbers: Option<Numbers>) -> Result<DynOp<T>> {
    match numbers {
        Some(numbers) => numbers.filter(op.clone()).with_context(|| format!("{} have no order", T::DTYPE)),
        None => Ok(op.clone()),
    }
}

/// The operator that is chosen, over elements of type `T`.
pub fn over<T: Element>(chosen: &Chosen, told: &Told) -> Result<DynOp<T>> {
    let op = chosen.visit(told, Boxed)?.downcast::<DynOp<T>>();
    op.map(|op| *op).ok().with_context(|| format!("{} is over elements of another type", chosen.name))
}

/// Operators as one, where they are several.
pub fn together<T: Element>(operators: Vec<DynOp<T>>) -> DynOp<T> {
    match &operators[..] {
        [only] => only.clone(),
        several => DynOp::of(DynTuple::of(several.iter().cloned())),
    }
}

/// The parts of the answers of each of so many operators that were made one, answer by answer.
pub fn parts_of_each(answers: Vec<DynAnswer>, operators: usize) -> Vec<Vec<Vec<Part>>> {
    let mut each = vec![Vec::with_capacity(answers.len()); operators];
    for answer in answers {
        match answer.downcast_ref::<Vec<DynAnswer>>() {
            Some(all) => each.iter_mut().zip(all).for_each(|(parts, answer)| parts.push(answer.parts())),
            None => each.iter_mut().for_each(|parts| parts.push(answer.parts())),
        }
    }
    each
}

/// Whether an operator may go through the elements with others on every engine, and its answer has the same bits then as alone.
pub fn may_share<T: Element>(op: &DynOp<T>) -> bool {
    let fold = op.fold();
    let anywhere = fold.host_only().is_none() && fold.ranks().is_none() && op.axes().is_empty();
    anywhere && op.is_shareable() && fold.is_commutative()
}

/// [`may_share`], of an operator that is chosen by its name.
pub struct MayShare;

impl Visitor for MayShare {
    type Out = bool;
    fn visit<T: Element>(self, op: DynOp<T>) -> bool {
        may_share(&op)
    }
}

/// The operators over elements of this type that go through them together, by their places in a list: of those that `may`.
pub fn sharing<'a>(
    chosen: impl Iterator<Item = &'a Chosen>,
    dtype: Dtype,
    may: impl Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    let here = chosen.enumerate().filter(|&(at, chosen)| chosen.dtype == dtype && may(at));
    let places: Vec<usize> = here.map(|(at, _)| at).collect();
    // In parts that are as long as each other.
    let parts = places.len().div_ceil(TOGETHER_MAX).max(1);
    let together = places.chunks(places.len().div_ceil(parts).max(1)).filter(|together| together.len() > 1);
    together.map(<[usize]>::to_vec).collect()
}

/// Operators over all elements.
pub struct Whole<T: Element> {
    members: Vec<ToAnswer<T>>,
    stream: Stream<T, DynOp<T>>,
}

impl<T: Element> Whole<T> {
    /// These operators, in one reduction.
    pub fn of(engine: &Engine, members: Vec<ToAnswer<T>>, options: &StreamOptions) -> treefold::Result<Whole<T>> {
        let stream = engine.stream(ToAnswer::all(&members), options)?;
        Ok(Whole { members, stream })
    }
}

impl<T: Element> Reduction<T> for Whole<T> {
    fn push(&mut self, elements: &[T], _: &[u32]) -> treefold::Result<()> {
        self.stream.push(elements)
    }

    fn whole(&mut self) -> Option<&mut Stream<T, DynOp<T>>> {
        Some(&mut self.stream)
    }

    fn part_elements(&self) -> usize {
        self.stream.part_elements()
    }

    fn explain(&self) -> Vec<String> {
        self.stream.explain()
    }

    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended> {
        let Whole { members, stream } = *self;
        if partial {
            let Finished { output, copy_time, upload_time, kernel_time, .. } = stream.partial()?;
            let each = members.into_iter().zip(output.each());
            let each = each.map(|(member, partial)| Ok(member.unfinished(partial.to_bytes()?, None)));
            let each = each.collect::<treefold::Result<_>>()?;
            return Ok(Ended { each, copying: copy_time, upload: upload_time, kernel: kernel_time });
        }
        let Finished { output, copy_time, upload_time, kernel_time, .. } = stream.finish()?;
        let answers =
            parts_of_each(vec![output], members.len()).into_iter().map(|mut one| one.pop().unwrap_or_default());
        let each = members.into_iter().zip(answers).map(|(member, answer)| member.answered(answer)).collect();
        Ok(Ended { each, copying: copy_time, upload: upload_time, kernel: kernel_time })
    }
}
