// The accumulator of another lane, word by word.
fn shuffle(acc: Acc, mask: u32) -> Acc {
    var other = acc;
    other.flags = subgroupShuffleXor(other.flags, mask);
    for (var i = 0u; i < LIMBS; i++) { other.limbs[i] = subgroupShuffleXor(other.limbs[i], mask); }
    return other;
}
