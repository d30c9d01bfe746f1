//! The numbers of a column, batch after batch, made as they are read.

use super::blocks::{Block, Blocks, message};
use super::buffer::Batch;
use super::fields::{Field, FieldHolds, FieldPlace};
use crate::files::{Missing, choice, take};
use crate::format::Stored;
use crate::source::fill;
use arrow_ipc::DictionaryBatch;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// Rows that are read at a time: whole bytes of bits.
const ROWS: usize = 8 << 10;
/// Bytes of a dictionary, at most.
const DICTIONARY_MAX: usize = 256 << 20;

pub struct ArrowCells {
    file: Arc<File>,
    blocks: Arc<Blocks>,
    field: Field,
    holds: FieldHolds,
    missing: Missing,
    /// The message that comes next.
    next: usize,
    /// The record batch that is read, how many were before, and rows of it that are read.
    batch: Option<Batch>,
    number: usize,
    rows: u64,
    /// Rows of those before.
    before: u64,
    dictionary: Values,
    found: Values,
    /// Numbers that were made.
    elements: u64,
    made: Vec<u8>,
    taken: usize,
}

/// Values one behind another, of which some are missing.
#[derive(Default)]
struct Values {
    bytes: Vec<u8>,
    present: Vec<bool>,
}

impl ArrowCells {
    pub fn new(file: File, blocks: Arc<Blocks>, field: Field, holds: FieldHolds, missing: Missing) -> ArrowCells {
        ArrowCells {
            file: Arc::new(file),
            blocks,
            field,
            holds,
            missing,
            next: 0,
            batch: None,
            number: 0,
            rows: 0,
            before: 0,
            dictionary: Values::default(),
            found: Values::default(),
            elements: 0,
            made: vec![],
            taken: 0,
        }
    }

    /// Makes the next numbers; whether there may be more.
    fn make(&mut self) -> std::io::Result<bool> {
        self.made.clear();
        self.taken = 0;
        let number = self.number;
        let wrong = |what: String| choice::damaged(&self.field.name, "record batch", number, &what);
        let Some(batch) = &mut self.batch else {
            let Some(&block) = self.blocks.get(self.next) else { return Ok(false) };
            self.next += 1;
            let opened = self.open(&block);
            self.batch = opened.map_err(|what| choice::damaged(&self.field.name, "record batch", number, &what))?;
            return Ok(true);
        };
        let rows = usize::try_from(batch.rows - self.rows).unwrap_or(ROWS).min(ROWS);
        if rows == 0 {
            (self.before, self.rows, self.number) = (self.before + batch.rows, 0, number + 1);
            self.batch = None;
            return Ok(true);
        }
        let FieldHolds { stored, bits, dictionary } = self.holds;
        let read_as = dictionary.map_or(stored, |(_, index)| index);
        self.found.read(batch, rows, read_as, bits).map_err(wrong)?;
        if dictionary.is_some() {
            self.found.look_up(&self.dictionary, read_as, stored).map_err(wrong)?;
        }
        if batch.present.is_some() && !self.field.nullable {
            return Err(wrong("it has nulls, though the column is said to have none".into()));
        }
        let (first, title, size) = (self.before + self.rows + 1, &self.field.name, stored.size());
        let place = |row: usize| format!("row {}, column {title}: the value", first + row as u64);
        let (bytes, present) = (&self.found.bytes, &self.found.present);
        self.missing.rows(present, stored, (&mut self.elements, &mut self.made), place, |rows, made| {
            made.extend_from_slice(&bytes[rows.start * size..rows.end * size]);
        })?;
        self.rows += rows as u64;
        Ok(true)
    }

    /// The column in a record batch; a dictionary is taken in its place.
    fn open(&mut self, block: &Block) -> Result<Option<Batch>, String> {
        let metadata = block.metadata(&self.file)?;
        let message = message(&metadata)?;
        if let Some(batch) = message.header_as_record_batch() {
            return Batch::open(&self.file, block, batch, self.field.place).map(Some);
        }
        let batch = message.header_as_dictionary_batch().ok_or("it is neither numbers nor a dictionary")?;
        if self.holds.dictionary.is_some_and(|(id, _)| id == batch.id()) {
            self.take_dictionary(block, batch)?;
        }
        Ok(None)
    }

    /// Takes the values of a dictionary, or more of them.
    fn take_dictionary(&mut self, block: &Block, batch: DictionaryBatch) -> Result<(), String> {
        let Values { bytes, present } = &mut self.dictionary;
        if !batch.isDelta() {
            bytes.clear();
            present.clear();
        }
        let data = batch.data().ok_or("a dictionary without values")?;
        let mut values = Batch::open(&self.file, block, data, FieldPlace::default())?;
        let (mut left, mut part, stored) = (values.rows, Values::default(), self.holds.stored);
        while left > 0 {
            let rows = usize::try_from(left).unwrap_or(ROWS).min(ROWS);
            part.read(&mut values, rows, stored, false)?;
            bytes.append(&mut part.bytes);
            present.append(&mut part.present);
            if bytes.len() > DICTIONARY_MAX {
                return Err(format!("a dictionary of more than {DICTIONARY_MAX} bytes; write the column without one"));
            }
            left -= rows as u64;
        }
        Ok(())
    }
}

impl Values {
    /// The next rows of a batch.
    fn read(&mut self, batch: &mut Batch, rows: usize, stored: Stored, bits: bool) -> Result<(), String> {
        self.present.clear();
        match &mut batch.present {
            None => self.present.resize(rows, true),
            Some(present) => {
                let flags = exactly(present, rows.div_ceil(8), "of what is there")?;
                self.present.extend((0..rows).map(|row| bit(&flags, row) == 1));
            }
        }
        self.bytes =
            exactly(&mut batch.values, if bits { rows.div_ceil(8) } else { rows * stored.size() }, "of values")?;
        if bits {
            self.bytes = (0..rows).map(|row| bit(&self.bytes, row)).collect();
        }
        Ok(())
    }

    /// Puts the values of a dictionary in the place of indices.
    fn look_up(&mut self, dictionary: &Values, index: Stored, stored: Stored) -> Result<(), String> {
        let (indices, size) = (std::mem::take(&mut self.bytes), stored.size());
        self.bytes.reserve(size * self.present.len());
        for (present, index) in self.present.iter_mut().zip(indices.chunks_exact(index.size())) {
            // A negative one is beyond every dictionary.
            let at = index.iter().rev().fold(0u64, |at, &byte| at << 8 | u64::from(byte));
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            match dictionary.present.get(at) {
                _ if !*present => self.bytes.extend(std::iter::repeat_n(0, size)),
                Some(&there) => {
                    *present = there;
                    self.bytes.extend_from_slice(&dictionary.bytes[at * size..(at + 1) * size]);
                }
                None => {
                    return Err(format!("index {at} into a dictionary of {} values", dictionary.present.len()));
                }
            }
        }
        Ok(())
    }
}

/// The bit of a row.
fn bit(flags: &[u8], row: usize) -> u8 {
    flags[row / 8] >> (row % 8) & 1
}

/// So many bytes of a buffer.
fn exactly(buffer: &mut dyn Read, count: usize, what: &str) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; count];
    let got = fill(buffer, &mut bytes).map_err(|error| error.to_string())?;
    if got < count { Err(format!("its buffer {what} ends too early")) } else { Ok(bytes) }
}

impl Read for ArrowCells {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made.len() && self.make()? {}
        Ok(take(&self.made, &mut self.taken, space))
    }
}
