//! Every error: one line that names the input, the value and the repair, and the right exit status.

use crate::common::*;
use std::process::Stdio;

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    run(["sum", "no-such.npy"]).fails(1, &["no-such.npy: no such file"]);
    run(["sum", &text(folder.path().into())]).fails(1, &["is a directory"]);
    run(["sum", "--dtype", "f32", &folder.file("empty.npy", b"")]).fails(1, &["empty.npy", "is empty (0 bytes)"]);
    run(["sum", &folder.file("empty.bin", b"")]).fails(1, &["empty.bin", "is empty (0 bytes)"]);
    run(["sum", "--dtype", "f32", &folder.file("x.bin", b"12345")]).fails(1, &["x.bin", "5 bytes", "multiple of 4"]);
    run(["sum", &folder.file("x.txt", b"1 2 3 4")]).fails(2, &["x.txt", "--dtype"]);
    run(["sum", &folder.file("fake.npy", b"1 2 3 4")]).fails(1, &["fake.npy", "no .npy file"]);
}

#[cfg(unix)]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.i32("secret.npy", &[1]);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Root reads everything.
    if std::fs::File::open(&file).is_err() {
        run(["sum", &file]).fails(1, &["secret.npy", "permission denied"]);
    }
}

#[test]
fn damaged_npy_files() {
    let folder = Folder::new();
    let whole = npy_i32(&[1, 2, 3]);
    for cut in [6, 9, 60, 130, whole.len() - 1] {
        let done = run(["sum", &folder.file("cut.npy", &whole[..cut])]);
        done.fails(1, &["cut.npy: truncated", &format!("has {cut}")]);
    }
    run(["sum", &folder.file("cut.npy", &whole[..136])]).fails(1, &["has 136 bytes", "shape (3,) needs 140"]);
    run_with(["sum"], &whole[..136]).fails(1, &["standard input: truncated", "has 136 bytes", "needs 140"]);
    for header in [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, }",
        "{'descr': '<f4', 'fortran_order': 3, 'shape': (1,), }",
        "not a dictionary 'shape': (1,)",
    ] {
        run(["sum", &folder.file("bad.npy", &npy_of(header, &[0; 64]))]).fails(1, &["bad.npy", "save the array again"]);
    }
    let deep = format!("{{'shape': {}", "(".repeat(5000));
    run(["sum", &folder.file("deep.npy", &npy_of(&deep, b""))]).fails(1, &["deep.npy", "nested"]);
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    run(["sum", &folder.file("long.npy", &long)]).fails(1, &["long.npy", "4294967295 bytes"]);
}

#[test]
fn types_that_are_not_read() {
    let folder = Folder::new();
    for (descr, phrases) in [
        ("'<f16'", ["float128", "up to 64 bits"]),
        ("'<m8[s]'", ["timedelta64", "'<m8[s]'"]),
        ("'<c32'", ["complex256", "'<c32'"]),
        ("'<U3'", ["strings", "'<U3'"]),
        ("'|S3'", ["byte strings", "'|S3'"]),
        ("'|O'", ["Python objects", "'|O'"]),
        ("'<V2'", ["raw data", "'<V2'"]),
        ("'<M8[s]'", ["datetime64", "'<M8[s]'"]),
        ("'float33'", ["no type of numpy's", "'float33'"]),
        ("('<f4', (2,))", ["an array type", "up to 64 bits"]),
        ("[('a', '<f4'), ('b', '<i4')]", ["structured", "[\"a\"]"]),
    ] {
        let file = folder.file("x.npy", &npy(descr, false, "(2,)", &[0; 64]));
        let done = run(["sum", &file]);
        done.fails(1, &["x.npy", phrases[0], phrases[1]]);
        // Nothing that rounds, wraps or drops a half.
        assert!(!done.err.contains("astype") && !done.err.contains("view"), "{}", done.err);
    }
    let floats = folder.f32("f.npy", &[1.0]);
    run(["and", &floats]).fails(1, &["f.npy", "holds f32", "i32, u32, i64 and u64 only", "what takes f32: sum,"]);
    let done = run(["xor", "--dtype", "f64", &folder.file("x.bin", &[0; 8])]);
    done.fails(1, &["x.bin", "holds f64", "i32, u32, i64 and u64 only", "what takes f64: sum, ", "argmax"]);
    assert!(!done.err.contains("astype"), "{}", done.err);
    run(["sum", "--dtype", "i32", &floats]).fails(1, &["f.npy", "of f32", "--dtype says i32"]);
}

#[test]
fn results_that_do_not_fit() {
    let folder = Folder::new();
    let done = run(["product", "--json", &folder.i32("big.npy", &[i32::MAX; 3])]);
    done.fails(1, &["big.npy", "product", "64 bits"]);
}

