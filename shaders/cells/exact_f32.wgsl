// An exact sum of f32 that a workgroup shares: 64 counters of 64 bits, chosen by the sign and the upper five bits of the exponent
// as in exact/f32_shared.wgsl, and the flags in the last word.
//
// Expects: cells, word_of (groups/cells.wgsl); amount_of (exact/f32_amount.wgsl); column (exact/column_bytes.wgsl).

const FLAGS_WORD = 128u;

var<private> cell_read: u32;  // whose bins are summed
var<private> cell_used: u32;  // all their words, ORed

// The rest: a carry, or flags of +0, of which no bin tells, and of elements that are not finite.
fn add_to_cell(cell: u32, bits: Bits) -> u32 {
    let amount = amount_of(bits);
    let before = atomicAdd(&cells[word_of(cell, bits >> 26u)], amount);
    // Zeros wrap around.
    return select(0u, 1u, before + amount < before) | select(0u, 2u, bits + bits - 2u >= 0xfefffffeu);
}

fn carry_to_cell(cell: u32, bits: Bits, left: u32) {
    if (left & 1u) != 0u { atomicAdd(&cells[word_of(cell, 64u + (bits >> 26u))], 1u); }
    if left > 1u { note_special(word_of(cell, FLAGS_WORD), bits); }
}

// The load skips the atomic where nothing is new, as among many zeros.
fn note_special(at: u32, bits: u32) {
    var flags = select(FLAG_OTHER, 0u, bits == 0x80000000u);
    if (bits & 0x7fffffffu) > 0x7f800000u {
        flags |= FLAG_NAN;
    } else if (bits & 0x7fffffffu) == 0x7f800000u {
        flags |= select(FLAG_PLUS, FLAG_MINUS, bits >> 31u == 1u);
    }
    if (flags & ~atomicLoad(&cells[at])) != 0u { atomicOr(&cells[at], flags); }
}

fn cell_bin(bin: u32) -> vec3<u32> {
    let low = atomicLoad(&cells[word_of(cell_read, bin)]);
    let high = atomicLoad(&cells[word_of(cell_read, 64u + bin)]);
    cell_used |= low | high;
    return vec3<u32>(low, high, 0u);
}

fn bin_sum(s: u32) -> vec2<u32> { return subtract96(cell_bin(s), cell_bin(32u + s)).xy; }

fn cell_acc(cell: u32) -> Acc {
    cell_read = cell;
    cell_used = 0u;
    var acc = Acc();
    var carry = vec3<u32>();
    for (var j = 0u; j < LIMBS; j++) {
        if j < 8u { carry = add96(carry, column(j)); }
        acc.limbs[j] = carry.x;
        carry = vec3<u32>(carry.yz, bitcast<u32>(bitcast<i32>(carry.z) >> 31u));
    }
    acc.flags = atomicLoad(&cells[word_of(cell, FLAGS_WORD)]) | select(0u, FLAG_OTHER, cell_used != 0u);
    return acc;
}
