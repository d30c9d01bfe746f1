//! Vectors, complex numbers and element types of a program's own: every arrangement against the same elements one by one, components
//! against the numbers alone, and what is refused.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::*;
use treefold::{
    Axes, Complex, Components, Cpu, Dtype, Element, Engine, Error, Fold, Gpu, Input, Mapped, Op, OwnType, Padded,
    Partial, Result, Scalar, StreamOptions, Tuning, Vector, Wgsl, accumulator, check,
};

/// A word of a program's own, whose value is a third of it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Third(u32);

/// Three words of a program's own.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Triple([u32; 3]);

/// One of a size that kernels do not read.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Long([u32; 5]);

macro_rules! own {
    ($type:ident, $own:expr, $zero:expr, $x:ident => $pattern:expr, $of:ident => $made:expr) => {
        impl Element for $type {
            const DTYPE: Dtype = Dtype::Own(&$own);
            const ZERO: $type = $zero;
            fn pattern(self) -> u64 {
                let $x = self;
                $pattern
            }
            fn from_pattern($of: u64) -> $type {
                $made
            }
        }
    };
}

own!(Third, OwnType::new("third", 4).value("f32", "fn value(bits: u32) -> f32 { return f32(bits & 0xffffu) / 3.0; }"),
    Third(0), x => x.0.into(), bits => Third(bits as u32));
own!(Triple, OwnType::new("triple", 12).value("vec3<u32>", "fn value(bits: vec3<u32>) -> vec3<u32> { return bits >> vec3<u32>(8u); }"),
    Triple([0; 3]), x => x.0.pattern(), bits => Triple(<[u32; 3]>::from_pattern(bits)));
own!(Long, OwnType::new("long", 20), Long([0; 5]), x => x.0[0].into(), bits => Long([bits as u32; 5]));

#[test]
fn every_length_from_any_place() {
    fn of<T: Element>(shapes: &[Tuning]) {
        for shape in shapes {
            let gpu = gpu().with_tuning(*shape).expect("a launch shape");
            none(coverage::<T>(&gpu, &lengths(shape)), &gpu);
        }
        none(coverage::<T>(&gpu(), &lengths(&small())), &gpu());
    }
    of::<[f32; 3]>(&shapes());
    of::<Triple>(&odd_shapes()[..1]);
    of::<[f16; 4]>(&odd_shapes()[..1]);
    of::<[i32; 4]>(&odd_shapes()[..1]);
    of::<Complex<f64>>(&odd_shapes()[..1]);
    of::<Third>(&odd_shapes()[..1]);
    // Windows of few elements, whose borders are no multiple of 12 bytes apart.
    let gpu = small_gpu(4096);
    none(coverage::<[f32; 3]>(&gpu, &[0, 1, 63, 64, 65, 340, 341, 342, 343, 1000, 3000]), &gpu);
}

/// Elements of 12 bytes, which no other type has.
#[test]
fn rows_views_segments_and_groups_of_three_words() {
    type T = [f32; 3];
    by_odd_shapes(&[1, 2, 3, 31, 33, 64, 100, 257, 1000], |gpu, some| {
        [rows::<T, _>(gpu, &TextHash, some), rows::<T, _>(gpu, &WeightedSum, some)].concat()
    });
    let some = [
        View::of(&[300, 16], &[0]),
        View::of(&[67, 33], &[-1]),
        View::of(&[2000, 3], &[0]),
        View::of(&[9, 70, 8], &[1]),
        View::strided(5, &[20, 30], &[300, 2], &[1]),
        View::strided(2999, &[20, 50], &[-100, -2], &[0]),
    ];
    by_odd_shapes(&some, |gpu, some| {
        [views::<T, _>(gpu, &SetHash, some), views::<T, _>(gpu, &TextHash, some)].concat()
    });
    let all: [Lengths; 4] = [
        (0, vec![0]),
        (900, vec![3, 3, 4, 71, 71, 500, 899]),
        (700, (0..=230).map(|s| s * 3).collect()),
        (3000, (0..=3000).collect()),
    ];
    by_odd_shapes(&all, |gpu, some| {
        [segments::<T, _>(gpu, &SetHash, some), segments::<T, _>(gpu, &TextHash, some)].concat()
    });
    let rooms: [Room; 3] = [(1, 1, 0), (70, 33, 69), (17, 512, u32::MAX)];
    by_odd_shapes(&rooms, |gpu, some| counts::<T, _>(gpu, &SetHash, some));
    let runs_of = [vec![7u32; 300], (0..900).map(|at| at / 4).collect(), (0..70).collect()];
    by_odd_shapes(&runs_of, |gpu, some| runs::<u32, T, _>(gpu, &TextHash, some));
    let spreads: [Spread; 4] = [(0, 3, 0), (3000, 1, 1), (5000, 33, 5), (257, 8, 8)];
    by_odd_shapes(&spreads, |gpu, some| groups::<T, _>(gpu, &SetHash, some));
}

