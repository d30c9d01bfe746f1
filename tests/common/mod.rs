//! What the tests share: an adapter that must be there, two operators that tell every index and every order apart,
//! and the suite that compares kernels with a plain fold.
#![allow(dead_code)]

pub mod exactly;
pub mod oracle;
pub mod sets;

use std::sync::OnceLock;
use treefold::half::f16;
use treefold::ops::Visitor;
use treefold::wgpu::{self, BufferUsages, util::DeviceExt};
use treefold::{Answer, Dtype, Element, Gpu, Input, Layout, Op, Result, Tuning, Value, accumulator};

/// The adapter under test: the best one, or WGPU_ADAPTER_NAME. No adapter is a failure, never a pass.
pub fn gpu() -> Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    let open = || {
        Gpu::new()
            .unwrap_or_else(|error| panic!("these tests need a GPU or lavapipe (scripts/test installs it): {error}"))
    };
    GPU.get_or_init(open).clone()
}

/// The same adapter, opened with small limits: short bindings, little workgroup memory, small workgroups, no features.
pub fn small_gpu(binding_bytes: u64) -> Gpu {
    limited_gpu(binding_bytes, 4096)
}

/// The same with other workgroup memory.
pub fn limited_gpu(binding_bytes: u64, workgroup_bytes: u32) -> Gpu {
    let adapter = adapter();
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: binding_bytes,
        max_compute_invocations_per_workgroup: 64,
        max_compute_workgroup_size_x: 64,
        max_compute_workgroup_storage_size: workgroup_bytes,
        ..wgpu::Limits::downlevel_defaults()
    };
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("a device with small limits");
    Gpu::from_device(&device, &queue).expect("small limits are enough")
}

fn adapter() -> wgpu::Adapter {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends -= wgpu::Backends::GL;
    let instance = wgpu::Instance::new(descriptor);
    let wanted = gpu().info().name;
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.into_iter().find(|adapter| adapter.get_info().name == wanted).expect("the adapter under test")
}

pub fn upload<T: Element>(gpu: &Gpu, elements: &[T]) -> wgpu::Buffer {
    let contents: &[u8] = bytemuck::cast_slice(elements);
    // Bindings may not be empty, and reductions of nothing still want a buffer.
    let contents = if contents.is_empty() { &[0; 4] } else { contents };
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("test input"), contents, usage })
}

/// What stands in a buffer.
pub fn download(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u32> {
    let (device, queue) = (gpu.device(), gpu.queue());
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let host = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &host, 0, buffer.size());
    queue.submit([encoder.finish()]);
    host.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("mapping"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("polling");
    let view = host.get_mapped_range(..).expect("a mapped range");
    view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
}

/// An element of 32 bits.
pub fn from_bits<T: Element>(bits: u32) -> T {
    T::from_pattern(bits.into())
}

/// The low 32 bits of an element.
pub fn bits<T: Element>(x: T) -> u32 {
    x.pattern() as u32
}

/// About the number that a scalar is; of a pair, the product.
pub fn number<T: Element>(x: T) -> f64 {
    let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let pattern = x.pattern();
    match T::DTYPE {
        Dtype::F32 => single(pattern),
        Dtype::I32 => (bits(x) as i32).into(),
        Dtype::U32 => bits(x).into(),
        Dtype::F16 => f16::from_bits(pattern as u16).into(),
        Dtype::F64 => f64::from_bits(pattern),
        Dtype::I64 => pattern as i64 as f64,
        Dtype::U64 => pattern as f64,
        Dtype::F32x2 => single(pattern) * single(pattern >> 32),
        other => panic!("{other}: what is its number?"),
    }
}

/// A small generator of reproducible numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    /// Ordinary values: floats in (-1, 1), integers of all sizes.
    pub fn element<T: Element>(&mut self) -> T {
        let bits = self.next();
        let single = |bits: u64| ((bits >> 40) as f32 / (1u64 << 23) as f32) - 1.0;
        T::from_pattern(match T::DTYPE {
            Dtype::F32 => single(bits).to_bits().into(),
            Dtype::F16 => f16::from_f32(single(bits)).to_bits().into(),
            Dtype::F64 => ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0).to_bits(),
            Dtype::F32x2 => u64::from(single(bits).to_bits()) | u64::from(single(bits << 24).to_bits()) << 32,
            Dtype::I64 | Dtype::U64 => bits >> (self.next() >> 58),
            _ => u64::from((bits as u32) >> (bits >> 59)),
        })
    }
    pub fn elements<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| self.element()).collect()
    }
}

