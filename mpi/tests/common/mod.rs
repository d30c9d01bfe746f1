//! Jobs of mpirun, and the answers of one process.

#![allow(dead_code)]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use treefold_cli::args::{Args, command, parsed};
use treefold_cli::run;

/// Numbers of ranks, more than there are files, rows and processors among them.
pub const RANKS: [usize; 6] = [1, 2, 3, 4, 7, 16];

/// Where Open MPI puts its session folders.
const SESSION: &str = "OMPI_MCA_orte_tmpdir_base";

/// Jobs so far.
static JOBS: AtomicUsize = AtomicUsize::new(0);

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_treefold-mpi");

/// An mpirun that starts more ranks than there are processors, as whoever calls.
pub fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    // Of several at once that find no session folder one makes it, and the others give up: each has one of its own.
    let session =
        std::env::temp_dir().join(format!("mpi{}.{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed)));
    command.env(SESSION, session);
    command.args(["--oversubscribe", "--allow-run-as-root"]);
    // Containers forbid the copy from process to process, which is tried and then complained about.
    command
        .env("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
        .env_remove("WGPU_ADAPTER_NAME")
        .stdin(Stdio::null());
    command
}

/// A job that has ended.
pub struct Done {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn of(output: Output) -> Done {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Done { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// What it printed, where it went well.
    pub fn text(self) -> String {
        assert_eq!(self.status, 0, "{}{}", self.out, self.err);
        self.out
    }

    /// The error of the program, where it printed no answer.
    pub fn error(self) -> String {
        assert_ne!(self.status, 0, "{}", self.out);
        assert_eq!(self.out, "", "{}", self.err);
        let lines: Vec<&str> = self.err.lines().filter(|line| line.starts_with("treefold-mpi:")).collect();
        assert_eq!(lines.len(), 1, "{}", self.err);
        lines[0].into()
    }
}

/// The program on so many ranks.
pub fn job<S: AsRef<str>>(ranks: usize, args: &[S]) -> Done {
    let mut command = mpirun();
    command.args(["-n", &ranks.to_string(), PROGRAM]).args(args.iter().map(AsRef::as_ref));
    let output = command.output().expect("mpirun");
    // What mpirun leaves of its session folder is empty.
    for (_, session) in command.get_envs().filter(|(name, _)| *name == SESSION) {
        let _ = session.map(std::fs::remove_dir);
    }
    Done::of(output)
}

/// An answer in JSON, without what says how it came about.
pub fn answer(json: &str) -> Value {
    let mut answer: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let members = answer.as_object_mut().expect("an object");
    for member in ["adapter", "backend", "seconds"] {
        assert!(members.remove(member).is_some(), "{member}");
    }
    answer
}

/// The answer of one process: what `treefold` prints.
pub fn one_process<S: AsRef<str>>(args: &[S]) -> Value {
    let all = ["treefold", "--json"].into_iter().chain(args.iter().map(AsRef::as_ref));
    let matches = command::<Args>().try_get_matches_from(all).expect("a command line");
    let args = parsed(&matches).expect("arguments").checked().expect("right ones");
    answer(&run::shown_as_asked(&args, &run::run(&args).expect("a report")).expect("a line"))
}

/// Whether so many ranks have the answer of one process; that.
pub fn same<S: AsRef<str>>(ranks: usize, args: &[S]) -> Value {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let found = answer(&job(ranks, &[&["--json"], &args[..]].concat()).text());
    assert_eq!(found, one_process(&args), "{ranks} ranks: {args:?}");
    found
}

/// A folder of files for a test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn named(&self, name: &str) -> String {
        self.path().join(name).into_os_string().into_string().expect("a name")
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path: PathBuf = self.path().join(name);
        std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes)).expect("a file");
        self.named(name)
    }

    /// A .npy file of an array.
    pub fn array<const N: usize>(&self, name: &str, descr: &str, shape: &[usize], numbers: &[[u8; N]]) -> String {
        self.npy(name, descr, shape, false, &numbers.concat())
    }

    /// A .npy file of f32.
    pub fn f32(&self, name: &str, shape: &[usize], numbers: &[f32]) -> String {
        self.array(name, "<f4", shape, &numbers.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>())
    }

    pub fn npy(&self, name: &str, descr: &str, shape: &[usize], fortran: bool, bytes: &[u8]) -> String {
        let lengths: String = shape.iter().map(|length| format!("{length},")).collect();
        let order = if fortran { "True" } else { "False" };
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({lengths}), }}");
        header += &" ".repeat(63 - (10 + header.len()) % 64);
        header.push('\n');
        let length = (header.len() as u16).to_le_bytes();
        self.file(name, &[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), bytes].concat())
    }
}

/// Numbers of all signs and almost all exponents, of which many are equal.
pub fn numbers(count: usize) -> Vec<f32> {
    let scrambled = |i: u32| (i % 1009).wrapping_mul(0x9e37_79b9) & 0xbfff_ffff;
    (0..count as u32).map(|i| f32::from_bits(scrambled(i))).collect()
}
