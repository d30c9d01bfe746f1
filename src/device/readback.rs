//! Results on their way to the host: a small mapped buffer, a seal, and a wait that ends.

use super::context::{Context, lock};
use super::landed;
use super::prepared::Prepared;
use super::record::Destination;
use crate::error::{Error, Result};
use crate::input::room;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use wgpu::BufferUsages;

pub(super) const WHAT: &str = "waiting for a result";

/// The word behind each group of a result for the host, in a fresh buffer, which is zeroed. Where results land again it differs from the one
/// that lies there.
pub(crate) const SEAL: u32 = 0x7ee5_f01d;

/// Memory in which results land.
#[derive(Debug)]
struct Landing {
    device: wgpu::Buffer,
    /// A copy for the host, where it does not read what the device wrote.
    copy: Option<wgpu::Buffer>,
    seal: u32,
}

/// Where results landed, by their number and groups, the latest last.
#[derive(Debug, Default)]
pub(super) struct Landings(Mutex<VecDeque<(Shape, Landing)>>);

/// Results, and the words of each group of one.
type Shape = (u64, Vec<usize>);

impl Landings {
    /// Those that wait for results, at most, and the bytes of each.
    const KEPT: usize = 16;
    const KEPT_BYTES: u64 = 64 << 10;

    /// One for such results, its seal another one than lies there. All that lies there is of such results, seals at the same words.
    fn take(&self, shape: &Shape) -> Option<Landing> {
        let mut kept = lock(&self.0);
        let found = kept.iter().rposition(|(of, _)| of == shape)?;
        let (_, landing) = kept.remove(found)?;
        Some(Landing { seal: landing.seal ^ 1, ..landing })
    }

    /// Keeps one, of which every seal was right.
    fn keep(&self, shape: Shape, landing: Landing) {
        let mut kept = lock(&self.0);
        if landing.device.size() <= Self::KEPT_BYTES {
            if kept.len() >= Self::KEPT {
                kept.pop_front();
            }
            kept.push_back((shape, landing));
        }
    }

    /// Forgets them all.
    #[cfg(target_arch = "wasm32")]
    pub fn clear(&self) {
        lock(&self.0).clear();
    }
}

/// The bytes of results that the host may read where the kernel leaves them.
pub(super) fn mapped_bytes_max(device: &wgpu::Device) -> u64 {
    // An H200: an answer of few words takes 27 us so, and 34 with a copy; many words would cross the bus one by one.
    const BEHIND_A_BUS: u64 = 64 << 10;
    match device.adapter_info().device_type {
        _ if !device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) => 0,
        wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu => u64::MAX,
        _ => BEHIND_A_BUS,
    }
}

/// Sealed results of one submission, first on the device, then in host memory.
#[derive(Debug)]
pub(crate) struct Readback {
    landing: Landing,
    results: u64,
    /// Words of each group of a result; a seal follows each.
    groups: Vec<usize>,
    /// Results that one binding covers, such that the next binding begins aligned.
    window: u64,
    /// Results before these, where the last word of the last result says how many there are in all.
    before: Option<u64>,
}

impl Readback {
    /// Room for so many results of groups of so many words, where others landed if there is such.
    pub fn new(context: &Context, results: u64, groups: Vec<usize>) -> Result<Readback> {
        let shape = (results, groups);
        match context.landings.take(&shape) {
            Some(landing) => Ok(Readback::in_landing(context, landing, shape)),
            None => Readback::fresh(context, shape.0, shape.1),
        }
    }

    /// The same for results that have a [destination](Readback::destination) each.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`] where no binding holds them all, nor as many as the next one begins aligned behind.
    pub fn of_each(context: &Context, results: u64, groups: Vec<usize>) -> Result<Readback> {
        let each = sealed_bytes(&groups);
        let (value, needs) = (context.limits.binding_bytes_max, Readback::aligned(context, each));
        if needs > value && results > Readback::together(context, each) {
            return Err(Error::LimitTooSmall { limit: "max_storage_buffer_binding_size", value, needs });
        }
        Readback::new(context, results, groups)
    }

    /// The same in a fresh buffer, which is zeroed: for a trial, whose right result another kernel may have left where results landed.
    pub fn fresh(context: &Context, results: u64, groups: Vec<usize>) -> Result<Readback> {
        let landing = Landing::new(context, results * sealed_bytes(&groups))?;
        Ok(Readback::in_landing(context, landing, (results, groups)))
    }

    fn in_landing(context: &Context, landing: Landing, (results, groups): Shape) -> Readback {
        let window = Readback::together(context, sealed_bytes(&groups));
        Readback { landing, results, groups, window, before: None }
    }

    /// Bytes of the fewest results of so many bytes behind which a binding begins aligned.
    fn aligned(context: &Context, each: u64) -> u64 {
        let alignment = context.limits.storage_alignment;
        each * (alignment >> each.trailing_zeros().min(alignment.trailing_zeros()))
    }

