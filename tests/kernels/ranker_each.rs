//! The k best elements of each of many answers on the adapter: rows, axes of views, segments, of every length, against the CPU engine.

use crate::common::*;
use treefold::half::f16;
use treefold::ops::{Bottom, Ranked, Ranking, Top};
use treefold::{Axes, Cpu, Each, Engine, Error, Gpu, Input, Op, Output, Ranker, Scalar, StreamOptions, Value};

/// Elements of every kind side by side, which rows of any length cut: ordinary, rising, all equal, of few values, rising ones behind equal ones.
fn elements<T: Scalar>(n: usize) -> Vec<T> {
    let (mut random, special) = (Random(n as u64), extremes::<T>());
    let part = n.div_ceil(5);
    let ordinary: Vec<T> = random.elements(part);
    let mut rising = ordinary.clone();
    rising.sort_by_key(|&x| T::tie(x.key()));
    let few = (0..part).map(|_| special[random.below(special.len() as u64) as usize]);
    let all: Vec<T> = few
        .chain(rising.iter().rev().copied())
        .chain(vec![one(); part])
        .chain(ordinary)
        .chain(rising.iter().copied())
        .collect();
    all[..n].to_vec()
}

/// What differs, read back and recorded from behind other words, with a count and without.
fn judge<T: Scalar + Into<Value>, const HIGH: bool>(
    gpu: &Gpu,
    ranker: &Ranker<T>,
    op: &impl Op<T, Fold = Ranking<HIGH>, Output = Ranked<T>>,
    what: &str,
    each: &Each<'_, T>,
    want: &[Ranked<T>],
) -> Vec<String> {
    let mut failures = Vec::new();
    let compare = |failures: &mut Vec<String>, way: &str, found: &[Ranked<T>]| {
        let differs = |(found, want): &(&Ranked<T>, &Ranked<T>)| list_bits(found) != list_bits(want);
        let first = found.iter().zip(want).position(|both| differs(&both));
        if let Some(at) = first.or((found.len() != want.len()).then_some(found.len().min(want.len()))) {
            let some = |of: &[Ranked<T>]| of.get(at).map(|of| format!("{of:?}").chars().take(200).collect::<String>());
            failures.push(format!(
                "{} {what}, {way}: answer {at}: {:?}, want {:?}",
                op.signature(),
                some(found),
                some(want)
            ));
        }
    };
    match ranker.reduce_each(each.clone()) {
        Ok(found) => compare(&mut failures, "reduced", &found),
        Err(error) => return vec![format!("{} {what}: {error}", op.signature())],
    }
    let (words, k) = (ranker.output_words(), ranker.k() as usize);
    for counted in [1usize, 0] {
        let before = 3;
        let output = answers(gpu, before + want.len() * (words + counted) + 1);
        let place = output.slice(4 * before as u64..);
        let to = if counted == 1 { Output::from(place) } else { Output::bare(place) };
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        ranker.record_each(&mut encoder, each.clone(), to).expect("a record");
        gpu.queue().submit([encoder.finish()]);
        let all = download(gpu, &output);
        let size = T::DTYPE.bytes().div_ceil(4) as usize;
        let join = |words: &[u32]| words.iter().rev().fold(0u64, |all, &word| all << 32 | u64::from(word));
        let of = |(answer, want): (&[u32], &Ranked<T>)| {
            let there = if counted == 1 { answer[words] as usize } else { want.values.len() };
            Ranked {
                values: answer.chunks(size).take(there.min(k)).map(|words| T::from_pattern(join(words))).collect(),
                indices: answer[k * size..].chunks(2).take(there.min(k)).map(join).collect(),
            }
        };
        let found: Vec<Ranked<T>> = all[before..].chunks(words + counted).zip(want).map(of).collect();
        compare(&mut failures, "recorded", &found);
        // Behind what is found stand ones, and nothing else is written.
        let ones = |(answer, want): (&[u32], &Ranked<T>)| {
            let there = want.values.len();
            answer[there * size..k * size]
                .iter()
                .chain(&answer[k * size + 2 * there..words])
                .all(|&word| word == u32::MAX)
        };
        let rest = all[before..].chunks(words + counted).zip(want).all(ones);
        if !rest || all[..before] != [0; 3] || all[all.len() - 1] != 0 {
            failures.push(format!("{} {what}: words beside answers, counted {counted}", op.signature()));
        }
    }
    failures
}

