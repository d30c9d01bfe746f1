//! The ladder as one HTML file that needs nothing else: table, picture, and the kernels with their texts.

use crate::plot::{Page, Rung, digits, escape, svg_text, thousands};
use anyhow::Result;

/// The whole file.
pub fn page(page: &Page) -> Result<String> {
    let title = escape(&page.title);
    let picture = svg_text(page)?;
    let head = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n"
    );
    let body = [
        format!("<h1>{title}</h1>\n{}", adapter(page)),
        page.notes.iter().map(|note| format!("<p>{}</p>\n", escape(note))).collect(),
        table(&page.rungs),
        format!("<figure>\n{picture}</figure>\n"),
        kernels(&page.rungs),
    ];
    Ok(format!("{head}<body>\n<main>\n{}</main>\n</body>\n</html>\n", body.concat()))
}

/// Colours of both schemes; the picture keeps its white ground. Closed sources are printed too.
const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #222; --dim: #595959; --ground: #fff; --line: #d0d0d0; --code: #f5f5f3; --warn: #a84300; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --dim: #a8a8a8; --ground: #16181c; --line: #3c4048; --code: #20242a; --warn: #ff9d5c; }
}
body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 1rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.25rem; }
h3 { margin: 1.5rem 0 0; font-size: 1rem; }
h3 + p { margin-top: 0.2rem; }
p { max-width: 46rem; }
.dim { color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { vertical-align: bottom; }
td:nth-child(2) { min-width: 15rem; }
td:last-child { min-width: 10rem; }
tbody th { font-weight: normal; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
thead .number { white-space: normal; }
.other td:last-child { color: var(--warn); font-weight: bold; }
a { color: inherit; }
figure { margin: 1.5rem 0; padding: 0.5rem; background: #fff; border-radius: 4px; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 700px; height: auto; }
summary { cursor: pointer; font: 0.9rem ui-monospace, monospace; }
pre { margin: 0.4rem 0 0.8rem; padding: 0.7rem; background: var(--code); overflow-x: auto; font: 0.8rem/1.45 ui-monospace, monospace; }
pre i { color: var(--dim); }
@media print {
  :root { --ink: #000; --dim: #444; --ground: #fff; --line: #bbb; --code: #fff; --warn: #a84300; }
  main { max-width: none; padding: 0; }
  .scroll, figure { overflow: visible; }
  table { font-size: 0.56rem; }
  th, td { padding: 0.1rem 0.25rem; }
  td:nth-child(2) { min-width: 9rem; }
  td:last-child { min-width: 0; }
  figure { padding: 0; }
  figure svg { min-width: 0; max-height: 94vh; }
  pre { white-space: pre-wrap; border: 1px solid var(--line); }
  details::details-content { content-visibility: visible; height: auto; }
  tr, h3 { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
}
";

fn adapter(page: &Page) -> String {
    let count = if page.count > 0 { format!("{} elements", thousands(page.count as f64)) } else { String::new() };
    let parts: Vec<String> = [escape(&page.adapter), count].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("<p class=\"dim\">{}</p>\n", parts.join(" · ")) }
}

/// The table's columns: titles with units, and whether they hold numbers.
const COLUMNS: [(&str, bool); 11] = [
    ("Stage", false),
    ("Source", false),
    ("Passes", true),
    ("Kernel (ms)", true),
    ("GPU in all (ms)", true),
    ("Bandwidth (GB/s)", true),
    ("Of read bandwidth (%)", true),
    ("Speedup over one core (×)", true),
    ("Speedup over all cores (×)", true),
    ("Relative error", true),
    ("Status", false),
];

fn table(rungs: &[Rung]) -> String {
    if rungs.is_empty() {
        return "<p>No stage was run.</p>\n".into();
    }
    let head: String = COLUMNS.iter().map(|&(title, number)| cell("th scope=\"col\"", title, number)).collect();
    let rows: String = rungs.iter().enumerate().map(|(i, rung)| row(i, rung)).collect();
    format!(
        "<div class=\"scroll\">\n<table>\n<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn row(i: usize, rung: &Rung) -> String {
    let numbers = [
        // Without a time it may be 0.
        Some(rung.gpu_ms).filter(|&ms| ms > 0.0),
        rung.gb_per_s,
        rung.percent_of_read,
        rung.speedup_one_core,
        rung.speedup_all_cores,
        rung.relative_error,
    ];
    let class = if rung.status.starts_with("PASSED") { "" } else { " class=\"other\"" };
    let stage = format!("<a href=\"#stage-{i}\">{}</a>", escape(&rung.stage));
    let mut cells = cell("th scope=\"row\"", &stage, false) + &cell("td", &escape(&rung.source), false);
    cells += &cell("td", &rung.passes.to_string(), true);
    cells += &cell("td", &number(rung.kernel_ms), true);
    cells.extend(numbers.map(|x| cell("td", &number(x), true)));
    cells += &cell("td", &escape(&rung.status), false);
    format!("<tr{class}>{cells}</tr>\n")
}

/// A cell of the table; `tag` may bring attributes.
fn cell(tag: &str, html: &str, number: bool) -> String {
    let class = if number { " class=\"number\"" } else { "" };
    let name = tag.split(' ').next().unwrap_or(tag);
    format!("<{tag}{class}>{html}</{name}>")
}

/// A number in three digits; "-" if unknown.
fn number(x: Option<f64>) -> String {
    x.map_or("-".into(), digits)
}

fn kernels(rungs: &[Rung]) -> String {
    if rungs.is_empty() {
        return String::new();
    }
    let kernels: String = rungs.iter().enumerate().map(|(i, rung)| kernel(i, rung)).collect();
    format!("<h2>The kernels</h2>\n{kernels}")
}

fn kernel(i: usize, rung: &Rung) -> String {
    let (stage, source, idea) = (escape(&rung.stage), escape(&rung.source), escape(&rung.idea));
    let shaders: String = rung.shaders.iter().map(|(name, wgsl)| shader(name, wgsl)).collect();
    format!(
        "<section id=\"stage-{i}\">\n<h3>{stage} <span class=\"dim\">· {source}</span></h3>\n<p>{idea}</p>\n{shaders}</section>\n"
    )
}

fn shader(name: &str, wgsl: &str) -> String {
    let lines: String = wgsl.lines().map(|line| colored(line) + "\n").collect();
    format!("<details>\n<summary>{}</summary>\n<pre><code>{lines}</code></pre>\n</details>\n", escape(name))
}

/// A line of WGSL, its comment dimmed.
fn colored(line: &str) -> String {
    match line.find("//") {
        Some(at) => format!("{}<i>{}</i>", escape(&line[..at]), escape(&line[at..])),
        None => escape(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::tests::{balanced, sample};

    /// The page's elements from `html` on as XML, without the tags that HTML need not close.
    fn as_xml(html: &str) -> String {
        let body = html.split_once("\n").map_or(html, |(_, rest)| rest);
        let without_style = |(before, rest): (&str, &str)| Some(format!("{before}{}", rest.split_once("</style>")?.1));
        let body = body.split_once("<style>").and_then(without_style).unwrap_or_default();
        body.replace("<meta charset=\"utf-8\">", "")
            .replace("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">", "")
    }

    #[test]
    fn escapes_and_stands_alone() -> Result<()> {
        let mut sample = sample();
        sample.notes.push("a < b".into());
        let html = page(&sample)?;
        balanced(&as_xml(&html));
        for said in ["<p>a &lt; b</p>", "The &lt;ladder&gt;", "A &amp; B · 33,554,432 elements", "FAILED: 1 &lt; 2"] {
            assert!(html.contains(said), "{said}");
        }
        assert!(html.contains("fn f() { if (a &lt; b &amp;&amp; c &gt; d) {} } <i>// a &amp; b</i>\n"));
        for outer in ["<script", "<link", "src=", "url(", "@import"] {
            assert!(!html.contains(outer), "{outer}");
        }
        Ok(())
    }

    #[test]
    fn a_row_and_a_kernel_for_each_stage() -> Result<()> {
        let html = page(&sample())?;
        for (i, rung) in sample().rungs.iter().enumerate() {
            assert!(html.contains(&format!("<a href=\"#stage-{i}\">{}</a>", rung.stage)));
            assert!(html.contains(&format!("<section id=\"stage-{i}\">\n<h3>{} ", rung.stage)));
        }
        let cells = "<td class=\"number\">2</td><td class=\"number\">-</td><td class=\"number\">0.250</td>\
                     <td class=\"number\">1,235</td><td class=\"number\">98.7</td><td class=\"number\">4.00</td>";
        assert!(html.contains(cells));
        assert!(COLUMNS.iter().all(|(title, _)| html.contains(title)));
        Ok(())
    }

    #[test]
    fn an_empty_page_says_so() -> Result<()> {
        let html = page(&Page::default())?;
        balanced(&as_xml(&html));
        assert!(html.contains("No stage was run.") && html.contains("Nothing was measured."));
        Ok(())
    }
}
