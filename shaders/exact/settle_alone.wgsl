// The bins of a workgroup, or the columns of all partials, as one accumulator: limb by limb, carried once, in invocation 0.
//
// Expects: exact/settle.wgsl.

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

fn store_columns(id: Invocation, row: u32) {
    let acc = carry_columns(id);
    if id.local == 0u { store(acc, row); }
}
