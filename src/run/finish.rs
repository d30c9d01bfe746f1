//! Answers from accumulators: one by one, and of many by several threads, since an exact answer is some microseconds of long division.

use super::cpu::on_threads;
use crate::error::Result;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Answers for which a second thread is worth its start.
const ALONE: usize = 1 << 12;
/// Answers that a thread takes at a time.
const BATCH: usize = 1 << 10;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `finish` makes of each, given its number, by so many threads at most; the first error, where there is one.
pub(super) fn finished<I: Send, R: Send>(
    accs: Vec<I>,
    threads: usize,
    finish: impl Fn(usize, I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let parts = threads.min(accs.len() / ALONE);
    if parts < 2 {
        return accs.into_iter().enumerate().map(|(number, acc)| finish(number, acc)).collect();
    }
    let (left, found) = (Mutex::new(accs.into_iter().enumerate()), Mutex::new(Vec::new()));
    on_threads(parts, &|_| {
        loop {
            let batch: Vec<(usize, I)> = locked(&left).by_ref().take(BATCH).collect();
            let Some(&(first, _)) = batch.first() else { return };
            let answers: Result<Vec<R>> = batch.into_iter().map(|(number, acc)| finish(number, acc)).collect();
            locked(&found).push((first, answers));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|&(first, _)| first);
    let mut all = Vec::new();
    for (_, answers) in found {
        all.extend(answers?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn answers_stand_in_their_order_and_the_first_error_is_told() {
        for n in [0, 1, ALONE - 1, 2 * ALONE, 5 * ALONE + 777] {
            let all = finished((0..n).collect(), 4, |number, acc: usize| Ok((number, 2 * acc))).expect("answers");
            assert_eq!(all, (0..n).map(|number| (number, 2 * number)).collect::<Vec<_>>());
        }
        let fails =
            |number, _: usize| if number % 5000 == 4999 { Err(Error::TooFewSlots { slots: number }) } else { Ok(()) };
        let error = finished((0..30_000).collect(), 4, fails).expect_err("an error");
        assert!(matches!(error, Error::TooFewSlots { slots: 4999 }), "{error}");
    }
}
