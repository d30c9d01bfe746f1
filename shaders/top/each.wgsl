// The best elements of each of many answers: a team of invocations for an answer, teams of equal size side by side in a workgroup.
//
// The first elements give a bound, and only those within it are kept, which are few. Before each further stretch the list is cut to
// what is wanted, the last of which is the next bound, so that most elements are compared with one rank and forgotten. A list that
// had no room for all that were within its bound, as of rising elements, is found again.
//
// Expects: TEAM, TEAMS, LOADS, ROOM; WORST (top/ranks.wgsl); list (top/entries.wgsl); all of top/answer.wgsl.

var<workgroup> within: array<atomic<u32>, TEAMS>;  // candidates met

var<private> team: u32;
var<private> bound: Entry;  // what comes behind it is not wanted
var<private> mine: Entry;   // the best that this invocation has met

fn lower_of(a: Bits, b: Bits) -> Bits { return select(a, b, lower(b, a)); }
fn slot(c: u32) -> u32 { return c * TEAMS + team; }

fn keep(own: Entry, end: u32) {
    if (place_in(own) >= end) | before(bound, own) { return; }
    if before(own, mine) { mine = own; }
    let to = atomicAdd(&within[team], 1u);
    if to < ROOM { list(slot(to), own); }
}

// Keeps what is within the bound among the elements up to `end`.
fn find(start: u32, end: u32) {
    for (var i = start + lane; i < end; i += LOADS * TEAM) {
        let i_K = i + K * TEAM;  // for K in 0..LOADS
        let rank_K = rank_of(min(i_K, end - 1u));  // for K in 0..LOADS
        var best = WORST;
        best = lower_of(best, rank_K);  // for K in 0..LOADS
        if lower(rank_in(bound), best) { continue; }
        if !lower(rank_in(bound), rank_K) { keep(entry(rank_K, i_K), end); }  // for K in 0..LOADS
    }
}