/// Values at the edges of a type, NaN of both signs among them.
pub fn extremes<T: Element>() -> Vec<T> {
    const SINGLE: [u64; 13] = [
        0x7fc0_0000,
        0xffc0_0000,
        0x7f80_0001,
        0x7f80_0000,
        0xff80_0000,
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x3f80_0000,
    ];
    let patterns: Vec<u64> = match T::DTYPE {
        Dtype::F32 => SINGLE.to_vec(),
        // Each beside another one, zero beside infinity among them.
        Dtype::F32x2 => {
            let beside =
                |k: usize| SINGLE.iter().enumerate().map(move |(at, x)| x | SINGLE[(at + k) % SINGLE.len()] << 32);
            beside(1).chain(beside(2)).chain(beside(7)).collect()
        }
        Dtype::F16 => {
            vec![0x7e00, 0xfe00, 0x7c01, 0x7c00, 0xfc00, 0, 0x8000, 1, 0x8001, 0x03ff, 0x7bff, 0xfbff, 0x3c00]
        }
        Dtype::F64 => SINGLE
            .iter()
            .map(|&bits| f64::from(f32::from_bits(bits as u32)).to_bits())
            .chain([0x7ff0_0000_0000_0001, 1, 1 << 63 | 1, 0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff])
            .collect(),
        Dtype::I64 | Dtype::U64 => vec![0, 1, i64::MAX as u64, i64::MIN as u64, u64::MAX, u64::from(u32::MAX), 1 << 32],
        _ => vec![0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff],
    };
    patterns.into_iter().map(T::from_pattern).collect()
}

accumulator! {
    /// A polynomial hash and the power that shifts it: concatenation of texts.
    pub struct Text { hash: u32, power: u32 }
}

/// The hash of the elements in their order: not commutative, exact modulo 2^32, different for every other order,
/// for a lost element and for one read twice.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextHash;

const BASE: u32 = 0x0100_0193;

impl<T: Element> Op<T> for TextHash {
    type Acc = Text;
    type Output = (u32, u32);
    const COMMUTATIVE: bool = false;
    const ANSWER_WORDS: usize = 2;

    fn name(&self) -> &'static str {
        "text_hash"
    }
    fn identity(&self) -> Text {
        Text { hash: 0, power: 1 }
    }
    fn lift(&self, x: T, _: u64) -> Text {
        Text { hash: bits(x) ^ 0x5bd1_e995, power: BASE }
    }
    fn combine(&self, a: Text, b: Text) -> Text {
        Text { hash: a.hash.wrapping_mul(b.power).wrapping_add(b.hash), power: a.power.wrapping_mul(b.power) }
    }
    fn finish(&self, acc: Text, _: u64) -> Result<(u32, u32)> {
        Ok((acc.hash, acc.power))
    }
    fn wgsl(&self) -> String {
        "
fn identity() -> Acc { return Acc(0u, 1u); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(bits ^ 0x5bd1e995u, 0x01000193u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.hash * b.power + b.hash, a.power * b.power); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 2> { return array<u32, 2>(acc.hash, acc.power); }"
            .into()
    }
}

accumulator! {
    /// How many, their sum, and their sum weighted by index, modulo 2^32.
    pub struct Weights { count: u32, sum: u32, weighted: u32 }
}

/// Commutative, exact modulo 2^32; tells every index apart, in the whole input.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedSum;

impl<T: Element> Op<T> for WeightedSum {
    type Acc = Weights;
    type Output = (u32, u32, u32);
    const ANSWER_WORDS: usize = 3;

