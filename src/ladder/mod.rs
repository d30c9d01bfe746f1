//! The ladder: the classic GPU reduction tutorials as WGSL kernels that you can read, run and time on your own GPU.
//!
//! [`stages`] is the table: one row for every kernel of five tutorials, in the order in which they teach, each with a file
//! under `shaders/ladder/` that a person can read in a minute. A [`Ladder`] holds elements on a device and runs stages over
//! them: it pads what a kernel without bounds tests would read past the end, times every pass by the device's clock, finishes
//! on the host as the tutorial does, and checks the answer against a loop on the host. `treefold ladder` prints the table.
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
//! Where to read on: `stages.rs` is the table, `plan.rs` turns a stage and a length into dispatches, `text.rs` completes a
//! kernel's text, `driver.rs` talks to the device, `data.rs` has the elements and the answers that must be found.

mod data;
mod driver;
mod gauge;
mod plan;
mod stages;
mod text;

pub use gauge::Transfer;
pub use stages::{Stage, stages};

use crate::error::{Error, Result};
use crate::ops::{Min, Sum};
use crate::{Element, Gpu, Input, Op, Reducer};
use data::{Host, Number, Numbers};
use driver::{Copy, Dispatch, Kit, Pass, Timed, timed};
use plan::{Fill, INPUT_UNIT, Place, Plan, plan};
use stages::{Data, Finish, Needs, Walk};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wgpu::{BufferUsages, Features};

/// What stages that leave it open compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operator {
    /// The sum of i32, modulo 2^32.
    #[default]
    Sum,
    /// The smallest.
    Min,
}

impl Stage {
    /// Whether the stage computes that.
    pub fn takes(&self, operator: Operator) -> bool {
        operator == Operator::Sum || self.operator == "sum|min" || self.operator == "min"
    }

    /// The dispatches for so many elements and their texts as they are compiled; needs no adapter. Empty where the library
    /// itself plans.
    pub fn launches(&self, count: u64, workgroup_size: Option<u32>, operator: Operator) -> Vec<Launch> {
        let wg = workgroup_size.unwrap_or(self.workgroup_size());
        let steps = plan(self, count.max(1), wg, operator, false).steps;
        let launch = |step: &plan::Step| {
            let (file, source) = self.shaders.get(step.shader)?;
            Some(Launch {
                file,
                label: step.label,
                wgsl: text::complete(self, source, wg, operator),
                workgroups: step.groups,
                workgroup_size: wg,
                workgroup_bytes: plan::memory_bytes(self, wg),
            })
        };
        steps.iter().filter_map(launch).collect()
    }
}

/// One dispatch of a stage, before any device is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Launch {
    /// The shader's file.
    pub file: &'static str,
    /// What it does.
    pub label: &'static str,
    /// The whole text, completed.
    pub wgsl: String,
    /// Workgroups.
    pub workgroups: u64,
    /// Invocations of each.
    pub workgroup_size: u32,
    /// Workgroup memory of each.
    pub workgroup_bytes: u64,
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// With the right answer.
    Passed,
    /// With a wrong one.
    Failed {
        /// What was found, and what should have been.
        reason: String,
    },
    /// It was not run.
    NotOnThisAdapter {
        /// What is missing.
        reason: String,
    },
}

/// One pass of a stage.
#[derive(Clone, Debug)]
pub struct PassTime {
    /// What it does.
    pub label: String,
    /// Workgroups; 0 where the library itself plans.
    pub workgroups: u64,
    /// Invocations of each.
    pub workgroup_size: u32,
    /// By the device's clock; `None` where it has none.
    pub seconds: Option<f64>,
}

/// What a stage found, and how long it took.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The stage.
    pub stage: &'static Stage,
    /// Whether the answer is right.
    pub status: Status,
    /// Elements.
    pub count: u64,
    /// Elements with those that fill up the last block.
    pub padded: u64,
    /// Bytes of elements that the stage must read at least.
    pub bytes: u64,
    /// Invocations of a workgroup; 0 where the library chooses.
    pub workgroup_size: u32,
    /// Every pass of the fastest run.
    pub passes: Vec<PassTime>,
    /// All passes of the fastest run together; `None` where the device has no clock.
    pub kernel_seconds: Option<f64>,
    /// The fastest run by the host's clock: all passes, the transfer of the partials, the host's finish. NaN where it did not
    /// run.
    pub gpu_seconds: f64,
    /// The answer.
    pub value: String,
    /// What it should be.
    pub expected: String,
    /// Float stages: the distance from the exact answer, relative to it.
    pub relative_error: Option<f64>,
}

