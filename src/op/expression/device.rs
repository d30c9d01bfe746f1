//! The text of an expression that devices get: where translations to their languages forget what the language says of NaN, in other words.

use std::cmp::Reverse;
use std::ops::Range;

/// The text with those of its parts said otherwise that translations get wrong: `a != b` of floats, which is true beside NaN (naga 30 writes
/// an ordered comparison for Vulkan), and `step(a, b)`, which is 0 there.
pub(super) fn for_devices(text: &str, parts: &[Range<usize>]) -> String {
    let mut parts: Vec<_> = parts.iter().filter_map(|part| whole(text, part.clone())).collect();
    parts.sort_by_key(|part| (part.start, Reverse(part.end)));
    rewritten(text, 0..text.len(), &parts)
}

/// A part with the arguments behind it, where it is the name of a function.
fn whole(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let behind = text.get(part.end..)?;
    if !text.get(part.clone())?.ends_with("step") {
        return Some(part);
    }
    let open = part.end + behind.find('(')?;
    Some(part.start..open + outside(&text[open..], ")")? + 1)
}

/// A stretch of the text with the outermost parts in it said otherwise.
fn rewritten(text: &str, of: Range<usize>, parts: &[Range<usize>]) -> String {
    let (mut out, mut at) = (String::new(), of.start);
    for (number, part) in parts.iter().enumerate() {
        if part.start >= at && part.end <= of.end {
            out.push_str(&text[at..part.start]);
            out.push_str(&otherwise(text, part.clone(), &parts[number + 1..]));
            at = part.end;
        }
    }
    out + &text[at..of.end]
}

/// A comparison or a step in other words; what is neither stays as it is.
fn otherwise(text: &str, part: Range<usize>, inner: &[Range<usize>]) -> String {
    let here = &text[part.clone()];
    let both = |from: Range<usize>, to: Range<usize>| [from, to].map(|side| rewritten(text, side, inner));
    if let Some(at) = outside(here, "!=") {
        let [a, b] = both(part.start..part.start + at, part.start + at + 2..part.end);
        return format!("!(({a}) == ({b}))");
    }
    let arguments = here.strip_prefix("step").and_then(|call| call.trim_start().strip_prefix('(')?.strip_suffix(')'));
    let Some((call, comma)) = arguments.and_then(|call| Some((call, outside(call, ",")?))) else {
        return rewritten(text, part, inner);
    };
    let end = part.end - 1;
    let begin = end - call.len();
    let [edge, x] = both(begin..begin + comma, begin + comma + 1..end);
    // A comma may stand behind the last one.
    format!("select(0.0, 1.0, ({edge}) <= ({}))", x.trim_end().trim_end_matches(','))
}

/// The first place of a sign that stands in no brackets; of a bracket that closes, the one that closes the outermost.
fn outside(text: &str, sign: &str) -> Option<usize> {
    let mut open = 0;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' | '[' => open += 1,
            ')' | ']' => open -= 1,
            _ => {}
        }
        (open == 0 && text[at..].starts_with(sign)).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use crate::element::Dtype;

    /// What devices get of an expression over f32.
    fn device(text: &str) -> String {
        Expression::of_element(text, Dtype::F32).expect("an expression").device.to_string()
    }

    #[test]
    fn unequal_floats_are_not_equal_ones() {
        for (text, want) in [
            ("x != x", "!((x ) == ( x))"),
            (" x!=1.0 ", "!((x) == (1.0))"),
            ("(x + 1) != (x * 2)", "!(((x + 1) ) == ( (x * 2)))"),
            ("f32(x != x) + f32(x != 2)", "f32(!((x ) == ( x))) + f32(!((x ) == ( 2)))"),
            ("select(0.0, x, x != 1 && abs(x) != 2)", "select(0.0, x, !((x ) == ( 1)) && !((abs(x) ) == ( 2)))"),
            ("f32(x != 1) != f32(x != 2)", "!((f32(!((x ) == ( 1))) ) == ( f32(!((x ) == ( 2)))))"),
            ("step(1, x)", "select(0.0, 1.0, (1) <= ( x))"),
            ("step (step(x, 1.0), max(x, 0),)", "select(0.0, 1.0, (select(0.0, 1.0, (x) <= ( 1.0))) <= ( max(x, 0)))"),
            ("x != step(x, 1)", "!((x ) == ( select(0.0, 1.0, (x) <= ( 1))))"),
            ("u32(x) != 3u", "u32(x) != 3u"),
            ("(x > 1) != (x < 2)", "(x > 1) != (x < 2)"),
            ("smoothstep(0.0, 1.0, x)", "smoothstep(0.0, 1.0, x)"),
        ] {
            assert_eq!(device(text), want);
            // It is the same expression, and nothing more to say otherwise.
            assert_eq!(device(want), want);
        }
    }
}
