// Counters of 32 bits as arrays within arrays: WORDS neighbours may be words of a longer number (exact/linked.wgsl), and a word
// that is known when compiled costs no arithmetic.

var<workgroup> bins_low: array<array<array<atomic<u32>, REPLICAS>, WORDS>, BINS / WORDS>;

fn bin_clear(c: u32) { bin_set(c / REPLICAS, c % REPLICAS, vec2<u32>()); }

fn bin_add(bin: u32, replica: u32, amount: u32) { atomicAdd(&bins_low[bin / WORDS][bin % WORDS][replica], amount); }

fn bin_get(bin: u32, replica: u32) -> vec2<u32> {
    return vec2<u32>(atomicLoad(&bins_low[bin / WORDS][bin % WORDS][replica]), 0u);
}

fn bin_set(bin: u32, replica: u32, sum: vec2<u32>) { atomicStore(&bins_low[bin / WORDS][bin % WORDS][replica], sum.x); }
