// Segments by subgroups: each subgroup walks a share of elements and ends in chunks, LOADS neighbouring vectors a lane, so that
// neighbouring lanes have neighbours and few of them must meet. Chunks without an end are only accumulated. A line that ends in
// `for K` is repeated for each K.
//
// Expects: an operator whose order is free; load (load/*.wgsl); segments/share.wgsl, search_lanes.wgsl, marks.wgsl and chunk.wgsl.
// Full subgroups of LANES_MIN lanes at least.

@group(0) @binding(2) var<uniform> params: Params;

const CHUNKS = 32u / LOADS;  // of a round

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * id.subgroups;
    let number = id.workgroup.x * id.subgroups + id.subgroup;
    let start = share_of(span, number, shares, id);
    let stop = share_of(span, number + 1u, shares, id);
    let slot = params.partial + id.workgroup.x * SUBGROUPS_MAX + id.subgroup;
    let first = start.position - params.base.x;
    let last = max(first, stop.position - params.base.x);
    let share = Share(first, last, start.segment, is_begun(start), slot);

    let chunk = id.lanes * PER_LANE;
    let round = chunk * CHUNKS;
    let part = id.subgroup * (round / 32u);   // words of bits, one for each element
    var e = first / PER_VECTOR * PER_VECTOR;  // the first element of the round
    var s = start.segment;                    // the first segment that has not ended
    var upcoming = end_in(s, stop.segment);
    var held = Held(init_state(id), false, identity(), 0u);
    // Only a chunk with an end needs neighbours in a lane: of others, neighbouring lanes load neighbours.
    var steps = steps_of(upcoming <= e + chunk, id.lanes);
    var loaded: Vectors;
    loaded.vector_K = load(e / PER_VECTOR + id.lane * steps.x + K * steps.y);  // for K in 0..LOADS
    // Every subgroup of a workgroup has as many rounds as the longest share may have.
    let rounds = (items_of(span, shares) + PER_VECTOR) / round + 1u;
    for (var r = 0u; r < rounds; r++) {
        let next = e + round;
        workgroupBarrier();
        atomicStore(&ends[part + K * id.lanes + id.lane], 0u);  // for K in 0..PER_VECTOR
        workgroupBarrier();
        var marks = Marks(upcoming <= next, s, false, s);
        if marks.some {
            marks = marked(s, stop.segment, e, next, part, share, id);
            s = marks.until;
            upcoming = end_in(s, stop.segment);
        }
        held.rank = 0u;
        workgroupBarrier();
        var bits = bits_in(marks, part, 0u, id);
        for (var c = 0u; (c < CHUNKS) & (e < last); c++) {
            let coming = e + chunk;
            let vectors = loaded;
            let at = vec2<u32>(PER_VECTOR) * steps;
            let there = bits_in(marks, part, c + 1u, id);
            if coming < last {
                steps = steps_of(subgroupAny(there != 0u) | ((c + 1u == CHUNKS) & (upcoming <= coming + chunk)), id.lanes);
                loaded.vector_K = load(coming / PER_VECTOR + id.lane * steps.x + K * steps.y);  // for K in 0..LOADS
            }
            if (e >= first) & (coming <= last) & !subgroupAny(bits != 0u) {
                held.run = accumulate_vector(held.run, vectors.vector_K, e + id.lane * at.x + K * at.y);  // for K in 0..LOADS
                held.ran = true;
            } else {
                held = take(held, vectors, e + id.lane * PER_LANE, bits, marks, share, id);
            }
            bits = there;
            e = coming;
        }
        e = next;
    }

    leave_open(held, stop.segment, share, id);
    leave_absent(id);
}
