//! What a reduction has found, and how it is told: a table for people, JSON or bare values for programs.

mod chart;
mod many;

pub use many::Many;

use crate::error::shown;
use crate::json::Json;
use crate::operators::Method;
use crate::output::Written;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use indicatif::{BinaryBytes, HumanCount};
use std::fmt::Write;
use std::time::Duration;
use treefold::{Dtype, Part, Value};

/// The adapter's name in reports of merged partials.
pub const MERGED: &str = "merged";

/// The name of parts that are the bins of a range, in its order.
const BIN: &str = "bin";

/// Where the time went.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// Reading, mapping and converting the input, and copying it to staging memory.
    pub read: Duration,
    /// The copies to the device, by its clock.
    pub upload: Option<Duration>,
    /// The kernels.
    pub kernel: Option<Duration>,
    /// All together.
    pub total: Duration,
}

/// An answer, or a partial that was written, and how it came about.
#[derive(Debug)]
pub struct Report {
    /// The operator's name.
    pub operator: String,
    /// The edges of its bins, where it counts some.
    pub edges: Vec<f64>,
    /// The inputs' names in short.
    pub names: String,
    /// The element type.
    pub dtype: Dtype,
    /// How many elements there were.
    pub count: u64,
    /// How many bytes they had in the files.
    pub bytes: u64,
    /// The answer; no parts where a partial was written.
    pub parts: Vec<Part>,
    /// Answers of many, in place of one; their shape only where a partial was written.
    pub many: Option<Many>,
    /// Whether each part has an index where there is an answer.
    pub indexed: Vec<bool>,
    /// The partial that was written in place of an answer, or the array of answers.
    pub written: Option<Written>,
    /// Whether that is an array of answers.
    pub is_array: bool,
    /// The picture that was drawn.
    pub plotted: Option<Written>,
    /// Whether the answer is exact.
    pub exact: bool,
    /// Exact or fast, where there is or would be a choice.
    pub method: Option<Method>,
    /// The adapter's name.
    pub adapter: String,
    /// Its backend.
    pub backend: &'static str,
    /// Where the time went.
    pub seconds: Seconds,
}

