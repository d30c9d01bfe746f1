//! Places of results: full and closed outputs, files that exist, odd names, small limits, terminals, Ctrl-C.
#![cfg(target_os = "linux")]

use crate::common::*;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const NUMBERS: [f32; 3] = [1.0, 2.0, 4.0];

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

fn on_cpu(args: &[&str]) -> Command {
    let mut command = program();
    command.args(["--adapter", "cpu"]).args(args).stdin(Stdio::null());
    command
}

/// The program under a limit of the shell's `ulimit`.
fn limited(limit: &str, args: &[&str]) -> Done {
    let mut command = Command::new("sh");
    let shell = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    command.args(["-c", &shell, env!("CARGO_BIN_EXE_treefold")]).args(args).env_remove("RUST_LOG");
    finish(command, b"")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Nothing in it steers a terminal.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !c.is_control())
}

#[test]
fn a_full_disk_is_told_of_every_text() {
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["ladder", "--help"],
        &["explain", "--help"],
        &["ladder", "--explain", "v4"],
        &["adapters"],
        &["adapters", "--json"],
    ] {
        let mut command = program();
        let output = command.args(args).stdin(Stdio::null()).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?} {err}");
        assert!(err.starts_with("treefold: standard output") && err.lines().count() == 1, "{args:?} {err}");
    }
}

#[test]
fn an_answer_needs_no_standard_error() {
    let folder = Folder::new();
    // Something is said there: an explanation, a warning.
    let mut bytes = npy_f32(&NUMBERS);
    bytes.push(0);
    let file = folder.file("x.npy", &bytes);
    for args in [&["sum", "-q", "-v", &file][..], &["sum", "-q", &file]] {
        let output = on_cpu(args).stdout(Stdio::piped()).stderr(full()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"7\n"[..]), "{args:?}");
    }
    let failed = on_cpu(&["sum", "no-such.npy"]).stdout(Stdio::piped()).stderr(full()).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
}

#[test]
fn a_partial_goes_down_a_pipe() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &NUMBERS);
    let Output { status, stdout, stderr } = on_cpu(&["sum", "--partial", "-", &file]).output().unwrap();
    assert!(status.success() && stderr.is_empty(), "{stderr:?}");
    let partial = text(folder.path().join("x.part"));
    run(["sum", "-q", "--partial", &partial, &file]).text();
    assert_eq!(stdout, std::fs::read(&partial).unwrap());
    assert_eq!(run_with(["merge", "-q", "-", &partial], &stdout).text(), "14");
    let merged = program().args(["merge", "--partial", "-", &partial, &partial]).output().unwrap().stdout;
    assert_eq!(run_with(["merge", "-q", "-"], &merged).text(), "14");
    run(["sum", "--partial", "-", "--json", &file]).fails(2, &["--partial - and --json both want standard output"]);
    run(["sum", "--partial", "-", "--force", &file]).fails(2, &["--force replaces nothing"]);
    let failed = on_cpu(&["sum", "--partial", "-", &file]).stdout(full()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
}

#[test]
fn outputs_are_found_wanting_before_the_work() {
    let folder = Folder::new();
    let there = folder.file("there.svg", b"mine");
    let inside = |name: &str| text(folder.path().join(name));
    let link = inside("link");
    std::os::unix::fs::symlink("nowhere/at/all", &link).unwrap();
    let ladder = |args: &[&str], status: i32, phrases: &[&str]| {
        let mut command = program();
        // So many elements that no adapter begins.
        command.args(["ladder", "--size", "2^40"]).args(args);
        finish(command, b"").fails(status, phrases);
    };
    for option in ["--plot", "--html"] {
        ladder(&[option, &there], 1, &[&there, "exists already", option, "--force"]);
        ladder(&[option, &inside("no/l.svg")], 1, &["no/l.svg: there is no folder"]);
        ladder(&[option, &format!("{there}/l.svg")], 1, &["there.svg/l.svg: there is no folder"]);
        ladder(&[option, "/dev/null", "--force"], 1, &["/dev/null: is no ordinary file"]);
        ladder(&[option, "/proc/l.svg"], 1, &["/proc/l.svg: cannot be written"]);
        ladder(&[option, &link], 1, &["link: is a link that leads nowhere"]);
        ladder(&[option, "-"], 2, &[option, "name a file"]);
    }
    // One file, by two names.
    std::os::unix::fs::symlink(folder.path(), inside("again")).unwrap();
    for other in ["new.svg", "./new.svg", "again/new.svg"] {
        ladder(&["--plot", &inside("new.svg"), "--html", &inside(other)], 2, &["--plot and --html both name"]);
    }
    ladder(&["--force"], 2, &["--force lets --plot and --html replace files, and neither is given"]);
    assert_eq!(std::fs::read(&there).unwrap(), b"mine");
    assert_eq!(names(folder.path()), ["again", "link", "there.svg"]);
}

