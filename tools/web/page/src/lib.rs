//! Reductions in a browser, through WebGPU, each beside the CPU engine's answer. A line of the report is a case, what the
//! device gave and what is right, with [`PART`] in between: the reader compares.

mod own;

use own::{Broken, Checksum};
use std::fmt::Debug;
use treefold::ops::{ArgMax, Sum};
use treefold::{Channel, Cpu, Engine, Error, Gpu, Input, Op, Reducer, Result, StreamOptions, wgpu};
use wasm_bindgen::prelude::wasm_bindgen;

/// Between the parts of a line.
const PART: char = '\u{1}';
const ELEMENTS: usize = 1 << 20;

/// Cases with what was found and what is right.
#[derive(Default)]
struct Report(Vec<String>);

impl Report {
    fn case(&mut self, name: &str, found: impl Debug, right: impl Debug) {
        self.0.push(format!("{name}{PART}{found:?}{PART}{right:?}"));
    }

    /// A call that must be refused here: it waits.
    fn refused<R>(&mut self, name: &str, called: Result<R>, instead: &str) {
        let found = match called {
            Err(Error::WouldBlock { call, instead }) => format!("{call}: {instead}"),
            Err(error) => error.to_string(),
            Ok(_) => "an answer".into(),
        };
        self.case("a call that waits", found, format!("{name}: {instead}"));
    }
}

/// Numbers of all sizes below 2 and of both signs, subnormal ones too: their sum is finite, and every bit of it counts.
fn numbers() -> Vec<f32> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from_bits(state as u32 & !(1 << 30))
    };
    std::iter::repeat_with(&mut next).take(ELEMENTS).collect()
}

/// The bits of the answer, so that zeros and the last place tell.
trait Bits {
    fn bits(&self) -> String;
}

impl Bits for f32 {
    fn bits(&self) -> String {
        format!("{:08x}", self.to_bits())
    }
}

impl Bits for u32 {
    fn bits(&self) -> String {
        format!("{self:08x}")
    }
}

impl Bits for Option<treefold::ops::Found<f32>> {
    fn bits(&self) -> String {
        self.map_or("none".into(), |found| format!("{:08x} at {}", found.value.to_bits(), found.index))
    }
}

fn bits<R: Bits>(answer: Result<R>) -> String {
    answer.map_or_else(|error| error.to_string(), |answer| answer.bits())
}