/// Both ends, in rows of these lengths, so many elements together.
fn rows<T: Scalar + Into<Value>>(gpu: &Gpu, ks: &[u32], lengths: &[usize], together: usize) {
    let mut failures = Vec::new();
    for &length in lengths {
        let all = elements::<T>(together.div_ceil(length) * length);
        let buffer = upload(gpu, &all);
        let each = Input::<T>::from(&buffer).rows(length as u64);
        let each = if T::DTYPE.bytes() == 2 {
            Input::<T>::range(&buffer, 0..all.len() as u64).rows(length as u64)
        } else {
            each
        };
        for &k in ks {
            let what = format!("of rows of {length} {}", T::DTYPE);
            let (top, bottom) = (Top::new(k).expect("a k"), Bottom::new(k).expect("a k"));
            let want = Cpu::with_threads(2).reduce_each(top, &all, length).expect("rows");
            failures.extend(judge(gpu, &gpu.ranker(top).expect("a ranker"), &top, &what, &each, &want));
            let want = Cpu::with_threads(2).reduce_each(bottom, &all, length).expect("rows");
            failures.extend(judge(gpu, &gpu.ranker(bottom).expect("a ranker"), &bottom, &what, &each, &want));
        }
    }
    none(failures, gpu);
}

#[test]
fn rows_of_every_length() {
    let gpu = gpu();
    rows::<f32>(&gpu, &[1, 10], &[1, 2, 3, 17, 64, 65], 900);
    rows::<f32>(&gpu, &[10, 256], &[255, 256, 257, 1025], 3000);
    rows::<f32>(&gpu, &[300], &[64, 2049], 6000);
    rows::<f32>(&gpu, &[1024], &[1023, 1025, 10_001], 20_000);
    rows::<u32>(&gpu, &[64], &[5, 4097], 10_000);
    rows::<i32>(&gpu, &[2], &[999, 70_001], 70_001);
}

#[test]
fn rows_of_halves_and_double_words() {
    let gpu = gpu();
    rows::<f16>(&gpu, &[20], &[1, 7, 257, 2001], 3000);
    rows::<f64>(&gpu, &[5, 300], &[3, 300, 1501], 3000);
    rows::<u64>(&gpu, &[1024], &[9, 3001], 6000);
}

/// Answers enough that several teams share a workgroup: short and middling rows, columns side by side, rising ones among them.
#[test]
fn many_answers() {
    let gpu = gpu();
    rows::<f32>(&gpu, &[10, 16], &[70], 9000 * 70);
    rows::<u64>(&gpu, &[3], &[40], 9000 * 40);
    let all = elements::<f32>(4200 * 150);
    // As many columns, each rising.
    let mut sorted: Vec<f32> = all.iter().map(|x| if x.is_nan() { 0.0 } else { *x }).collect();
    sorted.sort_by(f32::total_cmp);
    let mut failures = vec![];
    for (what, all) in [("mixed", all), ("rising", sorted)] {
        let buffer = upload(&gpu, &all);
        for k in [10, 30, 40] {
            let (top, columns) = (Top::new(k).expect("a k"), Axes::of(&[150, 4200], &[0]).expect("axes"));
            let want = Cpu::with_threads(2).reduce_axes(top, &all, &columns).expect("columns");
            let ranker = gpu.ranker(top).expect("a ranker");
            failures.extend(judge(&gpu, &ranker, &top, what, &Input::<f32>::from(&buffer).over(columns), &want));
        }
    }
    none(failures, &gpu);
}

