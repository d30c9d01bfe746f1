// Flags are bytes of an input of their own: an element counts where its byte is not 0.

@group(0) @binding(0) var<storage, read> flag_words: array<u32>;  // the flags; that of element e is at e + partner

fn flag_of(e: u32) -> u32 {
    let i = e + params.partner;
    return (flag_words[i / 4u] >> (i % 4u * 8u)) & 0xffu;
}
