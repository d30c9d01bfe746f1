//! Arrays in Fortran order, read in C order: tile by tile, through windows of bounded size.

use crate::format::Stored;
use crate::source::{Sizes, Source, Take, aligned};
use anyhow::{Context, Result};
use bytemuck::cast_slice_mut;
use std::collections::BTreeMap;
use std::ops::Range;
use treefold::Element;

/// Columns that are read side by side, so that whole cache lines are written.
const NEIGHBOURS: usize = 16;

/// Bytes that are not read in passing.
const FAR_BYTES: u64 = 1 << 20;

/// An array in Fortran order inside a file. As a matrix: its columns are the places of the last axis, contiguous in
/// the file; its rows are the places of all other axes together, in C order.
pub struct Fortran<'a> {
    /// The file.
    pub file: &'a Source<'a>,
    /// Byte of it at which the array begins.
    pub data_at: u64,
    /// The type of its numbers.
    pub stored: Stored,
    /// The lengths of its axes; more than one.
    pub axes: &'a [u64],
}

impl Fortran<'_> {
    /// Hands all elements to `take`, in C order.
    pub fn feed<T: Element>(&self, sizes: Sizes, take: Take<T>) -> Result<()> {
        let Some((&columns, others)) = self.axes.split_last() else { return Ok(()) };
        let rows = others.iter().product::<u64>();
        let tile_columns = columns.min(sizes.tile_elements as u64);
        let tile_rows = (sizes.tile_elements as u64 / tile_columns).max(1);
        let (mut tile, mut window) = (vec![], vec![]);
        for row in (0..rows).step_by(tile_rows as usize) {
            let places: Vec<u64> = (row..rows.min(row + tile_rows)).map(|row| place(others, row)).collect();
            for column in (0..columns).step_by(tile_columns as usize) {
                let end = columns.min(column + tile_columns);
                self.read_tile(&places, column..end, rows, sizes.window_bytes, &mut window, &mut tile)?;
                tile.chunks(sizes.part_elements).try_for_each(&mut *take)?;
            }
        }
        Ok(())
    }

    /// Reads the columns at these places of the rows, row by row, into `tile`.
    fn read_tile<T: Element>(
        &self,
        places: &[u64],
        columns: Range<u64>,
        rows: u64,
        window_bytes: usize,
        bytes: &mut Vec<u64>,
        tile: &mut Vec<T>,
    ) -> Result<()> {
        let size = self.stored.size() as u64;
        let width = (columns.end - columns.start) as usize;
        tile.clear();
        tile.resize(places.len() * width, T::ZERO);
        let window = (window_bytes as u64 / size.max(4)).max(1);
        let groups = groups(places, window);
        // Columns that are read together; one where a long way lies between the few places that are read.
        let span = groups.iter().map(|group| group.span.end - group.span.start).sum::<u64>();
        let far = rows * size > FAR_BYTES && span < rows / 8;
        let strip = if far { 1 } else { (window / rows).max(1) };
        let mut space = vec![];
        for from in columns.clone().step_by(strip as usize) {
            let strip = from..columns.end.min(from + strip);
            for group in &groups {
                let begin = strip.start * rows + group.span.start;
                let end = (strip.end - 1) * rows + group.span.end;
                let length = usize::try_from((end - begin) * size).context("a window larger than memory")?;
                if bytes.len() * 8 < length {
                    *bytes = aligned(length);
                }
                let bytes = &mut cast_slice_mut(bytes)[..length];
                self.file.read(self.data_at + begin * size, bytes)?;
                let elements: &[T] = self.stored.elements(bytes, &mut space);
                for block in strip.clone().step_by(NEIGHBOURS) {
                    let block_width = (strip.end - block).min(NEIGHBOURS as u64) as usize;
                    let at = (block - columns.start) as usize;
                    for &row in &group.rows {
                        let row = row as usize;
                        let out = &mut tile[row * width + at..][..block_width];
                        for (column, out) in (block..).zip(out) {
                            *out = elements[(column * rows + places[row] - begin) as usize];
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The place in a column of the row of this number in C order.
fn place(axes: &[u64], row: u64) -> u64 {
    let mut rest = row;
    let mut stride = axes.iter().product::<u64>();
    let mut place = 0;
    for length in axes.iter().rev() {
        stride /= length;
        place += rest % length * stride;
        rest /= length;
    }
    place
}

/// Rows of a tile whose places lie within one window.
struct Group {
    /// Their numbers in the tile.
    rows: Vec<u32>,
    /// From the lowest of their places to behind the highest.
    span: Range<u64>,
}

fn groups(places: &[u64], window: u64) -> Vec<Group> {
    let mut groups: BTreeMap<u64, Group> = BTreeMap::new();
    for (row, &place) in (0u32..).zip(places) {
        let new = || Group { rows: vec![], span: place..place };
        let group = groups.entry(place / window).or_insert_with(new);
        group.rows.push(row);
        group.span = place.min(group.span.start)..(place + 1).max(group.span.end);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Descr;
    use std::io::Write;

    #[test]
    fn every_tile_and_window_gives_c_order() {
        for (axes, descr) in
            [(vec![5, 7], "<i4"), (vec![3, 4, 5], ">i2"), (vec![2, 3, 2, 4], "|i1"), (vec![40, 2, 3], "<i4")]
        {
            let count = axes.iter().product::<u64>();
            let stored = Stored::of(&Descr::parse(descr).unwrap()).unwrap();
            // The element in C-order place i is i; written where Fortran order has it.
            let mut bytes = vec![0; count as usize * stored.size()];
            for i in 0..count {
                let at = place(&axes, i) as usize * stored.size();
                let number = (i as u32).to_le_bytes();
                let stored_bytes = &mut bytes[at..at + stored.size()];
                stored_bytes.copy_from_slice(&number[..stored.size()]);
                if descr.starts_with('>') {
                    stored_bytes.reverse();
                }
            }
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&[0; 3]).unwrap();
            file.write_all(&bytes).unwrap();
            let file = Source::of("test", file);
            let array = Fortran { file: &file, data_at: 3, stored, axes: &axes };
            for (part_elements, tile_elements) in [(1, 1), (2, 2), (2, 3), (7, 7), (5, 16), (1000, 1000)] {
                for window_bytes in [4, 20, 64, 1000] {
                    let mut seen: Vec<i32> = vec![];
                    let mut take = |part: &[i32]| {
                        assert!(part.len() <= part_elements);
                        seen.extend(part);
                        Ok(())
                    };
                    array.feed(Sizes { part_elements, tile_elements, window_bytes }, &mut take).unwrap();
                    assert_eq!(seen, (0..count as i32).collect::<Vec<_>>(), "{axes:?} {tile_elements} {window_bytes}");
                }
            }
        }
    }
}
