//! A device as this crate uses it: guarded creation, cached pipelines, bounded waits.

use super::Verdicts;
use super::presence::{Loss, caught, is_there, owns, refusal};
use crate::element::Dtype;
use crate::error::{Error, Result, may_block};
use crate::limits::Limits;
use crate::op::{FoldKey, Keep, Text};
use crate::plan::{Bounds, Kernel, Rows, Tuning, Variant};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use web_time::Instant;
use wgpu::{
    BindingType, BufferBindingType, BufferUsages, ErrorFilter, ShaderStages, TextureSampleType, TextureViewDimension,
};

/// The identity of a shader: the operator's texts, and the variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub texts: Arc<Texts>,
    pub variant: Variant,
}

/// All that an operator's texts depend on: folds and their [`Keep`], answers where the text has them, words of parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Texts {
    pub folds: Vec<FoldKey>,
    pub keep: Keep,
    pub answers: Vec<(Vec<usize>, Text)>,
    pub tail_words: usize,
}

/// The bindings of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    reads: bool,
    table: bool,
    carries: bool,
    count: bool,
    /// The type of the texels' numbers, where a texture is bound instead of an input's bytes.
    texels: Option<Dtype>,
}

/// The types that texels' numbers may have.
const TEXELS: [Dtype; 3] = [Dtype::F32, Dtype::U32, Dtype::I32];

impl Layout {
    /// The same with a texture, for elements of a type.
    pub fn of_texels(self, dtype: Dtype) -> Layout {
        let number = if dtype == Dtype::F32x4 { Dtype::F32 } else { dtype };
        Layout { texels: Some(number), ..self }
    }

    pub fn of(kernel: Kernel, rows: Rows, table: bool) -> Layout {
        let (reads, carries) = (kernel.reads(), matches!(kernel, Kernel::Segments { .. }));
        match rows {
            // Offsets are where others have tables.
            Rows::Segments(by) if carries || kernel == Kernel::Carry => {
                Layout { reads, table: by.offsets(), carries, count: by.counted(), texels: None }
            }
            // And what they have in all.
            Rows::Groups => {
                let by_key = kernel.reads();
                Layout {
                    reads,
                    table: matches!(kernel, Kernel::Combine { .. }),
                    carries: by_key,
                    count: by_key,
                    texels: None,
                }
            }
            _ => Layout { reads, table: table && reads, carries, count: false, texels: None },
        }
    }

    /// Bindings that a group must have room for: they are counted from 0.
    fn bindings(self) -> u32 {
        match self {
            Layout { count: true, .. } => 7,
            Layout { carries: true, .. } => 6,
            Layout { table: true, .. } => 5,
            _ => 4,
        }
    }

    fn buffers(self) -> u32 {
        [self.reads, self.table, self.carries, self.count].into_iter().map(u32::from).sum::<u32>() + 2
    }
}

