// Answers whose lists had no room, at which all is ones: what is wanted of each is found digit by digit, which all invocations of a
// workgroup read all its elements for.
//
// Expects: WORKGROUP_SIZE, TEAM (the same); all of top/answer.wgsl; begin_of, length_of (top/strides.wgsl or top/offsets.wgsl);
// take_best (top/take.wgsl); sort (top/sort.wgsl); leave, tell (top/leave.wgsl).
var<workgroup> waiting: array<u32, WORKGROUP_SIZE>;  // answers
var<workgroup> count: atomic<u32>;
var<workgroup> next: vec2<u32>;  // one of them, and whether there is one

fn slot(c: u32) -> u32 { return c; }
fn candidate(i: u32) -> Bits { return rank_of(i); }
fn is_there(i: u32) -> bool { return true; }
fn take(i: u32, to: u32) { list(to, entry(rank_of(i), i)); }

fn waits(answer: u32) -> bool {
    let length = length_of(answer);
    let upper = results[params.at + answer * params.step + params.wanted * WORDS + 1u];  // half of the first index
    return (upper == 0xffffffffu) & (length > 0u) & (length <= params.most);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) workgroup: vec3<u32>) {
    lane = local;
    if local == 0u { atomicStore(&count, 0u); }
    workgroupBarrier();
    let own = workgroup.x * params.batch + local;
    if (local < params.batch) & (own < params.answers) {
        if waits(own) { waiting[atomicAdd(&count, 1u)] = own; }
    }
    for (var t = 0u; ; t++) {
        workgroupBarrier();
        if local == 0u { next = vec2<u32>(waiting[min(t, WORKGROUP_SIZE - 1u)], select(0u, 1u, t < atomicLoad(&count))); }
        let here = workgroupUniformLoad(&next);
        if here.y == 0u { break; }
        begin = begin_of(here.x);
        let length = length_of(here.x);
        let wanted = min(params.wanted, length);
        take_best(length, wanted, local);
        sort(wanted, local);
        leave(here.x, wanted);
        tell(here.x, wanted);
    }
}
