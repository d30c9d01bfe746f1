//! Product: checked 64-bit for integers, with a range of its own for floats.

use super::doubles::{NO_F64, as_normal, no_wgsl, scaled};
use super::fast_sum::near;
use crate::element::{OrderKey, Scalar};
use crate::op::{Member, WordType, join, split};
use crate::{Accumulator, DeviceAnswer, Dtype, Error, Fold, Op, Result, Wgsl, accumulator};

/// The product of all elements.
///
/// - **Integers**: the exact product as `i64` or `u64`; [`Error::Overflow`] where it does not fit. A zero anywhere makes
///   the product 0, whatever the others would have given. [`WrappingProduct`](super::WrappingProduct) wraps.
/// - **f32**: mantissa and a 64-bit exponent are kept apart, so that nothing overflows or underflows on the way: only the result
///   is rounded to f32's range. The relative error is at most about (n - 1)·2^-24; two factors give the nearest f32, subnormals
///   included. **f64**: with 2^-53, a subnormal answer within one rounding more; on the CPU engine alone.
/// - **Complex numbers**: of two f32 accumulated in f32, beside an exponent of 64 bits as above; the error is at most about 3(n - 1)·2^-24 of the
///   product's size, of which a part that is small beside the other may lose all digits, and one below 2^-126 of the other is 0. Of two f64 so with
///   2^-53, on the CPU engine alone. A part that is not finite anywhere makes both parts NaN, else a zero anywhere makes the product 0.
/// - **Order**: commutative; any order. **Empty**: 1.
/// - **NaN and infinities**: NaN if there is a NaN, or both a zero and an infinity; else the infinity with the product's sign.
/// - **On the device**: f32: 1 word; integers: 3 words (low, high, 1 if the product does not fit); complex numbers: none, the host rounds.
///
/// ```
/// use treefold::{Cpu, Error, ops::Product};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.reduce(Product, &[-3i32, 5, 7])?, -105);
/// assert!(matches!(cpu.reduce(Product, &[u32::MAX; 3]), Err(Error::Overflow { .. })));
/// let (huge, tiny) = (2f32.powi(100), 2f32.powi(-100));
/// assert_eq!(cpu.reduce(Product, &[huge, huge, tiny, tiny])?, 1.0);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Product;

const ABOUT: &str = "Product; exact for integers";

const NAN: u32 = 1;
const INFINITE: u32 = 2;
const ZERO: u32 = 4;
const SIGN: u32 = 0x8000_0000;

/// The rounded mantissa is too small, or too large: the exact product lies above it, or below.
const ABOVE: u32 = 8;
const BELOW: u32 = 16;

accumulator! {
    /// A float product, (-1)^sign · mantissa · 2^exponent, with what it met on the way.
    pub struct ProductF32 {
        /// In [1, 2).
        mantissa: f32,
        /// A power of two, as i64: the low word.
        low: u32,
        /// The high word.
        high: u32,
        /// Bit 31: negative. Bits 0, 1, 2: a NaN, an infinity, a zero was among the elements. Bits 3, 4: the last
        /// multiplication that rounded rounded down, up.
        flags: u32,
    }
}

/// The significand of a float in [1, 4), a whole number.
fn significand(x: f32) -> u32 {
    (x.to_bits() & 0x007f_ffff) | 0x0080_0000
}

impl ProductF32 {
    fn new(mantissa: f32, exponent: i64, flags: u32) -> ProductF32 {
        ProductF32 { mantissa, low: exponent as u32, high: (exponent >> 32) as u32, flags }
    }

    fn exponent(self) -> i64 {
        (u64::from(self.low) | u64::from(self.high) << 32) as i64
    }

    fn of(x: f32) -> ProductF32 {
        let bits = x.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        let sign = bits & SIGN;
        let met = |what: u32, flag: bool| if flag { what } else { 0 };
        let flags = met(NAN, magnitude > 0x7f80_0000) | met(INFINITE, magnitude == 0x7f80_0000) | met(ZERO, magnitude == 0);
        let shift = if magnitude < 0x0080_0000 { magnitude.leading_zeros() - 8 } else { 0 };
        let normal = magnitude << shift;
        let exponent = i64::from((magnitude >> 23).max(1)) - 127 - i64::from(shift);
        let mantissa = f32::from_bits((normal & 0x007f_ffff) | 0x3f80_0000);
        ProductF32::new(mantissa, if flags == 0 { exponent } else { 0 }, sign | flags)
    }

