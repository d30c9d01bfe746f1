//! The production kernels over a ladder's elements, by the public [`Reducer`].

use super::Ladder;
use super::passes::{PassSeries, Timed, TimedPass};
use crate::error::Result;
use crate::{Element, Input, Op, Reducer};
use wgpu::BufferUsages;

/// A reducer with its input and its answer on the device.
pub(super) struct ProductionRun<'l, T: Element, O: Op<T>> {
    ladder: &'l Ladder,
    reducer: Reducer<T, O>,
    input: wgpu::Buffer,
    pub answer: wgpu::Buffer,
    series: PassSeries,
}

impl<'l, T: Element, O: Op<T>> ProductionRun<'l, T, O> {
    /// Ready to run, with everything compiled.
    pub fn new(ladder: &'l Ladder, op: O, input: wgpu::Buffer) -> Result<Self> {
        let reducer = ladder.gpu.reducer(op)?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let answer = ladder.driver.context.buffer("an answer", reducer.answer_bytes(), usage)?;
        let kernels = vec![TimedPass { copies: Vec::new(), timed: Timed::Kernels }];
        let series = PassSeries::new(&ladder.driver, kernels, vec![(answer.clone(), answer.size() / 4)])?;
        let production = ProductionRun { ladder, reducer, input, answer, series };
        production.run()?;
        Ok(production)
    }

    fn elements(&self) -> Input<'_, T> {
        Input::range(&self.input, 0..self.ladder.count())
    }

    /// The answer.
    pub fn reduce(&self) -> Result<O::Output> {
        self.reducer.reduce(self.elements())
    }

    pub fn dispatches(&self) -> Result<usize> {
        Ok(self.reducer.plan(self.elements())?.passes.len())
    }

    pub fn record(&self, compute: &mut wgpu::ComputePass) -> Result<()> {
        self.reducer.record_in_pass(compute, self.elements(), &self.answer)
    }

    /// Runs once, with the answer's words brought to the host; the kernels' seconds by the device's clock.
    pub fn run(&self) -> Result<Option<f64>> {
        let measured = self.series.run(&self.ladder.driver, |_, compute| self.record(compute))?;
        Ok(measured.seconds.first().copied().flatten())
    }
}
