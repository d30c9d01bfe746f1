// Longer numbers in counters of 32 bits that are their words: each hands on what it carries. Places stand 32 / PER_LIMB bits
// apart, what is negative in PLACES more of them. The last word counts carries only.
//
// Expects: PLACES, PER_LIMB (the operator), WORDS; bins_low (bins/words.wgsl), bin_sum (bins/counters.wgsl), widened, add96.

const APART = 32u / PER_LIMB % 32u;  // bits from a place to the next; one place a limb is not shifted

// Adds two words; the second has room for a carry.
fn add_two(place: u32, replica: u32, low: u32, high: u32) {
    let first = atomicAdd(&bins_low[place][0][replica], low) + low;
    let rest = high + select(0u, 1u, first < low);
    if atomicAdd(&bins_low[place][1][replica], rest) + rest < rest { atomicAdd(&bins_low[place][WORDS - 1u][replica], 1u); }
}

// Adds three words; the third has room for a carry.
fn add_three(place: u32, replica: u32, low: u32, middle: u32, high: u32) {
    let first = atomicAdd(&bins_low[place][0][replica], low) + low;
    let next = middle + select(0u, 1u, first < low);
    let second = atomicAdd(&bins_low[place][1][replica], next) + next;
    let rest = high + select(0u, 1u, (second < next) | (next < middle));
    if atomicAdd(&bins_low[place][2][replica], rest) + rest < rest { atomicAdd(&bins_low[place][WORDS - 1u][replica], 1u); }
}

fn column(j: u32) -> vec3<u32> {
    var sum = vec3<u32>();
    for (var p = PER_LIMB; p > 0u; p--) {
        sum = (sum << vec3<u32>(APART)) | (vec3<u32>(0u, sum.xy >> vec2<u32>(1u)) >> vec3<u32>(31u - APART));
        for (var w = 0u; w < WORDS; w++) {
            let limb = j - w;  // no place's where it wraps
            if limb < PLACES / PER_LIMB { sum = add96(sum, widened(bin_sum((limb * PER_LIMB + p - 1u) * WORDS + w))); }
        }
    }
    return sum;
}
