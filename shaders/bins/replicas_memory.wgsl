// The parts of a sum are reduced by a tree in workgroup memory: each in a replica that nobody else reads any more, then half
// of them at a time.

fn reduce_sum(s: u32, part: vec2<u32>, id: Invocation) {
    if LANES_PER_SUM == 1u { sum_set(s, part); } else { part_set(s, id.local % LANES_PER_SUM, part); }
}

fn finish_sums(sums: u32, id: Invocation) {
    for (var half = LANES_PER_SUM / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        for (var i = id.local; i < sums * half; i += WORKGROUP_SIZE) {
            part_set(i / half, i % half, add64(part_get(i / half, i % half), part_get(i / half, i % half + half)));
        }
    }
    workgroupBarrier();
    if LANES_PER_SUM == 1u { return; }
    for (var s = id.local; s < sums; s += WORKGROUP_SIZE) { sum_set(s, part_get(s, 0u)); }
    workgroupBarrier();
}
