//! From an operator and a variant to WGSL: the operator's pieces and the fragments under shaders/, in one text.

mod check;
mod glue;
mod members;
mod shared;
mod source;

pub(crate) use check::check;

use crate::element::Dtype;
use crate::input::{Texel, Unit};
use crate::op::{DeviceOp, FoldGroup, Leaf, renamed, unroll};
use crate::plan::{Bounds, Kernel, Neighbours, Order, ROWS_AT_ONCE, Rows, Store, Variant, Walk};
use members::{answers, takes_pairs};
use source::Pieces;
pub use source::Source;
use std::fmt::Write;

/// The complete text of one shader.
pub fn assemble(op: &DeviceOp, variant: &Variant) -> Source {
    let mut source = Source::default();
    source.push(&head(op, variant));
    let groups = op.groups();
    match variant.kernel {
        Kernel::Reduce => reduce(&mut source, op, &groups, variant),
        Kernel::Columns { own, neighbours } => columns(&mut source, op, &groups, own, neighbours, variant),
        Kernel::Combine { group } => combine(&mut source, op, &groups, group, variant),
        Kernel::Segments { walk } => segments(&mut source, op, &groups, walk, variant),
        Kernel::Groups { replicas: 0, .. } => groups_by_key(&mut source, op, &groups, variant),
        Kernel::Groups { .. } => groups_in_cells(&mut source, op, &groups, variant),
        Kernel::Clear => source.push(include_str!("../../shaders/groups/clear.wgsl")),
        Kernel::Carry => carry(&mut source, op, &groups, variant),
        Kernel::Finish => finish(&mut source, op, variant),
    }
    source
}

/// Constants, builtins, parameters and bindings.
fn head(op: &DeviceOp, variant: &Variant) -> String {
    let mut out = format!("const WORKGROUP_SIZE = {}u;\n", variant.workgroup_size);
    let read = if variant.kernel.reads() { op.dtype } else { op.over_type() };
    let bits = read.bits();
    if variant.kernel.reads() {
        let per_vector = if variant.load.one() { 1 } else { 16 / op.dtype.bytes() };
        let _ = writeln!(out, "const LOADS = {}u;\nconst PER_VECTOR = {per_vector}u;", variant.loads_in_flight);
    }
    if let Kernel::Groups { own, replicas } = variant.kernel {
        let _ = writeln!(out, "const OWN = {own}u;");
        if replicas > 0 {
            let _ = writeln!(out, "const REPLICAS = {replicas}u;");
        }
        out.push_str(if variant.load.one() { "alias Keys = u32;\n" } else { "alias Keys = vec4<u32>;\n" });
    }
    if let Kernel::Columns { own, neighbours } = variant.kernel {
        let (along, blocked) = (neighbours != Neighbours::Answers, variant.order == Order::Blocked);
        let _ = writeln!(out, "const OWN = {own}u;\nconst ALONG = {along};\nconst BLOCKED = {blocked};");
    }
    if sliced(op, variant) {
        let _ = writeln!(out, "const SLICES = {}u;", op.slices());
    }
    if let Some(lanes_min) = variant.lanes_min {
        let _ = writeln!(out, "const LANES_MIN = {lanes_min}u;");
        let _ = writeln!(out, "const SUBGROUPS_MAX = {}u;", variant.workgroup_size.div_ceil(lanes_min));
    }
    let _ = writeln!(out, "alias Bits = {bits};\n\nstruct Invocation {{");
    let _ = writeln!(
        out,
        "    @builtin(local_invocation_index) local: u32,\n    @builtin(workgroup_id) workgroup: vec3<u32>,"
    );
    if variant.lanes_min.is_some() {
        out.push_str("    @builtin(subgroup_size) lanes: u32,\n    @builtin(subgroup_invocation_id) lane: u32,\n");
        out.push_str("    @builtin(num_subgroups) subgroups: u32,\n    @builtin(subgroup_id) subgroup: u32,\n");
    }
    out.push_str("}\n\n");
    let params = include_str!("../../shaders/params.wgsl");
    match tail_words(op) + dims_words(variant) {
        0 => out.push_str(params),
        words => {
            let members = params.trim_end().trim_end_matches('}');
            let _ = writeln!(out, "{members}    tail: array<vec4<u32>, {}>,\n}}\n", words.div_ceil(4));
            out.push_str("// Word i of the regions of partials, the operator's parameters, and the lengths and strides of dimensions.\n");
            out.push_str("fn parameter(i: u32) -> u32 { return params.tail[i / 4u][i % 4u]; }\n");
        }
    }
    if variant.store != Store::Partial || op.groups().len() > 1 {
        out.push_str("\n@group(0) @binding(3) var<storage, read_write> results: array<u32>;\n");
    }
    if variant.kernel.reads() && op.folds.iter().any(|fold| !fold.table.is_empty()) {
        out.push_str("@group(0) @binding(4) var<storage, read> table: array<u32>;\n");
    }
    out
}

