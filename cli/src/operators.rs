//! Operators by the names that people type: which one of the library a name means, and what the program says of it.
//!
//! Over each element type a name means the exact operator where the library has one; `--fast` means the other.

use treefold::ops::{self, ExactStats, Stats, Variance, Visitor};
use treefold::{Answer, Dtype, Element, Op};

/// What the library's exact operators have before their names.
const EXACT: &str = "exact_";

/// How sums of floats come about, where there are two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Rounded once.
    Exact,
    /// Accumulated in f32.
    Fast,
}

impl Method {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Fast => "fast",
        }
    }
}

/// An operator of the library, over the elements that it will read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The library's name.
    pub name: &'static str,
    /// Its element type.
    pub dtype: Dtype,
    /// Exact or fast, where there is or would be a choice.
    pub method: Option<Method>,
}

impl Chosen {
    /// The library's operator of this very name; `None` where it has none over such elements.
    pub fn named(name: &str, dtype: Dtype) -> Option<Chosen> {
        let name = ops::names().into_iter().find(|&known| known == name)?;
        let taken = |name| visit(name, dtype, 0, Nothing).is_some();
        let method = match name.starts_with(EXACT) {
            true => Some(Method::Exact),
            false => exact(name).is_some_and(taken).then_some(Method::Fast),
        };
        taken(name).then_some(Chosen { name, dtype, method })
    }

    /// The name that people type.
    pub fn typed(&self) -> &'static str {
        typed(self.name)
    }
}

/// Takes any operator and does nothing.
struct Nothing;

impl Visitor for Nothing {
    type Out = ();
    fn visit<T: Element, O: Op<T, Output: Answer>>(self, _: O) {}
}

fn typed(name: &'static str) -> &'static str {
    name.strip_prefix(EXACT).unwrap_or(name)
}

/// The library's name of the exact operator behind a typed name.
fn exact(name: &str) -> Option<&'static str> {
    ops::names().into_iter().find(|known| known.strip_prefix(EXACT) == Some(name))
}

/// Every name, once.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = vec![];
    for name in ops::names().into_iter().map(typed) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Element types, pairs included.
fn dtypes() -> impl Iterator<Item = Dtype> {
    Dtype::ALL.into_iter().chain([Dtype::F32x2])
}

/// The element type of that name, pairs included.
pub fn dtype_named(name: &str) -> Option<Dtype> {
    dtypes().find(|dtype| dtype.name() == name)
}

/// One line for the help text.
pub fn meaning(name: &str) -> String {
    struct About;
    impl Visitor for About {
        type Out = &'static str;
        fn visit<T: Element, O: Op<T, Output: Answer>>(self, _: O) -> &'static str {
            O::ABOUT
        }
    }
    let about = |name| dtypes().find_map(|dtype| ops::visit(name, dtype, About));
    match (exact(name).and_then(about), about(name)) {
        (Some(exact), Some(_)) => format!("{exact}; with --fast accumulated in f32"),
        (exact, other) => exact.or(other).unwrap_or_default().into(),
    }
}

/// What a typed name means for inputs of that type; `None` where it does not take them. f16 is widened where need be.
pub fn choose(name: &str, dtype: Dtype, fast: bool) -> Option<Chosen> {
    let exact = exact(name);
    let names = if fast { [Some(name), exact] } else { [exact, Some(name)] };
    let dtypes: &[Dtype] = match dtype {
        Dtype::F16 => &[Dtype::F16, Dtype::F32, Dtype::F32x2],
        Dtype::F32 => &[Dtype::F32, Dtype::F32x2],
        _ => &[dtype],
    };
    names.into_iter().flatten().find_map(|name| dtypes.iter().find_map(|&dtype| Chosen::named(name, dtype)))
}

/// The types of input that a typed name takes.
pub fn takes(name: &str) -> Vec<Dtype> {
    Dtype::ALL.into_iter().filter(|&dtype| choose(name, dtype, false).is_some()).collect()
}

/// Whether a typed name takes the pairs of two inputs.
pub fn takes_pairs(name: &str) -> bool {
    choose(name, Dtype::F32, false).is_some_and(|chosen| chosen.dtype == Dtype::F32x2)
}

/// Whether `--ddof` means something for a typed name.
pub fn has_ddof(name: &str) -> bool {
    ["variance", "stats"].contains(&name)
}

/// Hands the library's operator of that name to `visitor`; `None` where it does not take such elements, or no ddof.
pub fn visit<V: Visitor>(name: &str, dtype: Dtype, ddof: u32, visitor: V) -> Option<V::Out> {
    match dtype {
        Dtype::F32 if ddof > 0 && name == "exact_stats" => Some(visitor.visit::<f32, ExactStats>(ExactStats { ddof })),
        Dtype::F32 if ddof > 0 => visit_with_ddof::<f32, V>(name, ddof, visitor),
        Dtype::I32 if ddof > 0 => visit_with_ddof::<i32, V>(name, ddof, visitor),
        Dtype::U32 if ddof > 0 => visit_with_ddof::<u32, V>(name, ddof, visitor),
        _ if ddof > 0 => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_without_prefix() {
        let names = names();
        assert!(names.iter().all(|name| !name.starts_with(EXACT)), "{names:?}");
        assert!(["sum", "mean", "dot", "sumsq", "norm2"].iter().all(|name| names.contains(name)), "{names:?}");
        assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{names:?}");
    }

    #[test]
    fn exact_is_chosen_unless_fast_is_asked_for() {
        let chosen = |name, dtype, fast| choose(name, dtype, fast).map(|chosen| (chosen.name, chosen.dtype));
        assert_eq!(chosen("sum", Dtype::F32, false), Some(("exact_sum", Dtype::F32)));
        assert_eq!(chosen("sum", Dtype::F32, true), Some(("sum", Dtype::F32)));
        assert_eq!(chosen("sum", Dtype::I32, false), Some(("sum", Dtype::I32)));
        // Nothing fast over f64 and pairs.
        assert_eq!(chosen("sum", Dtype::F64, true), Some(("exact_sum", Dtype::F64)));
        assert_eq!(chosen("dot", Dtype::F16, true), Some(("exact_dot", Dtype::F32x2)));
        assert_eq!(chosen("sum", Dtype::F16, false), Some(("exact_sum", Dtype::F16)));
        assert_eq!(chosen("sum", Dtype::F16, true), Some(("sum", Dtype::F32)));
        assert_eq!(chosen("max", Dtype::F16, false), Some(("max", Dtype::F32)));
        assert_eq!(chosen("max", Dtype::F64, false), None);
        assert_eq!(chosen("exact_sum", Dtype::F32, false).map(|chosen| chosen.0), Some("exact_sum"));
    }

    #[test]
    fn methods_are_told_where_there_are_two() {
        let method = |name, dtype, fast| choose(name, dtype, fast).and_then(|chosen| chosen.method);
        assert_eq!(method("sum", Dtype::F32, false), Some(Method::Exact));
        assert_eq!(method("mean", Dtype::F32, true), Some(Method::Fast));
        assert_eq!(method("norm2", Dtype::F32, true), Some(Method::Exact));
        assert_eq!(method("sum", Dtype::I64, false), None);
        assert_eq!(method("variance", Dtype::F32, false), None);
    }
}
