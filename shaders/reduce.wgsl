// Invocation i folds quads i·spacing, i·spacing + step, i·spacing + 2·step, …; its workgroup folds what its invocations hold.
// A quad is 16 bytes of neighbours, one load. Adjacent lanes read adjacent quads (GPUs: spacing 1, step = invocations)
// or each its own block (CPUs and strict order: spacing = run, step 1). A line marked `unroll` stands LOADS times.
//
// Expects: Local, prepare, begin, take, fold, rebase (the operator; its defaults are in shader.rs); load, element
// (load_*.wgsl); leave (leave_*.wgsl, with finish_*.wgsl and store_*.wgsl).

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    let i = who.workgroup.x * WORKGROUP_SIZE + who.local;
    let end = params.first + params.count;
    let low = min((params.first + QUAD - 1u) / QUAD, end / QUAD);  // quads low..high lie wholly inside
    let high = end / QUAD;
    prepare(who);
    var mine = begin(who);

    if i == 0u {
        for (var e = params.first; e < min(low * QUAD, end); e++) { mine = take(mine, element(e), e); }
    }

    var q = low + i * params.spacing;
    var left = 0u;  // quads of this invocation
    if q < high { left = min(params.run, (high - q - 1u) / params.step + 1u); }
    if left >= LOADS {
        var quad0 = load(q + 0u * params.step);  // unroll
        // The next round's loads are under way while this round's quads are folded.
        for (; left >= 2u * LOADS; left -= LOADS) {
            let next = q + LOADS * params.step;
            let coming0 = load(next + 0u * params.step);  // unroll
            mine = fold(mine, quad0, (q + 0u * params.step) * QUAD);  // unroll
            quad0 = coming0;  // unroll
            q = next;
        }
        mine = fold(mine, quad0, (q + 0u * params.step) * QUAD);  // unroll
        q += LOADS * params.step;
        left -= LOADS;
    }
    for (; left > 0u; left--) {
        mine = fold(mine, load(q), q * QUAD);
        q += params.step;
    }

    if i + 1u == params.invocations {
        for (var e = max(high * QUAD, params.first); e < end; e++) { mine = take(mine, element(e), e); }
    }

    leave(rebase(mine, params.base), who, params.slot + who.workgroup.x);
}
