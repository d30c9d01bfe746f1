// Integers of 16 bits, two to a word, by their ranks.
//
// Expects: FLIP, what turns both into ranks of 16 bits; BASE, what takes those to where words have them.
fn ranks(word: u32) -> u32 { return word ^ FLIP; }
fn full(rank: u32) -> u32 { return rank + BASE; }
