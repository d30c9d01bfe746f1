//! An opened adapter, for programs that have none of their own.

use super::context::Context;
use super::environment::{backends_asked, is_auto, may_block, name_asked};
use super::instance;
use super::presence::Loss;
use crate::error::{Error, Result};
use crate::plan::Tuning;
use std::sync::Arc;
use std::time::Duration;
use wgpu::{Backends, DeviceType, Features};

/// An adapter, opened with all that treefold can use of it.
///
/// All of a process share one wgpu instance, so that wgpu tells a buffer of another's apart: [`Error::Foreign`]. (Adapters of
/// OpenGL share one of their own.) After [`Error::DeviceLost`], open it again.
///
/// ```no_run
/// use treefold::{Gpu, ops::Sum};
/// let gpu = Gpu::new()?;
/// assert_eq!(gpu.reduce(Sum, &[8.0f32, 6., 7., 5., 3., 0., 9.])?, 38.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gpu {
    context: Arc<Context>,
}

/// One adapter as [`Gpu::adapters`] lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// Its number, for [`Gpu::named`].
    pub index: usize,
    /// The adapter as wgpu describes it: name, backend, device type, driver, subgroup sizes.
    pub info: wgpu::AdapterInfo,
    /// Its limits.
    pub limits: wgpu::Limits,
    /// Its features.
    pub features: Features,
    /// The launch shape that treefold uses on it.
    pub tuning: Tuning,
    /// Whether this one is used where none is named and elements are in host memory: the best that is hardware and not behind
    /// OpenGL. Where none is, that is the CPU engine, and [`Gpu::new`] opens the first that is not behind OpenGL.
    pub default: bool,
}

/// Features that are used where an adapter has them; none is needed.
const WANTED: Features = Features::SUBGROUP
    .union(Features::TIMESTAMP_QUERY)
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    // For exact sums in registers, and for kernels in 64 bits.
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_FLOAT32_ATOMIC)
    .union(Features::SHADER_F64)
    .union(Features::SHADER_INT64_ATOMIC_ALL_OPS)
    // For results that the host reads where the kernel left them; where memory is one, for staging buffers that kernels read in place.
    .union(Features::MAPPABLE_PRIMARY_BUFFERS)
    // For Gpu::load_cache.
    .union(Features::PIPELINE_CACHE);

impl Gpu {
    /// Opens the best adapter: discrete, integrated, virtual, then software (slower than [`Cpu`](crate::Cpu) mostly); never OpenGL, which is
    /// opened by name only.
    ///
    /// `WGPU_ADAPTER_NAME` (as for [`Gpu::named`]), `WGPU_BACKEND` and `WGPU_POWER_PREF=low` (integrated before
    /// discrete) have their say.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::AdapterNotFound`], [`Error::UnknownBackend`], [`Error::DeviceRefused`].
    pub fn new() -> Result<Gpu> {
        may_block("Gpu::new", "Gpu::new_async")?;
        pollster::block_on(Gpu::new_async())
    }

    /// The same without blocking; in browsers, the adapter that the page is given.
    ///
    /// # Errors
    /// As for [`Gpu::new`].
    pub async fn new_async() -> Result<Gpu> {
        match name_asked() {
            Some(wanted) => Gpu::find(&wanted).await,
            None => Gpu::first().await,
        }
    }

    async fn first() -> Result<Gpu> {
        Gpu::open(ranked(Gl::IfAsked).await?.into_iter().next().ok_or(Error::NoAdapter)?).await
    }

    /// The best adapter that is hardware and not behind OpenGL, whatever the environment names.
    ///
    /// # Errors
    /// [`Error::SoftwareOnly`], [`Error::NoAdapter`], [`Error::UnknownBackend`], [`Error::DeviceRefused`].
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn hardware() -> Result<Gpu> {
        let mut adapters = ranked(Gl::IfAsked).await?;
        let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
        Gpu::open(adapters.swap_remove(hardware(&infos)?)).await
    }

