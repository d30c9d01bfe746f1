//! `treefold bench` and `treefold tune`: figures of right answers, their JSON, comparisons, peers, pictures, and what is refused.

use crate::common::{Done, Folder, finish, program, tell};
use serde_json::Value;

fn command(word: &str, args: &[&str]) -> Done {
    let mut command = program();
    command.arg(word).args(args);
    finish(command, b"")
}

/// Quick figures, which say little of the machine.
fn bench(args: &[&str]) -> Done {
    command("bench", &[args, &["--samples", "3", "--warm", "0", "--pool", "1M"]].concat())
}

/// The figures of a run with --json, behind the line of the machine.
fn figures(done: &Done) -> Vec<Value> {
    assert_eq!(done.status, 0, "{done:?}");
    let mut lines = done.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object a line"));
    let machine = lines.next().expect("a machine");
    assert!(machine["engines"].as_array().is_some_and(|engines| !engines.is_empty()), "{machine}");
    lines.collect()
}

/// The number of an adapter with kernels, hardware or software.
fn with_kernels() -> Option<String> {
    let list = command("adapters", &["--json"]).json();
    let found = list["adapters"].as_array()?.iter().find(|adapter| adapter["backend"] == "vulkan");
    if found.is_none() {
        tell("skipped: no adapter has kernels");
    }
    found.map(|found| found["adapter"].to_string())
}

#[test]
fn the_cpu_engine_has_a_row_for_each_question() {
    let done = bench(&["sum,fast_sum,argmax,std(ddof=1)", "--size", "1000,2^12", "--adapter", "cpu"]);
    let text = done.text();
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(" right ")).collect();
    assert_eq!(rows.len(), 8, "{text}");
    assert!(text.starts_with("f32, cpu (") && text.contains("std(ddof=1)") && text.contains("2^12"), "{text}");
    let markdown = bench(&["sum,max", "--size", "1000", "--adapter", "cpu", "--markdown"]);
    assert!(markdown.text().contains("\n| operator | "), "{}", markdown.text());
}

#[test]
fn types_and_arrangements_are_right_on_the_cpu() {
    let types = "f32,f64,f16,bf16,i8,u16,i64";
    let all = figures(&bench(&["max,sum", "--dtype", types, "--size", "5000", "--adapter", "cpu", "--json"]));
    assert_eq!(all.len(), 14);
    let divided = ["--size", "5000", "--segments", "16,mix90", "--runs", "7", "--groups", "5", "--adapter", "cpu"];
    let divided = figures(&bench(&[&["sum", "--json"], &divided[..]].concat()));
    let inputs: Vec<&str> = divided.iter().filter_map(|figure| figure["input"].as_str()).collect();
    assert_eq!(inputs, ["segments of 16", "segments of mix90", "runs of 7", "5 groups"]);
    let shapes = ["--shape", "30x40,7x5x3", "--axis", "0,-1", "--adapter", "cpu", "--json"];
    let shapes = figures(&bench(&[&["argmin"], &shapes[..]].concat()));
    assert_eq!(shapes[1]["input"], "axis 0,-1 of 7x5x3");
    let pairs = figures(&bench(&["dot", "--dtype", "f32x2", "--size", "100", "--adapter", "cpu", "--json"]));
    let mapped = figures(&bench(&["max", "--map", "abs(x) * 2", "--size", "100", "--adapter", "cpu", "--json"]));
    for figure in [all, divided, shapes, pairs, mapped].concat() {
        assert!(figure["right"] == true && figure["us"].as_f64().is_some_and(|us| us > 0.0), "{figure}");
        let samples = figure["samples"].as_array().expect("samples");
        assert!(samples.len() == 3 && figure["what"] == "slice" && figure["peer"] == false, "{figure}");
    }
}

#[test]
fn adapters_have_kernels_and_answers() {
    let Some(adapter) = with_kernels() else { return };
    let on = ["--adapter", &adapter, "--json"];
    let whole = ["sum,fast_sum,stats,top(3)", "--size", "3000,2^16", "--what", "kernel"];
    let whole = figures(&bench(&[&whole[..], &on].concat()));
    let told = ["fast_sum", "--size", "3000", "--what", "answer,slice", "--launch", "workgroup_size=32,64"];
    let told = figures(&bench(&[&told[..], &on].concat()));
    let launches: Vec<&str> = told.iter().filter_map(|figure| figure["launch"][0].as_str()).collect();
    assert_eq!(launches, ["workgroup_size=32", "workgroup_size=64", "workgroup_size=32", "workgroup_size=64"]);
    let divided = ["max", "--size", "5000", "--segments", "mix90", "--runs", "7", "--groups", "5", "--counted"];
    let divided = figures(&bench(&[&divided[..], &on].concat()));
    let shapes = figures(&bench(&[&["sum", "--shape", "30x40", "--axis", "1"], &on[..]].concat()));
    assert_eq!((whole.len(), told.len(), divided.len(), shapes.len()), (8, 4, 4, 1));
    for figure in [whole, told, divided, shapes].concat() {
        assert!(figure["right"] == true && figure["us"].as_f64().is_some_and(|us| us > 0.0), "{figure}");
    }
}

