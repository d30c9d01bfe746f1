// One workgroup carries what shares left open into the segments that they found begun. Invocation i takes `vectors` shares, from
// i·vectors on.
//
// Expects: Acc, identity, combine (the operator); segments/left.wgsl and scan.wgsl; store, store_number (the plan). In params,
// `partials` is the number of shares.

@group(0) @binding(0) var<storage, read> carries: array<Carry>;
@group(0) @binding(2) var<uniform> params: Params;

// The accumulator that is open behind a share. Its tail is loaded while it is asked whether a segment ends there.
fn behind(open: Acc, share: u32) -> Acc {
    let tail = carries[share].tail;
    if carries[share].ended != 0u { return tail; }
    return combine(open, tail);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let low = min(id.local * params.vectors, params.partials);
    let high = min(low + params.vectors, params.partials);
    var open = identity();
    var ended = 0u;
    for (var share = low; share < high; share++) {
        open = behind(open, share);
        ended |= carries[share].ended;
    }
    scan_open(open, ended != 0u, id);
    open = identity();
    if id.local > 0u { get_shared(id.local - 1u, &open); }
    for (var share = low; share < high; share++) {
        let named = carries[share].segment;
        let head = carries[share].head;
        if named != NONE { store(combine(open, head), named); }
        open = behind(open, share);
    }
    if id.local == 0u { store_number(); }
}
