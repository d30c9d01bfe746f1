//! The result of a reduction, and its forms: a table for people, JSON or bare values for programs.

mod array;
mod chart;
mod columns;
mod computed;
mod csv;
mod grid;
mod list;
mod many;
mod object;

pub use array::arrays;
pub use columns::{Column, Columns};
pub use computed::Computed;
use many::shown_shape;
pub use many::{Many, Over, RunKeys};

use crate::files::FoundMissing;
use crate::format::Number;
use crate::operators::{Chosen, Method};
use crate::output::Written;
use crate::parts::{BIN, NamedPart, Parts};
use crate::streams::shown;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use indicatif::{BinaryBytes, HumanCount};
use std::fmt::Write;
use std::time::Duration;
use treefold::{BinAxis, Dtype, Element, Op, Part, Value};

/// Time that each step took.
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

/// The result of an operator.
#[derive(Debug)]
pub struct Answered {
    /// The operator's name.
    pub operator: &'static str,
    /// The type of the elements that it was given.
    pub dtype: Dtype,
    /// The axes of its bins, where it counts some.
    pub axes: Vec<BinAxis>,
    /// The file of weights, where its bins have sums of those.
    pub weights: Option<String>,
    /// The answer; no parts where a partial was written.
    pub parts: Vec<Part>,
    /// Answers of many, in place of one; their shape only where a partial was written.
    pub many: Option<Many>,
    /// Whether each part has an index where there is an answer.
    pub indexed: Vec<bool>,
    /// The type of counts, where the first parts are those of bins.
    pub bin: Option<Number>,
    /// The parts behind them.
    pub named: Vec<NamedPart>,
    /// Whether the parts are one list of as many as are found.
    pub list: bool,
    /// The function of each element that it is of.
    pub map: Option<String>,
    /// The expression that combines two, where there is one.
    pub combine: Option<String>,
    /// The identity of that.
    pub identity: Option<String>,
    /// Whether the answer is exact.
    pub exact: bool,
    /// Exact or fast, where there is or would be a choice.
    pub method: Option<Method>,
}

/// Numbers of elements that were left out, where any may be.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeftOut {
    /// NaN.
    pub nan: Option<u64>,
    /// Those that a mask or a comparison left out.
    pub others: Option<u64>,
}

impl LeftOut {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.nan.unwrap_or(0) + self.others.unwrap_or(0)
    }
}

/// Answers, or a partial that was written, and how they came about.
#[derive(Debug)]
pub struct Report {
    /// The result of each operator, in the order in which they are named.
    pub found: Vec<Answered>,
    /// The inputs' names in short.
    pub names: String,
    /// The element type.
    pub dtype: Dtype,
    /// The type of the numbers that elements are stored as.
    pub stored: Number,
    /// Number of the elements, without those that were left out.
    pub count: u64,
    /// Number of missing values, where inputs can lack some.
    pub missing: Option<FoundMissing>,
    /// Numbers of elements that were left out besides.
    pub left_out: LeftOut,
    /// Bytes of the elements in the files, of those that were left out too.
    pub bytes: u64,
    /// The partial that was written in place of an answer, or the arrays of answers.
    pub written: Option<Written>,
    /// Whether those are arrays of answers.
    pub is_array: bool,
    /// The picture that was drawn.
    pub plotted: Option<Written>,
    /// What computed it.
    pub computed: Computed,
    /// Time that each step took.
    pub seconds: Seconds,
}

impl Report {
    /// The names of its operators.
    fn operators(&self) -> String {
        self.found.iter().map(|found| found.operator).collect::<Vec<_>>().join(", ")
    }

    /// The first operator's answers of many; those of others have their shape.
    fn many(&self) -> Option<&Many> {
        self.found.first().and_then(|found| found.many.as_ref())
    }

    /// That elements have keys of no group, where there are some.
    pub fn outside(&self) -> Option<String> {
        let (many, outside) =
            self.many().and_then(|many| Some((many, many.outside().filter(|&outside| outside > 0)?)))?;
        let (count, groups) = (HumanCount(self.count), many.shape.first().unwrap_or(&0));
        Some(format!("{} of {count} elements have keys outside 0..{groups}", HumanCount(outside)))
    }

    /// That values were missing, where some were.
    pub fn missing(&self) -> Option<String> {
        let FoundMissing { count, skipped } = self.missing.filter(|found| found.count > 0)?;
        let (values, were) = if count == 1 { ("value", "was") } else { ("values", "were") };
        let what = if skipped { "left out" } else { "taken as NaN" };
        Some(format!("{} missing {values} {were} {what}", HumanCount(count)))
    }

