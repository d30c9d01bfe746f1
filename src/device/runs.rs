//! Runs of equal keys on the device: their offsets, keys and number, which stay there.

use super::context::Context;
use super::prepared::{Dispatch, Prepared};
use super::record::bind_range;
use crate::element::Dtype;
use crate::error::Result;
use crate::plan::Runs;
use std::ops::Range;
use std::sync::Arc;
use wgpu::{BindGroupEntry, BindingResource};

/// Bytes of a buffer, a multiple of 4.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    pub buffer: &'a wgpu::Buffer,
    pub bytes: Range<u64>,
}

/// The destination of runs: one offset more than there is room for runs, as many keys, and a word for their number.
#[derive(Clone, Debug)]
pub(crate) struct RunsTo<'a> {
    pub offsets: Words<'a>,
    pub keys: Words<'a>,
    pub number: Words<'a>,
    /// Runs that there is room for.
    pub room: u64,
    /// The word that follows the number.
    pub seal: Option<u32>,
}

/// A pass: its text, its workgroups, and the slots that it binds.
struct RunsPass {
    label: &'static str,
    text: String,
    workgroups: u32,
    slots: &'static [u32],
}

impl Context {
    /// Makes ready what finds the runs of `count` keys of a type.
    pub fn runs(self: &Arc<Self>, dtype: Dtype, keys: Option<&Words<'_>>, to: &RunsTo<'_>) -> Result<Prepared> {
        let count = keys.map_or(0, |keys| (keys.bytes.end - keys.bytes.start) / dtype.bytes());
        let plan = Runs::of(&self.limits, count, dtype.bytes())?;
        let scratch = self.marks(plan.scratch_bytes)?;
        let first = |words: &Words<'_>| (words.bytes.start % self.limits.storage_alignment / 4) as u32;
        let params = [
            keys.map_or(0, first),
            count as u32,
            plan.tiles,
            to.room as u32,
            first(&to.offsets),
            first(&to.keys),
            first(&to.number),
            to.seal.unwrap_or(0),
        ];
        let uniform = self.parameters(bytemuck::cast_slice(&params).to_vec())?;
        let mut dispatches = Vec::new();
        for pass in passes(dtype, &plan).into_iter().filter(|pass| plan.tiles > 0 || pass.workgroups == 0) {
            let pipeline = self.pipeline_of_text(pass.label, pass.text, dtype.brought().is_none())?;
            let entry = |&binding: &u32| BindGroupEntry {
                binding,
                resource: match binding {
                    0 => keys.map_or(self.placeholder.as_entire_binding(), |keys| self.words(keys)),
                    1 => bind_range(&scratch, 0, plan.bits_bytes),
                    2 => bind_range(&scratch, plan.counts_at, plan.scratch_bytes - plan.counts_at),
                    3 => self.words(&to.offsets),
                    4 => self.words(&to.keys),
                    5 => self.words(&to.number),
                    _ => uniform.as_entire_binding(),
                },
            };
            let entries: Vec<BindGroupEntry> = pass.slots.iter().map(entry).collect();
            dispatches.push(self.dispatch("the bindings of runs", pipeline, &entries, pass.workgroups.max(1))?);
        }
        Ok(Prepared { context: self.clone(), dispatches: dispatches.into() })
    }

    /// A dispatch of a pipeline whose layout is that of its text.
    pub(super) fn dispatch(
        &self,
        what: &'static str,
        pipeline: wgpu::ComputePipeline,
        entries: &[BindGroupEntry<'_>],
        workgroups: u32,
    ) -> Result<Dispatch> {
        let bindings = self.guarded(what, 0, || {
            let (label, layout) = (Some("treefold"), &pipeline.get_bind_group_layout(0));
            self.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries })
        })?;
        Ok(Dispatch { pipeline, bindings, workgroups })
    }

    /// The binding that begins aligned and ends with these.
    fn words<'b>(&'b self, words: &Words<'b>) -> BindingResource<'b> {
        let offset = words.bytes.start / self.limits.storage_alignment * self.limits.storage_alignment;
        match words.bytes.is_empty() {
            // Bindings may not be empty.
            true => self.placeholder.as_entire_binding(),
            false => bind_range(words.buffer, offset, words.bytes.end - offset),
        }
    }
}

/// The passes, in their order; the one that runs without keys, too, has one workgroup always, written as none.
fn passes(dtype: Dtype, plan: &Runs) -> [RunsPass; 3] {
    let keys = [same(dtype), include_str!("../../shaders/runs/keys.wgsl")].join("\n");
    let before = include_str!("../../shaders/runs/before.wgsl");
    let text = |size: u32, parts: &[&str]| {
        let words = dtype.bytes() / 4;
        let head = format!("const WORKGROUP_SIZE = {size}u;\nconst WORDS = {words}u;\n");
        format!("{head}\n{}\n{}", include_str!("../../shaders/runs/params.wgsl"), parts.join("\n"))
    };
    [
        RunsPass {
            label: "treefold: runs, mark",
            text: text(plan.workgroup_size, &[&keys, include_str!("../../shaders/runs/mark.wgsl")]),
            workgroups: plan.workgroups,
            slots: &[0, 1, 2, 7],
        },
        RunsPass {
            label: "treefold: runs, scan",
            text: text(plan.scan_size, &[before, include_str!("../../shaders/runs/scan.wgsl")]),
            workgroups: 0,
            slots: &[2, 3, 5, 7],
        },
        RunsPass {
            label: "treefold: runs, write",
            text: text(plan.workgroup_size, &[&keys, before, include_str!("../../shaders/runs/write.wgsl")]),
            workgroups: plan.workgroups,
            slots: &[0, 1, 2, 3, 4, 7],
        },
    ]
}

/// The equality of keys, in WGSL.
fn same(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => include_str!("../../shaders/runs/same_f32.wgsl"),
        Dtype::F64 => include_str!("../../shaders/runs/same_f64.wgsl"),
        _ => include_str!("../../shaders/runs/same_bits.wgsl"),
    }
}

/// The texts of the passes over keys of a type, each with its name.
#[doc(hidden)]
pub fn runs_texts(dtype: Dtype, plan: &Runs) -> Vec<(&'static str, String)> {
    passes(dtype, plan).into_iter().map(|pass| (pass.label, pass.text)).collect()
}
