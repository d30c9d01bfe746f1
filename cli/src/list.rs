//! A list of operators: how it is read, and what only several can get wrong.

use crate::error::usage;
use crate::npz;
use crate::operators::{self, Told};
use anyhow::{Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::path::Path;

/// The names of a list, and what stands in parentheses behind them.
#[derive(Clone, Debug)]
pub struct ListedOperators {
    pub names: Vec<String>,
    pub told: Told,
}

/// The parser of a list; clap's error names no word that is empty.
#[derive(Clone)]
pub struct Words(PossibleValuesParser);

impl Words {
    pub fn new(values: impl IntoIterator<Item = PossibleValue>) -> Words {
        Words(PossibleValuesParser::new(values))
    }
}

impl TypedValueParser for Words {
    type Value = ListedOperators;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, list: &OsStr) -> Result<ListedOperators, clap::Error> {
        let refused = |told: String| clap::Error::raw(ErrorKind::InvalidValue, told);
        let mut listed = ListedOperators { names: vec![], told: vec![] };
        for item in items(&list.to_string_lossy()) {
            if item.is_empty() {
                let told = "the list of operators has an empty item; name one between two commas, or leave out a comma";
                return Err(refused(told.into()));
            }
            let (name, options) = split_item(item).map_err(refused)?;
            let name = self.0.parse_ref(command, arg, OsStr::new(name))?;
            if let Some(options) = options {
                let told = operators::in_parentheses(&name, options);
                listed.told.extend(told.map_err(|error| refused(error.to_string()))?);
            }
            listed.names.push(name);
        }
        Ok(listed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// The name of an item, and what stands in parentheses behind it.
pub fn split_item(item: &str) -> Result<(&str, Option<&str>), String> {
    let Some((name, rest)) = item.split_once('(') else { return Ok((item, None)) };
    let name = name.trim();
    let unclosed = || format!("{item}: does not end with its parenthesis; write {name}(option=value)");
    Ok((name, Some(rest.strip_suffix(')').ok_or_else(unclosed)?)))
}

/// Items between the commas of a list, but for commas within parentheses.
pub fn items(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let comma = |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => (),
        }
        letter == ',' && depth <= 0
    };
    list.split(comma).map(str::trim).collect()
}

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
