//! Times of jobs over their number of ranks, simulated and measured, as a picture.

use super::chart::{ChartArea, axes, draw_chart};
use super::head::Head;
use super::lines::Line;
use super::style::WIDTH;
use super::text::{clean, escape};
use anyhow::{Result, ensure};
use plotters::prelude::*;

/// The picture's height below its head, in pixels.
const HEIGHT: i32 = 460;

/// The content of a picture of times.
#[derive(Clone, Debug)]
pub struct Scaling<'a> {
    /// The heading.
    pub title: &'a str,
    /// Lines on what was simulated and measured.
    pub notes: &'a [String],
    /// The name of the times, with their unit.
    pub time: &'static str,
    pub curves: &'a [Curve],
}

/// Times of one kind of job, each behind its number of ranks.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: &'static str,
    /// A line.
    pub simulated: Vec<(f64, f64)>,
    /// Markers; where there are none, the line has them.
    pub measured: Vec<(f64, f64)>,
}

/// A line through what was simulated of each kind, and a marker for each time that was measured, over logarithms of both.
pub fn scaling_svg(shown: &Scaling<'_>) -> Result<String> {
    let logarithms = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let with_logarithm = points.iter().filter(|(ranks, time)| *ranks > 0.0 && *time > 0.0);
        with_logarithm.map(|(ranks, time)| (ranks.log2(), time.log10())).collect()
    };
    let line = |(look, curve): (usize, &Curve)| Line {
        label: curve.name.into(),
        points: logarithms(&curve.simulated),
        marked: (!curve.measured.is_empty()).then(|| logarithms(&curve.measured)),
        look: Some(look),
    };
    let lines: Vec<Line> = shown.curves.iter().enumerate().map(line).collect();
    let empty = lines.iter().all(|line| line.points.is_empty() && line.marks().is_empty());
    ensure!(!empty, "{}: no time is above 0, so there is nothing to draw", shown.title);
    let head = Head::of(shown.title, shown.notes);
    let height = head.height() + HEIGHT;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH as u32, height.unsigned_abs())).into_drawing_area();
        root.fill(&WHITE)?;
        head.draw(&root)?;
        let place = ChartArea {
            x_title: "ranks (log scale)",
            ..ChartArea::wide(head.height() - 30, HEIGHT + 30, &lines, shown.time)
        };
        draw_chart(&root, &place, axes(lines.iter(), 20.0), &lines, true)?;
        root.present()?;
    }
    let label = escape(&clean(shown.title));
    Ok(text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

#[cfg(test)]
mod tests {
    use super::super::tests::balanced;
    use super::*;

    #[test]
    fn what_was_measured_has_markers_and_what_was_simulated_a_line() {
        let curve = |name, simulated: &[(f64, f64)], measured: &[(f64, f64)]| Curve {
            name,
            simulated: simulated.to_vec(),
            measured: measured.to_vec(),
        };
        let picture = |curves: &[Curve]| {
            let notes = ["a note".into()];
            scaling_svg(&Scaling { title: "a < b", notes: &notes, time: "ms (log scale)", curves }).expect("a picture")
        };
        let circles = |text: &str| text.matches("<circle").count();
        // A time of 0 has no logarithm.
        let line = [(1.0, 0.0), (1.0, 8.0), (2.0, 4.0), (4.0, 2.0)];
        let without = picture(&[curve("strong", &line, &[])]);
        let with = picture(&[curve("strong", &line, &[(1.0, 8.5), (2.0, 4.25)])]);
        balanced(&without);
        balanced(&with);
        // One of each stands in the legend; two are at what was measured, or three on the line.
        assert_eq!((circles(&with), circles(&without)), (3, 4), "{with}");
        for word in ["a &lt; b", "a note", "strong", "ms (log scale)", "ranks (log scale)"] {
            assert!(with.contains(word), "{word}");
        }
        let none = Scaling { title: "none", notes: &[], time: "ms", curves: &[curve("none", &[(2.0, 0.0)], &[])] };
        assert!(scaling_svg(&none).is_err_and(|error| error.to_string().contains("nothing to draw")));
    }
}
