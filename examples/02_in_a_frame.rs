//! Inside a wgpu program: the app's device, the app's encoder, and an answer that the app's next shader reads on the device.
//!
//! Here the largest element of a buffer becomes the scale by which a second kernel divides it. Nothing returns to the host
//! in between, and treefold neither submits nor waits.
//!
//! `cargo run --release --example 02_in_a_frame`

use treefold::wgpu::{self, BufferUsages, util::DeviceExt};
use treefold::{Reducer, ops::Max};

const NORMALISE: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<storage, read> largest: array<u32>; // the answer: its bits, then a count word

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&values) && largest[1] > 0u { values[id.x] /= bitcast<f32>(largest[0]); }
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Objects that the app has anyway.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let values = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("values"),
        contents: bytemuck::cast_slice(&[1.0f32, 4.0, 2.0, 8.0]),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("normalise"),
        source: wgpu::ShaderSource::Wgsl(NORMALISE.into()),
    });
    let normalise = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("normalise"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });

    // Once: a reducer and a place for its answer.
    let max = Reducer::<f32, _>::new(&device, &queue, Max)?;
    let largest = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("largest"),
        size: max.answer_bytes(),
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    });

    // Every frame.
    let mut encoder = device.create_command_encoder(&Default::default());
    max.record(&mut encoder, &values, &largest)?;
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &normalise.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: largest.as_entire_binding() },
        ],
    });
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&normalise);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);

    // And, where the host wants to know: without blocking, on any executor.
    let now = pollster::block_on(max.reduce_async(&values))?;
    println!("the largest element is now {now:?}");
    assert_eq!(now, Some(1.0));
    Ok(())
}
