// What an invocation keeps besides the bins.
struct Local {
    copy: u32,
    flags: u32,
}

fn begin(who: Invocation) -> Local { return Local(copy_of(who), 0u); }
fn settle(mine: Local) {}
fn flags_of(mine: Local) -> u32 { return mine.flags; }