/// Words behind the fixed parameters: where regions begin, where there are several; and the operator's own.
pub fn tail_words(op: &DeviceOp) -> usize {
    regions(op) + op.params().len()
}

/// Words behind those: the length and the stride of each dimension; or the weights of texels.
fn dims_words(variant: &Variant) -> usize {
    match variant.rows {
        _ if variant.load.texel() == Some(Texel::Weighted) => 4,
        Rows::Strided { kept, reduced } => 2 * (usize::from(kept) + usize::from(reduced)),
        Rows::One | Rows::Many | Rows::Segments(_) | Rows::Groups => 0,
    }
}

/// Words of the tail that say where regions begin.
pub(crate) fn regions(op: &DeviceOp) -> usize {
    let groups = op.groups().len();
    if groups > 1 { groups } else { 0 }
}

/// The widening of f16 by a device that does it right.
const F16_UNPACKED: &str = include_str!("../../shaders/element/f16_unpacked.wgsl");

/// The functions of an element's bits that folds may call, and the widening of narrow elements.
fn element(op: &DeviceOp) -> String {
    let widening = if op.unpacks { F16_UNPACKED } else { op.dtype.widening() };
    [widening, op.over_type().wgsl()].join("\n").trim_start().into()
}

/// The same in a text, in which what a program brings along is a piece of its own.
fn push_element(source: &mut Source, op: &DeviceOp) {
    match op.over_type().brought() {
        Some(text) => {
            let mut pieces = Pieces::default();
            pieces.brought(text);
            let text = std::mem::take(&mut pieces.text);
            source.push_pieces(&pieces, &text);
        }
        None => source.push(&element(op)),
    }
}

/// The WGSL that reads elements of a type.
fn load(op: &DeviceOp, variant: &Variant) -> String {
    let load = variant.load;
    let words: String = match (load.beside(), op.dtype.bytes()) {
        (Some(Unit::Word), _) => include_str!("../../shaders/load/zipped.wgsl").into(),
        (Some(unit), _) => flagged(op.dtype, unit),
        (None, 1) => include_str!("../../shaders/load/quarter.wgsl").into(),
        (None, 2) => include_str!("../../shaders/load/half.wgsl").into(),
        (None, 4) => include_str!("../../shaders/load/word.wgsl").into(),
        (None, 12) => include_str!("../../shaders/load/triple.wgsl").into(),
        (None, 16) => include_str!("../../shaders/load/quad.wgsl").into(),
        (None, _) => include_str!("../../shaders/load/pair.wgsl").into(),
    };
    let text = load.texel().map_or(words, |texel| texels(op, texel));
    // The text with another `load`, and without lines that are of no use to that.
    let instead = |other: &str, unused: &[&str]| {
        let is_used = |line: &&str| !unused.iter().any(|&start| line.starts_with(start));
        text.lines().filter(is_used).collect::<Vec<_>>().join("\n") + "\n" + other
    };
    if variant.words64 {
        let vectors = include_str!("../../shaders/load/vectors64.wgsl");
        return instead(vectors, &["fn load(", "@group(0) @binding(0) "]);
    }
    if !load.one() {
        return text;
    }
    let one = match (variant.kernel, variant.rows) {
        // It has one of its own.
        (Kernel::Columns { .. } | Kernel::Groups { .. }, _) => "",
        (_, Rows::Strided { .. }) => include_str!("../../shaders/load/strided.wgsl"),
        _ => include_str!("../../shaders/load/one.wgsl"),
    };
    instead(one, &["fn load("])
}

