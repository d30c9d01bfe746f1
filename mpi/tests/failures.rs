//! What ends a job, ends it on every rank: with one line, without an answer, without a file.

mod common;
use common::*;
#[test]
fn an_error_of_one_rank_is_told_with_its_file() {
    let folder = Folder::new();
    let files: Vec<String> = (0..4).map(|at| folder.f32(&format!("{at}.npy"), &[50], &numbers(50))).collect();
    let all: Vec<&str> = files.iter().map(String::as_str).collect();
    let whole = std::fs::read(&files[2]).expect("a file");
    std::fs::write(&files[2], &whole[..whole.len() - 4]).expect("a short file");
    let output = folder.named("out.npy");
    let told = job(4, &[&["sum", "--output", &output], &all[..]].concat()).error();
    assert!(told.contains("rank 2: ") && told.contains("2.npy: truncated"), "{told}");
    std::fs::write(&files[2], b"\x93NUMPY\x01\x00damaged").expect("a damaged file");
    let told = job(2, &[&["sum"], &all[..]].concat()).error();
    assert!(told.contains("rank 1: ") && told.contains("2.npy"), "{told}");
    // One that shows only when all is read.
    folder.f32("2.npy", &[2], &[1.0, f32::NAN]);
    let told = job(3, &[&["sum", "--nan", "error", "--output", &output], &all[..]].concat()).error();
    assert!(told.contains("rank 1: ") && told.contains("2.npy"), "{told}");
    let told = job(3, &["sum", &folder.named("none-*.npy")]).error();
    assert!(told.contains("none-*.npy"), "{told}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn types_that_differ_are_both_named() {
    let folder = Folder::new();
    let floats = folder.f32("a.npy", &[3], &[1.0, 2.0, 3.0]);
    let whole = folder.array("b.npy", "<i4", &[2], &[1i32, 2].map(i32::to_le_bytes));
    let told = job(2, &["max", &floats, &whole]).error();
    assert!(told.contains("rank 0 has numbers of type f32, but rank 1 has numbers of type i32"), "{told}");
}

/// A job of one command line on the first rank, and another on two more.
fn two(first: &[&str], others: &[&str]) -> Done {
    let mut command = mpirun();
    command.args(["-n", "1", PROGRAM]).args(first).args([":", "-n", "2", PROGRAM]).args(others);
    Done::of(command.output().expect("mpirun"))
}

#[test]
fn command_lines_that_differ_are_both_named() {
    let folder = Folder::new();
    let file = folder.f32("a.npy", &[30], &numbers(30));
    let other = folder.f32("b.npy", &[30], &numbers(30));
    let told = two(&["sum", &file], &["max", &file]).error();
    assert!(told.contains("rank 0 has sum of 1 files") && told.contains("rank 1 has max of"), "{told}");
    let told = two(
        &["histogram", "--bins", "3", "--range", "0:1", &file],
        &["histogram", "--bins", "4", "--range", "0:1", &file],
    );
    assert!(told.error().contains("\"4\""));
    assert!(two(&["sum", &file], &["sum", &other]).error().contains("b.npy"));
    assert!(two(&["sum", &file], &["--help"]).error().contains("help"));
    assert!(two(&["sum", &file], &["sum", "--nonsense", &file]).error().contains("rank 1: unexpected argument"));
}

#[test]
fn what_does_not_merge_is_refused() {
    let folder = Folder::new();
    let file = folder.f32("a.npy", &[30], &numbers(30));
    let refusals = [
        (&["sum", "--fast"][..], "rounds on the way"),
        (&["histogram", "--bins", "3"], "wants --range or --edges"),
        (&["histogram", "--bins", "3", "--range", "0:1", "--weights", &file], "is for one process"),
        (&["logsumexp", "--group-by", &file, "--groups", "2"], "rounds on the way"),
        (&["sum", "--segments", &file], "axes, rows or groups, which parts have in common; leave out --segments"),
        (&["sum", "--by", &file], "leave out --by"),
        (&["reduce", "--identity", "0", "--combine", "a + b"], "how parts combine"),
        (&["merge"], "work for one process"),
        (&["sum", "--partial", "-"], "is for one process"),
    ];
    let with_file = refusals.iter().map(|(args, why)| (2, owned(&[args, &[&file[..]][..]].concat()), owned(&[why])));
    let mut jobs: Vec<_> = with_file.collect();
    jobs.push((2, owned(&["sum"]), owned(&["name FILEs"])));
    jobs.push((2, owned(&["sum", "-"]), owned(&["ranks share no pipe"])));
    refused(&jobs);
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// Runs jobs, each on so many ranks, which are refused in these words. They mostly wait for mpirun, so all go at once.
fn refused(jobs: &[(usize, Vec<String>, Vec<String>)]) {
    std::thread::scope(|scope| {
        for (ranks, args, words) in jobs {
            scope.spawn(move || {
                let told = job(*ranks, args).error();
                for word in words {
                    assert!(told.contains(word), "{args:?}: {word}: {told}");
                }
            });
        }
    });
}

#[test]
fn what_stands_beside_elements_and_does_not_fit_them_is_told() {
    let folder = Folder::new();
    let file = folder.f32("a.npy", &[30], &numbers(30));
    let integers = |name: &str, count: usize| {
        folder.array(name, "<i4", &[count], &(0..count as i32).map(i32::to_le_bytes).collect::<Vec<_>>())
    };
    let (short, long, fits) = (integers("short.npy", 29), integers("long.npy", 31), integers("fits.npy", 30));
    let (cut, floats) = (integers("cut.npy", 30), folder.f32("floats.npy", &[30], &numbers(30)));
    let whole = std::fs::read(&cut).expect("a file");
    std::fs::write(&cut, &whole[..whole.len() - 4]).expect("a short file");
    let grouped = |keys: &str| owned(&["sum", "--group-by", keys, "--groups", "4", &file]);
    let masked = |mask: &str| owned(&["sum", "--mask", mask, &file]);
    let mut jobs = Vec::new();
    for (beside, many) in [(&short, "29"), (&long, "31")] {
        let words = [format!("{beside} and {file}"), many.into(), "30".into()];
        jobs.extend([grouped(beside), masked(beside)].map(|args| (3, args, words.to_vec())));
    }
    jobs.extend([
        (3, grouped(&floats), owned(&["floats.npy: --group-by is for whole numbers, but it holds f32"])),
        (2, owned(&["sum", "--group-by", &fits, &file]), owned(&["pass --groups N"])),
        (2, grouped("-"), owned(&["ranks share no pipe"])),
        (3, grouped(&folder.named("none.npy")), owned(&["none.npy"])),
        (3, grouped(&cut), owned(&["cut.npy: truncated"])),
        // A place among elements that are left out is known to one process.
        (2, owned(&["argmax", "--mask", &fits, &file]), owned(&["goes by the places of numbers"])),
    ]);
    refused(&jobs);
}

/// Ranks that signals befall.
#[cfg(target_os = "linux")]
mod signals {
    use super::common::*;
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    /// A job of three ranks of which the last has a long file, when it reads that; this rank, and the file's folder.
    fn long_job(args: &[&str]) -> (Child, Pid, Folder) {
        let folder = Folder::new();
        let short = ["0.bin", "1.bin"].map(|name| folder.file(name, &[0; 64]));
        let long = folder.named("long.bin");
        std::fs::File::create(&long).and_then(|file| file.set_len(16 << 30)).expect("a sparse file");
        let mut command = mpirun();
        command
            .args(["-n", "3", PROGRAM, "sum", "--dtype", "f32", "--adapter", "cpu"])
            .args(args)
            .args(short)
            .arg(&long);
        let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun");
        let begun = Instant::now();
        loop {
            if begun.elapsed() > Duration::from_secs(60) {
                job.kill().and_then(|()| job.wait()).expect("an end");
                panic!("the ranks do not begin");
            } else if let Some(rank) = reader(&long) {
                return (job, rank, folder);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The process that has this file open.
    fn reader(file: &str) -> Option<Pid> {
        let numbers = std::fs::read_dir("/proc").expect("processes").flatten();
        let mut numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let reads = |process: &i32| {
            let mut open = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
            open.any(|open| std::fs::read_link(open.path()).is_ok_and(|to| to == std::path::Path::new(file)))
        };
        numbers.find(reads).and_then(Pid::from_raw)
    }

    #[test]
    fn a_killed_rank_ends_the_job() {
        let (job, rank, _folder) = long_job(&[]);
        kill_process(rank, Signal::KILL).expect("a kill");
        let done = Done::of(job.wait_with_output().expect("an end"));
        assert!(done.status != 0 && done.out.is_empty(), "{}{}", done.out, done.err);
    }

    #[test]
    fn a_rank_that_hangs_ends_the_job_in_time() {
        let (job, rank, _folder) = long_job(&["--timeout", "1"]);
        kill_process(rank, Signal::STOP).expect("a stop");
        let done = Done::of(job.wait_with_output().expect("an end"));
        assert!(done.status != 0 && done.out.is_empty(), "{}{}", done.out, done.err);
        assert!(done.err.contains("has waited 1 s for the agreement of all ranks"), "{}", done.err);
    }
}
