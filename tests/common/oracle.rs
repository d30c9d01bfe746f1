//! The right answers of exact operators, by arithmetic on big integers: no code is shared with the library.
//!
//! Significands are summed per exponent in `i128`, put in their places in a `BigInt`, and rounded once, by division with
//! remainder (for the norm, by an integer square root) and a comparison of what is left with one half.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;
use std::cmp::Ordering;
use treefold::half::f16;
use treefold::ops::{Dot, Mean, Norm2, Sem, Std, Sum, SumOfSquares, Variance};
use treefold::{Element, Op};

/// A binary float format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

pub const HALF: Format = Format { exponent_bits: 5, fraction_bits: 10 };
pub const SINGLE: Format = Format { exponent_bits: 8, fraction_bits: 23 };
pub const DOUBLE: Format = Format { exponent_bits: 11, fraction_bits: 52 };

impl Format {
    /// The exponent of the last place of the smallest numbers: -24, -149, -1074.
    fn last(self) -> i64 {
        2 - (1 << (self.exponent_bits - 1)) - i64::from(self.fraction_bits)
    }
    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
    pub fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction_bits - 1)
    }
    pub fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }
    fn digits(self) -> i64 {
        i64::from(self.fraction_bits) + 1
    }
}

/// A float, or a product of two: the sign apart, because zeros have one.
#[derive(Clone, Copy, Debug)]
enum Size {
    Nan,
    Infinite,
    /// size · 2^place
    Finite(u128, i64),
}

#[derive(Clone, Copy, Debug)]
pub struct Term {
    negative: bool,
    size: Size,
}

impl Term {
    fn of(bits: u64, format: Format) -> Term {
        let negative = bits & format.sign() != 0;
        let size = bits & !format.sign();
        let (exponent, fraction) = (size >> format.fraction_bits, size % (1 << format.fraction_bits));
        let size = match size.cmp(&format.infinity()) {
            Ordering::Greater => Size::Nan,
            Ordering::Equal => Size::Infinite,
            Ordering::Less if exponent == 0 => Size::Finite(fraction.into(), format.last()),
            Ordering::Less => {
                Size::Finite(u128::from(fraction) + (1 << format.fraction_bits), format.last() + exponent as i64 - 1)
            }
        };
        Term { negative, size }
    }

    fn times(self, other: Term) -> Term {
        let size = match (self.size, other.size) {
            (Size::Finite(a, at), Size::Finite(b, bt)) => Size::Finite(a * b, at + bt),
            (Size::Nan, _) | (_, Size::Nan) => Size::Nan,
            (Size::Finite(0, _), _) | (_, Size::Finite(0, _)) => Size::Nan,
            _ => Size::Infinite,
        };
        Term { negative: self.negative != other.negative, size }
    }
}

/// The lowest place of any term: that of the square of the smallest f64.
pub const PLACE_MIN: i64 = -2148;

/// A sum of terms in real numbers.
#[derive(Clone, Debug)]
pub struct Total {
    nan: bool,
    infinite: [bool; 2],
    pub only_minus_zeros: bool,
    pub count: u64,
    /// In units of 2^PLACE_MIN.
    pub value: BigInt,
}

impl Total {
    pub fn of(terms: impl Iterator<Item = Term>) -> Total {
        let mut total =
            Total { nan: false, infinite: [false; 2], only_minus_zeros: true, count: 0, value: BigInt::zero() };
        let mut places = vec![0i128; 4300];
        for term in terms {
            total.count += 1;
            total.only_minus_zeros &= term.negative && matches!(term.size, Size::Finite(0, _));
            match term.size {
                Size::Nan => total.nan = true,
                Size::Infinite => total.infinite[usize::from(term.negative)] = true,
                Size::Finite(size, place) => {
                    let sum = &mut places[(place - PLACE_MIN) as usize];
                    *sum += if term.negative { -(size as i128) } else { size as i128 };
                }
            }
        }
        for (place, sum) in places.into_iter().enumerate().filter(|&(_, sum)| sum != 0) {
            total.value += BigInt::from(sum) << place;
        }
        total
    }