#[test]
fn names_say_what_is_in_files() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &NUMBERS);
    for (option, name, phrases) in [
        ("--output", "s.csv", ["writes NumPy arrays", "no .csv file", "name it s.npy"]),
        ("--output", "s.TXT", ["writes NumPy arrays", "no .txt file", "name it s.npy"]),
        ("--plot", "h.png", ["writes an SVG picture", "no .png file", "name it h.svg"]),
    ] {
        run(["histogram", "--range", "0:9", option, name, &file]).fails(2, &phrases);
    }
    assert_eq!(names(folder.path()), ["x.npy"]);
    // An ending that means nothing else is anybody's own.
    let own = folder.path().join("sum.of-all").to_string_lossy().into_owned();
    run(["sum", "-q", "--output", &own, &file]).text();
    assert_eq!(names(folder.path()), ["sum.of-all", "x.npy"]);
}

#[test]
fn what_is_read_is_not_replaced() {
    let folder = Folder::new();
    let (file, mask) = (folder.f32("x.npy", &[1.0, 2.0]), folder.file("m.npy", &npy("'|u1'", false, "(2,)", &[1, 0])));
    let edges = folder.f32("edges.npy", &[0.0, 1.0, 5.0]);
    let own = format!("histogram(edges={edges})");
    let same = text(folder.path().join(".").join("x.npy"));
    let kept = std::fs::read(&file).expect("bytes");
    for args in [
        &["sum", "--output", &file, &file][..],
        &["sum", "--output", &same, &file],
        &["sum", "--partial", &file, &file],
        &["histogram", "--plot", &file, &file],
        &["sum", "--mask", &mask, "--output", &mask, &file],
        &["histogram", "--edges", &edges, "--output", &edges, &file],
        &[own.as_str(), "--output", &edges, &file],
        &["histogram2d", "--bins", "2", "--edges-y", &edges, "--output", &edges, &file, &mask],
    ] {
        run([args, &["--force"]].concat()).fails(2, &["is an input too", "name another file"]);
    }
    assert_eq!(std::fs::read(&file).expect("bytes"), kept);
    for (name, better) in [("o.npy.gz", "o.npy"), ("o.npz.zst", "o.npz"), ("o.gz", "o.npy")] {
        let told = run(["sum", "--output", &text(folder.path().join(name)), &file]);
        told.fails(2, &["writes NumPy arrays", &format!("name it {}", text(folder.path().join(better)))]);
    }
    let [plot, partial] = ["o.svg.gz", "o.part.zst"].map(|name| text(folder.path().join(name)));
    run(["histogram", "--plot", &plot, &file]).fails(2, &["--plot writes an SVG picture", "name it", "o.svg"]);
    run(["sum", "--partial", &partial, &file]).fails(2, &["--partial writes a partial answer", "name it", "o.part"]);
}

#[test]
fn drawings_replace_files_only_by_force() {
    let folder = Folder::new();
    let [svg, html] = ["l.svg", "l.html"].map(|name| folder.file(name, b"old"));
    let mut command = program();
    command.args(["ladder", "--stage", "v0", "--size", "100", "--force", "--plot", &svg, "--html", &html]);
    assert_eq!(finish(command, b"").status, 0);
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert!(std::fs::read_to_string(&html).unwrap().starts_with("<!DOCTYPE html>"));
    assert_eq!(names(folder.path()), ["l.html", "l.svg"]);
}

#[test]
fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &NUMBERS);
    let (real, link) = (folder.file("real.part", b"old"), text(folder.path().join("link.part")));
    std::os::unix::fs::symlink("real.part", &link).unwrap();
    run(["sum", "--partial", &link, &file]).fails(1, &["link.part: exists already"]);
    run(["sum", "-q", "--force", "--partial", &link, &file]).text();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(run(["merge", "-q", &real]).text(), "7");
}

