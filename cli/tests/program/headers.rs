//! Headers of .npy files: what numpy reads is read, what lies is refused in one line, advice loses nothing.

use crate::common::*;

/// The sum of a file whose header is this.
fn read(header: &str, data: &[u8]) -> Done {
    let folder = Folder::new();
    run(["sum", "-q", &folder.file("x.npy", &npy_of(header, data))])
}

#[test]
fn what_numpy_reads_is_read() {
    let three = |descr: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}");
    let f32s = raw_f32(&[1.0, 2.0, 0.5]);
    for descr in
        ["'f4'", "'=f4'", "'|f4'", "u'<f4'", "\"<f4\"", "'''<f4'''", "r'<f4'", "'<' 'f4'", "('<f4')", "'float32'"]
    {
        assert_eq!(read(&three(descr), &f32s).text(), "3.5", "{descr}");
    }
    for descr in ["'f'", "'<f'", "'single'", "'\\x3cf4'", "'f4' # a comment'\n"] {
        assert_eq!(read(&three(descr), &f32s).text(), "3.5", "{descr}");
    }
    let f64s: Vec<u8> = [1.0f64, 2.0, 0.1].iter().flat_map(|x| x.to_le_bytes()).collect();
    for descr in ["'<d'", "'d'", "'float64'", "'double'"] {
        assert_eq!(read(&three(descr), &f64s).text(), "3.1", "{descr}");
    }
    let i64s: Vec<u8> = [1i64, -2, 1 << 40].iter().flat_map(|x| x.to_le_bytes()).collect();
    for descr in ["'|i8'", "'<q'", "'int64'", "'i8'"] {
        assert_eq!(read(&three(descr), &i64s).text(), "1099511627775", "{descr}");
    }
    for (descr, sum) in [("'?'", "2"), ("'|b1'", "2"), ("'B'", "257"), ("'uint8'", "257"), ("'b'", "1"), ("'>i1'", "1")]
    {
        assert_eq!(read(&three(descr), &[0, 2, 255]).text(), sum, "{descr}");
    }
    let six = raw_i32(&[1, 2, 3, 4, 5, 6]);
    for shape in ["(6,)", "(6L,)", "(2, 3)", "(2,3,)", "((6,))", "((6),)", "( 6 ,\t)"] {
        let header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}}}");
        assert_eq!(read(&header, &six).text(), "21", "{shape}");
    }
    for header in [
        "{'shape' : (6,), 'fortran_order' :False,'descr':'<i4'}",
        "  {\"shape\":(6,),\n# one\n\"fortran_order\":\r\nFalse, # two\n\"descr\":\x0c'<i4'}  # three",
        "({'shape': (1_0,), 'fortran_order': True, 'descr': '|u1'})",
        "{'shape': (3, 0, 99999999999), 'fortran_order': False, 'descr': '<i4'}",
    ] {
        let sum = if header.contains("u1") {
            "10"
        } else if header.contains(" 0,") {
            "0"
        } else {
            "21"
        };
        let data = if header.contains("u1") { vec![1; 10] } else { six.clone() };
        assert_eq!(read(header, &data).text(), sum, "{header}");
    }
}

