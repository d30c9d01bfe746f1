//! Bins as rows of a chart: edges, counts, and a bar for each.

use super::{plain, short};
use treefold::{BinAxis, Value};

/// Rows that a chart has; more bins share them.
const ROWS: usize = 25;
/// Letters of the longest bar, where no terminal says how wide it is.
const LONGEST: usize = 40;
/// Letters below which a bar tells nothing.
const SHORTEST: usize = 8;

/// Rows of bins, of neighbours together where there are many: what they hold, how much, and a bar; no bar where the terminal, of so
/// many columns, has no room for one.
pub fn rows(axis: &BinAxis, values: &[Value], columns: Option<u16>) -> Vec<Vec<String>> {
    let together = values.len().div_ceil(ROWS).max(1);
    let sums: Vec<Value> = values.chunks(together).map(total).collect();
    let names: Vec<String> = (0..values.len())
        .step_by(together)
        .map(|begin| {
            let bins = together.min(values.len() - begin);
            let several = if together > 1 { format!(" ({bins} bins)") } else { String::new() };
            name(axis, begin, bins) + &several
        })
        .collect();
    let heights: Vec<f64> = sums.iter().map(|&sum| sum.to_f64().unwrap_or(0.0)).collect();
    let most = heights.iter().copied().fold(0.0, f64::max);
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let sums: Vec<String> = sums.into_iter().map(plain).collect();
    let digits = sums.iter().map(|sum| sum.chars().count()).max().unwrap_or(0);
    // Four rules, and a blank to either side of each cell.
    let taken = 4 + 6 + widest.max("operator".len()) + digits.max("count".len());
    let room = columns.map_or(LONGEST, |columns| usize::from(columns).saturating_sub(taken).min(2 * LONGEST));
    let rows = names.into_iter().zip(sums).zip(heights).map(|((name, sum), height)| {
        let bar = (room >= SHORTEST).then(|| bar(height, most, room));
        [name, sum].into_iter().chain(bar).collect()
    });
    rows.collect()
}

/// The numbers that so many neighbouring bins hold, as a label.
pub fn name(axis: &BinAxis, begin: usize, bins: usize) -> String {
    let edge = |k: usize| axis.edges.get(k).map_or(k.to_string(), |&edge| short(edge));
    match axis.lowest.map(|lowest| lowest + begin as i64) {
        Some(number) if bins == 1 => number.to_string(),
        Some(number) => format!("{number} to {}", number + bins as i64 - 1),
        None => format!("{} to {}", edge(begin), edge(begin + bins)),
    }
}

/// The total of neighbours: of counts exact, of others in f64; of one alone the value itself.
pub fn total(values: &[Value]) -> Value {
    if let [one] = values {
        return *one;
    }
    let counts: Option<Vec<u64>> =
        values.iter().map(|value| if let Value::U64(count) = value { Some(*count) } else { None }).collect();
    counts.map_or_else(
        || Value::F64(values.iter().filter_map(|&value| value.to_f64()).sum()),
        |counts| Value::U128(counts.into_iter().map(u128::from).sum()),
    )
}

/// A bar of eighths of letters, the longest `letters` of them; what is above 0 has one at least.
fn bar(height: f64, most: f64, letters: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let all = 8 * letters;
    // A height that is no number has no bar.
    let eighths = if most > 0.0 { (height * all as f64 / most).ceil() as usize } else { 0 };
    let eighths = eighths.min(all);
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_counts_are_large() {
        assert_eq!(bar(0.0, 10.0, 4), "");
        assert_eq!(bar(10.0, 10.0, 4), "████");
        assert_eq!(bar(5.0, 10.0, 4), "██");
        assert_eq!(bar(1.0, 1e19, 4), "▏");
        assert_eq!(bar(1e300, 1e300, 2), "██");
        assert_eq!(bar(0.0, 0.0, 2), "");
        assert_eq!(bar(-3.0, 2.0, 2), "");
        assert_eq!(bar(f64::NAN, 2.0, 2), "");
        assert_eq!(bar(f64::INFINITY, f64::INFINITY, 2), "");
    }

    #[test]
    fn whole_numbers_stand_alone() {
        let axis = |lowest: i64, bins: i64| BinAxis { edges: vec![], lowest: Some(lowest).filter(|_| bins > 0) };
        let counts = |bins| vec![Value::U64(1); bins];
        assert_eq!(rows(&axis(-1, 3), &counts(3), Some(20)), [["-1", "1"], ["0", "1"], ["1", "1"]]);
        assert_eq!(rows(&axis(-1, 30), &counts(30), Some(20))[14], ["27 to 28 (2 bins)", "2"]);
        let sums = [Value::F32(0.5), Value::F32(-1.0)].repeat(20);
        assert_eq!(rows(&axis(0, 40), &sums, Some(20))[0], ["0 to 1 (2 bins)", "-0.5"]);
    }

    #[test]
    fn a_narrow_terminal_has_no_bars() {
        let axis = BinAxis { edges: vec![0.0, 1.0, 2.0], lowest: None };
        let of = |columns| rows(&axis, &[Value::U64(1), Value::U64(2)], columns);
        assert_eq!(of(Some(30)), [["0 to 1", "1"], ["1 to 2", "2"]]);
        assert_eq!(of(Some(31))[1], ["1 to 2", "2", "████████"]);
        assert_eq!(of(None)[1][2].chars().count(), LONGEST);
    }
}
