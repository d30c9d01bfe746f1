// Lanes of a group meet in workgroup memory, in their order. Invocations that are neighbours have neighbouring places there, which
// lie in different banks.
//
// Expects: Acc, combine (the operator).

var<workgroup> shared_acc: array<Acc, WORKGROUP_SIZE>;

fn group_of(id: Invocation, groups: u32, lanes: u32) -> u32 { return select(id.local % groups, id.local / lanes, ALONG); }
fn lane_of(id: Invocation, groups: u32, lanes: u32) -> u32 { return select(id.local / groups, id.local % lanes, ALONG); }

// Gives the first lane of a group what all of them hold, in their order.
fn combine_lanes(mine: Acc, id: Invocation, groups: u32, lane: u32) -> Acc {
    if params.stride == 1u { return mine; }
    let at = id.local;
    let next = select(groups, 1u, ALONG);  // from a lane's place to the next one's
    workgroupBarrier();
    shared_acc[at] = mine;
    for (var distance = 1u; distance < params.stride; distance *= 2u) {
        workgroupBarrier();
        if lane % (2u * distance) == 0u { shared_acc[at] = combine(shared_acc[at], shared_acc[at + distance * next]); }
    }
    return shared_acc[at];
}
