// A workgroup finds the best elements of one answer after the other, and leaves each behind as many as are better.
//
// Expects: all of top/each.wgsl; results, write (top/write.wgsl).

// Leaves `some` candidates in their order, of which `wanted` are the best; all ones where there are no more.
fn leave(some: u32, wanted: u32, at: u32, local: u32) {
    for (var c = local; c < some; c += WORKGROUP_SIZE) {
        let own = ranks[c];
        var to = 0u;
        for (var j = 0u; j < some; j++) {
            to += select(0u, 1u, lower(ranks[j], own) | (same(ranks[j], own) & (places[j] < places[c])));
        }
        if to < wanted {
            let bits = unrank(rank(element(place(begin, places[c]))));
            write(to, at, params.wanted, words_of(bits), vec2<u32>(places[c], 0u));
        }
    }
    for (var c = wanted + local; c < params.wanted; c += WORKGROUP_SIZE) {
        let none = vec2<u32>(0xffffffffu, 0xffffffffu);
        write(c, at, params.wanted, none, none);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var answer = workgroup.x; answer < params.answers; answer += workgroups.x) {
        begin = begin_of(answer);
        let length = length_of(answer);
        // Of an answer that is too long nothing is told.
        let wanted = select(min(params.wanted, length), 0u, length > params.most);
        let bounded = (length > WORKGROUP_SIZE) & (wanted <= WORKGROUP_SIZE) & (wanted > 0u);
        workgroupBarrier();
        if local == 0u {
            atomicStore(&within, select(0u, ROOM + 1u, (length > ROOM) & !bounded));
            bound = WORST;
        }
        workgroupBarrier();
        if bounded { find_bound(length, wanted, local); }
        workgroupBarrier();
        if bounded | (length <= ROOM) { find_within(length, local); }
        workgroupBarrier();
        if local == 0u { candidates = atomicLoad(&within); }
        var some = workgroupUniformLoad(&candidates);
        if (some > ROOM) & (wanted > 0u) { take_best(length, wanted, local); }
        if some > ROOM { some = wanted; }
        workgroupBarrier();
        let at = params.at + answer * params.step;
        leave(some, wanted, at, local);
        if local == 0u {
            let end = at + params.wanted * (WORDS + 2u);
            if params.counted != 0u { results[end] = select(wanted, 0xffffffffu, length > params.most); }
            if params.seal != 0u { results[end + params.counted] = params.seal; }
        }
    }
}