impl Outcome {
    /// Useful bytes over the kernels' time, in GB/s.
    pub fn gb_per_s(&self) -> Option<f64> {
        self.kernel_seconds.filter(|_| self.bytes > 0).map(|seconds| self.bytes as f64 / seconds / 1e9)
    }
}

/// Elements on a device, and the stages to run over them. The elements are made and uploaded when a stage first asks.
pub struct Ladder {
    gpu: Gpu,
    kit: Rc<Kit>,
    count: u64,
    operator: Operator,
    repeats: usize,
    ints: OnceCell<Vec<i32>>,
    floats: [OnceCell<Vec<f32>>; 3],
    on_device: RefCell<HashMap<&'static str, wgpu::Buffer>>,
    bandwidth: OnceCell<Option<f64>>,
    /// For the elements, and (true) for those that need no rounding.
    wanted: RefCell<HashMap<(Key, bool), Numbers>>,
    host_seconds: RefCell<HashMap<Key, HostSeconds>>,
}

/// What stages must share to have the same answer.
type Key = (&'static str, &'static str, bool);

/// One core, all cores.
type HostSeconds = (Option<f64>, Option<f64>);

/// After so many seconds a stage is not run again, however few its runs.
const SECONDS_MAX: f64 = 0.25;

impl std::fmt::Debug for Ladder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ladder").field("count", &self.count).field("operator", &self.operator).finish_non_exhaustive()
    }
}

impl Ladder {
    /// A ladder for so many elements.
    ///
    /// # Errors
    /// [`Error::BadLength`] for none, or for more than one binding of this adapter holds.
    pub fn new(gpu: &Gpu, count: u64, operator: Operator) -> Result<Ladder> {
        let kit = Rc::new(Kit::new(gpu.context().clone(), None)?);
        Ladder::on(gpu, kit, count, operator)
    }

    /// The same with other elements; what was compiled is kept.
    ///
    /// # Errors
    /// As for [`Ladder::new`].
    pub fn resized(&self, count: u64) -> Result<Ladder> {
        Ladder::on(&self.gpu, self.kit.clone(), count, self.operator)
    }

    /// With every kernel's text changed by `patch`: for tests that must notice a wrong kernel.
    #[doc(hidden)]
    pub fn with_patched_shaders(self, patch: fn(String) -> String) -> Result<Ladder> {
        let kit = Rc::new(Kit::new(self.gpu.context().clone(), Some(patch))?);
        Ladder::on(&self.gpu, kit, self.count, self.operator)
    }

    fn on(gpu: &Gpu, kit: Rc<Kit>, count: u64, operator: Operator) -> Result<Ladder> {
        let most = Ladder::most_elements(gpu);
        if count == 0 || count > most {
            return Err(Error::BadLength { elements: count, most });
        }
        Ok(Ladder {
            gpu: gpu.clone(),
            kit,
            count,
            operator,
            repeats: 8,
            ints: OnceCell::new(),
            floats: Default::default(),
            on_device: RefCell::default(),
            bandwidth: OnceCell::new(),
            wanted: RefCell::default(),
            host_seconds: RefCell::default(),
        })
    }

    /// The longest ladder of an adapter: one binding, in whole blocks.
    pub fn most_elements(gpu: &Gpu) -> u64 {
        let bytes = gpu.context().facts.binding_bytes_max.min(gpu.device().limits().max_buffer_size);
        bytes / 4 / INPUT_UNIT * INPUT_UNIT
    }

    /// Elements.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How often a stage is run at most; the fastest run counts. 8 unless set.
    pub fn set_repeats(&mut self, repeats: usize) {
        self.repeats = repeats.max(1);
    }

    /// Bytes per second at which a kernel that does nothing else reads these elements: the best of a few shapes, measured once.
    /// `None` where the device has no clock.
    ///
    /// # Errors
    /// What the device says.
    pub fn read_bandwidth(&self) -> Result<Option<f64>> {
        if let Some(&known) = self.bandwidth.get() {
            return Ok(known);
        }
        let found = gauge::read_bandwidth(self)?;
        Ok(*self.bandwidth.get_or_init(|| found))
    }

    /// The elements in one piece to the device, then the kernel: nothing happens at the same time as anything else.
    ///
    /// # Errors
    /// What the device says.
    pub fn one_piece(&self) -> Result<Transfer> {
        gauge::one_piece(self)
    }