#[test]
fn files_too_large_for_the_limit_are_errors() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &NUMBERS);
    let partial = text(folder.path().join("x.part"));
    let done = limited("-f 0", &["sum", "--adapter", "cpu", "--partial", &partial, &file]);
    done.fails(1, &["x.part: cannot be written", "File too large"]);
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn small_limits_end_in_answers_or_errors() {
    let folder = Folder::new();
    let files: Vec<String> = (0..64).map(|i| folder.f32(&format!("{i}.npy"), &NUMBERS)).collect();
    let mut args = vec!["sum", "-q", "--adapter", "cpu"];
    args.extend(files.iter().map(String::as_str));
    for limit in ["-n 8", "-n 16", "-n 70", "-v 100000", "-v 300000", "-s 512", "-t 20"] {
        let done = limited(limit, &args);
        match done.status {
            0 => assert_eq!(done.out, "448\n", "{limit}"),
            _ => done.fails(1, &[]),
        }
    }
    assert_eq!(limited("-n 70", &args).text(), "448");
}

/// Whether a signal ended the program in the driver: Mesa may fault, or free twice, where it finds no memory. What libc says of that
/// is no line of the program's and no panic.
fn crashed(done: &Done) -> bool {
    done.status == -1 && done.err.lines().all(|line| !line.starts_with("treefold: ") && !line.contains("panicked"))
}

/// Little memory lets a software adapter be found and not opened: an error where it was asked for, and nothing to speak of where not.
#[test]
fn an_adapter_that_does_not_open_is_told() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &NUMBERS);
    for kilobytes in [300_000, 400_000, 500_000, 600_000, 700_000, 800_000] {
        let limit = format!("-v {kilobytes}");
        let asked = limited(&limit, &["sum", "--adapter", "0", &file]);
        if crashed(&asked) {
            println!("{kilobytes} kilobytes: the driver crashed");
            continue;
        }
        if asked.err.contains("did not open a device") {
            asked.fails(1, &["treefold: adapter \"", "(here: --adapter NAME|NUMBER|cpu)"]);
            let quiet = limited(&limit, &["sum", "--quiet", &file]);
            if crashed(&quiet) {
                println!("{kilobytes} kilobytes: the driver crashed on its way out");
                continue;
            }
            assert_eq!((quiet.text(), quiet.err.as_str()), ("7", ""));
            return;
        }
    }
    tell("skipped: no limit of memory keeps the adapter from opening");
}

#[test]
fn odd_names_are_read_written_and_shown_plainly() {
    let folder = Folder::new();
    let long = "x".repeat(240);
    let names: [&[u8]; 9] = [
        b"two words",
        b"line\nbreak",
        b"\x1b[31mred\x1b[2J",
        b"back\rward\x08\x07",
        b"c1\xc2\x9b2J",
        b"not \xff utf-8",
        b"'\"$(touch pwned)`",
        b"-q",
        long.as_bytes(),
    ];
    for name in names {
        let file = folder.path().join(OsStr::from_bytes(name));
        std::fs::write(&file, npy_f32(&NUMBERS)).unwrap();
        let mut partial = file.clone().into_os_string();
        partial.push(".part");
        let read = |args: &[&OsStr]| run(args.iter().copied());
        let sum = OsStr::new("sum");
        let done = read(&[sum, file.as_os_str()]);
        assert!(done.text().contains("│ sum      ┆     7 │") && is_plain(&done.out) && is_plain(&done.err), "{done:?}");
        let done = read(&[sum, OsStr::new("--partial"), &partial, file.as_os_str()]);
        assert!(done.text().starts_with("wrote ") && is_plain(&done.out), "{done:?}");
        let done = read(&[
            sum,
            OsStr::new("--json"),
            OsStr::new("--force"),
            OsStr::new("--partial"),
            &partial,
            file.as_os_str(),
        ]);
        assert!(done.json()["partial"].is_string() && is_plain(&done.out), "{done:?}");
        assert!(read(&[OsStr::new("merge"), &partial]).text().contains("│ sum      ┆     7 │"));
        let done = read(&[OsStr::new("merge"), file.as_os_str()]);
        done.fails(1, &["does not begin as one"]);
        assert!(is_plain(&done.err), "{done:?}");
        std::fs::remove_file(&file).unwrap();
        let done = read(&[sum, file.as_os_str()]);
        done.fails(1, &["no such file"]);
        assert!(is_plain(&done.err), "{done:?}");
    }
    // Without a folder before it.
    let mut command = on_cpu(&["sum", "-q", "--", "-q"]);
    std::fs::write(folder.path().join("-q"), npy_f32(&NUMBERS)).unwrap();
    assert_eq!(command.current_dir(folder.path()).output().unwrap().stdout, b"7\n");
    let bytes = npy("'\x1b[2J'", false, "(1,)", &[0; 4]);
    let done = run(["sum", &folder.file("header.npy", &bytes)]);
    assert!(done.status == 1 && is_plain(&done.err), "{done:?}");
}

