//! Numbers and labels in print.

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

/// Three digits of a number, or a power of ten if that is shorter.
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
pub(super) fn power_of_ten(x: f64) -> String {
    let value = 10f64.powf(x);
    if (-3.01..5.99).contains(&x) { plain(value) } else { scientific(value, 0) }
}

/// A round number as people write it.
pub(super) fn plain(value: f64) -> String {
    match value {
        1e6.. => scientific(value, 2),
        _ if (value - value.round()).abs() <= 1e-6 * value => thousands(value.round()),
        _ => format!("{value:.3}").trim_end_matches('0').to_string(),
    }
}

/// A power of two, `x` being its logarithm.
pub(super) fn power_of_two(x: f64) -> String {
    format!("2{}", raised(&format!("{x:.0}")))
}

/// Digits as an exponent.
pub(super) fn raised(digits: &str) -> String {
    let raise = |c: char| match c {
        '0'..='9' => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(c as u8 - b'0')],
        '-' => '⁻',
        c => c,
    };
    digits.chars().map(raise).collect()
}

/// `text` on one line, without the characters that XML forbids.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c }).collect()
}

/// At most `most` characters of `text`, cleaned.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// `text` in lines of at most `most` characters, broken at spaces if possible.
pub(super) fn wrap(text: &str, most: usize) -> Vec<String> {
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