    fn times(self, other: ProductF32) -> ProductF32 {
        let product = self.mantissa * other.mantissa;
        let bits = product.to_bits();
        let doubled = bits >> 30;
        // The remainder of rounding, in units of the last of 48 bits: less than 2^25, so 32 bits tell it.
        let exact = significand(self.mantissa).wrapping_mul(significand(other.mantissa));
        let rest = exact.wrapping_sub(significand(product) << (23 + doubled)) as i32;
        let rounded = match rest.signum() {
            1 => ABOVE,
            -1 => BELOW,
            _ => (self.flags | other.flags) & (ABOVE | BELOW),
        };
        ProductF32::new(
            f32::from_bits(bits - (doubled << 23)),
            self.exponent().wrapping_add(other.exponent()).wrapping_add(doubled.into()),
            ((self.flags ^ other.flags) & SIGN) | ((self.flags | other.flags) & (NAN | INFINITE | ZERO)) | rounded,
        )
    }

    /// The nearest f32.
    fn value(self) -> f32 {
        let (sign, exponent) = (self.flags & SIGN, self.exponent());
        let both = INFINITE | ZERO;
        if self.flags & NAN != 0 || self.flags & both == both {
            return f32::NAN;
        }
        if self.flags & INFINITE != 0 {
            return f32::from_bits(sign | 0x7f80_0000);
        }
        if self.flags & ZERO != 0 || exponent < -150 {
            return f32::from_bits(sign);
        }
        if exponent > 127 {
            return f32::from_bits(sign | 0x7f80_0000);
        }
        let whole = significand(self.mantissa);
        if exponent >= -126 {
            return f32::from_bits(sign | ((((exponent + 126) as u32) << 23) + whole));
        }
        let shift = (-126 - exponent) as u32;
        let kept = whole >> shift;
        let rest = whole - (kept << shift);
        let half = 1u32 << (shift - 1);
        // A tie is none where the mantissa was rounded.
        let tie = match self.flags & (ABOVE | BELOW) {
            ABOVE => true,
            BELOW => false,
            _ => kept & 1 == 1,
        };
        let up = rest > half || (rest == half && tie);
        f32::from_bits(sign | (kept + u32::from(up)))
    }
}

/// Elements from which on lanes are worth their start. Of fewer the last rounding is always known; lanes know that of their joining alone.
const MANY: usize = 32;

/// The product of a slice, for a float type with the integers of its size.
macro_rules! product_of_many {
    ($product:ty, $float:ty, $bits:ty, $signed:ty) => {
        impl $product {
            /// Mantissas and exponents apart, in loops without a branch that compilers turn into vector instructions: a lane's product of 64
            /// numbers in [1, 2) does not overflow, and its own exponent joins the others behind each block.
            #[inline(always)]
            fn of_many(elements: &[$float]) -> $product {
                const LANES: usize = 64 / size_of::<$float>();
                const BLOCK: usize = 64 * LANES;
                const DIGITS: u32 = <$float>::MANTISSA_DIGITS - 1;
                const BIAS: $signed = <$float>::MAX_EXP as $signed - 1;
                const NORMAL: $signed = 1 << DIGITS;
                // The least number whose last digit counts ones: a subnormal's digits, put into it, are a whole number more.
                const WHOLE: $float = (1u64 << DIGITS) as $float;
                const INFINITY: $signed = <$float>::INFINITY.to_bits() as $signed;
                if elements.len() < MANY {
                    return elements.iter().fold(<$product>::new(1.0, 0, 0), |acc, &x| acc.times(<$product>::of(x)));
                }
                let size = |x: $float| x.abs().to_bits() as $signed;
                let mantissa = |x: $float| {
                    <$float>::from_bits((x.to_bits() & (NORMAL as $bits - 1)) | (1.0 as $float).to_bits())
                };
                let mut lanes: [$float; LANES] = [1.0; LANES];
                let (mut least, mut most, mut signs, mut exponent) = (<$signed>::MAX, 0, 0, 0i64);
                for block in elements.chunks(BLOCK) {
                    let (mut low, mut high, mut fields) = (<$signed>::MAX, 0, 0);
                    for &x in block {
                        (low, high) = (low.min(size(x)), high.max(size(x)));
                        signs ^= x.to_bits();
                        fields += size(x) >> DIGITS;
                    }
                    (least, most) = (least.min(low), most.max(high));
                    // Subnormals in units of the least, which are normal; zeros beside them do not matter.
                    let mut larger;
                    let mut block = block;
                    if low < NORMAL {
                        larger = [1.0; BLOCK];
                        for (larger, &x) in larger.iter_mut().zip(block) {
                            let units = <$float>::from_bits(x.abs().to_bits() | WHOLE.to_bits()) - WHOLE;
                            let subnormal = size(x) < NORMAL;
                            *larger = if subnormal { units } else { x };
                            fields += if subnormal { (size(units) >> DIGITS) - (BIAS - 1 + DIGITS as $signed) } else { 0 };
                        }
                        block = &larger[..block.len()];
                    }
                    // Whole rows apart: only those are multiplied as vectors.
                    let (rows, rest) = block.as_chunks::<LANES>();
                    for row in rows {
                        for (l, &x) in row.iter().enumerate() {
                            lanes[l] *= mantissa(x);
                        }
                    }
                    for (l, &x) in rest.iter().enumerate() {
                        lanes[l] *= mantissa(x);
                    }
                    for lane in &mut lanes {
                        fields += (size(*lane) >> DIGITS) - BIAS;
                        *lane = mantissa(*lane);
                    }
                    exponent += i64::from(fields) - i64::from(BIAS) * block.len() as i64;
                }
                let flags = match most {
                    INFINITY => INFINITE,
                    _ if most > INFINITY => NAN,
                    _ => 0,
                } | if least == 0 { ZERO } else { 0 };
                let sign = (signs >> (<$bits>::BITS - 1)) as u32 * SIGN;
                let all = <$product>::new(1.0, exponent, flags | sign);
                lanes.into_iter().fold(all, |acc, lane| acc.times(<$product>::new(lane, 0, 0)))
            }
        }
    };
}

