//! Numbers as expressions compute with them: what WGSL says of each operator and function, in Rust.

use crate::element::Dtype;
use wgpu::naga::{BinaryOperator, MathFunction, ScalarKind};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    F32,
    I32,
    U32,
    F64,
    I64,
    U64,
}

impl Kind {
    /// That of elements; `None` where expressions take none.
    pub fn of(dtype: Dtype) -> Option<Kind> {
        Some(match dtype {
            Dtype::F32 => Kind::F32,
            Dtype::I32 => Kind::I32,
            Dtype::U32 => Kind::U32,
            Dtype::F64 => Kind::F64,
            Dtype::I64 => Kind::I64,
            Dtype::U64 => Kind::U64,
            _ => return None,
        })
    }

    /// That of the front end's; `None` of 16 bits and what is no single number.
    pub fn of_scalar(kind: ScalarKind, width: u8) -> Option<Kind> {
        Some(match (kind, width) {
            (ScalarKind::Bool, _) => Kind::Bool,
            (ScalarKind::Float, 4) => Kind::F32,
            (ScalarKind::Sint, 4) => Kind::I32,
            (ScalarKind::Uint, 4) => Kind::U32,
            (ScalarKind::Float, 8) => Kind::F64,
            (ScalarKind::Sint, 8) => Kind::I64,
            (ScalarKind::Uint, 8) => Kind::U64,
            _ => return None,
        })
    }

    /// The type of elements that are made of it: truth values are 0 and 1.
    pub fn dtype(self) -> Dtype {
        match self {
            Kind::F32 => Dtype::F32,
            Kind::I32 => Dtype::I32,
            Kind::U32 | Kind::Bool => Dtype::U32,
            Kind::F64 => Dtype::F64,
            Kind::I64 => Dtype::I64,
            Kind::U64 => Dtype::U64,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::F32 => "f32",
            Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::F64 => "f64",
            Kind::I64 => "i64",
            Kind::U64 => "u64",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Kind::Bool
    }

    pub fn bits(self) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::F32 | Kind::I32 | Kind::U32 => 32,
            Kind::F64 | Kind::I64 | Kind::U64 => 64,
        }
    }
}

