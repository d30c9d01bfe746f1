//! `treefold tune`: searches the launch policies of an adapter, and keeps what is faster than its row.

use crate::adapters::{driver, with_kernels};
use crate::args::{elements, helped};
use crate::bench::clock::Sampling;
use crate::bench::data::{self, Data};
use crate::bench::kernels::{Inquired, Measured, Resident};
use crate::bench::{BLOCK, What, median};
use crate::cache::CacheFile;
use crate::error::usage;
use crate::json::Json;
use crate::plot::digits;
use crate::report;
use crate::streams::{self, print};
use anyhow::{Context, Result, ensure};
use clap::{CommandFactory, Parser, ValueEnum};
use indicatif::ProgressBar;
use std::time::Duration;
use treefold::ops::{FastSum, Histogram, Sum};
use treefold::wgpu::DeviceType;
use treefold::{Answer, Cpu, Gpu, Launch, Op, Tuning};

const EXAMPLES: &str = "\
Examples:
  treefold tune                     search, keep what is faster, and say what changed
  treefold tune --adapter 1 --no-cache     print it only
  treefold tune --forget            back to the row that treefold has for this adapter

What is kept lies in the cache folder (treefold/ under XDG_CACHE_HOME, or ~/.cache), and holds for this version of treefold and of the
driver. What rounds on a device (sums in f32 by --fast, products, logsumexp) may round otherwise than before; exact answers do not.";

/// Search the launch policies of an adapter: workgroups, loads in flight, the length from which two dispatches are faster than one.
#[derive(Parser, Debug)]
#[command(name = "treefold tune", bin_name = "treefold tune", after_help = EXAMPLES, max_term_width = 110)]
struct TuneArgs {
    /// The adapter: a part of its name, its number (see `treefold adapters`), or auto: the best, software too. [env:
    /// WGPU_ADAPTER_NAME] [default: auto]
    #[arg(long, value_name = "auto|NUMBER|NAME")]
    adapter: Option<String>,

    /// Elements of the long inputs [default: 2^28, on integrated GPUs 2^26, on software 2^22]
    #[arg(long, value_name = "N", value_parser = elements)]
    size: Option<u64>,

    /// The kernels whose policies are searched, with commas
    #[arg(long, value_name = "KERNELS", value_enum, value_delimiter = ',', default_value = "fold,bins,counts")]
    kernel: Vec<Tuned>,

    /// Milliseconds of work before the first sample of each policy
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(..=10_000))]
    warm: u64,

    /// Keep nothing
    #[arg(long)]
    no_cache: bool,

    /// Forget what was kept; searches nothing
    #[arg(long, conflicts_with_all = ["no_cache", "size"])]
    forget: bool,

    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
}

/// A kernel with a policy of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tuned {
    /// Elements into values: all operators without bins
    Fold,
    /// Elements into the bins of exact sums
    Bins,
    /// Elements into counts of bins
    Counts,
}

impl Tuned {
    fn name(self) -> &'static str {
        match self {
            Tuned::Fold => "fold",
            Tuned::Bins => "bins",
            Tuned::Counts => "counts",
        }
    }

    /// The operator by which it is measured.
    fn by(self) -> String {
        match self {
            Tuned::Fold => Op::<f32>::signature(&FastSum),
            Tuned::Bins => Op::<f32>::signature(&Sum),
            Tuned::Counts => histogram().map_or(String::new(), |histogram| Op::<f32>::signature(&histogram)),
        }
    }

    fn of(self, tuning: &Tuning) -> Launch {
        match self {
            Tuned::Fold => tuning.fold,
            Tuned::Bins => tuning.bins,
            Tuned::Counts => tuning.counts,
        }
    }

    fn with(self, tuning: &Tuning, change: impl FnOnce(&mut Launch)) -> Tuning {
        tuning.with(|tuning| {
            change(match self {
                Tuned::Fold => &mut tuning.fold,
                Tuned::Bins => &mut tuning.bins,
                Tuned::Counts => &mut tuning.counts,
            })
        })
    }
}

