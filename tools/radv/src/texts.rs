//! The library's texts as an AMD GPU would run them.

use crate::Family;
use crate::every::{self, Machine, Text, is_large};
use treefold::Tuning;
use treefold::internals::Limits;

/// The texts of all kinds of kernels, with names: those of large inputs by every operator, and of the others of each operator a part, its
/// neighbours others, and the other GPU others.
pub fn texts(family: &Family) -> Vec<(String, String)> {
    let limits = Limits {
        binding_bytes_max: (1 << 31) - 256,
        storage_alignment: 16,
        uniform_alignment: 16,
        invocations_max: 1024,
        workgroups_max: 65_535,
        workgroup_bytes_max: 65_536,
        storage_buffers_max: 8,
        lanes: Some((family.lanes_min, family.lanes_min)),
        words64: true,
    };
    let asks: fn(usize, &str) -> bool = match family.lanes_min {
        32 => in_its_turn,
        _ => |turn, what| in_its_turn(turn + 4, what),
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

/// Whether an operator of this turn asks for what is called so: of eight operators in a row, one.
fn in_its_turn(turn: usize, what: &str) -> bool {
    let number: usize = what.bytes().map(usize::from).sum();
    is_large(what) || (turn + number).is_multiple_of(8)
}
