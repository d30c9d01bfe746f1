//! Numbers with a mask beside them: every arrangement, from two buffers and from one of both, against the fold of those that count.

use crate::common::*;
use std::fmt::Debug;
use std::iter::zip;
use treefold::half::{bf16, f16};
use treefold::ops::{
    ArgMax, CountIf, FastSum, Filtered, Histogram, Kept, Max, Mean, MinMax, Numbers, Stats, Sum, Variance,
};
use treefold::{
    Answer, Axes, Cpu, Engine, Error, Flaggable, Flagged, Fold, Gpu, Input, Mask, MaskedSlice, Op, Partial, Reducer,
    StreamOptions, check, wgpu,
};

/// Numbers and whether they count: some, none and all of neighbours, and NaN among both where there is one.
struct Given<T> {
    values: Vec<T>,
    mask: Vec<bool>,
}

fn given<T: Flaggable>(n: usize) -> Given<T> {
    let (mut random, mut lasting, mut kind) = (Random(n as u64), 0, 0);
    let numbers = [T::ZERO, one(), from_bits(0x4040_0000), from_bits(0x4000_0000)];
    let mut given = Given { values: vec![], mask: vec![] };
    for _ in 0..n {
        if lasting == 0 {
            (kind, lasting) = (random.below(4), 1 + random.below(70));
        }
        lasting -= 1;
        given.values.push(numbers[random.below(4) as usize]);
        given.mask.push(if kind < 2 { random.below(3) > 0 } else { kind == 2 });
    }
    given
}

impl<T: Flaggable> Given<T> {
    /// Bytes of flags, of which any bit is set where one counts, behind so many others.
    fn bytes(&self, behind: usize) -> Vec<u8> {
        let flags = self.mask.iter().enumerate().map(|(i, &counts)| if counts { 1 << (i % 8) } else { 0 });
        (0..behind).map(|i| i as u8).chain(flags).collect()
    }

    /// Bits of flags behind so many others.
    fn bits(&self, behind: usize) -> Vec<u8> {
        let flags: Vec<bool> = (0..behind).map(|i| i % 3 == 0).chain(self.mask.iter().copied()).collect();
        flags.chunks(8).map(|eight| zip(0.., eight).map(|(i, &flag)| u8::from(flag) << i).sum()).collect()
    }

    fn flagged(&self) -> Vec<Flagged<T>> {
        zip(&self.values, &self.mask).map(|(&value, &counts)| Flagged::new(value, counts)).collect()
    }

    /// The answer over those that count of these elements, given with their positions.
    fn want<O: Op<T::Wide>>(&self, op: &O, elements: impl Iterator<Item = (usize, u64)>) -> Kept<O::Output> {
        let fold = op.fold();
        let (mut acc, mut passed, mut left_out) = (fold.identity(), 0, 0);
        for (e, position) in elements {
            if self.mask[e] {
                passed += 1;
                fold.add(&mut acc, self.values[e].wide(), position);
            } else {
                left_out += 1;
            }
        }
        Kept { answer: op.finish(acc, passed).expect("an answer"), left_out }
    }

    /// The same of a list of elements each, positions counted in it.
    fn wants<O: Op<T::Wide>>(&self, op: &O, lists: impl Iterator<Item = Vec<usize>>) -> Vec<Kept<O::Output>> {
        lists.map(|list| self.want(op, zip(list, 0..))).collect()
    }
}

/// An operator on a device, and numbers there: with a mask of bytes, with one of bits, and in one buffer with their flags.
struct Placed<'a, T: Flaggable, O: Op<T::Wide, Output: Answer>> {
    given: &'a Given<T>,
    op: O,
    behind: usize,
    reducer: Reducer<Flagged<T>, Filtered<treefold::ops::Flags, treefold::Mapped<treefold::ops::Values, O>>>,
    buffers: [wgpu::Buffer; 4],
}

