// The lowest rank of eight floats of 16 bits: the upper half of a word decides, whatever lies below it.
//
// Expects: ranks, any_nan (extreme/float_halves.wgsl); full (extreme/f16.wgsl or bf16.wgsl).
fn lower(word: u32) -> u32 { return min(word, word << 16u); }

fn least_of(vector: vec4<u32>) -> u32 {
    let front = min(lower(ranks(vector.x)), lower(ranks(vector.y)));
    let back = min(lower(ranks(vector.z)), lower(ranks(vector.w)));
    return select(full(min(front, back) >> 16u), 0u, any_nan(vector));
}
