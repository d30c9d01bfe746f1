//! What the stages are measured against: how fast the adapter's memory is, and how long the way there takes.

use super::driver::{Copy, Pass, Timed};
use super::stages::Data;
use super::{Folder, Ladder, Operator};
use crate::context::fill;
use crate::error::Result;
use crate::ops::{Min, Sum};
use crate::{Op, StreamOptions};
use std::time::{Duration, Instant};
use wgpu::{BufferUsages, Features};

/// Invocations that today's largest GPUs hold at once: 132 multiprocessors of 2048.
pub(super) const GRID: u64 = 132 * 2048;

const READ: &str = include_str!("../../shaders/ladder/read.wgsl");

/// Shapes in which memory is read to find its bandwidth: invocations of a workgroup, workgroups, and whether each invocation
/// reads a block of its own. GPUs like the first, CPUs the last.
const SHAPES: [(u32, u64, bool); 5] =
    [(256, 1056, false), (256, 2112, false), (256, 4224, false), (32, 8, true), (32, 16, true)];

/// Bytes per second at which a kernel that does nothing else reads the ladder's elements; `None` without a GPU clock.
pub(super) fn read_bandwidth(ladder: &Ladder) -> Result<Option<f64>> {
    let kit = &ladder.kit;
    let quads = ladder.count.div_ceil(4);
    let input = ladder.inputs(Data::Ints)?;
    let output = kit.context.buffer("a measured read", 256 * 4224 * 4, BufferUsages::STORAGE)?;
    let mut best: Option<f64> = None;
    for (size, groups, blocked) in SHAPES {
        if size > kit.context.facts.invocations_max {
            continue;
        }
        let invocations = (u64::from(size) * groups).min(quads.next_multiple_of(size.into()));
        let block = if blocked { quads.div_ceil(invocations) } else { 0 };
        let text = format!(
            "{READ}\nconst WG = {size}u;\nstruct Params {{ size: u32, middle: u32, extra: u32, row: u32 }}\n\
             fn group(id: vec3<u32>) -> u32 {{ return id.x; }}\n"
        );
        let nothing = &kit.context.nothing;
        let params = [quads, block, invocations].map(|param| param as u32);
        let buffers = [&input.0, nothing, &output, nothing];
        let pipeline = kit.pipeline(text)?;
        let dispatches = kit.dispatches(&pipeline, invocations / u64::from(size), params, buffers)?;
        let run = kit.prepare(vec![Pass { copies: Vec::new(), timed: Timed::Kernels }], Vec::new())?;
        for _ in 0..4 {
            let (seconds, _) = run.run(kit, |_, compute| {
                dispatches.iter().for_each(|dispatch| dispatch.record(compute));
                Ok(())
            })?;
            if let Some(&Some(seconds)) = seconds.first() {
                best = Some(best.unwrap_or(0.0).max(ladder.count as f64 * 4.0 / seconds));
            }
        }
    }
    Ok(best)
}

/// Where the time goes from host memory to the answer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transfer {
    /// The whole, by the host's clock.
    pub total_seconds: f64,
    /// Of these, copying to staging memory on the host.
    pub host_copy_seconds: f64,
    /// Of these, copying to the device, by its clock; `None` where it has none.
    pub upload_seconds: Option<f64>,
    /// Of these, the kernels, by the device's clock.
    pub kernel_seconds: Option<f64>,
}

/// The input in one piece, then the kernel: as the tutorial does it, with nothing at the same time as anything else.
pub(super) fn one_piece(ladder: &Ladder) -> Result<Transfer> {
    match ladder.operator {
        Operator::Sum => one_piece_of(ladder, Sum),
        Operator::Min => one_piece_of(ladder, Min),
    }
}

fn one_piece_of<O: Op<i32>>(ladder: &Ladder, op: O) -> Result<Transfer> {
    let kit = &ladder.kit;
    let bytes: &[u8] = bytemuck::cast_slice(ladder.host_ints());
    let size = bytes.len() as u64;
    let device = kit.context.buffer("one piece", size, BufferUsages::STORAGE | BufferUsages::COPY_DST)?;
    let folder = Folder::<i32, O>::new(ladder, op, device.clone())?;
    let stamps = kit.context.device.features().contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
    let once = || -> Result<Transfer> {
        let usage = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
        let staging = kit.context.mapped_buffer("one piece on the host", size, usage)?;
        let copies = vec![Copy { from: staging.clone(), to: device.clone(), at: 0, size }];
        let copy = Pass { copies, timed: if stamps { Timed::Copies } else { Timed::Nothing } };
        let kernel = Pass { copies: Vec::new(), timed: Timed::Kernels };
        let run = kit.prepare(vec![copy, kernel], vec![(folder.answer.clone(), folder.answer.size() / 4)])?;
        let start = Instant::now();
        fill(&staging, 0, bytes)?;
        staging.unmap();
        let host_copy_seconds = start.elapsed().as_secs_f64();
        let (seconds, _) = run.run(kit, |pass, compute| if pass == 1 { folder.record(compute) } else { Ok(()) })?;
        let at = |pass: usize| seconds.get(pass).copied().flatten();
        Ok(Transfer {
            total_seconds: start.elapsed().as_secs_f64(),
            host_copy_seconds,
            upload_seconds: at(0),
            kernel_seconds: at(1),
        })
    };
    best_of_three(once)
}

/// The same by the library's stream: while the device works on one part, the host copies the next.
pub(super) fn in_parts(ladder: &Ladder) -> Result<Transfer> {
    match ladder.operator {
        Operator::Sum => best_of_three(|| stream(ladder, Sum)),
        Operator::Min => best_of_three(|| stream(ladder, Min)),
    }
}

/// Parts of an eighth, at least of 4 MiB.
fn stream<O: Op<i32>>(ladder: &Ladder, op: O) -> Result<Transfer> {
    let part = (ladder.count / 8).max(1 << 20);
    let options = StreamOptions { elements_hint: Some(part), ..Default::default() };
    let start = Instant::now();
    let mut stream = ladder.gpu.stream(op, &options)?;
    stream.push(ladder.host_ints())?;
    let done = stream.finish()?;
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    Ok(Transfer {
        total_seconds: start.elapsed().as_secs_f64(),
        host_copy_seconds: done.copy_time.as_secs_f64(),
        upload_seconds: seconds(done.upload_time),
        kernel_seconds: seconds(done.kernel_time),
    })
}

/// The shortest of three, the first of which warms up.
fn best_of_three(once: impl Fn() -> Result<Transfer>) -> Result<Transfer> {
    let mut best = once()?;
    for _ in 0..3 {
        let this = once()?;
        if this.total_seconds < best.total_seconds {
            best = this;
        }
    }
    Ok(best)
}
