//! Operators over what a function makes of each element.

use super::device::{ElementMap, Leaf};
use super::through::{accumulate_by_blocks, fold_passed_on, op_passed_on};
use super::widened::READ_IN_TWO_WAYS;
use super::{Answer, BinAxis, Device, DeviceAnswer, Fold, Keep, Op, Part, Text, Wgsl, instance_of};
use crate::element::{Dtype, Element};
use crate::error::Result;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// An operator over what a function makes of each element, in the one read of the elements: a mean of logarithms, a sum of products.
///
/// The function stands twice, as the body of `fn map_element(x: X) -> Y` in WGSL and in Rust, and [`check`](crate::check) compares the two.
/// `X` is `f32`, `i32` or `u32`, `vec2<f32>` for pairs ([`Input::zip`](crate::Input::zip)), `vec4<f32>` for texels, the vector of a
/// [`Vector`](crate::Vector), what an element type of your own says; `Y` is `f32`, `i32` or `u32`.
/// Over other types the host half alone computes, by [`Cpu`](crate::Cpu). Narrow types are widened first: `Widened(Mapped::new(…))`.
/// What one device kernel reduces is all of one type: operators beside a map to another type, plain ones too, are
/// [`Error::HostOnly`](crate::Error::HostOnly) there; reduce them by reducers of their own.
///
/// A device computes functions as WGSL has them: `log2` or `exp` are off by a few units in the last place, subnormals may be lost, and NaN and
/// infinities are not promised; beside a NaN, `a != b` of floats is false on Vulkan (naga 30), where `!(a == b)` is true. An exact operator then adds up exactly what the device computed. [`Mapped::within`] says how far apart
/// answers of the two halves may be.
///
/// ```
/// use treefold::{Cpu, Mapped, ops::{Max, Mean, Sum}};
/// let cpu = Cpu::new();
/// let mean = Mapped::new("return log2(x);", f32::log2, Mean);
/// assert_eq!(cpu.reduce(mean, &[1.0f32, 8.0])?, Some(1.5));
/// let dot = Mapped::new("return x.x * x.y;", |[a, b]: [f32; 2]| a * b, Sum);
/// assert_eq!(cpu.reduce(dot, &[[1.0f32, 2.0], [3.0, 4.0]])?, 14.0);
/// let above = Mapped::new("return u32(x > 2);", |x: i32| u32::from(x > 2), Sum);
/// assert_eq!(cpu.reduce((above, Mapped::new("return u32(x + 1);", |x: i32| (x + 1) as u32, Max)), &[1, 2, 3])?, (1, Some(4)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mapped<M, O>(O, M, Tolerance);

/// The most by which answers may differ: so much, and so much of the host's.
#[derive(Clone, Copy, Debug, Default)]
struct Tolerance {
    absolute: f64,
    relative: f64,
}

/// A function of each element: see [`Mapped`].
pub trait Map<T: Element>: Clone + Send + Sync + 'static {
    /// The type of the elements that it makes.
    type To: Element;

    /// The body of `fn map_element(x: X) -> Y`, in WGSL.
    fn wgsl(&self) -> Text;
    /// The same in Rust; `index` is the element's place in the whole input, in rows in its row.
    fn map(&self, x: T, index: u64) -> Self::To;

    /// The same of neighbours, `index` being the place of the first: as many as there is room for.
    fn map_block(&self, from: &[T], index: u64, to: &mut [Self::To]) {
        for ((to, &x), at) in to.iter_mut().zip(from).zip(index..) {
            *to = self.map(x, at);
        }
    }
    /// Whether it asks for the place: in WGSL as a parameter `i` of type `u32`, its lower 32 bits.
    fn reads_place(&self) -> bool {
        false
    }
    /// An upper bound of the loop trips of the WGSL.
    fn trips(&self) -> u64 {
        0
    }
    /// Why there is no WGSL, where there is none.
    fn host_only(&self) -> Option<&'static str> {
        None
    }
    /// Whether the host sits longer over its function than over reading an element.
    #[doc(hidden)]
    fn is_heavy(&self) -> bool {
        false
    }
    /// Whether it rounds nothing, so that what is exact over its numbers is exact.
    fn is_exact(&self) -> bool {
        false
    }
    /// Whether the WGSL makes bits of bits, of numbers of any size; it is the library's own then.
    #[doc(hidden)]
    fn reads_bits(&self) -> bool {
        false
    }
    /// A number that tells it from others whose WGSL is the same and whose host halves may differ; 0: nothing does.
    fn instance(&self) -> u64 {
        0
    }
    /// Its text in the operator's signature.
    fn title(&self) -> String {
        title(&self.wgsl())
    }
}

