//! Tools that the tests share: files to write, the program to run, its answer to read.
#![allow(dead_code)]

#[path = "../../../../tests/common/parts.rs"]
mod parts;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Status and output of a run of the program.
#[derive(Debug)]
pub struct Done {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// The program, on the adapter that the tests use: the CPU engine unless TREEFOLD_TEST_ADAPTER names another.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treefold"));
    command.env_remove("RUST_LOG").env("XDG_CACHE_HOME", caches());
    command
}

/// The folder of caches of all tests: never the user's own.
pub fn caches() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("caches")
}

pub fn adapter() -> String {
    std::env::var("TREEFOLD_TEST_ADAPTER").unwrap_or_else(|_| "cpu".into())
}

/// These cases on the CPU engine, and where every combination is wanted; on an adapter, where each process compiles kernels, one in so many of
/// them, the first that of this turn.
pub fn cases<C>(so_many: usize, turn: usize, all: impl IntoIterator<Item = C>) -> Vec<C> {
    let (so_many, turn) = if adapter() == "cpu" || parts::all() { (1, 0) } else { (so_many, turn % so_many) };
    all.into_iter().skip(turn).step_by(so_many).collect()
}

/// The names of operators that people type.
pub fn operators() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        treefold::ops::TABLE.iter().map(|entry| entry.fast_form_of.unwrap_or(entry.name)).collect();
    names.dedup();
    names
}

/// Runs it with these arguments and nothing on standard input.
pub fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Done {
    run_with(args, b"")
}

/// Says what is skipped, and why: cargo hides what a test that passes prints, but not this.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The adapter that the tests use, where it computes that operator over such elements; else any that does.
pub fn adapter_for(name: &str, dtype: &str) -> String {
    let alone =
        |entry: &treefold::ops::Entry| (entry.name, entry.dtype.name()) == (name, dtype) && entry.host_only.is_some();
    if treefold::ops::TABLE.iter().any(alone) { "auto".into() } else { adapter() }
}

/// Runs it on that adapter.
pub fn run_where<A: AsRef<OsStr>>(adapter: &str, args: impl IntoIterator<Item = A>) -> Done {
    let mut command = program();
    command.arg("--adapter").arg(adapter).args(args);
    finish(command, b"")
}

/// Runs it with these arguments and these bytes on standard input, a pipe.
pub fn run_with<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>, stdin: &[u8]) -> Done {
    let args: Vec<A> = args.into_iter().collect();
    let mut command = program();
    // Only what computes is told where.
    if !args.first().is_some_and(|word| word.as_ref() == "merge" || word.as_ref() == "adapters") {
        command.arg("--adapter").arg(adapter());
    }
    command.args(args);
    finish(command, stdin)
}

/// Runs a command to its end.
pub fn finish(mut command: Command, stdin: &[u8]) -> Done {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // The program may end without reading all of it.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let done = done(child);
    writer.join().unwrap();
    done
}

/// Starts it with these arguments and nothing on standard input.
pub fn start<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Child {
    let mut command = program();
    command.arg("--adapter").arg(adapter()).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The end of a run; the status of one that a signal ended is -1.
pub fn done(child: Child) -> Done {
    let output = child.wait_with_output().unwrap();
    Done {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Done {
    /// The JSON object of a run that did well.
    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.status, 0, "{self:?}");
        assert!(self.out.ends_with('\n') && self.out.lines().count() == 1, "{self:?}");
        serde_json::from_str(&self.out).unwrap()
    }

    /// The standard output of a run that did well, without the line's end.
    pub fn text(&self) -> &str {
        assert_eq!(self.status, 0, "{self:?}");
        self.out.trim_end()
    }

    /// Checks a run that went wrong: its status, one line that holds these phrases, nothing on standard output.
    pub fn fails(&self, status: i32, phrases: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert!(self.err.starts_with("treefold: ") && self.err.lines().count() == 1, "{self:?}");
        for phrase in phrases {
            assert!(self.err.contains(phrase), "no {phrase:?} in {}", self.err);
        }
    }
}

/// A folder that goes away with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its name.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        text(path)
    }

    /// Writes a .npy file of these f32.
    pub fn f32(&self, name: &str, numbers: &[f32]) -> String {
        self.file(name, &npy_f32(numbers))
    }

    /// Writes a .npy file of these i32.
    pub fn i32(&self, name: &str, numbers: &[i32]) -> String {
        self.file(name, &npy_i32(numbers))
    }
}

/// A named pipe, and its end to write to once the program has opened the other one.
#[cfg(unix)]
pub struct Fifo(PathBuf);

#[cfg(unix)]
impl Fifo {
    pub fn new(folder: &Folder, name: &str) -> Fifo {
        let path = folder.path().join(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Fifo(path)
    }

    pub fn name(&self) -> String {
        text(self.0.clone())
    }

    /// Waits until it is opened for reading.
    pub fn writer(&self) -> std::fs::File {
        std::fs::OpenOptions::new().write(true).open(&self.0).unwrap()
    }
}

pub fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}

/// A .npy file as numpy 2 writes it.
pub fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    npy_of(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"), data)
}

/// A .npy file whose header has this text.
pub fn npy_of(header: &str, data: &[u8]) -> Vec<u8> {
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    bytes.extend(data);
    bytes
}

pub fn npy_f32(numbers: &[f32]) -> Vec<u8> {
    npy("'<f4'", false, &format!("({},)", numbers.len()), &raw_f32(numbers))
}

pub fn npy_i32(numbers: &[i32]) -> Vec<u8> {
    npy("'<i4'", false, &format!("({},)", numbers.len()), &raw_i32(numbers))
}

pub fn raw_f32(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub fn raw_i32(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}