/// The WGSL that reads values of one input and flags of another.
fn flagged(dtype: Dtype, unit: Unit) -> String {
    let flags = match unit {
        Unit::Bit => include_str!("../../shaders/load/flag_bits.wgsl"),
        Unit::Byte | Unit::Word => include_str!("../../shaders/load/flag_bytes.wgsl"),
    };
    let values = match (dtype.bytes(), dtype.numbers().map(Dtype::bytes)) {
        (16, _) => include_str!("../../shaders/load/flagged_pair.wgsl"),
        (8, _) => include_str!("../../shaders/load/flagged_word.wgsl"),
        (_, Some(1)) => include_str!("../../shaders/load/flagged_quarter.wgsl"),
        _ => include_str!("../../shaders/load/flagged_half.wgsl"),
    };
    [values, flags].join("\n")
}

/// The WGSL that reads texels of the elements' type.
fn texels(op: &DeviceOp, texel: Texel) -> String {
    let text = include_str!("../../shaders/load/texture.wgsl");
    let bits = match texel {
        Texel::Whole => return include_str!("../../shaders/load/texel.wgsl").into(),
        Texel::Weighted => {
            let text = include_str!("../../shaders/load/weighted.wgsl");
            format!("const TEXEL_WEIGHTS = {}u;\n\n{text}", tail_words(op))
        }
        Texel::Number(number) => {
            let bits = if op.dtype == Dtype::U32 { "" } else { "bitcast<u32>" };
            format!("fn bits_of_texel(texel: vec4<TexelNumber>) -> u32 {{ return {bits}(texel[{number}]); }}\n")
        }
    };
    format!("{text}\nalias TexelNumber = {};\n{bits}", op.dtype)
}

/// Whether a last round goes through the loop, too, for the sake of compilers: of several folds of which some have bins, as was measured with
/// exact sums, and with one load in flight. An H200, `treefold bench variance,stats --size 2^28 --adapter 0`, with a loop each for what lies before and
/// behind the vectors: variance 307 µs, 324 where rounds are whole, and pipelines without a cache 421 to 452 ms, 505 to 578; of stats 584 to 632,
/// 783 to 949. Of single folds whole rounds are quicker: logsumexp 317 µs, 346, sum of f16 128, 131.
fn rounds_may_be_part(op: &DeviceOp, variant: &Variant) -> bool {
    variant.loads_in_flight == 1 || (op.folds.len() > 1 && op.folds.iter().any(|fold| fold.bins().is_some()))
}

/// Whether folds take the vectors of a round in pairs, as some have a form for. Then a last round is one like the others. An H200, one by one and in
/// pairs: `treefold bench variance --size 2^28 --adapter 0` 298.0, 283.3 µs, `norm2 --dtype f64 --size 2^27` 312.7, 284.7; of the halves of a load,
/// `stats --dtype f16 --size 2^27` 278.0, 262.7, `sum --dtype bf16 --size 2^28` 148.5, 137.5.
fn in_pairs(op: &DeviceOp, variant: &Variant) -> bool {
    let reads = variant.kernel == Kernel::Reduce && !variant.load.one() && op.dtype.parts().is_none();
    reads && variant.loads_in_flight.is_multiple_of(2) && op.folds.iter().any(takes_pairs)
}