/// Whether both halves of operators are equal; of one in three of these where not every combination is wanted.
fn have_equal_halves(checks: &[fn(&Gpu) -> Result<()>]) {
    for check in one_in(3, checks) {
        check(&gpu()).expect("equal halves");
    }
}

#[test]
fn components_of_words_have_equal_halves() {
    have_equal_halves(&[
        |gpu| check::<[f32; 2], _>(gpu, &Components(Sum)),
        |gpu| check::<[f32; 3], _>(gpu, &Components(MinMax)),
        |gpu| check::<[u32; 3], _>(gpu, &Components(Product)),
        |gpu| check::<[i32; 2], _>(gpu, &Components(Sum)),
        |gpu| check::<[f32; 3], _>(gpu, &Components(FastSum)),
        |gpu| check::<[f32; 4], _>(gpu, &Components(Mean)),
        |gpu| check::<Padded<f32>, _>(gpu, &Components(ArgMax)),
        |gpu| check::<Padded<i32>, _>(gpu, &Components(Min)),
        |gpu| check::<[i32; 4], _>(gpu, &Components((Sum, Max))),
    ]);
}

#[test]
fn components_of_halves_and_doubles_have_equal_halves() {
    have_equal_halves(&[
        |gpu| check::<[f16; 4], _>(gpu, &Components(Max)),
        |gpu| check::<[f16; 2], _>(gpu, &Components(Sum)),
        |gpu| check::<Complex<f64>, _>(gpu, &Sum),
        |gpu| check::<Padded<f16>, _>(gpu, &Components(Mean)),
        |gpu| check::<Complex<f64>, _>(gpu, &Components(MinMax)),
    ]);
}

#[test]
fn complex_numbers_have_equal_halves() {
    have_equal_halves(&[
        |gpu| check::<Complex<f32>, _>(gpu, &(Sum, Mean)),
        |gpu| check::<Complex<f32>, _>(gpu, &Mean),
        |gpu| check::<Complex<f32>, _>(gpu, &Norm2),
        |gpu| check::<Complex<f32>, _>(gpu, &Sum),
        |gpu| check::<Complex<f32>, _>(gpu, &Product),
        // What takes numbers apart beside what takes whole ones.
        |gpu| check::<Complex<f32>, _>(gpu, &(Sum, Product)),
        |gpu| check::<Complex<f32>, _>(gpu, &Filtered::not_nan(Mean)),
    ]);
    let gpu = gpu();
    let error = gpu.reducer::<Complex<f64>, _>(Product).expect_err("no kernel");
    assert!(matches!(error, Error::HostOnly { dtype: "c128", .. }), "{error}");
}

/// Components, and the numbers of each place alone, at lengths around every boundary, on both engines, in a stream and in parts.
fn as_alone<V: Vector<K>, O: Op<V::Number>, const K: usize>(op: &O)
where
    O::Output: PartialEq,
{
    let (gpu, cpu) = (gpu().with_tuning(small()).expect("a launch shape"), Cpu::with_threads(2));
    let longest = 5000;
    let elements: Vec<V> = Random(K as u64).elements(longest);
    for n in [0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 513, 2047, 2048, 2049, longest] {
        let here = &elements[..n];
        let alone = |place: usize| {
            let numbers: Vec<V::Number> = here.iter().map(|x| x.numbers()[place]).collect();
            plain_fold(op, &numbers).expect("an answer")
        };
        let want: [O::Output; K] = std::array::from_fn(alone);
        let each = Components::<O, K>(op.clone());
        assert_eq!(cpu.reduce(each.clone(), here).expect("answers"), want, "{} of {n} on the CPU", V::DTYPE);
        assert_eq!(gpu.reduce(each.clone(), here).expect("answers"), want, "{} of {n} on a device", V::DTYPE);
        let front = cpu.partial_at(each.clone(), &here[..n / 3], 0);
        let bytes = cpu.partial_at(each, &here[n / 3..], (n / 3) as u64).to_bytes().expect("bytes");
        let back = Partial::<V, _>::from_bytes(Components::<O, K>(op.clone()), &bytes).expect("a partial");
        assert_eq!(front.merge(back).expect("both").finish().expect("answers"), want, "{} of {n} in parts", V::DTYPE);
    }
}

