// The elements of a segment stand behind its accumulators, before a seal.
fn total_of(row: u32) -> vec2<u32> { return vec2<u32>(accumulators[(row + 1u) * ROW_WORDS - 2u], 0u); }