/// Shared by everything that works on one device.
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: Limits,
    pub tuning: Tuning,
    timeout_ms: AtomicU64,
    /// Placeholder for a binding that a dispatch does not read; bindings may not be empty.
    pub placeholder: wgpu::Buffer,
    layouts: HashMap<Layout, (wgpu::BindGroupLayout, wgpu::PipelineLayout)>,
    pipelines: Mutex<HashMap<PipelineKey, wgpu::ComputePipeline>>,
    tables: Mutex<HashMap<Vec<u32>, wgpu::Buffer>>,
    /// Of partials, and of accumulators that are finished behind them.
    /// And of runs of equal keys: their marks, and their offsets.
    scratch: Mutex<[Option<wgpu::Buffer>; 4]>,
    /// By their whole text.
    others: Mutex<HashMap<String, wgpu::ComputePipeline>>,
    spins: bool,
    parameters: Mutex<HashMap<Vec<u8>, wgpu::Buffer>>,
    /// Results of self-tests.
    tested: Mutex<HashMap<(FoldKey, Keep), bool>>,
    /// Why the device was lost; only devices that this crate opened itself tell.
    pub loss: Option<Arc<Loss>>,
    /// Verdicts that error scopes have yet to give, where they are promises.
    pub(super) verdicts: Verdicts,
    /// Tests put a wrong kernel in here, to see that they notice.
    pub patch: Option<fn(String) -> String>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("limits", &self.limits).field("tuning", &self.tuning).finish_non_exhaustive()
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
            let segments = [Kernel::Segments { serial: true }, Kernel::Carry];
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
            tuning,
            timeout_ms: AtomicU64::new(TIMEOUT.as_millis() as u64),
            placeholder,
            layouts,
            pipelines: Mutex::default(),
            scratch: Mutex::default(),
            others: Mutex::default(),
            spins: device.adapter_info().device_type != wgpu::DeviceType::Cpu,
            parameters: Mutex::default(),
            tested: Mutex::default(),
            tables: Mutex::default(),
            loss: None,
            verdicts,
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

    pub fn buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        self.create_buffer(what, size, usage, false)
    }

    /// A buffer that is mapped for writing from the start.
    pub fn mapped_buffer(&self, what: &'static str, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
        self.create_buffer(what, size, usage, true)
    }

    fn create_buffer(&self, what: &'static str, size: u64, usage: BufferUsages, mapped: bool) -> Result<wgpu::Buffer> {
        let most = self.device.limits().max_buffer_size;
        if size > most {
            return Err(Error::LimitTooSmall { limit: "max_buffer_size", value: most, needs: size });
        }
        let label = format!("treefold: {what}");
        self.guarded(what, size, || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&label),
                size,
                usage,
                mapped_at_creation: mapped,
            })
        })
    }

    /// The partials of the reduction that is being recorded. One buffer serves all: each record writes and reads it within
    /// its own few dispatches, and what is recorded elsewhere runs before or after those.
    pub fn partials(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(0, "partials", bytes)
    }

    /// The accumulators of rows whose answers take several; as for partials.
    pub fn accumulators(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(1, "accumulators", bytes)
    }

    /// The marks of runs of equal keys, and the numbers of tiles; as for partials.
    pub fn marks(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(2, "marks of runs", bytes)
    }

    /// The offsets of runs of equal keys; as for partials.
    pub fn offsets(&self, bytes: u64) -> Result<wgpu::Buffer> {
        self.scratch(3, "offsets of runs", bytes)
    }

    fn scratch(&self, number: usize, what: &'static str, bytes: u64) -> Result<wgpu::Buffer> {
        let scratch = &mut lock(&self.scratch)[number];
        match scratch {
            Some(buffer) if buffer.size() >= bytes => Ok(buffer.clone()),
            _ => {
                let size = bytes.next_power_of_two().max(4096).min(self.device.limits().max_buffer_size).max(bytes);
                let buffer = self.buffer(what, size, BufferUsages::STORAGE)?;
                *scratch = Some(buffer.clone());
                Ok(buffer)
            }
        }
    }

    pub fn bind_group_layout(&self, layout: Layout) -> Option<&wgpu::BindGroupLayout> {
        self.layouts.get(&layout).map(|(bind_group, _)| bind_group)
    }

    /// The pipeline of a shader, from the cache where it was made before; else from the text that `source` gives. It is
    /// compiled outside the lock, so that threads compile side by side. `unguarded`: without guards against endless loops.
    pub fn pipeline(
        &self,
        key: PipelineKey,
        layout: Layout,
        unguarded: bool,
        source: impl FnOnce() -> Result<String>,
    ) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = lock(&self.pipelines).get(&key) {
            return Ok(pipeline.clone());
        }
        let source = match self.patch {
            Some(patch) => patch(source()?),
            None => source()?,
        };
        let label = match key.variant.kernel {
            Kernel::Reduce => "treefold: reduce",
            Kernel::Columns { .. } => "treefold: columns",
            Kernel::Combine { .. } => "treefold: combine",
            Kernel::Segments { .. } => "treefold: segments",
            Kernel::Carry => "treefold: carry",
            Kernel::Groups { .. } => "treefold: groups",
            Kernel::Clear => "treefold: clear",
            Kernel::Finish => "treefold: finish",
        };
        let mut checks = wgpu::ShaderRuntimeChecks::checked();
        checks.force_loop_bounding = !unguarded || self.patch.is_some();
        let (kind, layout) = (layout, self.layouts.get(&layout).map(|(_, pipeline)| pipeline));
        if layout.is_none() {
            let (bindings, buffers) =
                (self.device.limits().max_bindings_per_bind_group, self.limits.storage_buffers_max);
            let (limit, value, needs) = match kind {
                _ if bindings < kind.bindings() => ("max_bindings_per_bind_group", bindings, kind.bindings()),
                _ if buffers < kind.buffers() => ("max_storage_buffers_per_shader_stage", buffers, kind.buffers()),
                _ => ("max_sampled_textures_per_shader_stage", 0, 1),
            };
            return Err(Error::LimitTooSmall { limit, value: value.into(), needs: needs.into() });
        }
        // SAFETY: every other check stays, and every loop of such a text counts to a bound that the plan gives.
        let pipeline = unsafe { self.compile(label, layout, &source, checks) }?;
        Ok(lock(&self.pipelines).entry(key).or_insert(pipeline).clone())
    }

    /// The pipeline of one of this crate's texts that depends on no operator, its layout that of the text, from the cache where it
    /// was made before.
    pub fn pipeline_of_text(&self, label: &str, text: String) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = lock(&self.others).get(&text) {
            return Ok(pipeline.clone());
        }
        let patched = self.patch.map_or_else(|| text.clone(), |patch| patch(text.clone()));
        // SAFETY: nothing is left out.
        let pipeline = unsafe { self.compile(label, None, &patched, wgpu::ShaderRuntimeChecks::checked()) }?;
        Ok(lock(&self.others).entry(text).or_insert(pipeline).clone())
    }

    /// The pipeline of the text whose entry is `main`, compiled with these checks and workgroup memory as it is found.
    ///
    /// # Safety
    /// The text must do nothing that a check left out would have caught.
    pub unsafe fn compile(
        &self,
        label: &str,
        layout: Option<&wgpu::PipelineLayout>,
        text: &str,
        checks: wgpu::ShaderRuntimeChecks,
    ) -> Result<wgpu::ComputePipeline> {
        self.guarded("a compute pipeline", 0, || {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
            // SAFETY: what the caller promises.
            let module = unsafe { self.device.create_shader_module_trusted(descriptor, checks) };
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(label),
                layout,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        })
    }

    /// A uniform buffer with these contents, from the cache where it was made before. Nothing ever changes it.
    pub fn parameters(&self, bytes: Vec<u8>) -> Result<wgpu::Buffer> {
        // Those of long plans are large, and seldom the same.
        const KEPT_BYTES: usize = 16 << 10;
        if bytes.len() > KEPT_BYTES {
            return self.filled("parameters", &bytes, BufferUsages::UNIFORM);
        }
        self.constant(&self.parameters, bytes, "parameters", BufferUsages::UNIFORM)
    }

    /// A storage buffer with an operator's table, from the cache where it was made before. Nothing ever changes it.
    pub fn table(&self, words: Vec<u32>) -> Result<wgpu::Buffer> {
        self.constant(&self.tables, words, "a table", BufferUsages::STORAGE)
    }

    /// A buffer with these contents.
    pub fn filled(&self, what: &'static str, bytes: &[u8], usage: BufferUsages) -> Result<wgpu::Buffer> {
        let buffer = self.mapped_buffer(what, bytes.len() as u64, usage)?;
        fill(&buffer, 0, bytes)?;
        buffer.unmap();
        Ok(buffer)
    }

    fn constant<W: bytemuck::Pod + Eq + std::hash::Hash>(
        &self,
        cache: &Mutex<HashMap<Vec<W>, wgpu::Buffer>>,
        contents: Vec<W>,
        what: &'static str,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer> {
        const KEPT: usize = 1024;
        if let Some(buffer) = lock(cache).get(&contents) {
            return Ok(buffer.clone());
        }
        let buffer = self.filled(what, bytemuck::cast_slice(&contents), usage)?;
        let mut cache = lock(cache);
        if cache.len() >= KEPT {
            cache.clear();
        }
        cache.insert(contents, buffer.clone());
        Ok(buffer)
    }

    /// Empties the caches.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn forget(&self) {
        lock(&self.pipelines).clear();
        lock(&self.parameters).clear();
        lock(&self.tables).clear();
        lock(&self.others).clear();
        *lock(&self.scratch) = [const { None }; 4];
    }

    /// The result of a self-test that was made before.
    pub fn test_result(&self, of: &(FoldKey, Keep)) -> Option<bool> {
        lock(&self.tested).get(of).copied()
    }

    pub fn note_test(&self, of: (FoldKey, Keep), right: bool) {
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

/// Writes bytes into a mapped buffer.
pub(crate) fn fill(buffer: &wgpu::Buffer, at: u64, bytes: &[u8]) -> Result<()> {
    let refused = |error: wgpu::MapRangeError| Error::Refused { what: "mapped memory", message: error.to_string() };
    // A mapped range begins at a multiple of 8 and has a multiple of 4 bytes.
    let (before, end) = ((at % 8) as usize, at + bytes.len() as u64);
    let mut view = buffer.get_mapped_range_mut(at - at % 8..end.next_multiple_of(4)).map_err(refused)?;
    view.slice(before..before + bytes.len()).copy_from_slice(bytes);
    Ok(())
}

fn bind_group_layout(device: &wgpu::Device, layout: Layout) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
    let entry = |binding: u32, ty: BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let read = BufferBindingType::Storage { read_only: true };
    let sampled = |dtype: Dtype| BindingType::Texture {
        sample_type: match dtype {
            Dtype::U32 => TextureSampleType::Uint,
            Dtype::I32 => TextureSampleType::Sint,
            _ => TextureSampleType::Float { filterable: false },
        },
        view_dimension: TextureViewDimension::D2,
        multisampled: false,
    };
    let texture = layout.texels.map(|dtype| wgpu::BindGroupLayoutEntry { ty: sampled(dtype), ..entry(0, read) });
    let mut entries = vec![
        texture.unwrap_or(entry(0, read)),
        entry(2, BufferBindingType::Uniform),
        entry(3, BufferBindingType::Storage { read_only: false }),
    ];
    entries.extend((layout.reads && layout.texels.is_none()).then(|| entry(1, read)));
    entries.extend(layout.table.then(|| entry(4, read)));
    entries.extend(layout.count.then(|| entry(6, read)));
    entries.extend(layout.carries.then(|| entry(5, BufferBindingType::Storage { read_only: false })));
    let bind_group = device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("treefold"), entries: &entries });
    let pipeline = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("treefold"),
        bind_group_layouts: &[Some(&bind_group)],
        immediate_size: 0,
    });
    (bind_group, pipeline)
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
