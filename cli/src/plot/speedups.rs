//! Speedups over one core, a bar for each stage.

use super::Panel;
use super::axis::{Axis, extent};
use super::lines::Line;
use super::page::{Page, Rung};
use super::style::{
    Area, CHARACTER, DIM, GRID, INK, LONGEST, PALETTE, Pixel, THIN, WARNING, WIDTH, styled, write, write_bold,
};
use super::text::{digits, short};
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

/// The bars of all stages.
pub(super) struct Speedups {
    bars: Vec<Bar>,
}

/// The distance of two bars in pixels.
const ROW: i32 = 20;

impl Speedups {
    /// Bars in the colours of `lines`; `None` without stages.
    pub fn new(page: &Page, lines: &[Line]) -> Option<Speedups> {
        let bars: Vec<Bar> = page.rungs.iter().map(|rung| Bar::new(rung, lines)).collect();
        (!bars.is_empty()).then_some(Speedups { bars })
    }
}

impl Panel for Speedups {
    fn height(&self) -> i32 {
        120 + ROW * self.bars.len() as i32
    }

    fn draw(&self, root: &Area, top: i32) -> Result<()> {
        let bars = &self.bars;
        write_bold(root, "Speedup by stage, in the ladder's order", (20, top + 12), 16)?;
        if bars.iter().any(|bar| bar.color == THIN) {
            write(root, "colours as above", (388, top + 13), 13, DIM, HPos::Left)?;
        }
        let (axis, logarithmic) = bar_axis(bars);
        let longest = bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
        let area = root.clone().shrink((20, top + 26), (WIDTH - 270, self.height() - 40));
        let mut builder = ChartBuilder::on(&area);
        builder.margin_top(8).margin_right(8).x_label_area_size(42).y_label_area_size(12 + CHARACTER * longest as i32);
        let mut frame = builder.build_cartesian_2d(axis.clone(), bars.len() as f64..0.0)?;
        let scale = if logarithmic { "log scale; bars from 1×" } else { "×" };
        let mut mesh = frame.configure_mesh();
        mesh.disable_y_mesh().y_labels(0).bold_line_style(GRID).axis_style(DIM);
        mesh.label_style(styled(13)).axis_desc_style(styled(13));
        mesh.x_desc(format!("speedup over the loop on one core ({scale})")).draw()?;
        let zero = [0.0, bars.len() as f64].map(|row| frame.backend_coord(&(0.0, row)));
        root.draw(&PathElement::new(zero.to_vec(), DIM.stroke_width(1)))?;
        for (row, bar) in bars.iter().enumerate() {
            let value = bar.speedup.map_or(0.0, |speedup| if logarithmic { speedup.log10() } else { speedup });
            let middle = row as f64 + 0.5;
            let (left, y) = frame.backend_coord(&(axis.from, middle));
            let ends = [frame.backend_coord(&(0.0, middle)).0, frame.backend_coord(&(value, middle)).0];
            draw_bar(root, bar, (left, y), ends)?;
        }
        Ok(())
    }
}

/// A stage's speedup over the one-core loop, and the text beside it.
struct Bar {
    label: String,
    speedup: Option<f64>,
    text: String,
    failed: bool,
    color: RGBColor,
}

impl Bar {
    fn new(rung: &Rung, lines: &[Line]) -> Bar {
        let label = short(&rung.stage, LONGEST);
        let speedup = positive(rung.speedup_one_core);
        let failed = rung.status.starts_with("FAILED");
        let line = lines.iter().find(|line| line.label == label);
        let color = match line.and_then(|line| line.look) {
            _ if failed => WARNING,
            None if lines.is_empty() => PALETTE[0],
            None => THIN,
            Some(look) => PALETTE[look % PALETTE.len()],
        };
        Bar { label, speedup, text: bar_text(rung, speedup), failed, color }
    }
}

/// A number that a picture can show.
fn positive(x: Option<f64>) -> Option<f64> {
    x.filter(|x| x.is_finite() && *x > 0.0)
}

/// Speedups; for stages that did not pass, the status without its reason.
fn bar_text(rung: &Rung, speedup: Option<f64>) -> String {
    let passed = rung.status.starts_with("PASSED");
    let mut text: Vec<String> = speedup.map(|speedup| format!("{}×", digits(speedup))).into_iter().collect();
    if passed {
        text.extend(positive(rung.speedup_all_cores).map(|speedup| format!("({}× over all cores)", digits(speedup))));
        text.extend(text.is_empty().then(|| "unknown".into()));
    } else {
        let status = rung.status.split([':', '(', ',']).next().unwrap_or_default();
        text.push(short(status.trim(), 24));
    }
    text.join(" ")
}

/// The bars' axis, and whether it is logarithmic; bars begin at 0 on either.
fn bar_axis(bars: &[Bar]) -> (Axis, bool) {
    let speedups = || bars.iter().filter_map(|bar| bar.speedup);
    let (low, high) = extent(speedups());
    if speedups().next().is_none() || high / low < 200.0 {
        (Axis::linear(high.max(1.0)), false)
    } else {
        (Axis::decades(speedups().map(f64::log10).chain([0.0])), true)
    }
}

/// Draws a bar, its name before the axis and its text behind its end.
fn draw_bar(root: &Area, bar: &Bar, (left, y): Pixel, [a, b]: [i32; 2]) -> Result<()> {
    write(root, &bar.label, (left - 8, y), 13, INK, HPos::Right)?;
    let corners = [(a.min(b), y - 6), (a.max(b).max(a.min(b) + 1), y + 7)];
    if bar.speedup.is_some() {
        let style = if bar.failed { bar.color.stroke_width(1) } else { bar.color.filled() };
        root.draw(&Rectangle::new(corners, style))?;
    }
    write(root, &bar.text, (a.max(b) + 6, y), 12, if bar.failed { WARNING } else { INK }, HPos::Left)
}
