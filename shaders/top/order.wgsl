// The chosen elements, the best first: each goes behind as many as are better. Where there is room for more, all ones.
//
// Expects: WORKGROUP_SIZE; Bits, WORDS, words_of, lower, same (top/ranks.wgsl); tie, unrank.
struct Params {
    chosen: u32,
    room: u32,     // elements of the output
    at: u32,       // word of the first
    counted: u32,  // whether their number follows the indices
    seal: u32,     // the word that follows that, where it is not 0
}

@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> list: array<vec2<u32>>;         // indices, in their order
@group(0) @binding(4) var<storage, read> best: array<Bits>;              // ranks
@group(0) @binding(5) var<storage, read_write> results: array<u32>;      // elements, then indices (low, high)

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let indices = params.at + params.room * WORDS;
    if i < params.room {
        var to = i;
        var value = vec2<u32>(0xffffffffu, 0xffffffffu);
        var index = value;
        if i < params.chosen {
            let own = tie(best[i]);
            to = 0u;
            for (var j = 0u; j < params.chosen; j++) {
                let other = tie(best[j]);
                to += select(0u, 1u, lower(other, own) | (same(other, own) & (j < i)));
            }
            value = words_of(unrank(best[i]));
            index = list[i];
        }
        results[params.at + to * WORDS] = value.x;
        if WORDS == 2u { results[params.at + to * WORDS + 1u] = value.y; }
        results[indices + 2u * to] = index.x;
        results[indices + 2u * to + 1u] = index.y;
    }
    if i == 0u {
        let end = indices + 2u * params.room;
        if params.counted != 0u { results[end] = params.chosen; }
        if params.seal != 0u { results[end + 1u] = params.seal; }
    }
}
