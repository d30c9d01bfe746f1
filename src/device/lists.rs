//! The k best elements of each of many answers, on the device.

use super::context::Context;
use super::prepared::Prepared;
use super::record::bind_range;
use super::tournament::{BestTo, TAKE_BEST, WRITE, element_text, ranking_text};
use crate::element::Dtype;
use crate::error::Result;
use crate::input::Dim;
use crate::op::unroll;
use crate::plan::{Cut, DIMS_MAX, Lies, ListPass, ListRules, is_adjacent};
use std::sync::Arc;

/// The texts of answers whose elements are neighbours, of those that lie at strides, and of segments.
#[derive(Clone, Debug)]
pub(crate) struct ListTexts([(&'static str, String); 3]);

impl ListTexts {
    /// Over elements of a type; `ranks` declares `rank` and `unrank`.
    pub fn of(dtype: Dtype, rules: &ListRules, ranks: &str) -> ListTexts {
        ListTexts(list_texts(dtype, rules, ranks))
    }
}

/// The texts, each with its name.
#[doc(hidden)]
pub fn list_texts(dtype: Dtype, rules: &ListRules, ranks: &str) -> [(&'static str, String); 3] {
    let ListRules { workgroup_size, team, room, loads, groups, first, more, kept, .. } = *rules;
    let each = unroll(include_str!("../../shaders/top/each.wgsl"), &[("LOADS", loads)]);
    let bound = match groups {
        0 => include_str!("../../shaders/top/boundless.wgsl").into(),
        _ => unroll(include_str!("../../shaders/top/bests.wgsl"), &[("LOADS", loads), ("FOUR", 4)]),
    };
    let (sort, cut) = match rules.cut {
        Cut::Pairs => ("", include_str!("../../shaders/top/pairs.wgsl")),
        Cut::Digits => (include_str!("../../shaders/top/sort.wgsl"), include_str!("../../shaders/top/digits.wgsl")),
    };
    let cut = unroll(cut, &[("EACH", room / team), ("FOUR", 4)]);
    let strides =
        |adjacent: bool| format!("const ADJACENT = {adjacent};\n{}", include_str!("../../shaders/top/strides.wgsl"));
    let text = |lies: &str| {
        let counts = [
            ("WORKGROUP_SIZE", workgroup_size),
            ("TEAM", team),
            ("BITS", ListRules::BITS),
            ("LOADS", loads),
            ("REPLICAS", 1),
            ("ROOM", room),
            ("GROUPS", groups),
            ("FIRST", first),
            ("MORE", more),
            ("KEPT", kept),
        ];
        let told = include_str!("../../shaders/top/answers.wgsl");
        let (again, lists) =
            (include_str!("../../shaders/top/again.wgsl"), include_str!("../../shaders/top/lists.wgsl"));
        let entries = match dtype.bytes() {
            8 => include_str!("../../shaders/top/entries_wide.wgsl"),
            _ => include_str!("../../shaders/top/entries.wgsl"),
        };
        let counted = include_str!("../../shaders/top/counted.wgsl");
        let parts = [counted, entries, element_text(dtype), told, lies, WRITE, &each, &bound, sort, &cut, again, lists];
        ranking_text(dtype, &counts, ranks, &[TAKE_BEST, &parts].concat())
    };
    [
        ("treefold: best of each, neighbours", text(&strides(true))),
        ("treefold: best of each, strides", text(&strides(false))),
        ("treefold: best of each, segments", text(include_str!("../../shaders/top/offsets.wgsl"))),
    ]
}

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
            let seal = to.seal.unwrap_or(0);
            let number = match &pass.lies {
                Lies::Strides { kept, reduced } => {
                    words.extend([kept.len() as u32, (kept.len() + reduced.len()) as u32, 0, seal]);
                    let size = |dim: &Dim| [dim.length as u32, dim.stride as u32];
                    words.extend(kept.iter().chain(reduced).flat_map(size));
                    usize::from(!is_adjacent(reduced))
                }
                Lies::Offsets { bytes, word } => {
                    words.extend([0, 0, *word, seal]);
                    let offsets = inputs.last().copied().unwrap_or(&self.placeholder);
                    bound.push((3, bind_range(offsets, bytes.start, bytes.end - bytes.start)));
                    2
                }
            };
            words.resize(12 + 2 * DIMS_MAX, 0);
            let (label, text) = &texts.0[number];
            let pipeline = self.pipeline_of_text(label, text.clone())?;
            dispatches.push(self.pass(&pipeline, &words, bound, pass.workgroups)?);
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
