// Rows by strides, of which each may begin anywhere: a row's number and an element's position in it are taken apart into indices.
//
// Expects: place_of_row, place_in_row (made for so many dimensions).
var<private> row_first: u32;  // place of the row's first element in the binding

fn row_of(workgroup: u32) -> u32 { return workgroup / params.splits; }
fn split_of(workgroup: u32) -> u32 { return workgroup % params.splits; }
fn partial_of(workgroup: u32) -> u32 { return params.partial + row_of(workgroup) * params.row_partials + split_of(workgroup); }

// Elements of a row are counted from its first, which stands at position `base` of the whole row.
fn first_of(row: u32) -> u32 {
    row_first = params.first + place_of_row(row);
    return 0u;
}
fn base_of(row: u32) -> vec2<u32> { return params.base; }