#[test]
fn components_are_the_numbers_alone() {
    as_alone::<[f32; 2], _, 2>(&Sum);
    as_alone::<[f32; 3], _, 3>(&Mean);
    as_alone::<[f32; 3], _, 3>(&ArgMax);
    as_alone::<Padded<f32>, _, 3>(&MinMax);
    as_alone::<[f32; 4], _, 4>(&Variance::default());
    as_alone::<[i32; 3], _, 3>(&Sum);
    as_alone::<Padded<u32>, _, 3>(&Max);
    as_alone::<[u32; 4], _, 4>(&Xor);
    as_alone::<[f16; 2], _, 2>(&Mean);
    as_alone::<Padded<f16>, _, 3>(&ArgMin);
    as_alone::<[f16; 4], _, 4>(&Sum);
    as_alone::<Complex<f64>, _, 2>(&Sum);
}

/// Rows, axes, segments and groups of vectors, and dense words on the device.
#[test]
fn components_of_many() {
    let gpu = gpu();
    let elements: Vec<[f32; 3]> = Random(7).elements(1200);
    let buffer = upload(&gpu, &elements);
    let mean = gpu.reducer::<[f32; 3], _>(Components(Mean)).expect("a reducer");
    let rows = mean.reduce_each(Input::from(&buffer).rows(100)).expect("rows");
    let want: Vec<_> =
        elements.chunks(100).map(|row| Cpu::new().reduce(Components(Mean), row).expect("means")).collect();
    assert_eq!(rows, want);
    assert_eq!(Cpu::new().reduce_each(Components(Mean), &elements, 100).expect("rows"), want);
    let columns =
        mean.reduce_each(Input::from(&buffer).over(Axes::of(&[12, 100], &[0]).expect("axes"))).expect("columns");
    let axes = Axes::of(&[12, 100], &[0]).expect("axes");
    assert_eq!(columns, Cpu::new().reduce_axes(Components(Mean), &elements, &axes).expect("columns"));
    let offsets = upload(&gpu, &[0u32, 3, 3, 700, 1200]);
    let segments = mean.reduce_each(Input::from(&buffer).segments(&offsets)).expect("segments");
    let of = |range: std::ops::Range<usize>| Cpu::new().reduce(Components(Mean), &elements[range]).expect("means");
    assert_eq!(segments, [of(0..3), [None; 3], of(3..700), of(700..1200)]);
    let words = recorded(&gpu, &mean, [Input::from(&buffer)]);
    let all = of(0..1200).map(|mean| mean.map_or(0, f32::to_bits));
    assert_eq!(words[0], [&all[..], &[1200]].concat());
    let keys: Vec<u32> = (0..1200).map(|at| at * 7 % 5).collect();
    let keys_there = upload(&gpu, &keys);
    let largest = gpu.reducer::<[f32; 3], _>(Components(Max)).expect("a reducer");
    let groups = largest.reduce_each(Input::from(&buffer).groups(&keys_there, 5)).expect("groups");
    for (group, found) in groups.iter().enumerate() {
        let here: Vec<[f32; 3]> =
            elements.iter().zip(&keys).filter(|&(_, &key)| key as usize == group).map(|(&x, _)| x).collect();
        assert_eq!(*found, Cpu::new().reduce(Components(Max), &here).expect("largest"));
    }
}

accumulator! {
    /// The longest vector, by the square of its length, and that vector.
    pub struct Longest { square: f32, x: f32, y: f32, z: f32 }
}

