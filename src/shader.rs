//! From an operator to WGSL text: fragments that meet by conventional names.

use crate::plan::Gathered;
use crate::tuning::Layout;
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
    /// In workgroup memory that all invocations add to: the operator's `gather` leaves the workgroup's fold in invocation 0.
    Gathered {
        /// The fewest lanes that a subgroup may have where it uses shuffles, as in `Subgroups`.
        lanes_min: Option<u32>,
    },
}

impl Finish {
    /// Whether the text needs subgroup operations.
    pub fn subgroups(&self) -> bool {
        matches!(self, Finish::Subgroups { .. } | Finish::Gathered { lanes_min: Some(_) })
    }
}

/// How an exact operator keeps its sum while it reads: the same bits whichever is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exact {
    /// In bins that a workgroup shares, added to by atomics, in so many copies that neighbouring lanes do not meet. For GPUs.
    Bins {
        /// Copies of every bin: 1 to 32, a power of two.
        copies: u32,
    },
    /// In each invocation's own words, f32 behind a window in registers. For CPUs, and where workgroup atomics fail.
    Window,
    /// The same with a window of one 64-bit integer, where the device has `SHADER_INT64`.
    Window64,
}

/// What the text of an operator depends on besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// Whether workgroups finish by subgroup operations, so that `Acc` needs `shuffle`.
    pub subgroups: bool,
    /// What exact operators use.
    pub exact: Exact,
}

/// An operator as kernels see it: its complete text, and what a plan must know of it.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) text: String,
    /// 64-bit counters of workgroup memory that it declares for itself.
    pub(crate) counters: u64,
    /// What a workgroup leaves for the next pass, where its `gather` folds the whole workgroup, so that nothing is left to do
    /// for its finish.
    pub(crate) gathered: Option<Gathered>,
    /// Whether taking an element is so long that one load at a time keeps it busy, and that its text should not stand there
    /// more often than it must.
    pub(crate) heavy: bool,
    /// Whether all its loops are known to end, so that no guard against endless ones is needed.
    pub(crate) ends: bool,
    /// Loop trips of one `combine`, and of its other functions together.
    pub(crate) combine_trips: u64,
    pub(crate) trips: u64,
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
    /// How invocations share the input.
    pub layout: Layout,
    /// Whether the two halves of every pair come from two inputs.
    pub zipped: bool,
}

impl Variant {
    /// How many invocations share a 64-bit sum of an exact operator at most: few where there are many sums, one for each pair
    /// of bins; many where there are many partials.
    fn seats_max(&self) -> u32 {
        match self.kernel {
            Kernel::Reduce => 8,
            Kernel::Combine => 32,
        }
    }

    /// How many share it where there are so many copies of every bin (`SEATS` in exact_meet_*.wgsl).
    pub fn seats(&self, copies: u32) -> u32 {
        match self.finish {
            Finish::Subgroups { lanes_min } | Finish::Gathered { lanes_min: Some(lanes_min) } => lanes_min,
            Finish::Tree | Finish::Gathered { lanes_min: None } => copies.min(self.workgroup_size),
        }
        .min(self.seats_max())
    }

    /// Bytes of workgroup memory, for accumulators of `acc_bytes`.
    pub fn workgroup_bytes(&self, acc_bytes: u64) -> u64 {
        let held = match self.finish {
            Finish::Tree => self.workgroup_size,
            Finish::Subgroups { lanes_min } => self.workgroup_size.div_ceil(lanes_min),
            Finish::Gathered { .. } => 0,
        };
        u64::from(held) * acc_bytes
    }
}

/// The complete text of one shader of an operator, as reducers build it.
pub fn text<T: Element, O: Op<T>>(op: &O, variant: &Variant, exact: Exact) -> String {
    source(
        &op.module(Dialect { subgroups: variant.finish.subgroups(), exact }).text,
        O::ANSWER_WORDS,
        T::DTYPE,
        variant,
    )
}

