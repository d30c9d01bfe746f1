//! What is rounded on the way: the obvious formula in f64, or in whole numbers, and how far from it an answer may lie by its page.

use super::{Answer, Number, Want, is_single, one, order};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use treefold::Dtype;

/// The distance between floats of an answer, relative to its size.
fn epsilon(dtype: Dtype) -> f64 {
    if is_single(dtype) { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

fn near(want: f64, slack: f64) -> Answer {
    one(Want::Near([want, 0.0], slack))
}

/// A sum of floats in real numbers, but for what is beyond them: NaN and infinities as IEEE 754 has it.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    // Pairwise, so that its own error does not count.
    fn pairwise(all: &[f64]) -> f64 {
        match all {
            [] => 0.0,
            [x] => *x,
            _ => {
                let (a, b) = all.split_at(all.len() / 2);
                pairwise(a) + pairwise(b)
            }
        }
    }
    pairwise(&numbers.collect::<Vec<_>>())
}

/// The answer of an operator; `None` where nothing is promised, of others an unknown name.
pub fn answer(name: &str, dtype: Dtype, elements: &[Vec<Number>], alone: &[Number]) -> Answer {
    let x: Vec<f64> = alone.iter().map(|x| x.float()).collect();
    let (n, eps) = (x.len() as f64, epsilon(dtype));
    let finite = x.iter().all(|x| x.is_finite());
    // What accumulates in the element's type may leave its range.
    let ordinary = x.iter().all(|x| !x.is_finite() || *x == 0.0 || (1e-15..1e15).contains(&x.abs()));
    let size = sum(x.iter().map(|x| x.abs()));
    let mean = sum(x.iter().copied()) / n;
    let squares = || sum(x.iter().map(|x| (x - mean).powi(2)));
    let nothing = || one(Want::Nothing);
    match name {
        "histogram2d" => order::histogram2d(elements),
        "product" if matches!(dtype, Dtype::C64 | Dtype::C128) => complex_product(dtype, elements),
        "product" => product(dtype, &x),
        "fast_sum" | "fast_mean" | "fast_variance" | "fast_stats" if !ordinary => None,
        "fast_sum" => near(sum(x.iter().copied()), n * eps * size),
        "fast_mean" if x.is_empty() => nothing(),
        "fast_mean" => near(mean, n * eps * size),
        "fast_variance" if x.is_empty() => nothing(),
        "fast_variance" => near(if finite { squares() / n } else { f64::NAN }, n * eps * (size + size * size)),
        "fast_stats" => {
            let mut parts = order::counts(alone);
            parts.push(("sum", Want::Near([sum(x.iter().copied()), 0.0], n * eps * size), None));
            let deviation = if finite { (squares() / n).sqrt() } else { f64::NAN };
            let some = |want: Want| if x.is_empty() { Want::Nothing } else { want };
            parts.push(("mean", some(Want::Near([mean, 0.0], n * eps * size)), None));
            parts.push(("std", some(Want::Near([deviation, 0.0], (n * eps * (size + size * size)).sqrt())), None));
            parts.extend([order::found("min", alone, false, false), order::found("max", alone, true, false)]);
            Some(Ok(parts))
        }
        "norm" => {
            let most = x.iter().map(|x| x.abs()).fold(0.0, f64::max);
            let cubes = sum(x.iter().map(|x| (x.abs() / most).powi(3)));
            let want = match x.iter().any(|x| x.is_nan()) {
                true => f64::NAN,
                false if most == 0.0 || most.is_infinite() => most,
                false => most * cubes.cbrt(),
            };
            near(overflowed(dtype, want), want.abs() * (1e-13 + eps) + smallest(dtype))
        }
        "log_mean" | "log_product" => {
            let logs = sum(x.iter().map(|x| x.ln()));
            let sizes = sum(x.iter().map(|x| x.ln().abs()).filter(|x| x.is_finite()));
            match name {
                "log_product" => near(if x.is_empty() { 0.0 } else { logs }, 1e-14 * sizes + eps * logs.abs()),
                _ if x.is_empty() => nothing(),
                _ => {
                    let want = (logs / n).exp();
                    near(overflowed(dtype, want), want * (1e-14 * (2.0 + sizes / n) + eps) + smallest(dtype))
                }
            }
        }
        "harmonic_mean" if x.is_empty() => nothing(),
        "harmonic_mean" => {
            // +inf of both zeros; what has no reciprocal of all digits in f64 promises little.
            let reciprocals = || x.iter().map(|&x| if x == 0.0 { f64::INFINITY } else { x.recip() });
            let total = sum(reciprocals());
            if x.iter().any(|&x| x != 0.0 && x.is_finite() && x.recip().is_infinite())
                || total == 0.0
                || x.iter().any(|x| x.is_finite() && x.abs() > 1e307)
            {
                return None;
            }
            let relative = 1e-14 * sum(reciprocals().map(f64::abs)) / total.abs();
            let want = n / total;
            near(overflowed(dtype, want), want.abs() * (relative + eps) + smallest(dtype))
        }
        "entropy" if x.is_empty() => nothing(),
        "entropy" => {
            let total = sum(x.iter().copied());
            if x.iter().any(|&x| x > 1e300) {
                return None;
            }
            let is_no_weight = |x: f64| x.is_nan() || x < 0.0 || x.is_infinite();
            let terms = x.iter().filter(|&&x| x > 0.0).map(|&x| x / total * (x / total).ln());
            let want = if x.iter().any(|&x| is_no_weight(x)) || total == 0.0 { f64::NAN } else { -sum(terms) };
            let logs = x.iter().filter(|&&x| x > 0.0 && x.is_finite()).map(|x| x.ln().abs()).fold(1.0, f64::max);
            near(want, (1e-14 + eps / 2.0) * (logs + n.ln()))
        }
        "logsumexp" if x.is_empty() => nothing(),
        "softmax_terms" if x.is_empty() => Some(Ok(["max", "sum"].map(|name| (name, Want::Nothing, None)).to_vec())),
        "logsumexp" | "softmax_terms" => {
            let scale = if name == "logsumexp" { 0.5 } else { 1.0 };
            let terms: Vec<f64> = x.iter().map(|x| x * scale).collect();
            let nan = terms.iter().any(|x| x.is_nan());
            let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers = match (nan, most) {
                (true, _) | (_, f64::INFINITY) => f64::NAN,
                (_, f64::NEG_INFINITY) => 0.0,
                _ => sum(terms.iter().map(|x| (x - most).exp())),
            };
            let most = if nan { f64::NAN } else { most };
            let slack = n * eps * 4.0;
            if name == "softmax_terms" {
                let parts = [("max", most, 0.0), ("sum", powers, slack * n)];
                return Some(Ok(parts
                    .map(|(name, want, slack)| (name, Want::Near([want, 0.0], slack), None))
                    .to_vec()));
            }
            let want = if most.is_infinite() { most } else { most + powers.ln() };
            near(want, slack + eps * want.abs())
        }
        "skewness" | "kurtosis" => moment(name, alone),
        _ => panic!("no reference for {name} over {dtype}: write one"),
    }
}

/// The smallest number that has all digits, below which they are lost.
fn smallest(dtype: Dtype) -> f64 {
    if is_single(dtype) { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE }
}

/// What is beyond the range of an answer's type.
fn overflowed(dtype: Dtype, x: f64) -> f64 {
    if is_single(dtype) && x.abs() > f32::MAX.into() { x.signum() * f64::INFINITY } else { x }
}

/// A finite float as a whole number, in units of a power of two.
fn digits(x: f64) -> (BigInt, i64) {
    let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52 & 0x7ff) as i64);
    let fraction = bits & ((1 << 52) - 1) | if exponent == 0 { 0 } else { 1 << 52 };
    (BigInt::from(fraction) * if x.is_sign_negative() { -1 } else { 1 }, exponent.max(1) - 1075)
}

