// The bins of a workgroup, or the columns of all partials, as one accumulator of many limbs: all invocations carry at once, by
// looking ahead, as adders of bits do, and what roundings may ask for goes on as a narrow sum.
//
// Expects: exact/settle.wgsl, narrow.wgsl; narrow_store (the answers).
//
// Memory: 4 bytes a limb, and 16 for 32 limbs.

// A bit for each of 32 limbs.
struct Ahead {
    carries: atomic<u32>,   // whether it carries, whatever comes from below
    hands_on: atomic<u32>,  // whether it carries what comes from below
    not_zero: atomic<u32>,  // whether, carried, it has bits
    not_ones: atomic<u32>,  // whether it lacks any
}

const AHEAD = (LIMBS + 31u) / 32u;

var<workgroup> ahead: array<Ahead, AHEAD>;
var<workgroup> exact_limbs: array<u32, LIMBS>;

// Zeros where there is no column.
fn part_of(j: u32) -> vec3<u32> { return select(vec3<u32>(), exact_columns[min(j, COLUMNS - 1u)], j < COLUMNS); }

// What columns give to a limb, and to the next one: 3 at most. A negative one takes 1 from the third limb above its own: all
// that is taken is a number, whose complement is added, and 1.
fn given_to(k: u32) -> vec2<u32> {
    var sum = vec2<u32>(0xffffffffu - (part_of(k - 3u).z >> 31u), 0u);
    sum = add64(sum, vec2<u32>(part_of(k - 2u).z, 0u));
    sum = add64(sum, vec2<u32>(part_of(k - 1u).y, 0u));
    sum = add64(sum, vec2<u32>(part_of(k).x, 0u));
    return add64(sum, vec2<u32>(select(0u, 1u, k == 0u), 0u));
}

// A limb with what the one below it gives, and whether it carries. Then it is 2 at most, and carries no second time.
fn uncarried(k: u32) -> vec2<u32> { return add64(vec2<u32>(given_to(k).x, 0u), vec2<u32>(given_to(k - 1u).y, 0u)); }

// What comes from below: what the highest limb that hands nothing on carries.
fn carry_into(k: u32) -> u32 {
    for (var below = k; below > 0u; ) {
        let last = below - 1u;
        let stops = ~atomicLoad(&ahead[last / 32u].hands_on) & (0xffffffffu >> (31u - last % 32u));
        if stops != 0u { return (atomicLoad(&ahead[last / 32u].carries) >> firstLeadingBit(stops)) & 1u; }
        below = last / 32u * 32u;
    }
    return 0u;
}

fn store_columns(id: Invocation, row: u32) {
    for (var w = id.local; w < AHEAD; w += WORKGROUP_SIZE) {
        atomicStore(&ahead[w].carries, 0u);
        atomicStore(&ahead[w].hands_on, 0u);
        atomicStore(&ahead[w].not_zero, 0u);
        atomicStore(&ahead[w].not_ones, 0u);
    }
    workgroupBarrier();
    for (var k = id.local; k < LIMBS; k += WORKGROUP_SIZE) {
        let limb = uncarried(k);
        if limb.y != 0u { atomicOr(&ahead[k / 32u].carries, 1u << (k % 32u)); }
        if limb.x == 0xffffffffu { atomicOr(&ahead[k / 32u].hands_on, 1u << (k % 32u)); }
    }
    workgroupBarrier();
    for (var k = id.local; k < LIMBS; k += WORKGROUP_SIZE) {
        let limb = uncarried(k).x + carry_into(k);
        exact_limbs[k] = limb;
        if limb != 0u { atomicOr(&ahead[k / 32u].not_zero, 1u << (k % 32u)); }
        if limb != 0xffffffffu { atomicOr(&ahead[k / 32u].not_ones, 1u << (k % 32u)); }
    }
    workgroupBarrier();
    if id.local == 0u { narrow_store(upper_limbs(), row); }
}
