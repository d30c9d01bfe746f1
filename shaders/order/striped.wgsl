// Striped order, for GPUs: in each round a workgroup reads a tile, vectors that lie together, adjacent lanes adjacent ones.
// The last round may be short. Any order of elements: commutative operators only.

const STEP = WORKGROUP_SIZE;          // from one load of a round to the next
const TILE = WORKGROUP_SIZE * LOADS;  // vectors of a workgroup in a round

fn first_vector(split: u32, local: u32, low: u32) -> u32 { return low + split * TILE + local; }
fn next_vector(v: u32) -> u32 { return v + params.grid_stride; }

fn vectors_of(split: u32, local: u32, low: u32, high: u32) -> u32 {
    let last = first_vector(split, local, low) + params.vectors * params.grid_stride;
    return params.vectors * LOADS + select(0u, min((high - last - 1u) / STEP + 1u, LOADS), last < high);
}