/// The longest of vectors: a lift of whole ones.
#[derive(Clone, Copy, Debug)]
struct LongestVector;

impl<V: Vector<3, Number = f32>> Fold<V> for LongestVector {
    type Acc = Longest;
    fn identity(&self) -> Longest {
        Longest { square: -1.0, x: 0.0, y: 0.0, z: 0.0 }
    }
    fn lift(&self, vector: V, _: u64) -> Longest {
        let [x, y, z] = vector.numbers();
        Longest { square: x.abs().max(y.abs()).max(z.abs()), x, y, z }
    }
    fn combine(&self, a: Longest, b: Longest) -> Longest {
        let key = |l: &Longest| [l.square, l.x, l.y, l.z].map(treefold::Scalar::key);
        if key(&a) >= key(&b) { a } else { b }
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(-1.0, 0.0, 0.0, 0.0);",
            "let v = value(bits);\nreturn Acc(max(max(abs(v.x), abs(v.y)), abs(v.z)), v.x, v.y, v.z);",
            "if a.square != b.square { return take_first(a, b, a.square > b.square); }
if a.x != b.x { return take_first(a, b, a.x > b.x); }
if a.y != b.y { return take_first(a, b, a.y > b.y); }
return take_first(a, b, a.z >= b.z);",
        )
        .helpers(
            "fn take_first(a: Acc, b: Acc, first: bool) -> Acc {
    if first { return a; }
    return b;
}",
        )
    }
}

impl<V: Vector<3, Number = f32>> Op<V> for LongestVector {
    type Fold = LongestVector;
    type Output = Option<[f32; 3]>;
    const NAME: &'static str = "longest_vector";

    fn fold(&self) -> LongestVector {
        LongestVector
    }
    fn finish(&self, acc: Longest, count: u64) -> Result<Option<[f32; 3]>> {
        Ok((count > 0).then_some([acc.x, acc.y, acc.z]))
    }
}

#[test]
fn an_operator_over_whole_vectors() {
    fn of<V: Vector<3, Number = f32>>() {
        let gpu = gpu().with_tuning(small()).expect("a launch shape");
        let elements: Vec<V> = Random(5).elements(3000);
        for n in [0, 1, 2, 3, 33, 64, 65, 1000, 3000] {
            let want = plain_fold(&LongestVector, &elements[..n]).expect("a vector");
            assert_eq!(gpu.reduce(LongestVector, &elements[..n]).expect("a vector"), want, "{n} of {}", V::DTYPE);
            assert_eq!(Cpu::new().reduce(LongestVector, &elements[..n]).expect("a vector"), want, "{n}");
        }
    }
    of::<[f32; 3]>();
    of::<Padded<f32>>();
}

#[test]
fn functions_and_conditions_take_whole_vectors() {
    let gpu = gpu();
    let size =
        Mapped::new("return x.x + x.y + x.z;", |[x, y, z]: [i32; 3]| x.wrapping_add(y).wrapping_add(z), (Sum, ArgMax));
    check::<[i32; 3], _>(&gpu, &size).expect("equal halves");
    let size = Mapped::new("return x.x ^ x.w;", |x: [u32; 4]| x[0] ^ x[3], Sum);
    check::<[u32; 4], _>(&gpu, &size).expect("equal halves");
    let size = Mapped::new("return x.y - x.z;", |x: Padded<i32>| x.numbers[1].wrapping_sub(x.numbers[2]), Max);
    check::<Padded<i32>, _>(&gpu, &size).expect("equal halves");
    let third = Mapped::new("return x;", |x: Third| (x.0 & 0xffff) as f32 / 3.0, MinMax).within(1e-3, 1e-6);
    check::<Third, _>(&gpu, &third).expect("equal halves");
    let triple = Mapped::new("return x.x + x.z;", |x: Triple| (x.0[0] >> 8) + (x.0[2] >> 8), Sum);
    check::<Triple, _>(&gpu, &triple).expect("equal halves");
    let odd = Filtered::new("return (x.y & 1) == 1;", |x: [i32; 2]| x[1] & 1 == 1, Components(Sum));
    check::<[i32; 2], _>(&gpu, &odd).expect("equal halves");
    let few = Filtered::new("return x.x < 7u;", |x: Triple| x.0[0] >> 8 < 7, triple.clone());
    check::<Triple, _>(&gpu, &(few, triple)).expect("equal halves");
    let halves: Vec<[f16; 2]> = Random(1).elements(1000);
    // Every f16 has the number that it has on the host, subnormals and infinities too.
    let every: Vec<[f16; 2]> = (0..=u16::MAX).map(|bits| [f16::from_bits(bits), f16::ONE]).collect();
    let every: Vec<[f16; 2]> = every.into_iter().filter(|x| !x[0].is_nan()).collect();
    let bits = Mapped::new(
        "return bitcast<u32>(x.x) * 0x9e3779b1u;",
        |x: [f16; 2]| x[0].to_f32().to_bits().wrapping_mul(0x9e37_79b1),
        (Sum, Xor),
    );
    assert_eq!(gpu.reduce(bits.clone(), &every).expect("all"), Cpu::new().reduce(bits, &every).expect("all"));
    let product = Mapped::new("return x.x * x.y;", |x: [f16; 2]| x[0].to_f32() * x[1].to_f32(), Max);
    let want = Cpu::new().reduce(product.clone(), &halves).expect("a product");
    assert_eq!(gpu.reduce(product, &halves).expect("a product"), want);
}

