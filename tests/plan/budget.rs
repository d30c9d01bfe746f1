//! Loop trips of one invocation, fragment by fragment, as shaders/ has them: upper bounds. Operators' own loops are as their
//! cost states them.

use treefold::internals::{Cost, GroupCost, Kernel, Load, Neighbours, ROWS_AT_ONCE, Variant};

fn turns(n: u64, size: u64) -> u64 {
    n.div_ceil(size)
}

/// Elements of a load.
pub fn unit(cost: &Cost, variant: &Variant) -> u64 {
    match variant.load {
        Load::One | Load::OneZipped(_) | Load::OneTexel(_) => 1,
        Load::Vector | Load::Zipped(_) | Load::Texels(_) => 16 / cost.element_bytes,
    }
}

/// reduce.wgsl: so many rounds, and so many elements of the head and the tail.
pub fn reads(cost: &Cost, variant: &Variant, rounds: u64, ends: u64) -> u64 {
    let vector = match variant.load {
        Load::One | Load::OneZipped(_) | Load::OneTexel(_) => cost.element_trips,
        Load::Vector | Load::Zipped(_) | Load::Texels(_) => {
            cost.vector_trips.unwrap_or(unit(cost, variant) * cost.element_trips)
        }
    };
    // No counter overflows.
    for group in &cost.groups {
        let GroupCost::Bins { replicas: replicas @ 1.., elements_max, .. } = *group else { continue };
        let lanes = u64::from(variant.workgroup_size.div_ceil(replicas));
        let elements = rounds * u64::from(variant.loads_in_flight) * unit(cost, variant) + ends;
        assert!(lanes * elements <= elements_max, "{elements} elements in each of {lanes} lanes of a counter");
    }
    rounds * (1 + u64::from(variant.loads_in_flight) * vector) + ends * (1 + cost.element_trips)
}

/// columns.wgsl: so many loads of a lane.
pub fn columns(cost: &Cost, variant: &Variant, lanes: u32, own: u64, elements: u64) -> u64 {
    let take = match variant.kernel {
        Kernel::Columns { neighbours: Neighbours::Vectors, .. } => {
            cost.vector_trips.unwrap_or(unit(cost, variant) * cost.element_trips)
        }
        _ => own * cost.element_trips,
    };
    let (steps, loads) = (u64::from(lanes.ilog2()), u64::from(variant.loads_in_flight));
    let combine = 1 + cost.combine_trips + if variant.lanes_min.is_some() { cost.shuffle_trips } else { 0 };
    (elements / loads) * (1 + loads * take)
        + (elements % loads) * (1 + take)
        + own * (steps * combine + cost.once_trips)
}

/// workgroup/tree.wgsl or workgroup/subgroup.wgsl.
pub fn workgroup(cost: &Cost, variant: &Variant) -> u64 {
    let size = u64::from(variant.workgroup_size);
    let combine = 1 + cost.combine_trips;
    match variant.lanes_min {
        // One step for each doubling of the distance.
        None => u64::from(variant.workgroup_size.ilog2()) * combine,
        // Two butterflies, of long accumulators in loops; between them the values of all subgroups.
        Some(lanes) => {
            let subgroups = turns(size, lanes.into());
            2 * u64::from(variant.butterfly) * (combine + cost.shuffle_trips) + turns(subgroups, lanes.into()) * combine
        }
    }
}

/// `finish_sums` of bins/replicas_*.wgsl: a tree over the lanes of each sum, or nothing.
fn finish_sums(sums: u64, variant: &Variant) -> u64 {
    let size = u64::from(variant.workgroup_size);
    let halves = std::iter::successors(Some(u64::from(variant.lanes_per_sum) / 2), |half| Some(half / 2));
    match variant.lanes_min {
        Some(_) => 0,
        None => halves.take_while(|&half| half > 0).map(|half| 1 + turns(sums * half, size)).sum(),
    }
}

/// bins/memory.wgsl, bins/sliced.wgsl, or bins/counters.wgsl, bins/fold.wgsl, and bins/flush.wgsl or a settle_bins.wgsl.
pub fn bins(cost: &Cost, variant: &Variant) -> u64 {
    let (size, lanes) = (u64::from(variant.workgroup_size), u64::from(variant.lanes_per_sum));
    let each = |group: &GroupCost| match *group {
        GroupCost::Values { .. } => 0,
        // bins/memory.wgsl clears columns.
        GroupCost::Bins { columns, replicas: 0, .. } => turns(4 * columns, size),
        // bins/sliced.wgsl clears its counters, and leaves its columns as they are.
        GroupCost::Bins { counters, slices: 1.., .. } => turns(counters, size) + turns(counters / 4, size),
        GroupCost::Bins { columns, counters, sums, replicas, carries, settle_trips: (settle, column), .. } => {
            let clear = turns(counters * u64::from(replicas), size);
            let fold = turns(sums, size / lanes) * (1 + turns(replicas.into(), lanes));
            // histogram/settle_bins.wgsl goes bin by bin, four in a column; the others go column by column.
            let leave = if carries { turns(columns, size) * (1 + column) + settle } else { turns(4 * columns, size) };
            clear + fold + finish_sums(sums, variant) + leave
        }
    };
    cost.groups.iter().map(each).sum()
}

/// combine.wgsl: so many partials of an invocation.
pub fn combine(cost: &Cost, variant: &Variant, partials: u64) -> u64 {
    partials * (1 + cost.combine_trips) + workgroup(cost, variant) + cost.once_trips
}

/// bins/combine.wgsl, or histogram/combine.wgsl, over so many partials of a row.
pub fn combine_bins(cost: &Cost, group: &GroupCost, variant: &Variant, partials: u64) -> u64 {
    let GroupCost::Bins { columns, carries, settle_trips: (settle, _), .. } = *group else { panic!("{group:?}") };
    let (size, lanes) = (u64::from(variant.workgroup_size), u64::from(variant.lanes_per_sum));
    let rounds = turns(partials, u64::from(ROWS_AT_ONCE) * lanes);
    if !carries {
        let halves = std::iter::successors(Some(lanes / 2), |half| Some(half / 2)).take_while(|&half| half > 0);
        return rounds + halves.count() as u64 + turns(4 * u64::from(variant.columns_here), size) + cost.once_trips;
    }
    let settle = turns(columns, size) + settle;
    turns(columns, size / lanes) * (1 + rounds) + finish_sums(2 * columns, variant) + settle + cost.once_trips
}