    /// The same by [`Gpu::stream`]: in parts, the next copied while the device works on the last.
    ///
    /// # Errors
    /// What the device says.
    pub fn in_parts(&self) -> Result<Transfer> {
        gauge::in_parts(self)
    }

    /// Seconds of the tutorials' loop on one core for what a stage computes, and of good code on all cores; `None` where
    /// there is none.
    pub fn host_seconds(&self, stage: &Stage) -> (Option<f64>, Option<f64>) {
        let key = key(stage);
        if let Some(&known) = self.host_seconds.borrow().get(&key) {
            return known;
        }
        let host = self.host(stage);
        let found =
            (data::one_core_seconds(stage, self.operator, host), data::all_cores_seconds(stage, self.operator, host));
        self.host_seconds.borrow_mut().insert(key, found);
        found
    }

    /// Runs a stage, with another workgroup size where it takes one, and checks its answer.
    ///
    /// # Errors
    /// [`Error::BadTuning`] where the stage does not take the size; what the device says. A wrong answer is no error but
    /// [`Status::Failed`].
    pub fn run(&self, stage: &'static Stage, workgroup_size: Option<u32>) -> Result<Outcome> {
        let wg = workgroup_size.unwrap_or(stage.workgroup_size());
        if workgroup_size.is_some_and(|size| !stage.takes_workgroup_size(size)) {
            let rule = "what the stage takes: its own, or a power of two from 2 to 1024 where it leaves it open";
            return Err(Error::BadTuning { what: "the ladder's workgroup size", value: wg.into(), rule });
        }
        if !stage.takes(self.operator) {
            let reason = format!("computes {} only", stage.operator);
            return Ok(self.outcome(stage, wg, Status::NotOnThisAdapter { reason }));
        }
        if let Some(reason) = self.missing(stage, wg) {
            return Ok(self.outcome(stage, wg, Status::NotOnThisAdapter { reason }));
        }
        match (stage.walk, self.operator) {
            (Walk::Treefold, _) if stage.data == Data::Floats => {
                self.run_treefold::<f32, _>(stage, Sum, |sum| Number::Near(sum.into()))
            }
            (Walk::Treefold, Operator::Sum) => self.run_treefold::<i32, _>(stage, Sum, Number::Integer),
            (Walk::Treefold, Operator::Min) => {
                self.run_treefold::<i32, _>(stage, Min, |least| Number::Integer(least.unwrap_or(0).into()))
            }
            _ => self.run_kernels(stage, wg),
        }
    }

    /// What the adapter lacks for a stage.
    fn missing(&self, stage: &Stage, wg: u32) -> Option<String> {
        let facts = self.kit.context.facts;
        let features = self.kit.context.device.features();
        let memory = plan::memory_bytes(stage, wg);
        if wg > facts.invocations_max {
            return Some(format!("workgroups of {wg} invocations; it allows {}", facts.invocations_max));
        }
        if memory > facts.workgroup_bytes_max {
            return Some(format!("{memory} bytes of workgroup memory; it has {}", facts.workgroup_bytes_max));
        }
        match (stage.needs, facts.lanes) {
            (Needs::Subgroups, None) => Some("no subgroup operations".into()),
            (Needs::Subgroups, Some((_, most))) if most > wg => {
                Some(format!("subgroups of up to {most} lanes do not fit workgroups of {wg}"))
            }
            (Needs::FloatAtomics, _) if !features.contains(Features::SHADER_FLOAT32_ATOMIC) => {
                Some("no f32 atomics (SHADER_FLOAT32_ATOMIC)".into())
            }
            _ => None,
        }
    }

    fn second_kernel(&self, stage: &Stage) -> bool {
        const WIDE: Features =
            Features::SHADER_F64.union(Features::SHADER_INT64).union(Features::SHADER_INT64_ATOMIC_ALL_OPS);
        stage.needs == Needs::Wide && !self.kit.context.device.features().contains(WIDE)
    }

    /// What a stage should find over the ladder's elements, or over those that need no rounding.
    fn wanted(&self, stage: &Stage, unrounded: bool) -> Numbers {
        let key = (key(stage), unrounded);
        if let Some(known) = self.wanted.borrow().get(&key) {
            return known.clone();
        }
        let host = match (unrounded, stage.data) {
            (true, Data::Pairs) => Host::Pairs(self.host_floats(2), self.host_floats(2)),
            (true, _) => Host::Floats(self.host_floats(2)),
            (false, _) => self.host(stage),
        };
        let found = data::expected(stage, self.operator, host);
        self.wanted.borrow_mut().insert(key, found.clone());
        found
    }