/// A body as a signature has it.
pub(super) fn title(body: &str) -> String {
    let text = body.trim().trim_end_matches(';');
    text.strip_prefix("return ").unwrap_or(text).into()
}

/// A [`Map`] or a [`Condition`](super::Condition) by a function of Rust: [`Mapped::new`] and [`Filtered::new`](crate::ops::Filtered::new) make them.
#[derive(Clone, Debug)]
pub struct ByFunction<F> {
    pub(super) wgsl: Text,
    pub(super) host: F,
    pub(super) trips: u64,
    pub(super) instance: u64,
}

impl<F> ByFunction<F> {
    pub(crate) fn new(wgsl: Text, host: F) -> Self {
        ByFunction { wgsl, host, trips: 0, instance: MADE.fetch_add(1, Ordering::Relaxed) }
    }

    pub(crate) fn trips(self, trips: u64) -> Self {
        ByFunction { trips, ..self }
    }
}

/// The instance of the next one: what the functions hold is not known.
static MADE: AtomicU64 = AtomicU64::new(1);

impl<T: Element, U: Element, F: Fn(T) -> U + Clone + Send + Sync + 'static> Map<T> for ByFunction<F> {
    type To = U;

    fn wgsl(&self) -> Text {
        self.wgsl.clone()
    }
    #[inline(always)]
    fn map(&self, x: T, _: u64) -> U {
        (self.host)(x)
    }
    fn trips(&self) -> u64 {
        self.trips
    }
    fn instance(&self) -> u64 {
        self.instance
    }
}

impl<F, O> Mapped<ByFunction<F>, O> {
    /// The operator over what the function makes of elements: `wgsl` is the body of `fn map_element(x: X) -> Y`, `host` the same in Rust.
    pub fn new(wgsl: impl Into<Text>, host: F, op: O) -> Self {
        Mapped::by(ByFunction::new(wgsl.into(), host), op)
    }

    /// The same with an upper bound of the loop trips of the WGSL; without one a loop is an error.
    pub fn trips(self, trips: u64) -> Self {
        Mapped(self.0, self.1.trips(trips), self.2)
    }
}

impl<M, O> Mapped<M, O> {
    /// The operator over what the map makes of elements.
    pub fn by(map: M, op: O) -> Self {
        Mapped(op, map, Tolerance::default())
    }

    /// The same, of which [`check`](crate::check) takes answers of a device for right that are no further from the host's than `absolute +
    /// relative * |host's|`, besides those that the operator does.
    pub fn within(mut self, absolute: f64, relative: f64) -> Self {
        self.2 = Tolerance { absolute, relative };
        self
    }
}

impl Tolerance {
    fn allows(self, device: &[Part], host: &[Part]) -> bool {
        let near = |(device, host): (&Part, &Part)| match (device.value.to_f64(), host.value.to_f64()) {
            (Some(a), Some(b)) => a == b || (a - b).abs() <= self.absolute + self.relative * b.abs(),
            _ => device.value == host.value,
        };
        (self.absolute > 0.0 || self.relative > 0.0) && device.len() == host.len() && device.iter().zip(host).all(near)
    }
}

/// The fold behind a [`Mapped`].
#[derive(Clone, Debug)]
pub struct MappedFold<M, F>(F, M);

impl<M, F> MappedFold<M, F> {
    /// That fold over what the map makes.
    pub(super) fn new(fold: F, map: M) -> Self {
        MappedFold(fold, map)
    }
}

/// Whether functions in WGSL take numbers of this type.
pub(super) fn is_taken(dtype: Dtype) -> bool {
    match dtype {
        Dtype::F32 | Dtype::I32 | Dtype::U32 | Dtype::F32x2 | Dtype::F32x4 | Dtype::C64 => true,
        Dtype::Own(own) => !own.number().is_empty(),
        _ => false,
    }
}