    /// The answer that is no number: NaN, or the only infinity.
    pub fn special(&self, format: Format) -> Option<u64> {
        match (self.nan, self.infinite) {
            (true, _) | (_, [true, true]) => Some(format.nan()),
            (_, [true, false]) => Some(format.infinity()),
            (_, [false, true]) => Some(format.infinity() | format.sign()),
            _ => None,
        }
    }

    /// The bits of the sum divided by `divisor`.
    pub fn quotient(&self, divisor: u64, format: Format) -> u64 {
        if let Some(special) = self.special(format) {
            return special;
        }
        let minus = self.value.sign() == Sign::Minus || (self.count > 0 && self.only_minus_zeros);
        nearest(self.value.magnitude(), &BigUint::from(divisor), format) | if minus { format.sign() } else { 0 }
    }

    /// The bits of its square root.
    fn root(&self, format: Format) -> u64 {
        self.special(format).unwrap_or_else(|| nearest_root(self.value.magnitude(), format))
    }
}

/// The digits of a float and how what was cut off compares with one half of the last; the bits of the nearest, ties to even.
fn even(digits: BigUint, rest: Ordering, place: i64, format: Format) -> u64 {
    let digits = u64::try_from(digits).expect("at most 53 digits");
    let up = rest == Ordering::Greater || (rest == Ordering::Equal && digits % 2 == 1);
    let implied = 1 << format.fraction_bits;
    let bits = match digits < implied {
        true => {
            assert_eq!(place, format.last(), "leading zeros of a number that is not subnormal");
            digits
        }
        false => (((place - format.last() + 1) as u64) << format.fraction_bits) + digits - implied,
    };
    (bits + u64::from(up)).min(format.infinity())
}

/// a / b, in units of 2^PLACE_MIN, to the nearest float.
pub fn nearest(a: &BigUint, b: &BigUint, format: Format) -> u64 {
    let mut place = (a.bits() as i64 - b.bits() as i64 + PLACE_MIN - format.digits()).max(format.last());
    loop {
        let shift = PLACE_MIN - place;
        let (a, b) = if shift >= 0 { (a << shift, b.clone()) } else { (a.clone(), b << -shift) };
        let (digits, rest) = a.div_rem(&b);
        if digits.bits() as i64 <= format.digits() {
            return even(digits, (rest * 2u32).cmp(&b), place, format);
        }
        place += 1;
    }
}

/// The bits of the f32 nearest to a sum of two's complement words, in units of 2^`unit`, divided by a number.
#[allow(dead_code, reason = "not every test binary divides")]
pub fn nearest_quotient(words: &[u32], unit: i64, divisor: u64) -> u32 {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let sum = BigInt::from_signed_bytes_le(&bytes);
    let size = sum.magnitude() << (unit - PLACE_MIN);
    let sign = if sum.sign() == Sign::Minus { SINGLE.sign() } else { 0 };
    (nearest(&size, &BigUint::from(divisor), SINGLE) | sign) as u32
}

/// The root of a, in units of 2^PLACE_MIN, to the nearest float.
fn nearest_root(a: &BigUint, format: Format) -> u64 {
    // a root in units of 2^place is the root of a in units of 4^place.
    let mut place = ((a.bits() as i64 + PLACE_MIN) / 2 - format.digits() - 1).max(format.last());
    loop {
        let shift = PLACE_MIN - 2 * place;
        let (a, unit) = if shift >= 0 { (a << shift, 0) } else { (a.clone(), -shift) };
        let digits = (&a >> unit).sqrt();
        if digits.bits() as i64 <= format.digits() {
            // The root lies above digits + 1/2 where 4a lies above (2·digits + 1)².
            let odd = (&digits << 1) + 1u32;
            return even(digits, (a * 4u32).cmp(&((&odd * &odd) << unit)), place, format);
        }
        place += 1;
    }
}

