//! Reports for people: a table, and a line on how fast it went.

use crate::operators::Method;
use crate::partial::MERGED;
use crate::report::{Report, Written, plain};
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{BinaryBytes, HumanCount};
use std::time::Duration;
use treefold::Dtype;

/// The whole text.
pub fn text(report: &Report) -> String {
    let found = match &report.written {
        Some(written) => wrote(report, written),
        None => answer(report).to_string(),
    };
    format!("{found}\n{}\n{}\n{}", amount(report), speed(report), note(report))
}

fn wrote(report: &Report, Written { path, bytes }: &Written) -> String {
    format!("wrote {path}: a partial {}, {}; finish it with treefold merge", report.operator, BinaryBytes(*bytes))
}

/// The answer's table.
fn answer(report: &Report) -> Table {
    let parts = report.parts.iter().zip(&report.indexed);
    let with_index = report.indexed.contains(&true);
    let single = report.parts.len() == 1;
    let mut table = table();
    let mut header = vec![if single { "operator" } else { report.operator.as_str() }, "value"];
    header.extend(with_index.then_some("index"));
    table.set_header(header);
    for (part, &indexed) in parts {
        let name = if single { report.operator.as_str() } else { part.name };
        let mut row = vec![name.to_string(), plain(part.value)];
        let index = part.index.map_or("none".into(), |index| index.to_string());
        row.extend(with_index.then(|| if indexed { index } else { String::new() }));
        table.add_row(row);
    }
    for column in 1..table.column_count() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// An empty table in the house style.
pub fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table
}

fn amount(report: &Report) -> String {
    let count = HumanCount(report.count);
    let elements = match report.dtype {
        Dtype::F32x2 => format!("{count} pairs of f32"),
        dtype => format!("{count} {dtype} elements"),
    };
    let bytes = if report.adapter == MERGED { String::new() } else { format!(", {}", BinaryBytes(report.bytes)) };
    format!("{elements}{bytes}, from {}", report.names)
}

fn speed(report: &Report) -> String {
    let seconds = &report.seconds;
    if report.adapter == MERGED {
        return format!("merged in {}", time(seconds.total));
    }
    let mut spent = vec![format!("read {}", time(seconds.read))];
    spent.extend(seconds.upload.map(|upload| format!("upload {}", time(upload))));
    spent.extend(seconds.kernel.map(|kernel| format!("kernel {}", time(kernel))));
    let rate = (report.bytes as f64 / seconds.total.as_secs_f64().max(1e-9)) as u64;
    let rate = if report.bytes > 0 { format!(", {}/s", BinaryBytes(rate)) } else { String::new() };
    let (total, backend) = (time(seconds.total), report.backend);
    let backend = if report.adapter.starts_with(backend) { String::new() } else { format!(", {backend}") };
    format!("{total} ({}){rate} on {}{backend}", spent.join(", "), report.adapter)
}

fn note(report: &Report) -> &'static str {
    match report.method {
        Some(Method::Exact) => "note: exact, rounded once: the same bits on every adapter\n",
        Some(Method::Fast) => "note: fast, accumulated in f32; exact without --fast\n",
        None if !report.exact && report.dtype == Dtype::F32 => "note: accumulated in f32\n",
        None => "",
    }
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
