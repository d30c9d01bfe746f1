// How long numbers add up in an f64 that holds their sum exactly: 64 vectors of a window of sizes, behind which the sum goes to the
// bins. What lies outside of the window goes there at once; where much does, another window begins, and at last none.
//
// Expects: FIELD, the place of the exponent in a size, a float's upper word without its sign; ONE, that of 1; WINDOW, the exponents
// of a window; ABOVE, those above the first vector's; LEAST_TOP and MOST_TOP, between which a window ends.

const ROOM = 64u;      // vectors that a sum takes
const FIRST = 8u;      // those that it takes in a window that may be no good
const OUTSIDE = 2u;    // those outside of a window that is good, at most
const TRIES = 6u;      // windows that were no good, until there is none any more

struct Window {
    top: u32,    // sizes in it are less; 0: none is
    room: u32,   // vectors that the sum still takes
    apart: u32,  // those since it began that lay outside
    tries: u32,
}

fn no_window() -> Window { return Window(0u, 0u, OUTSIDE + 1u, 0u); }

// That of the next sum: the same or, where that was no good, one of sizes like this one; of zeros one of numbers like 1.
fn next_window(before: Window, largest: u32) -> Window {
    if before.apart <= OUTSIDE { return Window(before.top, ROOM, 0u, before.tries); }
    let size = select(largest, ONE, largest == 0u);
    let top = ((size >> FIELD) + ABOVE + 1u) << FIELD;
    let more = before.tries < TRIES;
    let fits = more & (top >= LEAST_TOP << FIELD) & (top <= MOST_TOP << FIELD);
    return Window(select(0u, top, fits), select(0x40000000u, FIRST, more), 0u, before.tries + 1u);
}

// Sizes are told by the least and the largest of them, the least one less, so that 0 is the most of all.
fn both_sizes(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return vec2<u32>(min(a.x, b.x), max(a.y, b.y)); }

// Whether the window has all sizes that are not 0.
fn has(window: Window, sizes: vec2<u32>) -> bool {
    return (sizes.y < window.top) & (sizes.x >= window.top - (WINDOW << FIELD) - 1u);
}
