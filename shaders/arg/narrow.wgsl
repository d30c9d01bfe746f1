// The best of four narrow integers and its place: a rank stands above its element's place among the four, so that the least word
// is the first of the best.
//
// Expects: rank, combine. Ranks lie between -2^16 and 2^16 - 1, or as far around 2^31.
fn rank_at(bits: u32, k: u32) -> u32 { return ((rank(bits) + 0x10000u) << 2u) | k; }

fn best_of(acc: Acc, vector: vec4<u32>, index: u32) -> Acc {
    let front = min(rank_at(vector.x, 0u), rank_at(vector.y, 1u));
    let back = min(rank_at(vector.z, 2u), rank_at(vector.w, 3u));
    let best = min(front, back);
    return combine(acc, Acc(((best >> 2u) - 0x10000u) ^ AROUND, index + (best & 3u), 0u));
}
