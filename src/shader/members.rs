//! The folds and answers of an operator as text: each alone under its own names, each of several behind a prefix, and what
//! makes them one.

use super::{Pieces, Source, regions, unrolled};
use crate::op::{Bins, DeviceOp, Group, Leaf, declared, prefixed, tokens};
use crate::plan::{Kernel, Store, Variant};
use std::fmt::Write;

/// The prefix of a fold's names: none, where it is the only one in the text.
fn prefix(op: &DeviceOp, fold: usize, variant: &Variant) -> String {
    let alone = match variant.kernel {
        Kernel::Reduce => op.folds.len() == 1,
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

/// A fold by value: its accumulator, its pieces, and what it leaves to defaults.
pub(super) fn value_member(op: &DeviceOp, number: usize, variant: &Variant) -> (Pieces, String) {
    let fold = &op.folds[number];
    let mut out = Pieces::default();
    let Some(wgsl) = fold.value() else { return (out, String::new()) };
    let reads = variant.kernel == Kernel::Reduce;
    out.add(fold.declaration);
    params_of(op, number, &mut out);
    wgsl.helpers.iter().chain(wgsl.reading.iter().filter(|_| reads)).for_each(|text| out.helpers(text));
    out.body("identity", "fn identity() -> Acc", &wgsl.identity);
    out.body("combine", "fn combine(a: Acc, b: Acc) -> Acc", &wgsl.combine);
    if reads && !wgsl.state {
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
            _ if variant.load.one() => out.add(
                "fn accumulate_vector(state: State, one: Bits, index: u32) -> State { return accumulate(state, one, index); }",
            ),
            Some(body) => {
                let head = format!("fn {}(acc: Acc, vector: vec4<u32>, index: {index}) -> Acc", of("accumulate_vector"));
                out.body("the vector form", &head, body);
                if fold.reads_position {
                    out.add("fn accumulate_vector(acc: Acc, vector: vec4<u32>, index: u32) -> Acc { return accumulate_vector_position(acc, vector, position(index)); }");
                }
            }
            None => out.add(match op.dtype.bytes() {
                2 => include_str!("../../shaders/vector/halves.wgsl"),
                4 => include_str!("../../shaders/vector/words.wgsl"),
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
    with_prefix(&prefix(op, number, variant), out)
}

/// The accumulator's words by the name that each has in WGSL.
fn shuffle(fold: &Leaf) -> String {
    if let [only] = fold.members {
        if only.name.is_empty() {
            return "fn shuffle(acc: Acc, mask: u32) -> Acc { return subgroupShuffleXor(acc, mask); }".into();
        }
    }
    let mut out = String::from("fn shuffle(acc: Acc, mask: u32) -> Acc {\n    var other = acc;\n");
    for member in fold.members {
        let (name, words) = (member.name, member.words);
        let _ = match member.of {
            "array" => writeln!(
                out,
                "    for (var i = 0u; i < {words}u; i++) {{ other.{name}[i] = subgroupShuffleXor(acc.{name}[i], mask); }}"
            ),
            _ => writeln!(out, "    other.{name} = subgroupShuffleXor(acc.{name}, mask);"),
        };
    }
    out + "    return other;\n}"
}

/// Writes the accumulator's words to the output, from word `at` on.
fn write_acc(fold: &Leaf) -> String {
    let mut out = String::from("fn write_acc(acc: Acc, at: u32) {\n");
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
            "array" => {
                writeln!(out, "    for (var i = 0u; i < {words}u; i++) {{ results[at + {word}u + i] = {path}[i]; }}")
            }
            "u32" => writeln!(out, "    results[at + {word}u] = {path};"),
            _ => writeln!(out, "    results[at + {word}u] = bitcast<u32>({path});"),
        };
        word += words;
    }
    out + "}"
}

/// Reads the accumulator's words of a row, from word `at` on.
fn read_acc(fold: &Leaf) -> String {
    let cast = |of: &str, word: String| if of == "u32" { word } else { format!("bitcast<{of}>({word})") };
    if let [only] = fold.members {
        if only.name.is_empty() && only.of != "array" {
            return format!("fn read_acc(at: u32) -> Acc {{ return {}; }}", cast(only.of, "accumulators[at]".into()));
        }
    }
    let mut out = String::from("fn read_acc(at: u32) -> Acc {\n    var acc: Acc;\n");
    let mut word = 0;
    for member in fold.members {
        let path = if member.name.is_empty() { "acc".to_string() } else { format!("acc.{}", member.name) };
        let words = member.words;
        let _ = match member.of {
            "array" => {
                writeln!(
                    out,
                    "    for (var i = 0u; i < {words}u; i++) {{ {path}[i] = accumulators[at + {word}u + i]; }}"
                )
            }
            of => writeln!(out, "    {path} = {};", cast(of, format!("accumulators[at + {word}u]"))),
        };
        word += words;
    }
    out + "    return acc;\n}"
}

/// A fold into bins where its accumulator is finished: the declaration, and what answers may use.
pub(super) fn finished_bins(op: &DeviceOp, number: usize, bins: &Bins, variant: &Variant) -> (Pieces, String) {
    let mut out = Pieces::default();
    // Counts are copied, not read.
    if !op.folds[number].counts() {
        out.add(op.folds[number].declaration);
        bins.helpers.iter().for_each(|text| out.add(text));
        out.add(&read_acc(&op.folds[number]));
    }
    with_prefix(&prefix(op, number, variant), out)
}

/// What the pass that finishes calls: a row's accumulators as answers.
pub(super) fn glue_finish(op: &DeviceOp, variant: &Variant) -> String {
    let counted = variant.store == Store::Answer { counted: true };
    let words = op.answer_words();
    let places = op.places(1);
    let to = format!("    let to = params.output + row * {}u;\n", words + usize::from(counted));
    let mut copies = format!("fn copy_counts(at: u32, row: u32, lane: u32) {{\n{to}");
    let mut finish = format!("fn finish_row(at: u32, row: u32) {{\n{to}");
    for (fold, place) in places.iter().enumerate().filter(|&(fold, _)| !op.folds[fold].counts()) {
        let _ = writeln!(finish, "    let m{fold} = m{fold}_read_acc(at + {place}u);");
    }
    let mut word = 0;
    for (number, (folds, answer)) in op.answers.iter().enumerate() {
        let length = answer.words.len();
        if op.folds[folds[0]].counts() {
            let place = places[folds[0]];
            let _ = writeln!(copies, "    for (var w = lane; w < {length}u; w += LANES) {{");
            let _ = writeln!(copies, "        results[to + {word}u + w] = accumulators[at + {place}u + w];\n    }}");
        } else {
            let own = op.answer_prefix(number);
            let accs = folds.iter().map(|fold| format!("m{fold}")).collect::<Vec<_>>().join(", ");
            let acc = if folds.len() > 1 { format!("{own}Acc({accs})") } else { accs };
            let _ = writeln!(finish, "    var words_{number} = {own}finish({acc}, params.total);");
            let write = format!("results[to + {word}u + w] = words_{number}[w];");
            let _ = writeln!(finish, "    for (var w = 0u; w < {length}u; w++) {{ {write} }}");
        }
        word += length;
    }
    if counted {
        let _ = writeln!(finish, "    {}", store_count_word(words, "to"));
    }
    let constants = format!("const ROW_WORDS = {}u;\nconst LANES = {}u;", op.sealed_words(), variant.lanes_per_sum);
    format!("{constants}\n\n{copies}}}\n\n{finish}}}\n")
}

/// How many elements an answer stands on, at most 2^32 - 1; 0: there is none.
fn store_count_word(words: usize, at: &str) -> String {
    format!("results[{at} + {words}u] = select(params.total.x, 0xffffffffu, params.total.y > 0u);")
}

/// A fold into bins: the shared texts under shaders/bins/, and its own.
pub(super) fn bins_member(op: &DeviceOp, number: usize, bins: &Bins, variant: &Variant) -> (Pieces, String) {
    let fold = &op.folds[number];
    let mut out = Pieces::default();
    let reads = variant.kernel == Kernel::Reduce;
    let (counters, replicas) = if reads {
        (bins.bins, bins.replicas)
    } else {
        // Two sums for each column that a workgroup adds.
        let replicas = if variant.lanes_min.is_some() { 1 } else { variant.lanes_per_sum };
        (2 * u64::from(variant.columns_here), replicas)
    };
    let lanes = variant.lanes_per_sum;
    out.add(&format!("const BINS = {counters}u;\nconst REPLICAS = {replicas}u;\nconst LANES_PER_SUM = {lanes}u;"));
    out.add(&match reads {
        true => format!("const WIDE = {};\nconst SIGNED = {};", bins.wide, bins.signed),
        false => format!("const COLUMNS_HERE = {}u;", variant.columns_here),
    });
    out.add(&bins.constants);
    out.add(fold.declaration);
    if reads {
        params_of(op, number, &mut out);
    }
    out.add(match reads {
        true => include_str!("../../shaders/bins/counters.wgsl"),
        false => include_str!("../../shaders/bins/sums.wgsl"),
    });
    out.add(&unrolled(
        match variant.lanes_min {
            Some(_) => include_str!("../../shaders/bins/replicas_subgroup.wgsl"),
            None => include_str!("../../shaders/bins/replicas_memory.wgsl"),
        },
        variant,
    ));
    let own = bins.helpers.iter().chain([&bins.settle]).chain(reads.then_some(&bins.read).into_iter().flatten());
    own.for_each(|text| out.add(text));
    if reads {
        out.add(include_str!("../../shaders/bins/fold.wgsl"));
    }
    out.add(match (reads, variant.store) {
        (true, Store::Partial) => include_str!("../../shaders/bins/flush.wgsl"),
        (true, _) => bins.settle_bins,
        (false, _) => bins.settle_columns,
    });
    if bins.carries && variant.store != Store::Partial {
        out.add(&write_acc(fold));
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
        answer.helpers.iter().for_each(|text| out.helpers(text));
        let head = format!("fn finish(acc: Acc, count: vec2<u32>) -> array<u32, {}>", answer.words.len());
        out.body("finish", &head, &answer.finish);
        let own = op.answer_prefix(number);
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

/// Which answers belong to a fold, by number, and the word at which each begins.
fn answers_of(op: &DeviceOp, fold: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let starts = op.answers.iter().scan(0, |at, (_, answer)| {
        let begin = *at;
        *at += answer.words.len();
        Some(begin)
    });
    op.answers
        .iter()
        .enumerate()
        .zip(starts)
        .filter(move |((_, (of, _)), _)| of[0] == fold)
        .map(|((number, _), at)| (number, at))
}

/// How a group writes its results.
pub(super) fn group_store(op: &DeviceOp, groups: &[Group], number: usize, variant: &Variant) -> String {
    let group = &groups[number];
    let mut out = String::new();
    let folds = group.folds();
    let first = &op.folds[folds[0]];
    let counts = first.bins().is_some_and(|bins| !bins.carries);
    // Names of the fold, where the group is one of bins; of all values together, where it is not.
    let own = if first.bins().is_some() { prefix(op, folds[0], variant) } else { String::new() };
    let member = |fold: usize| match (op.folds.len(), first.bins().is_some()) {
        (1, _) | (_, true) => "acc".to_string(),
        _ => format!("acc.m{fold}"),
    };
    match variant.store {
        Store::Partial if groups.len() == 1 => {
            // One group: its partials are what is bound.
            let of = if first.bins().is_some() { "vec4<u32>" } else { "Acc" };
            let _ = writeln!(out, "@group(0) @binding(3) var<storage, read_write> partials_out: array<{of}>;");
            out.push_str(match first.bins() {
                Some(_) => "fn store_column(at: u32, column: vec4<u32>) { partials_out[at] = column; }\n",
                None => "fn store_partial(acc: Acc, id: Invocation) { partials_out[params.partial + id.workgroup.x] = acc; }\n",
            });
        }
        Store::Partial => {
            let _ = writeln!(out, "fn {own}region() -> u32 {{ return parameter({number}u); }}");
            if first.bins().is_some() {
                let _ = writeln!(out, "fn {own}store_column(place: u32, column: vec4<u32>) {{");
                let _ = writeln!(out, "    let at = {own}region() + 4u * place;");
                for (word, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
                    let _ = writeln!(out, "    results[at + {word}u] = column.{name};");
                }
                out.push_str("}\n");
            } else {
                let words = op.group_words(group);
                let _ = writeln!(out, "fn store_partial(acc: Acc, id: Invocation) {{");
                let _ = writeln!(out, "    let at = region() + (params.partial + id.workgroup.x) * {words}u;");
                write_members(op, folds, variant, &member, &mut out);
                out.push_str("}\n");
            }
        }
        Store::Sealed => {
            let before: usize = groups[..number].iter().map(|group| op.group_words(group) + 1).sum();
            let (stride, words) = (op.sealed_words(), op.group_words(group));
            let at = format!("let at = params.output + row * {stride}u + {before}u;");
            if counts {
                let _ = writeln!(out, "fn {own}store_count(bin: u32, count: u32, row: u32) {{\n    {at}");
                let _ = writeln!(out, "    results[at + bin] = count;");
                let _ = writeln!(out, "    if bin == 0u {{ results[at + {words}u] = SEAL; }}\n}}");
            } else {
                let _ = writeln!(out, "fn {own}store(acc: {own}Acc, row: u32) {{\n    {at}");
                write_members(op, folds, variant, &member, &mut out);
                let _ = writeln!(out, "    results[at + {words}u] = SEAL;\n}}");
            }
        }
        Store::Answer { counted } => {
            let words = op.answer_words();
            let stride = words + usize::from(counted);
            let at = format!("let at = params.output + row * {stride}u;");
            let count = if counted && number == 0 { store_count_word(words, "at") } else { String::new() };
            if counts {
                let _ = writeln!(out, "fn {own}store_count(bin: u32, count: u32, row: u32) {{\n    {at}");
                for (_, word) in answers_of(op, folds[0]) {
                    let _ = writeln!(out, "    results[at + {word}u + bin] = count;");
                }
                if !count.is_empty() {
                    let _ = writeln!(out, "    if bin == 0u {{ {count} }}");
                }
                out.push_str("}\n");
            } else {
                let _ = writeln!(out, "fn {own}store(acc: {own}Acc, row: u32) {{\n    {at}");
                for &fold in folds {
                    for (number, word) in answers_of(op, fold) {
                        let finish = format!("{}finish", op.answer_prefix(number));
                        let length = op.answers[number].1.words.len();
                        let _ = writeln!(out, "    var words_{number} = {finish}({}, params.total);", member(fold));
                        let _ = writeln!(
                            out,
                            "    for (var w = 0u; w < {length}u; w++) {{ results[at + {word}u + w] = words_{number}[w]; }}"
                        );
                    }
                }
                if !count.is_empty() {
                    let _ = writeln!(out, "    {count}");
                }
                out.push_str("}\n");
            }
        }
    }
    out
}

/// Calls `write_acc` of each fold of a group, from `at` on.
fn write_members(
    op: &DeviceOp,
    folds: &[usize],
    variant: &Variant,
    member: &dyn Fn(usize) -> String,
    out: &mut String,
) {
    let mut word = 0;
    for &fold in folds {
        let _ = writeln!(out, "    {}write_acc({}, at + {word}u);", prefix(op, fold, variant), member(fold));
        word += op.folds[fold].words;
    }
}

/// The values of a text as one accumulator.
pub(super) fn glue_values(op: &DeviceOp, folds: &[usize], variant: &Variant) -> String {
    if op.folds.len() == 1 {
        return String::new();
    }
    let mut out = String::new();
    let each = |one: &dyn Fn(usize) -> String| folds.iter().map(|&fold| one(fold)).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "struct Acc {{ {} }}", each(&|m| format!("m{m}: m{m}_Acc")));
    let mut function = |head: &str, call: &dyn Fn(usize) -> String| {
        let _ = writeln!(out, "fn {head} -> Acc {{ return Acc({}); }}", each(call));
    };
    function("identity()", &|m| format!("m{m}_identity()"));
    function("combine(a: Acc, b: Acc)", &|m| format!("m{m}_combine(a.m{m}, b.m{m})"));
    if variant.lanes_min.is_some() {
        function("shuffle(acc: Acc, mask: u32)", &|m| format!("m{m}_shuffle(acc.m{m}, mask)"));
    }
    out
}

/// What the kernel that reads calls: the state of all folds, and what the workgroup does at the end.
pub(super) fn glue(op: &DeviceOp, groups: &[Group], variant: &Variant) -> String {
    let mut out = String::new();
    let single = op.folds.len() == 1;
    let partial = variant.store == Store::Partial;
    if !single {
        let all = |one: &dyn Fn(usize) -> String| (0..op.folds.len()).map(one).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "struct State {{ {} }}", all(&|m| format!("m{m}: m{m}_State")));
        let mut function = |head: &str, call: &dyn Fn(usize) -> String| {
            let _ = writeln!(out, "fn {head} -> State {{ return State({}); }}", all(call));
        };
        function("init_state(id: Invocation)", &|m| format!("m{m}_init_state(id)"));
        let accumulate = |m: usize| format!("m{m}_accumulate(state.m{m}, bits, index)");
        function("accumulate(state: State, bits: Bits, index: u32)", &accumulate);
        if variant.load.one() {
            function("accumulate_vector(state: State, bits: Bits, index: u32)", &accumulate);
        } else {
            function("accumulate_vector(state: State, vector: vec4<u32>, index: u32)", &|m| {
                format!("m{m}_accumulate_vector(state.m{m}, vector, index)")
            });
        }
    }
    if !single || op.folds[0].bins().is_none() {
        let init =
            |&fold: &usize| op.folds[fold].bins().map(|_| format!(" {}init_workgroup(id);", prefix(op, fold, variant)));
        let bins: String = (0..op.folds.len()).collect::<Vec<_>>().iter().filter_map(init).collect();
        let _ = writeln!(out, "fn init_workgroup(id: Invocation) {{{bins} }}");
    }
    let mut end = String::new();
    for (number, group) in groups.iter().enumerate() {
        out.push_str(&group_store(op, groups, number, variant));
        match group {
            Group::Values(folds) => {
                out.push_str(&glue_values(op, folds, variant));
                let acc = |&fold: &usize| {
                    let p = prefix(op, fold, variant);
                    let state = if single { "state".into() } else { format!("state.m{fold}") };
                    let acc = format!("{p}to_acc({state}, id)");
                    let leaf = &op.folds[fold];
                    let moves = leaf.value().is_some_and(|wgsl| wgsl.offset.is_some()) && !leaf.reads_position;
                    if moves { format!("{p}offset({acc}, base_of(row))") } else { acc }
                };
                let accs = folds.iter().map(acc).collect::<Vec<_>>().join(", ");
                let mine = if single { accs } else { format!("Acc({accs})") };
                let _ = writeln!(end, "    let acc = workgroup_reduce({mine}, id);");
                let store = if partial { "store_partial(acc, id)" } else { "store(acc, row)" };
                let _ = writeln!(end, "    if id.local == 0u {{ {store}; }}");
            }
            Group::Bins(fold) => {
                let p = prefix(op, *fold, variant);
                let state = if single { "state".into() } else { format!("state.m{fold}") };
                let _ = match partial {
                    true => writeln!(end, "    {p}flush({state}, id);"),
                    false => writeln!(end, "    {p}settle_bins({state}, id, row);"),
                };
            }
        }
    }
    let _ = writeln!(out, "\nfn finish_workgroup(state: State, id: Invocation, row: u32) {{\n{end}}}");
    out
}
