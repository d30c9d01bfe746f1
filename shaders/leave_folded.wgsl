// What the workgroup has folded, as store_*.wgsl keeps it.
fn leave(mine: Local, who: Invocation, slot: u32) {
    let acc = workgroup_reduce(gather(mine, who), who);
    if who.local == 0u { store(acc, slot); }
}
