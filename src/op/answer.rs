//! Answers as plain values, for programs that print or store them without knowing the operator.

use crate::element::Complex;
use half::f16;

/// One value of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// There is no answer: a minimum of nothing, say.
    None,
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U64(u64),
    /// A signed integer of 128 bits.
    I128(i128),
    /// An unsigned integer of 128 bits.
    U128(u128),
    /// A binary32 float.
    F32(f32),
    /// A binary64 float.
    F64(f64),
    /// A complex number of two binary32 floats.
    C64(Complex<f32>),
    /// A complex number of two binary64 floats.
    C128(Complex<f64>),
}

impl Value {
    /// The value as `f64`, which rounds integers beyond 2^53; `None` for what is no number.
    pub fn to_f64(self) -> Option<f64> {
        match self {
            Value::F32(x) => Some(x.into()),
            Value::F64(x) => Some(x),
            Value::I64(x) => Some(x as f64),
            Value::U64(x) => Some(x as f64),
            Value::I128(x) => Some(x as f64),
            Value::U128(x) => Some(x as f64),
            Value::None | Value::Bool(_) | Value::C64(_) | Value::C128(_) => None,
        }
    }
}

/// One value of an answer, its name, and its place in the input where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The name, `"value"` where the answer has one part only.
    pub name: &'static str,
    /// The value.
    pub value: Value,
    /// The place in the input, for what was found there.
    pub index: Option<u64>,
}

impl Part {
    /// A value without a place.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Part {
        Part { name, value: value.into(), index: None }
    }
}

/// The edges of an answer's bins, along one axis.
///
/// ```
/// use treefold::ops::Histogram;
/// let axis = Histogram::integers(-1, 1)?.axis();
/// assert_eq!((&axis.edges[..], axis.lowest), (&[-1.5, -0.5, 0.5, 1.5][..], Some(-1)));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BinAxis {
    /// The edges, one more than there are bins.
    pub edges: Vec<f64>,
    /// The whole number of the first bin, where each bin is one whole number.
    pub lowest: Option<i64>,
}

/// An operator's answer, as a list of named values.
pub trait Answer {
    /// The parts, in the order in which people want to read them.
    fn parts(&self) -> Vec<Part>;
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}

macro_rules! values {
    ($($type:ty => $variant:ident as $wide:ty),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Value {
                Value::$variant(<$wide>::from(value))
            }
        }
        impl Answer for $type {
            fn parts(&self) -> Vec<Part> {
                vec![Part::new("value", *self)]
            }
        }
        impl Answer for Option<$type> {
            fn parts(&self) -> Vec<Part> {
                vec![Part::new("value", *self)]
            }
        }
    )*};
}

values!(bool => Bool as bool, f16 => F32 as f32, i32 => I64 as i64, u32 => U64 as u64, i64 => I64 as i64, u64 => U64 as u64, i128 => I128 as i128, u128 => U128 as u128, f32 => F32 as f32, f64 => F64 as f64, Complex<f32> => C64 as Complex<f32>, Complex<f64> => C128 as Complex<f64>);

impl<T: Copy + Into<Value>> Answer for Option<(T, T)> {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("min", self.map(|ends| ends.0)), Part::new("max", self.map(|ends| ends.1))]
    }
}
