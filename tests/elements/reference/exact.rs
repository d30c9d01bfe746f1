//! Sums, and what is made of them: big integers, rounded once at most. See `common::oracle`.

use super::{Answer, Number, Told, Want, is_single, one, order};
use crate::common::oracle::{DOUBLE, Exactly, SINGLE, Total, summary, terms};
use num_bigint::BigInt;
use treefold::half::f16;
use treefold::ops::{
    Correlation, Cosine, Covariance, Dot, Kurtosis, Mean, Norm2, Sem, Skewness, Std, Sum, SumOfSquares, Variance,
    WeightedMean,
};
use treefold::{Dtype, Element};

type Pair<N> = [N; 2];

/// The oracle's bits of an operator over a type; `None` where it has none of it.
macro_rules! oracle {
    ($name:expr, $dtype:expr, $elements:expr; $($text:literal $op:ident over $($type:ty = $of:ident)+;)+) => {
        match ($name, $dtype) {
            $($(($text, Dtype::$of) => Some(<$op as Exactly<$type>>::want(bytemuck::cast_slice($elements))),)+)+
            _ => None,
        }
    };
}

/// The bits of an answer that is rounded once, `None` in them where there is none.
fn rounded<T: Element>(name: &str, elements: &[T]) -> Option<Option<u128>> {
    oracle! { name, T::DTYPE, elements;
        "sum" Sum over f32 = F32 f16 = F16 f64 = F64;
        "mean" Mean over f32 = F32 f16 = F16 f64 = F64 i32 = I32 u32 = U32 i64 = I64 u64 = U64;
        "sumsq" SumOfSquares over f32 = F32 f64 = F64;
        "norm2" Norm2 over f32 = F32 f64 = F64 i32 = I32 i64 = I64 u64 = U64;
        "dot" Dot over Pair<f32> = F32x2 Pair<f64> = F64x2;
        "variance" Variance over f32 = F32 f64 = F64 i32 = I32 u32 = U32 i64 = I64 u64 = U64;
        "std" Std over f32 = F32 f64 = F64 i32 = I32 u32 = U32 i64 = I64 u64 = U64;
        "sem" Sem over f32 = F32 f64 = F64 i32 = I32 u32 = U32 i64 = I64 u64 = U64;
        "skewness" Skewness over f32 = F32 i32 = I32 u32 = U32;
        "kurtosis" Kurtosis over f32 = F32 i32 = I32 u32 = U32;
        "covariance" Covariance over Pair<f32> = F32x2 Pair<f64> = F64x2 Pair<i64> = I64x2 Pair<u64> = U64x2;
        "correlation" Correlation over Pair<f32> = F32x2 Pair<f64> = F64x2 Pair<i64> = I64x2 Pair<u64> = U64x2;
        "weighted_mean" WeightedMean over Pair<f32> = F32x2 Pair<f64> = F64x2 Pair<i64> = I64x2 Pair<u64> = U64x2;
        "cosine" Cosine over Pair<f32> = F32x2 Pair<f64> = F64x2 Pair<i64> = I64x2 Pair<u64> = U64x2;
    }
}

fn want(bits: Option<u128>) -> Want {
    bits.map_or(Want::Nothing, Want::Bits)
}

/// The answer of an exact operator; `None` of others.
pub fn answer<T: Element>(name: &str, elements: &[T], numbers: &[Vec<Number>]) -> Option<Answer> {
    if let Some(bits) = rounded(name, elements) {
        return Some(one(want(bits)));
    }
    let alone = || numbers.iter().map(|numbers| numbers[0]);
    match (name, T::DTYPE) {
        ("sum" | "mean" | "norm2", Dtype::C64 | Dtype::C128) => Some(complex(name, T::DTYPE, numbers)),
        ("norm2", _) => {
            let wide: Vec<u64> = alone().map(|number| number.whole() as u64).collect();
            Some(one(want(Norm2::want(&wide))))
        }
        ("norm1", Dtype::F32 | Dtype::F16 | Dtype::F64) => {
            let sizes: Vec<f64> = alone().map(|number| number.float().abs()).collect();
            let format = if is_single(T::DTYPE) { SINGLE } else { DOUBLE };
            Some(one(Want::Bits(Total::of(terms(&sizes, DOUBLE)).quotient(1, format).into())))
        }
        ("sum", _) => whole(T::DTYPE, alone().map(|x| BigInt::from(x.whole())).sum()),
        ("sumsq", _) => whole(Dtype::U64, alone().map(|x| BigInt::from(x.whole()).pow(2)).sum()),
        ("norm1", _) => whole(Dtype::U64, alone().map(|x| BigInt::from(x.whole().abs())).sum()),
        ("dot", _) => {
            let number = if T::DTYPE == Dtype::I64x2 { Dtype::I64 } else { Dtype::U64 };
            let product = |pair: &Vec<Number>| BigInt::from(pair[0].whole()) * pair[1].whole();
            whole(number, numbers.iter().map(product).sum())
        }
        ("stats", _) => Some(stats(elements, &alone().collect::<Vec<_>>())),
        _ => None,
    }
}

/// A whole number in 128 bits, with a sign or without.
fn whole(dtype: Dtype, sum: BigInt) -> Option<Answer> {
    let signed = matches!(dtype, Dtype::I32 | Dtype::I64);
    let fits = if signed { i128::try_from(&sum).is_ok() } else { u128::try_from(&sum).is_ok() };
    Some(if fits { one(Want::Whole(sum)) } else { Some(Err("does not fit")) })
}

/// Both parts, or the norm of all of them.
fn complex(name: &str, dtype: Dtype, numbers: &[Vec<Number>]) -> Answer {
    let part = |parts: &[usize]| -> Option<u128> {
        let all: Vec<f64> = numbers.iter().flat_map(|both| parts.iter().map(|&part| both[part].float())).collect();
        let singles: Vec<f32> = all.iter().map(|&x| x as f32).collect();
        match is_single(dtype) {
            true => rounded(name, &singles)?,
            false => rounded(name, &all)?,
        }
    };
    if name == "norm2" {
        return one(want(part(&[0, 1])));
    }
    let float =
        |bits: u128| if is_single(dtype) { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) };
    one(match (part(&[0]), part(&[1])) {
        (Some(re), Some(im)) => Want::Near([float(re), float(im)], 0.0),
        _ => Want::Nothing,
    })
}

/// The parts of a summary.
fn stats<T: Element>(elements: &[T], numbers: &[Number]) -> Answer {
    let sum = match rounded("sum", elements) {
        Some(bits) => want(bits),
        None => Want::Whole(numbers.iter().map(|x| BigInt::from(x.whole())).sum()),
    };
    let [mean, std] = match T::DTYPE {
        Dtype::F32 => {
            let (_, mean, std) = summary(bytemuck::cast_slice(elements), 0);
            [mean, std].map(|bits| bits.map(u128::from))
        }
        _ => ["mean", "std"].map(|name| rounded(name, elements).flatten()),
    };
    let mut parts: Vec<Told> = order::counts(numbers);
    parts.extend([("sum", sum, None), ("mean", want(mean), None), ("std", want(std), None)]);
    parts.extend([order::found("min", numbers, false, false), order::found("max", numbers, true, false)]);
    Some(Ok(parts))
}