    /// That elements were left out, where some were.
    pub fn left_out(&self) -> Option<String> {
        let told = |count: Option<u64>, what: &str| {
            let count = count.filter(|&count| count > 0)?;
            Some(format!("{} {what}", HumanCount(count)))
        };
        let all = [told(self.left_out.nan, "NaN"), told(self.left_out.others, "by --mask or --where")];
        let all: Vec<String> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| format!("left out: {}", all.join(", ")))
    }

    /// Whether a partial was written in place of answers.
    fn is_partial(&self) -> bool {
        self.written.is_some() && !self.is_array
    }

    /// The values only, of one operator after another: a line for each part, its name before it where there are several, its
    /// index behind it.
    pub fn bare(&self) -> String {
        self.found.iter().map(Answered::bare).collect()
    }

    /// The whole text for people.
    pub fn text(&self) -> String {
        let operators = self.operators();
        let found = match &self.written {
            Some(Written { path, bytes }) if self.is_array => {
                let shape = self.many().map_or(vec![], |many| many.shape.clone());
                // Bins and lists are axes behind those of the answers, but not those of all operators.
                let own = if let [one] = &self.found[..] { one.own_shape() } else { vec![] };
                let shape = shown_shape(&[shape, own].concat());
                let keys = self.many().and_then(Many::json_keys).map_or("", |_| "keys, ");
                format!("wrote {path}: {keys}{operators} of shape {shape}, {}", BinaryBytes(*bytes))
            }
            Some(Written { path, bytes }) => {
                let size = BinaryBytes(*bytes);
                let shape = self.many().map_or(String::new(), |many| format!(" of shape {}", shown_shape(&many.shape)));
                format!("wrote {path}: a partial {operators}{shape}, {size}; finish it with treefold merge")
            }
            None => self.answers(),
        };
        let plotted = self.plotted.as_ref().map_or(String::new(), |written| format!("drawn in {}\n", written.path));
        let outside = self.outside().map_or(String::new(), |outside| outside + "\n");
        let missing = self.missing().map_or(String::new(), |missing| missing + "\n");
        let left_out = self.left_out().map_or(String::new(), |left_out| left_out + "\n");
        format!("{found}\n{outside}{missing}{left_out}{}\n{}\n{plotted}{}", self.amount(), self.speed(), self.notes())
    }

    /// Tables of answers: neighbours of one part each have one together.
    fn answers(&self) -> String {
        let together = |a: &Answered, b: &Answered| a.is_one_part() && b.is_one_part();
        let tables = self.found.chunk_by(together).map(|found| match found {
            [one @ Answered { many: None, .. }] if one.axes.len() > 1 => grid::text(one),
            [one @ Answered { many: None, list: true, .. }] => list::text(one),
            [Answered { many: None, .. }, ..] => answers(found).to_string(),
            all => many::text(all),
        });
        tables.collect::<Vec<_>>().join("\n")
    }

    /// Number and type of the elements, their bytes, and the inputs' names.
    pub fn amount(&self) -> String {
        let count = HumanCount(self.count);
        let elements = match self.dtype.pair_of() {
            Some(number) => format!("{count} pairs of {number}"),
            None => format!("{count} {} elements", self.stored.name()),
        };
        let bytes = if self.computed.is_merged() { String::new() } else { format!(", {}", BinaryBytes(self.bytes)) };
        format!("{elements}{bytes}, from {}", shown(&self.names))
    }

    fn speed(&self) -> String {
        let seconds = &self.seconds;
        if self.computed.is_merged() {
            return format!("merged in {}", time(seconds.total));
        }
        let mut spent = vec![format!("read {}", time(seconds.read))];
        spent.extend(seconds.upload.map(|upload| format!("upload {}", time(upload))));
        spent.extend(seconds.kernel.map(|kernel| format!("kernel {}", time(kernel))));
        let (total, rate) = (time(seconds.total), rate(self.bytes, seconds.total));
        format!("{total} ({}){rate} on {}", spent.join(", "), self.computed.shown())
    }

    /// The expressions that they are of.
    fn made(&self) -> String {
        let Some(found) = self.found.first() else { return String::new() };
        let told = |what: &str, text: &Option<String>| {
            text.as_ref().map(|text| format!("{what}: {}\n", shown(text))).unwrap_or_default()
        };
        told("of each x", &found.map) + &told("of two, a and b", &found.combine)
    }

    /// Notes on the answers, with the operators' names where there are several.
    fn notes(&self) -> String {
        let mut notes: Vec<(&str, Vec<&str>)> = vec![];
        for found in &self.found {
            let Some(note) = found.note() else { continue };
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, names)) => names.push(found.operator),
                None => notes.push((note, vec![found.operator])),
            }
        }
        let several = self.found.len() > 1;
        let of = |names: Vec<&str>| if several { format!("{}: ", names.join(", ")) } else { String::new() };
        let notes: String = notes.into_iter().map(|(note, names)| format!("note: {}{note}\n", of(names))).collect();
        self.made() + &notes
    }
}

