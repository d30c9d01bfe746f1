// One workgroup adds up the bins that the workgroups before it left, and gathers them once.
// Copy c of a bin takes partials c, c + COPIES, c + 2·COPIES, … A line marked `rows` stands ROWS times.
//
// Expects: Bins, gather, begin (the operator, with exact_shared.wgsl); store (store_*.wgsl).

const PAIRS = BINS / 2u;

@group(0) @binding(0) var<storage, read> partials: array<Bins>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    let end = params.first + params.count;
    var flags = 0u;
    for (var p = params.first + who.local; p < end; p += WORKGROUP_SIZE) { flags |= partials[p].flags; }
    if who.local == 0u { atomicStore(&bins_flags, 0u); }
    for (var i = who.local; i < PAIRS * COPIES; i += WORKGROUP_SIZE) {
        let pair = i % PAIRS;
        let copy = i / PAIRS;
        var total = vec4<u32>();
        // All rows that a GPU's partials have are loaded before the first is added; one past the end counts as zeros.
        for (var p = params.first + copy; p < end; p += ROWS * COPIES) {
            let quad0 = row(p + 0u * COPIES, end, pair);  // rows
            total = add_pair(total, quad0);  // rows
        }
        keep(pair * COPIES + copy, total.xy);
        keep((PAIRS + pair) * COPIES + copy, total.zw);
    }
    workgroupBarrier();
    atomicOr(&bins_flags, flags);
    let acc = gather(begin(who), who);
    if who.local == 0u { store(acc, params.slot); }
}

fn row(p: u32, end: u32, pair: u32) -> vec4<u32> {
    return select(vec4<u32>(), partials[min(p, end - 1u)].pairs[pair], p < end);
}

fn add_pair(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> { return vec4<u32>(add64(a.xy, b.xy), add64(a.zw, b.zw)); }

fn keep(at: u32, total: vec2<u32>) {
    atomicStore(&bins_low[at], total.x);
    atomicStore(&bins_high[at], total.y);
}
