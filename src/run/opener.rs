//! The one thread of a process that opens devices beside other work. Opening takes a driver some tenths of a second, in which it cannot be
//! stopped: so this thread alone may go on when the engine that wanted the device is gone.

use super::team::OPENING;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Work on a device that is not open yet.
pub(super) type Opening = Box<dyn FnOnce() + Send>;

/// The work that waits. Whether the thread is there ([`OPENING`]) changes under this lock.
static WAITING: Mutex<VecDeque<Opening>> = Mutex::new(VecDeque::new());

/// Has the thread do a job behind those that wait.
pub(super) fn later(job: Opening) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.push_back(job);
    if !OPENING.load(Ordering::Acquire) {
        let thread = std::thread::Builder::new().name("treefold opener".into());
        // Without a thread nothing is opened, and who waits for it hears of it.
        let runs = thread.spawn(work).is_ok();
        OPENING.store(runs, Ordering::Release);
        if !runs {
            waiting.clear();
        }
    }
}

fn work() {
    loop {
        let next = {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            let next = waiting.pop_front();
            OPENING.store(next.is_some(), Ordering::Release);
            next
        };
        let Some(job) = next else { return };
        // A driver that panics has opened nothing.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
            log::warn!("opening a device beside other work ended in a panic");
        }
    }
}
