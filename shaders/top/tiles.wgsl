// The lowest rank of each tile of elements, and where the tile begins; of a tile of one element that is its rank and its index.
//
// Expects: WORKGROUP_SIZE, LOADS; Bits, lower, WORST (top/ranks.wgsl or ranks_wide.wgsl); rank; element (load/); add64.
struct Params {
    first: u32,     // first element of the window, counted from that of its binding
    elements: u32,  // elements of the window
    window: u32,    // its number
    low: u32,       // index of its first element
    high: u32,
    size: u32,      // elements of a tile
    lanes: u32,     // invocations that share a tile, a power of two
    parts: u32,     // tiles of each tile of the list; 0: those of the window, one behind the other
    tiles: u32,
    at: u32,        // place of the first of them among all candidates
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> list: array<vec2<u32>>;          // (window, first element) of what is cut
@group(0) @binding(4) var<storage, read_write> ranks: array<Bits>;        // of candidates
@group(0) @binding(5) var<storage, read_write> starts: array<vec2<u32>>;  // where they begin; all ones: no element is there

var<workgroup> lowest: array<Bits, WORKGROUP_SIZE>;

fn lower_of(a: Bits, b: Bits) -> Bits { return select(a, b, lower(b, a)); }

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let own = local % params.lanes;
    let together = WORKGROUP_SIZE / params.lanes;
    for (var before = workgroup.x * together; before < params.tiles; before += workgroups.x * together) {
        let tile = before + local / params.lanes;
        var start = tile * params.size;
        var here = tile < params.tiles;
        if params.parts > 0u {
            let from_tile = list[min(tile, params.tiles - 1u) / params.parts];
            start = from_tile.y + tile % params.parts * params.size;
            here &= from_tile.x == params.window;
        }
        let there = here & (start < params.elements);
        let count = select(0u, min(params.size, params.elements - min(start, params.elements)), there);
        let begin = params.first + start;
        var mine = WORST;
        for (var i = own; i < count; i += LOADS * params.lanes) {
            let rank_K = rank(element(begin + min(i + K * params.lanes, count - 1u)));  // for K in 0..LOADS
            mine = lower_of(mine, rank_K);  // for K in 0..LOADS
        }
        workgroupBarrier();
        lowest[local] = mine;
        for (var d = params.lanes / 2u; d > 0u; d /= 2u) {
            workgroupBarrier();
            if own < d { lowest[local] = lower_of(lowest[local], lowest[local + d]); }
        }
        if here & (own == 0u) {
            ranks[params.at + tile] = lowest[local];
            var place = vec2<u32>(params.window, start);
            if params.size == 1u { place = add64(vec2<u32>(params.low, params.high), vec2<u32>(start, 0u)); }
            starts[params.at + tile] = select(vec2<u32>(0xffffffffu, 0xffffffffu), place, there);
        }
    }
}
