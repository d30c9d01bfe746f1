//! Operators by the names that people type: which one of the library a name means, what it is told, what the program says
//! of it. All of it comes from the library's table.
//!
//! Over each element type a name means the exact operator where the library has one, else the fast one; `--fast` turns
//! that round.

use crate::error::usage;
use crate::format::COMPLEX;
use anyhow::{Context, Result, anyhow};
use std::any::Any;
use std::sync::Arc;
use treefold::ops::{self, Comparison, Entry, TABLE, Visitor};
use treefold::{Dtype, DynOp, Element, Error, Expression};

/// The way in which sums of floats come about, where there are two.
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

/// Options that operators are told: the name and the value of each.
pub type Told = Vec<(String, String)>;

/// The options that say where bins lie.
pub const BINS: &str = "bins";
pub const RANGE: &str = "range";
pub const INTEGERS: &str = "integers";
pub const EDGES: &str = "edges";
pub const BINS_Y: &str = "bins_y";
pub const RANGE_Y: &str = "range_y";
pub const INTEGERS_Y: &str = "integers_y";
pub const EDGES_Y: &str = "edges_y";

/// The option with which elements compare, which may stand before the first FILE.
pub const COMPARE: &str = "compare";

/// The word that reduces by expressions.
pub const REDUCE: &str = "reduce";

/// An option as people type it.
pub fn flag(option: &str) -> String {
    format!("--{}", option.replace('_', "-"))
}

/// The value of an option.
pub fn value<'a>(told: &'a Told, option: &str) -> Option<&'a String> {
    told.iter().find(|(name, _)| name == option).map(|(_, value)| value)
}

/// An operator of the library, over the elements that it will read.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The library's name.
    pub name: &'static str,
    /// The type of the elements that are read.
    pub dtype: Dtype,
    /// The type that the operator is over: that, or what the map makes.
    pub over: Dtype,
    /// Exact or fast, where there is or would be a choice.
    pub method: Option<Method>,
    /// The function of elements that comes first.
    pub map: Option<Expression>,
    /// The expression of the operator, where it is one and has no name in the library.
    pub combine: Option<Arc<Combine>>,
}

/// An operator that is an expression.
#[derive(Debug)]
pub struct Combine {
    /// The number that leaves others as they are.
    pub identity: String,
    /// The expression of two.
    pub combine: Expression,
    /// Whether the order is free.
    pub commutative: bool,
}

impl Chosen {
    /// The library's operator of this very name; `None` where it has none over such elements.
    pub fn named(name: &str, dtype: Dtype) -> Option<Chosen> {
        let entry = entry(name, dtype)?;
        let method = match entry.fast_form_of {
            None => entry.sums_exactly.then_some(Method::Exact),
            Some(exact) => self::entry(exact, dtype).map(|_| Method::Fast),
        };
        Some(Chosen { name: entry.name, dtype, over: dtype, method, map: None, combine: None })
    }

    /// The name that people type.
    pub fn typed(&self) -> &'static str {
        typed(self.name)
    }

    /// Why the CPU engine alone computes it, where it does.
    pub fn host_only(&self) -> Option<&'static str> {
        let own = entry(self.name, self.over).and_then(|entry| entry.host_only);
        let expressions = self.map.iter().chain(self.combine.as_deref().map(|combine| &combine.combine));
        own.or_else(|| expressions.into_iter().find_map(Expression::host_only))
    }

    /// Hands the operator, told all this, to `visitor`.
    pub fn visit<V: Visitor>(&self, told: &Told, visitor: V) -> Result<V::Out> {
        let told: Vec<(&str, &str)> = told.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let visited = match (&self.combine, &self.map) {
            (Some(by), map) => ops::visit_combining(&by.identity, &by.combine, by.commutative, map.as_ref(), visitor),
            (None, Some(map)) => ops::visit_mapped(self.name, map, &told, visitor),
            (None, None) => ops::visit_with(self.name, self.dtype, &told, visitor),
        };
        let visited = visited.map_err(|error| match error {
            Error::BadOption { option, value, rule, .. } if takers(&option).contains(&self.typed()) => {
                usage(format!("{} of {} is {value:?}: {rule}", flag(&option), self.typed()))
            }
            Error::BadOption { option, value, rule, .. } if self.combine.is_some() => {
                usage(format!("{} of {} is {value:?}: {rule}", flag(&option), self.name))
            }
            error @ Error::TooManyBins { .. } => usage(format!("{}: {error}", self.typed())),
            Error::BadOption { option, .. } => not_told(&option, &[self.typed()]),
            error => error.into(),
        })?;
        visited.with_context(|| format!("{} over {} is no operator", self.name, self.dtype))
    }
}

