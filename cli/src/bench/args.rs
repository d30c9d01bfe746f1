//! The command line of `treefold bench`.

use super::data::Data;
use crate::adapters::with_kernels;
use crate::args::{elements, helped};
use crate::error::usage;
use crate::list::{items, split_item};
use crate::operators::{self, Told};
use anyhow::{Result, ensure};
use clap::{CommandFactory, Parser, ValueEnum};
use std::path::PathBuf;
use treefold::{Axes, Cpu, Dtype, Engine, Gpu, ops};

const EXAMPLES: &str = "\
Examples:
  treefold bench                                   four operators over 2^24 f32, on each engine that is here
  treefold bench sum,fast_sum --size 2^10..2^28 --plot bench.svg
  treefold bench sum,argmax --dtype f32,f64,i64 --adapter cpu --peer numpy
  treefold bench 'histogram(bins=256,range=0:1)' --size 2^28 --adapter 0
  treefold bench fast_sum --size 2^26 --segments 16,mix70000 --adapter 0
  treefold bench max --shape 4096x4096 --axis 0,1
  treefold bench fast_sum --launch workgroup_size=256,512 --launch loads_in_flight=2,4 --adapter 0
  treefold bench sum --json > before.json          and after a change, beside the ratio of each:
  treefold bench sum --against before.json

A kernel's time is the device's own, back to back over up to 64 windows of --pool, which no cache holds but of short lengths; an
answer's is the host's, from a call over data that the device holds to the answer; a slice's is the host's, over a slice in host
memory. Each is the median of its samples. Adapters launch as treefold tune has found for them, unless --launch says otherwise.

