//! The division of elements among answers: what the options say of it, and their checks.

use crate::error::usage;
use crate::npz;
use crate::options::Division;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The names of these options.
pub const DIVISION: [&str; 7] = ["axis", "rows", "segments", "by", "group_by", "groups", "keepdims"];

/// The option that names keys of groups.
pub const GROUP_BY: &str = "--group-by";

impl Division {
    /// The files that they name.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.segments.iter().chain(&self.by).chain(&self.group_by)
    }

    /// The option that divides the elements.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.axis.is_some(), "--axis"),
            (self.rows.is_some(), "--rows"),
            (self.segments.is_some(), "--segments"),
            (self.by.is_some(), "--by"),
            (self.group_by.is_some(), GROUP_BY),
        ];
        given.into_iter().find_map(|(is, option)| is.then_some(option))
    }

    /// Whether elements are divided in C order, whatever the order in which they are stored.
    pub fn is_flat(&self) -> bool {
        self.rows.is_some() || self.files().next().is_some()
    }

    /// Checks them, and where answers or their `partial` go.
    pub fn check(&self, partial: Option<&Path>, output: Option<&Path>) -> Result<()> {
        let apart = self.segments.is_some() || self.by.is_some();
        if let (true, Some(option), Some(_)) = (apart, self.given(), partial) {
            return Err(usage(format!(
                "--partial is for one answer, or for those of axes, rows or groups, which parts have in common; leave out {option}"
            )));
        }
        ensure!(
            self.group_by.is_none() || self.groups.is_some(),
            usage("--group-by wants to know how many groups there are; pass --groups N for keys from 0 to N - 1")
        );
        let output = output.filter(|_| self.by.is_some());
        output.map_or(Ok(()), |path| npz::ensure_named(path, "--by gives keys and answers"))
    }
}
