//! Damaged and lying input: whatever comes, there is the right answer or one line of error, with exit status 0, 1 or 2, and
//! soon.
//!
//! `TREEFOLD_HOSTILE` multiplies the cases; `TREEFOLD_HOSTILE_SEED` makes others of them.
#![cfg(target_os = "linux")]

use crate::common::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// No run takes longer, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(60);

fn told(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// Cases, of so many in an ordinary run.
fn cases(ordinary: usize) -> usize {
    ordinary * told("TREEFOLD_HOSTILE", 1) as usize
}

/// Numbers that only seem to be random (splitmix64).
struct Dice(u64);

impl Dice {
    fn of(case: usize) -> Dice {
        Dice(told("TREEFOLD_HOSTILE_SEED", 7).wrapping_mul(1 << 32).wrapping_add(case as u64))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % end as u64) as usize
    }

    fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A run to its end, which must come in time and be a proper one.
fn ended(mut command: Command) -> Done {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{command:?} does not end");
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    let done = done(child);
    assert!((0..=2).contains(&done.status), "{command:?} {done:?}");
    assert!(!done.err.contains("panicked") && !done.err.contains("internal error"), "{command:?} {done:?}");
    if done.status != 0 {
        assert!(done.out.is_empty() && done.err.lines().count() == 1, "{command:?} {done:?}");
        assert!(done.err.starts_with("treefold: ") && done.err.len() < 1000, "{command:?} {done:?}");
    }
    done
}

fn call(args: &[&str]) -> Command {
    let mut command = program();
    command.args(["--adapter", "cpu"]).args(args);
    command
}

/// Each case by one of a few threads.
fn each(cases: usize, check: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |cores| cores.get().min(8)) {
            scope.spawn(|| {
                loop {
                    let case = next.fetch_add(1, Ordering::Relaxed);
                    if case >= cases {
                        return;
                    }
                    check(case);
                }
            });
        }
    });
}

/// A file that is read to `want`, or refused for `None`.
fn check_file(file: &str, bytes: &[u8], want: Option<i64>) {
    std::fs::write(file, bytes).unwrap();
    let done = ended(call(&["sum", "-q", file]));
    let text = String::from_utf8_lossy(bytes);
    match want {
        Some(sum) => assert_eq!((done.status, done.out.trim_end()), (0, sum.to_string().as_str()), "{text:?} {done:?}"),
        None => assert_ne!(done.status, 0, "{text:?} {done:?}"),
    }
}

