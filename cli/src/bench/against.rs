//! Comparison with the figures of a run before.

use super::data::random;
use super::figure::{Change, Figure, Subject, median};
use crate::streams::shown_path;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// The figures of a run before.
pub struct Saved(Vec<(Subject, Vec<f64>)>);

/// Times that samples are drawn anew.
const DRAWS: usize = 2000;

impl Saved {
    /// Those that `--json` printed into a file.
    pub fn read(path: &Path) -> Result<Saved> {
        let name = shown_path(path);
        let text = std::fs::read_to_string(path).with_context(|| name.clone())?;
        let mut all = vec![];
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let told = || format!("{name}: line {} is none of what treefold bench --json prints", at + 1);
            all.extend(Figure::saved(line).with_context(told)?);
        }
        ensure!(!all.is_empty(), "{name}: holds no figure; write one with treefold bench --json");
        Ok(Saved(all))
    }

    /// This figure over the same of that run, where it has one.
    pub fn change(&self, figure: &Figure) -> Option<Change> {
        let (_, before) = self.0.iter().find(|(of, _)| *of == figure.of)?;
        let old = median(before)?;
        Some(Change { before: old, ratio: figure.us()? / old, interval: interval(before, &figure.samples) })
    }
}

/// The interval in which 95 percent of the ratios of two medians lie, where both are of samples that are drawn from the ones there
/// are, with repetition: Efron's percentile bootstrap (1979). Always the same of the same samples; none of fewer than three.
fn interval(before: &[f64], now: &[f64]) -> Option<(f64, f64)> {
    if before.len().min(now.len()) < 3 {
        return None;
    }
    let mut state = random(1);
    let mut place = |of: usize| ((state() >> 33) as usize) % of.max(1);
    let mut drawn = |from: &[f64]| {
        let mut samples: Vec<f64> = (0..from.len()).map(|_| from[place(from.len())]).collect();
        samples.sort_by(f64::total_cmp);
        median(&samples)
    };
    let mut ratios = (0..DRAWS).map(|_| Some(drawn(now)? / drawn(before)?)).collect::<Option<Vec<f64>>>()?;
    ratios.sort_by(f64::total_cmp);
    Some((ratios[DRAWS / 40], ratios[DRAWS - 1 - DRAWS / 40]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_ratio_and_grow_with_the_spread() {
        let steady: Vec<f64> = (0..9).map(|at| 100.0 + f64::from(at) * 0.01).collect();
        let twice: Vec<f64> = steady.iter().map(|us| 2.0 * us).collect();
        let (low, high) = interval(&steady, &twice).unwrap();
        assert!(low > 1.99 && low <= 2.0 && (2.0..2.01).contains(&high), "{low} {high}");
        let wild: Vec<f64> = (0..9).map(|at| 100.0 + f64::from(at) * 20.0).collect();
        let (low, high) = interval(&wild, &wild).unwrap();
        assert!(low < 0.9 && high > 1.1, "{low} {high}");
        assert_eq!(interval(&wild[..2], &wild), None);
    }
}
