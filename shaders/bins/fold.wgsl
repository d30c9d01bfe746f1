// Folds the replicas of every counter into replica 0. LANES_PER_SUM invocations share a sum; those of neighbouring sums begin
// at different replicas, which lie in different banks. A dispatch reads one binding, less than 2^31 elements, so 63 bits and
// a sign have room for a difference.
//
// Expects: reduce_sum, finish_sums, LANES_PER_SUM (bins/replicas_*.wgsl).

fn fold_replicas(flags: u32, id: Invocation) {
    note_flags(flags);
    workgroupBarrier();
    let seat = id.local % LANES_PER_SUM;
    for (var s = id.local / LANES_PER_SUM; s < SUMS; s += WORKGROUP_SIZE / LANES_PER_SUM) {
        var sum = vec2<u32>();
        for (var turn = 0u; turn < REPLICAS; turn += LANES_PER_SUM) {
            let replica = (turn + s * LANES_PER_SUM) % REPLICAS + seat;
            if replica < REPLICAS {
                if SIGNED {
                    sum = add64(sum, subtract64(bin_get(s, replica), bin_get(SUMS + s, replica)));
                } else {
                    sum = add64(sum, bin_get(s, replica));
                }
            }
        }
        reduce_sum(s, sum, id);
    }
    finish_sums(SUMS, id);
}
