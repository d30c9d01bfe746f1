// Every pair of 32 bits adds to the counter of its two bins.
//
// Expects: count_pair (histogram/count_pair.wgsl); x_bins_of, y_bins_of (histogram/of_all.wgsl, once for each axis).

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    count_pair(state, x_bins_of(bits.xxxx).x, y_bins_of(bits.yyyy).x);
    return state;
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let x = x_bins_of(vector.xzxz);
    let y = y_bins_of(vector.ywyw);
    count_pair(state, x.x, y.x);
    count_pair(state, x.y, y.y);
    return state;
}