product_of_many!(ProductF32, f32, u32, i32);
product_of_many!(ProductF64, f64, u64, i64);

impl Fold<f32> for Product {
    type Acc = ProductF32;

    fn identity(&self) -> ProductF32 {
        ProductF32::new(1.0, 0, 0)
    }
    fn lift(&self, x: f32, _: u64) -> ProductF32 {
        ProductF32::of(x)
    }
    fn combine(&self, a: ProductF32, b: ProductF32) -> ProductF32 {
        a.times(b)
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f32], _: u64) -> ProductF32 {
        ProductF32::of_many(elements)
    }
    fn wgsl(&self) -> Wgsl {
        Wgsl::new(
            "return Acc(1.0, 0u, 0u, 0u);",
            "let magnitude = bits & 0x7fffffffu;
let sign = bits & 0x80000000u;
let flags = select(0u, 1u, magnitude > 0x7f800000u) | select(0u, 2u, magnitude == 0x7f800000u) | select(0u, 4u, magnitude == 0u);
let shift = select(0u, countLeadingZeros(magnitude) - 8u, magnitude < 0x00800000u);
let normal = magnitude << shift;
let exponent = select(0i, i32(max(magnitude >> 23u, 1u)) - 127i - i32(shift), flags == 0u);
return Acc(one_to_two(normal), bitcast<u32>(exponent), bitcast<u32>(exponent >> 31u), sign | flags);",
            "let product = a.mantissa * b.mantissa;
let bits = bitcast<u32>(product);
let doubled = bits >> 30u;
let exponent = add64(add64(vec2<u32>(a.low, a.high), vec2<u32>(b.low, b.high)), vec2<u32>(doubled, 0u));
let rest = bitcast<i32>(significand(a.mantissa) * significand(b.mantissa) - (significand(product) << (23u + doubled)));
let rounded = select(select((a.flags | b.flags) & 24u, 16u, rest < 0i), 8u, rest > 0i);
return Acc(bitcast<f32>(bits - (doubled << 23u)), exponent.x, exponent.y,
    ((a.flags ^ b.flags) & 0x80000000u) | ((a.flags | b.flags) & 7u) | rounded);",
        )
        // Four mantissas and exponents at once, where all are normal; else one after another.
        .vector(
            "let magnitude = vector & vec4<u32>(0x7fffffffu);
let least = min(min(magnitude.x, magnitude.y), min(magnitude.z, magnitude.w));
let most = max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
if (least < 0x00800000u) | (most >= 0x7f800000u) {
    let front = combine(lift(vector.x, index), lift(vector.y, index + 1u));
    return combine(acc, combine(front, combine(lift(vector.z, index + 2u), lift(vector.w, index + 3u))));
}
let front = one_to_two(vector.x) * one_to_two(vector.y);
let bits = bitcast<u32>(front * (one_to_two(vector.z) * one_to_two(vector.w)));
let fields = magnitude >> vec4<u32>(23u);
let exponent = bitcast<i32>(fields.x + fields.y + fields.z + fields.w + (bits >> 23u)) - 635i;
let sign = (vector.x ^ vector.y ^ vector.z ^ vector.w) & 0x80000000u;
return combine(acc, Acc(one_to_two(bits), bitcast<u32>(exponent), bitcast<u32>(exponent >> 31u), sign));",
        )
        .helpers(
            "fn one_to_two(bits: u32) -> f32 { return bitcast<f32>((bits & 0x007fffffu) | 0x3f800000u); }
fn significand(x: f32) -> u32 { return (bitcast<u32>(x) & 0x007fffffu) | 0x00800000u; }
",
        )
        .checked().any_nan()
    }
}

