//! The slots of elements among the bins of a histogram, on the device, where they stay.

use super::context::Context;
use super::prepared::Prepared;
use super::record::bind_range;
use super::runs::Words;
use crate::error::Result;
use crate::plan::Slots;
use std::sync::Arc;
use wgpu::BindGroupEntry;

/// The finder of slots: its text, its parameters and its table.
pub(crate) struct SlotTexts {
    pub text: String,
    pub params: [u32; 4],
    pub table: Vec<u32>,
}

impl Context {
    /// Makes ready what writes the slots of elements, of which these buffers have the pieces.
    pub fn slots(
        self: &Arc<Self>,
        finding: &SlotTexts,
        plan: &Slots,
        inputs: &[&wgpu::Buffer],
        to: &Words<'_>,
    ) -> Result<Prepared> {
        let table = self.table(finding.table.clone())?;
        let pipeline = self.pipeline_of_text("treefold: slots", slots_text(&finding.text, plan), false)?;
        let alignment = self.limits.storage_alignment;
        let mut dispatches = Vec::new();
        for pass in &plan.passes {
            let Some(input) = inputs.get(pass.buffer) else { continue };
            let begin = to.bytes.start + 4 * pass.before;
            let aligned = begin / alignment * alignment;
            let end = begin + 4 * u64::from(pass.count);
            let words = [pass.first, pass.count, ((begin - aligned) / 4) as u32, 0];
            let uniform = self.parameters(bytemuck::cast_slice(&[finding.params, words]).to_vec())?;
            let entries = [
                bind_range(input, pass.bytes.start, pass.bytes.end - pass.bytes.start),
                table.as_entire_binding(),
                bind_range(to.buffer, aligned, end - aligned),
                uniform.as_entire_binding(),
            ];
            let entries: Vec<BindGroupEntry> =
                (0..).zip(entries).map(|(binding, resource)| BindGroupEntry { binding, resource }).collect();
            dispatches.push(self.dispatch("the bindings of slots", pipeline.clone(), &entries, pass.workgroups)?);
        }
        Ok(Prepared { context: self.clone(), dispatches: dispatches.into() })
    }
}

/// The text of the pass, which finds slots so.
#[doc(hidden)]
pub fn slots_text(finding: &str, plan: &Slots) -> String {
    let size = plan.workgroup_size;
    format!("const WORKGROUP_SIZE = {size}u;\n\n{finding}\n{}", include_str!("../../shaders/histogram/keys.wgsl"))
}
