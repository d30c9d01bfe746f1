// Blocked order, for CPUs and for strict orders: each invocation reads a block of its own, from front to back.

const STEP = 1u;  // from one load of a round to the next

fn first_vector(split: u32, local: u32, low: u32) -> u32 {
    return low + (split * WORKGROUP_SIZE + local) * params.vectors;
}

fn next_vector(v: u32) -> u32 { return v + LOADS; }

fn vectors_of(split: u32, local: u32, low: u32, high: u32) -> u32 {
    let first = first_vector(split, local, low);
    return select(0u, min(params.vectors, high - first), first < high);
}