/// A buffer with these elements.
fn upload(device: &wgpu::Device, queue: &wgpu::Queue, elements: &[f32]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let size = size_of_val(elements) as u64;
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
    let buffer = device.create_buffer(&descriptor);
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

async fn reduced<O: Op<f32, Output: Bits>>(report: &mut Report, gpu: &Gpu, buffer: &wgpu::Buffer, op: O, all: &[f32]) {
    let host = bits(Cpu::new().reduce(op.clone(), all));
    // The program's own device.
    let own = async { Reducer::new_async(gpu.device(), gpu.queue(), op.clone()).await?.reduce_async(buffer).await };
    report.case(&format!("{} on a device of one's own", O::NAME), bits(own.await), &host);
    let unaligned = async { gpu.reducer_async(op.clone()).await?.reduce_async(Input::range(buffer, 3..1001)).await };
    let part = bits(Cpu::new().reduce(op.clone(), &all[3..1001]));
    report.case(&format!("{} of a part", O::NAME), bits(unaligned.await), part);
    report.case(&format!("{} from host memory", O::NAME), bits(gpu.reduce_async(op.clone(), all).await), &host);
    report.case(&format!("{} of nothing", O::NAME), bits(gpu.reduce_async(op.clone(), &[]).await), {
        bits(Cpu::new().reduce(op, &[]))
    });
}

/// The same elements as texels, of one channel.
async fn of_texels(report: &mut Report, gpu: &Gpu, reducer: &Reducer<f32, Sum>, elements: &[f32]) -> Result<()> {
    let (width, height) = (512, ELEMENTS as u32 / 512);
    let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::R32Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
    gpu.queue().write_texture(texture.as_image_copy(), &bytes, layout, texture.size());
    let right = bits(Cpu::new().reduce(Sum, elements));
    for channel in [Channel::R, Channel::Weighted([1.0, 0.0, 0.0, 0.0])] {
        let found = reducer.reduce_async(Input::texture(&texture, channel)?).await;
        report.case(&format!("sum of texels, {channel:?}"), bits(found), &right);
    }
    let largest = gpu.reducer_async::<f32, _>(ArgMax).await?.reduce_async(Input::texture(&texture, Channel::R)?).await;
    report.case("argmax of texels", bits(largest), bits(Cpu::new().reduce(ArgMax, elements)));
    Ok(())
}

/// Partials of two halves, merged.
async fn merged(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<String> {
    let reducer = gpu.reducer_async::<f32, _>(ArgMax).await?;
    let half = ELEMENTS as u64 / 2;
    let left = reducer.partial_async(Input::range(buffer, 0..half), Some(0));
    let right = reducer.partial_async(Input::range(buffer, half..2 * half), Some(half));
    Ok(left.await?.merge(right.await?)?.finish()?.bits())
}

/// The sums of rows, one behind another.
fn row_sums(sums: Result<Vec<f32>>) -> String {
    sums.map_or_else(|error| error.to_string(), |sums| sums.into_iter().map(|sum| sum.bits()).collect::<String>())
}

/// Calls that wait are refused, and name what does not.
fn waiting(report: &mut Report, gpu: &Gpu, reducer: &Reducer<f32, Sum>, buffer: &wgpu::Buffer) {
    report.refused("Gpu::new", Gpu::new(), "Gpu::new_async");
    report.refused("Gpu::named", Gpu::named("0"), "Gpu::new_async");
    report.refused("Engine::auto", Engine::auto(), "Engine::auto_async");
    report.refused("Gpu::reducer", gpu.reducer::<f32, _>(Sum), "Gpu::reducer_async");
    report.refused("Gpu::reduce", gpu.reduce(Sum, &[1.0f32]), "Gpu::reduce_async");
    let stream = gpu.stream::<f32, _>(Sum, &StreamOptions::default());
    report.refused("Gpu::stream", stream, "Gpu::reduce_async, or Reducer::partial_async of each part");
    report.refused("Reducer::new", Reducer::<f32, _>::new(gpu.device(), gpu.queue(), Sum), "Reducer::new_async");
    report.refused("Reducer::reduce", reducer.reduce(buffer), "Reducer::reduce_async");
    let batch = reducer.reduce_batch([buffer]);
    report.refused("Reducer::reduce_batch", batch, "Reducer::reduce_async for each input");
    let rows = reducer.reduce_each(Input::from(buffer).rows(1024));
    report.refused("Reducer::reduce_each", rows, "Reducer::reduce_each_async");
    report.refused("Reducer::partial", reducer.partial(buffer), "Reducer::partial_async");
    report.refused("Reducer::partial_at", reducer.partial_at(buffer, 0), "Reducer::partial_async");
    let check = treefold::check::<f32, _>(gpu, &Sum);
    report.refused("treefold::check", check, "it natively, where the operator's halves are the same");
    report.case("adapters", Gpu::adapters().map_or(1, |listed| listed.len()), 0);
}

/// Errors that the browser tells late.
async fn late(report: &mut Report, gpu: &Gpu, reducer: &Reducer<f32, Sum>, buffer: &wgpu::Buffer) {
    // Twice: an invalid pipeline must not be found in a cache.
    for turn in ["a text that is not WGSL", "the same again"] {
        let made = gpu.reducer_async::<f32, _>(Broken).await;
        report.case(turn, matches!(made, Err(Error::Refused { .. })), true);
    }
    // A device has no part in another's encoder: recording says Ok, the next await does not.
    if let Ok(other) = Gpu::new_async().await {
        let usage = wgpu::BufferUsages::STORAGE;
        let descriptor = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
        let output = other.device().create_buffer(&descriptor);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        report.case("a record of what is foreign", reducer.record(&mut encoder, buffer, &output).is_ok(), true);
        let next = reducer.reduce_async(buffer).await;
        report.case("the next await", next.is_err(), true);
        report.case("the one after it", reducer.reduce_async(buffer).await.is_ok(), true);
    }
    let timeout = reducer.timeout();
    reducer.set_timeout(std::time::Duration::ZERO);
    let late = reducer.reduce_async(buffer).await;
    report.case("no time at all", matches!(late, Err(Error::Timeout { .. })), true);
    reducer.set_timeout(timeout);
    report.case("time again", reducer.reduce_async(buffer).await.is_ok(), true);
}

async fn all(report: &mut Report) -> Result<()> {
    let elements = numbers();
    let gpu = Gpu::new_async().await?;
    let buffer = upload(gpu.device(), gpu.queue(), &elements);
    reduced(report, &gpu, &buffer, Sum, &elements).await;
    reduced(report, &gpu, &buffer, ArgMax, &elements).await;
    reduced(report, &gpu, &buffer, Checksum { wrong: false }, &elements).await;
    let right = Cpu::new().reduce(ArgMax, &elements)?.bits();
    report.case("argmax of two halves", merged(&gpu, &buffer).await?, right);
    let engine = Engine::auto_async().await?;
    let hardware = gpu.info().device_type != wgpu::DeviceType::Cpu;
    report.case("the best engine is no software", matches!(engine, Engine::Gpu(_)), hardware);
    // The CPU engine's clock and threads are the browser's.
    let mut stream = Engine::Cpu(Cpu::with_threads(4)).stream::<f32, _>(Sum, &StreamOptions::default())?;
    elements.chunks(300_000).try_for_each(|part| stream.push(part))?;
    report.case(
        "a stream of the CPU engine",
        stream.finish()?.output.bits(),
        Cpu::new().reduce(Sum, &elements)?.bits(),
    );
    let reducer = gpu.reducer_async::<f32, _>(Sum).await?;
    let rows = reducer.reduce_each_async(Input::from(&buffer).rows(1 << 16)).await;
    report.case("sums of rows", row_sums(rows), row_sums(Cpu::new().reduce_each(Sum, &elements, 1 << 16)));
    of_texels(report, &gpu, &reducer, &elements).await?;
    waiting(report, &gpu, &reducer, &buffer);
    late(report, &gpu, &reducer, &buffer).await;
    // The halves differ: whoever compares must see it.
    let wrong = Checksum { wrong: true };
    let found = gpu.reduce_async(wrong, &elements).await;
    report.case("a wrong kernel", bits(found), bits(Cpu::new().reduce(wrong, &elements)));
    Ok(())
}

/// The whole report, a case a line; what ended it early is the last line.
#[wasm_bindgen]
pub async fn report() -> String {
    let mut report = Report::default();
    if let Err(error) = all(&mut report).await {
        report.case("the whole", error.to_string(), "no error");
    }
    report.0.join("\n")
}
