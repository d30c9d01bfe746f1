//! Files that are not what they seem: without a size, with a wrong one, replaced, rewritten, longer or shorter meanwhile.
#![cfg(target_os = "linux")]

use crate::common::*;
use std::fs::{File, OpenOptions};
use std::io::Write;

/// The sum of a file's bytes.
fn sum(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>().to_string()
}

#[test]
fn files_without_a_size_are_read() {
    let mut seen = 0;
    for name in ["/proc/version", "/proc/self/comm", "/proc/filesystems", "/sys/devices/system/cpu/online"] {
        let Ok(bytes) = std::fs::read(name) else { continue };
        let bytes = if name.ends_with("comm") { b"treefold\n".to_vec() } else { bytes };
        let length = std::fs::metadata(name).unwrap().len();
        assert_ne!(length, bytes.len() as u64, "{name}");
        assert_eq!(run(["sum", "-q", "--dtype", "u8", name]).text(), sum(&bytes), "{name}");
        seen += 1;
    }
    assert!(seen >= 3, "there are such files in /proc");
    run(["sum", "--dtype", "u64", "/proc/self/comm"]).fails(1, &["/proc/self/comm", "9 bytes", "multiple of 8"]);
    run(["sum", "/proc/version"]).fails(2, &["/proc/version", "--dtype"]);
}

/// A sum over a file to which this is done after its header is read, before its numbers are.
fn between(change: impl Fn(&Folder, &str)) -> Done {
    let folder = Folder::new();
    let (fifo, file) = (Fifo::new(&folder, "first"), folder.i32("x.npy", &[1, 2, 3]));
    let child = start(["sum", "-q", &fifo.name(), &file]);
    let mut writer = fifo.writer();
    change(&folder, &file);
    writer.write_all(&npy_i32(&[10])).unwrap();
    drop(writer);
    done(child)
}

#[test]
fn files_that_change_before_they_are_read() {
    assert_eq!(between(|_, _| ()).text(), "16");
    between(|folder, file| {
        let other = folder.i32("other.npy", &[4, 5, 6]);
        std::fs::rename(other, file).unwrap();
    })
    .fails(1, &["x.npy: was replaced by another file"]);
    between(|_, file| std::fs::write(file, npy_i32(&[4, 5, 6])).unwrap()).fails(1, &["x.npy: was written to"]);
    between(|_, file| std::fs::write(file, npy_i32(&[4])).unwrap()).fails(1, &["x.npy: became shorter", "140 to 132"]);
    between(|_, file| std::fs::write(file, npy_i32(&[4, 5, 6, 7])).unwrap())
        .fails(1, &["x.npy: its header was changed"]);
    between(|_, file| std::fs::remove_file(file).unwrap()).fails(1, &["x.npy: no such file"]);
    let grown = between(|_, file| OpenOptions::new().append(true).open(file).unwrap().write_all(&[9; 8]).unwrap());
    assert_eq!(grown.text(), "16");
    assert!(grown.err.contains("note") && grown.err.contains("grew from 140 to 148 bytes"), "{}", grown.err);
}

/// Numbers of a file that comes in several parts.
const MANY: usize = 12 << 20;

/// A sum of products during which this is done to the first file, after its first numbers are taken.
fn amid(change: impl Fn(&str)) -> Done {
    let folder = Folder::new();
    let (fifo, file) = (Fifo::new(&folder, "second"), folder.file("x.bin", &vec![0; 4 * MANY]));
    let child = start(["dot", "-q", "--dtype", "f32", &file, &fifo.name()]);
    let mut writer = fifo.writer();
    // Much more than the pipe holds: the first numbers are taken, the others wait for theirs.
    writer.write_all(&vec![0; 4 << 20]).unwrap();
    change(&file);
    // Nobody reads it where the program has ended.
    let _ = writer.write_all(&vec![0; 4 * MANY - (4 << 20)]);
    drop(writer);
    done(child)
}

#[test]
fn files_that_change_while_they_are_read() {
    assert_eq!(amid(|_| ()).text(), "0");
    for length in [0, 5, 2 * MANY as u64, 4 * MANY as u64 - 1] {
        amid(|file| OpenOptions::new().write(true).open(file).unwrap().set_len(length).unwrap())
            .fails(1, &["x.bin: became shorter while it was read", &format!("to {length} bytes")]);
    }
    amid(|file| OpenOptions::new().write(true).open(file).unwrap().write_all(b"another").unwrap())
        .fails(1, &["x.bin: was written to while it was read"]);
    let grown = amid(|file| OpenOptions::new().append(true).open(file).unwrap().write_all(b"12345").unwrap());
    assert_eq!(grown.text(), "0");
    assert!(grown.err.contains("x.bin: grew from 50331648 to 50331653 bytes"), "{}", grown.err);
}

#[test]
fn a_fortran_array_that_shrinks() {
    let folder = Folder::new();
    let (fifo, rows) = (Fifo::new(&folder, "second.npy"), 2 << 10);
    let columns = MANY / rows;
    let shape = format!("({rows}, {columns})");
    let file = folder.file("x.npy", &npy("'<f4'", true, &shape, &vec![0; 4 * MANY]));
    let child = start(["dot", "-q", "--memory", "16MiB", &file, &fifo.name()]);
    let mut writer = fifo.writer();
    let other = npy("'<f4'", false, &shape, &vec![0; 4 * MANY]);
    writer.write_all(&other[..8 << 20]).unwrap();
    OpenOptions::new().write(true).open(&file).unwrap().set_len(1000).unwrap();
    let _ = writer.write_all(&other[8 << 20..]);
    drop(writer);
    done(child).fails(1, &["x.npy: became shorter while it was read", "to 1000 bytes"]);
}

#[test]
fn parts_of_large_files_keep_their_order() {
    let folder = Folder::new();
    let path = folder.path().join("sparse.bin");
    let mut file = File::create(&path).unwrap();
    file.set_len(100 << 20).unwrap();
    let at = (77 << 20) + 4;
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(at)).unwrap();
    file.write_all(&raw_i32(&[5, 6])).unwrap();
    drop(file);
    for memory in ["1MiB", "64MiB", "512MiB"] {
        let done = run(["argmax", "-q", "--dtype", "i32", "--memory", memory, path.to_str().unwrap()]);
        assert_eq!(done.text(), format!("6 {}", at / 4 + 1), "{memory}");
    }
}
