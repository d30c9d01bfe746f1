//! The right answers of exact relations of pairs, by arithmetic on big integers: see `oracle`.

use super::oracle::{
    DOUBLE, Exactly, Format, PLACE_MIN, SINGLE, Total, integer_products, integers, nearest, nearest_root_of_quotient,
    products, terms,
};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use treefold::Element;
use treefold::ops::{Correlation, Cosine, Covariance, WeightedMean};

/// The sums over pairs that relations are made of.
struct Sums {
    x: Total,
    y: Total,
    xy: Total,
    xx: Total,
    yy: Total,
}

/// Numbers that pairs are made of.
trait Number: Element {
    fn sums(pairs: &[[Self; 2]]) -> Sums;
}

macro_rules! numbers {
    ($($type:ty: |$all:ident| $sum:expr, |$pairs:ident| $products:expr;)+) => {$(
        impl Number for $type {
            fn sums(pairs: &[[$type; 2]]) -> Sums {
                let sum = |of: usize| {
                    let $all: Vec<$type> = pairs.iter().map(|pair| pair[of]).collect();
                    Total::of($sum)
                };
                let product = |first: usize, second: usize| {
                    let $pairs: Vec<[$type; 2]> = pairs.iter().map(|pair| [pair[first], pair[second]]).collect();
                    Total::of($products)
                };
                Sums { x: sum(0), y: sum(1), xy: product(0, 1), xx: product(0, 0), yy: product(1, 1) }
            }
        }
    )+};
}

numbers! {
    f32: |all| terms(&all, SINGLE), |pairs| products(&pairs, SINGLE);
    f64: |all| terms(&all, DOUBLE), |pairs| products(&pairs, DOUBLE);
    i64: |all| integers(&all), |pairs| integer_products(pairs.into_iter());
    u64: |all| integers(&all), |pairs| integer_products(pairs.into_iter());
}

impl Sums {
    fn finite(&self) -> bool {
        [&self.x, &self.y, &self.xy].iter().all(|total| total.special(DOUBLE).is_none())
    }

    /// n·Σab - Σa·Σb, in units of 4^PLACE_MIN.
    fn apart(&self, products: &Total, a: &Total, b: &Total) -> BigInt {
        (&products.value << -PLACE_MIN) * self.x.count - &a.value * &b.value
    }
}

pub fn sign(negative: bool, format: Format) -> u64 {
    if negative { format.sign() } else { 0 }
}

/// A quotient of numbers without units, or its root, as the bits of a float; NaN where there is none.
pub fn ratio(
    number: &BigInt,
    divisor: &BigInt,
    nearest: impl Fn(&BigUint, &BigUint, Format) -> u64,
    negative: bool,
    format: Format,
) -> u64 {
    match divisor.is_zero() {
        true => format.nan(),
        // In units of 2^PLACE_MIN.
        false => nearest(&(number.magnitude() << -PLACE_MIN), divisor.magnitude(), format) | sign(negative, format),
    }
}

fn covariance<N: Number>(pairs: &[[N; 2]]) -> Option<u128> {
    let all = N::sums(pairs);
    let n = all.x.count;
    (n > 0).then(|| {
        let apart = all.apart(&all.xy, &all.x, &all.y);
        match all.finite() {
            // The distances are in units of 4^PLACE_MIN.
            true => {
                let divisor = BigUint::from(n).pow(2) << -PLACE_MIN;
                (nearest(apart.magnitude(), &divisor, DOUBLE) | sign(apart.sign() == Sign::Minus, DOUBLE)).into()
            }
            false => DOUBLE.nan().into(),
        }
    })
}

fn correlation<N: Number>(pairs: &[[N; 2]]) -> Option<u128> {
    let all = N::sums(pairs);
    (all.x.count > 0).then(|| {
        let (x, y) = (all.apart(&all.xx, &all.x, &all.x), all.apart(&all.yy, &all.y, &all.y));
        let apart = all.apart(&all.xy, &all.x, &all.y);
        let root = nearest_root_of_quotient;
        match all.finite() {
            true => ratio(&apart.pow(2), &(x * y), root, apart.sign() == Sign::Minus, DOUBLE).into(),
            false => DOUBLE.nan().into(),
        }
    })
}

fn cosine<N: Number>(pairs: &[[N; 2]], format: Format) -> Option<u128> {
    let all = N::sums(pairs);
    (all.x.count > 0).then(|| {
        let (root, product) = (nearest_root_of_quotient, &all.xy.value);
        let sizes = &all.xx.value * &all.yy.value;
        match all.finite() {
            true => ratio(&product.pow(2), &sizes, root, product.sign() == Sign::Minus, format).into(),
            false => format.nan().into(),
        }
    })
}

/// The sign of a total, and what is like it where its size does not matter: 0, 1, infinity, NaN.
fn like(total: &Total) -> f64 {
    let minus_zero = total.only_minus_zeros && total.count > 0;
    total.special(DOUBLE).map_or_else(
        || match total.value.sign() {
            Sign::Minus => -1.0,
            Sign::Plus => 1.0,
            Sign::NoSign if minus_zero => -0.0,
            Sign::NoSign => 0.0,
        },
        f64::from_bits,
    )
}

fn weighted<N: Number>(pairs: &[[N; 2]], format: Format) -> Option<u128> {
    let all = N::sums(pairs);
    (all.x.count > 0).then(|| {
        let (product, weight) = (&all.xy.value, &all.y.value);
        let plain = like(&all.xy) / like(&all.y);
        match plain.abs() == 1.0 {
            true => ratio(product, weight, nearest, plain < 0.0, format).into(),
            false if plain.is_nan() => format.nan().into(),
            false if format.sign() == SINGLE.sign() => (plain as f32).to_bits().into(),
            false => plain.to_bits().into(),
        }
    })
}

macro_rules! relations {
    ($($number:ty, $format:expr;)+) => {$(
        impl Exactly<[$number; 2]> for Covariance {
            fn want(pairs: &[[$number; 2]]) -> Option<u128> {
                covariance(pairs)
            }
            fn told(output: &Option<f64>) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }

        impl Exactly<[$number; 2]> for Correlation {
            fn want(pairs: &[[$number; 2]]) -> Option<u128> {
                correlation(pairs)
            }
            fn told(output: &Option<f64>) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }

        impl Exactly<[$number; 2]> for WeightedMean {
            fn want(pairs: &[[$number; 2]]) -> Option<u128> {
                weighted(pairs, $format)
            }
            fn told(output: &<WeightedMean as treefold::Op<[$number; 2]>>::Output) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }

        impl Exactly<[$number; 2]> for Cosine {
            fn want(pairs: &[[$number; 2]]) -> Option<u128> {
                cosine(pairs, $format)
            }
            fn told(output: &<Cosine as treefold::Op<[$number; 2]>>::Output) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }
    )+};
}

relations! {
    f32, SINGLE;
    f64, DOUBLE;
    i64, DOUBLE;
    u64, DOUBLE;
}
