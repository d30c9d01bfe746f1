//! Functions of numbers as people type them: expressions in WGSL, which the CPU computes as devices do.

mod combining;
mod device;
mod evaluate;
mod lane;
mod lower;
mod program;
mod typing;
mod words;

pub use combining::Combining;

use super::mapped::{Map, Mapped};
use super::{Answer, Op, Text};
use crate::element::{Dtype, Element};
use crate::error::Result;
use program::Program;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A function of a number, as an expression in WGSL: `abs(x) * 2`, `select(0.0, log2(x), x > 0)`.
///
/// Of one element it is a function of `x` and `i`, its place (a `u32`, the lower 32 bits); of two accumulators, of `a` and `b`. It may call the
/// functions of WGSL that take numbers. Integers wrap, a division by zero gives what is divided and its remainder 0, floats become integers
/// by cutting off and saturating: as the language has it, on devices and on the CPU; of NaN they may be anything, and a comparison
/// with one is false, but for `!=`. Functions that round (`exp`, `log2`, `sin`, …) may differ in the last places; over 64 bits only the CPU
/// computes any.
///
/// ```
/// use treefold::{Cpu, Dtype, Expression, ops::Sum};
/// let squares = Expression::of_element("x * x", Dtype::I32)?;
/// assert_eq!((squares.makes(), squares.to_string()), (Dtype::I32, "x * x".into()));
/// let op = squares.map::<i32, i32, _>(Sum)?;
/// assert_eq!(Cpu::new().reduce(op, &[1, 2, 3])?, 14);
/// let error = Expression::of_element("x * true", Dtype::F32).unwrap_err();
/// assert!(error.to_string().contains("f32 and bool"));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    text: Arc<str>,
    /// The text that devices get.
    device: Arc<str>,
    program: Arc<Program>,
    takes: Dtype,
    makes: Dtype,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Steps of an expression that devices compile, at most: each stands in a text many times.
const STEPS_MAX: usize = 200;

impl Expression {
    /// The types of which it takes numbers.
    pub const TAKES: [Dtype; 6] = [Dtype::F32, Dtype::I32, Dtype::U32, Dtype::F64, Dtype::I64, Dtype::U64];

    /// A function of an element `x` of that type and its place `i`. A truth value that it makes is a `u32`, 0 or 1.
    ///
    /// # Errors
    /// [`Error::BadExpression`](crate::Error::BadExpression) says where and why.
    pub fn of_element(text: &str, takes: Dtype) -> Result<Expression> {
        Expression::of(text, takes, &[("x", takes), ("i", Dtype::U32)])
    }

    /// A function of two accumulators `a` and `b` of that type, which makes another one.
    ///
    /// # Errors
    /// [`Error::BadExpression`](crate::Error::BadExpression) says where and why.
    pub fn of_accumulators(text: &str, takes: Dtype) -> Result<Expression> {
        let expression = Expression::of(text, takes, &[("a", takes), ("b", takes)])?;
        match expression.makes == takes && !expression.makes_truth() {
            true => Ok(expression),
            false => {
                let makes = if expression.makes_truth() { "bool" } else { expression.makes.name() };
                let rule =
                    format!("it makes {makes} of {takes} and {takes}; an accumulator is {takes}: {takes}(…) makes one");
                Err(words::refused(text, 0..text.len(), rule))
            }
        }
    }

    fn of(text: &str, takes: Dtype, arguments: &[(&str, Dtype)]) -> Result<Expression> {
        let (program, makes) = lower::lower(text, arguments)?;
        let device = device::for_devices(text, &program.otherwise);
        Ok(Expression {
            text: text.trim().into(),
            device: device.trim().into(),
            program: Arc::new(program),
            takes,
            makes,
        })
    }

    /// The type of what it makes: `u32` for truth values.
    pub fn makes(&self) -> Dtype {
        self.makes
    }

    /// The type of what it takes.
    pub fn takes(&self) -> Dtype {
        self.takes
    }

    /// The operator over what it makes of elements.
    ///
    /// # Errors
    /// [`Error::OtherType`](crate::Error::OtherType) where `T` is not what it takes, or `U` not what it makes.
    pub fn map<T: Element, U: Element, O: Op<U, Output: Answer>>(&self, op: O) -> Result<Mapped<Formula<U>, O>> {
        self.ensure(self.takes, T::DTYPE)?;
        self.ensure(self.makes, U::DTYPE)?;
        Ok(Mapped::by(Formula(self.clone(), PhantomData), op))
    }

    fn ensure(&self, has: Dtype, wanted: Dtype) -> Result<()> {
        let (what, has, wanted) = (self.to_string(), has.name(), wanted.name());
        if has == wanted { Ok(()) } else { Err(crate::Error::OtherType { what, has, wanted }) }
    }

    /// The body of a function in WGSL.
    pub(crate) fn body(&self) -> Text {
        match self.makes_truth() {
            true => format!("return u32(({}));", self.device).into(),
            false => format!("return ({});", self.device).into(),
        }
    }

    /// Whether it asks for an element's place, or for the second accumulator.
    pub fn reads_place(&self) -> bool {
        self.program.takes_second()
    }

    /// Whether it may round, or differ between devices: sums of floats do, and floats as integers; comparisons, integers and absolute values do not.
    pub fn rounds(&self) -> bool {
        self.program.rounds()
    }

    /// Why no device computes it, where none does.
    pub fn host_only(&self) -> Option<&'static str> {
        let long = self.program.steps.len() > STEPS_MAX;
        let wide = self.program.is_wide().then_some("drivers compute functions of 64 bits wrongly, or have none");
        wide.or(long.then_some("drivers take minutes to compile functions of more than 200 steps"))
    }

    fn makes_truth(&self) -> bool {
        self.program.makes_truth()
    }

    /// Fills `to` with the expression's numbers: as many as there is room for and both have. Arguments of other types give nothing.
    pub(crate) fn fill<A: Element, B: Element, U: Element>(&self, first: &[A], second: &[B], to: &mut [U]) {
        self.program.fill(first, second, to);
    }
}

/// An [`Expression`] that makes numbers of type `U` of elements.
#[derive(Clone, Debug)]
pub struct Formula<U>(Expression, PhantomData<U>);

impl<T: Element, U: Element> Map<T> for Formula<U> {
    type To = U;

    fn wgsl(&self) -> Text {
        self.0.body()
    }
    fn map(&self, x: T, index: u64) -> U {
        let mut to = [U::ZERO];
        self.map_block(&[x], index, &mut to);
        to[0]
    }
    fn map_block(&self, from: &[T], index: u64, to: &mut [U]) {
        let wanted = if self.0.reads_place() { from.len() } else { 0 };
        let places: Vec<u32> = (index..).take(wanted).map(|at| at as u32).collect();
        self.0.fill(from, &places, to);
    }
    fn reads_place(&self) -> bool {
        self.0.reads_place()
    }
    fn host_only(&self) -> Option<&'static str> {
        self.0.host_only()
    }
    fn is_heavy(&self) -> bool {
        self.0.program.is_heavy()
    }
    fn is_exact(&self) -> bool {
        !self.0.rounds()
    }
    fn title(&self) -> String {
        self.0.to_string()
    }
}
