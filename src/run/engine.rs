//! Whatever is there: an adapter or the CPU, behind one door.

use super::cpu::Cpu;
use super::stream::{Stream, StreamOptions};
use crate::device::{Gpu, is_auto, name_asked};
use crate::element::Element;
use crate::error::{Error, Result, may_block};
use crate::op::Op;

/// A GPU, a software adapter or the CPU engine.
///
/// ```
/// use treefold::{Engine, ops::Sum};
/// let engine = Engine::named("cpu")?;
/// assert_eq!(engine.reduce(Sum, &[1u32, 2, 3])?, 6);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Engine {
    /// An opened adapter.
    Gpu(Gpu),
    /// The threads of this machine.
    Cpu(Cpu),
}

/// The bytes that the CPU engine reads, with almost any operator, in the time in which a GPU is found and opened: beside an H200 a
/// process takes 21 to 64 ms over so much, and 293 to 353 ms through the GPU (docs/performance.md).
const AT_ONCE_BYTES: u64 = 256 << 20;

impl Engine {
    /// The best adapter that is hardware and not behind OpenGL, or the CPU engine where there is none or it does not open: a software adapter
    /// takes many times as long as that. `WGPU_ADAPTER_NAME` names another, as [`Engine::named`] does; `WGPU_BACKEND` has its say, too, and
    /// lets OpenGL in where it names that.
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] where `WGPU_ADAPTER_NAME` asks for one that is not there, [`Error::DeviceRefused`] where that does not open;
    /// [`Error::UnknownBackend`].
    pub fn best() -> Result<Engine> {
        may_block("Engine::best", "Engine::best_async")?;
        pollster::block_on(Engine::best_async())
    }

    /// The same without blocking.
    ///
    /// # Errors
    /// As for [`Engine::best`].
    pub async fn best_async() -> Result<Engine> {
        Engine::found(None).await.map(|(engine, _)| engine)
    }

    /// `"cpu"` for the CPU engine, `"auto"` for what [`Engine::best`] gives where the environment names nothing, else an adapter by number or
    /// by a part of its name (see [`Gpu::named`]).
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] lists what there is; [`Error::UnknownBackend`], [`Error::DeviceRefused`].
    pub fn named(wanted: &str) -> Result<Engine> {
        Engine::chosen(Some(wanted)).map(|(engine, _)| engine)
    }

    /// [`Engine::named`], or [`Engine::best`] of no name, and why that is the CPU engine where nobody named it: [`Error::SoftwareOnly`] and
    /// [`Error::NoAdapter`] are as it should be, [`Error::DeviceRefused`] is not.
    ///
    /// # Errors
    /// Those of [`Engine::named`] and [`Engine::best`].
    pub fn chosen(wanted: Option<&str>) -> Result<(Engine, Option<Error>)> {
        if !wanted.is_some_and(is_cpu) {
            may_block("Engine::chosen", "Engine::best_async")?;
        }
        pollster::block_on(Engine::found(wanted))
    }

    /// The name that is asked for, this one or `WGPU_ADAPTER_NAME`'s; `None` where the choice is left to [`Engine::best`].
    pub fn asked(wanted: Option<&str>) -> Option<String> {
        wanted.map(str::to_string).or_else(name_asked).filter(|name| !is_auto(name))
    }

    /// The CPU engine, where nothing else is asked for (by this name, `WGPU_ADAPTER_NAME` or `WGPU_BACKEND`) and it has the answer over so
    /// many bytes of a file or of host memory before a GPU is open; `None` elsewhere. No adapter is looked for.
    ///
    /// ```
    /// use treefold::{Engine, ops::Sum};
    /// let data = [1.0f32, 2.0, 4.0];
    /// let engine = match Engine::at_once(None, size_of_val(&data) as u64) {
    ///     Some(engine) => engine,
    ///     None => Engine::best()?,
    /// };
    /// assert_eq!(engine.reduce(Sum, &data)?, 7.0);
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn at_once(wanted: Option<&str>, bytes: u64) -> Option<Engine> {
        let unset = |variable| std::env::var_os(variable).is_none();
        let open = wanted.is_none() && unset("WGPU_ADAPTER_NAME") || Engine::asked(wanted).is_none();
        (bytes <= AT_ONCE_BYTES && open && unset("WGPU_BACKEND")).then(|| Engine::Cpu(Cpu::new()))
    }

    async fn found(wanted: Option<&str>) -> Result<(Engine, Option<Error>)> {
        match Engine::asked(wanted) {
            Some(name) if is_cpu(&name) => return Ok((Engine::Cpu(Cpu::new()), None)),
            Some(name) => return Gpu::find(&name).await.map(|gpu| (Engine::Gpu(gpu), None)).map_err(or_cpu),
            None => {}
        }
        match Gpu::hardware().await {
            Ok(gpu) => Ok((Engine::Gpu(gpu), None)),
            Err(error @ Error::UnknownBackend { .. }) => Err(error),
            Err(error) => {
                log::debug!("{error}; using the CPU engine");
                Ok((Engine::Cpu(Cpu::new()), Some(error)))
            }
        }
    }

    /// The adapter's name, or `cpu` with its threads.
    pub fn name(&self) -> String {
        match self {
            Engine::Gpu(gpu) => gpu.info().name,
            Engine::Cpu(cpu) => format!("cpu ({} threads)", cpu.threads()),
        }
    }

    /// `vulkan`, `metal`, `dx12`, `gl`, or `cpu`.
    pub fn backend(&self) -> &'static str {
        match self {
            Engine::Gpu(gpu) => gpu.info().backend.to_str(),
            Engine::Cpu(_) => "cpu",
        }
    }

    /// The answer of `op` over elements in host memory.
    ///
    /// # Errors
    /// Those of the device or of [`Op::finish`].
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        match self {
            Engine::Gpu(gpu) => gpu.reduce(op, elements),
            Engine::Cpu(cpu) => cpu.reduce(op, elements),
        }
    }

    /// Begins a reduction whose elements come in parts; see [`Stream`].
    ///
    /// # Errors
    /// Those of the device, when its buffers and pipelines are made.
    pub fn stream<T: Element, O: Op<T>>(&self, op: O, options: &StreamOptions) -> Result<Stream<T, O>> {
        match self {
            Engine::Gpu(gpu) => gpu.stream(op, options),
            Engine::Cpu(cpu) => Ok(Stream::on_cpu(cpu.clone(), op, options)),
        }
    }
}

fn is_cpu(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("cpu")
}

/// The error, with the CPU engine in its list of what there is.
fn or_cpu(error: Error) -> Error {
    match error {
        Error::AdapterNotFound { wanted, available } if available == "none" => {
            Error::AdapterNotFound { wanted, available: "cpu".into() }
        }
        Error::AdapterNotFound { wanted, available } => {
            Error::AdapterNotFound { wanted, available: format!("{available}, cpu") }
        }
        error => error,
    }
}
