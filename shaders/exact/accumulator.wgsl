// An exact sum: a two's complement integer of LIMBS words, low word first, in units of the smallest term, and flags for inputs
// that an integer cannot represent. Addition of integers has no rounding, so order, geometry and device cannot show.

const FLAG_NAN = 1u;    // a NaN
const FLAG_PLUS = 2u;   // +inf
const FLAG_MINUS = 4u;  // -inf
const FLAG_OTHER = 8u;  // anything but -0

// The sum of two limbs and what the ones below carry: its limb, and what that carries. Where an invocation has many of them, the
// highest bits of both and of the sum tell that sooner than two comparisons do (src/ops/exact.rs has the times).
fn limb_sum(a: u32, b: u32, carry: u32) -> vec2<u32> {
    let x = a + b;
    let y = x + carry;
    if LIMBS >= 20u { return vec2<u32>(y, ((a & b) | ((a | b) & ~y)) >> 31u); }
    return vec2<u32>(y, select(0u, 1u, x < a) + select(0u, 1u, y < x));
}

// 64 bits, two's complement, as 96.
fn widened(a: vec2<u32>) -> vec3<u32> { return vec3<u32>(a, bitcast<u32>(bitcast<i32>(a.y) >> 31u)); }

fn add96(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> {
    let low = add64(a.xy, b.xy);
    let carry = select(0u, 1u, (low.y < a.y) | ((low.y == a.y) & (low.x < a.x)));
    return vec3<u32>(low, a.z + b.z + carry);
}

fn subtract96(a: vec3<u32>, b: vec3<u32>) -> vec3<u32> { return add96(add96(a, ~b), vec3<u32>(1u, 0u, 0u)); }
