//! Textures as inputs: every size, format, channel, level and layer against the same elements one by one; and what is refused.

use crate::colours::{LargestNumber, MeanColour};
use crate::common::textures::{
    SIZES, descriptor, extent, format_of, judged, layered, texture, textures, weighted, whole,
};
use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::wgpu::{
    self, TextureAspect, TextureDimension, TextureFormat, TextureUsages, TextureViewDescriptor, TextureViewDimension,
};
use treefold::{Channel, Error, Gpu, Input, Output, Reducer, Tuning, Word};

fn none(failures: Vec<String>) {
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// All sizes by the adapter's own launch shape and by a GPU's, which has subgroups, and each by one of the small ones; or every other size by one of two.
#[track_caller]
fn everywhere(run: impl Fn(&Gpu, &[(u32, u32)]) -> Vec<String>) {
    by_shapes(&[Tuning::GPU], &shapes(), &SIZES, run);
}

/// Sizes of several workgroups by small launch shapes with subgroups and without.
#[track_caller]
fn twice(run: impl Fn(&Gpu, &[(u32, u32)]) -> Vec<String>) {
    by_shapes(&[], &[small(), small().with(|tuning| tuning.subgroups = false)], &SIZES[7..], run);
}

#[test]
fn every_size_in_order() {
    everywhere(|gpu, sizes| textures::<f32, _>(gpu, &TextHash, sizes));
    twice(|gpu, sizes| textures::<i32, _>(gpu, &TextHash, sizes));
}

#[test]
fn places_count_row_by_row() {
    everywhere(|gpu, sizes| textures::<u32, _>(gpu, &WeightedSum, sizes));
    twice(|gpu, sizes| textures::<f32, _>(gpu, &(ArgMax, ArgMin), sizes));
}

#[test]
fn operators_of_every_kind() {
    let histogram = Histogram::new(9, -1.0, 1.0).expect("a histogram");
    let large = Histogram::new(9000, -1.0, 1.0).expect("a histogram");
    twice(|gpu, sizes| textures::<f32, _>(gpu, &(Sum, MinMax, histogram.clone()), sizes));
    twice(|gpu, sizes| textures::<f32, _>(gpu, &(FastStats::default(), LogSumExp { scale: 2.0 }), sizes));
    twice(|gpu, sizes| textures::<i32, _>(gpu, &(Mean, CountNonzero, MinMax), sizes));
    let (gpu, sizes) = (gpu(), &SIZES[7..]);
    none(textures::<f32, _>(&gpu, &Stats::default(), sizes));
    none(textures::<f32, _>(&gpu, &large, &sizes[..2]));
    none(textures::<u32, _>(&gpu, &(Sum, And, Variance { ddof: 1 }), sizes));
}

#[test]
fn weighted_sums() {
    twice(weighted);
}

#[test]
fn whole_texels_of_every_size() {
    everywhere(|gpu, sizes| whole(gpu, &TextHash, sizes));
    everywhere(|gpu, sizes| whole(gpu, &(WeightedSum, LargestNumber), sizes));
    twice(|gpu, sizes| whole(gpu, &(SetHash, MeanColour), sizes));
}

/// Halves as they are, bytes as parts of 1, blue before red; what a format lacks is 0, and 1 of alpha.
#[test]
fn whole_texels_of_every_format() {
    const SIZE: (u32, u32) = (43, 29);
    let gpu = gpu();
    let texels = (SIZE.0 * SIZE.1) as usize;
    let mut random = Random(17);
    let halves: Vec<[f16; 4]> = (0..texels).map(|_| [(); 4].map(|()| random.element())).collect();
    let singles: Vec<[f32; 4]> = halves.iter().map(|texel| texel.map(f32::from)).collect();
    let pairs: Vec<[f32; 2]> = singles.iter().map(|texel| [texel[0], texel[1]]).collect();
    let reds: Vec<f32> = singles.iter().map(|texel| texel[0]).collect();
    let bytes: Vec<[u8; 4]> = (0..texels).map(|_| (random.next() as u32).to_le_bytes()).collect();
    let parts: Vec<[f32; 4]> = bytes.iter().map(|texel| texel.map(|byte| f32::from(byte) / 255.0)).collect();
    let judge = |format: TextureFormat, bytes: &[u8], texels: &[[f32; 4]], exactly: bool| {
        let texture = texture(&gpu, format, SIZE, bytes);
        let input = Input::texels(&texture).expect("an input");
        assert_eq!(input.elements(), texels.len() as u64);
        let place = format!("{format:?}");
        none(judged(&gpu, &MeanColour, &input, texels, &place));
        if exactly {
            none(judged(&gpu, &TextHash, &input, texels, &place));
        }
    };
    judge(TextureFormat::Rgba32Float, bytemuck::cast_slice(&singles), &singles, true);
    judge(TextureFormat::Rgba16Float, bytemuck::cast_slice(&halves), &singles, true);
    let two: Vec<[f32; 4]> = pairs.iter().map(|&[r, g]| [r, g, 0.0, 1.0]).collect();
    judge(TextureFormat::Rg32Float, bytemuck::cast_slice(&pairs), &two, true);
    let one: Vec<[f32; 4]> = reds.iter().map(|&r| [r, 0.0, 0.0, 1.0]).collect();
    judge(TextureFormat::R32Float, bytemuck::cast_slice(&reds), &one, true);
    judge(TextureFormat::Rgba8Unorm, bytemuck::cast_slice(&bytes), &parts, false);
    let turned: Vec<[f32; 4]> = parts.iter().map(|&[b, g, r, a]| [r, g, b, a]).collect();
    judge(TextureFormat::Bgra8Unorm, bytemuck::cast_slice(&bytes), &turned, false);
}

/// Of levels and layers, beside buffers, in prepared, batched and awaited reductions and in partials.
#[test]
fn whole_texels_in_every_way() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let (size, layers) = ((19u32, 10u32), 2);
    let of = |level: u32| ((size.0 >> level).max(1) * (size.1 >> level).max(1)) as usize;
    let all: Vec<[f32; 4]> = Random(4).elements((0..5).map(of).sum::<usize>() * layers as usize);
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
    let extent = wgpu::Extent3d { depth_or_array_layers: layers, ..extent(size) };
    let kind = descriptor(TextureFormat::Rgba32Float, usage);
    let descriptor = wgpu::TextureDescriptor { size: extent, mip_level_count: 5, ..kind };
    let texture = layered(&gpu, &descriptor, bytemuck::cast_slice(&all));
    let mut rest = &all[..];
    for layer in 0..layers {
        for level in 0..5 {
            let (elements, behind) = rest.split_at(of(level));
            rest = behind;
            let view = TextureViewDescriptor {
                base_array_layer: layer,
                base_mip_level: level,
                dimension: Some(TextureViewDimension::D2),
                ..Default::default()
            };
            let input = || Input::texels_view(&texture, &view).expect("an input");
            none(judged(&gpu, &TextHash, &input(), elements, &format!("level {level} of layer {layer}")));
            let (front, back) = elements.split_at(elements.len() / 2);
            let [before, behind] = [front, back].map(|part| (upload(&gpu, part), part.len() as u64));
            let [before, behind] = [&before, &behind].map(|(buffer, n)| Input::range(buffer, 0..*n));
            let both = Input::concat([before, input(), behind]);
            let joined = [front, elements, back].concat();
            none(judged(&gpu, &TextHash, &both, &joined, &format!("level {level} among buffers")));
        }
    }
    let view = TextureViewDescriptor { base_array_layer: 0, array_layer_count: Some(1), ..Default::default() };
    let input = || Input::texels_view(&texture, &view).expect("an input");
    let (count, want) = {
        let hash = crate::common::plain_fold(&SetHash, &all[..of(0)]).expect("a hash");
        (hash.0, hash)
    };
    let hash = gpu.reducer::<[f32; 4], _>(SetHash).expect("a reducer");
    let place = answers(&gpu, 3);
    let prepared = hash.prepare(input(), &place).expect("a prepared reduction");
    for _ in 0..2 {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        prepared.record(&mut encoder).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        assert_eq!(download(&gpu, &place), [want.0, want.1, count]);
    }
    assert_eq!(hash.reduce_batch([input(), input()]).expect("hashes"), [want; 2]);
    assert_eq!(pollster::block_on(hash.reduce_async(input())).expect("a hash"), want);
    let parts = [0, of(0) as u64].map(|first| hash.partial_at(input(), first).expect("a partial"));
    let [one, other] = parts;
    let both = one.merge(other).and_then(|both| both.finish()).expect("a hash");
    assert_eq!(both, (2 * want.0, want.1.wrapping_mul(2)));
    let refused = hash.reduce_each(input().rows(19)).expect_err("parts");
    assert!(matches!(refused, Error::TextureInParts), "{refused}");
}