#[test]
fn runs_compare_with_those_before() {
    let folder = Folder::new();
    let before = bench(&["sum,max", "--size", "1000", "--adapter", "cpu", "--json"]);
    let old = folder.file("old.json", before.out.as_bytes());
    let now = figures(&bench(&["sum,min", "--size", "1000", "--adapter", "cpu", "--json", "--against", &old]));
    let against = &now[0]["against"];
    let (low, high) = (against["low"].as_f64().unwrap(), against["high"].as_f64().unwrap());
    assert!(low > 0.0 && low <= high && against["us"].as_f64().unwrap() > 0.0, "{against}");
    assert!(now[1].get("against").is_none(), "{}", now[1]);
    let table = bench(&["sum", "--size", "1000", "--adapter", "cpu", "--against", &old]);
    assert!(table.text().contains("of before"), "{}", table.text());
    let bad = folder.file("bad.json", b"{}\n\nnothing\n");
    bench(&["sum", "--size", "10", "--adapter", "cpu", "--against", &bad]).fails(1, &["bad.json", "line 3"]);
    let empty = folder.file("empty.json", b"{}\n");
    bench(&["sum", "--size", "10", "--adapter", "cpu", "--against", &empty]).fails(1, &["no figure", "--json"]);
    bench(&["sum", "--against", "/nowhere/old.json"]).fails(1, &["/nowhere/old.json"]);
}

#[cfg(unix)]
#[test]
fn peers_stand_beside() {
    let folder = Folder::new();
    let script = "test $1 = sum || exit 3\nbytes=$(wc -c < $TREEFOLD_BLOCK)\n\
        test $2 = i32 -a $3 = 1000 -a $4 = whole -a $TREEFOLD_SAMPLES = 3 -a $bytes -gt 4000 || exit 1\n\
        echo '{\"what\":\"slice\",\"name\":\"Peer 7\",\"us\":[5,4,6],\"answer\":[1e99]}'\n";
    let peer = format!("other=sh {}", folder.file("peer.sh", script.as_bytes()));
    let asked = ["sum,max", "--dtype", "i32", "--size", "1000", "--adapter", "cpu", "--peer", &peer];
    let found = figures(&bench(&[&asked[..], &["--json"]].concat()));
    assert_eq!(found.len(), 3, "max is not computed by that peer");
    let other = &found[1];
    assert_eq!((&other["engine"], &other["us"], &other["peer"]), (&"Peer 7".into(), &5.0.into(), &true.into()));
    assert_eq!(other["right"], false, "another answer than ours is told, and no failure of ours");
    let table = bench(&asked);
    assert!(table.text().contains("of treefold's") && table.text().contains("another"), "{}", table.text());
    for (peer, name) in [(&peer[..], "peer other"), ("none=/nowhere/peer", "peer none")] {
        let failed = bench(&["sum,max", "--size", "10", "--adapter", "cpu", "--peer", peer]);
        assert!(failed.status == 1 && failed.out.contains("│ max "), "what was measured stays: {failed:?}");
        assert!(failed.err.contains(name) && failed.err.lines().count() == 1, "{failed:?}");
    }
}

#[test]
fn numpy_is_a_peer_where_it_is_installed() {
    let there = std::process::Command::new("python3").args(["-c", "import numpy"]).output();
    if !there.is_ok_and(|done| done.status.success()) {
        return tell("skipped: no NumPy here");
    }
    let all = "sum,mean,min,max,argmin,argmax,variance,std,minmax,count_nonzero,any,all,norm2,range,stats";
    let asked = ["--size", "10000", "--adapter", "cpu", "--peer", "numpy", "--json"];
    let found = figures(&bench(&[&[all, "--dtype", "f32,f64"], &asked[..]].concat()));
    let peers: Vec<&Value> = found.iter().filter(|figure| figure["peer"] == true).collect();
    assert_eq!(peers.len(), 30);
    let histogram = figures(&bench(&[&["histogram(bins=10,range=0:1)"], &asked[..]].concat()));
    let dot = figures(&bench(&[&["dot", "--dtype", "f32x2"], &asked[..]].concat()));
    let matrix = ["sum", "--shape", "100x50", "--axis", "0", "--adapter", "cpu", "--peer", "numpy", "--json"];
    let matrix = figures(&bench(&matrix));
    for figure in peers.into_iter().chain([&histogram[1], &dot[1]]) {
        assert_eq!(figure["right"], true, "{figure}");
    }
    assert_eq!(matrix.len(), 2);
}

