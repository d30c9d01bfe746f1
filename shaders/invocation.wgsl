// What an invocation knows of its place.
struct Invocation {
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
}
