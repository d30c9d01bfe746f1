//! Many reductions that are not finished: one accumulator for each answer, which merge answer by answer.

use super::bytes::{Header, Read, answers, bad, read, title};
use super::order::{Joined, Span, combined, join};
use super::{Partial, written};
use crate::element::Element;
use crate::error::Result;
use crate::op::{Acc, Fold, Op};
use std::marker::PhantomData;

/// The accumulators of many answers in C order, their shape, and how many elements of each went in: rows, axes or groups of a
/// part of an array, whose other parts are elsewhere.
///
/// `merge(a, b)` is, in each answer, a's elements followed by b's; both have as many answers, of one shape. The rules
/// of order are those of [`Partial`]: where an operator holds positions (`argmin`, `stats`), parts are merged in their
/// order, and the positions of the right one move by the elements that the left one has *in each answer*. So an array
/// is cut along its outermost axis that is reduced, unless the operator has no positions. Of groups by key each answer has elements of its own
/// number, which is kept beside it; a part may have none of a group, and the positions of the right one move by all elements of the left one.
/// [`Reducer::partials_each`](crate::Reducer::partials_each), [`Cpu::partials_axes`](crate::Cpu::partials_axes),
/// [`Cpu::partials_groups`](crate::Cpu::partials_groups), [`StreamEach::partials`](crate::StreamEach::partials) and
/// [`StreamGroups::partials`](crate::StreamGroups::partials) make them.
///
/// ```
/// use treefold::{Axes, Cpu, Partials, ops::{ArgMax, Found}};
/// let cpu = Cpu::new();
/// let rows_0_and_1 = cpu.partials_axes(ArgMax, &[1u32, 8, 3, 4, 5, 6], &Axes::of(&[2, 3], &[0])?)?.to_bytes()?;
/// let row_2 = cpu.partials_axes(ArgMax, &[7u32, 8, 9], &Axes::of(&[1, 3], &[0])?)?; // on another machine, say
/// let columns = Partials::<u32, ArgMax>::from_bytes(ArgMax, &rows_0_and_1)?.merge(row_2)?;
/// assert_eq!((columns.shape(), columns.length()), (&[3][..], 3));
/// let found = |value, index| Some(Found { value, index });
/// assert_eq!(columns.finish()?, [found(7, 2), found(8, 0), found(9, 2)]);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone)]
pub struct Partials<T: Element, O: Op<T>> {
    op: O,
    accs: Vec<Acc<T, O>>,
    shape: Vec<u64>,
    /// Of each answer; of groups, of all together, with the elements whose key is no group's.
    span: Span,
    /// The elements of each, of groups.
    counts: Option<Vec<u64>>,
    element: PhantomData<T>,
}

impl<T: Element, O: Op<T>> std::fmt::Debug for Partials<T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partials")
            .field("operator", &self.op.signature())
            .field("shape", &self.shape)
            .field("span", &self.span)
            .finish_non_exhaustive()
    }
}

impl<T: Element, O: Op<T>> Partials<T, O> {
    /// Accumulators of answers of this shape, which has as many.
    pub(crate) fn of(op: O, accs: Vec<Acc<T, O>>, shape: Vec<u64>, span: Span) -> Self {
        let fold = op.fold();
        let accs = accs.into_iter().map(|acc| fold.canonical(acc)).collect();
        Partials { op, accs, shape, span, counts: None, element: PhantomData }
    }

    /// Accumulators of groups, each with the number of its elements; the span is that of all elements.
    pub(crate) fn of_groups(op: O, accs: Vec<(Acc<T, O>, u64)>, span: Span) -> Self {
        let (accs, counts): (Vec<_>, Vec<_>) = accs.into_iter().unzip();
        let shape = vec![counts.len() as u64];
        Partials { counts: Some(counts), ..Self::of(op, accs, shape, span) }
    }

    /// Its operator.
    pub(crate) fn op(&self) -> &O {
        &self.op
    }

    /// The same elements under another operator, whose accumulators `acc` makes of these.
    pub(crate) fn of_each<P: Op<T>>(&self, op: P, acc: impl Fn(&Acc<T, O>) -> Acc<T, P>) -> Partials<T, P> {
        let accs = self.accs.iter().map(acc).collect();
        let counts = self.counts.clone();
        Partials { counts, ..Partials::of(op, accs, self.shape.clone(), self.span) }
    }

    /// Number of answers.
    pub fn answers(&self) -> u64 {
        self.accs.len() as u64
    }

    /// The shape of the answers: a length for each axis that was kept; `[answers]` of rows and groups.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Number of elements that went into each answer; of groups, into all together, with those whose key is no group's.
    pub fn length(&self) -> u64 {
        self.span.count
    }

    /// The elements of each answer where they are groups; `None` where each has [`length`](Self::length) elements.
    pub fn counts(&self) -> Option<&[u64]> {
        self.counts.as_deref()
    }

    /// Place of the first element of every answer in the whole of it, where it is known.
    pub fn first(&self) -> Option<u64> {
        self.span.first
    }

    /// The same answers in another shape: with the axes of length 1 that NumPy calls `keepdims`, say.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where the shape has more or fewer answers.
    pub fn with_shape(self, shape: &[u64]) -> Result<Self> {
        if answers(shape) != Some(self.answers()) {
            let (own, many) = (&self.shape, self.answers());
            return Err(bad(&format!("shape {shape:?} is not that of {many} answers, which have shape {own:?} now")));
        }
        Ok(Partials { shape: shape.to_vec(), ..self })
    }

