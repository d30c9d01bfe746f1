//! Which elements belong to which answer: the options that say so, and their checks.

use crate::error::usage;
use crate::npz;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The names of these options.
pub const DIVISION: [&str; 7] = ["axis", "rows", "segments", "by", "group_by", "groups", "keepdims"];

/// The options; one of them at most, but for what `--groups` and `--keepdims` add.
#[derive(clap::Args, Clone, Debug)]
#[group(skip)]
pub struct Division {
    /// An answer for each index along the other axes: these axes of a .npy file are reduced. As for NumPy, -1 is the last;
    /// several stand with commas
    #[arg(long, value_name = "AXES", allow_hyphen_values = true, value_delimiter = ',')]
    pub axis: Option<Vec<i64>>,

    /// An answer for each N elements, one behind another
    #[arg(long, value_name = "N", conflicts_with_all = ["axis", "keepdims"], value_parser = clap::value_parser!(u64).range(1..))]
    pub rows: Option<u64>,

    /// An answer for each segment: OFFSETS.npy has one whole number more than there are segments, and segment s has numbers
    /// OFFSETS[s] to OFFSETS[s + 1]
    #[arg(long, value_name = "OFFSETS", conflicts_with_all = ["axis", "keepdims", "rows"])]
    pub segments: Option<PathBuf>,

    /// An answer for each run of equal keys, with its key: KEYS.npy has a key for each element, integers or floats; NaN is
    /// equal to NaN here
    #[arg(long, value_name = "KEYS", conflicts_with_all = ["axis", "keepdims", "rows", "segments"])]
    pub by: Option<PathBuf>,

    /// An answer for each key from 0 to N - 1 of --groups N, wherever its elements lie: KEYS.npy has a whole number for each
    /// element; those of other keys are counted apart
    #[arg(long, value_name = "KEYS", conflicts_with_all = ["axis", "keepdims", "rows", "segments", "by"])]
    pub group_by: Option<PathBuf>,

    /// How many groups --group-by has
    #[arg(long, value_name = "N", requires = "group_by", value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub groups: Option<u64>,

    /// Keep axes that --axis reduces in the shape, with length 1
    #[arg(long, requires = "axis")]
    pub keepdims: bool,
}

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
            (self.group_by.is_some(), "--group-by"),
        ];
        given.into_iter().find_map(|(is, option)| is.then_some(option))
    }

    /// Whether elements are divided in C order, whatever the order in which they are stored.
    pub fn is_flat(&self) -> bool {
        self.rows.is_some() || self.files().next().is_some()
    }

    /// Checks them, and where answers or their `partial` go.
    pub fn check(&self, partial: Option<&Path>, output: Option<&Path>) -> Result<()> {
        if let (Some(option), Some(_), Some(_)) = (self.given(), self.files().next(), partial) {
            return Err(usage(format!("--partial is for answers over as many elements each; leave out {option}")));
        }
        ensure!(
            self.group_by.is_none() || self.groups.is_some(),
            usage("--group-by wants to know how many groups there are; pass --groups N for keys from 0 to N - 1")
        );
        let output = output.filter(|_| self.by.is_some());
        output.map_or(Ok(()), |path| npz::ensure_named(path, "--by gives keys and answers"))
    }
}
