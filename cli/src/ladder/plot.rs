//! The ladder as one picture: bandwidth over length, performance by workgroup size, and the speedups.

use anyhow::{Context, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// One measured run of a stage.
#[derive(Clone, Debug)]
pub struct Point {
    /// The stage's id.
    pub stage: String,
    /// The length in elements.
    pub count: u64,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
    /// The input's gigabytes (1e9 bytes) per second.
    pub gb_per_s: f64,
    /// The input's elements per second.
    pub elements_per_s: f64,
}

/// One line of the ladder's table.
#[derive(Clone, Debug)]
pub struct Rung {
    /// The stage's id.
    pub stage: String,
    /// The tutorial that it is from.
    pub source: String,
    /// What it changes.
    pub idea: String,
    /// The number of dispatches.
    pub passes: usize,
    /// Milliseconds in kernels by the device's clock.
    pub kernel_ms: Option<f64>,
    /// Milliseconds of all passes, the copies of the partials and the host's finish.
    pub gpu_ms: f64,
    /// The input's gigabytes (1e9 bytes) per second.
    pub gb_per_s: Option<f64>,
    /// Percent of the adapter's own read bandwidth.
    pub percent_of_read: Option<f64>,
    /// How many times as fast as the tutorials' loop on one core.
    pub speedup_one_core: Option<f64>,
    /// How many times as fast as a good program on all cores.
    pub speedup_all_cores: Option<f64>,
    /// The relative error against the exact sum.
    pub relative_error: Option<f64>,
    /// PASSED, FAILED or why it did not run.
    pub status: String,
    /// File names and WGSL texts.
    pub shaders: Vec<(String, String)>,
}

/// All that the pictures and the HTML page show.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// The adapter's name.
    pub adapter: String,
    /// The table's length in elements.
    pub count: u64,
    /// Sentences above the table.
    pub notes: Vec<String>,
    /// The table, in the ladder's order.
    pub rungs: Vec<Rung>,
    /// Runs of all stages over the length.
    pub by_length: Vec<Point>,
    /// Runs over length and workgroup size.
    pub by_workgroup: Vec<Point>,
}

/// Writes the picture to `file`.
pub fn svg(page: &Page, file: &Path) -> Result<()> {
    std::fs::write(file, svg_text(page)?).with_context(|| format!("cannot write {}", file.display()))
}

/// The picture: those of its three panels for which there are data.
pub fn svg_text(page: &Page) -> Result<String> {
    let panels = [Panel::lengths(page), Panel::workgroups(page), Panel::speedups(page)];
    let panels: Vec<Panel> = panels.into_iter().flatten().collect();
    let head = Head::new(page, panels.is_empty());
    let height = head.height() + panels.iter().map(Panel::height).sum::<i32>() + 10;
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

/// `text` for XML and HTML, in elements and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Three digits of a number, or a power of ten where that is shorter.
pub(crate) fn digits(x: f64) -> String {
    let size = x.abs();
    match size {
        _ if !x.is_finite() => "-".into(),
        _ if size == 0.0 => "0".into(),
        _ if !(0.000_999_5..1e6).contains(&size) => scientific(x, 2),
        99.95.. => thousands(x.round()),
        9.995.. => format!("{x:.1}"),
        0.9995.. => format!("{x:.2}"),
        0.099_95.. => format!("{x:.3}"),
        _ => format!("{x:.4}"),
    }
}

/// A whole number with a comma before every three digits.
pub(crate) fn thousands(x: f64) -> String {
    let plain = format!("{:.0}", x.abs());
    let mut text = String::from(if x < 0.0 { "-" } else { "" });
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `x` as 1.25·10⁹, with at most so many `decimals`.
fn scientific(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let power = format!("10{}", raised(exponent));
    if mantissa == "1" { power } else { format!("{mantissa}·{power}") }
}

/// A tick's value, `x` being its logarithm to base 10.
fn power_of_ten(x: f64) -> String {
    let value = 10f64.powf(x);
    if (-3.01..5.99).contains(&x) { plain(value) } else { scientific(value, 0) }
}

/// A round number as people write it.
fn plain(value: f64) -> String {
    match value {
        1e6.. => scientific(value, 2),
        _ if (value - value.round()).abs() <= 1e-6 * value => thousands(value.round()),
        _ => format!("{value:.3}").trim_end_matches('0').to_string(),
    }
}

/// A power of two, `x` being its logarithm.
fn power_of_two(x: f64) -> String {
    format!("2{}", raised(&format!("{x:.0}")))
}

/// Digits as an exponent.
fn raised(digits: &str) -> String {
    let raise = |c: char| match c {
        '0'..='9' => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(c as u8 - b'0')],
        '-' => '⁻',
        c => c,
    };
    digits.chars().map(raise).collect()
}

/// `text` on one line, without the characters that XML forbids.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c }).collect()
}