impl Report {
    /// One JSON object.
    pub fn json(&self) -> Json {
        let seconds = |time: Duration| Json::value(time.as_secs_f64());
        let edges = self.edges.iter().map(|&edge| Json::value(edge)).collect::<Vec<_>>();
        let edges = (!edges.is_empty() && (self.many.is_some() || !self.parts.is_empty())).then_some(Json::List(edges));
        let maybe = |time: Option<Duration>| Json::value(time.map(|time| time.as_secs_f64()));
        let members = [
            ("operator", Some(Json::text(&self.operator))),
            ("dtype", Some(Json::text(self.dtype.name()))),
            ("count", Some(Json::value(self.count))),
            ("shape", self.many.as_ref().map(Many::json_shape)),
            ("value", self.each(|part, _| Some(Json::Value(part.value)))),
            ("edges", edges),
            ("index", self.each(|part, indexed| indexed.then(|| Json::value(part.index)))),
            ("bits", self.each(|part, _| bits(part.value).map(Json::Text))),
            (
                if self.is_array { "output" } else { "partial" },
                self.written.as_ref().map(|written| Json::text(&written.path)),
            ),
            ("plot", self.plotted.as_ref().map(|written| Json::text(&written.path))),
            ("exact", Some(Json::value(self.exact))),
            ("method", self.method.map(|method| Json::text(method.name()))),
            ("adapter", Some(Json::text(&self.adapter))),
            ("backend", Some(Json::text(self.backend))),
            (
                "seconds",
                Some(Json::Object(vec![
                    ("read", seconds(self.seconds.read)),
                    ("upload", maybe(self.seconds.upload)),
                    ("kernel", maybe(self.seconds.kernel)),
                    ("total", seconds(self.seconds.total)),
                ])),
            ),
        ];
        Json::Object(members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// What `of` says of the one part, or an object of what it says of each, all bins in one list; `None` where it says
    /// nothing.
    fn each(&self, of: impl Fn(&Part, bool) -> Option<Json>) -> Option<Json> {
        if let Some(many) = self.many.as_ref().filter(|_| !self.is_partial()) {
            return many.json(&self.indexed, of);
        }
        let mut parts = self.parts.iter().zip(&self.indexed).map(|(part, &indexed)| (part.name, of(part, indexed)));
        if self.parts.len() == 1 {
            return parts.next()?.1;
        }
        let bins: Vec<Json> = parts.by_ref().take(self.bins()).filter_map(|(_, value)| value).collect();
        let bins = (!bins.is_empty()).then_some(("bins", Json::List(bins)));
        let members: Vec<_> = bins.into_iter().chain(parts.filter_map(|(name, value)| Some((name, value?)))).collect();
        (!members.is_empty()).then_some(Json::Object(members))
    }

    /// Whether a partial was written in place of answers.
    fn is_partial(&self) -> bool {
        self.written.is_some() && !self.is_array
    }

    /// How many of the parts are bins; they come first.
    fn bins(&self) -> usize {
        self.parts.iter().take_while(|part| part.name == BIN).count()
    }

    /// The value only: a line for each part, its name before it where there are several, its index behind it.
    pub fn bare(&self) -> String {
        if let Some(many) = &self.many {
            return many.bare();
        }
        let mut text = String::new();
        for part in &self.parts {
            let name = if self.parts.len() > 1 { format!("{} ", part.name) } else { String::new() };
            let index = part.index.map_or(String::new(), |index| format!(" {index}"));
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}{}{index}", plain(part.value));
        }
        text
    }

    /// The whole text for people.
    pub fn text(&self) -> String {
        let found = match &self.written {
            Some(Written { path, bytes }) if self.is_array => {
                let shape = self.many.as_ref().map_or("()".into(), Many::shown_shape);
                format!("wrote {path}: {} of shape {shape}, {}", self.operator, BinaryBytes(*bytes))
            }
            Some(Written { path, bytes }) => {
                let size = BinaryBytes(*bytes);
                let shape =
                    self.many.as_ref().map_or(String::new(), |many| format!(" of shape {}", many.shown_shape()));
                format!("wrote {path}: a partial {}{shape}, {size}; finish it with treefold merge", self.operator)
            }
            None => match &self.many {
                Some(many) => many.text(&self.operator, &self.indexed),
                None => self.answer().to_string(),
            },
        };
        let plotted = self.plotted.as_ref().map_or(String::new(), |written| format!("drawn in {}\n", written.path));
        format!("{found}\n{}\n{}\n{plotted}{}", self.amount(), self.speed(), self.note())
    }

    /// The answer's table.
    fn answer(&self) -> Table {
        let with_index = self.indexed.contains(&true);
        let single = self.parts.len() == 1;
        let mut table = table();
        let bins = self.bins();
        let title = if single { "operator".into() } else { self.operator.clone() };
        let mut header = vec![title, if bins > 0 { "count" } else { "value" }.into()];
        header.extend(with_index.then(|| "index".into()));
        table.set_header(header);
        let rows = chart::rows(&self.edges, &self.counts(), table.width());
        let bars = rows.iter().any(|row| row.len() > 2);
        table.add_rows(rows);
        for (part, &indexed) in self.parts.iter().zip(&self.indexed).skip(bins) {
            let name = if single { self.operator.as_str() } else { part.name };
            let mut row = vec![name.to_string(), plain(part.value)];
            let index = part.index.map_or("none".into(), |index| index.to_string());
            row.extend(with_index.then(|| if indexed { index } else { String::new() }));
            row.extend(bars.then(String::new));
            table.add_row(row);
        }
        numbers(&mut table, 1..if bars { 2 } else { usize::MAX });
        table
    }

    /// Counts of the bins.
    pub fn counts(&self) -> Vec<u64> {
        let count = |part: &Part| if let Value::U64(count) = part.value { count } else { 0 };
        self.parts[..self.bins()].iter().map(count).collect()
    }

    /// What is counted beside the bins: names and counts.
    pub fn beside(&self) -> String {
        let others = self.parts.iter().skip(self.bins());
        others.map(|part| format!("{} {}", part.name, plain(part.value))).collect::<Vec<_>>().join(", ")
    }

    /// How many elements there were, and of what.
    pub fn amount(&self) -> String {
        let count = HumanCount(self.count);
        let elements = match self.dtype {
            Dtype::F32x2 => format!("{count} pairs of f32"),
            dtype => format!("{count} {dtype} elements"),
        };
        let bytes = if self.adapter == MERGED { String::new() } else { format!(", {}", BinaryBytes(self.bytes)) };
        format!("{elements}{bytes}, from {}", shown(&self.names))
    }

    fn speed(&self) -> String {
        let seconds = &self.seconds;
        if self.adapter == MERGED {
            return format!("merged in {}", time(seconds.total));
        }
        let mut spent = vec![format!("read {}", time(seconds.read))];
        spent.extend(seconds.upload.map(|upload| format!("upload {}", time(upload))));
        spent.extend(seconds.kernel.map(|kernel| format!("kernel {}", time(kernel))));
        let rate = (self.bytes as f64 / seconds.total.as_secs_f64().max(1e-9)) as u64;
        let rate = if self.bytes > 0 { format!(", {}/s", BinaryBytes(rate)) } else { String::new() };
        let (total, backend) = (time(seconds.total), self.backend);
        let backend = if self.adapter.starts_with(backend) { String::new() } else { format!(", {backend}") };
        format!("{total} ({}){rate} on {}{backend}", spent.join(", "), self.adapter)
    }

    fn note(&self) -> &'static str {
        match self.method {
            Some(Method::Exact) => "note: exact, rounded once: the same bits on every adapter\n",
            Some(Method::Fast) => "note: fast, accumulated in f32; exact without --fast\n",
            None if !self.exact && self.dtype == Dtype::F32 => "note: accumulated in f32\n",
            None => "",
        }
    }
}

