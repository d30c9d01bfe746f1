//! Calls that do not block: for executors, and for browsers, where nothing may.

use super::jobs::submit;
use super::reduce::{Gathered, accs, finished};
use super::reducer::Reducer;
use crate::device::{Context, Gpu, Waiting, fill};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{Each, Input};
use crate::op::{Acc, Op, Partial, Span};
use crate::plan::Tuning;
use std::pin::Pin;
use std::sync::Arc;

/// The future of an answer, for any executor. It asks the device itself when it is polled; one thread asks for all futures that
/// have been pending for a millisecond, so the program need not poll the device.
///
/// `Send`, except in browsers, where wgpu's objects belong to one thread.
#[cfg(not(target_arch = "wasm32"))]
pub type AnswerFuture<R> = Pin<Box<dyn Future<Output = Result<R>> + Send>>;
/// The future of an answer, for any executor. The browser's event loop brings the answer.
///
/// Not `Send`, as wgpu's objects belong to one thread here; natively it is.
#[cfg(target_arch = "wasm32")]
pub type AnswerFuture<R> = Pin<Box<dyn Future<Output = Result<R>>>>;

impl<T: Element, O: Op<T>> Reducer<T, O> {
    /// [`Reducer::new`] without blocking, for browsers and for executors: only compiling takes this thread's time.
    ///
    /// In browsers an error in what is made or recorded is known later only; the next call that is awaited tells it.
    ///
    /// # Errors
    /// As for [`Reducer::new`].
    pub async fn new_async(device: &wgpu::Device, queue: &wgpu::Queue, op: O) -> Result<Self> {
        let context = Arc::new(Context::new(device, queue, Tuning::of(&device.adapter_info()))?);
        Self::on(context, op, Waiting::Yielding).await
    }

    /// Submits the reduction of `input`; the future brings the answer.
    ///
    /// See [`AnswerFuture`] for how it waits.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn reduce_async<'i>(&self, input: impl Into<Input<'i, T>>) -> AnswerFuture<O::Output> {
        let (op, coming) = (self.op.clone(), self.accumulate_async(&input.into(), 0));
        Box::pin(async move {
            let (acc, elements) = coming.await?;
            op.finish(acc, elements)
        })
    }

    /// Submits the reductions of [rows](Input::rows) or [axes](Input::over); the future brings the answers, as
    /// [`Reducer::reduce_each`] gives them.
    ///
    /// All of it is submitted by this call, so that what the program writes to the buffers later does not show; the
    /// results of all answers are in the device's memory at once. Where those are too many, reduce parts of the view.
    ///
    /// # Errors
    /// As for [`Reducer::reduce_each`].
    pub fn reduce_each_async(&self, each: Each<'_, T>) -> AnswerFuture<Vec<O::Output>> {
        let (op, coming) = (self.op.clone(), self.accumulate_each_async(&each, 0));
        Box::pin(async move { finished(&op, coming.await?) })
    }

    /// Submits the reductions of each answer, whose first elements have this position; the future brings the
    /// accumulators, and how many elements each has.
    pub(super) fn accumulate_each_async(
        &self,
        each: &Each<'_, T>,
        position: u64,
    ) -> impl Future<Output = Result<Vec<(Acc<T, O>, u64)>>> + wgpu::WasmNotSend + use<T, O> {
        let submitted = || {
            let (count, blocks) = self.submissions(each, position)?;
            drop(Gathered::<T, O>::of(&self.op, count)?);
            Ok((count, self.recorder_of(each)?.op.clone(), blocks.collect::<Result<Vec<_>>>()?))
        };
        let submitted = submitted();
        let (op, context) = (self.op.clone(), self.recorder.context.clone());
        async move {
            let (answers, device_op, blocks) = submitted?;
            let mut all = Gathered::of(&op, answers)?;
            for (block, more) in blocks {
                all.take(&block.results(&context, &device_op, Waiting::Yielding).await?, more);
            }
            Ok(all.accs)
        }
    }

    /// Submits the reduction of an input that begins at `first`; the future brings its accumulator, and how many elements it has.
    pub(super) fn accumulate_async(
        &self,
        input: &Input<T>,
        first: u64,
    ) -> impl Future<Output = Result<(Acc<T, O>, u64)>> + wgpu::WasmNotSend + use<T, O> {
        let submitted = submit(&self.recorder, &[&input.ranges], self.elements_max(), first);
        let (op, context, device_op) = (self.op.clone(), self.recorder.context.clone(), self.recorder.op.clone());
        async move {
            let results = submitted?.results(&context, &device_op, Waiting::Yielding).await?;
            accs::<T, O>(&op, &results).into_iter().next().ok_or(Error::ResultMissing)
        }
    }

    /// [`Reducer::partial`] and, where there is a `first`, [`Reducer::partial_at`], without blocking.
    ///
    /// # Errors
    /// As for [`Reducer::reduce`].
    pub fn partial_async<'i>(&self, input: impl Into<Input<'i, T>>, first: Option<u64>) -> AnswerFuture<Partial<T, O>> {
        let (op, coming) = (self.op.clone(), self.accumulate_async(&input.into(), first.unwrap_or(0)));
        Box::pin(async move {
            let (acc, count) = coming.await?;
            Ok(Partial::of(op, acc, Span { count, first }))
        })
    }
}

impl Gpu {
    /// [`Gpu::reducer`] without blocking; see [`Reducer::new_async`].
    ///
    /// # Errors
    /// As for [`Reducer::new`].
    pub async fn reducer_async<T: Element, O: Op<T>>(&self, op: O) -> Result<Reducer<T, O>> {
        Reducer::on(self.context().clone(), op, Waiting::Yielding).await
    }

    /// [`Gpu::reduce`] without blocking, with all elements in the device's memory at once.
    ///
    /// # Errors
    /// Those of the device, or of [`Op::finish`].
    pub async fn reduce_async<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        let reducer = self.reducer_async::<T, O>(op).await?;
        let context = self.context();
        let most = context.limits.binding_bytes_max.min(context.device.limits().max_buffer_size).min(1 << 30);
        let parts = bytemuck::cast_slice::<T, u8>(elements).chunks((most / 16 * 16) as usize);
        let buffer = |bytes: &[u8]| {
            let size = (bytes.len() as u64).next_multiple_of(4);
            let buffer = context.mapped_buffer("elements", size, wgpu::BufferUsages::STORAGE)?;
            fill(&buffer, 0, bytes)?;
            buffer.unmap();
            Ok((buffer, (bytes.len() / size_of::<T>()) as u64))
        };
        let buffers = parts.map(buffer).collect::<Result<Vec<_>>>()?;
        let answer = reducer.reduce_async(Input::concat(buffers.iter().map(|(part, n)| Input::range(part, 0..*n))));
        answer.await
    }
}
