//! Reduces files on the ranks of an MPI job: each rank its share, merged to the answer that one process has.

mod call;
mod here;
mod share;
mod tally;
mod whole;

use anyhow::Result;
use call::{Asked, Call};
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use share::Share;
use std::process::ExitCode;
use std::time::Instant;
use treefold_cli::error::{told, usage};
use treefold_cli::run::{Engines, reduced};
use treefold_cli::streams::{self, say};
use treefold_mpi::Ranks;
use whole::{Joined, Place};

/// The ranks of this program.
type AllRanks<'a> = Ranks<'a, SimpleCommunicator>;

/// The name before messages.
const NAME: &str = "treefold-mpi";

fn main() -> ExitCode {
    streams::ready();
    // The threads of the CPU engine leave MPI to the first one.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        say(&format!("{NAME}: MPI is initialized already"));
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    let status = job(&world).unwrap_or_else(|error| {
        let (line, status) = told(&error);
        // All have the same.
        if world.rank() == 0 {
            say(&line.replacen("treefold", NAME, 1));
        }
        status
    });
    drop(universe);
    status.into()
}

/// The request of a command line, with what it names opened.
enum Opened {
    Work(Box<Share>, Box<Call>),
    /// For a help or version text.
    Help(clap::Error),
}

/// The work of one rank; the status to exit with.
fn job(world: &SimpleCommunicator) -> Result<u8> {
    let start = Instant::now();
    let asked = Call::read();
    let timeout = if let Ok(Asked::Work(call)) = &asked { call.timeout } else { call::TIMEOUT };
    let ranks = Ranks::new(world).with_timeout(timeout);
    let opened = asked.and_then(|asked| match asked {
        Asked::Work(call) => Ok(Opened::Work(Box::new(Share::open(&call.of_share, world)?), call)),
        Asked::Help(told) => Ok(Opened::Help(told)),
    });
    let description = |opened: &Opened| match opened {
        Opened::Work(share, call) => share.description(&call.of_share),
        Opened::Help(_) => "a wish for help".into(),
    };
    let (share, call) = match agreed(&ranks, opened, description)? {
        Opened::Work(share, call) => (share, call),
        Opened::Help(told) => return if ranks.rank() == 0 { call::print(&told) } else { Ok(0) },
    };
    reduce(&ranks, *call, *share, start)?;
    Ok(0)
}

/// Reduces what is opened, and prints the answer on rank 0.
fn reduce(ranks: &AllRanks, call: Call, mut share: Share, start: Instant) -> Result<()> {
    let Call { args, mut of_share, threads, .. } = call;
    share.widen(ranks);
    agreed(ranks, Ok(()), |()| share.kind())?;
    let target = whole::target(&args, ranks.rank());
    let here = here::Here::of(ranks.communicator());
    let reduced = target.and_then(|target| {
        here.choose_adapter(&mut of_share, share.inputs.bytes())?;
        let engines = Engines::with_threads(threads.unwrap_or(here.threads));
        let reduced = reduced(&of_share, share.inputs, &engines)?;
        engines.keep_cache();
        Ok((target, reduced))
    });
    let (target, reduced) = agreed(ranks, reduced, |_| String::new())?;
    let joined = Joined::of(ranks, reduced, share.stacked)?;
    let place = Place { names: &share.names, start, ranks: ranks.size() };
    let printed = joined.map_or(Ok(()), |joined| joined.report(&args, &place, target));
    agreed(ranks, printed, |()| String::new())
}

/// What the rank has, where all have something and by the same description; the first error of any, on all.
fn agreed<T>(ranks: &AllRanks, local: Result<T>, description: impl Fn(&T) -> String) -> Result<T> {
    let told = local.as_ref().map(description).map_err(told);
    let bare = |(line, _): &(String, u8)| line.trim_start_matches("treefold: ").to_string();
    let error = told.as_ref().err().map(bare);
    let met = match (&told, &error) {
        (Ok(description), _) => ranks.agree(Ok(description)),
        (_, error) => ranks.agree(Err(error.as_deref().unwrap_or_default())),
    };
    match (met, local) {
        (Err(error), Err(_)) if told.is_err_and(|(_, status)| status == 2) => Err(usage(error.to_string())),
        (Err(error), _) => Err(error.into()),
        (Ok(()), local) => local,
    }
}
