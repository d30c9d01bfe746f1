// What a workgroup leaves for the next pass: its bins, not carried; a positive and a negative one, (low, high) each, at a time.
struct Bins {
    pairs: array<vec4<u32>, BINS / 2u>,
    flags: u32,
}
