//! Labels at the ends of lines, moved apart.

use super::lines::Line;
use super::style::{Area, DIM, GAP, GRID, INK, LEAD, PALETTE, Pixel, mark, trace, write};
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// Writes the lines' labels to the right of a chart, each as near its line's end as the others let it.
pub(super) fn label_ends(root: &Area, traces: &[(&Line, Vec<Pixel>)], right: i32, (top, bottom): Pixel) -> Result<()> {
    let mut ends: Vec<(&Line, Pixel)> = vec![];
    for (line, pixels) in traces {
        ends.extend(pixels.last().map(|&end| (*line, end)));
    }
    ends.sort_by_key(|(_, end)| end.1);
    let wanted: Vec<i32> = ends.iter().map(|(_, end)| end.1).collect();
    for ((line, end), y) in ends.iter().zip(spread(&wanted, top, bottom)) {
        label_end(root, line, *end, (right, y))?;
    }
    Ok(())
}

/// Writes a line's label with a thin line from the line's end to it.
fn label_end(root: &Area, line: &Line, end: Pixel, (right, y): Pixel) -> Result<()> {
    let x = right + 30;
    root.draw(&PathElement::new(vec![end, (right, end.1)], GRID.stroke_width(1)))?;
    let lead = vec![(right, end.1), (right + 6, end.1), (x - 4, y), (x, y)];
    match line.look {
        Some(look) => {
            root.draw(&PathElement::new(lead, PALETTE[look % PALETTE.len()].stroke_width(1)))?;
            trace(root, &[(x, y), (x + 28, y)], look)?;
            mark(root, (x + 14, y), look)?;
            write(root, &line.label, (x + 34, y), 13, INK, HPos::Left)
        }
        None => {
            root.draw(&PathElement::new([lead, vec![(x + 28, y)]].concat(), LEAD.stroke_width(1)))?;
            write(root, &line.label, (x + 34, y), 12, DIM, HPos::Left)
        }
    }
}

/// Moves sorted positions apart to `GAP` pixels by as little as that takes, within the bounds if they fit.
pub(super) fn spread(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    // Blocks of neighbours that touch: the sum of their first labels' wishes, and their number.
    let mut blocks: Vec<(i64, i64)> = vec![];
    for (i, &y) in wanted.iter().enumerate() {
        let mut block = (i64::from(y) - i64::from(GAP) * i as i64, 1);
        while let Some(&(sum, number)) = blocks.last() {
            if sum * block.1 < block.0 * number {
                break;
            }
            block = (block.0 + sum, block.1 + number);
            blocks.pop();
        }
        blocks.push(block);
    }
    let last = bottom - GAP * (wanted.len() as i32 - 1);
    let starts = blocks.iter().flat_map(|&(sum, number)| (0..number).map(move |_| (sum / number) as i32));
    starts.enumerate().map(|(i, start)| start.min(last).max(top) + GAP * i as i32).collect()
}
