// Segments in order: each invocation walks a share of elements and ends. For operators that keep an order, read positions, or hold
// much; and where there are no subgroups.
//
// Expects: State, init_state, accumulate, acc_of (the operator); element (load/*.wgsl); segments/share.wgsl.

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * WORKGROUP_SIZE;
    let share = id.workgroup.x * WORKGROUP_SIZE + id.local;
    let start = share_of(span, share, shares, id);
    let stop = share_of(span, share + 1u, shares, id);
    let begun = is_begun(start);
    var at = start;
    segment = start.segment;
    var state = init_state(id);
    var end = end_of(at.segment);
    let items = (span.elements + span.ends + shares - 1u) / shares;
    for (var left = items; left > 0u; left--) {
        if (at.segment < stop.segment) & (end <= at.position) {
            let acc = acc_of(state, id, at.segment);
            if begun & (at.segment == start.segment) { carries[params.partial + share].head = acc; } else { store(acc, at.segment); }
            at.segment++;
            end = end_of(at.segment);
            segment = at.segment;
            state = init_state(id);
        } else if at.position < stop.position {
            let e = at.position - params.base.x;
            state = accumulate(state, element(e), e);
            at.position++;
        }
    }
    let ended = at.segment > start.segment;
    carries[params.partial + share].tail = acc_of(state, id, at.segment);
    carries[params.partial + share].segment = select(NONE, start.segment, begun & ended);
    carries[params.partial + share].ended = select(0u, 1u, ended);
}
