//! Mistakes that browsers' compilers refuse and naga lets pass, looked for in every text: no browser is needed.

use crate::every::Text;
use naga::keywords::wgsl::RESERVED;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

/// All texts, made once.
static TEXTS: LazyLock<Vec<Text>> = LazyLock::new(crate::every::texts);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A name or a keyword.
    Word,
    Number,
    /// Operators, brackets and the rest.
    Sign,
    /// Either end of a template's list.
    Template,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    kind: Kind,
    at: usize,
}

/// Longest first. Nothing that begins with `>`: it may end a template's list.
const SIGNS: [&str; 20] = [
    "<<=", "->", "<<", "<=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<",
    "=",
];

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let until = |end: &dyn Fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += until(&|c| c == '\n');
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        } else if first.is_alphabetic() || first == '_' {
            (Kind::Word, until(&|c| !c.is_alphanumeric() && c != '_'))
        } else if first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            (Kind::Number, number(rest))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        tokens.push(Token { text: &rest[..length], kind, at });
        at += length;
    }
    mark_templates(&mut tokens);
    join(text, &tokens)
}

/// The length of the number at the start.
fn number(rest: &str) -> usize {
    let exponents = if rest.starts_with("0x") || rest.starts_with("0X") { "pP" } else { "eE" };
    let mut last = ' ';
    for (at, c) in rest.char_indices() {
        let signed = exponents.contains(last) && "+-".contains(c);
        if !(c.is_alphanumeric() || c == '.' || signed) {
            return at;
        }
        last = c;
    }
    rest.len()
}

/// The language's own way to tell `<` and `>` of templates from comparisons.
fn mark_templates(tokens: &mut [Token]) {
    let (mut open, mut depth) = (Vec::new(), 0u32);
    for t in 0..tokens.len() {
        match tokens[t].text {
            "<" if t > 0 && tokens[t - 1].kind == Kind::Word => open.push((t, depth)),
            ">" => {
                if let Some((start, _)) = open.pop_if(|(_, at)| *at == depth) {
                    tokens[start].kind = Kind::Template;
                    tokens[t].kind = Kind::Template;
                }
            }
            "(" | "[" => depth += 1,
            ")" | "]" => {
                open.retain(|&(_, at)| at < depth);
                depth = depth.saturating_sub(1);
            }
            ";" | "{" | ":" | "=" => {
                open.clear();
                depth = 0;
            }
            "&&" | "||" => open.retain(|&(_, at)| at < depth),
            _ => {}
        }
    }
}

/// Makes `>` and what follows it one sign where they are one: `>=`, `>>`, `>>=`.
fn join<'a>(text: &'a str, tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut joined: Vec<Token> = Vec::new();
    for token in tokens {
        if let Some(last) = joined.last_mut() {
            let follows = last.at + last.text.len() == token.at && (last.kind, token.kind) == (Kind::Sign, Kind::Sign);
            let together = matches!((last.text, token.text), (">", ">" | "=") | (">>", "="));
            if follows && together {
                last.text = &text[last.at..token.at + token.text.len()];
                continue;
            }
        }
        joined.push(*token);
    }
    joined
}

/// The place of a mistake, and the mistake in words.
type Wrong = (usize, String);

