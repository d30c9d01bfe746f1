//! The operators. Each file holds its documentation, its WGSL and the same in Rust; the table below registers it,
//! and from that one line come the export, the command-line name with its options, and the list that the tests run.

use crate::element::{Complex, Dtype, Element};
use crate::error::{Error, Result};
use crate::half::f16;
use crate::op::{Answer, DynOp, Fold, Op};

mod arg_extreme;
#[cfg(not(target_arch = "wasm32"))]
mod behind;
mod binned;
mod complex;
mod doubles;
mod edges;
mod exact;
mod extreme;
mod factors;
mod filtered;
mod histogram_wide;
mod located;
mod masked;
mod rounding;
mod sum_of;
mod tuple;
mod wide;
mod without_nan;

/// An operator over one of the element types that it takes: what is known of it without making one.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The operator's name.
    pub name: &'static str,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Its description, in a line.
    pub about: &'static str,
    /// Whether its answer is the exact one, rounded once at most.
    pub exact: bool,
    /// Whether it adds exactly what float additions would round, by kernels that a self-test must pass.
    pub sums_exactly: bool,
    /// Why no device computes it, where none does: the CPU engine alone.
    pub host_only: Option<&'static str>,
    /// The operator that does exactly what this one accumulates in f32.
    pub fast_form_of: Option<&'static str>,
    /// The operator of which this one finds the last place, where that finds the first.
    pub last_form_of: Option<&'static str>,
    /// Its options: the name, which is that of the operator's field, and what it does, in a line.
    pub options: &'static [(&'static str, &'static str)],
    /// The option without which it says little.
    pub needs: Option<&'static str>,
}

impl Entry {
    const fn of<T: Element, O: Op<T> + Configure>() -> Entry {
        Entry {
            name: O::NAME,
            dtype: T::DTYPE,
            about: O::ABOUT,
            exact: O::EXACT,
            sums_exactly: O::EXACT && <O::Fold as Fold<T>>::TESTED,
            host_only: <O::Fold as Fold<T>>::HOST_ONLY,
            fast_form_of: O::FAST_FORM_OF,
            last_form_of: O::LAST_FORM_OF,
            options: O::OPTIONS,
            needs: O::NEEDS,
        }
    }
}

macro_rules! operators {
    ($($module:ident: $($op:ident $(fast $exact:literal)? $(last $first:literal)? $({ $($field:ident $(at $axis:ident . $place:ident)?: $help:literal),+ })? $(needs $needs:ident)? $(if $settled:ident)? over $($type:ident)+),+;)+) => {
        $(mod $module; pub use $module::{$($op),+};)+

        $($(impl Configure for $op {
            const FAST_FORM_OF: Option<&'static str> = form!($($exact)?);
            const LAST_FORM_OF: Option<&'static str> = form!($($first)?);
            const OPTIONS: &'static [(&'static str, &'static str)] = &[$($((stringify!($field), $help)),+)?];
            const NEEDS: Option<&'static str> = needs!($($needs)?);

            fn set(&mut self, option: &str, value: &str) -> Result<bool, String> {
                $($(if option == stringify!($field) {
                    place!(self $field $($axis $place)?) = parsed(value)?;
                    return Ok(true);
                })+)?
                let _ = (option, value);
                Ok(false)
            }

            fn settle(&self) -> Result<()> {
                $(self.$settled()?;)?
                Ok(())
            }
        })+)+

        /// Every operator over every type that it takes, in the order in which help texts list them.
        pub static TABLE: &[Entry] = &[$($($(Entry::of::<$type, $op>()),+),+),+];

        /// The [`DynOp`] of that name over elements of that type; `None`, where there is none. It is not generic, so that what it
        /// names is compiled here, once for all programs.
        fn named(name: &str, dtype: Dtype, options: &[(&str, &str)]) -> Result<Option<Box<dyn std::any::Any>>> {
            $($($(
                if dtype == <$type as Element>::DTYPE && name == <$op as Op<$type>>::NAME {
                    return configured::<$type, $op>(options).map(Some);
                }
            )+)+)+
            Ok(None)
        }
    };
}

