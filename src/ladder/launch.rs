//! The dispatches and texts of a stage, for reading; no device is needed.

use super::plan::{StagePass, StagePlan};
use super::{Operator, Stage, text};

/// One dispatch of a stage, before any device is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StageLaunch {
    /// The shader's file.
    pub file: &'static str,
    /// Its part in the stage.
    pub label: &'static str,
    /// The whole text, completed.
    pub wgsl: String,
    /// Workgroups.
    pub workgroups: u64,
    /// Invocations of each.
    pub workgroup_size: u32,
    /// Workgroup memory of each.
    pub workgroup_bytes: u64,
}

impl Stage {
    /// The dispatches for so many elements and their texts as they are compiled; needs no adapter. Empty if the library
    /// itself plans.
    pub fn launches(&self, count: u64, workgroup_size: Option<u32>, operator: Operator) -> Vec<StageLaunch> {
        let wg = workgroup_size.unwrap_or(self.workgroup_size());
        let passes = StagePlan::new(self, count.max(1), wg, operator, false).passes;
        let launch = |pass: &StagePass| {
            let (file, source) = self.shaders.get(pass.shader)?;
            Some(StageLaunch {
                file,
                label: pass.label,
                wgsl: text::complete(self, source, wg, operator),
                workgroups: pass.groups,
                workgroup_size: wg,
                workgroup_bytes: self.memory.bytes(wg),
            })
        };
        passes.iter().filter_map(launch).collect()
    }
}