/// Teams of one workgroup of which every third has no room in its list: more elements than that are better than the bound that the bests of its
/// invocations give, for few of those have good ones. Those are found digit by digit, beside others that are not.
#[test]
fn lists_without_room_beside_others() {
    const LENGTH: usize = 200;
    let top = Top::new(16).expect("a k");
    let value = |answer: usize, i: usize| match (answer % 3, i % 32) {
        (0, 0..15) => 10_000.0 + (i * (1 + answer % 7)) as f32,
        (0, _) => -(i as f32),
        _ => ((i * 7919 + answer * 31) % 997) as f32,
    };
    let judged = |gpu: &Gpu, shape: [usize; 2], axis: usize| {
        let at = |place: usize| (place / shape[1], place % shape[1]);
        let all: Vec<f32> = (0..shape[0] * shape[1])
            .map(at)
            .map(|(row, column)| if axis == 1 { value(row, column) } else { value(column, row) })
            .collect();
        let (buffer, shape) = (upload(gpu, &all), shape.map(|length| length as u64));
        let axes = Axes::of(&shape, &[axis as i64]).expect("axes");
        let want = Cpu::with_threads(2).reduce_axes(top, &all, &axes).expect("answers");
        let ranker = gpu.ranker(top).expect("a ranker");
        judge(gpu, &ranker, &top, "without room", &Input::<f32>::from(&buffer).over(axes), &want)
    };
    none(judged(&gpu(), [8200, LENGTH], 1), &gpu());
    none(judged(&gpu(), [LENGTH, 4200], 0), &gpu());
    let changes = [
        ("if waits(own) { waiting[atomicAdd(&count, 1u)] = own; }", ""),
        ("waiting[atomicAdd(&count, 1u)] = own;", "waiting[atomicAdd(&count, 1u)] = local;"),
        ("        begin = begin_of(here.x);", ""),
        ("        sort(wanted, local);\n        leave(here.x, wanted);", "        leave(here.x, wanted);"),
        ("        tell(here.x, wanted);", ""),
        ("let own = workgroup.x * params.batch + local;", "let own = workgroup.x + local;"),
        ("let is_spilled = ((teams >> team) & 1u) == 1u;", "let is_spilled = false;"),
        ("1u << team", "1u"),
    ];
    assert_noticed(*gpu().tuning(), &changes, |gpu| !judged(gpu, [LENGTH, 4200], 0).is_empty());
}

/// Short bindings, small workgroups and little of their memory; rows that are so long that each has rounds of its own.
#[test]
fn small_limits_and_long_rows() {
    let gpu = small_gpu(1 << 15);
    rows::<f32>(&gpu, &[20, 100], &[3, 300, 1500], 9000);
    rows::<f16>(&gpu, &[7], &[5, 1001], 6000);
    rows::<u64>(&gpu, &[100], &[40, 1500], 6000);
    rows::<f32>(&crate::common::gpu(), &[10], &[700_001], 1_400_002);
    // No binding holds a row.
    rows::<f32>(&gpu, &[10], &[9001], 18_002);
}

/// Any view of an array.
#[test]
fn axes_of_views() {
    let gpu = gpu();
    let all = elements::<f32>(60_000);
    let buffer = upload(&gpu, &all);
    let rows = |axes: &[i64]| View::of(&[200, 300], axes);
    let cube = |axes: &[i64]| View::of(&[20, 30, 100], axes);
    let views = [
        rows(&[1]),
        rows(&[0]),
        cube(&[1]),
        cube(&[0, 2]),
        cube(&[0, 1, 2]),
        View::strided(59_999, &[40, 500], &[-500, -1], &[1]),
        View::strided(7, &[3, 5, 7, 11], &[-1, 90, 0, 13], &[1, 3]),
        View::strided(1, &[9000], &[3], &[0]),
        View::of(&[0, 4], &[0]),
    ];
    let mut failures = vec![];
    for view in views.iter().map(View::axes) {
        for k in [12, 400] {
            let top = Top::new(k).expect("a k");
            let want = Cpu::with_threads(2).reduce_axes(top, &all, &view).expect("axes");
            let ranker = gpu.ranker(top).expect("a ranker");
            let each = Input::<f32>::from(&buffer).over(view.clone());
            failures.extend(judge(&gpu, &ranker, &top, &format!("of {view:?}"), &each, &want));
        }
    }
    none(failures, &gpu);
}

