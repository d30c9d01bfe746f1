//! A device as this crate uses it: guarded creation, cached pipelines, bounded waits.

use super::Verdicts;
use super::cache::Cache;
use super::environment::may_block;
use super::pipelines::{Layout, PipelineKey, TEXELS, bind_group_layout};
use super::presence::{Loss, caught, is_there, owns, refusal};
use super::readback::{Landings, mapped_bytes_max};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::op::{FoldKey, Keep};
use crate::plan::{Bounds, Kernel, Rows, Tuning, Walk};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use web_time::Instant;
use wgpu::{BufferUsages, ErrorFilter};

/// A fold with a self-test: the way in which it keeps accumulators, and whether it unpacks f16.
type Tested = (FoldKey, Keep, bool);

/// Shared by everything that works on one device.
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: Limits,
    /// The adapter's row, or what a program gave.
    row: Tuning,
    /// What was found to be faster, in the place of the row.
    pub(super) tuned: OnceLock<Tuning>,
    timeout_ms: AtomicU64,
    /// Placeholder for a binding that a dispatch does not read; bindings may not be empty.
    pub placeholder: wgpu::Buffer,
    pub(super) layouts: HashMap<Layout, (wgpu::BindGroupLayout, wgpu::PipelineLayout)>,
    pub(super) pipelines: Mutex<HashMap<PipelineKey, wgpu::ComputePipeline>>,
    pub(super) tables: Mutex<HashMap<Vec<u32>, wgpu::Buffer>>,
    /// Of partials, and of accumulators that are finished behind them.
    /// And of runs of equal keys: their marks, and their offsets.
    pub(super) scratch: Mutex<[Option<wgpu::Buffer>; 4]>,
    /// By their whole text.
    pub(super) others: Mutex<HashMap<String, wgpu::ComputePipeline>>,
    spins: bool,
    /// Bytes of results that the host may read where the kernel leaves them: all where memory is one, few behind a bus, none where the
    /// device cannot.
    pub mapped_bytes_max: u64,
    /// Where results landed, for those that follow.
    pub(super) landings: Landings,
    pub(super) parameters: Mutex<HashMap<Vec<u8>, wgpu::Buffer>>,
    /// Results of self-tests.
    tested: Mutex<HashMap<Tested, bool>>,
    /// What other processes have learned; one for all launch shapes of a device.
    pub(super) cache: Arc<Cache>,
    /// Why the device was lost; only devices that this crate opened itself tell.
    pub loss: Option<Arc<Loss>>,
    /// Whether the device's own conversion of f16 is right, where that has been tried.
    pub(super) unpacked: OnceLock<bool>,
    /// Verdicts that error scopes have yet to give, where they are promises.
    pub(super) verdicts: Verdicts,
    /// Tests put a wrong kernel in here, to see that they notice.
    pub patch: Option<Arc<dyn Fn(String) -> String + Send + Sync>>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("limits", &self.limits).field("tuning", self.tuning()).finish_non_exhaustive()
    }
}

/// Why an app's own device was lost.
const UNTOLD: &str =
    "reason unknown, since wgpu tells it only to the program's own callback (Device::set_device_lost_callback)";

