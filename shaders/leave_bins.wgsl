// What the workgroup's bins hold, limb by limb and not carried, for combine_bins.wgsl: a column (x, y, z) and the flags.
// The first limb's columns of all workgroups lie together, then the second's.
@group(0) @binding(3) var<storage, read_write> kept: array<vec4<u32>>;

fn leave(mine: Local, who: Invocation, slot: u32) {
    add_bins(flags_of(mine), who);
    let partials = arrayLength(&kept) / COLUMNS;
    for (var j = who.local; j < COLUMNS; j += WORKGROUP_SIZE) {
        kept[j * partials + slot] = vec4<u32>(column(j), atomicLoad(&bins_flags));
    }
}
