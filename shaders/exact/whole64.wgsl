// Whole numbers of 64 bits as terms of exact sums: their sizes without a sign.
//
// Expects: below(bits), all ones of a negative number, else 0.

fn magnitude_of(bits: vec2<u32>) -> vec2<u32> {
    return add64(bits ^ vec2<u32>(below(bits)), vec2<u32>(below(bits) & 1u, 0u));
}