#[test]
fn streams_of_either_engine() {
    let elements: Vec<Complex<f32>> = Random(3).elements(70_001);
    let want = Cpu::new().reduce((Sum, Norm2), &elements).expect("answers");
    for engine in [Engine::Gpu(gpu()), Engine::Cpu(Cpu::with_threads(2))] {
        let mut options = StreamOptions::default();
        options.memory_bytes = 1 << 20;
        let mut stream = engine.stream((Sum, Norm2), &options).expect("a stream");
        elements.chunks(777).try_for_each(|part| stream.push(part)).expect("elements");
        assert_eq!(stream.finish().expect("answers").output, want);
    }
    // As two arrays of real numbers.
    let [re, im] = [0, 1].map(|part| elements.iter().map(|z| z.numbers()[part]).collect::<Vec<f32>>());
    let cpu = Cpu::new();
    let sums = (cpu.reduce(Sum, &re).expect("a sum"), cpu.reduce(Sum, &im).expect("a sum"));
    assert_eq!((want.0.re, want.0.im), sums);
    assert_eq!(want.1, cpu.reduce(Norm2, &[re, im].concat()).expect("a norm"));
}

#[test]
fn products_of_complex_numbers() {
    let cpu = Cpu::new();
    let z = |re: f32, im: f32| Complex { re, im };
    let i = z(0.0, 1.0);
    assert_eq!(cpu.reduce(Product, &[i; 4]).expect("a product"), z(1.0, 0.0));
    let scaled =
        cpu.reduce(Product, &[z(1e30, 1e30), z(1e30, -1e30), z(1e-30, 0.0), z(1e-30, 0.0)]).expect("a product");
    assert!((scaled.re - 2.0).abs() < 1e-6 && scaled.im == 0.0, "{scaled:?}");
    let far = vec![z(1.5, 2.0); 100_000];
    assert!(cpu.reduce(Product, &far).expect("a product").re.is_infinite());
    // A part that is 0 stays so, however large the other.
    let real = cpu.reduce(Product, &[Complex { re: 1e300, im: 0.0 }; 9]).expect("a product");
    assert_eq!(real, Complex { re: f64::INFINITY, im: 0.0 });
    assert_eq!(cpu.reduce(Product, &[z(1e38, 0.0); 60]).expect("a product"), z(f32::INFINITY, 0.0));
    let back: Vec<_> =
        far.iter().copied().chain(far.iter().map(|z| Complex { re: z.re / 6.25, im: -z.im / 6.25 })).collect();
    let one = cpu.reduce(Product, &back).expect("a product");
    assert!((one.re - 1.0).abs() < 0.05 && one.im.abs() < 0.05, "{one:?}");
    assert_eq!(
        cpu.reduce(Product, &[z(f32::MIN_POSITIVE / 4.0, 0.0), z(4.0, 0.0)]).expect("a product"),
        z(f32::MIN_POSITIVE, 0.0)
    );
    assert_eq!(cpu.reduce(Product, &[z(0.0, -0.0), z(4.0, 1.0)]).expect("a product"), z(0.0, 0.0));
    assert!(cpu.reduce(Product, &[z(0.0, f32::INFINITY), z(0.0, 0.0)]).expect("a product").re.is_nan());
    let wide = cpu.reduce(Product, &[Complex { re: 1e300, im: 1e300 }, Complex { re: 1e-300f64, im: 0.0 }]);
    assert!((wide.expect("a product").im - 1.0).abs() < 1e-15);
    let none: &[Complex<f64>] = &[];
    assert_eq!(cpu.reduce(Product, none).expect("a product"), Complex { re: 1.0, im: 0.0 });
}

