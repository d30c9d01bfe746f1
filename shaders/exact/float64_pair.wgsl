// Vectors of loads, two at once: the first one, or both where as many are left. Where the window has both, they add up after one
// question.
//
// Expects: State; largest_size, least_size, with_noted, with_inside; with_room, with_vector (exact/float64_vectors.wgsl);
// both_sizes, has (exact/float64_window.wgsl).

fn sizes_of(vector: vec4<u32>) -> vec2<u32> {
    let largest = largest_size(vector);
    return vec2<u32>(least_size(vector, largest), largest);
}

fn accumulate_pair(state: State, front: vec4<u32>, back: vec4<u32>, left: u32, index: u32) -> State {
    let of_front = sizes_of(front);
    let of_back = sizes_of(back);
    let sizes = both_sizes(of_front, of_back);
    var all = with_room(state, 2u, sizes.y);
    if (left > 1u) & has(all.window, sizes) {
        all = with_noted(with_noted(all, front), back);
        return with_inside(with_inside(all, front), back);
    }
    if left > 0u { all = with_vector(all, front, of_front); }
    if left > 1u { all = with_vector(all, back, of_back); }
    return all;
}
