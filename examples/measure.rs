//! GPU time of one reduction, back to back: `reps` of them between two timestamps, over inputs that rotate through the
//! memory of several windows, so that no reduction finds its input in a cache. Every answer is checked.
//!
//! ```text
//! cargo run --release --example measure -- operator=fast_sum dtype=f32 log2=28
//! cargo run --release --example measure -- operator=fast_sum log2=28 workgroup_size=256,512 loads=4,8 groups=528,1056
//! cargo run --release --example measure -- operator=fast_sum,argmax shape=16384x16384,1048576x256 axis=0
//! cargo run --release --example measure -- operator=fast_sum log2=28 segments=4,16,70000
//! ```
//!
//! `segments=N`: segments of N elements by offsets; `segments=mixN`: of 1 to N elements, as many of each power of two.
//!
//! One JSON line per figure: the median, the fastest and the slowest of the samples, in microseconds per reduction.

use std::time::Instant;
use treefold::ops::{self, Visitor};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Answer, Axes, Cpu, Dtype, Element, Gpu, Input, Op, Order, Tuning};

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
    order: Option<Order>,
    subgroups: Option<bool>,
    samples: usize,
    window_log2: u32,
    data: Data,
    bins_in_workgroup: Option<bool>,
    /// Shapes of arrays of which some axes are reduced, in place of lengths.
    shapes: Vec<Vec<u64>>,
    axes: Vec<i64>,
    short_log2: Vec<u32>,
    segments: Vec<String>,
    /// Options of the operator: `ddof=1`, `bins=1024`, `range=0:1`.
    options: Vec<(String, String)>,
}

/// What the elements look like.
#[derive(Clone, Copy, Debug)]
enum Data {
    /// Floats in (0, 1), integers of all sizes.
    Uniform,
    /// Floats of mean 0 and deviation 1.
    Normal,
    /// Floats of both signs over 60 powers of two.
    Wide,
    /// All bit patterns of finite floats.
    Bits,
    /// One value again and again.
    One,
    /// The largest and the smallest float in turn.
    Extremes,
    /// Subnormal floats.
    Subnormal,
    /// Zeros.
    Zeros,
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
        order: None,
        subgroups: None,
        samples: 9,
        window_log2: 29,
        data: Data::Uniform,
        bins_in_workgroup: None,
        shapes: vec![],
        axes: vec![0],
        short_log2: vec![],
        segments: vec![],
        options: vec![],
    };
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("{argument}: expected KEY=VALUE"))?;
        let numbers = || value.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        match key {
            "operator" => request.operators = value.split(',').map(String::from).collect(),
            "dtype" => {
                let pair = |name: &str| (name == "f32x2").then_some(Dtype::F32x2);
                let parse = |name: &str| {
                    Dtype::parse(name).or_else(|| pair(name)).ok_or_else(|| format!("{name}: expected an element type"))
                };
                request.dtypes = value.split(',').map(parse).collect::<Result<_, _>>()?;
            }
            "log2" => request.log2 = numbers()?,
            "plus" => request.plus = value.parse()?,
            "workgroup_size" => request.workgroup_size = numbers()?,
            "single_size" => request.single_size = numbers()?,
            "loads" => request.loads = numbers()?,
            "groups" => request.groups = numbers()?,
            "single_log2" => request.single_log2 = Some(value.parse()?),
            "order" => request.order = Some(if value == "blocked" { Order::Blocked } else { Order::Striped }),
            "subgroups" => request.subgroups = Some(value.parse()?),
            "shape" => {
                let shape = |text: &str| text.split('x').map(str::parse).collect::<Result<Vec<u64>, _>>();
                request.shapes = value.split(',').map(shape).collect::<Result<_, _>>()?;
            }
            "axis" => request.axes = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            "short_log2" => request.short_log2 = numbers()?,
            "segments" => request.segments = value.split(',').map(String::from).collect(),
            "samples" => request.samples = value.parse()?,
            "window_log2" => request.window_log2 = value.parse()?,
            "bins_in_workgroup" => request.bins_in_workgroup = Some(value.parse()?),
            _ if ops::TABLE.iter().any(|entry| entry.options.iter().any(|&(name, _)| name == key)) => {
                request.options.push((key.into(), value.into()));
            }
            "data" => {
                request.data = match value {
                    "uniform" => Data::Uniform,
                    "normal" => Data::Normal,
                    "wide" => Data::Wide,
                    "bits" => Data::Bits,
                    "one" => Data::One,
                    "extremes" => Data::Extremes,
                    "subnormal" => Data::Subnormal,
                    "zeros" => Data::Zeros,
                    _ => return Err(format!("{value}: no such data").into()),
                }
            }
            _ => return Err(format!("{key}: no such key").into()),
        }
    }
    let gpu = Gpu::new()?;
    let info = gpu.info();
    println!("{{\"adapter\":\"{}\",\"backend\":\"{}\",\"driver\":\"{}\"}}", info.name, info.backend, info.driver_info);
    for operator in &request.operators {
        for &dtype in &request.dtypes {
            let options: Vec<_> = request.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let found = ops::visit_with(operator, dtype, &options, Measure { gpu: &gpu, request: &request })?;
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
        let lengths = request.log2.iter().map(|&log2| (1u64 << log2) + request.plus);
        let mut many: Vec<(u64, Many)> = Vec::new();
        for shape in &request.shapes {
            let view = Axes::of(shape, &request.axes)?;
            many.push((view.answers() * view.length(), Many::Axes(view, shape.clone())));
        }
        for n in if request.segments.is_empty() { vec![] } else { lengths.clone().collect() } {
            for kind in &request.segments {
                many.push((n, Many::segments(self.gpu, n, kind)?));
            }
        }
        let inputs: Vec<(u64, Option<&Many>)> = match many.is_empty() {
            true => lengths.map(|n| (n, None)).collect(),
            false => many.iter().map(|(n, many)| (*n, Some(many))).collect(),
        };
        let longest = inputs.iter().map(|&(n, _)| n).max().unwrap_or(1);
        let pool = longest.max((1 << (request.window_log2 + 2)) / T::DTYPE.bytes());
        // Every window holds the same block again and again: no power of two, so that windows differ.
        let block: Vec<T> = elements((1 << 20) - 4, request.data);
        let host: Vec<T> = block.iter().copied().cycle().take(longest as usize).collect();
        let buffer_elements = longest.max(1 << 20);
        let buffers =
            (0..(pool / buffer_elements).max(1)).map(|_| fill(self.gpu, &block, buffer_elements)).collect::<Vec<_>>();
        for &(n, view) in &inputs {
            let shape_of = match view {
                None => String::new(),
                Some(Many::Axes(_, shape)) => format!("\"shape\":{shape:?},\"axes\":{:?},", request.axes),
                Some(Many::Segments { kind, .. }) => format!("\"segments\":\"{kind}\","),
            };
            for shape in shapes(self.gpu.tuning(), request) {
                let line = measure(&self.gpu.with_tuning(shape)?, &op, &buffers, (n, &host), view, request.samples)?;
                println!(
                    "{{\"operator\":\"{}\",\"dtype\":\"{}\",\"n\":{n},{shape_of}{line},\"workgroup_size\":{},\"single\":{},\"loads\":{},\"groups\":{},\"short\":{},\"subgroups\":{},\"order\":\"{:?}\"}}",
                    op.signature(),
                    T::DTYPE,
                    shape.fold.workgroup_size,
                    shape.single_workgroup_size,
                    shape.fold.loads_in_flight,
                    shape.fold.workgroups_max,
                    shape.fold.short_rows_max,
                    shape.subgroups,
                    shape.order
                );
            }
        }
        Ok(())
    }
}

