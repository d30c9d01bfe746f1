// The ends of segments in a round of a subgroup: a bit for each element behind which one ends. A line that ends in `for K` is
// repeated for each K.
//
// Expects: Share, emit, end_in (segments/answer.wgsl); identity, placed, store (the operator); LOADS, PER_VECTOR.

const PER_LANE = PER_VECTOR * LOADS;  // elements of a lane in a chunk, neighbours: 1 to 32
const LANE_BITS = 0xffffffffu >> (32u - PER_LANE);

// Vectors of a lane, one behind another.
struct Vectors {
    vector_K: vec4<u32>,  // for K in 0..LOADS
}

// Each subgroup has its own part.
var<workgroup> ends: array<atomic<u32>, WORKGROUP_SIZE * PER_VECTOR>;

// The ends of a round: segments that are not empty end at its bits, in their order.
struct Marks {
    some: bool,
    first: u32,   // the segment of the first bit
    sparse: bool, // whether there are empty segments between them, or before
    until: u32,   // the segment behind the last
}

fn mark(part: u32, bit: u32) { atomicOr(&ends[part + bit / 32u], 1u << (bit % 32u)); }

// The bits of a lane.
fn bits_at(place: u32) -> u32 { return (atomicLoad(&ends[place / 32u]) >> (place % 32u)) & LANE_BITS; }

// Those of a lane in a chunk; none behind the round.
fn bits_in(marks: Marks, part: u32, c: u32, id: Invocation) -> u32 {
    if !marks.some | (c >= CHUNKS) { return 0u; }
    return bits_at(32u * part + (c * id.lanes + id.lane) * PER_LANE);
}

// Vectors from lane to lane, and from one of a lane's to its next.
fn steps_of(neighbours: bool, lanes: u32) -> vec2<u32> {
    return select(vec2<u32>(1u, lanes), vec2<u32>(LOADS, 1u), neighbours);
}

// Marks the ends of a round, from element e to before `next`, from segment s on; answers those that have no element here.
fn marked(s: u32, until: u32, e: u32, next: u32, part: u32, share: Share, id: Invocation) -> Marks {
    var marks = Marks(true, s, false, s);
    var found = 0u;
    var before = 0u;
    var empty = false;
    var more = true;
    for (var t = s + id.lane; more; t += id.lanes * LOADS) {
        let end_K = end_in(t + K * id.lanes, until);  // for K in 0..LOADS
        let begin_K = begin_of(min(t + K * id.lanes, until)) - params.base.x;  // for K in 0..LOADS
        found += select(0u, 1u, end_K <= next);  // for K in 0..LOADS
        empty |= (end_K <= next) & (end_K == begin_K);  // for K in 0..LOADS
        before += select(0u, 1u, end_K <= share.first);  // for K in 0..LOADS
        if (end_K <= next) & (end_K != begin_K) & (end_K > share.first) { mark(part, end_K - 1u - e); }  // for K in 0..LOADS
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
            } else if end <= share.first {
                emit(identity(), t, share);
            }
        }
        if !marks.sparse { marks.first = s + before_all; }
    }
    return marks;
}
