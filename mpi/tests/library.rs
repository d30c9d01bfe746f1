//! The library's calls, on ranks that this test starts of itself.

mod common;
use common::*;
use mpi::traits::Communicator;
use std::process::Command;
use treefold::ops::{ArgMax, Hash, Histogram, Max, Stats, Sum};
use treefold::{Axes, Cpu, Partial, Partials};
use treefold_mpi::{Error, Ranks};

/// So many ranks of the function `within` of this file.
fn ranks(count: usize, within: &str) -> Done {
    let mut command: Command = mpirun();
    let own = std::env::current_exe().expect("this test");
    command.args(["-n", &count.to_string()]).arg(own).args(["--exact", within, "--ignored", "--nocapture"]);
    Done::of(command.output().expect("mpirun"))
}

#[test]
fn every_rank_count_has_the_bits_of_one() {
    for count in RANKS {
        let done = ranks(count, "within_a_job");
        assert_eq!(done.out.matches("1 passed").count(), count, "{}{}", done.out, done.err);
    }
}

type Local<P> = Result<P, treefold::Error>;

/// Elements of a rank: unequal shards, some of them empty.
fn shard(all: &[f32], rank: i32, size: i32) -> &[f32] {
    let end = |rank: i32| if rank == size { all.len() } else { all.len() * (rank as usize / 2) * 2 / size as usize };
    &all[end(rank)..end(rank + 1)]
}

#[test]
#[ignore = "another test runs it on ranks"]
fn within_a_job() {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    let (rank, size) = (world.rank(), world.size());
    let (ranks, cpu, all) = (Ranks::new(&world), Cpu::new(), numbers(10_007));
    let own = shard(&all, rank, size);
    let before = all.len() - own.len() - (rank + 1..size).map(|rank| shard(&all, rank, size).len()).sum::<usize>();

    let stats = Stats::default();
    let local = || -> Local<_> { Ok(cpu.partial(stats, own)) };
    let whole = cpu.partial(stats, &all).to_bytes().expect("bytes");
    assert_eq!(ranks.all_reduce(stats, local()).expect("stats").to_bytes().expect("bytes"), whole);
    let last = size - 1;
    let found = ranks.reduce_to(last, stats, local()).expect("stats");
    assert_eq!(found.map(|found| found.to_bytes().expect("bytes")), (rank == last).then_some(whole));

    // A fold whose order shows, by its places in the whole.
    assert_eq!(ranks.place_of(own.len() as u64), before as u64);
    let hash = Hash;
    let local = || -> Local<_> { Ok(cpu.partial_at(hash, own, before as u64)) };
    let of = |part: &[f32]| cpu.reduce(hash, part).expect("a hash");
    assert_eq!(ranks.all_reduce(hash, local()).expect("a hash").finish().expect("one"), of(&all));
    let up_to = ranks.inclusive_scan(hash, local()).expect("a hash").finish().expect("one");
    assert_eq!(up_to, of(&all[..before + own.len()]));
    let found = ranks.exclusive_scan(hash, local()).expect("a hash").map(|found| found.finish().expect("one"));
    assert_eq!(found, (rank > 0).then(|| of(&all[..before])));

    rows(&ranks, &cpu, &all[..10_000]);
    groups(&ranks, &cpu, &all, before..before + own.len());
    errors(&ranks, &cpu, own);
    // What does not merge is an error on every rank.
    let apart: Local<_> = Ok(cpu.partial_at(Hash, &all[..3], 10 * rank as u64));
    let gap = ranks.reduce_to(0, Hash, apart);
    assert!(
        size == 1 || matches!(gap, Err(Error::Failed { ref message, .. }) if message.contains("without gaps")),
        "{gap:?}"
    );
}

/// Rows of a matrix of 100 columns, dealt to the ranks.
fn rows<C: mpi::traits::CommunicatorCollectives>(ranks: &Ranks<'_, C>, cpu: &Cpu, all: &[f32]) {
    let (rank, size, rows) = (ranks.rank() as usize, ranks.size() as usize, all.len() / 100);
    let (from, to) = (rows * rank / size, rows * (rank + 1) / size);
    let own = &all[from * 100..to * 100];
    let axes = |rows: usize, axis: i64| Axes::of(&[rows as u64, 100], &[axis]).expect("axes");
    let columns: Local<_> = cpu.partials_axes(ArgMax, own, &axes(to - from, 0));
    let found = ranks.all_reduce(ArgMax, columns).expect("columns");
    let want = cpu.partials_axes(ArgMax, all, &axes(rows, 0)).expect("columns");
    assert_eq!(found.to_bytes().expect("bytes"), want.to_bytes().expect("bytes"));
    let histogram = Histogram::new(4, -1.0, 1.0).expect("bins");
    let each: Local<_> = cpu.partials_axes(histogram.clone(), own, &axes(to - from, 1));
    let found = ranks.stack_to(0, histogram.clone(), each).expect("rows");
    let want = cpu.partials_axes(histogram, all, &axes(rows, 1)).expect("rows");
    let bytes = |partials: Partials<f32, Histogram>| partials.to_bytes().expect("bytes");
    assert_eq!(found.map(bytes), (rank == 0).then(|| bytes(want)));
}

