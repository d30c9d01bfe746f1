//! Kernels against a plain fold: what an operator's own `read` and `close` say of each answer, and index by index.

use super::{Random, TextHash, WeightedSum, all, extremes, one, recorded, upload};
use std::ops::Range;
use treefold::ops::Visitor;
use treefold::wgpu;
use treefold::{Answer, Dtype, DynAnswer, DynOp, Element, Fold, Gpu, Input, Op, Result};

/// The obvious reference: one element after the other.
pub fn plain_fold<T: Element, O: Op<T>>(op: &O, elements: &[T]) -> Result<O::Output> {
    let fold = op.fold();
    // Where a count for each of many bins is copied each time, only short inputs go one by one.
    let acc = match fold.acc_words() > 100 && elements.len() > 64 {
        true => fold.accumulate(elements, 0),
        false => {
            // One by one: what is lifted is combined with what there is.
            let mut acc = fold.identity();
            elements.iter().zip(0u64..).for_each(|(&x, i)| fold.add(&mut acc, x, i));
            acc
        }
    };
    op.finish(acc, elements.len() as u64)
}

/// Whether two outcomes are the same: answers as close as the operator wants them, or equal errors.
pub fn same<T: Element, O: Op<T>>(
    op: &O,
    got: &Result<O::Output>,
    want: &Result<O::Output>,
    elements: &[T],
    finished: bool,
) -> bool {
    match (got, want) {
        (Ok(got), Ok(want)) => op.close(got, want, elements, finished),
        (Err(got), Err(want)) => got.to_string() == want.to_string(),
        _ => false,
    }
}

/// Compares every answer of an operator with the plain fold; says where they differ.
pub struct Compare<'a> {
    pub gpu: &'a Gpu,
    pub lengths: &'a [usize],
    pub failures: Vec<String>,
    /// Whether nothing more is compared behind a batch with failures.
    brief: bool,
    /// Whether answers on the host are compared, and answers on the device.
    ways: [bool; 2],
    /// Which of how many operators one behind another are compared.
    part: (usize, usize),
    /// Number of operators that were given.
    given: usize,
}

impl<'a> Compare<'a> {
    pub fn new(gpu: &'a Gpu, lengths: &'a [usize]) -> Self {
        Compare { gpu, lengths, failures: Vec::new(), brief: false, ways: [true; 2], part: (0, 1), given: 0 }
    }

    /// The same of one in so many operators, where not every combination is wanted: others compare the rest.
    pub fn part(gpu: &'a Gpu, lengths: &'a [usize], turn: usize, of: usize) -> Self {
        Compare { part: (turn, if all() { 1 } else { of }), ..Compare::new(gpu, lengths) }
    }

    /// The same of answers on the host alone, or of those on the device alone where an operator has some; of both where every
    /// combination is wanted.
    pub fn one_way(gpu: &'a Gpu, lengths: &'a [usize], device: bool) -> Self {
        Compare { ways: if all() { [true; 2] } else { [!device, device] }, ..Compare::new(gpu, lengths) }
    }

    /// The same up to the first failure, where one is as good as many.
    pub fn until_one(gpu: &'a Gpu, lengths: &'a [usize]) -> Self {
        Compare { brief: true, ..Compare::new(gpu, lengths) }
    }
}

impl Visitor for &mut Compare<'_> {
    type Out = ();
    fn visit<T: Element>(self, op: DynOp<T>) {
        self.all_of(&op);
    }
}