A peer that is a COMMAND is called as COMMAND OPERATOR TYPE ELEMENTS INPUT, with the elements, to be repeated, in the file
TREEFOLD_BLOCK, and with TREEFOLD_SAMPLES, TREEFOLD_WARM_MS, TREEFOLD_POOL_BYTES. It prints {\"what\": \"slice\" or \"kernel\",
\"us\": [samples], \"answer\": [numbers, if it likes]}, or ends with status 3 for what it does not compute.

Exit status: 0 done, 1 an answer was wrong or the device failed, 2 the command line is wrong.";

/// Measure reductions on this machine: operators, types, lengths, engines, beside other libraries. Every answer is checked.
#[derive(Parser, Debug)]
#[command(name = "treefold bench", bin_name = "treefold bench", after_help = EXAMPLES, max_term_width = 110)]
pub struct BenchArgs {
    /// Operators with commas, by the library's names: sum is the exact one, fast_sum that in f32. Options stand in parentheses:
    /// 'std(ddof=1)', 'norm(3)', 'top(10)'
    #[arg(value_name = "OPERATORS", default_value = "sum,fast_sum,max,argmax", value_parser = operators_named)]
    operators: CommaList<Benched>,

    /// Types of the elements, with commas; of those with 8 and 16 bits, the operator is that of the type that they are read as
    #[arg(long, value_name = "TYPES", default_value = "f32", value_parser = dtypes)]
    dtype: CommaList<Dtype>,

    /// Numbers of elements, with commas: 2^24, 16M, 1000003; 2^10..2^28 is every power of two
    #[arg(long, value_name = "LENGTHS", default_value = "2^24", value_parser = lengths, conflicts_with = "shape")]
    size: CommaList<u64>,

    /// Engines, with commas: cpu, an adapter's number or a part of its name; auto: cpu, and the best adapter that is hardware
    #[arg(long, value_name = "ENGINES", default_value = "auto")]
    adapter: String,

    /// Times to measure: kernel and answer are of adapters [default: kernel on adapters, slice on cpu]
    #[arg(long, value_name = "TIMES", value_enum, value_delimiter = ',')]
    pub what: Vec<What>,

    /// Other libraries, several times: numpy, torch, or NAME=COMMAND
    #[arg(long, value_name = "PEER")]
    pub peer: Vec<String>,

    /// Arrays of these shapes in place of lengths, with commas: 4096x4096; see --axis
    #[arg(long, value_name = "SHAPES", value_parser = shapes)]
    shape: Option<CommaList<Vec<u64>>>,

    /// The axes that are reduced of each shape
    #[arg(
        long,
        value_name = "AXES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "shape",
        default_value = "0"
    )]
    axis: Vec<i64>,

    /// Segments of N elements by offsets, or, as mixN, of 1 to N, as many of each power of two; several with commas
    #[arg(long, value_name = "N|mixN", value_delimiter = ',', value_parser = kind, conflicts_with = "shape")]
    pub segments: Vec<String>,

    /// Runs of equal keys, of N elements or of 1 to N
    #[arg(long, value_name = "N|mixN", value_delimiter = ',', value_parser = kind, conflicts_with = "shape")]
    pub runs: Vec<String>,

    /// Groups by so many keys, in no order
    #[arg(long, value_name = "GROUPS", value_delimiter = ',', conflicts_with = "shape", value_parser = clap::value_parser!(u32).range(1..))]
    pub groups: Vec<u32>,

    /// As many elements as a word on the device says: all
    #[arg(long, conflicts_with = "shape")]
    pub counted: bool,

    /// Reduce what EXPR makes of each number x, in WGSL
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub map: Option<String>,

    /// The values of the elements
    #[arg(long, value_enum, default_value_t)]
    pub data: Data,

    /// The seed of what is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// A launch policy in place of the adapter's, several times; of lists every combination: workgroup_size, workgroups_max,
    /// loads_in_flight, single_elements_max, short_rows_max, single_workgroup_size, order (striped, blocked), subgroups (true, false),
    /// words64 (true, false), float64 (true, false), own_bins_max, own_rows_max, slices_max
    #[arg(long, value_name = "KEY=VALUES")]
    pub launch: Vec<String>,

    /// Samples of each figure
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,

    /// Milliseconds of work before the first sample: processors that idle are slow, and hot ones too
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub warm: u64,

    /// Memory over which the windows of a kernel rotate: bytes, or with K, M, G [default: 2G, on software adapters 256M]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub pool: Option<u64>,

    /// Print one JSON object a line: the machine, then each figure with its samples
    #[arg(long)]
    pub json: bool,

    /// Print the table in Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,

    /// Draw time and rate over length (SVG) into a file that does not exist yet
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Let --plot replace a file that exists
    #[arg(long, requires = "plot")]
    pub force: bool,

    /// Compare with what --json has printed into a file: the ratio of each figure, with its interval of 95 percent
    #[arg(long, value_name = "OLD.json")]
    pub against: Option<PathBuf>,
}

/// A time of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// By the device's clock, back to back
    Kernel,
    /// From a call over data that the device holds to the answer on the host
    Answer,
    /// From a call over a slice in host memory to the answer
    Slice,
}

impl What {
    pub fn name(self) -> &'static str {
        match self {
            What::Kernel => "kernel",
            What::Answer => "answer",
            What::Slice => "slice",
        }
    }
}

/// An operator of the library, and what it is told.
#[derive(Clone, Debug)]
pub struct Benched {
    pub name: &'static str,
    pub told: Told,
}

/// Values between the commas of one argument.
#[derive(Clone, Debug)]
struct CommaList<V>(Vec<V>);

impl BenchArgs {
    /// Reads the command line behind the word `bench`; `None` after printing a help text.
    pub fn read() -> Result<Option<BenchArgs>> {
        let words = std::env::args_os().enumerate().filter(|&(at, _)| at != 1).map(|(_, word)| word);
        match BenchArgs::try_parse_from(words) {
            Ok(args) => args.checked().map(Some),
            Err(error) => helped(&error, BenchArgs::command().get_name()).map(|_| None),
        }
    }

