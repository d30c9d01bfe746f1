//! A file that several threads read at once.

use crate::files::section::Section;
use crate::source::fill;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;
use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;

pub struct Places {
    file: Arc<File>,
    length: u64,
}

impl Places {
    pub fn new(file: File) -> std::io::Result<Places> {
        let length = file.metadata()?.len();
        Ok(Places { file: Arc::new(file), length })
    }

    fn left(&self, at: u64) -> u64 {
        self.length.saturating_sub(at)
    }
}

impl Length for Places {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Places {
    type T = BufReader<Section>;

    fn get_read(&self, at: u64) -> Result<Self::T> {
        Ok(BufReader::new(Section::new(&self.file, at, self.left(at))))
    }

    fn get_bytes(&self, at: u64, count: usize) -> Result<Bytes> {
        let left = self.left(at);
        if count as u64 > left {
            return Err(ParquetError::EOF(format!("{count} bytes at byte {at}, where there are {left}")));
        }
        let mut bytes = vec![0; count];
        let got = fill(&mut Section::new(&self.file, at, count as u64), &mut bytes)?;
        if got < count {
            return Err(ParquetError::EOF(format!("{count} bytes at byte {at}, where there are {got}")));
        }
        Ok(bytes.into())
    }
}