    fn host_ints(&self) -> &[i32] {
        self.ints.get_or_init(|| data::ints(self.count, self.operator))
    }

    /// 0 and 1: random; 2: what no order of additions rounds.
    fn host_floats(&self, which: usize) -> &[f32] {
        self.floats[which].get_or_init(|| match which {
            2 => data::unrounded(self.count),
            seed => data::floats(self.count, seed as u64 + 1),
        })
    }

    fn host(&self, stage: &Stage) -> Host<'_> {
        match stage.data {
            Data::Ints => Host::Ints(self.host_ints()),
            Data::Floats => Host::Floats(self.host_floats(0)),
            Data::Pairs => Host::Pairs(self.host_floats(0), self.host_floats(1)),
            Data::Candidates => Host::Candidates(self.count),
        }
    }

    /// The stage's input on the device, and its second one.
    fn inputs(&self, data: Data) -> Result<(wgpu::Buffer, wgpu::Buffer)> {
        let nothing = || self.kit.context.nothing.clone();
        Ok(match data {
            Data::Ints => (self.upload("ints", bytemuck::cast_slice(self.host_ints()))?, nothing()),
            Data::Floats => (self.upload("floats", bytemuck::cast_slice(self.host_floats(0)))?, nothing()),
            Data::Pairs => (
                self.upload("floats", bytemuck::cast_slice(self.host_floats(0)))?,
                self.upload("second floats", bytemuck::cast_slice(self.host_floats(1)))?,
            ),
            Data::Candidates => (nothing(), nothing()),
        })
    }

    fn upload(&self, what: &'static str, bytes: &[u8]) -> Result<wgpu::Buffer> {
        if let Some(buffer) = self.on_device.borrow().get(what) {
            return Ok(buffer.clone());
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let size = (bytes.len() as u64).next_multiple_of(INPUT_UNIT * 4);
        let buffer = self.kit.context.mapped_buffer(what, size, usage)?;
        crate::context::fill(&buffer, 0, bytes)?;
        buffer.unmap();
        self.on_device.borrow_mut().insert(what, buffer.clone());
        Ok(buffer)
    }

    /// An outcome of a stage that has not run yet.
    fn outcome(&self, stage: &'static Stage, wg: u32, status: Status) -> Outcome {
        let plan = plan(stage, self.count, wg, self.operator, false);
        Outcome {
            stage,
            status,
            count: self.count,
            padded: plan.padded,
            bytes: plan.bytes,
            workgroup_size: wg,
            passes: Vec::new(),
            kernel_seconds: None,
            gpu_seconds: f64::NAN,
            value: String::new(),
            expected: String::new(),
            relative_error: None,
        }
    }

    fn run_kernels(&self, stage: &'static Stage, wg: u32) -> Result<Outcome> {
        let second_kernel = self.second_kernel(stage);
        let plan = plan(stage, self.count, wg, self.operator, second_kernel);
        let want = self.wanted(stage, false);
        let mut outcome = self.outcome(stage, wg, Status::Passed);
        outcome.expected = data::text(&want);
        if matches!(stage.data, Data::Floats | Data::Pairs) {
            // The warm-up has a purpose: over elements that need no rounding the answer must be exact.
            let sparse = self.upload("unrounded floats", bytemuck::cast_slice(self.host_floats(2)))?;
            let ready = Ready::new(self, stage, wg, &plan, (sparse.clone(), sparse))?;
            let (_, words) = ready.run(self)?;
            let got = self.finish(stage, wg, second_kernel, &words);
            if let Err(reason) = data::agree(&got, &self.wanted(stage, true), 0.0) {
                outcome.status = Status::Failed { reason: format!("over elements that need no rounding, {reason}") };
            }
        }
        let ready = Ready::new(self, stage, wg, &plan, self.inputs(stage.data)?)?;
        if matches!(stage.data, Data::Ints | Data::Candidates) {
            ready.run(self)?;
        }
        let mut spent = 0.0;
        let mut fastest: Option<(f64, Vec<Option<f64>>)> = None;
        for _ in 0..self.repeats {
            let (seconds, ran) = timed(|| -> Result<_> {
                let (passes, words) = ready.run(self)?;
                Ok((passes, self.finish(stage, wg, second_kernel, &words)))
            });
            let (passes, got) = ran?;
            match data::agree(&got, &want, bound(stage, &plan, second_kernel)) {
                Ok(error) => outcome.relative_error = error,
                Err(reason) => outcome.status = Status::Failed { reason },
            }
            outcome.value = data::text(&got);
            outcome.gpu_seconds = outcome.gpu_seconds.min(seconds);
            let kernels: Option<f64> = passes.iter().copied().sum();
            if let Some(kernels) = kernels.filter(|&k| fastest.as_ref().is_none_or(|fastest| k < fastest.0)) {
                fastest = Some((kernels, passes));
            }
            spent += seconds;
            if spent > SECONDS_MAX {
                break;
            }
        }
        let at = |at: usize| fastest.as_ref().and_then(|(_, passes)| passes.get(at).copied().flatten());
        let step = |(number, step): (usize, &plan::Step)| PassTime {
            label: step.label.into(),
            workgroups: step.groups,
            workgroup_size: wg,
            seconds: at(number),
        };
        outcome.passes = plan.steps.iter().enumerate().map(step).collect();
        outcome.kernel_seconds = fastest.map(|(seconds, _)| seconds);
        Ok(outcome)
    }

    fn finish(&self, stage: &Stage, wg: u32, second_kernel: bool, words: &[Vec<u32>]) -> Numbers {
        match second_kernel {
            true => data::two_words(words),
            false => data::finish(stage, self.operator, self.count, wg.into(), words),
        }
    }

    fn run_treefold<T: Element, O: Op<T>>(
        &self,
        stage: &'static Stage,
        op: O,
        number: impl Fn(O::Output) -> Number,
    ) -> Result<Outcome> {
        let (input, _) = self.inputs(stage.data)?;
        let want = self.wanted(stage, false);
        let name = want.first().map_or("", |(name, _)| *name);
        let folder = Folder::<T, O>::new(self, op, input)?;
        let mut outcome = self.outcome(stage, 0, Status::Passed);
        outcome.expected = data::text(&want);
        let got = vec![(name, number(folder.reduce()?))];
        // The bound that the operator documents: any order of additions.
        match data::agree(&got, &want, rounding(self.count, 24)) {
            Ok(error) => outcome.relative_error = error,
            Err(reason) => outcome.status = Status::Failed { reason },
        }
        outcome.value = data::text(&got);
        let mut spent = 0.0;
        for _ in 0..self.repeats {
            let (seconds, kernels) = timed(|| folder.run());
            if let Some(kernels) = kernels? {
                outcome.kernel_seconds = Some(outcome.kernel_seconds.map_or(kernels, |best| best.min(kernels)));
            }
            outcome.gpu_seconds = outcome.gpu_seconds.min(seconds);
            spent += seconds;
            if spent > SECONDS_MAX {
                break;
            }
        }
        let label = format!("{} dispatches in one pass", folder.dispatches()?);
        outcome.passes = vec![PassTime { label, workgroups: 0, workgroup_size: 0, seconds: outcome.kernel_seconds }];
        Ok(outcome)
    }
}

