// The parameters of all passes over runs of equal keys.
struct Params {
    first: u32,   // word of the first key
    count: u32,   // keys
    tiles: u32,   // tiles of keys
    room: u32,    // runs for which the outputs have room
    offset: u32,  // word of the first offset
    key: u32,     // word of the first key that is written
    number: u32,  // word of the number of runs
    seal: u32,    // the word that follows it, where it is not 0
}

@group(0) @binding(7) var<uniform> params: Params;

// Keys of a tile, and the words of bits that they take: one an invocation.
const TILE = 32u * WORKGROUP_SIZE;