/// The operator with these options.
fn configured<T: Element, O: Op<T, Output: Answer> + Configure + Default>(
    options: &[(&str, &str)],
) -> Result<Box<dyn std::any::Any>> {
    let mut op = O::default();
    for &(option, value) in options {
        let refused = |rule: String| {
            let (operator, option, value) = (O::NAME.into(), option.into(), value.into());
            Error::BadOption { operator, option, value, rule }
        };
        if !op.set(option, value).map_err(refused)? {
            return Err(refused("an option that the operator has".into()));
        }
    }
    op.settle()?;
    Ok(Box::new(DynOp::<T>::of(op)))
}

/// The field that an option sets: that of its name, or one of a field's own.
macro_rules! place {
    ($self:ident $field:ident) => {
        $self.$field
    };
    ($self:ident $field:ident $axis:ident $place:ident) => {
        $self.$axis.$place
    };
}

macro_rules! needs {
    () => {
        None
    };
    ($option:ident) => {
        Some(stringify!($option))
    };
}

macro_rules! form {
    () => {
        None
    };
    ($of:literal) => {
        Some($of)
    };
}

/// The rule for the value of an option.
trait Rule: std::str::FromStr {
    const RULE: &'static str;

    /// The rule, by what is told of a text that breaks it.
    fn broken(_: Self::Err) -> String {
        Self::RULE.into()
    }
}

impl Rule for u32 {
    const RULE: &'static str = "a whole number from 0 to 4294967295";
}

impl Rule for f64 {
    const RULE: &'static str = "a number";
}

/// The value of a text, or the rule that it breaks.
fn parsed<V: Rule>(text: &str) -> Result<V, String> {
    text.trim().parse().map_err(V::broken)
}

/// The table's facts of an operator besides its types.
trait Configure {
    const FAST_FORM_OF: Option<&'static str>;
    const LAST_FORM_OF: Option<&'static str>;
    const OPTIONS: &'static [(&'static str, &'static str)];
    const NEEDS: Option<&'static str>;

    /// Sets an option; whether there is one of that name, or what its value must be.
    fn set(&mut self, option: &str, value: &str) -> Result<bool, String>;

    /// Whether all options together are possible.
    fn settle(&self) -> Result<()>;
}

/// The names in [`TABLE`], each once.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = TABLE.iter().map(|entry| entry.name).collect();
    names.dedup();
    names
}

/// Hands the operator of that name, over elements of that type and with these options, to `visitor`.
///
/// `None` where there is no such operator or it does not take such elements.
///
/// # Errors
/// [`Error::BadOption`] where the operator has no such option, or the option no such value; what the operator says of all of them
/// together.
pub fn visit_with<V: Visitor>(
    name: &str,
    dtype: Dtype,
    options: &[(&str, &str)],
    visitor: V,
) -> Result<Option<V::Out>> {
    let Some(op) = named(name, dtype, options)? else { return Ok(None) };
    Ok(handed(op, dtype, visitor))
}

/// Hands a [`DynOp`] over elements of that type to `visitor`.
fn handed<V: Visitor>(op: Box<dyn std::any::Any>, dtype: Dtype, visitor: V) -> Option<V::Out> {
    fn hand<T: Element, V: Visitor>(op: Box<dyn std::any::Any>, visitor: V) -> Option<V::Out> {
        op.downcast().ok().map(|op| visitor.visit::<T>(*op))
    }
    match dtype {
        Dtype::F16 => hand::<f16, V>(op, visitor),
        Dtype::F32 => hand::<f32, V>(op, visitor),
        Dtype::F64 => hand::<f64, V>(op, visitor),
        Dtype::I32 => hand::<i32, V>(op, visitor),
        Dtype::U32 => hand::<u32, V>(op, visitor),
        Dtype::I64 => hand::<i64, V>(op, visitor),
        Dtype::U64 => hand::<u64, V>(op, visitor),
        Dtype::F32x2 => hand::<f32x2, V>(op, visitor),
        Dtype::F64x2 => hand::<f64x2, V>(op, visitor),
        Dtype::I64x2 => hand::<i64x2, V>(op, visitor),
        Dtype::U64x2 => hand::<u64x2, V>(op, visitor),
        Dtype::F32x4 => hand::<[f32; 4], V>(op, visitor),
        Dtype::C64 => hand::<c64, V>(op, visitor),
        Dtype::C128 => hand::<c128, V>(op, visitor),
        Dtype::BF16 | Dtype::WideF16 | Dtype::I8 | Dtype::U8 | Dtype::I16 | Dtype::U16 | Dtype::Own(_) => None,
    }
}