/// The root of a / b in units of 2^PLACE_MIN to the nearest float.
pub fn nearest_root_of_quotient(a: &BigUint, b: &BigUint, format: Format) -> u64 {
    let mut place = ((a.bits() as i64 - b.bits() as i64 + PLACE_MIN) / 2 - format.digits() - 2).max(format.last());
    loop {
        // In units of 4^place.
        let shift = PLACE_MIN - 2 * place;
        let (a, b) = if shift >= 0 { (a << shift, b.clone()) } else { (a.clone(), b << -shift) };
        let digits = (&a / &b).sqrt();
        if digits.bits() as i64 <= format.digits() {
            let odd = (&digits << 1) + 1u32;
            return even(digits, (a * 4u32).cmp(&(&odd * &odd * b)), place, format);
        }
        place += 1;
    }
}

/// The bits of sum (f32), mean and deviation (f64) of f32.
pub fn summary(elements: &[f32], ddof: u64) -> (u32, Option<u64>, Option<u64>) {
    let sum = Total::of(terms(elements, SINGLE));
    let n = sum.count;
    let mean = (n > 0).then(|| sum.quotient(n, DOUBLE));
    let deviation = spread(&sum, squares(elements, SINGLE), ddof, nearest_root_of_quotient);
    (sum.quotient(1, SINGLE) as u32, mean, deviation)
}

/// (n·Q - S²) / (n·(n - ddof)), or its root, as the bits of an f64; `None` where n <= ddof.
fn spread(
    sum: &Total,
    squares: impl Iterator<Item = Term>,
    ddof: u64,
    nearest: impl Fn(&BigUint, &BigUint, Format) -> u64,
) -> Option<u64> {
    let n = sum.count;
    (n > ddof).then(|| {
        if sum.special(DOUBLE).is_some() {
            return DOUBLE.nan();
        }
        // The square of the sum stands in units of 4^PLACE_MIN.
        let squares = Total::of(squares).value << -PLACE_MIN;
        let spread: BigInt = squares * n - &sum.value * &sum.value;
        let divisor = (BigUint::from(n) * (n - ddof)) << -PLACE_MIN;
        nearest(spread.magnitude(), &divisor, DOUBLE)
    })
}

/// A variance or deviation of floats.
fn spread_floats<T: Element>(x: &[T], format: Format, nearest: fn(&BigUint, &BigUint, Format) -> u64) -> Option<u128> {
    spread(&Total::of(terms(x, format)), squares(x, format), 0, nearest).map(u128::from)
}

pub fn integers<T: Copy + Into<i128>>(x: &[T]) -> impl Iterator<Item = Term> {
    x.iter().map(|&x| x.into()).map(|x| Term { negative: x < 0, size: Size::Finite(x.unsigned_abs(), 0) })
}

/// The products of integers of up to 64 bits, by halves: one may have 128 bits.
pub fn integer_products<T: Copy + Into<i128>>(pairs: impl Iterator<Item = [T; 2]>) -> impl Iterator<Item = Term> {
    pairs.map(|pair| pair.map(Into::into)).flat_map(|[x, y]| {
        let negative = (x < 0) != (y < 0);
        let ([x, x_up], [y, y_up]) = (halves(x), halves(y));
        [(x * y, 0), (x_up * y, 32), (x * y_up, 32), (x_up * y_up, 64)]
            .map(|(size, place)| Term { negative, size: Size::Finite(size, place) })
    })
}

fn halves(x: i128) -> [u128; 2] {
    [x.unsigned_abs() % (1 << 32), x.unsigned_abs() >> 32]
}

fn integer_squares<T: Copy + Into<i128>>(x: &[T]) -> impl Iterator<Item = Term> {
    integer_products(x.iter().map(|&x| [x, x]))
}

