// Segments by subgroups: each subgroup walks a share of elements and ends in chunks, a vector a lane, so that neighbouring lanes
// have neighbours. A chunk without an end is only accumulated. In one with ends, each lane folds its vector up to the ends in it, and
// what crosses lanes meets in a segmented scan. A line that ends in `for K` is repeated for each K.
//
// Expects: State, init_state, accumulate, accumulate_vector, raw_of, placed, combine, shuffle, shuffle_up, shuffle_from (the operator),
// whose order is free; load, element (load/*.wgsl); accumulate_one (columns/*.wgsl); segments/share.wgsl and search_lanes.wgsl. Full
// subgroups of LANES_MIN lanes at least.

@group(0) @binding(2) var<uniform> params: Params;

const CHUNKS = 32u;              // of a round
const SUBGROUP_SLOTS = SUBGROUPS_MAX;
const VECTOR_BITS = (1u << PER_VECTOR) - 1u;

// A bit for each element of a round: whether a segment ends behind it. Each subgroup has its own part.
var<workgroup> ends: array<atomic<u32>, WORKGROUP_SIZE * PER_VECTOR>;

// What a subgroup holds.
struct Held {
    run: State,  // of each lane, since the last chunk with an end
    ran: bool,   // whether there is such a thing
    open: Acc,   // of all lanes, before that, since the last end
    rank: u32,   // ends of this round that are done
}

// What is the same for all of a share. Elements are counted as the binding's.
struct Share {
    first: u32,
    last: u32,
    segment: u32,  // the first
    begun: bool,
    slot: u32,
}

// The ends of a round: segments that are not empty end at its bits, in their order.
struct Marks {
    some: bool,
    first: u32,   // the segment of the first bit
    sparse: bool, // whether there are empty segments between them, or before
    until: u32,   // the segment behind the last
}

fn butterfly(mine: Acc, lanes: u32) -> Acc {
    var acc = mine;
    if ((1u << K) < LANES_MIN) | ((1u << K) < lanes) { acc = combine(acc, shuffle(acc, 1u << K)); }  // for K in 0..BUTTERFLY
    return acc;
}

// Lanes of a ballot below one of them, and in all.
fn lanes_below(ballot: vec4<u32>, lane: u32, lanes: u32) -> vec2<u32> {
    if lanes <= 32u { return vec2<u32>(countOneBits(ballot.x & ((1u << lane) - 1u)), countOneBits(ballot.x)); }
    let counts = countOneBits(ballot);
    let word = lane / 32u;
    var below = countOneBits(ballot[word] & ((1u << (lane % 32u)) - 1u));
    if word > 0u { below += counts.x; }
    if word > 1u { below += counts.y; }
    if word > 2u { below += counts.z; }
    return vec2<u32>(below, counts.x + counts.y + counts.z + counts.w);
}

// Lanes back to the nearest one that has an end, this lane included; all of them, where none has.
fn lanes_back(heads: vec4<u32>, lane: u32, lanes: u32) -> u32 {
    if lanes <= 32u {
        let behind = heads.x & (0xffffffffu >> (31u - lane));
        return lane - select(0u, firstLeadingBit(behind), behind != 0u);
    }
    var word = lane / 32u;
    var behind = heads[word] & (0xffffffffu >> (31u - lane % 32u));
    for (; (behind == 0u) & (word > 0u); ) {
        word--;
        behind = heads[word];
    }
    return lane - select(0u, 32u * word + firstLeadingBit(behind), behind != 0u);
}

// One step of the scan: a lane takes what lies so many lanes back, where no end lies between.
fn scanned(acc: Acc, distance: u32, back: u32) -> Acc {
    let other = shuffle_up(acc, distance);
    if back >= distance { return combine(other, acc); }
    return acc;
}

