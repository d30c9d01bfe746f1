// The list of each team, of ranks of two words: three words side by side would take four.
//
// Expects: ROOM, TEAMS.
var<workgroup> candidates: array<Bits, ROOM * TEAMS>;  // those of the teams side by side
var<workgroup> places: array<u32, ROOM * TEAMS>;

fn listed(c: u32) -> Entry { return entry(candidates[c], places[c]); }
fn list(c: u32, e: Entry) {
    candidates[c] = rank_in(e);
    places[c] = place_in(e);
}