fn entry(name: &str, dtype: Dtype) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name && entry.dtype == dtype)
}

/// The name that people type for the operator of an entry.
fn typed_of(entry: &Entry) -> &'static str {
    entry.fast_form_of.unwrap_or(entry.name)
}

/// The name that people type for one of the library's.
fn typed(name: &'static str) -> &'static str {
    TABLE.iter().find(|entry| entry.name == name).map_or(name, typed_of)
}

/// The library's name of the fast operator behind a typed name.
fn fast_form(name: &str) -> Option<&'static str> {
    TABLE.iter().find(|entry| entry.fast_form_of == Some(name)).map(|entry| entry.name)
}

/// These typed names with `--last`: each that has a form which finds the last place becomes that.
pub fn last_forms(names: Vec<String>) -> Result<Vec<String>> {
    let form = |name: &str| TABLE.iter().find(|entry| entry.last_form_of == Some(name)).map(|entry| entry.name);
    if names.iter().all(|name| form(name).is_none()) {
        let first: Vec<&str> = self::names().into_iter().filter(|name| form(name).is_some()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Err(usage(format!("--last is for {}; {}", first.join(" and "), have_none(&names))));
    }
    Ok(names.into_iter().map(|name| form(&name).map_or(name, String::from)).collect())
}

/// The typed names of these entries, once.
fn typed_names(entries: impl Iterator<Item = &'static Entry>) -> Vec<&'static str> {
    let mut names: Vec<&str> = vec![];
    for name in entries.map(typed_of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Every typed name, once.
pub fn names() -> Vec<&'static str> {
    typed_names(TABLE.iter())
}

/// The options of all operators, by the names of their flags: what each does, and which typed names take it.
pub fn options() -> Vec<(&'static str, String)> {
    let mut options: Vec<(&str, String)> = vec![];
    for &(name, help) in TABLE.iter().flat_map(|entry| entry.options) {
        if options.iter().all(|(known, _)| *known != name) {
            options.push((name, format!("{help} [{}]", takers(name).join(", "))));
        }
    }
    options
}

/// The typed names of the operators that have this option.
pub fn takers(option: &str) -> Vec<&'static str> {
    typed_names(TABLE.iter().filter(|entry| entry.options.iter().any(|&(name, _)| name == option)))
}

fn not_told(option: &str, names: &[&str]) -> anyhow::Error {
    usage(format!("{} is for {}; {}", flag(option), takers(option).join(" and "), have_none(names)))
}

/// That operators of these names lack something.
pub fn have_none(names: &[&str]) -> String {
    format!("{} {} none", names.join(" and "), if names.len() == 1 { "has" } else { "have" })
}

/// Checks that one of the typed names at least has each option that they are told.
pub fn check_names<S: AsRef<str>>(names: &[S], told: &Told) -> Result<()> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match told
        .iter()
        .find(|(option, _)| !option.contains('(') && !takers(option).iter().any(|taker| names.contains(taker)))
    {
        Some((option, _)) => Err(not_told(option, &names)),
        None => Ok(()),
    }
}

/// Checks that each of the typed names is told what it says little without.
pub fn check_needs(names: &[String], told: &Told) -> Result<()> {
    for name in names {
        let needs = TABLE.iter().filter(|entry| typed_of(entry) == name).find_map(|entry| entry.needs);
        if let Some(option) = needs.filter(|option| value(&told_to(name, told), option).is_none()) {
            let help = TABLE.iter().flat_map(|entry| entry.options).find(|(name, _)| *name == option);
            let help = help.map_or(String::new(), |(_, help)| format!(": {help}"));
            return Err(usage(format!("{name} needs {}{help}", flag(option))));
        }
    }
    Ok(())
}

/// The option without which an operator of the library says little.
pub fn needed(name: &str) -> Option<&'static str> {
    TABLE.iter().filter(|entry| entry.name == name).find_map(|entry| entry.needs)
}

