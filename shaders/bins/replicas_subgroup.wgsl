// The parts of a sum are reduced within a subgroup, by the same butterfly as in workgroup/butterfly.wgsl. Relies on what no
// specification promises, that neighbouring invocations are neighbouring lanes: the self-test finds a device where they are
// not. A subgroup's own number and size would do without, but cost 1 µs on an H200.

fn reduce_sum(s: u32, part: vec2<u32>, id: Invocation) {
    var sum = part;
    if (1u << K) < LANES_PER_SUM { sum = add64(sum, subgroupShuffleXor(sum, 1u << K)); }  // for K in 0..BUTTERFLY
    if id.local % LANES_PER_SUM == 0u { sum_set(s, sum); }
}

fn finish_sums(sums: u32, id: Invocation) { workgroupBarrier(); }
