//! Counting the elements that compare in some way with a number.

use super::Rule;
use super::wide::{Sum64, count_answer, count_wgsl};
use crate::element::{Dtype, OrderKey, Scalar, nearest_bf16, nearest_f16};
use crate::{Error, Fold, Op, Result, Wgsl};
use std::fmt;
use std::str::FromStr;

/// Number of elements that compare in this way with a number.
///
/// - **Floats** compare with the number rounded to their type, as NumPy's do with a number of Python; -0 equals +0; a NaN is not equal to
///   anything. **Integers** compare with the number as it is: no i32 equals 2.5, and every u32 is greater than -1. A number that is not
///   whole is an f64, and is refused as a text where that f64 is whole.
/// - **Order**: commutative. **Empty**: 0. **On the device**: 2 words (low, high). The number is a parameter: another one is not
///   another pipeline.
///
/// ```
/// use treefold::{Cpu, ops::CountIf};
/// let warm = CountIf { compare: "> 30".parse()? };
/// assert_eq!(Cpu::new().reduce(warm, &[21.5f32, 30.0, 30.5, f32::NAN])?, 1);
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountIf {
    /// The comparison of the elements that count; `!= 0` where nothing else is said.
    pub compare: Comparison,
}

/// A comparison with a number; written `> 30`, `<= -2.5`, `== 0`, `!= 1e9`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    relation: Relation,
    number: Compared,
}

/// The relation of an element to the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

/// The longer ones first, so that each is found by what a text begins with.
const RELATIONS: [(&str, Relation); 6] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

/// A number that elements of any type are compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Compared {
    Whole(i128),
    /// Not NaN.
    Real(f64),
}

impl Comparison {
    /// With a number; `None` with NaN, to which nothing compares ([`CountNan`](super::CountNan) counts those).
    pub fn new(relation: Relation, number: f64) -> Option<Comparison> {
        // Every f64 below this is an i128 if it is whole.
        let whole = number.fract() == 0.0 && number.abs() < 2f64.powi(127);
        let compared = if whole { Compared::Whole(number as i128) } else { Compared::Real(number) };
        (!number.is_nan()).then_some(Comparison { relation, number: compared })
    }

    /// With a whole number, of which none is rounded.
    pub fn whole(relation: Relation, number: i128) -> Comparison {
        Comparison { relation, number: Compared::Whole(number) }
    }

    /// The same with its number rounded as for elements of `dtype`: for those elements after they were widened to another type. Numbers for
    /// integers are not rounded.
    ///
    /// ```
    /// use treefold::{Dtype, half::f16, ops::Comparison};
    /// let tenth = "== 0.1".parse::<Comparison>()?;
    /// let x = f16::from_f32(0.1);
    /// assert!(tenth.picks::<f16>()(x) && !tenth.picks::<f32>()(x.into()));
    /// assert!(tenth.rounded(Dtype::F16).picks::<f32>()(x.into()));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn rounded(self, dtype: Dtype) -> Comparison {
        let rounded = match dtype {
            Dtype::F16 => nearest_f16(self.real()).into(),
            Dtype::BF16 => nearest_bf16(self.real()).into(),
            Dtype::F32 => f64::from(self.real() as f32),
            _ => return self,
        };
        Comparison::new(self.relation, rounded).unwrap_or(self)
    }

    /// Whether an element compares so.
    ///
    /// ```
    /// use treefold::ops::Comparison;
    /// let warm = "> 30".parse::<Comparison>()?.picks::<f32>();
    /// assert!(warm(30.5) && !warm(30.0));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn picks<T: Scalar>(self) -> impl Fn(T) -> bool {
        let within = self.within::<T>();
        move |x| within.holds(x)
    }

    /// Whose keys are counted.
    pub(super) fn within<T: Scalar>(self) -> Within<T::Key> {
        let (low, high) = if T::NAN.is_some() { self.of_floats::<T>() } else { self.of_integers::<T>() };
        let outside = self.relation == Relation::Unequal;
        // No key is within 1 and 0.
        let (low, high) = if low <= high { (low, high) } else { (1, 0) };
        Within { low: T::Key::narrow(low as u64), high: T::Key::narrow(high as u64), outside }
    }

    /// The number, to 53 digits.
    fn real(self) -> f64 {
        match self.number {
            Compared::Whole(number) => number as f64,
            Compared::Real(number) => number,
        }
    }

    /// The keys from the first to the last.
    fn of_floats<T: Scalar>(self) -> (i128, i128) {
        let number = self.real();
        let key = |number: f64| {
            let bits = match T::DTYPE {
                Dtype::F16 => nearest_f16(number).to_bits().into(),
                Dtype::F32 => (number as f32).to_bits().into(),
                _ => number.to_bits(),
            };
            i128::from(T::tie(T::from_pattern(bits).key()).wide())
        };
        let (key, least, most) = (key(number), key(f64::NEG_INFINITY), key(f64::INFINITY));
        match self.relation {
            Relation::Less => (least, key - 1),
            Relation::AtMost => (least, key),
            Relation::Greater => (key + 1, most),
            Relation::AtLeast => (key, most),
            Relation::Equal | Relation::Unequal => (key, key),
        }
    }

    /// The same of integers, whose keys count from the lowest.
    fn of_integers<T: Scalar>(self) -> (i128, i128) {
        let lowest = match T::DTYPE {
            Dtype::I32 => i32::MIN.into(),
            Dtype::I64 => i64::MIN.into(),
            _ => 0,
        };
        let most = i128::from(T::Key::MOST.wide());
        // The whole numbers next to it, or it.
        let (below, above) = match self.number {
            Compared::Whole(number) => (number, number),
            Compared::Real(number) => (number.floor() as i128, number.ceil() as i128),
        };
        let (low, high) = match self.relation {
            Relation::Less => (i128::MIN, above.saturating_sub(1)),
            Relation::AtMost => (i128::MIN, below),
            Relation::Greater => (below.saturating_add(1), i128::MAX),
            Relation::AtLeast => (above, i128::MAX),
            // Of no whole number the one below is less than the one above.
            Relation::Equal | Relation::Unequal => (above, below),
        };
        let key = |number: i128| number.saturating_sub(lowest);
        (key(low).max(0), key(high).min(most))
    }
}

