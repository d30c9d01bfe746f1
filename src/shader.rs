//! From an operator to WGSL text: fragments that meet by conventional names.

use crate::{Accumulator, Dtype, Element, Op};
use std::fmt::Write;

/// How the invocations of a workgroup meet at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// Through workgroup memory, neighbours first: any device, any operator.
    Tree,
    /// By subgroup shuffles: commutative operators, full subgroups of at least this many lanes.
    Subgroups {
        /// The fewest lanes that a subgroup of this device may have.
        lanes_min: u32,
    },
}

/// Which kernel: elements into partials, or partials into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `reduce.wgsl`.
    Reduce,
    /// `combine.wgsl`.
    Combine,
}

/// The word behind a result for the host. Results lie in fresh, zeroed buffers, so one number serves all.
pub(crate) const SEAL: u32 = 0x7ee5_f01d;

/// What a kernel leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// An accumulator, for the next pass.
    Partial,
    /// An accumulator and a seal, for the host.
    Sealed,
    /// The finished answer and its count word.
    Answer,
}

/// What decides the text of a shader, next to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Which kernel.
    pub kernel: Kernel,
    /// What it leaves.
    pub store: Store,
    /// How workgroups finish.
    pub finish: Finish,
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Quads that an invocation loads before it folds the first of them.
    pub loads_in_flight: u32,
}

impl Variant {
    /// Bytes of workgroup memory, for accumulators of `acc_bytes`.
    pub fn workgroup_bytes(&self, acc_bytes: u64) -> u64 {
        let held = match self.finish {
            Finish::Tree => self.workgroup_size,
            Finish::Subgroups { lanes_min } => self.workgroup_size.div_ceil(lanes_min),
        };
        u64::from(held) * acc_bytes
    }
}

/// The complete text of one shader of an operator, as reducers build it.
pub fn text<T: Element, O: Op<T>>(op: &O, variant: &Variant) -> String {
    let subgroups = matches!(variant.finish, Finish::Subgroups { .. });
    source(&op.module(subgroups), O::ANSWER_WORDS, T::DTYPE, variant)
}

/// The complete text of one shader. `operator` is what [`complete`] or [`compose`] made.
pub(crate) fn source(operator: &str, answer_words: usize, dtype: Dtype, variant: &Variant) -> String {
    let mut text =
        format!("const WORKGROUP_SIZE = {}u;\nconst LOADS = {}u;\n", variant.workgroup_size, variant.loads_in_flight);
    if let Finish::Subgroups { lanes_min } = variant.finish {
        let _ = writeln!(text, "const SUBGROUPS_MAX = {}u;", variant.workgroup_size.div_ceil(lanes_min));
    }
    match variant.store {
        Store::Partial => {}
        Store::Sealed => drop(writeln!(text, "const SEAL = {SEAL}u;")),
        Store::Answer => drop(writeln!(text, "const ANSWER_WORDS = {answer_words}u;")),
    }
    let fragments = [
        include_str!("../shaders/params.wgsl"),
        dtype.wgsl(),
        include_str!("../shaders/wide.wgsl"),
        operator,
        match variant.finish {
            Finish::Tree => include_str!("../shaders/finish_tree.wgsl"),
            Finish::Subgroups { .. } => include_str!("../shaders/finish_subgroup.wgsl"),
        },
        match variant.store {
            Store::Partial => include_str!("../shaders/store_partial.wgsl"),
            Store::Sealed => include_str!("../shaders/store_sealed.wgsl"),
            Store::Answer => include_str!("../shaders/store_answer.wgsl"),
        },
        match variant.kernel {
            Kernel::Reduce => include_str!("../shaders/reduce.wgsl"),
            Kernel::Combine => include_str!("../shaders/combine.wgsl"),
        },
    ];
    for fragment in fragments {
        text.push('\n');
        text.push_str(&unroll(fragment, variant.loads_in_flight));
        text.push('\n');
    }
    text
}

