//! Columns on the CPU: each answer is that of its column alone, in whatever way rows are added and columns gathered.

use crate::common::*;
use std::fmt::Debug;
use treefold::ops::*;
use treefold::{Axes, Cpu, Dtype, DynOp, Element, Op};

/// Rows of columns, of which each has numbers of a kind of its own, and some a NaN or an infinity.
fn rows<T: Element>(height: usize, width: usize) -> Vec<T> {
    let special: Vec<T> = match T::DTYPE {
        Dtype::F16 | Dtype::F32 | Dtype::F64 => {
            sets::special_everywhere::<T>().iter().map(|set| set.elements[0]).collect()
        }
        _ => vec![],
    };
    let columns: Vec<Vec<T>> = (0..width)
        .map(|column| {
            let kind = sets::KINDS[column % sets::KINDS.len()];
            let mut elements = sets::make::<T>(kind, height, column as u64);
            if let Some(&x) = special.get(column / 3).filter(|_| column % 3 == 2) {
                elements[column % height] = x;
            }
            elements
        })
        .collect();
    (0..height * width).map(|at| columns[at % width][at / width]).collect()
}

/// What is wrong with the answers over columns, beside those of each alone.
fn beside_alone<T: Element, O: Op<T>>(op: &O, height: usize, width: usize) -> Option<String> {
    let elements = rows::<T>(height, width);
    let axes = Axes::of(&[height as u64, width as u64], &[0]).expect("axes");
    let column = |column: usize| elements.iter().skip(column).step_by(width).copied().collect::<Vec<T>>();
    for threads in [1, 3] {
        let cpu = Cpu::with_threads(threads);
        let all = cpu.reduce_axes(op.clone(), &elements, &axes);
        let alone = (0..width).map(|c| cpu.reduce(op.clone(), &column(c))).collect::<treefold::Result<Vec<_>>>();
        let (all, alone) = match (all, alone) {
            (Ok(all), Ok(alone)) => (all, alone),
            (Err(all), Err(alone)) if all.to_string() == alone.to_string() => continue,
            (all, alone) => {
                return Some(format!("{} {}: {:?}, alone {:?}", op.name(), T::DTYPE, all.err(), alone.err()));
            }
        };
        for (c, (found, want)) in all.iter().zip(&alone).enumerate() {
            if !op.close(found, want, &column(c), false) {
                return Some(format!(
                    "{} {} {height} x {width}: column {c} {found:?}, alone {want:?}",
                    op.name(),
                    T::DTYPE
                ));
            }
        }
    }
    None
}

struct BesideAlone<'a> {
    heights: &'a [usize],
    failures: &'a mut Vec<String>,
}

impl Visitor for BesideAlone<'_> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        self.failures.extend(self.heights.iter().filter_map(|&height| beside_alone(&op, height, 21)));
    }
}

/// Few rows, and more than are told apart without being gathered.
#[test]
fn of_every_operator() {
    let mut failures = vec![];
    for (turn, entry) in TABLE.iter().filter(|entry| entry.needs.is_none()).enumerate() {
        let heights = [[1, 9], [7, 34], [8, 130]][turn % 3];
        let beside = BesideAlone { heights: &heights, failures: &mut failures };
        assert!(visit(entry.name, entry.dtype, beside).is_some(), "{} over {}", entry.name, entry.dtype);
    }
    assert!(failures.is_empty(), "{}", some(&failures));
}

/// Rows that fill blocks, and that do not; columns of more than one strip.
#[test]
fn of_many_rows_and_columns() {
    fn all<T: Element, O: Op<T, Output: Debug>>(op: O) {
        for (height, width) in
            [(127, 17), (128, 33), (129, 16), (1023, 18), (1025, 40), (2051, 19), (3, 1100), (9, 2049)]
        {
            assert_eq!(beside_alone(&op, height, width), None);
        }
    }
    all::<f32, _>(Sum);
    all::<f64, _>(Sum);
    all::<f32, _>(Norm1);
    all::<f32, _>(FastSum);
    all::<f64, _>(Min);
    all::<u32, _>(MinMax);
    all::<i32, _>(Sum);
    all::<f32, _>(ArgMax);
}

/// Columns of several axes that are reduced, whose rows do not lie at equal distances; and of more rows than a thread takes at a time.
#[test]
fn of_views() {
    let elements = rows::<f32>(210, 24);
    let view = |shape: &[u64], axes: &[i64]| {
        let axes = Axes::of(shape, axes).expect("axes");
        let cpu = Cpu::with_threads(2);
        let all = cpu.reduce_axes((Sum, ArgMax), &elements, &axes).expect("answers");
        // As elements that are put one behind another.
        for (answer, found) in all.iter().enumerate() {
            let own: Vec<f32> = places(shape, &axes.shape(true), answer).map(|at| elements[at]).collect();
            assert_eq!(
                format!("{found:?}"),
                format!("{:?}", cpu.reduce((Sum, ArgMax), &own).expect("an answer")),
                "{shape:?}"
            );
        }
    };
    view(&[210, 24], &[0]);
    view(&[7, 30, 24], &[1]);
    view(&[7, 5, 6, 24], &[0, 2]);
    view(&[7, 5, 2, 3, 24], &[0, 2]);
    let tall: Vec<f32> = Random(3).elements(70_000 * 16);
    let axes = Axes::of(&[70_000, 16], &[0]).expect("axes");
    let sums = |threads: usize| Cpu::with_threads(threads).reduce_axes((Sum, FastSum), &tall, &axes).expect("answers");
    // Threads do not show in what rounds.
    assert_eq!(format!("{:?}", sums(1)), format!("{:?}", sums(5)));
}

/// The places of the elements of an answer, in C order, of an array of this shape that is reduced to that.
fn places<'a>(shape: &'a [u64], kept: &'a [u64], answer: usize) -> impl Iterator<Item = usize> + 'a {
    let index = |at: u64, lengths: &[u64]| {
        let mut rest = at;
        let mut index: Vec<u64> = lengths.iter().rev().map(|&n| (rest % n, rest /= n).0).collect();
        index.reverse();
        index
    };
    let own = index(answer as u64, kept);
    (0..shape.iter().product())
        .filter(move |&at| {
            index(at, shape).iter().zip(kept).map(|(&i, &n)| if n == 1 { 0 } else { i }).eq(own.iter().copied())
        })
        .map(|at| at as usize)
}
