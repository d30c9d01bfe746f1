//! The adapter's own read bandwidth, against which every stage is measured.

use super::Ladder;
use super::passes::{PassSeries, Timed, TimedPass};
use super::stage::InputKind;
use crate::error::Result;
use wgpu::BufferUsages;

/// Invocations that today's largest GPUs hold at once: 132 multiprocessors of 2048.
pub(super) const GRID_INVOCATIONS: u64 = 132 * 2048;

const READ: &str = include_str!("../../shaders/ladder/read.wgsl");

/// Launches that compete: invocations of a workgroup, workgroups, and whether each invocation reads a block of its own. The
/// first suit GPUs, the last CPUs.
const LAUNCHES: [(u32, u64, bool); 5] =
    [(256, 1056, false), (256, 2112, false), (256, 4224, false), (32, 8, true), (32, 16, true)];

/// Bytes per second at which a kernel that does nothing else reads the ladder's elements; `None` without a GPU clock.
pub(super) fn read_bandwidth(ladder: &Ladder) -> Result<Option<f64>> {
    let driver = &ladder.driver;
    let vectors = ladder.count().div_ceil(4);
    let input = ladder.inputs(InputKind::Ints)?;
    let output = driver.context.buffer("a measured read", 256 * 4224 * 4, BufferUsages::STORAGE)?;
    let mut best: Option<f64> = None;
    for (size, groups, blocked) in LAUNCHES {
        if size > driver.context.limits.invocations_max {
            continue;
        }
        let invocations = (u64::from(size) * groups).min(vectors.next_multiple_of(size.into()));
        let block = if blocked { vectors.div_ceil(invocations) } else { 0 };
        let text = format!(
            "{READ}\nconst WG = {size}u;\nstruct Params {{ size: u32, middle: u32, extra: u32, row: u32 }}\n\
             fn group(id: vec3<u32>) -> u32 {{ return id.x; }}\n"
        );
        let nothing = &driver.context.placeholder;
        let params = [vectors, block, invocations].map(|param| param as u32);
        let buffers = [&input.0, nothing, &output, nothing];
        let pipeline = driver.pipeline(text)?;
        let dispatches = driver.dispatches(&pipeline, invocations / u64::from(size), params, buffers)?;
        let kernel = TimedPass { copies: Vec::new(), timed: Timed::Kernels };
        let series = PassSeries::new(driver, vec![kernel], Vec::new())?;
        for _ in 0..4 {
            let measured = series.run(driver, |_, compute| {
                dispatches.iter().for_each(|dispatch| dispatch.record(compute));
                Ok(())
            })?;
            if let Some(&Some(seconds)) = measured.seconds.first() {
                best = Some(best.unwrap_or(0.0).max(ladder.count() as f64 * 4.0 / seconds));
            }
        }
    }
    Ok(best)
}