#[test]
fn adapters_that_are_not_there() {
    let folder = Folder::new();
    let mut command = program();
    command.args(["sum", "--adapter", "no-such-adapter", &folder.i32("x.npy", &[1])]);
    finish(command, b"").fails(1, &["no-such-adapter", "cpu", "--adapter NAME|NUMBER|cpu"]);
    // Digits are a number, although names hold some; nothing is no name.
    for wanted in ["256", "15", "99999999999999999999", "", " "] {
        let mut command = program();
        command.args(["sum", "--adapter", wanted, &folder.i32("x.npy", &[1])]);
        finish(command, b"").fails(1, &[&format!("no adapter matches \"{wanted}\""), "cpu"]);
    }
}

#[test]
fn the_environment_chooses_an_adapter() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1, 2]);
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = program();
        command.args(args).envs(variables.iter().copied());
        finish(command, b"")
    };
    let sum = ["sum", "--json", &file];
    for cpu in ["cpu", "CPU", " cpu "] {
        assert_eq!(with(&[("WGPU_ADAPTER_NAME", cpu)], &sum).json()["backend"], "cpu");
    }
    let listed = with(&[("WGPU_ADAPTER_NAME", "cpu")], &["adapters", "--json"]).json();
    assert_eq!(
        listed["adapters"].as_array().and_then(|list| list.last()).map(|cpu| &cpu["default"]),
        Some(&true.into())
    );
    with(&[("WGPU_ADAPTER_NAME", "nowhere")], &sum).fails(1, &["no adapter matches \"nowhere\"", "cpu"]);
    // Without a word in it, a variable is as good as unset.
    let plain = with(&[], &sum).json();
    for blank in ["", " ", ","] {
        assert_eq!(
            with(&[("WGPU_BACKEND", blank), ("WGPU_ADAPTER_NAME", "")], &sum).json()["adapter"],
            plain["adapter"]
        );
    }
    for (text, name) in [("vulcan", "vulcan"), ("vulkan,mettal", "mettal"), ("0", "0")] {
        for args in [&sum[..], &["adapters"], &["sum", "--adapter", "0", &file], &["explain", "sum"]] {
            let whole =
                format!("WGPU_BACKEND names \"{name}\", which is no backend; there are: vulkan, metal, dx12, gl");
            with(&[("WGPU_BACKEND", text)], args).fails(1, &[&whole]);
        }
    }
}

#[test]
fn command_lines_that_are_wrong() {
    run(["summ", "x.npy"]).fails(2, &["'summ'", "'sum'"]);
    run(["sum", "--dtype", "f128", "x.bin"]).fails(2, &["f128", "f32", "f16", "f64", "i64", "u64"]);
    run(["sum", "--nope"]).fails(2, &["--nope"]);
    run(["sum", "--json", "--quiet"]).fails(2, &["--json"]);
    run(["sum", "--ddof", "1"]).fails(2, &["--ddof", "variance and std and sem and stats"]);
    run(["fast_sum", "x.npy"]).fails(2, &["'fast_sum'"]);
    run(["sum", "--force", "x.npy"])
        .fails(2, &["--force lets --partial, --output or --plot replace a file, and there is none"]);
    for option in
        [&["--partial", "x"][..], &["--adapter", "cpu"], &["--dtype", "f32"], &["--fast"], &["--memory", "1G"]]
    {
        let whole = format!("adapters only lists what is there; leave out {}", option[0]);
        run(["adapters"].iter().chain(option)).fails(2, &[&whole]);
    }
    run(["adapters", "--quiet", "--bins", "2"]).fails(2, &["leave out ", "--quiet", " and ", "--bins"]);
    for option in [&["--adapter", "cpu"][..], &["--rows", "2"], &["--fast"], &["--dtype", "f32"]] {
        let whole = format!("partials know their operator and type, and merge on the host; leave out {}", option[0]);
        run(["merge", "x.part"].iter().chain(option)).fails(2, &[&whole]);
    }
    let mut bare = program();
    bare.arg("explain");
    finish(bare, b"").fails(2, &["were not provided: <OPERATOR>; see"]);
    run(["variance", "--ddof", "one", "no-such.npy"]).fails(2, &["--ddof of variance is \"one\""]);
    run(["histogram", "--range", "1:0", "no-such.npy"]).fails(2, &["--range of histogram", "LOW:HIGH"]);
    run(["histogram", "--scale", "2", "no-such.npy"])
        .fails(2, &["--scale is for logsumexp and softmax_terms; histogram has none"]);
    run(["merge", "--bins", "x", "no-such.part"]).fails(1, &["no-such.part"]);
    run(["adapters", "x.npy"]).fails(2, &["adapters takes no FILE"]);
    let done = finish(program(), b"");
    assert!(done.status == 2 && done.err.contains("Usage:") && done.out.is_empty(), "{done:?}");
}

#[cfg(unix)]
#[test]
fn readers_that_go_away() {
    let folder = Folder::new();
    let file = folder.i32("x.npy", &[1]);
    let adapter = adapter();
    for args in [&["sum", "--adapter", &adapter, &file][..], &["--help"], &["adapters"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program().args(args).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?} {output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let folder = Folder::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = program();
    command.args(["sum", "--adapter", &adapter(), &folder.i32("x.npy", &[1])]).stdin(Stdio::null()).stdout(full);
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("treefold: standard output"));
}