impl Compare<'_> {
    /// Ordinary values at every length; and a special value in every position of a short input.
    pub fn all<T: Element, O: Op<T, Output: Answer>>(&mut self, op: &O) {
        self.all_of(&DynOp::of(op.clone()));
    }

    fn all_of<T: Element>(&mut self, op: &DynOp<T>) {
        let (turn, of) = self.part;
        self.given += 1;
        if self.given % of != turn % of {
            return;
        }
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        let mut random = Random(longest as u64);
        // Mostly ones and zeros too, on which any, all, count and product have something to say.
        let ordinary: Vec<T> = random.elements(longest + 8);
        let ones: Vec<T> = (0..longest + 8).map(|_| if random.below(40) == 0 { ordinary[0] } else { one() }).collect();
        for elements in [ordinary, ones] {
            let buffer = upload(self.gpu, &elements);
            let ranges = self.lengths.iter().enumerate().map(|(at, &n)| at % 5..at % 5 + n);
            self.batch(op, &buffer, &elements, ranges.collect());
        }
        // Once alone and once with its opposite at the end.
        let special = extremes::<T>();
        let n = 37;
        let mut rows = Vec::new();
        for (s, &x) in special.iter().enumerate() {
            for p in 0..n {
                let mut row: Vec<T> = (0..n).map(|_| one()).collect();
                row[p] = x;
                if p % 3 == 0 {
                    row[n - 1 - p] = special[(s + 1 + p) % special.len()];
                }
                rows.extend(row);
            }
        }
        rows.extend(special.iter().flat_map(|&x| [x; 37]));
        let buffer = upload(self.gpu, &rows);
        // Of wide accumulators a part: a software adapter takes milliseconds for each.
        let step = if op.fold().acc_words() > 100 { 9 } else { 1 };
        self.batch(op, &buffer, &rows, (0..rows.len()).step_by(n * step).map(|at| at..at + n).collect());
    }

    fn batch<T: Element>(&mut self, op: &DynOp<T>, buffer: &wgpu::Buffer, elements: &[T], ranges: Vec<Range<usize>>) {
        if self.brief && !self.failures.is_empty() {
            return;
        }
        let reducer = self.gpu.reducer::<T, _>(op.clone()).expect("a reducer");
        let input = |range: &Range<usize>| Input::range(buffer, range.start as u64..range.end as u64);
        let wants: Vec<_> = ranges.iter().map(|range| plain_fold(op, &elements[range.clone()])).collect();
        let words = reducer.answer_words();
        let [host, device] = self.ways;
        for (ranges, wants) in ranges.chunks(256).zip(wants.chunks(256)).take_while(|_| host || words == 0) {
            // A product that overflows fails its whole batch: then each is asked for alone.
            let answers = match reducer.reduce_batch(ranges.iter().map(input)) {
                Ok(answers) => answers.into_iter().map(Ok).collect(),
                Err(_) => ranges.iter().map(|range| reducer.reduce(input(range))).collect::<Vec<_>>(),
            };
            for ((range, want), got) in ranges.iter().zip(wants).zip(answers) {
                self.judge(op, "reduced", elements, range, (got, want), false);
            }
        }
        if words == 0 || !device {
            return;
        }
        let answers = recorded(self.gpu, &reducer, ranges.iter().map(input));
        for ((range, want), answer) in ranges.iter().zip(&wants).zip(answers) {
            if answer[words] as usize != range.len() {
                self.failures.push(format!("{} {range:?}: count word {}", op.name(), answer[words]));
            }
            let got = op.read(&answer[..words], range.len() as u64);
            self.judge(op, "recorded", elements, range, (got, want), true);
        }
    }

    fn judge<T: Element>(
        &mut self,
        op: &DynOp<T>,
        way: &str,
        elements: &[T],
        range: &Range<usize>,
        (got, want): (Result<DynAnswer>, &Result<DynAnswer>),
        finished: bool,
    ) {
        if !same(op, &got, want, &elements[range.clone()], finished) {
            let (name, n) = (op.name(), range.len());
            let tell = |outcome: &Result<DynAnswer>| {
                let text = outcome.as_ref().map_or_else(|error| error.to_string(), |output| format!("{output:?}"));
                text.chars().take(300).collect::<String>()
            };
            let (got, want) = (tell(&got), tell(want));
            self.failures.push(format!(
                "{name} {} of {n} from {}, {way}: got {got}, want {want}",
                T::DTYPE,
                range.start
            ));
        }
    }
}

/// Checks that every index is read once and in order, over lengths and offsets.
pub fn coverage<T: Element>(gpu: &Gpu, lengths: &[usize]) -> Vec<String> {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let elements: Vec<T> = Random(7).elements(longest + 16);
    let buffer = upload(gpu, &elements);
    let ranges: Vec<_> = lengths.iter().flat_map(|&n| [0, 1, 2, 3, 5].map(|at| at..at + n)).collect();
    let mut compare = Compare::new(gpu, lengths);
    compare.batch(&DynOp::of(TextHash), &buffer, &elements, ranges.clone());
    compare.batch(&DynOp::of(WeightedSum), &buffer, &elements, ranges);
    compare.failures
}

/// The first few of a list, for a message.
pub fn some(failures: &[String]) -> String {
    format!(
        "{} failures, such as\n{}",
        failures.len(),
        failures.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    )
}
