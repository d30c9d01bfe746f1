// The least and the largest of four bytes: the upper one of a word decides, whatever lies below it.
//
// Expects: FLIP, what turns bytes into ranks of 8 bits; BASE, what takes those to where words have them.
const BELOW = 24u;
fn ends_of(word: u32) -> vec2<u32> {
    let a = word ^ FLIP;
    let b = a << 8u;
    let c = a << 16u;
    let d = a << 24u;
    return vec2<u32>(min(min(a, b), min(c, d)), max(max(a, b), max(c, d)));
}
fn full(rank: u32) -> u32 { return rank + BASE; }
fn any_nan(vector: vec4<u32>) -> bool { return false; }
