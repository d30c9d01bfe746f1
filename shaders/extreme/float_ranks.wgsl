// Ranks of floats in few steps, the lowest for what is looked for. Those of both zeros are one; those of NaN, on both sides of
// where whole numbers wrap around, are the lowest.
//
// Expects: HIGHEST: whether the highest float is looked for.
const NAN_RANK = 0xfffffeu;  // the highest of theirs

fn rank_here(bits: u32) -> u32 {
    let sign = bitcast<u32>(bitcast<i32>(bits) >> 31u);
    let turned = (bits & 0x7fffffffu) ^ sign;
    return select(turned - sign, sign - turned, HIGHEST) - 0x7f800001u;
}

fn one_nan(best: u32) -> u32 { return max(best, NAN_RANK); }
