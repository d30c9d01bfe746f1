//! From the partials of all ranks to the report of the whole, on rank 0.

use crate::AllRanks;
use crate::tally::Tally;
use anyhow::{Context, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};
use treefold::Header;
use treefold_cli::args::Args;
use treefold_cli::files::FoundMissing;
use treefold_cli::output::Output;
use treefold_cli::partial::{self, Join, Joining};
use treefold_cli::report::{Computed, Report, Seconds, arrays};
use treefold_cli::run::{Reduced, drawn, shown_as_asked};
use treefold_cli::streams::print;

/// The rank that has the answer.
const ROOT: i32 = 0;

/// The places of what the command line wants written.
pub struct Target {
    array: Option<Output>,
    picture: Option<Output>,
}

/// Opens them on rank 0.
pub fn target(args: &Args, rank: i32) -> Result<Target> {
    if rank != ROOT {
        return Ok(Target { array: None, picture: None });
    }
    let (array, picture) = partial::targets(args)?;
    Ok(Target { array, picture })
}

/// The call, as the report tells it.
pub struct Place<'a> {
    /// Names of the inputs, in short.
    pub names: &'a str,
    pub start: Instant,
    pub ranks: i32,
}

/// The partials of all ranks as one of each operator, and the reports of the ranks as one.
pub struct Joined {
    partials: Vec<Vec<u8>>,
    report: Report,
    all: Vec<Tally>,
}

impl Joined {
    /// Joins them; `None` but on rank 0. `stacked`: ranks have rows of their own.
    pub fn of(ranks: &AllRanks, reduced: Reduced, stacked: bool) -> Result<Option<Joined>> {
        let Reduced { report, partials } = reduced;
        let joinings = partials.iter().map(|partial| partial::joining(partial)).collect::<Result<Vec<Joining>>>();
        let described = joinings.and_then(|joinings| Ok((joinings, description(&partials, stacked)?)));
        let how = if stacked { Join::Stacked } else { Join::Merged };
        let (joinings, framed) = match described {
            Ok((joinings, description)) => (joinings, Ok((together(&partials), description))),
            Err(error) => (vec![], Err(format!("{error:#}"))),
        };
        let join = move |left: &[u8], right: &[u8]| joined(&joinings, left, right, how);
        let whole = if stacked {
            let stack = |all: Vec<Vec<u8>>| {
                let mut all = all.into_iter();
                let first = all.next().ok_or("no ranks")?;
                all.try_fold(first, |all, next| join(&all, &next))
            };
            ranks.gathered(ROOT, framed, stack)?
        } else {
            ranks.reduce_bytes_to(ROOT, framed, Arc::new(join))?
        };
        let tallies = ranks.gather(ROOT, &Tally::of(&report).bytes())?;
        Ok(whole.zip(tallies).map(|(whole, tallies)| Joined {
            partials: apart(&whole).map(<[u8]>::to_vec).collect(),
            report,
            all: tallies.iter().map(|bytes| Tally::read(bytes)).collect(),
        }))
    }

    /// Writes and prints the answer.
    pub fn report(self, args: &Args, place: &Place, Target { array, picture }: Target) -> Result<()> {
        let Joined { partials, report, all } = self;
        let found = partial::finished(args, partials, report.stored, place.names).context(place.names.to_string())?;
        let sum = |of: fn(&Tally) -> u64| all.iter().map(of).sum::<u64>();
        let most = |of: fn(&Tally) -> Option<Duration>| all.iter().filter_map(of).max();
        let summed = |there: bool, of: fn(&Tally) -> u64| there.then(|| sum(of));
        let mut left_out = report.left_out;
        left_out.nan = summed(left_out.nan.is_some(), |tally| tally.nan);
        left_out.others = summed(left_out.others.is_some(), |tally| tally.others);
        let read = most(|tally| Some(tally.read)).unwrap_or_default();
        let (upload, kernel) = (most(|tally| tally.upload), most(|tally| tally.kernel));
        let missing = report.missing.map(|found| FoundMissing { count: sum(|tally| tally.missing), ..found });
        let mut report = Report {
            found,
            names: place.names.into(),
            count: sum(|tally| tally.count),
            missing,
            left_out,
            bytes: sum(|tally| tally.bytes),
            is_array: args.output.is_some(),
            computed: Computed::named(adapters(place.ranks, &all), report.computed.backend()),
            seconds: Seconds { read, upload, kernel, total: place.start.elapsed() },
            ..report
        };
        if let (Some(array), Some(path)) = (array, &args.output) {
            report.written = Some(array.write(&arrays(path, &report.found).context(place.names.to_string())?)?);
        }
        if let Some(picture) = picture {
            report.plotted = Some(picture.write(drawn(&report)?.as_bytes())?);
        }
        print(&shown_as_asked(args, &report)?)
    }
}

/// What all ranks must have alike.
fn description(partials: &[Vec<u8>], stacked: bool) -> Result<String> {
    let described = partials.iter().map(|partial| {
        let header = Header::read(partial)?;
        let shape = if stacked { header.shape.get(1..).unwrap_or_default() } else { &header.shape };
        let over = if stacked { format!(" over {} elements each", header.count) } else { String::new() };
        Ok(format!("{} of {}{over}, answers of shape {shape:?}", header.title(), header.dtype))
    });
    Ok(described.collect::<Result<Vec<String>>>()?.join(" and "))
}

/// Partials behind one another, each behind its length.
fn together(partials: &[Vec<u8>]) -> Vec<u8> {
    partials
        .iter()
        .flat_map(|partial| (partial.len() as u64).to_le_bytes().into_iter().chain(partial.iter().copied()))
        .collect()
}

/// The partials of such bytes.
fn apart(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first_chunk::<8>()?;
        let (partial, behind) = behind.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        rest = behind;
        Some(partial)
    })
}

fn joined(joinings: &[Joining], left: &[u8], right: &[u8], how: Join) -> std::result::Result<Vec<u8>, String> {
    let pairs = joinings.iter().zip(apart(left).zip(apart(right)));
    let joined = pairs.map(|(join, (left, right))| join(left, right, how)).collect::<treefold::Result<Vec<_>>>();
    joined.map(|partials| together(&partials)).map_err(|error| error.to_string())
}

/// The adapters of all ranks, each once.
fn adapters(ranks: i32, all: &[Tally]) -> String {
    let mut names: Vec<&str> = all.iter().map(|tally| tally.adapter.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    format!("{ranks} {}: {}", if ranks == 1 { "rank" } else { "ranks" }, names.join(", "))
}
