//! Order, places, counts, bits and bins: what needs no arithmetic beyond whole numbers.

use super::{Answer, Number, Told, Want, is_single, one};
use crate::common::histograms::edges;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cmp::Ordering;
use treefold::{Dtype, Element};

/// The order of IEEE 754's minimum and maximum: -0 below +0.
fn order(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Number::Float(a), Number::Float(b)) => a.total_cmp(&b),
        (a, b) => a.whole().cmp(&b.whole()),
    }
}

/// That of operators that tell places, to which both zeros are one.
fn tied(a: Number, b: Number) -> Ordering {
    if a.is_zero() && b.is_zero() { Ordering::Equal } else { order(a, b) }
}

fn value(number: Number) -> Want {
    match number {
        Number::Float(x) => Want::Float(x),
        Number::Whole(x) => Want::Whole(x.into()),
    }
}

fn whole(x: impl Into<BigInt>) -> Answer {
    one(Want::Whole(x.into()))
}

/// The smallest or the largest; NaN where there is one.
fn extreme(numbers: &[Number], high: bool) -> Option<Number> {
    let nan = numbers.iter().copied().find(|x| x.is_nan());
    nan.or_else(|| {
        let all = numbers.iter().copied();
        if high { all.max_by(|&a, &b| order(a, b)) } else { all.min_by(|&a, &b| order(a, b)) }
    })
}

/// All places, the best first: those of NaN, then by the order, of equal ones the first, or the last.
fn ranked(numbers: &[Number], high: bool, last: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&a, &b| {
        let (x, y) = (numbers[a], numbers[b]);
        let by_value = match (x.is_nan(), y.is_nan()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ if high => tied(y, x),
            _ => tied(x, y),
        };
        by_value.then(if last { b.cmp(&a) } else { a.cmp(&b) })
    });
    places
}

/// The best one and its place.
pub fn found(name: &'static str, numbers: &[Number], high: bool, last: bool) -> Told {
    match ranked(numbers, high, last).first() {
        Some(&place) => (name, value(numbers[place]), Some(place as u64)),
        None => (name, Want::Nothing, None),
    }
}

/// How many there are, and how many are NaN.
pub fn counts(numbers: &[Number]) -> Vec<Told> {
    let nan = numbers.iter().filter(|x| x.is_nan()).count();
    [("count", numbers.len()), ("nan_count", nan)].map(|(name, count)| (name, Want::Whole(count.into()), None)).to_vec()
}

/// Whether a number compares so with 1, as the options say; a NaN with nothing.
fn above_one(x: Number) -> bool {
    x.float() > 1.0
}

fn up_to_one(x: Number) -> bool {
    x.float() <= 1.0
}

/// Bits of the type, of a number in it.
fn wrapped(dtype: Dtype, x: i128) -> BigInt {
    match dtype {
        Dtype::I32 => (x as i32).into(),
        Dtype::U32 => (x as u32).into(),
        Dtype::I64 => (x as i64).into(),
        _ => (x as u64).into(),
    }
}

/// The bin of a number among equal ones, `Err` with where it is instead: below, above, NaN.
fn bin(edges: &[f64], x: f64) -> Result<usize, usize> {
    let last = edges.len() - 1;
    match x {
        x if x.is_nan() => Err(2),
        x if x < edges[0] => Err(0),
        x if x > edges[last] => Err(1),
        x => Ok((0..last).rev().find(|&bin| edges[bin] <= x).unwrap_or(0)),
    }
}