impl Op<f32> for Product {
    type Fold = Product;
    type Output = f32;
    const NAME: &'static str = "product";
    const ABOUT: &'static str = ABOUT;

    fn fold(&self) -> Product {
        Product
    }
    fn finish(&self, acc: ProductF32, _: u64) -> Result<f32> {
        Ok(acc.value())
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        let finish = "let sign = acc.flags & 0x80000000u;
if ((acc.flags & 1u) != 0u) | ((acc.flags & 6u) == 6u) { return array<u32, 1>(0x7fc00000u); }
if (acc.flags & 2u) != 0u { return array<u32, 1>(sign | 0x7f800000u); }
if (acc.flags & 4u) != 0u { return array<u32, 1>(sign); }
if bitcast<i32>(acc.high) != (bitcast<i32>(acc.low) >> 31u) {
    return array<u32, 1>(sign | select(0u, 0x7f800000u, bitcast<i32>(acc.high) >= 0i));
}
let exponent = bitcast<i32>(acc.low);
if exponent < -150i { return array<u32, 1>(sign); }
if exponent > 127i { return array<u32, 1>(sign | 0x7f800000u); }
let whole = significand(acc.mantissa);
if exponent >= -126i { return array<u32, 1>(sign | ((u32(exponent + 126i) << 23u) + whole)); }
let shift = u32(-126i - exponent);
let kept = whole >> shift;
let rest = whole - (kept << shift);
let half = 1u << (shift - 1u);
let rounded = acc.flags & 24u;
let tie = (rounded == 8u) | ((rounded != 16u) & ((kept & 1u) == 1u));
let up = (rest > half) | ((rest == half) & tie);
return array<u32, 1>(sign | (kept + select(0u, 1u, up)));";
        Some(DeviceAnswer::checked([("product", WordType::F32)], finish))
    }
    fn read(&self, words: &[u32], _: u64) -> Result<f32> {
        Ok(f32::from_bits(words[0]))
    }
    fn close(&self, device: &f32, host: &f32, elements: &[f32], _: bool) -> bool {
        let host = f64::from(*host);
        near((*device).into(), host, 2.0 * elements.len() as f64 * f64::from(f32::EPSILON) * host.abs())
    }
}

accumulator! {
    /// An integer product: the magnitude of the elements other than zero, and flags.
    pub struct ProductInteger {
        /// The magnitude's low word.
        low: u32,
        /// Its high word.
        high: u32,
        /// Bit 31: negative. Bit 0: the magnitude needs more than 64 bits. Bit 1: a zero was among the elements.
        flags: u32,
    }
}

const BEYOND: u32 = 1;
const ZERO_MET: u32 = 2;

impl ProductInteger {
    fn new(magnitude: u64, flags: u32) -> ProductInteger {
        ProductInteger { low: magnitude as u32, high: (magnitude >> 32) as u32, flags }
    }
    fn magnitude(self) -> u64 {
        u64::from(self.low) | u64::from(self.high) << 32
    }
    fn times(self, other: ProductInteger) -> ProductInteger {
        let (magnitude, beyond) = self.magnitude().overflowing_mul(other.magnitude());
        let sign = (self.flags ^ other.flags) & SIGN;
        ProductInteger::new(magnitude, sign | ((self.flags | other.flags) & !SIGN) | u32::from(beyond))
    }
    /// The signed product; `None` where the magnitude was beyond 64 bits.
    fn value(self) -> Option<i128> {
        if self.flags & ZERO_MET != 0 {
            return Some(0);
        }
        let magnitude = i128::from(self.magnitude());
        (self.flags & BEYOND == 0).then_some(if self.flags & SIGN != 0 { -magnitude } else { magnitude })
    }
}