// The segment of the n-th bit of a round, whose end lies behind an element.
fn named(marks: Marks, rank: u32, e: u32) -> u32 {
    if !marks.sparse { return marks.first + rank; }
    // The first one that ends there: those that are empty follow it.
    let end = e + 1u + params.base.x;
    var low = marks.first;
    var high = marks.until;
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let middle = low + (high - low) / 2u;
        if end_of(middle) < end { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The answer of a segment, or what this share has of one that it found begun.
fn emit(acc: Acc, number: u32, share: Share) {
    let whole = placed(acc, number);
    if share.begun & (number == share.segment) { carries[share.slot].head = whole; } else { store(whole, number); }
}

// Segments that lie within a lane's vector: from its first end to its last.
fn emit_within(e: u32, bits: u32, rank: u32, marks: Marks, share: Share, id: Invocation) {
    var left = bits & (bits - 1u);
    var n = rank + 1u;
    var state = init_state(id);
    for (var k = firstTrailingBit(bits) + 1u; left != 0u; k++) {
        state = accumulate(state, element(e + k), e + k);
        if (left & (1u << k)) != 0u {
            emit(raw_of(state, id), named(marks, n, e + k), share);
            state = init_state(id);
            left &= left - 1u;
            n++;
        }
    }
}

// A lane's vector: what lies up to its first end, and behind its last.
struct Parts {
    state: State,
    head: Acc,
}

fn parted(parts: Parts, vector: vec4<u32>, k: u32, e: u32, bits: u32, whole: bool, share: Share, id: Invocation) -> Parts {
    var all = parts;
    if whole {
        all.state = accumulate_one(parts.state, vector, k, e);
    } else if (e >= share.first) & (e < share.last) {
        // A vector that the window does not fill is not there.
        all.state = accumulate(parts.state, element(e), e);
    }
    if (bits & (1u << k)) != 0u {
        if (bits & ((1u << k) - 1u)) == 0u { all.head = raw_of(all.state, id); }
        all.state = init_state(id);
    }
    return all;
}

// A chunk in which segments end, or which the share does not fill: a vector of each lane, whose first element is e.
fn take(held: Held, vector: vec4<u32>, e: u32, bits: u32, marks: Marks, share: Share, id: Invocation) -> Held {
    var open = held.open;
    if held.ran { open = combine(open, butterfly(raw_of(held.run, id), id.lanes)); }
    let chunk = e - id.lane * PER_VECTOR;
    let whole = (chunk >= share.first) & (chunk + id.lanes * PER_VECTOR <= share.last);
    let heads = subgroupBallot(bits != 0u);
    let count = countOneBits(bits);
    var ends_of = vec2<u32>();  // of the lanes before this one, and of all
    ends_of += lanes_below(subgroupBallot((bits & (1u << K)) != 0u), id.lane, id.lanes);  // for K in 0..PER_VECTOR
    let before = ends_of.x;
    let rank = held.rank + before;
    var parts = Parts(init_state(id), identity());
    parts = parted(parts, vector, K, e + K, bits, whole, share, id);  // for K in 0..PER_VECTOR

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

// The bits of a vector.
fn bits_at(place: u32) -> u32 { return (atomicLoad(&ends[place / 32u]) >> (place % 32u)) & VECTOR_BITS; }

// The end of a segment as the binding's, where the share has it; else one behind all.
fn end_in(t: u32, until: u32) -> u32 {
    if t >= until { return NONE; }
    return end_of(t) - params.base.x;
}

fn mark(part: u32, bit: u32) { atomicOr(&ends[part + bit / 32u], 1u << (bit % 32u)); }

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * id.subgroups;
    let number = id.workgroup.x * id.subgroups + id.subgroup;
    let start = share_of(span, number, shares, id);
    let stop = share_of(span, number + 1u, shares, id);
    let slot = params.partial + id.workgroup.x * SUBGROUP_SLOTS + id.subgroup;
    let first = start.position - params.base.x;
    let last = max(first, stop.position - params.base.x);
    let share = Share(first, last, start.segment, is_begun(start), slot);

    let chunk = id.lanes * PER_VECTOR;
    let round = chunk * CHUNKS;
    let part = id.subgroup * chunk;           // words of bits: a round has as many as a chunk has elements
    var e = first / PER_VECTOR * PER_VECTOR;  // the first element of the round
    var s = start.segment;                    // the first segment that has not ended
    var upcoming = end_in(s, stop.segment);
    var held = Held(init_state(id), false, identity(), 0u);
    var vector_K = load(e / PER_VECTOR + K * id.lanes + id.lane);  // for K in 0..LOADS
    // Every subgroup of a workgroup has as many rounds as the longest share may have.
    let rounds = (items_of(span, shares) + PER_VECTOR) / round + 1u;
    for (var r = 0u; r < rounds; r++) {
        let next = e + round;
        workgroupBarrier();
        atomicStore(&ends[part + K * id.lanes + id.lane], 0u);  // for K in 0..PER_VECTOR
        workgroupBarrier();
        var marks = Marks(upcoming <= next, s, false, s);
        if marks.some {
            var found = 0u;
            var before = 0u;
            var empty = false;
            var more = true;
            for (var t = s + id.lane; more; t += id.lanes * LOADS) {
                let end_K = end_in(t + K * id.lanes, stop.segment);  // for K in 0..LOADS
                let begin_K = begin_of(min(t + K * id.lanes, stop.segment)) - params.base.x;  // for K in 0..LOADS
                found += select(0u, 1u, end_K <= next);  // for K in 0..LOADS
                empty |= (end_K <= next) & (end_K == begin_K);  // for K in 0..LOADS
                before += select(0u, 1u, end_K <= first);  // for K in 0..LOADS
                if (end_K <= next) & (end_K != begin_K) & (end_K > first) { mark(part, end_K - 1u - e); }  // for K in 0..LOADS
                more = end_K <= next;  // for K in 0..LOADS
                more = subgroupAll(more);
            }
            marks.until = s + subgroupAdd(found);
            marks.sparse = subgroupAny(empty);
            let before_all = subgroupAdd(before);
            if marks.sparse | (before_all > 0u) {
                // Segments without an element here, and one that ends where the share begins.
                for (var t = s + id.lane; t < marks.until; t += id.lanes) {
                    let end = end_of(t) - params.base.x;
                    if end == begin_of(t) - params.base.x {
                        store(placed(identity(), t), t);
                    } else if end <= first {
                        emit(identity(), t, share);
                    }
                }
                if !marks.sparse { marks.first = s + before_all; }
            }
            s = marks.until;
            upcoming = end_in(s, stop.segment);
        }
        held.rank = 0u;
        workgroupBarrier();
        for (var c = 0u; (c < CHUNKS) & (e < last); c += LOADS) {
            let coming = e + LOADS * chunk;
            var coming_K = vector_K;  // for K in 0..LOADS
            if coming < last {
                coming_K = load(coming / PER_VECTOR + K * id.lanes + id.lane);  // for K in 0..LOADS
            }
            var bits_K = 0u;  // for K in 0..LOADS
            if marks.some {
                bits_K = bits_at(32u * part + ((c + K) * id.lanes + id.lane) * PER_VECTOR);  // for K in 0..LOADS
            }
            var any_bits = 0u;
            any_bits |= bits_K;  // for K in 0..LOADS
            if (e >= first) & (coming <= last) & !subgroupAny(any_bits != 0u) {
                held.run = accumulate_vector(held.run, vector_K, e + (K * id.lanes + id.lane) * PER_VECTOR);  // for K in 0..LOADS
                held.ran = true;
            } else {
                // One text for all chunks: it is long.
                for (var k = 0u; k < LOADS; k++) {
                    var vector = vector_0;
                    var bits = bits_0;
                    if k == K { vector = vector_K; bits = bits_K; }  // for K in 0..LOADS
                    held = take(held, vector, e + (k * id.lanes + id.lane) * PER_VECTOR, bits, marks, share, id);
                }
            }
            vector_K = coming_K;  // for K in 0..LOADS
            e = coming;
        }
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
    for (var t = id.subgroups + id.local; t < SUBGROUP_SLOTS; t += WORKGROUP_SIZE) {
        let empty = params.partial + id.workgroup.x * SUBGROUP_SLOTS + t;
        carries[empty].tail = identity();
        carries[empty].segment = NONE;
        carries[empty].ended = 0u;
    }
}