    fn name(&self) -> &'static str {
        "weighted_sum"
    }
    fn identity(&self) -> Weights {
        Weights { count: 0, sum: 0, weighted: 0 }
    }
    fn lift(&self, x: T, index: u64) -> Weights {
        Weights { count: 1, sum: bits(x), weighted: bits(x).wrapping_mul(index as u32) }
    }
    fn combine(&self, a: Weights, b: Weights) -> Weights {
        Weights {
            count: a.count.wrapping_add(b.count),
            sum: a.sum.wrapping_add(b.sum),
            weighted: a.weighted.wrapping_add(b.weighted),
        }
    }
    fn finish(&self, acc: Weights, _: u64) -> Result<(u32, u32, u32)> {
        Ok((acc.count, acc.sum, acc.weighted))
    }
    fn wgsl(&self) -> String {
        "
fn identity() -> Acc { return Acc(0u, 0u, 0u); }
fn lift(bits: u32, index: u32) -> Acc { return Acc(1u, bits, bits * index); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.count + b.count, a.sum + b.sum, a.weighted + b.weighted); }
fn rebase(acc: Acc, base: vec2<u32>) -> Acc { return Acc(acc.count, acc.sum, acc.weighted + base.x * acc.sum); }
fn finish(acc: Acc, count: vec2<u32>) -> array<u32, 3> { return array<u32, 3>(acc.count, acc.sum, acc.weighted); }"
            .into()
    }
}

/// A launch shape whose every boundary lies within a few thousand elements.
pub const SMALL: Tuning = Tuning {
    workgroup_size: 32,
    single_workgroup_size: 64,
    workgroups_max: 3,
    loads_in_flight: 2,
    single_elements_max: 100,
    bins_single_elements_max: 100,
    layout: Layout::Strided,
    subgroups: true,
    bins: true,
    bins_loads_in_flight: 2,
    dispatch_bytes_max: 1 << 30,
};

/// Launch shapes that put every boundary within a few thousand elements.
pub fn shapes() -> Vec<Tuning> {
    let small = SMALL;
    vec![
        small,
        Tuning { subgroups: false, ..small },
        Tuning { workgroup_size: 128, single_workgroup_size: 256, loads_in_flight: 4, workgroups_max: 2, ..small },
        Tuning { workgroup_size: 4, single_workgroup_size: 8, loads_in_flight: 1, layout: Layout::Blocked, ..small },
        Tuning {
            workgroup_size: 1,
            single_workgroup_size: 1,
            workgroups_max: 5,
            single_elements_max: 0,
            subgroups: false,
            ..small
        },
        // Many dispatches: 1 KiB each.
        Tuning { dispatch_bytes_max: 1024, ..small },
    ]
}

/// Lengths around every boundary of a launch shape.
pub fn lengths(shape: &Tuning) -> Vec<usize> {
    let tile = (shape.workgroup_size * shape.loads_in_flight * 4) as usize;
    let grid = tile * shape.workgroups_max as usize;
    let single = shape.single_elements_max as usize;
    let edges = [4, 8, 16, 32, shape.workgroup_size as usize, tile, 2 * tile, single, grid, 2 * grid, 1024, 3000];
    let mut lengths: Vec<usize> = edges.iter().flat_map(|&edge| [edge.saturating_sub(1), edge, edge + 1]).collect();
    lengths.extend([0, 1, 2, 3, 5, 6, 7, 9]);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// The obvious reference: one element after the other.
pub fn plain_fold<T: Element, O: Op<T>>(op: &O, elements: &[T]) -> Result<O::Output> {
    let lifted = elements.iter().zip(0u64..).map(|(&x, i)| op.lift(x, i));
    op.finish(lifted.fold(op.identity(), |a, b| op.combine(a, b)), elements.len() as u64)
}

/// Whether two values are the same; `slack` allows floats so much rounding.
pub fn same(a: Value, b: Value, slack: f64) -> bool {
    let close = |a: f64, b: f64| match a == b {
        true => a.is_sign_negative() == b.is_sign_negative(),
        false => (a.is_nan() && b.is_nan()) || (a - b).abs() <= slack,
    };
    match (a, b) {
        (Value::F32(a), Value::F32(b)) => close(a.into(), b.into()),
        (Value::F64(a), Value::F64(b)) => close(a, b),
        _ => a == b,
    }
}

/// Rounding that a float operator may differ by, from a bound on any order of its operations.
pub fn slack<T: Element, O: Op<T>>(operator: &str, elements: &[T], answer: f64) -> f64 {
    if O::EXACT {
        return 0.0;
    }
    if T::DTYPE != Dtype::F32 {
        return if answer.abs() < 1.0 { 1e-15 } else { answer.abs() * 1e-15 };
    }
    let n = elements.len() as f64;
    let u = f64::from(f32::EPSILON);
    let finite = elements.iter().map(|x| number(*x).abs()).filter(|x| x.is_finite());
    let absolute: f64 = finite.sum();
    match operator {
        // A device may flush subnormals.
        "sum" => 2.0 * n * u * absolute + n * f64::from(f32::MIN_POSITIVE),
        "mean" => 2.0 * u * absolute + f64::from(f32::MIN_POSITIVE),
        "product" => 2.0 * n * u * answer.abs(),
        "variance" | "std" => 1e-4 * answer.abs() + 1e-12,
        _ => 0.0,
    }
}

/// Compares every answer of an operator with the plain fold; says where they differ.
pub struct Compare<'a> {
    pub gpu: &'a Gpu,
    pub lengths: &'a [usize],
    pub failures: Vec<String>,
}

