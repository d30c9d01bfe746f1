//! The file in which the program keeps what it learns of an adapter: what the next call takes of it, and all that may be wrong with it,
//! of which nobody hears.
#![cfg(unix)]

use crate::common::{Done, Folder, caches, finish, program, run, tell};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const RUN: &str = "has run its self-test";
const TAKEN: &str = "whose verdict is kept";

/// The folder of Mesa's own cache, which it would have under XDG_CACHE_HOME, and complain where it cannot. It makes one folder, not two.
fn mesa() -> PathBuf {
    std::fs::create_dir_all(caches()).unwrap();
    caches().join("mesa")
}

/// The program, with Mesa's cache elsewhere.
fn quiet() -> Command {
    let mut command = program();
    command.env("MESA_SHADER_CACHE_DIR", mesa());
    command
}

/// Exact sums on an adapter, with a folder for caches.
struct Room {
    folder: Folder,
    input: String,
    adapter: String,
}

impl Room {
    /// `None` where no adapter has caches.
    fn new() -> Option<Room> {
        let list = run(["adapters", "--json"]).json();
        let list = list["adapters"].as_array().unwrap();
        let Some(found) = list.iter().find(|adapter| adapter["backend"] == "vulkan") else {
            tell("skipped: no adapter has caches");
            return None;
        };
        let folder = Folder::new();
        let input = folder.f32("x.npy", &[1e30, 1.5, -1e30, 0.25]);
        Some(Room { folder, input, adapter: found["adapter"].to_string() })
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("caches")
    }

    fn treefold(&self) -> PathBuf {
        self.home().join("treefold")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = quiet();
        command.args(["sum", "-q", "--adapter", &self.adapter, &self.input]).args(args);
        command.env("XDG_CACHE_HOME", self.home());
        command
    }

    /// A sum that is right and says nothing.
    fn silent(&self, args: &[&str]) {
        let done = finish(self.command(args), b"");
        assert_eq!((done.text(), done.err.as_str()), ("1.75", ""));
    }

    /// A sum that is right; what the log tells of it.
    fn told(&self) -> String {
        let mut command = self.command(&["-v"]);
        command.env("RUST_LOG", "treefold=debug");
        let done = finish(command, b"");
        assert_eq!(done.text(), "1.75");
        done.err
    }