/// The complete text of one shader. `operator` is what [`complete`] or [`compose`] made.
pub(crate) fn source(operator: &str, answer_words: usize, dtype: Dtype, variant: &Variant) -> String {
    let mut text = format!(
        "const WORKGROUP_SIZE = {}u;\nconst LOADS = {}u;\nconst ROWS = {ROWS}u;\n",
        variant.workgroup_size, variant.loads_in_flight
    );
    let bits = if dtype.bytes() > 4 { "vec2<u32>" } else { "u32" };
    let _ = writeln!(text, "const QUAD = {}u;\nalias Bits = {bits};", 16 / dtype.bytes());
    if let Finish::Subgroups { lanes_min } | Finish::Gathered { lanes_min: Some(lanes_min) } = variant.finish {
        let _ = writeln!(text, "const LANES_MIN = {lanes_min}u;");
    }
    let _ = writeln!(text, "const SEATS_MAX = {}u;", variant.seats_max());
    if let Finish::Subgroups { lanes_min } = variant.finish {
        let _ = writeln!(text, "const SUBGROUPS_MAX = {}u;", variant.workgroup_size.div_ceil(lanes_min));
    }
    match variant.store {
        Store::Partial => {}
        Store::Sealed => drop(writeln!(text, "const SEAL = {SEAL}u;")),
        Store::Answer => drop(writeln!(text, "const ANSWER_WORDS = {answer_words}u;")),
    }
    let gathered = matches!(variant.finish, Finish::Gathered { .. });
    let leaves_bins = gathered && variant.store == Store::Partial;
    let fragments = [
        include_str!("../shaders/params.wgsl"),
        dtype.wgsl(),
        match variant.kernel {
            Kernel::Reduce => load(dtype, variant.zipped),
            Kernel::Combine => "",
        },
        match (variant.kernel, variant.layout) {
            (Kernel::Reduce, Layout::Strided) => include_str!("../shaders/walk_tiles.wgsl"),
            (Kernel::Reduce, Layout::Blocked) => include_str!("../shaders/walk_blocks.wgsl"),
            (Kernel::Combine, _) => "",
        },
        include_str!("../shaders/wide.wgsl"),
        if variant.finish.subgroups() {
            include_str!("../shaders/invocation_subgroup.wgsl")
        } else {
            include_str!("../shaders/invocation.wgsl")
        },
        operator,
        match variant.finish {
            Finish::Tree => include_str!("../shaders/finish_tree.wgsl"),
            Finish::Subgroups { .. } => include_str!("../shaders/finish_subgroup.wgsl"),
            Finish::Gathered { .. } => include_str!("../shaders/finish_gathered.wgsl"),
        },
        match (variant.kernel, leaves_bins) {
            (Kernel::Reduce, true) => include_str!("../shaders/leave_bins.wgsl"),
            (Kernel::Reduce, false) => include_str!("../shaders/leave_folded.wgsl"),
            (Kernel::Combine, _) => "",
        },
        match variant.store {
            Store::Partial if leaves_bins => "",
            Store::Partial => include_str!("../shaders/store_partial.wgsl"),
            Store::Sealed => include_str!("../shaders/store_sealed.wgsl"),
            Store::Answer => include_str!("../shaders/store_answer.wgsl"),
        },
        match variant.kernel {
            Kernel::Reduce => include_str!("../shaders/reduce.wgsl"),
            Kernel::Combine if gathered => include_str!("../shaders/combine_bins.wgsl"),
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

/// Partials that an invocation of `combine_bins.wgsl` loads at a time.
pub const ROWS: u32 = 9;

/// Steps of a butterfly over the most lanes that a subgroup may have, 128.
const BUTTERFLY: u32 = 7;

/// Repeats each line marked `// unroll` (so many times as there are loads in flight), `// rows` or `// lanes`, with `quad0`,
/// `coming0`, `0u *`, `0u <` and `<< 0u` counted up.
fn unroll(text: &str, loads: u32) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let marked = [("// unroll", loads), ("// rows", ROWS), ("// lanes", BUTTERFLY)];
        let found = marked.iter().find_map(|&(mark, times)| Some((line.strip_suffix(mark)?, times)));
        let Some((line, times)) = found else {
            let _ = writeln!(out, "{line}");
            continue;
        };
        for k in 0..times {
            let counted = ["quad0", "coming0", "0u *", "0u <", "<< 0u"];
            let copy = counted
                .iter()
                .fold(line.to_string(), |line, zero| line.replace(zero, &zero.replacen('0', &k.to_string(), 1)));
            let _ = writeln!(out, "{}", copy.trim_end());
        }
    }
    out
}

/// How a kernel reads elements of a type.
fn load(dtype: Dtype, zipped: bool) -> &'static str {
    match dtype.bytes() {
        2 => include_str!("../shaders/load_half.wgsl"),
        4 => include_str!("../shaders/load_word.wgsl"),
        _ if zipped => include_str!("../shaders/load_zipped.wgsl"),
        _ => include_str!("../shaders/load_pair.wgsl"),
    }
}

/// What an operator may leave out, each with the text that it gets then.
const DEFAULTS: [(&str, &str); 5] = [
    ("struct Local", "alias Local = Acc;\nfn begin(who: Invocation) -> Local { return identity(); }"),
    ("fn rebase(", "fn rebase(mine: Local, base: vec2<u32>) -> Local { return mine; }"),
    ("fn take(", "fn take(mine: Local, bits: Bits, index: u32) -> Local { return combine(mine, lift(bits, index)); }"),
    ("fn prepare(", "fn prepare(who: Invocation) {}"),
    ("fn gather(", "fn gather(mine: Local, who: Invocation) -> Acc { return mine; }"),
];

/// Four neighbours, as two pairs.
const FOLD_WORDS: &str = "
fn fold(acc: Acc, quad: vec4<u32>, index: u32) -> Acc {
    let front = combine(lift(quad.x, index), lift(quad.y, index + 1u));
    let back = combine(lift(quad.z, index + 2u), lift(quad.w, index + 3u));
    return combine(acc, combine(front, back));
}
";
/// Two neighbours of two words each.
const FOLD_PAIRS: &str = "
fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    return take(take(mine, quad.xy, index), quad.zw, index + 1u);
}
";
/// Eight neighbours of half a word each.
const FOLD_HALVES: &str = "
fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    var all = mine;
    all = take(take(all, quad.x & 0xffffu, index), quad.x >> 16u, index + 1u);
    all = take(take(all, quad.y & 0xffffu, index + 2u), quad.y >> 16u, index + 3u);
    all = take(take(all, quad.z & 0xffffu, index + 4u), quad.z >> 16u, index + 5u);
    return take(take(all, quad.w & 0xffffu, index + 6u), quad.w >> 16u, index + 7u);
}
";

