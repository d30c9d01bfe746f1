//! The folds and answers of an operator as text: each alone under its own names, each of several behind a prefix.

use super::glue::{NARROW, settles_narrow, stores_narrow};
use super::{Pieces, Source, in_pairs, loads_in_parts, regions, unrolled};
use crate::element::Dtype;
use crate::op::{Bins, DeviceOp, LINES_MAX, Leaf, OF_ELEMENTS, Text, declared, prefixed, renamed, tokens, unroll};
use crate::plan::{Kernel, Store, Variant};
use std::fmt::Write;

/// The prefix of a fold's names: none, where it is the only one in the text.
pub(super) fn prefix(op: &DeviceOp, fold: usize, variant: &Variant) -> String {
    let alone = match variant.kernel {
        Kernel::Reduce
        | Kernel::Columns { .. }
        | Kernel::Segments { .. }
        | Kernel::Groups { .. }
        | Kernel::Carry
        | Kernel::Clear => op.folds.len() == 1,
        Kernel::Combine { .. } => op.folds.len() == 1 || op.folds[fold].bins().is_some(),
        // An answer's accumulator has a name of its own.
        Kernel::Finish => false,
    };
    if alone { String::new() } else { format!("m{fold}_") }
}

/// Names that are made for every fold, and so have its prefix.
const MADE: [(&str, bool); 6] = [
    ("store", true),
    ("store_count", true),
    ("store_column", true),
    ("region", true),
    ("param", true),
    ("entry", true),
];

/// The functions of a fold that take elements, or say where they begin: those of what a map makes have this prefix.
const BEHIND: &str = "made_";
const TAKING: [&str; 6] =
    ["accumulate", "accumulate_vector", "accumulate_pair", "init_state", "add_to_cell", "carry_to_cell"];

/// The functions that take what is read, where a map makes of it what the fold is over.
fn mapped(pieces: &mut Pieces, op: &DeviceOp, fold: usize, variant: &Variant) {
    let leaf = &op.folds[fold];
    if !variant.kernel.reads() {
        // Beside folds over another type, whose bits the text speaks of.
        let own = leaf.over_type(op.dtype).bits();
        if own != op.over_type().bits() {
            pieces.text = renamed(&pieces.text, &["Bits"], BEHIND);
            pieces.add(&format!("alias {BEHIND}Bits = {own};"));
        }
        return;
    }
    let Some(map) = &leaf.map else { return };
    let (from, to) = (map.from.bits(), map.to.bits());
    let names = TAKING.into_iter().chain((from != to).then_some("Bits"));
    pieces.text = renamed(&pieces.text, &names.collect::<Vec<_>>(), BEHIND);
    if from != to {
        pieces.add(&format!("alias {BEHIND}Bits = {to};"));
    }
    if map.reads_bits {
        pieces.body("map_element", &format!("fn map_bits(bits: Bits, index: u32) -> {to}"), &map.body);
    } else {
        let (x, bits) = number(pieces, map.from, op.over_type());
        let (i, place) = if map.place { (", i: u32", ", position(index).x") } else { ("", "") };
        pieces.body("map_element", &format!("fn map_element(x: {x}{i}) -> {}", map.to), &map.body);
        let made = format!("map_element({bits}{place})");
        let made = if map.to == Dtype::U32 { made } else { format!("bitcast<u32>({made})") };
        pieces.add(&format!("fn map_bits(bits: Bits, index: u32) -> u32 {{ return {made}; }}"));
    }
    if variant.kernel.has_cells() && op.has_cells() {
        pieces.add(include_str!("../../shaders/map/cells.wgsl"));
        return;
    }
    pieces.add(match leaf.reads_position || !map.place {
        true => "fn init_state(id: Invocation) -> State { return made_init_state(id); }",
        false => include_str!("../../shaders/map/place.wgsl"),
    });
    pieces.add(include_str!("../../shaders/map/one.wgsl"));
    if !variant.load.one() && map.word_by_word() {
        pieces.add(include_str!("../../shaders/map/vector.wgsl"));
    }
    if !variant.load.one() {
        pieces.add(match map.from.bytes() {
            4 if map.word_by_word() => match in_pairs(op, variant) && takes_pairs(leaf) {
                true => include_str!("../../shaders/map/pair.wgsl"),
                false => include_str!("../../shaders/map/words.wgsl"),
            },
            4 => include_str!("../../shaders/vector/words_in_turn.wgsl"),
            8 => include_str!("../../shaders/vector/pairs.wgsl"),
            _ => include_str!("../../shaders/vector/quads.wgsl"),
        });
    }
}

