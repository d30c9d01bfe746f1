// BINS counters of 64 bits that a workgroup shares, each in COPIES copies, so that neighbouring lanes add to different
// banks. A counter only grows: what is negative has bins of its own.
//
// Expects: column, COLUMNS (exact_columns_*.wgsl); SEATS, meet, end_meeting (exact_meet_*.wgsl); flags_of (element).

const PAIRS = BINS / 2u;  // bin p and, for what is negative, bin PAIRS + p

var<workgroup> bins_low: array<atomic<u32>, BINS * COPIES>;
var<workgroup> bins_high: array<atomic<u32>, BINS * COPIES>;
var<workgroup> bins_flags: atomic<u32>;
var<workgroup> bins_met: array<vec2<u32>, max(PAIRS, 2u * COLUMNS)>;  // what all copies hold: signed, pair by pair,
var<workgroup> bins_columns: array<vec3<u32>, COLUMNS>;               // and limb by limb

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

fn held_in(bin: u32, copy: u32) -> vec2<u32> {
    let at = bin * COPIES + copy;
    return vec2<u32>(atomicLoad(&bins_low[at]), atomicLoad(&bins_high[at]));
}

// Notes what an invocation has seen; nearly all of them have seen the same.
fn tell(flags: u32) {
    if (flags & ~atomicLoad(&bins_flags)) != 0u { atomicOr(&bins_flags, flags); }
}

// Adds up what all copies hold, pair by pair, and what the invocations have seen. SEATS invocations share a pair; those of
// neighbouring pairs begin at different copies, which lie in different banks. A dispatch reads one binding, less than
// 2^31 elements, so 63 bits and a sign have room for a pair.
fn add_bins(flags: u32, who: Invocation) {
    tell(flags);
    workgroupBarrier();
    let seat = who.local % SEATS;
    for (var p = who.local / SEATS; p < PAIRS; p += WORKGROUP_SIZE / SEATS) {
        var sum = vec2<u32>();
        for (var turn = 0u; turn < COPIES; turn += SEATS) {
            let copy = (turn + p * SEATS) % COPIES + seat;
            if copy < COPIES { sum = add64(sum, subtract64(held_in(p, copy), held_in(PAIRS + p, copy))); }
        }
        meet(p, sum, who);
    }
    end_meeting(PAIRS, who);
}

// The workgroup's sum, in invocation 0.
fn gather(mine: Local, who: Invocation) -> Acc {
    add_bins(flags_of(mine), who);
    for (var j = who.local; j < COLUMNS; j += WORKGROUP_SIZE) { bins_columns[j] = column(j); }
    workgroupBarrier();
    return carried(who);
}

// The columns, carried, in invocation 0.
fn carried(who: Invocation) -> Acc {
    var acc = identity();
    if who.local == 0u {
        acc.flags = atomicLoad(&bins_flags);
        var carry = vec3<u32>();
        for (var j = 0u; j < LIMBS; j++) {
            if j < COLUMNS { carry = add96(carry, bins_columns[j]); }
            acc.limbs[j] = carry.x;
            carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
        }
    }
    return acc;
}
