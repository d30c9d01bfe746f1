// How long numbers add up in an f64 that holds their sum exactly: 64 vectors of a window of sizes, behind which the sum goes to the
// bins. What lies outside of the window goes there at once; where much does, another window begins, and at last none.
//
// Expects: WINDOW, the exponents of a window; ABOVE, those above the first vector's; LEAST_TOP and MOST_TOP, between which a window
// ends; all as fields of an f32's exponent.

const VECTORS = 64u;   // that a sum takes
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
    if before.apart <= OUTSIDE { return Window(before.top, VECTORS, 0u, before.tries); }
    let size = select(largest, 0x3f800000u, largest == 0u);
    let top = (size & 0x7f800000u) + ((ABOVE + 1u) << 23u);
    let more = before.tries < TRIES;
    let fits = more & (top >= LEAST_TOP << 23u) & (top <= MOST_TOP << 23u);
    return Window(select(0u, top, fits), select(0x40000000u, FIRST, more), 0u, before.tries + 1u);
}

fn largest_of(sizes: vec4<u32>) -> u32 { return max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)); }

// Whether the window has all of these sizes that are not 0.
fn has(window: Window, sizes: vec4<u32>, largest: u32) -> bool {
    let before = sizes - vec4<u32>(1u);  // of 0 the most of all
    let least = min(min(before.x, before.y), min(before.z, before.w));
    return (largest < window.top) & (least >= window.top - (WINDOW << 23u) - 1u);
}
