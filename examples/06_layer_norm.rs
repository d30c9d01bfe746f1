//! Layer normalization, in one encoder of a wgpu program: treefold leaves the mean and the variance of each row on the device,
//! in one read of it, and the program's own shader normalizes. Nothing returns to the host in between.
//!
//! `cargo run --release --example 06_layer_norm`

use treefold::wgpu::{self, BufferUsages, util::DeviceExt};
use treefold::{
    Gpu, Input, Output, Reducer,
    ops::{FastMean, FastVariance},
};

const ROWS: u32 = 100;
const WIDTH: u32 = 768;

/// A workgroup for each row, whose 64 invocations stride over it. A learned scale and shift would be two more bindings.
const NORMALIZE: &str = "
const WIDTH = 768u;
const EPSILON = 1e-5;
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<storage, read> moments: array<vec2<f32>>;   // treefold's answers: mean and variance of each row

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let mean = moments[row.x].x;
    let scale = inverseSqrt(moments[row.x].y + EPSILON);
    for (var c = local; c < WIDTH; c += 64u) {
        let at = row.x * WIDTH + c;
        values[at] = (values[at] - mean) * scale;
    }
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Objects that the app has anyway: a device, a queue, data on the device, a pipeline. The rows lie far from 0.
    let gpu = Gpu::new()?;
    let (device, queue) = (gpu.device(), gpu.queue());
    let value = |i: u32| ((i * 7919) % 1009) as f32 / 500.0 + (i / WIDTH) as f32;
    let data: Vec<f32> = (0..ROWS * WIDTH).map(value).collect();
    let values = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("values"),
        contents: bytemuck::cast_slice(&data),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("normalize"),
        source: wgpu::ShaderSource::Wgsl(NORMALIZE.into()),
    });
    let normalize = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("normalize"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });

    // Once: a reducer of both at a time, a place for two f32 of each row, and the app's bindings.
    let mean_and_variance = Reducer::<f32, _>::new(device, queue, (FastMean, FastVariance { ddof: 0 }))?;
    let moments = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("moments"),
        size: u64::from(ROWS) * 8,
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &normalize.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: moments.as_entire_binding() },
        ],
    });

    // Each time: both in one encoder. wgpu has the second wait for the first.
    let mut encoder = device.create_command_encoder(&Default::default());
    let rows = Input::from(&values).rows(WIDTH.into());
    mean_and_variance.record_each(&mut encoder, rows, Output::bare(&moments))?;
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&normalize);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(ROWS, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);

    // The same on the host, in f64.
    let mut worst = 0f64;
    for (row, got) in data.chunks(WIDTH as usize).zip(read(device, queue, &values)?.chunks(WIDTH as usize)) {
        let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / f64::from(WIDTH);
        let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / f64::from(WIDTH);
        for (&x, &y) in row.iter().zip(got) {
            let want = (f64::from(x) - mean) / (variance + 1e-5).sqrt();
            worst = worst.max((f64::from(y) - want).abs());
        }
    }
    println!("{ROWS} rows of {WIDTH} normalized: off by {worst:.1e} at most");
    assert!(worst < 1e-3, "{worst}");
    Ok(())
}

/// The floats of a buffer, for the check.
fn read(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    buffer: &wgpu::Buffer,
) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let (tell, told) = std::sync::mpsc::channel();
    wgpu::util::DownloadBuffer::read_buffer(device, queue, &buffer.slice(..), move |bytes| {
        let _ = tell.send(bytes.map(|bytes| bytemuck::pod_collect_to_vec(&bytes)));
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    Ok(told.recv()??)
}
