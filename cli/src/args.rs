//! The command line: options and their checks.

use crate::division::{DIVISION, GROUP_BY};
use crate::edges;
use crate::error::{clap_usage, usage};
use crate::files::{self, Ask, NamedColumns};
use crate::format::Stored;
use crate::list::{self, ListedOperators, Words};
use crate::making::MAKING;
use crate::operators::{self, REDUCE, Told};
use crate::options::{Division, Making, MissingPolicy, Sifting};
use crate::streams::{printed, shown_path};
use anyhow::{Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use std::path::PathBuf;

/// The name under which the list of adapters is asked for.
pub const ADAPTERS: &str = "adapters";

/// The name under which partials become an answer.
pub const MERGE: &str = "merge";

/// The words of commands with a command line of their own.
pub const EXPLAIN: &str = "explain";
pub const LADDER: &str = "ladder";
pub const BENCH: &str = "bench";
pub const TUNE: &str = "tune";

/// The share of the memory that is for what is read ahead.
const AHEAD_SHARE: u64 = 8;

const EXAMPLES: &str = "\
Examples:
  treefold stats temperature.npy             count, sum, mean, std, min and max with their indices
  treefold sum,max,std x.npy                 several operators, in one read of the input
  treefold count_if '> 30' temperature.npy   how many numbers compare so
  treefold sum --json part-*.npy             several files are one input
  treefold max --dtype f32 readings.bin      raw little-endian numbers
  treefold mean --column temp 'station-*.csv.gz'    a column of tables; its empty fields are left out, and counted
  treefold mean,std --columns temp,wind w.parquet    of each of several columns; --columns '*' for all of numbers
  producer | treefold mean --dtype i32       from a pipe, in constant memory
  treefold sum prices.npy                    floats are summed exactly and rounded once; --fast sums in f32
  treefold mean --map 'log2(x + 1e-4)' x.npy    of what a function in WGSL makes of each number x
  treefold reduce --identity 0 --combine 'a + b' --map 'x * x' x.npy    an operator of your own, from left to right
  treefold dot x.npy y.npy                   two inputs of equal length
  treefold mean --axis 0 m.npy               a mean for each column of a matrix; --output writes an array
  treefold max --segments o.npy x.npy        a maximum for each segment, by offsets as in a CSR matrix
  treefold stats --by k.npy x.npy            keys and answers of runs of equal keys; --output o.npz has keys, stats.mean
  treefold mean --group-by s.npy --groups 3 x.npy    a mean for each of the keys 0, 1 and 2, in any order
  treefold histogram --bins 100 x.npy        counts of equal bins from the lowest number to the highest, as a chart;
                                             --range -1:1, --integers 0:9, or --edges 0,1,5 (or e.npy); --plot h.svg for a
                                             picture; --weights w.npy for sums of weights in place of counts
  treefold histogram2d --bins 10,20 --range -1:1 --range-y 0:5 x.npy y.npy    counts of pairs, 10 by 20
  treefold sum --partial a.part a-*.npy      here the one half of the data,
  treefold sum --partial b.part b-*.npy      on another machine the other,
  treefold merge a.part b.part               and the answer over both, to the bit
  treefold adapters                          what there is to compute on
  treefold explain sum                       how it is computed here; has its own --help
  treefold ladder                            the GPU reduction tutorials, run and timed here; has its own --help
  treefold bench                             times of reductions here, beside other libraries; has its own --help
  treefold tune                              faster launches on this adapter, where there are some; has its own --help

Exit status: 0 done, 1 an input or the device failed, 2 the command line is wrong.";

/// Reduce files of numbers to one answer, on a GPU or the CPU.
#[derive(Parser, Clone, Debug)]
#[command(name = "treefold", version, after_help = EXAMPLES, arg_required_else_help = true, max_term_width = 110)]
pub struct Args {
    /// The operator, or several with commas (sum,max), with options in parentheses ('std(ddof=1),count_if(>30)'), or `adapters` to
    /// list what there is to compute on, `explain` for how it is computed, `ladder` for the tutorials, `bench` for times, `tune`
    /// for faster launches
    #[arg(value_name = "OPERATOR", value_parser = words(), required = true)]
    listed: ListedOperators,

    /// Their names
    #[arg(skip)]
    pub operators: Vec<String>,

    /// .npy, .npz, .csv, .tsv, .parquet, .arrow (.feather) and .safetensors files, or raw files with --dtype; .npy, text and raw ones packed by
    /// gzip or Zstandard too; - or none is standard input. Several files are one input, in order, as are those that a pattern
    /// in quotes names ('part-*.csv'); an operator over pairs takes two, merge takes what --partial wrote
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Type of the numbers in raw files and in text
    #[arg(long, value_name = "TYPE", value_parser = dtype_names(), hide_possible_values = true, help = dtype_help())]
    pub dtype: Option<String>,

    /// The column of .csv and .tsv files, by its name or its number from 1; that of .parquet and .arrow files by its name, and by its number
    /// where names repeat; the member of .npz files, the tensor of .safetensors files, by its name. Not needed where a file has one
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,

    /// Several of them, with commas, and an answer of each: a row of a table, a line of JSON for each operator of each. '*' takes all of
    /// numbers. Text is read once for up to 16 of them, a pipe once for all; of other files each column is read on its own, by its own type.
    /// Of operators over pairs: the two columns, of one FILE, or one of each of two
    #[arg(long, value_name = "NAMES")]
    pub columns: Option<NamedColumns>,

    /// Treatment of missing values: empty fields of text, nulls of .parquet and .arrow files
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub missing: MissingPolicy,

    /// The choice of elements that count
    #[command(flatten)]
    pub sifting: Option<Sifting>,

    /// Functions of elements
    #[command(flatten)]
    pub making: Option<Making>,

    /// The device to compute on: a part of an adapter's name, its number (see `treefold adapters`), cpu, all (every GPU that is no
    /// software and not behind OpenGL, and cpu), numbers with commas, or auto: cpu at once, joined by all such GPUs where more than a
    /// second of work is left; fast operators run on one of the two, on cpu up to 256 MiB. [env: WGPU_ADAPTER_NAME] [default: auto]
    #[arg(long, value_name = "auto|cpu|all|NUMBER,..|NAME")]
    pub adapter: Option<String>,

    /// Neither read nor write what the program keeps of an adapter from one call to the next: pipelines that its driver has
    /// compiled, and verdicts of its self-tests. It lies in treefold/ under XDG_CACHE_HOME, or ~/.cache
    #[arg(long)]
    pub no_cache: bool,

    /// Accumulate f32 in f32 rather than exactly; what has no fast way stays exact
    #[arg(long)]
    pub fast: bool,

    /// Of equal elements the last place in place of the first [argmin, argmax]
    #[arg(long)]
    last: bool,

    /// Write a partial result to OUT in place of the answer, or of all answers, for merge; of several operators one of each in the
    /// one file. OUT must not exist yet, and appears only when it is complete; - is standard output. Not for what rounds on the way (with --fast, say)
    #[arg(long, value_name = "OUT")]
    pub partial: Option<PathBuf>,

    /// The division of elements among answers
    #[command(flatten)]
    pub division: Option<Division>,

    /// Write the answers to OUT as a .npy array: positions of argmin and argmax, counts of a histogram. A name that ends
    /// in .npz holds an array for each operator, by its name, of several numbers by the name of each (stats.mean,
    /// stats.min.index), and for --by one more, keys. OUT must not exist yet, and appears only when it is complete
    #[arg(long, value_name = "OUT", conflicts_with = "partial")]
    pub output: Option<PathBuf>,

    /// Draw a histogram as a picture (SVG) into OUT, which must not exist yet
    #[arg(long, value_name = "OUT", conflicts_with_all = ["partial", "axis", "rows", "segments", "by", "group_by"])]
    pub plot: Option<PathBuf>,

    /// Sum weights by bin in place of counting: WEIGHTS.npy has a number for each number of the FILEs, or for each pair of
    /// histogram2d, in C order; floats are summed exactly and rounded once
    #[arg(long, value_name = "WEIGHTS", conflicts_with_all = ["partial", "axis", "rows", "segments", "by", "group_by"])]
    pub weights: Option<PathBuf>,

    /// Let --partial, --output or --plot replace OUT where it exists
    #[arg(long)]
    pub force: bool,

    /// Memory for staging and on the device together, for merge that of the largest partial: bytes, or with K, M, G, KiB,
    /// MiB, GiB (all powers of 1024)
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = memory)]
    pub memory: u64,

    /// Print one JSON object on one line; the value of bins is {"bins": [counts], "below": n, "above": n, "nan": n}.
    /// Of several operators each has an object of its own in "answers", by its name. Integers beyond 2^53 stand in the
    /// member "strings" too, as text, under their names and in their shape
    #[arg(long)]
    pub json: bool,

    /// Print comma-separated values with a line of names: operator, part, value and index, of a bin low and high; of many answers a line each
    #[arg(long, conflicts_with_all = ["json", "quiet", "partial", "output"])]
    pub csv: bool,

    /// Print the value only; for several parts (each bin, say) a line `name value`, and the index behind where there is
    /// one. Of several operators all lines of the first, then those of the next
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,

    /// Say on standard error how it is computed
    #[arg(short, long)]
    pub verbose: bool,

    /// Options that operators are told
    #[arg(skip)]
    pub told: Told,

    /// The columns of the two inputs of pairs, where `--columns` names them.
    #[arg(skip)]
    pub columns_of_pairs: Option<[String; 2]>,

    /// Files of edges
    #[arg(skip)]
    edge_files: Vec<PathBuf>,

    /// The options that the command line has
    #[arg(skip)]
    given: Vec<String>,
}