/// The type of an element that functions in WGSL take, and how its bits become one: by functions of its own behind a prefix, where those in
/// the text are of another type, `over`.
fn number(pieces: &mut Pieces, of: Dtype, over: Dtype) -> (&'static str, &'static str) {
    match of {
        Dtype::Own(own) if of == over => (own.number(), "value(bits)"),
        Dtype::Own(own) => {
            read_functions(pieces, of);
            (own.number(), "read_value(bits)")
        }
        Dtype::U32 => ("u32", "bits"),
        Dtype::I32 => ("i32", "bitcast<i32>(bits)"),
        Dtype::F32x2 | Dtype::C64 => ("vec2<f32>", "bitcast<vec2<f32>>(bits)"),
        Dtype::F32x4 => ("vec4<f32>", "bitcast<vec4<f32>>(bits)"),
        _ => ("f32", "bitcast<f32>(bits)"),
    }
}

/// The functions of a fold that take elements, of which only some pass: those of all elements have this prefix.
const SIFTED: &str = "kept_";
/// The prefix of the functions of bits that a test or a map calls, where the fold is over another type.
const READ: &str = "read_";

/// The functions of the bits of that type, once, behind their prefix.
fn read_functions(pieces: &mut Pieces, of: Dtype) {
    let names: Vec<&str> = declared(&tokens(of.wgsl())).into_iter().map(|(name, _)| name).collect();
    if names.first().is_none_or(|name| pieces.text.contains(&format!("fn {READ}{name}("))) {
        return;
    }
    let text = renamed(of.wgsl(), &names, READ);
    match of.brought() {
        Some(_) => pieces.brought(&text),
        None => pieces.add(&text),
    }
}

/// The functions that take what is read, where only some of it counts.
fn sifted(pieces: &mut Pieces, op: &DeviceOp, fold: usize, variant: &Variant) {
    let leaf = &op.folds[fold];
    let Some(test) = leaf.test.as_ref().filter(|_| variant.kernel.reads()) else { return };
    pieces.text = renamed(&pieces.text, &["accumulate", "accumulate_vector", "add_to_cell"], SIFTED);
    if !test.reads_bits {
        let (x, bits) = number(pieces, test.of, op.over_type());
        pieces.body("keep_element", &format!("fn keep_element(x: {x}) -> bool"), &test.body);
        pieces.add(&format!("fn keeps(bits: Bits) -> bool {{ return keep_element({bits}); }}"));
    } else {
        let of_others = op.over_type() != test.of && !test.of.wgsl().is_empty();
        let body = if of_others { renamed(&test.body, &OF_ELEMENTS, READ) } else { test.body.to_string() };
        if body != *test.body {
            read_functions(pieces, test.of);
        }
        pieces.body("keep_element", "fn keeps(bits: Bits) -> bool", &body);
    }
    if variant.kernel.has_cells() && op.has_cells() {
        pieces.add(include_str!("../../shaders/sift/cells.wgsl"));
        return;
    }
    pieces.add(include_str!("../../shaders/sift/one.wgsl"));
    if !variant.load.one() {
        pieces.add(match op.dtype.bytes() {
            2 if op.dtype.parts().is_none() => include_str!("../../shaders/vector/halves.wgsl"),
            8 => include_str!("../../shaders/vector/pairs.wgsl"),
            16 => include_str!("../../shaders/vector/quads.wgsl"),
            _ => include_str!("../../shaders/vector/words_in_turn.wgsl"),
        });
    }
}

/// A fold's state where whole inputs and rows are read by vectors that are its own elements.
fn over_vectors<'o>(op: &DeviceOp, fold: &'o Leaf, variant: &Variant) -> Option<&'o Text> {
    let reads = variant.kernel == Kernel::Reduce && !variant.load.one() && fold.map.is_none() && fold.test.is_none();
    let packed = loads_in_parts(op, variant).is_some() && load_form(fold).is_some();
    let [alone, beside] = fold.value()?.over_vectors.as_ref().filter(|_| reads && !packed)?;
    // Weighted texels are computed, and may be others when they are read again.
    Some(if op.folds.len() == 1 || variant.load.texel().is_some() { alone } else { beside })
}