/// A header, true or lying, and the sum of the ones behind it if it is true.
fn header(dice: &mut Dice) -> (Vec<u8>, Option<i64>) {
    let right = Cell::new(true);
    let lie = |dice: &mut Dice, lies: &[&str]| {
        let lies = dice.one_in(16).then(|| dice.pick(lies).to_string());
        right.set(right.get() && lies.is_none());
        lies
    };
    let mut lengths = vec![];
    for _ in 0..dice.below(5) {
        lengths.push(dice.below(7) as u64);
    }
    let shape = lie(dice, &["3", "[3]", "(3", "(3)", "(3,,)", "(,)", "None", "'(3,)'", "(3;)", "((3, 4), 5)", "(2 3)"]);
    let length = |dice: &mut Dice, lie: Option<String>, length: u64| match (lie, dice.below(8)) {
        (Some(lie), _) => lie,
        (None, 0) => format!("{length}L"),
        (None, 1) => format!("(({length}))"),
        (None, 2) => format!("({length})"),
        _ => length.to_string(),
    };
    let lies = [
        "0x3",
        "03",
        "-1",
        "+-1",
        "1+1",
        "2**2",
        "True",
        "3.0",
        "3e0",
        "3j",
        "99999999999999999999",
        "9223372036854775808",
    ];
    let mut written = vec![];
    for &of in &lengths {
        let lie = lie(dice, &lies);
        written.push(length(dice, lie, of));
    }
    let comma = if lengths.len() == 1 || dice.one_in(3) && !lengths.is_empty() { "," } else { "" };
    let shape = shape.unwrap_or(format!("({}{comma})", written.join(", ")));
    let one = [
        ("<f4", &[0, 0, 0x80, 0x3f][..]),
        (">f4", &[0x3f, 0x80, 0, 0]),
        ("=f4", &[0, 0, 0x80, 0x3f]),
        ("<d", &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
        ("<f2", &[0, 0x3c]),
        ("|i8", &[1, 0, 0, 0, 0, 0, 0, 0]),
        (">u8", &[0, 0, 0, 0, 0, 0, 0, 1]),
        ("i4", &[1, 0, 0, 0]),
        ("<u2", &[1, 0]),
        ("|b1", &[1]),
        ("int8", &[1]),
    ];
    let (descr, one) = dice.pick(&one);
    let prefix = dice.pick(&["", "", "u", "r"]);
    let quote = dice.pick(&["'", "\"", "'''"]);
    let bad = [
        "'<f16'",
        "'<c8'",
        "'|O'",
        "'<V2'",
        "'x4'",
        "''",
        "'<'",
        "'\u{e9}'",
        "[]",
        "[('a', '<f4')]",
        "('<f4', (3,))",
        "b'<f4'",
        "f4",
        "4",
    ];
    let descr = lie(dice, &bad).unwrap_or(format!("{prefix}{quote}{descr}{quote}"));
    let fortran = dice.pick(&["True", "False"]).to_string();
    let fortran = lie(dice, &["1", "None", "'True'", "true", "()", "not False", "[True]"]).unwrap_or(fortran);
    let mut members = vec![("descr", descr), ("fortran_order", fortran), ("shape", shape)];
    members.rotate_left(dice.below(3));
    if dice.one_in(16) {
        right.set(false);
        match dice.below(3) {
            0 => drop(members.pop()),
            1 => members.extend_from_within(..1),
            _ => members.insert(dice.below(4), (dice.pick(&["Shape", "shape ", "", "descr\\n"]), "(3,)".into())),
        }
    }
    let blank = |dice: &mut Dice| dice.pick(&["", "", " ", "\t", "\n", "\r\n", " # 'shape': (9,)\n", "\x0c"]);
    let mut text = "{".to_string();
    for (name, value) in members {
        let quote = dice.pick(&["'", "\""]);
        let blanks = [(); 4].map(|()| blank(dice));
        text += &format!("{}{quote}{name}{quote}{}:{}{value}{},", blanks[0], blanks[1], blanks[2], blanks[3]);
    }
    text += "}";
    text += dice.pick(&["", " ", "\n"]);
    if let Some(end) = lie(dice, &["}", "{}", "1", ", 1", "\0", "\\"]) {
        text += &end;
    }
    let nested = dice.one_in(60);
    if nested {
        text = "(".repeat(200) + &text;
        right.set(false);
    }
    let count = lengths.iter().product::<u64>() as usize;
    let mut data = one.repeat(count);
    match dice.below(10) {
        0 if !data.is_empty() => {
            data.pop();
            right.set(false);
        }
        1 => data.extend([7; 3]),
        _ => (),
    }
    // Latin-1, as numpy reads it.
    let letters: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((letters.len() as u16).to_le_bytes());
    bytes.extend(letters);
    bytes.extend(data);
    (bytes, right.get().then_some(count as i64))
}

#[test]
fn headers_by_a_grammar() {
    let folder = Folder::new();
    let (right, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let cases = cases(1000);
    each(cases, |case| {
        let (bytes, want) = header(&mut Dice::of(case));
        if want.is_some() { &right } else { &wrong }.fetch_add(1, Ordering::Relaxed);
        check_file(&text(folder.path().join(format!("{case}.npy"))), &bytes, want);
    });
    let (right, wrong) = (right.into_inner(), wrong.into_inner());
    assert!(right > cases / 8 && wrong > cases / 8, "{right} {wrong}");
}

/// The header of six numbers, `<i4`, as short as it can be.
fn six() -> Vec<u8> {
    let header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), } \n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header);
    bytes.extend(raw_i32(&[1, 20, 300, 4000, 50000, -600000]));
    bytes
}