/// The f64 near a whole number in such units.
fn scaled(x: &BigInt, place: i64) -> f64 {
    let cut = (x.bits() as i64 - 64).max(0);
    let top = (x >> cut).to_f64().unwrap_or(f64::NAN);
    // In two steps, of which the first neither overflows nor loses digits.
    let place = (cut + place).clamp(-2500, 2500) as i32;
    top * 2f64.powi(place / 2) * 2f64.powi(place - place / 2)
}

/// The product of real numbers, which alone leaves the range.
fn product(dtype: Dtype, x: &[f64]) -> Answer {
    let (nan, infinite, zero) = (x.iter().any(|x| x.is_nan()), x.iter().any(|x| x.is_infinite()), x.contains(&0.0));
    let negative = x.iter().filter(|x| x.is_sign_negative()).count() % 2 == 1;
    let sign = if negative { -1.0 } else { 1.0 };
    let want = match (nan, infinite, zero) {
        (true, ..) | (_, true, true) => f64::NAN,
        (_, true, _) => sign * f64::INFINITY,
        (.., true) => sign * 0.0,
        _ => {
            let factors = x.iter().map(|&x| digits(x));
            let (product, place) = factors.fold((BigInt::one(), 0), |(all, at), (x, place)| (all * x, at + place));
            scaled(&product, place)
        }
    };
    let want = overflowed(dtype, want);
    let relative = x.len() as f64 * epsilon(dtype);
    // Near the ends of the range rounding decides.
    let most = if is_single(dtype) { f32::MAX.into() } else { f64::MAX };
    if want.is_finite() && want.abs() * (1.0 + relative) >= most {
        return None;
    }
    near(want, want.abs() * relative + if want == 0.0 { 0.0 } else { smallest(dtype) * 2.0 * epsilon(dtype) })
}

