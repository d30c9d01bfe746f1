//! The k best elements of each of many answers, on the device.

use super::context::Context;
use super::prepared::Prepared;
use super::record::bind_range;
use super::tournament::{BestTo, EDGE, TAKE_BEST, WRITE, element_text, ranking_text};
use crate::element::Dtype;
use crate::error::Result;
use crate::op::unroll;
use crate::plan::{Cut, DIMS_MAX, DigitRules, Lies, ListPass, ListRules, is_adjacent};
use std::sync::Arc;

/// The texts of answers whose elements are neighbours, of those that lie at strides, and of segments; then, of each of these, of those whose
/// lists had no room.
#[derive(Clone, Debug)]
pub(crate) struct ListTexts {
    texts: Vec<(&'static str, String)>,
    ends: bool,
}

impl ListTexts {
    /// Over elements of a type; `ranks` declares `rank` and `unrank`.
    pub fn of(dtype: Dtype, rules: &ListRules, ranks: &str) -> ListTexts {
        ListTexts { texts: list_texts(dtype, rules, ranks), ends: dtype.brought().is_none() }
    }
}

/// The texts, each with its name.
#[doc(hidden)]
pub fn list_texts(dtype: Dtype, rules: &ListRules, ranks: &str) -> Vec<(&'static str, String)> {
    let adjacent = concat!("const ADJACENT = true;\n", include_str!("../../shaders/top/strides.wgsl"));
    let strided = concat!("const ADJACENT = false;\n", include_str!("../../shaders/top/strides.wgsl"));
    let offsets = include_str!("../../shaders/top/offsets.wgsl");
    let (lists, digits) = (read_texts(dtype, rules), rules.digits.map(|digits| digit_texts(dtype, digits)));
    let of = |(counts, parts): &TextParts, lies: &str| {
        let parts: Vec<_> = [lies].into_iter().chain(parts.iter().map(|part| &part[..])).collect();
        ranking_text(dtype, counts, ranks, &parts)
    };
    let mut texts = vec![
        ("treefold: best of each, neighbours", of(&lists, adjacent)),
        ("treefold: best of each, strides", of(&lists, strided)),
        ("treefold: best of each, segments", of(&lists, offsets)),
    ];
    if let Some(digits) = digits {
        texts.push(("treefold: best of each without a list, neighbours", of(&digits, adjacent)));
        texts.push(("treefold: best of each without a list, strides", of(&digits, strided)));
        texts.push(("treefold: best of each without a list, segments", of(&digits, offsets)));
    }
    texts
}

/// Constants, and what stands behind what finds where answers lie.
type TextParts = (Vec<(&'static str, u32)>, Vec<String>);

/// What both kernels have.
fn common(dtype: Dtype) -> [&'static str; 6] {
    let entries = match dtype.bytes() {
        8 => include_str!("../../shaders/top/entries_wide.wgsl"),
        _ => include_str!("../../shaders/top/entries.wgsl"),
    };
    let answer = include_str!("../../shaders/top/answer.wgsl");
    let (told, leave) = (include_str!("../../shaders/top/answers.wgsl"), include_str!("../../shaders/top/leave.wgsl"));
    [told, element_text(dtype), answer, entries, WRITE, leave]
}

const SORT: &str = include_str!("../../shaders/top/sort.wgsl");

/// The kernel that reads all elements.
fn read_texts(dtype: Dtype, rules: &ListRules) -> TextParts {
    let ListRules { workgroup_size, team, room, loads, groups, first, more, kept, .. } = *rules;
    let counts = vec![
        ("WORKGROUP_SIZE", workgroup_size),
        ("TEAM", team),
        ("TEAMS", workgroup_size / team),
        ("LOADS", loads),
        ("ROOM", room),
        ("GROUPS", groups),
        ("FIRST", first),
        ("MORE", more),
        ("KEPT", kept),
    ];
    let each = unroll(include_str!("../../shaders/top/each.wgsl"), &[("LOADS", loads)]);
    let bound = match groups {
        0 => include_str!("../../shaders/top/boundless.wgsl").into(),
        _ => unroll(include_str!("../../shaders/top/bests.wgsl"), &[("LOADS", loads), ("FOUR", 4)]),
    };
    let cut: Vec<String> = match rules.cut {
        Cut::Pairs => vec![unroll(include_str!("../../shaders/top/pairs.wgsl"), &[("FOUR", 4)])],
        Cut::Digits => {
            let digits = include_str!("../../shaders/top/digits.wgsl");
            vec![EDGE.into(), SORT.into(), unroll(digits, &[("EACH", room / team)])]
        }
    };
    let (spills, lists) = (include_str!("../../shaders/top/spills.wgsl"), include_str!("../../shaders/top/lists.wgsl"));
    let parts = common(dtype).map(String::from).into_iter().chain([each, bound]).chain(cut);
    (counts, parts.chain([spills.into(), lists.into()]).collect())
}

/// The kernel of answers whose lists had no room.
fn digit_texts(dtype: Dtype, rules: DigitRules) -> TextParts {
    let size = rules.workgroup_size;
    let counts = vec![("WORKGROUP_SIZE", size), ("TEAM", size), ("TEAMS", 1), ("ROOM", rules.room)];
    let by_digits = [TAKE_BEST, &[SORT, include_str!("../../shaders/top/by_digits.wgsl")]].concat();
    (counts, common(dtype).into_iter().chain(by_digits).map(String::from).collect())
}

/// Words of a kernel's parameters before the dimensions.
const HEAD: usize = 16;

impl Context {
    /// Makes ready what finds the best elements of each answer; offsets are the last of the inputs.
    pub fn lists(
        self: &Arc<Self>,
        (texts, rules): (&ListTexts, &ListRules),
        passes: &[ListPass],
        inputs: &[&wgpu::Buffer],
        to: &BestTo<'_>,
    ) -> Result<Prepared> {
        let alignment = self.limits.storage_alignment;
        let mut dispatches = Vec::new();
        for pass in passes.iter().filter(|pass| pass.workgroups > 0) {
            let from = to.words.bytes.start + pass.answers.start * to.bytes(rules.rank_bytes);
            let end = to.words.bytes.start + pass.answers.end * to.bytes(rules.rank_bytes);
            let begin = from / alignment * alignment;
            let (at, step) = (((from - begin) / 4) as u32, (to.bytes(rules.rank_bytes) / 4) as u32);
            let answers = (pass.answers.end - pass.answers.start) as u32;
            let (length, most) = (pass.length as u32, rules.longest as u32);
            let mut words = vec![pass.first, answers, to.room, to.counted.into(), at, step, length, most];
            let elements = match inputs.get(pass.buffer).filter(|_| !pass.bytes.is_empty()) {
                Some(input) => bind_range(input, pass.bytes.start, pass.bytes.end - pass.bytes.start),
                None => self.placeholder.as_entire_binding(),
            };
            let mut bound = vec![(1, elements), (5, bind_range(to.words.buffer, begin, end - begin))];
            let (seal, (digit_workgroups, batch)) = (to.seal.unwrap_or(0), pass.digits);
            let (number, (kept, reduced), word) = match &pass.lies {
                Lies::Strides { kept, reduced } => (usize::from(!is_adjacent(reduced)), (&kept[..], &reduced[..]), 0),
                Lies::Offsets { bytes, word } => {
                    let offsets = inputs.last().copied().unwrap_or(&self.placeholder);
                    bound.push((3, bind_range(offsets, bytes.start, bytes.end - bytes.start)));
                    (2, Default::default(), *word)
                }
            };
            words.extend([kept.len() as u32, (kept.len() + reduced.len()) as u32, word, seal, batch]);
            words.resize(HEAD, 0);
            words.extend(kept.iter().chain(reduced).flat_map(|dim| [dim.length as u32, dim.stride as u32]));
            words.resize(HEAD + 2 * DIMS_MAX, 0);
            let kernels = [(number, pass.workgroups), (number + 3, digit_workgroups)];
            for (number, workgroups) in kernels.into_iter().filter(|&(_, workgroups)| workgroups > 0) {
                let Some((label, text)) = texts.texts.get(number) else { continue };
                let pipeline = self.pipeline_of_text(label, text.clone(), texts.ends)?;
                dispatches.push(self.pass(&pipeline, &words, bound.clone(), workgroups)?);
            }
        }
        Ok(Prepared { context: self.clone(), dispatches: dispatches.into() })
    }
}

impl BestTo<'_> {
    /// Bytes of an answer: elements, indices, and what follows them.
    pub fn bytes(&self, rank_bytes: u64) -> u64 {
        u64::from(self.room) * (rank_bytes + 8) + 4 * (u64::from(self.counted) + u64::from(self.seal.is_some()))
    }
}
