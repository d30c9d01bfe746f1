//! Rows, each against that row alone.

use super::{Random, answers, download, plain_fold, same, upload};
use treefold::{Element, Gpu, Input, Op, Output, Reducer, Result, Rows};

/// Each row's answer by `reduce_each`, by `record_each` with and without count words, from aligned and unaligned starts and from
/// several buffers that end anywhere; says where one differs from the row folded alone.
pub fn rows<T: Element, O: Op<T>>(gpu: &Gpu, op: &O, lengths: &[usize]) -> Vec<String> {
    let reducer = gpu.reducer::<T, O>(op.clone()).expect("a reducer");
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
        let want: Vec<Result<O::Output>> = here.chunks(n).map(|row| plain_fold(op, row)).collect();
        for (way, input) in [("one buffer", whole()), ("two buffers", parts)] {
            let place = format!("{} {} of {count} rows of {n} from {start}, {way}", O::NAME, T::DTYPE);
            let got = match reducer.reduce_each(input.clone().rows(n as u64)) {
                Ok(answers) => answers.into_iter().map(Ok).collect(),
                Err(error) => {
                    failures.push(format!("{place}: {error}"));
                    continue;
                }
            };
            judge(op, &format!("{place}, reduced"), here, n, got, &want, false, &mut failures);
            for counted in [true, false].into_iter().filter(|_| reducer.answer_words() > 0) {
                let got = recorded(gpu, &reducer, input.clone().rows(n as u64), n, count, counted);
                judge(op, &format!("{place}, recorded {counted}"), here, n, got, &want, true, &mut failures);
            }
        }
    }
    failures
}

fn recorded<T: Element, O: Op<T>>(
    gpu: &Gpu,
    reducer: &Reducer<T, O>,
    rows: Rows<T>,
    n: usize,
    count: usize,
    counted: bool,
) -> Vec<Result<O::Output>> {
    let words = reducer.answer_words();
    let each = words + usize::from(counted);
    let place = answers(gpu, count * each);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let output = if counted { Output::from(&place) } else { Output::bare(&place) };
    reducer.record_each(&mut encoder, rows, output).expect("a record");
    gpu.queue().submit([encoder.finish()]);
    let found = download(gpu, &place);
    let read = |answer: &[u32]| {
        assert!(!counted || answer[words] as usize == n, "count word {} of rows of {n}", answer[words]);
        reducer.op().read(&answer[..words], n as u64)
    };
    found.chunks(each).take(count).map(read).collect()
}

#[allow(clippy::too_many_arguments)]
fn judge<T: Element, O: Op<T>>(
    op: &O,
    place: &str,
    here: &[T],
    n: usize,
    got: Vec<Result<O::Output>>,
    want: &[Result<O::Output>],
    finished: bool,
    failures: &mut Vec<String>,
) {
    assert_eq!(got.len(), want.len(), "{place}");
    for (row, ((got, want), elements)) in got.iter().zip(want).zip(here.chunks(n)).enumerate() {
        if !same(op, got, want, elements, finished) {
            let cut = |text: String| text.chars().take(300).collect::<String>();
            let (got, want) = (cut(format!("{got:?}")), cut(format!("{want:?}")));
            failures.push(format!("{place}: row {row}: got {got}, want {want}"));
        }
    }
}
