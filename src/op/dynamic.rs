//! Operators whose kind only runs tell: what a name on a command line stands for.
//!
//! Everything that is generic over an operator is compiled once for a [`DynOp`] of each element type, in place of once for each operator.

use super::{
    Accumulator, Answer, BinAxis, Device, DeviceAnswer, Fold, Keep, Leaf, Member, Op, Part, Ranks, Wgsl,
    accumulate_block,
};
use crate::element::{Columns, Dtype, Element};
use crate::error::Result;
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An operator over elements of type `T` of any kind: [`visit`](crate::ops::visit) makes them of names.
///
/// It answers as the operator does that it was made of, with the same bits on every engine. What is a constant of other operators is told
/// by its methods: [`Op::name`], [`Op::is_exact`].
///
/// ```
/// use treefold::{Answer, Cpu, DynOp, ops::{MinMax, Sum}};
/// let cpu = Cpu::new();
/// for op in [DynOp::of(Sum), DynOp::of(MinMax)] {
///     println!("{}: {:?}", treefold::Op::name(&op), cpu.reduce(op.clone(), &[3i32, -4])?.parts());
/// }
/// assert_eq!(format!("{:?}", cpu.reduce(DynOp::of(MinMax), &[3i32, -4])?), "Some((-4, 3))");
/// # Ok::<(), treefold::Error>(())
/// ```
pub struct DynOp<T: Element>(Arc<dyn OpKind<T>>);

impl<T: Element> DynOp<T> {
    /// That operator.
    pub fn of<O: Op<T, Output: Answer>>(op: O) -> Self {
        DynOp(Arc::new(Of(op)))
    }

    /// The operator that it was made of, where that is an `O`.
    pub fn downcast_ref<O: 'static>(&self) -> Option<&O> {
        self.0.op().downcast_ref()
    }
}

/// The fold of a [`DynOp`].
pub struct DynFold<T: Element>(Arc<dyn FoldKind<T>>);

/// The accumulator of a [`DynFold`]. One of another operator counts as that of no elements.
pub struct DynAcc(Box<dyn AnyAcc>);

impl DynAcc {
    /// The accumulator of the fold that it is of, where that is an `A`.
    pub(super) fn downcast_ref<A: 'static>(&self) -> Option<&A> {
        self.0.acc().downcast_ref()
    }
}

/// The answer of a [`DynOp`].
pub struct DynAnswer(Box<dyn AnyAnswer>);

impl DynAnswer {
    /// The answer of the operator that it was made of, where that is an `R`; of an operator over one of any kind, that one's.
    pub fn downcast_ref<R: 'static>(&self) -> Option<&R> {
        let answer = self.0.answer();
        answer.downcast_ref().or_else(|| answer.downcast_ref::<DynAnswer>()?.downcast_ref())
    }
}

/// Methods that a kind has, and passes on to what it is of: their declarations, or themselves.
macro_rules! methods {
    (declared: $($name:ident($($arg:ident: $type:ty),*) -> $out:ty;)+) => {
        $(fn $name(&self $(, $arg: $type)*) -> $out;)+
    };
    (passed_on: $($name:ident($($arg:ident: $type:ty),*) -> $out:ty;)+) => {
        $(fn $name(&self $(, $arg: $type)*) -> $out {
            self.0.$name($($arg),*)
        })+
    };
}

/// Those of operators, whatever their element.
macro_rules! of_operators {
    ($how:ident) => {
        methods! { $how:
            name() -> &'static str;
            is_exact() -> bool;
            is_shareable() -> bool;
            picks() -> bool;
            signature() -> String;
            axes() -> Vec<BinAxis>;
            answer() -> Option<DeviceAnswer>;
            answers(leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize;
        }
    };
}

/// Those of folds.
macro_rules! of_folds {
    ($how:ident) => {
        methods! { $how:
            wgsl() -> Wgsl;
            is_commutative() -> bool;
            needs_position() -> bool;
            host_only() -> Option<&'static str>;
            ranks() -> Option<Ranks>;
            is_heavy() -> bool;
            most_elements() -> u64;
            instance() -> u64;
            params() -> Vec<u32>;
            acc_words() -> usize;
            device(keep: Keep) -> Device;
            reads() -> Dtype;
            table() -> Vec<u32>;
            leaves(keep: Keep, out: &mut Vec<Leaf>) -> ();
        }
    };
}

/// One of the kinds of operators.
trait OpKind<T: Element>: Send + Sync {
    of_operators!(declared);
    fn op(&self) -> &dyn Any;
    fn fold(&self) -> DynFold<T>;
    fn finish(&self, acc: DynAcc, count: u64) -> Result<DynAnswer>;
    fn read(&self, words: &[u32], count: u64) -> Result<DynAnswer>;
    fn close(&self, device: &DynAnswer, host: &DynAnswer, elements: &[T], finished: bool) -> bool;
}

/// One of the kinds of folds.
trait FoldKind<T: Element>: Send + Sync {
    of_folds!(declared);
    fn identity(&self) -> DynAcc;
    fn lift(&self, x: T, index: u64) -> DynAcc;
    fn combine(&self, a: DynAcc, b: DynAcc) -> DynAcc;
    fn offset(&self, acc: DynAcc, by: u64) -> DynAcc;
    fn accumulate(&self, elements: &[T], index: u64) -> DynAcc;
    fn accumulate_onto(&self, acc: DynAcc, elements: &[T], index: u64) -> DynAcc;
    fn accumulate_blocks(&self, blocks: &[(&[T], u64)], accs: &mut Vec<DynAcc>);
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<DynAcc>);
    fn add(&self, acc: &mut DynAcc, x: T, index: u64);
    fn merge(&self, acc: &mut DynAcc, other: DynAcc);
    fn kind(&self) -> String;
    fn acc_bytes(&self) -> usize;
    fn write_acc(&self, acc: &DynAcc, words: &mut [u32]);
    fn read_acc(&self, words: &[u32]) -> DynAcc;
    fn canonical(&self, acc: DynAcc) -> DynAcc;
}

