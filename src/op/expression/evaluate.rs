//! The steps of an expression over blocks of elements.

use super::lane::{Column, Integer, Kind, Lane, Number, compared, each, each2, each3};
use super::program::{Constant, Program, Step, StepIndex};
use crate::element::Element;
use half::f16;
use std::borrow::Cow;
use wgpu::naga::{BinaryOperator, MathFunction, UnaryOperator};

/// Calls a generic function for the type of a column; `$none` of truth values.
macro_rules! by_kind {
    ($kind:expr, $function:ident::<$of:ident>($($argument:expr),*), $none:expr) => {
        match $kind {
            Kind::Bool => $none,
            Kind::F32 => $function::<f32>($($argument),*),
            Kind::I32 => $function::<i32>($($argument),*),
            Kind::U32 => $function::<u32>($($argument),*),
            Kind::F64 => $function::<f64>($($argument),*),
            Kind::I64 => $function::<i64>($($argument),*),
            Kind::U64 => $function::<u64>($($argument),*),
        }
    };
}

/// Elements that are computed at once, so that what is computed of them stays in the nearest cache.
const BLOCK: usize = 1024;

impl Constant {
    /// As many of it as a block has elements.
    pub fn column(self) -> Column {
        match self {
            Constant::Bool(x) => Column::Bool(vec![x; BLOCK]),
            Constant::F32(x) => Column::F32(vec![x; BLOCK]),
            Constant::I32(x) => Column::I32(vec![x; BLOCK]),
            Constant::U32(x) => Column::U32(vec![x; BLOCK]),
            Constant::F64(x) => Column::F64(vec![x; BLOCK]),
            Constant::I64(x) => Column::I64(vec![x; BLOCK]),
            Constant::U64(x) => Column::U64(vec![x; BLOCK]),
        }
    }
}

impl Program {
    /// Fills `to` with what is made of the arguments, as far as all reach; the second one may be left out where it is not taken.
    pub fn fill<A: Element, B: Element, U: Element>(&self, first: &[A], second: &[B], to: &mut [U]) {
        for (number, (first, to)) in first.chunks(BLOCK).zip(to.chunks_mut(BLOCK)).enumerate() {
            let begin = number * BLOCK;
            let second = second.get(begin..(begin + BLOCK).min(second.len())).unwrap_or_default();
            self.fill_block(first, second, to);
        }
    }

    /// The same of a block. Columns of constants are as long as the longest, others as long as this one.
    fn fill_block<A: Element, B: Element, U: Element>(&self, first: &[A], second: &[B], to: &mut [U]) {
        let mut made: Vec<Cow<'_, Column>> = Vec::with_capacity(self.steps.len());
        for (step, kind) in &self.steps {
            let column = match step {
                Step::Constant(_, column) => {
                    made.push(Cow::Borrowed(column));
                    continue;
                }
                Step::Argument(0) => argument(*kind, first),
                Step::Argument(_) => argument(*kind, second),
                Step::Unary(op, of) => unary(*op, &made[*of]),
                Step::Binary(op, a, b) => binary(*op, &made[*a], &made[*b]),
                Step::Select(which, yes, no) => select(&made[*which], &made[*yes], &made[*no]),
                Step::Math(function, of) => math(*function, of, &made),
                Step::Cast(of) => cast(&made[*of], *kind),
                Step::Bits(of) => bits(&made[*of], *kind),
            };
            made.push(Cow::Owned(column));
        }
        if let Some(last) = made.last() {
            match &**last {
                Column::Bool(values) => copy(&each(values, u32::from), to),
                Column::F32(values) => copy(values, to),
                Column::I32(values) => copy(values, to),
                Column::U32(values) => copy(values, to),
                Column::F64(values) => copy(values, to),
                Column::I64(values) => copy(values, to),
                Column::U64(values) => copy(values, to),
            }
        }
    }
}

/// Values as elements, where they are of one type.
fn copy<A: Element, U: Element>(from: &[A], to: &mut [U]) {
    if A::DTYPE == U::DTYPE {
        let from: &[U] = bytemuck::try_cast_slice(from).unwrap_or_default();
        for (to, &from) in to.iter_mut().zip(from) {
            *to = from;
        }
    }
}

/// Elements as values of a type that they are of.
fn argument<A: Element>(kind: Kind, elements: &[A]) -> Column {
    fn of<T: Lane + bytemuck::Pod>(bytes: &[u8]) -> Column {
        T::column(bytemuck::try_cast_slice::<u8, T>(bytes).unwrap_or_default().to_vec())
    }
    let bytes = bytemuck::cast_slice(elements);
    by_kind!(kind, of::<T>(bytes), Column::Bool(Vec::new()))
}

