//! GPU time of one reduction, back to back: `reps` of them between two timestamps, over inputs that rotate through the
//! memory of several windows, so that no reduction finds its input in a cache. Every answer is checked.
//!
//! ```text
//! cargo run --release --example measure -- operator=sum dtype=f32 log2=28
//! cargo run --release --example measure -- operator=sum log2=28 workgroup_size=256,512 loads=4,8 groups=528,1056
//! ```
//!
//! One JSON line per figure: the median, the fastest and the slowest of the samples, in microseconds per reduction.

use std::time::Instant;
use treefold::ops::{self, Visitor};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Answer, Cpu, Dtype, Element, Gpu, Input, Layout, Op, Tuning};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What the command line asks for; lists are tried in every combination.
struct Request {
    operators: Vec<String>,
    dtypes: Vec<Dtype>,
    log2: Vec<u32>,
    plus: u64,
    workgroup_size: Vec<u32>,
    single_size: Vec<u32>,
    loads: Vec<u32>,
    groups: Vec<u32>,
    single_log2: Option<u32>,
    layout: Option<Layout>,
    subgroups: Option<bool>,
    samples: usize,
    window_log2: u32,
}

fn main() -> Outcome<()> {
    let mut request = Request {
        operators: vec!["sum".into()],
        dtypes: vec![Dtype::F32],
        log2: vec![24],
        plus: 0,
        workgroup_size: vec![],
        single_size: vec![],
        loads: vec![],
        groups: vec![],
        single_log2: None,
        layout: None,
        subgroups: None,
        samples: 9,
        window_log2: 29,
    };
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("{argument}: expected KEY=VALUE"))?;
        let numbers = || value.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        match key {
            "operator" => request.operators = value.split(',').map(String::from).collect(),
            "dtype" => {
                let parse = |name: &str| Dtype::parse(name).ok_or_else(|| format!("{name}: expected f32, i32 or u32"));
                request.dtypes = value.split(',').map(parse).collect::<Result<_, _>>()?;
            }
            "log2" => request.log2 = numbers()?,
            "plus" => request.plus = value.parse()?,
            "workgroup_size" => request.workgroup_size = numbers()?,
            "single_size" => request.single_size = numbers()?,
            "loads" => request.loads = numbers()?,
            "groups" => request.groups = numbers()?,
            "single_log2" => request.single_log2 = Some(value.parse()?),
            "layout" => request.layout = Some(if value == "blocked" { Layout::Blocked } else { Layout::Strided }),
            "subgroups" => request.subgroups = Some(value.parse()?),
            "samples" => request.samples = value.parse()?,
            "window_log2" => request.window_log2 = value.parse()?,
            _ => return Err(format!("{key}: no such key").into()),
        }
    }
    let gpu = Gpu::new()?;
    let info = gpu.info();
    println!("{{\"adapter\":\"{}\",\"backend\":\"{}\",\"driver\":\"{}\"}}", info.name, info.backend, info.driver_info);
    for operator in &request.operators {
        for &dtype in &request.dtypes {
            let found = ops::visit(operator, dtype, Measure { gpu: &gpu, request: &request });
            found.ok_or_else(|| format!("no operator {operator} over {dtype}"))??;
        }
    }
    Ok(())
}

struct Measure<'a> {
    gpu: &'a Gpu,
    request: &'a Request,
}

impl Visitor for Measure<'_> {
    type Out = Outcome<()>;
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Outcome<()> {
        let request = self.request;
        let longest = request.log2.iter().map(|&log2| 1u64 << log2).max().unwrap_or(1) + request.plus;
        let pool = longest.max(1 << request.window_log2);
        // Every window holds the same block again and again: an odd length, so that windows and lengths differ.
        let block: Vec<T> = elements((1 << 20) - 3);
        let host: Vec<T> = block.iter().copied().cycle().take(longest as usize).collect();
        let buffer_elements = longest.max(1 << 20);
        let buffers =
            (0..(pool / buffer_elements).max(1)).map(|_| fill(self.gpu, &block, buffer_elements)).collect::<Vec<_>>();
        for &log2 in &request.log2 {
            let n = (1u64 << log2) + request.plus;
            let want = Cpu::new().reduce(op.clone(), &host[..n as usize])?;
            for shape in shapes(self.gpu.tuning(), request) {
                let line = measure(&self.gpu.with_tuning(shape)?, &op, &buffers, n, &want, request.samples)?;
                println!(
                    "{{\"operator\":\"{}\",\"dtype\":\"{}\",\"n\":{n},{line},\"workgroup_size\":{},\"single\":{},\"loads\":{},\"groups\":{},\"subgroups\":{},\"layout\":\"{:?}\"}}",
                    op.name(),
                    T::DTYPE,
                    shape.workgroup_size,
                    shape.single_workgroup_size,
                    shape.loads_in_flight,
                    shape.workgroups_max,
                    shape.subgroups,
                    shape.layout
                );
            }
        }
        Ok(())
    }
}

