// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// The lecture's exercise: the largest prime below N. Each invocation tries to divide one candidate and holds it if
// it is prime, else 0; the largest of a workgroup is found by the tree, the largest of those on the host.

@group(0) @binding(2) var<storage, read_write> B: array<u32>;
@group(0) @binding(3) var<uniform> P: Params;

var<workgroup> M: array<u32, WG>;

fn prime(c: u32) -> u32 {
    if c < 2u || (c > 2u && c % 2u == 0u) { return 0u; }
    for (var d = 3u; d <= c / d; d += 2u) {
        if c % d == 0u { return 0u; }
    }
    return c;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let g = group(id);
    M[l] = 0u;
    if g * WG + l < P.size { M[l] = prime(P.extra + g * WG + l); }
    for (var middle = WG / 2u; middle > 0u; middle >>= 1u) {
        workgroupBarrier();
        if l < middle { M[l] = max(M[l], M[l + middle]); }
    }
    if l == 0u { B[g] = M[0]; }
}
