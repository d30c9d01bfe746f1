//! Rows, each against that row alone.

use super::{Random, answers, download, plain_fold, same, upload, ways};
use treefold::{Answer, DynAnswer, DynOp, Each, Element, Error, Gpu, Input, Op, Output, Reducer, Result};

/// Each row's answer by `reduce_each`, by `record_each` with and without count words, from aligned and unaligned starts and from
/// several buffers that end anywhere; says where one differs from the row folded alone.
pub fn rows<T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, lengths: &[usize]) -> Vec<String> {
    rows_of(gpu, &DynOp::of(op.clone()), lengths)
}

fn rows_of<T: Element>(gpu: &Gpu, op: &DynOp<T>, lengths: &[usize]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, &n) in lengths.iter().enumerate() {
        let count = (6000 / n).clamp(1, [1, 2, 5, 17, 70][turn % 5]);
        let (start, all) = (turn % 4, n * count);
        let elements: Vec<T> = Random(n as u64).elements(start + all);
        let here = &elements[start..];
        let buffer = upload(gpu, &elements);
        let whole = || Input::<T>::range(&buffer, start as u64..(start + all) as u64);
        // Cut within a row, wherever it has room.
        let cut = all / 3 + 1;
        let other = upload(gpu, &here[cut.min(all)..]);
        let front = Input::range(&buffer, start as u64..(start + cut.min(all)) as u64);
        let parts = Input::concat([front, Input::range(&other, 0..(all - cut.min(all)) as u64)]);
        let wanted = Wanted::new(op, here.chunks(n).collect());
        for (way, input) in [("one buffer", whole()), ("two buffers", parts)] {
            let place = format!("{} {} of {count} rows of {n} from {start}, {way}", op.name(), T::DTYPE);
            each_way(gpu, &reducer, &place, || input.clone().rows(n as u64), &wanted, &[true, false], &mut failures);
        }
    }
    failures
}

/// The answer of each row alone.
pub(super) struct Wanted<'r, T: Element> {
    rows: Vec<&'r [T]>,
    answers: Vec<Result<DynAnswer>>,
}

impl<'r, T: Element> Wanted<'r, T> {
    pub fn new(op: &DynOp<T>, rows: Vec<&'r [T]>) -> Self {
        let answers = rows.iter().map(|row| plain_fold(op, row)).collect();
        Wanted { rows, answers }
    }

    /// Says where answers differ from these.
    pub fn judge(
        &self,
        op: &DynOp<T>,
        place: &str,
        got: Result<Vec<Result<DynAnswer>>>,
        finished: bool,
        failures: &mut Vec<String>,
    ) {
        let got = match got {
            Ok(got) => got,
            Err(error) => return failures.push(format!("{place}: {error}")),
        };
        assert_eq!(got.len(), self.answers.len(), "{place}");
        for (row, ((got, want), elements)) in got.iter().zip(&self.answers).zip(&self.rows).enumerate() {
            if !same(op, got, want, elements, finished) {
                let cut = |text: String| text.chars().take(300).collect::<String>();
                let (got, want) = (cut(format!("{got:?}")), cut(format!("{want:?}")));
                failures.push(format!("{place}: row {row}: got {got}, want {want}"));
            }
        }
    }
}

/// By `reduce_each`, and by `record_each` with count words or without; or in one of these ways.
pub(super) fn each_way<'i, T: Element>(
    gpu: &Gpu,
    reducer: &Reducer<T, DynOp<T>>,
    place: &str,
    each: impl Fn() -> Each<'i, T>,
    wanted: &Wanted<T>,
    counts: &[bool],
    failures: &mut Vec<String>,
) {
    let op = reducer.op();
    let (reduced, counts) = ways(if reducer.answer_words() > 0 { counts } else { &[] });
    if reduced {
        let got = reducer.reduce_each(each()).map(|answers| answers.into_iter().map(Ok).collect());
        wanted.judge(op, &format!("{place}, reduced"), got, false, failures);
    }
    for counted in counts {
        let lengths = wanted.rows.iter().map(|row| row.len()).collect();
        let got = recorded(gpu, reducer, each(), lengths, counted);
        wanted.judge(op, &format!("{place}, recorded {counted}"), Ok(got), true, failures);
    }
}

fn recorded<T: Element>(
    gpu: &Gpu,
    reducer: &Reducer<T, DynOp<T>>,
    each: Each<T>,
    lengths: Vec<usize>,
    counted: bool,
) -> Vec<Result<DynAnswer>> {
    let words = reducer.answer_words();
    let words_of_each = words + usize::from(counted);
    // Where the device counts them, there may be more.
    let room = each.count().expect("a count").max(lengths.len() as u64) as usize;
    let place = answers(gpu, (room * words_of_each).max(1));
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let output = if counted { Output::from(&place) } else { Output::bare(&place) };
    reducer.record_each(&mut encoder, each, output).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let found = download(gpu, &place);
    let read = |(answer, n): (&[u32], usize)| {
        if counted && answer[words] as usize != n {
            return Err(Error::ResultMissing);
        }
        reducer.op().read(&answer[..words], n as u64)
    };
    found.chunks(words_of_each).zip(lengths).map(read).collect()
}
