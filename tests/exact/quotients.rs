//! The rounded quotient of an exact sum, as kernels compute it, of any sum and any number of elements: more than any input here has.

use crate::common::oracle::nearest_quotient;
use crate::common::{Random, download, gpu, upload};
use num_bigint::BigUint;
use treefold::half::f16;
use treefold::ops::{Mean, Sem, Std, Sum, Variance};
use treefold::wgpu::{self, BufferUsages};
use treefold::{Acc, Accumulator, Element, Op};

/// Another entry point of a kernel: accumulators as the host lays them out, and numbers of elements, to the words of an answer.
const ENTRY: &str = "
@group(0) @binding(10) var<storage, read> cases: array<array<u32, CASE>>;
@group(0) @binding(11) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn quotients(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&cases) { return; }
    var acc: Acc;
    var at = 0u;
    READ
    var bits = finish(acc, vec2<u32>(cases[id.x][at], cases[id.x][at + 1u]));
    for (var w = 0u; w < ANSWER; w++) { found[ANSWER * id.x + w] = bits[w]; }
}
";

/// The words of an accumulator, and a number of elements.
type Case = (Vec<u32>, u64);

/// The answers of so many words of a kernel's text, whose accumulator has members of so many limbs.
fn answers(text: &str, members: &[(&str, usize)], words: usize, cases: &[Case]) -> Vec<u32> {
    let read = members.iter().map(|(member, limbs)| {
        format!(
            "acc{member}.flags = cases[id.x][at]; for (var i = 0u; i < {limbs}u; i++) {{ acc{member}.limbs[i] = cases[id.x][at + 1u + i]; }} at += {}u;",
            limbs + 1
        )
    });
    let read: String = read.collect();
    let case = members.iter().map(|(_, limbs)| limbs + 1).sum::<usize>() + 2;
    let entry =
        ENTRY.replace("CASE", &format!("{case}u")).replace("READ", &read).replace("ANSWER", &format!("{words}u"));
    let given = cases.iter().flat_map(|(acc, count)| acc.iter().copied().chain([*count as u32, (count >> 32) as u32]));
    let given = given.collect::<Vec<u32>>();
    run(&format!("{text}{entry}"), &given, words * cases.len(), cases.len().div_ceil(64))
}

/// Another entry point of a kernel that settles together: columns, as a workgroup has them, to the words of an f64.
const TOGETHER: &str = "
@group(0) @binding(10) var<storage, read> cases: array<array<u32, 3u * COLUMNS + 3u>>;
@group(0) @binding(11) var<storage, read_write> found: array<u32>;

fn case_store(acc: narrow_Acc, row: u32) {
    narrow_place_narrow(acc.base);
    let count = vec2<u32>(cases[row][3u * COLUMNS + 1u], cases[row][3u * COLUMNS + 2u]);
    var bits = narrow_finish(acc, count);
    for (var w = 0u; w < 2u; w++) { found[2u * row + w] = bits[w]; }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn quotients(id: Invocation) {
    let row = id.workgroup.x;
    for (var j = id.local; j < COLUMNS; j += WORKGROUP_SIZE) {
        exact_columns[j] = vec3<u32>(cases[row][3u * j], cases[row][3u * j + 1u], cases[row][3u * j + 2u]);
    }
    if id.local == 0u { atomicStore(&bins_flags, cases[row][3u * COLUMNS]); }
    workgroupBarrier();
    store_columns(id, row);
}
";

/// Columns of 96 bits, one fewer than limbs, that add up to an accumulator: as its limbs are, or with a number of 60 bits moved from each to the one above.
fn columns(acc: &[u32], random: &mut Random, moved: bool) -> Vec<u32> {
    let (flags, limbs) = (acc[0], &acc[1..]);
    let last = limbs.len() - 2;
    let mut all: Vec<i128> = limbs[..last].iter().map(|&limb| limb.into()).collect();
    all.push(i128::from(i64::from(limbs[last + 1] as i32)) << 32 | i128::from(limbs[last]));
    for j in 0..if moved { last } else { 0 } {
        let number = i128::from(random.next() as i64 >> (3 + random.next() % 61));
        all[j] += number << 32;
        all[j + 1] -= number;
    }
    let words = all.iter().flat_map(|&column| [column as u32, (column >> 32) as u32, (column >> 64) as u32]);
    words.chain([flags]).collect()
}

/// The same answers of a kernel that settles columns together.
fn answers_together(text: &str, cases: &[Case]) -> Vec<u32> {
    let mut random = Random(17);
    let given = cases.iter().enumerate().flat_map(|(n, (acc, count))| {
        [columns(acc, &mut random, n % 4 > 0), vec![*count as u32, (count >> 32) as u32]].concat()
    });
    let given = given.collect::<Vec<u32>>();
    let text = text.replace("narrow_store(upper_limbs(), row)", "case_store(upper_limbs(), row)");
    run(&format!("{text}{TOGETHER}"), &given, 2 * cases.len(), cases.len())
}

/// So many words, by so many workgroups.
fn run(text: &str, cases: &[u32], count: usize, workgroups: usize) -> Vec<u32> {
    let gpu = gpu();
    let device = gpu.device();
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("quotients"),
        compilation_options: Default::default(),
        cache: None,
    });
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
        pass.dispatch_workgroups(workgroups as u32, 1, 1);
    }
    gpu.queue().submit([encoder.finish()]);
    download(&gpu, &found)
}