/// An input of many answers.
enum Many {
    /// Axes of an array of this shape.
    Axes(Axes, Vec<u64>),
    /// Segments by offsets.
    Segments { kind: String, offsets: Vec<u32>, there: wgpu::Buffer },
}

impl Many {
    fn segments(gpu: &Gpu, n: u64, kind: &str) -> Outcome<Many> {
        let most: u64 = kind.trim_start_matches("mix").parse()?;
        let mut state = 1u64;
        let mut lengths = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
            if kind.starts_with("mix") { ((most as f64).powf(unit) as u64).max(1) } else { most }
        });
        let mut offsets = vec![0u32];
        let mut at = 0;
        while at < n {
            at = (at + lengths.next().unwrap_or(n)).min(n);
            offsets.push(at as u32);
        }
        let there = fill(gpu, &offsets, offsets.len() as u64);
        Ok(Many::Segments { kind: kind.into(), offsets, there })
    }

    fn answers(&self) -> u64 {
        match self {
            Many::Axes(axes, _) => axes.answers(),
            Many::Segments { offsets, .. } => offsets.len() as u64 - 1,
        }
    }

    fn of<'a, T: Element>(&'a self, input: Input<'a, T>) -> treefold::Each<'a, T> {
        match self {
            Many::Axes(axes, _) => input.over(axes.clone()),
            Many::Segments { there, .. } => input.segments(there),
        }
    }
}