/// The longest wait, unless the program sets another.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A lock that a panic elsewhere does not close: what it guards is valid after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// The launch policies.
    pub fn tuning(&self) -> &Tuning {
        self.tuned.get().unwrap_or(&self.row)
    }

    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, tuning: Tuning) -> Result<Context> {
        const WHAT: &str = "making a reducer";
        if !is_there(device) {
            return Err(Error::DeviceLost { what: WHAT, message: UNTOLD.into() });
        }
        let limits = Limits::of(device)?;
        let verdicts = Verdicts::default();
        let (layouts, placeholder) = guarded(device, &verdicts, "bind group layouts", 0, || {
            let room = |kind: &Layout| {
                limits.storage_buffers_max >= kind.buffers()
                    && device.limits().max_bindings_per_bind_group >= kind.bindings()
            };
            let textures = device.limits().max_sampled_textures_per_shader_stage > 0;
            let whole = [Kernel::Reduce, Kernel::Finish].map(|kernel| (kernel, Rows::One));
            let segments = [Kernel::Segments { walk: Walk::Serial }, Kernel::Carry];
            let segments =
                segments.map(|kernel| Bounds::ALL.map(|by| (kernel, Rows::Segments(by)))).into_iter().flatten();
            let kinds: HashSet<Layout> = whole
                .into_iter()
                .chain(segments)
                .flat_map(|(kernel, rows)| [false, true].map(|table| Layout::of(kernel, rows, table)))
                .collect();
            let read = [false, true].map(|table| Layout::of(Kernel::Reduce, Rows::One, table));
            let texels =
                read.into_iter().filter(|_| textures).flat_map(|read| TEXELS.map(|dtype| read.of_texels(dtype)));
            let layouts = kinds.into_iter().chain(texels).filter(room);
            let layouts = layouts.map(|layout| (layout, bind_group_layout(device, layout))).collect();
            let placeholder = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("treefold: placeholder"),
                size: limits.storage_alignment.max(16),
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            (layouts, placeholder)
        })?;
        if !owns(device, queue, &placeholder) {
            let message = "the queue is not the device's own".into();
            return Err(Error::Foreign { what: WHAT, message });
        }
        Ok(Context {
            device: device.clone(),
            queue: queue.clone(),
            limits,
            row: tuning,
            tuned: OnceLock::new(),
            timeout_ms: AtomicU64::new(TIMEOUT.as_millis() as u64),
            placeholder,
            layouts,
            pipelines: Mutex::default(),
            scratch: Mutex::default(),
            others: Mutex::default(),
            spins: device.adapter_info().device_type != wgpu::DeviceType::Cpu,
            mapped_bytes_max: mapped_bytes_max(device),
            landings: Landings::default(),
            parameters: Mutex::default(),
            tested: Mutex::default(),
            cache: Arc::default(),
            tables: Mutex::default(),
            loss: None,
            verdicts,
            unpacked: OnceLock::new(),
            patch: None,
        })
    }

    /// An error where the device is lost. It takes a microsecond.
    pub fn present(&self, what: &'static str) -> Result<()> {
        let told = self.loss.as_ref().is_some_and(|loss| loss.reason().is_some());
        match !told && is_there(&self.device) {
            true => Ok(()),
            false => Err(Error::DeviceLost { what, message: self.reason() }),
        }
    }

    /// An error where wgpu has told that the device is lost. It takes nanoseconds; devices of an app, and those that
    /// were just destroyed, are not found.
    pub fn not_told_lost(&self, what: &'static str) -> Result<()> {
        match self.loss.as_ref().and_then(|loss| loss.reason()) {
            None => Ok(()),
            Some(reason) => Err(Error::DeviceLost { what, message: reason.into() }),
        }
    }

    /// The error as it is, or the loss of the device, where the device is lost.
    pub fn diagnosed(&self, error: Error) -> Error {
        let what = match error {
            Error::Refused { what, .. } | Error::DeviceLost { what, .. } | Error::Timeout { what, .. } => what,
            Error::ResultMissing => "waiting for a result",
            _ => return error,
        };
        match self.present(what) {
            Err(lost) => lost,
            Ok(()) => error,
        }
    }

    /// Why the device was lost.
    fn reason(&self) -> String {
        let Some(loss) = &self.loss else { return UNTOLD.into() };
        if loss.reason().is_none() {
            // wgpu tells of a device that was destroyed when it is polled and has no more to do; it may panic at that.
            let _ = catch_unwind(AssertUnwindSafe(|| self.device.poll(wgpu::PollType::Poll)));
        }
        loss.reason().unwrap_or("it was destroyed, and has work left to do").into()
    }

    /// Runs calls on the device that may fail, and turns what wgpu reports into an error; in browsers, into one of the next
    /// [`Context::heard`].
    pub fn guarded<R>(&self, what: &'static str, bytes: u64, calls: impl FnOnce() -> R) -> Result<R> {
        guarded(&self.device, &self.verdicts, what, bytes, calls).map_err(|error| self.diagnosed(error))
    }

    /// Empties the caches.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn forget(&self) {
        lock(&self.pipelines).clear();
        lock(&self.parameters).clear();
        lock(&self.tables).clear();
        lock(&self.others).clear();
        self.landings.clear();
        *lock(&self.scratch) = [const { None }; 4];
    }

    /// The result of a self-test that was made before.
    pub fn test_result(&self, of: &Tested) -> Option<bool> {
        lock(&self.tested).get(of).copied()
    }

    pub fn note_test(&self, of: Tested, right: bool) {
        lock(&self.tested).insert(of, right);
    }

    /// The longest wait before it becomes an error.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.load(Ordering::Relaxed))
    }

    pub fn set_timeout(&self, timeout: Duration) {
        self.timeout_ms.store(timeout.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Waits until a submission is done and its callback, which makes `done` true, has run.
    ///
    /// The fence of a GPU wakes a thread tens of microseconds late, so short work is awaited by asking again and again.
    pub fn wait(&self, submission: &wgpu::SubmissionIndex, what: &'static str, done: impl Fn() -> bool) -> Result<()> {
        may_block(what, "the asynchronous calls (Reducer::reduce_async)")?;
        let start = Instant::now();
        while self.spins && start.elapsed() < Duration::from_micros(200) {
            self.poll_once(what)?;
            if done() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let wait = wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: Some(self.timeout()) };
        self.poll(wait, what)?;
        // The work is done, but another thread's poll may be about to run the callback.
        while !done() {
            if start.elapsed() > self.timeout() {
                return Err(Error::Timeout { what, waited: self.timeout() });
            }
            std::thread::yield_now();
            self.poll_once(what)?;
        }
        Ok(())
    }

    /// Lets callbacks run whose time has come.
    pub fn poll_once(&self, what: &'static str) -> Result<()> {
        self.poll(wgpu::PollType::Poll, what)
    }

    /// `Device::poll`, which panics when the device is lost: that panic becomes the error it stands for.
    fn poll(&self, kind: wgpu::PollType, what: &'static str) -> Result<()> {
        let error = match catch_unwind(AssertUnwindSafe(|| self.device.poll(kind))) {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => Error::Timeout { what, waited: self.timeout() },
            Ok(Err(error)) => Error::DeviceLost { what, message: error.to_string() },
            Err(_) => Error::DeviceLost { what, message: "Device::poll gave up".into() },
        };
        Err(self.diagnosed(error))
    }
}

/// Error scopes are a stack per thread, so whatever is pushed here is popped here, before anything else can happen.
fn guarded<R>(
    device: &wgpu::Device,
    verdicts: &Verdicts,
    what: &'static str,
    bytes: u64,
    calls: impl FnOnce() -> R,
) -> Result<R> {
    let internal = device.push_error_scope(ErrorFilter::Internal);
    let memory = device.push_error_scope(ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(ErrorFilter::Validation);
    let made = caught(what, calls);
    let (validation, memory, internal) = (validation.pop(), memory.pop(), internal.pop());
    let verdict = async move {
        let found = [validation.await, memory.await, internal.await];
        match found.into_iter().flatten().next() {
            None => Ok(()),
            Some(error @ wgpu::Error::OutOfMemory { .. }) => {
                Err(Error::OutOfMemory { what, bytes, message: error.to_string() })
            }
            Some(error) => Err(refusal(what, error.to_string())),
        }
    };
    verdicts.hear(verdict)?;
    made
}
