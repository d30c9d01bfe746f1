// The best of eight f16 and its place: two keys a word, one comparison with what was found before.
//
// A rank stands above its element's place among the eight, so that the least of both words is the first of the best. Zeros, which
// tie, and NaN go one after another; both come once at most where they win, for what ties does not win again.
//
// Expects: lift, combine, tie; FLIP: what turns a key into a rank; that an invocation meets vectors in their order.
fn ranks(word: u32) -> u32 { return word ^ (((word >> 15u) & 0x10001u) * 0x7fffu) ^ (0x80008000u ^ FLIP); }
fn both(word: u32, k: u32) -> u32 { return min((word << 16u) | k, (word & 0xffff0000u) | (k + 1u)); }
fn nan_bits(word: u32) -> u32 { return (word & 0x7fff7fffu) + 0x03ff03ffu; }

fn one_by_one(acc: Acc, word: u32, index: u32) -> Acc {
    return combine(combine(acc, lift(word & 0xffffu, index)), lift(word >> 16u, index + 1u));
}

fn best_of(acc: Acc, vector: vec4<u32>, index: u32) -> Acc {
    let front = min(both(ranks(vector.x), 0u), both(ranks(vector.y), 2u));
    let back = min(both(ranks(vector.z), 4u), both(ranks(vector.w), 6u));
    let best = min(front, back);
    let rank = (best >> 16u) | (FLIP & 0xffff0000u);
    let nan = ((nan_bits(vector.x) | nan_bits(vector.y) | nan_bits(vector.z) | nan_bits(vector.w)) & 0x80008000u) != 0u;
    let zero = tie(rank) == (0x8000u | (FLIP & 0xffff0000u));
    if (nan & (acc.key != 0u)) | (zero & (tie(rank) < tie(acc.key))) {
        let before = one_by_one(one_by_one(acc, vector.x, index), vector.y, index + 2u);
        return one_by_one(one_by_one(before, vector.z, index + 4u), vector.w, index + 6u);
    }
    return combine(acc, Acc(rank, index + (best & 0xffffu), 0u));
}
