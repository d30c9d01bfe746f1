//! The buffers of a column in a record batch, unpacked as they are read.

use super::blocks::{Block, natural};
use super::fields::FieldPlace;
use crate::files::Reader;
use crate::files::section::Section;
use crate::source::fill;
use arrow_ipc::{CompressionType, RecordBatch};
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::Arc;

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 16;

/// A column of a record batch.
pub struct Batch {
    pub rows: u64,
    /// Whether each row has a value, in bits; `None` where all have.
    pub present: Option<Reader>,
    pub values: Reader,
}

impl Batch {
    /// The column at this place.
    pub fn open(file: &Arc<File>, block: &Block, batch: RecordBatch, place: FieldPlace) -> Result<Batch, String> {
        let rows = natural("its length", batch.length())?;
        let nodes = batch.nodes().filter(|nodes| place.node < nodes.len()).ok_or("it has too few columns")?;
        let node = nodes.get(place.node);
        if natural("the column's length", node.length())? != rows {
            return Err(format!("the column has {} rows, but the batch {rows}", node.length()));
        }
        let mut first = place.buffer;
        if place.views > 0 {
            let counts = batch.variadicBufferCounts().filter(|counts| place.views <= counts.len());
            let counts = counts.ok_or("it has too few counts of views")?;
            for at in 0..place.views {
                first = first.saturating_add(natural("a count of views", counts.get(at))? as usize);
            }
        }
        let compression = batch.compression().map(|compression| compression.codec());
        let buffers = batch.buffers().filter(|buffers| first < buffers.len().saturating_sub(1));
        let buffers = buffers.ok_or("it has too few buffers")?;
        let open = |at: usize| -> Result<Reader, String> {
            let buffer = buffers.get(at);
            let (offset, length) =
                (natural("a buffer's place", buffer.offset())?, natural("a buffer's length", buffer.length())?);
            if offset.checked_add(length).is_none_or(|end| end > block.body_bytes) {
                return Err(format!("a buffer of {length} bytes at {offset}, but the batch has {}", block.body_bytes));
            }
            let bytes = Section::new(file, block.body_at + offset, length);
            unpacked(BufReader::with_capacity(READ_BYTES, bytes), length, compression)
        };
        let nulls = natural("its number of nulls", node.null_count())?;
        Ok(Batch { rows, present: if nulls > 0 { Some(open(first)?) } else { None }, values: open(first + 1)? })
    }
}

/// Unpacked bytes of a buffer of so many bytes.
fn unpacked(
    mut bytes: BufReader<Section>,
    length: u64,
    compression: Option<CompressionType>,
) -> Result<Reader, String> {
    let Some(codec) = compression.filter(|_| length > 0) else { return Ok(Box::new(bytes)) };
    let mut head = [0; 8];
    let got = fill(&mut bytes, &mut head).map_err(|error| error.to_string())?;
    let claimed = i64::from_le_bytes(head);
    match (got, claimed, codec) {
        (..8, ..) => Err(format!("a packed buffer of {length} bytes")),
        // Stored as it is, because packing would not make it shorter.
        (_, -1, _) => Ok(Box::new(bytes)),
        (_, _, CompressionType::LZ4_FRAME) => {
            Ok(Box::new(lz4_flex::frame::FrameDecoder::new(bytes).take(natural("a buffer's length", claimed)?)))
        }
        (_, _, CompressionType::ZSTD) => {
            let unpacked = zstd::stream::read::Decoder::with_buffer(bytes).map_err(|error| error.to_string())?;
            Ok(Box::new(unpacked.take(natural("a buffer's length", claimed)?)))
        }
        (_, _, other) => Err(format!("it is packed in the unknown way {other:?}")),
    }
}
