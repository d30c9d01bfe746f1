//! Runs of equal keys, each against its values alone.

use super::rows::Wanted;
use super::{Random, answers, download, upload};
use treefold::{Answer, ByKey, Cpu, DynAnswer, DynOp, Element, Error, Gpu, Input, Key, Op, Output, Result};

/// The answer of each run, reduced and recorded, by the device and by the CPU engine; says where a run, its key or its answer is
/// another than plain code finds.
pub fn runs<K: Key, T: Element, O: Op<T, Output: Answer>>(gpu: &Gpu, op: &O, all: &[Vec<K>]) -> Vec<String> {
    runs_of(gpu, &DynOp::of(op.clone()), all)
}

fn runs_of<K: Key, T: Element>(gpu: &Gpu, op: &DynOp<T>, all: &[Vec<K>]) -> Vec<String> {
    let reducer = gpu.reducer::<T, _>(op.clone()).expect("a reducer");
    let mut failures = Vec::new();
    for (turn, keys) in all.iter().enumerate() {
        let (n, start) = (keys.len(), turn % 4);
        let elements: Vec<T> = Random(n as u64 + 5).elements(start + n);
        let here = &elements[start..];
        let begins = |i: &usize| *i == 0 || !keys[*i].same(keys[*i - 1]);
        let firsts: Vec<usize> = (0..n).filter(begins).collect();
        let ends = firsts.iter().skip(1).copied().chain([n]);
        let slices: Vec<&[T]> = firsts.iter().zip(ends).map(|(&first, end)| &here[first..end]).collect();
        let wanted = Wanted::new(op, slices.clone());
        let want: Vec<u64> = firsts.iter().map(|&first| keys[first].pattern()).collect();
        let place =
            |way: &str| format!("{} {} by {} runs of {n} {}, {way}", op.name(), T::DTYPE, firsts.len(), K::DTYPE);

        let padded: Vec<K> = keys[..start.min(n)].iter().chain(keys).copied().collect();
        let (stored, values) = (upload(gpu, &padded), upload(gpu, &elements));
        let front = padded.len() as u64 - n as u64;
        let of_keys = || Input::<K>::range(&stored, front..front + n as u64);
        let of_values = || Input::<T>::range(&values, start as u64..(start + n) as u64);
        let mut judge = |way: &str, got: Result<Vec<(K, DynAnswer)>>| {
            let found = got.as_ref().map(|got| got.iter().map(|(key, _)| key.pattern()).collect::<Vec<_>>());
            if let Some(found) = found.ok().filter(|found| *found != want) {
                return failures.push(format!("{}: keys {found:?}, want {want:?}", place(way)));
            }
            let got = got.map(|got| got.into_iter().map(|(_, answer)| Ok(answer)).collect());
            wanted.judge(op, &place(way), got, false, &mut failures);
        };
        judge("reduced", reducer.reduce_by_key(of_keys(), of_values()));
        judge("CPU engine", Cpu::with_threads(2).reduce_by_key(op.clone(), keys, here));

        if reducer.answer_words() == 0 {
            continue;
        }
        // Room for all, for more, and for fewer.
        let number = firsts.len();
        for (room, counted) in [(number, true), (number + 3, false), (number / 2, true)] {
            let words = reducer.answer_words() + usize::from(counted);
            let (place_of_answers, place_of_keys) =
                (answers(gpu, (room * words).max(1)), answers(gpu, room.max(1) * 2));
            let place_of_number = answers(gpu, 3);
            let to = ByKey {
                answers: if counted { Output::from(&place_of_answers) } else { Output::bare(&place_of_answers) },
                keys: place_of_keys.slice(..(room as u64 * K::DTYPE.bytes()).max(4)).into(),
                number: place_of_number.slice(4..8).into(),
            };
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            reducer.record_by_key(&mut encoder, of_keys(), of_values(), to).expect("a record");
            gpu.queue().submit([encoder.finish()]);
            let way = format!("recorded, room for {room}");
            let there = room.min(number);
            let found = download(gpu, &place_of_number)[1] as usize;
            let keys_found = download(gpu, &place_of_keys);
            let patterns: Vec<u64> = match K::DTYPE.bytes() {
                4 => keys_found.iter().map(|&word| word.into()).take(there).collect(),
                _ => keys_found.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).take(there).collect(),
            };
            if (found, &patterns[..]) != (number, &want[..there]) {
                failures.push(format!("{}: {found} runs, keys {patterns:?}, want {want:?}", place(&way)));
                continue;
            }
            let read = |(answer, row): (&[u32], &&[T])| match counted && answer[words - 1] as usize != row.len() {
                true => Err(Error::ResultMissing),
                false => op.read(&answer[..reducer.answer_words()], row.len() as u64),
            };
            let got = download(gpu, &place_of_answers).chunks(words).zip(&slices[..there]).map(read).collect();
            Wanted::new(op, slices[..there].to_vec()).judge(op, &place(&way), Ok(got), true, &mut failures);
        }
    }
    failures
}
