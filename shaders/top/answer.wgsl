// The elements of one answer, and which of two comes first.
//
// Expects: Bits, lower, same, Entry (top/ranks.wgsl); tie, rank; element (load/); place (top/strides.wgsl or top/offsets.wgsl).
const NOWHERE = 0xffffffffu;

var<private> lane: u32;   // of the team that finds it
var<private> begin: u32;  // where it begins

fn rank_of(i: u32) -> Bits { return tie(rank(element(place(begin, i)))); }

fn before(a: Entry, b: Entry) -> bool {
    return lower(rank_in(a), rank_in(b)) | (same(rank_in(a), rank_in(b)) & (place_in(a) < place_in(b)));
}