    /// The one file.
    fn file(&self) -> PathBuf {
        let files = listed(&self.treefold());
        assert!(files.len() == 1 && files[0].extension().unwrap() == "treefold-cache", "{files:?}");
        files[0].clone()
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

#[test]
fn the_next_call_takes_what_this_one_learned() {
    let Some(room) = Room::new() else { return };
    let first = room.told();
    assert!(first.contains(RUN) && !first.contains(TAKEN), "{first}");
    assert!(first.contains("bytes written to"), "{first}");
    let file = room.file();
    assert_eq!((mode(&file), mode(&room.treefold())), (0o600, 0o700));
    let written = std::fs::metadata(&file).unwrap();
    let second = room.told();
    assert!(!second.contains(RUN) && second.contains(TAKEN), "{second}");
    assert!(!second.contains("written"), "{second}");
    let found = std::fs::metadata(room.file()).unwrap();
    assert_eq!((found.ino(), found.modified().unwrap()), (written.ino(), written.modified().unwrap()));
    room.silent(&[]);
}

/// Whatever stands in its place is not taken, and replaced.
#[test]
fn what_is_no_cache_is_replaced() {
    let Some(room) = Room::new() else { return };
    room.silent(&[]);
    let file = room.file();
    let good = std::fs::read(&file).unwrap();
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        ("nothing".into(), vec![]),
        ("a text".into(), b"treefold\n".to_vec()),
        ("half".into(), good[..good.len() / 2].to_vec()),
        ("one byte less".into(), good[..good.len() - 1].to_vec()),
        ("one byte more".into(), [&good[..], &[0]].concat()),
        ("more than is read".into(), vec![0; (16 << 20) + 1]),
    ];
    for at in [0, 7, 8, 40, good.len() / 2, good.len() - 1] {
        let mut damaged = good.clone();
        damaged[at] ^= 1;
        cases.push((format!("byte {at}"), damaged));
    }
    for (what, bytes) in cases {
        std::fs::write(&file, &bytes).unwrap();
        room.silent(&[]);
        assert!(std::fs::read(room.file()).unwrap() == good, "{what}");
        std::fs::write(&file, &bytes).unwrap();
        let told = room.told();
        assert!(told.contains(RUN) && !told.contains(TAKEN), "{what}: {told}");
        assert!(bytes.is_empty() || told.contains("is replaced") || told.contains("is not read"), "{what}: {told}");
    }
}

/// One that others may have written, or that is no file at all.
#[test]
fn a_file_of_others_is_replaced() {
    let Some(room) = Room::new() else { return };
    room.silent(&[]);
    let file = room.file();
    let good = std::fs::read(&file).unwrap();
    let elsewhere = room.folder.file("elsewhere", &good);
    let put: [(&str, &dyn Fn()); 5] = [
        ("a mode for all", &|| set_mode(&file, 0o666)),
        ("a mode for a group", &|| set_mode(&file, 0o620)),
        ("a link", &|| std::os::unix::fs::symlink(&elsewhere, &file).unwrap()),
        ("a pipe", &|| assert!(Command::new("mkfifo").arg(&file).status().unwrap().success())),
        ("another's", &|| {
            if is_root() {
                std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
            } else {
                set_mode(&file, 0o666);
            }
        }),
    ];
    for (what, put) in put {
        if what == "a link" || what == "a pipe" {
            std::fs::remove_file(&file).unwrap();
        }
        put();
        let told = room.told();
        assert!(told.contains(RUN) && !told.contains(TAKEN) && told.contains("is not read"), "{what}: {told}");
        assert_eq!((mode(&room.file()), std::fs::read(&file).unwrap() == good), (0o600, true), "{what}");
        assert!(std::fs::symlink_metadata(&file).unwrap().is_file(), "{what}");
        room.silent(&[]);
    }
    assert!(std::fs::read(elsewhere).unwrap() == good);
}

/// Nothing is read from, or written to, a folder in which others may put files.
#[test]
fn a_folder_of_others_is_left_alone() {
    let Some(room) = Room::new() else { return };
    room.silent(&[]);
    let (file, good) = (room.file(), std::fs::read(room.file()).unwrap());
    let ino = std::fs::metadata(&file).unwrap().ino();
    set_mode(&room.treefold(), 0o777);
    let told = room.told();
    assert!(told.contains(RUN) && told.contains("is not read") && told.contains("is not written"), "{told}");
    room.silent(&[]);
    let found = std::fs::metadata(room.file()).unwrap();
    assert!(found.ino() == ino && std::fs::read(&file).unwrap() == good);
}

#[test]
fn no_cache_touches_nothing() {
    let Some(room) = Room::new() else { return };
    room.silent(&["--no-cache"]);
    assert!(!room.home().exists());
    room.silent(&[]);
    let file = room.file();
    std::fs::write(&file, b"not read, not written").unwrap();
    let done = finish(room.command(&["--no-cache", "-v"]), b"");
    assert!(done.text() == "1.75" && !done.err.contains("cache"), "{done:?}");
    assert_eq!(std::fs::read(&file).unwrap(), b"not read, not written");
}

/// What opens no adapter, or computes nothing, has no cache.
#[test]
fn others_have_none() {
    let Some(room) = Room::new() else { return };
    let lines: [&[&str]; 4] =
        [&["sum", &room.input], &["sum", "--adapter", "cpu", &room.input], &["adapters"], &["explain", "sum"]];
    for args in lines {
        let mut command = quiet();
        command.args(args).env("XDG_CACHE_HOME", room.home());
        assert_eq!(finish(command, b"").status, 0, "{args:?}");
        assert!(!room.home().exists(), "{args:?}");
    }
    run(["adapters", "--no-cache"]).fails(2, &["leave out --no-cache"]);
    run(["merge", "--no-cache", "x.part"]).fails(2, &["leave out --no-cache"]);
}

/// Silence where it cannot be written.
#[test]
fn folders_that_cannot_be_written() {
    let Some(room) = Room::new() else { return };
    let file = room.folder.file("a-file", b"");
    let locked = room.folder.path().join("locked");
    std::fs::create_dir(&locked).unwrap();
    set_mode(&locked, 0o500);
    let homes = [file.as_str(), "/proc/nowhere", "/dev/null", locked.to_str().unwrap()];
    for home in homes.into_iter().filter(|home| !is_root() || !home.ends_with("locked")) {
        let done = |args: &[&str]| {
            let mut command = room.command(args);
            command.env("XDG_CACHE_HOME", home);
            finish(command, b"")
        };
        let silent = done(&[]);
        assert_eq!((silent.text(), silent.err.as_str()), ("1.75", ""), "{home}");
        let told = done(&["-v"]);
        assert!(told.text() == "1.75" && told.err.contains("is not written: "), "{home}: {}", told.err);
    }
    set_mode(&locked, 0o700);
    // A disk that is full, or a limit of what a file may have.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 0 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_treefold")]);
    limited.args(["sum", "-q", "--adapter", &room.adapter, &room.input]).env("XDG_CACHE_HOME", room.home());
    limited.env("MESA_SHADER_CACHE_DIR", mesa()).env_remove("RUST_LOG");
    let Done { status, out, err } = finish(limited, b"");
    assert_eq!((status, out.as_str(), err.as_str()), (0, "1.75\n", ""));
    assert_eq!(listed(&room.treefold()).len(), 0, "something was left behind");
}

#[test]
fn the_folder_is_bounded() {
    let Some(room) = Room::new() else { return };
    std::fs::create_dir_all(room.treefold()).unwrap();
    set_mode(&room.treefold(), 0o700);
    let put = |name: &str, days: u64, bytes: u64| {
        let file = std::fs::File::create(room.treefold().join(name)).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
    };
    put("a.treefold-cache", 2, 16 << 20);
    put("b.treefold-cache", 4, 16 << 20);
    put("c.treefold-cache", 1, 16 << 20);
    put(".aside-d.treefold-cache", 3, 16 << 20);
    put("not-ours", 9, 64 << 20);
    room.silent(&[]);
    let names = |room: &Room| -> Vec<String> {
        let names = listed(&room.treefold()).into_iter();
        names.map(|path| path.file_name().unwrap().to_str().unwrap().chars().take(8).collect()).collect()
    };
    // The oldest is gone: with the new one all have room.
    assert_eq!(names(&room), [".aside-d", "a.treefo", "c.treefo", "not-ours", "wgpu_pip"]);
    assert!(room.told().contains(TAKEN));
}

/// All write the whole of it, and the last one's stays.
#[test]
fn calls_at_once() {
    let Some(room) = Room::new() else { return };
    let start = || {
        let mut command = room.command(&[]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = (0..4).map(|_| start()).collect();
    for done in all.into_iter().map(crate::common::done) {
        assert_eq!((done.text(), done.err.as_str()), ("1.75", ""));
    }
    room.file();
    let told = room.told();
    assert!(!told.contains(RUN) && told.contains(TAKEN), "{told}");
}

/// Without XDG_CACHE_HOME, or with one that is no absolute path, under the home; without that nowhere.
#[test]
fn its_folder() {
    let Some(room) = Room::new() else { return };
    let home = room.folder.path().join("home");
    let under = home.join(if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" });
    for value in [None, Some(""), Some("relative")] {
        let mut command = room.command(&[]);
        command.env_remove("XDG_CACHE_HOME").envs(value.map(|value| ("XDG_CACHE_HOME", value))).env("HOME", &home);
        command.current_dir(room.folder.path());
        let done = finish(command, b"");
        assert_eq!((done.text(), done.err.as_str()), ("1.75", ""));
        assert_eq!(listed(&under.join("treefold")).len(), 1, "{value:?}");
        std::fs::remove_dir_all(&home).unwrap();
        assert!(!room.folder.path().join("relative").exists() && !room.folder.path().join("treefold").exists());
    }
    let mut command = room.command(&["-v"]);
    command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
    let done = finish(command, b"");
    assert!(done.text() == "1.75" && done.err.contains("cache: there is no folder"), "{done:?}");
}

/// The tests' own calls write to a folder of the build, not to the user's.
#[test]
fn tests_have_a_folder_of_their_own() {
    let command = program();
    let told = command.get_envs().find(|(name, _)| *name == "XDG_CACHE_HOME").and_then(|(_, value)| value);
    assert_eq!(told, Some(caches().as_os_str()));
    assert!(caches().starts_with(env!("CARGO_TARGET_TMPDIR")));
}
