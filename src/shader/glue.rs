//! The text that makes the folds and answers of an operator one: the accumulator of all, and how results are written.

use super::members::{prefix, takes_pairs};
use super::{in_pairs, loads_in_parts};
use crate::op::{DeviceOp, FoldGroup};
use crate::plan::{COUNT_WORDS, Kernel, Rows, Store, Variant, Walk};
use std::fmt::Write;

/// The functions that the finishing pass calls: a row's accumulators as answers.
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
            let acc = answered(folds, &own, &|fold| format!("m{fold}"));
            let _ = writeln!(finish, "    var words_{number} = {own}finish({acc}, total_of(row));");
            let write = format!("results[to + {word}u + w] = words_{number}[w];");
            let _ = writeln!(finish, "    for (var w = 0u; w < {length}u; w++) {{ {write} }}");
        }
        word += length;
    }
    if counted {
        let _ = writeln!(finish, "    {}", store_count_word(words, "to"));
    }
    let constants =
        format!("const ROW_WORDS = {}u;\nconst LANES = {}u;", row_words(op, variant), variant.lanes_per_sum);
    format!("{constants}\n\n{copies}}}\n\n{finish}}}\n")
}

/// What an answer over these folds is of: the accumulator of one, or those of several as `Acc` behind the answer's prefix.
fn answered(folds: &[usize], prefix: &str, acc: &dyn Fn(usize) -> String) -> String {
    let accs = folds.iter().map(|&fold| acc(fold)).collect::<Vec<_>>().join(", ");
    if folds.len() > 1 { format!("{prefix}Acc({accs})") } else { accs }
}

/// Words from one row's accumulators to the next one's.
fn row_words(op: &DeviceOp, variant: &Variant) -> usize {
    op.sealed_words() + if variant.rows.counted() { COUNT_WORDS as usize } else { 0 }
}

/// The function that stores the number of segments, as a result behind the last that there may be, where the host does not know it.
pub(super) fn store_number(op: &DeviceOp, variant: &Variant) -> String {
    let words = row_words(op, variant);
    let body = match (variant.store, variant.rows) {
        (Store::Sealed, Rows::Segments(by)) if by.counts_segments() => format!(
            "\n    let at = params.output + params.rows * {words}u;\n    results[at + {}u] = params.seal;\n    \
             results[at + {}u] = segments_until();\n    results[at + {}u] = params.seal;\n",
            words - 3,
            words - 2,
            words - 1
        ),
        _ => " ".into(),
    };
    format!("fn store_number() {{{body}}}")
}

/// The statement that stores the number of an answer's elements, at most 2^32 - 1; 0: there is none.
fn store_count_word(words: usize, at: &str) -> String {
    format!("results[{at} + {words}u] = select(total_of(row).x, 0xffffffffu, total_of(row).y > 0u);")
}

/// The answers that belong to a fold, by number, and the word at which each begins.
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

