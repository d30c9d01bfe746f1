//! The waits of futures: by being polled, with one thread for all that take long, and never for ever.

mod common;

use common::{gpu, small_gpu, upload};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};
use treefold::ops::{ArgMax, Sum};
use treefold::{AnswerFuture, Axes, Cpu, Engine, Error, Gpu, Input, Reducer, wgpu};

const ELEMENTS: u64 = 1 << 20;
/// The time for which a device is kept busy, so that the work behind takes longer than a future's patience.
const BUSY: Duration = Duration::from_millis(50);

/// One test at a time: they look at times and threads.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts how often it is woken, and wakes a thread.
struct Counter(AtomicUsize, std::thread::Thread);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.unpark();
    }
}

fn counter() -> (Arc<Counter>, Waker) {
    let counter = Arc::new(Counter(AtomicUsize::new(0), std::thread::current()));
    (counter.clone(), counter.into())
}

/// A device of its own, and one reduction that keeps it busy for a while: an input that is read again and again.
struct Busy {
    gpu: Gpu,
    reducer: Reducer<u32, Sum>,
    input: wgpu::Buffer,
    times: u64,
}

impl Busy {
    fn new() -> Busy {
        let gpu = Gpu::new().expect("an adapter");
        let (reducer, input) = (gpu.reducer(Sum).expect("a reducer"), upload(&gpu, &vec![1u32; ELEMENTS as usize]));
        let mut busy = Busy { gpu, reducer, input, times: 1 };
        let time = |busy: &Busy| {
            let start = Instant::now();
            assert_eq!(busy.reducer.reduce(busy.input()).expect("a sum"), busy.sum());
            start.elapsed()
        };
        // The shortest of several tells the device's time from this thread's.
        while busy.times < 1 << 12 && (0..3).map(|_| time(&busy)).min() < Some(BUSY) {
            busy.times *= 4;
        }
        busy
    }

    fn input(&self) -> Input<'_, u32> {
        Input::concat((0..self.times).map(|_| Input::from(&self.input)))
    }

    fn sum(&self) -> u64 {
        self.times * ELEMENTS
    }

    fn future(&self) -> AnswerFuture<u64> {
        self.reducer.reduce_async(self.input())
    }
}

/// Threads of this process that wait for devices.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads of this process").flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "treefold: wait").count()
}

/// Futures of several devices: each asks again by itself at first, then one thread asks for all, and wakes them.
#[test]
#[cfg(target_os = "linux")]
fn one_thread_waits_for_all() {
    let _alone = alone();
    let devices: Vec<Busy> = (0..5).map(|_| Busy::new()).collect();
    let start = Instant::now();
    let mut futures: Vec<_> = devices.iter().map(|busy| (busy.sum(), busy.future(), counter())).collect();
    let (mut most, mut round, mut answers) = (0, 0, 0);
    while !futures.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} futures never came", futures.len());
        futures.retain_mut(|(right, future, (counter, waker))| {
            if counter.0.swap(0, Ordering::SeqCst) == 0 && round > 0 {
                return true;
            }
            match future.as_mut().poll(&mut Context::from_waker(waker)) {
                Poll::Ready(sum) => {
                    assert_eq!(sum.expect("a sum"), *right);
                    answers += 1;
                    false
                }
                Poll::Pending => true,
            }
        });
        most = most.max(threads());
        round += 1;
        if most > 0 && devices.len() == futures.len() {
            // One that is given up keeps no other waiting.
            futures.pop();
        }
        std::thread::park_timeout(Duration::from_micros(200));
    }
    assert!(answers >= 4, "{answers} answers");
    assert_eq!(most, 1, "threads that wait at once");
}

#[test]
fn a_pending_future_asks_again_by_itself() {
    let _alone = alone();
    let busy = Busy::new();
    let asks = || {
        let (counter, waker) = counter();
        let mut future = busy.future();
        let pending = future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
        pending && counter.0.load(Ordering::SeqCst) == 1
    };
    // Where this thread loses its core for a millisecond, the other one is asked to.
    assert!((0..20).any(|_| asks()));
}

#[test]
fn a_wait_ends_in_time() {
    let _alone = alone();
    let busy = Busy::new();
    let usual = busy.reducer.timeout();
    busy.reducer.set_timeout(Duration::from_millis(5));
    let late = pollster::block_on(busy.future());
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
    busy.reducer.set_timeout(usual);
    assert_eq!(pollster::block_on(busy.future()).expect("a sum"), busy.sum());
    drop(busy.gpu);
}