#[test]
fn what_lies_is_refused() {
    let shape = |shape: &str| format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    for (header, phrases) in [
        (shape("(4294967296, 4294967296)"), ["(4294967296, 4294967296)", "than any file"]),
        (shape("(2305843009213693952,)"), ["(2305843009213693952,)", "than any file"]),
        (shape("(4611686018427387904, 4)"), ["4611686018427387904", "than any file"]),
        (shape("(18446744073709551617,)"), ["18446744073709551617", "than any file"]),
        (shape("(0, 9223372036854775808)"), ["(0, 9223372036854775808)", "than any file"]),
        (shape("(0x3,)"), ["0x3", "decimal digits"]),
        (shape("(0b11,)"), ["0b11", "decimal digits"]),
        (shape("(03,)"), ["03", "decimal digits"]),
        (shape("(3.0,)"), ["3.0", "decimal digits"]),
        (shape("(3e0,)"), ["3e0", "decimal digits"]),
        (shape("(True,)"), ["'shape'", "decimal digits"]),
        (shape("(-3,)"), ["-3", "a value is expected"]),
        (shape("(2+1,)"), ["+1", "a comma"]),
        (shape("(2*3,)"), ["*3", "a comma"]),
        (shape("[3]"), ["'shape'", "no tuple"]),
        (shape("(3)"), ["'shape'", "no tuple"]),
        (shape("(3,), 'shape': (4,)"), ["'shape'", "twice"]),
        (shape("(3,), 'descr': '<i4'"), ["'descr'", "twice"]),
        (shape("(3,), 'more': 1"), ["unknown key", "'more'"]),
        (shape("(3,), 4: 1"), ["a key", "no string"]),
        (shape("(3,)}, {'a': 1"), ["behind its end", ", {"]),
        ("{'descr': '<f4', 'fortran_order': False, 'a\\'shape\\': (9,)': 1}".into(), ["unknown key", "shape"]),
        ("{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}".into(), ["'fortran_order'", "neither"]),
        ("{'descr': '<f4', 'fortran_order': False}".into(), ["no key", "'shape'"]),
        ("{'fortran_order': False, 'shape': (3,)}".into(), ["no key", "'descr'"]),
        ("{'descr': '<f4\n', 'fortran_order': False, 'shape': (3,)}".into(), ["a string", "without an end"]),
        ("{'descr': '<f4'".into(), ["save the array again", "a comma or }"]),
        (String::new(), ["save the array again", "ends too early"]),
        (format!("{{'{}': 1}}", "\u{1b}]0;x".repeat(90)), ["unknown key", "..."]),
        (shape(&format!("({})", "1, ".repeat(9000) + "4294967296, 4294967296")), ["(1, 1, 1", "than any file"]),
    ] {
        let done = read(&header, &[0; 64]);
        done.fails(1, &["x.npy", "save the array again", phrases[0], phrases[1]]);
        let own = done.err.split("is damaged: ").nth(1).unwrap();
        assert!(own.chars().count() < 220 && !own.contains('\u{1b}'), "{own:?}");
    }
    let folder = Folder::new();
    let mut other = npy_i32(&[1]);
    other[6] = 4;
    run(["sum", &folder.file("v4.npy", &other)]).fails(1, &["v4.npy", "version 4.0", "1.0, 2.0 and 3.0"]);
    other[6] = 3;
    other.splice(8..10, [116, 0, 0, 0]);
    other.drain(12 + 116..12 + 118);
    assert_eq!(run(["sum", "-q", &folder.file("v3.npy", &other)]).text(), "1");
}

/// Runs what the program advises, in a shell, with a numpy that only writes down what it is asked for.
#[cfg(unix)]
#[test]
fn advice_is_quoted_for_the_shell() {
    use std::process::Command;
    if Command::new("python3").arg("--version").output().is_err() {
        tell("skipped: no python3");
        return;
    }
    let folder = Folder::new();
    let numpy = "class A:\n    def __getattr__(self, name): return name\n    def __getitem__(self, name): return name\n\
                 def load(name): open('loaded', 'a').write(repr(name)); return A()\n\
                 def save(name, what): open('saved', 'a').write(repr((name, what)))\n";
    folder.file("numpy.py", numpy.as_bytes());
    for name in [
        "it's.npy",
        "$(touch pwned).npy",
        "`touch pwned`.npy",
        "two  blanks\nand\ta line.npy",
        "\"q\".npy",
        "\\.npy",
        "-é€🦀!.npy",
    ] {
        for (descr, saved) in [
            ("[('b', '<f4')]", "('field.npy', 'b')"),
            ("[('b', '|O'), ('it\\'s \"$(touch pwned)', '<f4')]", "('field.npy', 'it\\'s \"$(touch pwned)')"),
        ] {
            std::fs::write(folder.path().join(name), npy(descr, false, "(1,)", &[0; 8])).unwrap();
            let mut command = program();
            command.current_dir(folder.path()).args(["sum", "--adapter", "cpu", "--", name]);
            let done = finish(command, b"");
            assert!(done.status == 1 && done.err.lines().count() == 1, "{done:?}");
            let advice = &done.err[done.err.find("python3 -c").unwrap()..];
            let ran = Command::new("sh").args(["-c", advice]).current_dir(folder.path()).output().unwrap();
            assert!(ran.status.success(), "{advice} {ran:?}");
            let left = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
            let python = "import sys; assert eval(open('loaded').read()) == sys.argv[1], sys.argv";
            let same = Command::new("python3").args(["-c", python, name]).current_dir(folder.path()).output().unwrap();
            assert!(same.status.success(), "{advice} {same:?}");
            assert_eq!(left("saved"), saved, "{advice}");
            assert!(!folder.path().join("pwned").exists(), "{advice}");
            ["loaded", "saved"].iter().for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
        }
    }
}
