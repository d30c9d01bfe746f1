//! Inputs that exact operators must get right: generators by name, from a seed, for every element type.

use super::Random;
use treefold::{Dtype, Element};

/// A named input.
#[derive(Clone, Debug)]
pub struct Set<T> {
    pub name: String,
    pub elements: Vec<T>,
}

impl<T: Element> Set<T> {
    pub fn new(name: impl Into<String>, elements: Vec<T>) -> Self {
        Set { name: name.into(), elements }
    }
}

/// Bits of exponent and of fraction; none for integers.
fn format<T: Element>() -> Option<(u32, u32)> {
    match T::DTYPE {
        Dtype::F16 => Some((5, 10)),
        Dtype::F32 | Dtype::F32x2 => Some((8, 23)),
        Dtype::F64 | Dtype::F64x2 => Some((11, 52)),
        _ => None,
    }
}

/// Whether it is a pair of two numbers.
fn is_pair<T: Element>() -> bool {
    T::DTYPE.pair_of().is_some()
}

/// The element of these bits; of a pair beside those of a second number.
fn element<T: Element>(first: u64, second: u64) -> T {
    match (is_pair::<T>(), size_of::<T>()) {
        (false, _) => T::from_pattern(first),
        (true, 8) => T::from_pattern(first | second << 32),
        (true, _) => bytemuck::pod_read_unaligned(bytemuck::bytes_of(&[first, second])),
    }
}

/// The bits of both numbers of a pair, or those of an element and nothing.
fn bits_of<T: Element>(x: T) -> [u64; 2] {
    match (is_pair::<T>(), size_of::<T>()) {
        (false, _) => [x.pattern(), 0],
        (true, 8) => [x.pattern() & 0xffff_ffff, x.pattern() >> 32],
        (true, _) => bytemuck::pod_read_unaligned(bytemuck::bytes_of(&x)),
    }
}

/// The bits of 1.
fn one(format: (u32, u32)) -> u64 {
    pattern(format, false, (1 << (format.0 - 1)) - 1, 0)
}

/// The bits of one float: a sign, a biased exponent, a fraction (any bits, cut to fit).
fn pattern((exponent_bits, fraction_bits): (u32, u32), negative: bool, exponent: u64, fraction: u64) -> u64 {
    let sign = u64::from(negative) << (exponent_bits + fraction_bits);
    sign | exponent << fraction_bits | (fraction & ((1 << fraction_bits) - 1))
}

/// One float of a kind, or of the partner that the kind asks for: `at` is its place.
fn float(kind: &str, format: (u32, u32), random: &mut Random, at: usize) -> u64 {
    let most = (1u64 << format.0) - 2;
    let bias = most / 2;
    let bits = random.next();
    let negative = bits >> 63 == 1;
    let any = 1 + (bits >> 32) % most;
    let (negative, exponent) = match kind {
        "uniform" => (negative, (bias - 1).saturating_sub((bits >> 20).trailing_zeros().into())),
        "positive" => (false, bias - 1 + (bits >> 60) % 4),
        "near one" => (negative, bias - 4 + (bits >> 56) % 8),
        "any bits" => (negative, (bits >> 32) % (most + 1)),
        "one exponent" => (negative, bias + 7),
        "subnormal" => (negative, 0),
        "about underflow" => (negative, (bits >> 32) % 3),
        "about overflow" => (negative, most - (bits >> 32) % 2),
        "extremes" => return pattern(format, at % 2 == 1, most, u64::MAX),
        "top" => return pattern(format, false, most, u64::MAX),
        "minus zero" => return pattern(format, true, 0, 0),
        "zeros" => return pattern(format, at % 3 != 1, 0, 0),
        "ramp" => (at % 2 == 1, 1 + at as u64 % most),
        "equal" => return pattern(format, false, bias + 7 - bias % 8, u64::MAX),
        _ => (negative, any),
    };
    pattern(format, negative, exponent, bits)
}

/// The kinds of floats; `make` also knows kinds of pairs (see there).
pub const KINDS: [&str; 16] = [
    "uniform",
    "positive",
    "near one",
    "any bits",
    "one exponent",
    "subnormal",
    "about underflow",
    "about overflow",
    "extremes",
    "top",
    "minus zero",
    "zeros",
    "ramp",
    "equal",
    "cancel",
    "nearly cancel",
];

/// The element with another sign; of a pair the first number's, so that the product has another one.
fn minus<T: Element>(x: T) -> T {
    let [first, second] = bits_of(x);
    let sign = format::<T>().map_or(0, |(exponent_bits, fraction_bits)| 1 << (exponent_bits + fraction_bits));
    element(first ^ sign, second)
}