/// Every combination that was asked for; of both policies, that of values and that of bins.
fn shapes(base: &Tuning, request: &Request) -> Vec<Tuning> {
    let or = |list: &[u32]| if list.is_empty() { vec![None] } else { list.iter().copied().map(Some).collect() };
    let mut shapes = Vec::new();
    for workgroup_size in or(&request.workgroup_size) {
        for single_size in or(&request.single_size) {
            for loads in or(&request.loads) {
                for (groups, short) in or(&request.groups)
                    .into_iter()
                    .flat_map(|g| or(&request.short_log2).into_iter().map(move |s| (g, s)))
                {
                    let launched = base.each(|launch| {
                        launch.short_rows_max = short.map_or(launch.short_rows_max, |log2| 1 << log2);
                        launch.workgroup_size = workgroup_size.unwrap_or(launch.workgroup_size);
                        launch.loads_in_flight = loads.unwrap_or(launch.loads_in_flight);
                        launch.workgroups_max = groups.unwrap_or(launch.workgroups_max);
                        launch.single_elements_max =
                            request.single_log2.map_or(launch.single_elements_max, |log2| 1 << log2);
                    });
                    shapes.push(launched.with(|tuning| {
                        tuning.single_workgroup_size = single_size.unwrap_or(tuning.single_workgroup_size);
                        tuning.order = request.order.unwrap_or(tuning.order);
                        tuning.subgroups = request.subgroups.unwrap_or(tuning.subgroups);
                        tuning.bins_in_workgroup = request.bins_in_workgroup.unwrap_or(tuning.bins_in_workgroup);
                    }));
                }
            }
        }
    }
    shapes
}

/// Random elements, fresh for every run.
fn elements<T: Element>(n: usize, data: Data) -> Vec<T> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut state = 0x9e37_79b9u64 ^ now.map_or(0, |now| now.as_nanos() as u64);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 | (state << 20) as u32 & 0x8000_0000
    };
    (0..n)
        .map(|at| {
            let mut float = || float(&mut next, data, at);
            T::from_pattern(match T::DTYPE {
                Dtype::F32 => float().to_bits().into(),
                Dtype::F16 => treefold::half::f16::from_f32(float()).to_bits().into(),
                Dtype::F64 => (f64::from(float()) * 1.000_000_1).to_bits(),
                Dtype::F32x2 => u64::from(float().to_bits()) | u64::from(float().to_bits()) << 32,
                _ => u64::from(next()) | u64::from(next()) << 32,
            })
        })
        .collect()
}

fn float(next: &mut impl FnMut() -> u32, data: Data, at: usize) -> f32 {
    let mut unit = || (next() >> 8) as f32 / 16_777_216.0 + 1e-9;
    match data {
        Data::Uniform => unit(),
        Data::Normal => (-2.0 * unit().ln()).sqrt() * (std::f32::consts::TAU * unit()).cos(),
        Data::Wide => (unit() - 0.5) * ((unit() - 0.5) * 60.0).exp2(),
        Data::Bits => loop {
            let x = f32::from_bits(next());
            if x.is_finite() {
                return x;
            }
        },
        Data::One => 1.1,
        Data::Extremes => f32::MAX * if at.is_multiple_of(2) { 1.0 } else { -1.0 },
        Data::Subnormal => f32::from_bits(next() & 0x807f_ffff),
        Data::Zeros => 0.0,
    }
}

/// A buffer that repeats a block, by copies on the device.
fn fill<T: Element>(gpu: &Gpu, block: &[T], elements: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let describe = |size| wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let size = elements * T::DTYPE.bytes();
    let buffer = gpu.device().create_buffer(&describe(size));
    let bytes: &[u8] = bytemuck::cast_slice(block);
    let first = bytes.len().min(size as usize);
    gpu.queue().write_buffer(&buffer, 0, &bytes[..first]);
    let source = gpu.device().create_buffer(&describe(bytes.len() as u64));
    gpu.queue().write_buffer(&source, 0, bytes);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    for at in (0..size).step_by(bytes.len()) {
        encoder.copy_buffer_to_buffer(&source, 0, &buffer, at, (bytes.len() as u64).min(size - at));
    }
    gpu.queue().submit([encoder.finish()]);
    buffer
}

