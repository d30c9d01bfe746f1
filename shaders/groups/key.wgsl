// The group of one element among those here, by its place; none of those where it is another's, or behind the end.
//
// Expects: keys, params (groups/keys.wgsl).

fn groups_at(i: u32) -> u32 {
    let n = keys[params.stride + min(i, params.count - 1u)] - params.grid_stride;
    return select(0xffffffffu, n, i < params.count);
}
