//! Complex numbers: exact sums and means of both parts, the exact norm, and the product.

use super::doubles::{NO_F64, as_normal, no_wgsl, scaled};
use super::{Mean, Norm2, Product, Sum};
use crate::element::Complex;
use crate::op::{Components, ComponentsFold, Member, join, split};
use crate::{Acc, Accumulator, DeviceAnswer, Fold, Op, Result, Wgsl, accumulator};
use std::ops::Range;

/// An exact answer of both parts, which is that of the real numbers in each.
macro_rules! of_both_parts {
    ($($op:ident over $float:ident: $output:ty, |$both:ident| $answer:expr;)+) => {$(
        impl Op<Complex<$float>> for $op {
            type Fold = ComponentsFold<<$op as Op<$float>>::Fold, 2>;
            type Output = $output;
            const NAME: &'static str = <$op as Op<$float>>::NAME;
            const ABOUT: &'static str = <$op as Op<$float>>::ABOUT;
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                Op::<Complex<$float>>::fold(&Components::<$op, 2>($op))
            }
            fn finish(&self, acc: Acc<Complex<$float>, Self>, count: u64) -> Result<$output> {
                let $both = Op::<Complex<$float>>::finish(&Components::<$op, 2>($op), acc, count)?;
                Ok($answer)
            }
            fn read(&self, words: &[u32], count: u64) -> Result<$output> {
                let $both = Op::<Complex<$float>>::read(&Components::<$op, 2>($op), words, count)?;
                Ok($answer)
            }
            fn answers(&self, leaf: usize, out: &mut Vec<(Range<usize>, Option<DeviceAnswer>)>) -> usize {
                Op::<Complex<$float>>::answers(&Components::<$op, 2>($op), leaf, out)
            }
        }
    )+};
}

of_both_parts! {
    Sum over f32: Complex<f32>, |both| both.into();
    Sum over f64: Complex<f64>, |both| both.into();
    Mean over f32: Option<Complex<f32>>, |both| mean_of(both);
    Mean over f64: Option<Complex<f64>>, |both| mean_of(both);
}

fn mean_of<F>([re, im]: [Option<F>; 2]) -> Option<Complex<F>> {
    Some(Complex { re: re?, im: im? })
}

/// The norm of all real numbers in it.
macro_rules! norm_of_parts {
    ($($float:ident),+) => {$(
        impl Op<Complex<$float>> for Norm2 {
            type Fold = ComponentsFold<<Norm2 as Op<$float>>::Fold, 2>;
            type Output = $float;
            const NAME: &'static str = <Norm2 as Op<$float>>::NAME;
            const ABOUT: &'static str = <Norm2 as Op<$float>>::ABOUT;
            const EXACT: bool = true;

            fn fold(&self) -> Self::Fold {
                Op::<Complex<$float>>::fold(&Components::<Norm2, 2>(Norm2))
            }
            fn finish(&self, [re, im]: Acc<Complex<$float>, Self>, count: u64) -> Result<$float> {
                let all = Fold::<$float>::combine(&Op::<$float>::fold(self), re, im);
                Op::<$float>::finish(self, all, count.saturating_mul(2))
            }
        }
    )+};
}

norm_of_parts!(f32, f64);

/// A number that is not finite was among the elements.
const NOT_FINITE: u32 = 1;
/// A zero was.
const ZERO: u32 = 2;

/// A complex product, (re + i·im)·2^exponent: the larger part is in [1, 2), so that nothing overflows or underflows on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplexProduct {
    re: f64,
    im: f64,
    exponent: i64,
    flags: u32,
}

impl ComplexProduct {
    const ONE: ComplexProduct = ComplexProduct { re: 1.0, im: 0.0, exponent: 0, flags: 0 };

