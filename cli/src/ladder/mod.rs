//! `treefold ladder`: the tutorials' kernels, run, checked and timed on this machine.

mod args;
mod explain;
mod html;
mod row;
mod table;

use crate::adapters::with_kernels;
use crate::error::usage;
use crate::output::Output;
use crate::plot;
use crate::streams::{self, print};
use anyhow::{Context, Result, bail};
use args::LadderArgs;
use indicatif::HumanCount;
use row::Row;
use std::path::PathBuf;
use std::process::ExitCode;
use treefold::Gpu;
use treefold::ladder::{Ladder, Outcome, Stage, Transfer};

/// Runs the command; exit status 1 if a stage failed.
pub fn run() -> Result<ExitCode> {
    let Some(args) = LadderArgs::read()? else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(stage) = args.explain {
        return print(&explain::text(stage, args.count(), args.op.into())).map(|()| ExitCode::SUCCESS);
    }
    let stages = args.stages()?;
    let drawings = Drawings::of(&args)?;
    let gpu = with_kernels(args.adapter.as_deref(), "for the ladder")?;
    let ladder = Ladder::new(&gpu, args.count(), args.op.into())?;
    let (rows, notes) = climb(&args, &gpu, &ladder, &stages)?;
    let swept = if args.sweep { sweep(&args, &gpu, &stages, &ladder)? } else { Swept::default() };
    if !args.json && args.sweep {
        print(&table::sweep(&swept.by_length, &swept.by_workgroup))?;
    }
    drawings.draw(&args, &gpu, &rows, notes, swept)?;
    Ok(if rows.iter().any(Row::failed) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs the stages and prints what was asked for; the rows, and the sentences above them.
fn climb(args: &LadderArgs, gpu: &Gpu, ladder: &Ladder, stages: &[&'static Stage]) -> Result<(Vec<Row>, Vec<String>)> {
    let full = args.stage.is_empty() && args.version.is_none();
    let mut notes = vec![about(gpu, ladder)?];
    if full && !args.json {
        notes.push(one_piece(&ladder.one_piece()?));
        notes.push(in_parts(&ladder.in_parts()?));
    }
    let bar = streams::steps(true, stages.len());
    let mut rows = Vec::new();
    for stage in stages.iter().filter(|stage| stage.takes(args.op.into())) {
        bar.set_message(stage.id);
        let row = row(gpu, ladder, ladder.run(stage, None).with_context(|| stage.id)?)?;
        bar.inc(1);
        if args.json {
            print(&row.line()?)?;
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    let left_out: Vec<&str> =
        stages.iter().filter(|stage| !stage.takes(args.op.into())).map(|stage| stage.id).collect();
    match (args.version, args.json) {
        (_, true) => (),
        (Some(_), _) => rows.iter().try_for_each(|row| print(&table::block(row)))?,
        (None, _) => print(&table::text(&rows, &notes, &left_out))?,
    }
    Ok((rows, notes))
}

/// An outcome beside what it is compared with.
fn row(gpu: &Gpu, ladder: &Ladder, outcome: Outcome) -> Result<Row> {
    let (one_core, all_cores) = ladder.host_seconds(outcome.stage);
    let (adapter, backend) = (gpu.info().name, gpu.info().backend.to_str());
    let operator = ladder.operator();
    Ok(Row { outcome, operator, adapter, backend, read_bandwidth: ladder.read_bandwidth()?, one_core, all_cores })
}

fn about(gpu: &Gpu, ladder: &Ladder) -> Result<String> {
    let info = gpu.info();
    let read = match ladder.read_bandwidth()? {
        Some(bandwidth) => format!("its memory read at {} GB/s", table::digits(bandwidth / 1e9)),
        None => "no GPU clock, so kernel times are unknown".into(),
    };
    Ok(format!("{} ({}): {} elements; {read}", info.name, info.backend.to_str(), HumanCount(ladder.count())))
}

fn one_piece(t: &Transfer) -> String {
    format!("From host memory in one piece, then the kernel: {}; nothing overlaps", shares(t).0)
}

fn in_parts(t: &Transfer) -> String {
    let (text, busy) = shares(t);
    let overlap = match busy {
        Some(busy) if busy > 1.0 => format!("; together {:.0} %, because they overlap", busy * 100.0),
        Some(busy) => format!("; together {:.0} %", busy * 100.0),
        None => String::new(),
    };
    format!("In parts, by the library's stream: {text}{overlap}")
}

/// The shares of a transfer's time in words, and their sum.
fn shares(t: &Transfer) -> (String, Option<f64>) {
    let share = |seconds: f64| seconds / t.total_seconds;
    let percent = |seconds: Option<f64>| match seconds {
        Some(0.0) => "nothing".into(),
        Some(seconds) => format!("{:.1} %", share(seconds) * 100.0),
        None => "unknown".into(),
    };
    let text = format!(
        "{} ms, of which copying on the host {}, to the device {}, kernel {}",
        table::digits(t.total_seconds * 1e3),
        percent(Some(t.host_copy_seconds)),
        percent(t.upload_seconds),
        percent(t.kernel_seconds)
    );
    let device = t.upload_seconds.zip(t.kernel_seconds).map(|(upload, kernel)| upload + kernel);
    (text, device.map(|device| share(device + t.host_copy_seconds)))
}

/// Runs of a sweep.
#[derive(Default)]
struct Swept {
    by_length: Vec<plot::Point>,
    by_workgroup: Vec<plot::Point>,
}

/// Lengths and workgroup sizes of a sweep.
const POWERS: std::ops::RangeInclusive<u32> = 10..=28;
const SIZES: [u32; 5] = [32, 64, 128, 256, 512];

/// Every stage at every length, up to --size or as far as a binding goes; and by workgroup size those that were asked for by name, else the one whose tutorial does so.
fn sweep(args: &LadderArgs, gpu: &Gpu, stages: &[&'static Stage], first: &Ladder) -> Result<Swept> {
    let mut swept = Swept::default();
    let most = Ladder::most_elements(gpu).min(args.size.unwrap_or(u64::MAX));
    let lengths: Vec<u64> = POWERS.map(|power| 1u64 << power).filter(|&length| length <= most).collect();
    let stages: Vec<_> = stages.iter().filter(|stage| stage.takes(args.op.into()) && stage.reads_elements()).collect();
    let by_size: Vec<(&Stage, u32)> = stages
        .iter()
        .filter(|stage| !args.stage.is_empty() || stage.varies_workgroup_size())
        .flat_map(|&&stage| {
            let sizes: Vec<u32> = SIZES.into_iter().filter(|&size| stage.takes_workgroup_size(size)).collect();
            // One alone compares nothing.
            let sizes = if sizes.len() > 1 { sizes } else { vec![] };
            sizes.into_iter().map(move |size| (stage, size))
        })
        .collect();
    let bar = streams::steps(true, lengths.len() * (stages.len() + by_size.len()));
    for &length in &lengths {
        let mut ladder = match first.resized(length) {
            Ok(ladder) => ladder,
            Err(treefold::Error::OutOfMemory { .. } | treefold::Error::LimitTooSmall { .. }) => break,
            Err(error) => return Err(error.into()),
        };
        ladder.set_repeats(4);
        let measure = |stage: &'static Stage, size: Option<u32>| -> Result<Option<plot::Point>> {
            bar.set_message(format!("{} of {}", stage.id, HumanCount(length)));
            let row = row(gpu, &ladder, ladder.run(stage, size).with_context(|| stage.id)?)?;
            bar.inc(1);
            if args.json && row.has_run() {
                print(&row.line()?)?;
            }
            if row.failed() {
                bail!("{} of {length} elements FAILED: {}", stage.id, row.reason().unwrap_or_default());
            }
            Ok(row.point())
        };
        for stage in &stages {
            swept.by_length.extend(measure(stage, None)?);
        }
        for &(stage, size) in &by_size {
            swept.by_workgroup.extend(measure(stage, Some(size))?);
        }
    }
    bar.finish_and_clear();
    Ok(swept)
}

/// The files for the picture and the page.
struct Drawings {
    plot: Option<Output>,
    html: Option<Output>,
}

impl Drawings {
    /// Those that the command line names, each of which can be written.
    fn of(args: &LadderArgs) -> Result<Drawings> {
        let open = |option: &'static str, path: &Option<PathBuf>| match path {
            Some(path) if path.as_os_str() == "-" => {
                Err(usage(format!("{option} -: standard output has the table; name a file")))
            }
            Some(path) => Output::file(option, path, args.force).map(Some),
            None => Ok(None),
        };
        let (plot, html) = (open("--plot", &args.plot)?, open("--html", &args.html)?);
        if let (Some(plot), Some(html)) = (&plot, &html) {
            plot.ensure_apart(html)?;
        }
        Ok(Drawings { plot, html })
    }

    /// Writes the picture and the page.
    fn draw(self, args: &LadderArgs, gpu: &Gpu, rows: &[Row], notes: Vec<String>, swept: Swept) -> Result<()> {
        if self.plot.is_none() && self.html.is_none() {
            return Ok(());
        }
        let page = plot::Page {
            title: "The ladder: GPU reduction tutorials, measured".into(),
            adapter: gpu.info().name,
            count: args.count(),
            notes,
            rungs: rows.iter().map(Row::rung).collect(),
            by_length: swept.by_length,
            by_workgroup: swept.by_workgroup,
        };
        if let Some(plot) = self.plot {
            plot.write(plot::svg_text(&page)?.as_bytes())?;
        }
        if let Some(html) = self.html {
            html.write(html::page(&page)?.as_bytes())?;
        }
        Ok(())
    }
}
