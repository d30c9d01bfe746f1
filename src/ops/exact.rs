//! Terms of the exact operators: how each kind of element becomes part of a wide integer, in WGSL and in Rust.

use super::factors::RaisedTo;
use crate::element::Columns;
use crate::exact::{
    LongAccumulator, PRODUCTS_F64, Unpacked, flag, squares_f32, squares_f64, sum_f32, sum_f64, sums_of_columns,
};
use crate::half::f16;
use crate::op::{Bins, Device, Keep, LINES_MAX, Member, Text, Trips, Wgsl, unroll};
use crate::{Accumulator, Dtype, Element};

/// The terms of a sum: elements, products of pairs, or squares.
pub trait Terms<T: Element> {
    /// Limbs of the accumulator.
    const LIMBS: u64;
    /// The exponent of the accumulator's unit.
    const UNIT: i32;
    /// The accumulator.
    type Acc: Accumulator;
    /// The sum of a slice.
    fn sum(elements: &[T]) -> Self::Acc;
    /// The sums of columns, behind those that there are; where they have a way of their own, which it says.
    fn sum_columns(columns: &Columns<'_, T>, sums: &mut Vec<Self::Acc>) -> bool {
        let _ = (columns, sums);
        false
    }
    /// The kernel.
    fn device(keep: Keep) -> Device;
    /// The kernel over elements that are read as wider ones: `read` is their own type.
    fn device_over(keep: Keep, _read: Dtype) -> Device {
        Self::device(keep)
    }
}

const ACCUMULATOR: &str = include_str!("../../shaders/exact/accumulator.wgsl");
const NARROW: &str = include_str!("../../shaders/exact/narrow.wgsl");
const SCATTER: &str = include_str!("../../shaders/exact/scatter.wgsl");
pub(super) const SCATTER_128: &str = include_str!("../../shaders/exact/scatter128.wgsl");
const STATE_BINS: &str = include_str!("../../shaders/exact/state_bins.wgsl");
const OWN: &str = include_str!("../../shaders/exact/own.wgsl");
const PRODUCT: &str = include_str!("../../shaders/exact/product.wgsl");
pub(super) const PRODUCT_FLAGS: &str = include_str!("../../shaders/exact/product_flags.wgsl");
const DOUBLE_FLAGS: &str = include_str!("../../shaders/exact/f64_flags.wgsl");
const LINKED: &str = include_str!("../../shaders/exact/linked.wgsl");
const FLOAT64: &str = include_str!("../../shaders/exact/float64_window.wgsl");
const SIZE_F64: &str = include_str!("../../shaders/exact/f64_size.wgsl");
const SIZES_F64: &str = include_str!("../../shaders/exact/f64_sizes.wgsl");
const ONE_BY_ONE: &str = include_str!("../../shaders/exact/float64_vector.wgsl");
const IN_SUMS: &str = include_str!("../../shaders/exact/float64_vectors.wgsl");
const SIZES_F32: &str = include_str!("../../shaders/exact/float64_sizes.wgsl");
const LEVELS: &str = include_str!("../../shaders/exact/float64_levels.wgsl");
const ONE_SUM: &str = include_str!("../../shaders/exact/float64_sum.wgsl");
const PRODUCT_NUMBER: &str = include_str!("../../shaders/exact/product_number.wgsl");
const COLUMN_LIMBS: &str = include_str!("../../shaders/exact/column_limbs.wgsl");
const COLUMNS: &str = include_str!("../../shaders/exact/columns.wgsl");
pub(super) const IN_TURN: &str = include_str!("../../shaders/vector/words_in_turn.wgsl");
const WHOLE_32: &str = include_str!("../../shaders/exact/whole32.wgsl");
const WHOLE_64: &str = include_str!("../../shaders/exact/whole64.wgsl");
pub(super) const SQUARE_64: &str = include_str!("../../shaders/exact/square64.wgsl");
const CUBE_32: &str = include_str!("../../shaders/exact/cube32.wgsl");
pub(super) const PAIRS: &str = include_str!("../../shaders/vector/pairs.wgsl");

/// Bins of a workgroup: their texts, their number, and the limbs that they reach.
fn bins(replicas: u32, limbs: u64, read: Vec<&'static str>, bins: u64, columns: u64) -> Bins {
    Bins {
        constants: format!("const COLUMNS = {columns}u;\n"),
        helpers: vec![ACCUMULATOR],
        settle: Some(include_str!("../../shaders/exact/settle.wgsl")),
        read: read.into_iter().map(Into::into).collect(),
        settle_bins: include_str!("../../shaders/exact/settle_bins.wgsl"),
        settle_columns: Some(include_str!("../../shaders/exact/settle_columns.wgsl")),
        bins,
        replicas,
        slices: 0,
        wide: true,
        words: 1,
        signed: true,
        columns,
        carries: true,
        vector_trips: 0,
        trips: (0, limbs, 4),
        elements_max: u64::MAX,
        more_loads: false,
        float64: None,
        pairs: false,
        many_by_value: false,
        narrow: false,
    }
}

