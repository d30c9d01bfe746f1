//! Whatever is there: adapters or the CPU, behind one door.

use super::cpu::Cpu;
use super::stream::{Stream, StreamOptions};
use super::team::{OnOpen, Share, Team, Wanted};
use crate::device::{Gpu, check_environment, is_auto, is_list, may_block, name_asked};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::input::ReadAt;
use crate::op::Op;
use std::ops::Range;

/// A GPU, a software adapter, the CPU engine, or several of them that share the work.
///
/// ```
/// use treefold::{Engine, ops::Sum};
/// let engine = Engine::named("cpu")?;
/// assert_eq!(engine.reduce(Sum, &[1u32, 2, 3])?, 6);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// An opened adapter.
    Gpu(Gpu),
    /// The threads of this machine.
    Cpu(Cpu),
    /// Several that share the work.
    Team(Team),
}

/// The names that stand for more than one engine, and for none of a GPU's.
const ALL: &str = "all";
const CPU: &str = "cpu";

impl Engine {
    /// The engine for elements in host memory and in files: the CPU engine begins at once. Where more than a second of work is left as
    /// far as its speed tells, all adapters that are hardware and not behind OpenGL ([`Gpu::all`]) are opened beside it, and take shares from then on
    /// ([`Team`] says of which operators) as long as that is faster than the CPU engine is alone. Any other operator runs whole on one of the two: on the CPU engine where the input is known to have at most
    /// 256 MiB or nothing else is there, else on the best adapter, so that its bits are the same in each run.
    ///
    /// Nothing is opened by this call, unless `WGPU_ADAPTER_NAME` names an engine, as [`Engine::named`] does. `WGPU_BACKEND` has its say, too, and
    /// lets OpenGL in where it names that. A software adapter, which takes many times as long as the CPU engine, is used on request only.
    ///
    /// ```
    /// use treefold::{Engine, ops::Mean};
    /// assert_eq!(Engine::auto()?.reduce(Mean, &[1.0f32, 2.0, 6.0])?, Some(3.0));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] where `WGPU_ADAPTER_NAME` asks for one that is not there, [`Error::DeviceRefused`] where that does not open;
    /// [`Error::UnknownBackend`].
    pub fn auto() -> Result<Engine> {
        may_block("Engine::auto", "Engine::auto_async")?;
        pollster::block_on(Engine::found(None, Cpu::new(), None))
    }

    /// [`Engine::auto`] without blocking. In browsers, where there is one thread: the page's adapter if it is hardware, or else the CPU
    /// engine.
    ///
    /// # Errors
    /// As for [`Engine::auto`].
    pub async fn auto_async() -> Result<Engine> {
        Engine::found(None, Cpu::new(), None).await
    }

    /// The CPU engine and all devices of this machine that are hardware and not behind OpenGL ([`Gpu::all`]), as [`Engine::auto`] has them, but for one
    /// thing: they are opened where half a second of work is left, which makes up for their opening, not only where a second is.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`].
    pub fn all() -> Result<Engine> {
        may_block("Engine::all", "Engine::auto_async")?;
        Engine::growing(Cpu::new(), Wanted::SOON, None)
    }

    /// `"cpu"` for the CPU engine, `"auto"` for what [`Engine::auto`] gives where the environment names nothing, `"all"` for [`Engine::all`], numbers
    /// with commas (`"0,1"`) for a [`Team`] of those adapters, else an adapter by number or by a part of its name (see [`Gpu::named`]).
    ///
    /// # Errors
    /// [`Error::AdapterNotFound`] lists what there is; [`Error::AdapterTwice`], [`Error::UnknownBackend`], [`Error::DeviceRefused`].
    pub fn named(wanted: &str) -> Result<Engine> {
        Engine::chosen(Some(wanted), Cpu::new(), None)
    }