/// The kernel that reads elements.
fn reduce(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) {
    push_element(source, op);
    source.push(&load(op, variant));
    source.push(match variant.order {
        Order::Striped => include_str!("../../shaders/order/striped.wgsl"),
        Order::Blocked => include_str!("../../shaders/order/blocked.wgsl"),
    });
    reading(source, op, groups, variant);
    if let Some(FoldGroup::Values(folds)) = groups.first() {
        push_workgroup(source, op, folds, variant);
    }
    let (loads, in_pairs) = (variant.loads_in_flight, in_pairs(op, variant));
    let part = in_pairs || rounds_may_be_part(op, variant);
    let (rest, whole, parts) = if part { (0, 0, loads) } else { (loads, loads, 0) };
    let (singly, of_pairs) = if in_pairs { (0, loads) } else { (parts, 0) };
    let apart = u32::from(!part || !op.commutative());
    source.push(&format!("const REST = {rest}u;  // vectors that the loop over rounds leaves, at most"));
    let main = unrolled(include_str!("../../shaders/reduce.wgsl"), variant);
    let main = unroll(&main, &[("WHOLE", whole), ("PART", parts), ("APART", apart), ("SINGLY", singly)]);
    let main = unroll(&main, &[("PAIRED", of_pairs.min(1)), ("OF_PAIRS", of_pairs), ("PAIRS", of_pairs / 2)]);
    source.push(&in_loads(&main, op.dtype, variant));
}

/// A text that takes what is loaded at once: an element, or more.
fn in_loads(text: &str, dtype: Dtype, variant: &Variant) -> String {
    if variant.load.one() { text.replace("accumulate_vector(", "accumulate(") } else { by_loads(text, dtype) }
}

/// A text that takes what is loaded at once: where that is more than a vector of words, as it is packed.
fn by_loads(text: &str, dtype: Dtype) -> String {
    if dtype.parts().is_none() {
        return text.into();
    }
    text.replace("accumulate_vector(", "accumulate_load(")
}

/// The kernel that reads the elements of many answers.
fn columns(
    source: &mut Source,
    op: &DeviceOp,
    groups: &[FoldGroup],
    own: u32,
    neighbours: Neighbours,
    variant: &Variant,
) {
    push_element(source, op);
    source.push(&load(op, variant));
    source.push(&match own {
        _ if neighbours == Neighbours::Vectors => {
            by_loads(include_str!("../../shaders/columns/vectors.wgsl"), op.dtype)
        }
        1 => include_str!("../../shaders/columns/one.wgsl").into(),
        _ => elements_of_vectors(op.dtype).to_string(),
    });
    reading(source, op, groups, variant);
    if op.has_own_memory() {
        return source.push(&unrolled(include_str!("../../shaders/columns/alone.wgsl"), variant));
    }
    source.push(&unrolled(
        match variant.lanes_min {
            Some(_) => include_str!("../../shaders/columns/subgroup.wgsl"),
            None => include_str!("../../shaders/columns/memory.wgsl"),
        },
        variant,
    ));
    source.push(&unrolled(include_str!("../../shaders/columns.wgsl"), variant));
}

/// The WGSL that takes the elements of a vector apart.
fn elements_of_vectors(dtype: Dtype) -> &'static str {
    match dtype.bytes() {
        1 => include_str!("../../shaders/columns/quarters.wgsl"),
        2 => include_str!("../../shaders/columns/halves.wgsl"),
        4 => include_str!("../../shaders/columns/words.wgsl"),
        16 => include_str!("../../shaders/columns/quads.wgsl"),
        _ => include_str!("../../shaders/columns/pairs.wgsl"),
    }
}

