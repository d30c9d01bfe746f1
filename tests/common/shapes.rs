//! Launch shapes that put every boundary within a few thousand elements.

use super::{all, every_other, gpu, one_way, some};
use std::cell::Cell;
use treefold::{Gpu, Order, Tuning};

/// All launch policies of a tuning at once.
pub trait Shape {
    /// Workgroups of so many invocations, so many at most, and so many invocations in the one that reduces partials.
    fn groups(self, size: u32, most: u32, single: u32) -> Tuning;
    /// So many loads in flight.
    fn loads(self, loads: u32) -> Tuning;
}

impl Shape for Tuning {
    fn groups(self, size: u32, most: u32, single: u32) -> Tuning {
        let tuning = self.with(|tuning| tuning.single_workgroup_size = single);
        tuning.each(|launch| (launch.workgroup_size, launch.workgroups_max) = (size, most))
    }
    fn loads(self, loads: u32) -> Tuning {
        self.each(|launch| launch.loads_in_flight = loads)
    }
}

/// A launch shape whose every boundary lies within a few thousand elements, in the shortest texts: a software driver's time grows with
/// the square of what is copied. (It compiles words of invocations for seconds: tests of many rows of f64 ask for them.)
pub fn small() -> Tuning {
    let few = Tuning::GPU.groups(32, 3, 64).loads(1).each(|launch| launch.single_elements_max = 100);
    few.with(|tuning| tuning.own_rows_max = 0)
}

/// Launch shapes that put every boundary within a few thousand elements.
pub fn shapes() -> Vec<Tuning> {
    let small = small();
    vec![
        small,
        small.loads(2).with(|tuning| tuning.subgroups = false),
        small.groups(128, 2, 256).loads(4),
        small.groups(4, 3, 8).loads(1).with(|tuning| tuning.order = Order::Blocked),
        small
            .groups(1, 5, 1)
            .loads(2)
            .each(|launch| launch.single_elements_max = 0)
            .with(|tuning| tuning.subgroups = false),
        // Many dispatches: 1 KiB each.
        small.loads(2).with(|tuning| tuning.dispatch_bytes_max = 1024),
    ]
}

/// That nothing failed.
pub fn none(failures: Vec<String>, gpu: &Gpu) {
    assert!(failures.is_empty(), "{:?}: {}", gpu.tuning(), some(&failures));
}

/// All cases by the adapter's own launch shape and by those of `whole`, and each by one of `parts`.
pub fn by_all_shapes<C: Clone>(
    whole: &[Tuning],
    parts: &[Tuning],
    cases: &[C],
    run: impl Fn(&Gpu, &[C]) -> Vec<String>,
) {
    by_turns(parts, cases, 0, &run);
    for &shape in whole.iter().chain([gpu().tuning()]) {
        by_turns(&[shape], cases, 0, &run);
    }
}

/// The same; where a run takes parts that cover, every other case by one of two of all these shapes, and in one of the ways of its answers. Other calls, by their lines, have others,
/// by other shapes: each shape compiles kernels of its own, which takes most of the time.
#[track_caller]
pub fn by_shapes<C: Clone>(whole: &[Tuning], parts: &[Tuning], cases: &[C], run: impl Fn(&Gpu, &[C]) -> Vec<String>) {
    if all() {
        return by_all_shapes(whole, parts, cases, run);
    }
    // Tests are about as long as each other; so multiplied, their lines are far apart (Fibonacci hashing).
    let turn = (std::panic::Location::caller().line().wrapping_mul(2_654_435_769) >> 24) as usize;
    let mut shapes = [parts, whole, &[*gpu().tuning()]].concat();
    let first = turn % shapes.len();
    shapes.rotate_left(first);
    shapes.truncate(2);
    let way = Cell::new(turn / 4);
    let one_way = |gpu: &Gpu, some: &[C]| one_way(way.replace(way.get() + 1), || run(gpu, some));
    by_turns(&shapes, &every_other(turn / 2, cases), turn, &one_way);
}

/// Each case by one of these shapes, the first by that of this turn.
fn by_turns<C: Clone>(shapes: &[Tuning], cases: &[C], turn: usize, run: &impl Fn(&Gpu, &[C]) -> Vec<String>) {
    for (number, &shape) in shapes.iter().enumerate() {
        let its = (number + shapes.len() - turn % shapes.len()) % shapes.len();
        let those: Vec<C> = cases.iter().skip(its).step_by(shapes.len()).cloned().collect();
        // The adapter's own context has pipelines already.
        let own = gpu();
        let gpu = if shape == *own.tuning() { own } else { own.with_tuning(shape).expect("a launch shape") };
        none(run(&gpu, &those), &gpu);
    }
}

/// Cases over the widest launch shape, and parts of them over small ones with subgroups and without, in either order.
#[track_caller]
pub fn by_few_shapes<C: Clone>(cases: &[C], run: impl Fn(&Gpu, &[C]) -> Vec<String>) {
    let few = Tuning::GPU.with(|tuning| tuning.fold.workgroups_max = 1);
    let parts = [small(), few.with(|tuning| tuning.subgroups = false), shapes()[3]];
    by_shapes(&[Tuning::GPU], &parts, cases, run);
}

/// Small launch shapes with subgroups and without, in either order, one load at a time too.
pub fn odd_shapes() -> [Tuning; 4] {
    let few = Tuning::GPU.with(|tuning| tuning.fold.workgroups_max = 1);
    [
        small(),
        few.loads(2),
        few.with(|tuning| (tuning.subgroups, tuning.single_workgroup_size) = (false, 16)),
        small().loads(2).with(|tuning| (tuning.order, tuning.dispatch_bytes_max) = (Order::Blocked, 2048)),
    ]
}

/// All cases by a GPU's launch shape, which has subgroups, and by the adapter's own, and each by one of the odd ones.
#[track_caller]
pub fn by_odd_shapes<C: Clone>(cases: &[C], run: impl Fn(&Gpu, &[C]) -> Vec<String>) {
    by_shapes(&[Tuning::GPU], &odd_shapes(), cases, run);
}

/// Lengths around every boundary of a launch shape.
pub fn lengths(shape: &Tuning) -> Vec<usize> {
    let launch = shape.fold;
    let tile = (launch.workgroup_size * launch.loads_in_flight * 4) as usize;
    let grid = tile * launch.workgroups_max as usize;
    let single = launch.single_elements_max as usize;
    let edges = [4, 8, 16, 32, launch.workgroup_size as usize, tile, 2 * tile, single, grid, 2 * grid, 1024, 3000];
    let mut lengths: Vec<usize> = edges.iter().flat_map(|&edge| [edge.saturating_sub(1), edge, edge + 1]).collect();
    lengths.extend([0, 1, 2, 3, 5, 6, 7, 9]);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}
