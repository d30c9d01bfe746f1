// f32 behind a window of 32 exponents in registers: three signed words of 20-bit slices, which go to the invocation's
// bins when an exponent leaves the window, or after 1024 elements.

struct Local {
    base: u32,          // the exponent at which the window begins
    held: u32,          // elements in it
    slices: vec3<i32>,  // sums of bits 0..20, 20..40, 40..60 above the base
    top: i32,           // extremes of the patterns, as in exact_f32_shared.wgsl
    low: u32,
}

fn begin(who: Invocation) -> Local { return Local(0u, 0u, vec3<i32>(), -2147483647i - 1i, 0u); }

fn settle(mine: Local) {
    for (var s = 0u; s < 3u; s++) {
        let slices = mine.slices;
        scatter(vec2<u32>(bitcast<u32>(abs(slices[s])), 0u), mine.base + 20u * s, slices[s] < 0i, 0u);
    }
}

fn take(mine: Local, bits: Bits, index: u32) -> Local {
    let size = bits & 0x7fffffffu;
    let significand = (bits & 0x7fffffu) | min(size, 0x800000u);
    let exponent = max(size, 0x800000u) >> 23u;
    var all = mine;
    if exponent - all.base > 31u | all.held == 1024u {
        settle(all);
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.slices = vec3<i32>();
    }
    let left = exponent - all.base;
    let low = significand << left;
    let high = (significand >> 1u) >> (31u - left);
    let slices = vec3<u32>(low & 0xfffffu, ((low >> 20u) | (high << 12u)) & 0xfffffu, high >> 8u);
    let sign = vec3<u32>(bitcast<u32>(bitcast<i32>(bits) >> 31u));
    all.slices += bitcast<vec3<i32>>((slices ^ sign) - sign);
    all.held++;
    all.top = max(all.top, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}

fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    return take(take(take(take(mine, quad.x, index), quad.y, index), quad.z, index), quad.w, index);
}

