//! The sharing of elements in host memory: members of a team take ranges of what is left, each as fast as it is.

use super::cpu::Cpu;
use super::engine::Engine;
#[cfg(not(target_arch = "wasm32"))]
use super::opener;
use super::pace::{Doer, Pace};
use super::team::{Noted, Team, Wanted};
use crate::error::{Error, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use web_time::Instant;

/// A member of a team at work: what it computes on, how fast it was, and the fewest elements that are worth handing to it.
struct Worker<M> {
    on: M,
    engine: Engine,
    called: Noted,
    /// Elements a second; `None` until it has done some.
    speed: Option<f64>,
    grain: usize,
}

/// Function that makes of an engine what computes there, and tells the fewest elements that are worth handing to it; the number is that of
/// the devices, one at least, which share the memory.
pub(super) type Make<M> = Arc<dyn Fn(&Engine, u64) -> Result<(M, usize)> + Send + Sync>;

/// The members of a team at one reduction.
pub(super) struct Shares<M> {
    team: Team,
    make: Make<M>,
    members: Vec<Worker<M>>,
    joining: Joining<M>,
    pace: Pace,
    /// Elements a second of a member that was alone, at its best; and where it was when it was last looked at.
    alone: f64,
    looked: Done,
    /// Elements that will come, where that is known; those that came, and the time over them.
    elements: Option<u64>,
    done: Done,
    /// The end of the piece at hand, which was to be longer, and whether a device joined in it.
    cut: Option<usize>,
    joined: bool,
}

/// Elements that are done, and the time over them.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    elements: u64,
    time: Duration,
}

impl Done {
    fn plus(self, elements: usize, time: Duration) -> Done {
        Done { elements: self.elements + elements as u64, time: self.time + time }
    }

    /// Elements a second since then.
    fn speed_since(self, before: Done) -> f64 {
        (self.elements - before.elements) as f64 / (self.time - before.time).as_secs_f64().max(1e-9)
    }
}

/// Those who take elements of a piece at the same time: devices, and the CPU engine or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    pub devices: usize,
    pub cpu: bool,
}

impl Crowd {
    /// Threads that fill the memory of one device, where the machine has so many cores: beside the CPU engine no more than keep a device busy, so
    /// that none waits for a core.
    pub fn copiers(self, cores: usize) -> usize {
        let all = if self.cpu { cores * 3 / 8 } else { cores };
        (all / self.devices.max(1)).max(1)
    }

    /// Threads of the CPU engine.
    pub fn threads(self, cores: usize) -> usize {
        let others = if self.devices == 0 { 0 } else { self.copiers(cores) * self.devices };
        cores.saturating_sub(others).max(1)
    }
}

/// The devices that may join a team.
enum Joining<M> {
    /// None may, or all have.
    No,
    /// Nobody has asked for them.
    Not,
    /// They are being opened.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code))]
    Asked(std::sync::mpsc::Receiver<Worker<M>>),
}

/// Fewer elements than this are not worth a second thread.
pub(super) const SHARED_MIN: usize = 1 << 18;
/// Longest time over a range where others may take the rest.
const RANGE_TIME: Duration = Duration::from_millis(50);
/// Elements of a piece, at least: the ways to do one are compared from piece to piece.
const PIECE: usize = 1 << 26;
/// Time over a piece in a way that is known: at its end members wait for one another.
const PIECE_TIME: Duration = Duration::from_millis(100);
/// Of so many threads of the CPU engine one leaves its core to the opening of devices.
const LEAVING: usize = 8;
/// Time over which what threads take of a queue tells their speed.
const TELLING_TIME: Duration = Duration::from_millis(5);
/// Time between looks at how fast a member is that is alone.
const LOOK_TIME: Duration = Duration::from_millis(25);

/// The elements that are left, and who takes them.
struct Left {
    range: Range<usize>,
    members: usize,
    /// Threads of a member that are to leave their cores to somebody else, and those of it that are there.
    leaving: usize,
    threads: usize,
    /// Members whose speed is known, and their elements a second, together and of the fastest.
    known: usize,
    speed: f64,
    fastest: f64,
}

