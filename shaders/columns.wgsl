// Many answers a workgroup: groups of OWN neighbours, each read by some lanes, invocations that stride over its elements and then
// combine what they hold. For columns, neighbouring invocations have neighbouring groups; ALONG short rows, neighbouring
// elements of one. A line that ends in `for K` is repeated for each K.
//
// Expects: State, init_state, acc_of, leave (the operator); Loaded, load_own, accumulate_one (columns/one, vectors, …); group_of,
// lane_of, combine_lanes (columns/memory or subgroup); place_of_row, place_in_row (rows/strided.wgsl). In params, `stride` is the
// number of lanes of a group, `rows` that of groups.

@group(0) @binding(2) var<uniform> params: Params;

struct States {
    own_K: State,  // for K in 0..OWN
}

fn accumulate_own(states: States, loaded: Loaded, index: u32) -> States {
    var all = states;
    all.own_K = accumulate_one(all.own_K, loaded, K, index);  // for K in 0..OWN
    return all;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let lanes = params.stride;
    let groups = WORKGROUP_SIZE / lanes;
    let here = group_of(id, groups, lanes);
    let lane = lane_of(id, groups, lanes);
    let split = id.workgroup.x % params.splits;
    let group = (id.workgroup.x / params.splits) * groups + here;
    // Those behind the last group read it once more, and leave nothing.
    let first = params.first + place_of_row(min(group, params.rows - 1u));
    var e = (split * lanes + lane) * params.vectors;
    let step = params.grid_stride;
    let end = select(params.count, min(params.count, e + params.vectors), BLOCKED);
    var left = select(0u, (end - e + step - 1u) / step, e < end);
    var states: States;
    states.own_K = init_state(id);  // for K in 0..OWN

    for (; left >= LOADS; left -= LOADS) {
        let loaded_K = load_own(first + place_in_row(e + K * step));  // for K in 0..LOADS
        states = accumulate_own(states, loaded_K, e + K * step);  // for K in 0..LOADS
        e += LOADS * step;
    }
    for (; left > 0u; left--) {
        states = accumulate_own(states, load_own(first + place_in_row(e)), e);
        e += step;
    }

    let leaves = (lane == 0u) & (group < params.rows);
    let acc_K = combine_lanes(acc_of(states.own_K, id, group * OWN + K), id, groups, lane);  // for K in 0..OWN
    if leaves { leave(acc_K, group * OWN + K, split); }  // for K in 0..OWN
}
