// The rank of the last of the best candidates, if so many are wanted, found digit by digit from the highest bit in which two differ
// until all that have a digit are wanted.
//
// Expects: WORKGROUP_SIZE; BITS, Bits, bits_apart, without_low, with_low, digit, with_digit (top/ranks.wgsl); candidate, the rank
// of one.
const VALUES = 1u << BITS;
const SUMS = 16u;
const EACH_SUM = VALUES / SUMS;

var<workgroup> counts: array<atomic<u32>, VALUES>;
var<workgroup> sums_of_counts: array<u32, SUMS>;
var<workgroup> found: vec3<u32>;  // a digit, how many have a lower one, the bits that are still to be found
var<private> edge: Bits;

fn clear_counts(local: u32) {
    workgroupBarrier();
    for (var c = local; c < VALUES; c += WORKGROUP_SIZE) { atomicStore(&counts[c], 0u); }
    workgroupBarrier();
}

// The highest bit in which one differs from the first, plus one.
fn find_bits(candidates: u32, local: u32) -> u32 {
    clear_counts(local);
    for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
        atomicStore(&counts[bits_apart(candidate(c), edge)], 1u);
    }
    workgroupBarrier();
    if local == 0u {
        var bits = 32u * WORDS;
        while (bits > 0u) && (atomicLoad(&counts[bits]) == 0u) { bits--; }
        found.z = bits;
    }
    return workgroupUniformLoad(&found).z;
}

// Finds the digit of the last that is wanted: by sums of neighbouring counters, then among those of one sum.
fn find_digit(shift: u32, left: u32, local: u32) {
    workgroupBarrier();
    for (var s = local; s < SUMS; s += WORKGROUP_SIZE) {
        var sum = 0u;
        for (var c = 0u; c < EACH_SUM; c++) { sum += atomicLoad(&counts[s * EACH_SUM + (c + s) % EACH_SUM]); }
        sums_of_counts[s] = sum;
    }
    workgroupBarrier();
    if local == 0u {
        var lower = 0u;
        var s = 0u;
        while (s < SUMS - 1u) && (lower + sums_of_counts[s] < left) {
            lower += sums_of_counts[s];
            s++;
        }
        var value = s * EACH_SUM;
        var own = atomicLoad(&counts[value]);
        while (value % EACH_SUM < EACH_SUM - 1u) && (lower + own < left) {
            lower += own;
            value++;
            own = atomicLoad(&counts[value]);
        }
        found = vec3<u32>(value, lower, select(shift, 0u, lower + own == left));
    }
}

// Leaves how many with that rank are wanted; none has it where all of a higher digit are.
fn find_edge(candidates: u32, wanted: u32, local: u32) -> u32 {
    edge = candidate(0u);
    var left = wanted;
    var bits = find_bits(candidates, local);
    edge = without_low(edge, bits);
    while bits > 0u {
        let shift = max(bits, BITS) - BITS;
        clear_counts(local);
        for (var c = local; c < candidates; c += WORKGROUP_SIZE) {
            let own = candidate(c);
            if bits_apart(own, edge) <= bits { atomicAdd(&counts[digit(own, shift)], 1u); }
        }
        find_digit(shift, left, local);
        let here = workgroupUniformLoad(&found);
        edge = with_digit(edge, shift, here.x);
        left -= here.y;
        bits = here.z;
        if bits == 0u { edge = with_low(edge, shift); }
    }
    return left;
}