impl Left {
    /// For these members.
    fn of<M>(range: Range<usize>, members: &[Worker<M>]) -> Left {
        let speeds = || members.iter().filter_map(|member| member.speed);
        let (speed, fastest) = (speeds().sum(), speeds().fold(0.0, f64::max));
        Left { range, members: members.len(), leaving: 0, threads: 1, known: speeds().count(), speed, fastest }
    }

    /// Elements a second of all members: those whose speed is not known are taken to be as fast as the others are.
    fn together(&self) -> f64 {
        self.speed * self.members as f64 / self.known.max(1) as f64
    }
}

/// The ranges that a member takes.
pub(super) struct Queue<'a> {
    left: &'a Mutex<Left>,
    speed: Option<f64>,
    grain: usize,
    /// Whether nobody else takes any.
    alone: bool,
    /// Those at work.
    pub crowd: Crowd,
    begun: Instant,
    taken: usize,
    unsettled: Vec<Range<usize>>,
    settled: usize,
    between: &'a mut (dyn FnMut(usize) + Send),
}

impl Queue<'_> {
    /// Says how many threads of this member will take turns; before that there is one.
    pub fn with_threads(&mut self, threads: usize) {
        locked(self.left).threads = threads;
    }

    /// The next so many elements, for a member whose threads take them one by one; `None` where there are no more, and for a thread that is to
    /// leave.
    pub fn turn(&mut self, elements: usize) -> Option<Range<usize>> {
        (self.between)(self.taken);
        let mut left = locked(self.left);
        if self.begun.elapsed() > TELLING_TIME {
            self.tell_speed(&mut left);
        }
        if left.leaving > 0 && left.threads > 1 {
            (left.leaving, left.threads) = (left.leaving - 1, left.threads - 1);
            return None;
        }
        let end = left.range.end.min(left.range.start + elements);
        let range = left.range.start..end;
        left.range.start = end;
        self.taken += range.len();
        self.unsettled.extend(Some(range.clone()).filter(|range| !range.is_empty()));
        self.unsettled.last().filter(|_| !range.is_empty()).cloned()
    }

    /// The next range; `None` where there is no more, or where the others will have done the rest before this member would be done.
    pub fn next(&mut self) -> Option<Range<usize>> {
        (self.between)(self.settled);
        let mut left = locked(self.left);
        self.tell_speed(&mut left);
        let many = left.range.len();
        let want = match self.speed {
            _ if many == 0 => return None,
            _ if self.alone => many,
            None => self.grain,
            Some(speed) => {
                let others = left.speed - speed;
                let slower = speed < left.fastest;
                if slower && others > 0.0 && self.grain as f64 / speed > many as f64 / others {
                    return None;
                }
                let fair = many as f64 * speed / left.together().max(speed);
                // Alone for now, it looks again for others when a piece is done; the more ranges, the more often are threads started.
                let share = match left.members {
                    1 => fair,
                    _ if slower => fair * 0.5,
                    _ => fair * 0.75,
                };
                share.min(speed * RANGE_TIME.as_secs_f64()) as usize
            }
        };
        let want = (want / self.grain).max(1).saturating_mul(self.grain);
        // Of what would be too little for one more range nothing is left.
        let end = if many < want.saturating_add(self.grain / 2) { many } else { want };
        let range = left.range.start..left.range.start + end;
        left.range.start = range.end;
        self.taken += range.len();
        self.unsettled.push(range.clone());
        Some(range)
    }

    /// Tells the others how fast it was so far, once it is known.
    fn tell_speed(&mut self, left: &mut Left) {
        if self.speed.is_none() && self.taken > 0 {
            let speed = self.taken as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
            self.speed = Some(speed);
            left.known += 1;
            left.speed += speed;
            left.fastest = left.fastest.max(speed);
        }
    }

    /// Says that all ranges so far are answered for.
    pub fn settle(&mut self) {
        self.settled += self.unsettled.drain(..).map(|range| range.len()).sum::<usize>();
    }
}

