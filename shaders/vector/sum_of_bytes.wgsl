// The sum of sixteen bytes, two to a word, which have room for all of them: signed ones as so many more than 0.
//
// Expects: FLIP: 0, or the signs of four; EXCESS, what sixteen of them are too many.
fn pair_sums(word: u32) -> u32 {
    let bytes = word ^ FLIP;
    return (bytes & 0x00ff00ffu) + ((bytes >> 8u) & 0x00ff00ffu);
}

fn sum_of_bytes(vector: vec4<u32>) -> u32 {
    let pairs = pair_sums(vector.x) + pair_sums(vector.y) + pair_sums(vector.z) + pair_sums(vector.w);
    return (pairs & 0xffffu) + (pairs >> 16u) - EXCESS;
}
