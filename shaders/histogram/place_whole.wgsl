// The place of a whole number of 64 bits among equal bins, about: its distance from a whole number that is not above the lowest
// edge, as an integer, times the bins a unit, less the place of the edge.
//
// Expects: key (element/*.wgsl), add64, less64, float64; param (that number's key, the bins a unit, the edge's place from there).
fn place_of(bits: vec2<u32>) -> f32 {
    let k = key(bits);
    let first = vec2<u32>(param(0u), param(1u));
    // What lies below has no place.
    if less64(k, first) { return -1.0; }
    let distance = add64(add64(k, ~first), vec2<u32>(1u, 0u));
    return float64(distance) * bitcast<f32>(param(2u)) - bitcast<f32>(param(3u));
}

// A place is off by less than this.
fn off() -> f32 { return bitcast<f32>(param(4u)); }
