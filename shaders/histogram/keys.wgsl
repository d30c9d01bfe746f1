// The slot of each element, its bin or what it is beside the bins, as the key of a group. An invocation has four elements of a tile
// at a time; neighbouring invocations have neighbours.
//
// Expects: bins_of (histogram/of_all.wgsl); WORKGROUP_SIZE.

struct Params {
    places: vec4<u32>,  // what param gives histogram/places.wgsl
    first: u32,         // word of the first element
    count: u32,         // elements, at least one
    output: u32,        // word of the first slot
}

@group(0) @binding(0) var<storage, read> elements: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> slots: array<u32>;
@group(0) @binding(3) var<uniform> params: Params;

const TILE = 4u * WORKGROUP_SIZE;

fn param(i: u32) -> u32 { return params.places[i]; }
fn entry(i: u32) -> u32 { return table[i]; }

fn store_slot(place: u32, slot: u32) {
    if place < params.count { slots[params.output + place] = slot; }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    for (var tile = workgroup.x * TILE; tile < params.count; tile += workgroups.x * TILE) {
        let places = tile + local + vec4<u32>(0u, 1u, 2u, 3u) * WORKGROUP_SIZE;
        // Places past the end are read as the last element, and not written.
        let at = params.first + min(places, vec4<u32>(params.count - 1u));
        let found = bins_of(vec4<u32>(elements[at.x], elements[at.y], elements[at.z], elements[at.w]));
        store_slot(places.x, found.x);
        store_slot(places.y, found.y);
        store_slot(places.z, found.z);
        store_slot(places.w, found.w);
    }
}
