//! An operator's device half as data: one text for each function, and how long its loops may run.

use crate::error::{Error, Result};
use std::borrow::Cow;

/// A piece of WGSL.
pub type Text = Cow<'static, str>;

/// The device half of a [`Fold`](crate::Fold): function bodies in WGSL, each a text of its own.
///
/// | piece | is the body of |
/// |---|---|
/// | `identity` | `fn identity() -> Acc` |
/// | `lift` | `fn lift(bits: Bits, index: u32) -> Acc`; where [`READS_POSITION`](crate::Fold::READS_POSITION), `index: vec2<u32>`, (low, high) |
/// | `combine` | `fn combine(a: Acc, b: Acc) -> Acc` |
/// | [`vector`](Wgsl::vector) | `fn accumulate_vector(acc: Acc, vector: vec4<u32>, index: u32) -> Acc`: 16 bytes of neighbours, `index` that of the first |
/// | [`offset`](Wgsl::offset) | `fn offset(acc: Acc, by: vec2<u32>) -> Acc`: adds (low, high) to the positions that `acc` holds |
/// | [`shuffle`](Wgsl::shuffle) | `fn shuffle(acc: Acc, mask: u32) -> Acc`: the accumulator of the lane at this distance |
/// | [`helpers`](Wgsl::helpers) | whole declarations that the pieces use |
///
/// `Bits` is `u32` (elements of 16 bits in its low half), or `vec2<u32>`, low word first, for elements of 64 bits, or `vec4<u32>` for
/// four f32. Where the operator has an index offset, `index` may count from anywhere: `offset` moves it to its place once an invocation.
/// The pieces may call `is_nan`, `is_zero`, `key`, `unkey`, `tie` on the bits of a number (keys of 64 bits are `vec2<u32>` too), `value` on
/// those of 32 bits and of four f32; `add64`, `less64`, `multiply32`, `float64` on 64-bit numbers in two words; and `param(i)`, word i of
/// [`Fold::params`](crate::Fold::params).
///
/// Helpers must not declare a name that the kernels use: those of [`Wgsl::RESERVED`] are refused.
///
/// ```
/// use treefold::Wgsl;
/// let max_abs = Wgsl::new("return 0u;", "return bits & 0x7fffffffu;", "return max(a, b);");
/// # let _ = max_abs;
/// ```
#[derive(Clone, Debug)]
pub struct Wgsl {
    pub(crate) identity: Text,
    pub(crate) lift: Text,
    pub(crate) combine: Text,
    pub(crate) helpers: Vec<Text>,
    /// Texts of the pass that reads elements only.
    pub(crate) reading: Vec<Text>,
    pub(crate) vector: Option<Text>,
    pub(crate) offset: Option<Text>,
    pub(crate) shuffle: Option<Text>,
    pub(crate) cell: Option<Cell>,
    pub(crate) state: bool,
    pub(crate) trips: Trips,
    pub(crate) one_load: bool,
    pub(crate) fixed_trips: u64,
    pub(crate) checked: bool,
}

/// An accumulator that the invocations of a workgroup share: a cell of words in its memory, added to by atomics. It begins as the
/// words of `identity`, then zeros.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its words: at least as many as those of the accumulator.
    pub words: usize,
    /// `fn add_to_cell(cell: u32, bits: Bits) -> u32`, which says what is left to do, 0: nothing. Word w of a cell is
    /// `cells[word_of(cell, w)]`.
    pub texts: Vec<Text>,
    /// Whether these have `fn carry_to_cell(cell: u32, bits: Bits, left: u32)`, which does what is left; else nothing ever is.
    pub carries: bool,
    /// Whether these have `fn cell_acc(cell: u32) -> Acc`; else the words are those of the accumulator.
    pub settles: bool,
    /// Loop trips of adding, carries included, and of reading.
    pub trips: (u64, u64),
}