/// Values of one type, one for each element.
#[derive(Clone, Debug)]
pub(super) enum Column {
    Bool(Vec<bool>),
    F32(Vec<f32>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
    U64(Vec<u64>),
}

/// A value of one of the types.
pub(super) trait Lane: Copy {
    const KIND: Kind;
    fn of(column: &Column) -> &[Self];
    fn column(values: Vec<Self>) -> Column;
}

macro_rules! lane {
    ($($type:ident $kind:ident),+) => {$(
        impl Lane for $type {
            const KIND: Kind = Kind::$kind;
            fn of(column: &Column) -> &[$type] {
                if let Column::$kind(values) = column { values } else { &[] }
            }
            fn column(values: Vec<$type>) -> Column {
                Column::$kind(values)
            }
        }
    )+};
}

lane!(bool Bool, f32 F32, i32 I32, u32 U32, f64 F64, i64 I64, u64 U64);

/// A number.
pub(super) trait Number: Lane + PartialOrd {
    /// The numbers that an operator makes of numbers; `None` where it makes none.
    fn operator(op: BinaryOperator, a: &[Self], b: &[Self]) -> Option<Vec<Self>>;
    /// The numbers that a function makes of one number each.
    fn one(function: MathFunction, a: &[Self]) -> Option<Vec<Self>>;
    /// Of two.
    fn two(function: MathFunction, a: &[Self], b: &[Self]) -> Option<Vec<Self>>;
    /// Of three.
    fn three(function: MathFunction, a: &[Self], b: &[Self], c: &[Self]) -> Option<Vec<Self>>;
    fn negated(self) -> Self;
}

/// The results of a function of each value.
pub(super) fn each<A: Copy, R>(a: &[A], f: impl Fn(A) -> R) -> Vec<R> {
    a.iter().map(|&a| f(a)).collect()
}

/// Of each pair.
pub(super) fn each2<A: Copy, B: Copy, R>(a: &[A], b: &[B], f: impl Fn(A, B) -> R) -> Vec<R> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

/// Of each three.
pub(super) fn each3<A: Copy, B: Copy, C: Copy, R>(a: &[A], b: &[B], c: &[C], f: impl Fn(A, B, C) -> R) -> Vec<R> {
    a.iter().zip(b).zip(c).map(|((&a, &b), &c)| f(a, b, c)).collect()
}

/// The results of a comparison of values; `None` where the operator is no comparison.
pub(super) fn compared<T: Copy + PartialOrd>(op: BinaryOperator, a: &[T], b: &[T]) -> Option<Vec<bool>> {
    Some(match op {
        BinaryOperator::Equal => each2(a, b, |a, b| a == b),
        BinaryOperator::NotEqual => each2(a, b, |a, b| a != b),
        BinaryOperator::Less => each2(a, b, |a, b| a < b),
        BinaryOperator::LessEqual => each2(a, b, |a, b| a <= b),
        BinaryOperator::Greater => each2(a, b, |a, b| a > b),
        BinaryOperator::GreaterEqual => each2(a, b, |a, b| a >= b),
        _ => return None,
    })
}

macro_rules! float {
    ($type:ident) => {
        impl Number for $type {
            fn operator(op: BinaryOperator, a: &[$type], b: &[$type]) -> Option<Vec<$type>> {
                Some(match op {
                    BinaryOperator::Add => each2(a, b, |a, b| a + b),
                    BinaryOperator::Subtract => each2(a, b, |a, b| a - b),
                    BinaryOperator::Multiply => each2(a, b, |a, b| a * b),
                    BinaryOperator::Divide => each2(a, b, |a, b| a / b),
                    BinaryOperator::Modulo => each2(a, b, |a, b| a - b * (a / b).trunc()),
                    _ => return None,
                })
            }
            fn one(function: MathFunction, a: &[$type]) -> Option<Vec<$type>> {
                Some(match function {
                    MathFunction::Abs | MathFunction::Length => each(a, $type::abs),
                    MathFunction::Saturate => each(a, |x| x.max(0.0).min(1.0)),
                    MathFunction::Cos => each(a, $type::cos),
                    MathFunction::Cosh => each(a, $type::cosh),
                    MathFunction::Sin => each(a, $type::sin),
                    MathFunction::Sinh => each(a, $type::sinh),
                    MathFunction::Tan => each(a, $type::tan),
                    MathFunction::Tanh => each(a, $type::tanh),
                    MathFunction::Acos => each(a, $type::acos),
                    MathFunction::Asin => each(a, $type::asin),
                    MathFunction::Atan => each(a, $type::atan),
                    MathFunction::Asinh => each(a, $type::asinh),
                    MathFunction::Acosh => each(a, $type::acosh),
                    MathFunction::Atanh => each(a, $type::atanh),
                    MathFunction::Radians => each(a, $type::to_radians),
                    MathFunction::Degrees => each(a, $type::to_degrees),
                    MathFunction::Ceil => each(a, $type::ceil),
                    MathFunction::Floor => each(a, $type::floor),
                    MathFunction::Round => each(a, $type::round_ties_even),
                    MathFunction::Fract => each(a, |x| x - x.floor()),
                    MathFunction::Trunc => each(a, $type::trunc),
                    MathFunction::Exp => each(a, $type::exp),
                    MathFunction::Exp2 => each(a, $type::exp2),
                    MathFunction::Log => each(a, $type::ln),
                    MathFunction::Log2 => each(a, $type::log2),
                    MathFunction::Sqrt => each(a, $type::sqrt),
                    MathFunction::InverseSqrt => each(a, |x| 1.0 / x.sqrt()),
                    MathFunction::Sign => each(a, |x| {
                        if x > 0.0 {
                            1.0
                        } else if x < 0.0 {
                            -1.0
                        } else {
                            0.0
                        }
                    }),
                    _ => return None,
                })
            }
            fn two(function: MathFunction, a: &[$type], b: &[$type]) -> Option<Vec<$type>> {
                Some(match function {
                    MathFunction::Min => each2(a, b, $type::min),
                    MathFunction::Max => each2(a, b, $type::max),
                    MathFunction::Atan2 => each2(a, b, $type::atan2),
                    MathFunction::Pow => each2(a, b, $type::powf),
                    MathFunction::Step => each2(a, b, |edge, x| if edge <= x { 1.0 } else { 0.0 }),
                    MathFunction::Distance => each2(a, b, |a, b| (a - b).abs()),
                    _ => return None,
                })
            }
            fn three(function: MathFunction, a: &[$type], b: &[$type], c: &[$type]) -> Option<Vec<$type>> {
                Some(match function {
                    MathFunction::Clamp => each3(a, b, c, |x, low, high| x.max(low).min(high)),
                    MathFunction::Fma => each3(a, b, c, $type::mul_add),
                    MathFunction::Mix => each3(a, b, c, |a, b, t| a * (1.0 - t) + b * t),
                    MathFunction::SmoothStep => each3(a, b, c, |low, high, x| {
                        let t = ((x - low) / (high - low)).max(0.0).min(1.0);
                        t * t * (3.0 - 2.0 * t)
                    }),
                    _ => return None,
                })
            }
            fn negated(self) -> $type {
                -self
            }
        }
    };
}

float!(f32);
float!(f64);

/// Integers: `negative` tells those that are below zero.
macro_rules! integer {
    ($type:ident $unsigned:ident) => {
        impl Number for $type {
            fn operator(op: BinaryOperator, a: &[$type], b: &[$type]) -> Option<Vec<$type>> {
                Some(match op {
                    BinaryOperator::Add => each2(a, b, $type::wrapping_add),
                    BinaryOperator::Subtract => each2(a, b, $type::wrapping_sub),
                    BinaryOperator::Multiply => each2(a, b, $type::wrapping_mul),
                    BinaryOperator::Divide => each2(a, b, |a, b| if b == 0 { a } else { a.wrapping_div(b) }),
                    BinaryOperator::Modulo => each2(a, b, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
                    BinaryOperator::And => each2(a, b, |a, b| a & b),
                    BinaryOperator::ExclusiveOr => each2(a, b, |a, b| a ^ b),
                    BinaryOperator::InclusiveOr => each2(a, b, |a, b| a | b),
                    _ => return None,
                })
            }
            fn one(function: MathFunction, a: &[$type]) -> Option<Vec<$type>> {
                const BITS: u32 = $type::BITS;
                Some(match function {
                    MathFunction::Abs => each(a, |x| if below_zero(x) { (0 as $type).wrapping_sub(x) } else { x }),
                    MathFunction::Sign if $type::MIN != 0 => {
                        each(a, |x| if below_zero(x) { (0 as $type).wrapping_sub(1) } else { $type::from(x > 0) })
                    }
                    MathFunction::CountTrailingZeros => each(a, |x| x.trailing_zeros() as $type),
                    MathFunction::CountLeadingZeros => each(a, |x| x.leading_zeros() as $type),
                    MathFunction::CountOneBits => each(a, |x| x.count_ones() as $type),
                    MathFunction::ReverseBits => each(a, $type::reverse_bits),
                    MathFunction::FirstTrailingBit => {
                        each(a, |x| if x == 0 { (0 as $type).wrapping_sub(1) } else { x.trailing_zeros() as $type })
                    }
                    MathFunction::FirstLeadingBit => each(a, |x| {
                        let x = if below_zero(x) { !x } else { x };
                        if x == 0 { (0 as $type).wrapping_sub(1) } else { (BITS - 1 - x.leading_zeros()) as $type }
                    }),
                    _ => return None,
                })
            }
            fn two(function: MathFunction, a: &[$type], b: &[$type]) -> Option<Vec<$type>> {
                Some(match function {
                    MathFunction::Min => each2(a, b, |a, b| a.min(b)),
                    MathFunction::Max => each2(a, b, |a, b| a.max(b)),
                    _ => return None,
                })
            }
            fn three(function: MathFunction, a: &[$type], b: &[$type], c: &[$type]) -> Option<Vec<$type>> {
                Some(match function {
                    MathFunction::Clamp => each3(a, b, c, |x, low, high| x.max(low).min(high)),
                    _ => return None,
                })
            }
            fn negated(self) -> $type {
                self.wrapping_neg()
            }
        }

        impl Integer for $type {
            fn left(self, by: u32) -> $type {
                self.wrapping_shl(by)
            }
            fn right(self, by: u32) -> $type {
                self.wrapping_shr(by)
            }
            fn inverted(self) -> $type {
                !self
            }
            fn extracted(self, offset: u32, count: u32) -> $type {
                let offset = offset.min($type::BITS);
                let count = count.min($type::BITS - offset);
                if count == 0 {
                    return 0;
                }
                (self << ($type::BITS - offset - count)) >> ($type::BITS - count)
            }
            fn inserted(self, new: $type, offset: u32, count: u32) -> $type {
                let offset = offset.min($type::BITS);
                let count = count.min($type::BITS - offset);
                if count == 0 {
                    return self;
                }
                let mask = ($unsigned::MAX >> ($unsigned::BITS - count)) << offset;
                ((self as $unsigned & !mask) | (((new as $unsigned) << offset) & mask)) as $type
            }
        }
    };
}

/// Operations that only integers have.
pub(super) trait Integer: Number {
    fn left(self, by: u32) -> Self;
    fn right(self, by: u32) -> Self;
    fn inverted(self) -> Self;
    fn extracted(self, offset: u32, count: u32) -> Self;
    fn inserted(self, new: Self, offset: u32, count: u32) -> Self;
}

fn below_zero<T: PartialOrd + Default>(x: T) -> bool {
    x < T::default()
}

integer!(i32 u32);
integer!(u32 u32);
integer!(i64 u64);
integer!(u64 u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_taken_and_put_as_the_language_has_it() {
        assert_eq!(
            (0xabcd_1234u32.extracted(8, 8), 0xabcd_1234u32.extracted(28, 99), 7u32.extracted(32, 4)),
            (0x12, 0xa, 0)
        );
        assert_eq!((i32::extracted(0x80, 4, 4), (-1i32).extracted(31, 1), 5i32.extracted(3, 0)), (-8, -1, 0));
        assert_eq!(
            (0u32.inserted(0xff, 4, 4), 0xffff_ffffu32.inserted(0, 0, 32), 9i32.inserted(-1, 40, 3)),
            (0xf0, 0, 9)
        );
    }

    #[test]
    fn integers_divide_as_the_language_has_it() {
        let of = |op| i32::operator(op, &[7, i32::MIN, -7], &[0, -1, 2]).expect("an operator");
        assert_eq!((of(BinaryOperator::Divide), of(BinaryOperator::Modulo)), (vec![7, i32::MIN, -3], vec![0, 0, -1]));
        let of = |function, x: &[i32]| i32::one(function, x).expect("a function");
        assert_eq!(of(MathFunction::Sign, &[-9, 0, 4]), [-1, 0, 1]);
        assert_eq!(of(MathFunction::Abs, &[i32::MIN, -3]), [i32::MIN, 3]);
        assert_eq!(of(MathFunction::FirstLeadingBit, &[0, -1, 8, -2]), [-1, -1, 3, 0]);
    }
}