#[test]
fn what_has_no_whole_texels() {
    let gpu = gpu();
    let make = |format| {
        let usage = TextureUsages::TEXTURE_BINDING;
        gpu.device().create_texture(&wgpu::TextureDescriptor { size: extent((8, 4)), ..descriptor(format, usage) })
    };
    let integers = make(TextureFormat::Rgba8Uint);
    let error = Input::texels(&integers).map(drop).expect_err("no input");
    assert!(matches!(error, Error::TextureKind { texels: "u32", elements: "f32x4", .. }), "{error:?}");
    let depths = make(TextureFormat::Depth32Float);
    let error = Input::texels(&depths).map(drop).expect_err("no input");
    assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("Channel::R"), "{error}");
    let both = make(TextureFormat::Depth24PlusStencil8);
    let stencil = TextureViewDescriptor { aspect: TextureAspect::StencilOnly, ..Default::default() };
    let error = Input::texels_view(&both, &stencil).map(drop).expect_err("no input");
    assert!(matches!(error, Error::TextureKind { texels: "u32", .. }), "{error:?}");
    let one = make(TextureFormat::Rgba16Float);
    let level = TextureViewDescriptor { base_mip_level: 1, ..Default::default() };
    let error = Input::texels_view(&one, &level).map(drop).expect_err("no input");
    assert!(matches!(error, Error::NoSuchLevel { level: 1, levels: 1, .. }), "{error:?}");
    let instance = noop::instance();
    let limits = wgpu::Limits { max_sampled_textures_per_shader_stage: 0, ..wgpu::Limits::downlevel_defaults() };
    let (device, queue) = noop::open(&instance, wgpu::Features::empty(), limits);
    let hash = Reducer::<[f32; 4], _>::new(&device, &queue, SetHash).expect("buffers have room");
    let usage = TextureUsages::TEXTURE_BINDING;
    let wanted = wgpu::TextureDescriptor { size: extent((8, 4)), ..descriptor(TextureFormat::Rgba32Float, usage) };
    let texels = device.create_texture(&wanted);
    let outcome = hash.reduce(Input::texels(&texels).expect("an input"));
    assert!(matches!(outcome, Err(Error::LimitTooSmall { .. })), "{outcome:?}");
}

