// A lane's vectors in which segments end: what lies up to the first end, those that lie within, and what lies behind the last end.
// A line that ends in `for K` is repeated for each K.
//
// Expects: State, init_state, accumulate, raw_of (the operator); accumulate_one (columns/*.wgsl); element (load/*.wgsl); Marks
// (segments/marks.wgsl); Share, emit (segments/answer.wgsl).

// The segment of the n-th bit of a round, whose end lies behind an element.
fn named(marks: Marks, rank: u32, e: u32) -> u32 {
    if !marks.sparse { return marks.first + rank; }
    // The first one that ends there: those that are empty follow it.
    let end = e + 1u + params.base.x;
    var low = marks.first;
    var high = marks.until;
    for (var step = 0u; (step < 32u) & (low < high); step++) {
        let middle = low + (high - low) / 2u;
        if end_of(middle) < end { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// Segments that lie within a lane's vectors: from their first end to their last.
fn emit_within(e: u32, bits: u32, rank: u32, marks: Marks, share: Share, id: Invocation) {
    var left = bits & (bits - 1u);
    var n = rank + 1u;
    var state = init_state(id);
    for (var k = firstTrailingBit(bits) + 1u; left != 0u; k++) {
        state = accumulate(state, element(e + k), e + k);
        if (left & (1u << k)) != 0u {
            emit(raw_of(state, id), named(marks, n, e + k), share);
            state = init_state(id);
            left &= left - 1u;
            n++;
        }
    }
}

// A lane's vectors: what lies up to their first end, and behind their last.
struct Parts {
    state: State,
    head: Acc,
}

// The vector whose first element is the n-th from e.
fn parted_vector(parts: Parts, vector: vec4<u32>, n: u32, e: u32, bits: u32, whole: bool, share: Share, id: Invocation) -> Parts {
    var all = parts;
    all = parted(all, vector, K, n + K, e, bits, whole, share, id);  // for K in 0..PER_VECTOR
    return all;
}

fn parted(parts: Parts, vector: vec4<u32>, k: u32, n: u32, e: u32, bits: u32, whole: bool, share: Share, id: Invocation) -> Parts {
    var all = parts;
    if whole {
        all.state = accumulate_one(parts.state, vector, k, e + n);
    } else if (e + n >= share.first) & (e + n < share.last) {
        // A vector that the window does not fill is not there.
        all.state = accumulate(parts.state, element(e + n), e + n);
    }
    if (bits & (1u << n)) != 0u {
        if (bits & ((1u << n) - 1u)) == 0u { all.head = raw_of(all.state, id); }
        all.state = init_state(id);
    }
    return all;
}
