//! The ladder: the classic GPU reduction tutorials as WGSL kernels that you can read, run and time on your own GPU.
//!
//! [`stages`] is the table: one row for every kernel of five tutorials, in the order in which they teach, each with a file
//! under `shaders/ladder/` that a person can read in a minute. A [`Ladder`] holds elements on a device and runs stages over
//! them: it pads the input of kernels without bounds tests, times every pass by the device's clock, finishes on the host as
//! the tutorial does, and checks the answer against a loop on the host. `treefold ladder` prints the table.
//!
//! This module is the cargo feature `ladder`.
//!
//! ```no_run
//! use treefold::{Gpu, ladder::{Ladder, Operator, stages}};
//! let ladder = Ladder::new(&Gpu::new()?, 1 << 25, Operator::Sum)?;
//! for stage in stages() {
//!     let outcome = ladder.run(stage, None)?;
//!     println!("{}: {:?} {:?} s", stage.id, outcome.status, outcome.kernel_seconds);
//! }
//! # Ok::<(), treefold::Error>(())
//! ```
//!
//! The files: `stages.rs` is the table, `stage.rs` its columns, `plan.rs` turns a stage and a length into dispatches,
//! `text.rs` completes a kernel's text, `run.rs` runs and checks a stage, `prepared.rs`, `driver.rs` and `passes.rs` are its
//! device side, `elements.rs`, `expected.rs` and `finish.rs` its host side.

mod bandwidth;
mod driver;
mod elements;
mod expected;
mod finish;
mod host_time;
mod launch;
mod numbers;
mod outcome;
mod passes;
mod plan;
mod prepared;
mod production;
mod run;
mod stage;
mod stages;
mod text;
mod transfer;

pub use launch::StageLaunch;
pub use outcome::{Outcome, PassTime, Status};
pub use stage::{Quantity, Stage};
pub use stages::stages;
pub use transfer::Transfer;

use crate::Gpu;
use crate::device::may_block;
use crate::error::{Error, Result};
use driver::Driver;
use elements::{ElementStore, FloatArray};
use numbers::Figures;
use plan::INPUT_UNIT;
use stage::InputKind;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wgpu::BufferUsages;

/// The choice of answer for stages that leave it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operator {
    /// The sum of i32, modulo 2^32.
    #[default]
    Sum,
    /// The smallest.
    Min,
}

/// Elements on a device, and the stages to run over them. The elements are made and uploaded when a stage first asks.
pub struct Ladder {
    gpu: Gpu,
    driver: Rc<Driver>,
    operator: Operator,
    repeats: usize,
    elements: ElementStore,
    on_device: RefCell<HashMap<&'static str, wgpu::Buffer>>,
    bandwidth: OnceCell<Option<f64>>,
    /// Right answers, for the elements and (true) for those that need no rounding.
    expected: RefCell<HashMap<(AnswerKey, bool), Figures>>,
    host_seconds: RefCell<HashMap<AnswerKey, HostSeconds>>,
}

/// Element type, answer, and whether its sums are of 64 bits: stages that share these have the same answer.
type AnswerKey = (&'static str, Quantity, bool);

/// One core, all cores.
type HostSeconds = (Option<f64>, Option<f64>);

impl std::fmt::Debug for Ladder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ladder").field("count", &self.count()).field("operator", &self.operator).finish_non_exhaustive()
    }
}

impl Ladder {
    /// A ladder for so many elements.
    ///
    /// # Errors
    /// [`Error::BadLength`] for none, or for more than one binding of this adapter holds.
    pub fn new(gpu: &Gpu, count: u64, operator: Operator) -> Result<Ladder> {
        let driver = Rc::new(Driver::new(gpu.context().clone(), None)?);
        Ladder::on(gpu, driver, count, operator)
    }

    /// The same with other elements and the same compiled kernels.
    ///
    /// # Errors
    /// As for [`Ladder::new`].
    pub fn resized(&self, count: u64) -> Result<Ladder> {
        Ladder::on(&self.gpu, self.driver.clone(), count, self.operator)
    }

    /// With every kernel's text changed by `patch`: for tests that must notice a wrong kernel.
    #[doc(hidden)]
    pub fn with_patched_shaders(self, patch: fn(String) -> String) -> Result<Ladder> {
        let driver = Rc::new(Driver::new(self.gpu.context().clone(), Some(patch))?);
        Ladder::on(&self.gpu, driver, self.count(), self.operator)
    }

