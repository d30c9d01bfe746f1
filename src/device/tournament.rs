//! The k best elements on the device, where they stay.

use super::context::Context;
use super::prepared::{Dispatch, Prepared};
use super::record::bind_range;
use super::runs::Words;
use crate::element::Dtype;
use crate::error::Result;
use crate::op::unroll;
use crate::plan::{Rules, Tournament};
use std::sync::Arc;
use wgpu::{BindGroupEntry, BindingResource};

/// The destination of the elements, then of their indices.
#[derive(Clone, Debug)]
pub(crate) struct BestTo<'a> {
    pub words: Words<'a>,
    /// Elements that there is room for.
    pub room: u32,
    /// Whether their number follows.
    pub counted: bool,
    /// The word that follows that.
    pub seal: Option<u32>,
}

/// The texts of a tournament: of tiles, of what chooses among them, and of what brings the chosen elements in their order.
#[derive(Clone, Debug)]
pub(crate) struct TournamentTexts {
    texts: [(&'static str, String); 3],
    ends: bool,
}

impl Context {
    /// Compiles what a tournament takes.
    pub fn compile_tournament(&self, texts: &TournamentTexts) -> Result<()> {
        self.present("making a ranker")?;
        let compile = |(label, text): &(&str, String)| self.pipeline_of_text(label, text.clone(), texts.ends).map(drop);
        texts.texts.iter().try_for_each(compile)
    }

    /// Makes ready what finds the best elements of these buffers.
    pub fn tournament(
        self: &Arc<Self>,
        texts: &TournamentTexts,
        plan: &Tournament,
        inputs: &[&wgpu::Buffer],
        to: &BestTo<'_>,
    ) -> Result<Prepared> {
        let pipeline = |number: usize| {
            let (label, text) = &texts.texts[number];
            self.pipeline_of_text(label, text.clone(), texts.ends)
        };
        let (tiles, choose, order) = (pipeline(0)?, pipeline(1)?, pipeline(2)?);
        let (ranks_bytes, starts_at, candidates_bytes) = plan.candidates;
        let (list_bytes, best_at, best_bytes) = plan.list;
        let (candidates, chosen) = (self.partials(candidates_bytes)?, self.accumulators(best_bytes)?);
        let ranks = || bind_range(&candidates, 0, ranks_bytes);
        let starts = || bind_range(&candidates, starts_at, candidates_bytes - starts_at);
        let list = || bind_range(&chosen, 0, list_bytes);
        let best = || bind_range(&chosen, best_at, best_bytes - best_at);
        let mut dispatches = Vec::new();
        for round in &plan.rounds {
            for (number, (window, &(count, at, workgroups))) in plan.windows.iter().zip(&round.passes).enumerate() {
                let Some(input) = inputs.get(window.buffer) else { continue };
                let (low, high) = (window.before as u32, (window.before >> 32) as u32);
                let of_window = [window.first, window.elements, number as u32, low, high];
                let of_tiles = [round.size, round.lanes, round.parts, count, at];
                let words = bind_range(input, window.bytes.start, window.bytes.end - window.bytes.start);
                let bound = [(1, words), (3, list()), (4, ranks()), (5, starts())];
                dispatches.push(self.pass(&tiles, &[of_window, of_tiles].concat(), bound, workgroups)?);
            }
            let bound = [(3, ranks()), (4, starts()), (5, list()), (6, best())];
            dispatches.push(self.pass(&choose, &[round.candidates, round.chosen], bound, 1)?);
        }
        let alignment = self.limits.storage_alignment;
        let offset = to.words.bytes.start / alignment * alignment;
        let at = ((to.words.bytes.start - offset) / 4) as u32;
        let results = bind_range(to.words.buffer, offset, to.words.bytes.end - offset);
        let told = [plan.found, to.room, at, to.counted.into(), to.seal.unwrap_or(0)];
        let bound = [(3, list()), (4, best()), (5, results)];
        dispatches.push(self.pass(&order, &told, bound, plan.rules.ordering(to.room))?);
        Ok(Prepared { context: self.clone(), dispatches: dispatches.into() })
    }

    /// A dispatch with these words of its parameters, which are at binding 2.
    pub(super) fn pass<'b>(
        &self,
        pipeline: &wgpu::ComputePipeline,
        words: &[u32],
        bound: impl IntoIterator<Item = (u32, BindingResource<'b>)>,
        workgroups: u32,
    ) -> Result<Dispatch> {
        let mut params = words.to_vec();
        params.resize(words.len().next_multiple_of(4).max(12), 0);
        let uniform = self.parameters(bytemuck::cast_slice(&params).to_vec())?;
        let mut entries = vec![BindGroupEntry { binding: 2, resource: uniform.as_entire_binding() }];
        entries.extend(bound.into_iter().map(|(binding, resource)| BindGroupEntry { binding, resource }));
        self.dispatch("the bindings of a ranking", pipeline.clone(), &entries, workgroups)
    }
}

impl TournamentTexts {
    /// Over elements of a type; `ranks` declares `rank` and `unrank`.
    pub fn of(dtype: Dtype, rules: &Rules, ranks: &str) -> TournamentTexts {
        TournamentTexts { texts: tournament_texts(dtype, rules, ranks), ends: dtype.brought().is_none() }
    }

    /// That of tiles, that of what chooses among them, and that of what brings the chosen elements in their order.
    pub fn each(&self) -> [&str; 3] {
        self.texts.each_ref().map(|(_, text)| text.as_str())
    }
}

/// What finds the rank of the last of the best candidates.
pub(super) const EDGE: &str =
    concat!(include_str!("../../shaders/top/digit.wgsl"), "\n", include_str!("../../shaders/top/edge.wgsl"));
/// What takes the best of some candidates.
pub(super) const TAKE_BEST: &[&str] =
    &[include_str!("../../shaders/runs/before.wgsl"), EDGE, include_str!("../../shaders/top/take.wgsl")];

/// What leaves an element in a list.
pub(super) const WRITE: &str = include_str!("../../shaders/top/write.wgsl");

/// What reads an element.
pub(super) fn element_text(dtype: Dtype) -> &'static str {
    match dtype.bytes() {
        2 => include_str!("../../shaders/load/half.wgsl"),
        4 => include_str!("../../shaders/load/word.wgsl"),
        _ => include_str!("../../shaders/load/pair.wgsl"),
    }
}

/// A text about ranks of elements of a type, with these constants; `ranks` declares `rank` and `unrank`.
pub(super) fn ranking_text(dtype: Dtype, counts: &[(&str, u32)], ranks: &str, parts: &[&str]) -> String {
    let words = match dtype.bytes() {
        8 => include_str!("../../shaders/top/ranks_wide.wgsl"),
        _ => include_str!("../../shaders/top/ranks.wgsl"),
    };
    let head: String = counts.iter().map(|(name, count)| format!("const {name} = {count}u;\n")).collect();
    let wide = include_str!("../../shaders/element/wide.wgsl");
    format!("{head}\n{words}\n{}\n{wide}\n{ranks}\n{}", dtype.wgsl(), parts.join("\n"))
}

/// The texts, each with its name.
#[doc(hidden)]
pub fn tournament_texts(dtype: Dtype, rules: &Rules, ranks: &str) -> [(&'static str, String); 3] {
    let loads = rules.loads;
    let text =
        |size: u32, parts: &[&str]| ranking_text(dtype, &[("WORKGROUP_SIZE", size), ("LOADS", loads)], ranks, parts);
    let tiles = unroll(include_str!("../../shaders/top/tiles.wgsl"), &[("LOADS", loads)]);
    let choose = [TAKE_BEST, &[include_str!("../../shaders/top/choose.wgsl")]].concat();
    let (size, choose_size) = (rules.workgroup_size, rules.choose_size);
    [
        ("treefold: best, tiles", text(size, &[element_text(dtype), &tiles])),
        ("treefold: best, choose", text(choose_size, &choose)),
        ("treefold: best, order", text(size, &[WRITE, include_str!("../../shaders/top/order.wgsl")])),
    ]
}
