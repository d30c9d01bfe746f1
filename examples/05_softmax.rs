//! Softmax over rows of logits, in one encoder of a wgpu program: treefold leaves the log-sum-exp of each row on the device,
//! and the program's own shader reads it there. Nothing returns to the host in between, and nothing overflows.
//!
//! `cargo run --release --example 05_softmax`

use treefold::wgpu::{self, BufferUsages, util::DeviceExt};
use treefold::{Gpu, Input, Output, Reducer, ops::LogSumExp};

const ROWS: u32 = 64;
const CLASSES: u32 = 1000;

/// A workgroup for each row, whose 64 invocations stride over it.
const SOFTMAX: &str = "
const CLASSES = 1000u;
@group(0) @binding(0) var<storage, read_write> logits: array<f32>;    // becomes the probabilities
@group(0) @binding(1) var<storage, read> normalizers: array<f32>;     // treefold's answers, one for each row

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    for (var c = local; c < CLASSES; c += 64u) {
        let at = row.x * CLASSES + c;
        logits[at] = exp(logits[at] - normalizers[row.x]);
    }
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Objects that the app has anyway: a device, a queue, data on the device, a pipeline. Some of these rows would overflow exp().
    let gpu = Gpu::new()?;
    let (device, queue) = (gpu.device(), gpu.queue());
    let logit = |i: u32| ((i * 7919) % 1009) as f32 / 50.0 + (i / CLASSES * 3) as f32;
    let data: Vec<f32> = (0..ROWS * CLASSES).map(logit).collect();
    let logits = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("logits"),
        contents: bytemuck::cast_slice(&data),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("softmax"),
        source: wgpu::ShaderSource::Wgsl(SOFTMAX.into()),
    });
    let softmax = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("softmax"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });

    // Once: a reducer, a place for an f32 of each row (bare answers, without count words), and the app's bindings.
    let log_sum_exp = Reducer::<f32, _>::new(device, queue, LogSumExp::default())?;
    let normalizers = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("normalizers"),
        size: u64::from(ROWS) * 4,
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &softmax.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: logits.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: normalizers.as_entire_binding() },
        ],
    });

    // Each time: both in one encoder. wgpu has the second wait for the first.
    let mut encoder = device.create_command_encoder(&Default::default());
    let rows = Input::from(&logits).rows(CLASSES.into());
    log_sum_exp.record_each(&mut encoder, rows, Output::bare(&normalizers))?;
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&softmax);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(ROWS, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);

    // The same on the host, in f64.
    let mut worst = 0f64;
    for (row, got) in data.chunks(CLASSES as usize).zip(read(device, queue, &logits)?.chunks(CLASSES as usize)) {
        let largest = row.iter().fold(f64::MIN, |most, &x| most.max(x.into()));
        let sum: f64 = row.iter().map(|&x| (f64::from(x) - largest).exp()).sum();
        for (&x, &p) in row.iter().zip(got) {
            let want = (f64::from(x) - largest).exp() / sum;
            worst = worst.max((f64::from(p) - want).abs() / want);
        }
    }
    println!("softmax of {ROWS} rows of {CLASSES}: relative error {worst:.1e} at most");
    assert!(worst < 1e-4, "{worst}");
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
