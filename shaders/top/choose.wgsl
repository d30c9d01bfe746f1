// The best candidates, as many as are wanted, in the order in which they stand: one workgroup finds the rank of the last of them,
// digit by digit from the highest on, and takes what is better and the first of those that are as good.
//
// Expects: WORKGROUP_SIZE, BITS, REPLICAS; Bits, lower, same, digit, with_digit, agree (top/ranks.wgsl); tie; sum_before.
struct Params {
    candidates: u32,
    wanted: u32,  // no more than candidates at which there are elements
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> ranks: array<Bits>;
@group(0) @binding(4) var<storage, read> starts: array<vec2<u32>>;      // all ones: no element is there
@group(0) @binding(5) var<storage, read_write> list: array<vec2<u32>>;  // starts of those that are taken
@group(0) @binding(6) var<storage, read_write> best: array<Bits>;       // and their ranks

var<workgroup> counts: array<atomic<u32>, REPLICAS << BITS>;
var<workgroup> found: vec2<u32>;  // a digit, and how many have a lower one

fn is_there(candidate: u32) -> bool { return any(starts[candidate] != vec2<u32>(0xffffffffu, 0xffffffffu)); }

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) local: u32) {
    var edge = Bits();
    var left = params.wanted;
    for (var above = DIGITS; above > 0u; above--) {
        let d = above - 1u;
        for (var c = local; c < REPLICAS << BITS; c += WORKGROUP_SIZE) { atomicStore(&counts[c], 0u); }
        workgroupBarrier();
        for (var c = local; c < params.candidates; c += WORKGROUP_SIZE) {
            let own = tie(ranks[c]);
            if agree(own, edge, d) { atomicAdd(&counts[((local % REPLICAS) << BITS) + digit(own, d)], 1u); }
        }
        workgroupBarrier();
        var mine = 0u;
        if local < (1u << BITS) {
            for (var r = 0u; r < REPLICAS; r++) { mine += atomicLoad(&counts[(r << BITS) + local]); }
        }
        let before = sum_before(mine, local);
        if (before < left) & (left <= before + mine) { found = vec2<u32>(local, before); }
        workgroupBarrier();
        edge = with_digit(edge, d, found.x);
        left -= found.y;
    }
    let each = (params.candidates + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let low = min(local * each, params.candidates);
    let high = min(low + each, params.candidates);
    var better = 0u;
    var equal = 0u;
    for (var c = low; c < high; c++) {
        let own = tie(ranks[c]);
        better += select(0u, 1u, lower(own, edge));
        equal += select(0u, 1u, same(own, edge) & is_there(c));
    }
    var better_before = sum_before(better, local);
    var equal_before = sum_before(equal, local);
    for (var c = low; c < high; c++) {
        let own = tie(ranks[c]);
        let is_better = lower(own, edge);
        let is_equal = same(own, edge) & is_there(c);
        if is_better | (is_equal & (equal_before < left)) {
            let to = better_before + min(equal_before, left);
            list[to] = starts[c];
            best[to] = ranks[c];
        }
        better_before += select(0u, 1u, is_better);
        equal_before += select(0u, 1u, is_equal);
    }
}