impl<'a, T: Flaggable, O: Op<T::Wide, Output: Answer + PartialEq + Debug>> Placed<'a, T, O> {
    fn new(gpu: &Gpu, op: O, given: &'a Given<T>, behind: usize) -> Self {
        let reducer = gpu.reducer(Filtered::masked(op.clone())).expect("a reducer");
        let buffers = [
            upload(gpu, &given.values),
            upload(gpu, &given.bytes(behind)),
            upload(gpu, &given.bits(behind)),
            upload(gpu, &given.flagged()),
        ];
        Placed { given, op, behind, reducer, buffers }
    }

    /// Elements of a range, from two buffers and from one.
    fn inputs(&self, from: usize, to: usize) -> [(&'static str, Input<'_, Flagged<T>>); 3] {
        let [values, bytes, bits, flagged] = &self.buffers;
        let range = from as u64..to as u64;
        let flags = (self.behind + from) as u64..(self.behind + to) as u64;
        let (bytes, bits) = (Mask::bytes(bytes).range(flags.clone()), Mask::bits(bits).range(flags));
        [
            ("bytes", Input::masked(Input::range(values, range.clone()), bytes).expect("masked")),
            ("bits", Input::masked(Input::range(values, range.clone()), bits).expect("masked")),
            ("flagged", Input::range(flagged, range)),
        ]
    }

    /// Whole inputs of these lengths.
    fn whole(&self, lengths: &[usize]) {
        for (at, &n) in lengths.iter().enumerate() {
            let from = at % 11;
            let want = self.given.want(&self.op, zip(from..from + n, 0..));
            for (how, input) in self.inputs(from, from + n) {
                let got = self.reducer.reduce(input).expect("an answer");
                assert_eq!(got, want, "{} of {} from {from}, {how}", n, T::DTYPE);
            }
        }
    }

    /// Rows and columns of all elements, and segments.
    fn parts(&self, segments: bool) {
        let n = self.given.values.len() / 96 * 96;
        let grid = |rows: usize, axes: &[i64]| Axes::of(&[rows as u64, (n / rows) as u64], axes).expect("axes");
        let rows_of = |length: usize| (0..n / length).map(move |row| (row * length..(row + 1) * length).collect());
        let columns_of = |columns: usize| (0..columns).map(move |column| (column..n).step_by(columns).collect());
        let ends = [0, 0, 1, 1, 40, 41, 300, n / 2, n / 2, n - 3, n];
        let offsets: Vec<u64> = ends.iter().map(|&end| end as u64).collect();
        let of_segments = ends.windows(2).map(|pair| (pair[0]..pair[1]).collect());
        let wants = [
            ("short rows", self.given.wants(&self.op, rows_of(12))),
            ("rows", self.given.wants(&self.op, rows_of(n / 3))),
            ("columns", self.given.wants(&self.op, columns_of(32))),
            ("segments", self.given.wants(&self.op, of_segments)),
        ];
        for (what, want) in wants.into_iter().filter(|(what, _)| segments || *what != "segments") {
            for (how, input) in self.inputs(0, n) {
                let each = match what {
                    "short rows" => input.rows(12),
                    "rows" => input.rows(n as u64 / 3),
                    "columns" => input.over(grid(n / 32, &[0])),
                    _ => input.segments(&offsets[..]),
                };
                assert_eq!(self.reducer.reduce_each(each).expect("answers"), want, "{what} of {}, {how}", T::DTYPE);
            }
        }
    }

    /// Groups of all elements by these keys.
    fn groups(&self, gpu: &Gpu, groups: u64) {
        let n = self.given.values.len();
        let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).map(|key| key % 9).collect();
        let placed = upload(gpu, &keys);
        let of =
            |group: u64| (0..n).filter(|&e| u64::from(keys[e]) == group).map(|e| (e, e as u64)).collect::<Vec<_>>();
        let want: Vec<_> = (0..groups).map(|group| self.given.want(&self.op, of(group).into_iter())).collect();
        for (how, input) in self.inputs(0, n) {
            let got = self.reducer.reduce_each(input.groups(&placed, groups)).expect("answers");
            assert_eq!(got, want, "groups of {}, {how}", T::DTYPE);
        }
    }
}

