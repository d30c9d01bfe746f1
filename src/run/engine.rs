//! Whatever is there: an adapter or the CPU, behind one door.

use super::cpu::Cpu;
use super::stream::{Stream, StreamOptions};
use crate::device::{Gpu, name_asked};
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

impl Engine {
    /// The best adapter (see [`Gpu::new`]), or the CPU engine where there is none or it does not open, or where
    /// `WGPU_ADAPTER_NAME` is `cpu`.
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] where `WGPU_ADAPTER_NAME` asks for one that is not there; [`Error::UnknownBackend`].
    pub fn best() -> Result<Engine> {
        may_block("Engine::best", "Engine::best_async")?;
        pollster::block_on(Engine::best_async())
    }

    /// The same without blocking.
    ///
    /// # Errors
    /// As for [`Engine::best`].
    pub async fn best_async() -> Result<Engine> {
        Engine::chosen().await.map(|(engine, _)| engine)
    }

    /// [`Engine::best`], and why that is the CPU engine where nobody asked for it.
    ///
    /// # Errors
    /// Those of [`Engine::best`].
    pub fn best_and_why() -> Result<(Engine, Option<Error>)> {
        may_block("Engine::best_and_why", "Engine::best_async")?;
        pollster::block_on(Engine::chosen())
    }

    async fn chosen() -> Result<(Engine, Option<Error>)> {
        if name_asked().is_some_and(|name| is_cpu(&name)) {
            return Ok((Engine::Cpu(Cpu::new()), None));
        }
        match Gpu::new_async().await {
            Ok(gpu) => Ok((Engine::Gpu(gpu), None)),
            Err(error @ (Error::AdapterNotFound { .. } | Error::UnknownBackend { .. })) => Err(or_cpu(error)),
            Err(error) => {
                log::info!("{error}; using the CPU engine");
                Ok((Engine::Cpu(Cpu::new()), Some(error)))
            }
        }
    }

    /// `"cpu"` for the CPU engine, else an adapter by number or by a part of its name (see [`Gpu::named`]).
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] lists what there is.
    pub fn named(wanted: &str) -> Result<Engine> {
        if is_cpu(wanted) {
            return Ok(Engine::Cpu(Cpu::new()));
        }
        Gpu::named(wanted).map(Engine::Gpu).map_err(or_cpu)
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
    /// What the device or [`Op::finish`] says.
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        match self {
            Engine::Gpu(gpu) => gpu.reduce(op, elements),
            Engine::Cpu(cpu) => cpu.reduce(op, elements),
        }
    }

    /// Begins a reduction whose elements come in parts; see [`Stream`].
    ///
    /// # Errors
    /// What the device says when its buffers and pipelines are made.
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
