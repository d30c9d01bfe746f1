// The sum, rounded once to f32: one look at each limb from the lowest up, no index but constants. A line that ends in
// `for K` is repeated for each K.
//
// Expects: exact/accumulator.wgsl, specials.wgsl; EXPONENT_MIN, the place of an f32's last digit at least.

// The limbs of a sum's size that have been looked at.
struct Looked {
    carry: u32,        // what negating them carries
    three: vec3<u32>,  // the last one, and the two below
    below: u32,        // bits of those below these
    top: vec4<u32>,    // the highest one that is not 0, and the three below
    rest: u32,         // bits of those below these
    place: i32,        // bits below the highest
}

fn look(done: Looked, limb: u32, sign: u32, place: i32) -> Looked {
    let next = limb_sum(limb ^ sign, 0u, done.carry);
    let here = next.x != 0u;
    return Looked(
        next.y,
        vec3<u32>(next.x, done.three.xy),
        done.below | done.three.z,
        select(done.top, vec4<u32>(next.x, done.three), here),
        select(done.rest, done.below, here),
        select(done.place, place, here),
    );
}

// The size of a sum, from its highest bit down.
struct Leading {
    bits: vec3<u32>,  // 96 of them, the upper word in x
    rest: u32,        // bits of those below
    highest: i32,     // the place of the first
}

fn leading(acc: Acc) -> Leading {
    let sign = select(0u, 0xffffffffu, is_negative(acc));
    var size = Looked(sign & 1u, vec3<u32>(), 0u, vec4<u32>(), 0u, 0i);
    size = look(size, acc.limbs[K], sign, 32i * i32(K));  // for K in 0..LIMBS
    let zeros = countLeadingZeros(size.top.x) & 31u;
    let below = (size.top.yzw >> vec3<u32>(1u)) >> vec3<u32>(31u - zeros);
    let bits = (size.top.xyz << vec3<u32>(zeros)) | below;
    return Leading(bits, (size.top.w << zeros) | size.rest, size.place + 31i - i32(zeros));
}

// The f32 nearest to a size whose first 32 bits are these, by 25 of them, the last behind the digits; fewer where these end above.
fn nearest(bits: u32, rest: u32, highest: i32) -> u32 {
    let at = max(highest - 23i, EXPONENT_MIN);
    let more = u32(clamp(at - highest + 23i, 0i, 25i));
    let digits = (bits >> 7u) >> more;
    let cut = ((digits << more) << 7u) != bits;
    return pack(digits >> 1u, at, (digits & 1u) == 1u, cut | (rest != 0u));
}

fn rounded_f32(acc: Acc, count: vec2<u32>) -> u32 {
    let size = leading(acc);
    return with_specials(acc, nearest(size.bits.x, size.bits.y | size.bits.z | size.rest, size.highest), count);
}
