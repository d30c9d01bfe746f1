//! The ranks of a communicator: how one waits for the others, and how all agree before anything is merged.

use crate::error::{Error, Result};
use mpi::collective::SystemOperation;
use mpi::request::{Request, Scope};
use mpi::traits::{CommunicatorCollectives, Root};
use std::time::{Duration, Instant};

/// Bytes of an error or a description that are told to other ranks.
const TOLD_MAX: usize = 16 << 10;
/// Time in which a wait gives way to other processes and asks again at once.
const EAGER: Duration = Duration::from_millis(2);
/// The longest time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// All ranks of a communicator, which take part in each call of a method here.
///
/// Ranks that wait leave the processor to those that work. Where a wait takes longer than [`Ranks::with_timeout`] says, the job is ended
/// by MPI_Abort, after a line on standard error: nobody could go on, for what was begun with the others cannot be taken back.
#[derive(Debug)]
pub struct Ranks<'a, C> {
    pub(crate) comm: &'a C,
    timeout: Option<Duration>,
}

impl<'a, C: CommunicatorCollectives> Ranks<'a, C> {
    /// Of this communicator; waits without an end.
    pub fn new(comm: &'a C) -> Self {
        Ranks { comm, timeout: None }
    }

    /// With an end of every wait: longer than the slowest rank may take.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Ranks { timeout: Some(timeout), ..self }
    }

    /// The communicator.
    pub fn communicator(&self) -> &'a C {
        self.comm
    }

    /// The own number.
    pub fn rank(&self) -> i32 {
        self.comm.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> i32 {
        self.comm.size()
    }

    /// Waits for a request.
    pub(crate) fn wait<'r, D: ?Sized, S: Scope<'r>>(&self, what: &str, mut request: Request<'r, D, S>) {
        let begun = Instant::now();
        while let Err(pending) = request.test() {
            request = pending;
            let waited = begun.elapsed();
            if self.timeout.is_some_and(|timeout| waited > timeout) {
                eprintln!(
                    "treefold-mpi: rank {} has waited {} s for {what}, longer than the timeout; the job ends",
                    self.rank(),
                    waited.as_secs()
                );
                self.comm.abort(1);
            }
            match waited < EAGER {
                true => std::thread::yield_now(),
                false => std::thread::sleep((waited / 16).min(LOOK_AGAIN)),
            }
        }
    }

    /// Whether a rank has this number.
    pub(crate) fn ensure_rank(&self, rank: i32) -> std::result::Result<(), String> {
        let size = self.size();
        (0..size)
            .contains(&rank)
            .then_some(())
            .ok_or_else(|| format!("there is no rank {rank} among {size}; name one of 0 to {}", size - 1))
    }

    /// For each place, the lowest of all ranks' numbers.
    pub fn lowest<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        let (mut lowest, operation) = ([0; N], SystemOperation::min());
        mpi::request::scope(|scope| {
            let request = self.comm.immediate_all_reduce_into(scope, &own, &mut lowest, operation);
            self.wait("the agreement of all ranks", request);
        });
        lowest
    }

    /// Whether all ranks have the same text: one small exchange.
    pub fn same_text(&self, own: &str) -> bool {
        let hash = hash(own);
        let [low, high] = self.lowest([hash, !hash]);
        low == !high
    }

    /// A text of one rank, on all.
    fn told_by(&self, rank: i32, own: &str) -> String {
        let end = own.len().min(TOLD_MAX);
        let mut length = [end as u64];
        self.broadcast(rank, &mut length);
        let mut bytes = own.as_bytes()[..if self.rank() == rank { end } else { 0 }].to_vec();
        bytes.resize(usize::try_from(length[0]).unwrap_or(0), 0);
        self.broadcast(rank, &mut bytes[..]);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn broadcast<B: mpi::traits::BufferMut + ?Sized>(&self, rank: i32, buffer: &mut B) {
        mpi::request::scope(|scope| {
            let request = self.comm.process_at_rank(rank).immediate_broadcast_into(scope, buffer);
            self.wait("what a rank has to tell", request);
        });
    }

    /// Whether all ranks came with the same description: one small exchange where they did.
    ///
    /// # Errors
    /// On every rank [`Error::Failed`] where any came with an error, else [`Error::Differs`] where two descriptions do.
    pub fn agree(&self, own: std::result::Result<&str, &str>) -> Result<()> {
        const NONE: u64 = u64::MAX;
        let (rank, hash) = (self.rank() as u64, own.ok().map(hash));
        let [low, high, failed] = self.lowest(match hash {
            Some(hash) => [hash, !hash, NONE],
            None => [NONE, NONE, rank],
        });
        if failed != NONE {
            let message = self.told_by(failed as i32, own.err().unwrap_or_default());
            return Err(Error::Failed { rank: failed as i32, message });
        }
        if low == !high {
            return Ok(());
        }
        let text = own.unwrap_or_default();
        let has = self.told_by(0, text);
        let [other] = self.lowest([if has == text { NONE } else { rank }]);
        // Two descriptions that differ behind their first bytes only.
        let other = if other == NONE { 0 } else { other as i32 };
        Err(Error::Differs { rank: 0, has, other, others: self.told_by(other, text) })
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
