//! A reduction that is not finished: an accumulator as a value that crosses chunks, devices, processes and machines.

mod bytes;
mod many;
mod order;

pub use bytes::{Header, title};
pub use many::Partials;
pub(crate) use order::Span;

use crate::element::Element;
use crate::error::Result;
use crate::op::{Acc, Accumulator, Fold, Op};
use bytes::bad;
use order::{Joined, combined, join};
use std::marker::PhantomData;

/// The accumulator of some elements, how many they are, and where the first of them stands in the whole input, if
/// known.
///
/// `merge(a, b)` is a's elements followed by b's. Partials of most operators merge in any order, those of exact
/// operators from any mix of adapters and with the same bits as one reduction over everything. Where an operator holds
/// positions (`argmin`, `stats`), parts are merged in their order, and the positions of the right one move behind the
/// left one; where it reads positions, the right one must begin where the left one ends.
/// [`Reducer::partial`](crate::Reducer::partial), [`Cpu::partial`](crate::Cpu::partial) and
/// [`Stream::partial`](crate::Stream::partial) make them.
///
/// ```
/// use treefold::{Cpu, Partial, ops::Sum};
/// let cpu = Cpu::new();
/// let front = cpu.partial(Sum, &[1e10f32, 1.0]).to_bytes()?;
/// let back = cpu.partial(Sum, &[-1e10f32]).to_bytes()?; // on another machine, say
/// let all = Partial::<f32, Sum>::from_bytes(Sum, &back)?.merge(Partial::from_bytes(Sum, &front)?)?;
/// assert_eq!((all.count(), all.finish()?), (3, 1.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone)]
pub struct Partial<T: Element, O: Op<T>> {
    op: O,
    acc: Acc<T, O>,
    span: Span,
    element: PhantomData<T>,
}

impl<T: Element, O: Op<T>> std::fmt::Debug for Partial<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let operator = self.op.signature();
        f.debug_struct("Partial").field("operator", &operator).field("span", &self.span).finish_non_exhaustive()
    }
}

impl<T: Element, O: Op<T>> Partial<T, O> {
    /// Of no elements.
    pub fn empty(op: O) -> Self {
        let acc = op.fold().identity();
        Self::of(op, acc, Span { count: 0, first: None })
    }

    /// An accumulator whose positions count from `first`, or from its own start.
    pub(crate) fn of(op: O, acc: Acc<T, O>, span: Span) -> Self {
        let acc = op.fold().canonical(acc);
        Partial { op, acc, span, element: PhantomData }
    }

    /// Its operator, accumulator and elements.
    pub(crate) fn parts(&self) -> (&O, &Acc<T, O>, Span) {
        (&self.op, &self.acc, self.span)
    }

    /// Number of elements that went in.
    pub fn count(&self) -> u64 {
        self.span.count
    }

    /// Place of the first element in the whole input, where it is known.
    pub fn first(&self) -> Option<u64> {
        self.span.first
    }

    /// This one's elements followed by the other's.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where the two are of other parameters, where the count would not
    /// fit 64 bits, and where the operator needs the order and the other one does not begin where this one ends.
    pub fn merge(self, other: Self) -> Result<Self> {
        Ok(match join::<T, O>((&self.op, self.span), (&other.op, other.span))? {
            Joined::Left => self,
            Joined::Right => other,
            Joined::Both { span, by } => {
                let acc = combined(&self.op.fold(), self.acc, other.acc, by);
                Self::of(self.op, acc, span)
            }
        })
    }

    /// The answer.
    ///
    /// # Errors
    /// Those of [`Op::finish`].
    pub fn finish(&self) -> Result<O::Output> {
        self.op.finish(self.acc.clone(), self.span.count)
    }

    /// The answer of the same fold with other parameters of the answer: another ddof, say.
    ///
    /// # Errors
    /// Those of [`Op::finish`].
    #[doc(hidden)]
    pub fn finish_as(&self, op: &O) -> Result<O::Output> {
        op.finish(self.acc.clone(), self.span.count)
    }

    /// The bytes of a file or a message: magic, version, operator, element type, count, accumulator, all little-endian,
    /// and a CRC-32 of everything before it. Equal partials of exact operators have equal bytes.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where an integer sum has outgrown the 64 bits that are written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        written(&self.op, std::slice::from_ref(&self.acc), self.span, &[], None)
    }

    /// Reads them back.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where they are cut, damaged, of another version, or of another
    /// operator or element type, or of many answers.
    pub fn from_bytes(op: O, bytes: &[u8]) -> Result<Self> {
        Partials::from_bytes(op, bytes)?.single()
    }
}

/// The bytes of accumulators of answers of this shape; `counts`: the elements of each, of groups.
fn written<T: Element, O: Op<T>>(
    op: &O,
    accs: &[Acc<T, O>],
    span: Span,
    shape: &[u64],
    counts: Option<&[u64]>,
) -> Result<Vec<u8>> {
    let (fold, operator) = (op.fold(), op.signature());
    if !accs.iter().all(Accumulator::fits) {
        return Err(bad(&format!(
            "the {} does not fit the bytes of a partial; write more and smaller parts",
            title(&operator)
        )));
    }
    let each = fold.acc_words();
    let mut words = vec![0; each * accs.len()];
    for (acc, words) in accs.iter().zip(words.chunks_mut(each.max(1))) {
        fold.write_acc(acc, words);
    }
    let Span { count, first } = span;
    let (dtype, shape, grouped) = (T::DTYPE.name().into(), shape.to_vec(), counts.is_some());
    let header = Header { operator, dtype, count, first, shape, grouped };
    Ok(bytes::write(&header, each, &words, counts))
}
