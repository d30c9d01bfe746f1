//! The figures of a rank that its partials do not hold, as bytes.

use std::time::Duration;
use treefold_cli::report::Report;

/// Numbers of elements and bytes, times, and where it was computed.
pub struct Tally {
    pub count: u64,
    pub bytes: u64,
    pub missing: u64,
    pub nan: u64,
    pub others: u64,
    pub read: Duration,
    pub upload: Option<Duration>,
    pub kernel: Option<Duration>,
    pub adapter: String,
}

/// The time of a clock that there is not.
const NO_CLOCK: u64 = u64::MAX;

impl Tally {
    /// Of a report.
    pub fn of(report: &Report) -> Tally {
        Tally {
            count: report.count,
            bytes: report.bytes,
            missing: report.missing.map_or(0, |found| found.count),
            nan: report.left_out.nan.unwrap_or(0),
            others: report.left_out.others.unwrap_or(0),
            read: report.seconds.read,
            upload: report.seconds.upload,
            kernel: report.seconds.kernel,
            adapter: report.computed.adapter().into(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let Tally { count, bytes, missing, nan, others, read, upload, kernel, adapter } = self;
        let nanoseconds = |time: &Option<Duration>| time.map_or(NO_CLOCK, |time| time.as_nanos() as u64);
        let times = [nanoseconds(&Some(*read)), nanoseconds(upload), nanoseconds(kernel)];
        let numbers = [*count, *bytes, *missing, *nan, *others].into_iter().chain(times);
        numbers.flat_map(u64::to_le_bytes).chain(adapter.bytes()).collect()
    }

    pub fn read(told: &[u8]) -> Tally {
        let (numbers, adapter) = told.split_at(told.len().min(64));
        let mut numbers =
            numbers.chunks_exact(8).map(|bytes| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)));
        let mut next = || numbers.next().unwrap_or(0);
        let [count, bytes, missing, nan, others] = std::array::from_fn(|_| next());
        let [read, upload, kernel] =
            std::array::from_fn(|_| Some(next()).filter(|&time| time != NO_CLOCK).map(Duration::from_nanos));
        let adapter = String::from_utf8_lossy(adapter).into_owned();
        Tally { count, bytes, missing, nan, others, read: read.unwrap_or_default(), upload, kernel, adapter }
    }
}