fn kind(column: &Column) -> Kind {
    match column {
        Column::Bool(_) => Kind::Bool,
        Column::F32(_) => Kind::F32,
        Column::I32(_) => Kind::I32,
        Column::U32(_) => Kind::U32,
        Column::F64(_) => Kind::F64,
        Column::I64(_) => Kind::I64,
        Column::U64(_) => Kind::U64,
    }
}

fn unary(op: UnaryOperator, of: &Column) -> Column {
    fn negated<T: Number>(of: &Column) -> Column {
        T::column(each(T::of(of), T::negated))
    }
    match op {
        UnaryOperator::Negate => by_kind!(kind(of), negated::<T>(of), of.clone()),
        UnaryOperator::LogicalNot => Column::Bool(each(bool::of(of), |x| !x)),
        UnaryOperator::BitwiseNot => by_integer(of, Inverted),
    }
}

fn binary(op: BinaryOperator, a: &Column, b: &Column) -> Column {
    fn numbers<T: Number>(op: BinaryOperator, a: &Column, b: &Column) -> Column {
        let (a, b) = (T::of(a), T::of(b));
        match T::operator(op, a, b) {
            Some(made) => T::column(made),
            None => Column::Bool(compared(op, a, b).unwrap_or_default()),
        }
    }
    match op {
        BinaryOperator::ShiftLeft => by_integer(a, Shifted { by: u32::of(b), left: true }),
        BinaryOperator::ShiftRight => by_integer(a, Shifted { by: u32::of(b), left: false }),
        _ => by_kind!(kind(a), numbers::<T>(op, a, b), Column::Bool(truths(op, bool::of(a), bool::of(b)))),
    }
}

fn truths(op: BinaryOperator, a: &[bool], b: &[bool]) -> Vec<bool> {
    match op {
        BinaryOperator::LogicalAnd | BinaryOperator::And => each2(a, b, |a, b| a & b),
        BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => each2(a, b, |a, b| a | b),
        BinaryOperator::Equal => each2(a, b, |a, b| a == b),
        _ => each2(a, b, |a, b| a != b),
    }
}

fn select(which: &Column, yes: &Column, no: &Column) -> Column {
    fn of<T: Lane>(which: &[bool], yes: &Column, no: &Column) -> Column {
        T::column(each3(which, T::of(yes), T::of(no), |which, yes, no| if which { yes } else { no }))
    }
    let which = bool::of(which);
    by_kind!(kind(yes), of::<T>(which, yes, no), of::<bool>(which, yes, no))
}

fn math(function: MathFunction, of: &[StepIndex], made: &[Cow<'_, Column>]) -> Column {
    fn numbers<T: Number>(function: MathFunction, of: &[&Column]) -> Column {
        let found = match *of {
            [a] => T::one(function, T::of(a)),
            [a, b] => T::two(function, T::of(a), T::of(b)),
            [a, b, c] => T::three(function, T::of(a), T::of(b), T::of(c)),
            _ => None,
        };
        T::column(found.unwrap_or_default())
    }
    let of: Vec<&Column> = of.iter().map(|&place| &*made[place]).collect();
    match (function, &of[..]) {
        (MathFunction::QuantizeToF16, [x]) => Column::F32(each(f32::of(x), |x| f16::from_f32(x).to_f32())),
        (MathFunction::Ldexp, [x @ Column::F32(_), by]) => {
            Column::F32(each2(f32::of(x), i32::of(by), |x, by| scaled(x.into(), by) as f32))
        }
        (MathFunction::Ldexp, [x, by]) => Column::F64(each2(f64::of(x), i32::of(by), scaled)),
        (MathFunction::ExtractBits, [x, offset, count]) => {
            by_integer(x, Extracted { offset: u32::of(offset), count: u32::of(count) })
        }
        (MathFunction::InsertBits, [x, new, offset, count]) => {
            by_integer(x, Inserted { new, offset: u32::of(offset), count: u32::of(count) })
        }
        (_, [first, ..]) => by_kind!(kind(first), numbers::<T>(function, &of), (*first).clone()),
        (_, []) => Column::Bool(Vec::new()),
    }
}

/// `x * 2^by`, in steps that leave no range.
fn scaled(x: f64, by: i32) -> f64 {
    let half = by.clamp(-2000, 2000) / 2;
    x * f64::from(half).exp2() * f64::from(by.clamp(-2000, 2000) - half).exp2()
}

/// A function of integers of any type.
trait OfIntegers {
    fn of<T: Integer>(self, x: &[T]) -> Vec<T>;
}

struct Inverted;

impl OfIntegers for Inverted {
    fn of<T: Integer>(self, x: &[T]) -> Vec<T> {
        each(x, T::inverted)
    }
}

struct Shifted<'a> {
    by: &'a [u32],
    left: bool,
}

