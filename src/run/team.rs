//! Several engines as one: the CPU engine and devices that share the work over elements in host memory.

use super::cpu::Cpu;
use super::engine::Engine;
use crate::device::Gpu;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::op::{Fold, Op};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The CPU engine and any number of devices, which share the work: each takes parts of what is left as fast as it is done with those that it has.
///
/// Shared is the work of operators whose answer does not depend on how it is shared: those that are [exact](crate::Op::is_exact) and
/// commutative, but for functions and expressions over floats. All others run whole on one engine, so that their bits are the same each time: on the
/// CPU engine, if it takes part, but for what computes functions of its elements (`exp`, `log`, `pow`) over more than [`AT_ONCE_BYTES`], which
/// the best device does.
///
/// A device that fails (lost, or late beyond the timeout) takes no further part; what it has not answered for of what is shared is computed
/// again by the CPU engine, and the answer is right. [`Engine::failures`] tells of it. Where an operator runs whole on a device that fails,
/// [`Engine::reduce`] begins anew on another engine, and a stream, whose elements are gone, ends in the error.
///
/// ```
/// use treefold::{Cpu, Engine, Team, ops::Sum};
/// let engine = Engine::Team(Team::of(vec![], Some(Cpu::with_threads(2))));
/// assert_eq!(engine.reduce(Sum, &[1e30f32, 1.0, -1e30])?, 1.0);
/// let shares = engine.shares();
/// assert_eq!((&shares[0].engine[..], shares[0].elements), ("cpu (2 threads)", 3));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone)]
pub struct Team {
    members: Arc<Members>,
    record: Arc<Mutex<Record>>,
}

struct Members {
    /// The CPU engine, and whether it takes part from the begin, not only where a device fails.
    cpu: Cpu,
    cpu_takes_part: bool,
    gpus: Vec<Gpu>,
    /// The devices that may join, once they are opened.
    joins: Option<Joins>,
    /// Devices that have failed.
    failed: Mutex<Vec<wgpu::Device>>,
}

/// Devices that are opened where they are wanted.
struct Joins {
    /// Opens so many at most.
    open: fn(usize) -> Result<Vec<Gpu>>,
    opened: OnceLock<Vec<Gpu>>,
    /// The best of them alone, where no other was wanted yet.
    best: OnceLock<Vec<Gpu>>,
    on_open: Option<OnOpen>,
    wanted: Wanted,
}

/// The work for which devices are opened beside the CPU engine: where so much time was spent, and more is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Time over which a speed is believed.
    pub settled: Duration,
    /// Time that is left at that speed.
    pub left: Duration,
}

impl Wanted {
    /// Devices that nobody has named: opening one takes some tenths of a second, in which its driver is in the way of other threads.
    pub const LATE: Wanted = Wanted { settled: Duration::from_millis(200), left: Duration::from_secs(1) };
    /// Devices that are asked for: as soon as they make up for their opening.
    pub const SOON: Wanted = Wanted { settled: Duration::from_millis(60), left: Duration::from_millis(500) };
    /// For tests: at once.
    pub const AT_ONCE: Wanted = Wanted { settled: Duration::ZERO, left: Duration::ZERO };

    /// Whether somebody has asked for devices.
    fn is_asked(self) -> bool {
        self.left < Wanted::LATE.left
    }
}

/// Function that is given a device as soon as it is open, before it is used. It is not to use the engine that opens it.
pub type OnOpen = Arc<dyn Fn(&Gpu) + Send + Sync>;

/// Whether the thread that opens devices is at work: a driver is then in the middle of something.
pub(super) static OPENING: AtomicBool = AtomicBool::new(false);

/// What an engine of a team has done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// The engine's name, as [`Engine::name`] tells it; of several alike with a number behind it.
    pub engine: String,
    /// Its backend, as [`Engine::backend`] tells it.
    pub backend: &'static str,
    /// Elements that it has answered for, those of all operators together.
    pub elements: u64,
}

/// What the engines have done so far.
#[derive(Default)]
struct Record {
    shares: Vec<Share>,
    failures: Vec<String>,
}

/// An engine of a team, as it is called in the record.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    team: Team,
    name: String,
    backend: &'static str,
}

