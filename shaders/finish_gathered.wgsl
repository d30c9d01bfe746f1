// Nothing is left to do: the operator's gather has folded the whole workgroup and left the result in invocation 0.

struct Invocation {
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
}

fn workgroup_reduce(mine: Acc, who: Invocation) -> Acc { return mine; }
