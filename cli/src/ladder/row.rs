//! One stage's outcome beside what it is compared with, for tables, programs and pictures.

use crate::json::Json;
use crate::plot::{Point, Rung};
use anyhow::Result;
use treefold::ladder::{Operator, Outcome, PassTime, Status};

/// A row of the table.
pub struct Row {
    pub outcome: Outcome,
    pub operator: Operator,
    pub adapter: String,
    pub backend: &'static str,
    /// Bytes per second.
    pub read_bandwidth: Option<f64>,
    /// Seconds of the tutorials' loop, and of good code on all cores.
    pub one_core: Option<f64>,
    pub all_cores: Option<f64>,
}

impl Row {
    /// Whether the answer was wrong.
    pub fn failed(&self) -> bool {
        matches!(self.outcome.status, Status::Failed { .. })
    }

    /// Whether there is an answer.
    pub fn has_run(&self) -> bool {
        !matches!(self.outcome.status, Status::NotOnThisAdapter { .. })
    }

    /// PASSED, FAILED or NOT ON THIS ADAPTER.
    pub fn status(&self) -> &'static str {
        match self.outcome.status {
            Status::Passed => "PASSED",
            Status::Failed { .. } => "FAILED",
            Status::NotOnThisAdapter { .. } => "NOT ON THIS ADAPTER",
        }
    }

    /// Why it did not pass.
    pub fn reason(&self) -> Option<&str> {
        match &self.outcome.status {
            Status::Passed => None,
            Status::Failed { reason } | Status::NotOnThisAdapter { reason } => Some(reason),
        }
    }

    /// Milliseconds in kernels.
    pub fn kernel_ms(&self) -> Option<f64> {
        self.outcome.kernel_seconds.map(|seconds| seconds * 1e3)
    }

    /// Milliseconds in all.
    pub fn gpu_ms(&self) -> Option<f64> {
        Some(self.outcome.gpu_seconds * 1e3).filter(|ms| ms.is_finite())
    }

    /// Percent of the adapter's own read bandwidth.
    pub fn percent_of_read(&self) -> Option<f64> {
        Some(self.outcome.gb_per_s()? * 1e9 / self.read_bandwidth? * 100.0)
    }

    /// A time on the host over the stage's time in all: the tutorial's speedup.
    fn speedup(&self, host: Option<f64>) -> Option<f64> {
        Some(host? / self.outcome.gpu_seconds).filter(|speedup| speedup.is_finite())
    }

    /// Over the tutorials' loop on one core.
    pub fn over_one_core(&self) -> Option<f64> {
        self.speedup(self.one_core)
    }

    /// Over good code on all cores.
    pub fn over_all_cores(&self) -> Option<f64> {
        self.speedup(self.all_cores)
    }

    /// One JSON object on one line.
    pub fn line(&self) -> Result<String> {
        let outcome = &self.outcome;
        let stage = outcome.stage;
        let answer = |text: &str| if self.has_run() { Json::text(text) } else { Json::value(None::<f64>) };
        let mut members = vec![
            ("stage", Json::text(stage.id)),
            ("source", Json::text(stage.source)),
            ("idea", Json::text(stage.idea)),
            ("element", Json::text(stage.element)),
            ("operator", Json::text(stage.computes.chosen(self.operator).name())),
            ("status", Json::text(self.status())),
        ];
        members.extend(self.reason().map(|reason| ("reason", Json::text(reason))));
        members.extend([
            ("count", Json::value(outcome.count)),
            ("padded", Json::value(outcome.padded)),
            ("workgroup_size", Json::value(Some(outcome.workgroup_size).filter(|&size| size > 0))),
            ("passes", Json::value(outcome.passes.len() as u64)),
            ("t_kernel_ms", Json::figure(self.kernel_ms())),
            ("t_gpu_ms", Json::figure(self.gpu_ms())),
            ("gb_per_s", Json::figure(outcome.gb_per_s())),
            ("percent_of_read", Json::figure(self.percent_of_read())),
            ("speedup", Json::figure(self.over_one_core())),
            ("speedup_all_cores", Json::figure(self.over_all_cores())),
            ("value", answer(&outcome.value)),
            ("expected", answer(&outcome.expected)),
            ("relative_error", Json::figure(outcome.relative_error)),
            ("pass_times", Json::List(outcome.passes.iter().map(pass).collect())),
            ("adapter", Json::text(&self.adapter)),
            ("backend", Json::text(self.backend)),
        ]);
        Json::Object(members).line()
    }

    /// For the picture: a run with a known time.
    pub fn point(&self) -> Option<Point> {
        let outcome = &self.outcome;
        Some(Point {
            stage: outcome.stage.id.into(),
            count: outcome.count,
            workgroup_size: outcome.workgroup_size,
            gb_per_s: outcome.gb_per_s()?,
            elements_per_s: outcome.count as f64 / outcome.kernel_seconds?,
        })
    }

    /// For the page.
    pub fn rung(&self) -> Rung {
        let outcome = &self.outcome;
        let stage = outcome.stage;
        let status = match self.reason() {
            Some(reason) => format!("{}: {reason}", self.status()),
            None => self.status().into(),
        };
        Rung {
            stage: stage.id.into(),
            source: stage.source.into(),
            idea: stage.idea.into(),
            passes: outcome.passes.len(),
            kernel_ms: self.kernel_ms(),
            gpu_ms: outcome.gpu_seconds * 1e3,
            gb_per_s: outcome.gb_per_s(),
            percent_of_read: self.percent_of_read(),
            speedup_one_core: self.over_one_core(),
            speedup_all_cores: self.over_all_cores(),
            relative_error: outcome.relative_error,
            status,
            shaders: stage.shaders.iter().map(|&(file, text)| (file.into(), text.into())).collect(),
        }
    }
}

fn pass(pass: &PassTime) -> Json {
    Json::Object(vec![
        ("label", Json::text(&pass.label)),
        ("workgroups", Json::value(Some(pass.workgroups).filter(|&groups| groups > 0))),
        ("workgroup_size", Json::value(Some(pass.workgroup_size).filter(|&size| size > 0))),
        ("t_kernel_ms", Json::figure(pass.seconds.map(|seconds| seconds * 1e3))),
    ])
}