impl Default for Comparison {
    /// `!= 0`.
    fn default() -> Self {
        Comparison::whole(Relation::Unequal, 0)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = RELATIONS.iter().find(|(_, relation)| *relation == self.relation).map_or("", |(text, _)| text);
        match self.number {
            Compared::Whole(number) => write!(f, "{text} {number}"),
            Compared::Real(number) => write!(f, "{text} {number:?}"),
        }
    }
}

impl Rule for Comparison {
    const RULE: &'static str = "one of < <= > >= == != and a number: '> 30'";

    fn broken(error: Error) -> String {
        if let Error::BadOption { rule, .. } = error { rule } else { Self::RULE.into() }
    }
}

impl FromStr for Comparison {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            let (option, value, rule) = ("compare".into(), text.into(), Self::RULE.into());
            Error::BadOption { operator: "a comparison".into(), option, value, rule }
        };
        let found = RELATIONS.iter().find_map(|&(begin, relation)| Some((relation, text.trim().strip_prefix(begin)?)));
        let (relation, number) = found.ok_or_else(refused)?;
        let number = number.trim();
        let real: f64 = number.parse().map_err(|_| refused())?;
        if let Some(whole) = whole(number) {
            return Ok(Comparison::whole(relation, whole));
        }
        match decimal(number) {
            // An f64 has no digits for what is behind the point.
            Some((_, ..0)) if real.fract() == 0.0 => {
                let (option, value) = ("compare".into(), text.into());
                let rule = format!("with a whole number, or with one that an f64 tells from {real}");
                Err(Error::BadOption { operator: "a comparison".into(), option, value, rule })
            }
            _ => Comparison::new(relation, real).ok_or_else(refused),
        }
    }
}

/// The digits of a decimal number, with its sign, and the power of ten of the last one, which is not 0; `None` of what is none.
fn decimal(text: &str) -> Option<(String, i64)> {
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits.strip_prefix('+').unwrap_or(digits)),
    };
    let (front, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [front, behind].concat();
    // Beyond all that floats have, how far does not matter.
    let far = || power.strip_prefix('-').map_or(i64::MAX, |_| i64::MIN);
    let power = power.parse::<i64>().unwrap_or_else(|_| far()).saturating_sub(behind.len() as i64);
    let kept = all.trim_end_matches('0');
    let numeric = !all.is_empty() && all.bytes().all(|digit| digit.is_ascii_digit());
    let power = if kept.is_empty() { 0 } else { power.saturating_add((all.len() - kept.len()) as i64) };
    numeric.then(|| (format!("{sign}{}", if kept.is_empty() { "0" } else { kept }), power))
}

/// A whole number, however it is written, of up to 127 bits.
fn whole(text: &str) -> Option<i128> {
    let (digits, power) = decimal(text)?;
    let power = usize::try_from(power).ok().filter(|&power| power < 40)?;
    (digits + &"0".repeat(power)).parse().ok()
}

/// The fold of [`CountIf`]: how many keys lie between two, or do not. Those of NaN lie beyond the infinities.
#[derive(Clone, Copy, Debug)]
pub struct Within<K> {
    low: K,
    high: K,
    outside: bool,
}

impl<K: OrderKey> Within<K> {
    #[inline(always)]
    pub(super) fn holds<T: Scalar<Key = K>>(&self, x: T) -> bool {
        let key = T::tie(x.key());
        ((key >= self.low) & (key <= self.high)) != self.outside
    }

