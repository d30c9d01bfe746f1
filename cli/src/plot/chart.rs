//! A chart of lines over length: axes, grid, lines, and labels at their ends.

use super::axis::Axis;
use super::labels::label_ends;
use super::lines::Line;
use super::style::{Area, CHARACTER, DIM, GRID, Pixel, THIN, WIDTH, mark, styled, trace};
use anyhow::Result;
use plotters::prelude::*;

/// A chart's rectangle in the picture, in pixels, and the titles of its axes.
pub(super) struct ChartArea {
    pub left: i32,
    pub top: i32,
    pub width: i32,
    pub height: i32,
    pub x_title: &'static str,
    pub y_title: &'static str,
}

impl ChartArea {
    /// The picture's width below a title at `top`, but for the labels of the lines; over lengths.
    pub fn wide(top: i32, height: i32, lines: &[Line], y_title: &'static str) -> ChartArea {
        let (width, height) = (WIDTH - 80 - label_width(lines), height - 50);
        ChartArea { left: 20, top: top + 30, width, height, x_title: LENGTH_TITLE, y_title }
    }
}

pub(super) const LENGTH_TITLE: &str = "length in elements (log scale)";

/// The width in pixels of the labels at the lines' ends.
fn label_width(lines: &[Line]) -> i32 {
    let longest = lines.iter().map(|line| line.label.chars().count()).max();
    68 + CHARACTER * longest.unwrap_or(0) as i32
}

/// The axes of all `lines`.
pub(super) fn axes<'a>(lines: impl Iterator<Item = &'a Line>, most: f64) -> (Axis, Axis) {
    let (x, y): (Vec<f64>, Vec<f64>) = lines.flat_map(|line| line.points.iter().chain(line.marks()).copied()).unzip();
    (Axis::lengths(x.into_iter(), most), Axis::decades(y.into_iter()))
}

/// Draws axes, grid and lines; if `labelled`, the lines' labels to the right.
pub(super) fn draw_chart(
    root: &Area,
    place: &ChartArea,
    (x, y): (Axis, Axis),
    lines: &[Line],
    labelled: bool,
) -> Result<()> {
    let area = root.clone().shrink((place.left, place.top), (place.width, place.height));
    let mut builder = ChartBuilder::on(&area);
    builder.margin_top(8).margin_right(8).x_label_area_size(42).y_label_area_size(62);
    let mut frame = builder.build_cartesian_2d(x.clone(), y.clone())?;
    let mut mesh = frame.configure_mesh();
    mesh.bold_line_style(GRID).axis_style(DIM).label_style(styled(13)).axis_desc_style(styled(13));
    mesh.x_desc(place.x_title).y_desc(place.y_title).draw()?;
    let pixels = |points: &[(f64, f64)]| points.iter().map(|point| frame.backend_coord(point)).collect::<Vec<Pixel>>();
    let traces: Vec<(&Line, Vec<Pixel>)> = lines.iter().map(|line| (line, pixels(&line.points))).collect();
    let marks: Vec<Vec<Pixel>> = lines.iter().map(|line| pixels(line.marks())).collect();
    if labelled {
        let (right, bottom) = frame.backend_coord(&(x.to, y.from));
        let (_, top) = frame.backend_coord(&(x.to, y.to));
        label_ends(root, &traces, right, (top, bottom))?;
    }
    draw_traces(root, &traces, &marks)
}

/// Draws the thin lines, then the others upon them, each with its markers.
fn draw_traces(root: &Area, traces: &[(&Line, Vec<Pixel>)], marks: &[Vec<Pixel>]) -> Result<()> {
    for ((line, pixels), marks) in traces.iter().zip(marks) {
        if line.look.is_none() {
            root.draw(&PathElement::new(pixels.clone(), THIN.stroke_width(1)))?;
            for &pixel in marks {
                root.draw(&Circle::new(pixel, 2, THIN.filled()))?;
            }
        }
    }
    for ((line, pixels), marks) in traces.iter().zip(marks) {
        if let Some(look) = line.look {
            trace(root, pixels, look)?;
            for &pixel in marks {
                mark(root, pixel, look)?;
            }
        }
    }
    Ok(())
}
