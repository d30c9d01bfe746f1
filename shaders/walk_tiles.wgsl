// Where an invocation's quads lie, for GPUs: in each round a workgroup reads a tile, quads that lie together, adjacent lanes
// adjacent ones. The last round may be short. Any order: commutative operators only.

const STEP = WORKGROUP_SIZE;          // from one load of a round to the next
const TILE = WORKGROUP_SIZE * LOADS;  // what a workgroup reads in a round

fn first_quad(who: Invocation, low: u32) -> u32 { return low + who.workgroup.x * TILE + who.local; }
fn next_quad(q: u32) -> u32 { return q + params.round; }

fn quads_of(who: Invocation, low: u32, high: u32) -> u32 {
    let last = first_quad(who, low) + params.run * params.round;
    return params.run * LOADS + select(0u, min((high - last - 1u) / STEP + 1u, LOADS), last < high);
}
