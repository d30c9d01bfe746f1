//! The slots of elements among bins: the launch of the pass that writes them, and the parts that it takes the elements in.

use super::windows::windows;
use super::{Resource, Tuning};
use crate::error::{Error, Result};
use crate::input::Piece;
use crate::limits::{Limits, TRIPS_MAX};

/// Invocations of a workgroup, where there may be so many.
const SIZE: u32 = 256;
/// Elements of an invocation at a time.
const AT_ONCE: u64 = 4;
/// Storage buffers of the pass.
const BUFFERS: u32 = 3;

/// One dispatch: elements that lie in one binding, and where their slots go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotsPass {
    /// The buffer of the elements, by its number.
    pub buffer: usize,
    /// The bytes of it that are bound.
    pub bytes: std::ops::Range<u64>,
    /// The first element, counted from there.
    pub first: u32,
    /// Elements.
    pub count: u32,
    /// Elements of the input before these.
    pub before: u64,
    /// Workgroups.
    pub workgroups: u32,
    /// Loop trips of the busiest invocation.
    pub trips: u64,
}

/// The dispatches over the elements of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// In the order of the elements.
    pub passes: Vec<SlotsPass>,
}

impl Slots {
    /// Of pieces in buffers; one element takes so many loop trips.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn of(limits: &Limits, tuning: &Tuning, pieces: &[Piece], element_trips: u64) -> Result<Slots> {
        if limits.storage_buffers_max < BUFFERS {
            let (limit, value) = ("max_storage_buffers_per_shader_stage", limits.storage_buffers_max.into());
            return Err(Error::LimitTooSmall { limit, value, needs: BUFFERS.into() });
        }
        let workgroup_size = 1u32 << SIZE.min(limits.invocations_max).max(1).ilog2();
        let tile = AT_ONCE * u64::from(workgroup_size);
        let most_workgroups = u64::from(limits.workgroups().max(1));
        let rounds_max = (TRIPS_MAX / (1 + element_trips)).max(1);
        // Less than a binding has, so that a binding of slots that begins aligned has room.
        let room = limits.binding_bytes_max.min(tuning.dispatch_bytes_max).saturating_sub(limits.storage_alignment) / 4;
        let most = (rounds_max * most_workgroups * tile).min(room).max(1);
        let (mut passes, mut before) = (Vec::new(), 0);
        for window in windows(pieces, limits, 4) {
            let Some(Resource::Input { buffer, bytes }) = window.bindings.get(1).map(|binding| &binding.resource)
            else {
                continue;
            };
            for done in (0..window.elements).step_by(most as usize) {
                let count = most.min(window.elements - done);
                let workgroups = count.div_ceil(tile).min(most_workgroups);
                let (first, count, trips) = (
                    (window.first + done) as u32,
                    count as u32,
                    count.div_ceil(tile * workgroups) * (1 + element_trips),
                );
                let (bytes, workgroups) = (bytes.clone(), workgroups as u32);
                passes.push(SlotsPass {
                    buffer: *buffer,
                    bytes,
                    first,
                    count,
                    before: before + done,
                    workgroups,
                    trips,
                });
            }
            before += window.elements;
        }
        Ok(Slots { workgroup_size, passes })
    }
}