    /// Opens an adapter: digits alone are its number in [`Gpu::adapters`], `auto` is the one that [`Gpu::new`] opens where the environment
    /// names none, and anything else a part of its name, in any case, of which the first counts.
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] lists what there is; [`Error::UnknownBackend`], [`Error::DeviceRefused`].
    pub fn named(wanted: &str) -> Result<Gpu> {
        may_block("Gpu::named", "Gpu::new_async")?;
        pollster::block_on(Gpu::find(wanted))
    }

    pub(crate) async fn find(wanted: &str) -> Result<Gpu> {
        if is_auto(wanted) {
            return Gpu::first().await;
        }
        let mut adapters = ranked(Gl::IfAsked).await?;
        if position(&adapters, wanted).is_none() {
            adapters = ranked(Gl::Too).await?;
        }
        match position(&adapters, wanted) {
            Some(found) => Gpu::open(adapters.swap_remove(found)).await,
            None => Err(not_found(wanted, &adapters.iter().map(wgpu::Adapter::get_info).collect::<Vec<_>>())),
        }
    }

    /// All adapters of this machine, the best first. None in browsers, which show one at a time: [`Gpu::new_async`].
    ///
    /// # Errors
    /// [`Error::UnknownBackend`].
    pub fn adapters() -> Result<Vec<Listed>> {
        if may_block("Gpu::adapters", "Gpu::new_async").is_err() {
            return Ok(Vec::new());
        }
        let adapters = pollster::block_on(ranked(Gl::Too))?;
        let default = match name_asked() {
            Some(wanted) if !is_auto(&wanted) => position(&adapters, &wanted),
            _ => hardware(&adapters.iter().map(wgpu::Adapter::get_info).collect::<Vec<_>>()).ok(),
        };
        let list = adapters.into_iter().enumerate().map(|(index, adapter)| {
            let info = adapter.get_info();
            let tuning = Tuning::of(&info);
            let (limits, features) = (adapter.limits(), adapter.features());
            Listed { index, info, limits, features, tuning, default: default == Some(index) }
        });
        Ok(list.collect())
    }

    /// A device that the program opened itself, used as it is.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`].
    pub fn from_device(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Gpu> {
        let tuning = Tuning::of(&device.adapter_info());
        Ok(Gpu { context: Arc::new(Context::new(device, queue, tuning)?) })
    }

    /// This device with another launch shape, for measuring. Pipelines are made anew.
    ///
    /// # Errors
    /// [`Error::BadTuning`] names the number that no plan could keep.
    pub fn with_tuning(&self, tuning: Tuning) -> Result<Gpu> {
        tuning.check()?;
        let context = self.again(tuning)?;
        // What is given stays, whatever a cache says.
        let _ = context.tuned.set(tuning);
        Ok(Gpu { context: Arc::new(context) })
    }

    /// This device with every shader text changed by `patch`: for tests that must notice a wrong kernel.
    #[doc(hidden)]
    pub fn with_patched_shaders(&self, patch: impl Fn(String) -> String + Send + Sync + 'static) -> Result<Gpu> {
        let mut context = self.again(*self.context.tuning())?;
        context.patch = Some(Arc::new(patch));
        // Nothing that a wrong kernel tells is kept.
        context.cache = Arc::default();
        Ok(Gpu { context: Arc::new(context) })
    }

    fn again(&self, tuning: Tuning) -> Result<Context> {
        let Context { device, queue, loss, cache, .. } = &*self.context;
        let mut context = Context::new(device, queue, tuning).map_err(|error| self.context.diagnosed(error))?;
        context.loss = loss.clone();
        context.cache = cache.clone();
        context.set_timeout(self.context.timeout());
        Ok(context)
    }

    pub(super) async fn open(adapter: wgpu::Adapter) -> Result<Gpu> {
        let info = adapter.get_info();
        let features = adapter.features() & WANTED;
        let opened = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("treefold"),
            required_features: features,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        });
        let (device, queue) = opened
            .await
            .map_err(|error| Error::DeviceRefused { adapter: info.name.clone(), message: error.to_string() })?;
        let tuning = Tuning::of(&info);
        log::info!("opened {} ({}, {:?})", info.name, info.backend, info.device_type);
        let mut context = Context::new(&device, &queue, tuning)?;
        context.loss = Some(Loss::of(&device));
        Ok(Gpu { context: Arc::new(context) })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The adapter as wgpu describes it.
    pub fn info(&self) -> wgpu::AdapterInfo {
        self.context.device.adapter_info()
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.context.device
    }

    /// The device's queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.context.queue
    }

    /// Takes what another process has learned of this device ([`Gpu::cache`]), and keeps from now on what this one learns:
    /// pipelines that the driver has compiled, and verdicts of the self-tests that exact kernels must pass; and launches by the policies
    /// that were kept there ([`Gpu::keep_tuning`]). Empty bytes say
    /// nothing, and are how it begins. Before the first reduction; a device without [`Features::PIPELINE_CACHE`] (Vulkan has it; an
    /// app's own must be asked for it) keeps nothing.
    ///
    /// ```no_run
    /// # fn f(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    /// use treefold::{Gpu, ops::Sum};
    /// let gpu = Gpu::new()?;
    /// // SAFETY: only this user, and only this program, writes the file.
    /// if let Err(error) = unsafe { gpu.load_cache(&std::fs::read(path).unwrap_or_default()) } {
    ///     eprintln!("{error}"); // nothing is known, and all else is as it was
    /// }
    /// gpu.reduce(Sum, &[1.0f32, 2.0])?;
    /// if let Some(bytes) = gpu.cache(16 << 20) {
    ///     std::fs::write(path, bytes)?; // better: aside, and renamed
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::CacheRefused`] where the bytes are damaged, another driver's or another version's: what is learned is kept from
    /// nothing. [`Error::NoCache`] where the device keeps none. [`Error::Refused`], [`Error::DeviceLost`].
    ///
    /// # Safety
    /// Bytes that pass their checks go to the driver, which trusts them. They are to be what [`Gpu::cache`] gave: a checksum tells
    /// damage, but not somebody who writes a cache of his own; keep it where nobody else can.
    pub unsafe fn load_cache(&self, bytes: &[u8]) -> Result<()> {
        // SAFETY: what the caller promises.
        unsafe { self.context.load_cache(bytes) }
    }

    /// All that is known of this device, for [`Gpu::load_cache`] in another process, in at most so many bytes. What drivers keep
    /// only grows: where it has no room it is left out, and begins anew. `None` where it is what `load_cache` took, where that was
    /// not called or kept nothing, or where there is no room at all.
    pub fn cache(&self, bytes_max: usize) -> Option<Vec<u8>> {
        self.context.cache(bytes_max)
    }

    /// Keeps launch policies for all that [`Gpu::load_cache`] tells of in other processes, in the place of the adapter's row. What
    /// rounds on a device may have other bits with other policies: see each operator; exact answers have not. `None` forgets them.
    ///
    /// # Errors
    /// [`Error::BadTuning`]; [`Error::NoCache`] where `load_cache` was not called, or kept nothing.
    pub fn keep_tuning(&self, tuning: Option<Tuning>) -> Result<()> {
        tuning.map_or(Ok(()), |tuning| tuning.check())?;
        self.context.keep_tuning(tuning)
    }

    /// A file's name for the cache: letters, digits and `_`, of the adapter and its driver but no version, so that the cache of a
    /// new version takes the place of the old one's. `None` where wgpu has no pipeline caches: other backends than Vulkan.
    pub fn cache_name(&self) -> Option<String> {
        self.context.cache_name()
    }

    /// Writes bytes to the front of a buffer, filled up to whole words with zeros.
    pub(crate) fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        let (words, rest) = bytes.split_at(bytes.len() / 4 * 4);
        self.queue().write_buffer(buffer, 0, words);
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.queue().write_buffer(buffer, words.len() as u64, &last);
        }
    }

    /// The launch shape in use.
    pub fn tuning(&self) -> &Tuning {
        self.context.tuning()
    }

    /// Number of pipelines that its reducers have compiled.
    #[doc(hidden)]
    pub fn pipelines(&self) -> usize {
        self.context.pipelines_made()
    }

    /// The words of a buffer with `COPY_SRC`.
    ///
    /// # Errors
    /// Those of the device.
    #[doc(hidden)]
    pub fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>> {
        let context = &self.context;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let host = context.buffer("a copy for the host", buffer.size(), usage)?;
        let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let mapped = done.clone();
        let submission = context.guarded("a copy for the host", buffer.size(), || {
            let mut encoder = context.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, 0, &host, 0, buffer.size());
            let submission = context.queue.submit([encoder.finish()]);
            host.map_async(wgpu::MapMode::Read, .., move |_| mapped.store(true, std::sync::atomic::Ordering::Release));
            submission
        })?;
        context.wait(&submission, "copying to the host", || done.load(std::sync::atomic::Ordering::Acquire))?;
        let refused = |error: wgpu::MapRangeError| Error::Refused { what: "mapped memory", message: error.to_string() };
        let view = host.get_mapped_range(..).map_err(refused)?;
        Ok(view.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Sets how long waits last, to the millisecond, before they end in [`Error::Timeout`]; 60 s unless set.
    pub fn set_timeout(&self, timeout: Duration) {
        self.context.set_timeout(timeout);
    }
}

fn is_gl(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().backend == wgpu::Backend::Gl
}

/// Whether OpenGL is looked for. Its libraries may complain on standard error where there is no display, so it is not
/// touched without need.
#[derive(PartialEq)]
pub(super) enum Gl {
    /// Only where `WGPU_BACKEND` says so.
    IfAsked,
    /// Yes, behind all others.
    Too,
}

/// Every adapter, the best first; OpenGL last.
pub(super) async fn ranked(gl: Gl) -> Result<Vec<wgpu::Adapter>> {
    let others = if gl == Gl::IfAsked { Backends::all() - Backends::GL } else { Backends::all() };
    let mut adapters = instance::adapters(backends_asked()?.unwrap_or(others)).await;
    let low_power = wgpu::PowerPreference::from_env() == Some(wgpu::PowerPreference::LowPower);
    adapters.sort_by_key(|adapter| {
        let rank = match adapter.get_info().device_type {
            DeviceType::DiscreteGpu => 1,
            DeviceType::IntegratedGpu if low_power => 0,
            DeviceType::IntegratedGpu => 2,
            DeviceType::VirtualGpu => 3,
            DeviceType::Other => 4,
            DeviceType::Cpu => 5,
        };
        (is_gl(adapter), rank)
    });
    Ok(adapters)
}

/// The place of the first that is used unasked: no software, which is slower than this machine's CPU is without it, and no OpenGL unless
/// `WGPU_BACKEND` asks for that.
///
/// # Errors
/// [`Error::SoftwareOnly`], [`Error::NoAdapter`], [`Error::UnknownBackend`].
pub(super) fn hardware(ranked: &[wgpu::AdapterInfo]) -> Result<usize> {
    first_hardware(ranked, backends_asked()?.is_some()).ok_or_else(|| match ranked.first() {
        Some(info) => Error::SoftwareOnly { number: 0, adapter: info.name.clone() },
        None => Error::NoAdapter,
    })
}

fn first_hardware(ranked: &[wgpu::AdapterInfo], gl: bool) -> Option<usize> {
    ranked.iter().position(|info| info.device_type != DeviceType::Cpu && (gl || info.backend != wgpu::Backend::Gl))
}

/// The error where none of these adapters is what is asked for.
pub(super) fn not_found(wanted: &str, infos: &[wgpu::AdapterInfo]) -> Error {
    let names = infos.iter().enumerate().map(|(at, info)| format!("{at} \"{}\"", info.name));
    let available = names.collect::<Vec<_>>().join(", ");
    let available = if available.is_empty() { "none".into() } else { available };
    Error::AdapterNotFound { wanted: wanted.into(), available }
}

/// The place of the adapter with this number, if it is one, else of the first whose name holds the text.
fn position(adapters: &[wgpu::Adapter], wanted: &str) -> Option<usize> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.bytes().all(|byte| byte.is_ascii_digit()) {
        return wanted.parse().ok().filter(|&number| number < adapters.len());
    }
    adapters.iter().position(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::Backend;

    #[test]
    fn hardware_is_what_is_used_unasked() {
        let list = |kinds: &[(DeviceType, Backend)]| -> Vec<wgpu::AdapterInfo> {
            kinds.iter().map(|&(device_type, backend)| wgpu::AdapterInfo::new(device_type, backend)).collect()
        };
        let (software, hardware_gl) = ((DeviceType::Cpu, Backend::Vulkan), (DeviceType::DiscreteGpu, Backend::Gl));
        for (kinds, unasked, gl_too) in [
            (&[][..], None, None),
            (&[software], None, None),
            (&[(DeviceType::Cpu, Backend::Gl)], None, None),
            (&[software, (DeviceType::Cpu, Backend::Gl)], None, None),
            (&[hardware_gl], None, Some(0)),
            (&[software, hardware_gl], None, Some(1)),
            (&[(DeviceType::IntegratedGpu, Backend::Dx12), software, hardware_gl], Some(0), Some(0)),
            (&[software, (DeviceType::VirtualGpu, Backend::Vulkan)], Some(1), Some(1)),
            // Browsers tell no more of theirs.
            (&[(DeviceType::Other, Backend::BrowserWebGpu)], Some(0), Some(0)),
        ] {
            let list = list(kinds);
            let found = (first_hardware(&list, false), first_hardware(&list, true));
            assert_eq!(found, (unasked, gl_too), "{kinds:?}");
        }
    }
}
