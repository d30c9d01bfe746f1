//! The operators. Each file holds its documentation, its WGSL and the same in Rust; the table below registers it,
//! and from that one word come the export, the command-line name and the list that the tests run.

use crate::half::f16;
use crate::{Answer, Dtype, Element, Op};

mod exact;
mod extreme;
mod tuple;
mod wide;

macro_rules! operators {
    ($($module:ident: $($op:ident over $($type:ident)+),+;)+) => {
        $(mod $module; pub use $module::{$($op),+};)+

        /// Every operator by its name, in the order in which help texts list them.
        pub fn names() -> Vec<&'static str> {
            struct Name;
            impl Visitor for Name {
                type Out = &'static str;
                fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> &'static str {
                    op.name()
                }
            }
            vec![$($(first!(Name, $op, $($type)+),)+)+]
        }

        /// Hands the operator of that name, over elements of that type, to `visitor`.
        ///
        /// `None` where there is no such operator or it does not take such elements.
        pub fn visit<V: Visitor>(name: &str, dtype: Dtype, visitor: V) -> Option<V::Out> {
            $($($(
                if dtype == <$type as Element>::DTYPE && name == Op::<$type>::name(&$op::default()) {
                    return Some(visitor.visit::<$type, $op>($op::default()));
                }
            )+)+)+
            None
        }
    };
}

macro_rules! first {
    ($visitor:ident, $op:ident, $type:ident $($more:ident)*) => {
        $visitor.visit::<$type, $op>($op::default())
    };
}

#[allow(non_camel_case_types)]
type f32x2 = [f32; 2];

operators! {
    sum: Sum over f32 i32 u32 i64 u64;
    product: Product over f32 i32 u32;
    min: Min over f32 i32 u32;
    max: Max over f32 i32 u32;
    minmax: MinMax over f32 i32 u32;
    argmin: ArgMin over f32 i32 u32;
    argmax: ArgMax over f32 i32 u32;
    mean: Mean over f32 i32 u32;
    variance: Variance over f32 i32 u32;
    count: CountNonzero over f32 i32 u32, CountNan over f32 i32 u32;
    bits: Any over f32 i32 u32, All over f32 i32 u32, And over i32 u32, Or over i32 u32, Xor over i32 u32;
    stats: Stats over f32 i32 u32;
    exact_sum: ExactSum over f32 f16 f64;
    exact_mean: ExactMean over f32 f16 f64;
    exact_stats: ExactStats over f32;
    exact_dot: ExactDot over f32x2, ExactSumOfSquares over f32, ExactNormL2 over f32;
}

pub use extreme::{Ends, Found, Place};
pub use stats::Summary;
pub use sum::SumF32;

/// What [`visit`] calls: generic code that wants one operator and one element type.
pub trait Visitor {
    /// What it makes of them.
    type Out;
    /// Called once, with the operator that was named.
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, op: O) -> Self::Out;
}
