//! Functions of elements before they are reduced, and operators that are expressions: `--map`, and `reduce`.

use crate::error::{below, usage};
use crate::operators::{self, Chosen, Combine, REDUCE};
use crate::options::Making;
use anyhow::{Result, ensure};
use std::sync::Arc;
use treefold::{Dtype, Error, Expression};

/// The names of its options.
pub const MAKING: [&str; 4] = ["map", "combine", "identity", "commutative"];

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

    /// The operators of these names for numbers of that type, which `whose` names in an error.
    pub fn choose(&self, names: &[String], dtype: Dtype, whose: &str, fast: bool) -> Result<Vec<Chosen>> {
        let map = self.map_of(dtype)?;
        let (read, over) = match &map {
            Some(map) => (map.takes(), map.makes()),
            None => (widened(dtype), widened(dtype)),
        };
        if let Some(combine) = &self.combine {
            let combine =
                Expression::of_accumulators(combine, over).map_err(|error| refused("--combine", over, error))?;
            let (identity, commutative) = (self.identity.clone().unwrap_or_default(), self.commutative);
            let combine = Some(Arc::new(Combine { identity, combine, commutative }));
            return Ok(vec![Chosen { name: REDUCE, dtype: read, over, method: None, map, combine }]);
        }
        let whose = || format!("{} of {whose}", self.map.as_deref().unwrap_or_default());
        let chosen = operators::choose_all(names, over, fast, whose)?;
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
