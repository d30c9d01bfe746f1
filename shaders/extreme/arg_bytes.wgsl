// The best of sixteen bytes and its place: every other byte of a word goes above its place into half a word, so that the least word
// has the first of the best, or the last where places count down, whatever lies in its lower half.
//
// Expects: FLIP, what turns bytes into ranks of 8 bits; BASE, what takes those to where words have them; TURN: 0, or 15.
fn places(k: u32) -> u32 { return (k ^ TURN) | (((k + 2u) ^ TURN) << 16u); }

fn best_byte(word: u32, k: u32) -> u32 {
    let even = ((word << 8u) & 0xff00ff00u) | places(k);
    let odd = (word & 0xff00ff00u) | places(k + 1u);
    return min(min(even, even << 16u), min(odd, odd << 16u));
}

fn best_of_bytes(vector: vec4<u32>, index: u32) -> Acc {
    let front = min(best_byte(vector.x ^ FLIP, 0u), best_byte(vector.y ^ FLIP, 4u));
    let back = min(best_byte(vector.z ^ FLIP, 8u), best_byte(vector.w ^ FLIP, 12u));
    let best = min(front, back);
    return Acc((best >> 24u) + BASE, index + (((best >> 16u) & 0xffu) ^ TURN), 0u);
}
