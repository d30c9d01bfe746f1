//! Options that go together: what each is called, and what it says. What they mean stands with those who heed them.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Treatment of missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MissingPolicy {
    /// They are left out, and counted
    #[default]
    Skip,
    /// They are NaN, for floats only
    Nan,
    /// The first one is an error
    Error,
}

/// The division of elements among answers: one of these options at most, but for what `--groups` and `--keepdims` add.
#[derive(Args, Clone, Debug)]
pub struct Division {
    /// An answer for each index along the other axes: these axes of a .npy file are reduced. As for NumPy, -1 is the last;
    /// several stand with commas
    #[arg(long, value_name = "AXES", allow_hyphen_values = true, value_delimiter = ',')]
    pub axis: Option<Vec<i64>>,

    /// An answer for each N elements, one behind another
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with_all = ["axis", "keepdims"], value_parser = clap::value_parser!(u64).range(1..))]
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

    /// Number of groups that --group-by has
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "group_by", value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub groups: Option<u64>,

    /// Keep axes that --axis reduces in the shape, with length 1
    #[arg(long, requires = "axis")]
    pub keepdims: bool,
}

/// Treatment of NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum NanPolicy {
    /// Operators take it as their pages say: sums and extremes are NaN
    #[default]
    Propagate,
    /// It is left out, and counted
    Ignore,
    /// The first one is an error
    Error,
}

/// The choice of elements that count.
#[derive(Args, Clone, Debug)]
pub struct Sifting {
    /// Treatment of NaN; of pairs, of those with a NaN
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub nan: NanPolicy,

    /// Leave out the numbers at whose places MASK has a 0 or false; MASK.npy has a number for each number of the FILEs, in C order
    #[arg(long, value_name = "MASK")]
    pub mask: Option<PathBuf>,

    /// Leave out the numbers that do not compare so: '> 3' (< <= > >= == !=); or those at whose places another file has none that does:
    /// 'OTHER.npy > 3'
    #[arg(id = "where", long = "where", value_name = "COMPARISON")]
    pub condition: Option<String>,
}

/// Functions of elements, and operators that are expressions, in WGSL.
#[derive(Args, Clone, Debug, Default)]
pub struct Making {
    /// Reduce what EXPR makes of each number x, in WGSL: 'abs(x) * 2', 'select(0.0, log2(x), x > 0)', 'x > 30 && x < 40' (1 or 0). i is the
    /// number's place, a u32. x has the type of the input, f32 for f16 and bf16, i32 or u32 for narrower integers and bool; integers wrap in
    /// their bits
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub map: Option<String>,

    /// Of reduce: what EXPR makes of two results a and b, the left one first: 'a + b', 'max(a, b)'; it must not matter which neighbours are
    /// combined first
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub combine: Option<String>,

    /// Of reduce: the number that leaves what it is combined with as it is, the answer where there are none
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub identity: Option<String>,

    /// Of reduce: combine in any order
    #[arg(long)]
    pub commutative: bool,
}
