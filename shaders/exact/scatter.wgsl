// Numbers of up to 64 bits at any place, into one bin for each limb and sign: limb j's positive part in bin j, its negative
// part in bin LIMBS + j.

// Adds amount·2^at, negative or not; `at` counts bits from the unit.
fn scatter(amount: vec2<u32>, at: u32, negative: bool, replica: u32) {
    let bin = at / 32u + select(0u, LIMBS, negative);
    let left = at % 32u;
    let right = 31u - left;
    bin_add(bin, replica, amount.x << left);
    bin_add(bin + 1u, replica, (amount.y << left) | ((amount.x >> 1u) >> right));
    let rest = (amount.y >> 1u) >> right;
    if rest != 0u { bin_add(bin + 2u, replica, rest); }
}