#[test]
fn what_is_refused() {
    let gpu = gpu();
    let error = gpu.reducer::<Long, _>(SetHash).expect_err("too long");
    assert!(matches!(error, Error::BadElement { dtype: "long", bytes: 20, .. }), "{error}");
    // Partials of other types.
    let bytes = Cpu::new().partial(TextHash, &[Third(1)]).to_bytes().expect("bytes");
    let error = Partial::<u32, _>::from_bytes(TextHash, &bytes).expect_err("another type");
    assert!(error.to_string().contains("third") && error.to_string().contains("u32"), "{error}");
    // One operator over two types has two kernels.
    let third = Mapped::new("return x;", |x: Third| (x.0 & 0xffff) as f32 / 3.0, Max);
    assert_eq!(gpu.reduce(third, &[Third(3), Third(9)]).expect("a maximum"), Some(3.0));
    let plain = Mapped::new("return f32(x);", |x: u32| x as f32, Max);
    assert_eq!(gpu.reduce(plain, &[3, 9]).expect("a maximum"), Some(9.0));
    let buffer = upload(&gpu, &[0u32; 4]);
    let hash = gpu.reducer::<Triple, _>(SetHash).expect("a reducer");
    let error = hash.reduce(&buffer).expect_err("no whole elements");
    assert!(matches!(error, Error::Misaligned { offset_bytes: 16, multiple: 12, .. }), "{error}");
    let error = gpu.reducer::<Complex<f32>, _>(Components(Mapped::new("return x;", |x: f32| x, Sum)));
    let error = error.map(|_| ()).expect_err("no map of a map");
    assert!(matches!(error, Error::HostOnly { .. }), "{error}");
}

/// Two types of one name, whose texts differ, do not share a pipeline.
#[test]
fn types_of_one_name_are_two() {
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(transparent)]
    struct Half(u32);
    own!(Half, OwnType::new("third", 4).value("f32", "fn value(bits: u32) -> f32 { return f32(bits) / 2.0; }"),
        Half(0), x => x.0.into(), bits => Half(bits as u32));
    let gpu = gpu();
    let third = gpu.reduce(Mapped::new("return x;", |x: Third| x.0 as f32 / 3.0, Max), &[Third(6)]).expect("a maximum");
    let half = gpu.reduce(Mapped::new("return x;", |x: Half| x.0 as f32 / 2.0, Max), &[Half(6)]).expect("a maximum");
    assert_eq!((third, half), (Some(2.0), Some(3.0)));
    let third = Filtered::new("return x > 2.0;", |x: Third| x.0 as f32 / 3.0 > 2.0, SetHash);
    let half = Filtered::new("return x > 2.0;", |x: Half| x.0 as f32 / 2.0 > 2.0, SetHash);
    assert_eq!(gpu.reduce(third, &[Third(6)]).expect("a hash").left_out, 1);
    assert_eq!(gpu.reduce(half, &[Half(6)]).expect("a hash").left_out, 0);
}

/// Types whose texts are wrong, each in its own way.
mod wrong {
    use super::*;

    macro_rules! wrong {
        ($($name:ident: $text:literal;)+) => {$(
            #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
            #[repr(transparent)]
            pub struct $name(u32);
            own!($name, OwnType::new(stringify!($name), 4).value("f32", $text), $name(0), x => x.0.into(), bits => $name(bits as u32));
        )+};
    }