impl Visitor for &mut Compare<'_> {
    type Out = ();
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) {
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        let mut random = Random(longest as u64);
        // Ordinary values; and mostly ones and zeros, on which any, all, count and product have something to say.
        let ordinary: Vec<T> = random.elements(longest + 8);
        let ones: Vec<T> = (0..longest + 8).map(|_| if random.below(40) == 0 { ordinary[0] } else { one() }).collect();
        for elements in [ordinary, ones] {
            let buffer = upload(self.gpu, &elements);
            let ranges = self.lengths.iter().enumerate().map(|(at, &n)| at % 5..at % 5 + n);
            self.batch(&op, &buffer, &elements, ranges.collect());
        }
        // A special value in every position, once alone and once with its opposite at the end.
        let special = extremes::<T>();
        let n = 37;
        let mut rows = Vec::new();
        for (s, &x) in special.iter().enumerate() {
            for p in 0..n {
                let mut row: Vec<T> = (0..n).map(|_| one()).collect();
                row[p] = x;
                if p % 3 == 0 {
                    row[n - 1 - p] = special[(s + 1 + p) % special.len()];
                }
                rows.extend(row);
            }
        }
        rows.extend(special.iter().flat_map(|&x| [x; 37]));
        let buffer = upload(self.gpu, &rows);
        self.batch(&op, &buffer, &rows, (0..rows.len()).step_by(n).map(|at| at..at + n).collect());
    }
}