trait AnyAcc: Send + Sync {
    fn copied(&self) -> DynAcc;
    fn fits(&self) -> bool;
    fn acc(&self) -> &dyn Any;
    fn acc_mut(&mut self) -> &mut dyn Any;
    fn into_acc(self: Box<Self>) -> Box<dyn Any>;
}

impl<A: Accumulator> AnyAcc for A {
    fn copied(&self) -> DynAcc {
        DynAcc(Box::new(self.clone()))
    }
    fn fits(&self) -> bool {
        Accumulator::fits(self)
    }
    fn acc(&self) -> &dyn Any {
        self
    }
    fn acc_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn into_acc(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

trait AnyAnswer: Send {
    fn answer(&self) -> &dyn Any;
    fn parts(&self) -> Vec<Part>;
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<A: Answer + fmt::Debug + Send + 'static> AnyAnswer for A {
    fn answer(&self) -> &dyn Any {
        self
    }
    fn parts(&self) -> Vec<Part> {
        Answer::parts(self)
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An operator or a fold of a kind that is known.
struct Of<O>(O);

fn boxed<A: Accumulator>(acc: A) -> DynAcc {
    DynAcc(Box::new(acc))
}

/// The accumulator of a fold that has this identity.
fn unboxed<A: Accumulator>(acc: DynAcc, identity: impl FnOnce() -> A) -> A {
    acc.0.into_acc().downcast().map_or_else(|_| identity(), |acc| *acc)
}

impl<T: Element, O: Op<T, Output: Answer>> OpKind<T> for Of<O> {
    of_operators!(passed_on);
    fn op(&self) -> &dyn Any {
        &self.0
    }
    fn fold(&self) -> DynFold<T> {
        DynFold(Arc::new(Of(self.0.fold())))
    }
    fn finish(&self, acc: DynAcc, count: u64) -> Result<DynAnswer> {
        let acc = unboxed(acc, || self.0.fold().identity());
        Ok(DynAnswer(Box::new(self.0.finish(acc, count)?)))
    }
    fn read(&self, words: &[u32], count: u64) -> Result<DynAnswer> {
        Ok(DynAnswer(Box::new(self.0.read(words, count)?)))
    }
    fn close(&self, device: &DynAnswer, host: &DynAnswer, elements: &[T], finished: bool) -> bool {
        match (device.downcast_ref(), host.downcast_ref()) {
            (Some(device), Some(host)) => self.0.close(device, host, elements, finished),
            _ => false,
        }
    }
}

impl<T: Element, F: Fold<T>> FoldKind<T> for Of<F> {
    of_folds!(passed_on);
    fn identity(&self) -> DynAcc {
        boxed(self.0.identity())
    }
    fn lift(&self, x: T, index: u64) -> DynAcc {
        boxed(self.0.lift(x, index))
    }
    fn combine(&self, a: DynAcc, b: DynAcc) -> DynAcc {
        let mut a = a;
        self.merge(&mut a, b);
        a
    }
    fn offset(&self, acc: DynAcc, by: u64) -> DynAcc {
        boxed(self.0.offset(unboxed(acc, || self.0.identity()), by))
    }
    fn accumulate(&self, elements: &[T], index: u64) -> DynAcc {
        boxed(accumulate_block(&self.0, elements, index))
    }
    fn accumulate_onto(&self, acc: DynAcc, elements: &[T], index: u64) -> DynAcc {
        boxed(self.0.accumulate_onto(unboxed(acc, || self.0.identity()), elements, index))
    }
    fn accumulate_blocks(&self, blocks: &[(&[T], u64)], accs: &mut Vec<DynAcc>) {
        let mut found = Vec::with_capacity(blocks.len());
        self.0.accumulate_blocks(blocks, &mut found);
        accs.extend(found.into_iter().map(boxed));
    }
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<DynAcc>) {
        let mut found = Vec::with_capacity(columns.count());
        self.0.accumulate_columns(columns, index, &mut found);
        accs.extend(found.into_iter().map(boxed));
    }
    fn add(&self, acc: &mut DynAcc, x: T, index: u64) {
        match acc.0.acc_mut().downcast_mut() {
            Some(acc) => self.0.add(acc, x, index),
            None => *acc = self.lift(x, index),
        }
    }
    fn merge(&self, acc: &mut DynAcc, other: DynAcc) {
        match acc.0.acc_mut().downcast_mut() {
            Some(acc) => self.0.merge(acc, unboxed(other, || self.0.identity())),
            None => *acc = other,
        }
    }
    /// Of another kind, where only the type tells.
    fn kind(&self) -> String {
        format!("{} {:?} {}", type_name::<F>(), TypeId::of::<F>(), self.0.kind())
    }
    fn acc_bytes(&self) -> usize {
        self.0.acc_bytes()
    }
    fn write_acc(&self, acc: &DynAcc, words: &mut [u32]) {
        match acc.0.acc().downcast_ref() {
            Some(acc) => self.0.write_acc(acc, words),
            None => self.0.write_acc(&self.0.identity(), words),
        }
    }
    fn read_acc(&self, words: &[u32]) -> DynAcc {
        boxed(self.0.read_acc(words))
    }
    fn canonical(&self, acc: DynAcc) -> DynAcc {
        boxed(self.0.canonical(unboxed(acc, || self.0.identity())))
    }
}

impl<T: Element> Clone for DynOp<T> {
    fn clone(&self) -> Self {
        DynOp(self.0.clone())
    }
}

impl<T: Element> fmt::Debug for DynOp<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynOp").field(&self.0.signature()).finish()
    }
}

impl<T: Element> Clone for DynFold<T> {
    fn clone(&self) -> Self {
        DynFold(self.0.clone())
    }
}

impl<T: Element> fmt::Debug for DynFold<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DynFold").field(&self.0.kind()).finish()
    }
}