/// The types that they make.
const TO: [Dtype; 3] = [Dtype::F32, Dtype::I32, Dtype::U32];

impl<T: Element, M: Map<T>, F: Fold<M::To>> Fold<T> for MappedFold<M, F> {
    fn lift(&self, x: T, index: u64) -> F::Acc {
        self.0.lift(self.1.map(x, index), index)
    }
    fn accumulate(&self, elements: &[T], index: u64) -> F::Acc {
        accumulate_by_blocks(&self.0, elements, index, |from, at, to| {
            self.1.map_block(from, at, to);
            from.len()
        })
    }
    fn add(&self, acc: &mut F::Acc, x: T, index: u64) {
        self.0.add(acc, self.1.map(x, index), index);
    }
    fn needs_position(&self) -> bool {
        self.0.needs_position() || self.1.reads_place()
    }
    fn is_heavy(&self) -> bool {
        self.0.is_heavy() || self.1.is_heavy()
    }
    fn host_only(&self) -> Option<&'static str> {
        let mut leaves = Vec::new();
        match self.0.host_only().or(self.1.host_only()) {
            Some(why) => return Some(why),
            None if self.0.reads() != <M::To as Element>::DTYPE => return Some(READ_IN_TWO_WAYS),
            None if !(self.1.reads_bits() || is_taken(T::DTYPE) && TO.contains(&<M::To as Element>::DTYPE)) => {
                return Some("functions in WGSL take and make numbers of 32 bits");
            }
            None => self.0.leaves(Keep::Registers, &mut leaves),
        }
        if leaves.iter().any(|leaf| leaf.test.is_some()) {
            return Some("a condition on what a function makes has no WGSL; make it one on what the function takes");
        }
        let mapped = leaves.iter().any(|leaf| leaf.map.is_some());
        mapped.then_some("a map of what another map makes has no WGSL; make one function of both")
    }
    fn kind(&self) -> String {
        format!("{} of {} {}", self.0.kind(), self.1.reads_place(), self.1.wgsl())
    }
    fn instance(&self) -> u64 {
        instance_of(&[self.0.instance(), self.1.instance()])
    }
    fold_passed_on! {}
    /// Those over what the map makes, told how.
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        let first = out.len();
        self.0.leaves(keep, out);
        for leaf in out.split_off(first) {
            out.push(leaf.behind(|bare| ElementMap {
                from: T::DTYPE,
                to: <M::To as Element>::DTYPE,
                body: self.1.wgsl(),
                reads_bits: self.1.reads_bits(),
                place: self.1.reads_place(),
                trips: self.1.trips(),
                bare,
            }));
        }
    }
}

impl<T: Element, M: Map<T>, O: Op<M::To, Output: Answer>> Op<T> for Mapped<M, O> {
    type Fold = MappedFold<M, O::Fold>;
    type Output = O::Output;
    const NAME: &'static str = O::NAME;
    const ABOUT: &'static str = O::ABOUT;
    const EXACT: bool = false;

    fn fold(&self) -> MappedFold<M, O::Fold> {
        MappedFold(self.0.fold(), self.1.clone())
    }
    fn finish(&self, acc: super::Acc<T, Self>, count: u64) -> Result<O::Output> {
        self.0.finish(acc, count)
    }
    /// The operator's, and what it is of: `mean of log2(x)`.
    fn signature(&self) -> String {
        format!("{} of {}", self.0.signature(), self.1.title())
    }
    fn is_exact(&self) -> bool {
        self.0.is_exact() && self.1.is_exact()
    }
    fn is_shareable(&self) -> bool {
        let integers = T::DTYPE.is_integer() && <M::To as Element>::DTYPE.is_integer();
        self.0.is_shareable() && self.1.is_exact() && (integers || self.1.reads_bits())
    }
    fn close(&self, device: &O::Output, host: &O::Output, elements: &[T], finished: bool) -> bool {
        let mut made = vec![<M::To as Element>::ZERO; elements.len()];
        self.1.map_block(elements, 0, &mut made);
        self.0.close(device, host, &made, finished) || self.2.allows(&device.parts(), &host.parts())
    }
    op_passed_on! {}
}
