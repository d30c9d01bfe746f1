//! Times and rates of reductions over their length, below the rates at which memory is read: a roofline.

use super::chart::{ChartArea, axes, draw_chart};
use super::head::Head;
use super::lines::Line;
use super::style::{WIDTH, write_bold};
use super::text::{clean, escape, short};
use anyhow::{Result, ensure};
use plotters::prelude::*;

/// The content of the picture.
#[derive(Clone, Debug)]
pub struct BenchPage {
    /// The heading.
    pub title: String,
    /// Lines below it.
    pub notes: Vec<String>,
    pub curves: Vec<BenchCurve>,
    /// Rates at which memory is read, in GB/s, by name.
    pub roofs: Vec<(String, f64)>,
}

/// The figures of one kind.
#[derive(Clone, Debug)]
pub struct BenchCurve {
    pub name: String,
    /// Elements, microseconds and GB/s.
    pub points: Vec<(f64, f64, f64)>,
}

/// A chart's height in pixels, at least, and that of its heading.
const HEIGHT: i32 = 420;
const LABEL: i32 = 15;
/// The longest name in characters.
const NAME: usize = 48;

/// Two charts: microseconds, and gigabytes a second with the rates of memory above them, as thin lines.
pub fn bench_svg(page: &BenchPage) -> Result<String> {
    let logarithms = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = points.into_iter().filter(|&(n, y)| n > 0.0 && y > 0.0).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.into_iter().map(|(n, y)| (n.log2(), y.log10())).collect()
    };
    let lines = |of: fn(&(f64, f64, f64)) -> (f64, f64)| -> Vec<Line> {
        let line = |(look, curve): (usize, &BenchCurve)| Line {
            label: short(&curve.name, NAME),
            points: logarithms(curve.points.iter().map(of).collect()),
            marked: None,
            look: Some(look),
        };
        page.curves.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
    };
    let (times, mut rates) = (lines(|&(n, us, _)| (n, us)), lines(|&(n, _, rate)| (n, rate)));
    ensure!(!times.is_empty(), "{}: no time is above 0, so there is nothing to draw", page.title);
    let lengths = || page.curves.iter().flat_map(|curve| &curve.points).map(|&(n, ..)| n);
    let (least, most) = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(1.0, f64::max));
    for (name, rate) in &page.roofs {
        let points = logarithms(vec![(least, *rate), (most, *rate)]);
        rates.push(Line { label: short(name, NAME), points, marked: Some(vec![]), look: None });
    }
    let head = Head::of(&page.title, &page.notes);
    let each = HEIGHT.max(LABEL * rates.len() as i32 + 120);
    let height = head.height() + 2 * each + 10;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH as u32, height.unsigned_abs())).into_drawing_area();
        root.fill(&WHITE)?;
        head.draw(&root)?;
        let charts = [("Time", &times, "microseconds (log scale)"), ("Rate", &rates, "GB/s (log scale)")];
        for (at, (title, lines, y_title)) in charts.into_iter().enumerate() {
            let top = head.height() + at as i32 * each;
            write_bold(&root, title, (20, top + 12), 16)?;
            let place = ChartArea::wide(top, each, lines, y_title);
            draw_chart(&root, &place, axes(lines.iter(), 19.0), lines, true)?;
        }
        root.present()?;
    }
    let label = escape(&clean(&page.title));
    Ok(text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

#[cfg(test)]
mod tests {
    use super::super::tests::balanced;
    use super::*;

    #[test]
    fn times_and_rates_stand_below_a_roof() {
        let curve = |name: &str, points: &[(f64, f64, f64)]| BenchCurve { name: name.into(), points: points.to_vec() };
        let curves = vec![
            curve("sum f32 <a>", &[(1024.0, 3.0, 1.4), (4096.0, 4.0, 4.1)]),
            curve("sum f32, b", &[(4096.0, 6.0, 2.7), (1024.0, 5.0, 0.8)]),
        ];
        let mut page = BenchPage {
            title: "a title".into(),
            notes: vec!["a note".into()],
            curves,
            roofs: vec![("a roof".into(), 9.0)],
        };
        let text = bench_svg(&page).unwrap();
        balanced(&text);
        for word in ["a title", "a note", "sum f32 &lt;a&gt;", "sum f32, b", "a roof", "GB/s", "microseconds"] {
            assert!(text.contains(word), "{word}");
        }
        page.curves.clear();
        assert!(bench_svg(&page).is_err_and(|error| error.to_string().contains("nothing to draw")));
    }
}
