//! The bins of a histogram as a picture.

use super::axis::Axis;
use super::head::Head;
use super::style::{DIM, GRID, PALETTE, WIDTH, styled};
use super::text::{clean, escape, thousands};
use anyhow::Result;
use plotters::prelude::*;

/// Bars that a picture shows at most; of more bins, neighbours share one.
const BARS: usize = 500;
/// The picture's height below its head, in pixels.
const HEIGHT: i32 = 420;

/// The content of a picture of bins.
#[derive(Clone, Debug)]
pub struct Histogram<'a> {
    /// The heading.
    pub title: &'a str,
    /// Lines on the elements that are counted, and on what lies beside the bins.
    pub notes: &'a [String],
    /// The edges, one more than there are counts.
    pub edges: &'a [f64],
    /// The value of each bin.
    pub heights: &'a [f64],
    /// The name of that value.
    pub what: &'a str,
}

/// A bar over each bin, from its lower to its upper edge, as high as its count.
pub fn histogram_svg(shown: &Histogram<'_>) -> Result<String> {
    let together = shown.heights.len().div_ceil(BARS).max(1);
    let bars: Vec<(f64, f64, f64)> = shown
        .heights
        .chunks(together)
        .zip(shown.edges.chunks(together).map(|edges| edges[0]))
        .zip(shown.edges.iter().skip(together).step_by(together).chain(shown.edges.last()))
        .map(|((heights, low), &high)| (low, high, heights.iter().sum()))
        .collect();
    let most = bars.iter().fold(1.0, |most: f64, bar| most.max(bar.2));
    let (low, high) = (shown.edges.first().copied().unwrap_or(0.0), shown.edges.last().copied().unwrap_or(1.0));
    let (x, y) = (Axis::between(low, high), Axis::linear(most));
    let head = Head::of(shown.title, shown.notes);
    let top = head.height();
    let mut text = String::new();
    {
        let size = (WIDTH as u32, (top + HEIGHT).unsigned_abs());
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        head.draw(&root)?;
        let area = root.clone().shrink((20, top), (WIDTH - 40, HEIGHT - 10));
        let mut builder = ChartBuilder::on(&area);
        builder.margin_top(8).margin_right(24).x_label_area_size(30).y_label_area_size(100);
        let mut frame = builder.build_cartesian_2d(x, y)?;
        let mut mesh = frame.configure_mesh();
        mesh.disable_x_mesh().bold_line_style(GRID).axis_style(DIM).label_style(styled(13)).axis_desc_style(styled(13));
        let each = if together > 1 { format!("{} of {together} bins together", shown.what) } else { shown.what.into() };
        mesh.y_desc(each).draw()?;
        for &(low, high, count) in &bars {
            let ((left, up), (right, down)) = (frame.backend_coord(&(low, count)), frame.backend_coord(&(high, 0.0)));
            if count > 0.0 {
                // A gap of a pixel where there is room, and never nothing.
                let gap = i32::from(right - left > 3);
                let corners = [(left, up.min(down - 1)), (right.max(left + 1) - gap, down)];
                root.draw(&Rectangle::new(corners, PALETTE[0].filled()))?;
            }
        }
        root.present()?;
    }
    let total = shown.heights.iter().sum::<f64>();
    let label = escape(&clean(&format!("{}: {} in {} bins", shown.title, thousands(total), shown.heights.len())));
    Ok(text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}

#[cfg(test)]
mod tests {
    use super::super::tests::balanced;
    use super::*;

    fn picture(edges: &[f64], heights: &[f64]) -> String {
        histogram_svg(&Histogram { title: "a < b", notes: &["5 elements".into()], edges, heights, what: "count" })
            .expect("a picture")
    }

    #[test]
    fn every_bin_that_counts_has_a_bar() {
        let bars = |text: &str| text.matches("fill=\"#0072B2\"").count();
        let text = picture(&[0.0, 1.0, 2.0, 10.0], &[3.0, 0.0, 1.0]);
        balanced(&text);
        assert_eq!(bars(&text), 2, "{text}");
        assert!(text.contains("a &lt; b: 4 in 3 bins"), "{text}");
        let edges: Vec<f64> = (0..=1001).map(f64::from).collect();
        let many = picture(&edges, &[1.0; 1001]);
        assert_eq!(bars(&many), 334, "1001 bins, three together");
        assert!(many.contains("count of 3 bins together"));
    }

    #[test]
    fn no_edges_are_too_far_apart_or_too_near() {
        for edges in [[-1.7e308, 1.7e308], [0.0, 5e-324], [1.0, 1.0 + f64::EPSILON], [1e300, 1.1e300], [-1e-300, 0.0]] {
            balanced(&picture(&edges, &[9e18]));
            balanced(&picture(&edges, &[0.0]));
        }
    }
}
