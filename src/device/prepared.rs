//! Dispatches with all that they need, to be recorded as often as a program likes.

use super::context::Context;
use super::presence::caught;
use crate::error::Result;
use std::sync::Arc;

/// A reduction that is ready to be recorded: pipelines, bind groups and parameters of one input and one output, made
/// once by [`Reducer::prepare`](crate::Reducer::prepare) or [`Reducer::prepare_each`](crate::Reducer::prepare_each). To
/// record it sets a pipeline and a bind group and dispatches, for each pass of the plan, and does nothing else.
///
/// - **What it reads** are the contents that the buffers have when the commands run; their ranges, and the operator's
///   parameters, are those of the call that made it. A [`Reducer::set_op`](crate::Reducer::set_op) or another input
///   wants another one.
/// - **What it holds**: the buffers, its own hold of the device's memory for partials included. All reductions of a
///   device share that memory, since what a queue is given runs in order, dispatch by dispatch; where a longer one gets
///   a larger piece, this keeps the piece that it has. Buffers that the program itself destroys are an error that wgpu
///   tells at the submission.
/// - It may outlive its reducer, and may be cloned and used from several threads.
///
/// ```no_run
/// # fn f(device: wgpu::Device, queue: wgpu::Queue, depths: wgpu::Buffer, answer: wgpu::Buffer) -> treefold::Result<()> {
/// use treefold::{Reducer, ops::MinMax};
/// let range = Reducer::<f32, _>::new(&device, &queue, MinMax)?.prepare(&depths, &answer)?; // once
/// for _frame in 0..60 {
///     let mut encoder = device.create_command_encoder(&Default::default());
///     range.record(&mut encoder)?; // answer: min, max, count, of what depths holds by then
///     queue.submit([encoder.finish()]);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) context: Arc<Context>,
    pub(super) dispatches: Arc<[Dispatch]>,
}

/// One pass of a plan on a device.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    pub pipeline: wgpu::ComputePipeline,
    /// Keeps alive what it binds.
    pub bindings: wgpu::BindGroup,
    pub workgroups: u32,
}

impl Prepared {
    /// Of no dispatches.
    pub(crate) fn nothing(context: Arc<Context>) -> Prepared {
        Prepared { context, dispatches: Arc::default() }
    }

    /// The dispatches of all, one behind the other, of one device.
    pub(crate) fn all(context: Arc<Context>, parts: &[Prepared]) -> Prepared {
        Prepared { context, dispatches: parts.iter().flat_map(|part| part.dispatches.iter().cloned()).collect() }
    }

    /// The dispatches of both, one behind the other, of one device.
    pub(crate) fn and(self, other: &Prepared) -> Prepared {
        let dispatches = self.dispatches.iter().chain(&*other.dispatches).cloned().collect();
        Prepared { context: self.context, dispatches }
    }

    /// Submits it alone.
    pub(crate) fn submit(&self) -> Result<wgpu::SubmissionIndex> {
        let context = &self.context;
        let mut encoder =
            context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("treefold") });
        self.record(&mut encoder)?;
        context.guarded("a submission", 0, || context.queue.submit([encoder.finish()]))
    }

    /// Records it into `encoder`; the answers are left in the output when the encoder's commands run.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) on a [`Gpu`](crate::Gpu) of which wgpu has told that it is lost:
    /// at once where its driver gives up, at the next `Device::poll` where the program itself destroys it. To ask takes
    /// a microsecond, so that nothing is asked here; of an app's own device, wgpu tells the app. What else is wrong, an
    /// encoder of another device for one, wgpu tells when the encoder finishes;
    /// [`Error::Foreign`](crate::Error::Foreign) where it panics.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
        self.record_in_pass(&mut compute_pass(encoder))
    }

    /// The same within a compute pass that the program has begun.
    ///
    /// Sets the pass's pipeline and bind group 0.
    ///
    /// # Errors
    /// As for [`Prepared::record`].
    pub fn record_in_pass(&self, compute: &mut wgpu::ComputePass<'_>) -> Result<()> {
        self.context.not_told_lost("recording a prepared reduction")?;
        // A refusal of these by wgpu is told when the encoder finishes, so that there is no error to wait for.
        caught("the dispatches of a reduction", || {
            for Dispatch { pipeline, bindings, workgroups } in &*self.dispatches {
                compute.set_pipeline(pipeline);
                compute.set_bind_group(0, bindings, &[]);
                compute.dispatch_workgroups(*workgroups, 1, 1);
            }
        })
    }
}

/// A compute pass of this crate.
pub(crate) fn compute_pass(encoder: &mut wgpu::CommandEncoder) -> wgpu::ComputePass<'_> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("treefold"), timestamp_writes: None })
}
