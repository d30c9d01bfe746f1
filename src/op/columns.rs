//! Accumulators of neighbouring columns on the host: by rows, as they lie in memory, or from elements that are gathered.

use super::Fold;
#[cfg(target_arch = "x86_64")]
use super::has_vectors;
use crate::element::{Columns, Element};

/// Columns that are gathered together, and rows: what they have stays in the second cache.
const SIDE: usize = 256;
/// Elements of a line of the cache, of 32 bits, and rows that fill one.
const LINE: usize = 16;
/// Rows that are folded to accumulators of their own.
const BLOCK: usize = 128;

/// Each column's elements gathered, then accumulated: for folds of any kind.
pub fn gathered<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<F::Acc>) {
    let (width, height) = (columns.count(), columns.height());
    // Not a power of two, whose lines would stand in each other's place in the cache.
    let stride = height + LINE;
    let mut room = vec![<T as bytemuck::Zeroable>::zeroed(); SIDE.min(width) * stride];
    for first in (0..width).step_by(SIDE) {
        let here = first..width.min(first + SIDE);
        let count = here.len();
        for rows in (0..height).step_by(LINE) {
            let rows = rows..height.min(rows + LINE);
            let part = columns.part(rows.clone(), here.clone());
            for at in (0..count).step_by(LINE) {
                let end = count.min(at + LINE);
                for (row, elements) in rows.clone().zip(part.rows()) {
                    for (column, &x) in (at..end).zip(&elements[at..end]) {
                        room[column * stride + row] = x;
                    }
                }
            }
        }
        let blocks: Vec<(&[T], u64)> = room.chunks(stride).take(count).map(|block| (&block[..height], index)).collect();
        fold.accumulate_blocks(&blocks, accs);
    }
}

/// Rows for which columns are not worth gathering: the places of largest elements in 8 rows of 2^21 f32 take 72 ms by rows, 104 gathered (two
/// cores), in 64 rows of 2^18 longer by rows.
const FEW: usize = 32;

/// The one or the other, by the number of rows: for accumulators of few words that vectors hold not well.
pub fn few_by_rows<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<F::Acc>) {
    match columns.height() <= FEW {
        true => by_rows(fold, columns, index, accs),
        false => gathered(fold, columns, index, accs),
    }
}

/// Row by row, an accumulator for each column: for accumulators of few words, which vectors hold.
pub fn by_rows<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut Vec<F::Acc>) {
    let first = accs.len();
    accs.resize_with(first + columns.count(), || fold.identity());
    let all = &mut accs[first..];
    let mut here = all.to_vec();
    for begin in (0..columns.height()).step_by(BLOCK) {
        here.fill_with(|| fold.identity());
        let end = columns.height().min(begin + BLOCK);
        add(fold, &columns.part(begin..end, 0..columns.count()), index.wrapping_add(begin as u64), &mut here);
        for (acc, found) in all.iter_mut().zip(&here) {
            *acc = fold.combine(acc.clone(), found.clone());
        }
    }
}

/// Rows that are added at once, while accumulators are in registers.
const ROWS: usize = 8;

fn add<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut [F::Acc]) {
    #[inline(always)]
    fn add_all<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut [F::Acc]) {
        let whole = columns.height() / ROWS * ROWS;
        for at in (0..whole).step_by(ROWS) {
            add_rows(fold, columns.some_rows::<ROWS>(at), index.wrapping_add(at as u64), accs);
        }
        for at in whole..columns.height() {
            add_rows(fold, columns.some_rows::<1>(at), index.wrapping_add(at as u64), accs);
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn add_avx2<T: Element, F: Fold<T>>(fold: &F, columns: &Columns<'_, T>, index: u64, accs: &mut [F::Acc]) {
            add_all(fold, columns, index, accs);
        }
        if has_vectors() {
            // SAFETY: the processor has what the function was compiled for.
            return unsafe { add_avx2(fold, columns, index, accs) };
        }
    }
    add_all(fold, columns, index, accs);
}

/// Adds so many rows, column by column: a loop that may become vectors.
#[inline(always)]
fn add_rows<T: Element, F: Fold<T>, const K: usize>(fold: &F, rows: [&[T]; K], index: u64, accs: &mut [F::Acc]) {
    let width = accs.len();
    let rows = rows.map(|row| &row[..width]);
    for column in 0..width {
        let mut acc = accs[column].clone();
        for (row, at) in rows.iter().zip(index..) {
            acc = fold.combine(acc, fold.lift(row[column], at));
        }
        accs[column] = acc;
    }
}
