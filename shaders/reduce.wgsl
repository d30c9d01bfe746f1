// Invocation i folds quads i·spacing, i·spacing + step, i·spacing + 2·step, …; its workgroup folds what its invocations hold.
// A quad is four neighbours, one 16-byte load. Adjacent lanes read adjacent quads (GPUs: spacing 1, step = invocations)
// or each its own block (CPUs and strict order: spacing = run, step 1). A line marked `unroll` stands LOADS times.
//
// Expects: Acc, identity, lift, combine, fold, rebase (the operator); workgroup_reduce (finish_*.wgsl); store (store_*.wgsl).

@group(0) @binding(0) var<storage, read> quads: array<vec4<u32>>;  // the input, four elements at a time
@group(0) @binding(1) var<storage, read> words: array<u32>;        // the same bytes, for the ragged ends
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    let i = who.workgroup.x * WORKGROUP_SIZE + who.local;
    let end = params.first + params.count;
    let low = min((params.first + 3u) / 4u, end / 4u);  // quads low..high lie wholly inside
    let high = end / 4u;
    var acc = identity();

    if i == 0u {
        for (var e = params.first; e < min(low * 4u, end); e++) { acc = combine(acc, lift(words[e], e)); }
    }

    var q = low + i * params.spacing;
    var left = 0u;  // quads of this invocation
    if q < high { left = min(params.run, (high - q - 1u) / params.step + 1u); }
    for (; left >= LOADS; left -= LOADS) {
        let quad0 = quads[q + 0u * params.step];  // unroll
        acc = fold(acc, quad0, (q + 0u * params.step) * 4u);  // unroll
        q += LOADS * params.step;
    }
    for (; left > 0u; left--) {
        acc = fold(acc, quads[q], q * 4u);
        q += params.step;
    }

    if i + 1u == params.invocations {
        for (var e = max(high * 4u, params.first); e < end; e++) { acc = combine(acc, lift(words[e], e)); }
    }

    acc = workgroup_reduce(rebase(acc, params.base), who);
    if who.local == 0u { store(acc, params.slot + who.workgroup.x); }
}
