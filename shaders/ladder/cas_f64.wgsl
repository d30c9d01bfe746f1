// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Changed from cas_f32: double precision, by compare-and-swap of 64 bits, on adapters with f64 and 64-bit
// atomics.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: atomic<u64>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    var mine = f64(0.0);
    for (var i = group(id) * WG + l; i < P.size; i += P.extra) { mine += f64(A[i]); }
    var old = atomicLoad(&B);
    loop {
        let swap = atomicCompareExchangeWeak(&B, old, bitcast<u64>(bitcast<f64>(old) + mine));
        if swap.exchanged { break; }
        old = swap.old_value;
    }
}
