//! The whole picture: well-formed, legible, and of any numbers.

use super::labels::spread;
use super::lengths::lines_by_length;
use super::style::PALETTE;
use super::text::power_of_ten;
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
    let mut page = Page { title: "The <ladder>".into(), adapter: "A & B".into(), count: 1 << 25, ..Page::default() };
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
    let said =
        ["GB/s", "in elements (", "elements/s", "512 invocations", "one core (", "4.00×", "2²⁵", "2¹⁰", "A &amp; B"];
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
    let lines = lines_by_length(&sample());
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
