//! Operators over those elements only that pass a condition.

use super::Comparison;
use super::count_if::Within;
use super::wide::{Sum64, sum64_wgsl};
use crate::element::{Complex, Dtype, Element, Padded, Scalar, Vector};
use crate::half::f16;
use crate::op::{Answer, BinAxis, ByFunction, Condition, DynOp, Fold, Op, Part, SiftedFold, Test, Text, Wgsl};
use crate::{Acc, Result};
use std::any::Any;

/// An operator over those elements only that pass a condition, in the one read of the elements, and how many do not.
///
/// It answers as the operator does over the others alone: a mean divides by how many pass, and where none does there is no answer, or that of
/// nothing. Only places are those among all elements: of what is found in the whole input, in rows in its row.
///
/// - **Conditions**: [`Filtered::not_nan`] leaves NaN out, [`Filtered::comparing`] what does not compare so; both decide on bits, on every device
///   alike, over each type of numbers. Those of [`Filtered::new`] stand twice, as the body of `fn keep_element(x: X) -> bool` in WGSL and in Rust, and
///   [`check`](crate::check) compares the two; `X` is `f32`, `i32` or `u32`, `vec2<f32>` for pairs, `vec4<f32>` for texels, and a device
///   promises nothing of NaN. Over other types the host half alone computes, by [`Cpu`](crate::Cpu).
/// - **Exact** where the operator is: what does not pass adds nothing.
/// - **Together with others**: `Filtered::not_nan(Mapped::new(…))` looks at the elements as they are read. A condition on what a function
///   makes, or on what passes another condition, has no device half. Narrow types are widened first: `Widened(Filtered::not_nan(…))`.
/// - **On the device**: how many pass is counted beside the operator; of a histogram whose bins leave no room for that,
///   [`Error::BinsBeside`](crate::Error::BinsBeside). No device answer: for `reduce`, not `record`.
///
/// ```
/// use treefold::{Cpu, ops::{ArgMax, Filtered, Kept, Mean, Stats, Sum}};
/// let (cpu, nan) = (Cpu::new(), f32::NAN);
/// let rows = [1.0, nan, 6.0, nan, nan, nan];
/// let means = cpu.reduce_each(Filtered::not_nan(Mean), &rows, 3)?;
/// assert_eq!(means, [Kept { answer: Some(3.5), left_out: 1 }, Kept { answer: None, left_out: 3 }]);
/// let largest = cpu.reduce(Filtered::not_nan(ArgMax), &rows)?;
/// assert_eq!(largest.answer.map(|found| (found.value, found.index)), Some((6.0, 2)));
/// let warm = cpu.reduce(Filtered::comparing("> 30".parse()?, Sum), &[21i32, 31, 40])?;
/// assert_eq!((warm.answer, warm.left_out), (71, 1));
/// let even = Filtered::new("return x % 2u == 0u;", |x: u32| x.is_multiple_of(2), Stats::default());
/// assert_eq!(cpu.reduce(even, &[1u32, 2, 3, 6])?.answer.mean, Some(4.0));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Filtered<C, O>(O, C);

/// The answer of a [`Filtered`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept<A> {
    /// The operator's answer over the elements that pass.
    pub answer: A,
    /// Number of elements that do not pass.
    pub left_out: u64,
}

/// The answer's parts, and behind them `left_out`.
impl<A: Answer> Answer for Kept<A> {
    fn parts(&self) -> Vec<Part> {
        let mut parts = self.answer.parts();
        parts.push(Part::new("left_out", self.left_out));
        parts
    }
}

/// A condition on numbers of any type, decided on their bits; of pairs, vectors and complex numbers all numbers must be no NaN.
///
/// ```
/// use treefold::{Cpu, ops::{Filtered, Max, Numbers}};
/// let numbers = Numbers { not_nan: true, compare: Some("!= 9".parse()?) };
/// let kept = Cpu::new().reduce(Filtered::by(numbers, Max), &[9.0f32, 4.0, f32::NAN])?;
/// assert_eq!((kept.answer, kept.left_out), (Some(4.0), 2));
/// # Ok::<(), treefold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Numbers {
    /// Whether NaN does not pass.
    pub not_nan: bool,
    /// The comparison that elements must pass. A NaN passes none but `!=`.
    pub compare: Option<Comparison>,
}

impl<F, O> Filtered<ByFunction<F>, O> {
    /// The operator over elements of which the function is true: `wgsl` is the body of `fn keep_element(x: X) -> bool`, `host` the same in Rust.
    pub fn new(wgsl: impl Into<Text>, host: F, op: O) -> Self {
        Filtered(op, ByFunction::new(wgsl.into(), host))
    }

