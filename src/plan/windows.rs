//! Pieces of the input, cut into what one binding can cover.

use super::{Binding, Pass, Resource};
use crate::input::{Grid, Piece, Texel};
use crate::limits::Limits;

/// The range that one binding covers, and those of its elements that are meant.
#[derive(Clone)]
pub(super) struct Window {
    pub bindings: Vec<Binding>,
    /// Its first element, counted from the binding's.
    pub first: u64,
    pub elements: u64,
    /// From an element to its partner.
    pub partner: u32,
    pub zipped: bool,
    /// Of a texture.
    pub grid: Option<Grid>,
}

impl Window {
    /// Has a pass read it.
    pub fn read_by(&self, pass: &mut Pass) {
        pass.bindings = self.bindings.clone();
        pass.params.partner = self.partner;
        if let Some(Grid { texel, weights, .. }) = self.grid {
            (pass.variant.load, pass.variant.words64) = (pass.variant.load.of(texel), false);
            pass.dims = if texel == Texel::Weighted { weights.to_vec() } else { Vec::new() };
        }
    }
}

/// Cuts the pieces into windows, in their order.
pub(super) fn windows(pieces: &[Piece], limits: &Limits, element_bytes: u64) -> Vec<Window> {
    let mut windows = Vec::new();
    for piece in pieces {
        if let Some(grid) = piece.grid.filter(|_| piece.elements > 0) {
            let bindings = vec![Binding { slot: 0, resource: Resource::Texture { number: piece.buffer } }];
            let (first, elements, partner) = (piece.first, piece.elements, grid.width);
            windows.push(Window { bindings, first, elements, partner, zipped: false, grid: Some(grid) });
            continue;
        }
        // Zipped inputs are arrays of words.
        let bytes = if piece.other.is_some() { 4 } else { element_bytes };
        // Elements of three words meet both at every third place.
        let alignment = limits.storage_alignment * if bytes.is_multiple_of(3) { 3 } else { 1 };
        let aligned = |element: u64| element * bytes / alignment * alignment;
        let most =
            |element: u64| (limits.binding_bytes_max.saturating_sub(element * bytes - aligned(element)) / bytes).max(1);
        let range = |element: u64, count: u64| {
            let end = ((element + count) * bytes - aligned(element)).next_multiple_of(4);
            aligned(element)..aligned(element) + end
        };
        let at = |first: u64| (first * bytes - aligned(first)) / bytes;
        let mut done = 0;
        while done < piece.elements {
            let first = piece.first + done;
            let other = piece.other.map(|(buffer, first)| (buffer, first + done));
            let room = other.map_or(u64::MAX, |(_, first)| most(first)).min(most(first));
            let elements = room.min(piece.elements - done);
            let words = Resource::Input { buffer: piece.buffer, bytes: range(first, elements) };
            let vectors = match (other, &words) {
                (Some((buffer, first)), _) => Resource::Input { buffer, bytes: range(first, elements) },
                // A window without a whole vector cannot be bound as vectors, and none are read.
                (None, Resource::Input { bytes, .. }) if bytes.end - bytes.start < 16 => Resource::Placeholder,
                (None, _) => words.clone(),
            };
            windows.push(Window {
                bindings: vec![Binding { slot: 0, resource: vectors }, Binding { slot: 1, resource: words }],
                first: at(first),
                elements,
                partner: other.map_or(0, |(_, other)| (at(other) as u32).wrapping_sub(at(first) as u32)),
                zipped: other.is_some(),
                grid: None,
            });
            done += elements;
        }
    }
    windows
}

/// The bindings of an empty input.
pub(super) fn nothing() -> Vec<Binding> {
    [0, 1].map(|slot| Binding { slot, resource: Resource::Placeholder }).to_vec()
}
