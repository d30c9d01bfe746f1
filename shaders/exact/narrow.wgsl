// The upper end of an exact sum, in as many limbs as any rounding asks for: what lies below them is at most told by one bit.

const narrow_LIMBS = 6u;

// An exact sum from limb `base` on. Where limbs below are not 0, the lowest bit is set: an odd number lies between the same two
// even ones as what it stands for, and what roundings decide by is even.
struct narrow_Acc {
    flags: u32,
    base: u32,
    limbs: array<u32, narrow_LIMBS>,
}
