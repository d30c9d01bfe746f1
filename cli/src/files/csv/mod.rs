//! Tables of text, with commas or tabs: columns of numbers, row by row.
//!
//! A row has as many fields as the first one; lines with nothing on them are no rows. The first row is a header where the column is asked
//! for by a name in it, or where its field of the column is no number.

use super::abreast::Put;
use super::choice::{ListedColumn, listed};
use super::rows::{Rows, TEXT_BYTES};
use super::{Ask, Missing, Reader, take, told};
use crate::error::{unreadable, usage};
use crate::format::Stored;
use crate::source::fill;
use anyhow::{Result, anyhow, bail, ensure};
use std::io::{Cursor, Read};

/// Bytes of numbers that are made at a time.
const PART_BYTES: usize = 64 << 10;
/// Letters of a field that an error quotes.
const QUOTED_MAX: usize = 40;
/// Rows, and bytes of text, that show which columns are of numbers, at most.
const SHOWN_ROWS: usize = 1000;
const SHOWN_BYTES: usize = 8 * TEXT_BYTES;

/// The form of a table.
#[derive(Clone, Copy)]
pub struct Table {
    /// The byte between fields.
    pub delimiter: u8,
    /// The type of its numbers.
    pub stored: Stored,
}

impl Table {
    /// The numbers of the column in a text; `name` is the file's.
    pub fn read(self, name: &str, text: Reader, ask: &Ask) -> Result<Reader> {
        let fields = Fields::open(self, name, text, std::slice::from_ref(ask))?;
        Ok(Box::new(CsvNumbers { fields, made: [vec![]], taken: 0, ended: false }))
    }

    /// Hands the numbers of several columns to `put` after each row, in one pass over the text; those that are left at its end.
    pub fn pass(self, name: &str, text: Reader, asks: &[Ask], put: Put) -> Result<Vec<Vec<u8>>> {
        let mut fields = Fields::open(self, name, text, asks)?;
        let mut made = vec![vec![]; asks.len()];
        while fields.row(&mut made).map_err(|error| unreadable(name, &error))? && put(&mut made) {}
        fields.columns.iter().for_each(|column| column.missing.passed(column.elements));
        Ok(made)
    }

    /// The columns of a text, by what its first rows hold, and all of it once more.
    pub fn columns(self, name: &str, mut text: Reader) -> Result<(Vec<ListedColumn>, Reader)> {
        let mut beginning = vec![0; SHOWN_BYTES];
        let got = fill(&mut text, &mut beginning).map_err(|error| unreadable(name, &error))?;
        beginning.truncate(got);
        let last = beginning.iter().rposition(|&byte| byte == b'\n').filter(|_| got == SHOWN_BYTES);
        let whole = beginning[..last.map_or(got, |last| last + 1)].to_vec();
        let mut rows = Rows::new(Box::new(Cursor::new(whole)), self.delimiter);
        let next = |rows: &mut Rows| rows.next().map_err(|error| unreadable(name, &error));
        ensure!(next(&mut rows)?, "{name}: holds no rows, so no columns");
        let titles = rows.titles();
        let header = !titles.iter().any(|title| is_number(title));
        let is_name =
            |title: &String| header && !title.is_empty() && titles.iter().filter(|other| *other == title).count() == 1;
        let column = |(at, title): (usize, &String)| {
            let name = if is_name(title) { title.clone() } else { (at + 1).to_string() };
            ListedColumn { name, other: None }
        };
        let mut all: Vec<ListedColumn> = titles.iter().enumerate().map(column).collect();
        let mut more = !header || next(&mut rows)?;
        for _ in 0..SHOWN_ROWS {
            if !more {
                break;
            }
            for (at, column) in all.iter_mut().enumerate().take(rows.width) {
                let field = rows.field(at).trim_ascii();
                if column.other.is_none() && !field.is_empty() {
                    let place = || format!("line {}, column {}", rows.line, column.name);
                    column.other = self.number(field, &mut vec![], place).err().map(|what| format!("{name}: {what}"));
                }
            }
            more = next(&mut rows)?;
        }
        Ok((all, Box::new(Cursor::new(beginning).chain(text))))
    }

    /// Appends the number that a field says.
    fn number(self, field: &[u8], made: &mut Vec<u8>, place: impl Fn() -> String) -> Result<(), String> {
        if std::str::from_utf8(field).is_ok_and(|text| self.stored.parse(text, made)) {
            return Ok(());
        }
        let (text, what) = (quoted(&String::from_utf8_lossy(field)), self.stored.name());
        Err(format!("{}: {text:?} is no number of type {what}", place()))
    }
}

fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// The column that is asked for, and whether the first row is a header.
fn find(name: &str, first: &[String], ask: &Ask) -> Result<(usize, bool)> {
    let any_number = first.iter().any(|title| is_number(title));
    let header = |at: usize| match &first[at] {
        // One without a title, in a row of titles.
        field if field.is_empty() => !any_number,
        field => !is_number(field),
    };
    let titles = || {
        let titles: Vec<String> = first.iter().map(|field| quoted(field)).collect();
        if any_number { format!("columns 1 to {}", first.len()) } else { listed("columns", &titles) }
    };
    let Some(column) = &ask.column else {
        ensure!(first.len() == 1, ask.unnamed(name, &titles()));
        return Ok((0, header(0)));
    };
    if let Ok(number) = column.parse::<usize>()
        && (1..=first.len()).contains(&number)
    {
        return Ok((number - 1, header(number - 1)));
    }
    let mut named = (0..first.len()).filter(|&at| &first[at] == column);
    match (named.next(), named.next()) {
        (Some(at), None) => Ok((at, true)),
        (Some(at), Some(other)) => Err(usage(format!(
            "{name}: columns {} and {} are both named {column:?}; pass the number of one",
            at + 1,
            other + 1
        ))),
        _ => Err(anyhow!("{name}: has no column {column:?}, but {}", titles())),
    }
}

/// The fields of some columns, row by row.
struct Fields {
    rows: Rows,
    table: Table,
    /// Fields that each row has.
    width: usize,
    columns: Vec<CsvColumn>,
    /// Whether the first row is yet to be taken.
    first: bool,
}

struct CsvColumn {
    at: usize,
    /// Its title or number, for errors.
    title: String,
    /// Whether the first row is its header.
    is_header: bool,
    missing: Missing,
    /// Numbers that were made.
    elements: u64,
}

impl Fields {
    /// The columns that are asked for in a text; `name` is the file's.
    fn open(table: Table, name: &str, text: Reader, asks: &[Ask]) -> Result<Fields> {
        let mut rows = Rows::new(text, table.delimiter);
        if !rows.next().map_err(|error| unreadable(name, &error))? {
            let asked = asks.first().and_then(|ask| ask.column.as_ref());
            let asked = asked.map_or(String::new(), |column| format!(", so no column {column}"));
            bail!("{name}: holds no rows{asked}");
        }
        let (first, width) = (rows.titles(), rows.width);
        let column = |ask: &Ask| {
            ask.missing.expect();
            let (at, is_header) = find(name, &first, ask)?;
            let title = match first.get(at).filter(|_| is_header) {
                Some(title) => format!("{:?}", quoted(title)),
                None => (at + 1).to_string(),
            };
            Ok(CsvColumn { at, title, is_header, missing: ask.missing.clone(), elements: 0 })
        };
        let columns = asks.iter().map(column).collect::<Result<_>>()?;
        Ok(Fields { rows, table, width, columns, first: true })
    }

    /// Goes to the next row, if there is one, and makes its numbers.
    fn row(&mut self, made: &mut [Vec<u8>]) -> std::io::Result<bool> {
        let first = std::mem::take(&mut self.first);
        if !first && !self.rows.next()? {
            return Ok(false);
        }
        let (line, width) = (self.rows.line, self.rows.width);
        if width != self.width {
            return Err(told(format!("line {line}: a row of {width} fields, where the first row has {}", self.width)));
        }
        for (column, made) in self.columns.iter_mut().zip(made).filter(|(column, _)| !(first && column.is_header)) {
            let field = self.rows.field(column.at).trim_ascii();
            let place = || format!("line {line}, column {}", column.title);
            if field.is_empty() {
                let stored = self.table.stored;
                if !column.missing.meet(column.elements, 1, stored, || format!("{}: the field", place()))? {
                    continue;
                }
                stored.parse("nan", made);
            } else {
                let no_number = |what| told(format!("{what}; a field without a value is to be empty"));
                self.table.number(field, made, place).map_err(no_number)?;
            }
            column.elements += 1;
        }
        Ok(true)
    }
}

/// Numbers of a column, made as they are read.
struct CsvNumbers {
    fields: Fields,
    made: [Vec<u8>; 1],
    taken: usize,
    ended: bool,
}

impl Read for CsvNumbers {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made[0].len() && !self.ended {
            self.made[0].clear();
            self.taken = 0;
            while self.made[0].len() < PART_BYTES && !self.ended {
                self.ended = !self.fields.row(&mut self.made)?;
            }
        }
        Ok(take(&self.made[0], &mut self.taken, space))
    }
}

/// Some letters of a field.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX) {
        None => text.into(),
        Some((at, _)) => format!("{}...", &text[..at]),
    }
}