    /// [`Engine::named`], or [`Engine::auto`] of no name, with this CPU engine, and a function that is given a device that is opened later, before
    /// it is used: to load its [cache](Gpu::load_cache), say.
    ///
    /// # Errors
    /// Those of [`Engine::named`] and [`Engine::auto`].
    pub fn chosen(wanted: Option<&str>, cpu: Cpu, on_open: Option<OnOpen>) -> Result<Engine> {
        if !wanted.is_some_and(is_cpu) {
            may_block("Engine::chosen", "Engine::auto_async")?;
        }
        pollster::block_on(Engine::found(wanted, cpu, on_open))
    }

    /// The name that is asked for, this one or `WGPU_ADAPTER_NAME`'s; `None` where the choice is left to [`Engine::auto`].
    pub fn asked(wanted: Option<&str>) -> Option<String> {
        wanted.map(str::to_string).or_else(name_asked).filter(|name| !is_auto(name))
    }

    /// Whether a name stands for several devices, `all` or a list of numbers, where one is wanted.
    pub fn is_several(name: &str) -> bool {
        name.trim().eq_ignore_ascii_case(ALL) || is_list(name)
    }

    async fn found(wanted: Option<&str>, cpu: Cpu, on_open: Option<OnOpen>) -> Result<Engine> {
        let Some(name) = Engine::asked(wanted) else { return Engine::unasked(cpu, on_open).await };
        if is_cpu(&name) {
            return Ok(Engine::Cpu(cpu));
        }
        if name.trim().eq_ignore_ascii_case(ALL) {
            return Engine::growing(cpu, Wanted::SOON, on_open);
        }
        if let Some(gpus) = Gpu::numbered(&name).await {
            return Ok(Engine::Team(Team::of(gpus.map_err(or_cpu)?, None)));
        }
        Gpu::find(&name).await.map(Engine::Gpu).map_err(or_cpu)
    }

    #[cfg(not(target_arch = "wasm32"))]
    async fn unasked(cpu: Cpu, on_open: Option<OnOpen>) -> Result<Engine> {
        Engine::growing(cpu, Wanted::LATE, on_open)
    }

    #[cfg(target_arch = "wasm32")]
    async fn unasked(cpu: Cpu, _: Option<OnOpen>) -> Result<Engine> {
        check_environment()?;
        match Gpu::hardware().await {
            Ok(gpu) => Ok(Engine::Gpu(gpu)),
            Err(error) => {
                log::debug!("{error}; using the CPU engine");
                Ok(Engine::Cpu(cpu))
            }
        }
    }

    /// The devices that are open: one, those of a team, none.
    pub fn gpus(&self) -> &[Gpu] {
        match self {
            Engine::Gpu(gpu) => std::slice::from_ref(gpu),
            Engine::Cpu(_) => &[],
            Engine::Team(team) => team.gpus(),
        }
    }

    /// The CPU engine, which devices join.
    fn growing(cpu: Cpu, wanted: Wanted, on_open: Option<OnOpen>) -> Result<Engine> {
        check_environment()?;
        Ok(Engine::Team(Team::growing(cpu, wanted, on_open)))
    }

    /// The CPU engine of a team, or of this machine.
    pub(super) fn cpu(&self) -> Cpu {
        match self {
            Engine::Cpu(cpu) => cpu.clone(),
            Engine::Team(team) => team.cpu().clone(),
            Engine::Gpu(_) => Cpu::new(),
        }
    }

    /// The adapter's name, or `cpu` with its threads; of a team those of all that take part.
    pub fn name(&self) -> String {
        match self {
            Engine::Gpu(gpu) => gpu.info().name,
            Engine::Cpu(cpu) => format!("cpu ({} threads)", cpu.threads()),
            Engine::Team(team) => team.names().join(" and "),
        }
    }

