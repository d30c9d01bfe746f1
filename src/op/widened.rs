//! Operators over narrow types: those over wide ones, to which every element is widened as it is read.

use super::device::Leaf;
use super::through::{accumulate_by_blocks, fold_passed_on, op_passed_on};
use super::{BinAxis, Device, DeviceAnswer, Fold, Keep, Op, Wgsl};
use crate::element::{Dtype, Element, Scalar};
use crate::error::Result;
use half::{bf16, f16};
use std::ops::Range;

/// An operator over wide numbers, over narrow ones: bytes, half words, [`bf16`] and [`struct@f16`], packed in buffers as they are, several to a word.
///
/// Nothing is copied to widen them: kernels read 16 bytes at a time and take them apart, and answers, errors and bits are those of the operator over
/// the widened numbers. `Widened((Sum, Max))` is both in one read.
///
/// Operators over [`struct@f16`] itself need it not, where there are some: `Sum` of them is exact, and `Max` an f16. `Widened` is for all others, as
/// `Widened((Sum, Variance::default()))`, around all operators of a read.
///
/// A buffer has a multiple of 4 bytes: [`Input::range`](crate::Input::range) says how many elements of it there are.
///
/// ```
/// use treefold::{Cpu, Widened, half::{bf16, f16}, ops::{MinMax, Norm2, Sum}};
/// let cpu = Cpu::new();
/// let image = [0u8, 255, 128, 7];
/// assert_eq!(cpu.reduce(Widened((Sum, MinMax)), &image)?, (390, Some((0, 255))));
/// assert_eq!(cpu.reduce(Widened(Sum), &[bf16::from_f32(1.5), bf16::MAX])?, bf16::MAX.to_f32());
/// assert_eq!(cpu.reduce(Widened(Sum), &[i8::MIN; 1000])?, -128_000);
/// assert_eq!(cpu.reduce(Widened(Norm2), &[f16::from_f32(3.0), f16::from_f32(-4.0)])?, 5.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Widened<O>(pub O);

/// Why no device reads f16 as it is and as f32.
pub(crate) const READ_IN_TWO_WAYS: &str = "a device reads f16 as it is, or all of it as f32: Widened stands around the others there, \
Widened((Sum, Filtered::not_nan(Variance))), and has no half for the numbers of vectors or beside a mask";

/// A type that is read as a wider one.
pub trait Narrow: Element {
    /// The type that it is read as: each number is one of that type, too.
    type Wide: Scalar;
    /// The number in the wider type.
    fn widened(self) -> Self::Wide;
    /// The type as which kernels read it, to be widened.
    #[doc(hidden)]
    const READ: Dtype = Self::DTYPE;
}

macro_rules! narrow {
    ($($type:ty => $wide:ty $(, read $read:ident)?);+) => {$(
        impl Narrow for $type {
            type Wide = $wide;
            $(const READ: Dtype = Dtype::$read;)?
            #[inline(always)]
            fn widened(self) -> $wide {
                self.into()
            }
        }
    )+};
}

narrow!(f16 => f32, read WideF16; bf16 => f32; i8 => i32; u8 => u32; i16 => i32; u16 => u32);

impl<N: Narrow, F: Fold<N::Wide>> Fold<N> for Widened<F> {
    fn lift(&self, x: N, index: u64) -> F::Acc {
        self.0.lift(x.widened(), index)
    }
    fn accumulate(&self, elements: &[N], index: u64) -> F::Acc {
        accumulate_by_blocks(&self.0, elements, index, |from, _, to| {
            for (wide, x) in to.iter_mut().zip(from) {
                *wide = x.widened();
            }
            from.len()
        })
    }
    fn add(&self, acc: &mut F::Acc, x: N, index: u64) {
        self.0.add(acc, x.widened(), index);
    }
    fn needs_position(&self) -> bool {
        self.0.needs_position()
    }
    fn host_only(&self) -> Option<&'static str> {
        self.0.host_only()
    }
    fn is_heavy(&self) -> bool {
        self.0.is_heavy()
    }
    fn kind(&self) -> String {
        self.0.kind()
    }
    fn instance(&self) -> u64 {
        self.0.instance()
    }
    fn reads(&self) -> Dtype {
        N::READ
    }
    fold_passed_on! {}
    /// Those of the wide type, told which elements are there.
    fn leaves(&self, keep: Keep, out: &mut Vec<Leaf>) {
        let first = out.len();
        self.0.leaves(keep, out);
        for leaf in &mut out[first..] {
            leaf.over(N::READ, |bytes| {
                let wide: Vec<N::Wide> =
                    bytemuck::pod_collect_to_vec::<u8, N>(bytes).into_iter().map(N::widened).collect();
                bytemuck::cast_slice(&wide).to_vec()
            });
        }
    }
}

impl<N: Narrow, O: Op<N::Wide>> Op<N> for Widened<O> {
    type Fold = Widened<O::Fold>;
    type Output = O::Output;
    const NAME: &'static str = O::NAME;
    const ABOUT: &'static str = O::ABOUT;
    const EXACT: bool = O::EXACT;

    fn fold(&self) -> Widened<O::Fold> {
        Widened(self.0.fold())
    }
    fn finish(&self, acc: super::Acc<N, Self>, count: u64) -> Result<O::Output> {
        self.0.finish(acc, count)
    }
    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }
    fn picks(&self) -> bool {
        self.0.picks()
    }
    fn is_shareable(&self) -> bool {
        self.0.is_shareable()
    }
    /// The operator's; beside operators over the type itself it says that they are others.
    fn signature(&self) -> String {
        if N::READ == N::DTYPE { self.0.signature() } else { format!("{} of f32(x)", self.0.signature()) }
    }
    fn close(&self, device: &O::Output, host: &O::Output, elements: &[N], finished: bool) -> bool {
        let wide: Vec<N::Wide> = elements.iter().map(|x| x.widened()).collect();
        self.0.close(device, host, &wide, finished)
    }
    op_passed_on! {}
}