/// `n` elements of a kind. `cancel`: any bits, each with its opposite, in any order, and three small ones. `nearly cancel`:
/// the opposites differ in the last place.
pub fn make<T: Element>(kind: &str, n: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let Some(format) = format::<T>() else {
        let mut number = |at| integer(kind, &mut random, at);
        return (0..n).map(|at| element(number(at), if is_pair::<T>() { number(2 * at + 1) } else { 0 })).collect();
    };
    let mut one = |kind: &str, at: usize| {
        let mut number = |at| float(kind, format, &mut random, at);
        element::<T>(number(at), if is_pair::<T>() { number(2 * at + 1) } else { 0 })
    };
    if !matches!(kind, "cancel" | "nearly cancel") {
        return (0..n).map(|at| one(kind, at)).collect();
    }
    let mut elements = Vec::with_capacity(n);
    for at in 0..n / 2 {
        let x: T = one(if kind == "cancel" { "any bits" } else { "near one" }, at);
        let last_place = u64::from(kind == "nearly cancel" && at % 3 == 0);
        let [first, second] = bits_of(x);
        elements.extend([x, minus(element(first ^ last_place, second))]);
    }
    let small = elements.len().min(3);
    for (at, element) in elements.iter_mut().enumerate().take(small) {
        *element = one("subnormal", at);
    }
    elements.extend((elements.len()..n).map(|at| one("uniform", at)));
    shuffle(&mut elements, seed ^ 1);
    elements
}

/// 64-bit integers of the same kinds.
fn integer(kind: &str, random: &mut Random, at: usize) -> u64 {
    let bits = random.next();
    match kind {
        "extremes" => [u64::MAX, i64::MAX as u64, i64::MIN as u64, 0][at % 4],
        "top" => i64::MAX as u64,
        "equal" => u64::MAX,
        "minus zero" | "zeros" => i64::MIN as u64,
        "subnormal" | "uniform" => bits >> (bits % 61),
        "positive" => u64::MAX - at as u64,
        _ => bits,
    }
}

