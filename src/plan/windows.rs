//! Pieces of the input, cut into what one binding can cover.

use super::{Binding, Pass, Resource};
use crate::input::{Beside, Grid, Piece, Texel, Unit};
use crate::limits::Limits;
use std::ops::Range;

/// The range that one binding covers, and those of its elements that are meant.
#[derive(Clone)]
pub(super) struct Window {
    pub bindings: Vec<Binding>,
    /// Its first element, counted from the binding's.
    pub first: u64,
    pub elements: u64,
    /// From an element to what the second input has for it.
    pub partner: u32,
    /// Of two inputs: what the second has for an element.
    pub beside: Option<Unit>,
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

/// How units of so many bits lie in bindings, which begin aligned.
#[derive(Clone, Copy)]
pub(super) struct Lie {
    bits: u64,
    alignment: u64,
    most: u64,
}

impl Lie {
    pub fn of(bits: u64, limits: &Limits) -> Lie {
        // Elements of three words meet both at every third place.
        let alignment = limits.storage_alignment * if bits.is_multiple_of(3) { 3 } else { 1 };
        Lie { bits, alignment, most: limits.binding_bytes_max }
    }

    /// The byte at which a binding begins that has the unit.
    fn aligned(self, unit: u64) -> u64 {
        unit * self.bits / 8 / self.alignment * self.alignment
    }

    /// The unit's number in that binding.
    pub fn at(self, unit: u64) -> u64 {
        (unit * self.bits - 8 * self.aligned(unit)) / self.bits
    }

    /// Units from this one on that one binding covers, one at least.
    fn room(self, unit: u64) -> u64 {
        ((8 * self.most).saturating_sub(unit * self.bits - 8 * self.aligned(unit)) / self.bits).max(1)
    }

    /// The binding of so many units.
    pub fn bytes(self, first: u64, many: u64) -> Range<u64> {
        let begin = self.aligned(first);
        begin..begin + (((first + many) * self.bits).div_ceil(8) - begin).next_multiple_of(4)
    }
}

/// Cuts the pieces into windows, in their order.
pub(super) fn windows(pieces: &[Piece], limits: &Limits, element_bytes: u64) -> Vec<Window> {
    let mut windows = Vec::new();
    for piece in pieces {
        if let Some(grid) = piece.grid.filter(|_| piece.elements > 0) {
            let bindings = vec![Binding { slot: 0, resource: Resource::Texture { number: piece.buffer } }];
            let (first, elements, partner) = (piece.first, piece.elements, grid.width);
            windows.push(Window { bindings, first, elements, partner, beside: None, grid: Some(grid) });
            continue;
        }
        let own = Lie::of(8 * piece.other.map_or(element_bytes, |other| other.bytes), limits);
        let mut done = 0;
        while done < piece.elements {
            let first = piece.first + done;
            let other = piece.other.map(|other| (Lie::of(other.unit.bits(), limits), other.after(done)));
            let room = other.map_or(u64::MAX, |(lie, other)| lie.room(other.first)).min(own.room(first));
            let elements = room.min(piece.elements - done);
            let words = Resource::Input { buffer: piece.buffer, bytes: own.bytes(first, elements) };
            let vectors = match (other, &words) {
                (Some((lie, other)), _) => {
                    Resource::Input { buffer: other.buffer, bytes: lie.bytes(other.first, elements) }
                }
                // A window without a whole vector cannot be bound as vectors, and none are read.
                (None, Resource::Input { bytes, .. }) if bytes.end - bytes.start < 16 => Resource::Placeholder,
                (None, _) => words.clone(),
            };
            let partner = |(lie, other): (Lie, Beside)| (lie.at(other.first) as u32).wrapping_sub(own.at(first) as u32);
            windows.push(Window {
                bindings: vec![Binding { slot: 0, resource: vectors }, Binding { slot: 1, resource: words }],
                first: own.at(first),
                elements,
                partner: other.map_or(0, partner),
                beside: piece.other.map(|other| other.unit),
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
