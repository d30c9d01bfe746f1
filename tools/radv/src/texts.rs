//! The library's texts as an AMD GPU would run them.

use treefold::Axes;
use treefold::internals::{
    Arrangement, Cost, DeviceOp, Keep, Limits, Piece, Planner, Request, Store, Strided, assemble,
};
use treefold::ops::{self, Visitor};
use treefold::{DynOp, Element, Tuning};

/// The texts of every operator, with names, where subgroups have so many lanes.
pub fn texts(lanes: u32) -> Vec<(String, String)> {
    let limits = Limits {
        binding_bytes_max: (1 << 31) - 256,
        storage_alignment: 16,
        uniform_alignment: 16,
        invocations_max: 1024,
        workgroups_max: 65_535,
        workgroup_bytes_max: 65_536,
        storage_buffers_max: 8,
        lanes: Some((lanes, lanes)),
    };
    let mut all = All { limits, texts: Vec::new() };
    for entry in ops::TABLE.iter().filter(|entry| entry.host_only.is_none()) {
        ops::visit(entry.name, entry.dtype, &mut all);
    }
    all.texts
}

struct All {
    limits: Limits,
    texts: Vec<(String, String)>,
}

impl Visitor for &mut All {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        // As many replicas as the workgroup's memory has room for, as the library takes them.
        let planned = [32, 8, 1].into_iter().find_map(|replicas| {
            let op = DeviceOp::new::<T, _>(&op, Keep::Bins { replicas }).expect("names");
            Planner::new(self.limits, Tuning::GPU, Cost::of(&op)).ok().map(|planner| (op, planner))
        });
        let (op, planner) = planned.expect("a plan");
        let store = if op.answers.is_empty() { Store::Sealed } else { Store::Answer { counted: true } };
        // The passes of a large input, the one pass of a small one, and those of rows.
        let columns = Axes::of(&[1 << 16, 1 << 8], &[0]).expect("axes");
        let requests = [
            ("large", 1 << 24, Arrangement::Whole),
            ("small", 1000, Arrangement::Whole),
            ("rows", 1 << 16, Arrangement::Strided(&Strided::rows(1 << 8, 1 << 8))),
            ("columns", 1 << 24, Arrangement::Strided(columns.dims())),
        ];
        for (size, elements, each) in requests {
            let pieces = [Piece::of(0, 0, elements)];
            let request = Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 };
            for pass in planner.plan(&request).expect("a plan").passes {
                let text = assemble(&op, &pass.variant).text;
                let name =
                    format!("{} {} {size} {:?} {:?}", op.name, op.dtype, pass.variant.kernel, pass.variant.store);
                if self.texts.iter().all(|(_, known)| *known != text) {
                    self.texts.push((name.to_lowercase(), text));
                }
            }
        }
    }
}
