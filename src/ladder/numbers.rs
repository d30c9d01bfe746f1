//! Answers as named numbers, and their comparison.

/// One number of an answer, and how closely it must agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    /// An integer.
    Integer(i64),
    /// A float that no operation has rounded.
    Same(f64),
    /// A float whose additions rounded.
    Near(f64),
}

/// An answer.
pub(super) type Figures = Vec<(&'static str, Figure)>;

/// Compares two answers: the relative error of the floats among them, or a description of the difference.
pub(super) fn agree(got: &Figures, want: &Figures, bound: f64) -> Result<Option<f64>, String> {
    let mut worst = None;
    if got.len() != want.len() {
        return Err(format!("found {}, expected {}", text(got), text(want)));
    }
    for ((name, got), (_, want)) in got.iter().zip(want) {
        let right = match (got, want) {
            (Figure::Near(got), Figure::Near(want)) => {
                let error = if got == want { 0.0 } else { (got - want).abs() / want.abs() };
                worst = Some(error.max(worst.unwrap_or(0.0)));
                error <= bound
            }
            _ => got == want,
        };
        if !right {
            let (got, want) = (number(got), number(want));
            return Err(format!("{name} is {got}, expected {want} (relative error up to {bound:.1e} allowed)"));
        }
    }
    Ok(worst)
}

/// The relative error that so many additions of positive numbers can add up to, with this many bits of precision.
pub(super) fn rounding(additions: u64, bits: i32) -> f64 {
    let errors = additions as f64 * 2f64.powi(-bits);
    // Beyond that the bound says nothing; the check over elements that need no rounding still does.
    if errors < 0.5 { errors / (1.0 - errors) } else { 1.0 }
}

/// An answer in words.
pub(super) fn text(numbers: &Figures) -> String {
    match numbers.as_slice() {
        [(_, only)] => number(only),
        many => many.iter().map(|(name, x)| format!("{name} {}", number(x))).collect::<Vec<_>>().join(", "),
    }
}

fn number(number: &Figure) -> String {
    match number {
        Figure::Integer(x) => x.to_string(),
        Figure::Same(x) | Figure::Near(x) => format!("{x}"),
    }
}
