//! Columns of Arrow IPC files and streams (Feather too): record batch after record batch. A null is a missing value.
//!
//! The crate's own readers want whole batches in memory and believe what a file claims; here it reads the metadata, which say where
//! the buffers of a column lie, and those alone are read, part by part.

mod blocks;
mod buffer;
mod cells;
mod fields;

use super::choice::{NoNumbers, Several};
use super::{Ask, Missing, Numbers, Reader, Shown};
use anyhow::{Context, Result, anyhow, ensure};
use blocks::Blocks;
use cells::ArrowCells;
use fields::Field;
use std::fs::File;
use std::sync::Arc;

/// The columns of a file.
pub struct ArrowColumns {
    file: Arc<File>,
    blocks: Arc<Blocks>,
    fields: Vec<Field>,
    names: Vec<String>,
    /// Rows of all record batches, once they are counted.
    rows: Option<u64>,
}

impl ArrowColumns {
    /// Those of a file of so many bytes.
    pub fn open(name: &str, file: File, length: u64) -> Result<ArrowColumns> {
        let file = Arc::new(file);
        ensure!(
            !blocks::is_feather_1(&file),
            "{name}: is Feather of version 1, which treefold does not read; write it as version 2"
        );
        let opened = blocks::read(&file, length);
        let (blocks, fields) =
            opened.map_err(|what| anyhow!("{name}: is damaged, or no Arrow file: {what}; copy or write it again"))?;
        let names = fields.iter().map(|field| field.name.clone()).collect();
        Ok(ArrowColumns { file, blocks: Arc::new(blocks), fields, names, rows: None })
    }
}

impl Several for ArrowColumns {
    fn what(&self) -> &'static str {
        "columns"
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn look(&mut self, name: &str, at: usize, ask: &Ask) -> Result<Shown> {
        let field = self.fields.get(at).context("a column vanished")?.clone();
        let holds = field.holds.clone().map_err(|other| NoNumbers {
            what: format!("{name}: column {} holds {other}", field.name),
            advice: "treefold reads truth values, integers and floats: write it as one of those".into(),
        })?;
        if field.nullable {
            ask.missing.expect();
        }
        let damaged = |what: String| anyhow!("{name}: is damaged: {what}; copy or write it again");
        let rows = self.rows.map_or_else(|| self.blocks.rows(&self.file), Ok).map_err(damaged)?;
        self.rows = Some(rows);
        let bytes = rows.checked_mul(holds.stored.size() as u64).and_then(|bytes| i64::try_from(bytes).ok());
        bytes.ok_or_else(|| damaged(format!("its record batches claim {rows} rows, more than can be")))?;
        let blocks = self.blocks.clone();
        let make = move |file: File, missing: &Missing| {
            let cells = ArrowCells::new(file, blocks.clone(), field.clone(), holds, missing.clone());
            Ok(Box::new(cells) as Reader)
        };
        let numbers = Numbers::Made(Arc::new(make));
        Ok(Shown { stored: holds.stored, array: None, count: Some(rows), numbers })
    }
}
