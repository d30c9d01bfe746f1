// Elements by the key of each, unsorted: a workgroup has cells in its memory, REPLICAS for each of OWN groups, and its invocations
// add to them by atomics, neighbouring ones to different replicas. A line that ends in `for K` is repeated for each K.
//
// Expects: an operator whose accumulators can be shared: identity, combine, add_to_cell, carry_to_cell, cell_acc, put_acc, get_acc,
// CELL_WORDS; Items, items_at, groups_at, add_items, carry_items (groups/one.wgsl or groups/four.wgsl); store_partial; totals,
// params (groups/keys.wgsl); rows/groups.wgsl.
//
// Memory: 4 bytes a word of a cell, and 4 for the number of its elements.

const CELLS = OWN * REPLICAS;
const NUMBER = CELL_WORDS * CELLS;  // words before the numbers of elements

var<workgroup> cells: array<atomic<u32>, NUMBER + CELLS>;  // the first word of all cells, the second, …

// An element of the n-th group here, or of another. What is left to do is done later: nobody waits for an atomic then.
fn add_element(n: u32, replica: u32, bits: Bits) -> u32 {
    if n >= params.rows { return 0u; }
    let cell = n * REPLICAS + replica;
    atomicAdd(&cells[NUMBER + cell], 1u);
    return add_to_cell(cell, bits);
}

fn carry_element(n: u32, replica: u32, bits: Bits, left: u32) {
    if left != 0u { carry_to_cell(n * REPLICAS + replica, bits, left); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    for (var cell = id.local; cell < CELLS; cell += WORKGROUP_SIZE) {
        for (var w = 0u; w <= CELL_WORDS; w++) { atomicStore(&cells[w * CELLS + cell], 0u); }
        put_acc(identity(), cell);
    }
    workgroupBarrier();

    let replica = id.local % REPLICAS;
    let step = params.splits * WORKGROUP_SIZE;
    var i = id.workgroup.x * WORKGROUP_SIZE + id.local;
    for (var round = 0u; round < params.vectors; round++) {
        let groups_K = groups_at(i + K * step);  // for K in 0..LOADS
        let items_K = items_at(i + K * step);  // for K in 0..LOADS
        let left_K = add_items(groups_K, replica, items_K);  // for K in 0..LOADS
        carry_items(groups_K, replica, items_K, left_K);  // for K in 0..LOADS
        i += LOADS * step;
    }

    workgroupBarrier();
    for (var cell = id.local; cell < CELLS; cell += WORKGROUP_SIZE) {
        let acc = cell_acc(cell);
        put_acc(acc, cell);
    }
    workgroupBarrier();
    for (var n = id.local; n < params.rows; n += WORKGROUP_SIZE) {
        var acc = identity();
        var number = 0u;
        for (var cell = n * REPLICAS; cell < (n + 1u) * REPLICAS; cell++) {
            acc = combine(acc, get_acc(cell));
            number += atomicLoad(&cells[NUMBER + cell]);
        }
        group = n;
        store_partial(acc, partial_of(id.workgroup.x));
        if number > 0u { atomicAdd(&totals[params.output + n], number); }
    }
}
