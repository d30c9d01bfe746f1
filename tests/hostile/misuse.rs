//! Ranges, batches and answers that nobody should ask for.

use super::common::{OwnAnswer, gpu, upload};
use super::noop::{buffer, instance, plain};
use std::time::Instant;
use treefold::ops::{Histogram, Max, Sum};
use treefold::{Axes, DeviceAnswer, Engine, Error, Gpu, Input, Reducer, StreamOptions, WordType};

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_range_that_ends_before_it_begins() {
    let on = plain(&instance());
    let data = buffer(&on.0, 64);
    let max = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    for (range, first, last) in [(5..3, 20, 12), (1 << 40..3, 1 << 42, 12), (u64::MAX..0, u64::MAX, 0)] {
        let error = max.reduce(Input::range(&data, range)).expect_err("an error");
        assert!(matches!(error, Error::Backwards { begin, end, .. } if (begin, end) == (first, last)), "{error:?}");
        let told = error.to_string();
        assert!(told.contains("order") && told.contains(&format!("byte {first}")), "{told}");
    }
}

/// As many words as are declared, neither none nor fewer nor more.
#[test]
fn answers_of_the_wrong_number_of_words() {
    let on = plain(&instance());
    let words = |n: usize| (0..n).map(|_| ("word", WordType::U32));
    for declared in 0..4 {
        for given in 0..4 {
            let list = vec!["count.x"; given].join(", ");
            let answer = DeviceAnswer::new(words(declared), format!("return array<u32, {given}>({list});"));
            let made = Reducer::<f32, _>::new(&on.0, &on.1, OwnAnswer(answer));
            match made {
                Ok(reducer) => {
                    assert!(declared == given && given > 0, "{declared} declared, {given} given");
                    assert_eq!(reducer.answer_words(), given);
                }
                Err(error) => {
                    assert!(declared != given || given == 0, "{error}");
                    match (declared, error) {
                        (0, Error::NoAnswerWords { operator: "own_answer" }) => {}
                        (1.., Error::BadWgsl { operator, .. }) => assert_eq!(operator, "own_answer"),
                        (1.., Error::Refused { message, .. }) => {
                            assert!(message.starts_with("own_answer: "), "{message}")
                        }
                        (_, error) => panic!("{declared} declared, {given} given: {error:?}"),
                    }
                }
            }
        }
    }
}

/// Small parts reach the engine in order, whatever their sizes; and cost next to nothing.
#[test]
fn a_million_small_parts() {
    let gpu = gpu();
    let mut stream = gpu.stream::<u32, _>(Sum, &StreamOptions::default()).expect("a stream");
    stream.push(&[0]).expect("a push");
    let start = Instant::now();
    for at in 0..1_000_000u32 {
        stream.push(&[at]).expect("a push");
    }
    let took = start.elapsed();
    assert_eq!(stream.count(), 1_000_001);
    assert_eq!(stream.finish().expect("a sum").output, 499_999_500_000);
    // Asking for the number of cores took 15 to 40 s; unoptimized, on a busy machine, this takes 0.2.
    assert!(took.as_secs() < 4, "{took:?}");
}

#[test]
fn parts_of_all_sizes_keep_their_order() {
    use super::common::{TextHash, plain_fold};
    let elements: Vec<u32> = (0..300_000).collect();
    let want = plain_fold(&TextHash, &elements).expect("a fold");
    for engine in [treefold::Engine::Gpu(gpu()), treefold::Engine::named("cpu").expect("the CPU")] {
        let mut stream = engine.stream(TextHash, &StreamOptions::default()).expect("a stream");
        let (mut rest, mut size) = (&elements[..], 1usize);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(size.min(rest.len()));
            stream.push(now).expect("a push");
            (rest, size) = (later, size * 7 % 20_011);
        }
        assert_eq!(stream.finish().expect("a hash").output, want, "{}", engine.name());
    }
}

/// More inputs than are held at once.
#[test]
fn a_batch_of_many_groups() {
    let gpu = gpu();
    let data = upload(&gpu, &(0..1000u32).collect::<Vec<_>>());
    let sum = gpu.reducer::<u32, _>(Sum).expect("a reducer");
    let answers = sum.reduce_batch((0..10_000u64).map(|n| Input::range(&data, n % 900..n % 900 + 3))).expect("answers");
    assert!(answers.iter().zip(0u64..).all(|(&sum, n)| sum == 3 * (n % 900) + 3), "in order");
    assert_eq!(answers.len(), 10_000);
}

/// Behind an error nobody knows which elements a stream has: it gives the error again, whatever is called.
#[test]
fn streams_that_have_failed_stay_so() {
    let options = StreamOptions::default();
    let columns = Axes::of(&[4, 2], &[0]).expect("axes");
    let lost = |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::DeviceLost { .. })), "{outcome:?}");
    for finishes in [true, false] {
        let own = Gpu::named(&gpu().info().name).expect("the adapter under test");
        let engine = Engine::Gpu(own.clone());
        let mut each = engine.stream_each(Sum, &columns, &options).expect("a stream");
        let mut groups = engine.stream_groups(Sum, 2, &options).expect("a stream");
        each.push(&[1u32; 4]).expect("a push");
        groups.push(&[0, 1], &[1u32, 1]).expect("a push");
        own.device().destroy();
        for _ in 0..2 {
            lost(each.push(&[1; 4]));
            lost(groups.push(&[0, 1], &[1, 1]));
        }
        lost(if finishes { each.finish().map(drop) } else { each.partials().map(drop) });
        lost(if finishes { groups.finish().map(drop) } else { groups.partials().map(drop) });
    }
    let engine = Engine::Gpu(gpu());
    let histogram = Histogram::integers(0, 3).expect("bins");
    let mut stream = engine.stream_segments(histogram, vec![0, 2, 4], &options).expect("a stream");
    assert!(matches!(stream.push(&[1u32, 2, 3, 1]), Err(Error::NotBySegments { .. })));
    let end = stream.finish();
    assert!(matches!(end, Err(Error::NotBySegments { .. })), "{end:?}");
    // What is refused before any element is taken leaves a stream as it was.
    let mut stream = engine.stream_each(Sum, &columns, &options).expect("a stream");
    assert!(matches!(stream.push(&[1u32; 9]), Err(Error::PushedTooMany { pushed: 9, .. })));
    stream.push(&[1; 8]).expect("a push");
    assert_eq!(stream.finish().expect("answers"), [4, 4]);
}
