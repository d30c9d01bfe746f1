// A workgroup finds the best elements of answers, as many at a time as it has teams, and leaves them in their order.
//
// Expects: all of top/each.wgsl; FIRST, elements of the first stretch; MORE, eighths of what has been read that are read within one
// bound, 0: all that is left, for a list that has hardly more room than is wanted; look, find_bound (top/bests.wgsl or
// top/boundless.wgsl); cut, finish (top/pairs.wgsl or top/digits.wgsl); note, noted, find_by_digits (top/again.wgsl); ADJACENT,
// longest_of (top/strides.wgsl or top/offsets.wgsl); results, write (top/write.wgsl).

fn leave(wanted: u32, at: u32) {
    for (var c = lane; c < params.wanted; c += TEAM) {
        var value = vec2<u32>(0xffffffffu, 0xffffffffu);
        var index = value;
        if c < wanted {
            index = vec2<u32>(place_in(listed(slot(c))), 0u);
            value = words_of(unrank(rank(element(place(begin, index.x)))));
        }
        write(c, at, params.wanted, value, index);
    }
}

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
        // Where a list had no room, all that is within the bound that was found so far; where that has none, digit by digit.
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
        if teams != 0u { find_by_digits(some, teams, local); }
        finish(wanted, local);
        if answer < params.answers {
            let at = params.at + answer * params.step;
            leave(wanted, at);
            if lane == 0u {
                let end = at + params.wanted * (WORDS + 2u);
                if params.counted != 0u { results[end] = select(wanted, 0xffffffffu, count > params.most); }
                if params.seal != 0u { results[end + params.counted] = params.seal; }
            }
        }
    }
}