/// Operators that the language wants parentheses between, at one level of brackets.
fn mixed(signs: &[Token]) -> Option<Wrong> {
    let logical = |sign: &str| matches!(sign, "&&" | "||");
    let relation = |sign: &str| matches!(sign, "<" | ">" | "<=" | ">=" | "==" | "!=");
    let shift = |sign: &str| matches!(sign, "<<" | ">>");
    let wrong = |a: &Token, b: &Token| Some((b.at, format!("`{}` and `{}` without parentheses", a.text, b.text)));

    if let Some(bits) = signs.iter().find(|sign| matches!(sign.text, "&" | "|" | "^")) {
        return signs.iter().find(|sign| sign.text != bits.text).and_then(|other| wrong(bits, other));
    }
    let and = signs.iter().find(|sign| sign.text == "&&");
    if let (Some(and), Some(or)) = (and, signs.iter().find(|sign| sign.text == "||")) {
        return wrong(and, or);
    }
    for side in signs.split(|sign| logical(sign.text)) {
        let mut relations = side.iter().filter(|sign| relation(sign.text));
        if let (Some(a), Some(b)) = (relations.next(), relations.next()) {
            return wrong(a, b);
        }
        for term in side.split(|sign| relation(sign.text)) {
            let (shifts, others): (Vec<&Token>, Vec<&Token>) = term.iter().partition(|sign| shift(sign.text));
            if let (Some(a), Some(b)) = (shifts.first(), others.first().or(shifts.get(1))) {
                return wrong(a, b);
            }
        }
    }
    None
}

/// Parentheses that are missing.
fn unparenthesized(tokens: &[Token]) -> Vec<Wrong> {
    const STATEMENTS: [&str; 8] = ["return", "if", "while", "switch", "case", "else", "loop", "for"];
    let mut levels: Vec<Vec<Token>> = vec![Vec::new()];
    let mut wrong = Vec::new();
    let mut operand = false;
    for token in tokens {
        let (opens, closes) = match (token.text, token.kind) {
            ("(" | "[" | "{", _) | ("<", Kind::Template) => (true, false),
            (")" | "]" | "}", _) | (">", Kind::Template) => (false, true),
            _ => (false, false),
        };
        let assigns =
            token.kind == Kind::Sign && token.text.ends_with('=') && !matches!(token.text, "==" | "!=" | "<=" | ">=");
        let ends = opens && token.text == "{" || closes || assigns || matches!(token.text, "," | ";" | ":");
        let binary = matches!(
            token.text,
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "&"
                | "|"
                | "^"
                | "<<"
                | ">>"
                | "<"
                | ">"
                | "<="
                | ">="
                | "=="
                | "!="
                | "&&"
                | "||"
        );
        let level = levels.last_mut().expect("a level");
        if ends || STATEMENTS.contains(&token.text) {
            wrong.extend(mixed(level));
            level.clear();
        } else if token.kind == Kind::Sign && binary && operand {
            level.push(*token);
        }
        if opens {
            levels.push(Vec::new());
        } else if closes && levels.len() > 1 {
            levels.pop();
        }
        operand = match token.kind {
            Kind::Word => !STATEMENTS.contains(&token.text),
            Kind::Number => true,
            Kind::Sign => matches!(token.text, ")" | "]" | "++" | "--"),
            Kind::Template => closes,
        };
    }
    wrong
}

/// Decimal floats beyond f32, which are no f32 even where they round to its largest.
fn too_large(tokens: &[Token]) -> Vec<Wrong> {
    let large = |token: &&Token| {
        let hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
        let decimal = token.text.trim_end_matches(['f', 'h']);
        token.kind == Kind::Number && !hexadecimal && decimal.parse::<f64>().is_ok_and(|x| x > f64::from(f32::MAX))
    };
    tokens.iter().filter(large).map(|token| (token.at, format!("{} is larger than any f32", token.text))).collect()
}

/// Words that the language keeps for itself.
fn reserved(tokens: &[Token]) -> Vec<Wrong> {
    // The list begins with the keywords that have a meaning today.
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| RESERVED.iter().skip_while(|word| **word != "NULL").copied().collect());
    let kept =
        |token: &&Token| token.kind == Kind::Word && (WORDS.contains(token.text) || token.text.starts_with("__"));
    tokens.iter().filter(kept).map(|token| (token.at, format!("`{}` is a reserved word", token.text))).collect()
}