const LENGTHS: &[usize] = &[0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 63, 64, 65, 100, 255, 257, 800, 1537, 2900];

#[test]
fn whole_inputs() {
    for shape in [small(), small().with(|tuning| tuning.subgroups = false)] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        Placed::new(&gpu, TextHash, &given::<f32>(3000), 0).whole(LENGTHS);
        Placed::new(&gpu, WeightedSum, &given::<u8>(3000), 5).whole(LENGTHS);
        Placed::new(&gpu, (Sum, ArgMax), &given::<f32>(3000), 13).whole(LENGTHS);
    }
    let gpu = gpu();
    Placed::new(&gpu, (FastSum, CountIf { compare: "> 1".parse().expect("a comparison") }), &given::<f32>(3000), 1)
        .whole(LENGTHS);
    Placed::new(&gpu, Mean, &given::<u8>(3000), 3).whole(LENGTHS);
    Placed::new(&gpu, MinMax, &given::<i8>(3000), 8).whole(LENGTHS);
    Placed::new(&gpu, TextHash, &given::<i16>(3000), 31).whole(LENGTHS);
    Placed::new(&gpu, Sum, &given::<u16>(3000), 32).whole(LENGTHS);
    Placed::new(&gpu, Sum, &given::<bf16>(3000), 33).whole(LENGTHS);
    Placed::new(&gpu, (Sum, Max), &given::<f16>(3000), 7).whole(LENGTHS);
    Placed::new(&gpu, (Sum, ArgMax), &given::<f64>(3000), 300).whole(LENGTHS);
    Placed::new(&gpu, TextHash, &given::<i64>(3000), 2100).whole(LENGTHS);
    Placed::new(&gpu, Variance::default(), &given::<i32>(3000), 9).whole(LENGTHS);
    Placed::new(&gpu, Sum, &given::<u64>(3000), 64).whole(LENGTHS);
    Placed::new(&gpu, TextHash, &given::<u32>(3000), 11).whole(LENGTHS);
    Placed::new(&gpu, Histogram::new(9, 0.0, 4.0).expect("a range"), &given::<f32>(3000), 2).whole(LENGTHS);
}

#[test]
fn rows_columns_and_segments() {
    for shape in [small(), small().with(|tuning| tuning.subgroups = false)] {
        let gpu = gpu().with_tuning(shape).expect("a launch shape");
        Placed::new(&gpu, TextHash, &given::<f32>(2900), 3).parts(true);
        Placed::new(&gpu, WeightedSum, &given::<u8>(2900), 9).parts(true);
    }
    let gpu = gpu();
    Placed::new(&gpu, Sum, &given::<f32>(2900), 2).parts(true);
    Placed::new(&gpu, Max, &given::<f64>(2900), 1).parts(true);
    Placed::new(&gpu, (Sum, MinMax), &given::<i16>(2900), 17).parts(true);
}

#[test]
fn groups_by_keys() {
    let gpu = gpu();
    Placed::new(&gpu, Sum, &given::<f32>(3000), 4).groups(&gpu, 9);
    Placed::new(&gpu, (Sum, Max), &given::<u32>(3000), 7).groups(&gpu, 8);
    Placed::new(&gpu, Sum, &given::<u8>(3000), 0).groups(&gpu, 9);
    Placed::new(&gpu, ArgMax, &given::<i64>(3000), 21).groups(&gpu, 7);
}

