// The shares of a sum meet in workgroup memory: each in a bin's copy that nobody else reads any more, then half of them at
// a time.

const SEATS = min(min(SEATS_MAX, COPIES), WORKGROUP_SIZE);

fn meet(p: u32, share: vec2<u32>, who: Invocation) { put_share(p, who.local % SEATS, share); }

fn put_share(p: u32, seat: u32, share: vec2<u32>) {
    atomicStore(&bins_low[p * COPIES + seat], share.x);
    atomicStore(&bins_high[p * COPIES + seat], share.y);
}

fn end_meeting(sums: u32, who: Invocation) {
    for (var half = SEATS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        for (var i = who.local; i < sums * half; i += WORKGROUP_SIZE) {
            put_share(i / half, i % half, add64(held_in(i / half, i % half), held_in(i / half, i % half + half)));
        }
    }
    workgroupBarrier();
    for (var p = who.local; p < sums; p += WORKGROUP_SIZE) { bins_met[p] = held_in(p, 0u); }
    workgroupBarrier();
}