/// The sum of a file that was `six` before some of its bits were flipped; by a reader of that one form.
fn meant(bytes: &[u8]) -> Option<i64> {
    let body = bytes.strip_prefix(b"\x93NUMPY")?;
    let (length, rest) = match body {
        [1, 0, a, b, rest @ ..] => (u32::from_le_bytes([*a, *b, 0, 0]), rest),
        [2 | 3, 0, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        _ => return None,
    };
    let (text, data) = rest.split_at_checked(length as usize)?;
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    let text: String = text.chars().filter(|letter| !" \t\r\n\x0c".contains(*letter)).collect();
    let text = text.strip_prefix("{'descr':'")?;
    let (order, text) = text.split_at_checked(1)?;
    let text = text.strip_prefix("i4','fortran_order':False,'shape':(")?.strip_suffix("}")?;
    let (shape, comma) = text.split_once(')')?;
    let lengths = shape.split(',').filter(|length| !length.is_empty());
    let lengths: Option<Vec<usize>> =
        lengths.map(|of| (of == "0" || !of.starts_with('0')).then(|| of.parse().ok())?).collect();
    let lengths =
        lengths.filter(|_| shape.contains(',') && !shape.contains(",,") && (comma.is_empty() || comma == ","))?;
    let of = |four: &[u8]| {
        let four = [four[0], four[1], four[2], four[3]];
        match order {
            ">" => Some(i32::from_be_bytes(four)),
            "<" | "=" | "|" => Some(i32::from_le_bytes(four)),
            _ => None,
        }
    };
    let numbers = data.get(..4 * lengths.iter().product::<usize>())?.chunks(4).map(of);
    numbers.map(|number| number.map(i64::from)).sum()
}

#[test]
fn headers_with_bits_flipped() {
    let folder = Folder::new();
    let whole = six();
    let (bits, data) = (8 * (whole.len() - 24), cases(200));
    assert_eq!(meant(&whole), Some(-545679));
    each(bits + data, |case| {
        let mut bytes = whole.clone();
        let mut dice = Dice::of(case);
        // Each bit of the header alone, then one in each of several bytes.
        if case < bits {
            bytes[case / 8] ^= 1 << (case % 8);
        } else {
            let at: BTreeSet<usize> = (0..=dice.below(4)).map(|_| dice.below(whole.len())).collect();
            at.into_iter().for_each(|at| bytes[at] ^= 1 << dice.below(8));
        }
        let file = text(folder.path().join(format!("{case}.npy")));
        check_file(&file, &bytes, meant(&bytes));
    });
}

#[test]
fn files_cut_anywhere() {
    let folder = Folder::new();
    let whole = six();
    each(whole.len(), |length| {
        check_file(&text(folder.path().join(format!("{length}.npy"))), &whole[..length], None);
    });
}

#[test]
fn odd_files() {
    let folder = Folder::new();
    let path = |name: &str| text(folder.path().join(name));
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    let six = folder.file("six.npy", &six());
    link("six.npy", "link.npy");
    link("nothing", "dangling.npy");
    link("loop", "loop");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let sparse = path("sparse.bin");
    std::fs::File::create(&sparse).unwrap().set_len(40 << 20).unwrap();
    let endless = path("endless.npy");
    let huge = "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775000,), }";
    std::fs::write(&endless, npy_of(huge, b"")).unwrap();
    OpenOptions::new().write(true).open(&endless).unwrap().set_len(1 << 40).unwrap();
    for (file, status) in [
        (six.as_str(), 0),
        (&path("link.npy"), 0),
        (&path("dangling.npy"), 1),
        (&path("loop"), 1),
        (&path("socket"), 1),
        (&path("six.npy/x"), 1),
        (&path(&"long".repeat(100)), 1),
        (&endless, 1),
        (&sparse, 0),
        ("", -1),
        ("/", 1),
        ("/proc", 1),
        ("/proc/self/mem", 1),
        ("/proc/self/cmdline", 0),
        ("/proc/self/environ", -1),
        ("/proc/kallsyms", -1),
        ("/proc/uptime", 0),
        ("/proc/self/fd/0", -1),
        ("/sys/devices/system/cpu/online", 0),
        ("/sys/devices/system/cpu/possible", 0),
        ("/sys/kernel/notes", -1),
        ("/dev/null", -1),
    ] {
        // Not every system has them.
        if std::fs::symlink_metadata(file).is_err() && status == 0 {
            continue;
        }
        let args: &[&str] =
            if file.ends_with(".npy") { &["sum", "-q", file] } else { &["sum", "-q", "--dtype", "u8", file] };
        let done = ended(call(args));
        assert!(status < 0 || done.status == status, "{file} {done:?}");
    }
    // A writer that says nothing.
    let fifo = Fifo::new(&folder, "fifo");
    let child = start(["sum", "--dtype", "u8", &fifo.name()]);
    drop(fifo.writer());
    assert!(done(child).status >= 0);
    // Names of bytes that are no letters.
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff\x1b[31m\n.npy");
    for (descr, status) in [("'<i4'", 0), ("[('b', '<f4'), ('c', '<f4')]", 1)] {
        std::fs::write(folder.path().join(name), npy(descr, false, "(1,)", &[1, 0, 0, 0, 0, 0, 0, 0])).unwrap();
        let mut command = call(&["sum", "-q"]);
        command.arg(folder.path().join(name));
        let done = ended(command);
        assert!(done.status == status && !done.err.contains("python3"), "{done:?}");
    }
}

#[test]
fn more_files_than_may_be_open() {
    let folder = Folder::new();
    let files: Vec<String> = (0..100).map(|i| folder.i32(&format!("{i}.npy"), &[i])).collect();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -n 32; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_treefold"),
        "sum",
        "-q",
        "--adapter",
        "cpu",
    ]);
    command.args(files);
    assert_eq!(ended(command).out, "4950\n");
}

