// One workgroup a row combines the partials of the dispatches before it, in their order.
// Invocation i takes `vectors` neighbours, from i·vectors on, so a strict order from left to right survives.
//
// Expects: Acc, identity, combine (the operator); workgroup_reduce (workgroup/*.wgsl); row_of
// (rows/*.wgsl); store (the plan).

@group(0) @binding(0) var<storage, read> partials: array<Acc>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let row = row_of(id.workgroup.x);
    let first = first_of(row);
    let end = first + params.count;
    let low = min(first + id.local * params.vectors, end);
    let high = min(low + params.vectors, end);
    var acc = identity();
    for (var p = low; p < high; p++) { acc = combine(acc, partials[p]); }
    acc = workgroup_reduce(acc, id);
    if id.local == 0u { store(acc, row); }
}
