//! Several columns as they are told: a row of a table each, a line of JSON for each operator of each, or bare values.

use super::many::{index, list_cells};
use super::{Report, hide, numbers, plain, rate, table, time};
use crate::json::Json;
use crate::streams::shown;
use anyhow::Result;
use comfy_table::Table;
use indicatif::{BinaryBytes, HumanCount};
use std::slice::from_ref;
use std::time::Duration;

/// A column and its report.
#[derive(Debug)]
pub struct Column {
    /// Its name, as it is asked for.
    pub name: String,
    pub report: Report,
}

/// Columns and their reports, in the order in which they are named.
#[derive(Debug)]
pub struct Columns {
    pub columns: Vec<Column>,
    /// The time that all took.
    pub total: Duration,
}

impl Columns {
    /// The values only, of one column after another.
    pub fn bare(&self) -> String {
        self.columns.iter().map(|column| column.report.bare()).collect()
    }

    /// A JSON object on a line for each operator of each column.
    pub fn json(&self) -> Result<String> {
        let lines = self.columns.iter().flat_map(|Column { name, report }| {
            let line = |found| report.json_of(from_ref(found), vec![("column", Some(Json::text(name)))]).line();
            report.found.iter().map(line)
        });
        lines.collect()
    }

    /// Notes on values that were missing or left out.
    pub fn asides(&self) -> Vec<String> {
        let of = |Column { name, report }: &Column| {
            let asides = report.missing().into_iter().chain(report.left_out());
            asides.map(|aside| format!("column {}: {aside}", shown(name))).collect::<Vec<_>>()
        };
        self.columns.iter().flat_map(of).collect()
    }

    /// The whole text for people.
    pub fn text(&self) -> String {
        let Some(Column { report: first, .. }) = self.columns.first() else { return String::new() };
        if first.found.iter().any(|found| found.bins() > 0) {
            let one = |Column { name, report }: &Column| format!("column {}\n{}", shown(name), report.text());
            return self.columns.iter().map(one).collect::<Vec<_>>().join("\n");
        }
        let mut table = self.table();
        let last = table.column_count();
        let hidden = hide(&mut table, (1..last).rev());
        let reports = || self.columns.iter().map(|column| &column.report);
        let bytes: u64 = reports().map(|report| report.bytes).sum();
        let (what, names) = (if self.columns.len() == 1 { "column" } else { "columns" }, shown(&first.names));
        let mut adapters: Vec<String> = reports().map(|report| report.computed.shown()).collect();
        adapters.dedup();
        let (amount, speed) = (BinaryBytes(bytes), rate(bytes, self.total));
        let mut notes: Vec<String> = vec![];
        for note in reports().flat_map(|report| report.notes().lines().map(String::from).collect::<Vec<_>>()) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let notes: String = notes.into_iter().map(|note| note + "\n").collect();
        let (count, total, adapters) = (self.columns.len(), time(self.total), adapters.join(" and "));
        format!(
            "{table}\n{hidden}{count} {what} of numbers, {amount}, from {names}\n{total}{speed} on {adapters}\n{notes}"
        )
    }

    /// A row a column: its answers, and of what they are.
    fn table(&self) -> Table {
        let mut table = table();
        let missing = |report: &Report| report.missing.map_or(0, |found| found.count);
        let any = |count: &dyn Fn(&Report) -> u64| self.columns.iter().any(|column| count(&column.report) > 0);
        let (any_missing, any_left_out) = (any(&missing), any(&|report| report.left_out.all()));
        let mut header = vec!["column".to_string()];
        let found = self.columns.first().map_or(&[][..], |column| &column.report.found);
        for found in found {
            for named in &found.named {
                header.push(if found.named.len() == 1 { found.operator } else { named.name }.into());
                header.extend(named.indexed.then(|| "index".into()));
            }
        }
        header.extend(["elements", "type"].map(String::from));
        header.extend(any_missing.then(|| "missing".into()));
        header.extend(any_left_out.then(|| "left out".into()));
        table.set_header(header);
        for Column { name, report } in &self.columns {
            let mut row = vec![shown(name)];
            for found in &report.found {
                if found.list {
                    row.extend(list_cells(&found.parts));
                    continue;
                }
                for (part, named) in found.parts.iter().zip(&found.named) {
                    row.push(plain(part.value));
                    row.extend(named.indexed.then(|| index(part)));
                }
            }
            row.extend([HumanCount(report.count).to_string(), report.stored.name().into()]);
            row.extend(any_missing.then(|| HumanCount(missing(report)).to_string()));
            row.extend(any_left_out.then(|| HumanCount(report.left_out.all()).to_string()));
            table.add_row(row);
        }
        numbers(&mut table, 1..usize::MAX);
        table
    }
}
