// Leaves what a team has found in the results.
//
// Expects: TEAM; lane, begin (top/answer.wgsl); slot, the place of a candidate in the lists; listed (top/entries.wgsl); unrank;
// write (top/write.wgsl); params (top/answers.wgsl).

// A list in its order, behind it ones.
fn leave(answer: u32, count: u32) {
    for (var c = lane; c < params.wanted; c += TEAM) {
        var value = vec2<u32>(0xffffffffu, 0xffffffffu);
        var index = value;
        if c < count {
            index = vec2<u32>(place_in(listed(slot(c))), 0u);
            value = words_of(unrank(rank(element(place(begin, index.x)))));
        }
        write(c, params.at + answer * params.step, params.wanted, value, index);
    }
}

// How many they are, and that they are there.
fn tell(answer: u32, count: u32) {
    if lane != 0u { return; }
    let end = params.at + answer * params.step + params.wanted * (WORDS + 2u);
    if params.counted != 0u { results[end] = count; }
    if params.seal != 0u { results[end + params.counted] = params.seal; }
}
