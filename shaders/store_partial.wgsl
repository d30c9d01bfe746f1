// Leaves an accumulator as it is, for the next pass.
@group(0) @binding(3) var<storage, read_write> kept: array<Acc>;

fn store(acc: Acc, slot: u32) { kept[slot] = acc; }