/// Over magnitudes that no order of f32 additions survives.
#[test]
fn exact_sums_have_the_bits_of_a_buffers() {
    let mut random = Random(5);
    let mut number = || f32::from_bits((random.next() as u32 & 0x807f_ffff) | ((64 + random.below(120) as u32) << 23));
    let elements: Vec<f32> = (0..257 * 123).map(|_| number()).collect();
    let gpu = gpu();
    let buffer = upload(&gpu, &elements);
    let texels = texture(&gpu, TextureFormat::R32Float, (257, 123), bytemuck::cast_slice(&elements));
    let input = || Input::<f32>::texture(&texels, Channel::R).expect("an input");
    for tuning in [small(), Tuning::GPU, *gpu.tuning()] {
        let gpu = gpu.with_tuning(tuning).expect("a launch shape");
        let sums = gpu.reducer::<f32, _>((Sum, Norm2, Mean)).expect("a reducer");
        let both = recorded(&gpu, &sums, [input(), Input::from(&buffer)]);
        assert_eq!(both[0], both[1], "{tuning:?}");
        let sum = gpu.reducer::<f32, _>(Sum).expect("a reducer");
        let reduced = sum.reduce(input()).expect("a sum").to_bits();
        assert_eq!(reduced, sum.reduce(&buffer).expect("a sum").to_bits(), "{tuning:?}");
    }
}

