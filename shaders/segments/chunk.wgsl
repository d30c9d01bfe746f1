// A chunk, some vectors of each lane, in which segments end: what crosses lanes meets in a segmented scan; and what a share leaves
// at its end. A line that ends in `for K` is repeated for each K.
//
// Expects: segments/within.wgsl, lanes.wgsl; combine, shuffle_up, shuffle_from (the operator).

// The state of a subgroup.
struct Held {
    run: State,  // of each lane, since the last chunk with an end
    ran: bool,   // whether there is such a thing
    open: Acc,   // of all lanes, before that, since the last end
    rank: u32,   // ends of this round that are done
}

// A chunk in which segments end, or which the share does not fill: vectors of each lane, whose first element is e.
fn take(held: Held, vectors: Vectors, e: u32, bits: u32, marks: Marks, share: Share, id: Invocation) -> Held {
    var open = held.open;
    if held.ran { open = combine(open, butterfly(raw_of(held.run, id), id.lanes)); }
    let chunk = e - id.lane * PER_LANE;
    let whole = (chunk >= share.first) & (chunk + id.lanes * PER_LANE <= share.last);
    let heads = subgroupBallot(bits != 0u);
    let count = countOneBits(bits);
    // Ends of the lanes before this one, and of all.
    var ends_of = lanes_below(heads, id.lane, id.lanes);
    if subgroupAny(count > 1u) { ends_of = vec2<u32>(subgroupExclusiveAdd(count), subgroupAdd(count)); }
    let before = ends_of.x;
    let rank = held.rank + before;
    var parts = Parts(init_state(id), identity());
    parts = parted_vector(parts, vectors.vector_K, K * PER_VECTOR, e, bits, whole, share, id);  // for K in 0..LOADS

    let back = lanes_back(heads, id.lane, id.lanes);
    var behind = raw_of(parts.state, id);
    if ((1u << K) < LANES_MIN) | ((1u << K) < id.lanes) { behind = scanned(behind, 1u << K, back); }  // for K in 0..BUTTERFLY
    let last = shuffle_from(behind, id.lanes - 1u);
    let left = shuffle_up(behind, 1u);
    if count > 0u {
        var into = identity();
        if id.lane > 0u { into = left; }
        if before == 0u { into = combine(open, into); }
        emit(combine(into, parts.head), named(marks, rank, e + firstTrailingBit(bits)), share);
        if count > 1u { emit_within(e, bits, rank, marks, share, id); }
    }
    if ends_of.y > 0u { open = last; } else { open = combine(open, last); }
    return Held(init_state(id), false, open, held.rank + ends_of.y);
}

// The accumulator that is open at the end of a share, in which segments before `behind` have ended.
fn leave_open(held: Held, behind: u32, share: Share, id: Invocation) {
    var tail = held.open;
    if held.ran { tail = combine(tail, butterfly(raw_of(held.run, id), id.lanes)); }
    if id.lane == 0u {
        let ended = behind > share.segment;
        carries[share.slot].tail = placed(tail, behind);
        carries[share.slot].segment = select(NONE, share.segment, share.begun & ended);
        carries[share.slot].ended = select(0u, 1u, ended);
    }
}

// Nothing, for subgroups that this device does not have.
fn leave_absent(id: Invocation) {
    for (var t = id.subgroups + id.local; t < SUBGROUPS_MAX; t += WORKGROUP_SIZE) {
        let slot = params.partial + id.workgroup.x * SUBGROUPS_MAX + t;
        carries[slot].tail = identity();
        carries[slot].segment = NONE;
        carries[slot].ended = 0u;
    }
}
