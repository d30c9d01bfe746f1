// Equal bins over a range, and three more: below, above, NaN. The place of an element among the bins is found in f32, as the
// mantissa of a sum with a power of two; where it lies near an edge, or beyond one, integer keys of the edges decide, so that
// counts are the same everywhere.
//
// Expects: param (place of 0, bins a unit, the bits of the place that is 0 once the nearness is added, twice the nearness in units
// of the last place), entry (the edges' keys, and the slot of the highest of all), BASE (bits of the power of two), FRACTION
// (bits of a place's fraction), SLOTS, SAFE.

const INSIDE = SLOTS - 3u;  // bins within the range; then below, above, NaN

struct State { replica: u32 }

fn init_state(id: Invocation) -> State { return State(replica_of(id)); }
fn flags_of(state: State) -> u32 { return 0u; }

// The place: its power of two, then units of 2^-FRACTION bins.
fn place_of(bits: u32) -> u32 {
    return bitcast<u32>(fma(f32(value(bits)), bitcast<f32>(param(1u)), bitcast<f32>(param(0u))));
}

// Bins of four elements, each right unless its place, nearness added, lies in the first units of a bin or in none.
fn bins_of(vector: vec4<u32>) -> vec4<u32> {
    let places = vec4<u32>(place_of(vector.x), place_of(vector.y), place_of(vector.z), place_of(vector.w)) - vec4<u32>(param(2u));
    let beside = (places & vec4<u32>((1u << FRACTION) - 1u)) <= vec4<u32>(param(3u));
    let doubtful = beside | (places >= vec4<u32>(INSIDE << FRACTION));
    var bins = places >> vec4<u32>(FRACTION);
    if any(doubtful) {
        if doubtful.x { bins.x = bin_of(vector.x, places.x); }
        if doubtful.y { bins.y = bin_of(vector.y, places.y); }
        if doubtful.z { bins.z = bin_of(vector.z, places.z); }
        if doubtful.w { bins.w = bin_of(vector.w, places.w); }
    }
    return bins;
}

// The bin of an element whose place, nearness added, is doubtful. Far outside the range no edge is asked: the sign of the place
// tells, as an integer. Below the lowest edge, a power of two, the units of a mantissa are half as large, so far is further.
fn bin_of(bits: u32, place: u32) -> u32 {
    if is_nan(bits) { return INSIDE + 2u; }
    if SAFE & (place + 2u * param(3u) > (INSIDE << FRACTION) + 3u * param(3u)) {
        return select(INSIDE, INSIDE + 1u, bitcast<i32>(place + param(2u)) > i32(BASE));
    }
    return beside_edge(bits);
}

// The bin of an element that lies near an edge, or whose place is not known so well.
fn beside_edge(bits: u32) -> u32 {
    // The highest key of all also means an edge above all elements; the slot of its element is known.
    if key(bits) == 0xffffffffu { return entry(INSIDE + 1u); }
    let place = u32(clamp(bitcast<i32>(place_of(bits)), i32(BASE), i32(BASE + (INSIDE << FRACTION)))) - BASE;
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
    bin_add(bins_of(vec4<u32>(bits)).x, state.replica, 1u);
    return state;
}

fn accumulate_vector(state: State, vector: vec4<u32>, index: u32) -> State {
    let bins = bins_of(vector);
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
