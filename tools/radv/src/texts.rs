//! The library's texts as an AMD GPU would run them.

use crate::Family;
use crate::every::{self, Machine, Text, is_large};
use treefold::Tuning;
use treefold::internals::Limits;

/// The most lanes of a subgroup, of every family.
const LANES_MAX: u32 = 64;

/// The texts of all kinds of kernels, with names: those of large inputs by every operator, and of the others of each operator a part, its
/// neighbours others, and the other GPU others. Where only some are wanted, half of those, and of the rest half but for segments.
pub fn texts(family: &Family, some: bool) -> Vec<(String, String)> {
    let limits = Limits {
        binding_bytes_max: (1 << 31) - 256,
        storage_alignment: 16,
        uniform_alignment: 16,
        invocations_max: 1024,
        workgroups_max: 65_535,
        workgroup_bytes_max: 65_536,
        storage_buffers_max: 8,
        lanes: Some((family.lanes_min, LANES_MAX)),
        words64: true,
    };
    let asks: fn(usize, &str) -> bool = match (family.lanes_min, some) {
        (32, false) => |turn, what| is_large(what) || in_turn(turn, 8, what),
        (32, true) => |turn, what| in_turn(turn, one_of(what), what),
        (_, false) => |turn, what| is_large(what) || in_turn(turn + 4, 8, what),
        (_, true) => |turn, what| in_turn(turn + one_of(what) / 2, one_of(what), what),
    };
    let (name, tuning) = (family.name, Tuning::GPU);
    let machine = Machine { name, limits, tuning, wide: false, chosen: true, asks };
    let named = |Text { name, text, made, .. }: Text| {
        let name = made.map_or(name, |made| {
            let (op, variant) = (&made.op, &made.variant);
            format!("{} {} {}: {:?} {:?}", op.name, op.dtype, made.what, variant.kernel, variant.store)
        });
        (name.to_lowercase(), text)
    };
    every::texts_of(&[machine]).into_iter().map(named).collect()
}

/// Whether an operator of this turn asks for what is called so: of so many operators in a row, one.
fn in_turn(turn: usize, of: usize, what: &str) -> bool {
    let number: usize = what.bytes().map(usize::from).sum();
    (turn + number).is_multiple_of(of)
}

/// Operators in a row of which one asks for it, where only some texts are wanted.
fn one_of(what: &str) -> usize {
    match is_large(what) {
        true => 2,
        false if what.contains("segments") => 8,
        false => 16,
    }
}
