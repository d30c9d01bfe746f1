//! Bins of two axes as a table: a row for those of x, a column for those of y.

use super::chart::{name, total};
use super::{Answered, numbers, plain, table};
use treefold::Value;

/// Rows and columns that a table has at most; more bins share them.
const ROWS: usize = 24;
const COLUMNS: usize = 8;

/// The table, and what is counted beside the bins.
pub fn text(found: &Answered) -> String {
    let [x, y] = &found.axes[..] else { return String::new() };
    let shape = found.bins_shape();
    let [nx, ny] = [0, 1].map(|axis| shape.get(axis).map_or(0, |&bins| bins as usize));
    let [rows, columns] = [(nx, ROWS), (ny, COLUMNS)].map(|(bins, most)| bins.div_ceil(most).max(1));
    let values = found.in_bins();
    let mut table = table();
    let begins = (0..ny).step_by(columns).map(|begin| name(y, begin, columns.min(ny - begin)));
    table.set_header([format!("x \\ y: {}", found.in_each_bin())].into_iter().chain(begins));
    for begin in (0..nx).step_by(rows) {
        let cells = (0..ny).step_by(columns).map(|from| {
            let lines = values.chunks(ny.max(1)).skip(begin).take(rows);
            let cell: Vec<Value> = lines.flat_map(|line| line.iter().skip(from).take(columns).copied()).collect();
            plain(total(&cell))
        });
        table.add_row([name(x, begin, rows.min(nx - begin))].into_iter().chain(cells));
    }
    numbers(&mut table, 1..usize::MAX);
    let together =
        if rows * columns > 1 { format!("a cell has up to {rows} by {columns} bins; ") } else { String::new() };
    format!("{table}\n{nx} by {ny} bins; {together}{}", found.beside())
}
