// Segments in order: each invocation walks a share of elements and ends, and its workgroup carries what is open from one to the
// next. For operators that keep an order, read positions, or hold much; and where there are no subgroups.
//
// Expects: State, init_state, accumulate, acc_of, identity, join_behind, leave_head, leave_tail, store_own (the operator); element
// (load/*.wgsl); taken_run (segments/one_vector.wgsl or four_vectors.wgsl); segments/share.wgsl, search_one.wgsl and scan.wgsl.

@group(0) @binding(2) var<uniform> params: Params;

const TOGETHER = 16u;  // elements that an invocation takes at most before it looks for an end

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * WORKGROUP_SIZE;
    let share = id.workgroup.x * WORKGROUP_SIZE + id.local;
    let places = share_of(span, share, shares, id);
    let start = places.start;
    let stop = places.stop;
    let begun = is_begun(start);
    var at = start;
    segment = start.segment;
    var state = init_state(id);
    var head = identity();
    var end = end_of(at.segment);
    for (var left = items_of(span, shares) + 1u; left > 0u; ) {
        if (at.position >= stop.position) & (at.segment >= stop.segment) { break; }
        // Some elements, then an end where they reach one: lanes that have ends have them together.
        let ends_here = at.segment < stop.segment;
        let limit = select(stop.position, min(end, stop.position), ends_here);
        let before = at.position - params.base.x;
        var e = before;
        // To the end of a vector, so that the next ones are whole.
        let until = min(max(limit, at.position) - params.base.x, (e + TOGETHER) / PER_VECTOR * PER_VECTOR);
        for (var k = 0u; (k < TOGETHER) & (e < until); k++) {
            if (e % PER_VECTOR == 0u) & (until - e >= PER_VECTOR) {
                let run = run_of(until / PER_VECTOR - e / PER_VECTOR);
                state = taken_run(state, e / PER_VECTOR, run);
                e += run * PER_VECTOR;
            } else {
                state = accumulate(state, element(e), e);
                e++;
            }
        }
        at.position = e + params.base.x;
        left -= min(left, max(e - before, 1u));
        if ends_here & (end <= at.position) {
            if begun & (at.segment == start.segment) {
                head = acc_of(state, id, at.segment);
            } else {
                store_own(state, at.segment, id);
            }
            at.segment++;
            end = end_of(at.segment);
            segment = at.segment;
            state = init_state(id);
        }
    }

    let ended = at.segment > start.segment;
    scan_open(acc_of(state, id, at.segment), ended, id);
    var ended_before = false;
    if id.local > 0u {
        ended_before = shared_ended[id.local - 1u] != 0u;
        if ended & begun { join_behind(id.local - 1u, &head); }
    }
    let slot = params.partial + id.workgroup.x;
    if ended & begun & ended_before { store(head, start.segment); }
    // The segment that began before this workgroup ends with the workgroup's first end.
    if ended & !ended_before {
        leave_head(slot, &head);
        carries[slot].segment = select(NONE, start.segment, begun);
    }
    if id.local == WORKGROUP_SIZE - 1u {
        leave_tail(slot, id.local);
        carries[slot].ended = shared_ended[id.local];
        if shared_ended[id.local] == 0u { carries[slot].segment = NONE; }
    }
}