impl Answered {
    /// The result of an operator: its one answer, or many.
    pub fn of<T: Element, O: Op<T>>(
        op: &O,
        chosen: &Chosen,
        Parts { indexed, bin, named, list }: Parts,
        parts: Vec<Part>,
        many: Option<Many>,
    ) -> Answered {
        let (operator, method) = (chosen.typed(), chosen.method);
        Answered {
            operator,
            dtype: T::DTYPE,
            axes: op.axes(),
            weights: None,
            parts,
            many,
            indexed,
            bin,
            named,
            list: list.is_some(),
            map: chosen.map.as_ref().map(ToString::to_string),
            combine: chosen.combine.as_ref().map(|by| by.combine.to_string()),
            identity: chosen.combine.as_ref().map(|by| by.identity.clone()),
            exact: op.is_exact(),
            method,
        }
    }

    /// Makes truth values of the numbers that stand for some.
    pub fn tell_truths(&mut self) {
        let bins = self.bins();
        let many = self.many.iter_mut().flat_map(|many| many.answers.iter_mut());
        for parts in many.chain([&mut self.parts]) {
            for (at, part) in parts.iter_mut().enumerate().skip(bins) {
                // A list has one type.
                let named = self.named.get(at - bins).or(self.named.first());
                if let (Value::U64(x), Some(Number::Bool)) = (part.value, named.map(|named| named.number)) {
                    part.value = Value::Bool(x > 0);
                }
            }
        }
    }

    fn is_one_part(&self) -> bool {
        self.indexed.len() == 1 && !self.list
    }

    /// Number of the parts that are bins; they come first.
    fn bins(&self) -> usize {
        self.indexed.len() - self.named.len()
    }

    /// Number of bins along each axis.
    fn bins_shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.edges.len().saturating_sub(1) as u64).collect()
    }

    /// The shape of an answer: that of its bins, or the length of the longest list.
    fn own_shape(&self) -> Vec<u64> {
        if !self.list {
            return self.bins_shape();
        }
        let many = self.many.iter().flat_map(|many| &many.answers);
        vec![many.map(Vec::len).max().unwrap_or(self.parts.len()) as u64]
    }

    /// A line for each part, or for each of many answers.
    fn bare(&self) -> String {
        if let Some(many) = &self.many {
            return many.bare();
        }
        let mut text = String::new();
        let lowest = if let [axis] = &self.axes[..] { axis.lowest } else { None };
        for (part, place) in self.parts.iter().zip(0..) {
            let name = match lowest {
                _ if self.parts.len() == 1 || self.list => String::new(),
                Some(lowest) if part.name == BIN => format!("{} ", lowest + place),
                _ => format!("{} ", part.name),
            };
            let index = part.index.map_or(String::new(), |index| format!(" {index}"));
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}{}{index}", plain(part.value));
        }
        text
    }

    /// The name of a bin's value: the count of its elements, or their weight.
    pub fn in_each_bin(&self) -> &'static str {
        if self.weights.is_some() { "weight" } else { "count" }
    }

    /// The values of the bins.
    pub fn in_bins(&self) -> Vec<Value> {
        self.parts.iter().take(self.bins()).map(|part| part.value).collect()
    }

    /// Counts beside the bins, with their names.
    pub fn beside(&self) -> String {
        let others = self.parts.iter().skip(self.bins());
        others.map(|part| format!("{} {}", part.name, plain(part.value))).collect::<Vec<_>>().join(", ")
    }

    fn note(&self) -> Option<&'static str> {
        match self.method {
            Some(Method::Exact) if !self.exact => Some("what the function makes is rounded, and added exactly"),
            Some(Method::Exact) if self.map.is_some() => {
                Some("exact, rounded once: the same bits on every adapter, but for what a function makes of NaN")
            }
            Some(Method::Exact) => Some("exact, rounded once: the same bits on every adapter"),
            Some(Method::Fast) => Some("fast, accumulated in f32; exact without --fast"),
            None if !self.exact && self.map.is_some() => Some("what the function makes may be rounded"),
            None if !self.exact && matches!(self.dtype, Dtype::F32 | Dtype::C64) => Some("accumulated in f32"),
            None => None,
        }
    }
}