/// Features that no browser has, or not without being asked: subgroup operations, 64-bit types, f32 atomics.
fn native(tokens: &[Token]) -> Vec<Wrong> {
    const WORDS: [&str; 7] =
        ["i64", "u64", "f64", "subgroup_size", "subgroup_invocation_id", "subgroup_id", "num_subgroups"];
    let found = tokens.iter().enumerate().filter(|&(t, token)| match token.kind {
        Kind::Word => {
            let operation =
                token.text.strip_prefix("subgroup").is_some_and(|rest| rest.starts_with(char::is_uppercase));
            let atomic = token.text == "atomic" && tokens.get(t + 2).is_some_and(|of| of.text == "f32");
            WORDS.contains(&token.text) || operation || atomic
        }
        Kind::Number => ["li", "lu", "lf"].iter().any(|suffix| token.text.ends_with(suffix)),
        _ => false,
    });
    found.map(|(_, token)| (token.at, format!("`{}` is not for browsers", token.text))).collect()
}

/// Everything wrong with a text for any compiler.
fn wrong(text: &str) -> Vec<Wrong> {
    let tokens = tokens(text);
    [unparenthesized(&tokens), too_large(&tokens), reserved(&tokens)].concat()
}

/// The line of a place in a text.
fn line(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or("").trim()
}

/// The parts of a text that end with a bracket at the beginning of a line: no rule looks beyond one.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive("\n}\n")
}

