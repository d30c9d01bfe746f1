//! A bounding box of particles whose number only the device knows: a shader counts those that are alive and puts them first, and
//! the reductions behind it count by that. The host asks for nothing until the box is done.
//!
//! `cargo run --release --example 09_particles`

use treefold::ops::MinMax;
use treefold::wgpu::{self, util::DeviceExt};
use treefold::{Gpu, Input};

const PARTICLES: u32 = 100_000;

/// Particles that are alive go to the front, in no order; their number stays on the device.
const COMPACT: &str = "
@group(0) @binding(0) var<storage, read> positions: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> alive: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&positions) { return; }
    let position = positions[id.x];
    if dot(position, position) > 1.0 { return; }  // outside the unit circle: gone
    let place = atomicAdd(&alive, 1u);
    x[place] = position.x;
    y[place] = position.y;
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::new()?;
    let (device, queue) = (gpu.device(), gpu.queue());
    let positions: Vec<[f32; 2]> = (0..PARTICLES)
        .map(|i| {
            [i.wrapping_mul(0x9e37_79b1), i.wrapping_mul(0x85eb_ca6b)].map(|k| k as f32 / u32::MAX as f32 * 3.0 - 1.5)
        })
        .collect();
    let usage = wgpu::BufferUsages::STORAGE;
    let stored = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("positions"),
        contents: bytemuck::cast_slice(&positions),
        usage,
    });
    let buffer = |label, words: u64, usage| {
        let size = 4 * words;
        device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
    };
    let [x, y] = ["x", "y"].map(|label| buffer(label, PARTICLES.into(), usage));
    let alive = buffer("alive", 1, usage | wgpu::BufferUsages::COPY_DST);
    let answer = buffer("box", 6, usage | wgpu::BufferUsages::COPY_SRC);
    let host = buffer("box on the host", 6, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ);

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("compact"),
        source: wgpu::ShaderSource::Wgsl(COMPACT.into()),
    });
    let compact = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("compact"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let entries = [&stored, &x, &y, &alive].into_iter().enumerate().map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding: binding as u32,
        resource: buffer.as_entire_binding(),
    });
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &compact.get_bind_group_layout(0),
        entries: &entries.collect::<Vec<_>>(),
    });

    let extent = gpu.reducer::<f32, _>(MinMax)?;
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.clear_buffer(&alive, 0, None);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&compact);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(PARTICLES.div_ceil(64), 1, 1);
    // Least, most, and of how many: three words an axis.
    extent.record_each_in_pass(&mut pass, Input::from(&x).counted(&alive), answer.slice(..12))?;
    extent.record_each_in_pass(&mut pass, Input::from(&y).counted(&alive), answer.slice(12..))?;
    drop(pass);
    encoder.copy_buffer_to_buffer(&answer, 0, &host, 0, 24);
    queue.submit([encoder.finish()]);

    host.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&host.get_mapped_range(..)?);
    let float = |word: usize| f32::from_bits(words[word]);
    println!("{} of {PARTICLES} alive, x {} to {}, y {} to {}", words[2], float(0), float(1), float(3), float(4));

    let inside: Vec<[f32; 2]> = positions.into_iter().filter(|[x, y]| x * x + y * y <= 1.0).collect();
    // Drivers may contract the sum of squares: a particle on the circle may be on either side.
    assert!(words[2].abs_diff(inside.len() as u32) <= 2 && words[2] == words[5]);
    let least = |axis: usize| inside.iter().map(|position| position[axis]).fold(f32::INFINITY, f32::min);
    assert!((float(0) - least(0)).abs() < 1e-3 && (float(3) - least(1)).abs() < 1e-3);
    Ok(())
}