    fn checked(self) -> Result<BenchArgs> {
        let words = self.is_divided() && self.lengths().iter().any(|&length| length >= 1 << 32);
        ensure!(
            !words,
            usage("--segments, --runs, --groups and --counted are of fewer than 2^32 elements; pass a smaller --size")
        );
        for shape in self.shapes() {
            Axes::of(shape, &self.axis).map_err(|error| usage(format!("--axis of --shape: {error}")))?;
        }
        Ok(self)
    }

    pub fn operators(&self) -> &[Benched] {
        &self.operators.0
    }

    pub fn dtypes(&self) -> &[Dtype] {
        &self.dtype.0
    }

    pub fn lengths(&self) -> &[u64] {
        &self.size.0
    }

    pub fn shapes(&self) -> &[Vec<u64>] {
        self.shape.as_ref().map_or(&[], |shapes| &shapes.0)
    }

    pub fn axes(&self) -> &[i64] {
        &self.axis
    }

    /// Whether lengths are divided into many answers.
    pub fn is_divided(&self) -> bool {
        !(self.segments.is_empty() && self.runs.is_empty() && self.groups.is_empty()) || self.counted
    }

    /// The name of the elements' values, with the seed where that is not the ordinary one.
    pub fn data_name(&self) -> String {
        let name = self.data.to_possible_value().map_or(String::new(), |value| value.get_name().into());
        if self.seed == 1 { name } else { format!("{name} of seed {}", self.seed) }
    }

    /// The engines, opened.
    pub fn engines(&self) -> Result<Vec<Engine>> {
        let mut engines = vec![];
        for name in self.adapter.split(',').map(str::trim) {
            match name.to_ascii_lowercase().as_str() {
                "cpu" => engines.push(Engine::Cpu(Cpu::new())),
                "auto" => {
                    engines.push(Engine::Cpu(Cpu::new()));
                    if let Some(best) = Gpu::adapters()?.into_iter().find(|listed| listed.default) {
                        engines.push(Engine::Gpu(with_kernels(Some(&best.index.to_string()), "to measure")?));
                    }
                }
                _ => engines.push(Engine::Gpu(with_kernels(Some(name), "to measure")?)),
            }
        }
        let measures = |engine: &Engine| self.whats(engine).next().is_some();
        ensure!(
            engines.iter().any(measures),
            usage(
                "nothing to measure: kernel and answer are times of adapters, and only cpu is asked for; pass --what slice, or --adapter"
            )
        );
        Ok(engines)
    }

    /// The times to measure on an engine.
    pub fn whats(&self, engine: &Engine) -> impl Iterator<Item = What> {
        let on_cpu = matches!(engine, Engine::Cpu(_));
        let own = if on_cpu { What::Slice } else { What::Kernel };
        let asked = if self.what.is_empty() { vec![own] } else { self.what.clone() };
        asked.into_iter().filter(move |&what| !on_cpu || what == What::Slice)
    }
}

/// Items between commas, each of which one of these makes.
fn listed<V>(text: &str, each: impl Fn(&str) -> Result<Vec<V>, String>) -> Result<CommaList<V>, String> {
    let all: Result<Vec<Vec<V>>, String> = items(text).into_iter().map(each).collect();
    Ok(CommaList(all?.into_iter().flatten().collect()))
}

fn operators_named(text: &str) -> Result<CommaList<Benched>, String> {
    listed(text, |item| {
        let (name, options) = split_item(item)?;
        let known = ops::names().into_iter().find(|known| *known == name);
        let name = known.ok_or_else(|| format!("{name} is no operator; there are {}", ops::names().join(", ")))?;
        let told = match options {
            Some(options) => operators::in_parentheses(name, options).map_err(|error| error.to_string())?,
            None => vec![],
        };
        Ok(vec![Benched { name, told: operators::own_of(name, &told) }])
    })
}

