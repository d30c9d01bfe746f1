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
//! `segments=N`: segments of N elements by offsets; `segments=mixN`: of 1 to N elements, as many of each power of two. `runs=N`:
//! runs of equal keys, of as many elements; `by_key=N`: N groups by keys that are not sorted; `counted=true`: as many elements as a
//! word on the device says. `operator=top k=10`: by a ranker. `slices_max=N`: bins in up to N slices. `warm_ms=0`: from the third
//! sample on, in place of half a second of work before the first.
//!
//! One JSON line per figure: the median, the fastest and the slowest of the samples, in microseconds per reduction.

mod best;
mod clock;
mod data;
mod many;

use clock::{Sampling, timed};
use data::{Data, elements, fill};
use many::Many;
use std::any::Any;
use std::time::{Duration, Instant};
use treefold::half::bf16;
use treefold::ops::{self, Visitor};
use treefold::wgpu::{self, BufferUsages};
use treefold::{
    Answer, Axes, Cpu, Dtype, DynOp, Element, Expression, Gpu, Input, Narrow, Op, Order, Prepared, Tuning, Widened,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The request of the command line; lists are tried in every combination.
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
    sampling: Sampling,
    window_log2: u32,
    data: Data,
    own_bins_max: Option<u64>,
    slices_max: Option<u32>,
    /// Shapes of arrays of which some axes are reduced, in place of lengths.
    shapes: Vec<Vec<u64>>,
    axes: Vec<i64>,
    short_log2: Vec<u32>,
    segments: Vec<String>,
    runs: Vec<String>,
    by_key: Vec<String>,
    counted: bool,
    /// A function of each element, in WGSL: `map=abs(x)*2`.
    map: Option<String>,
    /// Options of the operator: `ddof=1`, `bins=1024`, `range=0:1`.
    options: Vec<(String, String)>,
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
        sampling: Sampling { samples: 9, warm: Duration::from_millis(500) },
        window_log2: 29,
        data: Data::Uniform,
        own_bins_max: None,
        slices_max: None,
        shapes: vec![],
        axes: vec![0],
        short_log2: vec![],
        segments: vec![],
        runs: vec![],
        by_key: vec![],
        counted: false,
        map: None,
        options: vec![],
    };
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').ok_or_else(|| format!("{argument}: expected KEY=VALUE"))?;
        let numbers = || value.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>();
        match key {
            "operator" => request.operators = value.split(',').map(String::from).collect(),
            "dtype" => {
                let all = Dtype::WITH_PAIRS.into_iter().chain(Dtype::NARROW);
                let parse = |name: &str| {
                    all.clone()
                        .find(|dtype| dtype.name() == name)
                        .ok_or_else(|| format!("{name}: expected an element type"))
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
            "runs" => request.runs = value.split(',').map(String::from).collect(),
            "by_key" => request.by_key = value.split(',').map(String::from).collect(),
            "counted" => request.counted = value.parse()?,
            "map" => request.map = Some(value.into()),
            "samples" => request.sampling.samples = value.parse()?,
            "warm_ms" => request.sampling.warm = Duration::from_millis(value.parse()?),
            "window_log2" => request.window_log2 = value.parse()?,
            "own_bins_max" => request.own_bins_max = Some(value.parse()?),
            "slices_max" => request.slices_max = Some(value.parse()?),
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
            if best::best(&gpu, &request, operator, dtype)? {
                continue;
            }
            let options: Vec<_> = request.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let measure = Measure { gpu: &gpu, request: &request };
            let map = request.map.as_ref().map(|map| Expression::of_element(map, dtype)).transpose()?;
            let found = match dtype.wide() {
                _ if map.is_some() => {
                    map.map_or(Ok(None), |map| ops::visit_mapped(operator, &map, &options, measure))?
                }
                None => ops::visit_with(operator, dtype, &options, measure)?,
                Some(wide) => ops::visit_with(operator, wide, &options, OverNarrow { measure, dtype })?,
            };
            found.ok_or_else(|| format!("no operator {operator} over {dtype}"))??;
        }
    }
    Ok(())
}