/// By offsets of a slice and of a buffer, from a place in it on; long segments by a slice alone.
#[test]
fn segments_of_all_lengths() {
    let gpu = gpu();
    let all = elements::<f32>(700_000);
    let buffer = upload(&gpu, &all);
    let short = [0u32, 0, 3, 260, 260, 1500, 9000, 9001, 12_000];
    let long = [5u32, 5, 640_000, 640_007, 640_007, 690_000];
    let mut failures = vec![];
    for k in [1, 10, 700] {
        let top = Top::new(k).expect("a k");
        let ranker = gpu.ranker(top).expect("a ranker");
        for offsets in [&short[..], &long] {
            let wide: Vec<u64> = offsets.iter().map(|&offset| offset.into()).collect();
            let want = Cpu::with_threads(2).reduce_segments(top, &all, &wide).expect("segments");
            let each = Input::<f32>::from(&buffer).segments(offsets);
            failures.extend(judge(&gpu, &ranker, &top, "by a slice", &each, &want));
            let padded: Vec<u32> = [9, 9, 9].iter().chain(offsets).copied().collect();
            let there = upload(&gpu, &padded);
            let each = Input::<f32>::from(&buffer).segments(there.slice(12..));
            match offsets == short {
                true => failures.extend(judge(&gpu, &ranker, &top, "by a buffer", &each, &want)),
                false => {
                    let told = ranker.reduce_each(each);
                    assert!(matches!(told, Err(Error::ListTooLong { answer: 1, .. })), "{told:?}");
                }
            }
        }
    }
    none(failures, &gpu);
    // Nothing is read out of bounds, whatever the offsets say.
    let wild = upload(&gpu, &[7u32, 3, u32::MAX, 10, 700_000, 700_001]);
    let top = Top::new(2).expect("a k");
    let ranker = gpu.ranker(top).expect("a ranker");
    let few = Input::<f32>::range(&buffer, 0..1000);
    let found = ranker.reduce_each(few.segments(&wild)).expect("answers");
    let want = Cpu::new().reduce(top, &all[3..1000]).expect("an answer");
    assert_eq!(found.iter().map(|found| found.values.len()).collect::<Vec<_>>(), [0, 2, 0, 2, 0]);
    assert_eq!(list_bits(&found[1]), list_bits(&want));
}

/// Elements that come in parts, each of which has lists of its own: long rows, few long columns, both, segments that parts cut.
#[test]
fn streams_of_lists() {
    fn of<T: Scalar + Into<Value>>(gpu: &Gpu, k: u32, memory_bytes: u64, failures: &mut Vec<String>) {
        let (top, all) = (Top::new(k).expect("a k"), elements::<T>(360_000));
        let engine = Engine::Gpu(gpu.clone());
        let mut options = StreamOptions::default();
        options.memory_bytes = memory_bytes;
        let views = [
            (vec![2, 180_000], vec![1]),
            (vec![180_000, 2], vec![0]),
            (vec![300, 400, 3], vec![0, 2]),
            (vec![9000, 40], vec![1]),
            (vec![360_000], vec![0]),
        ];
        let mut compare = |what: String, found: &[Ranked<T>], want: &[Ranked<T>]| {
            let same = |(found, want)| list_bits(found) == list_bits(want);
            if found.len() != want.len() || !found.iter().zip(want).all(same) {
                failures.push(format!("{} of {} {what}", Op::<T>::signature(&top), T::DTYPE));
            }
        };
        for (shape, wanted) in views {
            let axes = Axes::of(&shape, &wanted).expect("axes");
            let mut stream = engine.stream_each(top, &axes, &options).expect("a stream");
            all.chunks(131_071).try_for_each(|part| stream.push(part)).expect("elements");
            let want = Cpu::with_threads(2).reduce_axes(top, &all, &axes).expect("answers");
            compare(format!("{shape:?}"), &stream.finish().expect("answers"), &want);
        }
        let offsets = vec![0, 0, 3, 150_000, 150_000, 150_001, 359_000];
        let mut stream = engine.stream_segments(top, offsets.clone(), &options).expect("a stream");
        all.chunks(99_991).try_for_each(|part| stream.push(part)).expect("elements");
        let want = Cpu::with_threads(2).reduce_segments(top, &all, &offsets).expect("answers");
        compare("segments".into(), &stream.finish().expect("answers"), &want);
    }
    let (gpu, mut failures) = (gpu(), vec![]);
    of::<f32>(&gpu, 3, 64 << 20, &mut failures);
    of::<u64>(&gpu, 40, 1 << 20, &mut failures);
    of::<f16>(&gpu, 1, 1 << 20, &mut failures);
    // Invocations with few trips, bindings that no long column fits.
    of::<f32>(&small_gpu(1 << 17), 20, 8 << 20, &mut failures);
    none(failures, &gpu);
    // More lists than are fetched at a time, and shorter ones than are wanted.
    let (top, all) = (Top::new(900).expect("a k"), elements::<f32>(2_000_000));
    for length in [1000, 5] {
        let axes = Axes::of(&[all.len() as u64 / length, length], &[1]).expect("axes");
        let mut stream = Engine::Gpu(gpu.clone()).stream_each(top, &axes, &StreamOptions::default()).expect("a stream");
        stream.push(&all).expect("elements");
        let found = stream.finish().expect("answers");
        let want = Cpu::with_threads(2).reduce_axes(top, &all, &axes).expect("answers");
        assert!(found.iter().map(list_bits).eq(want.iter().map(list_bits)), "rows of {length}");
    }
    // Workgroup memory for lists of short answers, not for so many elements of long ones.
    let tiny = Engine::Gpu(small_gpu(1 << 17));
    let wanted = Top::new(300).expect("a k");
    for (length, fits) in [(3, true), (600, false)] {
        let rows = Axes::of(&[2, length], &[1]).expect("axes");
        let elements: Vec<f32> = (0..2 * length).map(|at| (at * 7 % 11) as f32).collect();
        let mut stream = tiny.stream_each(wanted, &rows, &StreamOptions::default()).expect("a stream");
        match stream.push(&elements) {
            Ok(()) => {
                let want = Cpu::with_threads(1).reduce_axes(wanted, &elements, &rows).expect("answers");
                let found = stream.finish().expect("answers");
                assert!(fits && found.iter().map(list_bits).eq(want.iter().map(list_bits)), "rows of {length}");
            }
            Err(error) => {
                assert!(!fits && error.to_string().contains("max_compute_workgroup_storage_size"), "{length}: {error}");
            }
        }
    }
}