    /// The same with an upper bound of the loop trips of the WGSL; without one a loop is an error.
    pub fn trips(self, trips: u64) -> Self {
        Filtered(self.0, self.1.trips(trips))
    }
}

impl<O> Filtered<Numbers, O> {
    /// The operator over what is not NaN.
    pub fn not_nan(op: O) -> Self {
        Filtered(op, Numbers { not_nan: true, compare: None })
    }

    /// The operator over elements that compare so with a number, as [`CountIf`](super::CountIf) has it.
    pub fn comparing(compare: Comparison, op: O) -> Self {
        Filtered(op, Numbers { not_nan: false, compare: Some(compare) })
    }
}

impl<C, O> Filtered<C, O> {
    /// The operator over elements that pass the condition.
    pub fn by(condition: C, op: O) -> Self {
        Filtered(op, condition)
    }

    /// The same over what passes another condition instead.
    pub(super) fn on<D>(self, condition: D) -> Filtered<D, O> {
        Filtered(self.0, condition)
    }
}

impl<T: Element, C: Condition<T>, O: Op<T>> Op<T> for Filtered<C, O> {
    type Fold = (SiftedFold<C::Test, O::Fold>, SiftedFold<C::Test, Tally>);
    type Output = Kept<O::Output>;
    const NAME: &'static str = O::NAME;
    const ABOUT: &'static str = O::ABOUT;
    const EXACT: bool = O::EXACT;

    fn fold(&self) -> Self::Fold {
        let test = self.1.test();
        (SiftedFold::new::<T>(self.0.fold(), test.clone()), SiftedFold::new::<T>(Tally, test))
    }
    fn finish(&self, acc: Acc<T, Self>, count: u64) -> Result<Kept<O::Output>> {
        let passed = acc.1.total() as u64;
        Ok(Kept { answer: self.0.finish(acc.0, passed)?, left_out: count.saturating_sub(passed) })
    }
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn is_exact(&self) -> bool {
        self.0.is_exact()
    }
    fn picks(&self) -> bool {
        self.0.picks()
    }
    fn is_shareable(&self) -> bool {
        self.0.is_shareable() && (T::DTYPE.is_integer() || <C::Test as Test<T>>::READS_BITS)
    }
    /// The operator's, and of which elements it is: `mean where not nan`.
    fn signature(&self) -> String {
        format!("{} where {}", self.0.signature(), self.1.title())
    }
    fn axes(&self) -> Vec<BinAxis> {
        self.0.axes()
    }
    fn close(&self, device: &Self::Output, host: &Self::Output, elements: &[T], finished: bool) -> bool {
        let test = self.1.test();
        let passed: Vec<T> = elements.iter().copied().filter(|&x| test.passes(x)).collect();
        device.left_out == host.left_out && self.0.close(&device.answer, &host.answer, &passed, finished)
    }
}

/// Number of elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally;

impl<T: Element> Fold<T> for Tally {
    type Acc = Sum64<u64>;

    #[inline(always)]
    fn identity(&self) -> Sum64<u64> {
        Sum64::ZERO
    }
    #[inline(always)]
    fn lift(&self, _: T, _: u64) -> Sum64<u64> {
        Sum64::new(1)
    }
    #[inline(always)]
    fn combine(&self, a: Sum64<u64>, b: Sum64<u64>) -> Sum64<u64> {
        a + b
    }
    #[inline(always)]
    fn accumulate(&self, elements: &[T], _: u64) -> Sum64<u64> {
        Sum64::new(elements.len() as i128)
    }
    fn wgsl(&self) -> Wgsl {
        sum64_wgsl("return Acc(1u, 0u);").blind()
    }
}

/// [`Numbers`] of one type.
#[derive(Clone, Copy, Debug)]
pub struct Passing<K> {
    not_nan: bool,
    within: Option<Within<K>>,
}

impl<T: Scalar> Condition<T> for Numbers {
    type Test = Passing<T::Key>;

    fn test(&self) -> Passing<T::Key> {
        Passing { not_nan: self.not_nan && T::NAN.is_some(), within: self.compare.map(|compare| compare.within::<T>()) }
    }
    fn title(&self) -> String {
        let nan = self.not_nan.then(|| "not nan".to_string());
        nan.into_iter().chain(self.compare.map(|compare| compare.to_string())).collect::<Vec<_>>().join(" and ")
    }
}

impl<T: Scalar> Test<T> for Passing<T::Key> {
    const READS_BITS: bool = true;
    const OWN: bool = true;

    #[inline(always)]
    fn passes(&self, x: T) -> bool {
        !(self.not_nan && x.is_nan()) && self.within.is_none_or(|within| within.holds(x))
    }
    fn wgsl(&self) -> Text {
        let nan = if self.not_nan { "if is_nan(bits) { return false; }\n" } else { "" };
        let within = self.within.map_or("return true;".into(), |within| within.wgsl());
        format!("{nan}{within}").into()
    }
}

