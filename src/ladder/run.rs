//! Runs a stage, checks its answer and times it.

use super::finish::{finish, finish_two_words};
use super::numbers::{Figure, Figures, agree, rounding, text};
use super::outcome::{Outcome, PassTime, Status};
use super::passes::timed;
use super::plan::{StagePass, StagePlan};
use super::prepared::PreparedStage;
use super::production::ProductionRun;
use super::stage::{HostFinish, InputKind, Requirement, Stage};
use super::{FloatArray, Ladder, Operator};
use crate::error::{Error, Result};
use crate::ops::{FastSum, Min, Sum};
use crate::{Element, Op};
use wgpu::Features;

/// A stage is not run again after so many seconds, even if its repeats are not used up.
const SECONDS_MAX: f64 = 0.25;

impl Ladder {
    /// Runs a stage, with another workgroup size if it takes one, and checks its answer.
    ///
    /// # Errors
    /// [`Error::BadTuning`] if the stage does not take the size; those of the device. A wrong answer is no error but
    /// [`Status::Failed`].
    pub fn run(&self, stage: &'static Stage, workgroup_size: Option<u32>) -> Result<Outcome> {
        let wg = workgroup_size.unwrap_or(stage.workgroup_size());
        if workgroup_size.is_some_and(|size| !stage.takes_workgroup_size(size)) {
            let rule = "what the stage takes: its own, or a power of two from 2 to 1024 where it leaves it open";
            return Err(Error::BadTuning { what: "the ladder's workgroup size", value: wg.into(), rule });
        }
        if !stage.takes(self.operator) {
            let reason = format!("computes {} only", stage.computes);
            return Ok(self.outcome(stage, wg, Status::NotOnThisAdapter { reason }));
        }
        if let Some(reason) = self.missing(stage, wg) {
            return Ok(self.outcome(stage, wg, Status::NotOnThisAdapter { reason }));
        }
        if !stage.is_production() {
            return self.run_kernels(stage, wg);
        }
        match (stage.input, self.operator) {
            (InputKind::Floats, _) => self.run_production::<f32, _>(stage, FastSum, |sum| Figure::Near(sum.into())),
            (_, Operator::Sum) => self.run_production::<i32, _>(stage, Sum, Figure::Integer),
            (_, Operator::Min) => {
                self.run_production::<i32, _>(stage, Min, |least| Figure::Integer(least.unwrap_or(0).into()))
            }
        }
    }

    /// The first thing that the adapter lacks for a stage.
    fn missing(&self, stage: &Stage, wg: u32) -> Option<String> {
        let limits = self.driver.context.limits;
        let features = self.driver.context.device.features();
        let memory = stage.memory.bytes(wg);
        if wg > limits.invocations_max {
            return Some(format!("workgroups of {wg} invocations; it allows {}", limits.invocations_max));
        }
        if memory > limits.workgroup_bytes_max {
            return Some(format!("{memory} bytes of workgroup memory; it has {}", limits.workgroup_bytes_max));
        }
        match (stage.needs, limits.lanes) {
            (Requirement::Subgroups, None) => Some("no subgroup operations".into()),
            (Requirement::Subgroups, Some((_, most))) if most > wg => {
                Some(format!("subgroups of up to {most} lanes do not fit workgroups of {wg}"))
            }
            (Requirement::FloatAtomics, _) if !features.contains(Features::SHADER_FLOAT32_ATOMIC) => {
                Some("no f32 atomics (SHADER_FLOAT32_ATOMIC)".into())
            }
            _ => None,
        }
    }

    /// Whether the adapter can run only the stage's second kernel.
    fn second_kernel(&self, stage: &Stage) -> bool {
        const DOUBLE_ATOMICS: Features =
            Features::SHADER_F64.union(Features::SHADER_INT64).union(Features::SHADER_INT64_ATOMIC_ALL_OPS);
        let features = self.driver.context.device.features();
        stage.needs == Requirement::DoubleAtomics && !features.contains(DOUBLE_ATOMICS)
    }

    /// An outcome of a stage that has not run yet.
    fn outcome(&self, stage: &'static Stage, wg: u32, status: Status) -> Outcome {
        let plan = StagePlan::new(stage, self.count(), wg, self.operator, false);
        Outcome {
            stage,
            status,
            count: self.count(),
            padded: plan.padded,
            bytes: plan.bytes,
            workgroup_size: wg,
            passes: Vec::new(),
            kernel_seconds: None,
            gpu_seconds: f64::NAN,
            value: String::new(),
            expected: String::new(),
            relative_error: None,
        }
    }

