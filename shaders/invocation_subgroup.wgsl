// What an invocation knows of its place where there are subgroups.
struct Invocation {
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(subgroup_size) lanes: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
}
