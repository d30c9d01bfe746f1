//! The one thread of a process that opens devices beside other work. Opening takes a driver some tenths of a second, in which it cannot be
//! stopped: so this thread alone may go on when the engine that wanted the device is gone.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Work on a device that is not open yet.
pub(super) type Opening = Box<dyn FnOnce() + Send>;

/// The work that waits, and whether the thread is there.
struct Jobs {
    waiting: VecDeque<Opening>,
    running: bool,
}

static JOBS: Mutex<Jobs> = Mutex::new(Jobs { waiting: VecDeque::new(), running: false });

/// Has the thread do a job behind those that wait.
pub(super) fn later(job: Opening) {
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.waiting.push_back(job);
    if !jobs.running {
        let thread = std::thread::Builder::new().name("treefold opener".into());
        // Without a thread nothing is opened, and who waits for it hears of it.
        jobs.running = thread.spawn(work).is_ok();
        if !jobs.running {
            jobs.waiting.clear();
        }
    }
}

/// Whether the thread is at work: a driver is then in the middle of something.
pub(super) fn is_busy() -> bool {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner).running
}

fn work() {
    loop {
        let next = {
            let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
            let next = jobs.waiting.pop_front();
            jobs.running = next.is_some();
            next
        };
        let Some(job) = next else { return };
        // A driver that panics has opened nothing.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
            log::warn!("opening a device beside other work ended in a panic");
        }
    }
}
