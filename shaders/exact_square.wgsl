// An element with itself.
fn take(mine: Local, bits: Bits, index: u32) -> Local { return take_product(mine, bits, bits); }

fn fold(mine: Local, quad: vec4<u32>, index: u32) -> Local {
    return take(take(take(take(mine, quad.x, index), quad.y, index), quad.z, index), quad.w, index);
}
