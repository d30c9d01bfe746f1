// The cube of a whole number of 32 bits: 96 bits and what is above them.
//
// Expects: magnitude_of (exact/whole32.wgsl); below(bits), all ones of a negative number, else 0.

fn cube_of(bits: u32) -> array<u32, 6> {
    let size = magnitude_of(bits);
    let square = multiply32(size, size);
    let low = multiply32(square.x, size);
    let high = add64(multiply32(square.y, size), vec2<u32>(low.y, 0u));
    // Two's complement: none is negative and 0.
    let sign = below(bits);
    let words = add64(vec2<u32>(low.x, high.x) ^ vec2<u32>(sign), vec2<u32>(sign & 1u, 0u));
    let carry = select(0u, sign & 1u, (words.x | words.y) == 0u);
    return array<u32, 6>(words.x, words.y, (high.y ^ sign) + carry, sign, sign, sign);
}
