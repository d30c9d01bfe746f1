// One workgroup folds the partials of the dispatches before it, in their order.
// Invocation i folds partials i·run … (i + 1)·run - 1, so a strict order from left to right survives.
//
// Expects: Acc, identity, combine (the operator); workgroup_reduce (finish_*.wgsl); store (store_*.wgsl).

@group(0) @binding(0) var<storage, read> partials: array<Acc>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    let end = params.first + params.count;
    let low = min(params.first + who.local * params.run, end);
    let high = min(low + params.run, end);
    var acc = identity();
    for (var p = low; p < high; p++) { acc = combine(acc, partials[p]); }
    acc = workgroup_reduce(acc, who);
    if who.local == 0u { store(acc, params.slot); }
}