/// NaN, infinities, both zeros, the ends of the types; subnormals, which a device may flush, left out.
#[test]
fn bits_come_as_they_are() {
    fn each<T: Word>(kept: impl Fn(&T) -> bool) {
        let elements: Vec<T> = extremes::<T>().into_iter().filter(kept).collect();
        let gpu = gpu();
        let size = (elements.len() as u32, 1);
        let texels = texture(&gpu, format_of(T::DTYPE), size, bytemuck::cast_slice(&elements));
        let input = Input::<T>::texture(&texels, Channel::R).expect("an input");
        none(judged(&gpu, &MinMax, &input, &elements, "extremes"));
        none(judged(&gpu, &CountNonzero, &input, &elements, "extremes"));
        // One by one: a texture of each.
        for x in elements {
            let texels = texture(&gpu, format_of(T::DTYPE), (1, 1), bytemuck::bytes_of(&x));
            let input = Input::<T>::texture(&texels, Channel::R).expect("an input");
            let hash = gpu.reducer::<T, _>(TextHash).and_then(|reducer| reducer.reduce(input)).expect("a hash").0;
            // The hash of one element is its bits, some of them turned over. A NaN may be another NaN.
            let got = hash ^ 0x5bd1_e995;
            assert!(got == x.bits() || x.is_nan() && from_bits::<f32>(got).is_nan(), "{x:?}: {got:x}");
        }
    }
    each::<f32>(|x| !x.is_subnormal());
    each::<u32>(|_| true);
    each::<i32>(|_| true);
}

/// Formats of four numbers, channel by channel.
#[test]
fn channels() {
    const CHANNELS: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];
    const SIZE: (u32, u32) = (43, 29);
    let gpu = gpu();
    let texels = (SIZE.0 * SIZE.1) as usize;
    let mut random = Random(11);
    fn each<T: Word>(gpu: &Gpu, format: TextureFormat, bytes: &[u8], numbers: &[[T; 4]], order: [usize; 4]) {
        let texture = texture(gpu, format, SIZE, bytes);
        for (channel, at) in CHANNELS.into_iter().zip(order) {
            let elements: Vec<T> = numbers.iter().map(|texel| texel[at]).collect();
            let input = Input::<T>::texture(&texture, channel).expect("an input");
            none(judged(gpu, &MinMax, &input, &elements, &format!("{format:?} {channel:?}")));
            none(judged(gpu, &TextHash, &input, &elements, &format!("{format:?} {channel:?}")));
        }
    }
    let bytes: Vec<[u8; 4]> = (0..texels).map(|_| (random.next() as u32).to_le_bytes()).collect();
    let small = |of: &dyn Fn(u8) -> i32| -> Vec<[i32; 4]> { bytes.iter().map(|texel| texel.map(of)).collect() };
    let flat: Vec<u8> = bytes.concat();
    each::<u32>(
        &gpu,
        TextureFormat::Rgba8Uint,
        &flat,
        &bytes.iter().map(|texel| texel.map(u32::from)).collect::<Vec<_>>(),
        [0, 1, 2, 3],
    );
    each::<i32>(&gpu, TextureFormat::Rgba8Sint, &flat, &small(&|byte| i32::from(byte as i8)), [0, 1, 2, 3]);
    let halves: Vec<[f16; 4]> = (0..texels).map(|_| [(); 4].map(|()| random.element())).collect();
    let singles: Vec<[f32; 4]> = halves.iter().map(|texel| texel.map(f32::from)).collect();
    each::<f32>(&gpu, TextureFormat::Rgba16Float, bytemuck::cast_slice(&halves), &singles, [0, 1, 2, 3]);
    each::<f32>(&gpu, TextureFormat::Rgba32Float, bytemuck::cast_slice(&singles), &singles, [0, 1, 2, 3]);

    // Bytes as parts of 1, and blue before red; how a device divides by 255 is its own.
    for (format, order) in [(TextureFormat::Rgba8Unorm, [0, 1, 2, 3]), (TextureFormat::Bgra8Unorm, [2, 1, 0, 3])] {
        let texture = texture(&gpu, format, SIZE, &flat);
        let sums = gpu.reducer::<f32, _>((Sum, ArgMax, Max)).expect("a reducer");
        for (channel, at) in CHANNELS.into_iter().zip(order) {
            let input = Input::texture(&texture, channel).expect("an input");
            let (sum, largest, max) = sums.reduce(input).expect("an answer");
            let want = bytes.iter().map(|texel| f64::from(texel[at])).sum::<f64>() / 255.0;
            assert!((f64::from(sum) - want).abs() < 1e-4, "{format:?} {channel:?}: {sum}, want {want}");
            let place = bytes.iter().map(|texel| texel[at]).enumerate().rev().max_by_key(|&(_, byte)| byte);
            assert_eq!(largest.map(|found| found.index), place.map(|(at, _)| at as u64), "{format:?} {channel:?}");
            assert!(max.is_some_and(|max| (0.99..=1.0).contains(&max)), "{max:?}");
        }
    }
}

