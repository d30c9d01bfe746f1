//! Histograms against an obvious reference: NumPy's edges, and one comparison in f64 for each edge.

use super::{Random, all, recorded, upload};
use treefold::ops::{Counts, Counts2d, Histogram, Histogram2d, Sum};
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

/// A bin for each whole number, whose edges lie half a unit to either side: see [`compared`].
pub fn integers<T: Word>(gpu: &Gpu, low: i64, high: i64) -> Vec<String> {
    let edges: Vec<f64> = (low..=high + 1).map(|k| k as f64 - 0.5).collect();
    let failures = compared::<T>(gpu, &Histogram::integers(low, high).expect("whole numbers"), &edges);
    failures.into_iter().map(|failure| format!("whole numbers: {failure}")).collect()
}

/// Host, device, and the answer on the device, against the reference; several lengths and starts.
fn compared<T: Word>(gpu: &Gpu, op: &Histogram, edges: &[f64]) -> Vec<String> {
    assert_eq!(op.edges(), edges);
    let (bins, low, high) = (edges.len() - 1, edges[0], edges[edges.len() - 1]);
    let elements = telling::<T>(edges, 1500);
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let (n, buffer) = (elements.len(), upload(gpu, &elements));
    // Of tens of thousands, which the reference takes seconds for, one way to begin and the short one.
    let mut ranges = vec![1..n, 2..n.min(90), 0..n, 3..n - 1];
    ranges.truncate(if n > 20_000 && !all() { 2 } else { 4 });
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

/// Equal bins beside the sum, of all and of a few elements, against the host.
pub fn beside(gpu: &Gpu, bins: u32, (low, high): (f64, f64)) -> Vec<String> {
    let elements = telling::<u32>(&edges(bins, low, high), 1500);
    let op = (Histogram::new(bins, low, high).expect("a histogram"), Sum);
    let (reducer, buffer) = (gpu.reducer::<u32, _>(op.clone()).expect("a reducer"), upload(gpu, &elements));
    let part = |n: usize| {
        let got = reducer.reduce(Input::<u32>::range(&buffer, 0..n as u64)).expect("answers");
        let want = Cpu::with_threads(1).reduce(op.clone(), &elements[..n]).expect("answers");
        (got != want).then(|| format!("{bins} bins beside a sum: {n} elements"))
    };
    [elements.len(), 90].into_iter().filter_map(part).collect()
}

/// The counts of pairs, bin by bin.
fn reference2d([x_edges, y_edges]: [&[f64]; 2], pairs: &[[f32; 2]]) -> Counts2d {
    let shape = [x_edges, y_edges].map(|edges| edges.len() as u64 - 1);
    let mut counts = Counts2d { shape, bins: vec![0; (shape[0] * shape[1]) as usize], outside: 0, nan: 0 };
    // The last edge that is not above it, the last bin's upper edge in it.
    let bin = |edges: &[f64], x: f64| -> Option<usize> {
        let last = edges.len() - 1;
        (x >= edges[0] && x <= edges[last]).then(|| edges[..last].partition_point(|&edge| edge <= x) - 1)
    };
    for [x, y] in pairs.iter().map(|pair| pair.map(f64::from)) {
        match (bin(x_edges, x), bin(y_edges, y)) {
            _ if x.is_nan() || y.is_nan() => counts.nan += 1,
            (Some(i), Some(j)) => counts.bins[i * shape[1] as usize + j] += 1,
            _ => counts.outside += 1,
        }
    }
    counts
}

/// Pairs by the bins of two histograms with these edges: on the host, on the device from one buffer and zipped from two, and as the
/// answer on the device, against the reference; several lengths and starts.
pub fn pairs(gpu: &Gpu, [(x, x_edges), (y, y_edges)]: [(Histogram, &[f64]); 2]) -> Vec<String> {
    let op = Histogram2d::new(x, y).expect("a histogram");
    let [mut left, mut right] = [x_edges, y_edges].map(|edges| telling::<f32>(edges, 1500));
    let n = left.len().max(right.len()) + 40;
    // Special values of either beside all kinds of the other.
    for all in [&mut left, &mut right] {
        let own = all.clone();
        all.extend(own.iter().cycle().take(n - own.len()));
    }
    right.rotate_left(n / 3);
    let both: Vec<[f32; 2]> = left.iter().zip(&right).map(|(&x, &y)| [x, y]).collect();
    let [together, lefts, rights] = [upload(gpu, &both), upload(gpu, &left), upload(gpu, &right)];
    let reducer = gpu.reducer::<[f32; 2], _>(op.clone()).expect("a reducer");
    let ranges = [0..n, 1..n, 3..n - 1, 2..n.min(90)];
    let mut failures = Vec::new();
    for range in ranges {
        let here = &both[range.clone()];
        let want = reference2d([x_edges, y_edges], here);
        let part = range.start as u64..range.end as u64;
        let inputs = [
            Input::range(&together, part.clone()),
            Input::zip(Input::range(&lefts, part.clone()), Input::range(&rights, part)).expect("pairs"),
        ];
        let words = recorded(gpu, &reducer, inputs.iter().cloned());
        let reduced = reducer.reduce_batch(inputs).expect("answers");
        let host = Cpu::with_threads(2).reduce(op.clone(), here).expect("counts");
        let words = words.iter().map(|words| {
            Op::<[f32; 2]>::read(&op, &words[..reducer.answer_words()], here.len() as u64).expect("counts")
        });
        for (way, got) in [host].into_iter().chain(reduced).chain(words).enumerate() {
            if got != want {
                let way = ["host", "device", "device, zipped", "recorded", "recorded, zipped"][way];
                let at = got.bins.iter().zip(&want.bins).position(|(got, want)| got != want);
                let beside = [(got.outside, want.outside), (got.nan, want.nan)];
                failures
                    .push(format!("{way}: {:?} bins, {range:?}: bin {at:?}, outside and NaN {beside:?}", want.shape));
            }
        }
    }
    failures
}

/// The slots of elements on the device against the reference, from one buffer and from two, at several lengths and starts; what lies
/// before and behind them stays as it is.
pub fn slots<T: Word>(gpu: &Gpu, op: &Histogram) -> Vec<String> {
    let edges = op.edges();
    let elements = telling::<T>(&edges, 3000);
    let (n, buffer, again) = (elements.len() as u64, upload(gpu, &elements), upload(gpu, &elements));
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (cut, behind) in [(0..n, 0..0), (1..n, 0..0), (3..n - 1, 5..77), (2..90, 7..n), (4..4, 9..9)] {
        let at = |range: &std::ops::Range<u64>| elements[range.start as usize..range.end as usize].to_vec();
        let here = [at(&cut), at(&behind)].concat();
        // One element alone has one slot.
        let slot = |x: &T| {
            let Counts { mut bins, below, above, nan } = reference(&edges, &[*x]);
            bins.extend([below, above, nan]);
            bins.iter().position(|&count| count == 1).expect("a slot") as u32
        };
        let want: Vec<u32> = here.iter().map(slot).collect();
        let to = upload(gpu, &vec![u32::MAX; here.len() + 10]);
        let input = Input::concat([Input::range(&buffer, cut.clone()), Input::range(&again, behind.clone())]);
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let range = 20..20 + 4 * here.len() as u64;
        reducer.record_keys(&mut encoder, input, to.slice(range)).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let words = super::download(gpu, &to);
        let (got, beside) = (&words[5..5 + here.len()], [&words[..5], &words[5 + here.len()..]].concat());
        if got != want || op.bins_of(&here) != want || beside != [u32::MAX; 10] {
            let at = got.iter().zip(&want).position(|(got, want)| got != want);
            failures.push(format!("{} of {cut:?} and {behind:?}: element {at:?}, beside {beside:?}", T::DTYPE));
        }
    }
    failures
}