/// Function with which a member computes the ranges that it takes.
pub(super) type Work<'a, M> = &'a (dyn Fn(&mut M, &mut Queue<'_>) -> Result<()> + Sync);

/// The end of a member's work.
struct Ran<M> {
    /// `None`: it has failed.
    member: Option<Worker<M>>,
    engine: Engine,
    called: Noted,
    settled: usize,
    rest: Vec<Range<usize>>,
    error: Option<Error>,
}

impl<M: wgpu::WasmNotSend + 'static> Shares<M> {
    /// The members of a team, of whom `make` makes what computes; over so many elements, where that is known. A device that does not
    /// take part because it fails is noted.
    pub fn of(team: &Team, make: Make<M>, elements: Option<u64>) -> Result<Self> {
        let joining = if team.may_grow() { Joining::Not } else { Joining::No };
        let mut shares = Shares {
            team: team.clone(),
            make,
            members: Vec::new(),
            joining,
            pace: Pace::default(),
            alone: 0.0,
            looked: Done::default(),
            elements,
            done: Done::default(),
            cut: None,
            joined: false,
        };
        let few = elements.is_some_and(|elements| elements <= SHARED_MIN as u64);
        if team.cpu_takes_part() {
            shares.members.push(member(team, &shares.make, &Engine::Cpu(team.cpu().clone()), 0)?);
        }
        if !few || !team.cpu_takes_part() {
            let devices: Vec<_> = of_devices(team, &shares.make).collect();
            if !devices.is_empty() {
                shares.joining = Joining::No;
            }
            shares.members.extend(devices);
        }
        Ok(shares)
    }

    /// The CPU engine that steps in where a device fails.
    pub fn cpu(&self) -> &Cpu {
        self.team.cpu()
    }

    /// Whether a device may join yet.
    pub fn may_grow(&self) -> bool {
        !matches!(self.joining, Joining::No)
    }

    /// What computes, by member.
    pub fn members(&self) -> impl Iterator<Item = &M> {
        self.members.iter().map(|member| &member.on)
    }

    /// Has the members do the work over so many elements; the ranges that none has answered for are the CPU engine's, who asks it to.
    pub fn divide(&mut self, many: usize, work: Work<M>) -> Vec<Range<usize>> {
        let (mut begin, mut rest) = (0, Vec::new());
        while begin < many {
            let end = many.min(begin.saturating_add(self.piece_elements().max(PIECE)));
            rest.extend(self.piece(begin..end, work));
            begin = self.cut.take().unwrap_or(end);
        }
        if !rest.is_empty() {
            let stepped_in = rest.iter().map(|range| range.len() as u64).sum();
            self.team.called(&Engine::Cpu(self.cpu().clone()), 0).note(stepped_in);
        }
        rest
    }

    /// Elements of the next piece, where that is known: all for one that is alone, who waits for nobody, and whose piece is cut where a device joins.
    fn piece_elements(&self) -> usize {
        // A device keeps what each of its parts is folded to until its piece ends.
        if self.members.len() == 1 && self.team.cpu_takes_part() {
            return usize::MAX;
        }
        self.pace.known().map_or(0, |speed| (speed * PIECE_TIME.as_secs_f64()) as usize)
    }

    fn piece(&mut self, piece: Range<usize>, work: Work<M>) -> Vec<Range<usize>> {
        let (begun, begin, many) = (Instant::now(), piece.start, piece.len());
        let mut members = std::mem::take(&mut self.members);
        let several = members.len() > 1;
        let by = match several {
            _ if many < SHARED_MIN => Doer::First,
            true if self.team.cpu_takes_part() => self.pace.next(),
            false if !self.may_grow() => Doer::First,
            _ => Doer::All,
        };
        let idle = match by {
            Doer::First => members.split_off(members.len().min(1)),
            Doer::Others => members.drain(..1).collect(),
            Doer::All => Vec::new(),
        };
        let left = Mutex::new(Left::of(piece, &members));
        let cpu = self.team.cpu_takes_part() && by != Doer::Others;
        let crowd = Crowd { devices: members.len() - usize::from(cpu && !members.is_empty()), cpu };
        let ran = match by {
            Doer::First => members.into_iter().map(|first| run(first, &left, true, crowd, &mut |_| (), work)).collect(),
            _ => self.all(members, &left, crowd, begun, work),
        };
        let mut rest = Vec::new();
        for Ran { member, engine, called, settled, rest: unsettled, error } in ran {
            called.note(settled as u64);
            if let Some(error) = error {
                self.team.failed_on(&engine, &error);
            }
            self.members.extend(member);
            rest.extend(unsettled);
        }
        // The first stays the first.
        match by {
            Doer::Others => drop(self.members.splice(..0, idle)),
            _ => self.members.extend(idle),
        }
        let behind = locked(&left).range.clone();
        rest.extend(Some(behind).filter(|range| !range.is_empty()));
        let many = self.cut.map_or(many, |end| end - begin);
        let time = begun.elapsed();
        log::debug!("{many} elements by {by:?} in {time:?}, {} members", self.members.len());
        if many >= SHARED_MIN {
            let speed = many as f64 / time.as_secs_f64().max(1e-9);
            match (several, std::mem::take(&mut self.joined)) {
                // Nothing is known of those who are together now.
                (_, true) => self.pace = Pace::of_first(self.alone),
                (true, false) => self.pace.note(by, speed),
                (false, false) => self.alone = self.alone.max(speed),
            }
        }
        self.done = self.done.plus(many, time);
        rest
    }

    #[cfg(target_arch = "wasm32")]
    fn all(
        &mut self,
        members: Vec<Worker<M>>,
        left: &Mutex<Left>,
        crowd: Crowd,
        _: Instant,
        work: Work<M>,
    ) -> Vec<Ran<M>> {
        members.into_iter().map(|member| run(member, left, false, crowd, &mut |_| (), work)).collect()
    }

    /// The first member works on this thread, each other one on its own; one that joins meanwhile gets its own, too.
    #[cfg(not(target_arch = "wasm32"))]
    fn all(
        &mut self,
        members: Vec<Worker<M>>,
        left: &Mutex<Left>,
        crowd: Crowd,
        begun: Instant,
        work: Work<M>,
    ) -> Vec<Ran<M>> {
        std::thread::scope(|scope| {
            let alone = |member| scope.spawn(move || run(member, left, false, crowd, &mut |_| (), work));
            let mut members = members.into_iter();
            let first = members.next();
            let mut others: Vec<_> = members.map(alone).collect();
            let mut between = |settled| {
                if let Some(member) = self.arrived(settled, begun.elapsed(), left) {
                    let mut left = locked(left);
                    left.members += 1;
                    // The next piece is shared out anew.
                    let end = left.range.end.min(left.range.start + PIECE);
                    self.cut = Some(end).filter(|end| *end < left.range.end).or(self.cut);
                    left.range.end = end;
                    others.push(alone(member));
                }
            };
            let first = first.map(|member| run(member, left, false, crowd, &mut between, work));
            let joined =
                others.into_iter().map(|other| other.join().unwrap_or_else(|it| std::panic::resume_unwind(it)));
            first.into_iter().chain(joined).collect()
        })
    }

    /// Whether devices are worth their opening, where so much is done: at the best speed that was seen, for the first of all is slow.
    fn is_worth_opening(&self, done: Done) -> bool {
        let Some(Wanted { settled, left }) = self.team.wanted() else { return false };
        // Of what does not say how much it is, as much is taken to be left as there was.
        let more = self.elements.map_or(done.elements, |all| all.saturating_sub(done.elements)) as f64;
        let speed = self.alone.max(done.speed_since(Done::default()));
        done.elements > 0 && done.time >= settled && more / speed.max(1e-9) >= left.as_secs_f64()
    }

    /// A device that joins, once it is open; asks for all of them where it is worth that: over `busy` so many elements were done.
    #[cfg(not(target_arch = "wasm32"))]
    fn arrived(&mut self, settled: usize, busy: Duration, left: &Mutex<Left>) -> Option<Worker<M>> {
        use std::sync::mpsc::TryRecvError;
        let done = self.done.plus(settled, busy);
        if done.time >= self.looked.time + LOOK_TIME {
            // Beside devices it is not alone.
            if self.team.gpus().is_empty() {
                self.alone = self.alone.max(done.speed_since(self.looked));
            }
            self.looked = done;
        }
        match &self.joining {
            Joining::Asked(coming) => {
                let found = coming.try_recv();
                if found.as_ref().is_err_and(|why| *why == TryRecvError::Disconnected) {
                    self.joining = Joining::No;
                }
                self.joined |= found.is_ok();
                found.ok().inspect(|_| log::debug!("a device joins after {:?}", done.time))
            }
            Joining::Not if self.is_worth_opening(done) => {
                log::debug!("devices are opened after {:?}", done.time);
                self.joining = Joining::Asked(asked(self.team.clone(), self.make.clone()));
                // Behind as many threads as there are cores, a driver would wait for its turns.
                locked(left).leaving = self.cpu().threads() / LEAVING;
                None
            }
            Joining::Not | Joining::No => None,
        }
    }
}

impl<M> std::fmt::Debug for Shares<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.members.iter().map(|member| member.called.name()).collect();
        f.debug_struct("Shares").field("members", &names).field("done", &self.done.elements).finish_non_exhaustive()
    }
}

