//! The right answers, by plain loops on the host that share no code with the kernels.

use super::Operator;
use super::elements::{HostElements, UNITS};
use super::numbers::{Figure, Figures};
use super::stage::{Quantity, Stage};

/// The answer that a stage must find.
pub(super) fn expected(stage: &Stage, operator: Operator, elements: HostElements) -> Figures {
    let computes = stage.computes.chosen(operator);
    match elements {
        HostElements::Ints(x) => {
            let exact: i64 = x.iter().copied().map(i64::from).sum();
            // The kernels of the tutorials add modulo 2^32, the library's do not.
            let sum = Figure::Integer(if stage.is_production() { exact } else { i64::from(exact as i32) });
            let least = Figure::Integer(x.iter().copied().min().unwrap_or_default().into());
            let most = Figure::Integer(x.iter().copied().max().unwrap_or_default().into());
            match computes {
                Quantity::SumMinMax => vec![("sum", sum), ("min", least), ("max", most)],
                Quantity::Min => vec![("min", least)],
                _ => vec![("sum", sum)],
            }
        }
        HostElements::Floats(x) => match computes {
            Quantity::Max => vec![("max", Figure::Same(extreme(x, f32::max)))],
            Quantity::Min => vec![("min", Figure::Same(extreme(x, f32::min)))],
            Quantity::MinAndSum => {
                vec![("min", Figure::Same(extreme(x, f32::min))), ("sum", Figure::Near(exact_sum(x)))]
            }
            Quantity::Mean => vec![("mean", Figure::Near(exact_sum(x) / x.len() as f64))],
            Quantity::EvenSum => {
                let even: Vec<f32> = x.iter().copied().step_by(2).collect();
                vec![("sum", Figure::Near(exact_sum(&even)))]
            }
            _ => vec![("sum", Figure::Near(exact_sum(x)))],
        },
        HostElements::FloatPairs(a, b) => vec![("dot", Figure::Near(exact_dot(a, b)))],
        HostElements::Candidates(count) => {
            let largest = Figure::Integer((2..count).rev().find(|&n| prime(n)).unwrap_or(0) as i64);
            vec![("by tree", largest), ("by atomic max", largest)]
        }
    }
}

fn extreme(x: &[f32], of: fn(f32, f32) -> f32) -> f64 {
    f64::from(x.iter().copied().reduce(of).unwrap_or_default())
}

/// The real-number sum, rounded once.
fn exact_sum(elements: &[f32]) -> f64 {
    let units: i128 = elements.iter().map(|&x| i128::from((f64::from(x) * UNITS as f64) as i64)).sum();
    units as f64 / UNITS as f64
}

/// The real-number dot product, rounded once.
fn exact_dot(a: &[f32], b: &[f32]) -> f64 {
    let units = |x: f32| (f64::from(x) * UNITS as f64) as i64;
    let sum: i128 = a.iter().zip(b).map(|(&a, &b)| i128::from(units(a) * units(b))).sum();
    sum as f64 / UNITS as f64 / UNITS as f64
}

fn prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
