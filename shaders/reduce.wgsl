// Every invocation accumulates its vectors, LOADS of them in a round; its workgroup then reduces what its invocations hold.
// A vector is one load, 16 bytes of neighbours. A line that ends in `for K` is repeated for each K. Where rounds are WHOLE, the
// last one stands behind the loop; elsewhere it may be PART of one within it, which halves the copies of the operator: compilers
// take long over each. Vectors are accumulated SINGLY or in PAIRS. What is before them comes first where it is APART, as where
// order counts.
//
// Expects: State, init_workgroup, init_state, accumulate, accumulate_vector or accumulate_pair, finish_workgroup (the operator);
// load, element (load/*.wgsl); first_vector, next_vector, vectors_of, STEP (order/*.wgsl); split_of, row_of (rows/*.wgsl).

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let row = row_of(id.workgroup.x);
    let split = split_of(id.workgroup.x);
    let first = first_of(row);
    let end = first + params.count;
    let low = min((first + PER_VECTOR - 1u) / PER_VECTOR, end / PER_VECTOR);  // vectors low..high lie wholly inside
    let high = end / PER_VECTOR;
    var v = first_vector(split, id.local, low);
    var left = vectors_of(split, id.local, low, high);
    // Loads past the last vector of this invocation read a neighbour's or nothing, and are not accumulated.
    var vector_K = load(v + K * STEP);  // for K in 0..LOADS
    init_workgroup(id);
    var state = init_state(id);

    // Elements before the vectors are the first invocation's, those behind them the last one's.
    let invocation = split * WORKGROUP_SIZE + id.local;
    let heads = select(0u, max(min(low * PER_VECTOR, end), first) - first, invocation == 0u);
    let behind = max(high * PER_VECTOR, first);
    let tails = select(0u, end - behind, (invocation + 1u) * LOADS == params.grid_stride);
    var i = 0u;
    for (; i < heads; i++) { state = accumulate(state, element(first + i), first + i); }  // for K in 0..APART

    // The next round's loads are under way while this round's vectors are accumulated.
    for (; left > REST; left -= min(left, LOADS)) {
        let next = next_vector(v);
        let coming_K = load(next + K * STEP);  // for K in 0..WHOLE
        var coming_K = vector_K;  // for K in 0..PART
        if left > LOADS { coming_K = load(next + K * STEP); }  // for K in 0..PART
        state = accumulate_vector(state, vector_K, (v + K * STEP) * PER_VECTOR);  // for K in 0..WHOLE
        if K < left { state = accumulate_vector(state, vector_K, (v + K * STEP) * PER_VECTOR); }  // for K in 0..SINGLY
        var loads: array<vec4<u32>, LOADS>;  // for K in 0..PAIRED
        loads[K] = vector_K;  // for K in 0..OF_PAIRS
        let at_K = (v + 2u * K * STEP) * PER_VECTOR;  // for K in 0..PAIRS
        state = accumulate_pair(state, loads[2u * K], loads[2u * K + 1u], left - min(left, 2u * K), at_K);  // for K in 0..PAIRS
        vector_K = coming_K;  // for K in 0..LOADS
        v = next;
    }
    if K < left { state = accumulate_vector(state, vector_K, (v + K * STEP) * PER_VECTOR); }  // for K in 0..WHOLE

    for (; i < heads + tails; i++) {
        let e = select(behind + i - heads, first + i, i < heads);
        state = accumulate(state, element(e), e);
    }

    finish_workgroup(state, id, row);
}
