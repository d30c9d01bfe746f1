//! Row groups, decoded by several threads, each of which takes one after the other; they are handed out in order.

use super::batch::{ROWS, batches};
use super::places::Places;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use std::panic;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Once};
use std::thread::Builder;

pub use super::batch::DecodedRows;

/// The name of threads that decode, whose panics are silent.
const NAME: &str = "decodes row groups";
static QUIET: Once = Once::new();

/// Threads that decode, at most.
const THREADS: usize = 8;
/// Parts that a thread is ahead, where there is memory, at least and at most: as many as the longest row group has, so that all threads decode. More
/// of them would only touch more memory.
const AHEAD_MIN: u64 = 1 << 6;
const AHEAD_MAX: u64 = 1 << 12;

/// Some rows, or the end of a row group.
type DecodedPart = Result<Option<DecodedRows>, String>;

/// Parts that the threads hand over.
pub struct Decoded(Vec<Receiver<DecodedPart>>);

impl Decoded {
    /// The row groups of a column, whose rows with a value are of `level`; within so many bytes, of so many to a number.
    pub fn begin(
        file: SerializedFileReader<Places>,
        column: usize,
        level: i16,
        (memory, size): (u64, usize),
    ) -> Decoded {
        let groups = file.metadata().num_row_groups();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = cores.min(THREADS).min(groups);
        let rows = file.metadata().row_groups().iter().map(|group| group.num_rows()).max().unwrap_or(0);
        let ahead = (rows as u64 / ROWS as u64)
            .clamp(AHEAD_MIN, AHEAD_MAX)
            .min(memory / (threads.max(1) * ROWS * (size + 1)) as u64);
        let file = Arc::new(file);
        let thread = |first: usize| {
            let (to, parts) = sync_channel(ahead.max(1) as usize);
            let file = file.clone();
            let decodes = move || {
                // Whoever listens no more has ended.
                let _ = (first..groups).step_by(threads).all(|group| decode(&file, group, (column, level), &to));
            };
            // Where no thread can be had, the reader that never was has stopped.
            drop(Builder::new().name(NAME.into()).spawn(decodes));
            parts
        };
        // The decoder panics over some damage; then its rows end, which is told as an error.
        QUIET.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if std::thread::current().name() != Some(NAME) {
                    before(info);
                }
            }));
        });
        Decoded((0..threads).map(thread).collect())
    }

    /// The next rows of a row group; none at its end.
    pub fn next(&self, group: usize) -> DecodedPart {
        let parts = self.0.get(group % self.0.len().max(1));
        parts
            .and_then(|parts| parts.recv().ok())
            .unwrap_or_else(|| Err("it is damaged, and the decoder gave up".into()))
    }
}

/// Hands over the rows of a row group; whether all went well.
fn decode(
    file: &SerializedFileReader<Places>,
    group: usize,
    (column, level): (usize, i16),
    to: &SyncSender<DecodedPart>,
) -> bool {
    let opened = file.get_row_group(group).and_then(|group| batches(group.get_column_reader(column)?, level));
    let mut rows = match opened {
        Ok(rows) => rows,
        Err(error) => {
            drop(to.send(Err(error.to_string())));
            return false;
        }
    };
    loop {
        let part = rows.next().map_err(|error| error.to_string());
        let goes_on = matches!(part, Ok(Some(_)));
        let well = part.is_ok();
        if to.send(part).is_err() || !goes_on {
            return well;
        }
    }
}
