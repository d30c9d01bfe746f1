// Lists that had no room: which they are, and what is wanted of them digit by digit, reading all elements for each.
//
// Expects: all of top/each.wgsl; begin_of, length_of (top/strides.wgsl or top/offsets.wgsl); take_best (top/take.wgsl); params
// (top/answers.wgsl).
var<workgroup> spills: atomic<u32>;  // a bit for each team whose list had no room
var<workgroup> spilled: u32;

fn is_there(i: u32) -> bool { return true; }
fn take(i: u32, to: u32) { list(slot(to), entry(rank_of(i), i)); }

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

// The lists of these teams, the first of which has this answer.
fn find_by_digits(first: u32, teams: u32, local: u32) {
    let own = team;
    for (var t = 0u; t < TEAMS; t++) {
        if ((teams >> t) & 1u) == 0u { continue; }
        // All invocations find that of one team.
        team = t;
        begin = begin_of(first + t);
        let count = length_of(first + t);
        let some = min(params.wanted, count);
        take_best(count, some, local);
        if local == 0u { atomicStore(&within[t], some); }
    }
    team = own;
    begin = begin_of(min(first + own, params.answers - 1u));
}
