// The chosen elements, the best first: each goes behind as many as are better. Where there is room for more, all ones.
//
// Expects: WORKGROUP_SIZE; Bits, WORDS, words_of, lower, same (top/ranks.wgsl); tie, unrank; results, write (top/write.wgsl).
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

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
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
        write(to, params.at, params.room, value, index);
    }
    if i == 0u {
        let end = params.at + params.room * (WORDS + 2u);
        if params.counted != 0u { results[end] = params.chosen; }
        if params.seal != 0u { results[end + 1u] = params.seal; }
    }
}