fn text<T: Element>() -> String
where
    Mean: Op<T>,
{
    text_of::<T, _>(Mean)
}

fn text_of<T: Element, O: Op<T>>(op: O) -> String {
    let reducer = gpu().reducer::<T, _>(op).expect("a reducer");
    let explained = reducer.explain(1000).expect("a plan");
    // Answers of several accumulators have names of their own.
    let finishes =
        |text: &String| ["fn finish(", "fn a0_finish(", "fn narrow_finish("].iter().any(|name| text.contains(name));
    let text = explained.passes.into_iter().map(|pass| pass.wgsl).find(finishes).expect("a pass that finishes");
    // The accumulator of several folds has the members of the answer's, where it is one.
    match text.contains("struct Acc {") {
        true => text.lines().filter(|line| !line.starts_with("struct a0_Acc {")).collect::<Vec<_>>().join("\n"),
        false => text,
    }
    .replace("a0_", "")
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

/// So many limbs of anything, and zeros above.
fn any_limbs(random: &mut Random, few: usize, limbs: usize) -> Vec<u32> {
    (0..limbs).map(|k| if k < few { random.next() as u32 } else { 0 }).collect()
}

/// A number of elements of so many bits: of any size, few, and beside powers of two.
fn any_count(random: &mut Random, bits_max: u32) -> u64 {
    let width = 1 + random.next() as u32 % bits_max;
    match random.next() % 5 {
        0 => bits(random, 1 + (width - 1) % 33),
        1 => 1 << (width - 1),
        2 => (1 << (width - 1)) + 1,
        3 => u64::MAX >> (64 - width),
        _ => bits(random, width),
    }
}

/// A quotient of one digit more than an answer has: halves of a last digit, digits that carry, and anything.
fn any_digits(random: &mut Random, width: u32) -> u64 {
    match random.next() % 4 {
        0 => (1 << width) - 1,
        1 => (1 << (width - 1)) + 1,
        _ => bits(random, width),
    }
}

/// Sums of so many limbs and numbers of elements: whole quotients of so many digits and what lies beside them, and anything.
fn sums(digits: u32, limbs_max: usize) -> Vec<Case> {
    let mut random = Random(11);
    let mut all = Vec::new();
    for _ in 0..6000 {
        let count = any_count(&mut random, 64);
        let shift = random.next() as u32 % (32 * limbs_max as u32 - 127);
        let negative = random.next().is_multiple_of(2);
        let quotient = any_digits(&mut random, digits);
        let beside = i128::from(random.next() % 3) - 1;
        let below = random.next() as u32 % 3 * (random.next() as u32 % (4 * digits));
        all.push((limbs((count, quotient, beside), shift, below, negative, limbs_max), count));
        let few = 1 + random.next() as usize % (limbs_max - 1);
        let mut any = any_limbs(&mut random, few, limbs_max);
        any[few - 1] >>= random.next() % 32;
        all.push((any, count));
    }
    all.push((vec![0; limbs_max], 3));
    all.push((limbs((1, 1, 0), 0, 0, false, limbs_max), u64::MAX));
    all.push((limbs((1, 1, 0), 0, 0, true, limbs_max), 1));
    all.into_iter().map(|(sum, count)| ([vec![8], sum].concat(), count)).collect()
}

/// The first that is wrong, what the kernel found, and what is right; of sums of so many limbs in units of 2^`unit`.
fn wrong(text: &str, limbs: usize, unit: i64) -> Option<(Case, u32, u32)> {
    let cases = sums(25, limbs);
    let found = answers(text, &[("", limbs)], 1, &cases);
    assert_eq!(found.len(), cases.len());
    cases.into_iter().zip(found).find_map(|((acc, count), found)| {
        let right = nearest_quotient(&acc[1..], unit, count);
        (found != right).then_some(((acc, count), found, right))
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

/// Answers of two words of a kernel that are not the host's: of accumulators whose members have so many limbs, and numbers of elements.
fn wrong_f64<T: Element, O: Op<T>>(op: O, text: &str, members: &[(&str, usize)], cases: &[Case]) -> Vec<String>
where
    O::Output: Bits,
{
    let found = match text.contains("fn narrow_finish(") {
        true => answers_together(text, cases),
        false => answers(text, members, 2, cases),
    };
    let wrong = cases.iter().zip(found.chunks(2)).filter_map(|((acc, count), found)| {
        let right = op.finish(Acc::<T, O>::read(acc), *count).expect("a number").words();
        (found != right).then(|| format!("{}: {acc:x?} of {count}: {found:x?}, not {right:x?}", O::NAME))
    });
    wrong.collect()
}

trait Bits {
    fn words(self) -> [u32; 2];
}

impl Bits for f64 {
    fn words(self) -> [u32; 2] {
        [self.to_bits() as u32, (self.to_bits() >> 32) as u32]
    }
}

impl Bits for Option<f64> {
    fn words(self) -> [u32; 2] {
        self.expect("elements").words()
    }
}

/// So many words of a number.
fn words(number: &BigUint, count: usize) -> Vec<u32> {
    let mut words = number.to_u32_digits();
    words.resize(count, 0);
    words
}

/// Σx and Σx² of numbers of elements that there could be.
fn powers(bits_max: u32, sum_limbs: usize, squares_limbs: usize) -> Vec<Case> {
    let mut random = Random(13);
    let mut all = Vec::new();
    for _ in 0..3000 {
        let count = any_count(&mut random, bits_max).max(3);
        // Squares of which the largest words are above those of the sum's square; they hold all of it.
        let few = 1 + random.next() as usize % (squares_limbs - 1);
        let mut squares = any_limbs(&mut random, few, squares_limbs);
        squares[few - 1] |= 1;
        let sum = any_limbs(&mut random, ((few - 1) / 2).min(sum_limbs - 1), sum_limbs);
        all.push((sum, squares, count));
        // The square of half a last digit, and a bit about as far behind it as quotients have bits.
        let (root, k) = (BigUint::from(any_digits(&mut random, 54) | 1), 18 + random.next() % 6);
        let squares = (((&root * &root) << k) + 1u32) << (2 * (random.next() % 200));
        all.push((vec![0; sum_limbs], words(&squares, squares_limbs), (1 << k) + 1));
        // n·m and n·m² and a little: what is left is n times that, however long m is. Or nothing is.
        let few = 1 + random.next() as usize % (sum_limbs - 2);
        let mean = BigUint::new(any_limbs(&mut random, few, few));
        let little =
            BigUint::from(random.next() >> (random.next() % 65).min(63)) << (random.next() as usize % (64 * few));
        let squares = &mean * &mean * count + if random.next().is_multiple_of(5) { BigUint::ZERO } else { little };
        let sum = mean * count;
        if squares.bits() < 32 * squares_limbs as u64 && sum.bits() < 32 * sum_limbs as u64 {
            let sum = if random.next().is_multiple_of(2) { (BigUint::ONE << (32 * sum_limbs)) - sum } else { sum };
            all.push((words(&sum, sum_limbs), words(&squares, squares_limbs), count));
        }
        // Variances, divided by n - 1, that are whole or whose roots are, with halves of a last digit, and what lies beside them.
        let less = 1 + random.next() % 2 * (random.next() % 500);
        let root = [any_digits(&mut random, 54) | 1, bits(&mut random, 55) | 3, any_digits(&mut random, 32)]
            [random.next() as usize % 3];
        let variance = [any_digits(&mut random, 54) | 1, bits(&mut random, 55) | 3][random.next() as usize % 2];
        for (factors, count) in [((less * root, root), less + 1), ((count - 1, variance), count)] {
            let beside = (i128::from(random.next() % 3) - 1) << (random.next() % 3 * (random.next() % 32));
            let shift = 2 * (random.next() as u32 % 200);
            let below = random.next() as u32 % 2 * (random.next() as u32 % 200);
            let squares = limbs((factors.0, factors.1, beside), shift, below, false, squares_limbs);
            all.push((vec![0; sum_limbs], squares, count));
        }
    }
    all.into_iter().map(|(sum, squares, count)| ([vec![8], sum, vec![8], squares].concat(), count)).collect()
}

#[test]
fn of_any_f64() {
    let one = |limbs| [("", limbs)];
    assert_eq!(wrong_f64::<f64, _>(Sum, &text_of::<f64, _>(Sum), &one(68), &sums(54, 68)), [""; 0]);
    assert_eq!(wrong_f64::<f64, _>(Mean, &text_of::<f64, _>(Mean), &one(68), &sums(54, 68)), [""; 0]);
    assert_eq!(wrong_f64::<i64, _>(Mean, &text_of::<i64, _>(Mean), &one(4), &sums(54, 4)), [""; 0]);
}

/// Each line that settles columns together counts.
#[test]
fn wrong_settling_is_noticed() {
    let (sum, mean) = (text_of::<f64, _>(Sum), text_of::<f64, _>(Mean));
    let cases = sums(54, 68);
    for (line, other) in [
        ("0xffffffffu - (part_of(k - 3u).z >> 31u)", "0xffffffffu"),
        ("vec2<u32>(select(0u, 1u, k == 0u), 0u)", "vec2<u32>()"),
        ("vec2<u32>(given_to(k - 1u).y, 0u)", "vec2<u32>()"),
        ("if limb.y != 0u {", "if false {"),
        ("if limb.x == 0xffffffffu {", "if false {"),
        ("below = last / 32u * 32u;", "return 0u;"),
        (">> firstLeadingBit(stops)", ">> (last % 32u)"),
        ("if limb != 0xffffffffu {", "if true {"),
        ("atomicLoad(&ahead[w].not_ones), negative)", "atomicLoad(&ahead[w].not_zero), negative)"),
        ("- (narrow_LIMBS - 2u), LIMBS", "- (narrow_LIMBS - 1u), LIMBS"),
        ("acc.limbs[0] |= 1u;", ""),
        ("(0xffffffffu >> (32u - here))", "0xffffffffu"),
        ("const narrow_LIMBS = 6u;", "const narrow_LIMBS = 4u;"),
    ] {
        assert_eq!(mean.matches(line).count(), 1, "{line}");
        let noticed = !wrong_f64::<f64, _>(Sum, &sum.replace(line, other), &[], &cases).is_empty()
            || !wrong_f64::<f64, _>(Mean, &mean.replace(line, other), &[], &cases).is_empty();
        assert!(noticed, "{other} goes unnoticed");
    }
}

fn spread<O: Op<f32>>(op: O, bits_max: u32, change: (&str, &str)) -> Vec<String>
where
    O::Output: Bits,
{
    let text = text_of::<f32, _>(op.clone()).replace("param(0u)", "1u").replace(change.0, change.1);
    wrong_f64::<f32, _>(op, &text, &[(".m0", 11), (".m1", 20)], &powers(bits_max, 11, 20))
}

#[test]
fn of_any_spread() {
    assert_eq!(spread(Variance { ddof: 1 }, 64, ("", "")), [""; 0]);
    assert_eq!(spread(Std { ddof: 1 }, 64, ("", "")), [""; 0]);
    assert_eq!(spread(Sem { ddof: 1 }, 42, ("", "")), [""; 0]);
}

#[test]
fn wrong_division_by_128_bits_is_noticed() {
    for (line, other) in [
        ("for (var turn = 0u; turn < 2u; turn++) {", "for (var turn = 0u; turn < 1u; turn++) {"),
        ("if above >= less_high.z {", "if less_high.z == 0u {"),
        ("- product.above - high.z;", "- product.above;"),
        ("product.words.zw, low.z)", "product.words.zw, 0u)"),
        ("any((rest | next) != vec4<u32>())", "any(next != vec4<u32>())"),
        ("(words.low.x & 1u) | words.next | words.rest", "(words.low.x & 1u) | words.next"),
        ("square.more | root.more", "square.more"),
        ("square.more | root.more", "root.more"),
        ("| any(rest != square)", ""),
        ("vec2<u32>(select(0u, 0xffffffffu, too_large))", "vec2<u32>()"),
        ("(second.y >> 31u == 0u) & less64", "less64"),
        ("if half.y >= upper.digits {", "if false {"),
        ("| (cut & ((digits.x & 1u) == 1u))", ""),
        ("select(0i, 1i, cut)", "0i"),
        ("vec2<u32>(product.y, select(0u, 1u, less64(product, high)))", "vec2<u32>(product.y, 0u)"),
        ("before = squares[0];", ""),
        ("(product.x < square[0]) | (less < borrow)", "product.x < square[0]"),
        ("square[SUM_LIMBS] = next.y;", ""),
        ("words.next << zeros, words.rest)", "words.next << zeros, 0u)"),
    ] {
        assert_eq!(text_of::<f32, _>(Std { ddof: 1 }).matches(line).count(), 1, "{line}");
        let noticed = !spread(Std { ddof: 1 }, 64, (line, other)).is_empty()
            || !spread(Variance { ddof: 1 }, 64, (line, other)).is_empty();
        assert!(noticed, "{line}: {other} goes unnoticed");
    }
}
