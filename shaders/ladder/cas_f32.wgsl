// Pawel Pomorski, CSE 746 Lecture 4: Reduction with CUDA
// Any atomic operation can be made of compare-and-swap: compute the new value from the old one, and try again if
// somebody was faster. An invocation first adds up a share of its own: a swap for every element would take
// minutes.

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(2) var<storage, read_write> B: atomic<u32>;
@group(0) @binding(3) var<uniform> P: Params;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    var mine = 0.0;
    for (var i = group(id) * WG + l; i < P.size; i += P.extra) { mine += A[i]; }
    var old = atomicLoad(&B);
    loop {
        let swap = atomicCompareExchangeWeak(&B, old, bitcast<u32>(bitcast<f32>(old) + mine));
        if swap.exchanged { break; }
        old = swap.old_value;
    }
}
