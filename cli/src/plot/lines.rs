//! The lines of a chart, from measured points.

use super::axis::extent;
use super::page::{Point, Rung};
use super::style::PALETTE;
use std::collections::BTreeMap;

/// A line's colour, dashes and marker by its number; `None`: thin and grey.
pub(super) type LineStyle = Option<usize>;

/// A line of a chart.
pub(super) struct Line {
    pub label: String,
    /// Logarithms: of the length to base 2, of the value to base 10.
    pub points: Vec<(f64, f64)>,
    /// The points that have markers, where those are not its own.
    pub marked: Option<Vec<(f64, f64)>>,
    pub look: LineStyle,
}

impl Line {
    /// The points that have markers.
    pub fn marks(&self) -> &[(f64, f64)] {
        self.marked.as_ref().unwrap_or(&self.points)
    }
}

/// The best value of each length, in order, without those that have no logarithm.
pub(super) fn curve<'a>(points: impl Iterator<Item = &'a Point>, value: fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let mut best = BTreeMap::<u64, f64>::new();
    for point in points {
        let value = value(point);
        if point.count > 0 && value.is_finite() && value > 0.0 {
            let best = best.entry(point.count).or_insert(value);
            *best = best.max(value);
        }
    }
    best.into_iter().map(|(count, value)| ((count as f64).log2(), value.log10())).collect()
}

/// The stages of `points`, each once, in the ladder's order, then by appearance.
pub(super) fn stages<'a>(points: &'a [Point], rungs: &[Rung]) -> Vec<&'a str> {
    let mut stages: Vec<&str> = vec![];
    for point in points {
        if !stages.contains(&point.stage.as_str()) {
            stages.push(&point.stage);
        }
    }
    stages.sort_by_key(|&stage| rungs.iter().position(|rung| rung.stage == stage).unwrap_or(rungs.len()));
    stages
}

/// Indices of the lines to colour, by [`RULE`], at most as many as there are colours.
pub(super) fn highlighted(lines: &[Line]) -> Vec<usize> {
    let peaks: Vec<f64> = lines.iter().map(|line| extent(line.points.iter().map(|point| point.1)).1).collect();
    let (_, fastest) = extent(peaks.iter().copied());
    let mut best = f64::NEG_INFINITY;
    let mut ranks = vec![];
    for (i, &peak) in peaks.iter().enumerate() {
        // Logarithms: 0.02 is five percent.
        let rank = match peak - best {
            _ if i == 0 || peak == fastest || lines[i].label == PRODUCTION => (2, 0.0),
            gain if gain > 0.02 => (1, gain),
            _ => (0, -peak),
        };
        ranks.push((rank, i));
        best = best.max(peak);
    }
    ranks.sort_by(|((a, x), _), ((b, y), _)| b.cmp(a).then(y.total_cmp(x)));
    let mut chosen: Vec<usize> = ranks.into_iter().map(|(_, i)| i).take(PALETTE.len()).collect();
    chosen.sort_unstable();
    chosen
}

/// The stage that is always in colour.
const PRODUCTION: &str = "treefold";

/// The rule of [`highlighted`].
pub(super) const RULE: &str =
    "in colour: the first stage, treefold, the fastest, those faster than all before them, the slowest";
