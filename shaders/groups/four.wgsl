// Four neighbours at a time, and their keys: vectors of both are counted.
//
// Expects: load (load/word.wgsl); keys, params (groups/keys.wgsl); add_element, carry_element (groups/cells.wgsl).

alias Items = vec4<u32>;

fn items_at(v: u32) -> Items { return load(params.first + min(v, params.count - 1u)); }

fn groups_at(v: u32) -> vec4<u32> {
    let groups = keys[params.stride + min(v, params.count - 1u)] - vec4<u32>(params.grid_stride);
    return select(vec4<u32>(0xffffffffu), groups, v < params.count);
}

fn add_items(groups: vec4<u32>, replica: u32, vector: Items) -> vec4<u32> {
    let x = add_element(groups.x, replica, vector.x);
    let y = add_element(groups.y, replica, vector.y);
    let z = add_element(groups.z, replica, vector.z);
    let w = add_element(groups.w, replica, vector.w);
    return vec4<u32>(x, y, z, w);
}

fn carry_items(groups: vec4<u32>, replica: u32, vector: Items, left: vec4<u32>) {
    carry_element(groups.x, replica, vector.x, left.x);
    carry_element(groups.y, replica, vector.y, left.y);
    carry_element(groups.z, replica, vector.z, left.z);
    carry_element(groups.w, replica, vector.w, left.w);
}