/// The kernels that read the elements of segments.
fn segments(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], walk: Walk, variant: &Variant) {
    let Some(FoldGroup::Values(folds)) = groups.first() else { return };
    push_element(source, op);
    source.push(&load(op, variant));
    reading(source, op, groups, variant);
    source.push(include_str!("../../shaders/segments/left.wgsl"));
    source.push(include_str!("../../shaders/segments/share.wgsl"));
    let (constants, walk) = match walk {
        Walk::Serial => {
            source.push(include_str!("../../shaders/segments/search_one.wgsl"));
            push_scan(source, op, folds, variant);
            source.push(&shared::leaving(op, folds, variant));
            let run = match variant.loads_in_flight {
                1 => include_str!("../../shaders/segments/one_vector.wgsl"),
                _ => include_str!("../../shaders/segments/four_vectors.wgsl"),
            };
            source.push(&in_loads(run, op.dtype, variant));
            return source.push(include_str!("../../shaders/segments/serial.wgsl"));
        }
        Walk::Lanes { most } => {
            (format!("const ELEMENTS_MAX = {most}u;"), include_str!("../../shaders/segments/alone.wgsl"))
        }
        Walk::Clusters { mean, most } => {
            let constants = format!("const ELEMENTS_MEAN = {mean}u;\nconst ELEMENTS_MAX = {most}u;");
            (constants, include_str!("../../shaders/segments/clusters.wgsl"))
        }
    };
    source.push(include_str!("../../shaders/segments/search_lanes.wgsl"));
    source.push(include_str!("../../shaders/segments/team.wgsl"));
    source.push(&unrolled(include_str!("../../shaders/segments/part.wgsl"), variant));
    source.push(&by_loads(&unrolled(include_str!("../../shaders/segments/taken.wgsl"), variant), op.dtype));
    source.push(&constants);
    source.push(walk);
    source.push(include_str!("../../shaders/segments/subgroup.wgsl"));
}

/// The kernel that reads the elements of groups.
fn groups_by_key(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) {
    let Some(FoldGroup::Values(folds)) = groups.first() else { return };
    push_element(source, op);
    source.push(&load(op, variant));
    reading(source, op, groups, variant);
    push_workgroup(source, op, folds, variant);
    source.push(include_str!("../../shaders/groups/keys.wgsl"));
    source.push(include_str!("../../shaders/groups/key.wgsl"));
    source.push(&unrolled(include_str!("../../shaders/groups/groups.wgsl"), variant));
}

/// The kernel that reads the elements of groups into cells that a workgroup shares.
fn groups_in_cells(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) {
    let Some(group @ FoldGroup::Values(folds)) = groups.first() else { return };
    push_element(source, op);
    source.push(&load(op, variant));
    source.push(&rows(op, variant));
    source.push(include_str!("../../shaders/element/wide.wgsl"));
    source.push_members(op, folds.iter().copied(), variant);
    source.push(&glue::glue_values(op, folds, variant));
    source.push(&glue::glue_cells(op, folds));
    source.push(&glue::group_store(op, std::slice::from_ref(group), 0, variant));
    source.push(include_str!("../../shaders/groups/keys.wgsl"));
    if variant.load.one() {
        source.push(include_str!("../../shaders/groups/key.wgsl"));
        source.push(include_str!("../../shaders/groups/one.wgsl"));
    } else {
        source.push(include_str!("../../shaders/groups/four.wgsl"));
    }
    source.push(&unrolled(include_str!("../../shaders/groups/cells.wgsl"), variant));
}

/// The kernel that carries over the borders of shares.
fn carry(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) {
    let Some(group @ FoldGroup::Values(folds)) = groups.first() else { return };
    push_element(source, op);
    source.push(&rows(op, variant));
    source.push(include_str!("../../shaders/element/wide.wgsl"));
    source.push_members(op, folds.iter().copied(), variant);
    answers(source, op, |fold| folds.contains(&fold), variant);
    source.push(&glue::glue_values(op, folds, variant));
    source.push(&glue::group_store(op, std::slice::from_ref(group), 0, variant));
    source.push(&glue::store_number(op, variant));
    source.push(include_str!("../../shaders/segments/left.wgsl"));
    push_scan(source, op, folds, variant);
    source.push(include_str!("../../shaders/segments/carry.wgsl"));
}

/// The vectors of words that a load is, where narrow elements are loaded several to a word.
fn loads_in_parts(op: &DeviceOp, variant: &Variant) -> Option<u32> {
    op.dtype.parts().filter(|_| !variant.load.one() && variant.kernel.reads())
}

