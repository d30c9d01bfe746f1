//! Operators over what a function makes of each element, in the one read of the elements: a mean of logarithms, the squared distance of two
//! buffers, and a function that a person types.
//!
//! `cargo run --release --example 10_mapped`

use treefold::ops::{Max, Mean, Sum};
use treefold::wgpu::{self, util::DeviceExt};
use treefold::{Dtype, Expression, Gpu, Input, Mapped, check};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::new()?;
    let numbers: Vec<f32> = (0..100_000u32).map(|i| (i % 512) as f32).collect();

    // The function stands twice: for devices in WGSL, for the CPU in Rust. The two may differ in the last places of a logarithm.
    let mean = Mapped::new("return log2(x + 1e-4);", |x: f32| (x + 1e-4).log2(), Mean).within(1e-5, 1e-5);
    println!("mean of log2(x + 1e-4): {:?}", gpu.reduce(mean, &numbers)?);

    // Whether both say the same is asked of a function that takes all that the test has, infinities and NaN too.
    let magnitude = Mapped::new("return log2(abs(x) + 1.0);", |x: f32| (x.abs() + 1.0).log2(), (Mean, Max));
    check::<f32, _>(&gpu, &magnitude.within(1e-5, 1e-5))?;

    // Of two buffers a function takes pairs: x.x is of the first, x.y of the second.
    let upload = |numbers: &[f32]| {
        let contents = bytemuck::cast_slice(numbers);
        let usage = wgpu::BufferUsages::STORAGE;
        gpu.device().create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let (a, b) = (upload(&numbers), upload(&numbers.iter().map(|x| x + 0.5).collect::<Vec<f32>>()));
    let text = "let d = x.x - x.y;\nreturn d * d;";
    let square = |[a, b]: [f32; 2]| (a - b) * (a - b);
    let distance = gpu.reducer::<[f32; 2], _>(Mapped::new(text, square, Sum))?;
    println!("squared distance: {}", distance.reduce(Input::zip(&a, &b)?)?);

    // An expression is both halves at once.
    let typed = Expression::of_element("select(0.0, x, x > 500)", Dtype::F32)?;
    let above = typed.map::<f32, f32, _>((Sum, Max))?;
    println!("sum and maximum of {typed}: {:?}", gpu.reduce(above, &numbers)?);
    Ok(())
}