/// Upper bounds of loop trips for one call of each function, those of the helpers that it calls included; 0: no loop.
///
/// Drivers on CPUs stop all loops of an invocation silently after 65,535 trips, so plans give an invocation no more than
/// 16,384 in all. An operator's loops count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trips {
    /// Of `lift`.
    pub lift: u64,
    /// Of `combine`.
    pub combine: u64,
    /// Of the vector form.
    pub vector: u64,
    /// Of the index offset.
    pub offset: u64,
    /// Of `shuffle`.
    pub shuffle: u64,
}

impl Wgsl {
    /// Names that helpers must not declare.
    pub const RESERVED: &'static [&'static str] = &[
        "ALONG",
        "Acc",
        "BLOCKED",
        "BUTTERFLY",
        "Bits",
        "CELLS",
        "CELL_WORDS",
        "CHUNKS",
        "Carry",
        "Held",
        "Invocation",
        "Items",
        "Keys",
        "LANES_MIN",
        "LANE_BITS",
        "LOADS",
        "Loaded",
        "Marks",
        "NONE",
        "NUMBER",
        "OWN",
        "PER_LANE",
        "PER_VECTOR",
        "Params",
        "Parts",
        "Place",
        "REPLICAS",
        "RESULT_WORDS",
        "ROW_WORDS",
        "SEAL",
        "STEP",
        "SUBGROUPS_MAX",
        "Share",
        "Span",
        "State",
        "States",
        "TEXEL_WEIGHTS",
        "TILE",
        "TexelNumber",
        "Vectors",
        "WORDS",
        "WORKGROUP_SIZE",
        "acc_of",
        "accumulate",
        "accumulate_load",
        "accumulate_one",
        "accumulate_own",
        "accumulate_vector",
        "accumulators",
        "add64",
        "add_element",
        "add_items",
        "add_to_cell",
        "base_of",
        "begin_of",
        "behind",
        "bits_at",
        "bits_in",
        "bits_of_texel",
        "butterfly",
        "carries",
        "carry_element",
        "carry_items",
        "carry_to_cell",
        "cell_acc",
        "cells",
        "combine",
        "combine_lanes",
        "counted",
        "counts",
        "element",
        "emit",
        "emit_within",
        "end_in",
        "end_of",
        "ends",
        "ends_until",
        "finish",
        "finish_row",
        "finish_workgroup",
        "first_of",
        "first_vector",
        "float64",
        "get_acc",
        "group",
        "groups_at",
        "identity",
        "init_state",
        "init_workgroup",
        "is_begun",
        "is_done",
        "is_nan",
        "is_zero",
        "items_at",
        "items_in",
        "items_of",
        "key",
        "keys",
        "lane_of",
        "lanes_back",
        "lanes_below",
        "leave",
        "leave_absent",
        "leave_open",
        "less64",
        "lift",
        "load",
        "load_own",
        "main",
        "map_bits",
        "map_element",
        "mark",
        "marked",
        "multiply32",
        "named",
        "next_vector",
        "numbers",
        "offset",
        "offsets",
        "param",
        "parameter",
        "params",
        "parted",
        "parted_vector",
        "part_of",
        "partial_of",
        "partials",
        "partials_out",
        "partners",
        "place_behind",
        "place_in_row",
        "place_of",
        "place_of_row",
        "placed",
        "put_acc",
        "raw_of",
        "read_acc",
        "region",
        "results",
        "row_first",
        "row_of",
        "scan_open",
        "scanned",
        "segment",
        "segments_here",
        "segments_until",
        "share_of",
        "shared_acc",
        "shared_ended",
        "shuffle",
        "shuffle_from",
        "shuffle_up",
        "span_of_window",
        "split_of",
        "steps_of",
        "store",
        "store_number",
        "store_partial",
        "table",
        "take",
        "taken",
        "texel_at",
        "texel_behind",
        "texel_place",
        "texel_weight",
        "texels",
        "texels_from",
        "tie",
        "to_acc",
        "total_of",
        "totals",
        "unkey",
        "value",
        "vectors",
        "vectors_of",
        "wide_bits",
        "word_of",
        "words",
        "workgroup_reduce",
        "write_acc",
    ];

    /// The three bodies that every operator has.
    pub fn new(identity: impl Into<Text>, lift: impl Into<Text>, combine: impl Into<Text>) -> Wgsl {
        Wgsl {
            identity: identity.into(),
            lift: lift.into(),
            combine: combine.into(),
            helpers: Vec::new(),
            reading: Vec::new(),
            vector: None,
            offset: None,
            shuffle: None,
            cell: None,
            state: false,
            trips: Trips::default(),
            one_load: false,
            fixed_trips: 0,
            checked: false,
        }
    }

    /// Declarations that the pieces use: functions, constants, structs.
    pub fn helpers(mut self, text: impl Into<Text>) -> Wgsl {
        self.helpers.push(text.into());
        self
    }

    /// A faster way to take the 16 bytes of neighbours.
    pub fn vector(mut self, body: impl Into<Text>) -> Wgsl {
        self.vector = Some(body.into());
        self
    }

    /// What moves the positions in an accumulator; the host half is [`Fold::offset`](crate::Fold::offset).
    pub fn offset(mut self, body: impl Into<Text>) -> Wgsl {
        self.offset = Some(body.into());
        self
    }

    /// A shuffle of its own; by default each member is shuffled.
    pub fn shuffle(mut self, body: impl Into<Text>) -> Wgsl {
        self.shuffle = Some(body.into());
        self
    }

    /// Bounds of the loops in the pieces.
    pub fn trips(mut self, trips: Trips) -> Wgsl {
        self.trips = trips;
        self
    }

    /// A state of its own for the pass that reads: `State`, `init_state`, `accumulate`, `accumulate_vector` and `to_acc`.
    pub(crate) fn state(mut self, texts: impl IntoIterator<Item = impl Into<Text>>) -> Wgsl {
        self.state = true;
        self.reading.extend(texts.into_iter().map(Into::into));
        self
    }

    /// A form that invocations share; of its functions the texts may leave out those that have a default.
    pub(crate) fn cell(mut self, words: usize, texts: impl IntoIterator<Item = impl Into<Text>>) -> Wgsl {
        let texts: Vec<Text> = texts.into_iter().map(Into::into).collect();
        let has = |name: &str| texts.iter().any(|text| text.contains(&format!("fn {name}(")));
        let (carries, settles) = (has("carry_to_cell"), has("cell_acc"));
        self.cell = Some(Cell { words, texts, carries, settles, trips: (0, 0) });
        self
    }

    /// The same of one word, which an atomic function of WGSL combines.
    pub(crate) fn atomic(self, function: &str) -> Wgsl {
        let add = format!("{function}(&cells[word_of(cell, 0u)], lift(bits, 0u));");
        self.cell(1, [format!("fn add_to_cell(cell: u32, bits: Bits) -> u32 {{ {add} return 0u; }}")])
    }

    /// Loop trips of adding to a cell, and of reading it.
    pub(crate) fn cell_trips(mut self, add: u64, read: u64) -> Wgsl {
        if let Some(cell) = &mut self.cell {
            cell.trips = (add, read);
        }
        self
    }

    /// Per-element work dominates: one load in flight suffices, and unrolling would only multiply the code.
    pub(crate) fn one_load(mut self) -> Wgsl {
        self.one_load = true;
        self
    }

    /// Trips of what an invocation does once: of `to_acc`.
    pub(crate) fn fixed_trips(mut self, trips: u64) -> Wgsl {
        self.fixed_trips = trips;
        self
    }

    /// All loops are declared and known to end; a test sees to it, so that nobody has to look at run time.
    pub(crate) fn checked(mut self) -> Wgsl {
        self.checked = true;
        self
    }
}

