// An element at a time, whatever its size: where the operator's own loops leave no trips for more.
fn load(v: u32) -> Bits { return element(v); }
