//! A table of text in blocks of whole rows, each of which can be gone through without the others.

use super::rows::ROW_MAX;
use crate::files::Reader;
use memchr::{memchr, memrchr2};
use std::io::{Cursor, Read};

/// Bytes of a block, but for longer rows, and of the first one.
pub const BLOCK_BYTES: usize = 1 << 20;
const FIRST_BYTES: usize = 1 << 17;
/// Bytes of a row with its quotation marks, at most.
const QUOTED_ROW_MAX: usize = 2 * ROW_MAX;
/// Room that the standard library asks for to look for the end of a text.
const PROBE_BYTES: usize = 32;
/// The mark of the byte order, with which a text may begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whole rows of a text.
#[derive(Default)]
pub struct RowBlock {
    pub text: Vec<u8>,
    /// The place of the last row, where that is too long, and only its begin is here.
    pub too_long: Option<usize>,
    /// The places of the last row and of the quotation mark in it that nothing closes.
    pub open: Option<(usize, usize)>,
}

impl RowBlock {
    /// With the rows of the next block.
    pub fn append(&mut self, next: RowBlock) {
        let length = self.text.len();
        self.text.extend_from_slice(&next.text);
        self.too_long = next.too_long.map(|row| length + row);
        self.open = next.open.map(|(row, quote)| (length + row, length + quote));
    }
}

/// The blocks of a text.
pub struct RowBlocks {
    text: Reader,
    delimiter: u8,
    /// Bytes of the next block, at least.
    bytes: usize,
    /// Bytes of the blocks behind it.
    more_bytes: usize,
    /// The begin of a row whose end is yet to be read.
    rest: Vec<u8>,
    first: bool,
    ended: bool,
}

impl RowBlocks {
    pub fn new(text: Reader, delimiter: u8) -> RowBlocks {
        RowBlocks::of(text, delimiter, FIRST_BYTES, BLOCK_BYTES)
    }

    /// With blocks of so many bytes, the first one and the others.
    pub fn of(text: Reader, delimiter: u8, bytes: usize, more_bytes: usize) -> RowBlocks {
        RowBlocks { text, delimiter, bytes, more_bytes, rest: vec![], first: true, ended: false }
    }

    /// The text behind the blocks that were handed out.
    pub fn into_text(self) -> Reader {
        Box::new(Cursor::new(self.rest).chain(self.text))
    }

    /// Whether the last block was handed out.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The next block, if there is one.
    pub fn next(&mut self) -> std::io::Result<Option<RowBlock>> {
        let mut text = std::mem::take(&mut self.rest);
        while !self.ended {
            // What is read into room without content is not cleared before.
            let bytes = self.bytes.max(2 * text.len());
            text.reserve_exact(bytes - text.len() + PROBE_BYTES);
            let more = (bytes - text.len()) as u64;
            (&mut self.text).take(more).read_to_end(&mut text).inspect_err(|_| self.ended = true)?;
            self.ended = text.len() < bytes;
            if std::mem::take(&mut self.first) && text.starts_with(MARK) {
                drop(text.drain(..MARK.len()));
            }
            if self.ended {
                let (row, quote) = whole_rows(&text, self.delimiter);
                let open = quote.map(|quote| (row, quote));
                return Ok(Some(RowBlock { text, too_long: None, open }).filter(|block| !block.text.is_empty()));
            }
            let (whole, _) = whole_rows(&text, self.delimiter);
            if whole > 0 {
                self.rest = text.split_off(whole);
                self.bytes = self.more_bytes;
                return Ok(Some(RowBlock { text, too_long: None, open: None }));
            }
            if text.len() >= QUOTED_ROW_MAX {
                self.ended = true;
                return Ok(Some(RowBlock { text, too_long: Some(0), open: None }));
            }
        }
        Ok(None)
    }
}

/// Bytes of the whole rows with which a text begins that begins with a row. A quotation mark opens a field where the field begins, as for the
/// reader of rows; within it two are one, and ends of lines are letters. And the place of one that nothing closes.
fn whole_rows(text: &[u8], delimiter: u8) -> (usize, Option<usize>) {
    let (mut whole, mut at) = (0, 0);
    loop {
        let quote = memchr(b'"', &text[at..]).map(|found| at + found);
        let outside = &text[at..quote.unwrap_or(text.len())];
        whole = memrchr2(b'\n', b'\r', outside).map_or(whole, |end| at + end + 1);
        let Some(quote) = quote else { return (whole, None) };
        at = quote + 1;
        let begins = text[..quote].last().is_none_or(|before| [delimiter, b'\n', b'\r'].contains(before));
        if !begins {
            continue;
        }
        loop {
            let Some(closing) = memchr(b'"', &text[at..]) else { return (whole, Some(quote)) };
            at += closing + 1;
            if text.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;

    #[test]
    fn rows_end_outside_quotation_marks() {
        let whole = |text: &str| text[..whole_rows(text.as_bytes(), b',').0].to_string();
        assert_eq!(whole("1,2\n3,4\n5"), "1,2\n3,4\n");
        assert_eq!(whole("1,2\r3"), "1,2\r");
        assert_eq!(whole("1,2"), "");
        assert_eq!(whole("1,\"a\nb"), "");
        assert_eq!(whole("1,\"a\nb\"\n\"c\n"), "1,\"a\nb\"\n");
        assert_eq!(whole("1,\"a\"\"\nb\"\"\"\n2"), "1,\"a\"\"\nb\"\"\"\n");
        // In the middle of a field it is a letter, and so is one behind a closing one.
        assert_eq!(whole("1,5\" pipe\n2,3\n4"), "1,5\" pipe\n2,3\n");
        assert_eq!(whole("\"a\"b\"\n2\n"), "\"a\"b\"\n2\n");
        let open = |text: &str| whole_rows(text.as_bytes(), b',').1;
        assert_eq!(
            [open("1,\"a\"\n"), open("1,5\"\n"), open("1,\"a\"\"\n"), open("\"")],
            [None, None, Some(2), Some(0)]
        );
    }

    /// The line on which a row begins, and its fields.
    type Row = (u64, Vec<Vec<u8>>);

    /// Rows behind so many lines, and the lines behind them.
    fn rows(text: &[u8], delimiter: u8, lines: u64) -> (Vec<Row>, u64) {
        let mut rows = Rows::new(text.to_vec(), delimiter);
        let mut all = vec![];
        while rows.next().is_ok_and(|more| more) {
            all.push((lines + rows.line, (0..rows.width).map(|at| rows.field(at).to_vec()).collect()));
        }
        (all, lines + rows.lines())
    }

    /// Rows and their lines are those of the whole text, wherever blocks end.
    #[test]
    fn blocks_have_the_rows_of_the_text() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for turn in 0..3000 {
            let delimiter = [b',', b'\t'][turn % 2];
            let letters = [b'"', b'"', b'"', b'\n', b'\n', b'\r', delimiter, delimiter, b'a', b'1', b' ', b','];
            let text: Vec<u8> = (0..random(60)).map(|_| letters[random(letters.len())]).collect();
            let marked = if turn % 3 == 0 { [MARK, &text].concat() } else { text.clone() };
            let mut blocks = RowBlocks::of(Box::new(Cursor::new(marked)), delimiter, 3 + turn % 9, 3 + turn % 5);
            let (mut found, mut lines) = (vec![], 0);
            while let Some(block) = blocks.next().expect("a text") {
                let (more, behind) = rows(&block.text, delimiter, lines);
                found.extend(more);
                lines = behind;
            }
            assert_eq!((found, lines), rows(&text, delimiter, 0), "{:?}", String::from_utf8_lossy(&text));
        }
    }
}