#[test]
fn luminance() {
    let gpu = gpu();
    let texels: Vec<[f32; 4]> = (0..6000).map(|k| [k as f32, 2.0 * k as f32, 10.0, f32::NAN]).collect();
    let texture = texture(&gpu, TextureFormat::Rgba32Float, (100, 60), bytemuck::cast_slice(&texels));
    let mean = gpu.reducer::<f32, _>(FastMean).expect("a reducer");
    let got = mean.reduce(Input::texture(&texture, Channel::LUMINANCE).expect("an input")).expect("a mean");
    let want: f64 =
        (0..6000).map(|k| 0.2126 * f64::from(k) + 0.7152 * 2.0 * f64::from(k) + 0.722).sum::<f64>() / 6000.0;
    assert!(got.is_some_and(|got| (f64::from(got) / want - 1.0).abs() < 1e-5), "{got:?}, want {want}");
    // Weights that do not count need no channel.
    let red = crate::common::textures::texture(&gpu, TextureFormat::R32Float, (1, 1), bytemuck::bytes_of(&3.0f32));
    let input = Input::texture(&red, Channel::Weighted([2.0, 0.0, 0.0, 0.0])).expect("an input");
    assert_eq!(mean.reduce(input).expect("a mean"), Some(6.0));
}

#[test]
fn levels_and_layers() {
    let gpu = gpu();
    let mut random = Random(3);
    let (width, height, layers) = (19, 10, 3);
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
    let mut levels = Vec::new();
    let mut all: Vec<u32> = Vec::new();
    for _ in 0..layers {
        for level in 0..5 {
            let (w, h) = ((width >> level).max(1), (height >> level).max(1));
            let elements: Vec<u32> = random.elements((w * h) as usize);
            all.extend(&elements);
            levels.push(elements);
        }
    }
    let size = wgpu::Extent3d { depth_or_array_layers: layers, ..extent((width, height)) };
    let descriptor = wgpu::TextureDescriptor { size, mip_level_count: 5, ..descriptor(TextureFormat::R32Uint, usage) };
    let texture = layered(&gpu, &descriptor, bytemuck::cast_slice(&all));
    for layer in 0..layers {
        for level in 0..5u32 {
            let view = TextureViewDescriptor {
                base_array_layer: layer,
                base_mip_level: level,
                dimension: Some(TextureViewDimension::D2),
                ..Default::default()
            };
            let input = Input::<u32>::texture_view(&texture, &view, Channel::R).expect("an input");
            let elements = &levels[(layer * 5 + level) as usize];
            assert_eq!(input.elements(), elements.len() as u64);
            none(judged(&gpu, &TextHash, &input, elements, &format!("level {level} of layer {layer}")));
        }
    }
}

/// The bytes of an sRGB texture, linear and as they are.
#[test]
fn another_format() {
    let gpu = gpu();
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST;
    let descriptor = wgpu::TextureDescriptor {
        size: extent((2, 1)),
        view_formats: &[TextureFormat::Rgba8Unorm],
        ..descriptor(TextureFormat::Rgba8UnormSrgb, usage)
    };
    let texture = layered(&gpu, &descriptor, &[188, 0, 0, 255, 0, 0, 0, 255]);
    let max = gpu.reducer::<f32, _>(Max).expect("a reducer");
    let linear = max.reduce(Input::texture(&texture, Channel::R).expect("an input")).expect("a maximum");
    let view = TextureViewDescriptor { format: Some(TextureFormat::Rgba8Unorm), ..Default::default() };
    let raw = max.reduce(Input::texture_view(&texture, &view, Channel::R).expect("an input")).expect("a maximum");
    assert!(linear.is_some_and(|x| (x - 0.503).abs() < 0.002), "{linear:?}");
    assert!(raw.is_some_and(|x| (x - 188.0 / 255.0).abs() < 1e-5), "{raw:?}");
}