fn product_integer_wgsl<T: Scalar>() -> Wgsl {
    let wide = if T::Key::WORDS == 1 { "vec2<u32>(bits, 0u)" } else { "bits" };
    let lift = match T::DTYPE {
        Dtype::I32 | Dtype::I64 => {
            let sign = if T::Key::WORDS == 1 { "bits & 0x80000000u" } else { "bits.y & 0x80000000u" };
            let low = if T::Key::WORDS == 1 { "vec2<u32>(select(bits, 0u - bits, sign != 0u), 0u)" } else {
                "select(bits, add64(~bits, vec2<u32>(1u, 0u)), sign != 0u)"
            };
            format!("let sign = {sign};\nlet size = {low};\n")
        }
        _ => format!("let sign = 0u;\nlet size = {wide};\n"),
    };
    let lift = format!(
        "{lift}let zero = (size.x | size.y) == 0u;
return Acc(select(size.x, 1u, zero), size.y, select(sign, 2u, zero));"
    );
    let combine = "let low = multiply32(a.low, b.low);
let cross = add64(multiply32(a.low, b.high), multiply32(a.high, b.low));
let high = low.y + cross.x;
let beyond = ((a.high != 0u) & (b.high != 0u)) | (cross.y != 0u) | (high < low.y);
let flags = ((a.flags ^ b.flags) & 0x80000000u) | ((a.flags | b.flags) & 0x7fffffffu) | select(0u, 1u, beyond);
return Acc(low.x, high, flags);";
    Wgsl::new("return Acc(1u, 0u, 0u);", lift, combine).checked()
}

fn product_integer_finish<T: Scalar>() -> DeviceAnswer {
    let beyond = if matches!(T::DTYPE, Dtype::I32 | Dtype::I64) {
        "acc.high > 0x80000000u || (acc.high == 0x80000000u && (acc.low > 0u || !negative)) || "
    } else {
        ""
    };
    let finish = format!(
        "let negative = (acc.flags & 0x80000000u) != 0u;
if (acc.flags & 2u) != 0u {{ return array<u32, 3>(0u, 0u, 0u); }}
if {beyond}(acc.flags & 1u) != 0u {{ return array<u32, 3>(0u, 0u, 1u); }}
let minus = add64(vec2<u32>(~acc.low, ~acc.high), vec2<u32>(1u, 0u));
return array<u32, 3>(select(acc.low, minus.x, negative), select(acc.high, minus.y, negative), 0u);"
    );
    let words = [("low", WordType::Part), ("high", WordType::Part), ("does not fit", WordType::U32)];
    DeviceAnswer::checked(words, finish)
}

macro_rules! integer_product {
    ($type:ty, $wide:ty, $lift:expr) => {
        impl Fold<$type> for Product {
            type Acc = ProductInteger;

            fn identity(&self) -> ProductInteger {
                ProductInteger::new(1, 0)
            }
            fn lift(&self, x: $type, _: u64) -> ProductInteger {
                if x == 0 { ProductInteger::new(1, ZERO_MET) } else { $lift(x) }
            }
            fn combine(&self, a: ProductInteger, b: ProductInteger) -> ProductInteger {
                a.times(b)
            }
            fn wgsl(&self) -> Wgsl {
                product_integer_wgsl::<$type>()
            }
        }

        impl Op<$type> for Product {
            type Fold = Product;
            type Output = $wide;
            const NAME: &'static str = "product";
            const ABOUT: &'static str = ABOUT;
            const EXACT: bool = true;

            fn fold(&self) -> Product {
                Product
            }
            fn finish(&self, acc: ProductInteger, _: u64) -> Result<$wide> {
                let value = acc.value().and_then(|value| <$wide>::try_from(value).ok());
                value.ok_or(Error::Overflow { operator: "product", bits: 64 })
            }
            fn answer(&self) -> Option<DeviceAnswer> {
                Some(product_integer_finish::<$type>())
            }
            fn read(&self, words: &[u32], _: u64) -> Result<$wide> {
                if words[2] != 0 {
                    return Err(Error::Overflow { operator: "product", bits: 64 });
                }
                Ok(join(words) as $wide)
            }
        }
    };
}

