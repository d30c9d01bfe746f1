//! The rows of a table of text, with commas or tabs.

use super::{Reader, told};
use crate::source::fill;
use csv_core::{ReadRecordResult, ReaderBuilder};

/// Bytes of a row, at most: one quotation mark too many makes all that follows one field.
const ROW_MAX: usize = 16 << 20;
/// Bytes of text that are read at a time.
pub const TEXT_BYTES: usize = 1 << 17;

/// The rows of a text, one after the other.
pub struct Rows {
    text: Reader,
    part: Vec<u8>,
    /// Bytes of the part that are taken, and bytes that there are.
    taken: usize,
    end: usize,
    core: csv_core::Reader,
    /// Lines that are behind.
    lines: u64,
    /// The line on which the row begins, from 1.
    pub line: u64,
    /// The row's fields, one behind another, and where each ends.
    fields: Vec<u8>,
    ends: Vec<usize>,
    /// Number of the row's fields.
    pub width: usize,
}

impl Rows {
    pub fn new(text: Reader, delimiter: u8) -> Rows {
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
    pub fn next(&mut self) -> std::io::Result<bool> {
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
    pub fn field(&self, at: usize) -> &[u8] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[begin..self.ends[at]]
    }

    /// All fields of the row as text.
    pub fn titles(&self) -> Vec<String> {
        (0..self.width).map(|at| String::from_utf8_lossy(self.field(at)).trim().into()).collect()
    }
}
