//! The bins of elements on the device, as keys of groups.

use super::reducer::Reducer;
use super::segments::ensure_apart;
use crate::device::{Prepared, SlotTexts, Words};
use crate::element::Word;
use crate::error::Result;
use crate::input::{Input, Output};
use crate::ops::{Histogram, TRIPS};
use crate::plan::Slots;

impl<T: Word> Reducer<T, Histogram> {
    /// Records a pass that writes the slot of each element: its bin, counted from 0, and behind the bins below, above, NaN; what
    /// [`Histogram::bins_of`] finds on the host. `keys` gets a u32 for each element. They stay on the device, as the keys of
    /// [`Input::groups`], of which there are [`Histogram::slots`]: any operator is reduced by bin that way.
    ///
    /// ```no_run
    /// # fn f(encoder: &mut wgpu::CommandEncoder, [radii, masses, keys, by_radius]: [&wgpu::Buffer; 4], bins: &treefold::ops::Histogram,
    /// # over: &treefold::Reducer<f32, treefold::ops::Histogram>, mass: &treefold::Reducer<f32, treefold::ops::Sum>) -> treefold::Result<()> {
    /// use treefold::{Input, Output};
    /// over.record_keys(encoder, radii, keys)?; // over: Reducer<f32, Histogram>
    /// mass.record_each(encoder, Input::from(masses).groups(keys, bins.slots()), Output::bare(by_radius))?; // a sum for each bin
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutputTooSmall`](crate::Error::OutputTooSmall) where `keys` has not 4 bytes for each element;
    /// [`Error::SegmentsInPlace`](crate::Error::SegmentsInPlace) and [`Error::Overlap`](crate::Error::Overlap) where it lies in a buffer
    /// that is read; those of [`Reducer::record`] about inputs.
    pub fn record_keys<'i, 'o>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        input: impl Into<Input<'i, T>>,
        keys: impl Into<Output<'o>>,
    ) -> Result<()> {
        self.prepare_keys(input, keys)?.record(encoder)
    }

    /// Makes ready what [`Reducer::record_keys`] would record.
    ///
    /// # Errors
    /// As for [`Reducer::record_keys`].
    pub fn prepare_keys<'i, 'o>(
        &self,
        input: impl Into<Input<'i, T>>,
        keys: impl Into<Output<'o>>,
    ) -> Result<Prepared> {
        let (input, keys) = (input.into(), Output { counted: false, ..keys.into() });
        let context = &self.recorder.context;
        let (pieces, buffers) = input.ranges.pieces()?;
        let bytes = keys.claim("the keys of bins", 1, input.elements())?;
        ensure_apart([&input.ranges], keys.buffer, &bytes)?;
        let plan = Slots::of(&context.limits, context.tuning(), &pieces, TRIPS)?;
        let (text, params, table) = self.op().finding::<T>();
        context.slots(&SlotTexts { text, params, table }, &plan, &buffers, &Words { buffer: keys.buffer, bytes })
    }
}
