//! Views of arrays, each answer against its own elements folded alone.

use super::rows::{Wanted, each_way};
use super::{Random, upload};
use treefold::{Answer, Axes, Cpu, DynOp, Element, Gpu, Input, Op};

/// A view of an array: its first element, its shape, its strides, and the axes that are reduced.
#[derive(Clone, Debug)]
pub struct View {
    first: u64,
    shape: Vec<u64>,
    strides: Vec<i64>,
    axes: Vec<i64>,
}

impl View {
    /// Of elements in C order.
    pub fn of(shape: &[u64], axes: &[i64]) -> View {
        let strides = (0..shape.len()).map(|d| shape[d + 1..].iter().product::<u64>() as i64).collect();
        View { first: 0, shape: shape.to_vec(), strides, axes: axes.to_vec() }
    }

    pub fn strided(first: u64, shape: &[u64], strides: &[i64], axes: &[i64]) -> View {
        View { first, shape: shape.to_vec(), strides: strides.to_vec(), axes: axes.to_vec() }
    }

    pub fn axes(&self) -> Axes {
        Axes::strided(self.first, &self.shape, &self.strides, &self.axes).expect("a view")
    }

    /// Places of the elements of each answer, by going through all indices.
    fn places(&self) -> Vec<Vec<u64>> {
        let dims = self.shape.len();
        let reduces: Vec<bool> =
            (0..dims).map(|d| self.axes.iter().any(|&axis| axis.rem_euclid(dims as i64) == d as i64)).collect();
        let lengths = |which: bool| -> Vec<usize> { (0..dims).filter(|&d| reduces[d] == which).collect() };
        let (kept, reduced) = (lengths(false), lengths(true));
        let all = |dims: &[usize]| -> Vec<i64> {
            dims.iter().fold(vec![0], |places, &d| {
                let along =
                    |place: &i64| (0..self.shape[d] as i64).map(|i| place + i * self.strides[d]).collect::<Vec<_>>();
                places.iter().flat_map(along).collect()
            })
        };
        let within = all(&reduced);
        let of = |place: i64| within.iter().map(|at| (self.first as i64 + place + at) as u64).collect();
        all(&kept).into_iter().map(of).collect()
    }
}

/// Each answer of each view by `reduce_each`, by `record_each` and on the CPU, from one buffer and from several that end anywhere;
/// says where one differs from its elements folded alone.
pub fn views<T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, views: &[View]) -> Vec<String> {
    views_of(gpu, &DynOp::of(op.clone()), views)
}

fn views_of<T: Element>(gpu: &Gpu, op: &DynOp<T>, views: &[View]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, view) in views.iter().enumerate() {
        let places = view.places();
        let elements_of = places.iter().flatten().max().map_or(1, |&last| last as usize + 1);
        let start = [0, 8, 3, 1][turn % 4];
        let elements: Vec<T> = Random(turn as u64 + 7).elements(start + elements_of);
        let here = &elements[start..];
        let rows: Vec<Vec<T>> =
            places.iter().map(|places| places.iter().map(|&at| here[at as usize]).collect()).collect();
        let wanted = Wanted::new(op, rows.iter().map(Vec::as_slice).collect());
        let buffer = upload(gpu, &elements);
        let whole = Input::<T>::range(&buffer, start as u64..(start + elements_of) as u64);
        let cut = elements_of / 3 + 1;
        let other = upload(gpu, &here[cut.min(elements_of)..]);
        let front = Input::range(&buffer, start as u64..(start + cut.min(elements_of)) as u64);
        let back = Input::range(&other, 0..(elements_of - cut.min(elements_of)) as u64);
        let parts = Input::concat([front, back]);
        let place = format!("{} {} over {view:?} from {start}", op.name(), T::DTYPE);
        for (way, input) in [("one buffer", whole), ("two buffers", parts)] {
            each_way(
                gpu,
                &reducer,
                &format!("{place}, {way}"),
                || input.clone().over(view.axes()),
                &wanted,
                &[turn % 2 == 0],
                &mut failures,
            );
        }
        for threads in [1, 3] {
            let got = Cpu::with_threads(threads).reduce_axes(op.clone(), here, &view.axes());
            let got = got.map(|answers| answers.into_iter().map(Ok).collect());
            wanted.judge(op, &format!("{place}, {threads} threads"), got, false, &mut failures);
        }
    }
    failures
}
