// Equal bins over a range, and three more: below, above, NaN. The place of an element among the bins is found in f32, as the
// mantissa of a sum with a power of two; where it lies near an edge, or beyond one, integer keys of the edges decide, so that
// counts are the same everywhere.
//
// Expects: param (place of 0, bins a unit, nearness and twice that, in units of the last place), entry (the edges'
// keys, and the slot of the highest of all), BASE (bits of the power of two), FRACTION (bits of a place's fraction), SLOTS, SAFE.

const INSIDE = SLOTS - 3u;  // bins within the range; then below, above, NaN

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

// The place: its power of two, then units of 2^-FRACTION bins. It is clamped as an integer, so NaN and what is out of range
// end at an edge too.
fn place_of(bits: u32) -> u32 {
    let place = fma(f32(value(bits)), bitcast<f32>(param(1u)), bitcast<f32>(param(0u)));
    return bitcast<u32>(clamp(bitcast<i32>(place), i32(BASE), i32(BASE + (INSIDE << FRACTION))));
}

fn bin_of(bits: u32) -> u32 {
    let place = place_of(bits);
    if ((place + param(2u)) & ((1u << FRACTION) - 1u)) > param(3u) { return (place >> FRACTION) - (BASE >> FRACTION); }
    return beside_edge(bits, place - BASE);
}

// The bin of an element that lies near an edge, or whose place is not known so well.
fn beside_edge(bits: u32, place: u32) -> u32 {
    if is_nan(bits) { return INSIDE + 2u; }
    // The highest key of all also means an edge above all elements; the slot of its element is known.
    if key(bits) == 0xffffffffu { return entry(INSIDE + 1u); }
    var edge = (place + (1u << (FRACTION - 1u))) >> FRACTION;
    if !SAFE { edge = search(key(bits)); }
    if key(bits) >= entry(edge) { return select(edge, INSIDE + 1u, edge == INSIDE); }
    return select(edge - 1u, INSIDE, edge == 0u);
}

// The last edge that is not above a key; 0 where there is none.
fn search(k: u32) -> u32 {
    var low = 0u;
    var high = INSIDE + 1u;
    for (var step = 0u; step < 26u; step++) {
        if high - low <= 1u { break; }
        let middle = (low + high) / 2u;
        if entry(middle) <= k { low = middle; } else { high = middle; }
    }
    return low;
}

fn accumulate(state: State, bits: Bits, index: u32) -> State {
    bin_add(bin_of(bits), state.replica, 1u);
    return state;
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let bins = vec4<u32>(bin_of(vector.x), bin_of(vector.y), bin_of(vector.z), bin_of(vector.w));
    bin_add(bins.x, state.replica, 1u);
    bin_add(bins.y, state.replica, 1u);
    bin_add(bins.z, state.replica, 1u);
    bin_add(bins.w, state.replica, 1u);
    return state;
}

// Counts of a workgroup as columns, four bins in each.
fn column_of_bins(j: u32) -> vec4<u32> {
    return vec4<u32>(count_of(4u * j), count_of(4u * j + 1u), count_of(4u * j + 2u), count_of(4u * j + 3u));
}

fn count_of(bin: u32) -> u32 {
    if bin < SLOTS { return bin_sum(bin).x; }
    return 0u;
}
