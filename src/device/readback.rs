//! Results on their way to the host: a small mapped buffer, a seal, and a wait that ends.

use super::context::Context;
use super::record::Destination;
use crate::error::{Error, Result};
use crate::shader::SEAL;
use futures_intrusive::channel::shared::{OneshotReceiver, OneshotSender, oneshot_channel};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::BufferUsages;

const WHAT: &str = "waiting for a result";

/// Sealed results of one submission, first on the device, then in host memory.
#[derive(Debug)]
pub(crate) struct Readback {
    device: wgpu::Buffer,
    host: wgpu::Buffer,
    /// Words of each group of a result; a seal follows each.
    groups: Vec<usize>,
    /// Results that one binding covers, such that the next binding begins aligned.
    window: u64,
}

impl Readback {
    /// Room for so many results of groups of so many words.
    pub fn new(context: &Context, results: u64, groups: Vec<usize>) -> Result<Readback> {
        let each = sealed_bytes(&groups);
        let bytes = results * each;
        let alignment = context.limits.storage_alignment;
        let unit = alignment >> each.trailing_zeros().min(alignment.trailing_zeros());
        let window = (context.limits.binding_bytes_max / (each * unit)).max(1) * unit;
        Ok(Readback {
            device: context.buffer("results", bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC)?,
            host: context.buffer("result readback", bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            groups,
            window,
        })
    }

    /// The binding of a result, and the word at which it begins there.
    pub fn destination(&self, result: u64) -> (Destination<'_>, u32) {
        let each = sealed_bytes(&self.groups);
        let bytes = self.window * each;
        let offset = result / self.window * bytes;
        let word = (result % self.window * each / 4) as u32;
        let size = bytes.min(self.device.size() - offset);
        (Destination { buffer: &self.device, offset, size }, word)
    }

    /// Records the copy to host memory; the last command of its encoder.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.device, 0, &self.host, 0, self.host.size());
    }

    /// Asks for the results of a submission.
    pub fn request(self, submission: wgpu::SubmissionIndex) -> Pending {
        let (sender, receiver) = oneshot_channel();
        let sender = Arc::new(Mutex::new(Some(sender)));
        let mapped = Arc::new(AtomicBool::new(false));
        let (theirs, done) = (sender.clone(), mapped.clone());
        self.host.map_async(wgpu::MapMode::Read, .., move |result| {
            let lost = |error: wgpu::BufferAsyncError| Error::DeviceLost { what: WHAT, message: error.to_string() };
            send(&theirs, result.map_err(lost));
            done.store(true, Ordering::Release);
        });
        Pending { readback: self, submission, receiver, sender, mapped }
    }

    /// The words of every result, their seals checked and left out.
    fn words(&self) -> Result<Vec<Vec<u32>>> {
        let refused =
            |error: wgpu::MapRangeError| Error::Refused { what: "mapping a result", message: error.to_string() };
        let view = self.host.get_mapped_range(..).map_err(refused)?;
        let all: Vec<u32> = view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        drop(view);
        self.host.unmap();
        let unsealed = |sealed: &[u32]| {
            let mut words = Vec::with_capacity(sealed.len());
            let mut rest = sealed;
            for &group in &self.groups {
                let (now, later) = rest.split_at(group + 1);
                match now.split_last() {
                    Some((&SEAL, group)) => words.extend(group),
                    _ => return Err(Error::ResultMissing),
                }
                rest = later;
            }
            Ok(words)
        };
        all.chunks_exact((sealed_bytes(&self.groups) / 4) as usize).map(unsealed).collect()
    }
}

/// Bytes of a result and its seals.
fn sealed_bytes(groups: &[usize]) -> u64 {
    groups.iter().map(|&words| words as u64 + 1).sum::<u64>() * 4
}

type Sender = Arc<Mutex<Option<OneshotSender<Result<()>>>>>;

fn send(sender: &Sender, outcome: Result<()>) {
    if let Some(sender) = sender.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // The receiver may be gone: then nobody waits for this result.
        let _ = sender.send(outcome);
    }
}

/// Results that a submission will bring.
#[derive(Debug)]
pub(crate) struct Pending {
    readback: Readback,
    submission: wgpu::SubmissionIndex,
    receiver: OneshotReceiver<Result<()>>,
    sender: Sender,
    mapped: Arc<AtomicBool>,
}

impl Pending {
    /// Blocks until they are there.
    pub fn wait(self, context: &Context) -> Result<Vec<Vec<u32>>> {
        if let Err(error) = context.wait(&self.submission, WHAT, || self.mapped.load(Ordering::Acquire)) {
            send(&self.sender, Err(error));
        }
        let words = match pollster::block_on(self.receiver.receive()) {
            Some(Ok(())) => self.readback.words(),
            Some(Err(error)) => Err(error),
            None => Err(Error::ResultMissing),
        };
        words.map_err(|error| context.diagnosed(error))
    }

    /// The same without blocking the caller: a thread of its own waits for the device, so that no executor and no polling
    /// by the program is needed. In browsers the event loop does that.
    pub async fn arrive(self, context: Arc<Context>) -> Result<Vec<Vec<u32>>> {
        let Pending { readback, submission, receiver, sender, mapped } = self;
        let here = context.clone();
        if cfg!(not(target_arch = "wasm32")) {
            let failed = sender.clone();
            let watch = move || {
                if let Err(error) = context.wait(&submission, WHAT, || mapped.load(Ordering::Acquire)) {
                    send(&sender, Err(error));
                }
            };
            if let Err(error) = std::thread::Builder::new().name("treefold: wait".into()).spawn(watch) {
                let message = format!("no thread to wait on: {error}");
                send(&failed, Err(Error::Refused { what: "waiting without blocking", message }));
            }
        }
        let words = match receiver.receive().await {
            Some(Ok(())) => readback.words(),
            Some(Err(error)) => Err(error),
            None => Err(Error::ResultMissing),
        };
        words.map_err(|error| here.diagnosed(error))
    }
}
