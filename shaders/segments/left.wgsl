// The carry of a share of elements and ends to the pass behind: the segment that it found begun and finished, and the one that it
// leaves open.
//
// Expects: Acc (the operator).

const NONE = 0xffffffffu;

struct Carry {
    head: Acc,
    tail: Acc,
    segment: u32,  // that of the head; NONE: there is none
    ended: u32,    // whether a segment ends in the share
}