integer_product!(i32, i64, |x: i32| ProductInteger::new(x.unsigned_abs().into(), if x < 0 { SIGN } else { 0 }));
integer_product!(u32, u64, |x: u32| ProductInteger::new(x.into(), 0));
integer_product!(i64, i64, |x: i64| ProductInteger::new(x.unsigned_abs(), if x < 0 { SIGN } else { 0 }));
integer_product!(u64, u64, |x: u64| ProductInteger::new(x, 0));

/// A product of f64, (-1)^sign · mantissa · 2^exponent, on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProductF64 {
    /// In [1, 2).
    mantissa: f64,
    exponent: i64,
    flags: u32,
}

impl ProductF64 {
    const ONE: ProductF64 = ProductF64 { mantissa: 1.0, exponent: 0, flags: 0 };

    fn new(mantissa: f64, exponent: i64, flags: u32) -> ProductF64 {
        ProductF64 { mantissa, exponent, flags }
    }

    fn of(x: f64) -> ProductF64 {
        let size = x.abs();
        let sign = if x.is_sign_negative() { SIGN } else { 0 };
        match size {
            _ if size.is_nan() => ProductF64 { flags: sign | NAN, ..ProductF64::ONE },
            f64::INFINITY => ProductF64 { flags: sign | INFINITE, ..ProductF64::ONE },
            0.0 => ProductF64 { flags: sign | ZERO, ..ProductF64::ONE },
            _ => {
                let (mantissa, exponent) = as_normal(size);
                ProductF64 { mantissa, exponent, flags: sign }
            }
        }
    }

    fn times(self, other: ProductF64) -> ProductF64 {
        let product = self.mantissa * other.mantissa;
        let doubled = product >= 2.0;
        ProductF64 {
            mantissa: if doubled { product / 2.0 } else { product },
            exponent: self.exponent.wrapping_add(other.exponent).wrapping_add(doubled.into()),
            flags: ((self.flags ^ other.flags) & SIGN) | ((self.flags | other.flags) & !SIGN),
        }
    }

    fn value(self) -> f64 {
        let both = INFINITE | ZERO;
        let size = match self.flags & !SIGN {
            flags if flags & NAN != 0 || flags & both == both => return f64::NAN,
            flags if flags & INFINITE != 0 => f64::INFINITY,
            flags if flags & ZERO != 0 => 0.0,
            // One step that rounds: the first is exact.
            _ => scaled(self.mantissa, self.exponent),
        };
        if self.flags & SIGN != 0 { -size } else { size }
    }
}

impl Accumulator for ProductF64 {
    const WORDS: usize = 5;
    const WGSL: &'static str = "";
    const MEMBERS: &'static [Member] = &[];
    fn write(&self, words: &mut [u32]) {
        split(self.mantissa.to_bits(), &mut words[..2]);
        split(self.exponent as u64, &mut words[2..4]);
        words[4] = self.flags;
    }
    fn read(words: &[u32]) -> Self {
        let (mantissa, exponent) = (f64::from_bits(join(&words[..2])), join(&words[2..4]) as i64);
        ProductF64 { mantissa, exponent, flags: words[4] }
    }
}

impl Fold<f64> for Product {
    type Acc = ProductF64;
    const HOST_ONLY: Option<&'static str> = Some(NO_F64);

    fn identity(&self) -> ProductF64 {
        ProductF64::ONE
    }
    fn lift(&self, x: f64, _: u64) -> ProductF64 {
        ProductF64::of(x)
    }
    fn combine(&self, a: ProductF64, b: ProductF64) -> ProductF64 {
        a.times(b)
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[f64], _: u64) -> ProductF64 {
        ProductF64::of_many(elements)
    }
    fn wgsl(&self) -> Wgsl {
        no_wgsl()
    }
}

impl Op<f64> for Product {
    type Fold = Product;
    type Output = f64;
    const NAME: &'static str = "product";
    const ABOUT: &'static str = ABOUT;

