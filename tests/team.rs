//! Engines that share the work: the same bits as one, whoever takes part and whoever fails; and inputs that lie on several devices.

mod common;

use common::{gpu, upload};
use std::time::{Duration, Instant};
use treefold::internals::Wanted;
use treefold::ops::{ArgMax, FastSum, Hash, Histogram, LogSumExp, Max, MinMax, Stats, Sum, Variance};
use treefold::{Axes, Cpu, Element, Engine, Error, Gpu, Input, Op, Reducer, Sharded, StreamOptions, Team};

/// The adapter under test, opened once more: a device of its own.
fn another() -> Gpu {
    Gpu::named(&gpu().info().name).expect("a device")
}

fn two() -> Vec<Gpu> {
    vec![another(), another()]
}

/// Numbers of all sizes, whose sum depends on its order where it is not exact.
fn numbers(count: usize) -> Vec<f32> {
    let bits = |n: usize| (n as u32).wrapping_mul(0x9e37_79b9) ^ 0x1357_9bdf;
    (0..count).map(|n| f32::from_bits(bits(n) & 0xbfff_ffff)).collect()
}

fn words(count: usize) -> Vec<u32> {
    (0..count as u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 7).collect()
}

fn teams() -> Vec<Engine> {
    let cpu = || Some(Cpu::with_threads(2));
    let teams = [(two(), None), (two(), cpu()), (vec![another()], cpu()), (vec![], cpu()), (vec![], None)];
    teams.into_iter().map(|(gpus, cpu)| Engine::Team(Team::of(gpus, cpu))).collect()
}

/// Debug text of an answer: NaN equals NaN, and -0 is not 0.
fn of<T: Element, O: Op<T>>(engine: &Engine, op: O, elements: &[T]) -> String {
    format!("{:?}", engine.reduce(op, elements).expect("an answer"))
}

/// The text around a byte.
fn from(text: &str, byte: usize) -> String {
    text.chars().skip(byte.saturating_sub(20)).take(80).collect()
}

/// Asks every team, and the CPU engine once.
fn each_as_one(teams: &[Engine], what: &str, answers: impl Fn(&Engine) -> String) {
    let want = answers(&Engine::Cpu(Cpu::with_threads(2)));
    for team in teams {
        let got = answers(team);
        let apart = got.bytes().zip(want.bytes()).take_while(|(a, b)| a == b).count();
        assert!(got == want, "{team:?} {what}: {:?} is not {:?}", from(&got, apart), from(&want, apart));
    }
}

#[test]
fn shared_answers_are_those_of_one() {
    let teams = teams();
    for count in [0, 1, 1000, (1 << 18) - 1, 1 << 18, (1 << 20) + 7, 3_000_001] {
        let (floats, integers) = (numbers(count), words(count));
        each_as_one(&teams, &format!("{count} sum"), |engine| of(engine, Sum, &floats));
        let places = (ArgMax, MinMax, Sum);
        each_as_one(&teams, &format!("{count} floats"), |engine| of(engine, places, &floats));
        each_as_one(&teams, &format!("{count} integers"), |engine| of(engine, places, &integers));
    }
    let floats = numbers(1_500_000);
    let bins = Histogram::new(100, -1.0, 1.0).expect("bins");
    each_as_one(&teams, "histogram", |engine| of(engine, bins.clone(), &floats));
    each_as_one(&teams, "stats", |engine| of(engine, Stats::default(), &floats));
    each_as_one(&teams, "variance", |engine| of(engine, Variance::default(), &floats));
    teams.iter().for_each(|team| assert_eq!(team.failures(), Vec::<String>::new(), "{team:?}"));
}

/// Every engine takes a share, and the shares are all there is.
#[test]
fn shares_are_told() {
    let team = Engine::Team(Team::of(two(), Some(Cpu::with_threads(1))));
    let elements = words(8 << 20);
    let want = Cpu::new().reduce(Sum, &elements).expect("a sum");
    let name = gpu().info().name;
    let engines = ["cpu (1 threads)".into(), name.clone(), format!("{name} #2")];
    // On a busy machine threads begin late, and the others have done it all by then.
    let begun = Instant::now();
    for times in 1.. {
        assert_eq!(team.reduce(Sum, &elements).expect("a sum"), want);
        let shares = team.shares();
        assert_eq!(shares.iter().map(|share| share.elements).sum::<u64>(), times << 23, "{shares:?}");
        assert!(shares.iter().all(|share| engines.contains(&share.engine)), "{shares:?}");
        if shares.len() == 3 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{shares:?} {:?}", team.failures());
    }
    let fresh = team.anew();
    assert_eq!((fresh.shares(), fresh.backend()), (vec![], "team"));
}

