// The least and the largest rank of two floats of 16 bits: the upper half of a word decides, whatever lies below it.
//
// Expects: ranks (extreme/float_halves.wgsl).
const BELOW = 16u;
fn ends_of(word: u32) -> vec2<u32> {
    let rank = ranks(word);
    return vec2<u32>(min(rank, rank << 16u), max(rank, rank << 16u));
}