/// Each wrong line once, with the name of a text that holds it. Texts share most of their parts: each is looked at once.
fn report<'a>(texts: impl IntoIterator<Item = &'a Text>, rule: fn(&str) -> Vec<Wrong>) -> String {
    let (mut seen, mut lines) = (HashSet::new(), BTreeMap::new());
    for Text { name, text, .. } in texts {
        for part in parts(text).filter(|part| seen.insert(*part)) {
            for (at, what) in rule(part) {
                lines.entry(format!("{what}:\n    {}", line(part, at))).or_insert(name);
            }
        }
    }
    let told = lines.iter().map(|(line, name)| format!("{line}\n    in {name}"));
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_text_keeps_to_the_language() {
    println!("{} texts", TEXTS.len());
    let report = report(&*TEXTS, wrong);
    assert!(report.is_empty(), "browsers refuse:\n{report}");
}

#[test]
fn texts_for_browsers_ask_for_nothing_more() {
    let (web, other): (Vec<_>, Vec<_>) = TEXTS.iter().partition(|text| text.web);
    println!("{} texts for browsers, {} others", web.len(), other.len());
    assert!(web.len() > 100 && !other.is_empty());
    let report = report(web, |text| native(&tokens(text)));
    assert!(report.is_empty(), "no browser has:\n{report}");
    let mut known = HashMap::new();
    for Text { name, text, .. } in other {
        let mut asks = |part| *known.entry(part).or_insert_with(|| !native(&tokens(part)).is_empty());
        assert!(parts(text).any(&mut asks), "{name} is kept from browsers without a reason");
    }
}

/// Each mistake is told once, wherever it stands, and of which text.
#[test]
fn every_part_of_a_text_is_looked_at() {
    let good = "fn f() {\n    let x = 1u;\n}\n";
    let bad = "fn g() {\n    let from = 1u;\n}\n";
    let text = |name: &str, parts: &[&str]| Text { name: name.into(), text: parts.concat(), web: true, made: None };
    let told = |texts: &[Text]| report(texts, wrong);
    assert_eq!(told(&[text("a", &[good]), text("b", &[good, good])]), "");
    let want = "`from` is a reserved word:\n    let from = 1u;\n    in b";
    for parts in [[good, bad, good], [bad, good, good], [good, good, bad], [good, bad, "alias A = u32;"]] {
        assert_eq!(told(&[text("a", &[good]), text("b", &parts), text("c", &parts)]), want);
    }
    assert!(told(&[text("a", &[good, "alias from = u32;"])]).contains("alias from = u32;"));
}

/// The messages of a rule about a function of this body.
fn said(rule: fn(&[Token]) -> Vec<Wrong>, body: &str) -> Vec<String> {
    let text = format!("fn f(a: u32, b: u32, c: bool) {{ {body} }}");
    rule(&tokens(&text)).into_iter().map(|(_, what)| what).collect()
}

#[test]
fn missing_parentheses_are_noticed() {
    for body in [
        "let x = a == 0u | c;",
        "let x = c & a < b;",
        "let x = c & (a >> 1u) >= b;",
        "let x = (c | a != b);",
        "if c | a > b { return; }",
        "if c & f(a) <= b { return; }",
        "let x = a | b & 1u;",
        "let x = a ^ b | 1u;",
        "let x = a & b + 1u;",
        "let x = a | b << 1u;",
        "let x = g[a | b - 1u];",
        "let x = c && c || c;",
        "let x = c || a < b && c;",
        "let x = c | c && c;",
        "let x = a + b << 1u;",
        "let x = a << b * 2u;",
        "let x = a << b >> 1u;",
        "let x = a < b == c;",
        "for (var i = a; i < b | c; i++) {}",
        "x += array<u32, 2>(a, b & 1u + 1u)[0];",
        "while a & 1u == 0u {}",
    ] {
        assert_eq!(said(unparenthesized, body).len(), 1, "{body}: {:?}", said(unparenthesized, body));
    }
    for body in [
        "let x = (a == 0u) | c;",
        "let x = c & (a < b) & c;",
        "let x = a < b && b < a && c;",
        "let x = (c && c) || c;",
        "let x = a + b < a << 1u;",
        "let x = (a << b) >> 1u;",
        "let x = a | b | 1u;",
        "let x: array<vec2<u32>, 2> = g(&x, -a & b);",
        "x |= a & b; x <<= 1u; x >>= 1u; x = a >> 1u; c = a >= b;",
        "let x = f(-1 + a, &b, *p * 2) - -a;",
        "if !c || (a & 1u) == 0u { return; } else if c { *p = 1u; }",
        "for (var i = a | b; i < b; i++) { g[i + 1u] ^= a; } // a | b == c",
        "let x = select(a | b, a + b, /* a | b == c */ a < b);",
        "let x = a > b;",
        "return -a + b;",
    ] {
        assert_eq!(said(unparenthesized, body), [""; 0], "{body}");
    }
}

#[test]
fn floats_too_large_are_noticed() {
    for body in ["3.40282347e+38", "-3.40282347e38", "3.5e38f", "1e39", "340282350000000000000000000000000000000.0"] {
        assert_eq!(said(too_large, &format!("let x = {body};")).len(), 1, "{body}");
    }
    for body in
        ["3.4028234e+38", "-3.4028234663852886e38", "0x1.fffffep+127", "0xffffffffu", "4294967295u", ".5", "1.f"]
    {
        assert_eq!(said(too_large, &format!("let x = {body};")), [""; 0], "{body}");
    }
}

#[test]
fn reserved_words_are_noticed() {
    let bodies =
        ["let from = a;", "let x = y.get;", "move();", "var<private> yield: u32;", "let NULL = 1;", "let __x = a;"];
    for body in bodies.into_iter().chain(["as(1);", "async();", "let auto = 1;"]) {
        assert_eq!(said(reserved, body).len(), 1, "{body}");
    }
    for body in ["let from_ = a; // from get", "let gets = a;", "_ = a;", "let _x = as_(a);", "for (;;) { continue; }"]
    {
        assert_eq!(said(reserved, body), [""; 0], "{body}");
    }
}

#[test]
fn what_browsers_lack_is_noticed() {
    for body in [
        "let x = subgroupAdd(a);",
        "x = f(@builtin(subgroup_size) lanes: u32);",
        "let x = f64(a);",
        "var x: array<u64, 2>;",
        "let x = 1li;",
        "var x: ptr<storage, atomic<f32>>;",
    ] {
        assert_eq!(said(native, body).len(), 1, "{body}");
    }
    let body = "let subgroup = who.subgroups; var x: atomic<u32>; subgroup_combine(f32(a)); // i64";
    assert_eq!(said(native, body), [""; 0]);
}