/// Whole rows in each of several buffers; an answer that ends in another buffer is an error.
#[test]
fn several_buffers_and_bad_input() {
    let gpu = gpu();
    let all = elements::<f32>(9000);
    let (first, second) = (upload(&gpu, &all[..3000]), upload(&gpu, &all[3000..]));
    let both = || Input::concat([Input::<f32>::from(&first), Input::from(&second)]);
    let top = Top::new(5).expect("a k");
    let ranker = gpu.ranker(top).expect("a ranker");
    let want = Cpu::new().reduce_each(top, &all, 500).expect("rows");
    none(judge(&gpu, &ranker, &top, "in two buffers", &both().rows(500), &want), &gpu);
    let later = pollster::block_on(ranker.reduce_each_async(both().rows(500))).expect("rows");
    assert!(later.iter().zip(&want).all(|(found, want)| list_bits(found) == list_bits(want)));
    let told = |each: Each<'_, f32>| ranker.reduce_each(each).expect_err("an error");
    // What ends in another buffer has rounds of its own; single elements; by a slice; no elements beside.
    for length in [4500, 1] {
        let want = Cpu::new().reduce_each(top, &all, length).expect("rows");
        none(judge(&gpu, &ranker, &top, "across", &both().rows(length as u64), &want), &gpu);
    }
    let offsets = [0u32, 3000, 3000, 4000, 9000];
    let want = Cpu::new().reduce_segments(top, &all, &offsets.map(u64::from)).expect("segments");
    none(judge(&gpu, &ranker, &top, "to each end", &both().segments(&offsets[..]), &want), &gpu);
    let offsets = [10u32, 10, 2999, 3001, 9000];
    let want = Cpu::new().reduce_segments(top, &all, &offsets.map(u64::from)).expect("segments");
    none(judge(&gpu, &ranker, &top, "across ends", &both().segments(&offsets[..]), &want), &gpu);
    let padded = Input::concat([Input::<f32>::range(&second, 0..0), Input::from(&first), Input::range(&second, 9..9)]);
    let there = upload(&gpu, &[0u32, 1000, 3000]);
    let want = Cpu::new().reduce_segments(top, &all, &[0, 1000, 3000]).expect("segments");
    none(judge(&gpu, &ranker, &top, "beside nothing", &padded.clone().segments(&there), &want), &gpu);
    none(
        judge(
            &gpu,
            &ranker,
            &top,
            "of nothing",
            &padded.rows(1000),
            &Cpu::new().reduce_each(top, &all[..3000], 1000).expect("rows"),
        ),
        &gpu,
    );
    assert!(matches!(told(both().rows(7)), Error::RaggedRows { .. }));
    assert!(matches!(told(both().segments(&upload(&gpu, &[0u32, 4000]))), Error::ViewTooScattered { .. }));
    let columns = treefold::Axes::of(&[3000, 3], &[0]).expect("axes");
    assert!(matches!(told(both().over(columns)), Error::ViewTooScattered { .. }));
    let wide = upload(&gpu, &vec![1.0f32; 1_300_000]);
    let columns = treefold::Axes::of(&[650_000, 2], &[0]).expect("axes");
    assert!(matches!(told(Input::from(&wide).over(columns)), Error::ListTooLong { .. }));
    let endless = treefold::Axes::strided(0, &[1 << 60, 2], &[0, 1], &[1]).expect("a view");
    assert!(matches!(told(Input::from(&wide).over(endless)), Error::TooManyAnswers { .. }));
    assert!(matches!(told(both().segments(&[4u32, 1][..])), Error::OffsetsFall { .. }));
    let count = upload(&gpu, &[3u32]);
    assert!(matches!(told(both().rows(500).counted(&count)), Error::NotListed));
    assert!(matches!(told(Input::from(&first).groups(&first, 2)), Error::NotListed));
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut record = |output: Output<'_>| ranker.record_each(&mut encoder, Input::from(&first).rows(1000), output);
    assert!(matches!(record(second.slice(..60).into()), Err(Error::OutputTooSmall { answers: 3, .. })));
    assert!(matches!(record(first.slice(..).into()), Err(Error::Overlap { .. })));
    let own = record(Output::from(second.slice(..4 * 48)));
    assert!(own.is_ok(), "{own:?}");
    assert_eq!(ranker.reduce_each(Input::range(&first, 0..0).rows(3)).expect("no rows").len(), 0);
}

