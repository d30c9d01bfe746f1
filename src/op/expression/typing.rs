//! The operators and functions that numbers of a type have: those that can be computed.

use super::lane::{Kind, Number, compared};
use wgpu::naga::{BinaryOperator, MathFunction};

/// Whether numbers of a type have it: the type that it makes.
pub(super) trait Had {
    fn of<T: Number>(&self) -> Option<Kind>;
}

pub(super) struct Operation(pub BinaryOperator);

impl Had for Operation {
    fn of<T: Number>(&self) -> Option<Kind> {
        let makes = T::operator(self.0, &[], &[]).map(|_| T::KIND);
        makes.or(compared::<T>(self.0, &[], &[]).map(|_| Kind::Bool))
    }
}

pub(super) struct Called(pub MathFunction, pub usize);

impl Had for Called {
    fn of<T: Number>(&self) -> Option<Kind> {
        let found = match self.1 {
            1 => T::one(self.0, &[]),
            2 => T::two(self.0, &[], &[]),
            3 => T::three(self.0, &[], &[], &[]),
            _ => None,
        };
        found.map(|_| T::KIND)
    }
}

/// The type that is made of numbers of this one.
pub(super) fn of_kind(kind: Kind, had: impl Had) -> Option<Kind> {
    match kind {
        Kind::Bool => None,
        Kind::F32 => had.of::<f32>(),
        Kind::I32 => had.of::<i32>(),
        Kind::U32 => had.of::<u32>(),
        Kind::F64 => had.of::<f64>(),
        Kind::I64 => had.of::<i64>(),
        Kind::U64 => had.of::<u64>(),
    }
}
