// Flags are bits of an input of their own, the lowest of a word first.

@group(0) @binding(0) var<storage, read> flag_words: array<u32>;  // the flags; that of element e is at e + partner

fn flag_of(e: u32) -> u32 {
    let i = e + params.partner;
    return (flag_words[i / 32u] >> (i % 32u)) & 1u;
}
