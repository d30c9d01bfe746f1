// Leaves the finished answer: ANSWER_WORDS words, then how many elements it stands on (0: no answer), at most 2^32 - 1.
@group(0) @binding(3) var<storage, read_write> answer: array<u32>;

fn store(acc: Acc, slot: u32) {
    var finished = finish(acc, params.total);
    for (var w = 0u; w < ANSWER_WORDS; w++) { answer[params.slot + w] = finished[w]; }
    answer[params.slot + ANSWER_WORDS] = select(params.total.x, 0xffffffffu, params.total.y > 0u);
}