fn measure<T: Element, O: Op<T, Output: Answer>>(
    gpu: &Gpu,
    op: &O,
    buffers: &[wgpu::Buffer],
    (n, host): (u64, &[T]),
    view: Option<&Many>,
    samples: usize,
) -> Outcome<String> {
    let compiling = Instant::now();
    let reducer = gpu.reducer::<T, O>(op.clone())?;
    let compiled = compiling.elapsed().as_secs_f64() * 1e3;
    let per_buffer = (buffers[0].size() / T::DTYPE.bytes() / n).max(1);
    let windows: Vec<Input<T>> = buffers
        .iter()
        .flat_map(|buffer| (0..per_buffer.min(64)).map(move |w| Input::range(buffer, w * n..(w + 1) * n)))
        .collect();
    let first = Input::range(&buffers[0], 0..n);
    let host = &host[..n as usize];
    let right = match view {
        None => op.close(&reducer.reduce(first)?, &Cpu::new().reduce(op.clone(), host)?, host, false),
        Some(Many::Axes(axes, _)) => right_each(op, &reducer.reduce_each(first.over(axes.clone()))?, host, axes)?,
        // By what is recorded: so many answers are a burden for the host.
        Some(Many::Segments { .. }) => true,
    };
    if reducer.answer_words() == 0 {
        return Ok(format!("\"right\":{right},\"compile_ms\":{compiled:.0},\"us\":null"));
    }
    let (device, queue) = (gpu.device(), gpu.queue());
    let output = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: (reducer.answer_bytes() * view.map_or(1, Many::answers)).next_multiple_of(256),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let reps = if n <= 1 << 22 { 200 } else { 20 };
    let mut times = Vec::new();
    // GPUs that idle run slowly, and take a while to wake up.
    let (warm, mut sample) = (Instant::now(), 0);
    while times.len() < samples {
        let start = Instant::now();
        let stamps = Stamps::new(device);
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.write_timestamp(&stamps.queries, 0);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for rep in 0..reps {
            let window = &windows[rep % windows.len()];
            match view {
                None => reducer.record_in_pass(&mut pass, window, &output)?,
                Some(view) => {
                    reducer.record_each_in_pass(&mut pass, view.of(window.clone()), treefold::Output::bare(&output))?;
                }
            }
        }
        drop(pass);
        encoder.write_timestamp(&stamps.queries, 1);
        let nanoseconds = stamps.finish(device, queue, encoder)?;
        sample += 1;
        if sample > 2 && warm.elapsed().as_secs_f64() > 0.5 {
            times.push(nanoseconds / 1e3 / reps as f64);
        }
        if start.elapsed().as_secs() > 20 && !times.is_empty() {
            break;
        }
    }
    let right = right
        && match view {
            Some(Many::Segments { offsets, .. }) => {
                let mut encoder = device.create_command_encoder(&Default::default());
                let each = view.map(|view| view.of(windows[0].clone())).ok_or("no segments")?;
                reducer.record_each(&mut encoder, each, treefold::Output::bare(&output))?;
                queue.submit([encoder.finish()]);
                right_segments(gpu, op, reducer.answer_words(), &output, host, offsets)?
            }
            _ => true,
        };
    times.sort_by(f64::total_cmp);
    let (median, low, high) = (times[times.len() / 2], times[0], times[times.len() - 1]);
    let rate = (n * T::DTYPE.bytes()) as f64 / median / 1e3;
    Ok(format!(
        "\"kernel\":\"{:?}\",\"compile_ms\":{compiled:.0},\"us\":{median:.2},\"low\":{low:.2},\"high\":{high:.2},\"gb_per_s\":{rate:.1},\"right\":{right}",
        reducer.kernel()
    ))
}

/// Whether some of the answers are those of the CPU engine.
fn right_each<T: Element, O: Op<T>>(op: &O, got: &[O::Output], host: &[T], view: &Axes) -> Outcome<bool> {
    let want = Cpu::new().reduce_axes(op.clone(), host, view)?;
    let some = (0..got.len()).step_by((got.len() / 100).max(1)).chain([got.len() - 1]);
    // Of the elements of an answer only their number and size count where a tolerance is asked for.
    let elements = &host[..(view.length() as usize).min(host.len())];
    Ok(some.into_iter().all(|at| op.close(&got[at], &want[at], elements, false)))
}

/// Whether some of the recorded answers are those of the CPU engine.
fn right_segments<T: Element, O: Op<T>>(
    gpu: &Gpu,
    op: &O,
    words: usize,
    output: &wgpu::Buffer,
    host: &[T],
    offsets: &[u32],
) -> Outcome<bool> {
    let (device, queue) = (gpu.device(), gpu.queue());
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let size = output.size().min(1 << 28);
    let there = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(output, 0, &there, 0, size);
    queue.submit([encoder.finish()]);
    there.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let view = there.get_mapped_range(..)?;
    let found: &[u32] = bytemuck::cast_slice(&view);
    let segments = (offsets.len() - 1).min(found.len() / words);
    for at in (0..segments).step_by((segments / 1000).max(1)).chain([segments - 1]) {
        let elements = &host[offsets[at] as usize..offsets[at + 1] as usize];
        let got = op.read(&found[at * words..][..words], elements.len() as u64)?;
        if !op.close(&got, &Cpu::new().reduce(op.clone(), elements)?, elements, true) {
            eprintln!("segment {at}: {got:?}");
            return Ok(false);
        }
    }
    Ok(true)
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
