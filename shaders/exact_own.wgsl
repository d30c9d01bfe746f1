// BINS counters of 64 bits that belong to one invocation. What is negative has bins of its own, as in exact_shared.wgsl.
//
// Expects: flags_of and settle (the element's file).

var<private> bins_low: array<u32, BINS>;
var<private> bins_high: array<u32, BINS>;

fn prepare(who: Invocation) {}

fn copy_of(who: Invocation) -> u32 { return 0u; }

fn deposit(bin: u32, copy: u32, amount: u32) {
    let total = add64(held_in(bin), vec2<u32>(amount, 0u));
    bins_low[bin] = total.x;
    bins_high[bin] = total.y;
}

fn held_in(bin: u32) -> vec2<u32> { return vec2<u32>(bins_low[bin], bins_high[bin]); }

// Carries: the invocation's own sum.
fn gather(mine: Local, who: Invocation) -> Acc {
    settle(mine);
    var acc = identity();
    acc.flags = flags_of(mine);
    var carry = vec3<u32>();
    for (var j = 0u; j < LIMBS; j++) {
        carry = add96(carry, subtract96(vec3<u32>(held_in(j), 0u), vec3<u32>(held_in(LIMBS + j), 0u)));
        acc.limbs[j] = carry.x;
        carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
    }
    return acc;
}
