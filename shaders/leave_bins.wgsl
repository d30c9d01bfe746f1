// The workgroup's bins, for combine_bins.wgsl.
@group(0) @binding(3) var<storage, read_write> kept: array<Bins>;

fn leave(mine: Local, who: Invocation, slot: u32) {
    add_copies(flags_of(mine), who);
    for (var pair = who.local; pair < BINS / 2u; pair += WORKGROUP_SIZE) {
        kept[slot].pairs[pair] = vec4<u32>(held_in(pair), held_in(BINS / 2u + pair));
    }
    if who.local == 0u { kept[slot].flags = atomicLoad(&bins_flags); }
}