    /// Results of so many bytes that one binding holds; the next binding begins aligned, but where a binding holds too few for that: there
    /// are no others then.
    pub fn together(context: &Context, each: u64) -> u64 {
        let aligned = Readback::aligned(context, each);
        let most = context.limits.binding_bytes_max;
        if aligned > most { (most / each).max(1) } else { most / aligned * (aligned / each) }
    }

    /// The binding of a result, and the word at which it begins there.
    pub fn destination(&self, result: u64) -> (Destination<'_>, u32) {
        let each = sealed_bytes(&self.groups);
        let bytes = self.window * each;
        let offset = result / self.window * bytes;
        let word = (result % self.window * each / 4) as u32;
        let Landing { device: buffer, seal, .. } = &self.landing;
        let size = bytes.min(buffer.size() - offset);
        (Destination { buffer, offset, size, seal: *seal }, word)
    }

    /// The number of its seal: 0 or 1, in turn.
    pub fn turn(&self) -> usize {
        (self.landing.seal ^ SEAL) as usize & 1
    }

    /// The same for the next results of the kind, once all of these have come.
    pub fn turned(mut self) -> Readback {
        self.landing.seal ^= 1;
        self
    }

    /// Records the copy to host memory, where there is one; the last command of its encoder.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(copy) = &self.landing.copy {
            encoder.copy_buffer_to_buffer(&self.landing.device, 0, copy, 0, copy.size());
        }
    }

    /// Submits what the encoder has, the copy behind it.
    pub fn submit(self, context: &Context, mut encoder: wgpu::CommandEncoder) -> Result<Pending> {
        context.guarded("a submission", 0, || {
            self.copy(&mut encoder);
            let submission = context.queue.submit([encoder.finish()]);
            self.request(submission)
        })
    }

    /// Asks for the results of a submission.
    pub fn request(self, submission: wgpu::SubmissionIndex) -> Pending {
        let arrival = Arc::new(Arrival::default());
        arrival.follow(self.landing.host());
        Pending { readback: self, submission, arrival }
    }

    /// The words of every result, their seals checked and left out.
    fn words(&self) -> Result<Vec<Vec<u32>>> {
        let refused =
            |error: wgpu::MapRangeError| Error::Refused { what: "mapping a result", message: error.to_string() };
        let host = self.landing.host();
        let view = host.get_mapped_range(..).map_err(refused)?;
        let all: Vec<u32> = view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        drop(view);
        host.unmap();
        let seal = self.landing.seal;
        let unsealed = |sealed: &[u32]| {
            let mut words = Vec::with_capacity(sealed.len());
            let mut rest = sealed;
            for &group in &self.groups {
                let (now, later) = rest.split_at(group + 1);
                match now.split_last() {
                    Some((&last, group)) if last == seal => words.extend(group),
                    _ => return Err(Error::ResultMissing),
                }
                rest = later;
            }
            Ok(words)
        };
        let mut results = all.chunks_exact((sealed_bytes(&self.groups) / 4) as usize);
        let there = match self.before {
            None => results.len(),
            Some(before) => {
                let last = results.next_back().ok_or(Error::ResultMissing).and_then(unsealed)?;
                let there = last.last().map_or(0, |&count| u64::from(count).saturating_sub(before));
                there.min(results.len() as u64) as usize
            }
        };
        results.take(there).map(unsealed).collect()
    }
}

impl Landing {
    fn new(context: &Context, bytes: u64) -> Result<Landing> {
        let (mut usage, mut copy) = (BufferUsages::STORAGE | BufferUsages::COPY_SRC, None);
        if bytes <= context.mapped_bytes_max {
            usage = BufferUsages::STORAGE | BufferUsages::MAP_READ;
        } else {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            copy = Some(context.buffer("result readback", bytes, usage)?);
        }
        Ok(Landing { device: context.buffer("results", bytes, usage)?, copy, seal: SEAL })
    }

    /// The buffer that the host reads.
    fn host(&self) -> &wgpu::Buffer {
        self.copy.as_ref().unwrap_or(&self.device)
    }
}

/// Bytes of a result and its seals.
fn sealed_bytes(groups: &[usize]) -> u64 {
    groups.iter().map(|&words| words as u64 + 1).sum::<u64>() * 4
}

/// Whether results have come to host memory, and who is to be told.
#[derive(Debug, Default)]
pub(super) struct Arrival {
    state: Mutex<(Option<Result<()>>, Option<Waker>)>,
}