fn dtypes(text: &str) -> Result<CommaList<Dtype>, String> {
    let all: Vec<Dtype> = Dtype::WITH_PAIRS.into_iter().chain(Dtype::NARROW).collect();
    listed(text, |item| {
        let found = all.iter().find(|dtype| dtype.name() == item);
        let names = || all.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
        found.map(|&dtype| vec![dtype]).ok_or_else(|| format!("{item} is no type of elements; there are {}", names()))
    })
}

fn lengths(text: &str) -> Result<CommaList<u64>, String> {
    let length = |text: &str| match elements(text)? {
        0 => Err("a length of 0 takes no time; write 1 or more".to_string()),
        length if length > 1 << 40 => Err(format!("{length} elements are more than 2^40; write fewer")),
        length => Ok(length),
    };
    listed(text, |item| match item.split_once("..") {
        None => Ok(vec![length(item)?]),
        Some((from, to)) => {
            let (from, to) = (length(from)?, length(to)?);
            let doubled = |length: &u64| length.checked_mul(2);
            let all: Vec<u64> = std::iter::successors(Some(from), doubled).take_while(|&length| length <= to).collect();
            if all.is_empty() {
                Err(format!("{item}: begins above its end; write the smaller one first"))
            } else {
                Ok(all)
            }
        }
    })
}

fn shapes(text: &str) -> Result<CommaList<Vec<u64>>, String> {
    listed(text, |item| {
        let shape: Option<Vec<u64>> = item.split('x').map(|length| elements(length).ok()).collect();
        let small = |shape: &Vec<u64>| {
            let count = shape.iter().try_fold(1u64, |all, &length| all.checked_mul(length));
            count.is_some_and(|count| count > 0 && count < 1 << 40)
        };
        let why = || format!("{item}: write lengths of axes with x between them, none of them 0: 4096x4096");
        shape.filter(small).map(|shape| vec![shape]).ok_or_else(why)
    })
}

fn kind(text: &str) -> Result<String, String> {
    let length = text.strip_prefix("mix").unwrap_or(text).parse::<u32>();
    let good = length.is_ok_and(|length| length > 0);
    if good { Ok(text.into()) } else { Err("write a number of elements, or mix and the largest: 16, mix70000".into()) }
}

fn bytes(text: &str) -> Result<u64, String> {
    let parsed = parse_size::Config::new().with_binary().parse_size(text);
    let size = parsed.map_err(|error| format!("{error}; write bytes, or for example 256M, 2G"))?;
    if size < 1 << 20 { Err(format!("{size} bytes is too little; at least 1M")) } else { Ok(size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_stands_twice() {
        BenchArgs::command().debug_assert();
    }

    #[test]
    fn lists() {
        assert_eq!(lengths("3,2^4..2^6,1K").unwrap().0, [3, 16, 32, 64, 1024]);
        assert_eq!(lengths("6..30").unwrap().0, [6, 12, 24]);
        assert_eq!(shapes("2x3,7").unwrap().0, [vec![2, 3], vec![7]]);
        let told = operators_named("fast_variance(1),histogram(bins=4,range=0:1)").unwrap().0;
        let told: Vec<_> = told.iter().map(|op| (op.name, format!("{:?}", op.told))).collect();
        assert_eq!(
            told,
            [
                ("fast_variance", "[(\"ddof\", \"1\")]".into()),
                ("histogram", "[(\"bins\", \"4\"), (\"range\", \"0:1\")]".into())
            ]
        );
        for bad in ["", "0", "2^9..2^8", "1..", "x"] {
            assert!(lengths(bad).is_err(), "{bad}");
        }
        for bad in ["x", "3x", "0x3", "4294967296x4294967296"] {
            assert!(shapes(bad).is_err(), "{bad}");
        }
        for bad in ["mix", "0", "mix0", "-1", "many"] {
            assert!(kind(bad).is_err(), "{bad}");
        }
        assert!(operators_named("sum(").is_err_and(|error| error.contains("parenthesis")));
        assert!(operators_named("median").is_err_and(|error| error.contains("fast_sum")));
        assert!(dtypes("f32,f80").is_err_and(|error| error.contains("bf16")));
    }
}
