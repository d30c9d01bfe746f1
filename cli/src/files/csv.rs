//! Tables of text, with commas or tabs: one column of numbers, row by row.
//!
//! A row has as many fields as the first one; lines with nothing on them are no rows. The first row is a header where the column is asked
//! for by a name in it, or where its field of the column is no number.

use super::choice::listed;
use super::{Ask, Missing, Reader, take, told};
use crate::error::{unreadable, usage};
use crate::format::Stored;
use crate::source::fill;
use anyhow::{Result, anyhow, bail, ensure};
use csv_core::{ReadRecordResult, ReaderBuilder};
use std::io::Read;

/// Bytes of a row, at most: one quotation mark too many makes all that follows one field.
const ROW_MAX: usize = 16 << 20;
/// Bytes of text that are read at a time.
const TEXT_BYTES: usize = 1 << 17;
/// Bytes of numbers that are made at a time.
const PART_BYTES: usize = 64 << 10;
/// Letters of a field that an error quotes.
const QUOTED_MAX: usize = 40;

/// What is wanted of a table.
pub struct Table<'a> {
    /// What stands between fields.
    pub delimiter: u8,
    /// The type of its numbers.
    pub stored: Stored,
    /// What is asked of it.
    pub ask: &'a Ask,
}

impl Table<'_> {
    /// The numbers of the column in a text; `name` is the file's.
    pub fn read(&self, name: &str, text: Reader) -> Result<Reader> {
        self.ask.missing.expect();
        let mut rows = Rows::new(text, self.delimiter);
        if !rows.next().map_err(|error| unreadable(name, &error))? {
            let asked = self.ask.column.as_ref().map_or(String::new(), |column| format!(", so no column {column}"));
            bail!("{name}: holds no rows{asked}");
        }
        let first: Vec<String> =
            (0..rows.width).map(|at| String::from_utf8_lossy(rows.field(at)).trim().into()).collect();
        let (at, is_header) = self.find(name, &first)?;
        let column = match first.get(at).filter(|_| is_header) {
            Some(title) => format!("{:?}", quoted(title)),
            None => (at + 1).to_string(),
        };
        let (stored, missing, width) = (self.stored, self.ask.missing.clone(), rows.width);
        let (elements, made, taken, ended) = (0, vec![], 0, false);
        let pending = !is_header;
        Ok(Box::new(Column { rows, width, at, column, stored, missing, pending, elements, made, taken, ended }))
    }

    /// Which column it is, and whether the first row is a header.
    fn find(&self, name: &str, first: &[String]) -> Result<(usize, bool)> {
        let is_number = |field: &String| field.parse::<f64>().is_ok();
        let any_number = first.iter().any(is_number);
        let header = |at: usize| match &first[at] {
            // One without a title, in a row of titles.
            field if field.is_empty() => !any_number,
            field => !is_number(field),
        };
        let titles = || {
            let titles: Vec<String> = first.iter().map(|field| quoted(field)).collect();
            if any_number { format!("columns 1 to {}", first.len()) } else { listed("columns", &titles) }
        };
        let Some(column) = &self.ask.column else {
            ensure!(first.len() == 1, self.ask.unnamed(name, &titles()));
            return Ok((0, header(0)));
        };
        if let Ok(number) = column.parse::<usize>() {
            if (1..=first.len()).contains(&number) {
                return Ok((number - 1, header(number - 1)));
            }
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
}

/// The rows of a text, one after the other.
struct Rows {
    text: Reader,
    part: Vec<u8>,
    /// How much of the part is taken, and how much there is.
    taken: usize,
    end: usize,
    core: csv_core::Reader,
    /// Lines that are behind.
    lines: u64,
    /// The line on which the row begins, from 1.
    line: u64,
    /// The row's fields, one behind another, and where each ends.
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// How many there are.
    width: usize,
}

impl Rows {
    fn new(text: Reader, delimiter: u8) -> Rows {
        let core = ReaderBuilder::new().delimiter(delimiter).build();
        let (part, fields, ends) = (vec![0; TEXT_BYTES], vec![0; 1 << 12], vec![0; 1 << 6]);
        Rows { text, part, taken: 0, end: 0, core, lines: 0, line: 0, fields, ends, width: 0 }
    }

    /// The text that is there, read on where there is none; none at its end.
    fn more(&mut self) -> std::io::Result<&[u8]> {
        if self.taken == self.end {
            (self.taken, self.end) = (0, fill(&mut self.text, &mut self.part)?);
        }
        Ok(&self.part[self.taken..self.end])
    }

    /// Goes to the next row, if there is one. Lines with nothing on them are none.
    fn next(&mut self) -> std::io::Result<bool> {
        loop {
            match self.more()?.first() {
                Some(b'\n') => self.lines += 1,
                Some(b'\r') => (),
                _ => break,
            }
            self.taken += 1;
        }
        self.line = self.lines + 1;
        let mut bytes = 0;
        self.width = 0;
        loop {
            self.more()?;
            let text = &self.part[self.taken..self.end];
            let (fields, ends) = (&mut self.fields[bytes..], &mut self.ends[self.width..]);
            let (result, read, written, ended) = self.core.read_record(text, fields, ends);
            self.lines += text[..read].iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.taken += read;
            bytes += written;
            self.width += ended;
            match result {
                ReadRecordResult::InputEmpty => (),
                ReadRecordResult::OutputFull if self.fields.len() >= ROW_MAX => {
                    return Err(told(format!(
                        "line {}: a row of more than {ROW_MAX} bytes; a quotation mark may be missing",
                        self.line
                    )));
                }
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => return Ok(true),
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// A field of the row.
    fn field(&self, at: usize) -> &[u8] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[begin..self.ends[at]]
    }
}

/// Numbers of a column, made as they are read.
struct Column {
    rows: Rows,
    /// Fields that each row has.
    width: usize,
    at: usize,
    /// Its title or number, for errors.
    column: String,
    stored: Stored,
    missing: Missing,
    /// Whether the row that was read last is to be taken.
    pending: bool,
    /// Numbers that were made.
    elements: u64,
    made: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl Column {
    /// Makes the next numbers.
    fn make(&mut self) -> std::io::Result<()> {
        self.made.clear();
        self.taken = 0;
        while self.made.len() < PART_BYTES {
            if !std::mem::take(&mut self.pending) && !self.rows.next()? {
                self.ended = true;
                break;
            }
            self.field()?;
        }
        Ok(())
    }

    /// Makes the number of this row.
    fn field(&mut self) -> std::io::Result<()> {
        let (line, width) = (self.rows.line, self.rows.width);
        if width != self.width {
            return Err(told(format!("line {line}: a row of {width} fields, where the first row has {}", self.width)));
        }
        let field = self.rows.field(self.at).trim_ascii();
        let place = || format!("line {line}, column {}", self.column);
        if field.is_empty() {
            if !self.missing.meet(self.elements, 1, self.stored, || format!("{}: the field", place()))? {
                return Ok(());
            }
            self.stored.parse("nan", &mut self.made);
        } else if !std::str::from_utf8(field).is_ok_and(|text| self.stored.parse(text, &mut self.made)) {
            let text = quoted(&String::from_utf8_lossy(field));
            let what = self.stored.name();
            return Err(told(format!(
                "{}: {text:?} is no number of type {what}; a field without a value is to be empty",
                place()
            )));
        }
        self.elements += 1;
        Ok(())
    }
}

impl Read for Column {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made.len() && !self.ended {
            self.make()?;
        }
        Ok(take(&self.made, &mut self.taken, space))
    }
}

/// Some letters of a field.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX) {
        None => text.into(),
        Some((at, _)) => format!("{}...", &text[..at]),
    }
}