/// The same of integers.
fn spread_integers<T: Copy + Into<i128>>(x: &[T], nearest: fn(&BigUint, &BigUint, Format) -> u64) -> Option<u128> {
    spread(&Total::of(integers(x)), integer_squares(x), 0, nearest).map(u128::from)
}

/// The root of a variance of these elements divided by their number; ddof 1.
fn mean_error(sum: &Total, squares: impl Iterator<Item = Term>) -> Option<u128> {
    let n = sum.count;
    spread(sum, squares, 1, |a, b, format| nearest_root_of_quotient(a, &(b * n), format)).map(u128::from)
}

fn root(total: Total, format: Format) -> Option<u128> {
    Some(total.root(format).into())
}

/// The bits of an f64.
fn double(x: &Option<f64>) -> Option<u128> {
    x.map(|x| x.to_bits().into())
}

pub fn terms<T: Element>(elements: &[T], format: Format) -> impl Iterator<Item = Term> {
    elements.iter().map(move |x| Term::of(x.pattern(), format))
}

fn squares<T: Element>(elements: &[T], format: Format) -> impl Iterator<Item = Term> {
    terms(elements, format).map(|term| term.times(term))
}

pub fn products<T: Element>(pairs: &[[T; 2]], format: Format) -> impl Iterator<Item = Term> {
    pairs.iter().map(move |pair| {
        let [a, b] = pair.map(|x| Term::of(x.pattern(), format));
        a.times(b)
    })
}

/// An exact operator, its one right answer, and that answer's bits as host and device tell it.
pub trait Exactly<T: Element>: Op<T> + Default {
    /// The bits of the answer; `None` where there is none.
    fn want(elements: &[T]) -> Option<u128>;
    /// The bits of the library's answer.
    fn told(output: &Self::Output) -> Option<u128>;
}

macro_rules! exactly {
    ($($op:ident<$type:ty> = |$x:ident| $want:expr, |$out:ident| $told:expr;)*) => {$(
        impl Exactly<$type> for $op {
            fn want($x: &[$type]) -> Option<u128> {
                $want
            }
            fn told($out: &<$op as Op<$type>>::Output) -> Option<u128> {
                $told
            }
        }
    )*};
}

fn sum(total: Total, format: Format) -> Option<u128> {
    Some(total.quotient(1, format).into())
}

fn mean(total: Total, format: Format) -> Option<u128> {
    (total.count > 0).then(|| total.quotient(total.count, format).into())
}

