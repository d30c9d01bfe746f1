// Where an invocation's quads lie, for CPUs and strict orders: each invocation reads a block of its own, from front to back.

const STEP = 1u;  // from one load of a round to the next

fn first_quad(who: Invocation, low: u32) -> u32 {
    return low + (who.workgroup.x * WORKGROUP_SIZE + who.local) * params.run;
}

fn next_quad(q: u32) -> u32 { return q + LOADS; }

fn quads_of(who: Invocation, low: u32, high: u32) -> u32 {
    let first = first_quad(who, low);
    return select(0u, min(params.run, high - first), first < high);
}
