//! Axes: ranges, ticks and their labels.

use super::text::{plain, power_of_ten, power_of_two};
use crate::report::short;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::Ranged;
use std::ops::Range;

/// An axis: its range, its ticks and their labels.
#[derive(Clone)]
pub(super) struct Axis {
    pub from: f64,
    pub to: f64,
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

impl Axis {
    /// Lengths, given as logarithms to base 2, with at most `most` ticks.
    pub fn lengths(values: impl Iterator<Item = f64>, most: f64) -> Axis {
        let (low, high) = extent(values);
        let (from, to) = (low.floor(), high.ceil());
        let (from, to) = if from < to { (from, to) } else { ((from - 1.0).max(0.0), to + 1.0) };
        let step = ((to - from) / most).ceil().max(1.0);
        Axis { from, to, ticks: steps(from, to, step), label: power_of_two }
    }

    /// Values given as logarithms to base 10.
    pub fn decades(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = extent(values);
        let exponents = low.floor() as i32 - 1..=high.ceil() as i32 + 1;
        let marks = |exponent: i32| [0.0, 2f64.log10(), 5f64.log10()].map(|mark| mark + f64::from(exponent));
        let marks: Vec<f64> = exponents.flat_map(marks).collect();
        let from = marks.iter().copied().filter(|&mark| mark < low - 0.02).fold(low - 1.0, f64::max);
        let to = marks.iter().copied().filter(|&mark| mark > high + 0.02).fold(high + 1.0, f64::min);
        let ticks = if to - from < 2.5 {
            marks.into_iter().filter(|mark| (from..=to).contains(mark)).collect()
        } else {
            let step = ((to - from) / 12.0).ceil();
            steps((from / step).ceil() * step, to, step)
        };
        Axis { from, to, ticks, label: power_of_ten }
    }

    /// Values from one to another.
    pub fn between(from: f64, to: f64) -> Axis {
        let step = round_step(to / 2.0 - from / 2.0) * 2.0;
        let first = (from / step).ceil() * step;
        // Where steps are beyond numbers, or too fine for them, the ends tell enough.
        let fine = step.is_finite() && step > 0.0 && first + step > first && to - from < f64::INFINITY;
        Axis { from, to, ticks: if fine { steps(first, to, step) } else { vec![from, to] }, label: short }
    }

    /// Values from 0 on.
    pub fn linear(high: f64) -> Axis {
        let step = round_step(high);
        let to = (high / step).ceil() * step;
        Axis { from: 0.0, to, ticks: steps(0.0, to, step), label: plain }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        // Halves, so that no width is beyond numbers.
        let share = (value / 2.0 - self.from / 2.0) / (self.to / 2.0 - self.from / 2.0);
        let share = if share.is_finite() { share } else { 0.0 };
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

/// A round step of which a way has 4 to 10.
fn round_step(way: f64) -> f64 {
    let rough = 10f64.powf((way / 10.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * rough).into_iter().find(|step| way / step <= 10.0);
    step.unwrap_or(way)
}

/// The least and the greatest of `values`.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// From `from` to `to` by `step`.
fn steps(from: f64, to: f64, step: f64) -> Vec<f64> {
    let count = ((to - from) / step + 1e-6).floor().clamp(0.0, 100.0) as usize;
    (0..=count).map(|i| from + step * i as f64).collect()
}
