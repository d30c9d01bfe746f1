// A sum of signed significands up to 31 bits above a base, in one integer of 64 bits. 255 of them have room.

alias Wide = i64;

// The significand of an f32, so many bits up. Subnormals lack the leading one, and stand where the least exponent does.
fn wide_of(bits: u32, left: u32) -> Wide {
    let sign = bitcast<i32>(bits) >> 31u;
    let significand = (bits & 0x7fffffu) | min(bits & 0x7fffffffu, 0x800000u);
    return i64((bitcast<i32>(significand) ^ sign) - sign) << left;
}

fn wide_sum(a: Wide, b: Wide) -> Wide { return a + b; }

fn wide_words(a: Wide) -> vec2<u32> {
    let words = u64(a);
    return vec2<u32>(u32(words & 0xfffffffflu), u32(words >> 32u));
}

fn wide_of_words(words: vec2<u32>) -> Wide { return i64((u64(words.y) << 32u) | u64(words.x)); }