/// An operator's text with the declaration of its accumulator and the functions that it left out.
pub(crate) fn complete<A: Accumulator>(text: &str, dtype: Dtype, dialect: Dialect) -> String {
    let mut out = format!("{}\n{}\n", A::WGSL, text.trim());
    for (word, default) in DEFAULTS {
        if !text.contains(word) {
            out.push_str(default);
            out.push('\n');
        }
    }
    if !text.contains("fn fold(") {
        out.push_str(match dtype.bytes() {
            2 => FOLD_HALVES,
            4 => FOLD_WORDS,
            _ => FOLD_PAIRS,
        });
    }
    if dialect.subgroups && !text.contains("fn shuffle(") {
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

/// Several complete operators as one, whose `Acc` and `Local` hold theirs. Each member comes with the words of its answer.
pub(crate) fn compose(members: &[(Module, usize)], answer_words: usize, dialect: Dialect) -> Module {
    let mut out = String::new();
    for (m, (module, _)) in members.iter().enumerate() {
        out.push_str(&prefixed(&module.text, &format!("m{m}_")));
        out.push('\n');
    }
    let each = |one: &dyn Fn(usize) -> String| (0..members.len()).map(one).collect::<Vec<_>>().join(", ");
    for name in ["Acc", "Local"] {
        let _ = writeln!(out, "struct {name} {{ {} }}", each(&|m| format!("m{m}: m{m}_{name}")));
    }
    let mut function = |signature: &str, result: &str, call: &dyn Fn(usize) -> String| {
        let _ = writeln!(out, "fn {signature} -> {result} {{ return {result}({}); }}", each(call));
    };
    function("identity()", "Acc", &|m| format!("m{m}_identity()"));
    function("combine(a: Acc, b: Acc)", "Acc", &|m| format!("m{m}_combine(a.m{m}, b.m{m})"));
    function("begin(who: Invocation)", "Local", &|m| format!("m{m}_begin(who)"));
    function("take(mine: Local, bits: Bits, index: u32)", "Local", &|m| format!("m{m}_take(mine.m{m}, bits, index)"));
    function("fold(mine: Local, quad: vec4<u32>, index: u32)", "Local", &|m| {
        format!("m{m}_fold(mine.m{m}, quad, index)")
    });
    function("rebase(mine: Local, base: vec2<u32>)", "Local", &|m| format!("m{m}_rebase(mine.m{m}, base)"));
    function("gather(mine: Local, who: Invocation)", "Acc", &|m| format!("m{m}_gather(mine.m{m}, who)"));
    if dialect.subgroups {
        function("shuffle(acc: Acc, mask: u32)", "Acc", &|m| format!("m{m}_shuffle(acc.m{m}, mask)"));
    }
    let prepare: String = (0..members.len()).map(|m| format!(" m{m}_prepare(who);")).collect();
    let _ = writeln!(out, "fn prepare(who: Invocation) {{{prepare} }}");
    if answer_words > 0 {
        let _ = writeln!(out, "fn finish(acc: Acc, count: vec2<u32>) -> array<u32, {answer_words}> {{");
        let mut words = Vec::new();
        for (m, &(_, count)) in members.iter().enumerate() {
            let _ = writeln!(out, "    let f{m} = m{m}_finish(acc.m{m}, count);");
            words.extend((0..count).map(|w| format!("f{m}[{w}]")));
        }
        let _ = writeln!(out, "    return array<u32, {answer_words}>({});\n}}", words.join(", "));
    }
    let sum = |of: fn(&Module) -> u64| members.iter().map(|(module, _)| of(module)).sum();
    Module {
        text: out,
        counters: sum(|module| module.counters),
        gathered: None,
        heavy: members.iter().any(|(module, _)| module.heavy),
        ends: members.iter().all(|(module, _)| module.ends),
        combine_trips: sum(|module| module.combine_trips),
        trips: sum(|module| module.trips),
    }
}

/// The text with a prefix before every name that it defines. A function's name counts where it is called or defined,
/// so that parameters and members may share it.
fn prefixed(text: &str, prefix: &str) -> String {
    let words = words(text);
    let spoken: Vec<&str> = words.iter().copied().filter(|w| !w.trim().is_empty()).collect();
    let defined = |by: &[&str]| -> Vec<&str> {
        spoken.windows(2).filter(|pair| by.contains(&pair[0])).map(|pair| pair[1]).collect()
    };
    let (functions, mut others) = (defined(&["fn"]), defined(&["struct", "alias", "const"]));
    // var<workgroup> name, var<private> name
    others.extend(spoken.windows(5).filter(|five| five[0] == "var" && five[1] == "<").map(|five| five[4]));
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
