//! The time in which the partials of all ranks become one, beside MPI_Barrier:
//! `cargo build --release -p treefold-mpi --examples && mpirun -n 4 target/release/examples/merge_time`.

use mpi::traits::{Communicator, CommunicatorCollectives};
use std::fmt::Display;
use std::time::{Duration, Instant};
use treefold::ops::{Histogram, Stats, Sum};
use treefold::{Axes, Cpu, Error, Op};
use treefold_mpi::{Ranks, Unfinished};

/// Calls in a row, of which the time of one is the mean.
const CALLS: u32 = 100;
/// Rows of calls.
const ROWS: usize = 30;

/// The shortest and the middle of the times of a call, of rows of calls that all begin together.
fn times(world: &impl CommunicatorCollectives, mut call: impl FnMut()) -> [Duration; 2] {
    let row = |_| {
        world.barrier();
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed() / CALLS
    };
    let mut rows: Vec<Duration> = (0..ROWS).map(row).collect();
    rows.sort();
    [rows[0], rows[ROWS / 2]]
}

fn say(rank: i32, what: &dyn Display, bytes: usize, [best, middle]: [Duration; 2]) {
    if rank == 0 {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!("{what:<44} {bytes:>8} {:>10.1} {:>10.1}", micros(best), micros(middle));
    }
}

fn main() -> Result<(), treefold_mpi::Error> {
    let universe = mpi::initialize().ok_or(Error::ResultMissing)?;
    let world = universe.world();
    let (rank, cpu) = (world.rank(), Cpu::with_threads(1));
    let shard: Vec<f32> = (0..1 << 14).map(|i| (i * (rank + 1)) as f32 * 0.37).collect();
    if rank == 0 {
        println!("{:<44} {:>8} {:>10} {:>10}", format!("on {} ranks", world.size()), "bytes", "best µs", "median µs");
    }
    say(rank, &"MPI_Barrier", 0, times(&world, || world.barrier()));
    let sum = cpu.partial(Sum, &shard);
    merges(&world, "sum", Sum, &sum)?;
    merges(&world, "stats", Stats::default(), &cpu.partial(Stats::default(), &shard))?;
    let bins = Histogram::new(1024, 0.0, 1e4)?;
    merges(&world, "histogram of 1024 bins", bins.clone(), &cpu.partial(bins, &shard))?;
    let columns = Axes::of(&[16, 1024], &[0])?;
    merges(&world, "sum of each of 1024 columns", Sum, &cpu.partials_axes(Sum, &shard, &columns)?)
}

/// Times of both calls for one partial.
fn merges<C: CommunicatorCollectives, O: Op<f32>, P: Unfinished<f32, O> + Clone>(
    world: &C,
    name: &str,
    op: O,
    own: &P,
) -> Result<(), treefold_mpi::Error> {
    let (ranks, rank, bytes) = (Ranks::new(world), world.rank(), own.to_bytes()?.len());
    let local = || Ok::<P, Error>(own.clone());
    let mut failed = None;
    let to_one = times(world, || drop(ranks.reduce_to(0, op.clone(), local()).map_err(|error| failed = Some(error))));
    say(rank, &format!("{name}, to rank 0"), bytes, to_one);
    let to_all = times(world, || drop(ranks.all_reduce(op.clone(), local()).map_err(|error| failed = Some(error))));
    say(rank, &format!("{name}, to all"), bytes, to_all);
    failed.map_or(Ok(()), Err)
}
