//! Names in texts of WGSL: which a text declares, and prefixes before them.

use super::{Text, Wgsl};
use crate::error::{Error, Result};

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
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        out.push(token);
        rest = after;
    }
    out
}

/// Whether a token is neither blank nor comment.
fn speaks(token: &str) -> bool {
    !token.trim().is_empty() && !token.starts_with("//") && !token.starts_with("/*")
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
    let mut out = String::with_capacity(text.len() * 2);
    for (at, &token) in tokens.iter().enumerate() {
        let before = tokens[..at].iter().rev().find(|token| speaks(token));
        let member = before == Some(&".");
        // A declaration `name:` of a parameter, member or variable may share a global name.
        let next = tokens[at + 1..].iter().find(|token| speaks(token));
        let global = matches!(before, Some(&">" | &"const" | &"override"));
        let names_itself = next == Some(&":") && !global || matches!(before, Some(&"let" | &"var"));
        let called = next == Some(&"(");
        let meant = |&(name, function): &Declared| name == token && (called || !function);
        if !member && !names_itself {
            if own.iter().any(meant) {
                out.push_str(prefix);
            } else if others.iter().any(meant) {
                out.push_str(their_prefix);
            }
        }
        out.push_str(token);
    }
    out
}

/// The text with a prefix before these names, but after a dot.
pub(crate) fn renamed(text: &str, names: &[&str], prefix: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = "";
    for token in tokens(text) {
        if names.contains(&token) && before != "." {
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
