// The two halves of a pair.
fn take(mine: Local, bits: Bits, index: u32) -> Local { return take_product(mine, bits.x, bits.y); }
