// The sum over all invocations of a workgroup before this one: a scan in workgroup memory.
var<workgroup> sums: array<u32, WORKGROUP_SIZE>;

fn sum_before(mine: u32, local: u32) -> u32 {
    var sum = mine;
    workgroupBarrier();
    sums[local] = sum;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        if local >= distance { sum += sums[local - distance]; }
        workgroupBarrier();
        sums[local] = sum;
    }
    return sum - mine;
}