impl Args {
    /// Reads the command line.
    pub fn read() -> Result<Asked> {
        let mut command = command::<Args>();
        match command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| parsed(&matches)) {
            Ok(args) => Ok(Asked::Work(Box::new(args.checked()?))),
            Err(error) => helped(&error, command.get_name()).map(Asked::Printed),
        }
    }

    /// The command line after its checks, with the names that patterns stand for.
    pub fn checked(self) -> Result<Args> {
        let mut args = self;
        if args.last && !args.is(MERGE) && !args.is(ADAPTERS) {
            args.operators = operators::last_forms(std::mem::take(&mut args.operators))?;
        }
        if let Some(word) = [EXPLAIN, LADDER, BENCH, TUNE].into_iter().find(|word| args.is(word)) {
            return Err(usage(format!("{word} comes first and has options of its own; see treefold {word} --help")));
        }
        if args.operators.len() > 1 {
            list::check(&args.operators, args.output.as_deref())?;
        }
        args.take_comparison()?;
        // A file's own name is no pattern.
        if !args.files.iter().all(|path| path.exists()) {
            args.files = files::named(std::mem::take(&mut args.files))?;
        }
        let computes = !args.is(ADAPTERS) && !args.is(MERGE);
        match args.operators.first().map(String::as_str) {
            Some(ADAPTERS) => args.check_adapters()?,
            Some(MERGE) => args.check_merge()?,
            _ => operators::check_names(&args.operators, &args.told)?,
        }
        if computes {
            operators::check_needs(&args.operators, &args.told)?;
        }
        if !args.told.is_empty() {
            args.edge_files = edges::files(&args.told);
            edges::settle(&mut args.told, &args.operators)?;
        }
        for operator in args.operators.iter().filter(|_| computes) {
            operators::check(operator, &operators::told_to(operator, &args.told))?;
        }
        if args.writes() || args.force {
            args.check_written()?;
        }
        if let Some(division) = &args.division {
            division.check(args.partial.as_deref(), args.output.as_deref())?;
        }
        args.take_columns_of_pairs()?;
        args.check_files()?;
        Ok(args)
    }

    /// The two columns that an operator over pairs is given; of one file both are.
    fn take_columns_of_pairs(&mut self) -> Result<()> {
        let Some(operator) = self.pairs().map(String::from) else { return Ok(()) };
        let Some(named) = self.columns.take() else { return Ok(()) };
        let two = match named {
            NamedColumns::These(names) => <[String; 2]>::try_from(names).ok(),
            NamedColumns::All => None,
        };
        let two =
            two.ok_or_else(|| usage(format!("{operator} takes two inputs as pairs: two names, --columns x,y")))?;
        ensure!(self.column.is_none(), usage("--columns names the columns of pairs; leave out --column"));
        self.columns_of_pairs = Some(two);
        if let [file] = &self.files[..] {
            files::ensure_read_again(file)?;
            self.files = vec![file.clone(); 2];
        }
        Ok(())
    }

    /// The same for a share of the inputs, of which there is a partial in memory; what has none is refused.
    pub fn of_share(&self) -> Result<Args> {
        if let Some(option) =
            self.given.iter().find(|option| matches!(option.as_str(), "weights" | "columns" | "partial"))
        {
            return Err(usage(format!("--{option} is for one process; reduce with treefold")));
        }
        let path = PathBuf::from("-");
        if let Some(division) = &self.division {
            division.check(Some(&path), None)?;
        }
        let making = self.making.clone().unwrap_or_default();
        making.check(&self.operators, self.pairs(), false, true)?;
        Ok(Args { partial: Some(path), output: None, plot: None, ..self.clone() })
    }

    /// Files that have a number for each element of the FILEs, so that each process reads its share of both; each with its option.
    pub fn beside(&self) -> Vec<(PathBuf, &'static str)> {
        let keys = self.division.iter().filter_map(|division| division.group_by.clone());
        keys.map(|path| (path, GROUP_BY)).chain(self.sifting.iter().flat_map(Sifting::named)).collect()
    }

    /// The operator over pairs, where there is one.
    pub fn pairs(&self) -> Option<&str> {
        self.operators.iter().find(|operator| operators::takes_pairs(operator)).map(String::as_str)
    }

    /// Checks what goes by the FILEs: how many there are, what stands beside them, what may be left out of them.
    fn check_files(&self) -> Result<()> {
        let sifted: Vec<PathBuf> = self.sifting.iter().flat_map(Sifting::files).collect();
        let numbers = self.inputs();
        let beside = self.division.iter().flat_map(Division::files).chain(&self.weights).chain(&sifted);
        let all: Vec<&PathBuf> = numbers.iter().chain(beside).collect();
        if all.len() > 1 {
            files::named_once(&all)?;
        }
        // A merged partial holds what it was merged of: one may grow in its place.
        let partial = self.partial.as_ref().filter(|_| !self.is(MERGE));
        let written = [("--output", self.output.as_ref()), ("--partial", partial), ("--plot", self.plot.as_ref())];
        let written = written.into_iter().filter_map(|(option, path)| Some((option, path?)));
        let all = all.into_iter().chain(&self.edge_files);
        let all: Vec<&PathBuf> = all.filter(|input| input.as_os_str() != "-").collect();
        for (option, path) in written.filter(|(_, path)| path.as_os_str() != "-") {
            let there = path.canonicalize().ok();
            ensure!(
                there.is_none() || !all.iter().any(|input| input.canonicalize().ok() == there),
                usage(format!(
                    "{option} {}: is an input too, which it would replace; name another file",
                    shown_path(path)
                ))
            );
        }
        if self.weights.is_some() {
            edges::check_weights(&self.operators)?;
        }
        let pairs = self.pairs();
        if let Some(operator) = pairs.filter(|_| self.files.len() != 2) {
            let files = self.files.len();
            return Err(usage(format!("{operator} takes two FILEs of equal length, x and y; there are {files}")));
        }
        let division = self.division.as_ref().and_then(Division::given);
        if let (Some(operator), Some(option)) = (pairs, division) {
            return Err(usage(format!("{operator} takes pairs of two inputs as a whole; leave out {option}")));
        }
        if let Some(sifting) = &self.sifting {
            sifting.check(division, pairs)?;
            ensure!(
                self.weights.is_none() || !sifting.leaves_out(),
                usage("--weights goes by the places of numbers; leave out --nan ignore, --mask and --where")
            );
        }
        if self.making.is_some() || self.is(REDUCE) {
            let making = self.making.clone().unwrap_or_default();
            making.check(&self.operators, pairs, self.weights.is_some(), self.partial.is_some())?;
        }
        if self.columns.is_some() {
            self.check_columns(&sifted)?;
        }
        Ok(())
    }

    /// Takes a comparison in the place of the first FILE as the operator's: `count_if '> 30' FILE`.
    fn take_comparison(&mut self) -> Result<()> {
        let [operator] = &self.operators[..] else { return Ok(()) };
        let takes = operators::takers(operators::COMPARE).contains(&operator.as_str());
        let begins = |text: &str| text.starts_with(['<', '>', '=', '!']);
        let first = self.files.first().and_then(|first| first.to_str()).filter(|first| begins(first.trim_start()));
        if let Some(first) = first.filter(|_| takes) {
            let told = operators::told_to(operator, &self.told);
            if let Some(other) = operators::value(&told, operators::COMPARE) {
                return Err(usage(format!(
                    "{operator} is told to compare twice, {other:?} and {first:?}; say it once"
                )));
            }
            self.told.push((operators::COMPARE.into(), first.into()));
            self.files.remove(0);
        }
        Ok(())
    }

    /// Whether this is the one word.
    pub fn is(&self, word: &str) -> bool {
        self.operators == [word]
    }

    fn check_adapters(&self) -> Result<()> {
        ensure!(self.files.is_empty(), usage("adapters takes no FILE; say which operator to reduce them with"));
        let idle = self.given_but(|option| matches!(option, "json" | "verbose"));
        ensure!(idle.is_empty(), usage(format!("adapters only lists what is there; leave out {}", idle.join(" and "))));
        Ok(())
    }

    fn check_merge(&self) -> Result<()> {
        ensure!(!self.files.is_empty(), usage("merge takes FILEs: the partials that --partial wrote; none is named"));
        let idle = self.given_but(|option| {
            !matches!(
                option,
                "adapter"
                    | "no_cache"
                    | "dtype"
                    | "column"
                    | "columns"
                    | "missing"
                    | "fast"
                    | "last"
                    | "plot"
                    | "nan"
                    | "mask"
                    | "where"
            ) && !DIVISION.contains(&option)
                && !MAKING.contains(&option)
        });
        ensure!(
            idle.is_empty(),
            usage(format!(
                "partials know their operator and type, and merge on the host; leave out {}",
                idle.join(" and ")
            ))
        );
        Ok(())
    }

    /// Refuses what is not for several columns; `sifted`: files that go beside the numbers.
    fn check_columns(&self, sifted: &[PathBuf]) -> Result<()> {
        let idle = self.given_but(|option| {
            !matches!(option, "column" | "partial" | "output" | "plot" | "weights") && !DIVISION.contains(&option)
        });
        ensure!(
            idle.is_empty(),
            usage(format!(
                "--columns gives one answer of each column, as a table, lines or JSON; leave out {}, or give each column a call of its \
                 own with --column",
                idle.join(" and ")
            ))
        );
        sifted.iter().try_for_each(|path| files::ensure_read_again(path))
    }

    /// The inputs; standard input where none is named.
    pub fn inputs(&self) -> Vec<PathBuf> {
        if self.files.is_empty() { vec![PathBuf::from("-")] } else { self.files.clone() }
    }

    fn check_written(&self) -> Result<()> {
        let piped = self.pipes_partial();
        ensure!(
            self.writes() || !self.force,
            usage("--force lets --partial, --output or --plot replace a file, and there is none; leave it out")
        );
        ensure!(
            !piped || !self.force,
            usage("--partial - is standard output, where --force replaces nothing; leave it out")
        );
        ensure!(
            !piped || !self.json,
            usage("--partial - and --json both want standard output; name a file for the partial")
        );
        Ok(())
    }

    /// The options that the command line has, with dashes, but for those that `mean` something.
    fn given_but(&self, mean: impl Fn(&str) -> bool) -> Vec<String> {
        let idle = self.given.iter().filter(|option| !mean(option));
        idle.map(|option| format!("--{}", option.replace('_', "-"))).collect()
    }

    /// Whether something is written beside what is printed.
    pub fn writes(&self) -> bool {
        self.partial.is_some() || self.output.is_some() || self.plot.is_some()
    }

    /// Whether elements may be left out.
    pub fn leaves_out(&self) -> bool {
        self.sifting.as_ref().is_some_and(Sifting::leaves_out)
    }

    /// Whether a partial goes to standard output.
    pub fn pipes_partial(&self) -> bool {
        self.partial.as_deref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Whether people may want to see how far it is.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && !self.json && !self.csv
    }

    /// The request to the inputs.
    pub fn ask(&self) -> Ask {
        let raw = self.dtype.as_deref().and_then(Stored::raw);
        let mut ask = Ask::new(raw, self.column.clone(), self.missing, self.memory / AHEAD_SHARE);
        ask.pairs = self.pairs().is_some();
        ask.columns = self.columns_of_pairs.clone();
        ask
    }
}

