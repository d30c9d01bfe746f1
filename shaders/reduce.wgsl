// Every invocation folds its quads, LOADS of them in a round; its workgroup folds what its invocations hold. A quad is 16
// bytes of neighbours, one load. A line marked `unroll` stands LOADS times.
//
// Expects: Local, prepare, begin, take, fold, rebase (the operator; its defaults are in shader.rs); load, element
// (load_*.wgsl); first_quad, next_quad, quads_of, STEP (walk_*.wgsl); leave (leave_*.wgsl, with finish_*.wgsl and store_*.wgsl).

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    let i = who.workgroup.x * WORKGROUP_SIZE + who.local;
    let end = params.first + params.count;
    let low = min((params.first + QUAD - 1u) / QUAD, end / QUAD);  // quads low..high lie wholly inside
    let high = end / QUAD;
    var q = first_quad(who, low);
    var left = quads_of(who, low, high);
    // Loads past this invocation's last quad find a neighbour's or nothing, and are not folded.
    var quad0 = load(q + 0u * STEP);  // unroll
    prepare(who);
    var mine = begin(who);

    if i == 0u {
        for (var e = params.first; e < min(low * QUAD, end); e++) { mine = take(mine, element(e), e); }
    }

    // The next round's loads are under way while this round's quads are folded.
    for (; left > LOADS; left -= LOADS) {
        let next = next_quad(q);
        let coming0 = load(next + 0u * STEP);  // unroll
        mine = fold(mine, quad0, (q + 0u * STEP) * QUAD);  // unroll
        quad0 = coming0;  // unroll
        q = next;
    }
    if 0u < left { mine = fold(mine, quad0, (q + 0u * STEP) * QUAD); }  // unroll

    if (i + 1u) * LOADS == params.round {
        for (var e = max(high * QUAD, params.first); e < end; e++) { mine = take(mine, element(e), e); }
    }

    leave(rebase(mine, params.base), who, params.slot + who.workgroup.x);
}
