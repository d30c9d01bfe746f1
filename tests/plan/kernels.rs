//! The kernels on indices: which elements and partials their invocations read, from the WGSL.

use treefold::Order;
use treefold::internals::{Params, ROWS_AT_ONCE, Variant};

/// An index of the WGSL: within u32.
pub fn word(index: u64) -> u64 {
    assert!(index <= u64::from(u32::MAX), "{index} leaves u32");
    index
}

/// Runs main() of reduce.wgsl for a row that begins at `first`: `visit` gets the split, an index, a number of elements, and
/// whether they are a vector. Returns the rounds of the busiest invocation, and the elements of head and tail.
pub fn reduce_row(
    v: &Variant,
    p: &Params,
    unit: u64,
    first: u64,
    mut visit: impl FnMut(u64, u64, u64, bool),
) -> (u64, u64) {
    let (size, loads) = (u64::from(v.workgroup_size), u64::from(v.loads_in_flight));
    let (vectors, grid) = (u64::from(p.vectors), u64::from(p.grid_stride));
    let end = word(first + u64::from(p.count));
    let (low, high) = (word(first + unit - 1) / unit, end / unit);
    let low = low.min(high);
    let (head, tail) = (end.min(low * unit).saturating_sub(first), end - first.max(high * unit));
    let mut busiest = 0;
    for split in 0..u64::from(p.splits) {
        for local in 0..size {
            let invocation = split * size + local;
            let (mut at, left, step, next) = match v.order {
                Order::Blocked => {
                    let at = word(low + invocation * vectors);
                    (at, if at < high { vectors.min(high - at) } else { 0 }, 1, loads)
                }
                Order::Striped => {
                    let at = word(low + split * size * loads + local);
                    let last = word(at + vectors * grid);
                    let rest = if last < high { ((high - last - 1) / size + 1).min(loads) } else { 0 };
                    (at, vectors * loads + rest, size, grid)
                }
            };
            if invocation == 0 && head > 0 {
                visit(split, first, head, false);
            }
            for round in 0..left.div_ceil(loads) {
                for k in 0..loads.min(left - round * loads) {
                    visit(split, word((at + k * step) * unit), unit, true);
                }
                at += next;
            }
            if (invocation + 1) * loads == grid && tail > 0 {
                visit(split, end - tail, tail, false);
            }
            busiest = busiest.max(left.div_ceil(loads));
        }
    }
    (busiest, head + tail)
}

/// The same for rows too long to go through: that the grid covers the row, and all of it as one run.
pub fn reduce_long_row(
    v: &Variant,
    p: &Params,
    unit: u64,
    first: u64,
    mut visit: impl FnMut(u64, u64, u64, bool),
) -> (u64, u64) {
    let loads = u64::from(v.loads_in_flight);
    let (vectors, grid) = (u64::from(p.vectors), u64::from(p.grid_stride));
    assert_eq!(grid, u64::from(p.splits) * u64::from(v.workgroup_size) * loads);
    let end = word(first + u64::from(p.count));
    let high = end / unit;
    let low = first.div_ceil(unit).min(high);
    let rounds = match v.order {
        Order::Blocked => {
            assert!(vectors.is_multiple_of(loads) && grid / loads * vectors >= high - low);
            word((low + grid / loads * vectors) * unit);
            vectors / loads
        }
        Order::Striped => {
            assert!(vectors * grid <= high - low && (vectors + 1) * grid >= high - low);
            word((low + (vectors + 1) * grid) * unit);
            (high - low).div_ceil(grid)
        }
    };
    visit(0, first, end - first, false);
    (rounds, 2 * (unit - 1))
}

/// texel_place() and texel_behind(): `visit` gets the places of so many texels from an element on, in rows of so many.
pub fn texel_places(width: u32, first: u64, texels: u64, mut visit: impl FnMut(u32, u32)) {
    let (mut x, mut y) = ((first % u64::from(width)) as u32, (first / u64::from(width)) as u32);
    for _ in 0..texels {
        visit(x, y);
        (x, y) = if x + 1 == width { (0, y + 1) } else { (x + 1, y) };
    }
}