/// At most `most` characters of `text`, cleaned.
fn short(text: &str, most: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// `text` in lines of at most `most` characters, broken at spaces where there are any.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in clean(text).split_whitespace() {
        let word = short(word, most);
        let used = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if used > 0 && used + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(line) if used == 0 => line.push_str(&word),
            _ => lines.push(word),
        }
    }
    lines
}

/// The picture's width in pixels.
const WIDTH: i32 = 1100;
/// The least distance of two labels in pixels.
const GAP: i32 = 15;
/// A label's widest character in pixels, nearly.
const CHARACTER: i32 = 8;
/// The longest label in characters.
const LONGEST: usize = 30;
/// Text, axes, thin lines, grids and warnings.
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const DIM: RGBColor = RGBColor(0x59, 0x59, 0x59);
const THIN: RGBColor = RGBColor(0xB0, 0xB0, 0xB0);
const LEAD: RGBColor = RGBColor(0xD0, 0xD0, 0xD0);
const GRID: RGBColor = RGBColor(0xE6, 0xE6, 0xE6);
const WARNING: RGBColor = RGBColor(0xA8, 0x43, 0x00);
/// Okabe's and Ito's palette, without the yellow, which is faint on white.
const PALETTE: [RGBColor; 7] = [
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

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Pixel = (i32, i32);

/// Writes `text` of `size` pixels at a point, left, right or in the middle of it.
fn write(area: &Area, text: &str, at: Pixel, size: i32, color: RGBColor, side: HPos) -> Result<()> {
    let style = styled(size).color(&color).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// Writes `text` in bold from a point on.
fn write_bold(area: &Area, text: &str, at: Pixel, size: i32) -> Result<()> {
    let font = ("sans-serif", f64::from(size) * ENLARGED).into_font().style(FontStyle::Bold);
    let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// By how much the backend divides a font's size.
const ENLARGED: f64 = 1.24;

/// A font of `size` pixels.
fn styled(size: i32) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", f64::from(size) * ENLARGED).into_font()).color(&INK)
}

/// The lines above the panels.
struct Head {
    title: Vec<String>,
    lines: Vec<String>,
}

impl Head {
    fn new(page: &Page, empty: bool) -> Head {
        let length = match page.count {
            0 => String::new(),
            count if count.is_power_of_two() => {
                format!(" · {} (2{}) elements", thousands(count as f64), raised(&count.ilog2().to_string()))
            }
            count => format!(" · {} elements", thousands(count as f64)),
        };
        let mut lines = wrap(&format!("{}{length}", page.adapter), 120);
        lines.extend(empty.then(|| "Nothing was measured.".into()));
        Head { title: wrap(&page.title, 90), lines }
    }

    fn height(&self) -> i32 {
        24 + 24 * self.title.len() as i32 + 18 * self.lines.len() as i32
    }

    fn draw(&self, root: &Area) -> Result<()> {
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

/// An axis: its range, where its ticks are, and what is written at them.
#[derive(Clone)]
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

impl Axis {
    /// Lengths, given as logarithms to base 2, with at most `most` ticks.
    fn lengths(values: impl Iterator<Item = f64>, most: f64) -> Axis {
        let (low, high) = extent(values);
        let (from, to) = (low.floor(), high.ceil());
        let (from, to) = if from < to { (from, to) } else { ((from - 1.0).max(0.0), to + 1.0) };
        let step = ((to - from) / most).ceil().max(1.0);
        Axis { from, to, ticks: steps(from, to, step), label: power_of_two }
    }

    /// Values given as logarithms to base 10.
    fn decades(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = extent(values);
        let exponents = low.floor() as i32 - 1..=high.ceil() as i32 + 1;
        let marks = |exponent: i32| [0.0, 2f64.log10(), 5f64.log10()].map(|mark| mark + f64::from(exponent));
        let marks: Vec<f64> = exponents.flat_map(marks).collect();
        let from = marks.iter().copied().filter(|&mark| mark < low - 0.02).fold(low - 1.0, f64::max);
        let to = marks.iter().copied().filter(|&mark| mark > high + 0.02).fold(high + 1.0, f64::min);
        let ticks = if to - from < 2.5 {
            marks.into_iter().filter(|mark| (from..=to).contains(mark)).collect()
        } else {
            let step = ((to - from) / 12.0).ceil();
            steps((from / step).ceil() * step, to, step)
        };
        Axis { from, to, ticks, label: power_of_ten }
    }

    /// Values from 0 on.
    fn linear(high: f64) -> Axis {
        let rough = 10f64.powf((high / 10.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * rough).into_iter().find(|step| high / step <= 10.0);
        let step = step.unwrap_or(high);
        let to = (high / step).ceil() * step;
        Axis { from: 0.0, to, ticks: steps(0.0, to, step), label: plain }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.from) / (self.to - self.from);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

/// The least and the greatest of `values`.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// From `from` to `to` by `step`.
fn steps(from: f64, to: f64, step: f64) -> Vec<f64> {
    let count = ((to - from) / step + 1e-6).floor().clamp(0.0, 100.0) as usize;
    (0..=count).map(|i| from + step * i as f64).collect()
}

/// A line's colour, dashes and marker by its number; `None`: thin and grey.
type Look = Option<usize>;

/// A line of a chart.
struct Line {
    label: String,
    /// Logarithms: of the length to base 2, of the value to base 10.
    points: Vec<(f64, f64)>,
    look: Look,
}

/// The best value of each length, in order, leaving out what a logarithm cannot show.
fn curve<'a>(points: impl Iterator<Item = &'a Point>, value: fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let mut best = BTreeMap::<u64, f64>::new();
    for point in points {
        let value = value(point);
        if point.count > 0 && value.is_finite() && value > 0.0 {
            let best = best.entry(point.count).or_insert(value);
            *best = best.max(value);
        }
    }
    best.into_iter().map(|(count, value)| ((count as f64).log2(), value.log10())).collect()
}

/// The stages of `points`, each once, in the ladder's order, then by appearance.
fn stages<'a>(points: &'a [Point], rungs: &[Rung]) -> Vec<&'a str> {
    let mut stages: Vec<&str> = vec![];
    for point in points {
        if !stages.contains(&point.stage.as_str()) {
            stages.push(&point.stage);
        }
    }
    stages.sort_by_key(|&stage| rungs.iter().position(|rung| rung.stage == stage).unwrap_or(rungs.len()));
    stages
}

/// Which lines to colour, at most as many as there are colours; see `RULE`.
fn highlighted(lines: &[Line]) -> Vec<usize> {
    let peaks: Vec<f64> = lines.iter().map(|line| extent(line.points.iter().map(|point| point.1)).1).collect();
    let (_, fastest) = extent(peaks.iter().copied());
    let mut best = f64::NEG_INFINITY;
    let mut ranks = vec![];
    for (i, &peak) in peaks.iter().enumerate() {
        // Logarithms: 0.02 is five percent.
        let rank = match peak - best {
            _ if i == 0 || peak == fastest || lines[i].label == "treefold" => (2, 0.0),
            gain if gain > 0.02 => (1, gain),
            _ => (0, -peak),
        };
        ranks.push((rank, i));
        best = best.max(peak);
    }
    ranks.sort_by(|((a, x), _), ((b, y), _)| b.cmp(a).then(y.total_cmp(x)));
    let mut chosen: Vec<usize> = ranks.into_iter().map(|(_, i)| i).take(PALETTE.len()).collect();
    chosen.sort_unstable();
    chosen
}

/// What `highlighted` goes by.
const RULE: &str = "in colour: the first stage, treefold, the fastest, those faster than all before them, the slowest";

/// One of the picture's parts.
enum Panel {
    /// Bandwidth over length.
    Lengths(Vec<Line>),
    /// Performance over length by workgroup size, for each stage.
    Workgroups(Vec<(String, Vec<Line>)>, Vec<u32>),
    /// Speedups as bars.
    Speedups(Vec<Bar>),
}

impl Panel {
    fn lengths(page: &Page) -> Option<Panel> {
        let lines = length_lines(page);
        (!lines.is_empty()).then_some(Panel::Lengths(lines))
    }

    fn workgroups(page: &Page) -> Option<Panel> {
        let points = &page.by_workgroup;
        let mut sizes: Vec<u32> = points.iter().map(|point| point.workgroup_size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let charts = stages(points, &page.rungs)
            .into_iter()
            .map(|stage| (short(stage, LONGEST), by_size(points, stage, &sizes)));
        let charts: Vec<_> = charts.filter(|(_, lines)| !lines.is_empty()).collect();
        (!charts.is_empty()).then_some(Panel::Workgroups(charts, sizes))
    }

    fn speedups(page: &Page) -> Option<Panel> {
        let lines = length_lines(page);
        let bars: Vec<Bar> = page.rungs.iter().map(|rung| Bar::new(rung, &lines)).collect();
        (!bars.is_empty()).then_some(Panel::Speedups(bars))
    }

    /// In pixels.
    fn height(&self) -> i32 {
        match self {
            Panel::Lengths(lines) => (GAP * lines.len() as i32 + 140).max(460),
            Panel::Workgroups(charts, _) if charts.len() == 1 => 420,
            Panel::Workgroups(charts, _) => 56 + SMALL.1 * (charts.len() as i32 + 2).div_euclid(3),
            Panel::Speedups(bars) => 120 + ROW * bars.len() as i32,
        }
    }

    fn draw(&self, root: &Area, top: i32) -> Result<()> {
        match self {
            Panel::Lengths(lines) => draw_lengths(root, top, self.height(), lines),
            Panel::Workgroups(charts, sizes) => match charts.as_slice() {
                [(stage, lines)] => draw_sizes(root, top, self.height(), stage, lines),
                charts => draw_small(root, top, charts, sizes),
            },
            Panel::Speedups(bars) => draw_bars(root, top, self.height(), bars),
        }
    }
}

/// Bandwidth over length, a line for each stage.
fn length_lines(page: &Page) -> Vec<Line> {
    let line = |stage: &str| Line {
        label: short(stage, LONGEST),
        points: curve(page.by_length.iter().filter(|point| point.stage == stage), |point| point.gb_per_s),
        look: None,
    };
    let lines = stages(&page.by_length, &page.rungs).into_iter().map(line);
    let mut lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
    for (look, i) in highlighted(&lines).into_iter().enumerate() {
        lines[i].look = Some(look);
    }
    lines
}

/// Performance of one stage over length, a line for each workgroup size.
fn by_size(points: &[Point], stage: &str, sizes: &[u32]) -> Vec<Line> {
    let line = |(look, &size): (usize, &u32)| Line {
        label: format!("{size} invocations"),
        points: curve(points.iter().filter(|point| point.stage == stage && point.workgroup_size == size), |point| {
            point.elements_per_s
        }),
        look: Some(look),
    };
    sizes.iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// Where a chart stands in the picture, in pixels, and what is written along its axes.
struct Place {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
    x_title: &'static str,
    y_title: &'static str,
}

const LENGTH_TITLE: &str = "length in elements (log scale)";

fn draw_lengths(root: &Area, top: i32, height: i32, lines: &[Line]) -> Result<()> {
    write_bold(root, "Bandwidth by stage", (20, top + 12), 16)?;
    let thin = lines.iter().any(|line| line.look.is_none());
    if thin {
        write(root, RULE, (216, top + 13), 13, DIM, HPos::Left)?;
    }
    let place = Place {
        left: 20,
        top: top + 30,
        width: WIDTH - 80 - label_width(lines),
        height: height - 50,
        x_title: LENGTH_TITLE,
        y_title: "bandwidth in GB/s (log scale)",
    };
    let axes = axes(lines.iter(), 19.0);
    chart(root, &place, axes, lines, true)
}

fn draw_sizes(root: &Area, top: i32, height: i32, stage: &str, lines: &[Line]) -> Result<()> {
    write_bold(root, &format!("Performance by workgroup size: {stage}"), (20, top + 12), 16)?;
    let place = Place {
        left: 20,
        top: top + 30,
        width: WIDTH - 80 - label_width(lines),
        height: height - 50,
        x_title: LENGTH_TITLE,
        y_title: "performance in elements/s (log scale)",
    };
    chart(root, &place, axes(lines.iter(), 19.0), lines, true)
}

/// The width and the height of a small chart, in pixels.
const SMALL: Pixel = (353, 260);

/// Charts of the same scale, three in a row, under one legend.
fn draw_small(root: &Area, top: i32, charts: &[(String, Vec<Line>)], sizes: &[u32]) -> Result<()> {
    write_bold(root, "Performance by workgroup size", (20, top + 12), 16)?;
    legend(root, (334, top + 13), sizes)?;
    let axes = axes(charts.iter().flat_map(|(_, lines)| lines), 7.0);
    for (i, (stage, lines)) in charts.iter().enumerate() {
        let (column, row) = (i as i32 % 3, i as i32 / 3);
        let (left, top) = (20 + column * SMALL.0, top + 36 + row * SMALL.1);
        write_bold(root, stage, (left + 62, top + 8), 13)?;
        let place = Place {
            left,
            top: top + 18,
            width: SMALL.0 - 10,
            height: SMALL.1 - 34,
            x_title: LENGTH_TITLE,
            y_title: "elements/s (log scale)",
        };
        chart(root, &place, axes.clone(), lines, false)?;
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

/// The width in pixels of the labels at the lines' ends.
fn label_width(lines: &[Line]) -> i32 {
    let longest = lines.iter().map(|line| line.label.chars().count()).max();
    68 + CHARACTER * longest.unwrap_or(0) as i32
}

/// The axes of all `lines`.
fn axes<'a>(lines: impl Iterator<Item = &'a Line>, most: f64) -> (Axis, Axis) {
    let (x, y): (Vec<f64>, Vec<f64>) = lines.flat_map(|line| line.points.iter().copied()).unzip();
    (Axis::lengths(x.into_iter(), most), Axis::decades(y.into_iter()))
}

/// Draws axes, grid and lines, and the lines' labels to the right where there is room for them.
fn chart(root: &Area, place: &Place, (x, y): (Axis, Axis), lines: &[Line], labelled: bool) -> Result<()> {
    let area = root.clone().shrink((place.left, place.top), (place.width, place.height));
    let mut builder = ChartBuilder::on(&area);
    builder.margin_top(8).margin_right(8).x_label_area_size(42).y_label_area_size(62);
    let mut frame = builder.build_cartesian_2d(x.clone(), y.clone())?;
    let mut mesh = frame.configure_mesh();
    mesh.bold_line_style(GRID).axis_style(DIM).label_style(styled(13)).axis_desc_style(styled(13));
    mesh.x_desc(place.x_title).y_desc(place.y_title).draw()?;
    let pixels = |line: &Line| line.points.iter().map(|point| frame.backend_coord(point)).collect::<Vec<Pixel>>();
    let traces: Vec<(&Line, Vec<Pixel>)> = lines.iter().map(|line| (line, pixels(line))).collect();
    if labelled {
        let (right, bottom) = frame.backend_coord(&(x.to, y.from));
        let (_, top) = frame.backend_coord(&(x.to, y.to));
        label_ends(root, &traces, right, (top, bottom))?;
    }
    draw_traces(root, &traces)
}

/// Draws the thin lines, then the others upon them.
fn draw_traces(root: &Area, traces: &[(&Line, Vec<Pixel>)]) -> Result<()> {
    for (line, pixels) in traces {
        if line.look.is_none() {
            root.draw(&PathElement::new(pixels.clone(), THIN.stroke_width(1)))?;
            for &pixel in pixels {
                root.draw(&Circle::new(pixel, 2, THIN.filled()))?;
            }
        }
    }
    for (line, pixels) in traces {
        if let Some(look) = line.look {
            trace(root, pixels, look)?;
            for &pixel in pixels {
                mark(root, pixel, look)?;
            }
        }
    }
    Ok(())
}

/// Draws a coloured line.
fn trace(root: &Area, pixels: &[Pixel], look: usize) -> Result<()> {
    let style = PALETTE[look % PALETTE.len()].stroke_width(2);
    match DASHES[look % DASHES.len()] {
        (0, _) => root.draw(&PathElement::new(pixels.to_vec(), style))?,
        (dash, gap) => root.draw(&DashedPathElement::new(pixels.iter().copied(), dash, gap, style))?,
    }
    Ok(())
}

/// Draws a coloured marker.
fn mark(root: &Area, (x, y): Pixel, look: usize) -> Result<()> {
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

/// Writes the lines' labels to the right of a chart, each as near its line's end as the others let it.
fn label_ends(root: &Area, traces: &[(&Line, Vec<Pixel>)], right: i32, (top, bottom): Pixel) -> Result<()> {
    let mut ends: Vec<(&Line, Pixel)> = vec![];
    for (line, pixels) in traces {
        ends.extend(pixels.last().map(|&end| (*line, end)));
    }
    ends.sort_by_key(|(_, end)| end.1);
    let wanted: Vec<i32> = ends.iter().map(|(_, end)| end.1).collect();
    for ((line, end), y) in ends.iter().zip(spread(&wanted, top, bottom)) {
        label_end(root, line, *end, (right, y))?;
    }
    Ok(())
}

/// Writes a line's label with a thin line from the line's end to it.
fn label_end(root: &Area, line: &Line, end: Pixel, (right, y): Pixel) -> Result<()> {
    let x = right + 30;
    root.draw(&PathElement::new(vec![end, (right, end.1)], GRID.stroke_width(1)))?;
    let lead = vec![(right, end.1), (right + 6, end.1), (x - 4, y), (x, y)];
    match line.look {
        Some(look) => {
            root.draw(&PathElement::new(lead, PALETTE[look % PALETTE.len()].stroke_width(1)))?;
            trace(root, &[(x, y), (x + 28, y)], look)?;
            mark(root, (x + 14, y), look)?;
            write(root, &line.label, (x + 34, y), 13, INK, HPos::Left)
        }
        None => {
            root.draw(&PathElement::new([lead, vec![(x + 28, y)]].concat(), LEAD.stroke_width(1)))?;
            write(root, &line.label, (x + 34, y), 12, DIM, HPos::Left)
        }
    }
}

/// Moves sorted positions apart to `GAP` pixels by as little as that takes, within the bounds if they fit.
fn spread(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    // Blocks of neighbours that touch: the sum of their first labels' wishes, and their number.
    let mut blocks: Vec<(i64, i64)> = vec![];
    for (i, &y) in wanted.iter().enumerate() {
        let mut block = (i64::from(y) - i64::from(GAP) * i as i64, 1);
        while let Some(&(sum, number)) = blocks.last() {
            if sum * block.1 < block.0 * number {
                break;
            }
            block = (block.0 + sum, block.1 + number);
            blocks.pop();
        }
        blocks.push(block);
    }
    let last = bottom - GAP * (wanted.len() as i32 - 1);
    let starts = blocks.iter().flat_map(|&(sum, number)| (0..number).map(move |_| (sum / number) as i32));
    starts.enumerate().map(|(i, start)| start.min(last).max(top) + GAP * i as i32).collect()
}

/// A stage's speedup over the one-core loop, and what is written beside it.
struct Bar {
    label: String,
    speedup: Option<f64>,
    text: String,
    failed: bool,
    color: RGBColor,
}

/// The distance of two bars in pixels.
const ROW: i32 = 20;

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

/// What a picture can show of a number.
fn positive(x: Option<f64>) -> Option<f64> {
    x.filter(|x| x.is_finite() && *x > 0.0)
}

/// Speedups and, where it is not PASSED, the status without its reason.
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

fn draw_bars(root: &Area, top: i32, height: i32, bars: &[Bar]) -> Result<()> {
    write_bold(root, "Speedup by stage, in the ladder's order", (20, top + 12), 16)?;
    if bars.iter().any(|bar| bar.color == THIN) {
        write(root, "colours as above", (388, top + 13), 13, DIM, HPos::Left)?;
    }
    let (axis, logarithmic) = bar_axis(bars);
    let longest = bars.iter().map(|bar| bar.label.chars().count()).max().unwrap_or(0);
    let area = root.clone().shrink((20, top + 26), (WIDTH - 270, height - 40));
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Checks that `xml` has one root, closes what it opens, and escapes what it must.
    pub(crate) fn balanced(xml: &str) {
        let mut open: Vec<&str> = vec![];
        let mut roots = 0;
        let mut rest = xml;
        while let Some(at) = rest.find('<') {
            text_is_escaped(&rest[..at]);
            let end = rest[at..].find('>').map_or(rest.len(), |end| at + end);
            let tag = &rest[at + 1..end];
            assert!(!tag.contains('<'), "<{tag}>");
            assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None => {
                    roots += usize::from(open.is_empty());
                    let name = tag.split([' ', '/']).next();
                    open.extend(name.filter(|_| !tag.ends_with('/')));
                }
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && roots == 1 && rest.trim().is_empty(), "{open:?} {roots} {rest}");
    }

    fn text_is_escaped(text: &str) {
        assert!(!text.contains('>'), "{text}");
        for entity in text.split('&').skip(1) {
            let name = entity.split(';').next();
            assert!(matches!(name, Some("lt" | "gt" | "amp" | "quot" | "apos" | "#39")), "&{entity}");
        }
    }

    /// The values of an attribute.
    fn attributes<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
        let opening = format!(" {name}=\"");
        xml.split(opening.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    pub(crate) fn point(stage: &str, count: u64, workgroup_size: u32, gb_per_s: f64) -> Point {
        Point { stage: stage.into(), count, workgroup_size, gb_per_s, elements_per_s: gb_per_s * 0.25e9 }
    }

    pub(crate) fn rung(stage: &str, speedup: Option<f64>, status: &str) -> Rung {
        Rung {
            stage: stage.into(),
            source: "a lecture".into(),
            idea: "It adds pairs.".into(),
            passes: 2,
            kernel_ms: None,
            gpu_ms: 0.25,
            gb_per_s: Some(1234.5),
            percent_of_read: Some(98.7),
            speedup_one_core: speedup,
            speedup_all_cores: None,
            relative_error: None,
            status: status.into(),
            shaders: vec![("a.wgsl".into(), "fn f() { if (a < b && c > d) {} } // a & b\n".into())],
        }
    }

    /// Thirty stages, of all lengths and workgroup sizes.
    pub(crate) fn sample() -> Page {
        let mut page =
            Page { title: "The <ladder>".into(), adapter: "A & B".into(), count: 1 << 25, ..Page::default() };
        for i in 0..30u32 {
            let (stage, speed) = (format!("stage-{i}"), f64::from(i + 1));
            page.rungs.push(rung(&stage, Some(speed * 4.0), if i == 7 { "FAILED: 1 < 2" } else { "PASSED" }));
            page.by_length.extend((10..=28).map(|k| point(&stage, 1 << k, 256, speed * f64::from(k))));
        }
        page.rungs.push(rung("absent", None, "NOT ON THIS ADAPTER: no & none"));
        for size in [32, 64, 128, 256, 512] {
            page.by_workgroup.extend((10..=28).map(|k| point("stage-1", 1 << k, size, f64::from(size * k))));
        }
        page
    }

    #[test]
    fn names_stages_and_units() -> Result<()> {
        let svg = svg_text(&sample())?;
        balanced(&svg);
        for rung in sample().rungs {
            assert!(svg.contains(&format!(">\n{}\n<", rung.stage)), "{}", rung.stage);
        }
        let said = [
            "GB/s",
            "in elements (",
            "elements/s",
            "512 invocations",
            "one core (",
            "4.00×",
            "2²⁵",
            "2¹⁰",
            "A &amp; B",
        ];
        for said in said.into_iter().chain(["FAILED", "NOT ON THIS ADAPTER"]) {
            assert!(svg.contains(said), "{said}");
        }
        Ok(())
    }

    /// Every text begins in the picture and is large enough.
    #[test]
    fn texts_are_legible() -> Result<()> {
        let svg = svg_text(&sample())?;
        for text in svg.split("<text").skip(1) {
            let number = |name| attributes(text, name)[0].parse::<f64>();
            let (x, y) = (number("x")?, number("y")?);
            assert!(number("font-size")? >= 11.0 && (0.0..1100.0).contains(&x) && y > 0.0, "{text}");
        }
        Ok(())
    }

    #[test]
    fn colours_at_most_as_many_lines_as_there_are_colours() {
        let lines = length_lines(&sample());
        let colored: Vec<&str> = lines.iter().filter(|line| line.look.is_some()).map(|line| &*line.label).collect();
        assert_eq!(colored.len(), PALETTE.len());
        assert!(colored.contains(&"stage-0") && colored.contains(&"stage-29"), "{colored:?}");
    }

    #[test]
    fn a_chart_for_each_stage_with_workgroup_sizes() -> Result<()> {
        let mut page = sample();
        page.by_workgroup.extend([point("b<", 1024, 64, 1.0), point("c", 1024, 128, 2.0)]);
        let svg = svg_text(&page)?;
        balanced(&svg);
        assert_eq!(svg.matches("elements/s (log scale)").count(), 3);
        assert!(svg.contains("b&lt;") && svg.contains("invocations:"));
        Ok(())
    }

    #[test]
    fn nothing_and_one_point() -> Result<()> {
        let mut page = Page::default();
        let svg = svg_text(&page)?;
        balanced(&svg);
        assert!(svg.contains("Nothing was measured."));
        page.by_length.push(point("a", 1, 1, 5.0));
        page.by_workgroup.push(point("a", 1, 1, 5.0));
        let svg = svg_text(&page)?;
        balanced(&svg);
        assert!(!svg.contains("Nothing was measured.") && svg.contains("GB/s") && !svg.contains("NaN"));
        Ok(())
    }

    #[test]
    fn numbers_that_no_axis_has() -> Result<()> {
        let mut page = sample();
        for (i, x) in [f64::NAN, f64::INFINITY, 0.0, -1.0, 5e-324, f64::MAX].into_iter().enumerate() {
            page.by_length.push(point(&format!("odd-{i}"), u64::MAX >> (i * 12), 256, x));
            page.by_workgroup.push(point("stage-1", 0, 256, x));
            page.rungs.push(rung(&format!("odd-{i}"), Some(x), "PASSED"));
        }
        page.adapter = format!("{}\0\u{1b}\n", "adapter ".repeat(60));
        let svg = svg_text(&page)?;
        balanced(&svg);
        assert!(!svg.contains("NaN") && !svg.contains(['\0', '\u{1b}']));
        for text in attributes(&svg, "x").into_iter().chain(attributes(&svg, "y")) {
            assert!((0..100_000).contains(&text.parse::<i32>()?), "{text}");
        }
        Ok(())
    }

    #[test]
    fn labels_are_moved_apart_and_no_further() {
        assert_eq!(spread(&[100, 200], 0, 400), [100, 200]);
        assert_eq!(spread(&[100, 101, 300], 0, 400), [93, 108, 300]);
        assert_eq!(spread(&[0, 0, 0], 0, 400), [0, 15, 30]);
        assert_eq!(spread(&[400, 400], 0, 400), [385, 400]);
        assert_eq!(spread(&[], 0, 400), [0; 0]);
    }

    #[test]
    fn numbers_are_written_in_three_digits() {
        let written = [0.0, 0.0123456, 0.5, 1.0, 27.07, 99.99, 4480.0, 1.25e9, -1.5e-8, 1e6].map(digits);
        assert_eq!(written, ["0", "0.0123", "0.500", "1.00", "27.1", "100", "4,480", "1.25·10⁹", "-1.5·10⁻⁸", "10⁶"]);
        assert_eq!(digits(f64::NAN), "-");
        assert_eq!([1e3, 0.5, 2e-5, 1e9].map(|x: f64| power_of_ten(x.log10())), ["1,000", "0.5", "2·10⁻⁵", "10⁹"]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let error = svg(&Page::default(), Path::new("no/such/folder/a.svg")).map_err(|error| error.to_string());
        assert_eq!(error, Err("cannot write no/such/folder/a.svg".into()));
    }
}
