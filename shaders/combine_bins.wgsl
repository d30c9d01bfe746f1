// One workgroup adds up the columns that the workgroups before it left, and carries once. Seat s of a column takes
// partials s, s + SEATS, s + 2·SEATS, … A line marked `rows` stands ROWS times.
//
// Expects: COLUMNS, SEATS, tell, meet, end_meeting, carried (the operator, with exact_shared.wgsl); store (store_*.wgsl).

@group(0) @binding(0) var<storage, read> partials: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(who: Invocation) {
    if who.local == 0u { atomicStore(&bins_flags, 0u); }
    workgroupBarrier();
    let end = params.first + params.count;
    var flags = 0u;
    for (var j = who.local / SEATS; j < COLUMNS; j += WORKGROUP_SIZE / SEATS) {
        var low = vec2<u32>();   // the first words of column j
        var high = vec2<u32>();  // the two above
        // All rows that a GPU's partials have are loaded before the first is added; one past the end counts as zeros.
        for (var p = params.first + who.local % SEATS; p < end; p += ROWS * SEATS) {
            let quad0 = row(j, p + 0u * SEATS, end);  // rows
            low = add64(low, vec2<u32>(quad0.x, 0u));  // rows
            high = add64(high, quad0.yz);  // rows
            flags |= quad0.w;  // rows
        }
        meet(2u * j, low, who);
        meet(2u * j + 1u, high, who);
    }
    tell(flags);
    end_meeting(2u * COLUMNS, who);
    for (var j = who.local; j < COLUMNS; j += WORKGROUP_SIZE) {
        bins_columns[j] = add96(vec3<u32>(bins_met[2u * j], 0u), vec3<u32>(0u, bins_met[2u * j + 1u]));
    }
    workgroupBarrier();
    let acc = carried(who);
    if who.local == 0u { store(acc, params.slot); }
}

fn row(j: u32, p: u32, end: u32) -> vec4<u32> {
    let first = j * (arrayLength(&partials) / COLUMNS);
    return select(vec4<u32>(), partials[first + min(p, end - 1u)], p < end);
}
