//! Names in texts of WGSL: which a text declares, and prefixes before them.

use super::{Text, Wgsl};
use crate::error::{Error, Result};
use std::collections::HashSet;

/// Refuses helpers that declare what the kernels do.
pub(crate) fn check_names(operator: &str, helpers: &[Text]) -> Result<()> {
    for text in helpers {
        let found = declared(&tokens(text)).into_iter().find(|(name, _)| Wgsl::RESERVED.contains(name));
        if let Some((name, _)) = found {
            return Err(Error::ReservedName { operator: operator.into(), name: name.into() });
        }
    }
    Ok(())
}

/// The functions of an element's bits, which an element type declares for kernels.
pub(crate) const OF_ELEMENTS: [&str; 6] = ["value", "is_nan", "is_zero", "key", "unkey", "tie"];

/// Refuses an element type that declares what the kernels do.
pub(super) fn check_element(dtype: &str, text: &str) -> Result<()> {
    let taken = |name: &str| Wgsl::RESERVED.contains(&name) && !OF_ELEMENTS.contains(&name);
    match declared(&tokens(text)).into_iter().find(|(name, _)| taken(name)) {
        Some((name, _)) => Err(Error::ReservedName { operator: format!("over {dtype}"), name: name.into() }),
        None => Ok(()),
    }
}

/// A text in tokens: names and numbers, runs of blanks, comments, and single other characters.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::with_capacity(text.len() / 3);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => comment(rest).unwrap_or(rest.len()),
            _ if is_of_a_name(first) => run(rest, is_of_a_name),
            _ if first.is_whitespace() => run(rest, char::is_whitespace),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        out.push(token);
        rest = after;
    }
    out
}

/// Bytes of the comment that a text begins with, which may hold others, where it has an end.
fn comment(text: &str) -> Option<usize> {
    let (bytes, mut open, mut at) = (text.as_bytes(), 0u32, 0);
    while at + 1 < bytes.len() {
        open = match &bytes[at..at + 2] {
            b"/*" => open + 1,
            b"*/" => open - 1,
            _ => {
                at += 1;
                continue;
            }
        };
        at += 2;
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// The line, counted from 0, in which a comment begins that has no end: it would take with it what follows the text.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn unclosed(text: &str) -> Option<usize> {
    let last = tokens(text).pop()?;
    let is_open = last.starts_with("/*") && comment(last).is_none();
    is_open.then(|| text[..text.len() - last.len()].matches('\n').count())
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

/// Bytes before the first character that is of another kind. Texts are gone through often, and nearly all of them is ASCII: byte by byte.
fn run(text: &str, kind: fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] < 128 && kind(char::from(bytes[end])) {
        end += 1;
    }
    if end < bytes.len() && bytes[end] >= 128 { text.find(|c| !kind(c)).unwrap_or(text.len()) } else { end }
}

/// Whether a token is neither blank nor comment.
fn speaks(token: &str) -> bool {
    match token.as_bytes() {
        [] | [b'/', b'/' | b'*', ..] | [b'\t'..=b'\r' | b' ', ..] => false,
        [128..=255, ..] => !token.starts_with(char::is_whitespace),
        _ => true,
    }
}

/// Whether a token is one of ASCII's marks, which are no names.
fn is_mark(token: &str) -> bool {
    matches!(token.as_bytes(), [mark] if mark.is_ascii_punctuation() && *mark != b'_')
}

/// A name that a text declares at its top level, and whether it is a function's.
pub(crate) type Declared<'t> = (&'t str, bool);

/// The names that a text declares at its top level.
pub(crate) fn declared<'t>(tokens: &[&'t str]) -> Vec<Declared<'t>> {
    let mut names = Vec::new();
    let mut depth = 0;
    let spoken: Vec<&str> = tokens.iter().copied().filter(|token| speaks(token)).collect();
    for (at, &token) in spoken.iter().enumerate() {
        match token {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            "fn" | "struct" | "alias" | "const" | "override" if depth == 0 => {
                names.extend(spoken.get(at + 1).map(|&name| (name, token == "fn")));
            }
            // var<workgroup> name
            "var" if depth == 0 => {
                let name = spoken[at..].iter().position(|&token| token == ">").and_then(|end| spoken.get(at + end + 1));
                names.extend(name.map(|&name| (name, false)));
            }
            _ => {}
        }
    }
    names
}