/// The depths and stencils that a render pass leaves, in the encoder of the reduction.
#[test]
fn depth_and_stencil_of_a_render_pass() {
    let gpu = gpu();
    let usage = TextureUsages::TEXTURE_BINDING | TextureUsages::RENDER_ATTACHMENT;
    for (format, stencil) in [(TextureFormat::Depth32Float, false), (TextureFormat::Depth24PlusStencil8, true)] {
        let texture = gpu
            .device()
            .create_texture(&wgpu::TextureDescriptor { size: extent((37, 21)), ..descriptor(format, usage) });
        let view = texture.create_view(&Default::default());
        let aspect = |aspect| TextureViewDescriptor { aspect, ..Default::default() };
        let depths = aspect(if stencil { TextureAspect::DepthOnly } else { TextureAspect::All });
        let sum = gpu.reducer::<f32, _>((Sum, Min)).expect("a reducer");
        let bits = gpu.reducer::<u32, _>(Sum).expect("a reducer");
        let (place, place_of_bits) = (answers(&gpu, 2), answers(&gpu, 2));
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let clear = |load| Some(wgpu::Operations { load, store: wgpu::StoreOp::Store });
        drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: clear(wgpu::LoadOp::Clear(0.25)),
                stencil_ops:
                    stencil.then_some(wgpu::Operations { load: wgpu::LoadOp::Clear(7), store: wgpu::StoreOp::Store }),
            }),
            ..Default::default()
        }));
        let input = Input::texture_view(&texture, &depths, Channel::R).expect("an input");
        sum.record(&mut encoder, input, Output::bare(&place)).expect("a record");
        if stencil {
            let input = Input::texture_view(&texture, &aspect(TextureAspect::StencilOnly), Channel::R);
            bits.record(&mut encoder, input.expect("an input"), Output::bare(&place_of_bits)).expect("a record");
        }
        gpu.queue().submit([encoder.finish()]);
        let words = download(&gpu, &place);
        let (sum, min) = (f32::from_bits(words[0]), f32::from_bits(words[1]));
        assert!((sum - 37.0 * 21.0 / 4.0).abs() < 1e-3 && (min - 0.25).abs() < 1e-6, "{format:?}: {sum}, {min}");
        assert_eq!(download(&gpu, &place_of_bits)[0], if stencil { 7 * 37 * 21 } else { 0 });
    }
}

/// Textures and buffers, one after another as one input.
#[test]
fn concatenated() {
    for gpu in [gpu(), gpu().with_tuning(small()).expect("a launch shape")] {
        let elements: Vec<f32> = Random(8).elements(31 * 17 + 500 + 3 * 301);
        let (front, rest) = elements.split_at(31 * 17);
        let (middle, back) = rest.split_at(500);
        let one = texture(&gpu, TextureFormat::R32Float, (31, 17), bytemuck::cast_slice(front));
        let buffer = upload(&gpu, middle);
        let texels: Vec<[f32; 2]> = back.iter().map(|&x| [1e9, x]).collect();
        let two = texture(&gpu, TextureFormat::Rg32Float, (3, 301), bytemuck::cast_slice(&texels));
        let parts = [
            Input::texture(&one, Channel::Weighted([1.0, 0.0, 0.0, 0.0])).expect("an input"),
            Input::from(&buffer),
            Input::texture(&two, Channel::G).expect("an input"),
        ];
        let input = Input::concat(parts);
        none(judged(&gpu, &TextHash, &input, &elements, "three parts"));
        none(judged(&gpu, &ArgMax, &input, &elements, "three parts"));
        none(judged(&gpu, &(Sum, Variance { ddof: 0 }), &input, &elements, "three parts"));
    }
}

/// Frame by frame, by one prepared reduction; and in the other ways in.
#[test]
fn prepared_batched_and_awaited() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let texels = texture(&gpu, TextureFormat::R32Uint, (60, 50), bytemuck::cast_slice(&[0u32; 3000]));
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let place = answers(&gpu, 3);
    let input = || Input::texture(&texels, Channel::R).expect("an input");
    let prepared = sum.prepare(input(), &place).expect("a prepared reduction");
    for frame in 1..5u32 {
        let elements: Vec<u32> = (0..3000).map(|k| k * frame).collect();
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(240), rows_per_image: None };
        gpu.queue().write_texture(texels.as_image_copy(), bytemuck::cast_slice(&elements), layout, texels.size());
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        prepared.record(&mut encoder).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let want = 3000 * 2999 / 2 * frame;
        assert_eq!(download(&gpu, &place), [want, 0, 3000], "frame {frame}");
        assert_eq!(sum.reduce_batch([input(), input()]).expect("sums"), [u64::from(want); 2]);
        assert_eq!(pollster::block_on(sum.reduce_async(input())).expect("a sum"), u64::from(want));
        let parts = [0, 3000].map(|first| sum.partial_at(input(), first).expect("a partial"));
        let [one, other] = parts;
        assert_eq!(one.merge(other).and_then(|both| both.finish()).expect("a sum"), 2 * u64::from(want));
    }
}

