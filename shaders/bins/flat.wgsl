// Counters one behind another; of WIDE ones the upper words lie apart.

var<workgroup> bins_low: array<atomic<u32>, BINS * REPLICAS>;
var<workgroup> bins_high: array<atomic<u32>, select(1u, BINS * REPLICAS, WIDE)>;

fn bin_clear(c: u32) {
    atomicStore(&bins_low[c], 0u);
    if WIDE { atomicStore(&bins_high[c], 0u); }
}

fn bin_add(bin: u32, replica: u32, amount: u32) {
    let at = bin * REPLICAS + replica;
    let before = atomicAdd(&bins_low[at], amount);
    if WIDE { if before + amount < before { atomicAdd(&bins_high[at], 1u); } }
}

fn bin_get(bin: u32, replica: u32) -> vec2<u32> {
    let at = bin * REPLICAS + replica;
    if WIDE { return vec2<u32>(atomicLoad(&bins_low[at]), atomicLoad(&bins_high[at])); }
    return vec2<u32>(atomicLoad(&bins_low[at]), 0u);
}

fn bin_set(bin: u32, replica: u32, sum: vec2<u32>) {
    let at = bin * REPLICAS + replica;
    atomicStore(&bins_low[at], sum.x);
    if WIDE { atomicStore(&bins_high[at], sum.y); }
}
