//! Several operators that only runs tell, in one read of the data: a tuple whose length and members a program reads from a command line.

use super::{
    Accumulator, Answer, DeviceAnswer, DynAcc, DynAnswer, DynFold, DynOp, Fold, Keep, Leaf, Member, Op, Part, Partial,
    Partials, READ_IN_TWO_WAYS, Span, Wgsl, accumulate_block, answer_words, instance_of,
};
use crate::element::{Columns, Dtype, Element};
use crate::error::Result;
use std::ops::Range;

/// Operators of any kind over elements of type `T`, in one read of them; the answers stand in their order. Members with equal folds, `sum` and
/// `mean` say, share one accumulator, on the host too.
///
/// It answers as a tuple of them does.
///
/// ```
/// use treefold::{Answer, Cpu, DynOp, DynTuple, ops::{Max, Mean, Sum}};
/// let asked = DynTuple::of([DynOp::of(Sum), DynOp::of(Mean), DynOp::of(Max)]);
/// let answers = Cpu::new().reduce(asked, &[1.0f32, 2.0, 6.0])?;
/// assert_eq!(answers[1].downcast_ref::<Option<f32>>(), Some(&Some(3.0)));
/// assert_eq!(answers[2].parts()[0].value.to_f64(), Some(6.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DynTuple<T: Element> {
    members: Vec<DynOp<T>>,
    /// The number of each one's fold in that of all.
    folds: Vec<usize>,
    fold: DynTupleFold<T>,
}

/// The fold of a [`DynTuple`]: the folds of its members, each once.
#[derive(Clone, Debug)]
pub struct DynTupleFold<T: Element>(Vec<DynFold<T>>);

/// The accumulator of a [`DynTupleFold`]: those of its folds. Of another length, the folds without one have seen no elements.
#[derive(Clone, Debug)]
pub struct DynTupleAcc(Vec<DynAcc>);

impl<T: Element> DynTuple<T> {
    /// These operators.
    pub fn of(members: impl IntoIterator<Item = DynOp<T>>) -> Self {
        let members: Vec<DynOp<T>> = members.into_iter().collect();
        let (mut found, mut folds): (Vec<DynFold<T>>, Vec<usize>) = (vec![], vec![]);
        for member in &members {
            let fold = member.fold();
            let known = found.iter().position(|other| alike(other, &fold));
            folds.push(known.unwrap_or(found.len()));
            if known.is_none() {
                found.push(fold);
            }
        }
        DynTuple { members, folds, fold: DynTupleFold(found) }
    }

    fn each(&self, acc: &DynTupleAcc, span: Span) -> Vec<Partial<T, DynOp<T>>> {
        let of = |(member, &number): (&DynOp<T>, &usize)| Partial::of(member.clone(), self.fold.acc(acc, number), span);
        self.members.iter().zip(&self.folds).map(of).collect()
    }

    /// Its operators, in their order.
    pub fn members(&self) -> &[DynOp<T>] {
        &self.members
    }
}

/// Whether two folds have one accumulator.
fn alike<T: Element>(a: &DynFold<T>, b: &DynFold<T>) -> bool {
    a.kind() == b.kind() && a.instance() == b.instance() && a.params() == b.params() && a.table() == b.table()
}

impl<T: Element> Partial<T, DynTuple<T>> {
    /// The partial of each operator by itself, in their order.
    pub fn each(&self) -> Vec<Partial<T, DynOp<T>>> {
        let (op, acc, span) = self.parts();
        op.each(acc, span)
    }
}

impl<T: Element> Partial<T, DynOp<T>> {
    /// The partial of each operator by itself, where it is one of a [`DynTuple`]; else itself.
    #[doc(hidden)]
    pub fn each(&self) -> Vec<Partial<T, DynOp<T>>> {
        let (op, acc, span) = self.parts();
        match op.downcast_ref::<DynTuple<T>>() {
            Some(tuple) => tuple.each(acc.downcast_ref().unwrap_or(&tuple.fold.identity()), span),
            None => vec![self.clone()],
        }
    }
}

impl<T: Element> Partials<T, DynOp<T>> {
    /// The partials of each operator by itself, where they are those of a [`DynTuple`]; else themselves.
    #[doc(hidden)]
    pub fn each(self) -> Vec<Partials<T, DynOp<T>>> {
        let Some(DynTuple { members, folds, fold }) = self.op().downcast_ref::<DynTuple<T>>().cloned() else {
            return vec![self];
        };
        let none = fold.identity();
        let acc = |all: &DynAcc, number| fold.acc(all.downcast_ref().unwrap_or(&none), number);
        let of = |(member, &number): (&DynOp<T>, &usize)| self.of_each(member.clone(), |all| acc(all, number));
        members.iter().zip(&folds).map(of).collect()
    }
}