impl OfIntegers for Shifted<'_> {
    fn of<T: Integer>(self, x: &[T]) -> Vec<T> {
        if self.left { each2(x, self.by, T::left) } else { each2(x, self.by, T::right) }
    }
}

struct Extracted<'a> {
    offset: &'a [u32],
    count: &'a [u32],
}

impl OfIntegers for Extracted<'_> {
    fn of<T: Integer>(self, x: &[T]) -> Vec<T> {
        each3(x, self.offset, self.count, T::extracted)
    }
}

struct Inserted<'a> {
    new: &'a Column,
    offset: &'a [u32],
    count: &'a [u32],
}

impl OfIntegers for Inserted<'_> {
    fn of<T: Integer>(self, x: &[T]) -> Vec<T> {
        let places: Vec<(u32, u32)> = each2(self.offset, self.count, |offset, count| (offset, count));
        each3(x, T::of(self.new), &places, |x, new, (offset, count)| x.inserted(new, offset, count))
    }
}

fn by_integer(x: &Column, make: impl OfIntegers) -> Column {
    match x {
        Column::I32(x) => Column::I32(make.of(x)),
        Column::U32(x) => Column::U32(make.of(x)),
        Column::I64(x) => Column::I64(make.of(x)),
        Column::U64(x) => Column::U64(make.of(x)),
        Column::Bool(_) | Column::F32(_) | Column::F64(_) => x.clone(),
    }
}

/// Numbers in another type: rounded to nearest, or cut off and saturated at the last number that both types have; truth values are 0 and 1.
fn cast(of: &Column, to: Kind) -> Column {
    macro_rules! from {
        ($values:expr) => {
            match to {
                Kind::Bool => Column::Bool(each($values, |x| x != Default::default())),
                Kind::F32 => Column::F32(each($values, |x| x as f32)),
                Kind::I32 => Column::I32(each($values, |x| x as i32)),
                Kind::U32 => Column::U32(each($values, |x| x as u32)),
                Kind::F64 => Column::F64(each($values, |x| x as f64)),
                Kind::I64 => Column::I64(each($values, |x| x as i64)),
                Kind::U64 => Column::U64(each($values, |x| x as u64)),
            }
        };
    }
    match of {
        Column::Bool(values) if to == Kind::Bool => Column::Bool(values.clone()),
        Column::Bool(values) => cast(&Column::U32(each(values, u32::from)), to),
        Column::F32(values) => match to {
            Kind::I32 => Column::I32(each(values, |x| x.min(2_147_483_520.0) as i32)),
            Kind::U32 => Column::U32(each(values, |x| x.min(4_294_967_040.0) as u32)),
            Kind::I64 => Column::I64(each(values, |x| x.min(9_223_371_487_098_961_920.0) as i64)),
            Kind::U64 => Column::U64(each(values, |x| x.min(18_446_742_974_197_923_840.0) as u64)),
            _ => from!(values),
        },
        Column::F64(values) => match to {
            Kind::I64 => Column::I64(each(values, |x| x.min(9_223_372_036_854_774_784.0) as i64)),
            Kind::U64 => Column::U64(each(values, |x| x.min(18_446_744_073_709_549_568.0) as u64)),
            _ => from!(values),
        },
        Column::I32(values) => from!(values),
        Column::U32(values) => from!(values),
        Column::I64(values) => from!(values),
        Column::U64(values) => from!(values),
    }
}

/// The bits of numbers as those of a type as long.
fn bits(of: &Column, to: Kind) -> Column {
    fn into<T: Lane + bytemuck::Pod>(of: &Column) -> Column {
        T::column(match of {
            Column::Bool(_) => Vec::new(),
            Column::F32(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
            Column::I32(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
            Column::U32(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
            Column::F64(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
            Column::I64(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
            Column::U64(values) => bytemuck::try_cast_slice::<_, T>(values).unwrap_or_default().to_vec(),
        })
    }
    by_kind!(to, into::<T>(of), of.clone())
}
