//! The operators. Each file holds its documentation, its WGSL and the same in Rust; the table below registers it,
//! and from that one line come the export, the command-line name with its options, and the list that the tests run.

use crate::element::{Dtype, Element};
use crate::error::{Error, Result};
use crate::half::f16;
use crate::op::{Answer, Op};

mod exact;
mod extreme;
mod tuple;
mod wide;

/// An option of an operator, for command lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpOption {
    /// The operator's name.
    pub operator: &'static str,
    /// The option's name, which is that of the operator's field.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
}

macro_rules! operators {
    ($($module:ident: $($op:ident $(fast $exact:literal)? $({ $($field:ident: $help:literal),+ })? over $($type:ident)+),+;)+) => {
        $(mod $module; pub use $module::{$($op),+};)+

        $($(impl Configure for $op {
            fn set(&mut self, option: &str, value: &str) -> Result<bool, String> {
                $($(if option == stringify!($field) {
                    self.$field = parsed(value)?;
                    return Ok(true);
                })+)?
                let _ = (option, value);
                Ok(false)
            }
        })+)+

        /// Every operator by its name, in the order in which help texts list them.
        pub fn names() -> Vec<&'static str> {
            vec![$($(first!(name_of, $op, $($type)+),)+)+]
        }

        /// The names of the operators that accumulate in f32 what others do exactly: (exact, fast).
        pub fn fast_forms() -> Vec<(&'static str, &'static str)> {
            let forms = [$($((fast!($($exact)?), first!(name_of, $op, $($type)+)),)+)+];
            forms.into_iter().filter_map(|(exact, fast): (Option<&str>, _)| Some((exact?, fast))).collect()
        }

        /// The options of all operators.
        pub fn options() -> Vec<OpOption> {
            type Fields = &'static [(&'static str, &'static str)];
            let all: Vec<(&str, Fields)> =
                vec![$($((first!(name_of, $op, $($type)+), &[$($((stringify!($field), $help)),+)?]),)+)+];
            let of = |(operator, fields): (&'static str, Fields)| {
                fields.iter().map(move |&(name, help)| OpOption { operator, name, help })
            };
            all.into_iter().flat_map(of).collect()
        }

        /// Hands the operator of that name, over elements of that type and with these options, to `visitor`.
        ///
        /// `None` where there is no such operator or it does not take such elements.
        ///
        /// # Errors
        /// [`Error::BadOption`] where the operator has no such option, or the option no such value.
        pub fn visit_with<V: Visitor>(name: &str, dtype: Dtype, options: &[(&str, &str)], visitor: V) -> Result<Option<V::Out>> {
            $($($(
                if dtype == <$type as Element>::DTYPE && name == Op::<$type>::name(&$op::default()) {
                    #[allow(unused_mut)]
                    let mut op = $op::default();
                    for &(option, value) in options {
                        let refused = |rule: String| Error::BadOption { operator: name.into(), option: option.into(), value: value.into(), rule };
                        if !op.set(option, value).map_err(refused)? {
                            return Err(refused("an option that the operator has".into()));
                        }
                    }
                    return Ok(Some(visitor.visit::<$type, $op>(op)));
                }
            )+)+)+
            Ok(None)
        }
    };
}

macro_rules! fast {
    () => {
        None
    };
    ($exact:literal) => {
        Some($exact)
    };
}

/// What the value of an option must be.
trait Rule {
    const RULE: &'static str;
}

impl Rule for u32 {
    const RULE: &'static str = "a whole number from 0 to 4294967295";
}

impl Rule for f32 {
    const RULE: &'static str = "a number";
}

/// The value of a text, or the rule that it breaks.
fn parsed<V: std::str::FromStr + Rule>(text: &str) -> Result<V, String> {
    text.trim().parse().map_err(|_| V::RULE.into())
}

/// An operator whose options have names.
trait Configure {
    /// Sets an option; whether there is one of that name, or what its value must be.
    fn set(&mut self, option: &str, value: &str) -> Result<bool, String>;
}

macro_rules! first {
    ($call:ident, $op:ident, $type:ident $($more:ident)*) => {
        $call::<$type, $op>(&$op::default())
    };
}

fn name_of<T: Element, O: Op<T>>(op: &O) -> &'static str {
    op.name()
}

/// Hands the operator of that name, over elements of that type, to `visitor`.
///
/// `None` where there is no such operator or it does not take such elements.
pub fn visit<V: Visitor>(name: &str, dtype: Dtype, visitor: V) -> Option<V::Out> {
    visit_with(name, dtype, &[], visitor).ok().flatten()
}

#[allow(non_camel_case_types)]
type f32x2 = [f32; 2];

operators! {
    sum: Sum over f32 f16 f64 i32 u32 i64 u64;
    fast_sum: FastSum fast "sum" over f32;
    product: Product over f32 i32 u32;
    min: Min over f32 i32 u32;
    max: Max over f32 i32 u32;
    minmax: MinMax over f32 i32 u32;
    argmin: ArgMin over f32 i32 u32;
    argmax: ArgMax over f32 i32 u32;
    mean: Mean over f32 f16 f64 i32 u32;
    fast_mean: FastMean fast "mean" over f32;
    variance: Variance { ddof: "Delta degrees of freedom: divide by n - N" } over i32 u32;
    fast_variance: FastVariance fast "variance" { ddof: "Delta degrees of freedom: divide by n - N" } over f32;
    count: CountNonzero over f32 i32 u32, CountNan over f32 i32 u32;
    bits: Any over f32 i32 u32, All over f32 i32 u32, And over i32 u32, Or over i32 u32, Xor over i32 u32;
    stats: Stats { ddof: "Delta degrees of freedom: divide by n - N" } over f32 i32 u32,
        FastStats fast "stats" { ddof: "Delta degrees of freedom: divide by n - N" } over f32;
    dot: Dot over f32x2, SumOfSquares over f32, Norm2 over f32;
    logsumexp: LogSumExp { scale: "Factor of every element" } over f32;
    histogram: Histogram { bins: "Number of bins", range: "Lower and upper edge, LOW:HIGH" } over f32 i32 u32;
}

pub use extreme::{Ends, Found, Located};
pub use fast_sum::FloatSum;
pub use histogram::Counts;
pub use stats::Summary;

/// What [`visit`] calls: generic code that wants one operator and one element type.
pub trait Visitor {
    /// What it makes of them.
    type Out;
    /// Called once, with the operator that was named.
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Self::Out;
}
