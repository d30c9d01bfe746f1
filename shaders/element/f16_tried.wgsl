// Of each bit pattern of an f16, whether the device's own conversion leaves the bits of its f32, or any NaN of one: a device may
// lose subnormals, infinities or NaN.
//
// Expects: half_bits (element/half.wgsl).
struct Params {
    at: u32,    // word of the result: how many are right
    seal: u32,  // the word behind it
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(5) var<storage, read_write> results: array<u32>;

var<workgroup> sum: atomic<u32>;

fn is_right(bits: u32) -> bool {
    let want = half_bits(bits & 0xffffu);
    // Others above it do not matter.
    let found = bitcast<u32>(unpack2x16float(bits).x);
    return (found == want) | (((found & 0x7fffffffu) > 0x7f800000u) & ((want & 0x7fffffffu) > 0x7f800000u));
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32) {
    if local == 0u { atomicStore(&sum, 0u); }
    workgroupBarrier();
    var own = 0u;
    for (var i = local; i < 0x10000u; i += 256u) { own += select(0u, 1u, is_right(i | ((i ^ 0x5555u) << 16u))); }
    atomicAdd(&sum, own);
    workgroupBarrier();
    if local == 0u {
        results[params.at] = atomicLoad(&sum);
        results[params.at + 1u] = params.seal;
    }
}
