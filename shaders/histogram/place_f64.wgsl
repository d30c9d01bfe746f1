// The place of an f64 among equal bins, about: f32 that hold its upper 24 digits and the others, less those of the lowest edge,
// times the bins a unit.
//
// Expects: param (the lowest edge as two f32, the bins a unit).

// The f32 of 24 digits, the first one at this place; 0 or far away where an f32 has no such place.
fn near_f32(digits: u32, place: i32) -> f32 {
    if place > 127i { return 0x1.fffffep+127; }
    return select(f32(digits) * 0x1p-23 * bitcast<f32>(u32(place + 127i) << 23u), 0.0, place < -126i);
}

fn place_of(bits: vec2<u32>) -> f32 {
    let place = i32((bits.y >> 20u) & 2047u) - 1023i;
    let sign = select(1.0, -1.0, bits.y >> 31u == 1u);
    let upper = near_f32(0x800000u | ((bits.y & 0xfffffu) << 3u) | (bits.x >> 29u), place);
    let lower = near_f32((bits.x >> 5u) & 0xffffffu, min(place - 24i, 103i));
    let distance = (sign * upper - bitcast<f32>(param(0u))) + (sign * lower - bitcast<f32>(param(1u)));
    return distance * bitcast<f32>(param(2u));
}

// A place is off by less than this.
fn off() -> f32 { return bitcast<f32>(param(3u)); }
