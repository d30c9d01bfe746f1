//! The command line of `treefold ladder`.

use crate::args::{elements, helped};
use crate::error::usage;
use anyhow::Result;
use clap::{CommandFactory, Parser, ValueEnum};
use std::path::PathBuf;
use treefold::ladder::{Operator, Stage, stages};

const EXAMPLES: &str = "\
Examples:
  treefold ladder                            every stage over 2^25 elements, one table
  treefold ladder -n 4                       version 4 of the first tutorial, as it prints it
  treefold ladder --stage v6 --stage vec4 --size 1000000
  treefold ladder --explain mask             the kernel's text and launch, and what the tutorial says
  treefold ladder --sweep --plot ladder.svg  lengths 2^10 to 2^28, workgroups of 32 to 512
  treefold ladder --json | jq .gb_per_s      one object per stage

Exit status: 0 done, 1 a stage FAILED or the device did, 2 the command line is wrong.";

/// Climb the classic GPU reduction tutorials: their kernels in WGSL, one idea each, run, checked and timed here.
#[derive(Parser, Debug)]
#[command(name = "treefold ladder", bin_name = "treefold ladder", after_help = EXAMPLES, max_term_width = 110)]
pub struct LadderArgs {
    /// Run version N of the first tutorial and print its block
    #[arg(short = 'n', value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6), conflicts_with_all = ["stage", "sweep", "json", "explain"])]
    pub version: Option<u8>,

    /// Run this stage only; may be given several times
    #[arg(long, value_name = "ID", value_parser = stage)]
    pub stage: Vec<&'static Stage>,

    /// Elements, any number: 1000000, or 2^20; a sweep ends there [default: 2^25]
    #[arg(long, value_name = "N", value_parser = size)]
    pub size: Option<u64>,

    /// The operator of the stages that leave it open; the others are sums and are left out of min
    #[arg(long, value_enum, default_value = "sum")]
    pub op: OperatorArg,

    /// The adapter to run on: a part of its name, its number (see `treefold adapters`), or auto: the best, software too. [env:
    /// WGPU_ADAPTER_NAME] [default: auto]
    #[arg(long, value_name = "auto|NUMBER|NAME")]
    pub adapter: Option<String>,

    /// Print a stage's WGSL, its launch, and what the tutorial says about it; runs nothing
    #[arg(long, value_name = "ID", value_parser = stage, conflicts_with_all = ["stage", "sweep", "json", "plot", "html", "force", "adapter"])]
    pub explain: Option<&'static Stage>,

    /// Also run lengths 2^10 to 2^28, as far as a binding of the adapter goes, and workgroups of 32 to 512
    #[arg(long)]
    pub sweep: bool,

    /// Draw what was measured; the file must not exist yet, and appears only when it is complete
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Write a page with the table, the picture and every kernel
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,

    /// Let --plot and --html replace files that exist
    #[arg(long)]
    pub force: bool,

    /// Print one JSON object per stage, on a line of its own
    #[arg(long)]
    pub json: bool,
}

/// The choice of operator.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum OperatorArg {
    /// The sum of i32
    Sum,
    /// The smallest i32
    Min,
}

impl From<OperatorArg> for Operator {
    fn from(op: OperatorArg) -> Operator {
        match op {
            OperatorArg::Sum => Operator::Sum,
            OperatorArg::Min => Operator::Min,
        }
    }
}

impl LadderArgs {
    /// Reads the command line behind the word `ladder`; `None` after printing a help text.
    pub fn read() -> Result<Option<LadderArgs>> {
        let words = std::env::args_os().enumerate().filter(|&(at, _)| at != 1).map(|(_, word)| word);
        match LadderArgs::try_parse_from(words) {
            Ok(args) if args.force && args.plot.is_none() && args.html.is_none() => {
                Err(usage("--force lets --plot and --html replace files, and neither is given; leave it out"))
            }
            Ok(args) => Ok(Some(args)),
            Err(error) => helped(&error, LadderArgs::command().get_name()).map(|_| None),
        }
    }

    /// Elements of the table: by default the tutorial's 2^25.
    pub fn count(&self) -> u64 {
        self.size.unwrap_or(1 << 25)
    }

    /// The stages that were asked for, in the ladder's order.
    pub fn stages(&self) -> Result<Vec<&'static Stage>> {
        let operator = Operator::from(self.op);
        if let Some(stage) = self.stage.iter().find(|stage| !stage.takes(operator)) {
            return Err(usage(format!("stage {} computes {} only; leave out --op min", stage.id, stage.computes)));
        }
        let version = self.version.map(|version| format!("v{version}"));
        let asked = |stage: &&Stage| match &version {
            Some(id) => stage.id == id,
            None => self.stage.is_empty() || self.stage.iter().any(|asked| asked.id == stage.id),
        };
        Ok(stages().iter().filter(asked).collect())
    }
}

fn stage(id: &str) -> Result<&'static Stage, String> {
    let ids = || stages().iter().map(|stage| stage.id).collect::<Vec<_>>().join(", ");
    Stage::named(id).ok_or_else(|| format!("no stage has this name; there are: {}", ids()))
}

fn size(text: &str) -> Result<u64, String> {
    match elements(text)? {
        0 => Err("a ladder needs at least 1 element".into()),
        number => Ok(number),
    }
}
