//! The computation of an expression, step by step.

use super::lane::{Column, Kind};
use std::ops::Range;
use wgpu::naga::{BinaryOperator, MathFunction, UnaryOperator};

/// A value: the number of the step that makes it.
pub(super) type StepIndex = usize;

/// The operation of a step on earlier values.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// An argument.
    Argument(usize),
    /// The same for each element: a block of them, too.
    Constant(Constant, Column),
    Unary(UnaryOperator, StepIndex),
    Binary(BinaryOperator, StepIndex, StepIndex),
    /// The second where the first is true, else the third.
    Select(StepIndex, StepIndex, StepIndex),
    Math(MathFunction, Vec<StepIndex>),
    /// The number in another type.
    Cast(StepIndex),
    /// Its bits as another type's.
    Bits(StepIndex),
}

/// A number that does not depend on elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Bool(bool),
    F32(f32),
    I32(i32),
    U32(u32),
    F64(f64),
    I64(i64),
    U64(u64),
}

impl Constant {
    /// The zero of a type.
    pub fn zero(kind: Kind) -> Constant {
        match kind {
            Kind::Bool => Constant::Bool(false),
            Kind::F32 => Constant::F32(0.0),
            Kind::I32 => Constant::I32(0),
            Kind::U32 => Constant::U32(0),
            Kind::F64 => Constant::F64(0.0),
            Kind::I64 => Constant::I64(0),
            Kind::U64 => Constant::U64(0),
        }
    }

    /// The bits of an integer.
    pub fn integer(self) -> Option<u64> {
        match self {
            Constant::I32(x) => Some(x as u64),
            Constant::U32(x) => Some(x.into()),
            Constant::I64(x) => Some(x as u64),
            Constant::U64(x) => Some(x),
            Constant::Bool(_) | Constant::F32(_) | Constant::F64(_) => None,
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Constant::Bool(_) => Kind::Bool,
            Constant::F32(_) => Kind::F32,
            Constant::I32(_) => Kind::I32,
            Constant::U32(_) => Kind::U32,
            Constant::F64(_) => Kind::F64,
            Constant::I64(_) => Kind::I64,
            Constant::U64(_) => Kind::U64,
        }
    }
}

/// Steps, each with the type of what it makes; the last one's is the answer.
#[derive(Debug)]
pub(super) struct Program {
    pub steps: Vec<(Step, Kind)>,
    /// Parts of the text that devices get in other words.
    pub otherwise: Vec<Range<usize>>,
}

impl Program {
    pub fn makes_truth(&self) -> bool {
        self.steps.last().is_some_and(|(_, kind)| *kind == Kind::Bool)
    }

    pub fn takes_second(&self) -> bool {
        self.steps.iter().any(|(step, _)| matches!(step, Step::Argument(1)))
    }

    /// Whether a step may round.
    pub fn rounds(&self) -> bool {
        let rounds = |(step, kind): &(Step, Kind)| match step {
            Step::Argument(_) | Step::Constant(..) | Step::Unary(..) | Step::Select(..) | Step::Bits(_) => false,
            Step::Binary(..) => kind.is_float(),
            Step::Math(function, _) => kind.is_float() && !is_plain(*function),
            Step::Cast(of) => {
                let from = self.steps.get(*of).map_or(Kind::Bool, |&(_, kind)| kind);
                let widens = from == Kind::Bool || (from, *kind) == (Kind::F32, Kind::F64);
                let whole = *kind == Kind::F64 && from.is_integer() && from.bits() == 32;
                // The casts of NaN and of numbers that do not fit differ.
                from.is_float() && kind.is_integer() || kind.is_float() && from != *kind && !widens && !whole
            }
        };
        self.steps.iter().any(rounds)
    }

    /// Whether it calls a function that takes the host longer than reading an element does.
    pub fn is_heavy(&self) -> bool {
        let is_heavy = |(step, kind): &(Step, Kind)| {
            kind.is_float() && matches!(step, Step::Math(function, _) if !is_plain(*function))
        };
        self.steps.iter().any(is_heavy)
    }

    /// Whether it computes in 64 bits.
    pub fn is_wide(&self) -> bool {
        self.steps.iter().any(|(_, kind)| kind.bits() > 32)
    }
}

/// Whether a function picks or rounds to a whole number, exactly so and at once.
fn is_plain(function: MathFunction) -> bool {
    use MathFunction::{Abs, Ceil, Clamp, Floor, Max, Min, Round, Saturate, Sign, Step, Trunc};
    matches!(function, Abs | Ceil | Clamp | Floor | Max | Min | Round | Saturate | Sign | Step | Trunc)
}
