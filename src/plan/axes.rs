//! Strided inputs: cut until each dispatch reads one binding, by answers where it can, else into parts of all answers.

use super::planner::{Draft, Planner, Request};
use super::windows::{Window, nothing, windows};
use super::{Kernel, Params, Pass, Rows, Store};
use crate::error::{Error, Result};
use crate::input::{Dim, Piece, Strided, Taken, Unit};

/// Dispatches of a plan over a view, at most.
pub(super) const PASSES_MAX: usize = 1 << 14;

/// Elements of every answer of a block, neighbours in C order, that lie in one window.
pub(super) struct BlockPart {
    pub strided: Strided,
    /// Position of the first of them.
    pub position: u64,
    /// `None`: there are none.
    pub window: Option<Window>,
    /// Place in the binding of the first element of the first answer.
    pub first: u64,
}

impl BlockPart {
    /// Its rows, as a workgroup finds them.
    pub fn rows(&self) -> Rows {
        Rows::Strided { kept: self.strided.kept.len() as u8, reduced: self.strided.reduced.len() as u8 }
    }

    /// What the second input has for an element, where elements are of two.
    pub fn beside(&self) -> Option<Unit> {
        self.window.as_ref().and_then(|window| window.beside)
    }
}

/// An obstacle to parts.
enum Obstacle {
    /// The outermost dimension that is kept must be cut.
    Kept,
    /// The parts are too many.
    Scattered,
}

/// The launch of a dispatch over a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockLaunch {
    pub kernel: Kernel,
    pub workgroup_size: u32,
    /// Answers of a workgroup.
    pub answers: u64,
    /// Invocations that share an answer, or a group of neighbours.
    pub lanes: u32,
    /// Workgroups of an answer.
    pub splits: u32,
}

impl Planner {
    /// Plans the answers of a view.
    pub(super) fn strided(&self, draft: &mut Draft, request: &Request, strided: &Strided) -> Result<()> {
        let free = self.cost.commutative && !self.cost.positions;
        let strided = if free { strided.clone().by_place() } else { strided.clone() };
        if strided.answers() == 0 {
            return Ok(());
        }
        // Short rows in many buffers go one by one where they end in another than they begin in.
        let alone = request.pieces.len() == 1 && self.alone(strided.length(), strided.answers());
        let short = |length| alone || (request.pieces.len() <= 16 && self.short(length, &strided));
        if let Some((first, length)) = strided.contiguous().filter(|&(_, length)| !short(length)) {
            let mut place = Taken::default();
            place.skip(request.pieces, first);
            let pieces = place.take(request.pieces, strided.answers() * length);
            let request = Request { pieces: &pieces, ..*request };
            match strided.answers() {
                1 => self.whole(draft, &request, &pieces, length, 0),
                _ => self.rows(draft, &request, length),
            }
            return Ok(());
        }
        self.block(draft, request, &strided, 0, alone)
    }

    /// Plans answers of a view, whose first is the n-th; `alone`: of so many that each is found by one invocation.
    fn block(&self, draft: &mut Draft, request: &Request, block: &Strided, row: u64, alone: bool) -> Result<()> {
        if draft.passes.len() > PASSES_MAX {
            return Err(Error::ViewTooScattered { most: PASSES_MAX });
        }
        let longest = self.dispatch_elements_one(self.launch.workgroups_max);
        let mut parts = Vec::new();
        match self.parts(request.pieces, block, request.start, longest, &mut parts) {
            Err(Obstacle::Scattered) => return Err(Error::ViewTooScattered { most: PASSES_MAX }),
            Ok(()) => {
                let shape = self.shape(block, &parts, request, alone);
                if block.answers() == 1 || self.fits(block, &parts, shape, request) {
                    return self.dispatches(draft, request, block, &parts, shape, row);
                }
            }
            Err(Obstacle::Kept) => {}
        }
        let Some(&Dim { length, .. }) = block.kept.first() else {
            return Err(Error::ViewTooScattered { most: PASSES_MAX });
        };
        // Whole vectors of columns, where there are many.
        let half = if length > 64 { length / 2 / 32 * 32 } else { length / 2 };
        let front = block.kept_part(0, half);
        self.block(draft, request, &front, row, alone)?;
        self.block(draft, request, &block.kept_part(half, length - half), row + front.answers(), alone)
    }

    /// Cuts what is reduced until each part lies in one window and is no longer than `longest`.
    fn parts(
        &self,
        pieces: &[Piece],
        block: &Strided,
        position: u64,
        longest: u64,
        parts: &mut Vec<BlockPart>,
    ) -> Result<(), Obstacle> {
        if parts.len() > PASSES_MAX {
            return Err(Obstacle::Scattered);
        }
        let strided = block.clone();
        if block.is_empty() {
            parts.push(BlockPart { strided, position, window: None, first: 0 });
            return Ok(());
        }
        let (low, high) = block.span();
        let found = self.window(pieces, low as u64, (high - low + 1) as u64);
        if let Some(window) = found.filter(|_| block.length() <= longest) {
            let first = window.first + (block.first - low as u64);
            parts.push(BlockPart { strided, position, window: Some(window), first });
            return Ok(());
        }
        let reach = |dim: &Dim| u128::from(dim.stride.unsigned_abs()) * u128::from(dim.length - 1);
        let (kept, reduced) = (block.kept.first(), block.reduced.first());
        match (kept, reduced) {
            (Some(kept), Some(reduced)) if reach(kept) > reach(reduced) && block.length() <= longest => {
                Err(Obstacle::Kept)
            }
            (_, Some(reduced)) => {
                let inner = block.length() / reduced.length;
                let most = (longest / inner).clamp(1, reduced.length - 1);
                // By length at once, by halves where windows end.
                let step = if block.length() <= longest { reduced.length / 2 } else { most };
                let mut done = 0;
                while done < reduced.length {
                    let now = step.min(reduced.length - done);
                    let part = block.reduced_part(done, now);
                    self.parts(pieces, &part, position.wrapping_add(done * inner), longest, parts)?;
                    done += now;
                }
                Ok(())
            }
            (Some(_), None) => Err(Obstacle::Kept),
            (None, None) => Err(Obstacle::Scattered),
        }
    }

