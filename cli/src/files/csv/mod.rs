//! Tables of text, with commas or tabs: columns of numbers.
//!
//! A row has as many fields as the first one; lines with nothing on them are no rows. The first row is a header, of all columns, where one is
//! asked for by a name in it, where its field of such a column is no number, or where it has text over a number. Threads go through blocks of rows side by side; what a row is told to
//! lack, and where, is settled in the rows' order.

mod blocks;
mod made;
mod rows;
mod side;

use super::abreast::Put;
use super::choice::{ListedColumn, called, listed, named, number_of_column};
use super::{Ask, Missing, Reader, take, told};
use crate::error::unreadable;
use crate::format::Stored;
use crate::streams::note_once;
use anyhow::{Result, anyhow, bail, ensure};
use blocks::{BLOCK_BYTES, RowBlock, RowBlocks};
use made::{Fault, Made, Plan};
use rows::{ROW_MAX, Rows, TooLong};
use side::Side;
use std::collections::VecDeque;
use std::io::{Cursor, Read};

/// Threads that go through rows, at most, and bytes of memory for each: two blocks are under way, and of each up to twelve times as many
/// bytes of numbers and of empty fields.
const THREADS: usize = 8;
const THREAD_BYTES: u64 = 26 * BLOCK_BYTES as u64;
/// Letters of a field that an error quotes.
const QUOTED_MAX: usize = 40;
/// Rows of the first block that show which columns are of numbers, at most.
const SHOWN_ROWS: usize = 1000;

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

    /// Hands the numbers of several columns to `put` after each block of rows, in one pass over the text; those that are left at its end.
    pub fn pass(self, name: &str, text: Reader, asks: &[Ask], put: Put) -> Result<Vec<Vec<u8>>> {
        let mut fields = Fields::open(self, name, text, asks)?;
        let mut made = vec![vec![]; asks.len()];
        while fields.block(&mut made).map_err(|error| unreadable(name, &error))? && put(&mut made) {}
        fields.columns.iter().for_each(|column| column.missing.passed(column.elements));
        Ok(made)
    }

    /// The columns of a text, by what its first rows hold, and all of it once more.
    pub fn columns(self, name: &str, text: Reader) -> Result<(Vec<ListedColumn>, Reader)> {
        let mut blocks = RowBlocks::of(text, self.delimiter, BLOCK_BYTES, BLOCK_BYTES);
        let beginning = blocks.next().map_err(|error| unreadable(name, &error))?;
        let RowBlock { text, too_long: endless, .. } = beginning.unwrap_or_default();
        ensure!(endless.is_none(), unreadable(name, &too_long(1)));
        let mut rows = Rows::new(text, self.delimiter);
        let next = |rows: &mut Rows| rows.next().map_err(|TooLong| unreadable(name, &too_long(rows.line)));
        ensure!(next(&mut rows)?, "{name}: holds no rows, so no columns");
        let titles = rows.titles();
        let below = first_below(&mut rows);
        let mut rows = Rows::new(rows.into_text(), self.delimiter);
        next(&mut rows)?;
        let header =
            !titles.iter().any(|title| is_number(title)) || text_over_a_number(&titles, below.as_deref()).is_some();
        let names = if header { called(&titles) } else { (1..=titles.len()).map(|at| at.to_string()).collect() };
        let mut all: Vec<ListedColumn> = names.into_iter().map(|name| ListedColumn { name, other: None }).collect();
        let mut more = !header || next(&mut rows)?;
        for _ in 0..SHOWN_ROWS {
            if !more {
                break;
            }
            for (at, column) in all.iter_mut().enumerate().take(rows.width) {
                let field = rows.field(at).trim_ascii();
                if column.other.is_none() && !field.is_empty() {
                    let told = |what| format!("{name}: line {}, column {}: {what}", rows.line, column.name);
                    column.other = self.number(field, &mut vec![]).err().map(told);
                }
            }
            more = next(&mut rows)?;
        }
        Ok((all, Box::new(Cursor::new(rows.into_text()).chain(blocks.into_text()))))
    }

    /// Appends the number that a field says.
    fn number(self, field: &[u8], made: &mut Vec<u8>) -> Result<(), String> {
        if std::str::from_utf8(field).is_ok_and(|text| self.stored.parse(text, made)) {
            return Ok(());
        }
        let (text, what) = (quoted(&String::from_utf8_lossy(field)), self.stored.name());
        Err(format!("{text:?} is no number of type {what}"))
    }
}

fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

fn is_text(field: &str) -> bool {
    !field.is_empty() && !is_number(field)
}

