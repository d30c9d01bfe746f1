//! The edges that a histogram is told: numbers, or those of a file.

use crate::error::{told, usage};
use crate::input::Inputs;
use crate::operators::{BINS, EDGES, RANGE, Told, value};
use crate::reading::numbers;
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use half::f16;
use std::path::Path;
use treefold::ops::Histogram;
use treefold::{Dtype, Error};

/// Edges that a file may hold: of the most bins that there may be, and one more, so that the library says what is wrong.
const EDGES_MAX: u64 = (1 << 24) + 2;

/// Checks that edges stand alone, and reads those of a file, so that numbers stand in its place.
pub fn settle_edges(told: &mut Told) -> Result<()> {
    one_way(told)?;
    let Some((_, edges)) = told.iter_mut().find(|(name, _)| name == EDGES) else { return Ok(()) };
    let text = edges.trim();
    let numbers: Option<Vec<f64>> = text.split(',').map(|edge| edge.trim().parse().ok()).collect();
    let numbers = match numbers {
        Some(numbers) => numbers,
        None if text.contains(',') && !Path::new(text).exists() => {
            let word = text.split(',').find(|edge| edge.trim().parse::<f64>().is_err()).unwrap_or_default();
            return Err(usage(format!(
                "--edges {text}: {word:?} is no number; write numbers with commas, or name a .npy file"
            )));
        }
        None => read(Path::new(text)).with_context(|| format!("--edges {text}"))?,
    };
    Histogram::of_edges(&numbers).map_err(|error| usage(format!("--edges {text}: {error}")))?;
    *edges = numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    Ok(())
}

/// Refuses two ways to say where bins lie.
pub fn one_way(told: &Told) -> Result<()> {
    let idle: Vec<_> = [BINS, RANGE].into_iter().filter(|option| value(told, option).is_some()).collect();
    ensure!(
        value(told, EDGES).is_none() || idle.is_empty(),
        usage(format!("--edges says where every bin lies; leave out --{}", idle.join(" and --")))
    );
    Ok(())
}

/// The numbers of a .npy file as f64, in C order.
fn read(path: &Path) -> Result<Vec<f64>> {
    let raw = || usage("is no .npy file; write numbers with commas, or name a .npy file");
    // What is wrong with the command line is that --dtype is of the input, not of the edges.
    let opened = Inputs::open(&[path.to_path_buf()], None);
    let inputs = opened.map_err(|error| if told(&error).1 == 2 { raw() } else { error })?;
    let npy = inputs.only().and_then(|opened| opened.npy.as_ref()).ok_or_else(raw)?;
    ensure!(npy.axes.len() == 1, "holds an array of shape {:?}; edges stand on one axis", npy.axes);
    ensure!(npy.count <= EDGES_MAX, Error::EdgeCount { edges: npy.count as usize });
    let sizes = Sizes::within(EDGES_MAX as usize, 8, 4 << 20);
    match inputs.dtype {
        Dtype::F32 => numbers(inputs, sizes, |_, x: f32| Ok(x.into())),
        Dtype::I32 => numbers(inputs, sizes, |_, x: i32| Ok(x.into())),
        Dtype::U32 => numbers(inputs, sizes, |_, x: u32| Ok(x.into())),
        Dtype::F16 => numbers(inputs, sizes, |_, x: f16| Ok(x.to_f64())),
        Dtype::F64 => numbers(inputs, sizes, |_, x: f64| Ok(x)),
        Dtype::I64 => numbers(inputs, sizes, |_, x: i64| Ok(x as f64)),
        Dtype::U64 => numbers(inputs, sizes, |_, x: u64| Ok(x as f64)),
        dtype => Err(anyhow!("holds {dtype}; edges are numbers")),
    }
}
