// An f16 in half a word: its bits, among others above them, and its rank, as accumulators have both.
//
// Expects: FLIP.
const NAN_ROOM = 0x03ff03ffu;
const ZERO = 0x8000u | (FLIP & 0xffff0000u);  // the rank of a zero, behind tie()
fn bits_of(half: u32) -> u32 { return half & 0xffffu; }
fn full(rank: u32) -> u32 { return rank | (FLIP & 0xffff0000u); }