/// The first fields below those of a row that have something in them; `None` where there is no row.
fn first_below(rows: &mut Rows) -> Option<Vec<String>> {
    let mut below: Option<Vec<String>> = None;
    // A row that is too long is told when it is read.
    for _ in 0..SHOWN_ROWS {
        if !matches!(rows.next(), Ok(true)) {
            break;
        }
        let here = rows.titles();
        let all = below.get_or_insert_with(|| vec![String::new(); here.len()]);
        all.iter_mut().zip(here).filter(|(all, _)| all.is_empty()).for_each(|(all, here)| *all = here);
        if !all.iter().any(String::is_empty) {
            break;
        }
    }
    below
}

/// A field of the first row that is text where a number stands below it.
fn text_over_a_number<'a>(first: &'a [String], below: Option<&[String]>) -> Option<&'a String> {
    let mut all = first.iter().zip(below?);
    all.find(|(title, field)| is_text(title) && is_number(field)).map(|(title, _)| title)
}

/// The column that is asked for, and whether this alone says that the first row is a header.
/// `over`: whether text stands over a number.
fn find(name: &str, first: &[String], over: bool, ask: &Ask) -> Result<(usize, bool)> {
    let any_number = first.iter().any(|title| is_number(title));
    let header = |at: usize| match &first[at] {
        // One without a title, in a row of titles.
        field if field.is_empty() => !any_number,
        field => !is_number(field),
    };
    let titles = || {
        let titles: Vec<String> = first.iter().map(|field| quoted(field)).collect();
        if any_number && !over { format!("columns 1 to {}", first.len()) } else { listed("columns", &titles) }
    };
    let Some(column) = &ask.column else {
        ensure!(first.len() == 1, ask.unnamed(name, &titles()));
        return Ok((0, header(0)));
    };
    if let Some(number) = number_of_column(column, first.len()) {
        return Ok((number - 1, header(number - 1)));
    }
    let place = named(name, "columns", first, column)?;
    place.map(|at| (at, true)).ok_or_else(|| anyhow!("{name}: has no column {column:?}, but {}", titles()))
}

/// The numbers of some columns, block by block.
struct Fields {
    table: Table,
    /// That with the first row, until it is wanted.
    first: Option<RowBlock>,
    blocks: RowBlocks,
    side: Side<(RowBlock, bool), Made>,
    /// Threads that go through blocks, and bytes of the texts that are under way.
    threads: usize,
    under_way: VecDeque<usize>,
    columns: Vec<CsvColumn>,
    /// Fields that each row has.
    width: usize,
    /// Lines that are behind.
    lines: u64,
    /// What has ended the text too early.
    failed: Option<std::io::Error>,
}

struct CsvColumn {
    /// Its title or number, for errors.
    title: String,
    missing: Missing,
    /// Numbers that were made.
    elements: u64,
}

