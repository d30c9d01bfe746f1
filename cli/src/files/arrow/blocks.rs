//! Places of messages in an Arrow file or stream, each checked against the length of the file.

use super::fields::{Field, fields};
use crate::source::read_at;
use arrow_ipc::{Message, MessageHeader, MetadataVersion, RecordBatch, Schema, root_as_footer, root_as_message};
use std::fs::File;

/// First bytes of a file, and its last.
pub const MAGIC: &[u8] = b"ARROW1";
/// Bytes before a message, but for those of old writers.
const CONTINUED: [u8; 4] = [0xff; 4];
/// Bytes of metadata at one place, at most.
const METADATA_MAX: u64 = 256 << 20;
/// Letters of an error of metadata.
const ERROR_MAX: usize = 200;

/// Messages with numbers, in their order.
pub struct Blocks(Vec<Block>);

#[derive(Clone, Copy)]
pub struct Block {
    /// Byte at which its metadata begin.
    at: u64,
    metadata_bytes: u64,
    pub body_at: u64,
    pub body_bytes: u64,
}

/// The messages of a file of so many bytes, and its columns.
pub fn read(file: &File, length: u64) -> Result<(Blocks, Vec<Field>), String> {
    let head = bytes(file, 0, length.min(8))?;
    if head.starts_with(MAGIC) { of_file(file, length) } else { of_stream(file, length) }
}

/// Whether a file begins as Feather of version 1 does, which is another format.
pub fn is_feather_1(file: &File) -> bool {
    bytes(file, 0, 4).is_ok_and(|head| head == b"FEA1")
}

/// Those of a file, which its end lists.
fn of_file(file: &File, length: u64) -> Result<(Blocks, Vec<Field>), String> {
    let tail = length.checked_sub(18).ok_or("it ends too early")? + 8;
    let end = bytes(file, tail, 10)?;
    if !end.ends_with(MAGIC) {
        return Err("it does not end as one; it may be cut short".into());
    }
    let footer_bytes = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    let footer_at = tail.checked_sub(footer_bytes);
    let footer_at = footer_at.ok_or_else(|| format!("its footer claims {footer_bytes} bytes, more than there are"))?;
    let footer = bytes(file, footer_at, footer_bytes)?;
    let footer = root_as_footer(&footer).map_err(|error| format!("its footer: {}", short(&error)))?;
    let fields = columns(footer.schema(), footer.version())?;
    let mut blocks = vec![];
    for block in footer.dictionaries().iter().flatten().chain(footer.recordBatches().iter().flatten()) {
        let (at, metadata, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let read = [at, i64::from(metadata), body].map(u64::try_from);
        let [Ok(at), Ok(metadata_bytes), Ok(body_bytes)] = read else {
            return Err(format!("its footer lists a message of {metadata} and {body} bytes at {at}"));
        };
        blocks.push(Block::within(at, metadata_bytes, body_bytes, footer_at)?);
    }
    Ok((Blocks(blocks), fields))
}

/// Those of a stream, one behind another.
fn of_stream(file: &File, length: u64) -> Result<(Blocks, Vec<Field>), String> {
    let (mut at, mut blocks, mut found) = (0, vec![], None);
    while at < length {
        let Some((before, metadata_bytes)) = prefix(file, at, length)? else { break };
        let block = Block::within(at, before + metadata_bytes, 0, length)?;
        let metadata = block.metadata(file)?;
        let message = message(&metadata)?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| "a message of less than no bytes")?;
        let block = Block::within(at, before + metadata_bytes, body, length)?;
        match (&found, message.header_type()) {
            (None, MessageHeader::Schema) => found = Some(columns(message.header_as_schema(), message.version())?),
            (Some(_), MessageHeader::RecordBatch | MessageHeader::DictionaryBatch) => blocks.push(block),
            (_, other) => return Err(format!("a message of {other:?} at byte {at}, which has no place there")),
        }
        at = block.body_at + body;
    }
    Ok((Blocks(blocks), found.ok_or("it has no schema")?))
}

/// The bytes before the metadata of a message, and of those; `None` at the end of a stream.
fn prefix(file: &File, at: u64, length: u64) -> Result<Option<(u64, u64)>, String> {
    let head = bytes(file, at, (length - at).min(8))?;
    let (before, count) = match head[..] {
        [a, b, c, d, ref rest @ ..] if [a, b, c, d] == CONTINUED => (8, rest.try_into().ok()),
        [a, b, c, d, ..] => (4, Some([a, b, c, d])),
        _ => (4, None),
    };
    let count = u32::from_le_bytes(count.ok_or("it ends within the beginning of a message")?);
    Ok((count > 0).then_some((before, u64::from(count))))
}

fn columns(schema: Option<Schema>, version: MetadataVersion) -> Result<Vec<Field>, String> {
    fields(schema.ok_or("it has no schema")?, version)
}

/// The message of these metadata.
pub fn message(metadata: &[u8]) -> Result<Message<'_>, String> {
    root_as_message(metadata).map_err(|error| format!("the metadata of a message: {}", short(&error)))
}

/// The first words of an error, which goes on with all that it was found in.
fn short(error: &dyn std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().chars().take(ERROR_MAX).collect()
}

/// A number that is no less than 0.
pub fn natural(what: &str, number: i64) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("{what} is {number}"))
}

impl Blocks {
    pub fn get(&self, at: usize) -> Option<&Block> {
        self.0.get(at)
    }

    /// Rows of all record batches together.
    pub fn rows(&self, file: &File) -> Result<u64, String> {
        let mut rows = 0u64;
        for block in &self.0 {
            let metadata = block.metadata(file)?;
            let batch = message(&metadata)?.header_as_record_batch();
            let more = batch.map_or(Ok(0), |batch: RecordBatch| natural("a record batch's length", batch.length()))?;
            rows = rows.checked_add(more).ok_or("its record batches claim more rows than can be")?;
        }
        Ok(rows)
    }
}

impl Block {
    /// A message that ends before `end`.
    fn within(at: u64, metadata_bytes: u64, body_bytes: u64, end: u64) -> Result<Block, String> {
        let body_at = at.checked_add(metadata_bytes);
        let ends = body_at.and_then(|body_at| body_at.checked_add(body_bytes)).filter(|&ends| ends <= end);
        match body_at.zip(ends) {
            Some((body_at, _)) => Ok(Block { at, metadata_bytes, body_at, body_bytes }),
            None => Err(format!(
                "a message at byte {at} claims {metadata_bytes} and {body_bytes} bytes, more than there are; it may be cut short"
            )),
        }
    }

    /// Its metadata, without what comes before.
    pub fn metadata(&self, file: &File) -> Result<Vec<u8>, String> {
        let mut metadata = bytes(file, self.at, self.metadata_bytes)?;
        let before = if metadata.starts_with(&CONTINUED) { 8 } else { 4 };
        if metadata.len() < before {
            return Err(format!("a message at byte {} has no metadata", self.at));
        }
        Ok(metadata.split_off(before))
    }
}

/// Bytes of a file.
fn bytes(file: &File, at: u64, count: u64) -> Result<Vec<u8>, String> {
    if count > METADATA_MAX {
        return Err(format!("{count} bytes of metadata at byte {at}, more than {METADATA_MAX}"));
    }
    let mut bytes = vec![0; count as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match read_at(file, &mut bytes[filled..], at + filled as u64) {
            Ok(0) => return Err(format!("it ends before byte {}", at + count)),
            Ok(got) => filled += got,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(bytes)
}