/// The histogram by which counting is measured.
fn histogram() -> Result<Histogram> {
    Ok(Histogram::new(256, 0.0, 1.0)?)
}

/// A policy that was found: microseconds of long inputs by the row and by it.
struct Winner {
    kernel: Tuned,
    launch: Launch,
    before: f64,
    now: f64,
}

/// What must be gained for another policy: noise is less.
const GAIN: f64 = 0.99;

/// Runs the command.
pub fn run() -> Result<()> {
    let words = std::env::args_os().enumerate().filter(|&(at, _)| at != 1).map(|(_, word)| word);
    let args = match TuneArgs::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => return helped(&error, TuneArgs::command().get_name()).map(drop),
    };
    let gpu = with_kernels(args.adapter.as_deref(), "to tune")?;
    let row = Tuning::of(&gpu.info());
    let before = *gpu.tuning();
    if args.forget {
        let forgotten = before != row && keep(&gpu, None);
        let told = match before == row {
            true => "there was nothing to forget",
            false if forgotten => "forgotten",
            false => "not forgotten: the file of its cache cannot be written",
        };
        let line = Json::Object(vec![("adapter", Json::text(&gpu.info().name)), ("forgotten", Json::value(forgotten))]);
        return print(&if args.json { line.line()? } else { format!("{}: {told}\n", gpu.info().name) });
    }
    // Kernels that are not searched stay as they are.
    let mut tuning =
        args.kernel.iter().fold(before, |tuning, kernel| kernel.with(&tuning, |launch| *launch = kernel.of(&row)));
    let search = Search::new(&args, gpu.with_tuning(row)?)?;
    let mut winners = vec![];
    for &kernel in &args.kernel {
        let winner = search.best(kernel, &tuning)?;
        tuning = kernel.with(&tuning, |launch| *launch = winner.launch);
        winners.push(winner);
    }
    search.bar.finish_and_clear();
    let kept = match (tuning == row, args.no_cache) {
        (_, true) => None,
        (true, _) if before == row => None,
        // What was kept before is slower than the row.
        (true, _) => Some(keep(&gpu, None)),
        (false, _) => Some(keep(&gpu, Some(tuning))),
    };
    print(&if args.json { json(&gpu, &winners, kept)? } else { text(&gpu, &winners, &tuning, kept) })
}

/// Keeps a policy in the adapter's cache, or forgets it; whether that is written.
fn keep(gpu: &Gpu, tuning: Option<Tuning>) -> bool {
    CacheFile::load(gpu, false).is_some_and(|file| gpu.keep_tuning(tuning).is_ok() && file.keep())
}

/// A search on one adapter.
struct Search {
    gpu: Gpu,
    host: Vec<f32>,
    resident: Resident,
    sampling: Sampling,
    bar: ProgressBar,
}

impl Search {
    fn new(args: &TuneArgs, gpu: Gpu) -> Result<Search> {
        let (long, pool) = match gpu.info().device_type {
            DeviceType::DiscreteGpu => (1 << 28, 2 << 30),
            DeviceType::Cpu => (1 << 22, 64 << 20),
            _ => (1 << 26, 1 << 30),
        };
        let most = gpu.device().limits().max_storage_buffer_binding_size / 4;
        let long = args.size.unwrap_or(long).min(most);
        ensure!(long >= 1 << 16, usage(format!("--size {long} is too little to tell policies apart; at least 2^16")));
        let block: Vec<f32> = data::elements(BLOCK, Data::Uniform, 1);
        let host = block.iter().copied().cycle().take(usize::try_from(long)?).collect();
        let resident = Resident::new(&gpu, &block, long, pool)?;
        let sampling = Sampling { samples: 5, warm: Duration::from_millis(args.warm) };
        let bar = streams::bar(!args.json, None, "{spinner} {pos} policies, {msg}");
        Ok(Search { gpu, host, resident, sampling, bar })
    }

