// The divisor of a spread (exact/spread.wgsl), in 128 bits, and the division by it, whose bits come one by one.

// n·(n - ddof)
fn divisor_of(count: vec2<u32>, ddof: u32) -> vec4<u32> {
    let rest = vec2<u32>(count.x - ddof, count.y - select(0u, 1u, count.x < ddof));
    return times(vec4<u32>(count, 0u, 0u), rest.x, rest.y);
}

// A number of up to 128 bits times one of 64, as long as 128 hold it.
fn times(a: vec4<u32>, low: u32, high: u32) -> vec4<u32> {
    return add128(times_word(a, low), vec4<u32>(0u, times_word(a, high).xyz));
}

fn times_word(a: vec4<u32>, factor: u32) -> vec4<u32> {
    let x = multiply32(a.x, factor);
    let y = add64(multiply32(a.y, factor), vec2<u32>(x.y, 0u));
    let z = add64(multiply32(a.z, factor), vec2<u32>(y.y, 0u));
    return vec4<u32>(x.x, y.x, z.x, multiply32(a.w, factor).x + z.y);
}

fn add128(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let low = add64(a.xy, b.xy);
    let carry = select(0u, 1u, (low.y < a.y) | ((low.y == a.y) & (low.x < a.x)));
    return vec4<u32>(low, add64(add64(a.zw, b.zw), vec2<u32>(carry, 0u)));
}

struct Division { rest: vec4<u32>, digit: u32 }

// Takes one more bit into the remainder, and whether the divisor fits.
fn divide_bit(rest: vec4<u32>, bit: u32, divisor: vec4<u32>) -> Division {
    let taken = (rest << vec4<u32>(1u)) | vec4<u32>(bit, rest.xyz >> vec3<u32>(31u));
    let low = subtract64(taken.xy, divisor.xy, 0u);
    let high = subtract64(taken.zw, divisor.zw, low.z);
    let fits = (rest.w >> 31u == 1u) | (high.z == 0u);
    return Division(select(taken, vec4<u32>(low.xy, high.xy), fits), select(0u, 1u, fits));
}

// a - b - borrow, and the next borrow.
fn subtract64(a: vec2<u32>, b: vec2<u32>, borrow: u32) -> vec3<u32> {
    let low = a.x - b.x;
    let low_borrow = select(0u, 1u, (a.x < b.x) | (low < borrow));
    let high = a.y - b.y;
    let high_borrow = select(0u, 1u, (a.y < b.y) | (high < low_borrow));
    return vec3<u32>(low - borrow, high - low_borrow, high_borrow);
}