/// One word of a device answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerWord {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub of: WordType,
}

/// The type of a word of a device answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordType {
    /// The bits of an `f32`.
    F32,
    /// An `i32`.
    I32,
    /// A `u32`.
    U32,
    /// The lower or upper word of a wider number.
    Part,
}

/// How an operator's answer comes about on the device: the words, and `finish` in WGSL.
#[derive(Clone, Debug)]
pub struct DeviceAnswer {
    pub(crate) words: Vec<AnswerWord>,
    pub(crate) finish: Text,
    pub(crate) helpers: Vec<Text>,
    pub(crate) params: Vec<u32>,
    pub(crate) trips: u64,
    pub(crate) checked: bool,
}

impl DeviceAnswer {
    /// The words in their order, and the body of `fn finish(acc: Acc, count: vec2<u32>) -> array<u32, N>`, N words; `count`
    /// is the number of elements, (low, high). It may call what the fold's pieces may, and the fold's helpers.
    ///
    /// Over a tuple of folds, `acc.m0` is the accumulator of the first, `acc.m1` that of the second, and so on, those of tuples within
    /// one after another; a pass of its own finishes then, and `finish` may call its own helpers and parameters and what every fold may
    /// call. Counts of a histogram are no such accumulator: an answer over several folds with one among them is none on the device.
    pub fn new(words: impl IntoIterator<Item = (&'static str, WordType)>, finish: impl Into<Text>) -> DeviceAnswer {
        let words = words.into_iter().map(|(name, of)| AnswerWord { name, of }).collect();
        DeviceAnswer { words, finish: finish.into(), helpers: Vec::new(), params: Vec::new(), trips: 0, checked: false }
    }

    /// The library's own: all loops are declared and known to end.
    pub(crate) fn checked(
        words: impl IntoIterator<Item = (&'static str, WordType)>,
        finish: impl Into<Text>,
    ) -> DeviceAnswer {
        DeviceAnswer { checked: true, ..DeviceAnswer::new(words, finish) }
    }

    /// Declarations that `finish` uses.
    pub fn helpers(mut self, text: impl Into<Text>) -> DeviceAnswer {
        self.helpers.push(text.into());
        self
    }

    /// Parameters that `param(i)` gives `finish`.
    pub fn params(mut self, params: impl IntoIterator<Item = u32>) -> DeviceAnswer {
        self.params.extend(params);
        self
    }

    /// An upper bound of the loop trips of `finish`, its helpers included.
    pub fn trips(mut self, trips: u64) -> DeviceAnswer {
        self.trips = trips;
        self
    }

    /// All of its text, and the number of its words.
    pub(crate) fn text(&self) -> Text {
        format!("{}|{}|{}", self.words.len(), self.helpers.concat(), self.finish).into()
    }

    /// Names and types of the words.
    pub fn words(&self) -> &[AnswerWord] {
        &self.words
    }
}

/// Refuses helpers that declare what the kernels do.
pub(crate) fn check_names(operator: &str, helpers: &[Text]) -> Result<()> {
    for text in helpers {
        let found = declared(&tokens(text)).into_iter().find(|(name, _)| Wgsl::RESERVED.contains(name));
        if let Some((name, _)) = found {
            return Err(Error::ReservedName { operator: operator.into(), name: name.into() });
        }
    }
    Ok(())
}

/// A text in tokens: names and numbers, runs of blanks, comments, and single other characters.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        out.push(token);
        rest = after;
    }
    out
}