impl Clone for DynAcc {
    fn clone(&self) -> Self {
        self.0.copied()
    }
}

impl fmt::Debug for DynAcc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynAcc").finish_non_exhaustive()
    }
}

impl fmt::Debug for DynAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }
}

impl Answer for DynAnswer {
    fn parts(&self) -> Vec<Part> {
        self.0.parts()
    }
}

/// Its words are known to the fold alone.
impl Accumulator for DynAcc {
    const WORDS: usize = 0;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, _: &mut [u32]) {}
    /// One of no operator.
    fn read(_: &[u32]) -> Self {
        boxed(0u32)
    }
    fn fits(&self) -> bool {
        self.0.fits()
    }
}

impl<T: Element> Op<T> for DynOp<T> {
    type Fold = DynFold<T>;
    type Output = DynAnswer;
    const NAME: &'static str = "dynamic";

    of_operators!(passed_on);
    fn fold(&self) -> DynFold<T> {
        self.0.fold()
    }
    fn finish(&self, acc: DynAcc, count: u64) -> Result<DynAnswer> {
        self.0.finish(acc, count)
    }
    fn read(&self, words: &[u32], count: u64) -> Result<DynAnswer> {
        self.0.read(words, count)
    }
    fn close(&self, device: &DynAnswer, host: &DynAnswer, elements: &[T], finished: bool) -> bool {
        self.0.close(device, host, elements, finished)
    }
}

impl<T: Element> Fold<T> for DynFold<T> {
    type Acc = DynAcc;

    of_folds!(passed_on);
    fn identity(&self) -> DynAcc {
        self.0.identity()
    }
    fn lift(&self, x: T, index: u64) -> DynAcc {
        self.0.lift(x, index)
    }
    fn combine(&self, a: DynAcc, b: DynAcc) -> DynAcc {
        self.0.combine(a, b)
    }
    fn offset(&self, acc: DynAcc, by: u64) -> DynAcc {
        self.0.offset(acc, by)
    }
    fn accumulate(&self, elements: &[T], index: u64) -> DynAcc {
        self.0.accumulate(elements, index)
    }
    fn accumulate_onto(&self, acc: DynAcc, elements: &[T], index: u64) -> DynAcc {
        self.0.accumulate_onto(acc, elements, index)
    }
    fn accumulate_blocks(&self, blocks: &[(&[T], u64)], accs: &mut Vec<DynAcc>) {
        self.0.accumulate_blocks(blocks, accs);
    }
    fn accumulate_columns(&self, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<DynAcc>) {
        self.0.accumulate_columns(columns, index, accs);
    }
    fn add(&self, acc: &mut DynAcc, x: T, index: u64) {
        self.0.add(acc, x, index);
    }
    fn merge(&self, acc: &mut DynAcc, other: DynAcc) {
        self.0.merge(acc, other);
    }
    fn kind(&self) -> String {
        self.0.kind()
    }
    /// With the box, and what an allocation takes besides.
    fn acc_bytes(&self) -> usize {
        size_of::<DynAcc>() + (8 + self.0.acc_bytes()).next_multiple_of(16).max(32)
    }
    fn write_acc(&self, acc: &DynAcc, words: &mut [u32]) {
        self.0.write_acc(acc, words);
    }
    fn read_acc(&self, words: &[u32]) -> DynAcc {
        self.0.read_acc(words)
    }
    fn canonical(&self, acc: DynAcc) -> DynAcc {
        self.0.canonical(acc)
    }
}
