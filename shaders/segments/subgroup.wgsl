// Segments by subgroups: each subgroup walks a share of elements and ends, a vector a lane, so that neighbouring lanes have
// neighbours. A chunk, one vector of each lane, without an end is only accumulated; in one with ends, lanes fold up to their ends,
// and what crosses lanes meets in a segmented scan by butterflies. A line that ends in `for K` is repeated for each K.
//
// Expects: State, init_state, accumulate, accumulate_vector, acc_of, combine, shuffle (the operator), whose order is free; load,
// element (load/*.wgsl); accumulate_one (columns/*.wgsl); segments/share.wgsl. Full subgroups of LANES_MIN lanes at least.

@group(0) @binding(2) var<uniform> params: Params;

const ROUND = WORKGROUP_SIZE * LOADS * PER_VECTOR;  // elements of a workgroup in a round
const TEAMS_MAX = SUBGROUPS_MAX;

// Of the element that is the last of its segment, the segment's number and 1; else 0. A subgroup has its own part.
var<workgroup> ends: array<u32, ROUND>;

// What a subgroup holds.
struct Held {
    run: State,   // of each lane, since the last chunk with an end
    ran: bool,    // whether there is such a thing
    open: Acc,    // of all lanes, before that, since the last end
}

// What is the same for all of a share. Elements are counted as the binding's.
struct Share {
    first: u32,
    last: u32,
    segment: u32,  // the first
    begun: bool,
    slot: u32,
}

// Of a block of lanes: what is open behind it, and, for each lane, before that lane; whether a segment ends there.
struct Scan {
    behind: Acc,
    ended: bool,
    before: Acc,
    before_ended: bool,
}

// The same of the block and its neighbour of as many lanes.
fn scanned(scan: Scan, lanes: u32, lane: u32) -> Scan {
    let other = shuffle(scan.behind, lanes);
    let other_ended = subgroupShuffleXor(select(0u, 1u, scan.ended), lanes) != 0u;
    var both = scan;
    both.ended = scan.ended | other_ended;
    if (lane & lanes) == 0u {
        if other_ended { both.behind = other; } else { both.behind = combine(scan.behind, other); }
    } else {
        if !scan.ended { both.behind = combine(other, scan.behind); }
        if !scan.before_ended { both.before = combine(other, scan.before); }
        both.before_ended = scan.before_ended | other_ended;
    }
    return both;
}

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    if ((1u << K) < LANES_MIN) | ((1u << K) < lanes) { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}

// The answer of a segment, or what this share has of one that it found begun.
fn emit(acc: Acc, number: u32, share: Share) {
    if share.begun & (number == share.segment) { carries[share.slot].head = acc; } else { store(acc, number); }
}

