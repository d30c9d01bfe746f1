// A sum of signed significands up to 31 bits above a base: 64 bits, two's complement, in two words. 255 of them have room.

alias Wide = vec2<u32>;

// The significand of an f32, so many bits up. Subnormals lack the leading one, and stand where the least exponent does.
fn wide_of(bits: u32, left: u32) -> Wide {
    let sign = bitcast<i32>(bits) >> 31u;
    let significand = (bits & 0x7fffffu) | min(bits & 0x7fffffffu, 0x800000u);
    let amount = (bitcast<i32>(significand) ^ sign) - sign;
    return vec2<u32>(bitcast<u32>(amount) << left, bitcast<u32>((amount >> 1u) >> (31u - left)));
}

fn wide_sum(a: Wide, b: Wide) -> Wide { return add64(a, b); }

fn wide_words(a: Wide) -> vec2<u32> { return a; }
fn wide_of_words(words: vec2<u32>) -> Wide { return words; }
