// The best of eight halves, two to a word, and its place: a rank stands above its element's place, so that the least word is the
// first of the best, or the last where places count down.
//
// Expects: ranks and full (extreme/float_halves.wgsl and f16.wgsl or bf16.wgsl, or extreme/integer_halves.wgsl); TURN: 0, or 15.
fn both(word: u32, k: u32) -> u32 { return min((word << 16u) | (k ^ TURN), (word & 0xffff0000u) | ((k + 1u) ^ TURN)); }

fn best_half(vector: vec4<u32>, index: u32) -> Acc {
    let front = min(both(ranks(vector.x), 0u), both(ranks(vector.y), 2u));
    let back = min(both(ranks(vector.z), 4u), both(ranks(vector.w), 6u));
    let best = min(front, back);
    return Acc(full(best >> 16u), index + ((best & 0xffffu) ^ TURN), 0u);
}