/// Whether a token is neither blank nor comment.
fn speaks(token: &str) -> bool {
    !token.trim().is_empty() && !token.starts_with("//") && !token.starts_with("/*")
}

/// A name that a text declares at its top level, and whether it is a function's.
pub(crate) type Declared<'t> = (&'t str, bool);

/// The names that a text declares at its top level.
pub(crate) fn declared<'t>(tokens: &[&'t str]) -> Vec<Declared<'t>> {
    let mut names = Vec::new();
    let mut depth = 0;
    let spoken: Vec<&str> = tokens.iter().copied().filter(|token| speaks(token)).collect();
    for (at, &token) in spoken.iter().enumerate() {
        match token {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            "fn" | "struct" | "alias" | "const" | "override" if depth == 0 => {
                names.extend(spoken.get(at + 1).map(|&name| (name, token == "fn")));
            }
            // var<workgroup> name
            "var" if depth == 0 => {
                let name = spoken[at..].iter().position(|&token| token == ">").and_then(|end| spoken.get(at + end + 1));
                names.extend(name.map(|&name| (name, false)));
            }
            _ => {}
        }
    }
    names
}

/// The text with a prefix before every name that it declares, and before `others` theirs: never after a dot, and a function's
/// name only where it is declared or called, so that parameters and members may share it.
pub(crate) fn prefixed(text: &str, prefix: &str, others: &[Declared], their_prefix: &str) -> String {
    let tokens = tokens(text);
    let own = declared(&tokens);
    let mut out = String::with_capacity(text.len() * 2);
    for (at, &token) in tokens.iter().enumerate() {
        let before = tokens[..at].iter().rev().find(|token| speaks(token));
        let member = before == Some(&".");
        // A declaration `name:` of a parameter, member or variable may share a global name.
        let next = tokens[at + 1..].iter().find(|token| speaks(token));
        let global = matches!(before, Some(&">" | &"const" | &"override"));
        let names_itself = next == Some(&":") && !global || matches!(before, Some(&"let" | &"var"));
        let called = next == Some(&"(");
        let meant = |&(name, function): &Declared| name == token && (called || !function);
        if !member && !names_itself {
            if own.iter().any(meant) {
                out.push_str(prefix);
            } else if others.iter().any(meant) {
                out.push_str(their_prefix);
            }
        }
        out.push_str(token);
    }
    out
}

