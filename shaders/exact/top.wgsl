// The upper end of a natural number whose words come from the lowest up, in registers: no index but constants.

// Nine words, the highest in high.w, the lowest in next, and bits of those below.
struct Words {
    high: vec4<u32>,
    low: vec4<u32>,
    next: u32,
    rest: u32,
}

// A number's words from its highest bit down, and the place of this bit. Zero has no bit in them.
struct Top {
    words: Words,
    place: i32,
}

// The words, and one above them.
fn topped(words: Words, word: u32) -> Words {
    return Words(
        vec4<u32>(words.high.yzw, word),
        vec4<u32>(words.low.yzw, words.high.x),
        words.low.x,
        words.rest | words.next,
    );
}

// Of words whose highest one ends below place `end`; it is 0 of zero only.
fn top_of_words(words: Words, end: i32) -> Top {
    let zeros = countLeadingZeros(words.high.w) & 31u;
    let left = vec4<u32>(zeros);
    let right = vec4<u32>(31u - zeros);
    let high = (words.high << left) | ((vec4<u32>(words.low.w, words.high.xyz) >> vec4<u32>(1u)) >> right);
    let low = (words.low << left) | ((vec4<u32>(words.next, words.low.xyz) >> vec4<u32>(1u)) >> right);
    return Top(Words(high, low, words.next << zeros, words.rest), end - 1i - i32(zeros));
}