/// Chosen elements that are not the best, and bounds that leave some out, are noticed.
#[test]
fn wrong_kernels_are_noticed() {
    // The failures of the first input that has some.
    let judged = |gpu: &Gpu| {
        let of_kinds = elements::<f32>(12_000);
        // No two are equal, and the best lie anywhere.
        let scattered: Vec<f32> = (0..12_000).map(|at| (at * 7919 % 12_007) as f32).collect();
        // Rising, so that lists have no room, and the last that is wanted has equals.
        let triples: Vec<f32> = (0..12_000).map(|at| (at / 3) as f32).collect();
        let of = |(all, (k, length)): (&[f32], (u32, usize))| {
            let top = Top::new(k).expect("a k");
            let (buffer, want) = (upload(gpu, all), Cpu::new().reduce_each(top, all, length).expect("rows"));
            let ranker = gpu.ranker(top).expect("a ranker");
            judge(gpu, &ranker, &top, "wrong", &Input::<f32>::from(&buffer).rows(length as u64), &want)
        };
        // Compared with each other, cut by digits, and of rising elements more than there is room for.
        let lists = [(30, 6000), (40, 1200), (300, 6000)];
        let inputs = [of_kinds, scattered, triples];
        let pairs = lists.iter().flat_map(|&list| inputs.iter().map(move |all| (all.as_slice(), list)));
        pairs.map(of).find(|failures| !failures.is_empty()).unwrap_or_default()
    };
    let changes = [
        ("if better + 1u == wanted { bounds[team] = best; }", "if better + 9u == wanted { bounds[team] = best; }"),
        ("let rank_0 = rank_of(min(i_0, end - 1u));", "let rank_0 = rank_of(end - 1u);"),
        ("(place_in(a) < place_in(b))", "(place_in(a) > place_in(b))"),
        ("bound = best[slot(wanted - 1u)];", "bound = best[slot(0u)];"),
        ("(j + 3u < some) & before(other_3, own)", "before(other_3, own)"),
        ("if stays_0 {", "if !stays_0 {"),
        ("== ((low & size) == 0u)", "== ((low & size) != 0u)"),
        ("if waits(own) { waiting[atomicAdd(&count, 1u)] = own; }", ""),
        ("write(c, params.at + answer * params.step,", "write(c, params.at,"),
        ("        left -= here.y;", ""),
        ("if bits == 0u { edge = with_low(edge, shift); }", ""),
        ("select(shift, 0u, lower + own == left)", "0u"),
        ("edge = without_low(edge, bits);", ""),
        ("(atomicLoad(&counts[bits]) == 0u) { bits--; }", "(bits > 20u) { bits--; }"),
        ("better_before + min(equal_before, left)", "better_before"),
        ("return params.first + offset_of(answer, 0u, params.kept);", "return params.first;"),
    ];
    assert_noticed(*gpu().tuning(), &changes, |gpu| !judged(gpu).is_empty());
    assert!(judged(&gpu()).is_empty());
}
