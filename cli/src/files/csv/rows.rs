//! The rows of a table of text, with commas or tabs.

use csv_core::{ReadRecordResult, ReaderBuilder};

/// Bytes of a row, at most: one quotation mark too many makes all that follows one field.
pub const ROW_MAX: usize = 16 << 20;

/// A row of more than that.
pub struct TooLong;

/// The rows of a text, one after the other.
pub struct Rows {
    text: Vec<u8>,
    /// Bytes of the text that are taken.
    taken: usize,
    core: csv_core::Reader,
    /// Lines with nothing on them that are behind.
    empty: u64,
    /// The line on which the row begins, from 1.
    pub line: u64,
    /// The row's fields, one behind another, and where each ends.
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// Number of the row's fields.
    pub width: usize,
}

impl Rows {
    /// Those of a text that begins with a row.
    pub fn new(text: Vec<u8>, delimiter: u8) -> Rows {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        // Without room nothing is taken, but what follows is no begin of a file, where three bytes may be a mark.
        let _ = core.read_record(b"x", &mut [], &mut []);
        let (fields, ends) = (vec![0; 1 << 12], vec![0; 1 << 6]);
        Rows { text, taken: 0, core, empty: 0, line: 0, fields, ends, width: 0 }
    }

    /// The whole text.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// Lines that are behind.
    pub fn lines(&self) -> u64 {
        self.empty + self.core.line() - 1
    }

    /// Goes to the next row, if there is one. Lines with nothing on them are none.
    pub fn next(&mut self) -> Result<bool, TooLong> {
        loop {
            match self.text.get(self.taken) {
                Some(b'\n') => self.empty += 1,
                Some(b'\r') => (),
                _ => break,
            }
            self.taken += 1;
        }
        self.line = self.lines() + 1;
        let mut bytes = 0;
        self.width = 0;
        loop {
            let text = &self.text[self.taken..];
            let (fields, ends) = (&mut self.fields[bytes..], &mut self.ends[self.width..]);
            let (result, read, written, ended) = self.core.read_record(text, fields, ends);
            self.taken += read;
            bytes += written;
            self.width += ended;
            match result {
                ReadRecordResult::InputEmpty => (),
                ReadRecordResult::OutputFull if self.fields.len() >= ROW_MAX => return Err(TooLong),
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => return Ok(true),
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// A field of the row.
    pub fn field(&self, at: usize) -> &[u8] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[begin..self.ends[at]]
    }

    /// All fields of the row as text.
    pub fn titles(&self) -> Vec<String> {
        (0..self.width).map(|at| String::from_utf8_lossy(self.field(at)).trim().into()).collect()
    }
}