/// A fold's own form of what is loaded at once, where nothing is made of it or asked of it.
fn load_form(leaf: &Leaf) -> Option<&Text> {
    leaf.value()?.load.as_ref().filter(|_| leaf.map.is_none() && leaf.test.is_none())
}

/// The function that takes what is loaded at once, where narrow elements are several to a word: the fold's own form, or that of vectors, as a
/// pair or one after another.
fn loads(pieces: &mut Pieces, op: &DeviceOp, fold: usize, variant: &Variant) {
    let Some(parts) = loads_in_parts(op, variant) else { return };
    match load_form(&op.folds[fold]) {
        Some(body) => {
            pieces.body("the load form", "fn accumulate_load(acc: Acc, vector: vec4<u32>, index: u32) -> Acc", body)
        }
        None if takes_loads(op, fold, variant) => pieces.add(include_str!("../../shaders/exact/float64_parts.wgsl")),
        None => pieces.add(&unroll(include_str!("../../shaders/vector/in_parts.wgsl"), &[("PARTS", parts)])),
    }
}

/// Whether a fold takes vectors in pairs, by a text of its own.
pub(super) fn takes_pairs(fold: &Leaf) -> bool {
    let as_read = fold.map.as_ref().is_none_or(|map| map.word_by_word());
    fold.bins().is_some_and(|bins| bins.pairs) && fold.test.is_none() && as_read
}

/// The function that takes vectors, of a fold into bins that has a form for pairs of them.
fn of_pairs(pieces: &mut Pieces, op: &DeviceOp, number: usize, variant: &Variant) {
    let of_a_round = in_pairs(op, variant) && takes_pairs(&op.folds[number]);
    pieces.add(match of_a_round || takes_loads(op, number, variant) {
        true => include_str!("../../shaders/exact/float64_pair.wgsl"),
        false => include_str!("../../shaders/exact/float64_vector.wgsl"),
    });
}

/// Whether a fold takes the two vectors of a load as a pair.
fn takes_loads(op: &DeviceOp, fold: usize, variant: &Variant) -> bool {
    let leaf = &op.folds[fold];
    loads_in_parts(op, variant) == Some(2) && takes_pairs(leaf) && leaf.map.is_none()
}

fn with_prefix(prefix: &str, mut pieces: Pieces) -> (Pieces, String) {
    let raw = std::mem::take(&mut pieces.text);
    let text = if prefix.is_empty() { raw } else { prefixed(&raw, prefix, &MADE, prefix) };
    (pieces, text)
}

/// `param` and `entry` of a fold: where its parameters and its table begin.
fn params_of(op: &DeviceOp, fold: usize, pieces: &mut Pieces) {
    let before = &op.folds[..fold];
    if !op.folds[fold].params.is_empty() {
        let at = regions(op) + before.iter().map(|fold| fold.params.len()).sum::<usize>();
        pieces.add(&format!("fn param(i: u32) -> u32 {{ return parameter({at}u + i); }}"));
    }
    if !op.folds[fold].table.is_empty() {
        let at: usize = before.iter().map(|fold| fold.table.len()).sum();
        pieces.add(&format!("fn entry(i: u32) -> u32 {{ return table[{at}u + i]; }}"));
    }
}

/// A fold in the text of a pass.
pub(super) fn member(op: &DeviceOp, fold: usize, variant: &Variant) -> (Pieces, String) {
    match op.folds[fold].bins() {
        Some(bins) if variant.kernel == Kernel::Finish => finished_bins(op, fold, bins, variant),
        Some(bins) => bins_member(op, fold, bins, variant),
        None => value_member(op, fold, variant),
    }
}

