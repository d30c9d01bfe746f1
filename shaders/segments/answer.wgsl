// The destination of a segment's accumulator: an answer, or the head that its share leaves.
//
// Expects: placed, store (the operator); begin_of, end_of (rows/segments.wgsl); carries (segments/share.wgsl).

// Values that are the same for all of a share. Elements are counted as the binding's.
struct Share {
    first: u32,
    last: u32,
    segment: u32,  // the first
    begun: bool,
    slot: u32,
}

// The answer of a segment, or what this share has of one that it found begun.
fn emit(acc: Acc, number: u32, share: Share) {
    let whole = placed(acc, number);
    if share.begun & (number == share.segment) { carries[share.slot].head = whole; } else { store(whole, number); }
}

// The end of a segment as the binding's, where the share has it; else one behind all.
fn end_in(t: u32, until: u32) -> u32 {
    if t >= until { return NONE; }
    return end_of(t) - params.base.x;
}
