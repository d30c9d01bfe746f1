//! Colours, markers, fonts, and the drawing of text, lines and markers.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The picture's width in pixels.
pub(super) const WIDTH: i32 = 1100;
/// The least distance of two labels in pixels.
pub(super) const GAP: i32 = 15;
/// A label's widest character in pixels, nearly.
pub(super) const CHARACTER: i32 = 8;
/// The longest label in characters.
pub(super) const LONGEST: usize = 30;
/// Text, axes, thin lines, grids and warnings.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const DIM: RGBColor = RGBColor(0x59, 0x59, 0x59);
pub(super) const THIN: RGBColor = RGBColor(0xB0, 0xB0, 0xB0);
pub(super) const LEAD: RGBColor = RGBColor(0xD0, 0xD0, 0xD0);
pub(super) const GRID: RGBColor = RGBColor(0xE6, 0xE6, 0xE6);
pub(super) const WARNING: RGBColor = RGBColor(0xA8, 0x43, 0x00);
/// Okabe's and Ito's palette, without the yellow, which is faint on white.
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
];
/// Dashes and the gaps between them in pixels; 0: solid.
const DASHES: [(i32, i32); 5] = [(0, 0), (10, 4), (4, 3), (16, 4), (2, 3)];
/// Corners of markers in pixels; none: a circle.
const MARKERS: [&[(i32, i32)]; 7] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 5), (5, -4), (-5, -4)],
    &[(-2, -5), (2, -5), (2, -2), (5, -2), (5, 2), (2, 2), (2, 5), (-2, 5), (-2, 2), (-5, 2), (-5, -2), (-2, -2)],
    &[(-5, -3), (0, -5), (5, -3), (3, 5), (-3, 5)],
];

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Pixel = (i32, i32);

/// Writes `text` of `size` pixels at a point, left, right or in the middle of it.
pub(super) fn write(area: &Area, text: &str, at: Pixel, size: i32, color: RGBColor, side: HPos) -> Result<()> {
    let style = styled(size).color(&color).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// Writes `text` in bold from a point on.
pub(super) fn write_bold(area: &Area, text: &str, at: Pixel, size: i32) -> Result<()> {
    let font = ("sans-serif", f64::from(size) * ENLARGED).into_font().style(FontStyle::Bold);
    let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// The backend divides a font's size by this.
const ENLARGED: f64 = 1.24;

/// A font of `size` pixels.
pub(super) fn styled(size: i32) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", f64::from(size) * ENLARGED).into_font()).color(&INK)
}

/// Draws a coloured line.
pub(super) fn trace(root: &Area, pixels: &[Pixel], look: usize) -> Result<()> {
    let style = PALETTE[look % PALETTE.len()].stroke_width(2);
    match DASHES[look % DASHES.len()] {
        (0, _) => root.draw(&PathElement::new(pixels.to_vec(), style))?,
        (dash, gap) => root.draw(&DashedPathElement::new(pixels.iter().copied(), dash, gap, style))?,
    }
    Ok(())
}

/// Draws a coloured marker.
pub(super) fn mark(root: &Area, (x, y): Pixel, look: usize) -> Result<()> {
    let color = PALETTE[look % PALETTE.len()].filled();
    match MARKERS[look % MARKERS.len()] {
        [] => root.draw(&Circle::new((x, y), 4, color))?,
        corners => {
            let corners: Vec<Pixel> = corners.iter().map(|corner| (x + corner.0, y + corner.1)).collect();
            root.draw(&Polygon::new(corners, color))?;
        }
    }
    Ok(())
}