/// The text that kernels that read share: places, the operator, and how results are written.
fn reading(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], variant: &Variant) {
    source.push(&rows(op, variant));
    source.push(include_str!("../../shaders/element/wide.wgsl"));
    if op.folds.iter().any(Leaf::places) {
        source.push(include_str!("../../shaders/rows/position.wgsl"));
    }
    if loads_in_parts(op, variant).is_some() {
        source.push(match op.dtype.bytes() {
            1 => include_str!("../../shaders/vector/part_of_quarters.wgsl"),
            _ => include_str!("../../shaders/vector/part_of_halves.wgsl"),
        });
    }
    source.push_members(op, 0..op.folds.len(), variant);
    if variant.store != Store::Partial {
        answers(source, op, |_| true, variant);
    }
    source.push(&glue::glue(op, groups, variant));
}

/// The kernel that combines the partials of one group.
fn combine(source: &mut Source, op: &DeviceOp, groups: &[FoldGroup], number: usize, variant: &Variant) {
    let Some(group) = groups.get(number) else { return };
    push_element(source, op);
    source.push(&rows(op, variant));
    source.push(include_str!("../../shaders/element/wide.wgsl"));
    match group {
        FoldGroup::Values(folds) => {
            source.push_members(op, folds.iter().copied(), variant);
            answers(source, op, |fold| folds.contains(&fold), variant);
            source.push(&glue::glue_values(op, folds, variant));
            source.push(&glue::group_store(op, groups, number, variant));
            push_workgroup(source, op, folds, variant);
            source.push(include_str!("../../shaders/combine.wgsl"));
        }
        FoldGroup::Bins(fold) => {
            source.push_members(op, [*fold], variant);
            answers(source, op, |other| other == *fold, variant);
            source.push(&glue::group_store(op, groups, number, variant));
            let counts = op.folds[*fold].counts();
            source.push(&unrolled(
                match counts {
                    true => include_str!("../../shaders/histogram/combine.wgsl"),
                    false => include_str!("../../shaders/bins/combine.wgsl"),
                },
                variant,
            ));
        }
    }
}

/// The kernel that finishes answers over several folds.
fn finish(source: &mut Source, op: &DeviceOp, variant: &Variant) {
    push_element(source, op);
    source.push(include_str!("../../shaders/element/wide.wgsl"));
    source.push(include_str!("../../shaders/finish.wgsl"));
    source.push(match variant.rows {
        Rows::Segments(_) | Rows::Groups => include_str!("../../shaders/rows/counted.wgsl"),
        _ => include_str!("../../shaders/rows/total.wgsl"),
    });
    source.push_members(op, 0..op.folds.len(), variant);
    answers(source, op, |_| true, variant);
    source.push(&glue::glue_finish(op, variant));
}

/// Whether neighbouring workgroups read the same elements, each for a slice of the bins.
fn sliced(op: &DeviceOp, variant: &Variant) -> bool {
    variant.kernel == Kernel::Reduce && op.slices() > 0
}

/// The functions that tell a workgroup what it reads: those of all slices together have this prefix.
const PLACED: [&str; 3] = ["row_of", "split_of", "partial_of"];
const SLICE: &str = "slice_";

/// The WGSL by which a workgroup finds its row.
fn rows(op: &DeviceOp, variant: &Variant) -> String {
    let text = rows_of_workgroups(op, variant);
    match sliced(op, variant) {
        true => format!("{}\n{}", renamed(&text, &PLACED, SLICE), include_str!("../../shaders/rows/sliced.wgsl")),
        false => text,
    }
}

