//! A list of operators: what only several can get wrong.

use crate::error::{shown_path, usage};
use crate::{npz, operators};
use anyhow::{Result, ensure};
use std::path::Path;

/// Checks operators that stand in one list: their names, and where their answers or their `partial` go.
pub fn check(names: &[String], partial: Option<&Path>, output: Option<&Path>) -> Result<()> {
    let (list, several) = (names.join(","), names.len());
    for (at, name) in names.iter().enumerate() {
        ensure!(
            operators::names().contains(&name.as_str()),
            usage(format!("{list}: {name} is no operator, and stands alone; give it a call of its own"))
        );
        ensure!(!names[..at].contains(name), usage(format!("{list}: {name} stands twice; name each operator once")));
        ensure!(
            !operators::takes_pairs(name),
            usage(format!("{list}: {name} takes two inputs as pairs, which others do not; give it a call of its own"))
        );
    }
    if let Some(path) = partial {
        let path = shown_path(path);
        return Err(usage(format!(
            "--partial {path}: holds one operator, and {list} are {several}; make a partial of each in a call of its own"
        )));
    }
    output.map_or(Ok(()), |path| npz::ensure_named(path, &format!("{list} are {several}")))
}