impl Noted {
    /// Notes that it has done so many elements.
    pub fn note(&self, elements: u64) {
        if elements == 0 {
            return;
        }
        let mut record = self.team.record.lock().unwrap_or_else(PoisonError::into_inner);
        match record.shares.iter_mut().find(|share| share.engine == self.name) {
            Some(share) => share.elements += elements,
            None => {
                let Noted { name, backend, .. } = self.clone();
                record.shares.push(Share { engine: name, backend, elements });
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Bytes that the CPU engine reads, with almost any operator, in the time in which a GPU is found and opened: beside an H200 a
/// process takes 68 to 85 ms for logsumexp of so much, and 331 to 358 ms through the GPU (docs/performance.md).
pub const AT_ONCE_BYTES: u64 = 256 << 20;
/// Elements that every CPU engine does in less than the time for which a device is worth its opening.
const NOT_WORTH_OPENING: u64 = 1 << 26;

impl Team {
    /// These devices, and the CPU engine if there is one; without, that of all threads steps in where a device fails, and where there are no devices.
    pub fn of(gpus: Vec<Gpu>, cpu: Option<Cpu>) -> Team {
        let cpu_takes_part = cpu.is_some() || gpus.is_empty();
        Team::new(gpus, cpu, cpu_takes_part, None)
    }

    /// The CPU engine, which all hardware joins where there is so much to do.
    pub(super) fn growing(cpu: Cpu, wanted: Wanted, on_open: Option<OnOpen>) -> Team {
        Team::joined(cpu, wanted, Gpu::up_to, on_open)
    }

    /// The CPU engine, which what is opened so, at most so many, joins where there is much to do: for tests, on machines without hardware.
    #[doc(hidden)]
    pub fn joined_by(cpu: Cpu, wanted: Wanted, open: fn(usize) -> Result<Vec<Gpu>>) -> Team {
        Team::joined(cpu, wanted, open, None)
    }

    fn joined(cpu: Cpu, wanted: Wanted, open: fn(usize) -> Result<Vec<Gpu>>, on_open: Option<OnOpen>) -> Team {
        let (opened, best) = (OnceLock::new(), OnceLock::new());
        Team::new(Vec::new(), Some(cpu), true, Some(Joins { open, opened, best, on_open, wanted }))
    }

    fn new(gpus: Vec<Gpu>, cpu: Option<Cpu>, cpu_takes_part: bool, joins: Option<Joins>) -> Team {
        let cpu = cpu.unwrap_or_default();
        let members = Members { cpu, cpu_takes_part, gpus, joins, failed: Mutex::default() };
        Team { members: Arc::new(members), record: Arc::default() }
    }

    /// The same engines, with a record of their own.
    pub fn anew(&self) -> Team {
        Team { members: self.members.clone(), record: Arc::default() }
    }

    /// Whether this process is in the middle of opening a device beside other work: a program that leaves now does well to leave without the
    /// destructors of drivers (`_exit`).
    pub fn is_opening() -> bool {
        OPENING.load(Ordering::Acquire)
    }

    /// Whether an operator is shared over so many elements, where that is known: whether its answer has the same bits however its elements are
    /// shared, and somebody is there to share them with.
    pub(super) fn shares<T: Element, O: Op<T>>(&self, op: &O, elements: Option<u64>) -> bool {
        let fold = op.fold();
        // Of what does not say how much it is, those that are asked for may have a share.
        let asked = self.wanted().is_some_and(Wanted::is_asked);
        let much = elements.map_or(asked, |elements| elements > NOT_WORTH_OPENING);
        let others = if self.members.joins.is_some() { much } else { !self.members.gpus.is_empty() };
        others && op.is_shareable() && fold.is_commutative() && fold.host_only().is_none()
    }

    /// The engine that computes the whole of what is not shared, over so many elements, where that is known.
    pub(super) fn alone<T: Element, O: Op<T>>(&self, op: &O, elements: Option<u64>) -> (Engine, Noted) {
        let (fold, by_cpu) = (op.fold(), self.members.cpu_takes_part);
        let small = elements.is_some_and(|elements| elements.saturating_mul(T::DTYPE.bytes()) <= AT_ONCE_BYTES);
        // What would be shared, if there were more of it, is little.
        let shared = op.is_shareable() && fold.is_commutative();
        let gpu = match &self.members.joins {
            // What only reads is read sooner than it is copied to a device.
            _ if by_cpu && (small || !fold.is_heavy() || fold.host_only().is_some()) => None,
            Some(_) if shared => None,
            Some(joins) if joins.opened.get().is_none() => self.opened_as(joins, &joins.best, 1).first().cloned(),
            _ => self.standing().next().map(|(_, gpu)| gpu.clone()),
        };
        let gpu = gpu.filter(|gpu| !self.has_failed(gpu));
        let engine = gpu.map_or_else(|| Engine::Cpu(self.members.cpu.clone()), Engine::Gpu);
        let called = self.called(&engine, 0);
        (engine, called)
    }

    pub(super) fn cpu(&self) -> &Cpu {
        &self.members.cpu
    }

    pub(super) fn cpu_takes_part(&self) -> bool {
        self.members.cpu_takes_part
    }

    /// The devices that are open.
    pub(super) fn gpus(&self) -> &[Gpu] {
        let joined = self.members.joins.as_ref().and_then(|joins| joins.opened.get());
        joined.unwrap_or(&self.members.gpus)
    }

    /// The devices that are open and have not failed, with their places among all of them.
    pub(super) fn standing(&self) -> impl Iterator<Item = (usize, &Gpu)> {
        self.gpus().iter().enumerate().filter(|(_, gpu)| !self.has_failed(gpu))
    }

    fn has_failed(&self, gpu: &Gpu) -> bool {
        self.members.failed.lock().unwrap_or_else(PoisonError::into_inner).contains(gpu.device())
    }

    /// Notes an error of a device; one that is lost or does not answer in time takes no further part.
    pub(super) fn failed_on(&self, engine: &Engine, error: &Error) {
        self.failed(error);
        if let (Engine::Gpu(gpu), Error::DeviceLost { .. } | Error::Timeout { .. }) = (engine, error) {
            self.members.failed.lock().unwrap_or_else(PoisonError::into_inner).push(gpu.device().clone());
        }
    }

    /// Whether devices may join that are not open.
    pub(super) fn may_grow(&self) -> bool {
        self.members.joins.as_ref().is_some_and(|joins| joins.opened.get().is_none())
    }

    /// The work for which they are opened.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        self.members.joins.as_ref().map(|joins| joins.wanted)
    }

    /// The devices that join; waits until they are open. None, where there are none.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn joining(&self) -> &[Gpu] {
        let Some(joins) = &self.members.joins else { return &[] };
        self.opened_as(joins, &joins.opened, usize::MAX)
    }

    /// Opens so many at most, once.
    fn opened_as<'a>(&self, joins: &Joins, opened: &'a OnceLock<Vec<Gpu>>, most: usize) -> &'a [Gpu] {
        opened.get_or_init(|| {
            let opened = (joins.open)(most).unwrap_or_else(|error| {
                match error {
                    // As it should be, for no hardware is there.
                    Error::NoAdapter | Error::SoftwareOnly { .. } => log::info!("{error}; the CPU engine computes"),
                    error => self.failed(&error),
                }
                Vec::new()
            });
            opened.iter().for_each(|gpu| joins.on_open.iter().for_each(|on_open| on_open(gpu)));
            opened
        })
    }

    /// The name of an engine behind so many others that are called alike.
    pub(super) fn called(&self, engine: &Engine, alike: usize) -> Noted {
        let name = match alike {
            0 => engine.name(),
            before => format!("{} #{}", engine.name(), before + 1),
        };
        Noted { team: self.clone(), name, backend: engine.backend() }
    }

    /// Notes that a device has failed, once in these words.
    pub(super) fn failed(&self, error: &Error) {
        log::warn!("{error}; the CPU engine computes its share");
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        let told = error.to_string();
        if !record.failures.contains(&told) {
            record.failures.push(told);
        }
    }

    /// What each engine has done so far.
    pub(super) fn done(&self) -> Vec<Share> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).shares.clone()
    }

    pub(super) fn failures(&self) -> Vec<String> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).failures.clone()
    }

    /// The engines' names.
    pub(super) fn names(&self) -> Vec<String> {
        let cpu = self.members.cpu_takes_part.then(|| Engine::Cpu(self.members.cpu.clone()));
        cpu.into_iter().chain(self.gpus().iter().cloned().map(Engine::Gpu)).map(|engine| engine.name()).collect()
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("engines", &self.names()).field("may_grow", &self.may_grow()).finish()
    }
}