fn key(stage: &Stage) -> Key {
    (stage.element, stage.operator, stage.walk == Walk::Treefold)
}

/// The relative error that so many additions of positive numbers can add up to, with this many bits of precision.
fn rounding(additions: u64, bits: i32) -> f64 {
    let errors = additions as f64 * 2f64.powi(-bits);
    // Beyond that the bound says nothing; the check over elements that need no rounding still does.
    if errors < 0.5 { errors / (1.0 - errors) } else { 1.0 }
}

/// The bound for a stage: additions on the longest way in the kernels, and those of the host.
fn bound(stage: &Stage, plan: &Plan, second_kernel: bool) -> f64 {
    let partials = plan.results.first().map_or(0, |&(_, words)| words);
    let pairwise = u64::from(partials.next_power_of_two().trailing_zeros());
    match stage.finish {
        Finish::Wide if second_kernel => 2f64.powi(-53),
        Finish::Wide => rounding(plan.depth, 53),
        Finish::Loop => rounding(plan.depth + partials + 1, 24),
        Finish::Pairwise | Finish::MinSum => rounding(plan.depth + pairwise, 24),
        // The host adds in f64, which rounds 2^29 times less; and a product rounds once.
        _ => rounding(plan.depth + 1, 24) + rounding(partials, 53),
    }
}

