// A workgroup finds the best elements of answers, as many at a time as it has teams, and leaves them in their order.
//
// Expects: all of top/each.wgsl; FIRST, elements of the first stretch; MORE, eighths of what has been read that are read within one
// bound, 0: all that is left, for a list that has hardly more room than is wanted; look, find_bound (top/bests.wgsl or
// top/boundless.wgsl); cut, finish (top/pairs.wgsl or top/digits.wgsl); note, noted (top/spills.wgsl); ADJACENT, longest_of
// (top/strides.wgsl or top/offsets.wgsl); leave, tell (top/leave.wgsl).

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    // Where neighbours in the buffer are of several answers, neighbouring invocations are.
    team = select(local % TEAMS, local / TEAM, ADJACENT);
    lane = select(local / TEAMS, local % TEAM, ADJACENT);
    for (var some = workgroup.x * TEAMS; some < params.answers; some += workgroups.x * TEAMS) {
        let answer = some + team;
        let here = min(answer, params.answers - 1u);
        begin = begin_of(here);
        let count = select(0u, length_of(here), answer < params.answers);
        // Of an answer that is too long nothing is told.
        let length = select(count, 0u, count > params.most);
        let wanted = min(params.wanted, length);
        if local == 0u { atomicStore(&spills, 0u); }
        let longest = longest_of(length, lane, local);
        look(length);
        // Where a list had no room, all that is within the bound that was found so far. Where that has none either, ones are left,
        // and top/by_digits.wgsl finds it.
        var teams = 0u;
        for (var again = false; ; again = true) {
            let end = select(length, 0u, again & (((teams >> team) & 1u) == 0u));
            find_bound(wanted);
            if (lane == 0u) & (end == length) { atomicStore(&within[team], 0u); }
            workgroupBarrier();
            for (var seen = 0u; seen < longest; ) {
                var next = select(FIRST, longest, again);
                if seen > 0u {
                    workgroupBarrier();
                    note();
                    cut(wanted, local);
                    next = select(seen + seen / 8u * MORE, longest, MORE == 0u);
                }
                find(seen, min(next, end));
                seen = next;
            }
            teams = noted(local);
            if again | (teams == 0u) | (MORE == 0u) { break; }
        }
        finish(wanted, local);
        let is_spilled = ((teams >> team) & 1u) == 1u;
        if answer < params.answers {
            leave(answer, select(wanted, 0u, is_spilled));
            if !is_spilled { tell(answer, select(wanted, 0xffffffffu, count > params.most)); }
        }
    }
}
