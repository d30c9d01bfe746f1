// Whole numbers of 32 bits as terms of exact sums: their sizes without a sign.
//
// Expects: below(bits), all ones of a negative number, else 0.

fn magnitude_of(bits: u32) -> u32 { return (bits ^ below(bits)) - below(bits); }
