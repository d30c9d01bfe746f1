//! Work that threads do side by side, whose results come in the order in which it was given.

use std::collections::VecDeque;
use std::io::{Error, Result};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Work of a thread that is under way, at most.
const AHEAD: usize = 2;

/// The threads; without any, the work is done where its result is taken.
pub struct Side<J, R> {
    work: Arc<dyn Fn(J) -> R + Send + Sync>,
    threads: Vec<Worker<J, R>>,
    waiting: VecDeque<J>,
    given: usize,
    taken: usize,
}

struct Worker<J, R> {
    to: SyncSender<J>,
    from: Receiver<R>,
    thread: JoinHandle<()>,
}

impl<J: Send + 'static, R: Send + 'static> Side<J, R> {
    pub fn new(work: impl Fn(J) -> R + Send + Sync + 'static) -> Side<J, R> {
        Side { work: Arc::new(work), threads: vec![], waiting: VecDeque::new(), given: 0, taken: 0 }
    }

    /// Begins so many threads, as far as they can be had, where none has begun and nothing is under way.
    pub fn begin(&mut self, threads: usize) {
        let worker = |_| {
            let (to, jobs) = sync_channel(AHEAD);
            let (results, from) = sync_channel(AHEAD);
            let work = self.work.clone();
            let works = move || {
                // Whoever takes no more has ended.
                let _ = jobs.into_iter().map(|job| work(job)).all(|result| results.send(result).is_ok());
            };
            let thread = Builder::new().name("goes through rows".into()).spawn(works).ok()?;
            Some(Worker { to, from, thread })
        };
        if self.threads.is_empty() && self.given == self.taken {
            self.threads = (0..threads).map_while(worker).collect();
            (self.given, self.taken) = (0, 0);
        }
    }

    /// Whether a result is to be taken before more is given.
    pub fn is_full(&self) -> bool {
        self.given - self.taken >= (AHEAD * self.threads.len()).max(1)
    }

    pub fn give(&mut self, job: J) -> Result<()> {
        match self.threads.get(self.given % self.threads.len().max(1)) {
            Some(worker) => worker.to.send(job).map_err(|_| stopped())?,
            None => self.waiting.push_back(job),
        }
        self.given += 1;
        Ok(())
    }

    /// The next result, where there is work left.
    pub fn take(&mut self) -> Result<Option<R>> {
        if self.taken == self.given {
            return Ok(None);
        }
        let worker = self.threads.get(self.taken % self.threads.len().max(1));
        self.taken += 1;
        match worker {
            Some(worker) => worker.from.recv().map(Some).map_err(|_| stopped()),
            None => Ok(self.waiting.pop_front().map(|job| (self.work)(job))),
        }
    }
}

fn stopped() -> Error {
    Error::other("a thread that goes through its rows has stopped")
}

impl<J, R> Drop for Side<J, R> {
    /// No thread outlives its text.
    fn drop(&mut self) {
        for Worker { to, from, thread } in self.threads.drain(..) {
            drop((to, from));
            drop(thread.join());
        }
    }
}