/// A fold by value: its accumulator, its pieces, and what it leaves to defaults.
fn value_member(op: &DeviceOp, number: usize, variant: &Variant) -> (Pieces, String) {
    let fold = &op.folds[number];
    let mut out = Pieces::default();
    let Some(wgsl) = fold.value() else { return (out, String::new()) };
    let cell = wgsl.cell.as_ref().filter(|_| variant.kernel.has_cells());
    let reads = variant.kernel.reads() && cell.is_none();
    out.add(fold.declaration);
    params_of(op, number, &mut out);
    let over_vectors = over_vectors(op, fold, variant);
    let reading = wgsl.reading.iter().filter(|_| reads && over_vectors.is_none());
    wgsl.helpers.iter().chain(reading).for_each(|text| out.helpers(text));
    out.body("identity", "fn identity() -> Acc", &wgsl.identity);
    out.body("combine", "fn combine(a: Acc, b: Acc) -> Acc", &wgsl.combine);
    if let Some(cell) = cell {
        if !wgsl.state {
            out.body("lift", "fn lift(bits: Bits, index: u32) -> Acc", &wgsl.lift);
        }
        let before: usize = op.folds[..number].iter().filter_map(Leaf::cell).map(|cell| cell.words).sum();
        out.add(&format!("fn word_of(cell: u32, w: u32) -> u32 {{ return ({before}u + w) * CELLS + cell; }}"));
        cell.texts.iter().for_each(|text| out.add(text));
        if !cell.carries {
            out.add("fn carry_to_cell(cell: u32, bits: Bits, left: u32) {}");
        }
        if !cell.settles {
            out.add("fn cell_acc(cell: u32) -> Acc { return get_acc(cell); }");
        }
        out.add(&put_acc(fold));
        out.add(&get_acc(fold));
        mapped(&mut out, op, number, variant);
        sifted(&mut out, op, number, variant);
        return with_prefix(&prefix(op, number, variant), out);
    }
    if let Some(text) = over_vectors {
        out.add(text);
    } else if reads && !wgsl.state {
        let (name, index) = if fold.reads_position { ("_position", "vec2<u32>") } else { ("", "u32") };
        let of = |call: &str| format!("{call}{name}");
        out.body("lift", &format!("fn {}(bits: Bits, index: {index}) -> Acc", of("lift")), &wgsl.lift);
        if fold.reads_position {
            out.add("fn lift(bits: Bits, index: u32) -> Acc { return lift_position(bits, position(index)); }");
        }
        out.add("alias State = Acc;");
        let begin = if fold.reads_position { "position_base = base_of(row_of(id.workgroup.x)); " } else { "" };
        out.add(&format!("fn init_state(id: Invocation) -> State {{ {begin}return identity(); }}"));
        out.add(
            "fn accumulate(state: State, bits: Bits, index: u32) -> State { return combine(state, lift(bits, index)); }",
        );
        match &wgsl.vector {
            _ if variant.load.one() || fold.map.as_ref().is_some_and(|map| !map.word_by_word()) => {}
            _ if fold.test.is_some() && fold.map.is_none() => {}
            Some(body) => {
                let head =
                    format!("fn {}(acc: Acc, vector: vec4<u32>, index: {index}) -> Acc", of("accumulate_vector"));
                out.body("the vector form", &head, body);
                if fold.reads_position {
                    out.add("fn accumulate_vector(acc: Acc, vector: vec4<u32>, index: u32) -> Acc { return accumulate_vector_position(acc, vector, position(index)); }");
                }
            }
            None => out.add(match op.dtype.bytes() {
                _ if op.dtype.parts().is_some() => include_str!("../../shaders/vector/words.wgsl"),
                2 => include_str!("../../shaders/vector/halves.wgsl"),
                4 => include_str!("../../shaders/vector/words.wgsl"),
                16 => include_str!("../../shaders/vector/quads.wgsl"),
                _ => include_str!("../../shaders/vector/pairs.wgsl"),
            }),
        }
        out.add("fn to_acc(state: State, id: Invocation) -> Acc { return state; }");
    }
    if let (Some(body), true) = (&wgsl.offset, reads) {
        out.body("the index offset", "fn offset(acc: Acc, by: vec2<u32>) -> Acc", body);
    }
    if variant.lanes_min.is_some() {
        match &wgsl.shuffle {
            Some(body) => out.body("shuffle", "fn shuffle(acc: Acc, mask: u32) -> Acc", body),
            None => out.add(&shuffle(fold)),
        }
    }
    if variant.kernel == Kernel::Finish {
        out.add(&read_acc(fold));
    } else if variant.store != Store::Partial || op.groups().len() > 1 {
        out.add(&write_acc(fold));
    }
    mapped(&mut out, op, number, variant);
    sifted(&mut out, op, number, variant);
    loads(&mut out, op, number, variant);
    with_prefix(&prefix(op, number, variant), out)
}