/// A terminal of so many columns: the end that a person has, and the other one.
fn terminal(columns: u16) -> (File, File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, vec![]).unwrap();
    let size = rustix::termios::Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    let program = File::options().read(true).write(true).open(path).unwrap();
    rustix::termios::tcsetwinsize(&program, size).unwrap();
    (File::from(person), program)
}

/// All that a terminal gets until its last writer ends.
fn all(mut person: File) -> String {
    let mut bytes = vec![];
    // The end is an error here.
    let _ = person.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

fn on_terminal(columns: u16, args: &[&str]) -> String {
    let (person, terminal) = terminal(columns);
    let mut command = program();
    command.args(args).stdin(Stdio::null()).stdout(terminal).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(command);
    let text = all(person);
    assert!(child.wait().unwrap().success(), "{text}");
    text
}

#[test]
fn tables_fit_the_terminal() {
    let folder = Folder::new();
    let file = folder.f32("x.npy", &[0.1, 123_456.79]);
    let calls: [&[&str]; 3] =
        [&["stats", "--adapter", "cpu", &file], &["adapters"], &["ladder", "--stage", "dot-vec4", "--size", "1000"]];
    for columns in [72, 80, 100, 250] {
        for args in calls {
            let text = on_terminal(columns, args);
            let mut rows = text.lines().filter(|line| line.starts_with(['│', '┌'])).peekable();
            assert!(rows.peek().is_some(), "{text}");
            assert!(rows.all(|row| row.chars().count() <= columns.into()), "{columns}: {text}");
            // No number and no name is broken.
            let word = match args[0] {
                "stats" => "123456.89",
                "adapters" => " cpu ",
                _ => "PASSED",
            };
            assert!(text.contains(word), "{columns}: {text}");
            assert_eq!(
                text.contains("the terminal is narrow"),
                columns < 140 && args[0] != "stats",
                "{columns}: {text}"
            );
        }
    }
    // Of many answers some columns are left out, and named.
    for (columns, hidden) in [(48, Some("without mean, std, min, index, max, index: ")), (72, None), (250, None)] {
        let text = on_terminal(columns, &["stats", "--rows", "1", "--adapter", "cpu", &file]);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(['│', '┌'])).collect();
        assert!(rows.len() == 4 && rows.iter().all(|row| row.chars().count() <= columns.into()), "{text}");
        assert!(text.contains("┆ 123456.79") && hidden.is_none_or(|hidden| text.contains(hidden)), "{columns}: {text}");
        assert_eq!(text.contains("the terminal is narrow"), columns < 140, "{columns}: {text}");
    }
    // Narrower than its numbers: nothing is lost.
    assert!(on_terminal(20, calls[0]).contains("123456.89"));
}

/// Tests in a script's background inherit that the signal is ignored.
fn hears_control_c(command: &mut Command) {
    // SAFETY: between fork and exec only `signal` is called, which may be.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, || {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
}

fn control_c(child: &Child) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
}

/// Where nothing would be left, the signal itself is the end, which shells see.
#[test]
fn control_c_ends_the_program() {
    let mut command = on_cpu(&["sum", "--dtype", "f32", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    hears_control_c(&mut command);
    let mut child = command.spawn().unwrap();
    let mut numbers = child.stdin.take().unwrap();
    numbers.write_all(&[0; 64]).unwrap();
    control_c(&child);
    let ended = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(libc::SIGINT), "{ended}");
}

#[test]
fn control_c_leaves_a_clean_line_and_no_file() {
    let folder = Folder::new();
    let partial = text(folder.path().join("x.part"));
    for args in [&[][..], &["--quiet"]] {
        let (person, terminal) = terminal(80);
        let mut command = on_cpu(&["sum", "--dtype", "f32", "--partial", &partial, "-"]);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(terminal);
        hears_control_c(&mut command);
        let mut child = command.env("TERM", "xterm").spawn().unwrap();
        drop(command);
        // The beginning of numbers that never end.
        let mut numbers = child.stdin.take().unwrap();
        numbers.write_all(&[0; 64]).unwrap();
        // The file aside shows that the work has begun; the bar comes a little later.
        let began = Instant::now();
        while names(folder.path()).is_empty() {
            assert!(began.elapsed() < Duration::from_secs(30), "no file aside");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(500));
        control_c(&child);
        let text = all(person);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
        // Whatever stood on the line is cleared, or the line is ended.
        let last = text.rsplit(['\r', '\n']).next().unwrap_or_default();
        assert!(last == "\x1b[2K" || last.is_empty(), "{text:?}");
        assert_eq!(args.is_empty(), text.contains("0 B/s"), "{text:?}");
        assert!(names(folder.path()).is_empty());
    }
}
