// The digit of the last of some that are wanted: by sums of neighbouring counters, then among those of one sum.
//
// Expects: WORKGROUP_SIZE; BITS (top/ranks.wgsl).
const VALUES = 1u << BITS;
const SUMS = 16u;
const EACH_SUM = VALUES / SUMS;

var<workgroup> counts: array<atomic<u32>, VALUES>;
var<workgroup> sums_of_counts: array<u32, SUMS>;
var<workgroup> found: vec3<u32>;  // a digit, how many have a lower one, the bits that are still to be found

fn clear_counts(local: u32) {
    workgroupBarrier();
    for (var c = local; c < VALUES; c += WORKGROUP_SIZE) { atomicStore(&counts[c], 0u); }
    workgroupBarrier();
}

// Finds it among the digits above `shift` bits that have been counted.
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