/// Groups by key, of which the last ranks' elements have one alone; elements of no group's key among them.
fn groups<C: mpi::traits::CommunicatorCollectives>(
    ranks: &Ranks<'_, C>,
    cpu: &Cpu,
    all: &[f32],
    own: std::ops::Range<usize>,
) {
    let op = (ArgMax, Stats::default());
    let key = |at: usize| if at > all.len() / 2 { 1 } else { (at * 7 % 5) as u32 };
    let keys: Vec<u32> = (0..all.len()).map(key).collect();
    let local: Local<_> = cpu.partials_groups(op, &keys[own.clone()], &all[own.clone()], 3);
    let found = ranks.all_reduce(op, local).expect("groups");
    let want = cpu.partials_groups(op, &keys, all, 3).expect("groups");
    assert_eq!(found.to_bytes().expect("bytes"), want.to_bytes().expect("bytes"));
    let whole = cpu.reduce_groups(op, &keys, all, 3).expect("groups");
    assert_eq!(format!("{:?}", found.finish().expect("answers")), format!("{:?}", whole.answers));
    assert_eq!((found.counts(), found.length()), (Some(&whole.counts[..]), all.len() as u64));
    if ranks.size() > 1 {
        let local: Local<_> = match ranks.rank() {
            0 => cpu.partials_groups(Sum, &[0], &[1.0f32], 3),
            _ => cpu.partials_axes(Sum, &[1.0f32; 3], &Axes::of(&[1, 3], &[0]).expect("axes")),
        };
        let told = ranks.all_reduce(Sum, local).expect_err("answers of another kind").to_string();
        assert!(told.contains("groups of shape [3]") && told.contains("answers of shape [3]"), "{told}");
    }
}

/// What every rank is told of an error, of another operator, another type and another shape.
fn errors<C: mpi::traits::CommunicatorCollectives>(ranks: &Ranks<'_, C>, cpu: &Cpu, own: &[f32]) {
    let (rank, last) = (ranks.rank(), ranks.size() - 1);
    let local = if rank == last { Err("shard.npy: truncated") } else { Ok(cpu.partial(Sum, own)) };
    let failed = ranks.all_reduce(Sum, local).expect_err("an error");
    assert_eq!(failed.to_string(), format!("rank {last}: shard.npy: truncated"));
    if last == 0 {
        return;
    }
    let another = match rank == last {
        true => ranks.all_reduce(Max, Local::Ok(cpu.partial(Max, own))).map(|_| ()),
        false => ranks.all_reduce(Sum, Local::Ok(cpu.partial(Sum, own))).map(|_| ()),
    };
    let told = another.expect_err("another operator").to_string();
    assert!(
        told.starts_with("rank 0 has sum over f32, ") && told.contains(&format!("but rank {last} has max over f32")),
        "{told}"
    );
    let another = match rank == 0 {
        true => ranks.reduce_to(0, Sum, Local::Ok(cpu.partial(Sum, &[1u32]))).map(|_| ()),
        false => ranks.reduce_to(0, Sum, Local::Ok(cpu.partial(Sum, own))).map(|_| ()),
    };
    let told = another.expect_err("another type").to_string();
    assert!(told.starts_with("rank 0 has sum over u32, ") && told.contains("but rank 1 has sum over f32"), "{told}");
    let columns = if rank == 1 { 2 } else { 3 };
    let axes = Axes::of(&[1, columns], &[0]).expect("axes");
    let local: Local<Partials<f32, Sum>> = cpu.partials_axes(Sum, &[1.0, 2.0, 3.0][..columns as usize], &axes);
    let told = ranks.all_reduce(Sum, local).expect_err("another shape").to_string();
    assert!(told.contains("shape [3]") && told.contains("rank 1 has") && told.contains("shape [2]"), "{told}");
    let local = Local::Ok(cpu.partial(Sum, own));
    let told = ranks.reduce_to(last + 1, Sum, local).expect_err("no such rank").to_string();
    assert!(told.contains("there is no rank"), "{told}");
    let alone: Local<Partial<f32, Sum>> = Ok(Partial::empty(Sum));
    assert_eq!(ranks.all_reduce(Sum, alone).expect("nothing").count(), 0);
}