/// The request of a command line.
pub enum Asked {
    /// Something to do.
    Work(Box<Args>),
    /// A help or version text, which is printed; this is the status to exit with.
    Printed(u8),
}

/// Prints a help or version text, and gives the status to exit with; what else is wrong with a command line is the error.
pub fn helped(told: &clap::Error, program: &str) -> Result<u8> {
    let status = match told.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => 2,
        _ => return Err(clap_usage(told, program)),
    };
    printed(told.print())?;
    Ok(status)
}

/// A command line with the options of operators.
pub fn command<A: CommandFactory>() -> Command {
    let flag = |(name, help): (&'static str, String)| {
        let long = name.replace('_', "-");
        Arg::new(name).long(long).value_name("VALUE").allow_hyphen_values(true).help(help).help_heading("Of operators")
    };
    A::command().args(operators::options().into_iter().map(flag))
}

/// The command line as it was read, with the options that operators are told.
pub fn parsed(matches: &ArgMatches) -> Result<Args, clap::Error> {
    let given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let long = |id: &&clap::Id| !matches!(id.as_str(), "listed" | "files" | "Args" | "Division" | "Sifting" | "Making");
    let given = matches.ids().filter(given).filter(long).map(ToString::to_string).collect();
    let args = Args::from_arg_matches(matches)?;
    let told = [told(matches), args.listed.told.clone()].concat();
    Ok(Args { operators: args.listed.names.clone(), told, given, ..args })
}

