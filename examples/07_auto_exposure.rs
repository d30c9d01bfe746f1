//! Auto exposure: the log-average luminance of a frame, read from its texture without a copy, and left on the device for the
//! shader that exposes the frame.
//!
//! `cargo run --release --example 07_auto_exposure`

use treefold::half::f16;
use treefold::wgpu::{self, BufferUsages, TextureFormat, TextureUsages, util::DeviceExt};
use treefold::{Channel, DeviceAnswer, Fold, Gpu, Input, Op, Output, Reducer, Wgsl, WordType};

const SIZE: wgpu::Extent3d = wgpu::Extent3d { width: 320, height: 184, depth_or_array_layers: 1 };

/// The average that eyes go by: 2 to the mean of log2 of each element. Black counts as 1e-4, which has a logarithm.
#[derive(Clone, Copy, Debug)]
pub struct LogAverage;

impl Fold<f32> for LogAverage {
    type Acc = f32;
    fn identity(&self) -> f32 {
        0.0
    }
    fn lift(&self, x: f32, _index: u64) -> f32 {
        x.max(1e-4).log2()
    }
    fn combine(&self, a: f32, b: f32) -> f32 {
        a + b
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return 0.0;", "return log2(max(value(bits), 1e-4));", "return a + b;")
    }
}

impl Op<f32> for LogAverage {
    type Fold = LogAverage;
    type Output = f32;
    const NAME: &'static str = "log_average";
    fn fold(&self) -> LogAverage {
        LogAverage
    }
    fn finish(&self, sum: f32, count: u64) -> treefold::Result<f32> {
        Ok((sum / count as f32).exp2())
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "return array<u32, 1>(bitcast<u32>(exp2(acc / f32(count.x))));";
        Some(DeviceAnswer::new([("log_average", WordType::F32)], finish))
    }
}

/// In an app, lines of the fragment shader that draws the frame.
const EXPOSE: &str = "
const KEY = 0.18;  // how bright the average is to be
@group(0) @binding(0) var hdr: texture_2d<f32>;
@group(0) @binding(1) var<storage, read> average: array<f32, 1>;  // treefold's answer
@group(0) @binding(2) var<storage, read_write> exposed: array<vec4<f32>>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let color = textureLoad(hdr, at.xy, 0).rgb * (KEY / average[0]);
    exposed[at.y * textureDimensions(hdr).x + at.x] = vec4<f32>(color / (1.0 + color), 1.0);
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Objects that the app has anyway: a device, a queue, a frame that was rendered, a pipeline.
    let gpu = Gpu::new()?;
    let (device, queue) = (gpu.device(), gpu.queue());
    let light = |n: u32| [n % 320, n / 320, n % 7 * 40, 20].map(|x| f16::from_f32(x as f32 / 20.0));
    let texels: Vec<[f16; 4]> = (0..SIZE.width * SIZE.height).map(light).collect();
    let frame = wgpu::TextureDescriptor {
        label: Some("hdr"),
        size: SIZE,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::Rgba16Float,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    };
    let hdr = device.create_texture_with_data(queue, &frame, Default::default(), bytemuck::cast_slice(&texels));
    let source = wgpu::ShaderSource::Wgsl(EXPOSE.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let expose = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("expose"),
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = |label, size, more| {
        let usage = BufferUsages::STORAGE | more;
        device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
    };
    let exposed = buffer("exposed", texels.len() as u64 * 16, BufferUsages::COPY_SRC);

    // Once: a reduction that is ready to be recorded in every frame, from the texture to a place for one f32.
    let average = buffer("average", 4, BufferUsages::empty());
    let reducer = Reducer::<f32, _>::new(device, queue, LogAverage)?;
    let measure = reducer.prepare(Input::texture(&hdr, Channel::LUMINANCE)?, Output::bare(&average))?;
    let view = hdr.create_view(&Default::default());
    let entries = [
        wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
        wgpu::BindGroupEntry { binding: 1, resource: average.as_entire_binding() },
        wgpu::BindGroupEntry { binding: 2, resource: exposed.as_entire_binding() },
    ];
    let layout = &expose.get_bind_group_layout(0);
    let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });

    // Every frame, behind the render pass.
    let mut encoder = device.create_command_encoder(&Default::default());
    measure.record(&mut encoder)?;
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&expose);
    pass.set_bind_group(0, &bindings, &[]);
    pass.dispatch_workgroups(SIZE.width / 8, SIZE.height / 8, 1);
    drop(pass);
    queue.submit([encoder.finish()]);

    // The same on the host, in f64.
    let (tell, told) = std::sync::mpsc::channel();
    wgpu::util::DownloadBuffer::read_buffer(device, queue, &exposed.slice(..), move |bytes| {
        let _ = tell.send(bytes.map(|bytes| bytemuck::pod_collect_to_vec::<u8, [f32; 4]>(&bytes)));
    });
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let luminance = |t: &[f16; 4]| 0.2126 * t[0].to_f64() + 0.7152 * t[1].to_f64() + 0.0722 * t[2].to_f64();
    let logs: f64 = texels.iter().map(|texel| luminance(texel).max(1e-4).log2()).sum();
    let average = (logs / texels.len() as f64).exp2();
    let exposed = |x: f16| x.to_f64() * 0.18 / (average + x.to_f64() * 0.18);
    let both = texels.iter().zip(told.recv()??).flat_map(|(texel, got)| [0, 1, 2].map(|k| (texel[k], got[k])));
    let worst = both.map(|(x, got)| (f64::from(got) - exposed(x)).abs()).fold(0.0, f64::max);
    println!("log-average luminance {average:.4}, exposed on the device: off by {worst:.1e} at most");
    assert!(worst < 1e-3, "{worst}");
    Ok(())
}
