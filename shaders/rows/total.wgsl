// Every row has as many elements.
fn total_of(row: u32) -> vec2<u32> { return params.total; }
