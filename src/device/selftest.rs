//! Known answers before first use: a kernel that this driver gets wrong is never used.
//!
//! Exact folds have several kernels (see [`Keep`]). The first of them that sums a test set right, limb by limb, through one
//! workgroup and through partials, is taken; the others stay unused on this device.

use super::context::Context;
use super::knowledge::Digest;
use super::prepared::compute_pass;
use super::readback::{Readback, Waiting};
use super::record::Recorder;
use crate::element::Dtype;
use crate::error::{Error, Result};
use crate::input::{Groups, Origin, Piece};
use crate::op::{DeviceOp, Keep};
use crate::plan::{Arrangement, COUNT_WORDS, Cost, Plan, Planner, Request, Store, Tuning};
use std::sync::Arc;
use wgpu::BufferUsages;

/// The plans that a caller will record first.
pub(crate) type Ahead<'a> = &'a (dyn Fn(&Recorder) -> Result<Vec<Plan>> + Sync);

/// The operator with the kernels that this device gets right; `with` gives it with each kernel. What `ahead` tells is compiled beside what
/// the self-tests run, so that whoever records it does not wait for the compiler once more.
///
/// # Errors
/// [`Error::NoExactKernel`] where all of them are wrong; why the last one does not run, where one does not; what the device says.
pub(crate) async fn choose(
    context: &Arc<Context>,
    operator: &'static str,
    with: &(dyn Fn(Keep) -> Result<DeviceOp> + Sync),
    ahead: Ahead<'_>,
    waiting: Waiting,
) -> Result<DeviceOp> {
    let (mut refusal, mut wrong, mut beside) = (None, false, false);
    let own_max = context.tuning().own_bins_max;
    let shared =
        own_max == 0 || most_bins(&with(Keep::Bins { replicas: 1, words64: false, float64: false })?) > own_max;
    let slices = std::iter::once_with(|| {
        let cost = Cost::of(&with(Keep::Registers)?);
        Ok(Keep::Slices { bytes: Planner::slice_bytes(context.limits, *context.tuning(), cost) })
    });
    for keep in candidates(context, shared).into_iter().map(Ok).chain(slices).chain([Ok(Keep::Memory)]) {
        let keep = keep?;
        let device_op = with(keep)?;
        if device_op.may_unpack() {
            context.know_halves(waiting).await?;
        }
        // Most operators have none.
        if matches!(keep, Keep::Bins { float64: true, .. }) && !device_op.has_float64() {
            continue;
        }
        // Counters in memory have its binding to themselves: beside others, slices are all that is left.
        let cost = Cost::of(&device_op);
        let alone = cost.groups.len() == 1;
        let slices_max = if alone { context.tuning().slices_max } else { Tuning::GPU.slices_max };
        let wanted = match keep {
            Keep::Slices { bytes } => bytes > 0 && (1..=slices_max).contains(&device_op.slices()),
            Keep::Memory if !alone => {
                beside = cost.in_memory();
                false
            }
            _ => true,
        };
        if !wanted {
            continue;
        }
        let several = device_op.folds.iter().any(|fold| fold.tested || fold.bins().is_some());
        let tested = match Planner::new(context.limits, *context.tuning(), cost) {
            Ok(_) => test_all(context, &device_op, Some(ahead), waiting).await,
            Err(error) => Err(error),
        };
        match tested {
            Ok(true) => return Ok(device_op),
            Ok(false) => {
                log::warn!("{operator}: {keep:?} sums wrongly on this device and is not used");
                wrong = true;
            }
            // Fewer replicas need less memory, and fewer trips of a small workgroup.
            Err(error @ (Error::Refused { .. } | Error::LimitTooSmall { .. } | Error::TooManyTrips { .. }))
                if several =>
            {
                log::warn!("{operator}: {keep:?} does not run on this device: {error}");
                refusal = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(Error::LimitTooSmall { limit: "max_compute_workgroup_storage_size", value, needs }) = refusal
        && beside
    {
        refusal = Some(Error::BinsBeside { operator, value, needs });
    }
    // What does not fit would be no help where what fits is wrong.
    Err(refusal.filter(|_| !wrong).unwrap_or(Error::NoExactKernel { operator }))
}

/// Bins that an invocation of its own would have for the exact fold that has the most: two for each limb.
fn most_bins(op: &DeviceOp) -> u64 {
    let exact = op.folds.iter().filter(|fold| fold.bins().is_some_and(|bins| bins.carries));
    exact.map(|fold| 2 * fold.words.saturating_sub(1) as u64).max().unwrap_or(0)
}

/// Every kernel that the device could run where workgroup memory holds all bins, those that share bins first, or those that do not.
fn candidates(context: &Context, shared: bool) -> Vec<Keep> {
    // 16 replicas of f64's bins, which stand for 32, take 36 KiB; the default limit is 16 KiB. Tuples may have room for fewer only.
    let room = context.limits.workgroup_bytes_max;
    let words = context.limits.ways64();
    let replicas = [(32, 40_960), (8, 16_384), (1, 0)].into_iter().filter(|&(_, needs)| room >= needs);
    let float64 = context.tuning().float64 && context.device.features().contains(wgpu::Features::SHADER_F64);
    // The bits of an f64 are a word of 64.
    let float64 = float64 && context.limits.words64;
    // Levels with few replicas before bins with more: little of what they add goes to the bins.
    let levels = replicas.clone().filter(move |_| float64);
    let levels = levels.map(|(replicas, _)| Keep::Bins { replicas, words64: true, float64: true });
    let bins = replicas
        .flat_map(|(replicas, _)| words.iter().map(move |&words64| Keep::Bins { replicas, words64, float64: false }));
    let bins = levels.chain(bins);
    let own = context.limits.words64.then_some(Keep::Registers64).into_iter().chain([Keep::Registers]);
    if shared { bins.chain(own).collect() } else { own.chain(bins).collect() }
}

/// Whether the kernels of all folds that have a test pass it. Each is asked of the device once; what they and the caller will run is
/// compiled at once.
async fn test_all(context: &Arc<Context>, op: &DeviceOp, ahead: Option<Ahead<'_>>, waiting: Waiting) -> Result<bool> {
    let mut trials = Vec::new();
    let unpacks = context.unpacks(op);
    for fold in (0..op.folds.len()).filter(|&fold| op.folds[fold].tested) {
        let alone = DeviceOp { unpacks, ..op.alone(fold) };
        let key = (alone.folds[0].key.clone(), alone.keep, unpacks);
        let known = match context.test_result(&key) {
            Some(right) => Some(right),
            None => {
                let trial = Trial::of(context, alone)?;
                let known = trial.kept();
                match known {
                    Some(right) => context.note_test(key, right),
                    None => trials.push((key, trial)),
                }
                known
            }
        };
        if known == Some(false) {
            return Ok(false);
        }
    }
    if trials.is_empty() {
        return Ok(true);
    }
    let wanted = ahead.and_then(|ahead| {
        let recorder = Recorder::new(context.clone(), op.clone()).ok()?;
        let plans = ahead(&recorder).ok()?;
        Some((recorder, plans))
    });
    let tried = trials.iter().map(|(_, trial)| (&trial.recorder, &trial.plans[..]));
    let all: Vec<_> = tried.clone().chain(wanted.iter().map(|(recorder, plans)| (recorder, &plans[..]))).collect();
    // What the caller wants may be refused for reasons of its own, which it will hear when it asks.
    if Recorder::compile_all(&all).is_err() {
        Recorder::compile_all(&tried.collect::<Vec<_>>())?;
    }
    for (key, trial) in trials {
        let right = trial.passes(waiting).await?;
        context.note_test(key, right);
        if !right {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the folds that have a test pass it with the kernels that the operator has here.
pub(crate) async fn is_right(context: &Arc<Context>, op: &DeviceOp, waiting: Waiting) -> Result<bool> {
    let right = test_all(context, op, None, waiting).await?;
    if !right {
        log::warn!("{}: {:?} sums wrongly on this device and is not used", op.name, op.keep);
    }
    Ok(right)
}

/// Groups of a self-test; one key more is nobody's.
const GROUPS: usize = 3;

/// A self-test of the kernel of one fold: what it reads, how it is to be read, and what the host finds.
struct Trial {
    recorder: Recorder,
    readback: Readback,
    plans: Vec<Plan>,
    /// The contents of each buffer.
    inputs: Vec<Vec<u8>>,
    /// The first words of every result.
    want: Vec<Vec<u32>>,
    /// Its number in a cache, where there is one.
    digest: Option<u128>,
}

impl Trial {
    fn of(context: &Arc<Context>, op: DeviceOp) -> Result<Trial> {
        match op.keep {
            Keep::Cells => Trial::by_groups(context, op),
            _ => Trial::whole(context, op),
        }
    }

    /// The whole test set, through one workgroup and through partials.
    fn whole(context: &Arc<Context>, op: DeviceOp) -> Result<Trial> {
        let (fold, bytes) = (&op.folds[0], known(op.dtype));
        let want = (fold.expect)(&bytes);
        let n = bytes.len() as u64 / op.dtype.bytes();
        let words = vec![fold.words];
        let (one, halves) = ([Piece::of(0, 0, n)], [Piece::of(0, 0, n / 3), Piece::of(0, n / 3, n - n / 3)]);
        let requests = [&one[..], &halves].map(|pieces| (pieces, Arrangement::Whole));
        Trial::new(context, op, vec![bytes], &requests, (words, vec![want; 2]))
    }

    /// Groups of the test set.
    fn by_groups(context: &Arc<Context>, op: DeviceOp) -> Result<Trial> {
        let fold = &op.folds[0];
        let (bytes, size) = (known(op.dtype), op.dtype.bytes() as usize);
        // Neighbours of one group, so that they meet in its cells.
        let keys: Vec<u32> = (0..bytes.len() / size).map(|i| (i / 7 % (GROUPS + 1)) as u32).collect();
        let of = |group: u32| {
            let elements = bytes.chunks_exact(size).zip(&keys).filter(|&(_, &key)| key == group);
            elements.flat_map(|(element, _)| element).copied().collect::<Vec<u8>>()
        };
        let want: Vec<Vec<u32>> = (0..GROUPS as u32).map(|group| (fold.expect)(&of(group))).collect();
        let (words, n) = (vec![fold.words, COUNT_WORDS as usize - 1], keys.len() as u64);
        let groups = Groups { keys: &[Piece::of(1, 0, n)], first: 0, groups: GROUPS as u64 };
        let request = (&[Piece::of(0, 0, n)][..], Arrangement::Groups(groups));
        let keys = bytemuck::cast_slice(&keys).to_vec();
        Trial::new(context, op, vec![bytes, keys], &[request], (words, want))
    }

    /// Of results of groups of so many words, and the first words that they should have.
    fn new(
        context: &Arc<Context>,
        op: DeviceOp,
        inputs: Vec<Vec<u8>>,
        requests: &[(&[Piece], Arrangement<'_>)],
        (words, want): (Vec<usize>, Vec<Vec<u32>>),
    ) -> Result<Trial> {
        let recorder = Recorder::of(context.clone(), op)?;
        let readback = Readback::fresh(context, want.len() as u64, words.clone())?;
        let plan = |(result, &(pieces, each)): (usize, &(&[Piece], Arrangement<'_>))| {
            let (_, output) = readback.destination(result as u64);
            recorder.planner.plan(&Request { pieces, each, start: 0, direct: true, store: Store::Sealed, output })
        };
        let plans = requests.iter().enumerate().map(plan).collect::<Result<Vec<Plan>>>()?;
        let mut trial = Trial { recorder, readback, plans, inputs, want, digest: None };
        trial.digest = context.keeps().then(|| trial.digest_of(&words));
        Ok(trial)
    }

    /// The verdict that the device's cache knows.
    fn kept(&self) -> Option<bool> {
        let Recorder { context, op, .. } = &self.recorder;
        let right = context.verdict(self.digest?)?;
        log::debug!("{}: {:?} has a self-test whose verdict is kept: {right}", op.name, op.keep);
        Some(right)
    }

    /// Whether the device finds the same.
    async fn passes(self, waiting: Waiting) -> Result<bool> {
        let Trial { recorder, readback, plans, inputs, want, digest } = self;
        let (context, op) = (&recorder.context, &recorder.op);
        let buffers = inputs.iter().map(|bytes| context.filled("a self-test", bytes, BufferUsages::STORAGE));
        let buffers = buffers.collect::<Result<Vec<_>>>()?;
        let origins: Vec<Origin<'_>> = buffers.iter().map(Origin::Buffer).collect();
        let label = Some("treefold: self-test");
        let mut encoder = context.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
        let mut compute = compute_pass(&mut encoder);
        for (result, plan) in plans.iter().enumerate() {
            recorder.record(&mut compute, plan, &origins, readback.destination(result as u64).0)?;
        }
        drop(compute);
        let found = readback.submit(context, encoder)?.results(context, waiting).await?;
        let right = found.len() == want.len() && found.iter().zip(&want).all(|(words, want)| words.starts_with(want));
        log::debug!("{}: {:?} has run its self-test: {right}", op.name, op.keep);
        digest.into_iter().for_each(|digest| context.keep_verdict(digest, right));
        Ok(right)
    }

    /// A number for all that its verdict depends on beside the driver: texts, dispatches, what they are told and read, what is right.
    fn digest_of(&self, words: &[usize]) -> u128 {
        let Trial { recorder, plans, inputs, want, .. } = self;
        let mut digest = Digest::new().and(format!("{words:?}").as_bytes());
        for plan in plans {
            let texts = plan.passes.iter().map(|pass| recorder.source(&pass.variant).text);
            digest = texts.fold(digest.and(format!("{plan:?}").as_bytes()), |digest, text| digest.and(text.as_bytes()));
        }
        let told = [recorder.op.params(), recorder.op.table()];
        let words = told.iter().chain(want).map(|words| bytemuck::cast_slice(words));
        words.chain(inputs.iter().map(|bytes| &bytes[..])).fold(digest, Digest::and).number()
    }
}

/// A test set: finite values of all sizes and both signs, and two runs of equal ones with all digits set, so that all lanes meet in
/// one bin and every replica of it carries. The last words of longer numbers would take 2^14 values and more: tests have them.
fn known(dtype: Dtype) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    // Of pairs of 64 bits each number in turn.
    let number = if dtype == Dtype::F64x2 { Dtype::F64 } else { dtype };
    let value = |bits: u64| match number {
        Dtype::F16 | Dtype::WideF16 => finite(bits, 0x7c00),
        Dtype::F64 => finite(bits, 0x7ff << 52),
        Dtype::F32x2 | Dtype::F32x4 => finite(finite(bits, 0xff << 23), 0xff << 55),
        Dtype::F32 => finite(bits, 0xff << 23),
        Dtype::BF16 => finite(bits, 0xff << 7),
        _ => bits,
    };
    // First numbers that an f64 holds together, some of them beside a subnormal one, which a device might flush: exponents alike in
    // their upper bits, and of none. So they are what chooses the window.
    let near = match number {
        Dtype::BF16 => Some((0x7800, 0x3800, 0x7f80)),
        Dtype::WideF16 => Some((0x6000, 0x2000, 0x7c00)),
        Dtype::F32 => Some((0x7800_0000, 0x3800_0000, 0x7f80_0000)),
        // And such as stay in registers, beside zeros.
        Dtype::F64 => Some((0x7f80 << 48, 0x3f80 << 48, u64::MAX)),
        _ => None,
    };
    let mut patterns = Vec::new();
    if let Some((upper, alike, all)) = near {
        // So many of f64 that invocations of one workgroup begin another sum.
        let many = if number == Dtype::F64 { 20_480 } else { 4096 };
        patterns.extend((0..many).map(|i| if i % 61 == 60 { next() & !all } else { next() & !upper | alike }));
    }
    patterns.extend((0..3070).map(|_| value(next())));
    let equal = match number {
        // The second word is all ones, so that what the first one carries runs through it.
        Dtype::F64 => [0x7bff_ffff_ffff_ffff, 0xf9ff_ffff_ffff_ffff],
        Dtype::F16 | Dtype::WideF16 => [0x7bff, 0xfbff],
        Dtype::BF16 => [0x407f, 0xc07f],
        _ => [0x7bff_ffff_7bff_ffff, 0xfaff_ffff_faff_ffff],
    };
    equal.into_iter().for_each(|equal| patterns.extend([value(equal); 1026]));
    let size = dtype.bytes() as usize;
    patterns.iter().flat_map(|pattern| pattern.to_le_bytes().into_iter().take(size)).collect()
}

/// The bits with an exponent of all ones made smaller.
fn finite(bits: u64, exponent: u64) -> u64 {
    if bits & exponent == exponent { bits & !(exponent & (exponent >> 1)) } else { bits }
}
