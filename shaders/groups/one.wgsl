// One element at a time.
//
// Expects: element (load/*.wgsl); params (groups/keys.wgsl); groups_at (groups/key.wgsl); add_element, carry_element
// (groups/cells.wgsl).

alias Items = Bits;

fn items_at(i: u32) -> Items { return element(params.first + min(i, params.count - 1u)); }

fn add_items(n: u32, replica: u32, bits: Items) -> u32 { return add_element(n, replica, bits); }
fn carry_items(n: u32, replica: u32, bits: Items, left: u32) { carry_element(n, replica, bits, left); }