    /// `vulkan`, `metal`, `dx12`, `gl`, or `cpu`; `team` of several devices, or of them and the CPU.
    pub fn backend(&self) -> &'static str {
        match self {
            Engine::Team(team) if team.gpus().is_empty() => CPU,
            Engine::Gpu(gpu) => gpu.info().backend.to_str(),
            Engine::Cpu(_) => "cpu",
            Engine::Team(_) => "team",
        }
    }

    /// The same engine; a team begins its record ([`Engine::shares`], [`Engine::failures`]) anew.
    pub fn anew(&self) -> Engine {
        if let Engine::Team(team) = self { Engine::Team(team.anew()) } else { self.clone() }
    }

    /// What each engine of a team has done so far, in reductions of all kinds; nothing of an engine that is one.
    pub fn shares(&self) -> Vec<Share> {
        if let Engine::Team(team) = self { team.done() } else { Vec::new() }
    }

    /// Why devices of a team take no further part, in words; the CPU engine has done what they left undone.
    pub fn failures(&self) -> Vec<String> {
        if let Engine::Team(team) = self { team.failures() } else { Vec::new() }
    }

    /// The answer of `op` over elements in host memory.
    ///
    /// # Errors
    /// Those of the device or of [`Op::finish`].
    pub fn reduce<T: Element, O: Op<T>>(&self, op: O, elements: &[T]) -> Result<O::Output> {
        match self {
            Engine::Gpu(gpu) => gpu.reduce(op, elements),
            Engine::Cpu(cpu) => cpu.reduce(op, elements),
            Engine::Team(team) => {
                let elements_hint = Some(elements.len() as u64);
                let options = StreamOptions { elements_hint, ..StreamOptions::default() };
                if team.shares::<T, O>(&op, elements_hint) {
                    let mut stream = Stream::on_team(team, op, &options)?;
                    stream.push(elements)?;
                    return Ok(stream.finish()?.output);
                }
                loop {
                    let (engine, noted) = team.alone::<T, O>(&op, elements_hint);
                    match engine.reduce(op.clone(), elements) {
                        Err(error @ (Error::DeviceLost { .. } | Error::Timeout { .. }))
                            if !engine.gpus().is_empty() =>
                        {
                            team.failed_on(&engine, &error);
                        }
                        answer => {
                            noted.note(elements.len() as u64);
                            return answer;
                        }
                    }
                }
            }
        }
    }

    /// The answer of `op` over the elements of a range of what the engine reads itself: a file, say, or a [`MaskedSlice`](crate::MaskedSlice).
    /// Places are counted from the range's first element; a range that ends before it begins has none.
    ///
    /// # Errors
    /// [`Error::Unreadable`], those of the device and of [`Op::finish`].
    pub fn reduce_from<T: Element, O: Op<T>>(
        &self,
        op: O,
        from: &dyn ReadAt<T>,
        range: Range<u64>,
    ) -> Result<O::Output> {
        let elements_hint = Some(range.end.saturating_sub(range.start));
        let mut stream = self.stream(op, &StreamOptions { elements_hint, ..StreamOptions::default() })?;
        stream.push_from(from, range)?;
        Ok(stream.finish()?.output)
    }

    /// Begins a reduction whose elements come in parts; see [`Stream`].
    ///
    /// # Errors
    /// Those of the device, when its buffers and pipelines are made.
    pub fn stream<T: Element, O: Op<T>>(&self, op: O, options: &StreamOptions) -> Result<Stream<T, O>> {
        match self {
            Engine::Gpu(gpu) => gpu.stream(op, options),
            Engine::Cpu(cpu) => Ok(Stream::on_cpu(cpu.clone(), op, options)),
            Engine::Team(team) if team.shares::<T, O>(&op, options.elements_hint) => Stream::on_team(team, op, options),
            Engine::Team(team) => {
                let (engine, called) = team.alone::<T, O>(&op, options.elements_hint);
                Ok(engine.stream(op, options)?.called(called))
            }
        }
    }
}

fn is_cpu(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(CPU)
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
