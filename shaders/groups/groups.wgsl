// Elements by the key of each, unsorted: every invocation holds an accumulator for each of OWN groups, and its workgroup then
// reduces what its invocations hold, group by group. A line that ends in `for K` is repeated for each K.
//
// Expects: an operator whose order is free: State, init_state, accumulate; element (load/*.wgsl); finish_workgroup (the plan);
// totals, params (groups/keys.wgsl); groups_at (groups/key.wgsl); rows/groups.wgsl.

var<workgroup> numbers: array<atomic<u32>, OWN>;

// The values that an invocation holds: of each group its state and the number of its elements.
struct Held {
    state_K: State,  // for K in 0..OWN
    count_K: u32,    // for K in 0..OWN
}

// Another element of the n-th group. Names rather than an array: drivers keep arrays that are indexed in memory.
fn taken(held: Held, n: u32, bits: Bits, e: u32) -> Held {
    var all = held;
    if n == K { all.state_K = accumulate(all.state_K, bits, e); all.count_K += 1u; }  // for K in 0..OWN
    return all;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    for (var j = id.local; j < OWN; j += WORKGROUP_SIZE) { atomicStore(&numbers[j], 0u); }
    var held: Held;
    held.state_K = init_state(id);  // for K in 0..OWN
    held.count_K = 0u;  // for K in 0..OWN
    let step = params.splits * WORKGROUP_SIZE;
    let last = params.first + max(params.count, 1u) - 1u;
    var e = params.first + id.workgroup.x * WORKGROUP_SIZE + id.local;
    for (var round = 0u; round < params.vectors; round++) {
        let key_K = groups_at(e + K * step - params.first);  // for K in 0..LOADS
        let bits_K = element(min(e + K * step, last));  // for K in 0..LOADS
        held = taken(held, key_K, bits_K, e + K * step);  // for K in 0..LOADS
        e += LOADS * step;
    }

    workgroupBarrier();
    if held.count_K > 0u { atomicAdd(&numbers[K], held.count_K); }  // for K in 0..OWN
    var states: array<State, OWN>;
    states[K] = held.state_K;  // for K in 0..OWN
    workgroupBarrier();
    for (var j = id.local; j < params.rows; j += WORKGROUP_SIZE) {
        let number = atomicLoad(&numbers[j]);
        if number > 0u { atomicAdd(&totals[params.output + j], number); }
    }
    for (var j = 0u; j < params.rows; j++) {
        group = j;
        workgroupBarrier();
        finish_workgroup(states[j], id, j);
    }
}