/// The same without options.
pub fn visit<V: Visitor>(name: &str, dtype: Dtype, visitor: V) -> Option<V::Out> {
    visit_with(name, dtype, &[], visitor).ok().flatten()
}

#[allow(non_camel_case_types)]
type f32x2 = [f32; 2];
#[allow(non_camel_case_types)]
type f64x2 = [f64; 2];
#[allow(non_camel_case_types)]
type i64x2 = [i64; 2];
#[allow(non_camel_case_types)]
type u64x2 = [u64; 2];
#[allow(non_camel_case_types)]
type c64 = Complex<f32>;
#[allow(non_camel_case_types)]
type c128 = Complex<f64>;

operators! {
    sum: Sum over f32 f16 f64 i32 u32 i64 u64 c64 c128;
    fast_sum: FastSum fast "sum" over f32;
    wrapping_sum: WrappingSum over i32 u32 i64 u64;
    product: Product over f32 f64 i32 u32 i64 u64 c64 c128;
    wrapping_product: WrappingProduct over i32 u32 i64 u64;
    min: Min over f32 f16 f64 i32 u32 i64 u64;
    max: Max over f32 f16 f64 i32 u32 i64 u64;
    minmax: MinMax over f32 f16 f64 i32 u32 i64 u64;
    range: Range over f32 f64 i32 u32 i64 u64, NormInf over f32 f64 i32 u32 i64 u64;
    argmin: ArgMin over f32 f16 f64 i32 u32 i64 u64, ArgMinLast last "argmin" over f32 f16 f64 i32 u32 i64 u64;
    argmax: ArgMax over f32 f16 f64 i32 u32 i64 u64, ArgMaxLast last "argmax" over f32 f16 f64 i32 u32 i64 u64;
    mean: Mean over f32 f16 f64 i32 u32 i64 u64 c64 c128;
    fast_mean: FastMean fast "mean" over f32;
    variance: Variance { ddof: "Delta degrees of freedom: divide by n - N" } over f32 f64 i32 u32 i64 u64,
        Std { ddof: "Delta degrees of freedom: divide by n - N" } over f32 f64 i32 u32 i64 u64,
        Sem { ddof: "Delta degrees of freedom: divide by n - N" } over f32 f64 i32 u32 i64 u64;
    fast_variance: FastVariance fast "variance" { ddof: "Delta degrees of freedom: divide by n - N" } over f32;
    count: CountNonzero over f32 f16 f64 i32 u32 i64 u64, CountNan over f32 f16 f64 i32 u32 i64 u64,
        Count over f32 f16 f64 i32 u32 i64 u64, Parity over f32 f16 f64 i32 u32 i64 u64;
    count_if: CountIf { compare: "What to count or find: < <= > >= == or != and a number, '> 30'" } needs compare over f32 f16 f64 i32 u32 i64 u64;
    bits: Any over f32 f16 f64 i32 u32 i64 u64, All over f32 f16 f64 i32 u32 i64 u64,
        NoneOf over f32 f16 f64 i32 u32 i64 u64,
        And over i32 u32 i64 u64, Or over i32 u32 i64 u64, Xor over i32 u32 i64 u64;
    stats: Stats { ddof: "Delta degrees of freedom: divide by n - N" } over f32 f64 i32 u32 i64 u64,
        FastStats fast "stats" { ddof: "Delta degrees of freedom: divide by n - N" } over f32;
    dot: Dot over f32x2 f64x2 i64x2 u64x2;
    squares: SumOfSquares over f32 f64 i32 u32 i64 u64, Norm2 over f32 f64 i32 u32 i64 u64 c64 c128;
    norm1: Norm1 over f32 f16 f64 i32 u32 i64 u64;
    norm_p: Norm { p: "Index of the norm, 0.01 to 1000" } needs p over f32 f64 i32 u32 i64 u64;
    log_mean: LogMean over f32 f64 i32 u32 i64 u64, LogProduct over f32 f64 i32 u32 i64 u64;
    harmonic_mean: HarmonicMean over f32 f64 i32 u32 i64 u64;
    entropy: Entropy over f32 f64 i32 u32 i64 u64;
    logsumexp: LogSumExp { scale: "Factor of every element" } over f32 f64;
    softmax: SoftmaxTerms { scale: "Factor of every element" } over f32 f64;
    moments: Skewness over f32 f64 i32 u32 i64 u64, Kurtosis over f32 f64 i32 u32 i64 u64;
    hash: Hash over f32 f16 f64 i32 u32 i64 u64;
    find: FindFirst { compare: "What to count or find: < <= > >= == or != and a number, '> 30'" } needs compare over f32 f16 f64 i32 u32 i64 u64,
        FindLast { compare: "What to count or find: < <= > >= == or != and a number, '> 30'" } needs compare over f32 f16 f64 i32 u32 i64 u64;
    top: Top { k: "How many elements, 1 to 1024" } needs k over f32 f16 f64 i32 u32 i64 u64,
        Bottom { k: "How many elements, 1 to 1024" } needs k over f32 f16 f64 i32 u32 i64 u64;
    pairs: Covariance { ddof: "Delta degrees of freedom: divide by n - N" } over f32x2 f64x2 i64x2 u64x2,
        Correlation over f32x2 f64x2 i64x2 u64x2, WeightedMean over f32x2 f64x2 i64x2 u64x2, Cosine over f32x2 f64x2 i64x2 u64x2;
    histogram: Histogram {
        bins: "Number of bins",
        range: "Lower and upper edge, LOW:HIGH",
        integers: "A bin for each whole number from LOW to HIGH, LOW:HIGH, in place of number and range",
        edges: "Every edge, E0,E1,…, in place of number and range"
    } over f32 f64 i32 u32 i64 u64;
    histogram2d: Histogram2d {
        bins at x.bins: "Number of bins",
        range at x.range: "Lower and upper edge, LOW:HIGH",
        integers at x.integers: "A bin for each whole number from LOW to HIGH, LOW:HIGH, in place of number and range",
        edges at x.edges: "Every edge, E0,E1,…, in place of number and range",
        bins_y at y.bins: "Number of bins of y; else as of x",
        range_y at y.range: "Range of y; else as of x",
        integers_y at y.integers: "Whole numbers of y; else as of x",
        edges_y at y.edges: "Every edge of y; else as of x"
    } if settled over f32x2 f64x2 i64x2 u64x2;
}

#[cfg(not(target_arch = "wasm32"))]
pub use behind::{visit_combining, visit_mapped};
pub use binned::{Binned, Counts};
pub use count_if::{Comparison, Relation, Within};
pub use fast_sum::FloatSum;
pub use filtered::{Filtered, Kept, NoNan, Numbers, Passing, Tally};
pub use find::Finding;
pub use histogram::Countable;
pub(crate) use histogram::TRIPS;
pub use histogram2d::{Binned2d, Counts2d};
pub use located::{Found, Located};
pub use masked::{FlagTest, Flags, Values};
pub use minmax::ExtremeRanks;
pub use norm_p::Index;
pub use softmax::PeakAndSum;
pub use stats::Summary;
pub use sum_of::{Function, SumOf};
pub use top::{Leaders, Ranked, Ranking};
pub use without_nan::WithoutNan;

/// Code that wants an operator over one element type: [`visit`] calls it.
pub trait Visitor {
    /// The result of a visit.
    type Out;
    /// Called once, with the operator that was named.
    fn visit<T: Element>(self, op: DynOp<T>) -> Self::Out;
}
