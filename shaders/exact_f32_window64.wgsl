// f32 behind a window of 32 exponents in one 64-bit integer, which goes to the invocation's bins when an exponent leaves
// the window, or after 128 elements. Needs 64-bit integers in shaders.

struct Local {
    base: u32,   // the exponent at which the window begins
    held: u32,   // elements in it
    window: i64,
    top: i32,    // extremes of the patterns, as in exact_f32_shared.wgsl
    low: u32,
}

fn begin(who: Invocation) -> Local { return Local(0u, 0u, 0li, -2147483647i - 1i, 0u); }

fn settle(mine: Local) {
    let size = u64(abs(mine.window));
    scatter(vec2<u32>(u32(size & 0xfffffffflu), u32(size >> 32u)), mine.base, mine.window < 0li, 0u);
}

fn take(mine: Local, bits: Bits, index: u32) -> Local {
    let size = bits & 0x7fffffffu;
    let significand = (bits & 0x7fffffu) | min(size, 0x800000u);
    let exponent = max(size, 0x800000u) >> 23u;
    var all = mine;
    if exponent - all.base > 31u | all.held == 128u {
        settle(all);
        all.base = exponent - min(exponent, 24u);
        all.held = 0u;
        all.window = 0li;
    }
    let amount = i64(significand) << (exponent - all.base);
    all.window += select(amount, -amount, bits >> 31u == 1u);
    all.held++;
    all.top = max(all.top, bitcast<i32>(bits));
    all.low = max(all.low, bits);
    return all;
}

fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    return take(take(take(take(mine, quad.x, index), quad.y, index), quad.z, index), quad.w, index);
}

