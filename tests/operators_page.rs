//! docs/operators.md is what the table of operators says. `TREEFOLD_WRITE=1 cargo test --test operators_page` writes it.

use std::fmt::Write;
use treefold::Dtype;
use treefold::ops::{Entry, TABLE, names};

/// The text above the table, and the text below it.
const HEAD: &str = "# Operators

Which operator takes which elements, and where it is computed: on devices and on the CPU engine (`yes`, `exact` where the answer is the
real-number one, rounded once at most), on the CPU engine alone (`CPU`, with the number of the reason below), or not at all (`·`). By rows, axes,
segments and groups as for whole inputs, but that on devices bins have no segments, runs or groups and no count that the device alone knows, nor have three long
sums and more (`skewness` and `kurtosis` of f32, `covariance`, `correlation` and `cosine` of f64, and tuples of such sums), and that what counts the order has no
groups of unsorted keys. Made from the table in `src/ops/mod.rs` by `TREEFOLD_WRITE=1 cargo test --test operators_page`.

";

const TAIL: &str = "
`bf16`, `i8`, `i16`, `u8` and `u16` are elements of every operator over `f32`, `i32` and `u32`, and `f16` of every one over `f32`: the library's
`Widened(op)` reads them packed as they are, and the program widens them as it reads a file. Every operator over single numbers is one over what a function makes of each, too
(`Mapped`, `Expression`; `--map`): of 32 bits wherever the operator is computed, of 64 on the CPU engine. And every operator is one over those elements only that pass a condition
(`Filtered`; `--nan ignore`, `--where`): NaN and comparisons of every type wherever the operator is computed; a condition of your own, or one
on what a function makes or another condition lets through, as the page of `Filtered` says. A mask beside the numbers, bytes or bits, goes
with the operators of this table over every type of numbers (`Filtered::masked`; `--mask`), on a device those that have kernels over single numbers.

Every operator over single numbers is one over each number of vectors, in one read of them: `Components(Mean)` over `[f32; 3]`, over vectors of
two, three (12 or 16 bytes apart) and four numbers of f32, i32, u32, and of f16 two, three (8 bytes apart) and four; the page of `Vector` has the
list, and what an operator or a function of your own gets of whole vectors. `c64` and `c128` are complex numbers (`Complex`), NumPy's `complex64` and
`complex128`, their sums and means exact in both parts, their norm that of all real numbers in them. On a device the norm and the product of
complex numbers are finished by the host. An element type of your own is one `impl Element` with a `Dtype::Own`: examples/11_own_element.rs.

Types that end in x2 are pairs of two numbers, for operators over two inputs. The program makes pairs of two files of any types whose numbers one of
these has exactly: of i32 and f32, say, pairs of f64.

The ordinary run of the tests has every operator over every type with every treatment of NaN on the CPU engine, and on an adapter parts that cover
them; `scripts/test --all` has the rest. It was run last on 2026-11-30, of commit 6428989c, on lavapipe (Mesa 22.3.6) with debug assertions: none
failed.

What is not there yet: fast sums of other types than f32 and what is widened to it.
";

const TYPES: [Dtype; 13] = [
    Dtype::F32,
    Dtype::F16,
    Dtype::F64,
    Dtype::I32,
    Dtype::U32,
    Dtype::I64,
    Dtype::U64,
    Dtype::F32x2,
    Dtype::F64x2,
    Dtype::I64x2,
    Dtype::U64x2,
    Dtype::C64,
    Dtype::C128,
];

/// The page.
fn page() -> String {
    let mut reasons: Vec<&str> = vec![];
    let mut out = String::from(HEAD);
    let heads: Vec<&str> = TYPES.iter().map(|dtype| dtype.name()).collect();
    let _ = writeln!(out, "| operator | | {} |\n|---|---|{}", heads.join(" | "), "---|".repeat(TYPES.len()));
    for name in names() {
        let over = |dtype: Dtype| TABLE.iter().find(|entry| (entry.name, entry.dtype) == (name, dtype));
        let mut cell = |entry: Option<&Entry>| match entry {
            None => "·".to_string(),
            Some(Entry { host_only: Some(why), .. }) => {
                let number = reasons.iter().position(|known| known == why).unwrap_or_else(|| {
                    reasons.push(why);
                    reasons.len() - 1
                });
                format!("CPU {}", number + 1)
            }
            Some(entry) => if entry.exact { "exact" } else { "yes" }.to_string(),
        };
        let cells: Vec<String> = TYPES.iter().map(|&dtype| cell(over(dtype))).collect();
        let about = TABLE.iter().find(|entry| entry.name == name).map_or("", |entry| entry.about).replace('|', "\\|");
        let _ = writeln!(out, "| `{name}` | {about} | {} |", cells.join(" | "));
    }
    out.push_str("\nOn the CPU alone:\n\n");
    for (number, why) in reasons.iter().enumerate() {
        let _ = writeln!(out, "{}. {why}.", number + 1);
    }
    out + TAIL
}

#[test]
fn the_page_is_what_the_table_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operators.md");
    if std::env::var_os("TREEFOLD_WRITE").is_some() {
        std::fs::write(path, page()).expect("a page");
    }
    let there = std::fs::read_to_string(path).expect("docs/operators.md");
    assert!(
        there == page(),
        "docs/operators.md is not what the table says; write it: TREEFOLD_WRITE=1 cargo test --test operators_page"
    );
    assert!(there.matches("\n| `").count() == names().len() && there.contains("| `hash` |"));
}