exactly! {
    Sum<f32> = |x| sum(Total::of(terms(x, SINGLE)), SINGLE), |out| Some(out.to_bits().into());
    Sum<f16> = |x| sum(Total::of(terms(x, HALF)), SINGLE), |out| Some(out.to_bits().into());
    Sum<f64> = |x| sum(Total::of(terms(x, DOUBLE)), DOUBLE), |out| Some(out.to_bits().into());
    Mean<f32> = |x| mean(Total::of(terms(x, SINGLE)), SINGLE), |out| out.map(|out| out.to_bits().into());
    Mean<f16> = |x| mean(Total::of(terms(x, HALF)), SINGLE), |out| out.map(|out| out.to_bits().into());
    Mean<f64> = |x| mean(Total::of(terms(x, DOUBLE)), DOUBLE), |out| out.map(|out| out.to_bits().into());
    SumOfSquares<f32> = |x| sum(Total::of(squares(x, SINGLE)), SINGLE), |out| Some(out.to_bits().into());
    SumOfSquares<f64> = |x| sum(Total::of(squares(x, DOUBLE)), DOUBLE), |out| Some(out.to_bits().into());
    SumOfSquares<i32> = |x| Some(x.iter().map(|&x| u128::from(x.unsigned_abs()).pow(2)).sum()), |out| Some(*out);
    SumOfSquares<u32> = |x| Some(x.iter().map(|&x| u128::from(x).pow(2)).sum()), |out| Some(*out);
    Norm2<f32> = |x| root(Total::of(squares(x, SINGLE)), SINGLE), |out| Some(out.to_bits().into());
    Norm2<f64> = |x| root(Total::of(squares(x, DOUBLE)), DOUBLE), |out| Some(out.to_bits().into());
    Norm2<i32> = |x| root(Total::of(integer_squares(x)), DOUBLE), |out| Some(out.to_bits().into());
    Norm2<i64> = |x| root(Total::of(integer_squares(x)), DOUBLE), |out| Some(out.to_bits().into());
    Norm2<u64> = |x| root(Total::of(integer_squares(x)), DOUBLE), |out| Some(out.to_bits().into());
    Dot<[f32; 2]> = |x| sum(Total::of(products(x, SINGLE)), SINGLE), |out| Some(out.to_bits().into());
    Dot<[f64; 2]> = |x| sum(Total::of(products(x, DOUBLE)), DOUBLE), |out| Some(out.to_bits().into());
    Dot<[i64; 2]> = |x| Some(x.iter().map(|&[x, y]| i128::from(x) * i128::from(y)).sum::<i128>() as u128), |out| Some(*out as u128);
    Dot<[u64; 2]> = |x| Some(x.iter().map(|&[x, y]| u128::from(x) * u128::from(y)).sum()), |out| Some(*out);
    Mean<i32> = |x| mean(Total::of(integers(x)), DOUBLE), |out| double(out);
    Mean<u32> = |x| mean(Total::of(integers(x)), DOUBLE), |out| double(out);
    Mean<i64> = |x| mean(Total::of(integers(x)), DOUBLE), |out| double(out);
    Mean<u64> = |x| mean(Total::of(integers(x)), DOUBLE), |out| double(out);
    Variance<f32> = |x| spread_floats(x, SINGLE, nearest), |out| double(out);
    Variance<f64> = |x| spread_floats(x, DOUBLE, nearest), |out| double(out);
    Variance<i64> = |x| spread_integers(x, nearest), |out| double(out);
    Variance<u64> = |x| spread_integers(x, nearest), |out| double(out);
    Variance<i32> = |x| spread_integers(x, nearest), |out| double(out);
    Variance<u32> = |x| spread_integers(x, nearest), |out| double(out);
    Std<f32> = |x| spread_floats(x, SINGLE, nearest_root_of_quotient), |out| double(out);
    Std<f64> = |x| spread_floats(x, DOUBLE, nearest_root_of_quotient), |out| double(out);
    Std<i64> = |x| spread_integers(x, nearest_root_of_quotient), |out| double(out);
    Std<u64> = |x| spread_integers(x, nearest_root_of_quotient), |out| double(out);
    Std<i32> = |x| spread_integers(x, nearest_root_of_quotient), |out| double(out);
    Std<u32> = |x| spread_integers(x, nearest_root_of_quotient), |out| double(out);
    Sem<f32> = |x| mean_error(&Total::of(terms(x, SINGLE)), squares(x, SINGLE)), |out| double(out);
    Sem<f64> = |x| mean_error(&Total::of(terms(x, DOUBLE)), squares(x, DOUBLE)), |out| double(out);
    Sem<i32> = |x| mean_error(&Total::of(integers(x)), integer_squares(x)), |out| double(out);
    Sem<u32> = |x| mean_error(&Total::of(integers(x)), integer_squares(x)), |out| double(out);
    Sem<i64> = |x| mean_error(&Total::of(integers(x)), integer_squares(x)), |out| double(out);
    Sem<u64> = |x| mean_error(&Total::of(integers(x)), integer_squares(x)), |out| double(out);
    Sum<i64> = |x| Some(x.iter().map(|&x| i128::from(x)).sum::<i128>() as u128), |out| Some(*out as u128);
    Sum<u64> = |x| Some(x.iter().map(|&x| u128::from(x)).sum()), |out| Some(*out);
}
