//! What the program says of each operator, and how it calls one by its name.

use treefold::ops::{self, Stats, Variance, Visitor};
use treefold::{Answer, Dtype, Element, Op};

/// One line for the help text.
pub fn meaning(name: &str) -> &'static str {
    struct About;
    impl Visitor for About {
        type Out = &'static str;
        fn visit<T: Element, O: Op<T, Output: Answer>>(self, _: O) -> &'static str {
            O::ABOUT
        }
    }
    ops::visit(name, Dtype::U32, About).unwrap_or_default()
}

/// Hands the operator of that name to `visitor`; `None` where it does not take such elements.
pub fn visit<V: Visitor>(name: &str, dtype: Dtype, ddof: u32, visitor: V) -> Option<V::Out> {
    match dtype {
        Dtype::F32 if ddof > 0 => visit_with_ddof::<f32, V>(name, ddof, visitor),
        Dtype::I32 if ddof > 0 => visit_with_ddof::<i32, V>(name, ddof, visitor),
        Dtype::U32 if ddof > 0 => visit_with_ddof::<u32, V>(name, ddof, visitor),
        _ => ops::visit(name, dtype, visitor),
    }
}

fn visit_with_ddof<T: Element, V: Visitor>(name: &str, ddof: u32, visitor: V) -> Option<V::Out>
where
    Variance: Op<T, Output: Answer>,
    Stats: Op<T, Output: Answer>,
{
    match name {
        "variance" => Some(visitor.visit::<T, Variance>(Variance { ddof })),
        "stats" => Some(visitor.visit::<T, Stats>(Stats { ddof })),
        _ => None,
    }
}

/// The element types that the operator takes.
pub fn takes(name: &str) -> Vec<Dtype> {
    struct Nothing;
    impl Visitor for Nothing {
        type Out = ();
        fn visit<T: Element, O: Op<T, Output: Answer>>(self, _: O) {}
    }
    Dtype::ALL.into_iter().filter(|&dtype| ops::visit(name, dtype, Nothing).is_some()).collect()
}