/// Bindings that hold a part of the numbers, or a part of the flags alone.
#[test]
fn short_bindings() {
    let gpu = small_gpu(1 << 12).with_tuning(small()).expect("a launch shape");
    Placed::new(&gpu, TextHash, &given::<u8>(20_000), 4099).whole(&[4095, 4096, 4100, 9000, 19_000]);
    Placed::new(&gpu, TextHash, &given::<f32>(20_000), 77).whole(&[1023, 1024, 1030, 4097, 19_000]);
    Placed::new(&gpu, WeightedSum, &given::<f32>(9000), 30_001).parts(false); // offsets want a fifth buffer
}

#[test]
fn several_inputs_as_one() {
    let gpu = gpu().with_tuning(small()).expect("a launch shape");
    let all = given::<f32>(900);
    let placed = Placed::new(&gpu, TextHash, &all, 6);
    for kind in 0..3 {
        let part = |from, to| placed.inputs(from, to)[kind].1.clone();
        let both = Input::concat([part(3, 500), part(500, 500), part(500, 901 - 7)]);
        assert_eq!(placed.reducer.reduce(both).expect("an answer"), all.want(&TextHash, zip(3..894, 0..)));
    }
    // One mask over numbers of several buffers.
    let ([values, bytes, ..], whole) = (&placed.buffers, 0..900);
    let more = Input::concat([Input::range(values, 0..100), Input::range(values, 100..900)]);
    let more = Input::masked(more, Mask::bytes(bytes).range(6..906)).expect("masked");
    assert_eq!(placed.reducer.reduce(more).expect("an answer"), all.want(&TextHash, zip(whole, 0..)));
    let mixed = Input::concat([placed.inputs(0, 9)[0].1.clone(), placed.inputs(9, 20)[1].1.clone()]);
    assert!(matches!(placed.reducer.reduce(mixed), Err(Error::MixedPairs)));
    let mixed = Input::concat([placed.inputs(0, 9)[0].1.clone(), placed.inputs(9, 20)[2].1.clone()]);
    assert!(matches!(placed.reducer.reduce(mixed), Err(Error::MixedPairs)));
}

/// What counts by its flag and by its number.
#[test]
fn conditions_on_numbers_too() {
    let gpu = gpu();
    let numbers = Numbers { not_nan: true, compare: Some("!= 3".parse().expect("a comparison")) };
    let all = given::<f32>(3000);
    let mut hidden = Given { values: all.values.clone(), mask: all.mask.clone() };
    hidden.values.iter_mut().step_by(7).for_each(|x| *x = f32::NAN);
    let reducer = gpu.reducer::<Flagged<f32>, _>(Filtered::masked((Sum, ArgMax)).and(numbers)).expect("a reducer");
    let (values, bytes) = (upload(&gpu, &hidden.values), upload(&gpu, &hidden.bytes(0)));
    let got = reducer.reduce(Input::masked(&values, Mask::bytes(&bytes)).expect("masked")).expect("an answer");
    let pass = zip(&hidden.values, &hidden.mask).map(|(&x, &counts)| counts && !x.is_nan() && x != 3.0).collect();
    let want = Given { values: hidden.values, mask: pass }.want(&(Sum, ArgMax), zip(0..3000, 0..));
    assert_eq!(got, want);

    let all = given::<f64>(700);
    let reducer = gpu.reducer::<Flagged<f64>, _>(Filtered::masked(Max).and(numbers)).expect("a reducer");
    let (values, bits) = (upload(&gpu, &all.values), upload(&gpu, &all.bits(0)));
    let got = reducer.reduce(Input::masked(&values, Mask::bits(&bits)).expect("masked")).expect("an answer");
    let pass = zip(&all.values, &all.mask).map(|(&x, &counts)| counts && x != 3.0).collect();
    assert_eq!(got, Given { values: all.values, mask: pass }.want(&Max, zip(0..700, 0..)));
}