/// An operator over the type that a narrow one is read as, over that.
struct OverNarrow<'a> {
    measure: Measure<'a>,
    dtype: Dtype,
}

impl Visitor for OverNarrow<'_> {
    type Out = Outcome<()>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Outcome<()> {
        fn over<N: Narrow>(op: &dyn Any, measure: Measure<'_>) -> Outcome<()> {
            let op: &DynOp<N::Wide> = op.downcast_ref().ok_or("an operator over another type")?;
            measure.over::<N, _>(&Widened(op.clone()))
        }
        match self.dtype {
            Dtype::BF16 => over::<bf16>(&op, self.measure),
            Dtype::I8 => over::<i8>(&op, self.measure),
            Dtype::U8 => over::<u8>(&op, self.measure),
            Dtype::I16 => over::<i16>(&op, self.measure),
            _ => over::<u16>(&op, self.measure),
        }
    }
}

struct Measure<'a> {
    gpu: &'a Gpu,
    request: &'a Request,
}

impl Visitor for Measure<'_> {
    type Out = Outcome<()>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Outcome<()> {
        self.over(&op)
    }
}

impl Measure<'_> {
    fn over<T: Element, O: Op<T, Output: Answer>>(self, op: &O) -> Outcome<()> {
        let request = self.request;
        let lengths = request.log2.iter().map(|&log2| (1u64 << log2) + request.plus);
        let mut many: Vec<(u64, Many)> = Vec::new();
        for shape in &request.shapes {
            let view = Axes::of(shape, &request.axes)?;
            many.push((view.answers() * view.length(), Many::Axes(view, shape.clone())));
        }
        for n in lengths.clone() {
            for kind in &request.segments {
                many.push((n, Many::segments(self.gpu, n, kind)?));
            }
            for kind in &request.runs {
                many.push((n, Many::runs(self.gpu, n, kind)?));
            }
            for kind in &request.by_key {
                many.push((n, Many::groups(self.gpu, n, kind)?));
            }
            many.extend(request.counted.then(|| (n, Many::counted(self.gpu, n))));
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
            let shape_of = view.map_or(String::new(), |many| many.shown(&request.axes));
            for shape in shapes(self.gpu.tuning(), request) {
                let line = measure(&self.gpu.with_tuning(shape)?, op, &buffers, (n, &host), view, request.sampling)?;
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
                        tuning.own_bins_max = request.own_bins_max.unwrap_or(tuning.own_bins_max);
                        tuning.slices_max = request.slices_max.unwrap_or(tuning.slices_max);
                    }));
                }
            }
        }
    }
    shapes
}

fn measure<T: Element, O: Op<T, Output: Answer>>(
    gpu: &Gpu,
    op: &O,
    buffers: &[wgpu::Buffer],
    (n, host): (u64, &[T]),
    view: Option<&Many>,
    sampling: Sampling,
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
        // By what is recorded: so many answers are a burden for the host.
        Some(_) => true,
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
    let prepare = |window: &Input<T>| match view {
        None => reducer.prepare(window, &output),
        Some(view) => view.prepare(&reducer, window.clone(), &output),
    };
    let prepared = windows.iter().map(prepare).collect::<treefold::Result<Vec<Prepared>>>()?;
    let reps = if n <= 1 << 22 { 200 } else { 20 };
    let [median, low, high] = timed(gpu, &prepared, reps, sampling)?;
    let right = right
        && match view {
            Some(many) => {
                let mut encoder = device.create_command_encoder(&Default::default());
                prepared[0].record(&mut encoder)?;
                queue.submit([encoder.finish()]);
                many.right(gpu, &reducer, &output, host)?
            }
            None => true,
        };
    let rate = (n * T::DTYPE.bytes()) as f64 / median / 1e3;
    Ok(format!(
        "\"kernel\":\"{:?}\",\"compile_ms\":{compiled:.0},\"us\":{median:.2},\"low\":{low:.2},\"high\":{high:.2},\"gb_per_s\":{rate:.1},\"right\":{right}",
        reducer.kernel()
    ))
}
