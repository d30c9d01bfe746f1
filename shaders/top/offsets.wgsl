// Where the elements of segments lie: from one offset to the next. An offset past the input counts as its end; where offsets fall,
// a segment is empty.
//
// Expects: params (top/answers.wgsl).
const ADJACENT = true;

@group(0) @binding(3) var<storage, read> offsets: array<u32>;

fn offset_at(s: u32) -> u32 { return min(offsets[params.word + s], params.length); }
fn begin_of(answer: u32) -> u32 { return params.first + offset_at(answer); }
fn length_of(answer: u32) -> u32 { return max(offset_at(answer + 1u), offset_at(answer)) - offset_at(answer); }
fn place(begin: u32, i: u32) -> u32 { return begin + i; }

// The longest of the answers of a workgroup's teams, to all of it.
var<workgroup> most: atomic<u32>;
var<workgroup> longest: u32;

fn longest_of(length: u32, lane: u32, local: u32) -> u32 {
    workgroupBarrier();
    if local == 0u { atomicStore(&most, 0u); }
    workgroupBarrier();
    if lane == 0u { atomicMax(&most, length); }
    workgroupBarrier();
    if local == 0u { longest = atomicLoad(&most); }
    return workgroupUniformLoad(&longest);
}