/// The same where no two workgroups read the same.
fn rows_of_workgroups(op: &DeviceOp, variant: &Variant) -> String {
    let total = concat!("\n", include_str!("../../shaders/rows/total.wgsl"));
    match variant.rows {
        Rows::One => format!("{}{total}", include_str!("../../shaders/rows/one.wgsl")),
        Rows::Many => format!("{}{total}", include_str!("../../shaders/rows/many.wgsl")),
        // The pass that combines has rows of partials.
        Rows::Groups if !variant.kernel.reads() => {
            let many = include_str!("../../shaders/rows/many.wgsl");
            format!("{many}\n{}", include_str!("../../shaders/rows/group_totals.wgsl"))
        }
        Rows::Groups => include_str!("../../shaders/rows/groups.wgsl").into(),
        Rows::Segments(by) => {
            let text = include_str!("../../shaders/rows/segments.wgsl");
            ends(by).iter().fold(text.into(), |text, ends| format!("{text}\n{ends}"))
        }
        Rows::Strided { kept, reduced } => {
            let (kept, reduced, tail) = (kept.into(), reduced.into(), tail_words(op));
            let text = include_str!("../../shaders/rows/strided.wgsl");
            format!(
                "{text}{total}\n{}{}",
                place("place_of_row", kept, tail),
                place("place_in_row", reduced, tail + 2 * kept)
            )
        }
    }
}

/// The WGSL that finds the ends of segments.
fn ends(by: Bounds) -> &'static [&'static str] {
    const OFFSETS: &str = include_str!("../../shaders/ends/offsets.wgsl");
    const COUNT: &str = include_str!("../../shaders/ends/count.wgsl");
    const COUNTED: &str = include_str!("../../shaders/ends/counted.wgsl");
    const ALL: &str = include_str!("../../shaders/ends/all.wgsl");
    match by {
        Bounds::Offsets => &[OFFSETS, ALL],
        Bounds::CountedOffsets => &[OFFSETS, COUNT, COUNTED],
        Bounds::CountedRows => &[COUNT, COUNTED, include_str!("../../shaders/ends/rows.wgsl")],
        Bounds::CountedElements => &[COUNT, ALL, include_str!("../../shaders/ends/elements.wgsl")],
    }
}

/// From place 0 to the n-th in C order, by dimensions whose lengths and strides begin at a word of the tail.
fn place(name: &str, dims: usize, at: usize) -> String {
    let mut out = format!("fn {name}(n: u32) -> u32 {{\n    var place = 0u;\n    var rest = n;\n");
    for dim in (0..dims).rev() {
        let (length, stride) = (at + 2 * dim, at + 2 * dim + 1);
        if dim == 0 {
            let _ = writeln!(out, "    place += rest * parameter({stride}u);");
        } else {
            let _ = writeln!(out, "    place += (rest % parameter({length}u)) * parameter({stride}u);");
            let _ = writeln!(out, "    rest /= parameter({length}u);");
        }
    }
    out + "    return place;\n}\n"
}

/// The block reduction of values.
fn push_workgroup(source: &mut Source, op: &DeviceOp, folds: &[usize], variant: &Variant) {
    match variant.lanes_min {
        None => {
            source.push(&shared::tree(op, folds, variant));
            source.push(include_str!("../../shaders/workgroup/tree.wgsl"));
        }
        Some(_) => {
            source.push(&match shared::any_long(op, folds, variant) {
                true => include_str!("../../shaders/workgroup/butterfly_loop.wgsl").into(),
                false => unrolled(include_str!("../../shaders/workgroup/butterfly.wgsl"), variant),
            });
            source.push(include_str!("../../shaders/workgroup/subgroup.wgsl"));
        }
    }
}

/// The scan of what the invocations of a workgroup leave open.
fn push_scan(source: &mut Source, op: &DeviceOp, folds: &[usize], variant: &Variant) {
    source.push(&shared::scan(op, folds, variant));
    source.push(include_str!("../../shaders/segments/scan.wgsl"));
}

/// A fragment with its marked lines repeated.
pub(super) fn unrolled(text: &str, variant: &Variant) -> String {
    let own = if let Kernel::Columns { own, .. } | Kernel::Groups { own, .. } = variant.kernel { own } else { 1 };
    let counts = [
        ("LOADS", variant.loads_in_flight),
        ("BUTTERFLY", variant.butterfly),
        ("ROWS_AT_ONCE", ROWS_AT_ONCE),
        ("OWN", own),
    ];
    unroll(text, &counts)
}
