//! The host's part of a stage: from the words that come back to the answer.

use super::Operator;
use super::elements::UNITS;
use super::numbers::{Figure, Figures};
use super::stage::{HostFinish, Quantity, Stage};

/// The answer of the stage's first kernels, for workgroups of `block` elements.
pub(super) fn finish(stage: &Stage, operator: Operator, count: u64, block: u64, words: &[Vec<u32>]) -> Figures {
    let first = words.first().map_or(&[][..], Vec::as_slice);
    let floats = || first.iter().map(|&bits| f32::from_bits(bits));
    let doubles = || floats().map(f64::from);
    let integer = |at: usize| Figure::Integer(i64::from(first.get(at).copied().unwrap_or_default() as i32));
    match stage.finish {
        HostFinish::Fold => match operator {
            Operator::Sum => {
                let sum = first.iter().fold(0i32, |sum, &x| sum.wrapping_add(x as i32));
                vec![("sum", Figure::Integer(sum.into()))]
            }
            Operator::Min => {
                let least = first.iter().map(|&x| x as i32).min().unwrap_or_default();
                vec![("min", Figure::Integer(least.into()))]
            }
        },
        HostFinish::Sequential => vec![(sum_name(stage), Figure::Near(floats().sum::<f32>().into()))],
        HostFinish::Pairwise => {
            vec![(sum_name(stage), Figure::Near(pairwise(&floats().collect::<Vec<_>>()).into()))]
        }
        HostFinish::InDouble | HostFinish::OneFloat => vec![(sum_name(stage), Figure::Near(doubles().sum()))],
        HostFinish::Mean => vec![("mean", Figure::Near(doubles().sum::<f64>() * block as f64 / count as f64))],
        HostFinish::Extreme => {
            let (name, of): (_, fn(f64, f64) -> f64) = match stage.computes {
                Quantity::Max => ("max", f64::max),
                _ => ("min", f64::min),
            };
            vec![(name, Figure::Same(doubles().reduce(of).unwrap_or_default()))]
        }
        HostFinish::MinSum => {
            let least = doubles().step_by(2).reduce(f64::min).unwrap_or_default();
            let sums: Vec<f32> = floats().skip(1).step_by(2).collect();
            vec![("min", Figure::Same(least)), ("sum", Figure::Near(pairwise(&sums).into()))]
        }
        HostFinish::Atomics => vec![("sum", integer(0)), ("min", integer(1)), ("max", integer(2))],
        HostFinish::OneDouble => vec![("sum", Figure::Near(f64::from_bits(joined(first))))],
        HostFinish::Primes => {
            let largest = i64::from(first.iter().copied().max().unwrap_or(0));
            let atomic = words.get(1).and_then(|words| words.first()).copied().unwrap_or(0);
            vec![("by tree", Figure::Integer(largest)), ("by atomic max", Figure::Integer(atomic.into()))]
        }
    }
}

/// The answer of a second kernel: a sum in units of 2^-24, in two words.
pub(super) fn finish_two_words(words: &[Vec<u32>]) -> Figures {
    let units = joined(words.first().map_or(&[][..], Vec::as_slice));
    vec![("sum", Figure::Near(units as f64 / UNITS as f64))]
}

/// The low and the high word of 64 bits.
fn joined(words: &[u32]) -> u64 {
    let word = |at: usize| u64::from(words.get(at).copied().unwrap_or(0));
    word(1) << 32 | word(0)
}

fn sum_name(stage: &Stage) -> &'static str {
    if stage.computes == Quantity::Dot { "dot" } else { "sum" }
}

/// As the kernels add: halves of halves, so that the error stays small.
fn pairwise(x: &[f32]) -> f32 {
    if x.len() <= 2 {
        return x.iter().sum();
    }
    let (low, high) = x.split_at(x.len() / 2);
    pairwise(low) + pairwise(high)
}
