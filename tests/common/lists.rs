//! Lists of the best elements, each against that of the CPU engine.

use super::{Random, answers, download, extremes, one, upload};
use treefold::ops::{Bottom, Ranked, Ranking, Top};
use treefold::{Cpu, Gpu, Input, Op, Output, Scalar, Value};

/// Words of a list as they are, NaN and zeros included.
pub fn list_bits<T: Scalar>(found: &Ranked<T>) -> (Vec<u64>, &[u64]) {
    (found.values.iter().map(|x| x.pattern()).collect(), &found.indices)
}

/// The failures of one list: reduced, and recorded from behind other elements into a part of a buffer.
fn judge<T: Scalar + Into<Value>, const HIGH: bool>(
    gpu: &Gpu,
    op: impl Op<T, Fold = Ranking<HIGH>, Output = Ranked<T>>,
    all: &[Vec<T>],
) -> Vec<String> {
    let ranker = gpu.ranker::<T, HIGH>(op.clone()).expect("a ranker");
    let mut failures = Vec::new();
    for (turn, elements) in all.iter().enumerate() {
        let want = Cpu::with_threads(1).reduce(op.clone(), elements).expect("an answer");
        let place = format!("{} of {} {}", op.signature(), elements.len(), T::DTYPE);
        let start = turn % 5;
        let padded: Vec<T> = vec![one(); start].iter().chain(elements).chain(&[one(), one()]).copied().collect();
        let stored = upload(gpu, &padded);
        let input = || Input::<T>::range(&stored, start as u64..(start + elements.len()) as u64);
        match ranker.reduce(input()) {
            Ok(found) if list_bits(&found) == list_bits(&want) => (),
            Ok(found) => failures.push(format!("{place}: {:?}, want {:?}", some_of(&found), some_of(&want))),
            Err(error) => failures.push(format!("{place}: {error}")),
        }
        let later = pollster::block_on(ranker.reduce_async(input()));
        if later.as_ref().is_ok_and(|found| list_bits(found) != list_bits(&want)) || later.is_err() {
            failures.push(format!("{place}, later: {later:?}"));
        }
        for counted in [true, false] {
            let (words, before) = (ranker.output_words(), 3 * turn % 7);
            let output = answers(gpu, before + words + 2);
            let part = output.slice(4 * before as u64..);
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            let to = if counted { Output::from(part) } else { Output::bare(part) };
            ranker.record(&mut encoder, input(), to).expect("a record");
            gpu.queue().submit([encoder.finish()]);
            let found = download(gpu, &output);
            let (each, k) = (T::DTYPE.bytes().div_ceil(4) as usize, ranker.k() as usize);
            let join = |words: &[u32]| words.iter().rev().fold(0u64, |all, &word| all << 32 | u64::from(word));
            let there = want.values.len();
            let mine = &found[before..];
            let values: Vec<u64> = mine.chunks(each).take(there).map(join).collect();
            let indices: Vec<u64> = mine[k * each..].chunks(2).take(there).map(join).collect();
            let rest = mine[there * each..k * each].iter().chain(&mine[k * each + 2 * there..words]);
            if (values, &indices[..]) != list_bits(&want) || rest.into_iter().any(|&word| word != u32::MAX) {
                failures.push(format!("{place}, recorded: {:?}, want {:?}", &mine[..words.min(20)], some_of(&want)));
            }
            // Words that are not written are 0.
            if mine[words..words + 2] != [if counted { there as u32 } else { 0 }, 0] {
                failures.push(format!("{place}, counted {counted}: {:?}", &mine[words..words + 2]));
            }
        }
    }
    failures
}

fn some_of<T: Scalar>(found: &Ranked<T>) -> String {
    let all: Vec<_> = found.values.iter().zip(&found.indices).take(12).collect();
    format!("{} elements {all:?}", found.values.len())
}

/// Ordinary elements, ones in order, equal ones, and few values.
fn inputs<T: Scalar>(lengths: &[usize]) -> Vec<Vec<T>> {
    let (mut random, special) = (Random(7), extremes::<T>());
    let mut all = Vec::new();
    for &n in lengths {
        let ordinary: Vec<T> = random.elements(n);
        let mut rising = ordinary.clone();
        rising.sort_by_key(|&x| T::tie(x.key()));
        let falling = rising.iter().rev().copied().collect();
        let few = (0..n).map(|_| special[random.below(special.len() as u64) as usize]).collect();
        all.extend([ordinary, rising, falling, vec![one(); n], few]);
    }
    all
}

/// Both ends of inputs of these lengths, at these lengths of the list: what is wrong.
pub fn lists<T: Scalar + Into<Value>>(gpu: &Gpu, ks: &[u32], lengths: &[usize]) -> Vec<String> {
    let all = inputs::<T>(lengths);
    let mut failures = Vec::new();
    for &k in ks {
        failures.extend(judge::<T, true>(gpu, Top::new(k).expect("a k"), &all));
        failures.extend(judge::<T, false>(gpu, Bottom::new(k).expect("a k"), &all));
    }
    failures
}

/// Elements that are worse than none, in parts of odd lengths: what is wrong.
pub fn short_parts(gpu: &Gpu) -> Vec<String> {
    let cuts = [0, 3, 8, 15, 16, 217, 30_018];
    let stored = upload(gpu, &vec![u32::MAX; 30_018]);
    let parts = cuts.windows(2).map(|cut| Input::<u32>::range(&stored, cut[0]..cut[1]));
    let ranker = gpu.ranker::<u32, false>(Bottom::new(100).expect("a k")).expect("a ranker");
    let found = ranker.reduce(Input::concat(parts)).expect("a list");
    let right = found.indices == (0..100).collect::<Vec<u64>>();
    if right { Vec::new() } else { vec![format!("parts of odd lengths: {:?}", found.indices)] }
}

/// What differs of numbers whose digits lie in both words of a rank: of all of them, and of rows.
pub fn digits_of_both_words(gpu: &Gpu) -> Vec<String> {
    // Apart in bits 21 to 35.
    let all: Vec<u64> = (0..30_000).map(|at| (at * 7919 % 30_011) << 21).collect();
    let (top, buffer) = (Top::new(40).expect("a k"), upload(gpu, &all));
    let ranker = gpu.ranker::<u64, true>(top).expect("a ranker");
    let found = [
        vec![ranker.reduce(Input::from(&buffer)).expect("a list")],
        ranker.reduce_each(Input::from(&buffer).rows(3000)).expect("lists"),
    ];
    let want =
        [vec![Cpu::new().reduce(top, &all).expect("a list")], Cpu::new().reduce_each(top, &all, 3000).expect("lists")];
    let same = found.iter().flatten().map(list_bits).eq(want.iter().flatten().map(list_bits));
    if same { Vec::new() } else { vec![format!("digits of both words: {found:?}")] }
}
