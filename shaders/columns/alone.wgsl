// Many answers a workgroup, each found by one invocation, which has memory of its own for it: of columns, and of many short rows.
// Four loads are under way, since what takes an element is long, and stands here once.
//
// Expects: State, init_state, leave_own (the operator); load_own, accumulate_one (columns/one); place_of_row, place_in_row
// (rows/strided.wgsl). In params, `rows` is the number of answers.

@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(id: Invocation) {
    let split = id.workgroup.x % params.splits;
    let row = (id.workgroup.x / params.splits) * WORKGROUP_SIZE + id.local;
    if row >= params.rows { return; }
    let first = params.first + place_of_row(row);
    var e = split * params.vectors;
    let step = params.grid_stride;
    let end = select(params.count, min(params.count, e + params.vectors), BLOCKED);
    var left = select(0u, (end - e + step - 1u) / step, e < end);
    var state = init_state(id);
    if left > 0u {
        let last = e + (left - 1u) * step;
        var now = load_own(first + place_in_row(e));
        var second = load_own(first + place_in_row(min(e + step, last)));
        var third = load_own(first + place_in_row(min(e + 2u * step, last)));
        for (; left > 0u; left--) {
            let fourth = load_own(first + place_in_row(min(e + 3u * step, last)));
            state = accumulate_one(state, now, 0u, e);
            now = second;
            second = third;
            third = fourth;
            e += step;
        }
    }
    leave_own(state, row, split, id);
}