    /// The best policy of a kernel, beside those of the others.
    fn best(&self, kernel: Tuned, row: &Tuning) -> Result<Winner> {
        let clock = self.clock(kernel, self.host.len())?;
        let limits = self.gpu.device().limits();
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let mut best = *row;
        let mut least = clock(&best)?.context("the adapter's own policies give a wrong answer")?;
        let mut try_one = |tried: Tuning, best: &mut Tuning| -> Result<()> {
            let faster = if tried == *best { None } else { clock(&tried)?.filter(|&us| us < least * GAIN) };
            if let Some(us) = faster {
                (*best, least) = (tried, us);
            }
            Ok(())
        };
        // As many invocations in all, or half, or twice as many, in workgroups of every size.
        let Launch { workgroup_size, workgroups_max, .. } = kernel.of(row);
        let all = u64::from(workgroup_size) * u64::from(workgroups_max);
        for size in (3..=10).map(|log2| 1u32 << log2).filter(|&size| size <= most) {
            for groups in [all / 2, all, all * 2].map(|all| all / u64::from(size)) {
                let Some(groups) = u32::try_from(groups).ok().filter(|groups| (1..=65_535).contains(groups)) else {
                    continue;
                };
                let change = |launch: &mut Launch| (launch.workgroup_size, launch.workgroups_max) = (size, groups);
                try_one(kernel.with(&best, change), &mut best)?;
            }
        }
        for loads in [1, 2, 3, 4, 6, 8] {
            try_one(kernel.with(&best, |launch| launch.loads_in_flight = loads), &mut best)?;
        }
        let (before, now) = in_turn(&clock, row, &best)?;
        let (best, now) = if now > before * GAIN { (*row, before) } else { (best, now) };
        // Counts of short inputs are few.
        let best = if kernel == Tuned::Counts { best } else { self.border(kernel, best)? };
        Ok(Winner { kernel, launch: kernel.of(&best), before, now })
    }

    /// The length up to which one workgroup is faster than two dispatches: the policy's own, doubled as long as one is faster, else halved
    /// as long as two are.
    fn border(&self, kernel: Tuned, from: Tuning) -> Result<Tuning> {
        let Launch { workgroup_size, loads_in_flight, single_elements_max: own, .. } = kernel.of(&from);
        // Of fewer, a first dispatch has one workgroup.
        let least = 8 * u64::from(workgroup_size) * u64::from(loads_in_flight);
        let most = self.host.len() as u64;
        let to = |border: u64| kernel.with(&from, |launch| launch.single_elements_max = border);
        let both = |n: u64| in_turn(&self.clock(kernel, n as usize)?, &to(n - 1), &to(n));
        let mut border = own;
        while border * 2 <= most {
            let (two, one) = both(border * 2)?;
            if one > two * GAIN {
                break;
            }
            border *= 2;
        }
        if border == own {
            while border > least && border <= most {
                let (two, one) = both(border)?;
                if two > one * GAIN {
                    break;
                }
                border /= 2;
            }
        }
        Ok(to(border))
    }

    /// The clock of a kernel over so many elements.
    fn clock(&self, kernel: Tuned, n: usize) -> Result<Clock<'_>> {
        match kernel {
            Tuned::Fold => self.of(kernel, FastSum, n),
            Tuned::Bins => self.of(kernel, Sum, n),
            Tuned::Counts => self.of(kernel, histogram()?, n),
        }
    }

    fn of<O: Op<f32, Output: Answer>>(&self, kernel: Tuned, op: O, n: usize) -> Result<Clock<'_>> {
        let host = &self.host[..n];
        let want = Cpu::new().reduce(op.clone(), host)?;
        Ok(Box::new(move |tuning| {
            self.bar.set_message(format!("{} by {}", kernel.name(), kernel.by()));
            self.bar.inc(1);
            let Ok(gpu) = self.gpu.with_tuning(*tuning) else { return Ok(None) };
            let asked = Inquired { host, arranged: None, want: Some(&want) };
            match self.resident.measure(&gpu, &op, &asked, (What::Kernel, self.sampling)) {
                Ok(Measured { samples, right: true, .. }) => Ok(median(&samples)),
                Ok(_) => Ok(None),
                // A workgroup that has too much memory, say: another policy has not.
                Err(error) => match error.downcast_ref() {
                    Some(
                        treefold::Error::LimitTooSmall { .. }
                        | treefold::Error::BadTuning { .. }
                        | treefold::Error::Refused { .. }
                        | treefold::Error::OutOfMemory { .. },
                    ) => Ok(None),
                    _ => Err(error),
                },
            }
        }))
    }
}

