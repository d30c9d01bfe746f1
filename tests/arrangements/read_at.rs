//! Elements that engines read themselves: the bits of those that are pushed, and errors of the medium.

use crate::common::{all, gpu};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use treefold::ops::{ArgMax, FastSum, Hash, Histogram, Sum};
use treefold::{Cpu, Element, Engine, Error, Op, ReadAt, StreamOptions, Team, Widened};

/// Elements as a function makes them of their places, which fail from one on; the number of readings.
struct Made<F> {
    of: F,
    bad: u64,
    readings: AtomicUsize,
}

impl<F> Made<F> {
    fn new(of: F) -> Made<F> {
        Made { of, bad: u64::MAX, readings: AtomicUsize::new(0) }
    }
}

impl<T, F: Fn(u64) -> T + Sync> ReadAt<T> for Made<F> {
    fn read_elements(&self, at: u64, space: &mut [T]) -> io::Result<()> {
        self.readings.fetch_add(1, Ordering::Relaxed);
        if at + space.len() as u64 > self.bad {
            return Err(io::Error::other("the tape is torn"));
        }
        for (x, place) in space.iter_mut().zip(at..) {
            *x = (self.of)(place);
        }
        Ok(())
    }
}

/// Numbers of all sizes.
fn float(place: u64) -> f32 {
    f32::from_bits((place as u32).wrapping_mul(0x9e37_79b9) & 0xbfff_ffff)
}

fn word(place: u64) -> u32 {
    (place as u32).wrapping_mul(0x9e37_79b9) >> 7
}

fn engines() -> Vec<Engine> {
    let cpu = |threads| Engine::Cpu(Cpu::with_threads(threads));
    let team = Team::of(vec![gpu().clone()], Some(Cpu::with_threads(2)));
    vec![cpu(1), cpu(2), cpu(5), Engine::Gpu(gpu().clone()), Engine::Team(team)]
}

/// Options of a stream with so much memory, which begins at a place.
fn options(memory_bytes: u64, first: Option<u64>) -> StreamOptions {
    let mut options = StreamOptions::default();
    (options.memory_bytes, options.first) = (memory_bytes, first);
    options
}

/// The answer, in words, of what a stream reads, and of what it is pushed.
fn both<T: Element, O: Op<T>>(
    engine: &Engine,
    op: O,
    of: impl Fn(u64) -> T + Sync,
    range: Range<u64>,
    memory: u64,
) -> [String; 2] {
    let options = options(memory, Some(range.start));
    let mut read = engine.stream(op.clone(), &options).expect("a stream");
    let mut pushed = engine.stream(op, &options).expect("a stream");
    let made: Vec<T> = range.clone().map(&of).collect();
    made.chunks(pushed.part_elements()).for_each(|part| pushed.push(part).expect("taken"));
    let source = Made::new(of);
    read.push_from(&source, range.clone()).expect("read");
    assert_eq!(read.count(), range.end - range.start);
    assert!(source.readings.into_inner() > 0 || range.is_empty());
    [read, pushed].map(|stream| format!("{:?}", stream.finish().expect("an answer").output))
}

#[test]
fn what_is_read_has_the_bits_of_what_is_pushed() {
    let lengths = [0, 1, 1000, (1 << 16) - 1, 1 << 16, (1 << 18) + 1, 5 * (1 << 16), 2_000_003];
    for engine in engines() {
        let begun = lengths.into_iter().flat_map(|length| [(0, length), (12_345, length)]);
        for (turn, (begin, length)) in begun.enumerate() {
            let range = begin..begin + length;
            let mut memories = vec![1 << 20, 64 << 20];
            if !all() && length > 100_000 {
                // Little from the front, much from another place.
                memories.remove(1 - turn % 2);
            }
            for memory in memories {
                let what = format!("{engine:?} {range:?} {memory}");
                let [read, pushed] = both(&engine, (Sum, ArgMax), float, range.clone(), memory);
                assert_eq!(read, pushed, "{what}");
                let [read, pushed] = both(&engine, Hash, word, range.clone(), memory);
                assert_eq!(read, pushed, "{what}");
            }
            let [read, pushed] = both(&engine, FastSum, float, range.clone(), 64 << 20);
            assert_eq!(read, pushed, "{engine:?} {range:?}");
            let [read, pushed] = both(&engine, Widened(Sum), |place| word(place) as u16, range.clone(), 64 << 20);
            assert_eq!(read, pushed, "{engine:?} {range:?}");
        }
        // Accumulators that are combined as they come.
        let bins = Histogram::new(1000, 0.0, 4e7).expect("bins");
        let [read, pushed] = both(&engine, bins, |place| word(place) as f32, 0..1_500_000, 64 << 20);
        assert_eq!(read, pushed, "{engine:?}");
    }
}