impl Fields {
    /// The columns that are asked for in a text; `name` is the file's.
    fn open(table: Table, name: &str, text: Reader, asks: &[Ask]) -> Result<Fields> {
        let (mut blocks, mut lines) = (RowBlocks::new(text, table.delimiter), 0);
        let (mut rows, mut begin) = loop {
            let Some(block) = blocks.next().map_err(|error| unreadable(name, &error))? else {
                let asked = asks.first().and_then(|ask| ask.column.as_ref());
                let asked = asked.map_or(String::new(), |column| format!(", so no column {column}"));
                bail!("{name}: holds no rows{asked}");
            };
            let mut rows = Rows::new(block.text.clone(), table.delimiter);
            match rows.next().map(|found| found && block.too_long.is_none()) {
                Ok(true) => break (rows, block),
                Ok(false) if block.too_long.is_none() => lines += rows.lines(),
                _ => return Err(unreadable(name, &too_long(lines + rows.line))),
            }
        };
        let (first, width) = (rows.titles(), rows.width);
        let mut below = first_below(&mut rows);
        // Long rows: the first block has one. Behind lines with nothing on them nobody looks for ever.
        while below.is_none()
            && begin.text.len() < 2 * ROW_MAX
            && let Some(more) = blocks.next().map_err(|error| unreadable(name, &error))?
        {
            begin.append(more);
            let mut rows = Rows::new(begin.text.clone(), table.delimiter);
            below = matches!(rows.next(), Ok(true)).then(|| first_below(&mut rows)).flatten();
        }
        let over = text_over_a_number(&first, below.as_deref());
        let (mut places, mut columns) = (vec![], vec![]);
        for ask in asks {
            ask.missing.expect();
            places.push(find(name, &first, over.is_some(), ask)?);
        }
        let told = places.iter().any(|&(_, told)| told);
        let header = told || over.is_some();
        let number = places.iter().map(|&(at, _)| &first[at]).find(|field| is_number(field));
        match (over, first.iter().find(|field| is_text(field)), number) {
            _ if told => (),
            (Some(text), _, Some(number)) => note_once(format!(
                "{name}: the first row is taken for a header, so {number} is none of the numbers: {:?} stands over a number",
                quoted(text)
            )),
            (None, Some(text), _) => note_once(format!(
                "{name}: the first row is taken for numbers, though {:?} stands in it; if it is a header, --column is to be a name in it",
                quoted(text)
            )),
            _ => (),
        }
        let places: Vec<usize> = places.into_iter().map(|(at, _)| at).collect();
        for (ask, &at) in asks.iter().zip(&places) {
            let title = match first.get(at).filter(|title| header && !title.is_empty()) {
                Some(title) => format!("{:?}", quoted(title)),
                None => (at + 1).to_string(),
            };
            columns.push(CsvColumn { title, missing: ask.missing.clone(), elements: 0 });
        }
        let plan = Plan { table, width, columns: places, header };
        let side = Side::new(move |(block, first)| plan.numbers(block, first));
        let memory = asks.iter().map(|ask| ask.memory).fold(0, u64::saturating_add);
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(THREADS));
        let threads = threads.min(usize::try_from(memory / THREAD_BYTES).unwrap_or(THREADS));
        let (first, under_way) = (Some(begin), VecDeque::new());
        Ok(Fields { table, first, blocks, side, threads, under_way, columns, width, lines, failed: None })
    }

    /// Whether more blocks may be under way. Rows may be longer than blocks are meant to be.
    fn has_room(&self) -> bool {
        !self.side.is_full() && self.under_way.iter().sum::<usize>() < 2 * self.threads.max(1) * BLOCK_BYTES
    }

    fn give(&mut self, block: RowBlock, first: bool) -> std::io::Result<()> {
        self.under_way.push_back(block.text.len());
        self.side.give((block, first))
    }

    /// Makes the numbers of the next block, if there is one.
    fn block(&mut self, made: &mut [Vec<u8>]) -> std::io::Result<bool> {
        if let Some(begin) = self.first.take() {
            // Gone through here: of a text that has no other block, or that is only looked at, no thread begins.
            self.give(begin, true)?;
        } else {
            if self.threads > 1 && !self.blocks.has_ended() {
                self.side.begin(self.threads);
            }
            while self.has_room() && !self.blocks.has_ended() {
                match self.blocks.next() {
                    Ok(Some(block)) => self.give(block, false)?,
                    Ok(None) => break,
                    Err(error) => self.failed = Some(error),
                }
            }
        }
        let made_here = self.side.take()?;
        self.under_way.pop_front();
        match made_here {
            Some(block) => self.settle(block, made).map(|()| true),
            None => self.failed.take().map_or(Ok(false), Err),
        }
    }

    /// Appends the numbers of a block, with what its empty fields become.
    fn settle(&mut self, block: Made, made: &mut [Vec<u8>]) -> std::io::Result<()> {
        let stored = self.table.stored;
        let size = stored.size();
        let lines = self.lines;
        let place = |line: u64, column: &CsvColumn| format!("line {}, column {}", lines + line, column.title);
        let begun: Vec<usize> = made.iter().map(Vec::len).collect();
        let mut taken = vec![0; made.len()];
        for empty in block.empty {
            let (at, behind) = (empty.column as usize, empty.behind as usize);
            let (column, made) = (&self.columns[at], &mut made[at]);
            made.extend_from_slice(&block.numbers[at][taken[at]..behind]);
            taken[at] = behind;
            let elements = column.elements + ((made.len() - begun[at]) / size) as u64;
            let field = || format!("{}: the field", place(empty.line.into(), column));
            if column.missing.meet(elements, 1, stored, field)? {
                stored.parse("nan", made);
            }
        }
        for (at, (column, made)) in self.columns.iter_mut().zip(made).enumerate() {
            made.extend_from_slice(&block.numbers[at][taken[at]..]);
            column.elements += ((made.len() - begun[at]) / size) as u64;
        }
        if let Some((line, fault)) = block.fault {
            let width = self.width;
            return Err(match fault {
                Fault::Width(other) => {
                    told(format!("line {}: a row of {other} fields, where the first row has {width}", lines + line))
                }
                Fault::TooLong => too_long(lines + line),
                Fault::Open => told(format!(
                    "line {}: a quotation mark that nothing closes; the text may be cut off, or the mark a letter, which is written twice \
                     within two others",
                    lines + line
                )),
                Fault::Field(column, what) => told(format!(
                    "{}: {what}; a field without a value is to be empty",
                    place(line, &self.columns[column])
                )),
            });
        }
        self.lines += block.lines;
        Ok(())
    }
}

fn too_long(line: u64) -> std::io::Error {
    told(format!("line {line}: a row of more than {ROW_MAX} bytes; a quotation mark may be missing"))
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
            self.ended = !self.fields.block(&mut self.made)?;
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
