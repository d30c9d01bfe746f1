//! In which order parts follow one another, and what that does to the positions in their accumulators.

use super::bytes::{bad, title};
use crate::element::Element;
use crate::error::Result;
use crate::op::{Fold, Keep, Leaf, Op};

/// The elements of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Number of elements that went in.
    pub count: u64,
    /// Place of the first in the whole input; `None`: a part of its own, whose positions count from its start.
    pub first: Option<u64>,
}

/// Two parts as one.
pub(super) enum Joined {
    /// The right one has no elements.
    Left,
    /// The left one has none.
    Right,
    /// Both, the positions of the right one moved by so many elements.
    Both { span: Span, by: u64 },
}

/// A part followed by another.
///
/// # Errors
/// [`Error::BadPartial`](crate::Error::BadPartial) where one operator is told other than the other, where the count
/// would not fit 64 bits, and where the operator needs the order and the right part does not begin where the left one
/// ends.
pub(super) fn join<T: Element, O: Op<T>>((op, left): (&O, Span), (other, right): (&O, Span)) -> Result<Joined> {
    let (operator, others) = (op.signature(), other.signature());
    let (shown, shown_others) = (title(&operator), title(&others));
    if operator != others {
        return Err(bad(&format!(
            "the left part is of {shown}, the right one of {shown_others}; merge like with like"
        )));
    }
    if op.fold().kind() != other.fold().kind() {
        return Err(bad(&format!("both parts are of a {shown}, which two operators are called; merge like with like")));
    }
    let count = left.count.checked_add(right.count).ok_or_else(|| bad("more than 2^64 elements in all"))?;
    if left.count == 0 || right.count == 0 {
        return Ok(if left.count == 0 { Joined::Right } else { Joined::Left });
    }
    let mut leaves = Vec::new();
    op.fold().leaves(Keep::Registers, &mut leaves);
    let moves = leaves.iter().any(|leaf| leaf.value().is_some_and(|wgsl| wgsl.offset.is_some()));
    let ordered = moves || leaves.iter().any(|leaf: &Leaf| leaf.places() || !leaf.commutative);
    if left.first.is_none() && right.first.is_some() && moves {
        return Err(bad(&format!(
            "{shown} holds positions, and the right part knows its place in the whole while the left one does not; make both by partial_at, or both without"
        )));
    }
    let end = left.first.map(|first| first.wrapping_add(left.count));
    let follows = end.zip(right.first).map(|(end, first)| end == first);
    if follows == Some(false) && ordered {
        return Err(bad(&format!(
            "{shown} depends on the order, and the part after elements {}..{} begins at {}; merge parts in their order, without gaps",
            left.first.unwrap_or(0),
            end.unwrap_or(0),
            right.first.unwrap_or(0)
        )));
    }
    if follows.is_none() && leaves.iter().any(Leaf::places) {
        return Err(bad(&format!(
            "{shown} reads positions, and a part does not know where in the whole it begins; make parts with their first place (partial_at)"
        )));
    }
    // Positions that count from the part's own start move behind the left part's.
    let by = if right.first.is_none() && moves { left.first.unwrap_or(0).wrapping_add(left.count) } else { 0 };
    let first = if ordered { left.first } else { left.first.filter(|_| follows == Some(true)) };
    Ok(Joined::Both { span: Span { count, first }, by })
}

/// Two accumulators as one, the positions of the right one moved by so many elements.
pub(super) fn combined<T: Element, F: Fold<T>>(fold: &F, left: F::Acc, right: F::Acc, by: u64) -> F::Acc {
    let right = if by > 0 { fold.offset(right, by) } else { right };
    fold.combine(left, right)
}