    /// In each answer, this one's elements followed by the other's.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where the two have other shapes or parameters, where the count
    /// would not fit 64 bits, and where the operator needs the order and the other one does not begin where this one
    /// ends.
    pub fn merge(self, other: Self) -> Result<Self> {
        if self.shape != other.shape {
            let (left, right) = (&self.shape, &other.shape);
            return Err(bad(&format!(
                "the left part has answers of shape {left:?}, the right one of shape {right:?}; merge parts of the same answers"
            )));
        }
        if self.counts.is_some() != other.counts.is_some() {
            return Err(bad(
                "one part is of groups and the other of answers over as many elements each; merge parts of the same answers",
            ));
        }
        Ok(match join::<T, O>((&self.op, self.span), (&other.op, other.span))? {
            Joined::Left => self,
            Joined::Right => other,
            Joined::Both { span, by } => {
                let fold = self.op.fold();
                let both = self.accs.into_iter().zip(other.accs);
                let accs = both.map(|(left, right)| combined(&fold, left, right, by)).collect();
                // No more than the elements of both, which fit.
                let sums = |(left, right): (Vec<u64>, Vec<u64>)| left.iter().zip(&right).map(|(a, b)| a + b).collect();
                let counts = self.counts.zip(other.counts).map(sums);
                Partials { counts, ..Self::of(self.op, accs, self.shape, span) }
            }
        })
    }

    /// This one's answers followed by the other's, along the first axis: rows of an array that were reduced apart.
    ///
    /// ```
    /// use treefold::{Axes, Cpu, ops::Sum};
    /// let rows = |elements: &[u32]| Cpu::new().partials_axes(Sum, elements, &Axes::of(&[elements.len() as u64 / 2, 2], &[1])?);
    /// let all = rows(&[1, 2, 3, 4])?.stack(rows(&[5, 6])?)?;
    /// assert_eq!((all.shape(), all.finish()?), (&[3][..], vec![3, 7, 11]));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where the two have other operators, elements of each answer or lengths along the other
    /// axes.
    pub fn stack(mut self, other: Self) -> Result<Self> {
        let (operator, others) = (self.op.signature(), other.op.signature());
        let rows = self.counts.is_none() && other.counts.is_none();
        let alike =
            rows && operator == others && self.op.fold().kind() == other.op.fold().kind() && self.span == other.span;
        let (Some((rows, rest)), Some((more, others_rest))) = (self.shape.split_first(), other.shape.split_first())
        else {
            return Err(bad("one answer of no axes has no rows to stack; merge it"));
        };
        let rows = rows.checked_add(*more).filter(|_| alike && rest == others_rest).ok_or_else(|| {
            bad(&format!(
                "answers of {} over {} elements each, of shape {:?}, do not continue with those of {} over {}, of shape {:?}; stack rows of \
                 one array",
                title(&operator),
                self.span.count,
                self.shape,
                title(&others),
                other.span.count,
                other.shape
            ))
        })?;
        self.shape[0] = rows;
        self.accs.extend(other.accs);
        Ok(self)
    }

    /// The answers, in C order.
    ///
    /// # Errors
    /// Those of [`Op::finish`]; the first that occurs.
    pub fn finish(&self) -> Result<Vec<O::Output>> {
        self.finish_as(&self.op)
    }

    /// The answers of the same fold with other parameters of the answer: another ddof, say.
    ///
    /// # Errors
    /// Those of [`Op::finish`].
    #[doc(hidden)]
    pub fn finish_as(&self, op: &O) -> Result<Vec<O::Output>> {
        let count = |at: usize| self.counts.as_ref().map_or(self.span.count, |counts| counts[at]);
        self.accs.iter().enumerate().map(|(at, acc)| op.finish(acc.clone(), count(at))).collect()
    }

    /// The bytes of a file or a message: those of a [`Partial`] with the shape and all accumulators, in C order. Equal
    /// partials of exact operators have equal bytes; an answer of no axes has those of a single partial.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where an integer sum has outgrown the 64 bits that are written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        written(&self.op, &self.accs, self.span, &self.shape, self.counts())
    }

    /// Reads them back; a single partial is one answer, of no axes.
    ///
    /// # Errors
    /// [`Error::BadPartial`](crate::Error::BadPartial) where they are cut, damaged, of another version, or of another
    /// operator or element type.
    pub fn from_bytes(op: O, bytes: &[u8]) -> Result<Self> {
        let Read { header, words, counts } = read(bytes)?;
        let Header { operator: found, dtype: over, count, first, shape, .. } = header;
        let (fold, operator, dtype) = (op.fold(), op.signature(), T::DTYPE.name());
        if found != operator || over != dtype {
            return Err(bad(&format!(
                "it holds {} over {over}, not {} over {dtype}; merge like with like",
                title(&found),
                title(&operator)
            )));
        }
        let answers = answers(&shape).and_then(|answers| usize::try_from(answers).ok());
        let each = fold.acc_words();
        if answers.and_then(|answers| answers.checked_mul(each)) != Some(words.len()) {
            let (words, answers) = (words.len(), answers.unwrap_or(0));
            return Err(bad(&format!(
                "{words} words of accumulators where {answers} of {} have {each} each; write it anew",
                title(&operator)
            )));
        }
        let accs = words.chunks_exact(each.max(1)).map(|words| fold.read_acc(words)).collect();
        Ok(Partials { counts, ..Self::of(op, accs, shape, Span { count, first }) })
    }

    /// The one answer of no axes.
    pub(super) fn single(self) -> Result<Partial<T, O>> {
        let Partials { op, accs, shape, span, element, .. } = self;
        let acc = accs.into_iter().next().filter(|_| shape.is_empty());
        let many = || {
            bad(&format!("it holds answers of shape {shape:?} where one is wanted; read it by Partials::from_bytes"))
        };
        Ok(Partial { acc: acc.ok_or_else(many)?, op, span, element })
    }
}