impl<T: Element> DynTupleFold<T> {
    /// The accumulator of the fold of this number.
    fn acc(&self, all: &DynTupleAcc, number: usize) -> DynAcc {
        all.0.get(number).cloned().unwrap_or_else(|| self.0[number].identity())
    }

    /// An accumulator of what `make` makes of each fold.
    fn of_each(&self, make: impl FnMut(&DynFold<T>) -> DynAcc) -> DynTupleAcc {
        DynTupleAcc(self.0.iter().map(make).collect())
    }

    /// What `make` makes of each fold and its accumulator.
    fn with_each(&self, acc: DynTupleAcc, make: impl Fn(&DynFold<T>, DynAcc) -> DynAcc) -> DynTupleAcc {
        let mut accs = acc.0.into_iter();
        self.of_each(|fold| make(fold, accs.next().unwrap_or_else(|| fold.identity())))
    }

    /// Hands each fold its accumulator.
    fn change_each(&self, acc: &mut DynTupleAcc, mut change: impl FnMut(&DynFold<T>, &mut DynAcc)) {
        let identity = self.0.get(acc.0.len()..).unwrap_or_default().iter().map(Fold::identity);
        acc.0.extend(identity);
        self.0.iter().zip(&mut acc.0).for_each(|(fold, acc)| change(fold, acc));
    }

    /// Adds so many accumulators, of which `find` finds those of a fold.
    fn extend(&self, count: usize, accs: &mut Vec<DynTupleAcc>, find: impl Fn(&DynFold<T>, &mut Vec<DynAcc>)) {
        let first = accs.len();
        accs.resize_with(first + count, || DynTupleAcc(Vec::with_capacity(self.0.len())));
        for fold in &self.0 {
            let mut found = Vec::with_capacity(count);
            find(fold, &mut found);
            accs[first..].iter_mut().zip(found).for_each(|(acc, found)| acc.0.push(found));
        }
    }

    fn any(&self, is: impl Fn(&DynFold<T>) -> bool) -> bool {
        self.0.iter().any(is)
    }
}

impl Accumulator for DynTupleAcc {
    const WORDS: usize = 0;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, _: &mut [u32]) {}
    fn read(_: &[u32]) -> Self {
        DynTupleAcc(vec![])
    }
    fn fits(&self) -> bool {
        self.0.iter().all(Accumulator::fits)
    }
}

impl<T: Element> Fold<T> for DynTupleFold<T> {
    type Acc = DynTupleAcc;

