//! The parts of an operator's answers: their names, which have an index, and of which type each is in an array.

use crate::format::Number;
use crate::npz;
use anyhow::Result;
use std::path::Path;
use treefold::half::f16;
use treefold::ops::{Found, Ranked};
use treefold::{Answer, Dtype, DynAnswer, DynOp, Element, Fold, Op, Part, Value};

/// The name of parts that are the bins of a range, in its order.
pub const BIN: &str = "bin";

/// A part of every answer.
#[derive(Clone, Copy, Debug)]
pub struct NamedPart {
    pub name: &'static str,
    /// Whether it has an index where there is an answer.
    pub indexed: bool,
    /// In an array.
    pub number: Number,
    /// The name of its type, which may be wider than those of arrays.
    pub of: &'static str,
}

impl NamedPart {
    /// A part of this kind.
    pub fn sample(&self) -> Part {
        let value = match self.number {
            Number::Bool => Value::Bool(false),
            Number::Of(Dtype::F16 | Dtype::BF16 | Dtype::F32) => Value::F32(0.0),
            Number::Of(Dtype::F64) => Value::F64(0.0),
            Number::Of(Dtype::C64) => Value::C64([0.0; 2].into()),
            Number::Of(Dtype::C128) => Value::C128([0.0; 2].into()),
            Number::Of(_) => Value::I64(0),
        };
        Part { name: self.name, value, index: self.indexed.then_some(0) }
    }
}

/// The parts of an operator's answers, in their order.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Whether each has an index where there is an answer.
    pub indexed: Vec<bool>,
    /// The type of what stands in bins, where the first parts are those of bins.
    pub bin: Option<Number>,
    /// The parts behind them.
    pub named: Vec<NamedPart>,
    /// Number of parts at most, where they are one list of as many as are found.
    pub list: Option<usize>,
}

/// Zeros of which the longest list of elements is made.
const LIST_MAX: usize = 1024;

/// The content of an answer, where that is elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// One, or two of them.
    Elements,
    /// One, and its place.
    Place,
    /// As many as are found, and their places.
    List,
}

impl Holds {
    /// The content of this answer, of an operator over elements of that type.
    fn over(answer: &DynAnswer, over: Dtype) -> Option<Holds> {
        match over {
            Dtype::F16 => Holds::of::<f16>(answer),
            Dtype::F32 => Holds::of::<f32>(answer),
            Dtype::F64 => Holds::of::<f64>(answer),
            Dtype::I32 => Holds::of::<i32>(answer),
            Dtype::U32 => Holds::of::<u32>(answer),
            Dtype::I64 => Holds::of::<i64>(answer),
            Dtype::U64 => Holds::of::<u64>(answer),
            // Operators over several numbers find none of them.
            _ => None,
        }
    }

    fn of<T: 'static>(answer: &DynAnswer) -> Option<Holds> {
        fn is<R: 'static>(answer: &DynAnswer) -> bool {
            answer.downcast_ref::<R>().is_some()
        }
        match () {
            () if is::<Ranked<T>>(answer) => Some(Holds::List),
            () if is::<Option<Found<T>>>(answer) => Some(Holds::Place),
            () if is::<T>(answer) || is::<Option<T>>(answer) || is::<Option<(T, T)>>(answer) => Some(Holds::Elements),
            () => None,
        }
    }
}

impl Parts {
    /// Those of the answer over one zero, of an operator over numbers of this type, or over what a map makes of that type; what is found of elements that are
    /// `stored` as others is of that type.
    pub fn of<T: Element>(op: &DynOp<T>, over: Dtype, stored: Option<Number>) -> Result<Parts> {
        let parts = Parts::of_elements(op, over)?;
        let Some(number) = stored else { return Ok(parts) };
        let of_stored = |part: NamedPart| match op.picks() || part.indexed {
            true => NamedPart { number, of: number.name(), ..part },
            false => part,
        };
        Ok(Parts { named: parts.named.into_iter().map(of_stored).collect(), ..parts })
    }

    fn of_elements<T: Element>(op: &DynOp<T>, over: Dtype) -> Result<Parts> {
        let answer = op.finish(op.fold().lift(T::ZERO, 0), 1)?;
        let (parts, holds) = (answer.parts(), Holds::over(&answer, over));
        if holds == Some(Holds::List) {
            let all = op.fold().accumulate(&[T::ZERO; LIST_MAX], 0);
            let most = op.finish(all, LIST_MAX as u64)?.parts().len();
            let typed = Parts::typed(&parts, |_| Number::Of(over), |_| true);
            return Ok(Parts { list: Some(most), ..typed });
        }
        // Of one zero there may be none.
        let has_place = |part: &Part| holds == Some(Holds::Place) || part.index.is_some();
        let of_element = |part: &Part| holds.is_some() || has_place(part);
        let number = |part: &Part| if of_element(part) { Number::Of(over) } else { Number::like(part.value) };
        Ok(Parts::typed(&parts, number, has_place))
    }

    /// Those of an answer like this one, each of the type of its value.
    pub fn like(parts: &[Part]) -> Parts {
        Parts::typed(parts, |part| Number::like(part.value), |part| part.index.is_some())
    }

    /// Those of an answer, of the types that `number` says; `indexed`: which have an index where there is an answer.
    fn typed(parts: &[Part], number: impl Fn(&Part) -> Number, indexed: impl Fn(&Part) -> bool) -> Parts {
        let named = parts.iter().filter(|part| part.name != BIN);
        let of = |part: &Part| match part.value {
            Value::I128(_) => "i128",
            Value::U128(_) => "u128",
            _ => number(part).name(),
        };
        let named =
            named.map(|part| NamedPart { name: part.name, indexed: indexed(part), number: number(part), of: of(part) });
        let bin = parts.first().filter(|part| part.name == BIN).map(&number);
        Parts { indexed: parts.iter().map(&indexed).collect(), bin, named: named.collect(), list: None }
    }

    /// Number of an answer's parts, at most.
    pub fn most(&self) -> usize {
        self.list.unwrap_or(self.indexed.len())
    }

    /// Whether any has an index where there is an answer.
    pub fn have_places(&self) -> bool {
        self.indexed.contains(&true)
    }

    /// Refuses a file of one array for answers of several numbers; bins are one array.
    pub fn ensure_array(&self, operator: &str, path: &Path) -> Result<()> {
        let several = self.named.len();
        if several == 1 || self.bin.is_some() {
            return Ok(());
        }
        npz::ensure_named(path, &format!("an answer of {operator} has {several} numbers"))
    }
}
