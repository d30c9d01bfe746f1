//! Operators by name behind expressions, which are compiled here once for all programs.

use super::{Visitor, handed, named};
use crate::element::{Dtype, Element, Scalar};
use crate::error::{Error, Result};
use crate::op::{Accumulator, Answer, Combining, DynOp, Expression};
use std::any::Any;

/// The operator of that name over what an expression makes, as an operator over what it takes: handed to `visitor`.
///
/// `None` where there is no such operator, or it does not take what is made.
///
/// ```
/// use treefold::{Cpu, Dtype, DynOp, Element, Expression, ops::{self, Visitor}};
/// struct Called(Vec<f64>);
/// impl Visitor for Called {
///     type Out = treefold::Result<String>;
///     fn visit<T: Element>(self, op: DynOp<T>) -> Self::Out {
///         let elements: Vec<T> = bytemuck::cast_slice(&self.0).to_vec();
///         Ok(format!("{:?}", Cpu::new().reduce(op, &elements)?))
///     }
/// }
/// let square = Expression::of_element("x * x", Dtype::F64)?;
/// let found = ops::visit_mapped("sum", &square, &[], Called(vec![3.0, 4.0]))?.expect("an operator of that name")?;
/// assert_eq!(found, "25.0");
/// # Ok::<(), treefold::Error>(())
/// ```
///
/// # Errors
/// As [`visit_with`](super::visit_with) has them.
pub fn visit_mapped<V: Visitor>(
    name: &str,
    map: &Expression,
    options: &[(&str, &str)],
    visitor: V,
) -> Result<Option<V::Out>> {
    let Some(op) = named(name, map.makes(), options)? else { return Ok(None) };
    Ok(behind(op, Some(map))?.and_then(|op| handed(op, map.takes(), visitor)))
}

/// [`Combining`] of an identity, as text, and an expression, behind another one where there is a map: handed to `visitor`. `None` where types do
/// not fit.
///
/// # Errors
/// [`Error::BadOption`] where the identity is no number of that type.
pub fn visit_combining<V: Visitor>(
    identity: &str,
    combine: &Expression,
    commutative: bool,
    map: Option<&Expression>,
    visitor: V,
) -> Result<Option<V::Out>> {
    let op = combining(identity, combine, commutative)?;
    let dtype = map.map_or(combine.takes(), Expression::takes);
    Ok(behind(op, map)?.and_then(|op| handed(op, dtype, visitor)))
}

/// Calls a generic function for a type of which expressions are.
macro_rules! by_type {
    ($dtype:expr, $function:ident::<$($before:ident,)? _>($($argument:expr),*), $none:expr) => {
        match $dtype {
            Dtype::F32 => $function::<$($before,)? f32>($($argument),*),
            Dtype::I32 => $function::<$($before,)? i32>($($argument),*),
            Dtype::U32 => $function::<$($before,)? u32>($($argument),*),
            Dtype::F64 => $function::<$($before,)? f64>($($argument),*),
            Dtype::I64 => $function::<$($before,)? i64>($($argument),*),
            Dtype::U64 => $function::<$($before,)? u64>($($argument),*),
            _ => $none,
        }
    };
}

/// A [`DynOp`] over what the map makes as one over what it takes.
fn behind(op: Box<dyn Any>, map: Option<&Expression>) -> Result<Option<Box<dyn Any>>> {
    fn made<T: Element, U: Element>(op: Box<dyn Any>, map: &Expression) -> Result<Option<Box<dyn Any>>> {
        let Ok(op) = op.downcast::<DynOp<U>>() else { return Ok(None) };
        Ok(Some(Box::new(DynOp::<T>::of(map.map::<T, U, _>(*op)?))))
    }
    fn taken<T: Element>(op: Box<dyn Any>, map: &Expression) -> Result<Option<Box<dyn Any>>> {
        by_type!(map.makes(), made::<T, _>(op, map), Ok(None))
    }
    match map {
        Some(map) => by_type!(map.takes(), taken::<_>(op, map), Ok(None)),
        None => Ok(Some(op)),
    }
}

fn combining(identity: &str, combine: &Expression, commutative: bool) -> Result<Box<dyn Any>> {
    fn of<U: Scalar + Accumulator + Answer + std::str::FromStr>(
        identity: &str,
        combine: &Expression,
        commutative: bool,
    ) -> Result<Box<dyn Any>> {
        let text = identity.trim();
        let number = text.parse::<U>().map_err(|_| refused(identity, combine.takes()))?;
        // A number that is too large for the type is read as infinity.
        let infinite = ["inf", "-inf", "+inf"].contains(&number.to_string().as_str());
        if infinite && !text.to_lowercase().contains("inf") {
            return Err(refused(identity, combine.takes()));
        }
        let op = Combining::new(number, combine.clone())?;
        Ok(Box::new(DynOp::<U>::of(if commutative { op.commutative() } else { op })))
    }
    by_type!(combine.takes(), of::<_>(identity, combine, commutative), Err(refused(identity, combine.takes())))
}

fn refused(identity: &str, dtype: Dtype) -> Error {
    let (operator, option) = ("reduce".into(), "identity".into());
    Error::BadOption { operator, option, value: identity.into(), rule: format!("a number of type {dtype}") }
}
