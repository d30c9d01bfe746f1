// Segments by subgroups: each has a share of elements and ends, walks the segments that end in it, and leaves what is open behind
// them.
//
// Expects: an operator whose order is free; segments/share.wgsl, search_lanes.wgsl and team.wgsl; walk
// (segments/alone.wgsl or clusters.wgsl). Full subgroups of LANES_MIN lanes at least.

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
    walk(share, begun, id);
    leave_workgroup(id);
}
