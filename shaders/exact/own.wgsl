// BINS counters of 64 bits that belong to one invocation. What is negative has bins of its own, as in bins/counters.wgsl.
//
// Expects: flags_of and flush_window (the element's file).

var<private> bins_low: array<u32, BINS>;
var<private> bins_high: array<u32, BINS>;

fn replica_of(id: Invocation) -> u32 { return 0u; }

fn bin_add(bin: u32, replica: u32, amount: u32) {
    let total = add64(bin_get(bin), vec2<u32>(amount, 0u));
    bins_low[bin] = total.x;
    bins_high[bin] = total.y;
}

fn bin_get(bin: u32) -> vec2<u32> { return vec2<u32>(bins_low[bin], bins_high[bin]); }

fn bin_clear(bin: u32) {
    bins_low[bin] = 0u;
    bins_high[bin] = 0u;
}

// Carries: the invocation's own sum. The bins are empty afterwards: an invocation may go on with another segment.
fn to_acc(state: State, id: Invocation) -> Acc {
    flush_window(state);
    var acc = Acc();
    acc.flags = flags_of(state);
    var carry = vec3<u32>();
    for (var j = 0u; j < LIMBS; j++) {
        carry = add96(carry, subtract96(vec3<u32>(bin_get(j), 0u), vec3<u32>(bin_get(LIMBS + j), 0u)));
        bin_clear(j);
        bin_clear(LIMBS + j);
        acc.limbs[j] = carry.x;
        carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
    }
    return acc;
}
