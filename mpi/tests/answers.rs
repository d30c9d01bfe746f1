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

/// Keys of four groups, one of which the first half of the elements lacks, and one all of them; and nobody's.
fn keys(folder: &Folder, count: usize) -> String {
    let key = |at: usize| if at % 5 == 4 { [-1, 9, 2][at % 3] } else { [0, 1, 1, 0, 4][at * 7 % 5] };
    let late = |at: usize| if at % 11 == 3 && at > count / 2 { 4 } else { key(at) };
    folder.array(
        "keys.npy",
        "<i8",
        &[count],
        &(0..count).map(|at| i64::from(late(at)).to_le_bytes()).collect::<Vec<_>>(),
    )
}

#[test]
fn groups_are_read_beside_their_keys() {
    let folder = Folder::new();
    let all = numbers(20_011);
    let file = folder.f32("all.npy", &[20_011], &all);
    let keys = keys(&folder, 20_011);
    let groups = ["--group-by", &keys, "--groups", "5"];
    for ranks in RANKS {
        let operators = "count,sum,mean,min,max,argmin,argmax,stats,variance,std(ddof=1)";
        let found = same(ranks, &[&[operators], &groups[..], &[&file]].concat());
        let counts = found["counts"].as_array().expect("counts").iter().map(|count| count.as_u64().expect("a count"));
        let counts: Vec<u64> = counts.collect();
        assert_eq!((counts[3], counts[0] > 0, counts[4] > 0), (0, true, true), "{counts:?}");
        assert_eq!(found["outside"].as_u64().map(|outside| outside + counts.iter().sum::<u64>()), Some(20_011));
    }
    same(3, &[&["histogram", "--bins", "4", "--range=-1:1"], &groups[..], &[&file]].concat());
    same(4, &[&["mean,std", "--nan", "ignore", "--where", "> 0"], &groups[..], &[&file]].concat());
    same(2, &[&["sum", "--map", "-x"], &groups[..], &[&file]].concat());
    // Shards, fewer and more than ranks; their borders are not those of the keys' shares.
    shards(&folder, &all);
    let pattern = folder.named("shard-*.npy");
    for ranks in [2, 5, 7] {
        same(ranks, &[&["sum,argmax,stats"], &groups[..], &[&pattern]].concat());
    }
    // Fewer elements than ranks, and none.
    for count in [3, 0] {
        let few = folder.f32("few.npy", &[count], &all[..count]);
        let keys = folder.array("few-keys.npy", "|u1", &[count], &[[1], [0], [1]][..count]);
        same(16, &["stats,sum", "--group-by", &keys, "--groups", "2", &few]);
    }
}

#[test]
fn what_cannot_be_cut_goes_to_the_first_rank_with_its_keys() {
    let folder = Folder::new();
    let all = numbers(60);
    let (plain, table) = (folder.f32("x.npy", &[10, 6], &all), folder.named("x.csv"));
    let lines: Vec<String> = (0..60).map(|at| (at * 7 % 10).to_string()).collect();
    folder.file("x.csv", format!("x\n{}\n", lines.join("\n")).as_bytes());
    let fortran = folder.npy("fortran.npy", "<f4", &[10, 6], true, bytes(&all));
    let keys: Vec<[u8; 4]> = (0..60i32).map(|at| (at * at % 7 - 1).to_le_bytes()).collect();
    let (whole, turned) =
        (folder.array("k.npy", "<i4", &[10, 6], &keys), folder.npy("t.npy", "<i4", &[10, 6], true, &keys.concat()));
    for (keys, numbers) in [(&whole, &table), (&whole, &fortran), (&turned, &plain), (&turned, &fortran)] {
        same(3, &["argmax,sum", "--group-by", keys, "--groups", "3", numbers]);
    }
    // In order of rows, each of which any rank may have.
    same(3, &["argmax,sum", "--group-by", &whole, "--groups", "3", &plain]);
}

#[test]
fn masks_are_cut_as_their_elements_are() {
    let folder = Folder::new();
    let all = numbers(20_011);
    let file = folder.f32("all.npy", &[20_011], &all);
    let mask: Vec<[u8; 1]> = (0..20_011usize).map(|at| [u8::from(at * at % 7 < 3)]).collect();
    let mask = folder.array("mask.npy", "|b1", &[20_011], &mask);
    let other = folder.f32("other.npy", &[20_011], &all.iter().rev().copied().collect::<Vec<_>>());
    let condition = format!("{other} > 0");
    shards(&folder, &all);
    let pattern = folder.named("shard-*.npy");
    for ranks in RANKS {
        same(ranks, &["count,sum,mean,std,min,max", "--mask", &mask, &file]);
        same(ranks, &["sum,mean", "--mask", &mask, "--where", &condition, "--nan", "ignore", &pattern]);
    }
    let keys = keys(&folder, 20_011);
    same(4, &["mean,max", "--mask", &mask, "--group-by", &keys, "--groups", "5", &file]);
    same(7, &["dot", "--mask", &mask, &file, &other]);
    same(3, &["histogram", "--bins", "3", "--range=-1:1", "--mask", &mask, &file]);
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
    // Of bytes, and of bytes among words.
    let bytes = folder.array("bytes.npy", "|u1", &[3], &[7u8, 255, 0].map(u8::to_le_bytes));
    let words = folder.array("words.npy", "<u2", &[2], &[9u16, 300].map(u16::to_le_bytes));
    assert_eq!(same(2, &["max", &bytes, &bytes])["type"], "u8");
    assert_eq!(same(2, &["max", &bytes, &words])["type"], "u32");
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
