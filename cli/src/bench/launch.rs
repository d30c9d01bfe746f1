//! Launch policies that are tried in place of an adapter's own.

use crate::error::usage;
use anyhow::Result;
use treefold::{Order, Tuning};

/// Keys and their values, each as the command line has it.
pub type Changes = Vec<(String, String)>;

/// Every combination of what `KEY=VALUE,VALUE` says; the one of no change where nothing is said.
pub fn combinations(told: &[String]) -> Result<Vec<Changes>> {
    let mut all: Vec<Changes> = vec![vec![]];
    for item in told {
        let (key, values) = item.split_once('=').ok_or_else(|| usage(format!("--launch {item}: write KEY=VALUE")))?;
        let more = |changes: &Changes| {
            values.split(',').map(|value| [&changes[..], &[(key.into(), value.into())]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(more).collect();
    }
    all.iter().try_for_each(|changes| changed(&Tuning::GPU, changes).map(drop))?;
    Ok(all)
}

/// A policy with these changes.
pub fn changed(base: &Tuning, changes: &Changes) -> Result<Tuning> {
    changes.iter().try_fold(*base, |tuning, (key, value)| {
        one(tuning, key, value).map_err(|why| usage(format!("--launch {key}={value}: {why}")))
    })
}

fn one(mut tuning: Tuning, key: &str, value: &str) -> Result<Tuning, String> {
    fn parsed<N: std::str::FromStr>(text: &str) -> Result<N, String> {
        text.parse().map_err(|_| "the value is none of its kind".to_string())
    }
    match key {
        "workgroup_size" | "workgroups_max" | "loads_in_flight" => {
            let number: u32 = parsed(value)?;
            tuning = tuning.each(|launch| match key {
                "workgroup_size" => launch.workgroup_size = number,
                "workgroups_max" => launch.workgroups_max = number,
                _ => launch.loads_in_flight = number,
            });
        }
        "single_elements_max" | "short_rows_max" => {
            let number = crate::args::elements(value)?;
            tuning = tuning.each(|launch| match key {
                "single_elements_max" => launch.single_elements_max = number,
                _ => launch.short_rows_max = number,
            });
        }
        "single_workgroup_size" => tuning.single_workgroup_size = parsed(value)?,
        "order" => {
            tuning.order = match value {
                "striped" => Order::Striped,
                "blocked" => Order::Blocked,
                _ => return Err("an order is striped or blocked".into()),
            }
        }
        "subgroups" => tuning.subgroups = parsed(value)?,
        "words64" => tuning.words64 = parsed(value)?,
        "float64" => tuning.float64 = parsed(value)?,
        "own_bins_max" => tuning.own_bins_max = parsed(value)?,
        "own_rows_max" => tuning.own_rows_max = parsed(value)?,
        "slices_max" => tuning.slices_max = parsed(value)?,
        _ => return Err("no policy has this name; see treefold bench --help".into()),
    }
    Ok(tuning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_combined() {
        let told = ["workgroup_size=64,128", "order=blocked"].map(String::from);
        let all = combinations(&told).unwrap();
        let sizes: Vec<u32> =
            all.iter().map(|changes| changed(&Tuning::GPU, changes).unwrap().bins.workgroup_size).collect();
        assert_eq!(sizes, [64, 128]);
        assert!(all.iter().all(|changes| changed(&Tuning::GPU, changes).unwrap().order == Order::Blocked));
        assert_eq!(combinations(&[]).unwrap(), [vec![]]);
        for bad in ["workgroup_size", "size=3", "order=none", "loads_in_flight=x"] {
            assert!(combinations(&[bad.into()]).is_err(), "{bad}");
        }
    }
}