    fn on(gpu: &Gpu, driver: Rc<Driver>, count: u64, operator: Operator) -> Result<Ladder> {
        may_block("Ladder::new", "it natively")?;
        let most = Ladder::most_elements(gpu);
        if count == 0 || count > most {
            return Err(Error::BadLength { elements: count, most });
        }
        Ok(Ladder {
            gpu: gpu.clone(),
            driver,
            operator,
            repeats: 8,
            elements: ElementStore::new(count, operator),
            on_device: RefCell::default(),
            bandwidth: OnceCell::new(),
            expected: RefCell::default(),
            host_seconds: RefCell::default(),
        })
    }

    /// The longest ladder of an adapter: one binding, in whole blocks.
    pub fn most_elements(gpu: &Gpu) -> u64 {
        let bytes = gpu.context().limits.binding_bytes_max.min(gpu.device().limits().max_buffer_size);
        bytes / 4 / INPUT_UNIT * INPUT_UNIT
    }

    /// Elements.
    pub fn count(&self) -> u64 {
        self.elements.count
    }

    /// The operator of the stages that leave it open.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Runs of a stage at most; the fastest counts. 8 unless set.
    pub fn set_repeats(&mut self, repeats: usize) {
        self.repeats = repeats.max(1);
    }

    /// Bytes per second at which a kernel that does nothing else reads these elements: the best of a few launch shapes,
    /// measured once. `None` if the device has no clock.
    ///
    /// # Errors
    /// Those of the device.
    pub fn read_bandwidth(&self) -> Result<Option<f64>> {
        if let Some(&known) = self.bandwidth.get() {
            return Ok(known);
        }
        let found = bandwidth::read_bandwidth(self)?;
        Ok(*self.bandwidth.get_or_init(|| found))
    }

    /// Times the elements in one piece to the device, then the kernel: nothing overlaps.
    ///
    /// # Errors
    /// Those of the device.
    pub fn one_piece(&self) -> Result<Transfer> {
        transfer::one_piece(self)
    }

    /// Times the same by [`Gpu::stream`]: in parts, the next copied while the device works on the last.
    ///
    /// # Errors
    /// Those of the device.
    pub fn in_parts(&self) -> Result<Transfer> {
        transfer::in_parts(self)
    }

    /// Seconds of the tutorials' loop on one core for the same answer, and of good code on all cores; `None` for stages
    /// without such a loop.
    pub fn host_seconds(&self, stage: &Stage) -> (Option<f64>, Option<f64>) {
        let key = answer_key(stage);
        if let Some(&known) = self.host_seconds.borrow().get(&key) {
            return known;
        }
        let elements = self.elements.of(stage.input);
        let one_core = host_time::one_core_seconds(stage, self.operator, elements);
        let found = (one_core, host_time::all_cores_seconds(stage, self.operator, elements));
        self.host_seconds.borrow_mut().insert(key, found);
        found
    }

    /// The right answer of a stage over the ladder's elements, or over those that need no rounding.
    fn expected(&self, stage: &Stage, unrounded: bool) -> Figures {
        let key = (answer_key(stage), unrounded);
        if let Some(known) = self.expected.borrow().get(&key) {
            return known.clone();
        }
        let elements = if unrounded { self.elements.unrounded(stage.input) } else { self.elements.of(stage.input) };
        let found = expected::expected(stage, self.operator, elements);
        self.expected.borrow_mut().insert(key, found.clone());
        found
    }

    /// The stage's input on the device, and its second one.
    fn inputs(&self, input: InputKind) -> Result<(wgpu::Buffer, wgpu::Buffer)> {
        let nothing = || self.driver.context.placeholder.clone();
        Ok(match input {
            InputKind::Ints => (self.upload("ints", bytemuck::cast_slice(self.elements.ints()))?, nothing()),
            InputKind::Floats => (self.upload_floats("floats", FloatArray::First)?, nothing()),
            InputKind::FloatPairs => (
                self.upload_floats("floats", FloatArray::First)?,
                self.upload_floats("second floats", FloatArray::Second)?,
            ),
            InputKind::Candidates => (nothing(), nothing()),
        })
    }

    fn upload_floats(&self, what: &'static str, array: FloatArray) -> Result<wgpu::Buffer> {
        self.upload(what, bytemuck::cast_slice(self.elements.floats(array)))
    }

    fn upload(&self, what: &'static str, bytes: &[u8]) -> Result<wgpu::Buffer> {
        if let Some(buffer) = self.on_device.borrow().get(what) {
            return Ok(buffer.clone());
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let size = (bytes.len() as u64).next_multiple_of(INPUT_UNIT * 4);
        let buffer = self.driver.context.mapped_buffer(what, size, usage)?;
        crate::device::fill(&buffer, 0, bytes)?;
        buffer.unmap();
        self.on_device.borrow_mut().insert(what, buffer.clone());
        Ok(buffer)
    }
}

fn answer_key(stage: &Stage) -> AnswerKey {
    (stage.element, stage.computes, stage.is_production())
}
