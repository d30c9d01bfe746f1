//! Bandwidth over length, a line for each stage.

use super::Panel;
use super::chart::{ChartArea, axes, draw_chart};
use super::lines::{Line, RULE, curve, highlighted, stages};
use super::page::Page;
use super::style::{Area, DIM, GAP, LONGEST, write, write_bold};
use super::text::short;
use anyhow::Result;
use plotters::style::text_anchor::HPos;

/// A chart of all stages.
pub(super) struct Lengths {
    lines: Vec<Line>,
}

impl Lengths {
    /// `None` without lines.
    pub fn new(lines: Vec<Line>) -> Option<Lengths> {
        (!lines.is_empty()).then_some(Lengths { lines })
    }
}

impl Panel for Lengths {
    fn height(&self) -> i32 {
        (GAP * self.lines.len() as i32 + 140).max(460)
    }

    fn draw(&self, root: &Area, top: i32) -> Result<()> {
        write_bold(root, "Bandwidth by stage", (20, top + 12), 16)?;
        if self.lines.iter().any(|line| line.look.is_none()) {
            write(root, RULE, (216, top + 13), 13, DIM, HPos::Left)?;
        }
        let place = ChartArea::wide(top, self.height(), &self.lines, "bandwidth in GB/s (log scale)");
        draw_chart(root, &place, axes(self.lines.iter(), 19.0), &self.lines, true)
    }
}

/// A line for each stage, the most telling ones in colour.
pub(super) fn lines_by_length(page: &Page) -> Vec<Line> {
    let line = |stage: &str| Line {
        label: short(stage, LONGEST),
        points: curve(page.by_length.iter().filter(|point| point.stage == stage), |point| point.gb_per_s),
        marked: None,
        look: None,
    };
    let lines = stages(&page.by_length, &page.rungs).into_iter().map(line);
    let mut lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
    for (look, i) in highlighted(&lines).into_iter().enumerate() {
        lines[i].look = Some(look);
    }
    lines
}
