// Numbers of 128 bits, low word first.

// The place of the highest bit that is set, of a number that is not 0.
fn highest128(a: vec4<u32>) -> u32 {
    let places = firstLeadingBit(a) + vec4<u32>(0u, 32u, 64u, 96u);
    return select(select(select(places.x, places.y, a.y > 0u), places.z, a.z > 0u), places.w, a.w > 0u);
}

// Up to 127 places to the left.
fn shifted(a: vec4<u32>, places: u32) -> vec4<u32> {
    let pairs = select(a, vec4<u32>(0u, 0u, a.xy), places >= 64u);
    let words = select(pairs, vec4<u32>(0u, pairs.xyz), (places & 32u) != 0u);
    let left = places & 31u;
    return (words << vec4<u32>(left)) | vec4<u32>(0u, (words.xyz >> vec3<u32>(1u)) >> vec3<u32>(31u - left));
}

// A number of up to 128 bits times one of 64, as long as 128 hold it.
fn times(a: vec4<u32>, low: u32, high: u32) -> vec4<u32> {
    return add128(times_word(a, low).words, vec4<u32>(0u, times_word(a, high).words.xyz));
}

// A product of 160 bits.
struct Product {
    words: vec4<u32>,
    above: u32,
}

fn times_word(a: vec4<u32>, factor: u32) -> Product {
    let x = multiply32(a.x, factor);
    let y = add64(multiply32(a.y, factor), vec2<u32>(x.y, 0u));
    let z = add64(multiply32(a.z, factor), vec2<u32>(y.y, 0u));
    let w = add64(multiply32(a.w, factor), vec2<u32>(z.y, 0u));
    return Product(vec4<u32>(x.x, y.x, z.x, w.x), w.y);
}

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = add64(a.xy, b.xy);
    let carry = select(0u, 1u, (low.y < a.y) | ((low.y == a.y) & (low.x < a.x)));
    return vec4<u32>(low, add64(add64(a.zw, b.zw), vec2<u32>(carry, 0u)));
}

// a - b - borrow, and the next borrow.
fn borrowed64(a: vec2<u32>, b: vec2<u32>, borrow: u32) -> vec3<u32> {
    let low = a.x - b.x;
    let low_borrow = select(0u, 1u, (a.x < b.x) | (low < borrow));
    let high = a.y - b.y;
    let high_borrow = select(0u, 1u, (a.y < b.y) | (high < low_borrow));
    return vec3<u32>(low - borrow, high - low_borrow, high_borrow);
}