    fn identity(&self) -> DynTupleAcc {
        self.of_each(Fold::identity)
    }
    fn lift(&self, x: T, index: u64) -> DynTupleAcc {
        self.of_each(|fold| fold.lift(x, index))
    }
    fn combine(&self, a: DynTupleAcc, b: DynTupleAcc) -> DynTupleAcc {
        let mut a = a;
        self.merge(&mut a, b);
        a
    }
    fn accumulate(&self, elements: &[T], index: u64) -> DynTupleAcc {
        self.of_each(|fold| accumulate_block(fold, elements, index))
    }
    fn accumulate_onto(&self, acc: DynTupleAcc, elements: &[T], index: u64) -> DynTupleAcc {
        self.with_each(acc, |fold, acc| fold.accumulate_onto(acc, elements, index))
    }
    fn accumulate_blocks(&self, blocks: &[(&[T], u64)], accs: &mut Vec<DynTupleAcc>) {
        self.extend(blocks.len(), accs, |fold, found| fold.accumulate_blocks(blocks, found));
    }
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<DynTupleAcc>) {
        self.extend(columns.count(), accs, |fold, found| fold.accumulate_columns(columns, index, found));
    }
    fn add(&self, acc: &mut DynTupleAcc, x: T, index: u64) {
        self.change_each(acc, |fold, acc| fold.add(acc, x, index));
    }
    fn merge(&self, acc: &mut DynTupleAcc, other: DynTupleAcc) {
        let mut others = other.0.into_iter();
        self.change_each(acc, |fold, acc| {
            if let Some(other) = others.next() {
                fold.merge(acc, other);
            }
        });
    }
    fn offset(&self, acc: DynTupleAcc, by: u64) -> DynTupleAcc {
        self.with_each(acc, |fold, acc| fold.offset(acc, by))
    }
    fn canonical(&self, acc: DynTupleAcc) -> DynTupleAcc {
        self.with_each(acc, Fold::canonical)
    }

    /// Nothing of its own; its leaves have texts.
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("", "", "")
    }
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        self.0.iter().for_each(|fold| fold.leaves(keep, out));
    }
    fn kind(&self) -> String {
        self.0.iter().map(Fold::kind).collect::<Vec<_>>().join(",")
    }
    fn instance(&self) -> u64 {
        instance_of(&self.0.iter().map(Fold::instance).collect::<Vec<_>>())
    }
    fn params(&self) -> Vec<u32> {
        self.0.iter().flat_map(Fold::params).collect()
    }
    fn table(&self) -> Vec<u32> {
        self.0.iter().flat_map(Fold::table).collect()
    }
    fn is_commutative(&self) -> bool {
        self.0.iter().all(Fold::is_commutative)
    }
    fn needs_position(&self) -> bool {
        self.any(Fold::needs_position)
    }
    fn host_only(&self) -> Option<&'static str> {
        let reads = self.reads();
        let alike = self.0.iter().all(|fold| fold.reads() == reads);
        let alone = self.0.iter().find_map(Fold::host_only).or((!alike).then_some(READ_IN_TWO_WAYS));
        alone.or(self.0.is_empty().then_some("a tuple of no operators has nothing to compute"))
    }
    fn reads(&self) -> Dtype {
        self.0.first().map_or(T::DTYPE, Fold::reads)
    }
    fn is_heavy(&self) -> bool {
        self.any(Fold::is_heavy)
    }
    fn most_elements(&self) -> u64 {
        self.0.iter().map(Fold::most_elements).min().unwrap_or(u64::MAX)
    }

    fn acc_words(&self) -> usize {
        self.0.iter().map(Fold::acc_words).sum()
    }
    fn acc_bytes(&self) -> usize {
        size_of::<DynTupleAcc>() + self.0.iter().map(Fold::acc_bytes).sum::<usize>()
    }
    fn write_acc(&self, acc: &DynTupleAcc, words: &mut [u32]) {
        let mut rest = words;
        for (number, fold) in self.0.iter().enumerate() {
            let (now, later) = rest.split_at_mut(fold.acc_words().min(rest.len()));
            fold.write_acc(&self.acc(acc, number), now);
            rest = later;
        }
    }
    fn read_acc(&self, words: &[u32]) -> DynTupleAcc {
        let mut rest = words;
        self.of_each(|fold| {
            let (now, later) = rest.split_at(fold.acc_words().min(rest.len()));
            rest = later;
            fold.read_acc(now)
        })
    }
}

impl<T: Element> Op<T> for DynTuple<T> {
    type Fold = DynTupleFold<T>;
    type Output = Vec<DynAnswer>;
    const NAME: &'static str = "tuple";

    fn is_exact(&self) -> bool {
        self.members.iter().all(Op::is_exact)
    }
    fn is_shareable(&self) -> bool {
        self.members.iter().all(Op::is_shareable)
    }
    fn signature(&self) -> String {
        format!("({})", self.members.iter().map(Op::signature).collect::<Vec<_>>().join(","))
    }
    fn fold(&self) -> DynTupleFold<T> {
        self.fold.clone()
    }
    fn finish(&self, acc: DynTupleAcc, count: u64) -> Result<Vec<DynAnswer>> {
        let of = |(member, &number): (&DynOp<T>, &usize)| member.finish(self.fold.acc(&acc, number), count);
        self.members.iter().zip(&self.folds).map(of).collect()
    }
    /// Those of its members, one after another.
    fn answer(&self) -> Option<DeviceAnswer> {
        None
    }
    fn read(&self, words: &[u32], count: u64) -> Result<Vec<DynAnswer>> {
        let mut rest = words;
        let of = |member: &DynOp<T>| {
            let (now, later) = rest.split_at(answer_words(member).unwrap_or(0).min(rest.len()));
            rest = later;
            member.read(now, count)
        };
        self.members.iter().map(of).collect()
    }
    fn close(&self, device: &Vec<DynAnswer>, host: &Vec<DynAnswer>, elements: &[T], finished: bool) -> bool {
        let mut both = self.members.iter().zip(device.iter().zip(host));
        device.len() == host.len()
            && both.all(|(member, (device, host))| member.close(device, host, elements, finished))
    }
    fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
        let mut at = leaf;
        let begins: Vec<usize> = self
            .fold
            .0
            .iter()
            .map(|fold| {
                let mut leaves = vec![];
                fold.leaves(Keep::Registers, &mut leaves);
                let begin = at;
                at += leaves.len();
                begin
            })
            .collect();
        for (member, &number) in self.members.iter().zip(&self.folds) {
            member.answers(begins[number], out);
        }
        at
    }
}

/// The parts of all, one answer after another.
impl Answer for Vec<DynAnswer> {
    fn parts(&self) -> Vec<Part> {
        self.iter().flat_map(Answer::parts).collect()
    }
}
