//! Known answers before first use: a kernel that this driver gets wrong is never used.
//!
//! Exact operators have several kernels (see [`Exact`]). The first of them that sums a test set right, limb by limb, through one
//! workgroup and through partials, is taken; the others stay unused on this device.

use crate::context::Context;
use crate::element::{Dtype, Element};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::op::{Accumulator, Op};
use crate::plan::Planner;
use crate::record::{Recorder, shape};
use crate::reducer::Reducer;
use crate::shader::{Dialect, Exact};
use std::any::TypeId;
use std::sync::Arc;
use wgpu::BufferUsages;

/// The kernel for an operator on a device.
///
/// # Errors
/// [`Error::NoExactKernel`] where all of them are wrong; why the last one does not run, where one does not; what the device says.
pub(crate) fn choose<T: Element, O: Op<T>>(context: &Arc<Context>, op: &O) -> Result<Exact> {
    let mut refusal = None;
    for exact in candidates(context) {
        match fits::<T, O>(context, op, exact).and_then(|()| op.is_right(&Trial { context, exact })) {
            Ok(true) => return Ok(exact),
            Ok(false) => log::warn!("{}: {exact:?} sums wrongly on this device and is not used", op.name()),
            Err(error @ (Error::Refused { .. } | Error::LimitTooSmall { .. })) => {
                log::warn!("{}: {exact:?} does not run on this device: {error}", op.name());
                refusal = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(refusal.unwrap_or(Error::NoExactKernel { operator: op.name() }))
}

/// Whether the device has room for the kernel: the members of a tuple, each of which may run alone, share its workgroup memory.
fn fits<T: Element, O: Op<T>>(context: &Context, op: &O, exact: Exact) -> Result<()> {
    let module = op.module(Dialect { subgroups: false, exact });
    Planner::new(context.facts, context.tuning, shape::<T, O>(&module)).map(drop)
}

/// Every kernel that the device could run, the one for its class first.
fn candidates(context: &Context) -> Vec<Exact> {
    // 32 copies of the most bins, f64's, take 36 KiB; the default limit is 16 KiB. Tuples may have room for fewer only.
    let room = context.facts.workgroup_bytes_max;
    let copies = [(32, 40_960), (8, 16_384), (1, 0)].into_iter().filter(|&(_, needs)| room >= needs);
    let bins = copies.map(|(copies, _)| Exact::Bins { copies });
    let has64 = context.device.features().contains(wgpu::Features::SHADER_INT64);
    let own = has64.then_some(Exact::Window64).into_iter().chain([Exact::Window]);
    if context.tuning.bins { bins.chain(own).collect() } else { own.chain(bins).collect() }
}

/// One kernel on one device, on trial.
#[derive(Debug)]
pub struct Trial<'a> {
    context: &'a Arc<Context>,
    exact: Exact,
}

impl Trial<'_> {
    /// Whether the kernel finds the sums that the host finds; asked of the device once.
    pub(crate) fn run<T: Element, O: Op<T>>(&self, op: &O) -> Result<bool> {
        let key = (TypeId::of::<(T, O)>(), self.exact);
        if let Some(right) = self.context.verdict(&key) {
            return Ok(right);
        }
        let elements: Vec<T> = known();
        let bytes: &[u8] = bytemuck::cast_slice(&elements);
        let buffer = self.context.mapped_buffer("a self-test", bytes.len() as u64, BufferUsages::STORAGE)?;
        crate::context::fill(&buffer, 0, bytes)?;
        buffer.unmap();
        let recorder = Recorder::with_exact::<T, O>(self.context.clone(), op, self.exact)?;
        let reducer = Reducer::<T, O>::of(recorder, op.clone());
        let n = elements.len() as u64;
        let whole = Input::range(&buffer, 0..n);
        let halves = Input::concat([Input::range(&buffer, 0..n / 3), Input::range(&buffer, n / 3..n)]);
        let want = words(&op.fold(&elements, 0));
        let found = reducer.accumulate(&[whole, halves])?;
        let right = found.iter().all(|(acc, _)| words(acc) == want);
        self.context.judge(key, right);
        Ok(right)
    }
}

fn words<A: Accumulator>(acc: &A) -> Vec<u32> {
    let mut words = vec![0; A::WORDS];
    acc.write(&mut words);
    words
}

/// A test set: finite values of all sizes and both signs, and two runs of equal ones with all digits set, so that all lanes meet in
/// one bin and every copy of it carries.
fn known<T: Element>() -> Vec<T> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let value = |bits: u64| match T::DTYPE {
        Dtype::F16 => finite(bits, 0x7c00),
        Dtype::F64 => finite(bits, 0x7ff << 52),
        Dtype::F32x2 => finite(finite(bits, 0xff << 23), 0xff << 55),
        Dtype::F32 => finite(bits, 0xff << 23),
        Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64 => bits,
    };
    let mut elements: Vec<T> = (0..3070).map(|_| T::from_pattern(value(next()))).collect();
    for equal in [0x7bff_ffff_7bff_ffff, 0xfaff_ffff_faff_ffff] {
        elements.extend([T::from_pattern(value(equal)); 1026]);
    }
    elements
}

/// The bits with an exponent of all ones made smaller.
fn finite(bits: u64, exponent: u64) -> u64 {
    if bits & exponent == exponent { bits & !(exponent & (exponent >> 1)) } else { bits }
}