/// A view of a texture that is made for a test.
fn refused<T: Word>(texture: &wgpu::Texture, view: &TextureViewDescriptor<'_>, channel: Channel) -> Error {
    Input::<T>::texture_view(texture, view, channel).map(drop).expect_err("no input")
}

#[test]
fn what_is_no_input() {
    let gpu = gpu();
    let binding = TextureUsages::TEXTURE_BINDING;
    let make = |change: &dyn Fn(&mut wgpu::TextureDescriptor)| {
        let mut descriptor =
            wgpu::TextureDescriptor { size: extent((8, 4)), ..descriptor(TextureFormat::R32Float, binding) };
        change(&mut descriptor);
        gpu.device().create_texture(&descriptor)
    };
    let plain = TextureViewDescriptor::default;
    let error = refused::<f32>(&make(&|it| it.usage = TextureUsages::COPY_DST), &plain(), Channel::R);
    assert!(matches!(error, Error::MissingUsage { missing: "TEXTURE_BINDING", .. }), "{error:?}");
    assert!(error.to_string().contains("TextureUsages::TEXTURE_BINDING") && error.to_string().contains("COPY_DST"));

    let one = make(&|_| ());
    let error = refused::<u32>(&one, &plain(), Channel::R);
    assert!(matches!(error, Error::TextureKind { texels: "f32", elements: "u32", .. }), "{error:?}");
    assert!(error.to_string().contains("Reducer<f32, _>"), "{error}");
    let uints = make(&|it| it.format = TextureFormat::Rg32Uint);
    let error = refused::<i32>(&uints, &plain(), Channel::R);
    assert!(matches!(error, Error::TextureKind { texels: "u32", elements: "i32", .. }), "{error:?}");
    assert!(matches!(refused::<f32>(&uints, &plain(), Channel::R), Error::TextureKind { texels: "u32", .. }));

    let error = refused::<u32>(&uints, &plain(), Channel::B);
    assert!(matches!(error, Error::NoSuchChannel { channel: "B", channels: 2, .. }), "{error:?}");
    let error = refused::<f32>(&one, &plain(), Channel::LUMINANCE);
    assert!(matches!(error, Error::NoSuchChannel { channel: "B", channels: 1, .. }), "{error:?}");
    let error = refused::<u32>(&uints, &plain(), Channel::Weighted([1.0, 0.0, 0.0, 0.0]));
    assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("weighted"), "{error}");

    let many = |it: &mut wgpu::TextureDescriptor| {
        (it.size.depth_or_array_layers, it.mip_level_count) = (6, 2);
        (it.size.height, it.usage) = (8, binding);
    };
    let layers = make(&many);
    let error = refused::<f32>(&layers, &plain(), Channel::R);
    assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("6 layers"), "{error}");
    for dimension in [TextureViewDimension::Cube, TextureViewDimension::CubeArray, TextureViewDimension::D2Array] {
        let view = TextureViewDescriptor { dimension: Some(dimension), ..plain() };
        let error = refused::<f32>(&layers, &view, Channel::R);
        assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("D2"), "{error}");
    }
    for (level, layer) in [(2, 0), (0, 6), (u32::MAX, u32::MAX)] {
        let view = TextureViewDescriptor {
            base_mip_level: level,
            base_array_layer: layer,
            dimension: Some(TextureViewDimension::D2),
            ..plain()
        };
        let error = refused::<f32>(&layers, &view, Channel::R);
        assert!(matches!(error, Error::NoSuchLevel { levels: 2, layers: 6, .. }), "{error:?}");
    }
    let face = TextureViewDescriptor { base_array_layer: 5, array_layer_count: Some(1), ..plain() };
    assert!(Input::<f32>::texture_view(&layers, &face, Channel::R).is_ok());
    assert!(
        Input::<f32>::texture_view(&layers, &TextureViewDescriptor { array_layer_count: None, ..face }, Channel::R)
            .is_ok()
    );

    for (dimension, word) in [(TextureDimension::D3, "3-d"), (TextureDimension::D1, "1-d")] {
        let solid = make(&|it| (it.dimension, it.size) = (dimension, extent((8, 1))));
        let error = refused::<f32>(&solid, &plain(), Channel::R);
        assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains(word), "{error}");
    }
    let samples = make(&|it| {
        (it.sample_count, it.format) = (4, TextureFormat::Rgba8Unorm);
        it.usage = binding | TextureUsages::RENDER_ATTACHMENT;
    });
    let error = refused::<f32>(&samples, &plain(), Channel::R);
    assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("resolve"), "{error}");
    let both = make(&|it| it.format = TextureFormat::Depth24PlusStencil8);
    let error = refused::<f32>(&both, &plain(), Channel::R);
    assert!(matches!(error, Error::BadTexture { .. }) && error.to_string().contains("DepthOnly"), "{error}");
}