/// Bins of so many limbs that all invocations carry them, where answers take a narrow sum.
fn narrow_bins(mut bins: Bins) -> Bins {
    bins.helpers.push(NARROW);
    let (element, settle, column) = bins.trips;
    // Each limb twice, and the words in which a carry is looked for.
    Bins { narrow: true, trips: (element, 6 * settle, column), ..bins }
}

/// Bins whose invocations hold sums of a window in f64 meanwhile.
fn in_float64(mut bins: Bins) -> Bins {
    bins.read.extend([FLOAT64.into(), IN_SUMS.into()]);
    Bins { float64: Some(1), pairs: true, ..bins }
}

/// The addition of accumulators of so many limbs: line by line, or in a loop where they are many.
fn addition(limbs: u64) -> String {
    match limbs <= LINES_MAX as u64 {
        true => unroll(include_str!("../../shaders/exact/limb_add.wgsl"), &[("LIMBS", limbs as u32)]),
        false => include_str!("../../shaders/exact/long_add.wgsl").into(),
    }
}

/// An accumulator of so many limbs, by value. From twenty on, carries are told by the highest bits (shaders/exact/accumulator.wgsl): 2^26 f32 on
/// an H100, `treefold bench sumsq,variance --size 2^26 --segments 4096`, 325, 504 µs, by comparisons 350, 564.
pub(super) fn long(limbs: u64, lift: impl Into<Text>, trips: Trips) -> Wgsl {
    // One loop adds, and another copies.
    let combine = if limbs <= LINES_MAX as u64 { 0 } else { 2 * limbs };
    let wgsl = Wgsl::new("return Acc();", lift, "return long_add(a, b);").trips(Trips { combine, ..trips });
    wgsl.helpers(ACCUMULATOR).helpers(addition(limbs)).checked().any_nan()
}

