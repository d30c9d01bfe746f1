//! The ladder in print: the table, the block of one version, the sweep.

use super::row::Row;
use crate::plot::Point;
use crate::report;
use comfy_table::Table;
use indicatif::HumanCount;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Everything for a person.
pub fn text(rows: &[Row], notes: &[String], left_out: &[&str]) -> String {
    let mut table = table(&[
        "stage",
        "tutorial",
        "passes",
        "t_kernel ms",
        "t_gpu ms",
        "GB/s",
        "% of read",
        "x one core",
        "x all cores",
        "error",
        "status",
    ]);
    for row in rows {
        let outcome = &row.outcome;
        let percent = row.percent_of_read().map_or("-".into(), |percent| format!("{percent:.0}"));
        let error = outcome
            .relative_error
            .map_or(String::new(), |error| if error > 0.0 { format!("{error:.1e}") } else { "0".into() });
        table.add_row([
            outcome.stage.id.into(),
            author(outcome.stage.source),
            if row.has_run() { outcome.passes.len().to_string() } else { "-".into() },
            // A time without a clock is unknown, never 0.
            row.kernel_ms().map_or(if row.has_run() { "unknown".into() } else { "-".into() }, digits),
            cell(row.gpu_ms()),
            cell(outcome.gb_per_s()),
            percent,
            cell(row.over_one_core()),
            cell(row.over_all_cores()),
            error,
            row.status().into(),
        ]);
    }
    report::numbers(&mut table, 2..10);
    let least = ["tutorial", "x all cores", "error", "passes", "% of read", "x one core", "GB/s"];
    let narrow = report::fit(&mut table, &least);
    let mut text = String::new();
    notes.iter().for_each(|note| line(&mut text, note));
    line(&mut text, &table.to_string());
    text += &narrow;
    for row in rows {
        if let Some(reason) = row.reason() {
            line(&mut text, &format!("{}: {}: {reason}", row.outcome.stage.id, row.status()));
        }
    }
    padding(&mut text, rows);
    if !left_out.is_empty() {
        line(&mut text, &format!("sum only, so not run: {}", left_out.join(", ")));
    }
    if rows.len() > 1 {
        line(
            &mut text,
            "t_kernel: all passes by the GPU's clock. t_gpu: with the partials' way back and the host's finish.",
        );
        line(&mut text, "x: t_gpu against the tutorials' loop on one core, and against good code on all cores.");
        line(&mut text, "error: relative to the exact answer. treefold ladder --explain STAGE shows a kernel.");
    }
    text
}

/// Says which stages filled up their last block, and how far.
fn padding(text: &mut String, rows: &[Row]) {
    let padded = |row: &&Row| row.has_run() && row.outcome.padded > row.outcome.count;
    let lengths: BTreeSet<u64> = rows.iter().filter(padded).map(|row| row.outcome.padded).collect();
    for length in lengths {
        let ids = rows.iter().filter(padded).filter(|row| row.outcome.padded == length);
        let ids = ids.map(|row| row.outcome.stage.id).collect::<Vec<_>>().join(", ");
        line(text, &format!("padded to {} elements, whole blocks: {ids}", HumanCount(length)));
    }
}

/// The block that the first tutorial prints for one version.
pub fn block(row: &Row) -> String {
    let outcome = &row.outcome;
    let ms = |ms: Option<f64>| ms.map_or("unknown".into(), |ms| format!("{ms:.5} ms"));
    let number = |x: Option<f64>, unit: &str| x.map_or("unknown".into(), |x| format!("{}{unit}", digits(x)));
    let elements = outcome.kernel_seconds.map(|seconds| outcome.count as f64 / seconds);
    let mut text = String::new();
    line(&mut text, &format!("Using kernel '{}'", outcome.stage.id));
    line(&mut text, &format!("Number of elements: {}", outcome.count));
    line(&mut text, &format!("Will use this device: {}", row.adapter));
    line(
        &mut text,
        &format!("Test {}{}", row.status(), row.reason().map_or("!".into(), |reason| format!(": {reason}"))),
    );
    line(
        &mut text,
        &format!("GPU memory IO: {} elements/s", elements.map_or("unknown".into(), |rate| format!("{rate:.4e}"))),
    );
    line(&mut text, &format!("GPU memory bandwidth: {}", number(outcome.gb_per_s(), " GB/s")));
    line(&mut text, &format!("T kernels: {}", ms(row.kernel_ms())));
    line(&mut text, &format!("T gpu: {}", ms(row.gpu_ms())));
    line(&mut text, &format!("T ref: {}", ms(row.one_core.map(|seconds| seconds * 1e3))));
    line(&mut text, &format!("Speedup: {}", number(row.over_one_core(), "")));
    text
}

/// Bandwidth by stage and length, and elements per second by workgroup size.
pub fn sweep(by_length: &[Point], by_workgroup: &[Point]) -> String {
    let lengths: BTreeSet<u64> = by_length.iter().map(|point| point.count).collect();
    // Every third power fits a screen; the picture and --json have all.
    let shown: Vec<u64> = lengths.into_iter().rev().step_by(3).collect::<Vec<_>>().into_iter().rev().collect();
    let power = |length: &u64| format!("2^{}", length.ilog2());
    let mut text = String::new();
    if shown.is_empty() {
        line(&mut text, "No GPU clock: kernel times by length are unknown.");
        return text;
    }
    line(&mut text, "GB/s by length:");
    let header: Vec<String> = std::iter::once("stage".into()).chain(shown.iter().map(power)).collect();
    let mut table = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let mut stages: Vec<&str> = Vec::new();
    by_length.iter().for_each(|point| {
        if !stages.contains(&point.stage.as_str()) {
            stages.push(&point.stage)
        }
    });
    for stage in stages {
        let at = |length: &u64| by_length.iter().find(|point| point.stage == stage && point.count == *length);
        let cells = shown.iter().map(|length| cell(at(length).map(|point| point.gb_per_s)));
        table.add_row(std::iter::once(stage.to_string()).chain(cells));
    }
    report::numbers(&mut table, 1..header.len());
    line(&mut text, &table.to_string());
    workgroups(&mut text, by_workgroup, &shown, &header);
    text
}

fn workgroups(text: &mut String, points: &[Point], shown: &[u64], header: &[String]) {
    let kinds: BTreeSet<(&str, u32)> =
        points.iter().map(|point| (point.stage.as_str(), point.workgroup_size)).collect();
    if kinds.is_empty() {
        return;
    }
    line(text, "Millions of elements per second by workgroup size and length:");
    let mut table = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for (stage, size) in kinds {
        let at = |length: &u64| {
            points.iter().find(|point| point.stage == stage && point.workgroup_size == size && point.count == *length)
        };
        let cells = shown.iter().map(|length| cell(at(length).map(|point| point.elements_per_s / 1e6)));
        table.add_row(std::iter::once(format!("{stage} {size}")).chain(cells));
    }
    report::numbers(&mut table, 1..header.len());
    line(text, &table.to_string());
}

fn table(header: &[&str]) -> Table {
    let mut table = report::table();
    table.set_header(header);
    table
}

/// The tutorial in a word or two: the text before the first comma.
fn author(source: &str) -> String {
    source.split(',').next().unwrap_or_default().into()
}

fn cell(x: Option<f64>) -> String {
    x.map_or("-".into(), digits)
}

/// Four digits or so.
pub fn digits(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        1000.0.. => format!("{x:.0}"),
        100.0.. => format!("{x:.1}"),
        10.0.. => format!("{x:.2}"),
        0.001.. => format!("{x:.3}"),
        _ => format!("{x:.1e}"),
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}