    wrong! {
        Loops: "fn value(bits: u32) -> f32 { var x = 0.0; for (var i = 0u; i < bits; i++) { x += 1.0; } return x; }";
        Reserved: "fn load(bits: u32) -> f32 { return 0.0; }\nfn value(bits: u32) -> f32 { return load(bits); }";
        Broken: "fn value(bits: u32) -> f32 {\n    return bits;\n}";
    }
}

#[test]
fn texts_of_elements_are_looked_at() {
    let gpu = gpu();
    fn of<T: Element>(gpu: &Gpu) -> Error {
        let op = Mapped::new("return x;", |_: T| 0.0f32, Max);
        gpu.reduce(op, &[T::ZERO]).expect_err("a wrong text")
    }
    let error = of::<wrong::Loops>(&gpu);
    assert!(matches!(error, Error::UndeclaredLoop { function: "a function of the element type", .. }), "{error}");
    let error = of::<wrong::Reserved>(&gpu);
    assert!(matches!(&error, Error::ReservedName { name, .. } if name == "load"), "{error}");
    let error = of::<wrong::Broken>(&gpu);
    assert!(matches!(&error, Error::BadWgsl { piece, line: 1..=2, .. } if piece == "`the element type`"), "{error}");
}

/// Whole numbers by sign and magnitude, of which one magnitude is no number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Magnitude(u32);

const NO_NUMBER: u32 = 0x7fff_ffff;

own!(Magnitude, OwnType::new("magnitude", 4).value("f32", "fn value(bits: u32) -> f32 {
    let size = f32(bits & 0x7fffffffu);
    return select(size, -size, bits >> 31u == 1u);
}
fn is_nan(bits: u32) -> bool { return (bits & 0x7fffffffu) == 0x7fffffffu; }
fn is_zero(bits: u32) -> bool { return (bits & 0x7fffffffu) == 0u; }
fn key(bits: u32) -> u32 { return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u); }
fn unkey(k: u32) -> u32 { return select(~k, k & 0x7fffffffu, k >> 31u == 1u); }
fn tie(k: u32) -> u32 { return select(k, 0x80000000u, k == 0x7fffffffu); }
"), Magnitude(0), x => x.0.into(), bits => Magnitude(bits as u32));

impl std::fmt::Display for Magnitude {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.0 >> 31 == 1 { "-" } else { "" }, self.0 & NO_NUMBER)
    }
}

impl Scalar for Magnitude {
    type Key = u32;
    const NAN: Option<Self> = Some(Magnitude(NO_NUMBER));
    fn is_nan(self) -> bool {
        self.0 & NO_NUMBER == NO_NUMBER
    }
    fn key(self) -> u32 {
        if self.0 >> 31 == 1 { !self.0 } else { self.0 | 0x8000_0000 }
    }
    fn unkey(key: u32) -> Self {
        Magnitude(if key >> 31 == 1 { key & NO_NUMBER } else { !key })
    }
    fn tie(key: u32) -> u32 {
        if key == NO_NUMBER { 0x8000_0000 } else { key }
    }
}

/// Places of extremes go by what an own type says of its order, alone and beside others.
#[test]
fn an_own_order() {
    let gpu = gpu();
    let of = |bits: &[u32]| bits.iter().cycle().take(300).map(|&x| Magnitude(x)).collect::<Vec<_>>();
    // These would be no numbers as f32, and 0xffffffff and 0x7fffffff are none here.
    let numbers = of(&[0x7f90_0000, 0, 0x8000_0000, 0xff90_0000, 5]);
    let some = of(&[7, 3, 0xffff_ffff, 0x7fff_ffff]);
    let zeros = of(&[0x8000_0000, 0, 0]);
    for elements in [numbers, some, zeros] {
        let want = Cpu::with_threads(1).reduce((ArgMin, ArgMax, ArgMinLast, ArgMaxLast), &elements).expect("places");
        assert_eq!(gpu.reduce((ArgMin, ArgMax, ArgMinLast, ArgMaxLast), &elements).expect("places"), want);
        let alone =
            (gpu.reduce(ArgMin, &elements).expect("a place"), gpu.reduce(ArgMaxLast, &elements).expect("a place"));
        assert_eq!(alone, (want.0, want.3));
    }
    check::<Magnitude, _>(&gpu, &(ArgMin, ArgMaxLast, CountNan)).expect("equal halves");
}
