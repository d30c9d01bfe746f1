// A bf16 in half a word: its bits as those of an f32, and its rank among them. Ranks below a zero's are of complements.
const NAN_ROOM = 0x007f007fu;
const ZERO = 0x80000000u;  // the rank of a zero, behind tie()
fn bits_of(half: u32) -> u32 { return half << 16u; }
fn full(rank: u32) -> u32 { return (rank << 16u) | select(0u, 0xffffu, rank < 0x8000u); }
