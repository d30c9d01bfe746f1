//! The host's time for the same answers: the loop of the tutorials, and good code.

use super::Operator;
use super::elements::HostElements;
use super::stage::{Quantity, Stage};
use crate::ops::{FastSum, Max, Min, MinMax, Sum};
use std::hint::black_box;
use web_time::Instant;

/// Seconds of the plain loop that the tutorials compare with: one core, one addition after another; the best of three.
pub(super) fn one_core_seconds(stage: &Stage, operator: Operator, elements: HostElements) -> Option<f64> {
    let computes = stage.computes.chosen(operator);
    let run = || match elements {
        HostElements::Ints(x) => match computes {
            Quantity::SumMinMax => {
                let start = (0i32, i32::MAX, i32::MIN);
                let all = x.iter().fold(start, |all, &x| (all.0.wrapping_add(x), all.1.min(x), all.2.max(x)));
                keep(all);
            }
            Quantity::Min => keep(x.iter().fold(i32::MAX, |least, &x| least.min(x))),
            _ => keep(x.iter().fold(0i32, |sum, &x| sum.wrapping_add(x))),
        },
        HostElements::Floats(x) => match computes {
            Quantity::Min | Quantity::Max => {
                keep(x.iter().fold(f32::MAX, |least, &x| if x < least { x } else { least }));
            }
            Quantity::MinAndSum => {
                let both =
                    x.iter().fold((f32::MAX, 0.0f32), |both, &x| (if x < both.0 { x } else { both.0 }, both.1 + x));
                keep(both);
            }
            Quantity::EvenSum => keep(x.iter().step_by(2).fold(0.0f32, |sum, &x| sum + x)),
            _ => keep(x.iter().fold(0.0f32, |sum, &x| sum + x)),
        },
        HostElements::FloatPairs(a, b) => {
            keep(a.iter().zip(b).fold(0.0f64, |sum, (&a, &b)| sum + f64::from(a) * f64::from(b)));
        }
        HostElements::Candidates(_) => (),
    };
    stage.reads_elements().then(|| best_of_three(run))
}

/// Seconds of good code on all cores: [`crate::Cpu`], vectorised. Its only dot product is the exact one, so that a plain one is
/// written here.
pub(super) fn all_cores_seconds(stage: &Stage, operator: Operator, elements: HostElements) -> Option<f64> {
    let computes = stage.computes.chosen(operator);
    let cpu = crate::Cpu::new();
    let run = || match elements {
        HostElements::Ints(x) => match computes {
            Quantity::SumMinMax => keep(cpu.reduce((Sum, MinMax), x)),
            Quantity::Min => keep(cpu.reduce(Min, x)),
            _ => keep(cpu.reduce(Sum, x)),
        },
        HostElements::Floats(x) => match computes {
            Quantity::Max => keep(cpu.reduce(Max, x)),
            Quantity::Min => keep(cpu.reduce(Min, x)),
            Quantity::MinAndSum => keep(cpu.reduce((Min, FastSum), x)),
            _ => keep(cpu.reduce(FastSum, x)),
        },
        HostElements::FloatPairs(a, b) => keep(dot_on_all_cores(a, b, cpu.threads())),
        HostElements::Candidates(_) => (),
    };
    // It has no sum of every second element.
    (stage.reads_elements() && computes != Quantity::EvenSum).then(|| best_of_three(run))
}

/// A share to each thread, sixteen sums in each that do not wait for one another.
fn dot_on_all_cores(a: &[f32], b: &[f32], threads: usize) -> f64 {
    let share = a.len().div_ceil(threads.max(1)).max(1);
    let dot = |a: &[f32], b: &[f32]| {
        let mut sums = [0.0f32; 16];
        for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
            (0..16).for_each(|lane| sums[lane] += a[lane] * b[lane]);
        }
        let rest = a.chunks_exact(16).remainder().iter().zip(b.chunks_exact(16).remainder()).map(|(a, b)| a * b);
        f64::from(sums.iter().sum::<f32>() + rest.sum::<f32>())
    };
    std::thread::scope(|scope| {
        let parts = a.chunks(share).zip(b.chunks(share));
        let running: Vec<_> = parts.map(|(a, b)| scope.spawn(move || dot(a, b))).collect();
        // A thread that panicked drops its part: only the time is used, not the answer.
        running.into_iter().filter_map(|thread| thread.join().ok()).sum()
    })
}

/// Keeps the compiler from leaving out the computation of a value.
fn keep<T>(value: T) {
    let _ = black_box(value);
}

fn best_of_three(run: impl Fn()) -> f64 {
    let once = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min).max(1e-9)
}
