//! A plan in words, and the text of each pass.

use super::rank::Contest;
use crate::device::{Gpu, Recorder, TournamentTexts};
use crate::element::Element;
use crate::error::Result;
use crate::op::{Fold, Op};
use crate::plan::{Kernel, Order, Pass, Plan, Resource, Store, Tournament, Walk};
use std::fmt;

/// The reduction of an input, explained: the plan in words, and the WGSL of each pass.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The plan in words.
    pub lines: Vec<String>,
    /// Its passes; those of one shader once.
    pub passes: Vec<Explained>,
}

/// One pass.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The kernel's file under shaders/.
    pub kernel: &'static str,
    /// Workgroups and their invocations.
    pub grid: String,
    /// The assembled text.
    pub wgsl: String,
}

impl fmt::Display for Explanation {
    /// The plan in words, then each pass behind a line `// pass N: kernel, grid`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        for (number, pass) in self.passes.iter().enumerate() {
            writeln!(f, "\n{}", pass.text(number))?;
        }
        Ok(())
    }
}

impl Explained {
    /// The text behind its line `// pass N: kernel, grid`.
    pub fn text(&self, number: usize) -> String {
        format!("// pass {}: {}, {}\n{}", number + 1, self.kernel, self.grid, self.wgsl.trim_end())
    }
}

impl Gpu {
    /// How this device would reduce so many elements in one buffer: by a [`Reducer`](crate::Reducer), or, of the k best, by a
    /// [`Ranker`](crate::Ranker).
    ///
    /// ```no_run
    /// # fn main() -> treefold::Result<()> {
    /// let gpu = treefold::Gpu::new()?;
    /// println!("{}", gpu.explain::<f32, _>(treefold::ops::Sum, 1 << 24)?);
    /// println!("{}", gpu.explain::<i64, _>(treefold::ops::Top::new(10)?, 1 << 24)?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of making a reducer or a ranker, and of recording so many elements.
    pub fn explain<T: Element, O: Op<T>>(&self, op: O, elements: u64) -> Result<Explanation> {
        match op.fold().ranks() {
            Some(ranks) => Contest::on(self.context().clone(), T::DTYPE, ranks)?.explain(elements),
            None => self.reducer::<T, O>(op)?.explain(elements),
        }
    }
}

fn kernel(recorder: &Recorder, pass: &Pass) -> &'static str {
    match pass.variant.kernel {
        Kernel::Reduce => "reduce.wgsl",
        Kernel::Columns { .. } => "columns.wgsl",
        Kernel::Combine { group } => match recorder.op.groups().get(group) {
            Some(crate::op::FoldGroup::Bins(fold)) if recorder.op.folds[*fold].counts() => "histogram/combine.wgsl",
            Some(crate::op::FoldGroup::Bins(_)) => "bins/combine.wgsl",
            _ => "combine.wgsl",
        },
        Kernel::Segments { walk: Walk::Serial } => "segments/serial.wgsl",
        Kernel::Segments { .. } => "segments/subgroup.wgsl",
        Kernel::Carry => "segments/carry.wgsl",
        Kernel::Groups { replicas: 0, .. } => "groups/groups.wgsl",
        Kernel::Groups { .. } => "groups/cells.wgsl",
        Kernel::Clear => "groups/clear.wgsl",
        Kernel::Finish => "finish.wgsl",
    }
}

