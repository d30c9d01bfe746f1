//! `Wgsl::RESERVED`: every name that the library's texts declare around an operator of one's own is refused in its helpers.

use crate::alternating::Alternating;
use crate::every::Texts;
use crate::every::own::{TextHash, WeightedSum};
use std::collections::BTreeSet;
use treefold::ops::{Filtered, Max, MinMax};
use treefold::{Flagged, Mapped, Wgsl};

/// Names that helpers of these operators declare themselves.
const OWN: [&str; 1] = ["word"];

/// The names of all that a text declares outside functions.
fn declared(text: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}\n{text}", error.message()));
    let functions = module.functions.iter().filter_map(|(_, found)| found.name.clone());
    let globals = module.global_variables.iter().filter_map(|(_, found)| found.name.clone());
    let constants = module.constants.iter().filter_map(|(_, found)| found.name.clone());
    let overrides = module.overrides.iter().filter_map(|(_, found)| found.name.clone());
    // Those in double underscores are naga's own.
    let types = module.types.iter().filter_map(|(_, found)| found.name.clone()).filter(|name| !name.starts_with("__"));
    functions.chain(globals).chain(constants).chain(overrides).chain(types).collect()
}

#[test]
fn every_name_around_an_own_operator_is_reserved() {
    let mut all = Texts::default();
    all.everywhere::<u32, _>(&WeightedSum);
    all.everywhere::<u32, _>(&TextHash);
    all.everywhere::<u64, _>(&WeightedSum);
    all.everywhere::<u8, _>(&WeightedSum);
    all.everywhere::<[f32; 2], _>(&TextHash);
    all.everywhere::<[f32; 4], _>(&WeightedSum);
    all.everywhere::<i32, _>(&Alternating);
    let mapped = Mapped::new("return x * 2u;", |x: u32| x.wrapping_mul(2), WeightedSum);
    all.everywhere::<u32, _>(&mapped);
    all.everywhere::<u32, _>(&Filtered::new("return x > 2u;", |x: u32| x > 2, WeightedSum));
    all.everywhere::<Flagged<u32>, _>(&Filtered::masked(WeightedSum));
    assert!(all.texts.len() > 500, "{}", all.texts.len());
    let names: BTreeSet<String> = all.texts.iter().flat_map(|text| declared(&text.text)).collect();
    // In tuples, such as an operator and what it leaves out, names begin with their member's.
    let base = |name: &str| {
        let rest = name.strip_prefix('m').map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
        rest.and_then(|rest| rest.strip_prefix('_')).unwrap_or(name).to_string()
    };
    let names: BTreeSet<String> = names.iter().map(|name| base(name)).collect();
    let known = |name: &&String| Wgsl::RESERVED.contains(&name.as_str()) || OWN.contains(&name.as_str());
    let unknown: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty(), "these belong into Wgsl::RESERVED: {unknown:?}");
}

#[test]
fn a_name_that_is_declared_is_found() {
    let text = "const A = 1u;\nstruct B { c: u32 }\nvar<private> d: B;\nfn e() -> u32 { let f = A; return f; }\n";
    let names = declared(text);
    assert!(["A", "B", "d", "e"].iter().all(|name| names.iter().any(|found| found == name)), "{names:?}");
    // The library's operators are others: their helpers are their own.
    let mut all = Texts::default();
    all.everywhere::<f32, _>(&(Max, MinMax));
    assert!(all.texts.iter().any(|text| declared(&text.text).iter().any(|name| name.starts_with("m0_"))));
}