/// The functions that write the results of a group.
pub(super) fn group_store(op: &DeviceOp, groups: &[FoldGroup], number: usize, variant: &Variant) -> String {
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
            let of = match first.bins() {
                Some(bins) if bins.replicas == 0 => "atomic<u32>",
                Some(_) => "vec4<u32>",
                None => "Acc",
            };
            let _ = writeln!(out, "@group(0) @binding(3) var<storage, read_write> partials_out: array<{of}>;");
            out.push_str(match first.bins() {
                Some(bins) if bins.replicas == 0 => "",
                Some(_) => "fn store_column(at: u32, column: vec4<u32>) { partials_out[at] = column; }\n",
                None => "fn store_partial(acc: Acc, partial: u32) { partials_out[partial] = acc; }\n",
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
                let _ = writeln!(out, "fn store_partial(acc: Acc, partial: u32) {{");
                let _ = writeln!(out, "    let at = region() + partial * {words}u;");
                write_members(op, folds, variant, &member, &mut out);
                out.push_str("}\n");
            }
        }
        Store::Sealed => {
            let before: usize = groups[..number].iter().map(|group| op.group_words(group) + 1).sum();
            let (stride, words) = (row_words(op, variant), op.group_words(group));
            let at = format!("let at = params.output + row * {stride}u + {before}u;");
            if counts {
                let _ = writeln!(out, "fn {own}store_count(bin: u32, count: u32, row: u32) {{\n    {at}");
                let _ = writeln!(out, "    results[at + bin] = count;");
                let _ = writeln!(out, "    if bin == 0u {{ results[at + {words}u] = params.seal; }}\n}}");
            } else {
                let _ = writeln!(out, "fn {own}store(acc: {own}Acc, row: u32) {{\n    {at}");
                write_members(op, folds, variant, &member, &mut out);
                let _ = writeln!(out, "    results[at + {words}u] = params.seal;");
                if variant.rows.counted() {
                    let _ = writeln!(out, "    results[at + {words}u + 1u] = total_of(row).x;");
                    let _ = writeln!(out, "    results[at + {words}u + 2u] = params.seal;");
                }
                out.push_str("}\n");
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
                let mut finished = |name: &str, placed: bool| {
                    let _ = writeln!(out, "fn {own}{name}store(acc: {own}{name}Acc, row: u32) {{\n    {at}");
                    for &fold in folds {
                        for (number, word) in answers_of(op, fold) {
                            let theirs = format!("{}{name}", op.answer_prefix(number));
                            let length = op.answers[number].1.words.len();
                            if placed {
                                let _ = writeln!(out, "    {theirs}place_narrow(acc.base);");
                            }
                            let acc = answered(&op.answers[number].0, &theirs, &member);
                            let _ = writeln!(out, "    var words_{number} = {theirs}finish({acc}, total_of(row));");
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
                };
                if !settles_narrow(op, variant) {
                    finished("", false);
                }
                if stores_narrow(op, variant) {
                    finished(NARROW, true);
                }
            }
        }
    }
    out
}

/// What stands before the names of a narrow sum's accumulator and of what finishes it.
pub(super) const NARROW: &str = "narrow_";

/// Whether a text finishes narrow sums where they are.
pub(super) fn stores_narrow(op: &DeviceOp, variant: &Variant) -> bool {
    let alone = matches!(variant.kernel, Kernel::Columns { .. } | Kernel::Segments { walk: Walk::Serial });
    alone && matches!(variant.store, Store::Answer { .. }) && op.is_narrow() || settles_narrow(op, variant)
}

/// Whether a text finishes narrow sums only: those of bins, which a workgroup settles.
pub(super) fn settles_narrow(op: &DeviceOp, variant: &Variant) -> bool {
    matches!(variant.store, Store::Answer { .. }) && op.is_narrow() && op.folds[0].bins().is_some()
}

/// Stores what an invocation has added up by itself.
fn store_own(op: &DeviceOp, variant: &Variant) -> String {
    let narrow = match stores_narrow(op, variant) {
        true => "    if is_narrow() {\n        narrow_store(to_narrow(state), row);\n        return;\n    }\n",
        false => "",
    };
    format!(
        "\nfn store_own(state: State, row: u32, id: Invocation) {{\n{narrow}    store(acc_of(state, id, row), row);\n}}\n"
    )
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

/// The cells of all folds as one.
pub(super) fn glue_cells(op: &DeviceOp, folds: &[usize]) -> String {
    let words: usize = folds.iter().filter_map(|&fold| op.folds[fold].cell()).map(|cell| cell.words).sum();
    let mut out = format!("const CELL_WORDS = {words}u;\n");
    if op.folds.len() == 1 {
        return out;
    }
    let each = |one: &dyn Fn(usize) -> String| folds.iter().map(|&fold| one(fold)).collect::<Vec<_>>();
    let mut function = |head: &str, body: String| {
        let _ = writeln!(out, "fn {head} {{ {body} }}");
    };
    let add = |m| format!("m{m}_carry_to_cell(cell, bits, m{m}_add_to_cell(cell, bits));");
    function("add_to_cell(cell: u32, bits: Bits) -> u32", each(&add).join(" ") + " return 0u;");
    function("carry_to_cell(cell: u32, bits: Bits, left: u32)", String::new());
    function("put_acc(acc: Acc, cell: u32)", each(&|m| format!("m{m}_put_acc(acc.m{m}, cell);")).join(" "));
    for name in ["cell_acc", "get_acc"] {
        let accs = each(&|m| format!("m{m}_{name}(cell)")).join(", ");
        function(&format!("{name}(cell: u32) -> Acc"), format!("return Acc({accs});"));
    }
    out
}

/// The state of all folds as one, where there are several.
fn states(op: &DeviceOp, variant: &Variant) -> String {
    let mut out = String::new();
    if op.folds.len() == 1 {
        return out;
    }
    let all = |one: &dyn Fn(usize) -> String| (0..op.folds.len()).map(one).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "struct State {{ {} }}", all(&|m| format!("m{m}: m{m}_State")));
    let mut function = |head: &str, call: &dyn Fn(usize) -> String| {
        let _ = writeln!(out, "fn {head} -> State {{ return State({}); }}", all(call));
    };
    function("init_state(id: Invocation)", &|m| format!("m{m}_init_state(id)"));
    let accumulate = |m: usize| format!("m{m}_accumulate(state.m{m}, bits, index)");
    function("accumulate(state: State, bits: Bits, index: u32)", &accumulate);
    if in_pairs(op, variant) {
        out.push_str(&pairs(op));
    } else if loads_in_parts(op, variant).is_some() {
        function("accumulate_load(state: State, vector: vec4<u32>, index: u32)", &|m| {
            format!("m{m}_accumulate_load(state.m{m}, vector, index)")
        });
    } else if !variant.load.one() {
        function("accumulate_vector(state: State, vector: vec4<u32>, index: u32)", &|m| {
            format!("m{m}_accumulate_vector(state.m{m}, vector, index)")
        });
    }
    out
}

/// The first of two vectors, or both, in the states of all folds: in those that take them in pairs, then in the others.
fn pairs(op: &DeviceOp) -> String {
    let (paired, others): (Vec<usize>, Vec<usize>) =
        (0..op.folds.len()).partition(|&fold| takes_pairs(&op.folds[fold]));
    let head = "fn accumulate_pair(state: State, front: vec4<u32>, back: vec4<u32>, left: u32, index: u32) -> State {";
    let mut out = format!("{head}\n    var all = state;\n");
    for m in paired {
        let _ = writeln!(out, "    all.m{m} = m{m}_accumulate_pair(all.m{m}, front, back, left, index);");
    }
    let vectors = [("0u < left", "front", "index"), ("1u < left", "back", "index + STEP * PER_VECTOR")];
    for (some, vector, index) in vectors.into_iter().filter(|_| !others.is_empty()) {
        let _ = writeln!(out, "    if {some} {{");
        for m in &others {
            let _ = writeln!(out, "        all.m{m} = m{m}_accumulate_vector(all.m{m}, {vector}, {index});");
        }
        out.push_str("    }\n");
    }
    out + "    return all;\n}\n"
}

/// The accumulator that an invocation holds: as it is, with places counted from its row's first element, and both in one.
fn accs(op: &DeviceOp, folds: &[usize], variant: &Variant) -> String {
    let single = op.folds.len() == 1;
    let all = |one: &dyn Fn(usize, String) -> String| {
        let each = |&fold: &usize| one(fold, prefix(op, fold, variant));
        let accs = folds.iter().map(each).collect::<Vec<_>>().join(", ");
        if single { accs } else { format!("Acc({accs})") }
    };
    let raw =
        all(&|fold, p| if single { format!("{p}to_acc(state, id)") } else { format!("{p}to_acc(state.m{fold}, id)") });
    let placed = all(&|fold, p| {
        let acc = if single { "acc".into() } else { format!("acc.m{fold}") };
        let leaf = &op.folds[fold];
        let moves = leaf.value().is_some_and(|wgsl| wgsl.offset.is_some()) && !leaf.reads_position;
        if moves { format!("{p}offset({acc}, base_of(row))") } else { acc }
    });
    let mut out = format!("\nfn raw_of(state: State, id: Invocation) -> Acc {{ return {raw}; }}\n");
    let _ = writeln!(out, "fn placed(acc: Acc, row: u32) -> Acc {{ return {placed}; }}");
    out + "fn acc_of(state: State, id: Invocation, row: u32) -> Acc { return placed(raw_of(state, id), row); }\n"
}

/// The functions that the reading kernel calls: the state of all folds, and the workgroup's work at the end.
pub(super) fn glue(op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) -> String {
    let mut out = String::new();
    let single = op.folds.len() == 1;
    let partial = variant.store == Store::Partial;
    out.push_str(&states(op, variant));
    let columns = matches!(variant.kernel, Kernel::Columns { .. });
    if variant.kernel == Kernel::Reduce && (!single || op.folds[0].bins().is_none()) {
        let init =
            |&fold: &usize| op.folds[fold].bins().map(|_| format!(" {}init_workgroup(id);", prefix(op, fold, variant)));
        let bins: String = (0..op.folds.len()).collect::<Vec<_>>().iter().filter_map(init).collect();
        let _ = writeln!(out, "fn init_workgroup(id: Invocation) {{{bins} }}");
    }
    let mut end = String::new();
    for (number, group) in groups.iter().enumerate() {
        out.push_str(&group_store(op, groups, number, variant));
        match group {
            FoldGroup::Values(folds) => {
                out.push_str(&glue_values(op, folds, variant));
                out.push_str(&accs(op, folds, variant));
                let _ = writeln!(end, "    let acc = workgroup_reduce(acc_of(state, id, row), id);");
                let store = if partial { "store_partial(acc, partial_of(id.workgroup.x))" } else { "store(acc, row)" };
                // Every slice has read the same values.
                let first = if partial && op.slices() > 0 {
                    "(id.local == 0u) & (slice_of(id.workgroup.x) == 0u)"
                } else {
                    "id.local == 0u"
                };
                let _ = writeln!(end, "    if {first} {{ {store}; }}");
            }
            FoldGroup::Bins(fold) => {
                let p = prefix(op, *fold, variant);
                let state = if single { "state".into() } else { format!("state.m{fold}") };
                let _ = match partial {
                    true => writeln!(end, "    {p}flush({state}, id);"),
                    false => writeln!(end, "    {p}settle_bins({state}, id, row);"),
                };
            }
        }
    }
    if let Kernel::Segments { walk } = variant.kernel {
        return if walk == Walk::Serial { out + &store_own(op, variant) } else { out };
    }
    if columns && op.has_own_memory() {
        let leave = match partial {
            true => "store_partial(acc_of(state, id, row), params.partial + row * params.row_partials + split)",
            false => {
                out.push_str(&store_own(op, variant));
                "store_own(state, row, id)"
            }
        };
        let head = "fn leave_own(state: State, row: u32, split: u32, id: Invocation)";
        let _ = writeln!(out, "{head} {{ {leave}; }}");
        return out;
    }
    if columns {
        out.push_str(match partial {
            true => {
                "\nfn leave(acc: Acc, row: u32, split: u32) {\n    store_partial(acc, params.partial + row * params.row_partials + split);\n}\n"
            }
            false => "\nfn leave(acc: Acc, row: u32, split: u32) { store(acc, row); }\n",
        });
        return out;
    }
    let _ = writeln!(out, "\nfn finish_workgroup(state: State, id: Invocation, row: u32) {{\n{end}}}");
    out
}
