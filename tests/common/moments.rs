//! The right skewness and kurtosis, by arithmetic on big integers: from distances to the mean, not from sums of powers.

use super::oracle::{DOUBLE, Exactly, nearest, nearest_root_of_quotient};
use super::relations::ratio;
use num_bigint::{BigInt, Sign};
use treefold::Element;
use treefold::ops::{Kurtosis, Skewness};

/// A number in units of the smallest of its type; `None` of what is not finite.
trait Whole: Element {
    fn whole(self) -> Option<BigInt>;
}

impl Whole for f32 {
    fn whole(self) -> Option<BigInt> {
        let (exponent, fraction) = (self.to_bits() >> 23 & 255, self.to_bits() & 0x7f_ffff);
        let digits = if exponent == 0 { fraction } else { fraction | 1 << 23 };
        let size = BigInt::from(digits) << (exponent.max(1) - 1);
        (exponent < 255).then_some(if self.is_sign_negative() { -size } else { size })
    }
}

impl Whole for i32 {
    fn whole(self) -> Option<BigInt> {
        Some(self.into())
    }
}

impl Whole for u32 {
    fn whole(self) -> Option<BigInt> {
        Some(self.into())
    }
}

/// n, and the sums of powers of n times the distance of each element from the mean; `None` where one is not finite.
fn powers<T: Whole>(elements: &[T]) -> Option<(BigInt, [BigInt; 3])> {
    let all: Vec<BigInt> = elements.iter().map(|&x| x.whole()).collect::<Option<_>>()?;
    let (n, sum) = (BigInt::from(all.len()), all.iter().sum::<BigInt>());
    let power = |power| all.iter().map(|x| (x * &n - &sum).pow(power)).sum::<BigInt>();
    Some((n.clone(), [2, 3, 4].map(power)))
}

fn skewness<T: Whole>(elements: &[T]) -> Option<u128> {
    let answer = || match powers(elements) {
        None => DOUBLE.nan(),
        Some((n, [squares, cubes, _])) => {
            let negative = cubes.sign() == Sign::Minus;
            ratio(&(n * cubes.pow(2)), &squares.pow(3), nearest_root_of_quotient, negative, DOUBLE)
        }
    };
    (!elements.is_empty()).then(|| answer().into())
}

fn kurtosis<T: Whole>(elements: &[T]) -> Option<u128> {
    let answer = || match powers(elements) {
        None => DOUBLE.nan(),
        Some((n, [squares, _, fourths])) => {
            let more = n * fourths - squares.pow(2) * 3;
            ratio(&more, &squares.pow(2), nearest, more.sign() == Sign::Minus, DOUBLE)
        }
    };
    (!elements.is_empty()).then(|| answer().into())
}

macro_rules! moments {
    ($($type:ty),+) => {$(
        impl Exactly<$type> for Skewness {
            fn want(elements: &[$type]) -> Option<u128> {
                skewness(elements)
            }
            fn told(output: &Option<f64>) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }

        impl Exactly<$type> for Kurtosis {
            fn want(elements: &[$type]) -> Option<u128> {
                kurtosis(elements)
            }
            fn told(output: &Option<f64>) -> Option<u128> {
                output.map(|out| out.to_bits().into())
            }
        }
    )+};
}

moments!(f32, i32, u32);
