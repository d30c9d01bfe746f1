//! The rounded quotient of an exact sum, as kernels compute it, of any sum and any number of elements: more than any input here has.

use crate::common::oracle::nearest_quotient;
use crate::common::{Random, download, gpu, upload};
use treefold::Element;
use treefold::half::f16;
use treefold::ops::Mean;
use treefold::wgpu::{self, BufferUsages};

/// Another entry point of the mean's kernel: flags, limbs and a number of elements to the bits of an f32. LIMBS is a constant of the text.
const ENTRY: &str = "
@group(0) @binding(10) var<storage, read> cases: array<array<u32, LIMBS + 3u>>;
@group(0) @binding(11) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn quotients(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&cases) { return; }
    var acc: Acc;
    acc.flags = cases[id.x][0];
    for (var i = 0u; i < LIMBS; i++) { acc.limbs[i] = cases[id.x][1u + i]; }
    found[id.x] = finish(acc, vec2<u32>(cases[id.x][LIMBS + 1u], cases[id.x][LIMBS + 2u]))[0];
}
";

/// The bits of the quotients, by a kernel's text.
fn quotients(text: &str, cases: &[u32], words: usize) -> Vec<u32> {
    let gpu = gpu();
    let device = gpu.device();
    let source = wgpu::ShaderSource::Wgsl(format!("{text}{ENTRY}").into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("quotients"),
        compilation_options: Default::default(),
        cache: None,
    });
    let count = cases.len() / words;
    let given = upload(&gpu, cases);
    let found = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4 * count as u64,
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let entries = [(10, &given), (11, &found)]
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(count.div_ceil(64) as u32, 1, 1);
    }
    gpu.queue().submit([encoder.finish()]);
    download(&gpu, &found)
}

fn text<T: Element>() -> String
where
    Mean: treefold::Op<T>,
{
    let reducer = gpu().reducer::<T, _>(Mean).expect("a reducer");
    let explained = reducer.explain(1000).expect("a plan");
    let pass =
        explained.passes.into_iter().find(|pass| pass.wgsl.contains("fn finish(")).expect("a pass that finishes");
    pass.wgsl
}

/// A number of so many bits, the first of them set.
fn bits(random: &mut Random, bits: u32) -> u64 {
    random.next() >> (64 - bits) | 1 << (bits - 1)
}

/// Two's complement limbs of ±((a·b + c) << shift), and one so many places below, where there are.
fn limbs((a, b, c): (u64, u64, i128), shift: u32, below: u32, negative: bool, limbs: usize) -> Vec<u32> {
    let size = (u128::from(a) * u128::from(b)).saturating_add_signed(c);
    let mut words = vec![0u32; limbs];
    let places = (0..128).filter(|bit| size >> bit & 1 == 1).map(|bit| bit + shift);
    for place in places.chain(shift.checked_sub(below).filter(|_| below > 0)).map(|place| place as usize) {
        words[place / 32] |= 1 << (place % 32);
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u32::from(carry));
        }
    }
    words
}

/// Of so many limbs.
fn cases(count_limbs: usize) -> Vec<u32> {
    let mut random = Random(11);
    let mut all = Vec::new();
    let mut case = |limbs: &[u32], count: u64| {
        all.push(8);
        all.extend_from_slice(limbs);
        all.extend([count as u32, (count >> 32) as u32]);
    };
    for round in 0..6000u32 {
        let width = 1 + random.next() as u32 % 64;
        let count = match round % 5 {
            0 => bits(&mut random, 1 + width % 33),
            1 => 1 << (width - 1),
            2 => (1u64 << (width - 1)) + 1,
            3 => u64::MAX >> (64 - width),
            _ => bits(&mut random, width),
        };
        let shift = random.next() as u32 % (32 * count_limbs as u32 - 127);
        let negative = random.next().is_multiple_of(2);
        // Halves of a last digit, exactly and beside; digits that carry; and anything.
        let digits = match random.next() % 4 {
            0 => (1 << 25) - 1,
            1 => (1 << 24) + 1,
            _ => bits(&mut random, 25),
        };
        let beside = i128::from(random.next() % 3) - 1;
        let below = random.next() as u32 % 3 * (random.next() as u32 % 100);
        case(&limbs((count, digits, beside), shift, below, negative, count_limbs), count);
        let few = 1 + random.next() as usize % (count_limbs - 1);
        let mut any: Vec<u32> = (0..count_limbs).map(|k| if k < few { random.next() as u32 } else { 0 }).collect();
        any[few - 1] >>= random.next() % 32;
        case(&any, count);
    }
    case(&vec![0; count_limbs], 3);
    case(&limbs((1, 1, 0), 0, 0, false, count_limbs), u64::MAX);
    case(&limbs((1, 1, 0), 0, 0, true, count_limbs), 1);
    all
}

/// The first that is wrong: its words, what the kernel found, and what is right; of sums of so many limbs in units of 2^`unit`.
fn wrong(text: &str, limbs: usize, unit: i64) -> Option<(Vec<u32>, u32, u32)> {
    let (cases, words) = (cases(limbs), limbs + 3);
    let found = quotients(text, &cases, words);
    assert_eq!(found.len(), cases.len() / words);
    cases.chunks(words).zip(found).find_map(|(case, found)| {
        let count = u64::from(case[limbs + 1]) | u64::from(case[limbs + 2]) << 32;
        let right = nearest_quotient(&case[1..=limbs], unit, count);
        (found != right).then(|| (case.to_vec(), found, right))
    })
}

#[test]
fn of_any_sum_by_any_count() {
    assert_eq!(wrong(&text::<f32>(), 11, -150), None, "words, found, right");
    assert_eq!(wrong(&text::<f16>(), 4, -56), None, "words, found, right");
}

/// Each line that corrects or rounds counts.
#[test]
fn wrong_division_is_noticed() {
    let text = text::<f32>();
    for (line, other) in [
        ("for (var k = 0u; k < 2u; k++) {", "for (var k = 0u; k < 1u; k++) {"),
        ("(over >> 16u == 0u) & ", ""),
        ("lower.y | size.z", "lower.y"),
        ("let fits = less.z == 0u;", "let fits = (less.z == 0u) & (all.rest == 0u);"),
        ("all.rest = left.x | left.y;", "all.rest = left.x;"),
        ("by.rest | (by.digits & by.first) | size.rest", "by.rest | size.rest"),
        ("by.rest | (by.digits & by.first) | size.rest", "by.rest | (by.digits & by.first)"),
        ("zeros -= 32u;", "zeros -= 31u;"),
    ] {
        assert_eq!(text.matches(line).count(), 1, "{line}");
        assert!(wrong(&text.replace(line, other), 11, -150).is_some(), "{other} goes unnoticed");
    }
}