#[test]
fn pictures_hold_lines_and_roofs() {
    let folder = Folder::new();
    let file = folder.path().join("b.svg");
    let asked = ["sum", "--size", "2^10..2^12", "--adapter", "cpu", "--plot", file.to_str().unwrap()];
    assert_eq!(bench(&asked).status, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("<svg") && text.contains("memory of cpu") && text.contains("sum f32 slice"), "{text}");
    bench(&asked).fails(1, &["exists already", "--force"]);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    for (args, words) in [
        (&["median"][..], &["median", "fast_sum"][..]),
        (&["sum", "--size", "0"], &["length of 0"]),
        (&["sum", "--dtype", "f80"], &["f80", "bf16"]),
        (&["and", "--dtype", "f32"], &["and takes no f32", "i32"]),
        (&["norm"], &["norm(p=VALUE)"]),
        (&["norm(p=no)"], &["p", "norm"]),
        (&["sum", "--adapter", "cpu", "--what", "kernel"], &["nothing to measure", "--what slice"]),
        (&["sum", "--launch", "speed=9"], &["speed", "--help"]),
        (&["sum", "--shape", "3x4", "--axis", "2"], &["--axis"]),
        (&["sum", "--peer", "scipy"], &["numpy", "NAME=COMMAND"]),
        (&["sum", "--map", "x +"], &["--map"]),
        (&["sum", "--force"], &["--plot"]),
    ] {
        bench(args).fails(2, words);
    }
    command("sum,bench", &["x.npy"]).fails(2, &["bench"]);
    let help = command("bench", &["--help"]);
    assert!(help.text().contains("--against") && help.text().contains("TREEFOLD_BLOCK"), "{}", help.text());
}

#[cfg(unix)]
#[test]
fn what_tune_keeps_is_used_until_it_is_forgotten() {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let Some(adapter) = with_kernels() else { return };
    let gpu = treefold::Gpu::named(&adapter).expect("the adapter");
    let Some(name) = gpu.cache_name() else { return tell("skipped: the adapter has no cache") };
    let folder = Folder::new();
    let input = folder.f32("x.npy", &[1.0, 2.0]);
    let home = folder.path().join("caches");
    let launch = || {
        let mut command = program();
        command.args(["max", "--json", "--adapter", &adapter, &input]).env("XDG_CACHE_HOME", &home);
        finish(command, b"").json()["launch"].as_str().expect("a launch").to_string()
    };
    let forget = || {
        let mut command = program();
        command.args(["tune", "--forget", "--json", "--adapter", &adapter]).env("XDG_CACHE_HOME", &home);
        finish(command, b"").json()["forgotten"].clone()
    };
    let row = launch();
    assert_eq!(forget(), false, "nothing is kept yet");
    // As tune keeps what it has found.
    let tuned = gpu.tuning().with(|tuning| tuning.fold.workgroups_max = 7);
    // SAFETY: no bytes are given.
    unsafe { gpu.load_cache(b"") }.expect("a cache");
    gpu.keep_tuning(Some(tuned)).expect("a policy");
    let files = home.join("treefold");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&files).unwrap();
    let file = files.join(name).with_extension("treefold-cache");
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(file).unwrap();
    std::io::Write::write_all(&mut file, &gpu.cache(usize::MAX).expect("something to keep")).unwrap();
    let kept = launch();
    assert!(kept != row && kept.contains("up to 7,"), "{row}; {kept}");
    assert_eq!(forget(), true);
    assert_eq!(launch(), row);
}

#[test]
fn policies_are_searched_and_printed() {
    let Some(adapter) = with_kernels() else { return };
    let quick = ["--adapter", &adapter, "--kernel", "fold", "--size", "2^16", "--warm", "0", "--no-cache"];
    let found = command("tune", &[&quick[..], &["--json"]].concat()).json();
    let fold = &found["kernels"][0];
    assert!(fold["kernel"] == "fold" && fold["us"].as_f64() <= fold["us_before"].as_f64(), "{found}");
    assert_eq!(found["kept"], false);
    command("tune", &["--size", "1000", "--adapter", &adapter]).fails(2, &["--size 1000", "2^16"]);
    command("tune", &["--adapter", "cpu"]).fails(2, &["no kernels to tune"]);
    let forgotten = command("tune", &["--forget", "--adapter", &adapter]);
    assert!(forgotten.text().contains("forgotten") || forgotten.text().contains("nothing to forget"), "{forgotten:?}");
}
