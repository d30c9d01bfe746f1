//! The same reduction again and again, with its answer on the host.

use super::jobs::Standing;
use super::reduce::{accs, finished};
use super::reducer::Reducer;
use crate::device::{Context, Prepared, may_block};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::op::Op;
use std::marker::PhantomData;
use std::sync::Arc;

/// A reduction of one input that is ready to be submitted, made once by [`Reducer::prepare_answer`]: a call plans nothing, makes no bind
/// groups and no buffers. Where the device alone needs the answer, [`Reducer::prepare`] is shorter still.
///
/// It reads what the buffers hold when it is called; their ranges, and the operator's parameters, are those of the call that made it. It
/// holds the buffers, and may outlive its reducer.
#[derive(Debug)]
pub struct PreparedAnswer<T: Element, O: Op<T>> {
    context: Arc<Context>,
    standing: Standing,
    op: O,
    element: PhantomData<T>,
}

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// Makes ready what [`Reducer::reduce`] would submit.
    ///
    /// ```no_run
    /// # fn f(device: wgpu::Device, queue: wgpu::Queue, energies: wgpu::Buffer) -> treefold::Result<()> {
    /// use treefold::{Reducer, ops::Sum};
    /// let mut total = Reducer::<f32, _>::new(&device, &queue, Sum)?.prepare_answer(&energies)?; // once
    /// while total.reduce()? > 1e-6 {
    ///     // another step of the simulation, which writes energies
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As for [`Reducer::record`].
    pub fn prepare_answer<'i>(&self, input: impl Into<Input<'i, T>>) -> Result<PreparedAnswer<T, O>> {
        let standing = Standing::new(&self.recorder, &input.into().ranges, self.elements_max())?;
        let (context, op) = (self.recorder.context.clone(), self.op.clone());
        Ok(PreparedAnswer { context, standing, op, element: PhantomData })
    }
}

impl<T: Element, O: Op<T>> PreparedAnswer<T, O> {
    /// The dispatches that a call submits, to be timed between two stamps of the device's clock. Nothing reads what they write.
    pub fn into_dispatches(self) -> Prepared {
        self.standing.into_dispatches()
    }

    /// Submits it and waits for the answer.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`]. After one of the device, or of the wait, every call gives the same: prepare it again. What
    /// [`Op::finish`] says is of one answer.
    pub fn reduce(&mut self) -> Result<O::Output> {
        may_block("PreparedAnswer::reduce", "Reducer::reduce_async")?;
        let results = self.standing.results(&self.context)?;
        finished(&self.op, accs::<T, O>(&self.op, &results))?.pop().ok_or(Error::ResultMissing)
    }
}