/// What rounds on the way, and what goes by the order, runs whole on one engine.
#[test]
fn what_is_not_shared_runs_whole() {
    let gpus = two();
    let team = Engine::Team(Team::of(gpus.clone(), None));
    let elements: Vec<f32> = words(2_000_003).into_iter().map(|word| word as f32).collect();
    assert_eq!(of(&team, FastSum, &elements), of(&Engine::Gpu(gpus[0].clone()), FastSum, &elements));
    assert_eq!(of(&team, Hash, &elements), of(&Engine::Cpu(Cpu::new()), Hash, &elements));
    let shares = team.shares();
    assert_eq!(shares.len(), 1, "{shares:?}");
    assert_eq!((&shares[0].engine, shares[0].elements), (&gpus[0].info().name, 4_000_006));
    // With the CPU engine few elements are its own.
    let team = Engine::Team(Team::of(gpus, Some(Cpu::with_threads(2))));
    assert_eq!(of(&team, FastSum, &elements), of(&Engine::Cpu(Cpu::new()), FastSum, &elements));
}

#[test]
fn many_answers_are_shared() {
    let teams = teams();
    let (rows, columns) = (3_000usize, 700usize);
    let elements = numbers(rows * columns);
    let options = StreamOptions::default();
    for axes in [&[0][..], &[1], &[0, 1]] {
        let axes = Axes::of(&[rows as u64, columns as u64], axes).expect("axes");
        each_as_one(&teams, &format!("{axes:?}"), |engine| {
            let mut stream = engine.stream_each((Sum, ArgMax), &axes, &options).expect("a stream");
            elements.chunks(1_000_001).for_each(|part| stream.push(part).expect("room"));
            format!("{:?}", stream.finish().expect("answers"))
        });
    }
    let offsets: Vec<u64> = (0..=1000u64).map(|n| n * n * 2).collect();
    each_as_one(&teams, "segments", |engine| {
        let mut stream = engine.stream_segments((Sum, ArgMax), offsets.clone(), &options).expect("a stream");
        elements.chunks(800_000).for_each(|part| stream.push(part).expect("room"));
        format!("{:?}", stream.finish().expect("answers"))
    });
    let keys: Vec<u32> = words(elements.len()).into_iter().map(|word| word % 40).collect();
    each_as_one(&teams, "groups", |engine| {
        let mut stream = engine.stream_groups((Sum, ArgMax), 37, &options).expect("a stream");
        let parts = keys.chunks(900_000).zip(elements.chunks(900_000));
        parts.for_each(|(keys, part)| stream.push(keys, part).expect("room"));
        format!("{:?}", stream.finish().expect("answers"))
    });
}

/// A device that is lost, before or while it has a share: the CPU engine does that again.
#[test]
fn a_lost_device_loses_nothing() {
    let elements = numbers(2_000_000);
    let want = of(&Engine::Cpu(Cpu::new()), (Sum, ArgMax), &elements);
    let keys = words(elements.len()).into_iter().map(|word| word % 5).collect::<Vec<_>>();
    for cpu in [None, Some(Cpu::with_threads(1))] {
        let alone = cpu.is_none();
        let gpus = two();
        let team = Engine::Team(Team::of(gpus.clone(), cpu.clone()));
        let mut stream = team.stream((Sum, ArgMax), &StreamOptions::default()).expect("a stream");
        let columns = Axes::of(&[2_000, 1_000], &[0]).expect("axes");
        let mut each = team.stream_each((Sum, ArgMax), &columns, &StreamOptions::default()).expect("a stream");
        let mut groups = team.stream_groups((Sum, ArgMax), 5, &StreamOptions::default()).expect("a stream");
        for part in 0..4 {
            let range = part * 500_000..(part + 1) * 500_000;
            stream.push(&elements[range.clone()]).expect("an engine");
            each.push(&elements[range.clone()]).expect("an engine");
            groups.push(&keys[range.clone()], &elements[range]).expect("an engine");
            match part {
                0 => gpus[0].device().destroy(),
                2 => gpus[1].device().destroy(),
                _ => {}
            }
        }
        assert_eq!(format!("{:?}", stream.finish().expect("an answer").output), want);
        let cpu = Cpu::new();
        let of_columns = cpu.reduce_axes((Sum, ArgMax), &elements, &columns).expect("answers");
        assert_eq!(format!("{:?}", each.finish().expect("answers")), format!("{of_columns:?}"));
        let of_groups = cpu.reduce_groups((Sum, ArgMax), &keys, &elements, 5).expect("answers");
        assert_eq!(format!("{:?}", groups.finish().expect("answers")), format!("{of_groups:?}"));
        // Where the CPU engine takes part it may have done the rest before a device was asked again.
        assert!(!alone || !team.failures().is_empty(), "{:?}", team.failures());
        // What is not shared goes elsewhere, too.
        let fast = of(&team, FastSum, &elements);
        assert_eq!(fast, of(&Engine::Cpu(Cpu::new()), FastSum, &elements));
        // Of what begins now, too.
        assert_eq!(of(&team, (Sum, ArgMax), &elements), want);
    }
}