/// A shuffle of an accumulator, member by member.
fn shuffle(fold: &Leaf) -> String {
    let head = "fn shuffle(acc: Acc, mask: u32) -> Acc {";
    if let [only] = fold.members
        && only.name.is_empty()
    {
        return format!("{head} return subgroupShuffleXor(acc, mask); }}");
    }
    let shuffled = |of: &str| format!("subgroupShuffleXor(acc.{of}, mask)");
    let mut out = format!("{head}\n    var other = acc;\n");
    for member in fold.members {
        let (name, words) = (member.name, member.words);
        let _ = match member.of {
            "array" => {
                in_lines(&mut out, words, &|i| format!("other.{name}[{i}] = {};", shuffled(&format!("{name}[{i}]"))))
            }
            _ => writeln!(out, "    other.{name} = {};", shuffled(name)),
        };
    }
    out + "    return other;\n}"
}

/// A line for each word of an array, or a loop where they are many: drivers do not unroll loops, and an index that is no constant takes an
/// array out of registers.
fn in_lines(out: &mut String, words: usize, line: &dyn Fn(&str) -> String) -> std::fmt::Result {
    if words > LINES_MAX {
        return writeln!(out, "    for (var i = 0u; i < {words}u; i++) {{ {} }}", line("i"));
    }
    (0..words).try_for_each(|i| writeln!(out, "    {}", line(&format!("{i}u"))))
}

/// Writes the accumulator's words to the output, from word `at` on.
fn write_acc(fold: &Leaf) -> String {
    words_out(fold, "write_acc(acc: Acc, at: u32)", &|word, bits| format!("results[at + {word}] = {bits};"))
}

/// Writes them into a cell.
fn put_acc(fold: &Leaf) -> String {
    words_out(fold, "put_acc(acc: Acc, cell: u32)", &|word, bits| {
        format!("atomicStore(&cells[word_of(cell, {word})], {bits});")
    })
}

/// Reads the accumulator's words of a row, from word `at` on.
fn read_acc(fold: &Leaf) -> String {
    words_in(fold, "read_acc(at: u32)", &|word| format!("accumulators[at + {word}]"))
}

/// Reads them from a cell.
fn get_acc(fold: &Leaf) -> String {
    words_in(fold, "get_acc(cell: u32)", &|word| format!("atomicLoad(&cells[word_of(cell, {word})])"))
}

/// A function that writes each word of an accumulator, as `write` does it.
fn words_out(fold: &Leaf, head: &str, write: &dyn Fn(&str, &str) -> String) -> String {
    let mut out = format!("fn {head} {{\n");
    let mut word = 0;
    let source = if fold.members.iter().any(|member| member.of == "array") {
        out.push_str("    var source = acc;\n");
        "source"
    } else {
        "acc"
    };
    for member in fold.members {
        let path = if member.name.is_empty() { source.to_string() } else { format!("{source}.{}", member.name) };
        let words = member.words;
        let _ = match member.of {
            "array" => in_lines(&mut out, words, &|i| write(&format!("{word}u + {i}"), &format!("{path}[{i}]"))),
            "u32" => writeln!(out, "    {}", write(&format!("{word}u"), &path)),
            _ => writeln!(out, "    {}", write(&format!("{word}u"), &format!("bitcast<u32>({path})"))),
        };
        word += words;
    }
    out + "}"
}

