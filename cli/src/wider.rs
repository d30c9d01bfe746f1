//! Reductions over f32 among others over f16: each f16 is widened on its way to them.

use crate::reading::{Ended, Reduction};
use half::f16;
use std::any::Any;
use treefold::{Dtype, Element};

/// A reduction over f32 that takes elements of f16.
struct Wider {
    reduction: Box<dyn Reduction<f32>>,
    wide: Vec<f32>,
}

/// A begun reduction, which takes elements of this type; `None` where it is over others.
pub fn taking<T: Element>(begun: Box<dyn Any>) -> Option<Box<dyn Reduction<T>>> {
    match begun.downcast::<Box<dyn Reduction<T>>>() {
        Ok(begun) => Some(*begun),
        Err(begun) => {
            let begun = begun.downcast::<Box<dyn Reduction<f32>>>().ok().filter(|_| T::DTYPE == Dtype::F16)?;
            Some(Box::new(Wider { reduction: *begun, wide: vec![] }))
        }
    }
}

impl<T: Element> Reduction<T> for Wider {
    fn push(&mut self, elements: &[T], keys: &[u32]) -> treefold::Result<()> {
        let halves: &[f16] = bytemuck::cast_slice(elements);
        self.wide.clear();
        self.wide.extend(halves.iter().map(|x| x.to_f32()));
        self.reduction.push(&self.wide, keys)
    }

    fn part_elements(&self) -> usize {
        self.reduction.part_elements()
    }

    fn explain(&self) -> Vec<String> {
        self.reduction.explain()
    }

    fn end(self: Box<Self>, partial: bool) -> treefold::Result<Ended> {
        self.reduction.end(partial)
    }
}