/// Options of this one of several typed names: those in its parentheses, and those told to all that take them.
pub fn told_to(name: &str, told: &Told) -> Told {
    let mut all = own_of(name, told);
    for (option, value) in told.iter().filter(|(option, _)| takers(option).contains(&name)) {
        if all.iter().all(|(known, _)| known != option) {
            all.push((option.clone(), value.clone()));
        }
    }
    all
}

/// The same where numbers of that type are widened: they compare with the number that they would compare with as they are.
pub fn compared_as(told: Told, chosen: &Chosen, compared: Dtype) -> Told {
    if chosen.map.is_some() || chosen.dtype == compared {
        return told;
    }
    let rounded = |value: &str| Some(value.parse::<Comparison>().ok()?.rounded(compared).to_string());
    let one = |(option, value): (String, String)| {
        let rounded = if option == COMPARE { rounded(&value) } else { None };
        (option, rounded.unwrap_or(value))
    };
    told.into_iter().map(one).collect()
}

/// Options in the parentheses of a name.
pub fn own_of(name: &str, told: &Told) -> Told {
    let own = |option: &str| option.strip_prefix(name)?.strip_prefix('(').map(String::from);
    told.iter().filter_map(|(option, value)| own(option).map(|option| (option, value.clone()))).collect()
}

/// Options in the parentheses of a name, typed or the library's: `ddof=1`, or the value alone of the first option that it has. They are told to no
/// other, by names that no flag has.
pub fn in_parentheses(name: &str, inner: &str) -> Result<Told> {
    let refused = |why: String| Err(usage(format!("{name}({inner}): {why}")));
    let entry = TABLE.iter().find(|entry| typed_of(entry) == name || entry.name == name);
    let options: Vec<&str> = entry.into_iter().flat_map(|entry| entry.options).map(|&(option, _)| option).collect();
    let Some(&first) = options.first() else {
        return refused(format!("{name} has no options of its own; leave out the parentheses"));
    };
    let is_name = |text: &str| {
        text.starts_with(char::is_alphabetic) && !text.contains(|c: char| !c.is_alphanumeric() && c != '_')
    };
    let mut all: Told = vec![];
    for item in inner.split(',').map(str::trim) {
        let named = item.split_once('=').map(|(option, value)| (option.trim().replace('-', "_"), value.trim()));
        let named = named.filter(|(option, _)| is_name(option));
        let twice = named.as_ref().is_some_and(|(option, _)| value(&all, option).is_some());
        match (named, all.last_mut()) {
            (Some((option, _)), _) if !options.contains(&option.as_str()) => {
                return refused(format!("{name} has no option {option}, but {}", options.join(", ")));
            }
            (Some((option, _)), _) if twice => {
                return refused(format!("{option} is told twice; say it once"));
            }
            (Some((option, value)), _) => all.push((option, value.into())),
            // A value of several numbers goes on.
            (None, Some((_, value))) => *value = format!("{value},{item}"),
            (None, None) => all.push((first.into(), item.into())),
        }
    }
    Ok(own_to(name, all))
}

/// Options that are told to this typed name alone.
pub fn own_to(name: &str, told: Told) -> Told {
    told.into_iter().map(|(option, value)| (format!("{name}({option}"), value)).collect()
}