fn counted(counts: &[u64], others: &[(&'static str, u64)]) -> Answer {
    let bins = counts.iter().map(|&count| ("bin", count));
    Some(Ok(bins.chain(others.iter().copied()).map(|(name, count)| (name, Want::Whole(count.into()), None)).collect()))
}

/// Counts of pairs by both bins.
pub fn histogram2d(pairs: &[Vec<Number>]) -> Answer {
    let (x, y) = (edges(3, -2.0, 3.0), edges(2, 0.0, 1.5));
    let (mut counts, mut outside, mut nan) = ([0; 6], 0, 0);
    for pair in pairs {
        match (bin(&x, pair[0].float()), bin(&y, pair[1].float())) {
            (Err(2), _) | (_, Err(2)) => nan += 1,
            (Ok(x), Ok(y)) => counts[x * 2 + y] += 1,
            _ => outside += 1,
        }
    }
    counted(&counts, &[("outside", outside), ("nan", nan)])
}

/// The polynomial of the bits' digits of 16, one more than each, modulo 2^31 - 1, to one base and to another.
pub fn hash<T: Element>(elements: &[T]) -> Answer {
    let digits = if T::DTYPE.bytes() == 8 { 4 } else { 2 };
    let of = |base: u128| {
        elements.iter().map(|x| x.pattern()).fold(0u128, |hash, bits| {
            let digit = |at: u32| u128::from(bits >> (16 * at) & 0xffff) + 1;
            (0..digits).fold(hash, |hash, at| (hash * base + digit(at)) % ((1 << 31) - 1))
        })
    };
    whole(of(793_234_511) << 31 | of(1_430_287_019))
}

/// The answer of an operator about numbers; `None` of others.
pub fn answer(name: &str, dtype: Dtype, numbers: &[Number]) -> Option<Answer> {
    let n = numbers.len();
    let nonzero = numbers.iter().filter(|x| !x.is_zero()).count();
    let extremes = [extreme(numbers, false), extreme(numbers, true)];
    let told = |extreme: Option<Number>| extreme.map_or(Want::Nothing, value);
    let wholes = || numbers.iter().map(|x| x.whole());
    let list = |high: bool, k: usize| {
        let places = ranked(numbers, high, false).into_iter().take(k);
        Some(Ok(places.map(|at| ("value", value(numbers[at]), Some(at as u64))).collect()))
    };
    let first = |place: Option<usize>| {
        let (want, index) = place.map_or((Want::Nothing, None), |at| (value(numbers[at]), Some(at as u64)));
        Some(Ok(vec![("value", want, index)]))
    };
    Some(match name {
        "min" => one(told(extremes[0])),
        "max" => one(told(extremes[1])),
        "minmax" => Some(Ok(vec![("min", told(extremes[0]), None), ("max", told(extremes[1]), None)])),
        "range" => match extremes {
            [Some(Number::Float(low)), Some(Number::Float(high))] if is_single(dtype) => {
                one(Want::Float((high as f32 - low as f32).into()))
            }
            [Some(Number::Float(low)), Some(Number::Float(high))] => one(Want::Float(high - low)),
            [Some(low), Some(high)] => whole(high.whole() - low.whole()),
            _ => one(Want::Nothing),
        },
        "norminf" => match extremes {
            [Some(Number::Float(low)), Some(Number::Float(high))] if low.is_nan() || high.is_nan() => {
                one(Want::Float(f64::NAN))
            }
            [Some(Number::Float(low)), Some(Number::Float(high))] => one(Want::Float(low.abs().max(high.abs()))),
            [Some(low), Some(high)] => whole(low.whole().abs().max(high.whole().abs())),
            _ if matches!(dtype, Dtype::F32 | Dtype::F64) => one(Want::Float(0.0)),
            _ => whole(0),
        },
        "argmin" | "argmin_last" => Some(Ok(vec![found("value", numbers, false, name.ends_with("last"))])),
        "argmax" | "argmax_last" => Some(Ok(vec![found("value", numbers, true, name.ends_with("last"))])),
        "top" => list(true, 3),
        "bottom" => list(false, 5),
        "find_first" => first(numbers.iter().position(|&x| up_to_one(x))),
        "find_last" => first(numbers.iter().rposition(|&x| up_to_one(x))),
        "count_if" => whole(numbers.iter().filter(|&&x| above_one(x)).count()),
        "count" => whole(n),
        "count_nonzero" => whole(nonzero),
        "count_nan" => whole(numbers.iter().filter(|x| x.is_nan()).count()),
        "parity" => one(Want::Bool(nonzero % 2 == 1)),
        "any" => one(Want::Bool(nonzero > 0)),
        "all" => one(Want::Bool(nonzero == n)),
        "none" => one(Want::Bool(nonzero == 0)),
        "and" => one(Want::Whole(wrapped(dtype, wholes().fold(-1, |a, b| a & b)))),
        "or" => one(Want::Whole(wrapped(dtype, wholes().fold(0, |a, b| a | b)))),
        "xor" => one(Want::Whole(wrapped(dtype, wholes().fold(0, |a, b| a ^ b)))),
        "wrapping_sum" => one(Want::Whole(wrapped(dtype, wholes().fold(0, i128::wrapping_add)))),
        // The low bits of a product are those of the low bits of its factors.
        "wrapping_product" => one(Want::Whole(wrapped(dtype, wholes().fold(1, i128::wrapping_mul)))),
        "product" if matches!(dtype, Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64) => {
            product(dtype, &wholes().collect::<Vec<_>>())
        }
        "histogram" => {
            let edges = edges(5, -2.0, 3.0);
            let (mut counts, mut others) = ([0; 5], [0; 3]);
            numbers.iter().for_each(|x| match bin(&edges, x.float()) {
                Ok(bin) => counts[bin] += 1,
                Err(other) => others[other] += 1,
            });
            counted(&counts, &[("below", others[0]), ("above", others[1]), ("nan", others[2])])
        }
        _ => return None,
    })
}

/// A product in 64 bits, with a sign or without.
fn product(dtype: Dtype, wholes: &[i128]) -> Answer {
    let signed = matches!(dtype, Dtype::I32 | Dtype::I64);
    if wholes.contains(&0) {
        return one(Want::Whole(BigInt::zero()));
    }
    let mut product = BigInt::one();
    for &factor in wholes {
        product *= factor;
        if product.bits() > 64 {
            return Some(Err("does not fit"));
        }
    }
    let fits = if signed { i64::try_from(&product).is_ok() } else { u64::try_from(&product).is_ok() };
    if fits { one(Want::Whole(product)) } else { Some(Err("does not fit")) }
}
