//! Operators over elements as they are stored: narrow ones several to a word, widened as kernels read them.

use anyhow::{Context, Result};
use std::any::Any;
use treefold::half::{bf16, f16};
use treefold::ops::Visitor;
use treefold::{Answer, Dtype, DynOp, Element, Narrow, Op, Widened};

/// What is done with such an operator.
pub trait OverStored {
    type Out;
    fn over<T: Element, O: Op<T, Output: Answer>>(self, op: &O) -> Result<Self::Out>;
}

/// Hands the operator over the wide type on as that over the type that is stored.
pub struct AsStored<V> {
    pub dtype: Dtype,
    pub then: V,
}

impl<V: OverStored> Visitor for AsStored<V> {
    type Out = Result<V::Out>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Result<V::Out> {
        fn widened<N: Narrow, V: OverStored>(op: &dyn Any, then: V) -> Result<V::Out> {
            let op: &DynOp<N::Wide> = op.downcast_ref().context("an operator over another type")?;
            then.over::<N, _>(&Widened(op.clone()))
        }
        match self.dtype {
            Dtype::F16 if T::DTYPE == Dtype::F32 => widened::<f16, V>(&op, self.then),
            Dtype::BF16 => widened::<bf16, V>(&op, self.then),
            Dtype::I8 => widened::<i8, V>(&op, self.then),
            Dtype::U8 => widened::<u8, V>(&op, self.then),
            Dtype::I16 => widened::<i16, V>(&op, self.then),
            Dtype::U16 => widened::<u16, V>(&op, self.then),
            _ => self.then.over(&op),
        }
    }
}