/// Calls that do not block give the answers of those that block.
#[test]
fn both_ways_agree() {
    let _alone = alone();
    let gpu = pollster::block_on(Gpu::new_async()).expect("an adapter");
    assert_eq!(gpu.info().name, Gpu::new().expect("an adapter").info().name);
    let elements: Vec<f32> = (0..100_000u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 8) as f32).collect();
    let input = upload(&gpu, &elements);
    let reducer = pollster::block_on(Reducer::<f32, _>::new_async(gpu.device(), gpu.queue(), (Sum, ArgMax)));
    let reducer = reducer.expect("a reducer");
    let answer = reducer.reduce(&input).expect("an answer");
    assert_eq!(pollster::block_on(reducer.reduce_async(&input)).expect("an answer"), answer);
    assert_eq!(pollster::block_on(gpu.reduce_async((Sum, ArgMax), &elements)).expect("an answer"), answer);
    assert_eq!(pollster::block_on(gpu.reduce_async(Sum, &[] as &[f32])).expect("an answer"), 0.0);
    let half = |first: u64| {
        let part = Input::range(&input, first..first + 50_000);
        pollster::block_on(reducer.partial_async(part, Some(first))).expect("a partial")
    };
    assert_eq!(half(0).merge(half(50_000)).expect("neighbours").finish().expect("an answer"), answer);
    let engine = pollster::block_on(Engine::auto_async()).expect("an engine");
    assert_eq!(engine.name(), Engine::auto().expect("an engine").name());
    assert_eq!(engine.reduce((Sum, ArgMax), &elements).expect("an answer"), answer);
}

/// Answers of more submissions than one, each over what the buffer held at the call.
#[test]
fn many_answers_come_as_one_future() {
    let _alone = alone();
    // Bindings that hold the results of some thousands of answers.
    let gpu = small_gpu(1 << 17);
    let reducer = gpu.reducer::<u32, _>((Sum, ArgMax)).expect("a reducer");
    let elements: Vec<u32> = (0..30_000u32).map(|n| n.wrapping_mul(0x9e37_79b9) >> 8).collect();
    let input = upload(&gpu, &elements);
    for axes in [&[0][..], &[1], &[2], &[0, 2], &[], &[0, 1, 2]] {
        let each = || Input::from(&input).over(Axes::of(&[2, 3000, 5], axes).expect("axes"));
        let want = reducer.reduce_each(each()).expect("answers");
        assert_eq!(pollster::block_on(reducer.reduce_each_async(each())).expect("answers"), want, "{axes:?}");
    }
    let rows = || Input::from(&input).rows(2);
    let want = reducer.reduce_each(rows()).expect("answers");
    assert_eq!(want[7_777], Cpu::new().reduce((Sum, ArgMax), &elements[15_554..15_556]).expect("an answer"));
    let coming = reducer.reduce_each_async(rows());
    gpu.queue().write_buffer(&input, 0, &[0; 120_000]);
    drop(input);
    assert!(pollster::block_on(coming).expect("answers") == want, "what is written later shows");
    let input = upload(&gpu, &elements);
    let ragged = pollster::block_on(reducer.reduce_each_async(Input::from(&input).rows(7)));
    assert!(matches!(ragged, Err(Error::RaggedRows { .. })), "{ragged:?}");
    let nothing = pollster::block_on(reducer.reduce_each_async(Input::range(&input, 0..0).rows(7)));
    assert_eq!(nothing.expect("no answers"), []);
    gpu.device().destroy();
    let lost = pollster::block_on(reducer.reduce_each_async(Input::from(&input).rows(2)));
    assert!(matches!(lost, Err(Error::DeviceLost { .. })), "{lost:?}");
}

/// Executors with several threads take them.
#[test]
fn futures_are_send() {
    fn send<F: Future + Send>(future: F) -> F {
        future
    }
    let gpu = gpu();
    let reducer = pollster::block_on(send(gpu.reducer_async::<u32, _>(Sum))).expect("a reducer");
    let input = upload(&gpu, &[1u32, 2, 3]);
    let one = send(reducer.reduce_async(&input));
    let other = send(reducer.partial_async(&input, None));
    let sums = std::thread::spawn(move || (pollster::block_on(one), pollster::block_on(other)));
    let (one, other) = sums.join().expect("a thread");
    assert_eq!((one.expect("a sum"), other.expect("a partial").finish().expect("a sum")), (6, 6));
    let each = send(reducer.reduce_each_async(Input::from(&input).rows(1)));
    assert_eq!(std::thread::spawn(|| pollster::block_on(each)).join().expect("a thread").expect("sums"), [1, 2, 3]);
    drop(send(Reducer::<u32, _>::new_async(gpu.device(), gpu.queue(), Sum)));
    drop((send(Gpu::new_async()), send(Engine::auto_async()), send(gpu.reduce_async(Sum, &[1u32]))));
}