    fn of(re: f64, im: f64) -> ComplexProduct {
        match re.abs().max(im.abs()) {
            _ if !(re.is_finite() && im.is_finite()) => ComplexProduct { flags: NOT_FINITE, ..ComplexProduct::ONE },
            0.0 => ComplexProduct { flags: ZERO, ..ComplexProduct::ONE },
            _ => ComplexProduct { re, im, exponent: 0, flags: 0 }.normal(),
        }
    }

    /// The same with the larger part in [1, 2).
    fn normal(self) -> ComplexProduct {
        let (_, by) = as_normal(self.re.abs().max(self.im.abs()));
        let (re, im) = (scaled(self.re, -by), scaled(self.im, -by));
        ComplexProduct { re, im, exponent: self.exponent.wrapping_add(by), ..self }
    }

    fn times(self, other: ComplexProduct) -> ComplexProduct {
        ComplexProduct {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
            exponent: self.exponent.wrapping_add(other.exponent),
            flags: self.flags | other.flags,
        }
        .normal()
    }

    fn value(self) -> Complex<f64> {
        match self.flags {
            0 => Complex { re: scaled(self.re, self.exponent), im: scaled(self.im, self.exponent) },
            ZERO => Complex { re: 0.0, im: 0.0 },
            _ => Complex { re: f64::NAN, im: f64::NAN },
        }
    }
}

impl Accumulator for ComplexProduct {
    const WORDS: usize = 7;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        split(self.re.to_bits(), &mut words[..2]);
        split(self.im.to_bits(), &mut words[2..4]);
        split(self.exponent as u64, &mut words[4..6]);
        words[6] = self.flags;
    }
    fn read(words: &[u32]) -> Self {
        let (re, im) = (f64::from_bits(join(&words[..2])), f64::from_bits(join(&words[2..4])));
        ComplexProduct { re, im, exponent: join(&words[4..6]) as i64, flags: words[6] }
    }
}

accumulator! {
    /// The same in f32.
    pub struct ComplexProductF32 {
        /// The real part.
        re: f32,
        /// The imaginary part.
        im: f32,
        /// The exponent, as i64: the low word.
        low: u32,
        /// The high word.
        high: u32,
        /// Bit 0: a number that is not finite was among the elements. Bit 1: a zero.
        flags: u32,
    }
}

impl From<ComplexProduct> for ComplexProductF32 {
    fn from(ComplexProduct { re, im, exponent, flags }: ComplexProduct) -> Self {
        let (low, high) = (exponent as u32, (exponent >> 32) as u32);
        ComplexProductF32 { re: re as f32, im: im as f32, low, high, flags }
    }
}

impl From<ComplexProductF32> for ComplexProduct {
    fn from(ComplexProductF32 { re, im, low, high, flags }: ComplexProductF32) -> Self {
        let exponent = (u64::from(low) | u64::from(high) << 32) as i64;
        ComplexProduct { re: re.into(), im: im.into(), exponent, flags }
    }
}

const LIFT: &str = "let size = bits & vec2<u32>(0x7fffffffu);
let top = max(size.x, size.y);
if (top == 0u) | (top >= 0x7f800000u) { return Acc(1.0, 0.0, 0u, 0u, select(1u, 2u, top == 0u)); }
let by = exponent_of(top);
return Acc(scaled(bits.x, by), scaled(bits.y, by), bitcast<u32>(by), bitcast<u32>(by >> 31u), 0u);";

const COMBINE: &str = "let re = bitcast<u32>(a.re * b.re - a.im * b.im);
let im = bitcast<u32>(a.re * b.im + a.im * b.re);
let by = exponent_of(max(re & 0x7fffffffu, im & 0x7fffffffu));
let both = add64(vec2<u32>(a.low, a.high), vec2<u32>(b.low, b.high));
let exponent = add64(both, vec2<u32>(bitcast<u32>(by), bitcast<u32>(by >> 31u)));
return Acc(scaled(re, by), scaled(im, by), exponent.x, exponent.y, a.flags | b.flags);";

const HELPERS: &str =
    "fn leading(size: u32) -> u32 { return select(0u, countLeadingZeros(size) - 8u, size < 0x00800000u); }
