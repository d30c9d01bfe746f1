// CMSoft, Optimization Strategies
// A fixed number of invocations, each with a run of neighbours of its own. Simple, and neighbouring lanes read far
// apart. Invocation i of W begins at n i / W, computed without leaving 32 bits. The host adds the W answers.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> X: array<T>;
@group(0) @binding(2) var<storage, read_write> B: array<T>;
@group(0) @binding(3) var<uniform> P: Params;

fn start(i: u32) -> u32 { return P.size / P.extra * i + P.size % P.extra * i / P.extra; }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    var sum = 0.0;
    for (var j = start(i); j < start(i + 1u); j++) { sum += A[j] * X[j]; }
    B[i] = sum;
}
