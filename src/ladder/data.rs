//! What the stages reduce, what they must find, and how long the host takes for the same.

use super::Operator;
use super::stages::{Data, Finish, Stage, Walk};
use super::text::least_or_most;
use std::hint::black_box;
use std::time::Instant;

/// One number of an answer, and how closely it must agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// An integer.
    Integer(i64),
    /// A float that no operation has rounded.
    Same(f64),
    /// A float whose additions rounded.
    Near(f64),
}

/// An answer: named numbers.
pub(super) type Numbers = Vec<(&'static str, Number)>;

/// A well-mixed function of the index (splitmix64).
fn mixed(i: u64, seed: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// For sums: small, as in the tutorial's program, with a minimum at the very end and a maximum in the middle. For minima: all
/// different.
pub(super) fn ints(count: u64, operator: Operator) -> Vec<i32> {
    let scattered = |i: u64| (i as u32).wrapping_mul(2_654_435_761);
    if operator == Operator::Min {
        return (0..count).map(|i| scattered(i).wrapping_add(0x1234_5678) as i32).collect();
    }
    let mut ints: Vec<i32> = (0..count).map(|i| (scattered(i) >> 24) as i32).collect();
    let middle = ints.len() / 2;
    ints.get_mut(middle).into_iter().for_each(|x| *x = 1000);
    ints.last_mut().into_iter().for_each(|x| *x = -7);
    ints
}

/// In (0, 1), multiples of 2^-24, so that their exact sum is a sum of integers.
pub(super) fn floats(count: u64, seed: u64) -> Vec<f32> {
    let units = |i| ((mixed(i, seed) >> 40) as u32).max(1);
    (0..count).map(|i| units(i) as f32 / UNITS as f32).collect()
}

const UNITS: i64 = 1 << 24;

/// Small integers, mostly zeros, whose sum stays below 2^24: no order of additions rounds, so a kernel that adds every
/// element once must find the sum exactly, however many there are.
pub(super) fn unrounded(count: u64) -> Vec<f32> {
    let sparse = (count >> 20).max(1);
    let value = |i| {
        let bits = mixed(i, 77);
        if (bits >> 8).is_multiple_of(sparse) { (bits % 3 + 1) as f32 } else { 0.0 }
    };
    (0..count).map(value).collect()
}

/// The real-number sum, rounded once.
pub(super) fn exact_sum(elements: &[f32]) -> f64 {
    let units: i128 = elements.iter().map(|&x| i128::from((f64::from(x) * UNITS as f64) as i64)).sum();
    units as f64 / UNITS as f64
}

/// The real-number dot product, rounded once.
pub(super) fn exact_dot(a: &[f32], b: &[f32]) -> f64 {
    let units = |x: f32| (f64::from(x) * UNITS as f64) as i64;
    let sum: i128 = a.iter().zip(b).map(|(&a, &b)| i128::from(units(a) * units(b))).sum();
    sum as f64 / UNITS as f64 / UNITS as f64
}

/// Host copies of what a stage reads.
#[derive(Clone, Copy)]
pub(super) enum Host<'a> {
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    Pairs(&'a [f32], &'a [f32]),
    Candidates(u64),
}

/// What a stage must find, by a loop of its own.
pub(super) fn expected(stage: &Stage, operator: Operator, host: Host) -> Numbers {
    let extreme = |x: &[f32], most: bool| {
        let fold = if most { f32::max } else { f32::min };
        f64::from(x.iter().copied().reduce(fold).unwrap_or_default())
    };
    match host {
        Host::Ints(x) => {
            let exact: i64 = x.iter().copied().map(i64::from).sum();
            // The kernels of the tutorials add modulo 2^32, the library's do not.
            let sum = Number::Integer(if stage.walk == Walk::Treefold { exact } else { i64::from(exact as i32) });
            let least = Number::Integer(x.iter().copied().min().unwrap_or_default().into());
            let most = Number::Integer(x.iter().copied().max().unwrap_or_default().into());
            match (stage.finish, operator) {
                (Finish::Atomics, _) => vec![("sum", sum), ("min", least), ("max", most)],
                (_, Operator::Min) => vec![("min", least)],
                (_, Operator::Sum) => vec![("sum", sum)],
            }
        }
        Host::Floats(x) => match stage.finish {
            Finish::Extreme if least_or_most(stage, operator) == Some(true) => {
                vec![("max", Number::Same(extreme(x, true)))]
            }
            Finish::Extreme => vec![("min", Number::Same(extreme(x, false)))],
            Finish::MinSum => {
                vec![("min", Number::Same(extreme(x, false))), ("sum", Number::Near(exact_sum(x)))]
            }
            Finish::Mean => vec![("mean", Number::Near(exact_sum(x) / x.len() as f64))],
            _ if stage.id == "stride2" => {
                let even: Vec<f32> = x.iter().copied().step_by(2).collect();
                vec![("sum", Number::Near(exact_sum(&even)))]
            }
            _ => vec![("sum", Number::Near(exact_sum(x)))],
        },
        Host::Pairs(a, b) => vec![("dot", Number::Near(exact_dot(a, b)))],
        Host::Candidates(count) => {
            let largest = Number::Integer((2..count).rev().find(|&n| prime(n)).unwrap_or(0) as i64);
            vec![("by tree", largest), ("by atomic max", largest)]
        }
    }
}

fn prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// The host's part of a stage: what came back from the device becomes the answer.
pub(super) fn finish(stage: &Stage, operator: Operator, count: u64, block: u64, words: &[Vec<u32>]) -> Numbers {
    let first = words.first().map_or(&[][..], Vec::as_slice);
    let floats = || first.iter().map(|&bits| f32::from_bits(bits));
    let doubles = || floats().map(f64::from);
    let integer = |at: usize| Number::Integer(i64::from(first.get(at).copied().unwrap_or_default() as i32));
    match stage.finish {
        Finish::Fold => match operator {
            Operator::Sum => {
                let sum = first.iter().fold(0i32, |sum, &x| sum.wrapping_add(x as i32));
                vec![("sum", Number::Integer(sum.into()))]
            }
            Operator::Min => {
                let least = first.iter().map(|&x| x as i32).min().unwrap_or_default();
                vec![("min", Number::Integer(least.into()))]
            }
        },
        Finish::Loop => vec![("dot", Number::Near(floats().sum::<f32>().into()))],
        Finish::Pairwise => {
            vec![("sum", Number::Near(pairwise(&floats().collect::<Vec<_>>()).into()))]
        }
        Finish::Double if stage.id == "stride2" => vec![("sum", Number::Near(doubles().sum()))],
        Finish::Double => vec![("dot", Number::Near(doubles().sum()))],
        Finish::Mean => vec![("mean", Number::Near(doubles().sum::<f64>() * block as f64 / count as f64))],
        Finish::Extreme => {
            let most = least_or_most(stage, operator) == Some(true);
            let found = doubles().reduce(if most { f64::max } else { f64::min }).unwrap_or_default();
            vec![(if most { "max" } else { "min" }, Number::Same(found))]
        }
        Finish::MinSum => {
            let least = doubles().step_by(2).reduce(f64::min).unwrap_or_default();
            let sums: Vec<f32> = floats().skip(1).step_by(2).collect();
            vec![("min", Number::Same(least)), ("sum", Number::Near(pairwise(&sums).into()))]
        }
        Finish::Atomics => vec![("sum", integer(0)), ("min", integer(1)), ("max", integer(2))],
        Finish::Cell => vec![("sum", Number::Near(doubles().sum()))],
        Finish::Wide => {
            let (low, high) = (first.first().copied().unwrap_or(0), first.get(1).copied().unwrap_or(0));
            vec![("sum", Number::Near(f64::from_bits(u64::from(high) << 32 | u64::from(low))))]
        }
        Finish::Primes => {
            let largest = i64::from(first.iter().copied().max().unwrap_or(0));
            let atomic = words.get(1).and_then(|words| words.first()).copied().unwrap_or(0);
            vec![("by tree", Number::Integer(largest)), ("by atomic max", Number::Integer(atomic.into()))]
        }
    }
}

/// Two words of 2^-24 as a float.
pub(super) fn two_words(words: &[Vec<u32>]) -> Numbers {
    let units = match words.first().map(Vec::as_slice) {
        Some(&[low, high]) => u64::from(high) << 32 | u64::from(low),
        _ => 0,
    };
    vec![("sum", Number::Near(units as f64 / UNITS as f64))]
}

/// As the kernels add: halves of halves, so that the error stays small.
fn pairwise(x: &[f32]) -> f32 {
    if x.len() <= 2 {
        return x.iter().sum();
    }
    let (low, high) = x.split_at(x.len() / 2);
    pairwise(low) + pairwise(high)
}

/// How answers agree: `Err` says why not, else the relative error of the floats among them.
pub(super) fn agree(got: &Numbers, want: &Numbers, bound: f64) -> Result<Option<f64>, String> {
    let mut worst = None;
    if got.len() != want.len() {
        return Err(format!("found {}, expected {}", text(got), text(want)));
    }
    for ((name, got), (_, want)) in got.iter().zip(want) {
        let right = match (got, want) {
            (Number::Near(got), Number::Near(want)) => {
                let error = if got == want { 0.0 } else { (got - want).abs() / want.abs() };
                worst = Some(error.max(worst.unwrap_or(0.0)));
                error <= bound
            }
            _ => got == want,
        };
        if !right {
            let (got, want) = (number(got), number(want));
            return Err(format!("{name} is {got}, expected {want} (relative error up to {bound:.1e} allowed)"));
        }
    }
    Ok(worst)
}

fn number(number: &Number) -> String {
    match number {
        Number::Integer(x) => x.to_string(),
        Number::Same(x) | Number::Near(x) => format!("{x}"),
    }
}

/// An answer in words.
pub(super) fn text(numbers: &Numbers) -> String {
    match numbers.as_slice() {
        [(_, only)] => number(only),
        many => many.iter().map(|(name, x)| format!("{name} {}", number(x))).collect::<Vec<_>>().join(", "),
    }
}

/// Seconds of the plain loop that the tutorials compare with: one core, one addition after another; the best of three.
pub(super) fn one_core_seconds(stage: &Stage, operator: Operator, host: Host) -> Option<f64> {
    let run = || match host {
        Host::Ints(x) => match (stage.finish, operator) {
            (Finish::Atomics, _) => {
                let start = (0i32, i32::MAX, i32::MIN);
                let all = x.iter().fold(start, |all, &x| (all.0.wrapping_add(x), all.1.min(x), all.2.max(x)));
                keep(all);
            }
            (_, Operator::Sum) => keep(x.iter().fold(0i32, |sum, &x| sum.wrapping_add(x))),
            (_, Operator::Min) => keep(x.iter().fold(i32::MAX, |least, &x| least.min(x))),
        },
        Host::Floats(x) => match stage.finish {
            Finish::Extreme => keep(x.iter().fold(f32::MAX, |least, &x| if x < least { x } else { least })),
            Finish::MinSum => {
                let both =
                    x.iter().fold((f32::MAX, 0.0f32), |both, &x| (if x < both.0 { x } else { both.0 }, both.1 + x));
                keep(both);
            }
            _ if stage.id == "stride2" => keep(x.iter().step_by(2).fold(0.0f32, |sum, &x| sum + x)),
            _ => keep(x.iter().fold(0.0f32, |sum, &x| sum + x)),
        },
        Host::Pairs(a, b) => keep(a.iter().zip(b).fold(0.0f64, |sum, (&a, &b)| sum + f64::from(a) * f64::from(b))),
        Host::Candidates(_) => (),
    };
    (stage.data != Data::Candidates).then(|| best_of_three(run))
}

/// Seconds of good code on all cores: [`crate::Cpu`], vectorised. It knows no dot product, so that one is written here.
pub(super) fn all_cores_seconds(stage: &Stage, operator: Operator, host: Host) -> Option<f64> {
    use crate::ops::{Max, Min, MinMax, Sum};
    let cpu = crate::Cpu::new();
    let run = || match host {
        Host::Ints(x) => match (stage.finish, operator) {
            (Finish::Atomics, _) => keep(cpu.reduce((Sum, MinMax), x)),
            (_, Operator::Sum) => keep(cpu.reduce(Sum, x)),
            (_, Operator::Min) => keep(cpu.reduce(Min, x)),
        },
        Host::Floats(x) => match stage.finish {
            Finish::Extreme if stage.operator == "max" => keep(cpu.reduce(Max, x)),
            Finish::Extreme => keep(cpu.reduce(Min, x)),
            Finish::MinSum => keep(cpu.reduce((Min, Sum), x)),
            _ => keep(cpu.reduce(Sum, x)),
        },
        Host::Pairs(a, b) => keep(dot_on_all_cores(a, b, cpu.threads())),
        Host::Candidates(_) => (),
    };
    // It has no sum of every second element either.
    (stage.data != Data::Candidates && stage.id != "stride2").then(|| best_of_three(run))
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
        // A thread that stopped leaves its part out: this is timed, not believed.
        running.into_iter().filter_map(|thread| thread.join().ok()).sum()
    })
}

/// Keeps the compiler from leaving out what made this.
fn keep<T>(made: T) {
    let _ = black_box(made);
}

fn best_of_three(run: impl Fn()) -> f64 {
    let once = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..3).map(|_| once()).fold(f64::INFINITY, f64::min).max(1e-9)
}
