//! The choice of one among a file's columns, members or tensors.

use super::{Ask, Shown, told};
use crate::error::usage;
use crate::streams::shown;
use anyhow::{Result, anyhow};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

/// Names that an error lists, at most.
const LISTED_MAX: usize = 20;

/// A file of columns, members or tensors, whose names are known.
pub trait Several {
    /// Their kind, in the plural: columns, members or tensors.
    fn what(&self) -> &'static str;

    /// Their names, in the file's order.
    fn names(&self) -> &[String];

    /// The numbers of one of them; the error `NoNumbers` where it holds something else.
    fn look(&mut self, name: &str, at: usize, ask: &Ask) -> Result<Shown>;
}

/// The numbers of the column that is asked for, or of the only one.
pub fn asked(several: &mut dyn Several, name: &str, ask: &Ask) -> Result<Shown> {
    let at = choose(name, several.what(), several.names(), ask)?;
    several.look(name, at, ask)
}

/// The columns that `--columns` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedColumns {
    /// All of numbers.
    All,
    These(Vec<String>),
}

impl FromStr for NamedColumns {
    type Err = String;

    /// Names with commas; a name that has one stands in quotation marks, as in a table of text.
    fn from_str(text: &str) -> Result<NamedColumns, String> {
        if text.trim() == "*" {
            return Ok(NamedColumns::All);
        }
        let (mut names, mut name, mut quoted, mut letters) = (vec![], String::new(), false, text.chars().peekable());
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => name.extend(letters.next()),
                '"' if quoted || name.trim().is_empty() => quoted = !quoted,
                ',' if !quoted => names.push(std::mem::take(&mut name)),
                letter => name.push(letter),
            }
        }
        names.push(name);
        if quoted {
            return Err("a quotation mark is missing at the end of a name".into());
        }
        let names: Vec<String> = names.iter().map(|name| name.trim().to_string()).collect();
        match names.iter().enumerate().find(|(at, name)| name.is_empty() || names[..*at].contains(name)) {
            Some((_, name)) if name.is_empty() => Err("a name is empty; leave out a comma".into()),
            Some((_, name)) => Err(format!("{name:?} stands twice; name each column once")),
            None => Ok(NamedColumns::These(names)),
        }
    }
}

/// A column that a file has.
#[derive(Debug)]
pub struct ListedColumn {
    /// Its name, as `--column` takes it.
    pub name: String,
    /// Its content, where that is no numbers.
    pub other: Option<String>,
}

/// All of them.
pub fn all(several: &mut dyn Several, name: &str, ask: &Ask) -> Result<Vec<ListedColumn>> {
    let names = several.names();
    let called = if repeat(names) { called(names) } else { names.to_vec() };
    let one = |(at, called)| {
        let other = match several.look(name, at, ask) {
            Ok(_) => None,
            Err(error) => Some(error.downcast::<NoNumbers>()?.what),
        };
        Ok(ListedColumn { name: called, other })
    };
    called.into_iter().enumerate().map(one).collect()
}

/// The column that a name means as a number, from 1, of so many.
pub fn number_of_column(name: &str, columns: usize) -> Option<usize> {
    name.parse().ok().filter(|number| (1..=columns).contains(number))
}

/// The place of the column of this name; an error where two have it. `what` they are, in the plural.
pub fn named(name: &str, what: &str, names: &[String], asked: &str) -> Result<Option<usize>> {
    let mut named = (0..names.len()).filter(|&at| names[at] == asked);
    match (named.next(), named.next()) {
        (Some(at), Some(other)) => Err(usage(format!(
            "{name}: {what} {} and {} are both named {asked:?}; pass the number of one",
            at + 1,
            other + 1
        ))),
        (found, _) => Ok(found),
    }
}

/// What columns are asked for by where a number is one's place: the name, or the number of one whose name is empty, another's too, or a
/// number.
pub fn called(names: &[String]) -> Vec<String> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    names.iter().for_each(|name| *times.entry(name).or_default() += 1);
    let is_called =
        |name: &str| !name.is_empty() && times.get(name) == Some(&1) && number_of_column(name, names.len()).is_none();
    let one = |(at, name): (usize, &String)| if is_called(name) { name.clone() } else { (at + 1).to_string() };
    names.iter().enumerate().map(one).collect()
}

/// Whether two have the same name.
fn repeat(names: &[String]) -> bool {
    let mut known = HashSet::new();
    !names.iter().all(|name| known.insert(name))
}

/// The error of a part of a column, which has this number.
pub fn damaged(column: &str, part: &str, number: usize, what: &str) -> std::io::Error {
    told(format!("column {column}, {part} {number}: {what}; the file is damaged, copy or write it again"))
}

/// A column of something else than numbers.
#[derive(Debug)]
pub struct NoNumbers {
    /// The sentence that names the column and its content.
    pub what: String,
    /// Advice to the user.
    pub advice: String,
}

impl fmt::Display for NoNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.advice)
    }
}

impl std::error::Error for NoNumbers {}

/// The place of the name that is asked for, or of the only one; `what` they are, in the plural. Where names repeat, a number is a place.
fn choose(name: &str, what: &str, names: &[String], ask: &Ask) -> Result<usize> {
    let list = || listed(what, names);
    match (ask.column.as_deref(), names) {
        (None, [_]) => Ok(0),
        (None, []) => Err(anyhow!("{name}: holds no {what}")),
        (None, _) => Err(ask.unnamed(name, &list())),
        (Some(asked), _) => {
            let number = number_of_column(asked, names.len()).filter(|_| repeat(names));
            let place = number.map_or_else(|| named(name, what, names, asked), |number| Ok(Some(number - 1)))?;
            place.ok_or_else(|| anyhow!("{name}: has no {asked:?} among its {what}, but {}", list()))
        }
    }
}

/// Names, the first of many.
pub fn listed(what: &str, names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(LISTED_MAX).map(|name| shown(name)).collect();
    let more = names.len() - first.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what} {}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_with_commas() {
        let these = |names: &[&str]| Ok(NamedColumns::These(names.iter().map(ToString::to_string).collect()));
        assert_eq!("a, b c,3".parse(), these(&["a", "b c", "3"]));
        assert_eq!("\"wind, gusts\",\"a \"\"b\"\"\",5\" pipe".parse(), these(&["wind, gusts", "a \"b\"", "5\" pipe"]));
        assert_eq!(" * ".parse(), Ok(NamedColumns::All));
        for wrong in ["", "a,", "a,,b", "a,a", "\"a"] {
            assert!(wrong.parse::<NamedColumns>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_number_calls_what_no_name_does() {
        let names = ["a", "b", "a", "", "2", "9"].map(String::from);
        assert_eq!(called(&names), ["1", "b", "3", "4", "5", "9"]);
        assert!(repeat(&names) && !repeat(&names[1..]));
        assert_eq!(named("f", "columns", &names, "b").unwrap(), Some(1));
        assert_eq!(named("f", "columns", &names, "c").unwrap(), None);
        assert!(named("f", "columns", &names, "a").is_err());
    }
}
