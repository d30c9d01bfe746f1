//! The answer of any number of ranks has the bits of one process.

mod common;
use common::*;

/// Shards of one array: unequal ones, and an empty one.
fn shards(folder: &Folder, all: &[f32]) -> Vec<String> {
    let ends = [0, 1000, 1000, 1003, all.len() * 2 / 3, all.len()];
    let shard = |(at, ends): (usize, &[usize])| {
        let part = &all[ends[0]..ends[1]];
        folder.f32(&format!("shard-{at}.npy"), &[part.len()], part)
    };
    ends.windows(2).enumerate().map(shard).collect()
}

#[test]
fn shards_are_dealt_in_order() {
    let folder = Folder::new();
    shards(&folder, &numbers(20_000));
    let pattern = folder.named("shard-*.npy");
    for ranks in RANKS {
        same(ranks, &["stats,argmax,sum,hash,std(ddof=1)", &pattern]);
    }
    same(3, &["count_if", "> 0.5", &pattern]);
    same(4, &["sum", "--map", "-x", &pattern]);
    same(7, &["mean", "--nan", "ignore", &pattern]);
}

#[test]
fn one_file_is_read_by_ranges() {
    let folder = Folder::new();
    let all = numbers(20_011);
    let file = folder.f32("all.npy", &[20_011], &all);
    for ranks in RANKS {
        same(ranks, &["histogram,stats", "--bins", "10", "--range=-1:1", &file]);
    }
    let raw = folder.file("all.bin", bytes(&all));
    same(3, &["sum,argmin", "--dtype", "f32", &raw]);
    let other = folder.f32("other.npy", &[20_011], &all.iter().rev().copied().collect::<Vec<_>>());
    same(4, &["dot", &file, &other]);
    same(7, &["sum", "--rows", "11", &folder.f32("rows.npy", &[110], &all[..110])]);
    // Fewer elements than ranks, one, and none.
    for count in [5, 1, 0] {
        let few = folder.f32(&format!("{count}.npy"), &[count], &all[..count]);
        same(16, &["stats,sum", &few]);
    }
}

fn bytes(numbers: &[f32]) -> &'static [u8] {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.leak()
}

#[test]
fn axes_are_cut_along_the_first() {
    let folder = Folder::new();
    let all = numbers(10 * 6 * 7);
    let matrix = folder.f32("matrix.npy", &[10, 42], &all);
    let cube = folder.f32("cube.npy", &[10, 6, 7], &all);
    for ranks in RANKS {
        same(ranks, &["stats,sum", "--axis", "0", &matrix]);
    }
    for ranks in [3, 16] {
        same(ranks, &["max,argmax", "--axis", "1", &matrix]);
        same(ranks, &["histogram", "--bins", "3", "--range=-1:1", "--axis=-1", "--keepdims", &cube]);
        same(ranks, &["argmin,mean", "--axis=0,-1", &cube]);
        same(ranks, &["sum", "--axis=-3,1,2", &cube]);
        same(ranks, &["stats", "--axis", "0,2", "--keepdims", &cube]);
    }
    let fortran = folder.npy("fortran.npy", "<f4", &[10, 42], true, bytes(&all));
    same(3, &["argmax", &fortran]);
    same(3, &["sum", "--axis", "0", &fortran]);
    same(3, &["sum", "--axis", "1", &fortran]);
}

#[test]
fn files_that_cannot_be_cut_go_to_one_rank_each() {
    let folder = Folder::new();
    let tables: Vec<String> = ["1,a\n2,b\n,c\n", "4,d\n", "-5,e\n6,f\n"]
        .iter()
        .zip(0..)
        .map(|(rows, at)| folder.file(&format!("{at}.csv"), format!("x,name\n{rows}").as_bytes()))
        .collect();
    for ranks in [2, 7] {
        same(
            ranks,
            &[&["mean,max", "--column", "x"], &tables.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat(),
        );
    }
    // Of halves among floats, as one process has it.
    let halves = folder.array("halves.npy", "<f2", &[3], &[0x3c00u16, 0x4000, 0xc200].map(u16::to_le_bytes));
    let floats = folder.f32("floats.npy", &[2], &[0.1, 7.5]);
    same(2, &["sum", &halves, &floats]);
}

#[test]
fn arrays_and_pictures_are_written_by_one() {
    let folder = Folder::new();
    let matrix = folder.f32("matrix.npy", &[12, 5], &numbers(60));
    let (mine, theirs) = (folder.named("mine.npy"), folder.named("theirs.npy"));
    job(3, &["sum", "--axis", "1", "--output", &mine, &matrix]).text();
    one_process(&["sum", "--axis", "1", "--output", &theirs, &matrix]);
    assert_eq!(std::fs::read(mine).expect("mine"), std::fs::read(theirs).expect("theirs"));
    let picture = folder.named("bins.svg");
    job(2, &["histogram", "--bins", "4", "--range", "0:1", "--plot", &picture, &matrix]).text();
    assert!(std::fs::read_to_string(picture).expect("a picture").contains("<svg"));
}

#[test]
fn one_rank_without_mpirun_is_a_job() {
    let folder = Folder::new();
    let file = folder.f32("all.npy", &[100], &numbers(100));
    let mut command = std::process::Command::new(PROGRAM);
    command.args(["sum", "--json", "--threads", "1", &file]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let found = Done::of(command.output().expect("the program")).text();
    assert!(found.contains("\"1 rank: cpu (1 threads)\""), "{found}");
    assert_eq!(answer(&found), one_process(&["sum", &file]));
}

#[test]
fn shares_meet_and_leave_nothing_out() {
    for things in [0, 1, 5, 16, (1 << 33) + 1, u64::MAX] {
        for ranks in [1, 2, 3, 7, 16, 1000] {
            let shares: Vec<_> = (0..ranks).map(|rank| treefold_cli::input::dealt(things, (rank, ranks))).collect();
            assert_eq!((shares[0].start, shares[shares.len() - 1].end), (0, things));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
            let most = things.div_ceil(ranks);
            assert!(shares.iter().all(|share| share.end - share.start <= most), "{things} {ranks}");
        }
    }
}

/// A sparse file of 2^32 + 100 bytes, read in ranges.
#[test]
#[ignore = "reads 4 GiB"]
fn places_beyond_32_bits_are_right() {
    let folder = Folder::new();
    let path = folder.named("long.bin");
    let mut file = std::fs::File::create(&path).expect("a file");
    file.set_len((1 << 32) + 100).expect("a length");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(-3)).expect("a place");
    std::io::Write::write_all(&mut file, &[9, 200, 200]).expect("numbers");
    let found = answer(&job(4, &["argmax,sum", "--json", "--dtype", "u8", &path]).text());
    assert_eq!(
        (&found["count"], &found["answers"]["argmax"]["index"]),
        (&((1u64 << 32) + 100).into(), &((1u64 << 32) + 98).into())
    );
}
