// The shares of a sum meet within a subgroup, by the same butterfly as in finish_subgroup.wgsl. Relies on what no
// specification promises, that neighbouring invocations are neighbouring lanes: the self-test (selftest.rs) finds a device
// where they are not. A subgroup's own number and size would do without, but cost 1 µs on an H200.

const SEATS = min(SEATS_MAX, LANES_MIN);

fn meet(p: u32, share: vec2<u32>, who: Invocation) {
    var sum = share;
    if (1u << 0u) < SEATS { sum = add64(sum, subgroupShuffleXor(sum, 1u << 0u)); }  // lanes
    if who.local % SEATS == 0u { bins_met[p] = sum; }
}

fn end_meeting(sums: u32, who: Invocation) { workgroupBarrier(); }
