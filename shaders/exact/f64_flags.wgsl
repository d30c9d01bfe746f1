// The flags of an f64, as two words.
fn double_flags(bits: vec2<u32>) -> u32 {
    let size = bits.y & 0x7fffffffu;
    let negative = bits.y >> 31u == 1u;
    let special = size >= 0x7ff00000u;
    let nan = special & (((size & 0xfffffu) | bits.x) != 0u);
    let infinite = special & !nan;
    return select(0u, FLAG_NAN, nan) | select(0u, select(FLAG_PLUS, FLAG_MINUS, negative), infinite)
        | select(0u, FLAG_OTHER, ((size | bits.x) != 0u) | !negative);
}