/// Repeats each run of lines marked `// unroll`, line by line, with `quad0` and `0u *` counted up.
fn unroll(text: &str, loads: u32) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.strip_suffix("// unroll") {
            Some(line) => {
                for k in 0..loads {
                    let copy = line.replace("quad0", &format!("quad{k}")).replace("0u *", &format!("{k}u *"));
                    let _ = writeln!(out, "{}", copy.trim_end());
                }
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

const FOLD: &str = "
fn fold(acc: Acc, quad: vec4<u32>, index: u32) -> Acc {
    let front = combine(lift(quad.x, index), lift(quad.y, index + 1u));
    let back = combine(lift(quad.z, index + 2u), lift(quad.w, index + 3u));
    return combine(acc, combine(front, back));
}
";
const REBASE: &str = "
fn rebase(acc: Acc, base: vec2<u32>) -> Acc { return acc; }
";

/// An operator's text with the declaration of its accumulator and the functions that it left out.
pub(crate) fn complete<A: Accumulator>(text: &str, subgroups: bool) -> String {
    let mut out = format!("{}\n{}\n", A::WGSL, text.trim());
    if !text.contains("fn rebase(") {
        out.push_str(REBASE);
    }
    if !text.contains("fn fold(") {
        out.push_str(FOLD);
    }
    if subgroups {
        let shuffled = if A::MEMBERS.is_empty() {
            "subgroupShuffleXor(acc, mask)".to_string()
        } else {
            let members: Vec<_> = A::MEMBERS.iter().map(|m| format!("subgroupShuffleXor(acc.{m}, mask)")).collect();
            format!("Acc({})", members.join(", "))
        };
        let _ = writeln!(out, "fn shuffle(acc: Acc, mask: u32) -> Acc {{ return {shuffled}; }}");
    }
    out
}

/// Several complete operators as one, whose `Acc` holds theirs. Each member comes with the words of its answer.
pub(crate) fn compose(members: &[(String, usize)], answer_words: usize, subgroups: bool) -> String {
    let mut out = String::new();
    for (m, (text, _)) in members.iter().enumerate() {
        out.push_str(&prefixed(text, &format!("m{m}_")));
        out.push('\n');
    }
    let each = |one: &dyn Fn(usize) -> String| (0..members.len()).map(one).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "struct Acc {{ {} }}", each(&|m| format!("m{m}: m{m}_Acc")));
    let mut function = |signature: &str, call: &dyn Fn(usize) -> String| {
        let _ = writeln!(out, "fn {signature} -> Acc {{ return Acc({}); }}", each(call));
    };
    function("identity()", &|m| format!("m{m}_identity()"));
    function("lift(bits: u32, index: u32)", &|m| format!("m{m}_lift(bits, index)"));
    function("combine(a: Acc, b: Acc)", &|m| format!("m{m}_combine(a.m{m}, b.m{m})"));
    function("rebase(acc: Acc, base: vec2<u32>)", &|m| format!("m{m}_rebase(acc.m{m}, base)"));
    function("fold(acc: Acc, quad: vec4<u32>, index: u32)", &|m| format!("m{m}_fold(acc.m{m}, quad, index)"));
    if subgroups {
        function("shuffle(acc: Acc, mask: u32)", &|m| format!("m{m}_shuffle(acc.m{m}, mask)"));
    }
    if answer_words > 0 {
        let _ = writeln!(out, "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, {answer_words}> {{");
        let mut words = Vec::new();
        for (m, &(_, count)) in members.iter().enumerate() {
            let _ = writeln!(out, "    let f{m} = m{m}_finish(acc.m{m}, count);");
            words.extend((0..count).map(|w| format!("f{m}[{w}]")));
        }
        let _ = writeln!(out, "    return array<u32, {answer_words}>({});\n}}", words.join(", "));
    }
    out
}

/// The text with a prefix before every name that it defines. A function's name counts where it is called or defined,
/// so that parameters and members may share it.
fn prefixed(text: &str, prefix: &str) -> String {
    let words = words(text);
    let spoken: Vec<&str> = words.iter().copied().filter(|w| !w.trim().is_empty()).collect();
    let defined = |by: &[&str]| -> Vec<&str> {
        spoken.windows(2).filter(|pair| by.contains(&pair[0])).map(|pair| pair[1]).collect()
    };
    let (functions, others) = (defined(&["fn"]), defined(&["struct", "alias", "const"]));
    let mut out = String::with_capacity(text.len() * 2);
    for (at, word) in words.iter().enumerate() {
        let called = words.get(at + 1) == Some(&"(");
        if others.contains(word) || called && functions.contains(word) {
            out.push_str(prefix);
        }
        out.push_str(word);
    }
    out
}

/// Splits a text into names, runs of blanks, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = 2;
    for (at, c) in text.char_indices() {
        if at > start && (class(c) != last || class(c) == 2) {
            out.push(&text[start..at]);
            start = at;
        }
        last = class(c);
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unrolling_counts_up_line_by_line() {
        let text = "a\n  let quad0 = quads[q + 0u * s];  // unroll\n  use(quad0);  // unroll\nb\n";
        let want =
            "a\n  let quad0 = quads[q + 0u * s];\n  let quad1 = quads[q + 1u * s];\n  use(quad0);\n  use(quad1);\nb\n";
        assert_eq!(unroll(text, 2), want);
    }

    #[test]
    fn prefixes_reach_definitions_and_uses_but_no_members() {
        let text = "struct Acc { x: u32 }\nfn lift(a: u32) -> Acc { return Acc(other(a)); }\nfn x(lift: u32) { y.lift = lift(lift); }";
        let want = "struct p_Acc { x: u32 }\nfn p_lift(a: u32) -> p_Acc { return p_Acc(other(a)); }\nfn p_x(lift: u32) { y.lift = p_lift(lift); }";
        assert_eq!(prefixed(text, "p_"), want);
    }
}
