// The list of each team, of ranks of a word.
//
// Expects: ROOM, TEAMS.
var<workgroup> candidates: array<Entry, ROOM * TEAMS>;  // those of the teams side by side

fn listed(c: u32) -> Entry { return candidates[c]; }
fn list(c: u32, e: Entry) { candidates[c] = e; }
