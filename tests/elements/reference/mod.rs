//! What every operator answers about a short input, from its page: plain loops over real numbers, of which no line is the library's.

mod exact;
mod near;
mod order;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use treefold::half::{bf16, f16};
use treefold::{Dtype, Element, Value};

/// A number of any type: a float of up to 64 bits, or an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Float(f64),
    Whole(i128),
}

impl Number {
    pub fn is_nan(self) -> bool {
        matches!(self, Number::Float(x) if x.is_nan())
    }
    fn is_zero(self) -> bool {
        matches!(self, Number::Float(0.0) | Number::Whole(0))
    }
    fn float(self) -> f64 {
        match self {
            Number::Float(x) => x,
            Number::Whole(x) => x as f64,
        }
    }
    fn whole(self) -> i128 {
        match self {
            Number::Float(x) => unreachable!("{x} among integers"),
            Number::Whole(x) => x,
        }
    }
}

/// The numbers that an element consists of.
pub fn numbers_of<T: Element>(element: &T) -> Vec<Number> {
    let dtype = crate::common::numbers::<T>();
    let bytes = bytemuck::bytes_of(element);
    let each = (dtype.bytes() as usize).min(bytes.len());
    let bits = |part: &[u8]| part.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
    bytes.chunks(each).map(|part| number_of(dtype, bits(part))).collect()
}

fn number_of(dtype: Dtype, bits: u64) -> Number {
    match dtype {
        Dtype::F32 => Number::Float(f32::from_bits(bits as u32).into()),
        Dtype::F16 => Number::Float(f16::from_bits(bits as u16).into()),
        Dtype::BF16 => Number::Float(bf16::from_bits(bits as u16).into()),
        Dtype::F64 => Number::Float(f64::from_bits(bits)),
        Dtype::I8 => Number::Whole((bits as i8).into()),
        Dtype::U8 => Number::Whole((bits as u8).into()),
        Dtype::I16 => Number::Whole((bits as i16).into()),
        Dtype::U16 => Number::Whole((bits as u16).into()),
        Dtype::I32 => Number::Whole((bits as i32).into()),
        Dtype::U32 => Number::Whole((bits as u32).into()),
        Dtype::I64 => Number::Whole((bits as i64).into()),
        _ => Number::Whole(bits.into()),
    }
}

/// What a part of an answer must be.
#[derive(Clone, Debug)]
pub enum Want {
    /// No answer.
    Nothing,
    Bool(bool),
    /// This whole number, in a type of integers.
    Whole(BigInt),
    /// These bits: a float, or an integer in two's complement of 128 bits.
    Bits(u128),
    /// The f32, or f64, of this value; every NaN is one.
    Float(f64),
    /// A float within so much of this; of the complex number of two, both parts.
    Near([f64; 2], f64),
}

/// A part of an answer: its name, what it must be, and where it stands.
pub type Told = (&'static str, Want, Option<u64>);

/// Whatever is right; `None` where the page promises nothing.
pub type Answer = Option<Result<Vec<Told>, &'static str>>;

/// One value, `value`.
pub fn one(want: Want) -> Answer {
    Some(Ok(vec![("value", want, None)]))
}

/// What an operator answers about these elements, by the type that it is over; the options that it needs are those of [`OPTIONS`].
pub fn answer<T: Element>(name: &str, elements: &[T]) -> Answer {
    let numbers: Vec<Vec<Number>> = elements.iter().map(numbers_of).collect();
    let alone: Vec<Number> = numbers.iter().map(|numbers| numbers[0]).collect();
    if name == "hash" {
        return order::hash(elements);
    }
    exact::answer(name, elements, &numbers)
        .or_else(|| order::answer(name, T::DTYPE, &alone))
        .unwrap_or_else(|| near::answer(name, T::DTYPE, &numbers, &alone))
}

/// Options of operators that say little without, or much by default.
pub const OPTIONS: [(&str, &[(&str, &str)]); 9] = [
    ("count_if", &[("compare", "> 1")]),
    ("find_first", &[("compare", "<= 1")]),
    ("find_last", &[("compare", "<= 1")]),
    ("norm", &[("p", "3")]),
    ("top", &[("k", "3")]),
    ("bottom", &[("k", "5")]),
    ("histogram", &[("bins", "5"), ("range", "-2:3")]),
    ("histogram2d", &[("bins", "3"), ("range", "-2:3"), ("bins_y", "2"), ("range_y", "0:1.5")]),
    ("logsumexp", &[("scale", "0.5")]),
];

pub fn options(name: &str) -> &'static [(&'static str, &'static str)] {
    OPTIONS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, options)| options)
}

/// Whether answers of floats over such elements are f32.
fn is_single(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::F32 | Dtype::F16 | Dtype::F32x2 | Dtype::C64)
}

impl Want {
    /// Whether a value is that.
    pub fn is(&self, value: Value) -> bool {
        let parts = match value {
            Value::C64(z) => [f64::from(z.re), f64::from(z.im)],
            Value::C128(z) => [z.re, z.im],
            value => [value.to_f64().unwrap_or(f64::NAN), 0.0],
        };
        match (self, value) {
            (Want::Nothing, value) => value == Value::None,
            (_, Value::None) => false,
            (Want::Bool(want), value) => value == Value::Bool(*want),
            (Want::Whole(want), value) => whole_of(value).as_ref() == Some(want),
            (Want::Bits(want), value) => bits_of(value) == Some(*want),
            (Want::Float(want), Value::F32(x)) => {
                x.to_bits() == (*want as f32).to_bits() || x.is_nan() && want.is_nan()
            }
            (Want::Float(want), Value::F64(x)) => x.to_bits() == want.to_bits() || x.is_nan() && want.is_nan(),
            (Want::Near(want, slack), Value::F32(_) | Value::F64(_) | Value::C64(_) | Value::C128(_)) => {
                // Of a wanted infinity, and of what is exact, nothing else is near: a zero of the other sign neither.
                let near = |(&got, &want): (&f64, &f64)| match want.is_finite() && *slack > 0.0 {
                    true => (got - want).abs() <= *slack,
                    false => got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                };
                parts.iter().zip(want).all(near)
            }
            _ => false,
        }
    }
}

fn whole_of(value: Value) -> Option<BigInt> {
    match value {
        Value::I64(x) => Some(x.into()),
        Value::U64(x) => Some(x.into()),
        Value::I128(x) => Some(x.into()),
        Value::U128(x) => Some(x.into()),
        _ => None,
    }
}

fn bits_of(value: Value) -> Option<u128> {
    match value {
        Value::F32(x) => Some(x.to_bits().into()),
        Value::F64(x) => Some(x.to_bits().into()),
        value => whole_of(value).and_then(|x| x.to_u128().or_else(|| x.to_i128().map(|x| x as u128))),
    }
}
