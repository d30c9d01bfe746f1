//! Histograms against an obvious reference: NumPy's edges, and one comparison in f64 for each edge.

use super::{Random, recorded, upload};
use treefold::ops::{Counts, Histogram};
use treefold::{Cpu, Dtype, Element, Gpu, Input, Op, Word};

/// Edge k of so many bins: k steps above the lower end; the last one is the upper end.
pub fn edges(bins: u32, low: f64, high: f64) -> Vec<f64> {
    let step = (high - low) / f64::from(bins);
    let mut edges: Vec<f64> = (0..=bins).map(|k| f64::from(k) * step + low).collect();
    edges[bins as usize] = high;
    edges
}

/// The counts, bin by bin.
fn reference<T: Word>(edges: &[f64], elements: &[T]) -> Counts {
    let bins = edges.len() - 1;
    let mut counts = Counts { bins: vec![0; bins], below: 0, above: 0, nan: 0 };
    for x in elements.iter().map(|x| x.to_f64()) {
        if x.is_nan() {
            counts.nan += 1;
        } else if x < edges[0] {
            counts.below += 1;
        } else if x > edges[bins] {
            counts.above += 1;
        } else {
            // The last edge that is not above it.
            counts.bins[edges[..bins].partition_point(|&edge| edge <= x) - 1] += 1;
        }
    }
    counts
}

/// On each edge and one step beside it, special values, random ones in and around the range.
pub fn telling<T: Word>(edges: &[f64], n: usize) -> Vec<T> {
    let near = |x: f64| -> Vec<T> {
        let key = match T::DTYPE {
            Dtype::F32 => T::from_bits((x as f32).to_bits()).key(),
            Dtype::I32 => T::from_bits((x.round() as i32) as u32).key(),
            _ => T::from_bits(x.round() as u32).key(),
        };
        [key.saturating_sub(1), key, key.saturating_add(1)].map(T::unkey).to_vec()
    };
    let mut elements: Vec<T> = edges.iter().flat_map(|&edge| near(edge)).collect();
    elements.extend(super::extremes::<T>());
    let (low, high) = (edges[0], edges[edges.len() - 1]);
    let mut random = Random(n as u64);
    for _ in 0..n {
        let share = random.next() as f64 / u64::MAX as f64 * 1.2 - 0.1;
        elements.push(near(low + share * (high - low))[1]);
    }
    elements.extend(random.elements::<T>(n / 4));
    super::sets::shuffle(&mut elements, 9);
    elements
}

/// Equal bins: see [`compared`].
pub fn histogram<T: Word>(gpu: &Gpu, bins: u32, (low, high): (f64, f64)) -> Vec<String> {
    compared::<T>(gpu, &Histogram::new(bins, low, high).expect("a histogram"), &edges(bins, low, high))
}

/// Edges that are given: see [`compared`].
pub fn given<T: Word>(gpu: &Gpu, edges: &[f64]) -> Vec<String> {
    compared::<T>(gpu, &Histogram::of_edges(edges).expect("a histogram"), edges)
}

/// Host, device, and the answer on the device, against the reference; several lengths and starts.
fn compared<T: Word>(gpu: &Gpu, op: &Histogram, edges: &[f64]) -> Vec<String> {
    assert_eq!(op.edges(), edges);
    let (bins, low, high) = (edges.len() - 1, edges[0], edges[edges.len() - 1]);
    let elements = telling::<T>(edges, 1500);
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let (n, buffer) = (elements.len(), upload(gpu, &elements));
    let ranges = [0..n, 1..n, 3..n - 1, 2..n.min(90)];
    let input = |range: &std::ops::Range<usize>| Input::<T>::range(&buffer, range.start as u64..range.end as u64);
    let reduced = reducer.reduce_batch(ranges.iter().map(input)).expect("answers");
    let words = reducer.answer_words();
    let recorded = recorded(gpu, &reducer, ranges.iter().map(input));
    let mut failures = Vec::new();
    for ((range, reduced), recorded) in ranges.iter().zip(reduced).zip(recorded) {
        let here = &elements[range.clone()];
        let want = reference(edges, here);
        let host = Cpu::with_threads(2).reduce(op.clone(), here).expect("counts");
        let recorded = Op::<T>::read(op, &recorded[..words], here.len() as u64).expect("counts");
        for (way, got) in [("host", host), ("device", reduced), ("recorded", recorded)] {
            if got != want {
                let slots = |c: &Counts| [c.bins.clone(), vec![c.below, c.above, c.nan]].concat();
                let (got, want) = (slots(&got), slots(&want));
                let at: Vec<_> = (0..got.len()).filter(|&k| got[k] != want[k]).take(4).collect();
                let at: Vec<_> = at.iter().map(|&k| (k, got[k], want[k])).collect();
                failures.push(format!(
                    "{way}: {bins} bins over {low}..={high}, {} of {range:?}: (slot, got, want) {at:?}",
                    T::DTYPE
                ));
            }
        }
    }
    failures
}
