//! A list of operators: what only several can get wrong.

use crate::error::usage;
use crate::{npz, operators};
use anyhow::{Result, ensure};
use std::path::Path;

/// Checks operators that stand in one list: their names, and where their answers go.
pub fn check(names: &[String], output: Option<&Path>) -> Result<()> {
    let list = names.join(",");
    for (at, name) in names.iter().enumerate() {
        ensure!(
            operators::names().contains(&name.as_str()),
            usage(format!("{list}: {name} is no operator, and stands alone; give it a call of its own"))
        );
        ensure!(!names[..at].contains(name), usage(format!("{list}: {name} stands twice; name each operator once")));
    }
    let (pairs, others): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| operators::takes_pairs(name));
    if let (Some(pairs), Some(other)) = (pairs.first(), others.first()) {
        return Err(usage(format!(
            "{list}: {pairs} takes two inputs as pairs, which {other} does not; give it a call of its own"
        )));
    }
    ensure_arrays(names, output)
}

/// Refuses a file of one array for the answers of several operators.
pub fn ensure_arrays<S: AsRef<str>>(names: &[S], output: Option<&Path>) -> Result<()> {
    let (list, several) = (names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(","), names.len());
    let output = output.filter(|_| several > 1);
    output.map_or(Ok(()), |path| npz::ensure_named(path, &format!("{list} are {several}")))
}
