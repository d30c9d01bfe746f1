//! The lines above the charts.

use super::page::Page;
use super::style::{Area, DIM, write, write_bold};
use super::text::{raised, thousands, wrap};
use anyhow::Result;
use plotters::style::text_anchor::HPos;

/// The lines above the charts of a picture.
pub(super) struct Head {
    title: Vec<String>,
    lines: Vec<String>,
}

impl Head {
    pub fn new(page: &Page, empty: bool) -> Head {
        let length = match page.count {
            0 => String::new(),
            count if count.is_power_of_two() => {
                format!(" · {} (2{}) elements", thousands(count as f64), raised(&count.ilog2().to_string()))
            }
            count => format!(" · {} elements", thousands(count as f64)),
        };
        let mut lines = wrap(&format!("{}{length}", page.adapter), 120);
        lines.extend(empty.then(|| "Nothing was measured.".into()));
        Head::of(&page.title, &lines)
    }

    /// A title, and notes below it.
    pub fn of(title: &str, notes: &[String]) -> Head {
        Head { title: wrap(title, 90), lines: notes.iter().flat_map(|note| wrap(note, 120)).collect() }
    }

    pub fn height(&self) -> i32 {
        24 + 24 * self.title.len() as i32 + 18 * self.lines.len() as i32
    }

    pub fn draw(&self, root: &Area) -> Result<()> {
        let mut y = 26;
        for line in &self.title {
            write_bold(root, line, (20, y), 20)?;
            y += 24;
        }
        for line in &self.lines {
            write(root, line, (20, y), 14, DIM, HPos::Left)?;
            y += 18;
        }
        Ok(())
    }
}