/// Every combination that was asked for.
fn shapes(base: &Tuning, request: &Request) -> Vec<Tuning> {
    let or = |list: &[u32], default: u32| if list.is_empty() { vec![default] } else { list.to_vec() };
    let mut shapes = Vec::new();
    for &workgroup_size in &or(&request.workgroup_size, base.workgroup_size) {
        for &single_workgroup_size in &or(&request.single_size, base.single_workgroup_size) {
            for &loads_in_flight in &or(&request.loads, base.loads_in_flight) {
                for &workgroups_max in &or(&request.groups, base.workgroups_max) {
                    shapes.push(Tuning {
                        workgroup_size,
                        single_workgroup_size,
                        loads_in_flight,
                        workgroups_max,
                        single_elements_max: request.single_log2.map_or(base.single_elements_max, |log2| 1 << log2),
                        layout: request.layout.unwrap_or(base.layout),
                        subgroups: request.subgroups.unwrap_or(base.subgroups),
                        ..*base
                    });
                }
            }
        }
    }
    shapes
}

/// Random elements, never zeros; floats in (0, 1), so that a wrong sum shows.
fn elements<T: Element>(n: usize) -> Vec<T> {
    let mut state = 0x9e37_79b9u64 ^ Instant::now().elapsed().as_nanos() as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    (0..n)
        .map(|_| match T::DTYPE {
            Dtype::F32 => T::from_bits(((next() >> 8) as f32 / 8_388_608.0 + 1e-9).to_bits()),
            _ => T::from_bits(next()),
        })
        .collect()
}

/// A buffer that repeats a block, by copies on the device.
fn fill<T: Element>(gpu: &Gpu, block: &[T], elements: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let describe = |size| wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = gpu.device().create_buffer(&describe(elements * 4));
    let bytes: &[u8] = bytemuck::cast_slice(block);
    let first = bytes.len().min(elements as usize * 4);
    gpu.queue().write_buffer(&buffer, 0, &bytes[..first]);
    let source = gpu.device().create_buffer(&describe(bytes.len() as u64));
    gpu.queue().write_buffer(&source, 0, bytes);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    for at in (0..elements * 4).step_by(bytes.len()) {
        let size = (bytes.len() as u64).min(elements * 4 - at);
        encoder.copy_buffer_to_buffer(&source, 0, &buffer, at, size);
    }
    gpu.queue().submit([encoder.finish()]);
    buffer
}

fn measure<T: Element, O: Op<T, Output: Answer>>(
    gpu: &Gpu,
    op: &O,
    buffers: &[wgpu::Buffer],
    n: u64,
    want: &O::Output,
    samples: usize,
) -> Outcome<String> {
    let reducer = gpu.reducer::<T, O>(op.clone())?;
    let per_buffer = (buffers[0].size() / 4 / n).max(1);
    let windows: Vec<Input<T>> = buffers
        .iter()
        .flat_map(|buffer| (0..per_buffer.min(64)).map(move |w| Input::range(buffer, w * n..(w + 1) * n)))
        .collect();
    let got = reducer.reduce(Input::range(&buffers[0], 0..n))?;
    let right = agree(&got.parts(), &want.parts());
    if O::ANSWER_WORDS == 0 {
        return Ok(format!("\"right\":{right},\"us\":null"));
    }
    let (device, queue) = (gpu.device(), gpu.queue());
    let output = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: reducer.answer_bytes().next_multiple_of(256),
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let reps = if n <= 1 << 22 { 200 } else { 20 };
    let mut times = Vec::new();
    for sample in 0..samples + 2 {
        let start = Instant::now();
        let stamps = Stamps::new(device);
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.write_timestamp(&stamps.queries, 0);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for rep in 0..reps {
            reducer.record_in_pass(&mut pass, &windows[rep % windows.len()], &output)?;
        }
        drop(pass);
        encoder.write_timestamp(&stamps.queries, 1);
        let nanoseconds = stamps.finish(device, queue, encoder)?;
        if sample >= 2 {
            times.push(nanoseconds / 1e3 / reps as f64);
        }
        if start.elapsed().as_secs() > 20 {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    let (median, low, high) = (times[times.len() / 2], times[0], times[times.len() - 1]);
    let rate = n as f64 * 4.0 / median / 1e3;
    Ok(format!("\"us\":{median:.2},\"low\":{low:.2},\"high\":{high:.2},\"gb_per_s\":{rate:.1},\"right\":{right}"))
}

fn agree(got: &[treefold::Part], want: &[treefold::Part]) -> bool {
    use treefold::Value::{F32, F64};
    got.len() == want.len()
        && got.iter().zip(want).all(|(got, want)| {
            let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-4 * b.abs();
            got.index == want.index
                && match (got.value, want.value) {
                    (F32(a), F32(b)) => near(a.into(), b.into()),
                    (F64(a), F64(b)) => near(a, b),
                    (a, b) => a == b,
                }
        })
}

struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

impl Stamps {
    fn new(device: &wgpu::Device) -> Stamps {
        let describe = |usage| wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
        let ty = wgpu::QueryType::Timestamp;
        Stamps {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty, count: 2 }),
            resolved: device.create_buffer(&describe(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)),
            host: device.create_buffer(&describe(BufferUsages::MAP_READ | BufferUsages::COPY_DST)),
        }
    }

    /// Submits, waits, and gives the nanoseconds between the two stamps.
    fn finish(&self, device: &wgpu::Device, queue: &wgpu::Queue, mut encoder: wgpu::CommandEncoder) -> Outcome<f64> {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, 16);
        queue.submit([encoder.finish()]);
        self.host.map_async(wgpu::MapMode::Read, .., |_| ());
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let view = self.host.get_mapped_range(..)?;
        let ticks: &[u64] = bytemuck::cast_slice(&view);
        Ok((ticks[1] - ticks[0]) as f64 * f64::from(queue.get_timestamp_period()))
    }
}