/// Many runs over one file that another thread changes all the while; gives the answers that there were.
fn meanwhile(runs: usize, file: &str, change: impl Fn(&mut Dice) + Sync) -> Vec<String> {
    /// Ends the changes, also where a run fails.
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&over);
        scope.spawn(|| {
            let mut dice = Dice::of(0);
            while !over.load(Ordering::Relaxed) {
                change(&mut dice);
                std::thread::sleep(Duration::from_micros(dice.below(30_000) as u64));
            }
        });
        let answers = (0..runs).map(|run| {
            let adapter = if run % 4 == 3 { adapter() } else { "cpu".into() };
            let mut command = program();
            command.args(["max", "-q", "--dtype", "u32", "--adapter", &adapter, file]);
            ended(command).out
        });
        answers.filter(|answer| !answer.is_empty()).collect()
    })
}

#[test]
fn a_file_that_shrinks_and_grows() {
    let folder = Folder::new();
    let file = folder.file("x.bin", &[0; 48 << 20]);
    let answers = meanwhile(cases(12), &file, |dice| {
        let length = dice.pick(&[0, 4, 1 << 20, 33 << 20, 48 << 20]);
        OpenOptions::new().write(true).open(&file).unwrap().set_len(length).unwrap();
    });
    // Of a length of 0 there is no largest number.
    assert!(answers.iter().all(|answer| answer == "0\n" || answer == "none\n"), "{answers:?}");
}

#[test]
fn a_file_that_is_replaced() {
    let folder = Folder::new();
    let file = folder.file("x.bin", &[1; 16 << 20]);
    let other = text(folder.path().join("other"));
    let answers = meanwhile(cases(12), &file, |dice| {
        let byte = dice.pick(&[1, 2]);
        std::fs::File::create(&other).unwrap().write_all(&vec![byte; 16 << 20]).unwrap();
        std::fs::rename(&other, &file).unwrap();
    });
    assert!(answers.iter().all(|answer| answer == "16843009\n" || answer == "33686018\n"), "{answers:?}");
}

#[test]
fn partials_cut_and_flipped() {
    let folder = Folder::new();
    let (a, b) = (folder.f32("a.npy", &[1.5, -2.0, 1e30]), folder.i32("b.npy", &[7, -8, 9]));
    let cases = cases(30);
    for (operator, from) in [("sum", &a), ("stats", &b), ("argmax", &a), ("histogram", &b)] {
        let part = text(folder.path().join(format!("{operator}.part")));
        let range: &[&str] = if operator == "histogram" { &["--range", "0:1"] } else { &[] };
        assert_eq!(ended(call(&[&[operator, "-q", "--partial", &part, from], range].concat())).status, 0);
        let merge = |parts: &[&str]| {
            let mut command = program();
            command.args(["merge", "-q"]).args(parts);
            ended(command)
        };
        assert_eq!(merge(&[&part]).status, 0);
        let whole = std::fs::read(&part).unwrap();
        each(cases, |case| {
            let mut dice = Dice::of(case);
            let mut bytes = whole.clone();
            match case % 3 {
                0 => bytes.truncate(dice.below(whole.len())),
                1 => bytes[dice.below(whole.len().min(96))] ^= 1 << dice.below(8),
                _ => bytes[dice.below(whole.len())] ^= 1 << dice.below(8),
            }
            let file = text(folder.path().join(format!("{operator}{case}.part")));
            std::fs::write(&file, &bytes).unwrap();
            let done = merge(&[&part, &file]);
            assert_eq!(done.status, 1, "{operator} {case} {done:?}");
        });
    }
}
