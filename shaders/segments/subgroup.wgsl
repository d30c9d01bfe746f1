// Segments by subgroups: each subgroup walks a share of elements and ends in chunks, a vector a lane, so that neighbouring lanes
// have neighbours. Chunks without an end are only accumulated. A line that ends in `for K` is repeated for each K.
//
// Expects: an operator whose order is free; load (load/*.wgsl); segments/share.wgsl, search_lanes.wgsl, marks.wgsl and chunk.wgsl.
// Full subgroups of LANES_MIN lanes at least.

@group(0) @binding(2) var<uniform> params: Params;

const CHUNKS = 32u;  // of a round

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
            marks = marked(s, stop.segment, e, next, part, share, id);
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

    leave_open(held, stop.segment, share, id);
    leave_absent(id);
}