pub fn shuffle<T>(elements: &mut [T], seed: u64) {
    let mut random = Random(seed);
    for at in (1..elements.len()).rev() {
        elements.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// Every kind at a few lengths, the longest `longest`.
pub fn every_kind<T: Element>(longest: usize) -> Vec<Set<T>> {
    let mut sets = Vec::new();
    for (k, kind) in KINDS.into_iter().enumerate() {
        // Odd and even ones, so that sets that follow each other in one buffer begin anywhere.
        for (n, seed) in [(longest - k, 1), (longest / 3 + k, 2), (7 + k, 3), (1, 4)] {
            let elements = make(kind, n, seed + 10 * k as u64);
            sets.push(Set::new(format!("{kind} x {n}"), elements));
        }
    }
    sets
}

/// Floats written as (sign, exponent above that of 1, fraction's place from the top): ±2^exponent · (1 + 2^-place).
fn number<T: Element>(negative: bool, exponent: i64, places: &[u32]) -> T {
    let (exponent_bits, fraction_bits) = format::<T>().expect("a float");
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let fraction = places.iter().map(|place| 1u64 << (fraction_bits - place)).sum();
    let bits = pattern((exponent_bits, fraction_bits), negative, (bias + exponent) as u64, fraction);
    // Pairs: times one.
    element(bits, one(format::<T>().expect("a float")))
}

/// The smallest number, and the largest.
fn ends<T: Element>() -> [T; 2] {
    let format = format::<T>().expect("a float");
    let most = (1u64 << format.0) - 2;
    [1, pattern(format, false, most, u64::MAX)].map(|bits| element(bits, one(format)))
}

/// Short inputs of floats in which one rounding decides: ties both ways, cancellation, underflow, overflow.
pub fn by_hand<T: Element>() -> Vec<Set<T>> {
    // The answer has this many digits, for f16 more than its elements.
    let digits: i64 = if format::<T>().is_some_and(|format| format.0 == 11) { 53 } else { 24 };
    let number = number::<T>;
    let [tiny, max] = ends::<T>();
    let one = number(false, 0, &[]);
    // f16 ends at 2^15: there the large part stands lower.
    let low = if T::DTYPE == Dtype::F16 { -10 } else { 0 };
    let huge = number(false, digits + low, &[]);
    let unit = number(false, low, &[]);
    let next = number(false, low + 1, &[]);
    let m = minus::<T>;
    // Half a unit in the last place of the largest; f16 sums to f32, which ends far above.
    let half = match T::DTYPE {
        Dtype::F16 => tiny,
        Dtype::F64 | Dtype::F64x2 => number(false, 1023 - 53, &[]),
        _ => number(false, 127 - 24, &[]),
    };
    let zero = element(0, bits_of(one)[1]);
    let lists: Vec<(&str, Vec<T>)> = vec![
        ("nothing", vec![]),
        ("one", vec![one]),
        ("2^p, 1, -2^p", vec![huge, unit, m(huge)]),
        ("tie to even below", vec![huge, unit]),
        ("tie to even above", vec![huge, next, unit]),
        ("negative tie below", vec![m(huge), m(unit)]),
        ("negative tie above", vec![m(huge), m(next), m(unit)]),
        ("tie and a little more", vec![huge, unit, tiny]),
        ("tie and a little less", vec![huge, unit, m(tiny)]),
        ("negative tie and more", vec![m(huge), m(unit), m(tiny)]),
        ("negative tie and less", vec![m(huge), m(unit), tiny]),
        ("tie above and less", vec![huge, next, unit, m(tiny)]),
        ("all ones carry out", vec![huge, m(unit), number(false, low - 1, &[])]),
        ("max, max, -max", vec![max, max, m(max)]),
        ("max, max", vec![max, max]),
        ("-max, -max", vec![m(max), m(max)]),
        ("max and half a unit", vec![max, half]),
        ("-max and half a unit", vec![m(half), m(max)]),
        ("max and less than half", vec![half, max, m(tiny)]),
        ("max and tiny", vec![max, tiny]),
        ("tiny", vec![tiny]),
        ("-tiny", vec![m(tiny)]),
        ("tiny, -tiny", vec![tiny, m(tiny)]),
        ("x, -x", vec![one, m(one)]),
        ("half of tiny, as a mean", vec![tiny, zero]),
        ("half of -tiny, as a mean", vec![m(tiny), zero]),
        ("three quarters of tiny, as a mean", vec![tiny, zero, tiny, tiny]),
        (
            "three halves of tiny, as a mean",
            vec![tiny, tiny, tiny, zero].into_iter().chain([tiny; 3]).chain([zero]).collect(),
        ),
        ("a third, as a mean", vec![one, zero, zero]),
        ("-0", vec![m(zero)]),
        ("-0, -0", vec![m(zero); 2]),
        ("-0, 0", vec![m(zero), zero]),
        ("0, -0", vec![zero, m(zero)]),
    ];
    lists.into_iter().map(|(name, elements)| Set::new(name, elements)).collect()
}

/// NaN of both signs and of every kind, and infinities.
fn specials<T: Element>() -> Vec<T> {
    let format = format::<T>().expect("a float");
    let most = (1u64 << format.0) - 1;
    let plain = [
        pattern(format, false, most, 1 << (format.1 - 1)),
        pattern(format, true, most, u64::MAX),
        // The only bit lies in the lowest place.
        pattern(format, false, most, 1),
        pattern(format, true, most, 1),
        pattern(format, false, most, 0),
        pattern(format, true, most, 0),
    ];
    if !is_pair::<T>() {
        return plain.map(T::from_pattern).to_vec();
    }
    let infinite = pattern(format, false, most, 0);
    let sign = 1 << (format.0 + format.1);
    // Infinity times zero, both ways round, and with signs.
    let others = [(infinite, 0), (0, infinite), (sign, infinite), (infinite, infinite), (infinite | sign, infinite)];
    let beside_one = plain.iter().flat_map(|&x| [(x, one(format)), (one(format), x)]);
    beside_one.chain(others).map(|(first, second)| element(first, second)).collect()
}

/// A special value in every position of a short input; every other time with another one in the opposite place.
pub fn special_everywhere<T: Element>() -> Vec<Set<T>> {
    const N: usize = 19;
    let special = specials::<T>();
    let mut sets = Vec::new();
    for (s, &x) in special.iter().enumerate() {
        // Of pairs, of which there are more, every fourth position.
        for p in (0..N).skip(if is_pair::<T>() { s % 4 } else { 0 }).step_by(if is_pair::<T>() { 4 } else { 1 }) {
            let mut elements = make::<T>("near one", N, (s * N + p) as u64);
            elements[p] = x;
            if p % 2 == 0 {
                elements[N - 1 - p] = special[(s + p / 2) % special.len()];
            }
            sets.push(Set::new(format!("special {s} at {p}"), elements));
        }
    }
    sets
}