/// The CPU engine begins, and devices join where much is left, or at once.
#[test]
fn devices_join() {
    for wanted in [Wanted::LATE, Wanted::SOON, Wanted::AT_ONCE] {
        let team = Engine::Team(Team::joined_by(Cpu::with_threads(1), wanted, |_| Ok(two())));
        let part = numbers(1 << 20);
        let mut options = StreamOptions::default();
        options.elements_hint = Some(1 << 40);
        let mut stream = team.stream((Sum, Variance::default()), &options).expect("a stream");
        let (begun, name) = (Instant::now(), gpu().info().name);
        while team.shares().iter().filter(|share| share.engine.starts_with(&name)).count() < 2 {
            assert!(begun.elapsed() < Duration::from_secs(120), "nobody joins: {:?}", team.shares());
            stream.push(&part).expect("an engine");
        }
        let parts = stream.count() >> 20;
        let one = Cpu::new().partial((Sum, Variance::default()), &part);
        let all = (1..parts).try_fold(one.clone(), |all, _| all.merge(one.clone())).expect("partials");
        let want = format!("{:?}", all.finish().expect("an answer"));
        assert_eq!(format!("{:?}", stream.finish().expect("an answer").output), want);
        assert_eq!(team.gpus().len(), 2);
    }
}

/// Nothing joins where little is left, and what cannot be opened is no error.
#[test]
fn nobody_joins_in_vain() {
    let elements = numbers(1 << 20);
    let want = of(&Engine::Cpu(Cpu::new()), Sum, &elements);
    let never =
        Engine::Team(Team::joined_by(Cpu::with_threads(1), Wanted::AT_ONCE, |_| unreachable!("little is left")));
    assert_eq!(of(&never, Sum, &elements), want);
    assert_eq!(of(&never, FastSum, &elements), of(&Engine::Cpu(Cpu::new()), FastSum, &elements));
    // What only reads is never worth a device, however much there is.
    let mut much = StreamOptions::default();
    much.elements_hint = Some(1 << 40);
    let mut stream = never.stream::<f32, _>(FastSum, &much).expect("the CPU engine");
    stream.push(&elements).expect("the CPU engine");
    assert_eq!(stream.finish().expect("a sum").output, Cpu::new().reduce(FastSum, &elements).expect("a sum"));
    let refused = |_| Err(Error::DeviceRefused { adapter: "one".into(), message: "no".into() });
    let team = Engine::Team(Team::joined_by(Cpu::with_threads(1), Wanted::LATE, refused));
    let heavy = LogSumExp::default();
    let mut stream = team.stream::<f32, _>(heavy, &StreamOptions::default()).expect("the CPU engine");
    stream.push(&elements).expect("the CPU engine");
    let want = Cpu::new().reduce(heavy, &elements).expect("a sum");
    assert_eq!(stream.finish().expect("a sum").output, want);
    assert_eq!(team.failures().len(), 1, "{:?}", team.failures());
}

#[test]
fn engines_of_several_by_name() {
    let listed = Gpu::adapters().expect("a list");
    for wanted in ["0,99", "0,", ",", "1,,2"] {
        let error = Engine::named(wanted).expect_err("no such list");
        assert!(matches!(error, Error::AdapterNotFound { .. }), "{wanted}: {error}");
    }
    let number = listed.iter().find(|listed| listed.info.name == gpu().info().name).expect("the adapter").index;
    let twice = Engine::named(&format!("{number},{number}")).expect_err("twice");
    assert!(matches!(twice, Error::AdapterTwice { .. }), "{twice}");
    // Nothing is opened before there is much to do.
    let all = Engine::named(" ALL ").expect("an engine");
    assert!(matches!(&all, Engine::Team(_)) && all.gpus().is_empty());
    assert_eq!((all.backend(), all.reduce(Max, &[1u32, 3]).expect("a maximum")), ("cpu", Some(3)));
    assert!(
        Engine::is_several("all")
            && Engine::is_several("0,1")
            && !Engine::is_several("0")
            && !Engine::is_several("a,1")
    );
}