    /// The same as the body of a function of `bits`, the numbers in it.
    pub(super) fn wgsl(&self) -> String {
        let number = |key: K| match (K::WORDS, key.wide()) {
            (1, word) => format!("{word:#x}u"),
            (_, words) => format!("vec2<u32>({:#x}u, {:#x}u)", words as u32, words >> 32),
        };
        let (low, high, outside) = (number(self.low), number(self.high), self.outside);
        let within = match K::WORDS {
            1 => format!("(k >= {low}) & (k <= {high})"),
            _ => format!("!less64(k, {low}) & !less64({high}, k)"),
        };
        format!("let k = tie(key(bits));\nreturn ({within}) != {outside};")
    }
}

/// `holds`, in WGSL, of `bits` and the parameters of [`Within`].
pub(super) fn holds_wgsl<K: OrderKey>() -> String {
    let within = match K::WORDS {
        1 => "let within = (k >= param(0u)) & (k <= param(2u));",
        _ => {
            "let below = less64(k, vec2<u32>(param(0u), param(1u)));
let above = less64(vec2<u32>(param(2u), param(3u)), k);
let within = !below & !above;"
        }
    };
    format!("let k = tie(key(bits));\n{within}\nlet holds = within != (param(4u) != 0u);")
}

impl<T: Scalar> Fold<T> for Within<T::Key> {
    type Acc = Sum64<u64>;

    #[inline(always)]
    fn identity(&self) -> Sum64<u64> {
        Sum64::ZERO
    }
    #[inline(always)]
    fn lift(&self, x: T, _: u64) -> Sum64<u64> {
        Sum64::new(i128::from(self.holds(x)))
    }
    #[inline(always)]
    fn combine(&self, a: Sum64<u64>, b: Sum64<u64>) -> Sum64<u64> {
        a + b
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[T], _: u64) -> Sum64<u64> {
        let count = |block: &[T]| block.iter().map(|&x| u32::from(self.holds(x))).sum::<u32>();
        Sum64::new(elements.chunks(1 << 16).map(|block| i128::from(count(block))).sum())
    }
    fn wgsl(&self) -> Wgsl {
        let lift = format!("{}\nreturn Acc(select(0u, 1u, holds), 0u);", holds_wgsl::<T::Key>());
        count_wgsl(lift, T::DTYPE, "")
    }
    /// The lowest key, the highest, and whether what is not between them counts.
    fn params(&self) -> Vec<u32> {
        let (low, high) = (self.low.wide(), self.high.wide());
        vec![low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32, self.outside.into()]
    }
}

impl<T: Scalar> Op<T> for CountIf {
    type Fold = Within<T::Key>;
    type Output = u64;
    const NAME: &'static str = "count_if";
    const ABOUT: &'static str = "How many elements compare so with a number";
    const EXACT: bool = true;

    fn signature(&self) -> String {
        format!("count_if(compare={})", self.compare)
    }
    fn fold(&self) -> Within<T::Key> {
        self.compare.within::<T>()
    }
    count_answer!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_compare_with_a_number_that_is_rounded_once() {
        let above: Comparison = "== 1.00048828126".parse().expect("a comparison");
        let half = crate::half::f16::from_bits(0x3c01);
        assert!(above.picks()(half) && above.rounded(Dtype::F16).picks()(f32::from(half)));
        let above: Comparison = "== 1.003906250001".parse().expect("a comparison");
        assert!(above.rounded(Dtype::BF16).picks()(1.0078125f32));
    }

    #[test]
    fn comparisons_are_read_as_they_are_written() {
        for (text, shown) in [
            ("> 30", "> 30"),
            ("<=-2.5", "<= -2.5"),
            (" == 0 ", "== 0"),
            ("!=1e9", "!= 1000000000"),
            ("< -1.7e308", "< -1.7e308"),
            ("> -0.0", "> 0"),
            ("< inf", "< inf"),
            ("== 9007199254740993.0", "== 9007199254740993"),
            (">= 9.007199254740993e15", ">= 9007199254740993"),
            ("< -1.8446744073709551615E+19", "< -18446744073709551615"),
            ("> +25e-1", "> 2.5"),
            ("!= .5", "!= 0.5"),
            ("<= 3.", "<= 3"),
            ("== 0.000e-999", "== 0"),
            ("== 1e39", "== 1e39"),
            (">= 170141183460469231731687303715884105727", ">= 170141183460469231731687303715884105727"),
        ] {
            let compare: Comparison = text.parse().expect("a comparison");
            assert_eq!(compare.to_string(), shown);
            assert_eq!(shown.parse::<Comparison>().expect("the same"), compare);
        }
        for text in ["", "30", ">", "> x", "=> 3", "= 3", "!3", "> nan", "> 1 2"] {
            let refused = text.parse::<Comparison>().expect_err("no comparison").to_string();
            assert!(refused.contains("'> 30'"), "{refused}");
        }
        for text in ["== 9007199254740992.5", "< -9223372036854775806.9999", "> 3.00000000000000000001", "> 1e-400", "> 1e-99999999999999999999"] {
            let refused = text.parse::<Comparison>().expect_err("no f64").to_string();
            assert!(refused.contains("an f64 tells from"), "{refused}");
        }
    }
}