/// Whether something is told to this typed name alone.
pub fn has_own(name: &str, told: &Told) -> bool {
    told.iter().any(|(option, _)| option.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
}

/// Checks what a typed name is told, before any input is read.
pub fn check(name: &str, told: &Told) -> Result<()> {
    struct Nothing;
    impl Visitor for Nothing {
        type Out = ();
        fn visit<T: Element>(self, _: DynOp<T>) {}
    }
    if told.is_empty() {
        return Ok(());
    }
    check_names(&[name], told)?;
    let chosen = Dtype::ALL.into_iter().find_map(|dtype| choose(name, dtype, false));
    chosen.map_or(Ok(()), |chosen| chosen.visit(told, Nothing))
}

/// The element type of that name, pairs and complex numbers included.
pub fn dtype_named(name: &str) -> Option<Dtype> {
    Dtype::WITH_PAIRS.into_iter().chain(COMPLEX).find(|dtype| dtype.name() == name)
}

/// One line for the help text.
pub fn meaning(name: &str) -> String {
    let about = TABLE.iter().find(|entry| entry.name == name).map_or("", |entry| entry.about);
    let fast = |dtype| choose(name, dtype, true).is_some_and(|chosen| chosen.method == Some(Method::Fast));
    if Dtype::WITH_PAIRS.into_iter().any(fast) {
        format!("{about}; with --fast accumulated in f32")
    } else {
        about.into()
    }
}

/// The operator of a typed name for inputs of that type; `None` where it does not take them. f16 is widened where need be, and so are integers of 32 bits
/// where they become pairs.
pub fn choose(name: &str, dtype: Dtype, fast: bool) -> Option<Chosen> {
    let mut names = [Some(name), fast_form(name)];
    if fast {
        names.reverse();
    }
    let dtypes: &[Dtype] = match dtype {
        Dtype::F16 => &[Dtype::F16, Dtype::F32, Dtype::F32x2],
        Dtype::F32 => &[Dtype::F32, Dtype::F32x2],
        Dtype::F64 => &[Dtype::F64, Dtype::F64x2],
        Dtype::I32 => &[Dtype::I32, Dtype::I64x2],
        Dtype::U32 => &[Dtype::U32, Dtype::U64x2],
        Dtype::I64 => &[Dtype::I64, Dtype::I64x2],
        Dtype::U64 => &[Dtype::U64, Dtype::U64x2],
        _ => &[dtype],
    };
    names.into_iter().flatten().find_map(|name| dtypes.iter().find_map(|&dtype| Chosen::named(name, dtype)))
}

/// The operators of typed names for inputs of that type. The error is of the first name that does not take them; `whose` they are
/// stands in it.
pub fn choose_all(names: &[String], dtype: Dtype, fast: bool, whose: impl Fn() -> String) -> Result<Vec<Chosen>> {
    let one = |name: &String| choose(name, dtype, fast).ok_or_else(|| not_taken(name, dtype, &whose()));
    names.iter().map(one).collect()
}

/// The types of input that a typed name takes.
pub fn takes(name: &str) -> Vec<Dtype> {
    Dtype::ALL.into_iter().filter(|&dtype| choose(name, dtype, false).is_some()).collect()
}

/// Whether a typed name takes the pairs of two inputs.
pub fn takes_pairs(name: &str) -> bool {
    choose(name, Dtype::F32, false).is_some_and(|chosen| chosen.dtype.pair_of().is_some())
}

/// Keeps an operator, for who knows its type.
pub struct Boxed;

impl Visitor for Boxed {
    type Out = Box<dyn Any>;
    fn visit<T: Element>(self, op: DynOp<T>) -> Box<dyn Any> {
        Box::new(op)
    }
}

/// The error of an operator that does not take what there is.
fn not_taken(name: &str, dtype: Dtype, whose: &str) -> anyhow::Error {
    let taken = takes(name);
    let (last, others) = taken.split_last().map_or((String::new(), vec![]), |(last, others)| {
        (last.name().to_string(), others.iter().map(|dtype| dtype.name()).collect())
    });
    let list = if others.is_empty() { last } else { format!("{} and {last}", others.join(", ")) };
    let others: Vec<&str> = names().into_iter().filter(|name| choose(name, dtype, false).is_some()).collect();
    anyhow!(
        "{whose}: holds {dtype}, but the operator \"{name}\" takes {list} only; what takes {dtype}: {}",
        others.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_as_typed() {
        let names = names();
        assert!(names.iter().all(|name| !name.starts_with("fast_")), "{names:?}");
        assert!(["sum", "mean", "dot", "sumsq", "norm2"].iter().all(|name| names.contains(name)), "{names:?}");
        assert!((1..names.len()).all(|i| !names[..i].contains(&names[i])), "{names:?}");
    }

    #[test]
    fn exact_is_chosen_unless_fast_is_asked_for() {
        let chosen = |name, dtype, fast| choose(name, dtype, fast).map(|chosen| (chosen.name, chosen.dtype));
        assert_eq!(chosen("sum", Dtype::F32, false), Some(("sum", Dtype::F32)));
        assert_eq!(chosen("sum", Dtype::F32, true), Some(("fast_sum", Dtype::F32)));
        assert_eq!(chosen("sum", Dtype::I32, true), Some(("sum", Dtype::I32)));
        // Nothing fast over f64 and pairs.
        assert_eq!(chosen("sum", Dtype::F64, true), Some(("sum", Dtype::F64)));
        assert_eq!(chosen("dot", Dtype::F16, true), Some(("dot", Dtype::F32x2)));
        assert_eq!(chosen("sum", Dtype::F16, false), Some(("sum", Dtype::F16)));
        assert_eq!(chosen("sum", Dtype::F16, true), Some(("fast_sum", Dtype::F32)));
        assert_eq!(chosen("max", Dtype::F16, false), Some(("max", Dtype::F16)));
        assert_eq!(chosen("range", Dtype::F16, false), Some(("range", Dtype::F32)));
        assert_eq!(chosen("max", Dtype::F64, false), Some(("max", Dtype::F64)));
        assert_eq!(chosen("dot", Dtype::F64, false), Some(("dot", Dtype::F64x2)));
        assert_eq!(chosen("dot", Dtype::I32, false), Some(("dot", Dtype::I64x2)));
        assert_eq!(chosen("variance", Dtype::F32, false), Some(("variance", Dtype::F32)));
        assert_eq!(chosen("variance", Dtype::F32, true), Some(("fast_variance", Dtype::F32)));
        assert_eq!(chosen("variance", Dtype::I32, true), Some(("variance", Dtype::I32)));
    }

    #[test]
    fn methods_are_told_where_there_are_two() {
        let method = |name, dtype, fast| choose(name, dtype, fast).and_then(|chosen| chosen.method);
        for name in ["sum", "mean", "stats", "norm2", "sumsq", "dot", "variance", "std"] {
            assert_eq!(method(name, Dtype::F32, false), Some(Method::Exact), "{name}");
        }
        assert_eq!(method("mean", Dtype::F32, true), Some(Method::Fast));
        assert_eq!(method("norm2", Dtype::F32, true), Some(Method::Exact));
        assert_eq!(method("sum", Dtype::F64, false), Some(Method::Exact));
        for (name, dtype) in [("sum", Dtype::I64), ("sum", Dtype::I32), ("max", Dtype::F32)] {
            assert_eq!(method(name, dtype, false), None, "{name}");
        }
        assert_eq!(method("histogram", Dtype::F32, false), None);
    }

    #[test]
    fn options_are_flags_of_those_that_have_them() {
        let told = |option: &str, value: &str| vec![(option.to_string(), value.to_string())];
        assert_eq!(takers("ddof"), ["variance", "std", "sem", "stats", "covariance"]);
        assert!(check("variance", &told("ddof", "1")).is_ok());
        let text = |name, told: Told| check(name, &told).unwrap_err().to_string();
        assert_eq!(
            text("sum", told("ddof", "1")),
            "--ddof is for variance and std and sem and stats and covariance; sum has none"
        );
        assert!(text("stats", told("ddof", "x")).contains("--ddof of stats is \"x\""));
        let options = options();
        assert!((1..options.len()).all(|i| options[..i].iter().all(|(name, _)| *name != options[i].0)), "{options:?}");
    }
}