/// Numbers of an element, none of which may be NaN.
#[derive(Clone, Copy, Debug)]
pub struct NoNan(bool);

macro_rules! of_several {
    ($($type:ty, $all:expr;)+) => {$(
        /// Elements that have no order: they pass every comparison.
        impl Condition<$type> for Numbers {
            type Test = NoNan;
            fn test(&self) -> NoNan {
                NoNan(self.not_nan)
            }
            fn title(&self) -> String {
                if self.not_nan { "not nan".into() } else { "all".into() }
            }
        }

        impl Test<$type> for NoNan {
            const READS_BITS: bool = true;
            const OWN: bool = true;
            #[inline(always)]
            fn passes(&self, x: $type) -> bool {
                !self.0 || x.numbers().iter().all(|x| !Scalar::is_nan(*x))
            }
            fn wgsl(&self) -> Text {
                if self.0 { $all.into() } else { "return true;".into() }
            }
        }
    )+};
}

/// Neither of two f64 is NaN.
const BOTH_F64: &str = "let size = bits.yw & vec2<u32>(0x7fffffffu);
let digits = min(bits.xz, vec2<u32>(1u));
return all(size + digits <= vec2<u32>(0x7ff00000u));";

of_several! {
    [f32; 2], "return all((bits & vec2<u32>(0x7fffffffu)) <= vec2<u32>(0x7f800000u));";
    [f32; 3], "return all((bits & vec3<u32>(0x7fffffffu)) <= vec3<u32>(0x7f800000u));";
    [f32; 4], "return all((bits & vec4<u32>(0x7fffffffu)) <= vec4<u32>(0x7f800000u));";
    Padded<f32>, "return all((bits.xyz & vec3<u32>(0x7fffffffu)) <= vec3<u32>(0x7f800000u));";
    Complex<f32>, "return all((bits & vec2<u32>(0x7fffffffu)) <= vec2<u32>(0x7f800000u));";
    Complex<f64>, BOTH_F64;
    [f64; 2], BOTH_F64;
    [i64; 2], "return true;";
    [u64; 2], "return true;";
}

impl Numbers {
    /// An operator of any kind over the numbers that pass; `None` over narrow types, and where elements without an order must compare.
    ///
    /// ```
    /// use treefold::{Answer, Cpu, DynOp, Value, ops::{Max, Numbers}};
    /// let numbers = Numbers { not_nan: true, compare: None };
    /// let op = numbers.filter(DynOp::<f32>::of(Max)).expect("an operator over f32");
    /// let parts = Cpu::new().reduce(op, &[4.0, f32::NAN])?.parts();
    /// assert_eq!([("value", Value::F32(4.0)), ("left_out", Value::U64(1))], [0, 1].map(|at: usize| (parts[at].name, parts[at].value)));
    /// # Ok::<(), treefold::Error>(())
    /// ```
    pub fn filter<T: Element>(self, op: DynOp<T>) -> Option<DynOp<T>> {
        fn of<T: Element, S: Element>(numbers: Numbers, op: DynOp<T>) -> Option<DynOp<T>>
        where
            Numbers: Condition<S>,
        {
            let op: Box<dyn Any> = Box::new(op);
            let filtered = DynOp::<S>::of(Filtered::by(numbers, *op.downcast::<DynOp<S>>().ok()?));
            let filtered: Box<dyn Any> = Box::new(filtered);
            Some(*filtered.downcast().ok()?)
        }
        match T::DTYPE {
            Dtype::F16 => of::<T, f16>(self, op),
            Dtype::F32 => of::<T, f32>(self, op),
            Dtype::F64 => of::<T, f64>(self, op),
            Dtype::I32 => of::<T, i32>(self, op),
            Dtype::U32 => of::<T, u32>(self, op),
            Dtype::I64 => of::<T, i64>(self, op),
            Dtype::U64 => of::<T, u64>(self, op),
            Dtype::F32x2 if self.compare.is_none() => of::<T, [f32; 2]>(self, op),
            Dtype::F64x2 if self.compare.is_none() => of::<T, [f64; 2]>(self, op),
            Dtype::I64x2 if self.compare.is_none() => of::<T, [i64; 2]>(self, op),
            Dtype::U64x2 if self.compare.is_none() => of::<T, [u64; 2]>(self, op),
            Dtype::C64 if self.compare.is_none() => of::<T, Complex<f32>>(self, op),
            Dtype::C128 if self.compare.is_none() => of::<T, Complex<f64>>(self, op),
            Dtype::F32x4 if self.compare.is_none() => of::<T, [f32; 4]>(self, op),
            _ => None,
        }
    }
}