/// A stage with its buffers, bindings and pipelines.
struct Ready {
    run: driver::Run,
    dispatches: Vec<Vec<Dispatch>>,
}

impl Ready {
    fn new(
        ladder: &Ladder,
        stage: &Stage,
        wg: u32,
        plan: &Plan,
        inputs: (wgpu::Buffer, wgpu::Buffer),
    ) -> Result<Ready> {
        let kit = &ladder.kit;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let scratch = |words: u64| kit.context.buffer("partials", words.max(4) * 4, usage);
        let (first, second, cells) = (scratch(plan.scratch[0])?, scratch(plan.scratch[1])?, scratch(4)?);
        let find = |place: Place| match place {
            Place::Nothing => &kit.context.nothing,
            Place::Input => &inputs.0,
            Place::Second => &inputs.1,
            Place::Scratch(0) => &first,
            Place::Scratch(_) => &second,
            Place::Cells => &cells,
        };
        let copy = |fill: &Fill| {
            let (from, to) = (kit.words(&fill.words)?, find(fill.place).clone());
            Ok(Copy { from, to, at: fill.at * 4, size: fill.words.len() as u64 * 4 })
        };
        let copies = |fills: &[Fill]| fills.iter().map(copy).collect::<Result<Vec<_>>>();
        // Once: what lies behind the end of the input.
        let padding = vec![Pass { copies: copies(&plan.padding)?, timed: Timed::Nothing }];
        kit.prepare(padding, Vec::new())?.run(kit, |_, _| Ok(()))?;
        let (mut passes, mut dispatches) = (Vec::new(), Vec::new());
        for step in &plan.steps {
            let source = stage.shaders.get(step.shader).map_or("", |(_, source)| source);
            let pipeline = kit.pipeline(text::complete(stage, source, wg, ladder.operator))?;
            let [first, second, answers] = step.reads.map(find);
            let buffers = [first, second, find(step.writes), answers];
            dispatches.push(kit.dispatches(&pipeline, step.groups, step.params, buffers)?);
            passes.push(Pass { copies: copies(&step.fills)?, timed: Timed::Kernels });
        }
        let results = plan.results.iter().map(|&(place, words)| (find(place).clone(), words)).collect();
        Ok(Ready { run: kit.prepare(passes, results)?, dispatches })
    }

    fn run(&self, ladder: &Ladder) -> Result<driver::Ran> {
        self.run.run(&ladder.kit, |step, compute| {
            self.dispatches[step].iter().for_each(|dispatch| dispatch.record(compute));
            Ok(())
        })
    }
}

/// The production kernels over a ladder's elements, by the public [`Reducer`].
struct Folder<'l, T: Element, O: Op<T>> {
    ladder: &'l Ladder,
    reducer: Reducer<T, O>,
    input: wgpu::Buffer,
    answer: wgpu::Buffer,
    run: driver::Run,
}

impl<'l, T: Element, O: Op<T>> Folder<'l, T, O> {
    /// Ready to run: what must be compiled has been.
    fn new(ladder: &'l Ladder, op: O, input: wgpu::Buffer) -> Result<Self> {
        let reducer = ladder.gpu.reducer(op)?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let answer = ladder.kit.context.buffer("an answer", reducer.answer_bytes(), usage)?;
        let kernels = vec![Pass { copies: Vec::new(), timed: Timed::Kernels }];
        let run = ladder.kit.prepare(kernels, vec![(answer.clone(), answer.size() / 4)])?;
        let folder = Folder { ladder, reducer, input, answer, run };
        folder.run()?;
        Ok(folder)
    }

    fn elements(&self) -> Input<'_, T> {
        Input::range(&self.input, 0..self.ladder.count)
    }

    /// The answer.
    fn reduce(&self) -> Result<O::Output> {
        self.reducer.reduce(self.elements())
    }

    fn dispatches(&self) -> Result<usize> {
        Ok(self.reducer.plan(self.elements())?.passes.len())
    }

    fn record(&self, compute: &mut wgpu::ComputePass) -> Result<()> {
        self.reducer.record_in_pass(compute, self.elements(), &self.answer)
    }

    /// Runs it, brings the answer's words to the host, and gives the kernels' seconds by the device's clock.
    fn run(&self) -> Result<Option<f64>> {
        let (seconds, _) = self.run.run(&self.ladder.kit, |_, compute| self.record(compute))?;
        Ok(seconds.first().copied().flatten())
    }
}