/// A table of answers of one part each, or of one answer of several.
fn answers(all: &[Answered]) -> Table {
    let with_index = all.iter().any(|found| found.indexed.contains(&true));
    let bins = all.iter().map(Answered::bins).sum::<usize>();
    let mut table = table();
    let mut bars = false;
    for found in all {
        let single = found.parts.len() == 1;
        let title = if single { "operator" } else { found.operator };
        let mut header = vec![title, if bins > 0 { found.in_each_bin() } else { "value" }];
        header.extend(with_index.then_some("index"));
        table.set_header(header);
        let rows = found.axes.first().map_or(vec![], |axis| chart::rows(axis, &found.in_bins(), table.width()));
        bars |= rows.iter().any(|row| row.len() > 2);
        table.add_rows(rows);
        for (part, &indexed) in found.parts.iter().zip(&found.indexed).skip(bins) {
            let name = if single { found.operator } else { part.name };
            let mut row = vec![name.to_string(), plain(part.value)];
            let index = part.index.map_or("none".into(), |index| index.to_string());
            row.extend(with_index.then(|| if indexed { index } else { String::new() }));
            row.extend(bars.then(String::new));
            table.add_row(row);
        }
    }
    numbers(&mut table, 1..if bars { 2 } else { usize::MAX });
    table
}

/// Rows that a table of many shows; of more, the first and the last.
const SHOWN: usize = 24;

/// Adds a row for each of many, or for the first and the last of them.
fn add_some_rows(table: &mut Table, count: usize, row: impl Fn(usize) -> Vec<String>) {
    for at in (0..count).filter(|&at| count <= SHOWN || at < SHOWN / 2 || at >= count - SHOWN / 2) {
        if count > SHOWN && at == count - SHOWN / 2 {
            table.add_row(vec!["…"]);
        }
        table.add_row(row(at));
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

/// Hides columns of these titles, the first of them first, until the table fits its terminal; a line that names them.
pub fn fit(table: &mut Table, least: &[&str]) -> String {
    let titles = titles(table);
    hide(table, least.iter().filter_map(|least| titles.iter().position(|title| title == least)))
}

/// Hides columns, the first of these first, until the table fits its terminal; a line that names them.
fn hide(table: &mut Table, least: impl Iterator<Item = usize>) -> String {
    let Some(most) = table.width().map(usize::from) else { return String::new() };
    let titles = titles(table);
    let widths = table.column_max_content_widths();
    // A rule and two blanks to each.
    let mut width = 1 + widths.iter().map(|&width| usize::from(width) + 3).sum::<usize>();
    let mut hidden = vec![];
    for at in least {
        if width <= most {
            break;
        }
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
        width -= usize::from(widths[at]) + 3;
        hidden.push((at, titles[at].as_str()));
    }
    hidden.sort_unstable();
    let hidden: Vec<&str> = hidden.into_iter().map(|(_, title)| title).collect();
    if hidden.is_empty() {
        String::new()
    } else {
        format!("without {}: the terminal is narrow; --json has all\n", hidden.join(", "))
    }
}

fn titles(table: &Table) -> Vec<String> {
    table.header().into_iter().flat_map(|row| row.cell_iter()).map(|cell| cell.content()).collect()
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
        Value::C64(z) => complex(plain(Value::F32(z.re)), &plain(Value::F32(z.im))),
        Value::C128(z) => complex(plain(Value::F64(z.re)), &plain(Value::F64(z.im))),
    }
}

/// A complex number as Python writes it.
fn complex(re: String, im: &str) -> String {
    format!("{re}{}{im}j", if im.starts_with('-') { "" } else { "+" })
}

/// A number in six digits at most.
pub fn short(x: f64) -> String {
    plain(Value::F64(format!("{x:.5e}").parse().unwrap_or(x)))
}

/// So many bytes in so much time, where there are any.
fn rate(bytes: u64, time: Duration) -> String {
    let rate = (bytes as f64 / time.as_secs_f64().max(1e-9)) as u64;
    if bytes > 0 { format!(", {}/s", BinaryBytes(rate)) } else { String::new() }
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