/// A function that reads each word of an accumulator, as `read` does it.
fn words_in(fold: &Leaf, head: &str, read: &dyn Fn(&str) -> String) -> String {
    let cast = |of: &str, word: String| if of == "u32" { word } else { format!("bitcast<{of}>({word})") };
    if let [only] = fold.members
        && only.name.is_empty()
        && only.of != "array"
    {
        return format!("fn {head} -> Acc {{ return {}; }}", cast(only.of, read("0u")));
    }
    let mut out = format!("fn {head} -> Acc {{\n    var acc: Acc;\n");
    let mut word = 0;
    for member in fold.members {
        let path = if member.name.is_empty() { "acc".to_string() } else { format!("acc.{}", member.name) };
        let words = member.words;
        let _ = match member.of {
            "array" => in_lines(&mut out, words, &|i| format!("{path}[{i}] = {};", read(&format!("{word}u + {i}")))),
            of => writeln!(out, "    {path} = {};", cast(of, read(&format!("{word}u")))),
        };
        word += words;
    }
    out + "    return acc;\n}"
}

/// A fold into bins where its accumulator is finished: the declaration, and what answers may use.
fn finished_bins(op: &DeviceOp, number: usize, bins: &Bins, variant: &Variant) -> (Pieces, String) {
    let mut out = Pieces::default();
    // Counts are copied, not read.
    if !op.folds[number].counts() {
        out.add(op.folds[number].declaration);
        bins.helpers.iter().for_each(|text| out.add(text));
        out.add(&read_acc(&op.folds[number]));
    }
    with_prefix(&prefix(op, number, variant), out)
}

/// A fold into bins: the shared texts under shaders/bins/, and its own.
fn bins_member(op: &DeviceOp, number: usize, bins: &Bins, variant: &Variant) -> (Pieces, String) {
    let fold = &op.folds[number];
    let mut out = Pieces::default();
    let reads = variant.kernel.reads();
    if !reads && !bins.carries {
        // Counts are added as they are, by histogram/combine.wgsl.
        let (lanes, columns) = (variant.lanes_per_sum, variant.columns_here);
        out.add(&format!("const LANES_PER_SUM = {lanes}u;\nconst COLUMNS_HERE = {columns}u;"));
        out.add(&bins.constants);
        out.add(include_str!("../../shaders/histogram/place.wgsl"));
        return with_prefix(&prefix(op, number, variant), out);
    }
    let (counters, replicas) = if reads {
        (bins.bins, bins.replicas)
    } else {
        // Two sums for each column.
        let replicas = if variant.lanes_min.is_some() { 1 } else { variant.lanes_per_sum };
        (2 * bins.columns, replicas)
    };
    let lanes = variant.lanes_per_sum;
    out.add(&format!("const BINS = {counters}u;\nconst REPLICAS = {replicas}u;\nconst LANES_PER_SUM = {lanes}u;"));
    if reads {
        out.add(&format!(
            "const WIDE = {};\nconst SIGNED = {};\nconst WIDE_SUMS = {};\nconst WORDS = {}u;",
            bins.wide,
            bins.signed,
            bins.wide_sums(),
            bins.words,
        ));
    }
    out.add(&bins.constants);
    out.add(fold.declaration);
    if reads {
        params_of(op, number, &mut out);
    }
    // Whose one replica of counters is flushed as it lies.
    let alone = reads && (bins.replicas == 0 || bins.slices > 0);
    if !reads || variant.store == Store::Partial {
        out.add(match bins.carries {
            true => include_str!("../../shaders/bins/place.wgsl"),
            false => include_str!("../../shaders/histogram/place.wgsl"),
        });
    }
    if reads && !alone {
        // Arrays within arrays are worth it to exact sums of one word a counter (an H200: 2^28 f16 149.5 µs, 166.2 flat), not to wide
        // counters (2^14 f32 5.4 µs, 5.1 flat), nor to counts (256 bins of 2^28 f32 265.1 µs, 253.8 flat).
        out.add(match bins.carries && !bins.wide {
            true => include_str!("../../shaders/bins/words.wgsl"),
            false => include_str!("../../shaders/bins/flat.wgsl"),
        });
    }
    out.add(match reads {
        true if bins.replicas == 0 => include_str!("../../shaders/bins/memory.wgsl"),
        true if bins.slices > 0 => include_str!("../../shaders/bins/sliced.wgsl"),
        true => include_str!("../../shaders/bins/counters.wgsl"),
        false => include_str!("../../shaders/bins/sums.wgsl"),
    });
    if !alone {
        out.add(&unrolled(
            match variant.lanes_min {
                Some(_) => include_str!("../../shaders/bins/replicas_subgroup.wgsl"),
                None => include_str!("../../shaders/bins/replicas_memory.wgsl"),
            },
            variant,
        ));
    }
    bins.helpers.iter().chain(&bins.settle).for_each(|text| out.add(text));
    reads.then_some(&bins.read).into_iter().flatten().for_each(|text| out.add(text));
    if reads && bins.pairs {
        of_pairs(&mut out, op, number, variant);
    }
    mapped(&mut out, op, number, variant);
    sifted(&mut out, op, number, variant);
    loads(&mut out, op, number, variant);
    if alone {
        return with_prefix(&prefix(op, number, variant), out);
    }
    if reads {
        out.add(include_str!("../../shaders/bins/fold.wgsl"));
    }
    out.add(match (reads, variant.store) {
        (true, Store::Partial) => include_str!("../../shaders/bins/flush.wgsl"),
        (true, _) => bins.settle_bins,
        (false, _) => bins.settle_columns.unwrap_or_default(),
    });
    if bins.carries && variant.store != Store::Partial {
        match settles_narrow(op, variant) {
            true => {
                out.add(include_str!("../../shaders/exact/settle_together.wgsl"));
                out.add(include_str!("../../shaders/exact/upper_limbs.wgsl"));
            }
            false => {
                out.add(include_str!("../../shaders/exact/settle_alone.wgsl"));
                out.add(&write_acc(fold));
            }
        }
    }
    with_prefix(&prefix(op, number, variant), out)
}

