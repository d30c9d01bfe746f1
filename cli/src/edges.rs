//! The places of a histogram's bins as options tell them, along one axis or two; edges are numbers, or those of a file.

use crate::error::{told, usage};
use crate::files::Ask;
use crate::input::Inputs;
use crate::operators::{
    BINS, BINS_Y, EDGES, EDGES_Y, INTEGERS, INTEGERS_Y, RANGE, RANGE_Y, Told, flag, has_own, have_none, own_to, takers,
    told_to, value,
};
use crate::reading::numbers;
use crate::source::Sizes;
use anyhow::{Context, Result, anyhow, ensure};
use half::f16;
use std::path::{Path, PathBuf};
use treefold::ops::{Histogram, Histogram2d};
use treefold::{Dtype, Error, Op};

/// Edges that a file may hold: of the most bins that there may be, and one more, so that the library says what is wrong.
const EDGES_MAX: u64 = (1 << 24) + 2;

/// The options of each axis: number, range, whole numbers, edges.
const AXES: [[&str; 4]; 2] = [[BINS, RANGE, INTEGERS, EDGES], [BINS_Y, RANGE_Y, INTEGERS_Y, EDGES_Y]];

/// Checks that bins are told in one way, reads edges of files, so that numbers stand in their place, and gives either axis of those of
/// these operators that have two what is told for both.
fn settle_told<S: AsRef<str>>(told: &mut Told, names: &[S]) -> Result<()> {
    if names.iter().any(|name| takers(BINS_Y).contains(&name.as_ref())) {
        both_axes(told)?;
    }
    one_way(told)?;
    for option in [EDGES, EDGES_Y] {
        if let Some((_, edges)) = told.iter_mut().find(|(name, _)| name == option) {
            *edges = settled(&flag(option), edges.trim())?;
        }
    }
    Ok(())
}

/// The same of what is told to all of these operators, and of what is told to one.
pub fn settle(told: &mut Told, names: &[String]) -> Result<()> {
    settle_told(told, names)?;
    for name in names {
        if !has_own(name, told) {
            continue;
        }
        let mut own = told_to(name, told);
        settle_told(&mut own, &[name])?;
        told.retain(|(option, _)| !option.starts_with(&format!("{name}(")));
        told.extend(own_to(name, own));
    }
    Ok(())
}

/// The files among what is told as edges, to all operators or to one.
pub fn files(told: &Told) -> Vec<PathBuf> {
    let is_edges = |option: &str| [EDGES, EDGES_Y].contains(&option.rsplit('(').next().unwrap_or(option));
    let named = told.iter().filter(|(option, text)| is_edges(option) && parsed(text).is_none());
    named.map(|(_, text)| PathBuf::from(text.trim())).filter(|path| path.is_file()).collect()
}

/// Gives both axes what is told without one, unless the second is told its own.
fn both_axes(told: &mut Told) -> Result<()> {
    let [x, y] = AXES;
    if let Some((nx, ny)) =
        value(told, BINS).and_then(|bins| bins.split_once(',')).map(|(nx, ny)| (nx.to_string(), ny.to_string()))
    {
        ensure!(
            value(told, BINS_Y).is_none(),
            usage(format!("--bins {nx},{ny} says how many bins both axes have; leave out --bins-y"))
        );
        ensure!(
            !ny.contains(','),
            usage(format!(
                "--bins {nx},{ny} has more than two numbers; write one for both axes, or those of x and of y, 10,20"
            ))
        );
        told.retain(|(name, _)| name != BINS);
        told.extend([(BINS.into(), nx), (BINS_Y.into(), ny)]);
    }
    let own = |told: &Told, options: &[&str]| options.iter().any(|option| value(told, option).is_some());
    let (counted, placed) = (own(told, &[BINS_Y]), own(told, &[RANGE_Y, INTEGERS_Y, EDGES_Y]));
    for (option, option_y) in x.into_iter().zip(y) {
        let taken = match option {
            BINS => counted || own(told, &[INTEGERS_Y, EDGES_Y]),
            RANGE => placed,
            _ => placed || counted,
        };
        if let (false, Some(value)) = (taken, value(told, option).cloned()) {
            told.push((option_y.into(), value));
        }
    }
    Ok(())
}

/// Edges that are numbers with commas.
fn parsed(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|edge| edge.trim().parse().ok()).collect()
}

/// Edges as numbers with commas, those of a file too.
fn settled(flag: &str, text: &str) -> Result<String> {
    let numbers = match parsed(text) {
        Some(numbers) => numbers,
        None if text.contains(',') && !Path::new(text).exists() => {
            let word = text.split(',').find(|edge| edge.trim().parse::<f64>().is_err()).unwrap_or_default();
            return Err(usage(format!(
                "{flag} {text}: {word:?} is no number; write numbers with commas, or name a .npy file"
            )));
        }
        None => read(Path::new(text)).with_context(|| format!("{flag} {text}"))?,
    };
    Histogram::of_edges(&numbers).map_err(|error| usage(format!("{flag} {text}: {error}")))?;
    Ok(numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
}

/// Refuses two ways to say where the bins of an axis lie.
pub fn one_way(told: &Told) -> Result<()> {
    for [bins, range, integers, edges] in AXES {
        let given = |option: &&str| value(told, option).is_some();
        let Some(all) = [edges, integers].into_iter().find(given) else { continue };
        let others = [bins, range, integers].into_iter().filter(|&option| option != all && given(&option));
        let idle: Vec<String> = others.map(flag).collect();
        let all = flag(all);
        ensure!(idle.is_empty(), usage(format!("{all} says where every bin lies; leave out {}", idle.join(" and "))));
    }
    Ok(())
}

/// Refuses weights of what has no bins. No list has two operators that have them.
pub fn check_weights(names: &[String]) -> Result<()> {
    let binned = [<Histogram as Op<f32>>::NAME, <Histogram2d as Op<[f32; 2]>>::NAME];
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|other| !binned.contains(other)).collect();
    let [one, two] = binned;
    ensure!(others.is_empty(), usage(format!("--weights is for {one} and {two} alone; {}", have_none(&others))));
    Ok(())
}

/// The numbers of a .npy file as f64, in C order.
fn read(path: &Path) -> Result<Vec<f64>> {
    let raw = || usage("is no .npy file; write numbers with commas, or name a .npy file");
    // An error of the command line is about --dtype, which is of the input, not of the edges.
    let opened = Inputs::open(&[path.to_path_buf()], Ask::beside("--edges"));
    let inputs = opened.map_err(|error| if told(&error).1 == 2 { raw() } else { error })?;
    let array = inputs.only().and_then(|opened| opened.array.as_ref()).ok_or_else(raw)?;
    ensure!(array.axes.len() == 1, "holds an array of shape {:?}; edges stand on one axis", array.axes);
    ensure!(array.count <= EDGES_MAX, Error::EdgeCount { edges: array.count as usize });
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
