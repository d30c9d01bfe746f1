// Lists that had no room: which they are.
//
// Expects: ROOM; team, lane, within (top/each.wgsl).
var<workgroup> spills: atomic<u32>;  // a bit for each team whose list had no room
var<workgroup> spilled: u32;

// Tells of a list that had no room.
fn note() {
    if (lane == 0u) & (atomicLoad(&within[team]) > ROOM) { atomicOr(&spills, 1u << team); }
}

// A bit for each team of whose list that has been told, to all of a workgroup.
fn noted(local: u32) -> u32 {
    workgroupBarrier();
    note();
    workgroupBarrier();
    if local == 0u { spilled = atomicExchange(&spills, 0u); }
    return workgroupUniformLoad(&spilled);
}
