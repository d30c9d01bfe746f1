// A digit of 16 bits (x), and what remains (y): of `rest`, less than `by`, whose highest bit is set, and `next` behind it. Source:
// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D.
fn next_digit(rest: u32, next: u32, by: u32) -> vec2<u32> {
    let upper = by >> 16u;
    let lower = by & 0xffffu;
    var digit = rest / upper;
    var over = rest - digit * upper;
    // Too many by two at most.
    for (var k = 0u; k < 2u; k++) {
        if (over >> 16u == 0u) & (digit * lower > ((over << 16u) | next)) {
            digit--;
            over += upper;
        }
    }
    return vec2<u32>(digit, ((rest << 16u) | next) - digit * by);
}
