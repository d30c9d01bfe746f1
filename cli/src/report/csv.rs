//! A report as comma-separated values: a row a part of each operator's answer, or a row each of many answers.

use super::{Answered, Columns, Many, Report, plain};
use crate::parts::{BIN, NamedPart};
use anyhow::{Context, Result};
use csv::Writer;
use treefold::{Part, Value};

/// Rows, and what each begins with.
struct CsvWriter {
    writer: Writer<Vec<u8>>,
    /// The column that numbers come from, where there are several.
    column: Option<String>,
}

impl Report {
    /// Lines of comma-separated values, the first of which names them.
    pub fn csv(&self) -> Result<String> {
        let mut rows = CsvWriter { writer: Writer::from_writer(vec![]), column: None };
        match self.many() {
            Some(many) => rows.many(many, &self.found)?,
            None => {
                rows.head(self.found.iter().any(|found| found.bins() > 0))?;
                rows.answers(&self.found)?;
            }
        }
        rows.text()
    }
}

impl Columns {
    /// The same of several columns, with the column's name before each row.
    pub fn csv(&self) -> Result<String> {
        let found = || self.columns.iter().flat_map(|column| &column.report.found);
        let mut rows = CsvWriter { writer: Writer::from_writer(vec![]), column: Some("column".into()) };
        rows.head(found().any(|found| found.bins() > 0))?;
        for column in &self.columns {
            rows.column = Some(column.name.clone());
            rows.answers(&column.report.found)?;
        }
        rows.text()
    }
}

impl CsvWriter {
    fn row(&mut self, cells: impl IntoIterator<Item = String>) -> Result<()> {
        let cells = self.column.iter().cloned().chain(cells);
        self.writer.write_record(cells).context("CSV")
    }

    fn text(self) -> Result<String> {
        String::from_utf8(self.writer.into_inner().context("CSV")?).context("CSV")
    }

    fn head(&mut self, bins: bool) -> Result<()> {
        let edges = if bins { &["low", "high"][..] } else { &[] };
        let names = ["operator", "part"].iter().chain(edges).chain(&["value", "index"]);
        self.row(names.map(ToString::to_string))
    }

    /// A row a part; of a bin with its edges, those of the first axis first.
    fn answers(&mut self, all: &[Answered]) -> Result<()> {
        let edges = all.iter().any(|found| found.bins() > 0);
        for found in all {
            let lengths = found.bins_shape();
            for (at, part) in found.parts.iter().enumerate() {
                let is_bin = part.name == BIN && at < found.bins();
                let name = match () {
                    () if found.list => (at + 1).to_string(),
                    () if is_bin => BIN.into(),
                    () => part.name.to_string(),
                };
                let mut row = vec![found.operator.to_string(), name];
                if edges {
                    row.extend(if is_bin { ends(found, &lengths, at) } else { [String::new(), String::new()] });
                }
                row.extend([cell(part.value), index(part)]);
                self.row(row)?;
            }
        }
        Ok(())
    }

    /// A row each of many answers: its place or its key, then the parts of each operator's answer.
    fn many(&mut self, one: &Many, all: &[Answered]) -> Result<()> {
        let mut header = one.place_names();
        // Of each column of values: whose answers, which part of them, and whether its index follows.
        let mut columns = vec![];
        for (found, many) in all.iter().filter_map(|found| Some((found, found.many.as_ref()?))) {
            for (part, (name, indexed)) in found.columns(many).into_iter().enumerate() {
                header.extend([name.clone()].into_iter().chain(indexed.then(|| format!("{name}.index"))));
                columns.push((many, part, indexed));
            }
        }
        self.row(header)?;
        for at in 0..one.answers.len() {
            let mut row = one.places(at as u64);
            for &(many, part, indexed) in &columns {
                let part = many.answers.get(at).and_then(|answer| answer.get(part));
                row.push(part.map_or(String::new(), |part| cell(part.value)));
                row.extend(indexed.then(|| part.map_or(String::new(), index)));
            }
            self.row(row)?;
        }
        Ok(())
    }
}

impl Answered {
    /// The parts of many answers: the name of each, and whether it has an index. Lists are as long as the longest.
    fn columns(&self, many: &Many) -> Vec<(String, bool)> {
        let (operator, bins) = (self.operator, self.bins());
        if self.list {
            let longest = many.answers.iter().map(Vec::len).max().unwrap_or(0);
            return (1..=longest).map(|place| (format!("{operator}.{place}"), true)).collect();
        }
        let of_bin = |at: usize| {
            let [low, high] = ends(self, &self.bins_shape(), at);
            (format!("{operator}.{BIN} {low}:{high}"), false)
        };
        let of_part = |named: &NamedPart| match self.indexed.len() {
            1 => (operator.to_string(), named.indexed),
            _ => (format!("{operator}.{}", named.name), named.indexed),
        };
        (0..bins).map(of_bin).chain(self.named.iter().map(of_part)).collect()
    }
}

/// The edges of a bin: one pair, or of two axes what both have, with a blank between.
fn ends(found: &Answered, lengths: &[u64], at: usize) -> [String; 2] {
    let (mut rest, mut low, mut high) = (at as u64, vec![], vec![]);
    for (axis, &length) in found.axes.iter().zip(lengths).rev() {
        let bin = (rest % length.max(1)) as usize;
        rest /= length.max(1);
        let edge = |at: usize| axis.edges.get(at).map_or(String::new(), |&edge| plain(Value::F64(edge)));
        low.insert(0, edge(bin));
        high.insert(0, edge(bin + 1));
    }
    [low.join(" "), high.join(" ")]
}

/// A value as it reads back to the same bits; nothing, where there is none.
fn cell(value: Value) -> String {
    if value == Value::None { String::new() } else { plain(value) }
}

fn index(part: &Part) -> String {
    part.index.map_or(String::new(), |index| index.to_string())
}
