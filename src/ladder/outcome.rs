//! Results of a stage: its status, its answer and its times.

use super::Stage;

/// The end of a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// With the right answer.
    Passed,
    /// With a wrong one.
    Failed {
        /// The number found, and the right one.
        reason: String,
    },
    /// It was not run.
    NotOnThisAdapter {
        /// The missing feature or limit.
        reason: String,
    },
}

/// One pass of a stage.
#[derive(Clone, Debug)]
pub struct PassTime {
    /// Its part in the stage.
    pub label: String,
    /// Workgroups; 0 if the library itself plans.
    pub workgroups: u64,
    /// Invocations of each.
    pub workgroup_size: u32,
    /// By the device's clock; `None` without one.
    pub seconds: Option<f64>,
}

/// Answer and times of a stage.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The stage.
    pub stage: &'static Stage,
    /// Whether the answer is right.
    pub status: Status,
    /// Elements.
    pub count: u64,
    /// Elements with the padding of the last block.
    pub padded: u64,
    /// Bytes of elements that the stage must read at least.
    pub bytes: u64,
    /// Invocations of a workgroup; 0 if the library chooses.
    pub workgroup_size: u32,
    /// Every pass of the fastest run.
    pub passes: Vec<PassTime>,
    /// All passes of the fastest run together; `None` if the device has no clock.
    pub kernel_seconds: Option<f64>,
    /// The fastest run by the host's clock: all passes, the transfer of the partials, the host's finish. NaN if it did not
    /// run.
    pub gpu_seconds: f64,
    /// The answer.
    pub value: String,
    /// The right answer.
    pub expected: String,
    /// Float stages: the distance from the exact answer, relative to it.
    pub relative_error: Option<f64>,
}

impl Outcome {
    /// Useful bytes over the kernels' time, in GB/s.
    pub fn gb_per_s(&self) -> Option<f64> {
        self.kernel_seconds.filter(|_| self.bytes > 0).map(|seconds| self.bytes as f64 / seconds / 1e9)
    }
}