/// The text with a prefix before these names, but after a dot.
pub(crate) fn renamed(text: &str, names: &[&str], prefix: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = "";
    for token in tokens(text) {
        if names.contains(&token) && before != "." {
            out.push_str(prefix);
        }
        out.push_str(token);
        before = token;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_reach_declarations_and_uses_but_no_members() {
        let text = "struct Acc { x: u32 }\n// Acc\nfn lift(a: u32) -> Acc { return Acc(other(a)); }\nfn x(key: u32) { y.lift = lift(key); }";
        let want = "struct p_Acc { x: u32 }\n// Acc\nfn p_lift(a: u32) -> p_Acc { return p_Acc(q_other(a)); }\nfn p_x(key: u32) { y.lift = p_lift(key); }";
        assert_eq!(prefixed(text, "p_", &[("other", true)], "q_"), want);
    }

    #[test]
    fn workgroup_variables_get_prefixes() {
        let text = "var<workgroup> low: array<u32, N>;\nconst N: u32 = 4u;\nfn f() { g(low, N); }";
        let want = "var<workgroup> p_low: array<u32, p_N>;\nconst p_N: u32 = 4u;\nfn p_f() { g(p_low, p_N); }";
        assert_eq!(prefixed(text, "p_", &[], "q_"), want);
    }

    #[test]
    fn declarations_of_every_kind_are_found() {
        let text = "const A = 1u; /* fn b() */ override C: u32; alias D = u32; var<workgroup> e: array<atomic<u32>, 4>; fn f(g: u32) { let h = 1; }";
        let names: Vec<&str> = declared(&tokens(text)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["A", "C", "D", "e", "f"]);
    }

    #[test]
    fn reserved_names_are_refused() {
        let error = check_names("mine", &["fn load(x: u32) -> u32 { return x; }".into()]).expect_err("reserved");
        assert!(["mine", "load"].iter().all(|word| error.to_string().contains(word)), "{error}");
        assert!(check_names("mine", &["fn loads(load: u32) -> u32 { return load; }".into()]).is_ok());
    }
}