#[test]
fn both_halves_agree() {
    let gpu = gpu();
    check::<Flagged<f32>, _>(&gpu, &Filtered::masked((Sum, ArgMax))).expect("halves that agree");
    check::<Flagged<i8>, _>(&gpu, &Filtered::masked(MinMax)).expect("halves that agree");
    check::<Flagged<u64>, _>(&gpu, &Filtered::masked(Sum)).expect("halves that agree");
}

/// On every engine from two slices, in parts and merged from partials.
#[test]
fn slices_of_the_host() {
    let all = given::<f32>(200_000);
    let op = || Filtered::masked((Stats::default(), Sum));
    let want = all.want(&(Stats::default(), Sum), zip(0..200_000, 0..));
    let (bytes, bits) = (all.bytes(0), all.bits(0));
    let two = [MaskedSlice::bytes(&all.values, &bytes), MaskedSlice::bits(&all.values, &bits)];
    for engine in [Engine::Cpu(Cpu::with_threads(2)), Engine::Gpu(gpu())] {
        for slice in two.clone() {
            let slice = slice.expect("as many flags");
            let got = engine.reduce_from(op(), &slice, 0..200_000).expect("an answer");
            assert_eq!((got.left_out, got.answer.1), (want.left_out, want.answer.1), "{engine:?}");
            assert_eq!(format!("{:?}", got.answer.0), format!("{:?}", want.answer.0), "{engine:?}");
            let tail = engine.reduce_from(op(), &slice, 100_003..200_000).expect("an answer");
            assert_eq!(tail.answer.1, all.want(&Sum, zip(100_003..200_000, 0..)).answer);
            let mut stream = engine.stream(op(), &StreamOptions::default()).expect("a stream");
            let error = stream.push_from(&slice, 199_999..200_002).expect_err("past the end");
            assert!(matches!(error, Error::Unreadable { .. }), "{error}");
        }
    }
    let flagged = all.flagged();
    let (a, b) = flagged.split_at(70_000);
    let cpu = Cpu::new();
    let bytes = cpu.partial_at(op(), b, 70_000).to_bytes().expect("bytes");
    let merged = cpu.partial_at(op(), a, 0).merge(Partial::from_bytes(op(), &bytes).expect("the same"));
    let got = merged.and_then(|all| all.finish()).expect("an answer");
    assert_eq!((got.left_out, got.answer.1), (want.left_out, want.answer.1));
    // A partial of all is another operator's.
    let other = Filtered::masked((Stats::default(), Sum)).and(Numbers { not_nan: true, compare: None });
    assert!(matches!(Partial::<Flagged<f32>, _>::from_bytes(other, &bytes), Err(Error::BadPartial { .. })));
}

#[test]
fn masks_that_do_not_fit_are_errors() {
    let gpu = gpu();
    let (values, mask) = (upload(&gpu, &[1.0f32; 12]), upload(&gpu, &[1u8; 8]));
    let error = Input::<Flagged<f32>>::masked(&values, Mask::bytes(&mask)).expect_err("too short");
    assert!(matches!(error, Error::MaskTooShort { elements: 12, flags: 8 }), "{error}");
    assert!(Input::<Flagged<f32>>::masked(&values, Mask::bits(&mask)).is_ok());
    let error = Input::<Flagged<f32>>::masked(&values, Mask::bits(&mask).range(60..72)).expect_err("past the end");
    assert!(matches!(error, Error::OutOfRange { what: "the mask", begin: 7, size_bytes: 8, .. }), "{error}");
    let descriptor = wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let copied = gpu.device().create_buffer(&descriptor);
    let error = Input::<Flagged<f32>>::masked(&values, Mask::bytes(&copied)).expect_err("no storage");
    assert!(matches!(error, Error::MissingUsage { what: "the mask", .. }), "{error}");
    let error = MaskedSlice::bytes(&[1.0f32; 12], &[1; 11]).expect_err("too short");
    assert_eq!(
        error.to_string(),
        "the mask has 11 flags for 12 elements; give a flag for each, or a range of the elements"
    );
}
