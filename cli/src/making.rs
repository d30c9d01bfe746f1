//! What elements become before they are reduced, and operators that are expressions: `--map`, and `reduce`.

use crate::error::{below, usage};
use crate::input::Inputs;
use crate::operators::{self, Chosen, Combine};
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use std::sync::Arc;
use treefold::{Dtype, Error, Expression};

/// The word that reduces by expressions.
pub const REDUCE: &str = "reduce";

/// The names of its options.
pub const MAKING: [&str; 4] = ["map", "combine", "identity", "commutative"];

/// Functions in WGSL.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct Making {
    /// Reduce what EXPR makes of each number x, in WGSL: 'abs(x) * 2', 'select(0.0, log2(x), x > 0)', 'x > 30 && x < 40' (1 or 0). i is the
    /// number's place, a u32. x has the type of the input, f32 for f16 and bf16, i32 or u32 for narrower integers and bool
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

impl Making {
    /// Checks it before anything is read; `pairs`: an operator over pairs among those that are named.
    pub fn check(&self, operators: &[String], pairs: Option<&str>, weighted: bool, partial: bool) -> Result<()> {
        let reduces = operators == [REDUCE];
        let needed = [("--identity", self.identity.is_some()), ("--combine", self.combine.is_some())];
        if let Some((missing, _)) = needed.iter().find(|(_, given)| reduces && !given) {
            return Err(usage(format!(
                "reduce needs {missing}: treefold reduce --identity 0 --combine 'a + b' --map 'x * x' FILE"
            )));
        }
        let commutative = ("--commutative", self.commutative);
        if let Some((idle, _)) = needed.iter().chain([&commutative]).find(|(_, given)| !reduces && *given) {
            return Err(usage(format!("{idle} is for reduce; {}", operators::have_none(&refs(operators)))));
        }
        ensure!(
            !(reduces && partial),
            usage("--partial of reduce would not say how parts combine; name all files in one call")
        );
        if let Some(operator) = pairs.filter(|_| self.map.is_some()) {
            return Err(usage(format!("--map makes one number of one, and {operator} takes pairs; leave it out")));
        }
        ensure!(self.map.is_none() || !weighted, usage("--weights goes by the numbers as they are; leave out --map"));
        Ok(())
    }

    /// What the operators mean for these inputs.
    pub fn choose(&self, names: &[String], inputs: &Inputs, fast: bool) -> Result<Vec<Chosen>> {
        if self.map.is_none() && self.combine.is_none() {
            let chosen = operators::choose_all(names, inputs.dtype, fast);
            return chosen.map_err(|name| not_taken(name, inputs.dtype, &inputs.shown_by));
        }
        let map = self.map_of(inputs.dtype)?;
        let (read, over) = match &map {
            Some(map) => (map.takes(), map.makes()),
            None => (widened(inputs.dtype), widened(inputs.dtype)),
        };
        if let Some(combine) = &self.combine {
            let combine =
                Expression::of_accumulators(combine, over).map_err(|error| refused("--combine", over, error))?;
            let (identity, commutative) = (self.identity.clone().unwrap_or_default(), self.commutative);
            let combine = Some(Arc::new(Combine { identity, combine, commutative }));
            return Ok(vec![Chosen { name: REDUCE, dtype: read, over, method: None, map, combine }]);
        }
        let whose = || format!("{} of {}", self.map.as_deref().unwrap_or_default(), inputs.shown_by);
        let chosen = operators::choose_all(names, over, fast).map_err(|name| not_taken(name, over, &whose()))?;
        Ok(chosen.into_iter().map(|chosen| Chosen { dtype: read, map: map.clone(), ..chosen }).collect())
    }

    /// The function of elements of that type.
    pub fn map_of(&self, dtype: Dtype) -> Result<Option<Expression>> {
        let Some(text) = &self.map else { return Ok(None) };
        let read = widened(dtype);
        Expression::of_element(text, read).map(Some).map_err(|error| refused("--map", read, error))
    }
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The type that expressions have for elements of this one.
fn widened(dtype: Dtype) -> Dtype {
    if dtype == Dtype::F16 { Dtype::F32 } else { dtype }
}

/// The error of an expression over that type, with its place below.
fn refused(option: &str, dtype: Dtype, error: Error) -> anyhow::Error {
    match error {
        Error::BadExpression { expression, marks, message } => {
            let lines = vec![format!("    {expression}"), format!("    {marks}")];
            below(format!("{option} over {dtype}: {message}"), lines)
        }
        error => usage(format!("{option}: {error}")),
    }
}

/// What to say where an operator does not take what there is.
fn not_taken(name: &str, dtype: Dtype, whose: &str) -> anyhow::Error {
    let takes = operators::takes(name);
    let (last, others) = takes.split_last().map_or((String::new(), vec![]), |(last, others)| {
        (last.name().to_string(), others.iter().map(|dtype| dtype.name()).collect())
    });
    let list = if others.is_empty() { last } else { format!("{} and {last}", others.join(", ")) };
    let others: Vec<&str> =
        operators::names().into_iter().filter(|name| operators::takes(name).contains(&dtype)).collect();
    anyhow!(
        "{whose}: holds {dtype}, but the operator \"{name}\" takes {list} only; what takes {dtype}: {}",
        others.join(", ")
    )
}
