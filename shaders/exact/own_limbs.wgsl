// A counter of 64 bits, with a sign, for each limb, which belong to one invocation and are touched only where a window of four of
// them in registers moves. What stays in the window is a narrow sum, which ends without them.
//
// Expects: State, with flags, base, low and high (exact/f64_window.wgsl); exact/narrow.wgsl.

var<private> own: array<vec2<u32>, LIMBS>;
var<private> own_used: bool;

fn is_narrow() -> bool { return !own_used; }

fn to_narrow(state: State) -> narrow_Acc {
    var acc = narrow_Acc(state.flags, state.base, array<u32, narrow_LIMBS>());
    var low = state.low;
    var high = state.high;
    var carry = vec3<u32>();
    for (var j = 0u; j < narrow_LIMBS; j++) {
        carry = add96(carry, widened(vec2<u32>(low.x, high.x)));
        acc.limbs[j] = carry.x;
        carry = carried(carry);
        low = vec4<u32>(low.yzw, 0u);
        high = vec4<u32>(high.yzw, 0u);
    }
    return acc;
}

// What is above a limb.
fn carried(sum: vec3<u32>) -> vec3<u32> { return widened(sum.yz); }

fn own_add(limb: u32, low: u32, high: u32) {
    if (low | high) == 0u { return; }
    own[limb] = add64(own[limb], vec2<u32>(low, high));
    own_used = true;
}

fn put_window(state: State) {
    own_add(state.base, state.low.x, state.high.x);
    own_add(state.base + 1u, state.low.y, state.high.y);
    own_add(state.base + 2u, state.low.z, state.high.z);
    own_add(state.base + 3u, state.low.w, state.high.w);
}

// Carries: the invocation's own sum. The counters are empty afterwards: an invocation may go on with another segment.
fn to_acc(state: State, id: Invocation) -> Acc {
    var acc = Acc();
    acc.flags = state.flags;
    if is_narrow() {
        let narrow = to_narrow(state);
        for (var j = 0u; j < narrow_LIMBS; j++) { acc.limbs[state.base + j] = narrow.limbs[j]; }
        let negative = narrow.limbs[narrow_LIMBS - 1u] >> 31u == 1u;
        let upper = select(LIMBS, state.base + narrow_LIMBS, negative);
        for (var j = upper; j < LIMBS; j++) { acc.limbs[j] = 0xffffffffu; }
        return acc;
    }
    put_window(state);
    own_used = false;
    var carry = vec3<u32>();
    for (var j = 0u; j < LIMBS; j++) {
        carry = add96(carry, widened(own[j]));
        own[j] = vec2<u32>();
        acc.limbs[j] = carry.x;
        carry = carried(carry);
    }
    return acc;
}
