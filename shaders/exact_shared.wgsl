// BINS counters of 64 bits that a workgroup shares, each in COPIES copies, so that neighbouring lanes add to different
// banks. A counter only grows: what is negative has bins of its own.
//
// Expects: column, the sum of the bins at limb j (exact_columns_*.wgsl); flags_of (the element's file).

var<workgroup> bins_low: array<atomic<u32>, BINS * COPIES>;
var<workgroup> bins_high: array<atomic<u32>, BINS * COPIES>;
var<workgroup> bins_flags: atomic<u32>;
var<workgroup> bins_columns: array<vec3<u32>, LIMBS>;

fn prepare(who: Invocation) {
    for (var c = who.local; c < BINS * COPIES; c += WORKGROUP_SIZE) {
        atomicStore(&bins_low[c], 0u);
        atomicStore(&bins_high[c], 0u);
    }
    if who.local == 0u { atomicStore(&bins_flags, 0u); }
    workgroupBarrier();
}

fn copy_of(who: Invocation) -> u32 { return who.local % COPIES; }

fn deposit(bin: u32, copy: u32, amount: u32) {
    let at = bin * COPIES + copy;
    let before = atomicAdd(&bins_low[at], amount);
    if before + amount < before { atomicAdd(&bins_high[at], 1u); }
}

fn copy_held(at: u32) -> vec2<u32> { return vec2<u32>(atomicLoad(&bins_low[at]), atomicLoad(&bins_high[at])); }
fn held_in(bin: u32) -> vec2<u32> { return copy_held(bin * COPIES); }

// Adds up the copies of every bin, a quarter of them at a time, and what the invocations have seen.
fn add_copies(flags: u32, who: Invocation) {
    atomicOr(&bins_flags, flags);
    var left = COPIES;
    while left > 1u {
        workgroupBarrier();
        let quarter = max(left / 4u, 1u);
        let shift = firstLeadingBit(quarter);
        for (var i = who.local; i < BINS * quarter; i += WORKGROUP_SIZE) {
            let at = (i >> shift) * COPIES + (i & (quarter - 1u));
            var total = add64(copy_held(at), copy_held(at + quarter));
            if left > 2u { total = add64(total, add64(copy_held(at + 2u * quarter), copy_held(at + 3u * quarter))); }
            atomicStore(&bins_low[at], total.x);
            atomicStore(&bins_high[at], total.y);
        }
        left = quarter;
    }
    workgroupBarrier();
}

// Adds up the copies, then the bins of each limb, then carries: the workgroup's sum, in invocation 0.
fn gather(mine: Local, who: Invocation) -> Acc {
    add_copies(flags_of(mine), who);
    for (var j = who.local; j < LIMBS; j += WORKGROUP_SIZE) { bins_columns[j] = column(j); }
    workgroupBarrier();
    var acc = identity();
    if who.local == 0u {
        acc.flags = atomicLoad(&bins_flags);
        var carry = vec3<u32>();
        for (var j = 0u; j < LIMBS; j++) {
            carry = add96(carry, bins_columns[j]);
            acc.limbs[j] = carry.x;
            carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
        }
    }
    return acc;
}
