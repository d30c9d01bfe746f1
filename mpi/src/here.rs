//! The ranks of one host: which adapter and how many threads each takes.

use anyhow::Result;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use std::num::NonZero;
use treefold::internals::AT_ONCE_BYTES;
use treefold::{Engine, Gpu};
use treefold_cli::args::Args;

/// A rank among those of its host.
pub struct Here {
    /// Its number there.
    rank: usize,
    /// Threads that it may have for itself.
    pub threads: usize,
}

impl Here {
    /// Finds out, with all ranks of the communicator.
    pub fn of(all: &SimpleCommunicator) -> Here {
        let host = all.split_shared(all.rank());
        let mut others = vec![0u64; host.size() as usize];
        let own = processors();
        host.all_gather_into(&own, &mut others[..]);
        let sharing = others.iter().filter(|&&other| other == own).count();
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        Here { rank: host.rank() as usize, threads: (threads / sharing.max(1)).max(1) }
    }

    /// Names the hardware adapter of this rank, where nothing else is asked for and so many bytes are worth one.
    pub fn choose_adapter(&self, args: &mut Args, bytes: Option<u64>) -> Result<()> {
        let at_once = bytes.is_some_and(|bytes| bytes <= AT_ONCE_BYTES);
        if at_once || args.adapter.is_some() || Engine::asked(None).is_some() {
            return Ok(());
        }
        let adapters = Gpu::adapters()?;
        let Some(best) = adapters.iter().find(|listed| listed.default) else { return Ok(()) };
        let kind = (best.info.device_type, best.info.backend);
        let alike: Vec<_> =
            adapters.iter().filter(|other| (other.info.device_type, other.info.backend) == kind).collect();
        args.adapter = Some(alike[self.rank % alike.len()].index.to_string());
        Ok(())
    }
}

/// A number for the processors that this process may run on: ranks that share theirs have the same.
fn processors() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find(|line| line.starts_with("Cpus_allowed_list:")).unwrap_or_default();
    allowed.bytes().fold(0, |number, byte| number.wrapping_mul(131).wrapping_add(u64::from(byte)))
}
