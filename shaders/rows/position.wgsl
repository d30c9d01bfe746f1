// The place of an element in the whole input, or in its row, for operators that read positions.
var<private> position_base: vec2<u32>;

fn position(index: u32) -> vec2<u32> { return add64(position_base, vec2<u32>(index, 0u)); }
