// Every pair of 64 bits adds to the counter of its two bins.
//
// Expects: count_pair (histogram/count_pair.wgsl); x_bin_of, y_bin_of (histogram/wide.wgsl, once for each axis).
fn accumulate(state: State, bits: Bits, index: u32) -> State {
    count_pair(state, x_bin_of(bits.xy), y_bin_of(bits.zw));
    return state;
}