fn many(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

fn dispatched(n: usize) -> String {
    if n == 1 { "1 dispatch".into() } else { format!("{n} dispatches") }
}

/// A plan in lines for people.
pub(super) fn explain(recorder: &Recorder, plan: &Plan) -> Vec<String> {
    let mut lines = vec![format!(
        "{}, {} in all; {} of partials{}",
        many(plan.elements, "element"),
        dispatched(plan.passes.len()),
        many(plan.scratch_bytes, "byte"),
        match plan.accumulators_bytes {
            0 => String::new(),
            bytes => format!(", {} of accumulators", many(bytes, "byte")),
        },
    )];
    let counts = recorder.op.folds.iter().all(|fold| fold.bins().is_some_and(|bins| !bins.carries));
    for pass in &plan.passes {
        let variant = &pass.variant;
        let inputs = pass.bindings.iter().filter_map(|binding| match &binding.resource {
            Resource::Input { buffer, bytes } if binding.slot == 1 || variant.load.beside().is_some() => {
                Some(format!("bytes {}..{} of buffer {buffer}", bytes.start, bytes.end))
            }
            Resource::Texture { number } => Some(format!("texture {number}, {} texels a row", pass.params.partner)),
            _ => None,
        });
        let reads = match variant.kernel {
            Kernel::Combine { .. } => many(pass.params.count.into(), "partial"),
            Kernel::Finish => format!("the accumulators of {}", many(pass.params.count.into(), "row")),
            Kernel::Carry => format!("what {} left open", many(pass.params.partials.into(), "share")),
            Kernel::Clear => "nothing".into(),
            _ if plan.elements == 0 => "nothing".into(),
            Kernel::Reduce | Kernel::Columns { .. } | Kernel::Segments { .. } | Kernel::Groups { .. } => {
                inputs.collect::<Vec<_>>().join(" and ")
            }
        };
        let times = match recorder.op.slices() {
            slices @ 2.. if variant.kernel == Kernel::Reduce => {
                format!(" once for each of {slices} slices of the bins")
            }
            _ => String::new(),
        };
        let meet = match (variant.kernel, variant.lanes_min) {
            (Kernel::Finish | Kernel::Clear, _) => String::new(),
            (Kernel::Carry, _) => ", by a scan in workgroup memory".into(),
            (Kernel::Segments { .. }, None) => ", a share each".into(),
            (Kernel::Segments { .. }, Some(lanes)) => format!(", a share each subgroup of {lanes} lanes or more"),
            (Kernel::Reduce | Kernel::Columns { .. }, _) if counts => ", added to counters".into(),
            (_, Some(lanes)) => format!(", reduced by shuffles of subgroups of {lanes} lanes or more"),
            (_, None) => ", reduced by a tree in workgroup memory".into(),
        };
        let order = match (variant.kernel, variant.order) {
            (Kernel::Combine { .. } | Kernel::Carry | Kernel::Finish | Kernel::Clear, _) => String::new(),
            (_, Order::Striped) => format!(", striped, {} in flight", many(variant.loads_in_flight.into(), "load")),
            (_, Order::Blocked) => format!(", blocked, {} in flight", many(variant.loads_in_flight.into(), "load")),
        };
        let writes = match variant.store {
            Store::Partial => "partials",
            Store::Sealed if plan.accumulators_bytes > 0 => "accumulators",
            Store::Sealed => "a result for the host",
            Store::Answer { counted: true } => "an answer and its count word",
            Store::Answer { counted: false } => "an answer",
        };
        lines.push(format!(
            "{}: {} of {}{order}{meet}, {} at most; reads {reads}{times}, writes {writes}",
            kernel(recorder, pass),
            many(pass.workgroups.into(), "workgroup"),
            variant.workgroup_size,
            many(pass.trips, "loop trip"),
        ));
    }
    lines
}

/// The plan with the texts, and the reasons for its kernels.
pub(super) fn explained(recorder: &Recorder, plan: &Plan) -> Explanation {
    let mut lines = explain(recorder, plan);
    let (planner, op) = (&recorder.planner, &recorder.op);
    let single = planner.launch().single_elements_max;
    lines.push(match plan.passes.len() {
        1 => format!("one workgroup, because there are no more than {single} elements"),
        _ if plan.elements <= single && op.slices() > 1 => {
            "a second pass, for no workgroup of the first has all counters".into()
        }
        _ if plan.elements <= single => {
            "a second pass, for the counters of the first lie in the device's memory".into()
        }
        _ => format!("partials and a second pass, because there are more than {single} elements"),
    });
    if op.folds.iter().any(|fold| fold.tested) {
        lines.push(format!("{:?}: the first kernel of this class of device that passed its self-test", op.keep));
    }
    let binned = op.folds.iter().filter_map(|fold| Some((fold, fold.bins()?)));
    if let Some((fold, bins)) = binned.rev().max_by_key(|(_, bins)| bins.slices) {
        lines.push(match bins.replicas {
            _ if bins.slices > 0 => format!(
                "{} counters, more than workgroup memory holds, in {}: neighbouring workgroups read the same elements, and each counts in {} bins",
                fold.words,
                many(bins.slices.into(), "slice"),
                bins.bins,
            ),
            0 => format!("{} counters of each workgroup in the device's memory", bins.bins),
            replicas => {
                format!("{} counters in workgroup memory, each in {}", bins.bins, many(replicas.into(), "replica"))
            }
        });
    }
    if !op.commutative() {
        lines.push("blocked order and a tree, because the operator is not commutative".into());
    } else if plan.passes.iter().all(|pass| pass.variant.lanes_min.is_none()) {
        lines.push(format!("no subgroup operations: {}", planner.why_no_subgroups()));
    }
    let mut passes: Vec<Explained> = Vec::new();
    let mut seen = Vec::new();
    for pass in &plan.passes {
        if seen.contains(&pass.variant) {
            continue;
        }
        seen.push(pass.variant);
        passes.push(Explained {
            kernel: kernel(recorder, pass),
            grid: format!("{} of {}", many(pass.workgroups.into(), "workgroup"), pass.variant.workgroup_size),
            wgsl: recorder.source(&pass.variant).text,
        });
    }
    Explanation { lines, passes }
}

/// A tournament for the k best with its texts.
pub(super) fn tournament(plan: &Tournament, texts: &TournamentTexts, k: u32) -> Explanation {
    let rules = &plan.rules;
    let elements: u64 = plan.windows.iter().map(|window| u64::from(window.elements)).sum();
    let dispatches = plan.rounds.iter().map(|round| round.passes.len() + 1).sum::<usize>() + 1;
    let mut lines = vec![format!(
        "{}, {} in all; {} of candidates, {} of chosen ones; {} at most",
        many(elements, "element"),
        dispatched(dispatches),
        many(plan.candidates.2, "byte"),
        many(plan.list.2, "byte"),
        many(plan.trips, "loop trip"),
    )];
    for round in &plan.rounds {
        let tile = match round.size {
            1 => "the elements as candidates".into(),
            size => format!("the best of each tile of {size} elements, by {}", many(round.lanes.into(), "invocation")),
        };
        for (window, &(_, _, workgroups)) in plan.windows.iter().zip(&round.passes) {
            let of = if round.parts == 0 { "" } else { "chosen tiles in " };
            lines.push(format!(
                "top/tiles.wgsl: {} of {}; reads {of}bytes {}..{} of buffer {}, writes {tile}",
                many(workgroups.into(), "workgroup"),
                rules.workgroup_size,
                window.bytes.start,
                window.bytes.end,
                window.buffer,
            ));
        }
        lines.push(format!(
            "top/choose.wgsl: 1 workgroup of {}; reads {}, writes the {} best",
            rules.choose_size,
            many(round.candidates.into(), "candidate"),
            round.chosen,
        ));
    }
    let ordering = many(rules.ordering(k).into(), "workgroup");
    lines.push(format!(
        "top/order.wgsl: {ordering} of {}; reads {} chosen, writes {} and places in their order",
        rules.workgroup_size,
        many(plan.found.into(), "element"),
        many(k.into(), "element"),
    ));
    lines.push(
        "no element outside of the tiles with the best ones is among them, so that no other is read again".into(),
    );
    let busiest = plan.rounds.iter().flat_map(|round| &round.passes).map(|&(_, _, workgroups)| workgroups).max();
    let busiest = many(busiest.unwrap_or(0).into(), "workgroup");
    let [tiles, choose, order] = texts.each().map(String::from);
    let passes = vec![
        Explained { kernel: "top/tiles.wgsl", grid: format!("{busiest} of {}", rules.workgroup_size), wgsl: tiles },
        Explained { kernel: "top/choose.wgsl", grid: format!("1 workgroup of {}", rules.choose_size), wgsl: choose },
        Explained { kernel: "top/order.wgsl", grid: format!("{ordering} of {}", rules.workgroup_size), wgsl: order },
    ];
    Explanation { lines, passes }
}