impl Compare<'_> {
    fn batch<T: Element, O: Op<T, Output: Answer>>(
        &mut self,
        op: &O,
        buffer: &wgpu::Buffer,
        elements: &[T],
        ranges: Vec<std::ops::Range<usize>>,
    ) {
        let reducer = self.gpu.reducer::<T, O>(op.clone()).expect("a reducer");
        for ranges in ranges.chunks(256) {
            let input = |range: &std::ops::Range<usize>| Input::range(buffer, range.start as u64..range.end as u64);
            // A product that overflows fails its whole batch: then each is asked for alone.
            let all = reducer.reduce_batch(ranges.iter().map(input));
            let answers: Vec<Result<O::Output>> = match all {
                Ok(answers) => answers.into_iter().map(Ok).collect(),
                Err(_) => ranges.iter().map(|range| reducer.reduce(input(range))).collect(),
            };
            for (range, got) in ranges.iter().zip(answers) {
                self.judge(op, &elements[range.clone()], range.start, got);
            }
        }
        if O::ANSWER_WORDS > 0 {
            self.on_the_device(op, &reducer, buffer, elements, &ranges);
        }
    }

    /// The same inputs by `record`, whose answers the operator's WGSL finishes.
    fn on_the_device<T: Element, O: Op<T, Output: Answer>>(
        &mut self,
        op: &O,
        reducer: &treefold::Reducer<T, O>,
        buffer: &wgpu::Buffer,
        elements: &[T],
        ranges: &[std::ops::Range<usize>],
    ) {
        let stride = O::ANSWER_WORDS + 1;
        let size = (ranges.len() * stride * 4) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let answers = self.gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        });
        let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (at, range) in ranges.iter().enumerate() {
            let place = answers.slice((at * stride * 4) as u64..((at + 1) * stride * 4) as u64);
            let input = Input::range(buffer, range.start as u64..range.end as u64);
            reducer.record_in_pass(&mut pass, input, place).expect("a record");
        }
        drop(pass);
        self.gpu.queue().submit([encoder.finish()]);
        for (range, words) in ranges.iter().zip(download(self.gpu, &answers).chunks(stride)) {
            let elements = &elements[range.clone()];
            let place = format!("{} {} of {} from {}, recorded", op.name(), T::DTYPE, elements.len(), range.start);
            if words[O::ANSWER_WORDS] != elements.len() as u32 {
                self.failures.push(format!("{place}: count word {}", words[O::ANSWER_WORDS]));
            }
            let want = plain_fold(op, elements);
            let beyond = op.name() == "product" && T::DTYPE != Dtype::F32 && words[2] == 1;
            let Ok(want) = want.map(|want| want.parts()) else {
                if !beyond {
                    self.failures.push(format!("{place}: got {words:?}, want an overflow"));
                }
                continue;
            };
            for (got, want) in decode::<T>(op.name(), words).into_iter().zip(want) {
                // What the host has as f64, the device has as f32, if its elements are no f64.
                let (target, extra) = match want.value {
                    Value::F64(x) if T::DTYPE != Dtype::F64 => (Value::F32(x as f32), 4e-7 * x.abs()),
                    value => (value, 0.0),
                };
                let answer = if let Value::F32(x) = target { f64::from(x) } else { 0.0 };
                let infinite = matches!(got.0, Value::F32(x) if x == f32::INFINITY);
                let reach = elements.iter().map(|x| number(*x).abs()).fold(answer, f64::max) * elements.len() as f64;
                if op.name() == "variance" && infinite && reach > 3e38 || want.value == Value::None {
                    continue;
                }
                if !same(got.0, target, slack::<T, O>(op.name(), elements, answer) + extra) || got.1 != want.index {
                    self.failures.push(format!("{place}: got {got:?}, want {want:?}"));
                }
            }
        }
    }

    fn judge<T: Element, O: Op<T, Output: Answer>>(
        &mut self,
        op: &O,
        elements: &[T],
        start: usize,
        got: Result<O::Output>,
    ) {
        let want = plain_fold(op, elements);
        let place = format!("{} {} of {} from {start}", op.name(), T::DTYPE, elements.len());
        match (got, want) {
            (Ok(got), Ok(want)) => {
                for (got, want) in got.parts().into_iter().zip(want.parts()) {
                    let answer = match want.value {
                        Value::F32(x) => f64::from(x),
                        Value::F64(x) => x,
                        _ => 0.0,
                    };
                    let operator = if want.name == "value" { op.name() } else { want.name };
                    // Devices keep the squares in f32.
                    let variance = if operator == "std" { answer * answer } else { answer };
                    let reach = elements.iter().map(|x| number(*x).abs()).fold(variance, f64::max);
                    let beyond = matches!(operator, "variance" | "std") && reach * elements.len() as f64 > 3e38;
                    if beyond && got.value == Value::F64(f64::INFINITY) {
                        continue;
                    }
                    if !same(got.value, want.value, slack::<T, O>(operator, elements, answer))
                        || got.index != want.index
                    {
                        self.failures.push(format!("{place}: got {got:?}, want {want:?}"));
                    }
                }
            }
            (Err(got), Err(want)) => assert_eq!(got.to_string(), want.to_string(), "{place}"),
            (got, want) => {
                let tell =
                    |outcome: Result<O::Output>| outcome.map_or_else(|e| e.to_string(), |o| format!("{:?}", o.parts()));
                self.failures.push(format!("{place}: got {}, want {}", tell(got), tell(want)));
            }
        }
    }
}