/// Has the devices opened beside other work; each is received as soon as it can take part.
#[cfg(not(target_arch = "wasm32"))]
fn asked<M: Send + 'static>(team: Team, make: Make<M>) -> std::sync::mpsc::Receiver<Worker<M>> {
    let (sender, coming) = std::sync::mpsc::channel();
    opener::later(Box::new(move || {
        team.joining();
        for made in of_devices(&team, &make) {
            // Whoever asked may be gone.
            if sender.send(made).is_err() {
                return;
            }
        }
    }));
    coming
}

/// The members on the devices of a team that are open; one that fails is noted.
fn of_devices<M>(team: &Team, make: &Make<M>) -> impl Iterator<Item = Worker<M>> {
    let names: Vec<_> = team.gpus().iter().map(|gpu| gpu.info().name).collect();
    let engines: Vec<_> = team.standing().map(|(number, gpu)| (number, Engine::Gpu(gpu.clone()))).collect();
    engines.into_iter().filter_map(move |(number, engine)| {
        let alike = names[..number].iter().filter(|name| **name == names[number]).count();
        member(team, make, &engine, alike).inspect_err(|error| team.failed_on(&engine, error)).ok()
    })
}

/// A member on an engine behind so many others that are called alike.
fn member<M>(team: &Team, make: &Make<M>, engine: &Engine, alike: usize) -> Result<Worker<M>> {
    let (on, grain) = make(engine, team.gpus().len().max(1) as u64)?;
    let (called, engine) = (team.called(engine, alike), engine.clone());
    Ok(Worker { on, engine, called, speed: None, grain: grain.max(1) })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The work of one member.
fn run<M>(
    mut member: Worker<M>,
    left: &Mutex<Left>,
    alone: bool,
    crowd: Crowd,
    between: &mut (dyn FnMut(usize) + Send),
    work: Work<M>,
) -> Ran<M> {
    let begun = Instant::now();
    let (speed, grain) = (member.speed, member.grain);
    let (taken, unsettled, settled) = (0, Vec::new(), 0);
    let mut queue = Queue { left, speed, grain, alone, crowd, begun, taken, unsettled, settled, between };
    let error = work(&mut member.on, &mut queue).err();
    if error.is_some() {
        let mut left = locked(left);
        left.known -= usize::from(queue.speed.is_some());
        (left.members, left.speed) = (left.members - 1, left.speed - queue.speed.unwrap_or(0.0));
        // Whoever is left need not wait for it.
        left.fastest = 0.0;
    }
    let Queue { unsettled: rest, settled, .. } = queue;
    let time = begun.elapsed().as_secs_f64();
    member.speed = match member.speed {
        None if settled == 0 => None,
        // One that was left out is tried again some time.
        Some(speed) if settled == 0 => Some(speed * 1.1),
        before => {
            let now = settled as f64 / time.max(1e-9);
            Some(before.map_or(now, |before| (before + now) / 2.0))
        }
    };
    let (engine, called) = (member.engine.clone(), member.called.clone());
    Ran { member: error.is_none().then_some(member), engine, called, settled, rest, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members that take ranges at their speeds, in microseconds for 2^16 elements, and fail behind so many ranges.
    fn shares(members: &[(u64, usize)]) -> Shares<(u64, usize)> {
        let team = Team::of(Vec::new(), Some(Cpu::with_threads(1)));
        let make: Make<(u64, usize)> = Arc::new(|_, _| Err(Error::NoDevices));
        let called = team.called(&Engine::Cpu(team.cpu().clone()), 0);
        let engine = Engine::Cpu(team.cpu().clone());
        let member = |&on| Worker { on, engine: engine.clone(), called: called.clone(), speed: None, grain: 1 << 14 };
        Shares {
            team,
            make,
            members: members.iter().map(member).collect(),
            joining: Joining::No,
            pace: Pace::default(),
            alone: 0.0,
            looked: Done::default(),
            elements: None,
            done: Done::default(),
            cut: None,
            joined: false,
        }
    }

    /// Every element is taken once, by a member or by who steps in, whoever fails.
    #[test]
    fn every_element_is_taken_once() {
        let lasting = usize::MAX;
        for members in [
            &[][..],
            &[(10, lasting)],
            &[(10, 0)],
            &[(10, 3)],
            &[(10, lasting), (10, lasting)],
            &[(1, lasting), (2000, lasting), (5, lasting)],
            &[(10, 2), (10, lasting), (30, 0)],
            &[(10, 1), (10, 2)],
        ] {
            let mut shares = shares(members);
            for many in [0, 1, SHARED_MIN - 1, SHARED_MIN, (1 << 20) + 3, 1 << 22, 1 << 20] {
                let seen: Vec<_> = (0..many.div_ceil(1 << 10)).map(|_| Mutex::new(Vec::new())).collect();
                let take = |range: Range<usize>| {
                    // Ranges by the blocks in which they begin and end.
                    let blocks = range.start >> 10..range.end.div_ceil(1 << 10);
                    for (block, seen) in blocks.clone().zip(&seen[blocks]) {
                        locked(seen).push(range.start.max(block << 10)..range.end.min((block + 1) << 10));
                    }
                };
                let rest = shares.divide(many, &|(time, ranges), queue| {
                    let mut taken = Vec::new();
                    while let Some(range) = queue.next() {
                        assert!(!range.is_empty());
                        *ranges = ranges.checked_sub(1).ok_or(Error::NoDevices)?;
                        std::thread::sleep(Duration::from_micros((*time * range.len() as u64) >> 16));
                        taken.push(range);
                        // Like a device, which answers for several at once.
                        if taken.len() == 2 {
                            taken.drain(..).for_each(take);
                            queue.settle();
                        }
                    }
                    taken.into_iter().for_each(take);
                    queue.settle();
                    Ok(())
                });
                rest.into_iter().for_each(take);
                for (block, parts) in seen.into_iter().enumerate() {
                    let mut parts = parts.into_inner().expect("parts");
                    parts.sort_by_key(|part| part.start);
                    let begin = block << 10;
                    let end = parts.iter().fold(begin, |at, part| {
                        assert_eq!(part.start, at, "{members:?} {many}");
                        part.end
                    });
                    assert_eq!(end, many.min(begin + (1 << 10)), "{members:?} {many}");
                }
            }
            let done: u64 = shares.team.done().iter().map(|share| share.elements).sum();
            assert_eq!(done, 1 + 2 * SHARED_MIN as u64 - 1 + (1 << 20) + 3 + (1 << 22) + (1 << 20), "{members:?}");
        }
    }

    /// A slow member leaves the end to others, and a fast one takes most.
    #[test]
    fn the_fast_take_most() {
        let mut shares = shares(&[(40, usize::MAX), (1000, usize::MAX)]);
        let by = Mutex::new([0usize; 2]);
        for _ in 0..40 {
            let rest = shares.divide(1 << 21, &|(time, _), queue| {
                while let Some(range) = queue.next() {
                    std::thread::sleep(Duration::from_micros((*time * range.len() as u64) >> 16));
                    locked(&by)[usize::from(*time > 40)] += range.len();
                    queue.settle();
                }
                Ok(())
            });
            assert!(rest.is_empty());
        }
        let [fast, slow] = *locked(&by);
        assert!(fast > 4 * slow && slow > 0, "{fast} {slow}");
    }
}