/// The options of operators among the matches of a `command`.
pub fn told(matches: &ArgMatches) -> Told {
    let value = |name: &str| matches.get_one::<String>(name).map(|value| (name.to_string(), value.clone()));
    operators::options().into_iter().filter_map(|(name, _)| value(name)).collect()
}

fn operator_values() -> impl Iterator<Item = PossibleValue> {
    operators::names().into_iter().map(|name| PossibleValue::new(name).help(operators::meaning(name)))
}

/// A number of elements: 2^24, 16M, 1000003.
pub fn elements(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("2^").map(str::parse::<u32>) {
        Some(power) => power.ok().and_then(|power| 1u64.checked_shl(power)),
        None => parse_size::Config::new().with_binary().parse_size(text).ok().filter(|_| !text.contains(['b', 'B'])),
    };
    number.ok_or_else(|| "write a number of elements, for example 1000000, 2^20 or 16M".into())
}

fn words() -> Words {
    let words = [
        (REDUCE, "What an expression makes of all numbers, from left to right: --identity, --combine, --map"),
        (MERGE, "The answer of partials, which --partial wrote, in the order of their elements"),
        (ADAPTERS, "List the adapters, and what treefold uses of each"),
        (EXPLAIN, "How an operator is computed: the plan and the kernels; see treefold explain --help"),
        (LADDER, "Run the kernels of the GPU reduction tutorials; see treefold ladder --help"),
        (TUNE, "Search the launch policies of an adapter, and keep what is faster; see treefold tune --help"),
        (BENCH, "Measure reductions on this machine, beside other libraries; see treefold bench --help"),
    ];
    Words::new(operator_values().chain(words.map(|(word, help)| PossibleValue::new(word).help(help))))
}

fn dtype_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Stored::names())
}

fn dtype_help() -> String {
    let names = Stored::names().join(", ");
    format!(
        "Type of the numbers in raw little-endian files and in text (there f64 unless told): {names}; others know their own"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_stands_twice() {
        command::<Args>().debug_assert();
    }

    #[test]
    fn lengths() {
        assert_eq!(elements("2^24"), Ok(1 << 24));
        assert_eq!(elements("16M"), Ok(1 << 24));
        assert_eq!(elements("1000003"), Ok(1_000_003));
        for bad in ["2^64", "2^x", "many", "", "-1", "1B", "1MiB"] {
            assert!(elements(bad).is_err(), "{bad}");
        }
    }
}
