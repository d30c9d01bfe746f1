//! Threads that fill staging memory together, piece by piece, as long as elements come.

use crate::device::fill;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::{ToFold, earlier};
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that a thread reads at a time: what the cache of a core holds on their way to staging memory.
const READ_BYTES: usize = 256 << 10;
/// Bytes that a thread takes at a time.
const PIECE_BYTES: usize = 1 << 20;
/// Bytes for which a thread is worth its start.
const THREAD_BYTES: usize = 2 << 20;
/// More threads fill memory no faster.
const COPIERS: usize = 16;

/// Threads that fill staging memory, at most.
pub(super) fn copiers() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(COPIERS)
}

/// Those who fill a buffer together: the thread that asks, and others that wait for it to.
pub(super) struct Crew<'a, T> {
    work: Mutex<Task<'a, T>>,
    /// There is something to do.
    begun: Condvar,
    /// All of it is done.
    done: Condvar,
}

struct Task<'a, T> {
    freight: Option<Freight<'a, T>>,
    /// Pieces that are under way.
    open: usize,
    filled: Result<()>,
    is_over: bool,
}

/// A buffer from a byte on, and the elements that go there, of which those before `next` are taken.
#[derive(Clone)]
struct Freight<'a, T> {
    staging: wgpu::Buffer,
    at: u64,
    elements: ToFold<'a, T>,
    next: usize,
}

impl<T: Element> Freight<'_, T> {
    /// The next elements, a piece of them; pieces meet at multiples of 16 elements in the buffer, because what threads map must not overlap.
    fn take(&mut self) -> Option<Range<usize>> {
        let (size, begin) = (size_of::<T>(), self.next);
        let piece = (PIECE_BYTES / size).next_multiple_of(16);
        let over = (self.at as usize / size + begin) % 16;
        self.next = self.elements.len().min(begin + piece - over);
        Some(begin..self.next).filter(|range| !range.is_empty())
    }

    fn fill(&self, range: Range<usize>) -> Result<()> {
        let size = size_of::<T>();
        let mut at = self.at + (range.start * size) as u64;
        // Staging memory is written to, and nobody else's: what reads a file may want more of its space.
        self.elements.part(range).in_pieces(READ_BYTES / size, |bytes| {
            fill(&self.staging, at, bytes)?;
            at += bytes.len() as u64;
            Ok(())
        })
    }
}

/// Has `work` done with so many threads at most, over elements of which it copies all.
pub(super) fn with_crew<'a, T: Element, R>(
    most: usize,
    elements: &ToFold<'a, T>,
    work: impl FnOnce(&Crew<'a, T>) -> R,
) -> R {
    let crew = Crew {
        work: Mutex::new(Task { freight: None, open: 0, filled: Ok(()), is_over: false }),
        begun: Condvar::new(),
        done: Condvar::new(),
    };
    #[cfg(not(target_arch = "wasm32"))]
    {
        let threads = most.min(elements.len() / (THREAD_BYTES / size_of::<T>()));
        if threads > 1 {
            return with_threads(threads, &crew, work);
        }
    }
    #[cfg(target_arch = "wasm32")]
    let _ = (most, elements);
    work(&crew)
}

/// Has it done with so many threads; fewer where the system gives no more.
#[cfg(not(target_arch = "wasm32"))]
fn with_threads<'a, T: Element, R>(threads: usize, crew: &Crew<'a, T>, work: impl FnOnce(&Crew<'a, T>) -> R) -> R {
    std::thread::scope(|scope| {
        let start = |_: &usize| std::thread::Builder::new().spawn_scoped(scope, || crew.serve()).is_ok();
        (1..threads).take_while(start).for_each(drop);
        let _over = Over(crew);
        work(crew)
    })
}

/// Sends the crew home, however the work ends.
struct Over<'b, 'a, T>(&'b Crew<'a, T>);

impl<T> Drop for Over<'_, '_, T> {
    fn drop(&mut self) {
        self.0.locked().is_over = true;
        self.0.begun.notify_all();
    }
}

impl<'a, T> Crew<'a, T> {
    fn locked(&self) -> MutexGuard<'_, Task<'a, T>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a, T: Element> Crew<'a, T> {
    /// Copies elements into a mapped buffer from this byte on, or reads them there.
    pub fn copy_in(&self, staging: &wgpu::Buffer, at: u64, elements: ToFold<'a, T>) -> Result<()> {
        let mut work = self.locked();
        work.freight = Some(Freight { staging: staging.clone(), at, elements, next: 0 });
        self.begun.notify_all();
        work = self.fill_pieces(work);
        while work.open > 0 {
            work = self.done.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
        work.freight = None;
        std::mem::replace(&mut work.filled, Ok(()))
    }

    /// Fills what there is to fill until the work is over.
    fn serve(&self) {
        let mut work = self.locked();
        while !work.is_over {
            work = self.fill_pieces(work);
            work = self
                .begun
                .wait_while(work, |work| !work.is_over && !work.has_more())
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Fills pieces as long as there are some.
    fn fill_pieces<'b>(&'b self, mut work: MutexGuard<'b, Task<'a, T>>) -> MutexGuard<'b, Task<'a, T>> {
        while let Some((freight, range)) = work.take() {
            drop(work);
            let panicked =
                |_| Err(Error::Refused { what: "staging memory", message: "a copying thread stopped".into() });
            let filled =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| freight.fill(range))).unwrap_or_else(panicked);
            work = self.locked();
            work.open -= 1;
            if let Err(error) = filled {
                // Nobody needs the rest.
                work.freight = None;
                work.filled = Err(match std::mem::replace(&mut work.filled, Ok(())) {
                    Ok(()) => error,
                    Err(before) => earlier(before, error),
                });
            }
            if work.open == 0 {
                self.done.notify_all();
            }
        }
        work
    }
}

impl<'a, T: Element> Task<'a, T> {
    fn has_more(&self) -> bool {
        self.freight.as_ref().is_some_and(|freight| freight.next < freight.elements.len())
    }

    /// The next piece of what there is to fill.
    fn take(&mut self) -> Option<(Freight<'a, T>, Range<usize>)> {
        let freight = self.freight.as_mut()?;
        let range = freight.take()?;
        self.open += 1;
        Some((freight.clone(), range))
    }
}