    fn fold(&self) -> Product {
        Product
    }
    fn finish(&self, acc: ProductF64, _: u64) -> Result<f64> {
        Ok(acc.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each product of a slice has the sign and the flags of that in f64 one after another, and is no further from it than roundings allow.
    macro_rules! check_products {
        ($check:ident, $normals:ident, $float:ty, $bits:ty) => {
            fn $check(elements: &[$float]) {
                let met = |flags: u32| if flags & NAN != 0 { flags & (SIGN | NAN) } else { flags & !(ABOVE | BELOW) };
                let one = ProductF64::ONE;
                let want = elements.iter().fold(one, |acc, &x| acc.times(ProductF64::of(x.into())));
                let product = Product.accumulate(elements, 0);
                let (mantissa, exponent) = (f64::from(product.mantissa), product.exponent());
                let case = || format!("{product:?}, {want:?} of {} elements: {elements:?}", elements.len());
                assert_eq!(met(product.flags), met(want.flags), "{}", case());
                assert!((1.0..2.0).contains(&mantissa), "{}", case());
                if met(want.flags) & !SIGN == 0 {
                    let bound = 1.01 * elements.len() as f64 * f64::from(<$float>::EPSILON);
                    let more = i32::try_from(exponent - want.exponent).unwrap_or(i32::MAX).clamp(-2, 2);
                    let off = mantissa * 2f64.powi(more) / want.mantissa - 1.0;
                    assert!(off.abs() <= bound, "{off:e}: {}", case());
                }
            }

            /// Normal numbers of all exponents and both signs.
            fn $normals(count: usize) -> Vec<$float> {
                let drawn = (1..).map(|i: u64| <$float>::from_bits((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - <$bits>::BITS)) as $bits));
                drawn.filter(|x| x.is_normal()).take(count).collect()
            }
        };
    }
    check_products!(check32, normals32, f32, u32);
    check_products!(check64, normals64, f64, u64);

    impl ProductF64 {
        fn exponent(self) -> i64 {
            self.exponent
        }
    }

    #[test]
    fn products_of_all_lengths_are_those_one_by_one() {
        for count in (0..200).chain([511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 65_536]) {
            check32(&normals32(count));
            check64(&normals64(count));
        }
        for count in 0..MANY {
            let elements = normals32(count);
            let want = elements.iter().fold(ProductF32::new(1.0, 0, 0), |acc, &x| acc.times(ProductF32::of(x)));
            assert_eq!(Product.accumulate(&elements, 0), want);
        }
    }

    #[test]
    fn special_elements_count_at_every_place() {
        let (plain32, plain64) = (normals32(300), normals64(300));
        let specials = [f32::NAN, f32::INFINITY, 0.0, f32::from_bits(1), f32::from_bits(0x007f_ffff), f32::MIN_POSITIVE, f32::MAX];
        let wide = [f64::from_bits(1), f64::from_bits((1 << 52) - 1), f64::MIN_POSITIVE, f64::MAX];
        for place in 0..300 {
            for special in specials.into_iter().flat_map(|x| [x, -x]) {
                let mut elements = plain32.clone();
                elements[place] = special;
                check32(&elements);
                elements[299 - place] = 0.0;
                check32(&elements);
            }
            for special in specials.map(f64::from).into_iter().chain(wide).flat_map(|x| [x, -x]) {
                let mut elements = plain64.clone();
                elements[place] = special;
                check64(&elements);
            }
        }
    }

    #[test]
    fn many_products_stay_in_range() {
        let (least, most) = (f32::from_bits(1), f32::MAX);
        for pair in [[least, most], [least; 2], [most; 2], [f32::from_bits(0x3fff_ffff), -1.5], [0.0, -0.0], [-0.0, f32::NAN]] {
            let elements: Vec<f32> = pair.into_iter().cycle().take(10_001).collect();
            check32(&elements);
        }
        let (least, most) = (f64::from_bits(1), f64::MAX);
        for pair in [[least, most], [least; 2], [most; 2], [2f64.next_down(), -1.5], [0.0, f64::INFINITY]] {
            let elements: Vec<f64> = pair.into_iter().cycle().take(10_001).collect();
            check64(&elements);
        }
        let (huge, tiny) = (f32::from_bits(227 << 23), f32::from_bits(27 << 23));
        let elements = [[huge; 5000], [tiny; 5000]].concat();
        assert_eq!(Product.accumulate(&elements, 0), ProductF32::new(1.0, 0, 0));
    }
}
