//! The operators. Each file holds its documentation, its WGSL and the same in Rust; the table below registers it,
//! and from that one word come the export, the command-line name and the list that the tests run.

use crate::{Answer, Dtype, Element, Op};

mod extreme;
mod tuple;
mod wide;

macro_rules! operators {
    (every type: $($module:ident::{$($op:ident),+ $(,)?})+; integers: $($words:ident::{$($int:ident),+})+;) => {
        $(mod $module; pub use $module::{$($op),+};)+
        $(pub use $words::{$($int),+};)+

        /// Every operator by its name, in the order in which help texts list them.
        pub fn names() -> Vec<&'static str> {
            vec![$($(Op::<u32>::name(&$op::default()),)+)+ $($(Op::<u32>::name(&$int::default()),)+)+]
        }

        /// Hands the operator of that name, over elements of that type, to `visitor`.
        ///
        /// `None` where there is no such operator or it does not take such elements.
        pub fn visit<V: Visitor>(name: &str, dtype: Dtype, visitor: V) -> Option<V::Out> {
            match dtype {
                Dtype::F32 => { $($(visit_one!(f32, name, visitor, $op);)+)+ }
                Dtype::I32 => { $($(visit_one!(i32, name, visitor, $op);)+)+ $($(visit_one!(i32, name, visitor, $int);)+)+ }
                Dtype::U32 => { $($(visit_one!(u32, name, visitor, $op);)+)+ $($(visit_one!(u32, name, visitor, $int);)+)+ }
            }
            None
        }
    };
}

macro_rules! visit_one {
    ($type:ty, $name:ident, $visitor:ident, $op:ident) => {
        if $name == Op::<$type>::name(&$op::default()) {
            return Some($visitor.visit::<$type, $op>($op::default()));
        }
    };
}

operators! {
    every type:
        sum::{Sum}
        product::{Product}
        min::{Min}
        max::{Max}
        minmax::{MinMax}
        argmin::{ArgMin}
        argmax::{ArgMax}
        mean::{Mean}
        variance::{Variance}
        count::{CountNonzero, CountNan}
        bits::{Any, All}
        stats::{Stats};
    integers:
        bits::{And, Or, Xor};
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
