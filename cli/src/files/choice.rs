//! Which of a file's columns, members or tensors is read.

use super::Ask;
use crate::error::shown;
use anyhow::{Result, anyhow};

/// Names that an error lists, at most.
const LISTED_MAX: usize = 20;

/// Which of these names is asked for, or the only one; `what` they are, in the plural.
pub fn choose(name: &str, what: &str, names: &[String], ask: &Ask) -> Result<usize> {
    let list = || listed(what, names);
    match (ask.column.as_deref(), names) {
        (None, [_]) => Ok(0),
        (None, []) => Err(anyhow!("{name}: holds no {what}")),
        (None, _) => Err(ask.unnamed(name, &list())),
        (Some(asked), _) => names
            .iter()
            .position(|name| name == asked)
            .ok_or_else(|| anyhow!("{name}: has no {asked:?} among its {what}, but {}", list())),
    }
}

/// Names, the first of many.
pub fn listed(what: &str, names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(LISTED_MAX).map(|name| shown(name)).collect();
    let more = names.len() - first.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what} {}{more}", first.join(", "))
}
