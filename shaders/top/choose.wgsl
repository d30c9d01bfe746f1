// The best candidates: one workgroup takes as many as are wanted.
//
// Expects: WORKGROUP_SIZE; Bits (top/ranks.wgsl); tie; take_best (top/take.wgsl).
struct Params {
    candidates: u32,
    wanted: u32,  // no more than candidates at which there are elements
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> ranks: array<Bits>;
@group(0) @binding(4) var<storage, read> starts: array<vec2<u32>>;      // all ones: no element is there
@group(0) @binding(5) var<storage, read_write> list: array<vec2<u32>>;  // starts of those that are taken
@group(0) @binding(6) var<storage, read_write> best: array<Bits>;       // and their ranks

fn candidate(c: u32) -> Bits { return tie(ranks[c]); }
fn is_there(c: u32) -> bool { return any(starts[c] != vec2<u32>(0xffffffffu, 0xffffffffu)); }

fn take(c: u32, to: u32) {
    list[to] = starts[c];
    best[to] = ranks[c];
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) local: u32) { take_best(params.candidates, params.wanted, local); }
