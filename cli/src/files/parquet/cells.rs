//! The numbers of a column, row group after row group.

use super::decoded::{Decoded, DecodedRows};
use crate::files::choice::damaged;
use crate::files::{Missing, take};
use crate::format::Stored;
use bytes::Bytes;
use std::io::Read;

pub struct ParquetCells {
    decoded: Decoded,
    /// Rows that each row group claims.
    groups: Vec<u64>,
    title: String,
    stored: Stored,
    missing: Missing,
    read: Done,
    made: Bytes,
    taken: usize,
}

/// Progress through a column.
#[derive(Default)]
struct Done {
    group: usize,
    /// Rows of the group, and of those before it.
    rows: u64,
    before: u64,
    /// Numbers that were made.
    elements: u64,
}

impl ParquetCells {
    pub fn new(decoded: Decoded, groups: Vec<u64>, title: String, stored: Stored, missing: Missing) -> ParquetCells {
        ParquetCells { decoded, groups, title, stored, missing, read: Done::default(), made: Bytes::new(), taken: 0 }
    }

    /// Makes the next numbers; whether there are more rows.
    fn make(&mut self) -> std::io::Result<bool> {
        (self.made, self.taken) = (Bytes::new(), 0);
        let Done { group, rows, before, elements } = &mut self.read;
        let Some(&claimed) = self.groups.get(*group) else { return Ok(false) };
        let wrong = |what: String| damaged(&self.title, "row group", *group, &what);
        let next = self.decoded.next(*group).map_err(wrong)?;
        let has = *rows + next.as_ref().map_or(0, |next| next.count as u64);
        if next.is_none() && has != claimed || has > claimed {
            return Err(wrong(format!("it has {has} rows or more, but claims {claimed}")));
        }
        let Some(DecodedRows { count, present, bytes }) = next else {
            (*group, *before, *rows) = (*group + 1, *before + claimed, 0);
            return Ok(true);
        };
        let first = *before + *rows + 1;
        *rows = has;
        let Some(present) = present else {
            *elements += count as u64;
            self.made = bytes;
            return Ok(true);
        };
        let (title, size, mut value) = (&self.title, self.stored.size(), 0);
        let place = |row: usize| format!("row {}, column {title}: the value", first + row as u64);
        let mut all = vec![];
        self.missing.rows(&present, self.stored, (elements, &mut all), place, |rows, made| {
            let end = value + size * rows.len();
            made.extend_from_slice(&bytes[value..end]);
            value = end;
        })?;
        self.made = all.into();
        Ok(true)
    }
}

impl Read for ParquetCells {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.made.len() && self.make()? {}
        Ok(take(&self.made, &mut self.taken, space))
    }
}
