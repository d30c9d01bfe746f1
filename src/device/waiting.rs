//! Futures on native platforms: each asks the device when it is polled; one thread asks for those that take long.

use super::context::{Context, lock};
use super::readback::{Arrival, WHAT};
use crate::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;
use web_time::Instant;

/// The time for which a future asks by itself, through its executor, before it leaves that to the thread.
const PATIENCE: Duration = Duration::from_millis(1);
/// The time for which the thread stays when nobody waits.
const LINGER: Duration = Duration::from_secs(10);

/// Verdicts of error scopes, which are there at once.
#[derive(Default)]
pub(super) struct Verdicts {}

impl Verdicts {
    pub fn hear(&self, verdict: impl Future<Output = Result<()>>) -> Result<()> {
        pollster::block_on(verdict)
    }
}

impl Context {
    /// The verdict of error scopes since the last call: none, since natively each call gives its own.
    pub async fn heard(&self) -> Result<()> {
        Ok(())
    }
}

/// A result that is waited for.
#[derive(Debug)]
struct Awaited {
    context: Arc<Context>,
    arrival: Arc<Arrival>,
    since: Instant,
}

impl Awaited {
    /// Asks the device once. Its errors, and a wait too long, end the wait.
    fn ask(&self) {
        let timeout = self.context.timeout();
        let late = || match self.since.elapsed() > timeout {
            true => Err(Error::Timeout { what: WHAT, waited: timeout }),
            false => Ok(()),
        };
        if let Err(error) = self.context.poll_once(WHAT).and_then(|()| late()) {
            self.arrival.land(Err(error));
        }
    }
}

/// Ends when the result is in host memory. The wait, and its timeout, begin with the first poll.
pub(super) async fn landed(context: Arc<Context>, arrival: Arc<Arrival>) -> Result<()> {
    let awaited = Arc::new(Awaited { context, arrival, since: Instant::now() });
    let mut watched = false;
    std::future::poll_fn(move |polled| {
        // The waker is left before the device is asked, so that no arrival goes unheard.
        let here = awaited.arrival.poll(polled.waker());
        if here.is_ready() {
            return here;
        }
        awaited.ask();
        let here = awaited.arrival.poll(polled.waker());
        if here.is_pending() && !watched {
            watched = awaited.since.elapsed() >= PATIENCE && watch(&awaited);
            if !watched {
                polled.waker().wake_by_ref();
            }
        }
        here
    })
    .await
}

/// Those that the thread asks for. They belong to their futures, and leave the list with them.
struct Watch {
    running: bool,
    list: Vec<Weak<Awaited>>,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { running: false, list: Vec::new() });
static MORE: Condvar = Condvar::new();

/// Leaves a wait to the thread, which starts where none runs. False where none can be started.
fn watch(awaited: &Arc<Awaited>) -> bool {
    let mut watch = lock(&WATCH);
    if !watch.running {
        let started = std::thread::Builder::new().name("treefold: wait".into()).spawn(run);
        watch.running = started.is_ok();
    }
    if watch.running {
        watch.list.push(Arc::downgrade(awaited));
        MORE.notify_one();
    }
    watch.running
}

/// The thread: asks each device in turn, and sleeps in between for a small part of the youngest wait.
fn run() {
    while let Some(waiting) = next() {
        let youngest = waiting.iter().map(|awaited| awaited.since.elapsed()).min().unwrap_or_default();
        for awaited in waiting {
            // A waker that panics ends no other wait.
            let _ = catch_unwind(AssertUnwindSafe(move || awaited.ask()));
        }
        let pause = (youngest / 16).clamp(Duration::from_micros(50), Duration::from_millis(1));
        drop(MORE.wait_timeout(lock(&WATCH), pause));
    }
}

/// The waits, once there are any; `None` where none came for long, and the thread ends.
fn next() -> Option<Vec<Arc<Awaited>>> {
    let mut watch = lock(&WATCH);
    loop {
        // A wait that has landed is handed out once more: it must not be dropped under the lock, since a device may go with it.
        let waiting: Vec<_> = watch.list.iter().filter_map(Weak::upgrade).collect();
        watch.list = waiting.iter().filter(|one| !one.arrival.has_landed()).map(Arc::downgrade).collect();
        if !waiting.is_empty() {
            return Some(waiting);
        }
        let (later, idle) = MORE.wait_timeout(watch, LINGER).unwrap_or_else(PoisonError::into_inner);
        watch = later;
        if idle.timed_out() && watch.list.is_empty() {
            watch.running = false;
            return None;
        }
    }
}