/// The text with a prefix before every name that it declares, and before `others` theirs: never after a dot, and a function's
/// name only where it is declared or called, so that parameters and members may share it.
pub(crate) fn prefixed(text: &str, prefix: &str, others: &[Declared], their_prefix: &str) -> String {
    let tokens = tokens(text);
    let own = declared(&tokens);
    let names: HashSet<&str> = own.iter().chain(others).map(|&(name, _)| name).collect();
    let mut out = String::with_capacity(text.len() * 2);
    // The token before, blanks and comments aside.
    let mut before = "";
    for (at, &token) in tokens.iter().enumerate() {
        if !speaks(token) {
            out.push_str(token);
            continue;
        }
        if before != "." && !is_mark(token) && names.contains(token) {
            // A declaration `name:` of a parameter, member or variable may share a global name.
            let next = tokens[at + 1..].iter().copied().find(|token| speaks(token));
            let global = matches!(before, ">" | "const" | "override");
            let names_itself = next == Some(":") && !global || matches!(before, "let" | "var");
            let called = next == Some("(");
            let meant = |&(name, function): &Declared| name == token && (called || !function);
            if !names_itself && own.iter().any(meant) {
                out.push_str(prefix);
            } else if !names_itself && others.iter().any(meant) {
                out.push_str(their_prefix);
            }
        }
        out.push_str(token);
        before = token;
    }
    out
}

/// The text with a prefix before these names, but after a dot.
pub(crate) fn renamed(text: &str, names: &[&str], prefix: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = "";
    for token in tokens(text) {
        if before != "." && names.contains(&token) {
            out.push_str(prefix);
        }
        out.push_str(token);
        before = token;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_reach_declarations_and_uses_but_no_members() {
        let text = "struct Acc { x: u32 }\n// Acc\nfn lift(a: u32) -> Acc { return Acc(other(a)); }\nfn x(key: u32) { y.lift = lift(key); }";
        let want = "struct p_Acc { x: u32 }\n// Acc\nfn p_lift(a: u32) -> p_Acc { return p_Acc(q_other(a)); }\nfn p_x(key: u32) { y.lift = p_lift(key); }";
        assert_eq!(prefixed(text, "p_", &[("other", true)], "q_"), want);
    }

    #[test]
    fn workgroup_variables_get_prefixes() {
        let text = "var<workgroup> low: array<u32, N>;\nconst N: u32 = 4u;\nfn f() { g(low, N); }";
        let want = "var<workgroup> p_low: array<u32, p_N>;\nconst p_N: u32 = 4u;\nfn p_f() { g(p_low, p_N); }";
        assert_eq!(prefixed(text, "p_", &[], "q_"), want);
    }

    #[test]
    fn letters_and_blanks_beyond_ascii_are_what_they_are() {
        assert_eq!(tokens("été2.x\u{85}y+\u{2028}é"), ["été2", ".", "x", "\u{85}", "y", "+", "\u{2028}", "é"]);
        assert_eq!(tokens("a\r\n /* é */_b1// é"), ["a", "\r\n ", "/* é */", "_b1", "// é"]);
        let text = "fn é(x: u32) -> u32 { return x; }\nfn ℘() -> u32 { return é\u{85}(y.é); }";
        let want = "fn p_é(x: u32) -> u32 { return x; }\nfn p_℘() -> u32 { return p_é\u{85}(y.é); }";
        assert_eq!(prefixed(text, "p_", &[], "q_"), want);
    }

    #[test]
    fn comments_hold_others_and_may_have_no_end() {
        assert_eq!(tokens("a/* b /* c */ d */e/**/"), ["a", "/* b /* c */ d */", "e", "/**/"]);
        assert_eq!(tokens("/*/ a"), ["/*/ a"]);
        for closed in ["", "/* a /* b */ */", "// /* a", "a /* // */", "*/"] {
            assert_eq!(unclosed(closed), None, "{closed}");
        }
        assert_eq!(["a\n/* b /* c */\nd", "/*", "x\n\n/*/"].map(unclosed), [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn declarations_of_every_kind_are_found() {
        let text = "const A = 1u; /* fn b() */ override C: u32; alias D = u32; var<workgroup> e: array<atomic<u32>, 4>; fn f(g: u32) { let h = 1; }";
        let names: Vec<&str> = declared(&tokens(text)).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["A", "C", "D", "e", "f"]);
    }

    #[test]
    fn reserved_names_are_refused() {
        let error = check_names("mine", &["fn load(x: u32) -> u32 { return x; }".into()]).expect_err("reserved");
        assert!(["mine", "load"].iter().all(|word| error.to_string().contains(word)), "{error}");
        assert!(check_names("mine", &["fn loads(load: u32) -> u32 { return load; }".into()]).is_ok());
    }
}
