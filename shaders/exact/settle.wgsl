// The bins of a workgroup, or the columns of all partials, as one accumulator: limb by limb, carried once, in invocation 0.
// A column of a partial has 96 bits and the flags.
//
// Memory: 16 bytes a column.

var<workgroup> exact_columns: array<vec3<u32>, COLUMNS>;

fn low_of(column: vec4<u32>) -> vec2<u32> { return vec2<u32>(column.x, 0u); }
fn high_of(column: vec4<u32>) -> vec2<u32> { return column.yz; }
fn flags_of_column(column: vec4<u32>) -> u32 { return column.w; }

fn carry_columns(id: Invocation) -> Acc {
    var acc = Acc();
    if id.local == 0u {
        acc.flags = atomicLoad(&bins_flags);
        var carry = vec3<u32>();
        for (var j = 0u; j < LIMBS; j++) {
            if j < COLUMNS { carry = add96(carry, exact_columns[j]); }
            acc.limbs[j] = carry.x;
            carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
        }
    }
    return acc;
}
