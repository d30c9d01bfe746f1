//! Pictures: the ladder's bandwidth over length, performance by workgroup size, and speedups; the bins of a histogram; times of jobs by their
//! ranks; times and rates of reductions.

mod axis;
mod bench;
mod chart;
mod head;
mod histogram;
mod labels;
mod lengths;
mod lines;
mod page;
mod scaling;
mod speedups;
mod style;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod workgroups;

pub use bench::{BenchCurve, BenchPage, bench_svg};
pub use histogram::{Histogram, histogram_svg};
pub use page::{Page, Point, Rung};
pub use scaling::{Curve, Scaling, scaling_svg};
pub(crate) use text::{digits, escape, thousands};

use anyhow::Result;
use head::Head;
use lengths::{Lengths, lines_by_length};
use plotters::prelude::*;
use speedups::Speedups;
use style::{Area, WIDTH};
use text::clean;
use workgroups::Workgroups;

/// One part of the picture, in its whole width.
trait Panel {
    /// In pixels.
    fn height(&self) -> i32;
    /// Draws it from the row of pixels `top` on.
    fn draw(&self, root: &Area, top: i32) -> Result<()>;
}

fn boxed<P: Panel + 'static>(panel: P) -> Box<dyn Panel> {
    Box::new(panel)
}

/// The picture: those of its three panels that have data.
pub fn svg_text(page: &Page) -> Result<String> {
    let lines = lines_by_length(page);
    let bars = Speedups::new(page, &lines).map(boxed);
    let panels = [Lengths::new(lines).map(boxed), Workgroups::new(page).map(boxed), bars];
    let panels: Vec<Box<dyn Panel>> = panels.into_iter().flatten().collect();
    let head = Head::new(page, panels.is_empty());
    let height = head.height() + panels.iter().map(|panel| panel.height()).sum::<i32>() + 10;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH as u32, height.unsigned_abs())).into_drawing_area();
        root.fill(&WHITE)?;
        head.draw(&root)?;
        let mut top = head.height();
        for panel in &panels {
            panel.draw(&root, top)?;
            top += panel.height();
        }
        root.present()?;
    }
    let label = escape(&format!("{}, {}", clean(&page.title), clean(&page.adapter)));
    Ok(text.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{label}\" "), 1))
}
