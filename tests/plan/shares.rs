//! The number of shares into which segments are cut, and of the invocations that carry over them, on a large GPU.

use crate::cases::{BYTES_MAX, limits};
use treefold::Tuning;
use treefold::internals::{Arrangement, Cost, DeviceOp, Ends, Keep, Kernel, Limits, Piece, Planner, Request, Store};
use treefold::ops::{FastSum, Max, Mean, Sum};
use treefold::{Element, Op};

/// The workgroups that read so many elements in segments of this length, and the invocations that carry.
fn shares<T: Element, O: Op<T>>(op: O, n: u64, length: u64) -> (u32, u32) {
    shares_of(1024, op, n, length)
}

/// The same where workgroups have so many invocations at most.
fn shares_of<T: Element, O: Op<T>>(invocations: u32, op: O, n: u64, length: u64) -> (u32, u32) {
    let keep = Keep::Values { words64: true };
    let cost = Cost::of(&DeviceOp::new::<T, O>(&op, keep).expect("names"));
    let limits = Limits { invocations_max: invocations, ..limits(BYTES_MAX, 256, Some((32, 32)), 49_152) };
    let planner = Planner::new(limits, Tuning::NVIDIA, cost).expect("a planner");
    let (pieces, store) = ([Piece::of(0, 0, n)], Store::Answer { counted: false });
    let each = Arrangement::Segments(Ends::of(Piece::of(1, 0, n / length + 1)));
    let plan = planner.plan(&Request { pieces: &pieces, each, start: 0, direct: true, store, output: 0 });
    let plan = plan.expect("a plan");
    let read = plan.passes.iter().filter(|pass| matches!(pass.variant.kernel, Kernel::Segments { .. }));
    let carry = plan.passes.iter().find(|pass| pass.variant.kernel == Kernel::Carry).expect("a carrying pass");
    (read.map(|pass| pass.workgroups).sum(), carry.variant.workgroup_size)
}

#[test]
fn shorter_inputs_have_fewer() {
    // As many as are carried over at once, or less where there is less; all that the launch policy has of long inputs.
    assert_eq!(shares::<f32, _>(FastSum, 1 << 24, 4096), (256, 256));
    assert_eq!(shares::<f32, _>(FastSum, 1 << 26, 256), (256, 256));
    assert_eq!(shares::<f32, _>(FastSum, 1 << 28, 4096), (1056, 256));
    assert!(shares::<f32, _>(FastSum, 1 << 18, 4096).0 < 32);
    // Elements that are no words have twice as many.
    assert_eq!(shares::<f64, _>(Max, 1 << 24, 4096), (512, 256));
    // Sums that hold many words are better with few at any length, and of short inputs with half of them.
    assert_eq!(shares::<f32, _>(Sum, 1 << 22, 4096), (128, 256));
    assert_eq!(shares::<f32, _>(Sum, 1 << 24, 4096), (256, 256));
    assert_eq!(shares::<f32, _>(Sum, 1 << 28, 4096), (256, 256));
    // A lane each: more of them; and where answers take long to finish, all.
    assert_eq!(shares::<f32, _>(FastSum, 1 << 24, 4).0, 528);
    assert_eq!(shares::<f32, _>(FastSum, 1 << 28, 4).0, 1056);
    assert_eq!(shares::<f32, _>(Sum, 1 << 26, 16).0, 528);
    assert_eq!(shares::<f32, _>(Mean, 1 << 26, 16).0, 1056);
    assert_eq!(shares::<f32, _>(Mean, 1 << 26, 64).0, 528);
    // Smaller workgroups are as many more.
    assert_eq!(shares_of::<f32, _>(256, FastSum, 1 << 24, 4096), (512, 256));
    assert_eq!(shares_of::<f32, _>(256, Sum, 1 << 28, 4096), (512, 256));
}
