//! The command line: that of `treefold`, and what ranks add.

use anyhow::{Result, ensure};
use clap::{Arg, Command, value_parser};
use std::time::Duration;
use treefold_cli::args::{self, ADAPTERS, Args, EXPLAIN, LADDER, MERGE, command, helped};
use treefold_cli::error::{clap_usage, usage};

/// The longest wait unless told.
pub const TIMEOUT: Duration = Duration::from_secs(3600);

/// The option of that.
const WAIT: &str = "timeout";
const THREADS: &str = "threads";

const ABOUT: &str = "Reduce files of numbers on the ranks of an MPI job, to the bits that one process has";

const EXAMPLES: &str = "\
Examples:
  mpirun -n 4 treefold-mpi sum 'shard-*.npy'           files are dealt to ranks, in order
  mpirun -n 4 treefold-mpi stats big.npy               ranges of one file
  mpirun -n 4 treefold-mpi mean --axis 0 m.npy         rows are dealt, a mean for each column
  mpirun -n 4 treefold-mpi max --axis 1 m.npy          rows are dealt, a maximum for each
  mpirun -n 4 treefold-mpi mean --group-by s.npy --groups 3 x.npy    ranges of both, a mean for each of the keys 0, 1 and 2
  srun -n 64 treefold-mpi histogram --bins 100 --range 0:1 --json 'x-*.npy'

Rank 0 prints the answer. All ranks see the same files, and each reads its share alone. What treefold --partial refuses is refused here. A
rank computes on the hardware adapter of its number on its host (--adapter: on that one), on the CPU engine where there is none.

Exit status: 0 done, 1 an input, a device or a rank failed, 2 the command line is wrong.";

/// The request of a command line.
pub enum Asked {
    Work(Box<Call>),
    /// For a help or version text.
    Help(clap::Error),
}

/// A reduction.
pub struct Call {
    /// The command line.
    pub args: Args,
    /// The same for a share of the inputs.
    pub of_share: Args,
    /// The longest wait for other ranks.
    pub timeout: Duration,
    /// Threads of the CPU engine.
    pub threads: Option<usize>,
}

impl Call {
    /// Reads the command line.
    pub fn read() -> Result<Asked> {
        let mut command = of_ranks();
        let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => matches,
            Err(error) if error.use_stderr() => return Err(clap_usage(&error, command.get_name())),
            Err(error) => return Ok(Asked::Help(error)),
        };
        let args = args::parsed(&matches).map_err(|error| clap_usage(&error, command.get_name()))?;
        if let Some(word) = [MERGE, ADAPTERS, EXPLAIN, LADDER].into_iter().find(|word| args.is(word)) {
            return Err(usage(format!("{word} is work for one process; call treefold {word}")));
        }
        ensure!(!args.files.is_empty(), usage("ranks share no standard input; name FILEs that all of them see"));
        let args = args.checked()?;
        let of_share = args.of_share()?;
        let timeout = matches.get_one(WAIT).map_or(TIMEOUT, |&seconds| Duration::from_secs(seconds));
        let threads = matches.get_one(THREADS).and_then(|&threads: &u64| usize::try_from(threads).ok());
        Ok(Asked::Work(Box::new(Call { args, of_share, timeout, threads })))
    }
}

/// Prints a help or version text; the status to exit with.
pub fn print(told: &clap::Error) -> Result<u8> {
    helped(told, "treefold-mpi")
}

fn of_ranks() -> Command {
    let number = |name: &'static str, help: &'static str| {
        let positive = value_parser!(u64).range(1..);
        Arg::new(name).long(name).value_name("N").value_parser(positive).help(help).help_heading("Of ranks")
    };
    let own = [
        number(
            THREADS,
            "Threads of a rank on the CPU engine [default: its processors, shared with the ranks bound to the same ones]",
        ),
        number(
            WAIT,
            "Seconds for which ranks wait for one another, the slowest included, before the job ends [default: 3600]",
        ),
    ];
    let one_process = ["partial", "weights", "columns", "segments", "by"];
    let all = command::<Args>().name("treefold-mpi").about(ABOUT).after_help(EXAMPLES).args(own);
    one_process.into_iter().fold(all, |all, name| all.mut_arg(name, |arg| arg.hide(true)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_flag_stands_twice() {
        super::of_ranks().debug_assert();
    }
}