/// Words of an invocation's own, which it keeps in bins.
fn own(limbs: u64, texts: &[&'static str], trips: Trips) -> Device {
    let wgsl = long(limbs, "", trips).state([format!("const BINS = {}u;\n", 2 * limbs)]);
    Device::Value(wgsl.state(texts.iter().copied()).own_memory().fixed_trips(limbs + 8))
}

/// Sums that stay in registers: no loop goes over their limbs.
fn values(limbs: u64, texts: &[&'static str], trips: Trips) -> Device {
    let in_lines = |text: &&str| unroll(text, &[("LIMBS", limbs as u32)]);
    Device::Value(long(limbs, "", trips).state(texts.iter().map(in_lines)))
}

/// Bins whose counters are words of longer numbers: shaders/exact/linked.wgsl.
pub(super) struct Linked {
    pub replicas: u32,
    pub limbs: u64,
    /// The parts into which exponents divide, and how many of them a limb holds.
    pub places: u64,
    pub per_limb: u64,
    /// Words of a place.
    pub words: u64,
    pub signed: bool,
}

impl Linked {
    pub fn bins(self, element: &[&'static str]) -> Bins {
        let Linked { replicas, limbs, places, per_limb, words, signed } = self;
        let columns = places / per_limb + words - 1;
        let read = [&[LINKED, COLUMNS], element].concat();
        let numbers = format!("const PLACES = {places}u;\nconst PER_LIMB = {per_limb}u;\n");
        let bins = bins(replicas, limbs, read, places * words * if signed { 2 } else { 1 }, columns);
        let trips = (0, limbs, per_limb * (1 + words));
        Bins { constants: bins.constants + &numbers, wide: false, words, signed, trips, ..bins }
    }
}

/// The text that multiplies significands.
pub(super) fn multiply(words64: bool) -> &'static str {
    match words64 {
        true => include_str!("../../shaders/exact/multiply64.wgsl"),
        false => include_str!("../../shaders/exact/multiply.wgsl"),
    }
}

/// Terms of up to 128 bits that go into a bin for each limb, and for each sign where some are negative.
pub(super) fn scattered(
    keep: Keep,
    limbs: u64,
    signed: bool,
    (element, vector_trips): (&[&'static str], u64),
) -> Device {
    match keep {
        Keep::Bins { replicas, .. } => {
            let read = [&[STATE_BINS, COLUMN_LIMBS, COLUMNS], element].concat();
            let all = bins(replicas, limbs, read, if signed { 2 * limbs } else { limbs }, limbs);
            // A limb takes less than 2^32 of each term.
            Device::Bins(Bins { vector_trips, signed, elements_max: 1 << 29, ..all })
        }
        Keep::Registers
        | Keep::Registers64
        | Keep::Values { .. }
        | Keep::Cells
        | Keep::Slices { .. }
        | Keep::Memory => {
            own(limbs, &[&[STATE_BINS, OWN], element].concat(), Trips { vector: vector_trips, ..Trips::default() })
        }
    }
}

/// The term of the bits of an element, and the terms of those of four: `term`, `terms`.
const ELEMENT: &str = "fn term(bits: Bits) -> Bits { return bits; }\n";
const ELEMENTS: &str = "fn terms(bits: vec4<u32>) -> vec4<u32> { return bits; }\n";
const SIZE_16: &str = "fn term(bits: Bits) -> Bits { return bits & 0x7fffu; }\n";
const SIZES_16: &str = "fn terms(bits: vec4<u32>) -> vec4<u32> { return bits & vec4<u32>(0x7fff7fffu); }\n";
const SIZE_32: &str = "fn term(bits: Bits) -> Bits { return bits & 0x7fffffffu; }\n";
const SIZES_32: &str = "fn terms(bits: vec4<u32>) -> vec4<u32> { return bits & vec4<u32>(0x7fffffffu); }\n";
const SIZE_64: &str = "fn term(bits: Bits) -> Bits { return vec2<u32>(bits.x, bits.y & 0x7fffffffu); }\n";

/// The elements themselves.
#[derive(Clone, Copy, Debug)]
pub struct Elements;

/// The sizes of the elements, which have no sign.
#[derive(Clone, Copy, Debug)]
pub struct Sizes;

/// Floats as terms of so many limbs, in units of 2^`$unit`.
macro_rules! float_terms {
    ($type:ty, $limbs:literal limbs, $unit:literal;
     $($terms:ident: |$xs:ident| $sum:expr, $(of_each $term:expr,)? |$keep:ident, $read:pat_param| $device:expr;)+) => {$(
        impl Terms<$type> for $terms {
            const LIMBS: u64 = $limbs;
            const UNIT: i32 = $unit;
            type Acc = LongAccumulator<$limbs>;

            #[inline(always)]
            fn sum($xs: &[$type]) -> LongAccumulator<$limbs> {
                $sum
            }
            $(fn sum_columns(columns: &Columns<'_, $type>, sums: &mut Vec<Self::Acc>) -> bool {
                sums_of_columns::<$type, $limbs>(columns, $unit, $term, Self::sum, sums);
                true
            })?
            fn device(keep: Keep) -> Device {
                <Self as Terms<$type>>::device_over(keep, <$type as Element>::DTYPE)
            }
            fn device_over($keep: Keep, $read: Dtype) -> Device {
                $device
            }
        }
    )+};
}

float_terms! { f32, 11 limbs, -150;
    Elements: |xs| sum_f32(xs, |x| x), of_each f64::from, |keep, read| with_cell(keep, single(keep, read, ELEMENT, ELEMENTS));
    Sizes: |xs| sum_f32(xs, f32::abs), of_each |x| f64::from(x.abs()), |keep, read| single(keep, read, SIZE_32, SIZES_32);
}
float_terms! { f16, 4 limbs, -56;
    Elements: |xs| sum_f16(xs, f16::to_bits), |keep, _| half(keep, ELEMENT, ELEMENTS);
    Sizes: |xs| sum_f16(xs, |x| x.to_bits() & 0x7fff), |keep, _| half(keep, SIZE_16, SIZES_16);
}
float_terms! { f64, 68 limbs, -1075;
    Elements: |xs| sum_f64(xs, |x| x), of_each |x| x, |keep, _| double(keep, ELEMENT);
    Sizes: |xs| sum_f64(xs, f64::abs), of_each f64::abs, |keep, _| double(keep, SIZE_64);
}

/// With the form that invocations share, of f32 as they are.
fn with_cell(keep: Keep, device: Device) -> Device {
    match device {
        Device::Value(wgsl) if keep == Keep::Cells => {
            let cell = include_str!("../../shaders/cells/exact_f32.wgsl");
            Device::Value(wgsl.cell(129, [AMOUNT, COLUMN, WHOLE, cell]).cell_trips(0, 64))
        }
        device => device,
    }
}

pub(super) const AMOUNT: &str = include_str!("../../shaders/exact/f32_amount.wgsl");
const COLUMN: &str = include_str!("../../shaders/exact/column_bytes.wgsl");
const WHOLE: &str = "fn column(j: u32) -> vec3<u32> { return column_of_bytes(j); }\n";

/// The kernel of terms of 32 bits. Those of bf16 have significands of 8 bits, whose amounts of 15 fit counters of 32.
fn single(keep: Keep, read: Dtype, term: &'static str, terms: &'static str) -> Device {
    const UPPER_AMOUNT: &str = include_str!("../../shaders/exact/bf16_amount.wgsl");
    const UPPER: &str = include_str!("../../shaders/exact/column_upper.wgsl");
    const PATTERNS: &str = include_str!("../../shaders/exact/f32_flags.wgsl");
    const FLAGS: &str = concat!(
        include_str!("../../shaders/exact/f32_flags.wgsl"),
        "fn flags_of(state: State) -> u32 { return pattern_flags(state.most, state.low); }\n"
    );
    const WINDOW: &str = include_str!("../../shaders/exact/f32_window.wgsl");
    const VALUES: &str = include_str!("../../shaders/exact/f32_values.wgsl");
    const MOVED: &str = include_str!("../../shaders/exact/f32_moved.wgsl");
    const WIDE: &str = include_str!("../../shaders/exact/f32_wide.wgsl");
    const WIDE64: &str = include_str!("../../shaders/exact/f32_wide64.wgsl");
    match keep {
        Keep::Bins { replicas, float64: true, .. } => {
            let single = include_str!("../../shaders/exact/f32_float64.wgsl");
            // 256 numbers of 24 bits, or of 8, in 53.
            let upper = read == Dtype::BF16;
            let window = if upper {
                "const WINDOW = 38u;\nconst ABOVE = 9u;\n"
            } else {
                "const WINDOW = 22u;\nconst ABOVE = 5u;\n"
            };
            let read = vec![AMOUNT, term, terms, PATTERNS, SIZES_F32, window, single, COLUMN, WHOLE, COLUMNS];
            // An H200, `treefold bench sum --dtype bf16 --size 2^28 --launch loads_in_flight=2,4`, without this: 158.6, 146.8 µs.
            let all = in_float64(bins(replicas, 11, read, 64, 8));
            Device::Bins(Bins { float64: upper.then_some(1), more_loads: upper, ..all })
        }
        Keep::Bins { replicas, .. } => {
            let shared = include_str!("../../shaders/exact/f32_shared.wgsl");
            let upper = read == Dtype::BF16;
            let (amount, whole) = if upper { (UPPER_AMOUNT, UPPER) } else { (AMOUNT, WHOLE) };
            let read = vec![amount, term, terms, shared, FLAGS, COLUMN, whole, COLUMNS];
            let elements_max = if upper { 1 << 17 } else { u64::MAX };
            Device::Bins(Bins { wide: !upper, elements_max, ..bins(replicas, 11, read, 64, 8) })
        }
        Keep::Registers64 => own(11, &[SCATTER, OWN, term, WIDE64, WINDOW, FLAGS, IN_TURN], Trips::default()),
        Keep::Registers | Keep::Cells | Keep::Slices { .. } | Keep::Memory => {
            own(11, &[SCATTER, OWN, term, WIDE, WINDOW, FLAGS, IN_TURN], Trips::default())
        }
        Keep::Values { words64 } => {
            let wide = if words64 { WIDE64 } else { WIDE };
            values(11, &[term, terms, wide, VALUES, MOVED, FLAGS], Trips { vector: 4, ..Trips::default() })
        }
    }
}

/// The kernel of terms of 16 bits.
fn half(keep: Keep, term: &'static str, terms: &'static str) -> Device {
    const FLAGS: &str = include_str!("../../shaders/exact/f16_flags.wgsl");
    if matches!(keep, Keep::Bins { float64: true, .. }) {
        let texts = [FLAGS, term, terms, include_str!("../../shaders/exact/f16_float64.wgsl")];
        return Device::Value(long(4, "", Trips::default()).state(texts).float64());
    }
    if let Keep::Bins { replicas, .. } = keep {
        let shared = include_str!("../../shaders/exact/f16_shared.wgsl");
        let column = include_str!("../../shaders/exact/column_f16.wgsl");
        let bins = bins(replicas, 4, vec![FLAGS, term, terms, shared, column, COLUMNS], 64, 2);
        // Significands of 11 bits in counters of 32.
        let (wide, trips, elements_max) = (false, (0, 4, 32), 1 << 21);
        return Device::Bins(Bins { wide, trips, elements_max, many_by_value: true, ..bins });
    }
    let halves = include_str!("../../shaders/vector/halves.wgsl");
    values(4, &[term, include_str!("../../shaders/exact/f16.wgsl"), halves], Trips::default())
}

/// The kernel of terms of 64 bits.
fn double(keep: Keep, term: &'static str) -> Device {
    if let Keep::Bins { replicas, float64, .. } = keep {
        const PUT: &str = include_str!("../../shaders/exact/f64_put.wgsl");
        // In 32 KiB at most, 8 replicas where a device has no more than 16. An H200, `treefold bench sum --dtype f64 --size 2^27 --launch float64=false`, with this
        // changed: 16 replicas 264.3 µs, 8 281.2.
        let replicas = (replicas / 2).max(1);
        let linked = Linked { replicas, limbs: 68, places: 64, per_limb: 1, words: 4, signed: true };
        let bins = |texts: &[&'static str]| narrow_bins(linked.bins(texts));
        // As many elements under way as of 32 bits. `treefold bench sum --dtype f64 --size 2^20,2^24,2^27 --launch float64=false --launch loads_in_flight=1,2`: an H200 with
        // two loads 22.6, 60.3, 316 µs, with four 20.7, 57.2, 295; an H100 23.3, 67.5, 382 and 21.4, 66.6, 368 (2^16 18.6 and 19.4).
        if float64 {
            let levels = include_str!("../../shaders/exact/f64_levels.wgsl");
            let texts = [DOUBLE_FLAGS, term, PUT, SIZE_F64, SIZES_F64, LEVELS, ONE_SUM, levels, ONE_BY_ONE];
            // Pairs gain nothing: an H200, `treefold bench sum --dtype f64 --size 2^27`, 252.5 µs, 251.0 with them; with `--data wide` 350.9, 405.4.
            return Device::Bins(Bins { more_loads: true, pairs: false, ..in_float64(bins(&texts)) });
        }
        let shared = include_str!("../../shaders/exact/f64_shared.wgsl");
        return Device::Bins(Bins { more_loads: true, ..bins(&[DOUBLE_FLAGS, term, PUT, shared]) });
    }
    let window = include_str!("../../shaders/exact/f64_window.wgsl");
    let limbs = include_str!("../../shaders/exact/own_limbs.wgsl");
    let wgsl = long(68, "", Trips::default()).state([DOUBLE_FLAGS, term, NARROW, limbs, window, PAIRS]);
    Device::Value(wgsl.own_memory().narrow().fixed_trips(68 + 8))
}

/// The sum of f16, each as `bits` makes it.
fn sum_f16(elements: &[f16], bits: impl Fn(f16) -> u16) -> LongAccumulator<4> {
    let mut all = LongAccumulator::ZERO;
    // 41 bits a value: 2^20 of them stay within 63.
    for block in elements.chunks(1 << 20) {
        let (mut sum, mut flags) = (0i64, 0);
        for &x in block {
            let unpacked = Unpacked::of(bits(x).into(), 5, 10);
            flags |= unpacked.flags();
            let amount = (unpacked.significand << (unpacked.exponent - 1)) as i64;
            sum += if unpacked.finite { if unpacked.negative { -amount } else { amount } } else { 0 };
        }
        all = all.plus(LongAccumulator::integer(i128::from(sum) << 32, flags));
    }
    all
}

/// Whole numbers, or their squares, go as they are into integers of so many limbs.
macro_rules! integer_terms {
    ($terms:ty = $limbs:literal limbs, $lift:expr, with $texts:expr, $sum:expr; $($type:ty),+) => {$(
        impl Terms<$type> for $terms {
            const LIMBS: u64 = $limbs;
            const UNIT: i32 = 0;
            type Acc = LongAccumulator<$limbs>;

            #[inline(always)]
            fn sum(elements: &[$type]) -> LongAccumulator<$limbs> {
                let sum: fn(&[$type]) -> LongAccumulator<$limbs> = $sum;
                sum(elements)
            }
            fn device(_: Keep) -> Device {
                let below = match (<$type>::MIN == 0, <$type>::BITS) {
                    (true, _) => "0u",
                    (false, 32) => "bitcast<u32>(bitcast<i32>(bits) >> 31u)",
                    _ => "bitcast<u32>(bitcast<i32>(bits.y) >> 31u)",
                };
                let wgsl = long($limbs, $lift, Trips::default())
                    .helpers(format!("fn below(bits: Bits) -> u32 {{ return {below}; }}\n"))
                    .helpers(if <$type>::BITS == 32 { WHOLE_32 } else { WHOLE_64 });
                let texts: &[&str] = &$texts;
                Device::Value(texts.iter().fold(wgsl, |wgsl, &text| wgsl.helpers(text)))
            }
        }
    )+};
}

integer_terms!(Elements = 4 limbs,
    "let above = below(bits);\nreturn Acc(FLAG_OTHER, array<u32, 4>(bits.x, bits.y, above, above));",
    with [],
    |xs| whole(xs.iter().map(|&x| i128::from(x)));
    i64, u64);
integer_terms!(Sizes = 4 limbs,
    "return Acc(FLAG_OTHER, array<u32, 4>(magnitude_of(bits), 0u, 0u, 0u));",
    with [],
    |xs| whole(xs.iter().map(|&x| i128::from(x).abs()));
    i32, u32);
integer_terms!(Sizes = 4 limbs,
    "let size = magnitude_of(bits);\nreturn Acc(FLAG_OTHER, array<u32, 4>(size.x, size.y, 0u, 0u));",
    with [],
    |xs| whole(xs.iter().map(|&x| i128::from(x).abs()));
    i64, u64);
integer_terms!(Squares = 4 limbs,
    "let square = multiply32(magnitude_of(bits), magnitude_of(bits));\nreturn Acc(FLAG_OTHER, array<u32, 4>(square.x, square.y, 0u, 0u));",
    with [],
    |xs| naturals(xs.iter().map(|&x| square(i64::from(x).unsigned_abs())));
    i32, u32);
integer_terms!(RaisedTo<3> = 6 limbs,
    "return Acc(FLAG_OTHER, cube_of(bits));",
    with [CUBE_32],
    // Of 96 bits each, so many that no sign changes.
    |xs| xs.chunks(1 << 30).map(|xs| whole(xs.iter().map(|&x| i128::from(x).pow(3)))).fold(LongAccumulator::ZERO, LongAccumulator::plus);
    i32, u32);
integer_terms!(RaisedTo<4> = 6 limbs,
    "let fourth = square64(multiply32(magnitude_of(bits), magnitude_of(bits)));
return Acc(FLAG_OTHER, array<u32, 6>(fourth.x, fourth.y, fourth.z, fourth.w, 0u, 0u));",
    with [multiply(false), SQUARE_64],
    |xs| naturals(xs.iter().map(|&x| square(i128::from(x).pow(2) as u64)));
    i32, u32);
integer_terms!(Squares = 6 limbs,
    "let square = square64(magnitude_of(bits));
return Acc(FLAG_OTHER, array<u32, 6>(square.x, square.y, square.z, square.w, 0u, 0u));",
    with [multiply(false), SQUARE_64],
    |xs| naturals(xs.iter().map(|&x| square(i128::from(x).unsigned_abs() as u64)));
    i64, u64);

/// The sum of whole numbers.
#[inline(always)]
pub(super) fn whole<const L: usize>(terms: impl ExactSizeIterator<Item = i128>) -> LongAccumulator<L> {
    let flags = if terms.len() == 0 { 0 } else { flag::OTHER };
    // All that wraps here is the sign of a sum of u64, which has none.
    LongAccumulator::integer(terms.fold(0, i128::wrapping_add), flags)
}

pub(super) fn square(size: u64) -> u128 {
    u128::from(size) * u128::from(size)
}

/// The sum of whole numbers without a sign.
#[inline(always)]
pub(super) fn naturals<const L: usize>(terms: impl Iterator<Item = u128>) -> LongAccumulator<L> {
    let (mut sum, mut carries, mut flags) = (0u128, 0u64, 0);
    for term in terms {
        let (next, carry) = sum.overflowing_add(term);
        (sum, carries, flags) = (next, carries + u64::from(carry), flag::OTHER);
    }
    LongAccumulator::natural(sum, carries, flags)
}

/// The kernel of products of f32 that invocations add for themselves: of one state, whatever it takes, and of several.
pub(super) fn products(keep: Keep, one: &[&'static str], (several, trips): (&[&'static str], Trips)) -> Device {
    const WINDOW: &str = include_str!("../../shaders/exact/product_window.wgsl");
    const WINDOW64: &str = include_str!("../../shaders/exact/product_window64.wgsl");
    const VALUES: &str = include_str!("../../shaders/exact/product_values.wgsl");
    match keep {
        Keep::Values { words64 } => {
            let window = if words64 { WINDOW64 } else { WINDOW };
            values(20, &[&[multiply(words64), PRODUCT_FLAGS, window, VALUES], several].concat(), trips)
        }
        _ => scattered(keep, 20, true, (&[&[SCATTER, PRODUCT_FLAGS, PRODUCT], one].concat(), 0)),
    }
}

/// Numbers of 106 bits as two f64, each in two levels, and from time to time in bins.
pub(super) fn levels_f64(replicas: u32, texts: &[&'static str]) -> Bins {
    const UPPER: &str = include_str!("../../shaders/exact/upper_f64.wgsl");
    const BOTH: &str = include_str!("../../shaders/exact/two_levels.wgsl");
    let number = include_str!("../../shaders/exact/scatter_f64.wgsl");
    let read = [&[SCATTER, COLUMN_LIMBS, COLUMNS, SIZE_F64, LEVELS, UPPER, number, BOTH], texts].concat();
    Bins { elements_max: 1 << 29, ..in_float64(bins(replicas, 134, read, 2 * 134, 134)) }
}

/// The squares of elements.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl Terms<f32> for Squares {
    const LIMBS: u64 = 20;
    const UNIT: i32 = -300;
    type Acc = LongAccumulator<20>;

    #[inline(always)]
    fn sum(elements: &[f32]) -> LongAccumulator<20> {
        squares_f32(elements)
    }
    fn device(keep: Keep) -> Device {
        if let Keep::Bins { replicas, words64, float64 } = keep {
            const PUT: &str = include_str!("../../shaders/exact/square_put.wgsl");
            // More gain nothing: an H200, `treefold bench sumsq --size 2^28`, with this changed, 8: 321.6 µs, 16: 297.0, 32: 297.7.
            let replicas = replicas.min(16);
            let linked = Linked { replicas, limbs: 20, places: 64, per_limb: 4, words: 3, signed: false };
            if float64 {
                let levels = include_str!("../../shaders/exact/square_levels.wgsl");
                let texts = [AMOUNT, multiply(words64), PUT, SIZES_F32, LEVELS, ONE_SUM, PRODUCT_NUMBER, levels];
                // A float64 of the sum beside them is what pays (docs/performance.md).
                return Device::Bins(Bins { float64: Some(2), ..in_float64(linked.bins(&texts)) });
            }
            let shared = include_str!("../../shaders/exact/square_shared.wgsl");
            return Device::Bins(linked.bins(&[AMOUNT, multiply(words64), PUT, shared]));
        }
        const SQUARE: &str = include_str!("../../shaders/exact/square.wgsl");
        const FOUR: &str = include_str!("../../shaders/exact/square_values.wgsl");
        products(keep, &[SQUARE, IN_TURN], (&[SQUARE, FOUR], Trips { vector: 4, ..Trips::default() }))
    }
}

impl Terms<f64> for Squares {
    const LIMBS: u64 = 134;
    const UNIT: i32 = PRODUCTS_F64;
    type Acc = LongAccumulator<134>;

    #[inline(always)]
    fn sum(elements: &[f64]) -> LongAccumulator<134> {
        squares_f64(elements)
    }
    fn device(keep: Keep) -> Device {
        const PUT: &str = include_str!("../../shaders/exact/square_f64_put.wgsl");
        let put = [multiply(keep.words64()), SQUARE_64, SCATTER_128, PUT];
        if let Keep::Bins { replicas, float64: true, .. } = keep {
            let levels = include_str!("../../shaders/exact/square_f64_levels.wgsl");
            return Device::Bins(levels_f64(replicas, &[&put[..], &[SIZES_F64, levels]].concat()));
        }
        let one = include_str!("../../shaders/exact/square_f64.wgsl");
        scattered(keep, 134, false, (&[&put[..], &[one, PAIRS]].concat(), 0))
    }
}

macro_rules! long_accumulator_words {
    ($($limbs:literal),*) => {$(
        impl Accumulator for LongAccumulator<$limbs> {
            const WORDS: usize = $limbs + 1;
            const WGSL: &'static str =
                concat!("struct Acc { flags: u32, limbs: array<u32, ", $limbs, ">, }\nconst LIMBS = ", $limbs, "u;");
            const MEMBERS: &'static [Member] = &[
                Member { name: "flags", of: "u32", words: 1 },
                Member { name: "limbs", of: "array", words: $limbs },
            ];
            fn write(&self, words: &mut [u32]) {
                words[0] = self.flags;
                words[1..].copy_from_slice(&self.limbs);
            }
            fn read(words: &[u32]) -> Self {
                let mut limbs = [0; $limbs];
                limbs.copy_from_slice(&words[1..]);
                LongAccumulator { flags: words[0], limbs }
            }
        }
    )*};
}

long_accumulator_words!(4, 6, 11, 20, 68, 134);

/// A fold of exact terms; `tested`: into bins, whose kernels a self-test must pass.
macro_rules! exact_fold {
    ($name:ident over $($type:ty),+; $terms:ty, tested: $tested:literal) => {
        $(exact_fold!(@($name) $type; $terms, $tested);)+
    };
    ($name:ident<$at:literal> over $($type:ty),+; $terms:ty, tested: $tested:literal) => {
        $(exact_fold!(@($name<$at>) $type; $terms, $tested);)+
    };
    (@($name:ty) $type:ty; $terms:ty, $tested:literal) => {
        impl crate::Fold<$type> for $name {
            type Acc = <$terms as crate::ops::exact::Terms<$type>>::Acc;
            /// A bin of 64 bits takes up to 32 bits of each element; what more it may take, its `elements_max` says.
            const ELEMENTS_MAX: u64 = if $tested { 1 << 32 } else { u64::MAX };
            const TESTED: bool = $tested;

            fn identity(&self) -> Self::Acc {
                crate::exact::LongAccumulator::ZERO
            }
            #[inline(always)]
            fn lift(&self, x: $type, _: u64) -> Self::Acc {
                <$terms as crate::ops::exact::Terms<$type>>::sum(&[x])
            }
            #[inline(always)]
            fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
                a.plus(b)
            }
            #[inline(always)]
            fn accumulate(&self, elements: &[$type], _: u64) -> Self::Acc {
                <$terms as crate::ops::exact::Terms<$type>>::sum(elements)
            }
            fn accumulate_columns(
                &self,
                columns: &crate::element::Columns<'_, $type>,
                index: u64,
                accs: &mut Vec<Self::Acc>,
            ) {
                if !<$terms as crate::ops::exact::Terms<$type>>::sum_columns(columns, accs) {
                    crate::op::gathered(self, columns, index, accs);
                }
            }
            fn canonical(&self, acc: Self::Acc) -> Self::Acc {
                acc.canonical()
            }
            /// The kernel without bins; `device` chooses among several.
            fn wgsl(&self) -> crate::Wgsl {
                match crate::Fold::<$type>::device(self, crate::op::Keep::Registers) {
                    crate::op::Device::Value(wgsl) => wgsl,
                    crate::op::Device::Bins(_) => crate::Wgsl::new("", "", ""),
                }
            }
            fn device(&self, keep: crate::op::Keep) -> crate::op::Device {
                <$terms as crate::ops::exact::Terms<$type>>::device(keep)
            }
            fn device_over(&self, keep: crate::op::Keep, read: crate::Dtype) -> crate::op::Device {
                <$terms as crate::ops::exact::Terms<$type>>::device_over(keep, read)
            }
        }
    };
}

/// An exact answer over a fold of exact terms: rounded once, by the host and, where there is a `$rounding`, by the device.
macro_rules! exact_answer {
    ($name:ident = $text:literal over $type:ty, $fold:ident, $terms:ty, $about:expr, $output:ty, $float:ty, $rounding:expr, $exponent_min:expr,
     |$acc:ident, $count:ident| $finish:expr, |$value:ident, $counted:ident| $read:expr) => {
        impl crate::Op<$type> for $name {
            type Fold = $fold;
            type Output = $output;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $fold {
                $fold
            }
            fn finish(&self, $acc: crate::Acc<$type, Self>, $count: u64) -> crate::Result<$output> {
                const UNIT: i32 = <$terms as crate::ops::exact::Terms<$type>>::UNIT;
                Ok(($finish)(UNIT))
            }
            fn answer(&self) -> Option<crate::DeviceAnswer> {
                const UNIT: i32 = <$terms as crate::ops::exact::Terms<$type>>::UNIT;
                let limbs = <$terms as crate::ops::exact::Terms<$type>>::LIMBS;
                let exponent_min = <$float as crate::exact::Float>::EXPONENT_MIN - ($exponent_min)(UNIT);
                let rounding: Option<crate::ops::rounding::Rounding> = $rounding;
                rounding.map(|rounding| rounding.answer($text, limbs, exponent_min))
            }
            fn read(&self, words: &[u32], $counted: u64) -> crate::Result<$output> {
                let $value = <$float as crate::exact::Float>::from_words(words);
                Ok($read)
            }
        }
    };
}

/// A whole number of 128 bits over a fold of exact terms of integers: so many words, and one more where they may not suffice.
macro_rules! whole_answer {
    ($name:ident = $text:literal over $($type:ty),+; $about:expr, $fitting:ident as $output:ty, $words:literal, $finish:literal) => {$(
        impl crate::Op<$type> for $name {
            type Fold = $name;
            type Output = $output;
            const NAME: &'static str = $text;
            const ABOUT: &'static str = $about;
            const EXACT: bool = true;

            fn fold(&self) -> $name {
                $name
            }
            fn finish(&self, acc: crate::Acc<$type, Self>, _: u64) -> crate::Result<$output> {
                acc.$fitting().ok_or(crate::Error::Overflow { operator: $text, bits: 128 })
            }
            fn answer(&self) -> Option<crate::DeviceAnswer> {
                use crate::op::WordType;
                let words = ["word 0", "word 1", "word 2", "word 3"].map(|name| (name, WordType::Part)).into_iter();
                let words = words.chain([("does not fit", WordType::U32)]).take($words);
                Some(crate::DeviceAnswer::checked(words, $finish))
            }
            fn read(&self, words: &[u32], _: u64) -> crate::Result<$output> {
                if words.get(4).is_some_and(|&beyond| beyond != 0) {
                    return Err(crate::Error::Overflow { operator: $text, bits: 128 });
                }
                Ok(words.iter().take(4).rev().fold(0u128, |all, &word| all << 32 | u128::from(word)) as $output)
            }
        }
    )+};
}
pub(crate) use {exact_answer, exact_fold, whole_answer};
