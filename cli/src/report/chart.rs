//! Bins as rows of a chart: edges, counts, and a bar for each.

use super::short;

/// Rows that a chart has; more bins share them.
const ROWS: usize = 25;
/// Letters of the longest bar, where no terminal says how wide it is.
const LONGEST: usize = 40;
/// Letters below which a bar tells nothing.
const SHORTEST: usize = 8;

/// Rows of bins, of neighbours together where there are many: what they hold, how many, and a bar; no bar where the terminal, of so
/// many columns, has no room for one.
pub fn rows(edges: &[f64], counts: &[u64], columns: Option<u16>) -> Vec<Vec<String>> {
    let together = counts.len().div_ceil(ROWS).max(1);
    let edge = |k: usize| edges.get(k).map_or(k.to_string(), |&edge| short(edge));
    let sums: Vec<u64> = counts.chunks(together).map(|counts| counts.iter().sum()).collect();
    let names: Vec<String> = counts
        .chunks(together)
        .enumerate()
        .map(|(row, counts)| {
            let (begin, bins) = (row * together, counts.len());
            let several = if together > 1 { format!(" ({bins} bins)") } else { String::new() };
            format!("{} to {}{several}", edge(begin), edge(begin + bins))
        })
        .collect();
    let most = sums.iter().copied().max().unwrap_or(0);
    let name = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    // Four rules, and a blank to either side of each cell.
    let taken = 4 + 6 + name.max("operator".len()) + most.to_string().len().max("count".len());
    let room = columns.map_or(LONGEST, |columns| usize::from(columns).saturating_sub(taken).min(2 * LONGEST));
    let rows = names.into_iter().zip(sums).map(|(name, sum)| {
        let bar = (room >= SHORTEST).then(|| bar(sum, most, room));
        [name, sum.to_string()].into_iter().chain(bar).collect()
    });
    rows.collect()
}

/// A bar of eighths of letters, the longest `letters` of them; what is not 0 has one at least.
fn bar(count: u64, most: u64, letters: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let all = 8 * letters as u128;
    let eighths = (u128::from(count) * all).div_ceil(u128::from(most.max(1))) as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_counts_are_large() {
        assert_eq!(bar(0, 10, 4), "");
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(5, 10, 4), "██");
        assert_eq!(bar(1, u64::MAX, 4), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX, 2), "██");
        assert_eq!(bar(0, 0, 2), "");
    }

    #[test]
    fn a_narrow_terminal_has_no_bars() {
        let of = |columns| rows(&[0.0, 1.0, 2.0], &[1, 2], columns);
        assert_eq!(of(Some(30)), [["0 to 1", "1"], ["1 to 2", "2"]]);
        assert_eq!(of(Some(31))[1], ["1 to 2", "2", "████████"]);
        assert_eq!(of(None)[1][2].chars().count(), LONGEST);
    }
}
