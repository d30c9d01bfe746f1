//! Figures as a table, in a terminal's style or in Markdown.

use super::figure::{Change, Figure, WHOLE};
use crate::plot::{digits, thousands};
use crate::report;
use comfy_table::{Table, presets};

/// A column: its title, and the cell of a figure.
struct Titled<'a> {
    title: &'static str,
    cell: Box<dyn Fn(&Figure) -> String + 'a>,
    /// Whether its cells are numbers.
    number: bool,
}

fn column<'a>(title: &'static str, cell: impl Fn(&Figure) -> String + 'a) -> Titled<'a> {
    Titled { title, cell: Box::new(cell), number: false }
}

fn number<'a>(title: &'static str, cell: impl Fn(&Figure) -> String + 'a) -> Titled<'a> {
    Titled { number: true, ..column(title, cell) }
}

/// The figures in their order; `noted` stands below. What all of them are alike in stands above, once.
pub fn text(figures: &[Figure], noted: &[String], markdown: bool) -> String {
    let figure = |x: Option<f64>| x.map_or("-".into(), digits);
    let subjects = vec![
        column("operator", |figure| figure.of.operator.clone()),
        column("type", |figure| figure.of.dtype.clone()),
        number("elements", |figure| length(figure.of.elements)),
        column("input", |figure| figure.of.input.clone()),
        column("engine", |figure| figure.of.engine.clone()),
        column("time", |figure| figure.of.what.name().into()),
        column("launch", |figure| {
            let each = figure.of.launch.iter().map(|(key, value)| format!("{key}={value}"));
            each.collect::<Vec<_>>().join(" ")
        }),
    ];
    let (alike, differing): (Vec<Titled>, Vec<Titled>) = subjects
        .into_iter()
        .partition(|told| figures.windows(2).all(|pair| (told.cell)(&pair[0]) == (told.cell)(&pair[1])));
    let first = figures.first();
    let alike: Vec<String> =
        alike.iter().filter_map(|told| first.map(|first| above(told, first))).filter(|told| !told.is_empty()).collect();
    let mut columns = differing;
    columns.push(number("µs", |of| figure(of.us())));
    columns.push(number("fastest", |of| figure(of.samples.first().copied())));
    columns.push(number("slowest", |of| figure(of.samples.last().copied())));
    columns.push(number("GB/s", |of| figure(of.gb_per_s())));
    let any = |has: fn(&Figure) -> bool| figures.iter().any(has);
    if any(|figure| figure.is_peer) {
        columns.push(number("of treefold's", |figure| {
            if figure.is_peer { over_treefold(figures, figure) } else { String::new() }
        }));
    }
    if any(|figure| figure.change.is_some()) {
        columns.push(number("of before", |figure| figure.change.as_ref().map_or(String::new(), change)));
    }
    columns.push(column("answer", |figure| answer(figure).into()));
    let mut table = if markdown { Table::new() } else { report::table() };
    if markdown {
        table.load_style(presets::ASCII_MARKDOWN);
    }
    table.set_header(columns.iter().map(|told| told.title));
    for figure in figures {
        table.add_row(columns.iter().map(|told| (told.cell)(figure)));
    }
    for at in (0..columns.len()).filter(|&at| columns[at].number) {
        report::numbers(&mut table, at..at + 1);
    }
    let hidden = if markdown {
        String::new()
    } else {
        report::fit(&mut table, &["slowest", "fastest", "GB/s", "type", "elements"])
    };
    let mut text = String::new();
    if !alike.is_empty() {
        text += &format!("{}\n{}", alike.join(", "), if markdown { "\n" } else { "" });
    }
    text += &format!("{table}\n{hidden}{}", if markdown { "\n" } else { "" });
    for note in noted {
        text += note;
        text.push('\n');
    }
    text
}

/// What all figures are alike in, in words.
fn above(told: &Titled<'_>, figure: &Figure) -> String {
    let cell = (told.cell)(figure);
    match told.title {
        "elements" => format!("{cell} elements"),
        "input" if cell == WHOLE => String::new(),
        "time" => format!("{cell} times"),
        _ => cell,
    }
}

/// A number of elements: powers of two from 2^10 on as such.
fn length(elements: u64) -> String {
    match elements.is_power_of_two() && elements >= 1 << 10 {
        true => format!("2^{}", elements.ilog2()),
        false => thousands(elements as f64),
    }
}

fn answer(figure: &Figure) -> &'static str {
    match figure.right {
        Some(true) => "right",
        Some(false) if figure.is_peer => "another",
        Some(false) => "WRONG",
        None => "unknown",
    }
}

/// A peer's time over the fastest of treefold's own of the same kind.
fn over_treefold(figures: &[Figure], peer: &Figure) -> String {
    let own = figures.iter().filter(|figure| !figure.is_peer && figure.asks_as(peer)).filter_map(Figure::us);
    let best = own.min_by(f64::total_cmp);
    best.zip(peer.us()).map_or(String::new(), |(own, peer)| format!("{:.3}", peer / own))
}

/// A ratio with its interval; a word, where that leaves no doubt of more than a hundredth.
fn change(change: &Change) -> String {
    let Change { ratio, interval, .. } = *change;
    let Some((low, high)) = interval else { return format!("{ratio:.3}") };
    let word = if low > 1.01 {
        " slower"
    } else if high < 0.99 {
        " faster"
    } else {
        ""
    };
    format!("{ratio:.3} ({low:.3} to {high:.3}){word}")
}

#[cfg(test)]
mod tests {
    use super::super::args::What;
    use super::super::figure::Subject;
    use super::*;

    fn figure(operator: &str, us: f64, is_peer: bool, right: Option<bool>) -> Figure {
        let engine = if is_peer { "a peer" } else { "cpu" };
        let of = Subject {
            operator: operator.into(),
            dtype: "f32".into(),
            elements: 1 << 20,
            input: WHOLE.into(),
            data: "uniform".into(),
            engine: engine.into(),
            what: What::Slice,
            launch: vec![],
        };
        let (compile_ms, clock_mhz, change) = (None, None, None);
        Figure { of, bytes: 4 << 20, samples: vec![us], right, is_peer, compile_ms, clock_mhz, change }
    }

    #[test]
    fn what_is_alike_stands_above_and_ratios_are_of_the_same_question() {
        let mut figures = vec![
            figure("sum", 100.0, false, Some(true)),
            figure("sum", 150.0, true, Some(false)),
            figure("max", 200.0, false, Some(false)),
            figure("max", 100.0, true, None),
        ];
        figures[2].change = Some(Change { before: 100.0, ratio: 2.0, interval: Some((1.9, 2.1)) });
        let text = text(&figures, &["a note".into()], true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "f32, 2^20 elements, slice times");
        assert!(lines[2].starts_with("| operator | engine "), "{text}");
        for (line, words) in [
            (4, "right"),
            (5, " 1.500 "),
            (5, "another"),
            (6, "WRONG"),
            (6, "2.000 (1.900 to 2.100) slower"),
            (7, " 0.500 "),
        ] {
            assert!(lines[line].contains(words), "{words} in {text}");
        }
        assert!(lines[7].contains("unknown") && lines[9] == "a note", "{text}");
    }
}
