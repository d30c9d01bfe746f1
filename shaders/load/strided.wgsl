// An element at a time, from where its row's strides have it.
fn load(v: u32) -> Bits { return element(row_first + place_in_row(v)); }
