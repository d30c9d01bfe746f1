//! Textures, each against the same elements one by one.

use super::{Random, plain_fold, recorded, same};
use treefold::wgpu::{self, TextureFormat, TextureUsages, util::DeviceExt};
use treefold::{Channel, Dtype, Element, Gpu, Input, Op, Word};

/// Widths and heights: one texel, one row, one column, odd ones, vectors across the ends of rows, several workgroups.
pub const SIZES: [(u32, u32); 14] = [
    (1, 1),
    (1, 7),
    (7, 1),
    (2, 2),
    (3, 5),
    (5, 3),
    (4, 4),
    (1, 1000),
    (1031, 1),
    (2, 613),
    (17, 61),
    (64, 64),
    (129, 37),
    (333, 31),
];

/// A 2-d texture with these bytes: all layers, each with all its levels.
pub fn texture(gpu: &Gpu, format: TextureFormat, size: (u32, u32), bytes: &[u8]) -> wgpu::Texture {
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
    layered(gpu, &wgpu::TextureDescriptor { size: extent(size), ..descriptor(format, usage) }, bytes)
}

pub fn layered(gpu: &Gpu, descriptor: &wgpu::TextureDescriptor<'_>, bytes: &[u8]) -> wgpu::Texture {
    gpu.device().create_texture_with_data(gpu.queue(), descriptor, Default::default(), bytes)
}

pub fn extent((width, height): (u32, u32)) -> wgpu::Extent3d {
    wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
}

/// Of one texel.
pub fn descriptor(format: TextureFormat, usage: TextureUsages) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: None,
        size: extent((1, 1)),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}

/// The format of one channel that holds elements as they are.
pub fn format_of(dtype: Dtype) -> TextureFormat {
    match dtype {
        Dtype::U32 => TextureFormat::R32Uint,
        Dtype::I32 => TextureFormat::R32Sint,
        _ => TextureFormat::R32Float,
    }
}

/// An answer over an input, reduced and recorded, against the plain fold of its elements.
pub fn judged<T: Element, O: Op<T>>(gpu: &Gpu, op: &O, input: &Input<T>, elements: &[T], place: &str) -> Vec<String> {
    let mut failures = Vec::new();
    let want = plain_fold(op, elements);
    let reducer = gpu.reducer::<T, O>(op.clone()).expect("a reducer");
    let reduced = reducer.reduce(input);
    let mut judge = |way, got, finished| {
        if !same(op, &got, &want, elements, finished) {
            failures.push(format!("{} {} {place}, {way}: {got:?}, want {want:?}", op.name(), T::DTYPE));
        }
    };
    judge("reduced", reduced, false);
    if reducer.answer_words() > 0 {
        let words = recorded(gpu, &reducer, [input.clone()]).concat();
        judge("recorded", op.read(&words[..reducer.answer_words()], elements.len() as u64), true);
    }
    failures
}

/// Textures of these sizes, whose texels are elements of the type as they are.
pub fn textures<T: Word, O: Op<T>>(gpu: &Gpu, op: &O, sizes: &[(u32, u32)]) -> Vec<String> {
    let one = |&(width, height): &(u32, u32)| {
        let elements: Vec<T> = Random(u64::from(width)).elements((width * height) as usize);
        let texture = texture(gpu, format_of(T::DTYPE), (width, height), bytemuck::cast_slice(&elements));
        let input = Input::<T>::texture(&texture, Channel::R).expect("an input");
        judged(gpu, op, &input, &elements, &format!("{width} x {height}"))
    };
    sizes.iter().flat_map(one).collect()
}

/// Textures of these sizes, whose whole texels are the elements.
pub fn whole<O: Op<[f32; 4]>>(gpu: &Gpu, op: &O, sizes: &[(u32, u32)]) -> Vec<String> {
    let one = |&(width, height): &(u32, u32)| {
        let elements: Vec<[f32; 4]> = Random(u64::from(height)).elements((width * height) as usize);
        let bytes: &[u8] = bytemuck::cast_slice(&elements);
        let texture = texture(gpu, TextureFormat::Rgba32Float, (width, height), bytes);
        let input = Input::texels(&texture).expect("an input");
        judged(gpu, op, &input, &elements, &format!("{width} x {height}, whole"))
    };
    sizes.iter().flat_map(one).collect()
}

/// Weighted sums of four channels, of which the last is an infinity of weight 0; all of them are representable.
pub fn weighted(gpu: &Gpu, sizes: &[(u32, u32)]) -> Vec<String> {
    const WEIGHTS: [f32; 4] = [0.5, 2.0, -4.0, 0.0];
    let one = |&(width, height): &(u32, u32)| {
        let mut random = Random(u64::from(height));
        let mut number = || random.below(1 << 12) as f32 - 2048.0;
        let texels: Vec<[f32; 4]> =
            (0..width * height).map(|_| [number(), number(), number(), f32::INFINITY]).collect();
        let elements: Vec<f32> = texels.iter().map(|t| 0.5 * t[0] + 2.0 * t[1] - 4.0 * t[2]).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&texels);
        let texture = texture(gpu, TextureFormat::Rgba32Float, (width, height), bytes);
        let input = Input::texture(&texture, Channel::Weighted(WEIGHTS)).expect("an input");
        let place = format!("{width} x {height}, weighted");
        [
            judged(gpu, &super::TextHash, &input, &elements, &place),
            judged(gpu, &treefold::ops::Sum, &input, &elements, &place),
        ]
        .concat()
    };
    sizes.iter().flat_map(one).collect()
}
