// Segments by subgroups: each has a share of elements and ends, walks the segments that end in it, and leaves what is open behind
// them.
//
// Expects: an operator whose order is free; segments/share.wgsl, search_lanes.wgsl and team.wgsl; walk, taken_by_all
// (segments/clusters.wgsl). Full subgroups of LANES_MIN lanes at least.

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let span = span_of_window();
    let shares = params.splits * id.subgroups;
    var share = share_of(span, id.workgroup.x * id.subgroups + id.subgroup, shares, id);
    // More than a share can have, and less than nothing, are of offsets that fall: then it has none.
    let most = items_of(span, shares) + params.vectors;
    if share.stop.segment - share.start.segment > most / params.vectors { share.stop.segment = share.start.segment; }
    if share.stop.position - share.start.position > most { share.stop.position = share.start.position; }
    let begun = is_begun(share.start);
    // Of one length, segments that a share has in part make the mean a little less.
    let elements = elements_of(share);
    let mean = (elements + elements / 8u) / max(share.stop.segment - share.start.segment, 1u);
    walk(share, mean, begun, id);
    let reached = clamp(begin_of(share.stop.segment), share.start.position, share.stop.position);
    let open = taken_by_all(reached - params.base.x, share.stop.position - reached, id);
    if id.lane == 0u {
        let ended = share.stop.segment > share.start.segment;
        left_by[id.subgroup].tail = placed(open, share.stop.segment);
        left_by[id.subgroup].segment = select(NONE, share.start.segment, begun & ended);
        left_by[id.subgroup].ended = select(0u, 1u, ended);
    }
    leave_workgroup(id);
}
