//! The numbers of a block of rows, which nothing outside the block decides.

use super::Table;
use super::blocks::RowBlock;
use super::rows::Rows;
use memchr::memchr_iter;

/// Which fields of rows are wanted.
pub struct Plan {
    pub table: Table,
    /// Fields that each row has.
    pub width: usize,
    /// The field of each column.
    pub columns: Vec<usize>,
    /// Whether the first row is one of titles.
    pub header: bool,
}

/// The numbers of a block, as far as there is no fault.
pub struct Made {
    /// Those of each column, in bytes.
    pub numbers: Vec<Vec<u8>>,
    /// The empty fields among them, row by row.
    pub empty: Vec<Empty>,
    /// The first fault, and its line, from 1.
    pub fault: Option<(u64, Fault)>,
    /// Lines of the block.
    pub lines: u64,
}

/// A field with nothing in it.
pub struct Empty {
    pub line: u32,
    pub column: u32,
    /// Bytes of the column's numbers before it.
    pub behind: u32,
}

/// Why no more numbers are made.
pub enum Fault {
    /// A row has so many fields.
    Width(usize),
    /// A row is too long.
    TooLong,
    /// A quotation mark is not closed.
    Open,
    /// A column's field is no number; what is said of it.
    Field(usize, String),
}

impl Plan {
    /// The numbers of a block; `first`: whether it has the first row.
    pub fn numbers(&self, block: RowBlock, first: bool) -> Made {
        let RowBlock { text, too_long, open } = block;
        let mut made = Made { numbers: vec![vec![]; self.columns.len()], empty: vec![], fault: None, lines: 0 };
        let line = |place: usize| 1 + memchr_iter(b'\n', &text[..place]).count() as u64;
        if let Some(row) = too_long {
            made.fault = Some((line(row), Fault::TooLong));
            return made;
        }
        let open = open.map(|(row, quote)| (line(row), line(quote)));
        let mut rows = Rows::new(text, self.table.delimiter);
        let mut header = first && self.header;
        loop {
            let fault = match rows.next() {
                Ok(false) => break,
                Ok(true) => self.row(&rows, header, &mut made).err(),
                Err(_) => Some(Fault::TooLong),
            };
            header = false;
            if let Some(fault) = fault {
                made.fault = Some((rows.line, fault));
                break;
            }
        }
        // What is wrong with its row is its doing.
        if let Some((_, quote)) = open.filter(|(row, _)| made.fault.as_ref().is_none_or(|(line, _)| line >= row)) {
            made.fault = Some((quote, Fault::Open));
        }
        made.lines = rows.lines();
        made
    }

    /// The numbers of a row, which is no `header`.
    fn row(&self, rows: &Rows, header: bool, made: &mut Made) -> Result<(), Fault> {
        if rows.width != self.width {
            return Err(Fault::Width(rows.width));
        }
        if header {
            return Ok(());
        }
        for (column, &at) in self.columns.iter().enumerate() {
            let (field, numbers) = (rows.field(at).trim_ascii(), &mut made.numbers[column]);
            if field.is_empty() {
                // A block has less than 2^32 bytes, and so have its numbers.
                let (line, column, behind) = (rows.line as u32, column as u32, numbers.len() as u32);
                made.empty.push(Empty { line, column, behind });
            } else {
                self.table.number(field, numbers).map_err(|what| Fault::Field(column, what))?;
            }
        }
        Ok(())
    }
}
