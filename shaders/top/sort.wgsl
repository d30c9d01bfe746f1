// A list in order: a bitonic sort in workgroup memory.
//
// Source: K. E. Batcher, Sorting networks and their applications (1968).
//
// Expects: ROOM, a power of two; TEAM, all invocations of a workgroup; WORST, Entry (top/ranks.wgsl); listed, list
// (top/entries.wgsl); before, NOWHERE (top/answer.wgsl).
var<workgroup> there: u32;  // candidates in the list

fn sort(count: u32, local: u32) {
    workgroupBarrier();
    if local == 0u { there = min(count, ROOM); }
    let some = workgroupUniformLoad(&there);
    var room = 2u;
    while room < some { room *= 2u; }
    for (var c = some + local; c < room; c += TEAM) { list(c, entry(WORST, NOWHERE)); }
    for (var size = 2u; size <= room; size *= 2u) {
        for (var apart = size / 2u; apart > 0u; apart /= 2u) {
            workgroupBarrier();
            for (var c = local; c < room / 2u; c += TEAM) {
                let low = 2u * c - c % apart;
                let a = listed(low);
                let b = listed(low + apart);
                if before(b, a) == ((low & size) == 0u) {
                    list(low, b);
                    list(low + apart, a);
                }
            }
        }
    }
    workgroupBarrier();
}