    fn run_kernels(&self, stage: &'static Stage, wg: u32) -> Result<Outcome> {
        let driver = &*self.driver;
        let second_kernel = self.second_kernel(stage);
        let plan = StagePlan::new(stage, self.count(), wg, self.operator, second_kernel);
        let want = self.expected(stage, false);
        let mut outcome = self.outcome(stage, wg, Status::Passed);
        outcome.expected = text(&want);
        let floats = matches!(stage.input, InputKind::Floats | InputKind::FloatPairs);
        if floats {
            // The warm-up has a purpose: over elements that need no rounding the answer must be exact.
            if let Err(reason) = self.check_unrounded(stage, wg, &plan, second_kernel)? {
                outcome.status = Status::Failed { reason: format!("over elements that need no rounding, {reason}") };
            }
        }
        let prepared = PreparedStage::new(driver, stage, wg, self.operator, &plan, self.inputs(stage.input)?)?;
        if !floats {
            prepared.run(driver)?;
        }
        let mut spent = 0.0;
        let mut fastest: Option<(f64, Vec<Option<f64>>)> = None;
        for _ in 0..self.repeats {
            let (seconds, answer) = timed(|| -> Result<_> {
                let measured = prepared.run(driver)?;
                Ok((measured.seconds, self.finish(stage, wg, second_kernel, &measured.words)))
            });
            let (passes, got) = answer?;
            match agree(&got, &want, bound(stage, &plan, second_kernel)) {
                Ok(error) => outcome.relative_error = error,
                Err(reason) => outcome.status = Status::Failed { reason },
            }
            outcome.value = text(&got);
            outcome.gpu_seconds = outcome.gpu_seconds.min(seconds);
            let kernels: Option<f64> = passes.iter().copied().sum();
            if let Some(kernels) = kernels.filter(|&k| fastest.as_ref().is_none_or(|fastest| k < fastest.0)) {
                fastest = Some((kernels, passes));
            }
            spent += seconds;
            if spent > SECONDS_MAX {
                break;
            }
        }
        let at = |at: usize| fastest.as_ref().and_then(|(_, passes)| passes.get(at).copied().flatten());
        let time = |(number, pass): (usize, &StagePass)| PassTime {
            label: pass.label.into(),
            workgroups: pass.groups,
            workgroup_size: wg,
            seconds: at(number),
        };
        outcome.passes = plan.passes.iter().enumerate().map(time).collect();
        outcome.kernel_seconds = fastest.map(|(seconds, _)| seconds);
        Ok(outcome)
    }

    /// Runs the kernels over elements that need no rounding; `Err` describes a wrong answer.
    fn check_unrounded(
        &self,
        stage: &Stage,
        wg: u32,
        plan: &StagePlan,
        second_kernel: bool,
    ) -> Result<std::result::Result<(), String>> {
        let sparse = self.upload_floats("unrounded floats", FloatArray::Unrounded)?;
        let inputs = (sparse.clone(), sparse);
        let prepared = PreparedStage::new(&self.driver, stage, wg, self.operator, plan, inputs)?;
        let words = prepared.run(&self.driver)?.words;
        let got = self.finish(stage, wg, second_kernel, &words);
        Ok(agree(&got, &self.expected(stage, true), 0.0).map(|_| ()))
    }

    fn finish(&self, stage: &Stage, wg: u32, second_kernel: bool, words: &[Vec<u32>]) -> Figures {
        match second_kernel {
            true => finish_two_words(words),
            false => finish(stage, self.operator, self.count(), wg.into(), words),
        }
    }

    fn run_production<T: Element, O: Op<T>>(
        &self,
        stage: &'static Stage,
        op: O,
        number: impl Fn(O::Output) -> Figure,
    ) -> Result<Outcome> {
        let (input, _) = self.inputs(stage.input)?;
        let want = self.expected(stage, false);
        let name = want.first().map_or("", |(name, _)| *name);
        let production = ProductionRun::<T, O>::new(self, op, input)?;
        let mut outcome = self.outcome(stage, 0, Status::Passed);
        outcome.expected = text(&want);
        let got = vec![(name, number(production.reduce()?))];
        // The bound that the operator documents: any order of additions.
        match agree(&got, &want, rounding(self.count(), 24)) {
            Ok(error) => outcome.relative_error = error,
            Err(reason) => outcome.status = Status::Failed { reason },
        }
        outcome.value = text(&got);
        let mut spent = 0.0;
        for _ in 0..self.repeats {
            let (seconds, kernels) = timed(|| production.run());
            if let Some(kernels) = kernels? {
                outcome.kernel_seconds = Some(outcome.kernel_seconds.map_or(kernels, |best| best.min(kernels)));
            }
            outcome.gpu_seconds = outcome.gpu_seconds.min(seconds);
            spent += seconds;
            if spent > SECONDS_MAX {
                break;
            }
        }
        let label = format!("{} dispatches in one pass", production.dispatches()?);
        outcome.passes = vec![PassTime { label, workgroups: 0, workgroup_size: 0, seconds: outcome.kernel_seconds }];
        Ok(outcome)
    }
}

/// The bound for a stage: additions on the longest way in the kernels, and those of the host.
fn bound(stage: &Stage, plan: &StagePlan, second_kernel: bool) -> f64 {
    let partials = plan.results.first().map_or(0, |&(_, words)| words);
    let pairwise = u64::from(partials.next_power_of_two().trailing_zeros());
    match stage.finish {
        HostFinish::OneDouble if second_kernel => 2f64.powi(-53),
        HostFinish::OneDouble => rounding(plan.depth, 53),
        HostFinish::Sequential => rounding(plan.depth + partials + 1, 24),
        HostFinish::Pairwise | HostFinish::MinSum => rounding(plan.depth + pairwise, 24),
        // The host adds in f64, which rounds 2^29 times less; and a product rounds once.
        _ => rounding(plan.depth + 1, 24) + rounding(partials, 53),
    }
}