/// The finishing functions of answers over folds of the text, each behind a prefix where there are several.
pub(super) fn answers(source: &mut Source, op: &DeviceOp, of: impl Fn(usize) -> bool, variant: &Variant) {
    if !matches!(variant.store, Store::Answer { .. }) {
        return;
    }
    let mut params = regions(op) + op.folds.iter().map(|fold| fold.params.len()).sum::<usize>();
    for (number, (folds, answer)) in op.answers.iter().enumerate() {
        let at = params;
        params += answer.params.len();
        let first = folds[0];
        if !of(first) || answer.finish.is_empty() {
            continue;
        }
        let mut out = Pieces::default();
        let joined = folds.len() > 1;
        if joined {
            let member = |(place, &fold): (usize, &usize)| format!("m{place}: {}Acc", prefix(op, fold, variant));
            let members = folds.iter().enumerate().map(member).collect::<Vec<_>>().join(", ");
            out.add(&format!("struct Acc {{ {members} }}"));
        }
        if !answer.params.is_empty() {
            out.add(&format!("fn param(i: u32) -> u32 {{ return parameter({at}u + i); }}"));
        }
        let head = format!("fn finish(acc: Acc, count: vec2<u32>) -> array<u32, {}>", answer.words.len());
        if !settles_narrow(op, variant) {
            answer.helpers.iter().for_each(|text| out.helpers(text));
            out.body("finish", &head, &answer.finish);
        }
        let own = op.answer_prefix(number);
        if stores_narrow(op, variant) {
            let texts = answer.narrow.iter().map(|text| text.as_ref()).collect::<Vec<_>>().concat();
            let text = format!("{texts}{head} {{ {} }}", answer.finish);
            source.push(&prefixed(&text, &format!("{own}{NARROW}"), &[("Acc", false), ("LIMBS", false)], NARROW));
        }
        let theirs = prefix(op, first, variant);
        let raw = std::mem::take(&mut out.text);
        let text = if own.is_empty() && theirs.is_empty() {
            raw
        } else {
            let leaf = &op.folds[first];
            let helpers =
                leaf.value().map_or(vec![], |wgsl| wgsl.helpers.iter().map(|text| text.to_string()).collect());
            let bins = leaf.bins().map_or(vec![], |bins| bins.helpers.iter().map(|text| text.to_string()).collect());
            let all = [vec![leaf.declaration.to_string()], helpers, bins].concat().join("\n");
            let tokens = tokens(&all);
            let mut names = declared(&tokens);
            // A parameter of the answer hides one of the fold.
            names.extend([("Acc", false), ("identity", true), ("combine", true), ("param", true)]);
            // Of several folds none has a name here but its accumulator's.
            if joined {
                names.clear();
            }
            prefixed(&raw, &own, &names, &theirs)
        };
        source.push_pieces(&out, &text);
    }
}