impl Arrival {
    /// The end of the wait. The first counts.
    pub fn land(&self, outcome: Result<()>) {
        let waker = {
            let mut state = lock(&self.state);
            state.0.get_or_insert(outcome);
            state.1.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// Asks for a buffer's contents on the host, and lands when they are there.
    fn follow(self: &Arc<Self>, host: &wgpu::Buffer) {
        let theirs = self.clone();
        host.map_async(wgpu::MapMode::Read, .., move |result| {
            let lost = |error: wgpu::BufferAsyncError| Error::DeviceLost { what: WHAT, message: error.to_string() };
            theirs.land(result.map_err(lost));
        });
    }

    /// Blocks until it has landed.
    fn wait(&self, context: &Context, submission: &wgpu::SubmissionIndex) -> Result<()> {
        if let Err(error) = context.wait(submission, WHAT, || self.has_landed()) {
            self.land(Err(error));
        }
        match self.poll(Waker::noop()) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Err(Error::ResultMissing),
        }
    }

    pub fn has_landed(&self) -> bool {
        lock(&self.state).0.is_some()
    }

    /// The outcome; where there is none yet, this waker will be told.
    pub fn poll(&self, waker: &Waker) -> Poll<Result<()>> {
        let mut state = lock(&self.state);
        match &state.0 {
            Some(outcome) => Poll::Ready(outcome.clone()),
            None => {
                state.1 = Some(waker.clone());
                Poll::Pending
            }
        }
    }
}

/// A call's way to wait for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// On the spot: a future that waits so is ready when it is first polled.
    Blocking,
    /// Between polls.
    Yielding,
}

/// Results that a submission will bring.
#[derive(Debug)]
pub(crate) struct Pending {
    readback: Readback,
    submission: wgpu::SubmissionIndex,
    arrival: Arc<Arrival>,
}

impl Pending {
    /// Those of which the last result says how many of the others there are, when so many were before them.
    pub fn counted(mut self, before: u64) -> Pending {
        self.readback.before = Some(before);
        self
    }

    /// Blocks until they are there.
    pub fn wait(self, context: &Context) -> Result<Vec<Vec<u32>>> {
        let landed = self.arrival.wait(context, &self.submission);
        self.words(context, landed)
    }

    /// The words of what has landed, whose memory is kept for other results.
    fn words(self, context: &Context, landed: Result<()>) -> Result<Vec<Vec<u32>>> {
        let words = landed.and_then(|()| self.readback.words()).map_err(|error| context.diagnosed(error))?;
        let Readback { landing, results, groups, before, .. } = self.readback;
        // Of results that the device counts some may be older.
        if before.is_none() {
            context.landings.keep((results, groups), landing);
        }
        Ok(words)
    }

    /// The same, and what brought them, for the next ones of the kind.
    pub fn wait_turned(self, context: &Context) -> Result<(Vec<Vec<u32>>, Readback)> {
        let landed = self.arrival.wait(context, &self.submission);
        let words = landed.and_then(|()| self.readback.words()).map_err(|error| context.diagnosed(error))?;
        Ok((words, self.readback.turned()))
    }

    /// Waits as it is told to. No executor in particular is needed, and no polling by the program.
    pub async fn results(self, context: &Arc<Context>, waiting: Waiting) -> Result<Vec<Vec<u32>>> {
        if waiting == Waiting::Blocking {
            return self.wait(context);
        }
        context.heard().await?;
        let landed = landed(context.clone(), self.arrival.clone()).await;
        self.words(context, landed)
    }
}

impl Context {
    /// Submits dispatches whose results land there.
    pub fn sent(&self, prepared: &Prepared, readback: Readback) -> Result<Pending> {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("treefold: reduce") };
        let mut encoder = self.device.create_command_encoder(&descriptor);
        prepared.record(&mut encoder)?;
        readback.submit(self, encoder)
    }
}

/// The first elements of a buffer that can be copied from, when all that was submitted is done. Blocks.
pub(crate) fn download<T: bytemuck::Pod>(context: &Context, from: &wgpu::Buffer, count: u64) -> Result<Vec<T>> {
    const PART_BYTES: u64 = 64 << 20;
    let mut all: Vec<T> = room(count)?;
    let (bytes, each) =
        (count * size_of::<T>() as u64, PART_BYTES.min(context.device.limits().max_buffer_size / 8 * 8));
    for at in (0..bytes).step_by(each as usize) {
        let size = each.min(bytes - at);
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let host = context.buffer("a part of a buffer on the host", size, usage)?;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("treefold: download") };
        let arrival = Arc::new(Arrival::default());
        let submission = context.guarded("a download", size, || {
            let mut encoder = context.device.create_command_encoder(&descriptor);
            encoder.copy_buffer_to_buffer(from, at, &host, 0, size);
            let submission = context.queue.submit([encoder.finish()]);
            arrival.follow(&host);
            submission
        })?;
        arrival.wait(context, &submission)?;
        let refused =
            |error: wgpu::MapRangeError| Error::Refused { what: "mapping a result", message: error.to_string() };
        let view = host.get_mapped_range(..).map_err(refused)?;
        all.extend(view.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
    }
    Ok(all)
}