#[test]
fn parts_of_textures_are_no_inputs() {
    let gpu = gpu();
    let texels = texture(&gpu, TextureFormat::R32Float, (8, 4), &[0; 128]);
    let counts = texture(&gpu, TextureFormat::R32Uint, (2, 1), &[0; 8]);
    let input = || Input::<f32>::texture(&texels, Channel::R).expect("an input");
    let offsets = || Input::<u32>::texture(&counts, Channel::R).expect("an input");
    let buffer = upload(&gpu, &[0.0f32; 32]);
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let place = answers(&gpu, 64);
    let axes = treefold::Axes::of(&[4, 8], &[0]).expect("axes");
    let each = [
        input().rows(8),
        input().over(axes),
        input().segments(&[0u32, 3][..]),
        Input::from(&buffer).segments(offsets()),
        Input::concat([input(), Input::from(&buffer)]).rows(8),
    ];
    for each in each {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let outcomes = [
            sum.record_each(&mut encoder, each.clone(), &place),
            sum.reduce_each(each.clone()).map(drop),
            pollster::block_on(sum.reduce_each_async(each.clone())).map(drop),
        ];
        for outcome in outcomes {
            assert!(matches!(outcome, Err(Error::TextureInParts)), "{each:?}: {outcome:?}");
        }
    }
    for pair in [Input::zip(input(), &buffer), Input::zip(&buffer, input())] {
        assert!(matches!(pair, Err(Error::TextureInParts)), "{pair:?}");
    }
}

/// Of another device, destroyed, and on a device without room for textures.
#[test]
fn what_a_device_refuses() {
    let gpu = gpu();
    let sum = gpu.reducer::<f32, _>(FastSum).expect("a reducer");
    let other = Gpu::named(&gpu.info().name).expect("the adapter under test");
    let theirs = texture(&other, TextureFormat::R32Float, (8, 4), &[0; 128]);
    let outcome = sum.reduce(Input::texture(&theirs, Channel::R).expect("an input"));
    assert!(matches!(outcome, Err(Error::Foreign { .. })), "{outcome:?}");
    let gone = texture(&gpu, TextureFormat::R32Float, (8, 4), &[0; 128]);
    gone.destroy();
    let outcome = sum.reduce(Input::texture(&gone, Channel::R).expect("an input"));
    assert!(outcome.is_err(), "{outcome:?}");
    // Another format than the texture's own was to be named when it was made.
    let texels = texture(&gpu, TextureFormat::Rgba8UnormSrgb, (8, 4), &[0; 128]);
    let view = TextureViewDescriptor { format: Some(TextureFormat::Rgba8Unorm), ..Default::default() };
    let outcome = sum.reduce(Input::texture_view(&texels, &view, Channel::R).expect("an input"));
    assert!(matches!(outcome, Err(Error::Refused { .. })), "{outcome:?}");

    let instance = noop::instance();
    let limits = wgpu::Limits { max_sampled_textures_per_shader_stage: 0, ..wgpu::Limits::downlevel_defaults() };
    let (device, queue) = noop::open(&instance, wgpu::Features::empty(), limits);
    let sum = Reducer::<f32, _>::new(&device, &queue, FastSum).expect("buffers have room");
    let wanted = wgpu::TextureDescriptor {
        size: extent((8, 4)),
        ..descriptor(TextureFormat::R32Float, TextureUsages::TEXTURE_BINDING)
    };
    let texels = device.create_texture(&wanted);
    let outcome = sum.reduce(Input::texture(&texels, Channel::R).expect("an input"));
    let limit = "max_sampled_textures_per_shader_stage";
    assert!(matches!(&outcome, Err(Error::LimitTooSmall { limit: found, .. }) if *found == limit), "{outcome:?}");
}