/// An empty table in the house style, no wider than the terminal that it goes to.
pub fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((columns, _)) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns.0),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    table
}

/// Makes columns those of numbers, which stand to the right and are never broken.
pub fn numbers(table: &mut Table, columns: std::ops::Range<usize>) {
    for at in columns.start..columns.end.min(table.column_count()) {
        let cells = table.row_iter().filter_map(|row| row.cell_iter().nth(at));
        let longest = cells.map(|cell| cell.content().chars().count()).max().unwrap_or(0);
        let width = Width::Fixed(u16::try_from(longest).unwrap_or(u16::MAX).saturating_add(2));
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
            column.set_constraint(ColumnConstraint::LowerBoundary(width));
        }
    }
}

/// Hides columns, the first of these first, until the table fits its terminal; a line that names them.
pub fn fit(table: &mut Table, least: &[&str]) -> String {
    let Some(most) = table.width().map(usize::from) else { return String::new() };
    let titles: Vec<String> = table.header().into_iter().flat_map(|row| row.cell_iter()).map(|c| c.content()).collect();
    let widths = table.column_max_content_widths();
    // A rule and two blanks to each.
    let mut width = 1 + widths.iter().map(|&width| usize::from(width) + 3).sum::<usize>();
    let mut hidden = vec![];
    for &title in least {
        let Some(at) = titles.iter().position(|known| known == title).filter(|_| width > most) else { continue };
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
        width -= usize::from(widths[at]) + 3;
        hidden.push(title);
    }
    if hidden.is_empty() {
        String::new()
    } else {
        format!("without {}: the terminal is narrow; --json has all\n", hidden.join(", "))
    }
}

/// A float's bits, most significant first.
fn bits(value: Value) -> Option<String> {
    match value {
        Value::F32(x) => Some(format!("{:08x}", x.to_bits())),
        Value::F64(x) => Some(format!("{:016x}", x.to_bits())),
        _ => None,
    }
}

/// A value as people write it; floats as short as they parse back.
fn plain(value: Value) -> String {
    let float = |x: f64, fixed: String, scientific: String| match x {
        _ if x.is_nan() => "nan".into(),
        _ if x == 0.0 || (1e-5..1e16).contains(&x.abs()) => fixed,
        _ => scientific,
    };
    match value {
        Value::None => "none".into(),
        Value::Bool(x) => x.to_string(),
        Value::I64(x) => x.to_string(),
        Value::U64(x) => x.to_string(),
        Value::I128(x) => x.to_string(),
        Value::U128(x) => x.to_string(),
        Value::F32(x) => float(x.into(), format!("{x}"), format!("{x:e}")),
        Value::F64(x) => float(x, format!("{x}"), format!("{x:e}")),
    }
}

/// A number in six digits at most.
pub fn short(x: f64) -> String {
    plain(Value::F64(format!("{x:.5e}").parse().unwrap_or(x)))
}

/// A duration in three digits or so.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        10.0.. => format!("{seconds:.1} s"),
        1.0.. => format!("{seconds:.2} s"),
        0.01.. => format!("{:.0} ms", seconds * 1e3),
        0.001.. => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{:.0} µs", seconds * 1e6),
    }
}