/// Beyond a part, and beyond the parts that are read at a time.
#[test]
fn parts_are_combined_as_they_are_pushed() {
    let cpu = Engine::Cpu(Cpu::with_threads(2));
    let [read, pushed] = both(&cpu, FastSum, float, 7..(50 << 20), 512 << 20);
    assert_eq!(read, pushed);
    let mut pieces = cpu.stream(FastSum, &options(512 << 20, Some(7))).expect("a stream");
    let all: Vec<f32> = (7..(50 << 20)).map(float).collect();
    assert!(pieces.piece_elements() < pieces.part_elements() / 4);
    all.chunks(pieces.piece_elements()).for_each(|piece| pieces.push(piece).expect("taken"));
    assert_eq!(format!("{:?}", pieces.finish().expect("an answer").output), read);
    let many = (1u64 << 27) + (3 << 16) + 5;
    let mut stream = cpu.stream::<u64, _>(Sum, &StreamOptions::default()).expect("a stream");
    stream.push_from(&Made::new(|place| place), 0..many).expect("read");
    assert_eq!(stream.finish().expect("a sum").output, u128::from(many) * u128::from(many - 1) / 2);
}

#[test]
fn what_is_read_stands_behind_what_was_pushed() {
    for engine in engines() {
        let mut stream = engine.stream(Hash, &StreamOptions::default()).expect("a stream");
        let all: Vec<u32> = (0..600_000).map(word).collect();
        let source = Made::new(word);
        stream.push(&all[..10]).expect("taken");
        stream.push_from(&source, 10..300_000).expect("read");
        stream.push_from(&source, 300_000..300_000).expect("read");
        stream.push(&all[300_000..300_007]).expect("taken");
        stream.push_from(&source, 300_007..600_000).expect("read");
        let want = Cpu::new().reduce(Hash, &all).expect("a hash");
        assert_eq!(stream.finish().expect("a hash").output, want, "{engine:?}");
    }
}

/// An error that says from where on, whoever was to read; nobody is blamed for it, and the next stream is none the worse.
#[test]
fn what_cannot_be_read_is_an_error() {
    for engine in engines() {
        for bad in [0, 100_000, 2_999_999] {
            let mut stream = engine.stream(Sum, &StreamOptions::default()).expect("a stream");
            let source = Made { bad, ..Made::new(float) };
            match stream.push_from(&source, 0..3_000_000) {
                Err(Error::Unreadable { at, message }) => {
                    assert!(at <= bad && message == "the tape is torn", "{engine:?} {bad} {at} {message}");
                }
                others => panic!("{engine:?} {bad}: {others:?}"),
            }
            let end = stream.finish().map(|done| done.output);
            assert!(matches!(end, Err(Error::Unreadable { .. })), "{engine:?} {bad}: {end:?}");
        }
        assert_eq!(engine.failures(), Vec::<String>::new());
        let [read, pushed] = both(&engine, Sum, float, 0..3_000_000, 64 << 20);
        assert_eq!(read, pushed, "{engine:?}");
    }
}

/// Files hold elements as this machine stores them, and end where they end.
#[test]
fn files_are_read() {
    let mut file = tempfile::tempfile().expect("a file");
    let all: Vec<u16> = (0..500_000).map(|place| word(place) as u16).collect();
    file.write_all(bytemuck::cast_slice(&all)).expect("written");
    for engine in engines() {
        let mut stream = engine.stream::<u16, _>(Widened(Sum), &StreamOptions::default()).expect("a stream");
        stream.push_from(&file, 64..500_000).expect("read");
        let want: u64 = all[64..].iter().map(|&x| u64::from(x)).sum();
        assert_eq!(stream.finish().expect("a sum").output, want, "{engine:?}");
        let mut stream = engine.stream::<u16, _>(Widened(Sum), &StreamOptions::default()).expect("a stream");
        let told = stream.push_from(&file, 0..500_001).expect_err("an end").to_string();
        assert!(told.contains("cannot be read") && told.contains("begin it anew"), "{told}");
    }
}