/// The words of a device answer as values, by what the operator's page says of them.
fn decode<T: Element>(operator: &str, words: &[u32]) -> Vec<(Value, Option<u64>)> {
    let wide = u64::from(words[0]) | u64::from(*words.get(1).unwrap_or(&0)) << 32;
    let element = |word: u32| match T::DTYPE {
        Dtype::F32 => Value::F32(f32::from_bits(word)),
        Dtype::I32 => Value::I64(i64::from(word as i32)),
        _ => Value::U64(word.into()),
    };
    let float = T::DTYPE == Dtype::F32;
    let all = || words[..4].iter().rev().fold(0, |all, &word| all << 32 | u128::from(word));
    let value = match operator {
        "sum" | "product" if float => element(words[0]),
        "sum" if T::DTYPE == Dtype::I64 => Value::I128(all() as i128),
        "sum" if T::DTYPE == Dtype::U64 => Value::U128(all()),
        "sum" | "product" if T::DTYPE == Dtype::I32 => Value::I64(wide as i64),
        "sum" | "product" | "count_nonzero" | "count_nan" => Value::U64(wide),
        "mean" | "variance" => Value::F32(f32::from_bits(words[0])),
        _ if operator.starts_with("exact_") && T::DTYPE == Dtype::F64 => Value::F64(f64::from_bits(wide)),
        _ if operator.starts_with("exact_") => Value::F32(f32::from_bits(words[0])),
        "any" | "all" => Value::Bool(words[0] == 1),
        "argmin" | "argmax" => {
            return vec![(element(words[0]), Some(u64::from(words[1]) | u64::from(words[2]) << 32))];
        }
        "minmax" => return vec![(element(words[0]), None), (element(words[1]), None)],
        _ => element(words[0]),
    };
    vec![(value, None)]
}

fn one<T: Element>() -> T {
    let single = u64::from(1.0f32.to_bits());
    T::from_pattern(match T::DTYPE {
        Dtype::F32 => single,
        Dtype::F32x2 => single | single << 32,
        Dtype::F16 => f16::ONE.to_bits().into(),
        Dtype::F64 => 1.0f64.to_bits(),
        _ => 1,
    })
}

/// Whether an operator takes elements of a type.
pub fn takes(operator: &str, dtype: Dtype) -> bool {
    use Dtype::*;
    let types: &[Dtype] = match operator {
        "and" | "or" | "xor" => &[I32, U32],
        "sum" => &[F32, I32, U32, I64, U64],
        "exact_sum" | "exact_mean" => &[F32, F16, F64],
        "exact_dot" => &[F32x2],
        "exact_sumsq" | "exact_norm2" | "exact_stats" => &[F32],
        _ => &[F32, I32, U32],
    };
    types.contains(&dtype)
}

/// Checks that every index is read once and in order, over lengths, offsets and, where asked, several buffers.
pub fn coverage(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let mut failures = Vec::new();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let elements: Vec<u32> = Random(7).elements(longest + 16);
    let buffer = upload(gpu, &elements);
    let ranges: Vec<_> = lengths.iter().flat_map(|&n| [0, 1, 2, 3, 5].map(|at| at..at + n)).collect();
    macro_rules! run {
        ($op:expr) => {
            let reducer = gpu.reducer::<u32, _>($op).expect("a reducer");
            for ranges in ranges.chunks(512) {
                let inputs = ranges.iter().map(|range| Input::range(&buffer, range.start as u64..range.end as u64));
                let answers = reducer.reduce_batch(inputs).expect("answers");
                for (range, got) in ranges.iter().zip(answers) {
                    let want = plain_fold(&$op, &elements[range.clone()]).expect("a fold");
                    if got != want {
                        failures.push(format!("{:?} {range:?}: got {got:?}, want {want:?}", $op));
                    }
                }
            }
        };
    }
    run!(TextHash);
    run!(WeightedSum);
    failures
}

/// The first few of a list, for a message.
pub fn some(failures: &[String]) -> String {
    format!(
        "{} failures, such as\n{}",
        failures.len(),
        failures.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    )
}
