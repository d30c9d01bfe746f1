// The best elements of each of many answers, the best first: a workgroup for an answer.
//
// The bests of single invocations give a bound: if k are wanted, the k-th of these is no better than the k-th of all elements. One
// read finds it, another those within it, which are few; where they are not, digits of ranks tell which are wanted.
//
// Expects: WORKGROUP_SIZE, LOADS, ROOM; Bits, WORDS, WORST, words_of, lower, same (top/ranks.wgsl); tie, rank, unrank; element
// (load/); begin_of, length_of, place (top/strides.wgsl or top/offsets.wgsl); take_best (top/take.wgsl).
var<workgroup> lowest: array<Bits, WORKGROUP_SIZE>;
var<workgroup> bound: Bits;
var<workgroup> within: atomic<u32>;
var<workgroup> candidates: u32;
var<workgroup> ranks: array<Bits, ROOM>;  // of candidates
var<workgroup> places: array<u32, ROOM>;  // in the answer

var<private> begin: u32;  // of the answer

fn rank_of(i: u32) -> Bits { return tie(rank(element(place(begin, i)))); }
fn is_there(i: u32) -> bool { return true; }

fn take(i: u32, to: u32) {
    ranks[to] = rank_of(i);
    places[to] = i;
}

fn find_bound(length: u32, wanted: u32, local: u32) {
    var mine = WORST;
    for (var i = local; i < length; i += LOADS * WORKGROUP_SIZE) {
        let i_K = i + K * WORKGROUP_SIZE;  // for K in 0..LOADS
        // No element is two invocations' best.
        let rank_K = rank_of(select(i, i_K, i_K < length));  // for K in 0..LOADS
        if lower(rank_K, mine) { mine = rank_K; }  // for K in 0..LOADS
    }
    lowest[local] = mine;
    workgroupBarrier();
    var better = 0u;
    for (var j = 0u; j < WORKGROUP_SIZE; j++) {
        let other = lowest[j];
        better += select(0u, 1u, lower(other, mine) | (same(other, mine) & (j < local)));
    }
    if better + 1u == wanted { bound = mine; }
}

fn find_within(length: u32, local: u32) {
    for (var i = local; i < length; i += LOADS * WORKGROUP_SIZE) {
        let i_K = i + K * WORKGROUP_SIZE;  // for K in 0..LOADS
        let rank_K = rank_of(min(i_K, length - 1u));  // for K in 0..LOADS
        if (i_K < length) & !lower(bound, rank_K) { keep(rank_K, i_K); }  // for K in 0..LOADS
    }
}

fn keep(own: Bits, i: u32) {
    let to = atomicAdd(&within, 1u);
    if to < ROOM {
        ranks[to] = own;
        places[to] = i;
    }
}