/// The same of complex numbers: NaN where a part is not finite, else 0 where one is, else within a share of its size.
fn complex_product(dtype: Dtype, elements: &[Vec<Number>]) -> Answer {
    let parts: Vec<[f64; 2]> = elements.iter().map(|both| [both[0].float(), both[1].float()]).collect();
    if parts.iter().flatten().any(|x| !x.is_finite()) {
        return one(Want::Near([f64::NAN; 2], 0.0));
    }
    if parts.contains(&[0.0; 2]) {
        return one(Want::Near([0.0; 2], 0.0));
    }
    // In units of 2^-1074 for each factor.
    let units = |x: f64| {
        let (digits, place) = digits(x);
        digits << (place + 1074)
    };
    let mut product = [BigInt::one(), BigInt::zero()];
    for part in &parts {
        let [re, im] = part.map(units);
        product = [&product[0] * &re - &product[1] * &im, &product[0] * im + &product[1] * re];
    }
    let place = -1074 * parts.len() as i64;
    let want = [scaled(&product[0], place), scaled(&product[1], place)];
    let (size, most): (f64, f64) =
        (want[0].abs().max(want[1].abs()), if is_single(dtype) { f32::MAX.into() } else { f64::MAX });
    let relative = 3.0 * parts.len() as f64 * epsilon(dtype);
    if size * (1.0 + relative) >= most / 2.0 {
        return None;
    }
    one(Want::Near(want, 2.0 * size * relative + smallest(dtype)))
}

/// A ratio of central moments, from whole numbers.
fn moment(name: &str, numbers: &[Number]) -> Answer {
    if numbers.is_empty() {
        return one(Want::Nothing);
    }
    let units = |x: &Number| match *x {
        Number::Float(x) if !x.is_finite() => None,
        // What leaves the range of f64 as a fourth power is NaN, or nothing.
        Number::Float(x) if x != 0.0 && !(1e-60..1e60).contains(&x.abs()) => None,
        Number::Float(x) => {
            let (digits, place) = digits(x);
            Some(digits << (place + 1074))
        }
        Number::Whole(x) => Some(BigInt::from(x)),
    };
    let Some(all) = numbers.iter().map(units).collect::<Option<Vec<BigInt>>>() else {
        let finite = numbers.iter().all(|x| x.float().is_finite());
        return if finite { None } else { near(f64::NAN, 0.0) };
    };
    let (n, total) = (BigInt::from(all.len()), all.iter().sum::<BigInt>());
    let power = |power| all.iter().map(|x| (x * &n - &total).pow(power)).sum::<BigInt>();
    let squares = power(2);
    if squares.is_zero() {
        return near(f64::NAN, 0.0);
    }
    // Where the mean is far from 0 in deviations, digits are lost.
    if &total * &total > &squares * 1_000_000 {
        return None;
    }
    let ratio = |a: &BigInt, b: &BigInt| {
        let shift = (b.bits() as i64 - a.bits() as i64 + 80).max(0);
        scaled(&((a << shift) / b), -shift)
    };
    let want = match name {
        "skewness" => {
            let cubes = power(3);
            let sign = if cubes.is_negative() { -1.0 } else { 1.0 };
            sign * ratio(&(&n * cubes.pow(2)), &squares.pow(3)).sqrt()
        }
        _ => ratio(&(&n * power(4)), &squares.pow(2)) - 3.0,
    };
    near(want, 1e-11 * (1.0 + want.abs()))
}