/// place_of_row() and place_in_row(), by lengths and strides in turn.
pub fn place(dims: &[u32], n: u32) -> u32 {
    let (mut place, mut rest) = (0u32, n);
    for (number, dim) in dims.chunks(2).enumerate().rev() {
        let index = if number == 0 { rest } else { rest % dim[0] };
        place = place.wrapping_add(index.wrapping_mul(dim[1]));
        rest /= dim[0].max(1);
    }
    place
}

/// main() of columns.wgsl for one answer, in units of `scale` elements: `visit` gets the split and each unit, lane by lane as they are combined. Returns the
/// elements of the busiest lane.
pub fn columns_row(v: &Variant, p: &Params, scale: u64, mut visit: impl FnMut(u64, u64, u64, bool)) -> u64 {
    let lanes = u64::from(p.stride);
    assert!(lanes.is_power_of_two() && lanes <= v.workgroup_size.into(), "{p:?}");
    let mut busiest = 0;
    for split in 0..u64::from(p.splits) {
        for lane in 0..lanes {
            let begin = word((split * lanes + lane) * u64::from(p.vectors));
            let end = match v.order {
                Order::Blocked => u64::from(p.count).min(begin + u64::from(p.vectors)),
                Order::Striped => p.count.into(),
            };
            let elements = (begin..end).step_by(p.grid_stride as usize);
            busiest = busiest.max(elements.clone().count() as u64);
            elements.for_each(|e| visit(split, word(e * scale), scale, false));
        }
    }
    busiest
}

/// main() of combine.wgsl for one row: the partials, in the order of its invocations.
pub fn combine_row(v: &Variant, p: &Params, first: u64) -> Vec<u64> {
    let (end, each) = (first + u64::from(p.count), u64::from(p.vectors));
    let low = |local: u64| word(first + local * each).min(end);
    (0..u64::from(v.workgroup_size)).flat_map(|local| low(local)..end.min(low(local) + each)).collect()
}

/// main() of bins/combine.wgsl for any row: every one of its partials is read once in each column.
pub fn combine_columns(v: &Variant, p: &Params, columns: u64) {
    let (lanes, count) = (u64::from(v.lanes_per_sum), u64::from(p.count));
    let mut seen = vec![0u8; (columns * count) as usize];
    for local in 0..u64::from(v.workgroup_size) {
        for j in (local / lanes..columns).step_by((u64::from(v.workgroup_size) / lanes) as usize) {
            loaded_at_once(local % lanes, lanes, count).for_each(|at| seen[(j * count + at) as usize] += 1);
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "a column of a partial is not read once: {p:?}");
}

/// main() of histogram/combine.wgsl for any row: the same.
pub fn combine_counts(v: &Variant, p: &Params, columns: u64) {
    let (lanes, here) = (u64::from(v.lanes_per_sum), u64::from(v.columns_here));
    let count = u64::from(p.count);
    assert!(lanes.is_power_of_two(), "the tree over {lanes} lanes leaves some out: {p:?}");
    let mut seen = vec![0u8; (columns * count) as usize];
    for column0 in (0..columns.div_ceil(here)).map(|group| group * here) {
        for local in (0..u64::from(v.workgroup_size)).filter(|local| local / here < lanes) {
            // What is read for a column to spare is not stored.
            let Some(j) = Some(column0 + local % here).filter(|&j| j < columns) else { continue };
            loaded_at_once(local / here, lanes, count).for_each(|at| seen[(j * count + at) as usize] += 1);
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "a column of a partial is not read once: {p:?}");
}

/// The partials of a row that a lane of a column loads, some at once; zeros stand for those past the end.
fn loaded_at_once(lane: u64, lanes: u64, count: u64) -> impl Iterator<Item = u64> {
    let rounds = (lane..count).step_by((u64::from(ROWS_AT_ONCE) * lanes) as usize);
    rounds.flat_map(move |at| (0..u64::from(ROWS_AT_ONCE)).map(move |k| at + k * lanes)).filter(move |&at| at < count)
}