fn exponent_of(size: u32) -> i32 { return i32(max(size >> 23u, 1u)) - 127i - i32(leading(size)); }

// The float of these bits times 2^-by; 0 where that is no normal number.
fn scaled(bits: u32, by: i32) -> f32 {
    let size = bits & 0x7fffffffu;
    let exponent = exponent_of(size) - by + 127i;
    let digits = (size << leading(size)) & 0x007fffffu;
    let normal = (u32(max(exponent, 0i)) << 23u) | digits;
    return bitcast<f32>((bits & 0x80000000u) | select(0u, normal, (exponent > 0i) & (size != 0u)));
}
";

impl Fold<Complex<f32>> for Product {
    type Acc = ComplexProductF32;

    fn identity(&self) -> ComplexProductF32 {
        ComplexProduct::ONE.into()
    }
    fn lift(&self, z: Complex<f32>, _: u64) -> ComplexProductF32 {
        ComplexProduct::of(z.re.into(), z.im.into()).into()
    }
    fn combine(&self, a: ComplexProductF32, b: ComplexProductF32) -> ComplexProductF32 {
        ComplexProduct::from(a).times(b.into()).into()
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new("return Acc(1.0, 0.0, 0u, 0u, 0u);", LIFT, COMBINE).helpers(HELPERS).checked()
    }
}

impl Op<Complex<f32>> for Product {
    type Fold = Product;
    type Output = Complex<f32>;
    const NAME: &'static str = <Product as Op<f32>>::NAME;
    const ABOUT: &'static str = <Product as Op<f32>>::ABOUT;

    fn fold(&self) -> Product {
        Product
    }
    fn finish(&self, acc: ComplexProductF32, _: u64) -> Result<Complex<f32>> {
        let Complex { re, im } = ComplexProduct::from(acc).value();
        Ok(Complex { re: re as f32, im: im as f32 })
    }
    /// By the size of the product: what a part loses is measured by both.
    fn close(&self, device: &Complex<f32>, host: &Complex<f32>, elements: &[Complex<f32>], _: bool) -> bool {
        let wide = |z: &Complex<f32>| [z.re, z.im].map(f64::from);
        let ([a, b], [re, im]) = (wide(device), wide(host));
        let slack = 4.0 * (elements.len() + 1) as f64 * f64::from(f32::EPSILON) * re.hypot(im);
        let near =
            |a: f64, b: f64| a.is_nan() == b.is_nan() && (a == b || a.is_nan() || (a - b).abs() <= slack + 1e-44);
        // At the end of the range a part may leave it.
        let beyond = slack.is_infinite() || re.hypot(im) > 0.99 * f64::from(f32::MAX);
        near(a, re) && near(b, im) || beyond && !(a.is_nan() || b.is_nan() || re.is_nan() || im.is_nan())
    }
}

impl Fold<Complex<f64>> for Product {
    type Acc = ComplexProduct;
    const HOST_ONLY: Option<&'static str> = Some(NO_F64);

    fn identity(&self) -> ComplexProduct {
        ComplexProduct::ONE
    }
    fn lift(&self, z: Complex<f64>, _: u64) -> ComplexProduct {
        ComplexProduct::of(z.re, z.im)
    }
    fn combine(&self, a: ComplexProduct, b: ComplexProduct) -> ComplexProduct {
        a.times(b)
    }
    fn wgsl(&self) -> Wgsl {
        no_wgsl()
    }
}

impl Op<Complex<f64>> for Product {
    type Fold = Product;
    type Output = Complex<f64>;
    const NAME: &'static str = <Product as Op<f64>>::NAME;
    const ABOUT: &'static str = <Product as Op<f64>>::ABOUT;

    fn fold(&self) -> Product {
        Product
    }
    fn finish(&self, acc: ComplexProduct, _: u64) -> Result<Complex<f64>> {
        Ok(acc.value())
    }
}
