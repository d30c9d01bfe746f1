//! The adapter under test, and what goes there and comes back.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use treefold::wgpu::{self, BufferUsages, util::DeviceExt};
use treefold::{Element, Gpu, Input, Op, Output, Reducer, Tuning};

/// The adapter under test: the best one, or WGPU_ADAPTER_NAME. No adapter is a failure, never a pass.
///
/// A thread keeps its device, and threads that run at a time have one each: software drivers compile what one device is given on one core.
pub fn gpu() -> Gpu {
    /// Devices, each with a token that the threads hold that use it.
    static OPENED: Mutex<Vec<(Gpu, Arc<()>)>> = Mutex::new(Vec::new());
    thread_local!(static OWN: OnceCell<(Gpu, Arc<()>)> = const { OnceCell::new() });
    let open = || {
        let gpu = Gpu::new()
            .unwrap_or_else(|error| panic!("these tests need a GPU or lavapipe (scripts/test installs it): {error}"));
        // lavapipe compiles a kernel where it runs first, some for half a minute of a quiet core.
        gpu.set_timeout(std::time::Duration::from_secs(600));
        gpu
    };
    let take = || {
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let free = opened.iter().find(|(_, token)| Arc::strong_count(token) == 1).cloned();
        free.unwrap_or_else(|| {
            let new = (open(), Arc::new(()));
            opened.push(new.clone());
            new
        })
    };
    OWN.with(|own| own.get_or_init(take).0.clone())
}

/// A change to each text.
pub type Patch = fn(String) -> String;

/// The adapter with this launch shape and texts that are changed.
pub fn patched_gpu(tuning: Tuning, patch: impl Fn(String) -> String + Send + Sync + 'static) -> Gpu {
    gpu().with_tuning(tuning).and_then(|gpu| gpu.with_patched_shaders(patch)).expect("a launch shape")
}

/// What stands in a text, and what a change puts there.
pub type Change = (&'static str, &'static str);

/// Whether a check notices a change to each text of the adapter with this launch shape. A change to none fails.
pub fn notices(tuning: Tuning, change: Change, noticed: impl FnOnce(&Gpu) -> bool) -> bool {
    notices_within(|_| true, tuning, change, noticed)
}

/// The same, of texts that are to be changed alone.
pub fn notices_within(
    within: fn(&str) -> bool,
    tuning: Tuning,
    (from, to): Change,
    noticed: impl FnOnce(&Gpu) -> bool,
) -> bool {
    let matched = Arc::new(AtomicBool::new(false));
    let seen = matched.clone();
    let patch = move |text: String| {
        if !within(&text) || !text.contains(from) {
            return text;
        }
        seen.store(true, Ordering::Relaxed);
        text.replace(from, to)
    };
    let noticed = noticed(&patched_gpu(tuning, patch));
    assert!(matched.load(Ordering::Relaxed), "{from}: nothing to patch");
    noticed
}

/// Fails with those of the changes that a check does not notice.
pub fn assert_noticed(tuning: Tuning, changes: &[Change], noticed: impl Fn(&Gpu) -> bool) {
    let goes_by = |change: &&Change| !notices(tuning, **change, &noticed);
    let unnoticed: Vec<&Change> = changes.iter().filter(goes_by).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

/// The same adapter, opened with small limits: short bindings, little workgroup memory, small workgroups, no features.
pub fn small_gpu(binding_bytes: u64) -> Gpu {
    limited_gpu(binding_bytes, 4096)
}

/// The same adapter with subgroups, where it has them, and short bindings.
pub fn short_bindings(binding_bytes: u64) -> Gpu {
    let limits = wgpu::Limits { max_storage_buffer_binding_size: binding_bytes, ..wgpu::Limits::defaults() };
    opened(adapter().features() & wgpu::Features::SUBGROUP, limits)
}

/// The same with other workgroup memory.
pub fn limited_gpu(binding_bytes: u64, workgroup_bytes: u32) -> Gpu {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: binding_bytes,
        max_compute_invocations_per_workgroup: 64,
        max_compute_workgroup_size_x: 64,
        max_compute_workgroup_storage_size: workgroup_bytes,
        ..wgpu::Limits::downlevel_defaults()
    };
    opened(wgpu::Features::empty(), limits)
}

/// The adapter with these features and limits alone.
fn opened(required_features: wgpu::Features, required_limits: wgpu::Limits) -> Gpu {
    let descriptor = wgpu::DeviceDescriptor { required_features, required_limits, ..Default::default() };
    let (device, queue) =
        pollster::block_on(adapter().request_device(&descriptor)).expect("a device with small limits");
    Gpu::from_device(&device, &queue).expect("small limits are enough")
}

/// The adapter, not opened, of an instance that is the test's own.
pub fn adapter() -> wgpu::Adapter {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends -= wgpu::Backends::GL;
    let instance = wgpu::Instance::new(descriptor);
    let wanted = gpu().info().name;
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.into_iter().find(|adapter| adapter.get_info().name == wanted).expect("the adapter under test")
}

/// Elements in a buffer of their own.
pub fn upload<T: Element>(gpu: &Gpu, elements: &[T]) -> wgpu::Buffer {
    let mut contents: Vec<u8> = bytemuck::cast_slice(elements).to_vec();
    // Bindings may not be empty, and reductions of nothing still want a buffer.
    contents.resize(contents.len().next_multiple_of(4).max(4), 0);
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let descriptor = wgpu::util::BufferInitDescriptor { label: Some("test input"), contents: &contents, usage };
    gpu.device().create_buffer_init(&descriptor)
}

/// The words of a buffer.
pub fn download(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u32> {
    gpu.download(buffer).expect("a copy for the host")
}

/// Room for so many words of answers.
pub fn answers(gpu: &Gpu, words: usize) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    let size = words.max(1) as u64 * 4;
    gpu.device().create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// The words that `record` leaves for each input, the count word last; all in one pass of one submission.
pub fn recorded<'i, T: Element, O: Op<T>>(
    gpu: &Gpu,
    reducer: &Reducer<T, O>,
    inputs: impl IntoIterator<Item = Input<'i, T>>,
) -> Vec<Vec<u32>> {
    let inputs: Vec<_> = inputs.into_iter().collect();
    let words = reducer.answer_words() + 1;
    let place = answers(gpu, inputs.len() * words);
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    for (at, input) in inputs.iter().enumerate() {
        let output: Output = place.slice((at * words * 4) as u64..((at + 1) * words * 4) as u64).into();
        reducer.record_in_pass(&mut pass, input, output).expect("a record");
    }
    drop(pass);
    gpu.queue().submit([encoder.finish()]);
    download(gpu, &place).chunks(words).take(inputs.len()).map(<[u32]>::to_vec).collect()
}

/// Says what is skipped, and why: cargo hides what a test that passes prints, but not this.
pub fn tell(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}
