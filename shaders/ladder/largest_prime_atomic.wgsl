// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from largest_prime_tree: one line. The primes compete for one word in global memory.

@group(0) @binding(2) var<storage, read_write> B: atomic<u32>;
@group(0) @binding(3) var<uniform> P: Params;

fn prime(c: u32) -> u32 {
    if c < 2u || (c > 2u && c % 2u == 0u) { return 0u; }
    for (var d = 3u; d <= c / d; d += 2u) {
        if c % d == 0u { return 0u; }
    }
    return c;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    let i = group(id) * WG + l;
    if i < P.size { atomicMax(&B, prime(P.extra + i)); }
}
