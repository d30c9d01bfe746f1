// The sum, rounded once to f32: one look at each limb from the lowest up, no index but constants. A line that ends in
// `for K` is repeated for each K.
//
// Expects: exact/accumulator.wgsl, specials.wgsl; EXPONENT_MIN, the place of an f32's last digit at least.

// The limbs of a sum's size that have been looked at.
struct Looked {
    carry: u32,       // what negating them carries
    two: vec2<u32>,   // the last one, and the one below
    below: u32,       // bits of those below these
    top: vec3<u32>,   // the highest one that is not 0, and the two below
    rest: u32,        // bits of those below these
    place: i32,       // bits below the highest
}

fn look(done: Looked, limb: u32, sign: u32, place: i32) -> Looked {
    let next = limb_sum(limb ^ sign, 0u, done.carry);
    let here = next.x != 0u;
    return Looked(
        next.y,
        vec2<u32>(next.x, done.two.x),
        done.below | done.two.y,
        select(done.top, vec3<u32>(next.x, done.two), here),
        select(done.rest, done.below, here),
        select(done.place, place, here),
    );
}

fn rounded_f32(acc: Acc, count: vec2<u32>) -> u32 {
    let sign = select(0u, 0xffffffffu, is_negative(acc));
    var size = Looked(sign & 1u, vec2<u32>(), 0u, vec3<u32>(), 0u, 0i);
    size = look(size, acc.limbs[K], sign, 32i * i32(K));  // for K in 0..LIMBS

    // 64 bits from the highest down.
    let zeros = countLeadingZeros(size.top.x) & 31u;
    let below = (size.top.yz >> vec2<u32>(1u)) >> vec2<u32>(31u - zeros);
    let bits = (size.top.xy << vec2<u32>(zeros)) | below;
    let rest = bits.y | (size.top.z << zeros) | size.rest;
    // 25 of them, the last behind the digits; fewer where these end above.
    let highest = size.place + 31i - i32(zeros);
    let at = max(highest - 23i, EXPONENT_MIN);
    let more = u32(clamp(at - highest + 23i, 0i, 25i));
    let digits = (bits.x >> 7u) >> more;
    let cut = ((digits << more) << 7u) != bits.x;
    return with_specials(acc, pack(digits >> 1u, at, (digits & 1u) == 1u, cut | (rest != 0u)), count);
}
