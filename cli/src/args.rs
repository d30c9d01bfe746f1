//! The command line: options, their checks, and usage errors in one line.

use crate::ladder::NAME;
use crate::operators::meaning;
use crate::stored::Stored;
use anyhow::{Result, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::fmt;
use std::path::PathBuf;

/// The name under which the list of adapters is asked for.
pub const ADAPTERS: &str = "adapters";

/// The name under which partials become an answer.
pub const MERGE: &str = "merge";

const EXAMPLES: &str = "\
Examples:
  treefold stats temperature.npy             count, sum, mean, std, min and max with their indices
  treefold sum --json part-*.npy             several files are one input
  treefold max --dtype f32 readings.bin      raw little-endian numbers
  producer | treefold mean --dtype i32       from a pipe, in constant memory
  treefold sum prices.npy                    floats are summed exactly and rounded once; --fast sums in f32
  treefold dot x.npy y.npy                   two inputs of equal length
  treefold sum --partial a.part a-*.npy      here the one half of the data,
  treefold sum --partial b.part b-*.npy      on another machine the other,
  treefold merge a.part b.part               and the answer over both, to the bit
  treefold adapters                          what there is to compute on
  treefold ladder                            the GPU reduction tutorials, run and timed here; has its own --help

Exit status: 0 done, 1 an input or the device failed, 2 the command line is wrong.";

/// Reduce files of numbers to one answer, on a GPU, a software adapter or the CPU.
#[derive(Parser, Debug)]
#[command(name = "treefold", version, after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 110)]
pub struct Args {
    /// What to compute, or `adapters` to list what there is to compute on, or `ladder` for the tutorials
    #[arg(value_parser = operator_names())]
    pub operator: String,

    /// .npy files, or raw files with --dtype; - or none is standard input. Several files are one input, in order; dot
    /// takes two, merge takes what --partial wrote
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Type of the numbers in raw little-endian files; .npy files know their own
    #[arg(long, value_name = "TYPE", value_parser = dtype_names(), hide_possible_values = true, help = dtype_help())]
    pub dtype: Option<String>,

    /// Where to compute: a part of an adapter's name, its number (see `treefold adapters`), or cpu [default: the best]
    #[arg(long, value_name = "NAME|NUMBER|cpu")]
    pub adapter: Option<String>,

    /// Accumulate f32 in f32 rather than exactly: sum, mean and stats; what has no fast way stays exact
    #[arg(long)]
    pub fast: bool,

    /// Delta degrees of freedom of variance and stats: divide by n - N
    #[arg(long, value_name = "N", conflicts_with = "partial")]
    pub ddof: Option<u32>,

    /// Write a partial result to OUT in place of the answer, for merge. OUT must not exist yet, and appears only when it
    /// is complete. For operators without an index, and not for floats that round on the way (--fast, variance, product)
    #[arg(long, value_name = "OUT")]
    pub partial: Option<PathBuf>,

    /// Let --partial replace OUT where it exists
    #[arg(long, requires = "partial")]
    pub force: bool,

    /// Memory for staging and on the device together: bytes, or with K, M, G, KiB, MiB, GiB (all powers of 1024)
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = memory)]
    pub memory: u64,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,

    /// Print the value only; for several parts a line `name value` each, and the index behind where there is one
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// Say on standard error how it is computed
    #[arg(short, long)]
    pub verbose: bool,
}

impl Args {
    /// Reads the command line.
    pub fn read() -> Result<Asked> {
        let args = match Args::try_parse() {
            Ok(args) => args,
            Err(error) => match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return Ok(printed(&error, 0)),
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return Ok(printed(&error, 2)),
                _ => return Err(usage(one_line(&error, Args::command().get_name()))),
            },
        };
        if args.operator == NAME {
            return Err(usage("ladder comes first and has options of its own; see treefold ladder --help"));
        }
        if args.operator == ADAPTERS && !args.files.is_empty() {
            return Err(usage("adapters takes no FILE; say which operator to reduce them with"));
        }
        let merges = args.operator == MERGE;
        if args.ddof.is_some() && !merges && !crate::operators::has_ddof(&args.operator) {
            return Err(usage(format!("--ddof is for variance and stats; {} has none", args.operator)));
        }
        if merges {
            args.check_merge()?;
        }
        if crate::operators::takes_pairs(&args.operator) && args.files.len() != 2 {
            let (operator, files) = (&args.operator, args.files.len());
            return Err(usage(format!("{operator} takes two FILEs of equal length, x and y; there are {files}")));
        }
        Ok(Asked::Work(args))
    }

    fn check_merge(&self) -> Result<()> {
        if self.files.is_empty() {
            return Err(usage("merge takes FILEs: the partials that --partial wrote; none is named"));
        }
        if self.files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(usage("standard input (-) is named twice; it can be read only once"));
        }
        if self.fast || self.dtype.is_some() {
            return Err(usage("partials know their operator and type; leave out --fast and --dtype"));
        }
        Ok(())
    }

    /// The type that `--dtype` names.
    pub fn raw(&self) -> Option<Stored> {
        self.dtype.as_deref().and_then(Stored::raw)
    }
}

/// What the command line asks for.
pub enum Asked {
    /// Something to do.
    Work(Args),
    /// A help or version text, which is printed; this is the status to exit with.
    Printed(u8),
}

fn printed(text: &clap::Error, status: u8) -> Asked {
    // Nobody reads on where standard output is closed.
    Asked::Printed(text.print().map_or(0, |()| status))
}

fn operator_names() -> PossibleValuesParser {
    let merge = PossibleValue::new(MERGE).help("The answer of partials, which --partial wrote, in any order");
    let operators = crate::operators::names().into_iter().map(|name| PossibleValue::new(name).help(meaning(name)));
    let operators = operators.chain([merge]);
    let adapters = PossibleValue::new(ADAPTERS).help("List the adapters, and what treefold uses of each");
    let ladder =
        PossibleValue::new(NAME).help("Run the kernels of the GPU reduction tutorials; see treefold ladder --help");
    PossibleValuesParser::new(operators.chain([adapters, ladder]))
}

fn dtype_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Stored::names())
}

fn dtype_help() -> String {
    let names = Stored::names().join(", ");
    format!("Type of the numbers in raw little-endian files: {names}; .npy files know their own")
}

fn memory(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 1 << 20;
    let bytes = parse_size::Config::new()
        .with_binary()
        .parse_size(text)
        .map_err(|error| format!("{error}; write bytes, or for example 64M, 512MiB, 1G"))?;
    if bytes < LEAST {
        return Err(format!("{bytes} bytes is too little; at least 1MiB ({LEAST} bytes)"));
    }
    Ok(bytes)
}

/// An error of whoever wrote the command line: exit status 2.
#[derive(Debug)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error that says this.
pub fn usage(text: impl Into<String>) -> anyhow::Error {
    anyhow!(Usage(text.into()))
}

/// clap's several lines in one, without the usage text.
pub fn one_line(error: &clap::Error, program: &str) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told: Vec<&str> = lines.take_while(|line| !line.starts_with("Usage:")).collect();
    let told =
        told.iter().map(|line| line.trim_start_matches("error: ").trim_start_matches("tip: ")).collect::<Vec<_>>();
    let told = told.iter().filter(|line| !line.starts_with("For more information")).copied().collect::<Vec<_>>();
    format!("{}; see {program} --help", told.join("; "))
}
