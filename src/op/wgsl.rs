//! An operator's device half as data: one text for each function, and how long its loops may run.

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
    /// A state of its own where whole inputs and rows are read by vectors: of an operator alone, and of one beside others.
    pub(crate) over_vectors: Option<[Text; 2]>,
    /// The form that takes 16 bytes of narrow elements as they are packed.
    pub(crate) load: Option<Text>,
    pub(crate) offset: Option<Text>,
    pub(crate) shuffle: Option<Text>,
    pub(crate) cell: Option<Cell>,
    pub(crate) state: bool,
    pub(crate) trips: Trips,
    /// Whether an invocation keeps words in memory of its own while it reads.
    pub(crate) own_memory: bool,
    pub(crate) fixed_trips: u64,
    pub(crate) narrow: bool,
    /// Whether its state is an f64: taken where those are fast.
    pub(crate) float64: bool,
    pub(crate) checked: bool,
    /// Whether every NaN is as good as any other to it.
    pub(crate) any_nan: bool,
    /// Whether it asks nothing of an element, whatever its type.
    pub(crate) blind: bool,
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
        "Carry",
        "ELEMENTS_MAX",
        "ELEMENTS_MEAN",
        "Held",
        "Invocation",
        "Items",
        "Kept",
        "Keys",
        "LANES",
        "LANES_MIN",
        "LOADS",
        "Loaded",
        "NONE",
        "NUMBER",
        "OWN",
        "PER_VECTOR",
        "Params",
        "Part",
        "Place",
        "Places",
        "REPLICAS",
        "REST",
        "RESULT_WORDS",
        "ROW_WORDS",
        "SLICES",
        "STEP",
        "SUBGROUPS_MAX",
        "Span",
        "State",
        "States",
        "TEXEL_WEIGHTS",
        "TILE",
        "TOGETHER",
        "TexelNumber",
        "WORDS",
        "WORKGROUP_SIZE",
        "acc_of",
        "accumulate",
        "accumulate_load",
        "accumulate_one",
        "accumulate_own",
        "accumulate_pair",
        "accumulate_vector",
        "accumulate_vector_position",
        "accumulators",
        "add64",
        "add_element",
        "add_items",
        "add_to_cell",
        "answer",
        "asked_by",
        "base_of",
        "begin_of",
        "behind",
        "bits_of_texel",
        "butterfly",
        "carries",
        "carry_element",
        "carry_items",
        "carry_to_cell",
        "cell_acc",
        "cells",
        "clustered",
        "combine",
        "combine_lanes",
        "copy_counts",
        "counted",
        "counts",
        "element",
        "elements_of",
        "end_of",
        "ends_until",
        "fewest_ends",
        "finish",
        "finish_row",
        "finish_workgroup",
        "first_of",
        "first_vector",
        "flag_of",
        "flag_words",
        "float64",
        "four_flagged",
        "function",
        "get_acc",
        "get_shared",
        "group",
        "group_of",
        "groups_at",
        "half_bits",
        "half_value",
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
        "join_behind",
        "join_shared",
        "keep_element",
        "keeps",
        "kept_accumulate",
        "kept_accumulate_vector",
        "kept_add_to_cell",
        "key",
        "keys",
        "lane_of",
        "leave",
        "leave_head",
        "leave_tail",
        "leave_workgroup",
        "left_by",
        "less64",
        "lift",
        "lift_position",
        "load",
        "load_own",
        "made_Bits",
        "made_accumulate",
        "made_accumulate_pair",
        "made_accumulate_vector",
        "made_add_to_cell",
        "made_carry_to_cell",
        "made_init_state",
        "main",
        "map_bits",
        "map_element",
        "map_vector",
        "most_ends",
        "multiply32",
        "next_vector",
        "numbers",
        "offset",
        "offsets",
        "param",
        "parameter",
        "params",
        "part_of",
        "partial_of",
        "partials",
        "partials_out",
        "partners",
        "piece_of",
        "place_behind",
        "place_in_row",
        "place_of",
        "place_of_row",
        "placed",
        "places_of",
        "position",
        "position_base",
        "put_acc",
        "put_shared",
        "raw_of",
        "read_acc",
        "read_half_bits",
        "read_half_value",
        "read_value",
        "region",
        "results",
        "row_first",
        "row_of",
        "run_of",
        "scan_open",
        "segment",
        "segments_here",
        "segments_until",
        "share_of",
        "shared_acc",
        "shared_ended",
        "shuffle",
        "slice_of",
        "slice_partial_of",
        "slice_row_of",
        "slice_split_of",
        "span_of_window",
        "split_of",
        "store",
        "store_number",
        "store_own",
        "store_partial",
        "table",
        "taken",
        "taken_run",
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
        "walk",
        "wide_bits",
        "width_of",
        "with_longer",
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
            load: None,
            over_vectors: None,
            vector: None,
            offset: None,
            shuffle: None,
            cell: None,
            state: false,
            trips: Trips::default(),
            own_memory: false,
            fixed_trips: 0,
            narrow: false,
            float64: false,
            checked: false,
            any_nan: false,
            blind: false,
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

    /// The body that moves the positions in an accumulator; the host half is [`Fold::offset`](crate::Fold::offset).
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

    /// The body of `fn accumulate_load(acc: Acc, vector: vec4<u32>, index: u32) -> Acc`, which takes 16 bytes of narrow elements as they are
    /// packed, not as words.
    pub(crate) fn load(mut self, body: impl Into<Text>) -> Wgsl {
        self.load = Some(body.into());
        self
    }

    /// Texts of the pass that reads elements, for the vector form and the load form.
    pub(crate) fn reading(mut self, texts: impl IntoIterator<Item = impl Into<Text>>) -> Wgsl {
        self.reading.extend(texts.into_iter().map(Into::into));
        self
    }

    /// A state of its own for the pass that reads: `State`, `init_state`, `accumulate`, `accumulate_vector` and `to_acc`.
    pub(crate) fn state(mut self, texts: impl IntoIterator<Item = impl Into<Text>>) -> Wgsl {
        self.state = true;
        self.reading(texts)
    }

    /// A state of its own where whole inputs and rows are read by vectors, and nothing is made or asked of elements: `State`, `init_state`,
    /// `accumulate`, `accumulate_vector` and `to_acc`, which may call `element`; `beside` where the operator stands beside others. Vectors come
    /// in their order, single elements may come behind them.
    pub(crate) fn over_vectors(mut self, alone: impl Into<Text>, beside: impl Into<Text>) -> Wgsl {
        self.over_vectors = Some([alone.into(), beside.into()]);
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

    /// Its state has words in memory of the invocation, which so has one state. Per-element work dominates then: one load in flight
    /// suffices, and unrolling would only multiply the code.
    pub(crate) fn own_memory(mut self) -> Wgsl {
        self.own_memory = true;
        self
    }

    /// Trips of what an invocation does once: of `to_acc`.
    pub(crate) fn fixed_trips(mut self, trips: u64) -> Wgsl {
        self.fixed_trips = trips;
        self
    }

    /// A sum that has used no word of that memory, as `is_narrow` says, is a `narrow_Acc` of its state, `to_narrow`, which answers that
    /// have a text for it finish.
    pub(crate) fn narrow(mut self) -> Wgsl {
        self.narrow = true;
        self
    }

    /// A sum in an f64, for devices that add those fast; others have bins.
    pub(crate) fn float64(mut self) -> Wgsl {
        self.float64 = true;
        self
    }

    /// It asks nothing of an element: folds over other types may stand beside it.
    pub(crate) fn blind(mut self) -> Wgsl {
        self.blind = true;
        self
    }

    /// All loops are declared and known to end; a test sees to it, so that nobody has to look at run time.
    pub(crate) fn checked(mut self) -> Wgsl {
        self.checked = true;
        self
    }

    /// Every NaN is as good as any other to it.
    pub(crate) fn any_nan(mut self) -> Wgsl {
        self.any_nan = true;
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

/// An operator's answer on the device: the words, and `finish` in WGSL.
#[derive(Clone, Debug)]
pub struct DeviceAnswer {
    pub(crate) words: Vec<AnswerWord>,
    pub(crate) finish: Text,
    pub(crate) helpers: Vec<Text>,
    pub(crate) params: Vec<u32>,
    pub(crate) trips: u64,
    pub(crate) checked: bool,
    pub(crate) narrow: Vec<Text>,
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
        DeviceAnswer {
            words,
            finish: finish.into(),
            helpers: Vec::new(),
            params: Vec::new(),
            trips: 0,
            checked: false,
            narrow: Vec::new(),
        }
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

    /// What `finish` uses where `Acc` and `LIMBS` are those of a narrow sum; `place_narrow` is told its base.
    pub(crate) fn narrow(mut self, texts: impl IntoIterator<Item = impl Into<Text>>) -> DeviceAnswer {
        self.narrow.extend(texts.into_iter().map(Into::into));
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
