//! Performance over length by workgroup size: one wide chart, or a small one for each stage.

use super::Panel;
use super::chart::{ChartArea, LENGTH_TITLE, axes, draw_chart};
use super::lines::{Line, curve, stages};
use super::page::{Page, Point};
use super::style::{Area, CHARACTER, DIM, INK, LONGEST, Pixel, mark, trace, write, write_bold};
use super::text::short;
use anyhow::Result;
use plotters::style::text_anchor::HPos;

/// A chart for each stage.
pub(super) struct Workgroups {
    /// Stages and their lines, one for each workgroup size.
    charts: Vec<(String, Vec<Line>)>,
    sizes: Vec<u32>,
}

/// The width and the height of a small chart, in pixels.
const SMALL: Pixel = (353, 260);

impl Workgroups {
    /// `None` without runs by workgroup size.
    pub fn new(page: &Page) -> Option<Workgroups> {
        let points = &page.by_workgroup;
        let mut sizes: Vec<u32> = points.iter().map(|point| point.workgroup_size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let charts = stages(points, &page.rungs)
            .into_iter()
            .map(|stage| (short(stage, LONGEST), by_size(points, stage, &sizes)));
        let charts: Vec<_> = charts.filter(|(_, lines)| !lines.is_empty()).collect();
        (!charts.is_empty()).then_some(Workgroups { charts, sizes })
    }
}

impl Panel for Workgroups {
    fn height(&self) -> i32 {
        match self.charts.len() as i32 {
            1 => 420,
            charts => 56 + SMALL.1 * (charts + 2).div_euclid(3),
        }
    }

    fn draw(&self, root: &Area, top: i32) -> Result<()> {
        match self.charts.as_slice() {
            [(stage, lines)] => {
                write_bold(root, &format!("Performance by workgroup size: {stage}"), (20, top + 12), 16)?;
                let place = ChartArea::wide(top, self.height(), lines, "performance in elements/s (log scale)");
                draw_chart(root, &place, axes(lines.iter(), 19.0), lines, true)
            }
            charts => draw_small(root, top, charts, &self.sizes),
        }
    }
}

/// Performance of one stage over length, a line for each workgroup size.
fn by_size(points: &[Point], stage: &str, sizes: &[u32]) -> Vec<Line> {
    let line = |(look, &size): (usize, &u32)| Line {
        label: format!("{size} invocations"),
        points: curve(points.iter().filter(|point| point.stage == stage && point.workgroup_size == size), |point| {
            point.elements_per_s
        }),
        marked: None,
        look: Some(look),
    };
    sizes.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// Charts of the same scale, three in a row, under one legend.
fn draw_small(root: &Area, top: i32, charts: &[(String, Vec<Line>)], sizes: &[u32]) -> Result<()> {
    write_bold(root, "Performance by workgroup size", (20, top + 12), 16)?;
    legend(root, (334, top + 13), sizes)?;
    let axes = axes(charts.iter().flat_map(|(_, lines)| lines), 7.0);
    for (i, (stage, lines)) in charts.iter().enumerate() {
        let (column, row) = (i as i32 % 3, i as i32 / 3);
        let (left, top) = (20 + column * SMALL.0, top + 36 + row * SMALL.1);
        write_bold(root, stage, (left + 62, top + 8), 13)?;
        let place = ChartArea {
            left,
            top: top + 18,
            width: SMALL.0 - 10,
            height: SMALL.1 - 34,
            x_title: LENGTH_TITLE,
            y_title: "elements/s (log scale)",
        };
        draw_chart(root, &place, axes.clone(), lines, false)?;
    }
    Ok(())
}

/// The markers and dashes of the workgroup sizes, from a point on.
fn legend(root: &Area, (mut x, y): Pixel, sizes: &[u32]) -> Result<()> {
    write(root, "invocations:", (x, y), 12, DIM, HPos::Left)?;
    x += 84;
    for (look, size) in sizes.iter().enumerate() {
        let text = size.to_string();
        trace(root, &[(x, y), (x + 15, y), (x + 30, y)], look)?;
        mark(root, (x + 15, y), look)?;
        write(root, &text, (x + 36, y), 12, INK, HPos::Left)?;
        x += 56 + CHARACTER * text.len() as i32;
    }
    Ok(())
}
