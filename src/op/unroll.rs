//! Lines that are repeated: drivers do not unroll loops around loads and shuffles.

use super::tokens;

/// Repeats each line that ends in `// for K in 0..NAME`, a NAME in capitals, NAME's number of times, with the tokens `K` and `…_K` counted up.
/// Other tokens that are a NAME become its number.
pub(crate) fn unroll(text: &str, counts: &[(&str, u32)]) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let counted_in = text.contains("ROWS_AT_ONCE");
    for line in text.lines() {
        // A marked line ends in the name.
        let marked =
            line.as_bytes().last().is_some_and(u8::is_ascii_uppercase).then(|| line.rsplit_once("// for K in 0.."));
        let marked = marked.flatten().and_then(|(line, name)| {
            counts.iter().find(|(count, _)| *count == name).map(|&(_, times)| (line.trim_end(), times))
        });
        let Some((line, times)) = marked else {
            if counted_in {
                out.push_str(&counted(line, counts));
            } else {
                out.push_str(line);
            }
            out.push('\n');
            continue;
        };
        for k in 0..times {
            for token in tokens(line) {
                match token.strip_suffix("_K") {
                    Some(name) => out.push_str(&format!("{name}_{k}")),
                    None if token == "K" => out.push_str(&format!("{k}u")),
                    None => out.push_str(token),
                }
            }
            out.push('\n');
        }
    }
    out
}

/// A line with `ROWS_AT_ONCE` as its number; the others are constants of the text.
fn counted(line: &str, counts: &[(&str, u32)]) -> String {
    let number = |token: &str| counts.iter().find(|(name, _)| *name == token && *name == "ROWS_AT_ONCE");
    if line.trim_start().starts_with("//") {
        return line.into();
    }
    tokens(line).into_iter().map(|token| number(token).map_or(token.to_string(), |(_, n)| format!("{n}u"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_up_by_whole_tokens() {
        let text = "a\n  let v_K = vectors[q + K * OK];  // for K in 0..LOADS\n  use(v_K, 10u * x);  // for K in 0..LOADS\nb\n";
        let want = "a\n  let v_0 = vectors[q + 0u * OK];\n  let v_1 = vectors[q + 1u * OK];\n  use(v_0, 10u * x);\n  use(v_1, 10u * x);\nb\n";
        assert_eq!(unroll(text, &[("LOADS", 2)]), want);
    }

    #[test]
    fn other_remarks_stay() {
        assert_eq!(unroll("x;  // for K in 0..9\n", &[("LOADS", 2)]), "x;  // for K in 0..9\n");
    }
}
