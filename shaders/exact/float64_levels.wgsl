// A sum in two f64 of an invocation, which hold it exactly. `high` begins at a power of two larger than twice all numbers together,
// or, where none is negative, than all of them: what is added to it is rounded to its last place, to nearest. `low` takes what
// that leaves.
//
// Expects: State, with a window, whose top is 0 where its sums hold nothing; put_sums, which adds them to the bins.

struct Levels {
    high: f64,
    low: f64,
}

fn float64_of(bits: vec2<u32>) -> f64 { return bitcast<f64>((u64(bits.y) << 32u) | u64(bits.x)); }

fn words_of(x: f64) -> vec2<u32> {
    let bits = bitcast<u64>(x);
    return vec2<u32>(u32(bits), u32(bits >> 32u));
}

// The power of two whose exponent's field is this.
fn power_of(exponent: u32) -> f64 { return float64_of(vec2<u32>(0u, exponent << 20u)); }

fn put_held(state: State) {
    if state.window.top != 0u { put_sums(state); }
}

// The same number. A compiler that does not know `zero` does not put b in the place of (a + b) - a, as Mesa's does.
fn opaque(x: f64, zero: u32) -> f64 { return bitcast<f64>(bitcast<u64>(x) | u64(zero)); }

// With a number more. No top of a window has its first bit set.
fn with_one(levels: Levels, x: f64, window: Window) -> Levels {
    let sum = opaque(levels.high + x, window.top & 1u);
    return Levels(sum, levels.low + (x - (sum - levels.high)));
}

// With two.
fn with_two(levels: Levels, x: f64, y: f64, window: Window) -> Levels {
    let zero = window.top & 1u;
    let first = opaque(levels.high + x, zero);
    let second = opaque(first + y, zero);
    return Levels(second, levels.low + ((x - (first - levels.high)) + (y - (second - first))));
}
