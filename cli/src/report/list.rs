//! A list of elements that were found, as a table: a row for each, the first and the last where there are many.

use super::{Answered, add_some_rows, numbers, plain, table};

/// The place in the list, the element and its index.
pub fn text(found: &Answered) -> String {
    let mut table = table();
    table.set_header(vec![found.operator, "value", "index"]);
    add_some_rows(&mut table, found.parts.len(), |at| {
        let part = &found.parts[at];
        let index = part.index.map_or("none".into(), |index| index.to_string());
        vec![(at + 1).to_string(), plain(part.value), index]
    });
    numbers(&mut table, 0..usize::MAX);
    table.to_string()
}
