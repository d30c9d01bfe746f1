// The elements of a segment by lanes, vectors where they can. A line that ends in `for K` is repeated for each K.
//
// Expects: State, Acc, init_state, accumulate, accumulate_vector, raw_of (the operator); load, element (load/*.wgsl); Part,
// clustered (segments/part.wgsl).

// So many elements, of which the n-th of `width` lanes takes every vector that is `width` behind its last, and of what lies around
// whole vectors likewise. The place of none may be anywhere. Compilers unroll loops that they can count, which takes registers:
// whether there is more stands in a variable.
fn taken(place: u32, count: u32, n: u32, width: u32, id: Invocation) -> State {
    var state = init_state(id);
    let first = select(0u, place, count > 0u);
    let begin = (first + PER_VECTOR - 1u) / PER_VECTOR;
    let end = max(begin, (first + count) / PER_VECTOR);
    var v = begin + n;
    for (var more = v < end; more; ) {
        let at_K = v + K * width;  // for K in 0..LOADS
        let vector_K = load(min(at_K, end - 1u));  // for K in 0..LOADS
        if at_K < end { state = accumulate_vector(state, vector_K, at_K * PER_VECTOR); }  // for K in 0..LOADS
        let next = v + LOADS * width;
        more = (next > v) & (next < end);
        v = next;
    }
    let before = min(begin * PER_VECTOR - first, count);
    let around = count - (end - begin) * PER_VECTOR;
    var k = n;
    for (var more = k < around; more; ) {
        let e = first + select(count - around, 0u, k < before) + k;
        state = accumulate(state, element(e), e);
        let next = k + width;
        more = (next > k) & (next < around);
        k = next;
    }
    return state;
}

// What a lane keeps of a round, and how many elements the share has left for segments that all lanes take: where offsets fall, it
// has fewer than these ask for.
struct Kept {
    acc: Acc,
    left: u32,
}

// The same, in the place of a segment that is longer than most what all lanes take of it.
fn with_longer(kept: Kept, part: Part, most: u32, id: Invocation) -> Kept {
    var all = kept;
    var longer = part.count > most;
    for (; subgroupAny(longer) & (all.left > 0u); ) {
        let lane = subgroupMin(select(id.lanes, id.lane, longer));
        let count = min(subgroupShuffle(part.count, lane), all.left);
        all.left -= count;
        let acc = clustered(raw_of(taken(subgroupShuffle(part.first, lane), count, id.lane, id.lanes, id), id), id.lanes);
        if lane == id.lane {
            all.acc = acc;
            longer = false;
        }
    }
    return all;
}