#[test]
fn shards_on_two_devices() {
    let gpus = two();
    let both = Sharded::<f32, _>::new(&gpus, (Sum, ArgMax, Hash)).expect("reducers");
    let elements = numbers(700_000);
    for cut in [0, 1, 257, 350_000, 699_999, 700_000] {
        let (front, back) = elements.split_at(cut);
        let buffers = [upload(&gpus[0], front), upload(&gpus[1], back)];
        let shard = |at: usize, part: &[f32]| Input::range(&buffers[at], 0..part.len() as u64);
        let shards = [shard(0, front), shard(1, back)];
        let want = Cpu::new().reduce((Sum, ArgMax, Hash), &elements).expect("an answer");
        let found = both.reduce(&shards).expect("an answer");
        assert_eq!(format!("{found:?}"), format!("{want:?}"), "{cut}");
        let found = pollster::block_on(both.reduce_async(&shards)).expect("an answer");
        assert_eq!(format!("{found:?}"), format!("{want:?}"), "{cut}");
        let partial = both.partial(&shards).expect("a partial");
        assert_eq!(partial.count(), 700_000);
        assert_eq!(format!("{:?}", partial.finish().expect("an answer")), format!("{want:?}"));
    }
    assert!(matches!(Sharded::<f32, Sum>::of(vec![]), Err(Error::NoDevices)));
    let buffers = [upload(&gpus[0], &elements), upload(&gpus[1], &elements)];
    let three = [Input::from(&buffers[0]), Input::from(&buffers[1]), Input::from(&buffers[1])];
    assert!(matches!(both.reduce(&three), Err(Error::TooManyShards { shards: 3, devices: 2 })));
    // A buffer of another device.
    let swapped = [Input::from(&buffers[1]), Input::from(&buffers[0])];
    assert!(both.reduce(&swapped).is_err());
}

#[test]
fn many_answers_of_shards() {
    let gpus = two();
    let op = (Sum, ArgMax);
    let both = Sharded::<f32, _>::new(&gpus, op).expect("reducers");
    let elements = numbers(600 * 500);
    let (front, back) = elements.split_at(200 * 500);
    let buffers = [upload(&gpus[0], front), upload(&gpus[1], back)];
    let inputs = || [Input::range(&buffers[0], 0..100_000), Input::range(&buffers[1], 0..200_000)];
    let cpu = Cpu::new();
    let told = |answers: Vec<(f32, Option<treefold::ops::Found<f32>>)>| format!("{answers:?}");
    let rows = inputs().map(|input| input.rows(500)).into();
    let want = cpu.reduce_each(op, &elements, 500).expect("answers");
    assert_eq!(told(both.reduce_each(rows).expect("answers")), told(want));
    let [one, other] = inputs();
    let part = |rows: u64| Axes::of(&[rows, 500], &[0]).expect("axes");
    let want = cpu.reduce_axes(op, &elements, &part(600)).expect("answers");
    let across = vec![one.over(part(200)), other.over(part(400))];
    assert_eq!(told(both.reduce_across(across).expect("answers")), told(want));
    let [one, other] = inputs();
    let differing = vec![one.rows(500), other.rows(500)];
    let error = both.reduce_across(differing).expect_err("200 and 400 answers");
    assert!(matches!(error, Error::ShardsDiffer { shard: 1, answers: 400, first: 200 }), "{error}");
    let keys: Vec<u32> = words(300_000).into_iter().map(|word| word % 7).collect();
    let of_keys = [upload(&gpus[0], &keys[..100_000]), upload(&gpus[1], &keys[100_000..])];
    let [one, other] = inputs();
    let across = vec![
        one.groups(Input::range(&of_keys[0], 0..100_000), 6),
        other.groups(Input::range(&of_keys[1], 0..200_000), 6),
    ];
    let want = cpu.reduce_groups(op, &keys, &elements, 6).expect("answers").answers;
    assert_eq!(told(both.reduce_across(across).expect("answers")), told(want));
    let single = Reducer::<f32, _>::new(gpus[0].device(), gpus[0].queue(), Max).expect("a reducer");
    let alone = Sharded::of(vec![single]).expect("one device").reduce(&[Input::from(&buffers[0])]);
    assert_eq!(format!("{:?}", alone.expect("an answer")), format!("{:?}", cpu.reduce(Max, front).expect("one")));
}