    /// The window that covers so many elements from one on, if one does.
    fn window(&self, pieces: &[Piece], low: u64, elements: u64) -> Option<Window> {
        let mut begin = 0;
        let piece = pieces.iter().find(|piece| {
            begin += piece.elements;
            begin > low
        })?;
        let from = low - (begin - piece.elements);
        if elements > piece.elements - from {
            return None;
        }
        let mut windows = windows(&[piece.part(from, elements)], &self.limits, self.cost.element_bytes);
        if windows.len() == 1 { windows.pop() } else { None }
    }

    /// Whether one dispatch for each part, and what combines their partials, keeps the device's limits.
    fn fits(&self, block: &Strided, parts: &[BlockPart], shape: BlockLaunch, request: &Request) -> bool {
        let most = u64::from(self.limits.workgroups());
        let answers = block.answers();
        let longest = parts.iter().map(|part| part.strided.length()).max().unwrap_or(0);
        let workgroups = answers.div_ceil(shape.answers).saturating_mul((shape.splits * self.cost.slices()).into());
        let bytes = answers.saturating_mul(longest).saturating_mul(self.cost.element_bytes);
        let apart = self.finishes_apart(request);
        let splits = u64::from(shape.splits) * parts.len() as u64;
        let single = splits == 1 && self.at_once(request);
        workgroups <= most
            && bytes <= self.dispatch_bytes_max()
            && (!apart || answers <= self.finished_together())
            && (single || answers <= self.combined_together(splits))
    }

    /// One dispatch for each part, and those behind them.
    fn dispatches(
        &self,
        draft: &mut Draft,
        request: &Request,
        block: &Strided,
        parts: &[BlockPart],
        shape: BlockLaunch,
        row: u64,
    ) -> Result<()> {
        let begin = draft.passes.len();
        let rows = block.answers() as u32;
        let mut partials = 0;
        for part in parts {
            let mut pass = match shape.kernel {
                Kernel::Columns { own, neighbours } => self.columns_pass(part, shape, rows, own, neighbours),
                _ => self.strided_pass(part, shape, rows),
            };
            pass.bindings = part.window.as_ref().map_or_else(nothing, |window| window.bindings.clone());
            let params = Params {
                partial: partials,
                partner: part.window.as_ref().map_or(0, |window| window.partner),
                base: [part.position as u32, (part.position >> 32) as u32],
                ..pass.params
            };
            partials += params.splits;
            draft.passes.push(Pass { params, ..pass });
        }
        for pass in &mut draft.passes[begin..] {
            pass.params.row_partials = partials;
        }
        if partials == 1 && self.at_once(request) {
            self.direct(draft, begin, request, rows, block.length(), row);
        } else {
            let all = rows.checked_mul(partials);
            let all = all.ok_or(Error::ViewTooScattered { most: PASSES_MAX })?;
            self.through_partials(draft, begin, request, all, rows, partials, block.length(), row);
        }
        Ok(())
    }

    /// The launch of `reduce` over rows by strides, an element at a time.
    fn strided_pass(&self, part: &BlockPart, shape: BlockLaunch, rows: u32) -> Pass {
        let one = self.one_by_one();
        let variant = one.variant(shape.kernel, Store::Partial, shape.workgroup_size, part.beside(), part.rows());
        let mut pass = one.reduce_pass(variant, shape.splits, rows, 0, part.strided.length(), 0);
        pass.params.rows = rows;
        pass.params.first = part.first as u32;
        pass.dims = dims_words(&part.strided, 1, 1);
        pass
    }

    /// The same planner for elements that are loaded one at a time.
    pub(super) fn one_by_one(&self) -> Planner {
        Planner { one: true, ..self.clone() }
    }

    /// Elements that one dispatch may read an element at a time.
    fn dispatch_elements_one(&self, workgroups: u32) -> u64 {
        let one = self.one_by_one();
        one.dispatch_elements(self.launch.workgroup_size, workgroups)
            .min(one.dispatch_elements(self.single_size(), workgroups))
    }
}

/// The length and the stride of each dimension. The innermost that is kept counts groups of `own`; all of them count in units of
/// so many elements, of which the innermost that is reduced has whole ones.
pub(super) fn dims_words(strided: &Strided, own: u64, unit: u64) -> Vec<u32> {
    let Strided { mut kept, mut reduced, .. } = strided.clone();
    if let Some(innermost) = kept.last_mut() {
        innermost.length /= own;
        innermost.stride *= own as i64;
    }
    if let Some(innermost) = reduced.last_mut().filter(|_| unit > 1) {
        innermost.length /= unit;
        innermost.stride *= unit as i64;
    }
    let words = |dim: &Dim| [dim.length as u32, (dim.stride / unit as i64) as u32];
    kept.iter().chain(&reduced).flat_map(words).collect()
}
