//! A stage with its buffers, bindings and pipelines.

use super::driver::{Driver, StageDispatch};
use super::passes::{BufferCopy, Measured, PassSeries, Timed, TimedPass};
use super::plan::{Fill, StageBuffer, StagePlan};
use super::{Operator, Stage, text};
use crate::error::Result;
use wgpu::BufferUsages;

/// Ready to run, as often as needed.
pub(super) struct PreparedStage {
    series: PassSeries,
    /// Of each pass.
    dispatches: Vec<Vec<StageDispatch>>,
}

impl PreparedStage {
    /// Compiles the kernels, pads the inputs and binds all buffers.
    pub fn new(
        driver: &Driver,
        stage: &Stage,
        wg: u32,
        operator: Operator,
        plan: &StagePlan,
        inputs: (wgpu::Buffer, wgpu::Buffer),
    ) -> Result<PreparedStage> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let scratch = |words: u64| driver.context.buffer("partials", words.max(4) * 4, usage);
        let (first, second, cells) = (scratch(plan.scratch[0])?, scratch(plan.scratch[1])?, scratch(4)?);
        let find = |buffer: StageBuffer| match buffer {
            StageBuffer::Nothing => &driver.context.placeholder,
            StageBuffer::Input => &inputs.0,
            StageBuffer::Second => &inputs.1,
            StageBuffer::Scratch(0) => &first,
            StageBuffer::Scratch(_) => &second,
            StageBuffer::Cells => &cells,
        };
        let copy = |fill: &Fill| {
            let (from, to) = (driver.words(&fill.words)?, find(fill.buffer).clone());
            Ok(BufferCopy { from, to, at: fill.at * 4, size: fill.words.len() as u64 * 4 })
        };
        let copies = |fills: &[Fill]| fills.iter().map(copy).collect::<Result<Vec<_>>>();
        let padding = vec![TimedPass { copies: copies(&plan.padding)?, timed: Timed::Nothing }];
        PassSeries::new(driver, padding, Vec::new())?.run(driver, |_, _| Ok(()))?;
        let (mut passes, mut dispatches) = (Vec::new(), Vec::new());
        for pass in &plan.passes {
            let source = stage.shaders.get(pass.shader).map_or("", |(_, source)| source);
            let pipeline = driver.pipeline(text::complete(stage, source, wg, operator))?;
            let [first, second, carried] = pass.reads.map(find);
            let buffers = [first, second, find(pass.writes), carried];
            dispatches.push(driver.dispatches(&pipeline, pass.groups, pass.params, buffers)?);
            passes.push(TimedPass { copies: copies(&pass.fills)?, timed: Timed::Kernels });
        }
        let results = plan.results.iter().map(|&(buffer, words)| (find(buffer).clone(), words)).collect();
        Ok(PreparedStage { series: PassSeries::new(driver, passes, results)?, dispatches })
    }

    pub fn run(&self, driver: &Driver) -> Result<Measured> {
        self.series.run(driver, |pass, compute| {
            self.dispatches[pass].iter().for_each(|dispatch| dispatch.record(compute));
            Ok(())
        })
    }
}