/// Gives the microseconds of a kernel by these policies; `None` where the answer is wrong, or the device cannot launch so.
type Clock<'a> = Box<dyn Fn(&Tuning) -> Result<Option<f64>> + 'a>;

/// Microseconds of one policy and of another, measured in turn; of one that does not work, infinite.
fn in_turn(clock: &Clock, one: &Tuning, other: &Tuning) -> Result<(f64, f64)> {
    let mut times = [vec![], vec![]];
    for _ in 0..3 {
        for (times, tuning) in times.iter_mut().zip([one, other]) {
            times.extend(clock(tuning)?);
        }
    }
    let [one, other] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        median(&times).unwrap_or(f64::INFINITY)
    });
    Ok((one, other))
}

fn text(gpu: &Gpu, winners: &[Winner], tuning: &Tuning, kept: Option<bool>) -> String {
    let mut table = report::table();
    table.set_header([
        "kernel",
        "by",
        "workgroups",
        "of",
        "loads",
        "one dispatch to",
        "µs before",
        "µs now",
        "of before",
    ]);
    for Winner { kernel, launch, before, now } in winners {
        table.add_row([
            kernel.name().to_string(),
            kernel.by(),
            launch.workgroups_max.to_string(),
            launch.workgroup_size.to_string(),
            launch.loads_in_flight.to_string(),
            launch.single_elements_max.to_string(),
            digits(*before),
            digits(*now),
            format!("{:.3}", now / before),
        ]);
    }
    report::numbers(&mut table, 2..9);
    let narrow = report::fit(&mut table, &["by", "µs before"]);
    let is_row = *tuning == Tuning::of(&gpu.info());
    let told = match kept {
        None => "nothing is kept",
        Some(true) if is_row => "what was kept before is forgotten",
        Some(true) => "kept for the next calls; treefold tune --forget undoes it",
        Some(false) => {
            "not kept: this adapter has no cache (other backends than Vulkan), or its file cannot be written"
        }
    };
    let row = match is_row {
        true => "The adapter's own row is the fastest.\n".into(),
        false => format!("A row to send to the project:\n{tuning:#?}\n"),
    };
    format!("{}: {tuning}\n{table}\n{narrow}{told}\n{row}", gpu.info().name)
}

fn json(gpu: &Gpu, winners: &[Winner], kept: Option<bool>) -> Result<String> {
    let one = |Winner { kernel, launch, before, now }: &Winner| {
        Json::Object(vec![
            ("kernel", Json::text(kernel.name())),
            ("by", Json::Text(kernel.by())),
            ("workgroup_size", Json::value(launch.workgroup_size)),
            ("workgroups_max", Json::value(launch.workgroups_max)),
            ("loads_in_flight", Json::value(launch.loads_in_flight)),
            ("single_elements_max", Json::value(launch.single_elements_max)),
            ("us_before", Json::figure(*before)),
            ("us", Json::figure(*now)),
        ])
    };
    let info = gpu.info();
    Json::Object(vec![
        ("adapter", Json::text(&info.name)),
        ("driver", Json::Text(driver(&info))),
        ("kernels", Json::List(winners.iter().map(one).collect())),
        ("kept", Json::value(kept == Some(true))),
    ])
    .line()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_stands_twice() {
        TuneArgs::command().debug_assert();
    }

    #[test]
    fn kernels_change_their_own_policy() {
        let all = [Tuned::Fold, Tuned::Bins, Tuned::Counts];
        for kernel in all {
            let other = kernel.with(&Tuning::GPU, |launch| launch.loads_in_flight = 7);
            let changed = all.map(|one| one.of(&other) != one.of(&Tuning::GPU));
            assert_eq!(changed, all.map(|one| one == kernel));
        }
    }
}
