//! Partials of many answers, by every engine.

use super::cpu::Cpu;
use super::futures::AnswerFuture;
use super::reducer::Reducer;
use crate::device::may_block;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Axes, Division, Each};
use crate::op::{Acc, Op, Partials, Span};

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// Submits the reductions of [rows](crate::Input::rows), [axes](crate::Input::over) or [groups](crate::Input::groups) and waits for
    /// their accumulators: parts of reductions that are finished elsewhere.
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`].
    pub fn partials_each(&self, each: Each<'_, T>) -> Result<Partials<T, O>> {
        may_block("Reducer::partials_each", "Reducer::partials_each_async")?;
        Ok(gathered(self.op.clone(), common(&each)?, None, self.accumulate_each(&each, 0)?))
    }

    /// The same where the first element of every answer has this place in the whole of it; of groups, the first element of all.
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`].
    pub fn partials_each_at(&self, each: Each<'_, T>, first: u64) -> Result<Partials<T, O>> {
        may_block("Reducer::partials_each_at", "Reducer::partials_each_async")?;
        Ok(gathered(self.op.clone(), common(&each)?, Some(first), self.accumulate_each(&each, first)?))
    }

    /// [`Reducer::partials_each`] and, where there is a `first`, [`Reducer::partials_each_at`], without blocking; all
    /// of it is submitted by this call, as for [`Reducer::reduce_each_async`].
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`].
    pub fn partials_each_async(&self, each: Each<'_, T>, first: Option<u64>) -> AnswerFuture<Partials<T, O>> {
        let (op, common) = (self.op.clone(), common(&each));
        let coming = self.accumulate_each_async(&each, first.unwrap_or(0));
        Box::pin(async move { Ok(gathered(op, common?, first, coming.await?)) })
    }
}

impl Cpu {
    /// The accumulators over axes of a view of `elements`, to be merged and finished elsewhere.
    ///
    /// # Errors
    /// [`Error::ViewOutside`](crate::Error::ViewOutside), [`Error::TooManyAnswers`](crate::Error::TooManyAnswers).
    pub fn partials_axes<T: Element, O: Op<T>>(&self, op: O, elements: &[T], axes: &Axes) -> Result<Partials<T, O>> {
        self.partials_from(op, elements, axes, None)
    }

    /// The same where the first element of every answer has this place in the whole of it.
    ///
    /// # Errors
    /// As for [`Cpu::partials_axes`].
    pub fn partials_axes_at<T: Element, O: Op<T>>(
        &self,
        op: O,
        elements: &[T],
        axes: &Axes,
        first: u64,
    ) -> Result<Partials<T, O>> {
        self.partials_from(op, elements, axes, Some(first))
    }

    fn partials_from<T: Element, O: Op<T>>(
        &self,
        op: O,
        elements: &[T],
        axes: &Axes,
        first: Option<u64>,
    ) -> Result<Partials<T, O>> {
        axes.check(elements.len() as u64)?;
        let accs = self.accumulate_each(&op.fold(), elements, &axes.strided, first.unwrap_or(0))?;
        Ok(Partials::of(op, accs, axes.shape(false), Span { count: axes.length(), first }))
    }
}

/// What answers have in common.
enum Common {
    /// Their shape, and the elements of each, of which all have as many.
    Axes(Vec<u64>, u64),
    /// The elements of all groups together.
    Groups(u64),
}

fn common<T: Element>(each: &Each<'_, T>) -> Result<Common> {
    let answers = each.count()?;
    if each.count.is_some() {
        return Err(Error::NoPartialsOfSegments);
    }
    Ok(match &each.division {
        Division::Whole => Common::Axes(Vec::new(), each.input.elements()),
        Division::Rows(length) => Common::Axes(vec![answers], *length),
        Division::Axes(axes) => Common::Axes(axes.shape(false), axes.length()),
        Division::Strided(strided) => Common::Axes(vec![answers], strided.length()),
        Division::Groups(..) => Common::Groups(each.input.elements()),
        Division::Segments(_) => return Err(Error::NoPartialsOfSegments),
    })
}

fn gathered<T: Element, O: Op<T>>(
    op: O,
    common: Common,
    first: Option<u64>,
    accs: Vec<(Acc<T, O>, u64)>,
) -> Partials<T, O> {
    match common {
        Common::Groups(count) => Partials::of_groups(op, accs, Span { count, first }),
        Common::Axes(shape, count) => {
            let accs = accs.into_iter().map(|(acc, _)| acc).collect();
            Partials::of(op, accs, shape, Span { count, first })
        }
    }
}
