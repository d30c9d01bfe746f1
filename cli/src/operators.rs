//! What the program says of each operator, and how it calls one by its name.

use treefold::ops::{self, Stats, Variance, Visitor};
use treefold::{Answer, Dtype, Element, Op};

/// One line for the help text.
pub fn meaning(name: &str) -> &'static str {
    match name {
        "sum" => "Sum; exact for integers",
        "product" => "Product; exact for integers",
        "min" => "Smallest element; NaN if there is one",
        "max" => "Largest element; NaN if there is one",
        "minmax" => "Smallest and largest element",
        "argmin" => "Smallest element and its index, the lowest among ties",
        "argmax" => "Largest element and its index, the lowest among ties",
        "mean" => "Arithmetic mean",
        "variance" => "Variance, divided by n - ddof",
        "count_nonzero" => "How many elements are not zero",
        "count_nan" => "How many elements are NaN",
        "any" => "Whether any element is not zero",
        "all" => "Whether all elements are not zero",
        "stats" => "Count, NaN count, sum, mean, std, min and max with their indices",
        "and" => "Bitwise and; integers",
        "or" => "Bitwise or; integers",
        "xor" => "Bitwise exclusive or; integers",
        _ => "See the library's documentation",
    }
}

/// Whether the answer is the exact one, no rounding anywhere.
pub fn exact(name: &str, dtype: Dtype) -> bool {
    match name {
        "mean" | "variance" | "stats" => false,
        "sum" | "product" => dtype != Dtype::F32,
        _ => true,
    }
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