// One vector of each lane: its first element e, and where its ends are marked, if any are.
fn take(held: Held, vector: vec4<u32>, e: u32, marked: u32, some: bool, share: Share, id: Invocation) -> Held {
    var all = held;
    var any_end = 0u;
    if some {
        for (var k = 0u; k < PER_VECTOR; k++) { any_end |= ends[marked + k]; }
    }
    let chunk = e - id.lane * PER_VECTOR;
    let whole = (chunk >= share.first) & (chunk + id.lanes * PER_VECTOR <= share.last);
    if whole & !subgroupAny(any_end != 0u) {
        all.run = accumulate_vector(held.run, vector, e);
        all.ran = true;
        return all;
    }
    if held.ran { all.open = combine(held.open, butterfly(raw_of(held.run, id), id.lanes)); }

    // Within the lane: up to its first end, whole segments, behind its last end.
    var state = init_state(id);
    var head = identity();
    var head_segment = NONE;
    for (var k = 0u; k < PER_VECTOR; k++) {
        if (e + k >= share.first) & (e + k < share.last) {
            // A vector that the window does not fill is not there.
            if e + PER_VECTOR <= params.first + params.count {
                state = accumulate_one(state, vector, k, e + k);
            } else {
                state = accumulate(state, element(e + k), e + k);
            }
        }
        var mark = 0u;
        if any_end != 0u { mark = ends[marked + k]; }
        if mark != 0u {
            let acc = raw_of(state, id);
            if head_segment == NONE {
                head = acc;
                head_segment = mark - 1u;
            } else {
                emit(placed(acc, mark - 1u), mark - 1u, share);
            }
            state = init_state(id);
        }
    }

    // Across lanes.
    var scan = Scan(raw_of(state, id), head_segment != NONE, identity(), false);
    if ((1u << K) < LANES_MIN) | ((1u << K) < id.lanes) { scan = scanned(scan, 1u << K, id.lane); }  // for K in 0..BUTTERFLY
    if head_segment != NONE {
        if !scan.before_ended { scan.before = combine(all.open, scan.before); }
        emit(placed(combine(scan.before, head), head_segment), head_segment, share);
    }
    if !scan.ended { scan.behind = combine(all.open, scan.behind); }
    return Held(init_state(id), false, scan.behind);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * id.subgroups;
    let number = id.workgroup.x * id.subgroups + id.subgroup;
    let start = share_of(span, number, shares);
    let stop = share_of(span, number + 1u, shares);
    let slot = params.partial + id.workgroup.x * TEAMS_MAX + id.subgroup;
    let first = start.position - params.base.x;
    let last = max(first, stop.position - params.base.x);
    let share = Share(first, last, start.segment, is_begun(start), slot);

    let chunk = id.lanes * PER_VECTOR;
    let round = chunk * LOADS;
    let part = id.subgroup * round;
    let mine = id.lane * PER_VECTOR;
    var e = first / PER_VECTOR * PER_VECTOR;  // the first element of the round
    var s = start.segment;                     // the first segment whose end is not marked
    var held = Held(init_state(id), false, identity());
    var vector_K = load(e / PER_VECTOR + K * id.lanes + id.lane);  // for K in 0..LOADS
    // Every subgroup of a workgroup has as many rounds as the longest share may have.
    let rounds = ((span.elements + span.ends + shares - 1u) / shares + PER_VECTOR) / round + 1u;
    for (var r = 0u; r < rounds; r++) {
        let here = (r == 0u) | (e < last);
        let next = e + round;
        var coming_K = vector_K;  // for K in 0..LOADS
        if next < last {
            coming_K = load(next / PER_VECTOR + K * id.lanes + id.lane);  // for K in 0..LOADS
        }
        let some = here & (s < stop.segment) & (end_of(min(s, params.rows - 1u)) - params.base.x <= next);
        workgroupBarrier();
        if some {
            for (var k = id.lane; k < round; k += id.lanes) { ends[part + k] = 0u; }
        }
        workgroupBarrier();
        if some {
            var found = 0u;
            for (var t = s + id.lane; t < stop.segment; t += id.lanes) {
                let end = end_of(t) - params.base.x;
                if end > next { break; }
                found++;
                if begin_of(t) >= end_of(t) {
                    store(placed(identity(), t), t);
                } else if end <= first {
                    emit(placed(identity(), t), t, share);
                } else {
                    ends[part + end - 1u - e] = t + 1u;
                }
            }
            s += subgroupAdd(found);
        }
        workgroupBarrier();
        if here {
            held = take(held, vector_K, e + K * chunk + mine, part + K * chunk + mine, some, share, id);  // for K in 0..LOADS
        }
        vector_K = coming_K;  // for K in 0..LOADS
        e = next;
    }

    var tail = held.open;
    if held.ran { tail = combine(tail, butterfly(raw_of(held.run, id), id.lanes)); }
    if id.lane == 0u {
        let ended = stop.segment > start.segment;
        carries[slot].tail = placed(tail, stop.segment);
        carries[slot].segment = select(NONE, start.segment, share.begun & ended);
        carries[slot].ended = select(0u, 1u, ended);
    }
    // Subgroups that this device does not have.
    for (var t = id.subgroups + id.local; t < TEAMS_MAX; t += WORKGROUP_SIZE) {
        let empty = params.partial + id.workgroup.x * TEAMS_MAX + t;
        carries[empty].tail = identity();
        carries[empty].segment = NONE;
        carries[empty].ended = 0u;
    }
}
